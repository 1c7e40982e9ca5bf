#!/usr/bin/env bash
# Runs every test of the project and ends with one line, `N passed, N failed`.
#
#   tools/test.sh              everything
#   tools/test.sh PIECE ...    some pieces: the functions piece_* below
#
# The work is cut into pieces that do not depend on each other; as many run at a time as there are processors, the
# longest first. A piece writes a log that is shown when something in it failed. Test programs count as many as they say
# in their last line; everything else counts one. A piece whose tool is missing is skipped, with a message.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL # those of the make that called this

processors=$(nproc)
workers=$((processors < 2 ? 2 : processors))
export JOBS=$(((processors + 1) / 2)) # of one piece
logs=$PWD/build/log
# Waiting threads must not spin: the pieces share the processors.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
program_limit=900 # seconds, of one test program
# Sanitizers of this age lose their way where the kernel spreads addresses widely.
plain_addresses=()
! setarch "$(uname -m)" -R true 2>/dev/null || plain_addresses=(setarch "$(uname -m)" -R)

# Configures a preset (further arguments go to CMake) and builds the given targets.
build() { # preset "targets" [cmake arguments]
    local preset=$1 targets=$2
    shift 2
    local folder=build/$preset
    [[ $preset == release ]] && folder=build
    # shellcheck disable=SC2086
    cmake --preset "$preset" "$@" && cmake --build "$folder" -j "$JOBS" --target $targets
}

tests() { find "$1" -maxdepth 1 -type f -name 'test_*' -perm -u+x | LC_ALL=C sort; }

count() { echo "$1 $2" >>"$counts"; } # passed failed

skip() {
    echo "skipped: $*" | tee "$skipped"
    exit 0
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip "$tool is not installed"
    done
}

# One check: a claim and the command that shows it.
check() {
    local claim=$1 status
    shift
    echo "--- $claim: $*"
    "$@" </dev/null
    status=$?
    if [[ $status -eq 0 ]]; then
        count 1 0
    else
        echo "FAILED ($status): $claim"
        count 0 1
    fi
    return $status
}

# A program that ends with `N passed, N failed`. One that dies before it says so has failed once.
tally() {
    local output=$logs/tally.$BASHPID last status
    echo "--- $*"
    timeout "$program_limit" "$@" </dev/null >"$output" 2>&1
    status=$?
    cat "$output"
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$output" | tail -n 1)
    rm -f "$output"
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]] &&
        { [[ $status -eq 0 ]] || [[ ${BASH_REMATCH[2]} -gt 0 ]]; }; then
        count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    else
        echo "FAILED ($status): $*"
        count 0 1
    fi
}

# ---- pieces that others need: built first, alone -------------------------------------------------------------------

piece_build() {
    JOBS=$processors check "builds without a warning" build release all -DPRC_WERROR=ON
}

# ---- pieces that need build/ ----------------------------------------------------------------------------------------

piece_unit() {
    local program
    for program in $(tests build/test); do
        tally "$program"
    done
    for program in test/*.sh; do
        [[ ! -f $program ]] || tally bash "$program" build
    done
}

piece_examples() {
    local program
    for program in build/examples/[0-9]*; do
        [[ ! -f $program ]] || check "example ${program##*/}" timeout "$program_limit" "$program"
    done
}

piece_evidence() {
    [[ -x build/bin/evidence ]] || skip "build/bin/evidence is not there"
    tally build/bin/evidence --quick
}

# Scenes with contact, small: no intersections, in both precisions, with the same bits for 1 and 2 threads.
piece_scenes() {
    tally tools/scenes.sh --small
}

# An installed percale serves a stranger's C program through pkg-config and CMake, and a C++ program.
piece_package() {
    need pkg-config
    local room=$PWD/build/package example=$PWD/examples/01_falling_cloth.c
    rm -rf "$room" && mkdir -p "$room"
    check "installs" cmake --install build --prefix "$room/prefix" || return
    check "its man pages too" test -s "$room/prefix/share/man/man1/percale-run.1"
    export PKG_CONFIG_PATH=$room/prefix/lib/pkgconfig LD_LIBRARY_PATH=$room/prefix/lib
    check "pkg-config links an example" \
        bash -c "cc -std=c17 $example -o $room/with_pkg_config \$(pkg-config --cflags --libs percale) -lm" &&
        check "which runs" "$room/with_pkg_config"
    check "find_package configures" cmake -S cmake/consumer -B "$room/consumer" -DEXAMPLE="$example" \
        -DCMAKE_PREFIX_PATH="$room/prefix" &&
        check "and builds" cmake --build "$room/consumer" &&
        check "and runs" "$room/consumer/consumer" &&
        check "and runs with the static library" "$room/consumer/consumer_static"
    printf '#include <percale/percale.h>\nint main() { return prc_version() == nullptr; }\n' >"$room/hello.cpp"
    check "links from C++" \
        bash -c "c++ -std=c++17 $room/hello.cpp -o $room/hello \$(pkg-config --cflags --libs percale) && $room/hello"
    check "exports what the headers declare, and nothing else" diff \
        <(sed -n 's/^ *\(prc_[a-z0-9_]*\);.*/\1/p' build/percale.map) \
        <(nm -D --defined-only "$room/prefix/lib/libpercale.so" | awk '{print $3}' | LC_ALL=C sort)
}

# Every warning of a man page, from the two programs that show them.
man_pages() {
    local page complaints
    for page in build/man/man1/*.1; do
        ! command -v mandoc >/dev/null || mandoc -Tlint -W warning "$page" || return 1
        if command -v man >/dev/null; then
            complaints=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
            [[ -z $complaints ]] || { echo "$page: $complaints"; return 1; }
        fi
    done
    [[ -s build/man/man1/percale-run.1 ]]
}

site() {
    tools/docs.sh build
    local status=$?
    [[ $status -ne 77 ]] || skip "Sphinx, MyST, furo or KaTeX is not installed"
    return $status
}

piece_docs() {
    check "every public function has a comment" python3 docs/site/c_reference.py --check include/percale/*.h
    check "man pages have no warnings" man_pages
    check "the site is built without a warning" site
}

# ---- pieces with a build of their own -------------------------------------------------------------------------------

piece_asan() {
    local program
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    check "builds with sanitizers" build asan all || return
    for program in $(tests build/asan/test); do
        check "no error in ${program##*/}" timeout "$program_limit" "${plain_addresses[@]}" "$program"
    done
}

# Only clang's OpenMP runtime tells TSan about its barriers, through libarcher; with libgomp every loop looks like a race.
piece_tsan() {
    need clang
    local archer program
    archer=$(clang -print-resource-dir)/../../libarcher.so
    [[ -f $archer ]] || skip "libarcher.so is not installed (libomp-dev)"
    export OMP_TOOL_LIBRARIES=$archer OMP_NUM_THREADS=4
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66"
    check "builds with the thread sanitizer" build tsan all || return
    # The tests that start threads say so in their source.
    for program in hash_run $(grep -l threads test/test_*.c); do
        program=build/tsan/test/$(basename "$program" .c)
        [[ ! -x $program ]] ||
            check "no race in ${program##*/}" timeout "$program_limit" "${plain_addresses[@]}" "$program"
    done
    # Items of a launch are spread over threads there: a race between them would be one on a GPU.
    for program in test_device "test_backend device_on_host_short"; do
        # shellcheck disable=SC2086
        [[ ! -x build/tsan/test/${program%% *} ]] || check "no race between items of a launch: $program" \
            timeout "$program_limit" "${plain_addresses[@]}" build/tsan/test/$program
    done
}

same_bits() {
    local first="" folder threads output
    for folder in build build/clang; do
        for threads in 1 2; do
            output=$(OMP_NUM_THREADS=$threads $folder/test/hash_run) || return 1
            echo "$folder, $threads threads:" && echo "$output"
            [[ -n $output && ${first:=$output} == "$output" ]] || return 1
        done
    done
}

piece_clang() {
    need clang
    check "builds with clang without a warning" build clang all -DPRC_WERROR=ON || return
    if [[ -f test/hash_run.c ]]; then
        check "gcc and clang, 1 and 2 threads: the same bits" same_bits
    fi
}

# Every reader, fed with what no one would write, for a minute each; FUZZ_SECONDS says otherwise.
piece_fuzz() {
    need clang
    [[ -f $(clang -print-file-name=libclang_rt.fuzzer-x86_64.a) || -n $(find "$(clang -print-resource-dir)" -name 'libclang_rt.fuzzer*' -print -quit) ]] ||
        skip "libFuzzer is not installed (libclang-rt-dev)"
    local target
    check "the fuzz targets build" build fuzz all || return
    for target in build/fuzz/bin/fuzz_*; do
        check "no input breaks ${target##*_}" tools/fuzz.sh -j "$JOBS" -b build/fuzz/bin "${FUZZ_SECONDS:-60}" "${target##*_}"
    done
}

piece_coverage() {
    need gcovr gcov
    local program
    check "builds with counters" build coverage all || return
    find build/coverage -name '*.gcda' -delete
    for program in $(tests build/coverage/test); do
        timeout "$program_limit" "$program" || echo "$program: $? failed"
    done >"$logs/coverage.tests" 2>&1
    check "counts covered lines" gcovr -r . -f src/ --gcov-ignore-parse-errors -j "$JOBS" \
        --object-directory build/coverage --html-details build/coverage/index.html --print-summary -o "$logs/coverage.txt" build/coverage &&
        sed -n 's/^lines: \([0-9.]*%\).*/lines covered: \1 (build\/coverage\/index.html)/p' "$log" >"$note"
}

# The Python package: a wheel, installed where nothing else of the sources is, its tests and examples. What it needs comes
# from PyPI.
piece_python() {
    need python3
    local room=$PWD/build/wheel example python
    python3 -m venv --clear "$room/venv" || skip "a virtual environment cannot be made (python3-venv)"
    python=$room/venv/bin/python
    "$python" -m pip install -q --disable-pip-version-check numpy cffi pytest mypy matplotlib ||
        skip "PyPI cannot be reached"
    CMAKE_BUILD_PARALLEL_LEVEL=$JOBS CMAKE_ARGS=-DPERCALE_CUDA=OFF check "a wheel is built" tools/wheel.sh "$room" || return
    check "and installs" "$python" -m pip install -q --disable-pip-version-check --no-index --no-deps "$room"/*.whl || return
    tally "$python" -m pytest -q -p no:cacheprovider python/tests
    check "tests and examples have types" env MYPYPATH=python/tests "$python" -m mypy --strict \
        --cache-dir "$room/mypy" python/tests examples/python
    mkdir -p "$room/examples"
    for example in "$PWD"/examples/python/[0-9]*.py; do
        check "example ${example##*/}" env -C "$room/examples" MPLBACKEND=agg timeout "$program_limit" "$python" "$example"
    done
}

# ---- static checks --------------------------------------------------------------------------------------------------

lint() {
    tools/lint.sh "$1"
    local status=$?
    [[ $status -ne 77 ]] || skip "the tool for $1 is not installed"
    return $status
}

piece_tidy() { check "clang-tidy is clean" lint tidy; }
piece_cppcheck() { check "cppcheck is clean" lint cppcheck; }
piece_format() { check "clang-format has nothing to change" lint format; }
piece_headers() { check "public headers stand alone in C and C++" lint headers; }
piece_text() { check "licence lines and file lengths" lint text && check "shell scripts parse" lint shell; }

# ---- the driver -----------------------------------------------------------------------------------------------------

run_piece() {
    local piece=$1 started=$SECONDS passed=0 failed=0 p f
    log=$logs/$piece.log counts=$logs/$piece.counts skipped=$logs/$piece.skipped note=$logs/$piece.note
    rm -f "$counts" "$skipped" "$note"
    : >"$counts"
    ("piece_$piece") >"$log" 2>&1
    # A piece that neither counted anything nor was skipped has shown nothing.
    [[ -s $counts || -f $skipped ]] || count 0 1
    while read -r p f; do
        passed=$((passed + p)) failed=$((failed + f))
    done <"$counts"
    {
        if [[ -f $skipped ]]; then
            printf '%-10s %s\n' "$piece" "$(cat "$skipped")"
        else
            printf '%-10s %d passed, %d failed  (%d s)' "$piece" $passed $failed $((SECONDS - started))
            [[ ! -f $note ]] || printf '  %s' "$(cat "$note")"
            printf '\n'
        fi
        if [[ $failed -gt 0 ]]; then
            printf '%s\n' "---- $log (the last 150 lines)"
            tail -n 150 "$log"
            printf '%s\n' "----"
        fi
    } >"$logs/$piece.out"
    cat "$logs/$piece.out" # in one go, so that pieces do not mix
}

run_pieces() {
    local piece
    for piece in "$@"; do
        while [[ $(jobs -rp | wc -l) -ge $workers ]]; do
            wait -n
        done
        run_piece "$piece" &
    done
    wait
}

total() {
    local passed=0 failed=0 p f
    while read -r p f; do
        passed=$((passed + p)) failed=$((failed + f))
    done < <(cat "$logs"/*.counts)
    echo "$passed passed, $failed failed"
    [[ $failed -eq 0 && $passed -gt 0 ]]
}

mkdir -p "$logs"
rm -f "$logs"/*
if [[ $# -gt 0 ]]; then
    run_pieces "$@"
else
    run_piece build
    total >/dev/null || { total; exit 1; } # the rest would only say the same
    run_pieces fuzz asan tsan coverage clang evidence python scenes unit tidy cppcheck docs package examples headers format text
fi
total
