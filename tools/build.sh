#!/usr/bin/env bash
# Builds the release preset into build/, quietly: the log is shown when it fails.
#   tools/build.sh [target]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL # those of the make that called this
mkdir -p build
log=build/build.log
echo "building (build/build.log) ..."
if ! { cmake --preset release && cmake --build build -j "$(nproc)" --target "${1:-all}"; } >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "the build failed; the whole log is in $log"
    exit 1
fi
