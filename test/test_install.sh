#!/usr/bin/env bash
# `cmake --install` after a build of the program alone, which is what `make demo` leaves behind.
#
#   test/test_install.sh [build]    the folder of the build; its shared library and man pages are made anew
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
kit=$PWD/test/kit
build=$(realpath "${1:-build}")
percale=$build/bin/percale
skip() { echo "  skipped: $1"; echo "0 passed, 0 failed"; exit 0; }
[[ -x $percale ]] || skip "$percale is not built"
[[ -f $build/CMakeCache.txt ]] && command -v cmake >/dev/null || skip "$build is not the folder of a build"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"

rm -rf "$build"/libpercale.so* "$build/man"
claim "what_is_not_built_is_built_before_it_is_installed" cmake --install "$build" --prefix "$room/prefix"
claim "the_program_is_there" "$room/prefix/bin/percale" --version
shared=$(find prefix -name libpercale.so)
claim "and_the_shared_library" test -n "$shared"
claim "and_the_static_one" test -n "$(find prefix -name libpercale.a)"
claim "and_the_headers" test -s prefix/include/percale/percale.h
claim "and_the_man_pages" test -s prefix/share/man/man1/percale-run.1
claim "a_second_time_nothing_is_built" bash -c "! cmake --install '$build' --prefix '$room/prefix' | grep -q Building"

echo "$passed passed, $failed failed"
exit $failed
