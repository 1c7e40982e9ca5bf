#!/usr/bin/env bash
# Runs the fuzz targets (test/fuzz): readers are fed with what no one would write.
#
#   tools/fuzz.sh [options] [SECONDS] [TARGET ...]     each target for SECONDS (default 60), all targets by default
#     -j N          processes at a time (default: all processors); spare ones share a target
#     -b FOLDER     targets that are built already (default: build/fuzz/bin, built now with the preset fuzz)
#     -w FOLDER     where the growing corpora, logs and findings go (default: build/fuzz/work)
#     --replay      only run the seeds of test/fuzz/corpus once, as a regression test
#     --gather [K]  afterwards (or alone, with SECONDS 0) put a minimised corpus of at most K kB per target (default 12)
#                   into FOLDER/gathered/TARGET
#     --pack FILE   no fuzzing: make FILE (.tar.gz) of the built targets with the libraries, seeds and this script, for a
#                   machine without a compiler; unpack it there and run tools/fuzz.sh -b bin …
#
# A finding stops its target, is kept as FOLDER/findings/TARGET-… and makes the exit status 1. To see it again:
#   build/fuzz/bin/fuzz_TARGET FOLDER/findings/TARGET-crash-…
# It then goes, mended, into test/fuzz/corpus/TARGET as a seed.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."

workers=$(nproc) bin="" work=$PWD/build/fuzz/work replay=0 gather=0 pack="" seconds=""
targets=()
while [[ $# -gt 0 ]]; do
    case $1 in
    -j) workers=$2 && shift ;;
    -b) bin=$(realpath "$2") && shift ;;
    -w) work=$(realpath -m "$2") && shift ;;
    --replay) replay=1 ;;
    --gather)
        gather=12
        [[ ! ${2:-} =~ ^[0-9]+$ ]] || { gather=$2 && shift; }
        ;;
    --pack) pack=$(realpath -m "$2") && shift ;;
    -h | --help) sed -n '2,/^# SPDX/s/^# \{0,1\}//p' "$0" | sed '$d' && exit 0 ;;
    -*) echo "fuzz: '$1' is not known; tools/fuzz.sh --help" && exit 2 ;;
    *) if [[ $1 =~ ^[0-9]+$ && -z $seconds ]]; then seconds=$1; else targets+=("${1#fuzz_}"); fi ;;
    esac
    shift
done
seconds=${seconds:-60}

if [[ -z $bin ]]; then
    bin=$PWD/build/fuzz/bin
    command -v clang >/dev/null || { echo "fuzz: clang is not installed" && exit 77; }
    { cmake --preset fuzz && cmake --build build/fuzz -j "${JOBS:-$(nproc)}"; } >build/fuzz.log 2>&1 ||
        { tail -n 30 build/fuzz.log && exit 1; }
fi
if [[ ${#targets[@]} -eq 0 ]]; then
    for target in "$bin"/fuzz_*; do
        [[ ! -x $target ]] || targets+=("${target##*/fuzz_}")
    done
fi
for target in "${targets[@]}"; do
    [[ -x $bin/fuzz_$target ]] || { echo "fuzz: $bin/fuzz_$target is not there" && exit 2; }
done
mkdir -p "$work"/{corpus,findings,log}

# Words of scene files: the keys and values that the schema names.
dictionary() {
    if [[ -f $bin/scene.dict ]]; then
        cp "$bin/scene.dict" "$work/scene.dict"
    else
        { sed -nE 's/^ *[A-Z_]+\(([a-z0-9_]+, )?([a-z0-9_]+),.*/\2/p' \
            src/schema/schema.inl
          grep -hoE '"[a-z][a-z0-9_]+"' src/schema/schema.c src/scene/*.c | tr -d '"'
          printf '%s\n' 'a.obj' 'p.ply' 'm.png' 'f.pc2' 'b.yaml' 'k.csv' 'include' '[[' ']]' ': {' '}, {' '- ' '&a' '*a' '<<' '1e300' '-1e-300' '.nan' '.inf' \
              2147483647 -2147483648 99999999999999999999; } | sort -u | sed 's/.*/"&"/' >"$work/scene.dict"
    fi
}

# Sanitizers of this age lose their way where the kernel spreads addresses widely.
plain_addresses=()
! setarch "$(uname -m)" -R true 2>/dev/null || plain_addresses=(setarch "$(uname -m)" -R)
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:handle_abort=1 UBSAN_OPTIONS=print_stacktrace=1

options() { # what every run of a target gets: bounds of time and memory per input
    printf '%s\n' -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
        "-artifact_prefix=$work/findings/$1-"
    case $1 in
    scene | set | expression) echo "-dict=$work/scene.dict" ;;
    esac
}

fuzz_one() { # target processes
    local target=$1 processes=$2 log=$work/log/$1.log status arguments
    mkdir -p "$work/corpus/$target"
    mapfile -t arguments < <(options "$target")
    local folders=("$work/corpus/$target")
    [[ ! -d test/fuzz/corpus/$target ]] || folders+=("test/fuzz/corpus/$target")
    if [[ $replay -eq 1 ]]; then
        arguments+=(-runs=0)
        folders=("test/fuzz/corpus/$target")
    else
        arguments+=("-max_total_time=$seconds")
        [[ $processes -le 1 ]] || arguments+=("-fork=$processes")
    fi
    "${plain_addresses[@]}" "$bin/fuzz_$target" "${arguments[@]}" "${folders[@]}" >"$log" 2>&1 </dev/null
    status=$?
    local runs
    runs=$(grep -aoE '(number_of_executed_units: |^#)[0-9]+' "$log" | grep -oE '[0-9]+' | tail -n 1)
    if [[ $status -eq 0 ]]; then
        echo "  ok      $target: ${runs:-0} inputs"
    else
        echo "  FAILED  $target ($status): $(grep -aoE 'SUMMARY: .*|not true: .*|ERROR: .*' "$log" | head -n 2 | tr '\n' ' ')"
        echo "          see $log and $work/findings/$target-*"
        touch "$work/failed"
    fi
}

gather_one() { # target: the fewest and smallest inputs that reach the same code, up to so many kB
    local target=$1 from=$work/merged/$1 to=$work/gathered/$1 size total=0 file arguments
    rm -rf "$from" "$to" && mkdir -p "$from" "$to" "$work/corpus/$target"
    mapfile -t arguments < <(options "$target")
    "${plain_addresses[@]}" "$bin/fuzz_$target" -merge=1 "${arguments[@]}" "$from" "test/fuzz/corpus/$target" \
        "$work/corpus/$target" >"$work/log/$target.merge" 2>&1 </dev/null
    while read -r size file; do
        total=$((total + size))
        [[ $total -le $((gather * 1000)) ]] || break
        cp "$file" "$to/"
    done < <(find "$from" -type f -printf '%s %p\n' | sort -n)
    echo "  $target: $(find "$from" -type f | wc -l) inputs, of which the $(find "$to" -type f | wc -l) smallest are in $to"
}

dictionary
rm -f "$work/failed"
if [[ -n $pack ]]; then
    room=$(mktemp -d)
    mkdir -p "$room/percale-fuzz"/{bin,tools,test/fuzz}
    cp "${targets[@]/#/$bin/fuzz_}" "$work/scene.dict" "$room/percale-fuzz/bin/"
    cp tools/fuzz.sh "$room/percale-fuzz/tools/"
    cp -r test/fuzz/corpus "$room/percale-fuzz/test/fuzz/"
    # Libraries that another machine may not have.
    ldd "${targets[@]/#/$bin/fuzz_}" | awk '/=>/ && $1 !~ /^lib(c|m)\.so/ {print $3}' | sort -u |
        xargs -r -I{} cp {} "$room/percale-fuzz/bin/"
    tar -C "$room" -czf "$pack" percale-fuzz && rm -rf "$room"
    echo "$pack: $(stat -c %s "$pack") bytes"
    exit 0
fi
if [[ $seconds -gt 0 || $replay -eq 1 ]]; then
    each=$((workers / ${#targets[@]}))
    for target in "${targets[@]}"; do
        while [[ $(jobs -rp | wc -l) -ge $workers ]]; do
            wait -n
        done
        fuzz_one "$target" "$each" &
    done
    wait
fi
if [[ $gather -gt 0 ]]; then
    for target in "${targets[@]}"; do
        while [[ $(jobs -rp | wc -l) -ge $workers ]]; do
            wait -n
        done
        gather_one "$target" &
    done
    wait
fi
[[ ! -f $work/failed ]]
