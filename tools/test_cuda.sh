#!/usr/bin/env bash
# Tests of the GPU, on a machine that has one: builds library and tests, runs the claims that all backends share, those of
# the code for devices and those about errors, checks surfaces of large scenes for intersections, and runs small scenes under
# compute-sanitizer where that is installed. Prints a line for each, and ends with `N passed, N failed`.
#   tools/test_cuda.sh [cmake arguments]     for instance -DCMAKE_CUDA_ARCHITECTURES=80
# Needs gcc, g++, nvcc, cmake and make alone; with libfyaml the program is tested too. Without a GPU all of it is built, and
# the device on the host is tested.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL # those of the make that called this
export OMP_WAIT_POLICY=passive
build=build/cuda
logs=$build/log
side_by_side=5 # programs on the GPU
limit=400      # seconds for one program
rm -rf "$logs"
mkdir -p "$logs"

# ---- running ----

# Runs a program that ends with `N passed, N failed`, and prints a line about it. One that dies before it says so, or of
# which nothing was tested though it should have been, has failed once. May run in the background: what was counted goes
# to a file.
tally() { # name command ...
    local name=$1 output=$logs/${1// /_}.log status last began=$SECONDS good=0 bad=0
    shift
    timeout "$limit" "$@" </dev/null >"$output" 2>&1
    status=$?
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$output" | tail -n 1)
    if [[ $status -eq 124 ]]; then
        last="did not end within $limit s" bad=1
    elif [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]] &&
        { [[ $status -eq 0 ]] || [[ ${BASH_REMATCH[2]} -gt 0 ]]; }; then
        good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]}
        [[ $good -gt 0 || $bad -gt 0 ]] || bad=1
    else
        last="ended with status $status" bad=1
    fi
    echo "$good $bad" >>"$logs/counts"
    {
        printf '%-44s %3d s  %s\n' "$name" $((SECONDS - began)) "$last"
        grep -E '^ +(FAILED|.*: not true:|.*expected)|m from the CPU|^=+ .*(ERROR SUMMARY|Error|Invalid|hazard)' "$output" |
            head -n 40
    } >"$output.told"
    cat "$output.told" # at once: lines of others may come in between
}

# The same, beside what runs already.
beside() { # name command ...
    while [[ $(jobs -rp | wc -l) -ge $side_by_side ]]; do
        wait -n
    done
    tally "$@" &
}

# One run under a tool of compute-sanitizer; it ends with 77 when the tool found something. A filter chooses claims.
sanitize() { # tool program [filter]
    local tool=$1 program=$2 filter=${3:-} limit=150
    beside "$tool $program${filter:+ $filter}" \
        "$sanitizer" --tool "$tool" --error-exitcode 77 "$build/test/$program" ${filter:+"$filter"}
}

test_on_host() {
    for part in "" _detect _contact _colliders; do
        tally "device on the host$part" "$build/test/test_device$part"
    done
    tally "host and device apart" "$build/test/test_device_memory"
    tally "backends: device on the host" "$build/test/test_backend" device_on_host_
    tally "changes while it runs" "$build/test/test_live"
    tally "errors" "$build/test/test_gpu_errors"
    tally "the guarantee" bash test/test_guarantee.sh "$build" device_on_host
}

test_on_gpu() {
    beside "backends: GPU" "$build/test/test_backend" cuda_
    for part in "" _detect _contact _colliders; do
        beside "device$part" "$build/test/test_device${part}_cuda"
    done
    beside "stages" "$build/test/test_device_stages"
    beside "changes while it runs" "$build/test/test_live"
    wait # the next takes all memory
    tally "errors" "$build/test/test_gpu_errors"
    [[ $program == OFF ]] || tally "a lost device" bash test/test_lost_device.sh "$build" cuda
    beside "the guarantee" bash test/test_guarantee.sh "$build" cuda
}

test_sanitized() {
    local scene program
    for scene in flag ball twist layers; do
        sanitize racecheck test_backend "cuda_tiny_$scene"
    done
    sanitize racecheck test_device_cuda
    for program in test_device_cuda test_device_detect_cuda test_device_contact_cuda test_device_colliders_cuda \
        test_device_stages; do
        sanitize memcheck "$program"
    done
    for scene in flag ball twist layers; do
        sanitize memcheck test_backend "cuda_short_$scene"
    done
}

# ---- what there is ----

sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
gpu=$(nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null | head -n 1) || gpu=
targets=(test_backend test_live test_gpu_errors)
architecture=()
if [[ $gpu ]]; then
    echo "GPU: $gpu"
    targets+=(test_device_stages)
    for part in "" _detect _contact _colliders; do
        targets+=("test_device${part}_cuda")
    done
    [[ $gpu =~ ,\ *([0-9]+)\.([0-9]+)$ ]] &&
        architecture=(-DCMAKE_CUDA_ARCHITECTURES="${BASH_REMATCH[1]}${BASH_REMATCH[2]}") # quicker than all
else
    echo "no GPU: all is built, and the device on the host is tested"
    targets+=(test_device test_device_detect test_device_contact test_device_colliders test_device_memory
        test_device_cuda test_device_detect_cuda test_device_contact_cuda test_device_colliders_cuda)
fi
if pkg-config --exists libfyaml 2>/dev/null; then
    program=ON
    targets+=(percale_program)
else
    program=OFF
    targets+=(percale_bench)
    echo "libfyaml is not installed: the library is tested, the program percale is not"
fi

# ---- all of it ----

echo "building ($logs/build.log) ..."
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DPERCALE_CUDA=ON -DPRC_PROGRAM=$program "${architecture[@]}" "$@" &&
    cmake --build "$build" -j "$(nproc)" --target "${targets[@]}"; } >"$logs/build.log" 2>&1; then
    tail -n 40 "$logs/build.log"
    echo "the build failed; the whole log is in $logs/build.log"
    echo "0 passed, 1 failed"
    exit 1
fi
printf '%-44s %3d s\n' "built" $SECONDS
tally "backends: CPU" "$build/test/test_backend" cpu_ &
if [[ ! $gpu ]]; then
    test_on_host
else
    test_on_gpu
    if [[ $sanitizer ]]; then
        test_sanitized
    else
        echo "compute-sanitizer is not installed: memory and races on the GPU are not checked"
    fi
fi
wait
awk -v seconds=$SECONDS '{ good += $1; bad += $2 }
    END { printf "logs in build/cuda/log, %d s in all\n%d passed, %d failed\n", seconds, good, bad; exit !(good > 0 && bad == 0) }' \
    "$logs/counts"
