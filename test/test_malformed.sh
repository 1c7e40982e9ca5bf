#!/usr/bin/env bash
# Invalid inputs, and the exact message and exit status of each.
#
#   test/test_malformed.sh [build]             runs every command of test/malformed/expected.txt, shows differences
#   test/test_malformed.sh [build] --update    writes the current output into it and into docs/errors.md; read the diff
#
# Whatever the input, percale ends by itself, within seconds and with little memory, never by a signal. Ends with
# `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail -f
cd "$(dirname "$0")/.."
percale=$(realpath "${1:-build}")/bin/percale
mode=${2:-}
table=$PWD/test/malformed/expected.txt
page=$PWD/docs/errors.md
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp -r test/malformed "$room/in"
cd "$room/in" || exit 1

# Too large to be kept here: a file of 70 million bytes, and a list of two million values.
truncate -s 70000000 large.yaml
{ echo "percale: 1" && printf 'bodies: [' && yes '1,' 2>/dev/null | head -n 2000000 | tr -d '\n' && echo '1]'; } >values.yaml

# A good checkpoint, and what may become of one: cut off, one bit changed, of another format.
"$percale" run good.yaml -o checkpoints/good --until 0.002 --quiet >/dev/null 2>&1
patch() { # folder offset byte
    mkdir -p "checkpoints/$1" && cp checkpoints/good/checkpoint.prc "checkpoints/$1" &&
        printf '%b' "\\x$3" | dd of="checkpoints/$1/checkpoint.prc" bs=1 seek="$2" conv=notrunc status=none
}
mkdir checkpoints/cut && head -c 200 checkpoints/good/checkpoint.prc >checkpoints/cut/checkpoint.prc
patch changed 1000 a5
patch format 8 63

# What a command says, and how it ends.
answer() {
    echo "\$ percale $1"
    # shellcheck disable=SC2086
    (ulimit -v 8000000 2>/dev/null; NO_COLOR=1 timeout 60 "$percale" $1 2>&1 >/dev/null) |
        sed "/^Try 'percale help/d; s|$room/in/||g; s/they were [0-9]*/they were N/; s/[[:space:]]*\$//"
    echo "exit ${PIPESTATUS[0]}"
}

# Titles and commands are taken from the table; everything else is what the commands say.
grep '^\$ percale ' "$table" | cut -c 11- >"$room/commands"
grep -E '^(\$ percale |# )' "$table" | while read -r mark rest; do
    if [[ $mark == '#' ]]; then echo "# $rest"; else answer "${rest#percale }"; fi
    echo
done >"$room/found"

# The page of the manual: the same, with a heading for each title.
{
    echo "# Errors"
    echo
    echo "Error messages of percale for invalid input. Each message gives the place (file, line, column, key), what was"
    echo "found and what was expected; all errors of a file are reported at once. The input files are in"
    echo "[test/malformed](../test/malformed). \`test/test_malformed.sh build --update\` writes this page, and a test checks"
    echo "that it is up to date. Exit status: 1 bad input, 2 bad usage, 3 a file that cannot be written."
    echo
    awk '/^# /{if (open) print "```\n"; print "#" $0 "\n\n```"; open = 1; getline; next} {print} END {print "```"}' \
        "$room/found" | cat -s
} >"$room/page"

if [[ $mode == --update ]]; then
    cp "$room/found" "$table"
    cp "$room/page" "$page"
    echo "wrote ${table#"$OLDPWD"/} and ${page#"$OLDPWD"/}: $(wc -l <"$room/commands") commands"
    exit 0
fi

passed=0 failed=0
block() { awk -v wanted="\$ percale $2" '/^\$ percale /{on = $0 == wanted} /^# /{on = 0} on' "$1"; }
while read -r arguments; do
    if diff <(block "$table" "$arguments") <(block "$room/found" "$arguments") >"$room/diff" &&
        ! grep -qE '^exit (124|1[3-9][0-9]|[2-9][0-9][0-9])$' <(block "$room/found" "$arguments"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "  FAILED  percale $arguments (< expected, > found)"
        sed 's/^/    /' "$room/diff"
    fi
done <"$room/commands"
if cmp -s "$room/page" "$page"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "  FAILED  docs/errors.md is what the program says (test/test_malformed.sh build --update)"
fi
echo "$passed passed, $failed failed"
exit $((failed < 100 ? failed : 100))
