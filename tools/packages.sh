#!/usr/bin/env bash
# Installs the Debian packages that are missing, and says nothing when none is.
#   tools/packages.sh        what building and running need
#   tools/packages.sh demo   and what pictures and movies need
#   tools/packages.sh plots  and what plots need
#   tools/packages.sh test   and what make test needs
#   tools/packages.sh deep   and what make test-deep needs besides
#   tools/packages.sh docs   and what the documentation site needs
# Without these packages the tests still run; the checks that need them are skipped.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

packages=(build-essential cmake pkg-config libfyaml-dev libpng-dev libepoxy-dev libfreetype-dev)
packages+=(libglfw3-dev) # percale view
pictures=(libegl1 libgl1-mesa-dri fonts-dejavu-core ffmpeg)
site=(python3-sphinx python3-myst-parser furo nodejs katex mandoc man-db)
tests=(clang-format python3 python3-venv python3-jsonschema python3-yaml gnuplot-nox "${site[@]}" "${pictures[@]}")
tests+=(xvfb xdotool imagemagick) # a display, hands and eyes for test_view.sh
# llvm gives the sanitizers their symbolizer; libomp-dev brings libarcher, which TSan needs.
deep=(clang libomp-dev libclang-rt-14-dev llvm clang-tidy cppcheck gcovr)
case ${1:-} in
demo) packages+=("${pictures[@]}") ;;
plots) packages+=(gnuplot-nox) ;;
docs) packages+=("${site[@]}") ;;
test) packages+=("${tests[@]}") ;;
deep) packages+=("${tests[@]}" "${deep[@]}") ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "packages: not a Debian system; please install the equivalents of: ${packages[*]}"
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "packages: missing ${missing[*]}; install them as root (there is no sudo here)"
        exit 0
    fi
    as_root=(sudo)
fi

echo "packages: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# "${as_root[@]}" is empty for root; env keeps apt from asking questions.
install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$log" 2>&1 &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends "${missing[@]}" >>"$log" 2>&1
}
if ! install; then
    tail -n 20 "$log"
    echo "packages: apt-get failed; going on with what is there"
fi
