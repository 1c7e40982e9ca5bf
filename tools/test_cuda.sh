#!/usr/bin/env bash
# Tests of the GPU, on a machine that has one: builds library and tests, runs the claims that all backends share, and runs
# small scenes under compute-sanitizer where that is installed. Ends with one line, `N passed, N failed`.
#   tools/test_cuda.sh [cmake arguments]     for instance -DCMAKE_CUDA_ARCHITECTURES=native
# Needs gcc, g++, nvcc and cmake alone. Without a GPU all of it is built, and the device on the host is tested.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL # those of the make that called this
build=build/cuda
logs=$build/log
mkdir -p "$logs"
passed=0 failed=0
targets=(test_device test_device_cuda test_backend test_device_memory test_live)

# A program that ends with `N passed, N failed`; one that dies before it says so has failed once.
tally() { # name command ...
    local name=$1 output=$logs/$1.log status last
    shift
    timeout 1200 "$@" </dev/null >"$output" 2>&1
    status=$?
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$output" | tail -n 1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]] &&
        { [[ $status -eq 0 ]] || [[ ${BASH_REMATCH[2]} -gt 0 ]]; }; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        last="ended with status $status"
        failed=$((failed + 1))
    fi
    printf '%-28s %s\n' "$name" "$last"
    grep -E '^ +(FAILED|.*: not true:|.*expected)|m from the CPU|^=+ (ERROR|Invalid|Race)' "$output" | head -n 40
}

# One run under a tool of compute-sanitizer; it ends with 77 when the tool found something.
sanitize() { # tool program [filter]
    local tool=$1 program=$2 filter=${3:-}
    tally "$tool ${program##*/} $filter" compute-sanitizer --tool "$tool" --error-exitcode 77 "$program" $filter
}

echo "building ($logs/build.log) ..."
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DPERCALE_CUDA=ON -DPRC_PROGRAM=OFF "$@" &&
    cmake --build "$build" -j "$(nproc)" --target "${targets[@]}"; } >"$logs/build.log" 2>&1; then
    tail -n 40 "$logs/build.log"
    echo "0 passed, 1 failed"
    exit 1
fi

tally "device on the host" "$build/test/test_device"
tally "host and device apart" "$build/test/test_device_memory"
tally "device" "$build/test/test_device_cuda"
tally "backends" "$build/test/test_backend"
tally "changes while it runs" "$build/test/test_live"
if ! command -v compute-sanitizer >/dev/null; then
    echo "compute-sanitizer is not installed: memory and races on the GPU are not checked"
elif nvidia-smi -L >/dev/null 2>&1; then
    sanitize memcheck "$build/test/test_device_cuda"
    sanitize racecheck "$build/test/test_device_cuda"
    for scene in flag ball twist layers; do
        sanitize memcheck "$build/test/test_backend" "cuda_short_$scene"
        sanitize racecheck "$build/test/test_backend" "cuda_short_$scene"
    done
fi
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
