#!/usr/bin/env bash
# Builds and runs one test, quickly:
#   tools/check.sh TEST [WORD]     test/test_TEST.c, .cu or .sh; of a program only the tests whose names contain WORD
# It is built in build/check, with one instruction set, without GPUs and little optimised, so that a change is compiled
# quickly; results have the same bits.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL # those of the make that called this

name=${1:-} word=${2:-}
name=${name#test_}
source=$(find test -maxdepth 1 -name "test_$name.c" -o -maxdepth 1 -name "test_$name.cu" -o -maxdepth 1 -name "test_$name.sh")
if [[ -z $source ]]; then
    [[ -z $name ]] || echo "check: there is no test '$name'"
    echo "usage: make check T=springs [ONLY=rope], where T is one of"
    find test -maxdepth 1 -name 'test_*.c' -o -maxdepth 1 -name 'test_*.cu' -o -maxdepth 1 -name 'test_*.sh' |
        sed 's,.*/test_\([a-z0-9_]*\)\..*,\1,' | sort | fmt -w 110 | sed 's/^/  /'
    exit 2
fi

target=test_$name
[[ $source != *.sh ]] || target=percale_program
[[ $name != torture ]] || target=torture
log=build/check.log
mkdir -p build
if ! { cmake --preset check && cmake --build build/check -j "$(nproc)" --target "$target"; } >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "the build failed; the whole log is in $log"
    exit 1
fi
echo "built in $SECONDS s"
if [[ $source == *.sh ]]; then
    exec bash "$source" build/check
fi
exec build/check/test/"$target" ${word:+"$word"}
