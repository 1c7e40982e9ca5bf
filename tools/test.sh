#!/usr/bin/env bash
# Runs tests of the project and ends with one line, `N passed, N failed`.
#
#   tools/test.sh quick        what `make test` runs: catches almost everything, in minutes
#   tools/test.sh deep         what `make test-deep` runs: the rest
#   tools/test.sh PIECE ...    some pieces: the functions piece_* below
#
# The work is cut into pieces that do not depend on each other; as many run at a time as there are processors, the
# longest first. A piece writes a log in build/log and says one line: what it counted, its time, the processors' time. What
# failed in it is shown, with the command that runs it alone; at the end the slowest tests are named. Test programs count
# as many as they say in their last line; everything else counts one. A piece whose tool is missing is skipped, with a
# message.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL # those of the make that called this

quick=(unit evidence scenes torture python examples docs format headers layers text)
deep=(fuzz asan full_scenes full_evidence tsan tidy clang cppcheck wheel package)

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
source test/kit/python.sh

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

# Seconds since a moment of $EPOCHREALTIME, with one digit.
since() { awk -v then="${1/,/.}" -v now="${EPOCHREALTIME/,/.}" 'BEGIN { printf "%.1f", now - then }'; }

# Runs a command (a function without a limit of time) and prints what it printed, in one go. Leaves its last line of the
# form `N passed, N failed` in `last`. What failed is kept for the end of the piece.
observe() {
    local output=$logs/output.$BASHPID limit=(timeout "$program_limit") status
    [[ $(type -t "$1") != function ]] || limit=()
    echo "--- $*" >"$output"
    "${limit[@]}" "$@" </dev/null >>"$output" 2>&1
    status=$?
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$output" | tail -n 1)
    cat "$output"
    [[ $status -eq 0 ]] || tail -n 150 "$output" >>"$failures"
    rm -f "$output"
    return $status
}

# Says what failed and how to run it alone; a function of this script is a piece of it.
tell_failure() { # status claim command ...
    local status=$1 claim=$2 command="tools/test.sh $piece"
    shift 2
    [[ $(type -t "$1") == function ]] || command=$*
    printf '  FAILED  %s (status %d)\n    alone: %s\n' "$claim" "$status" "$command" | tee -a "$failures"
    count 0 1
}

# One check: a claim and the command that shows it.
check() {
    local claim=$1 began=$EPOCHREALTIME status
    shift
    observe "$@"
    status=$?
    if [[ $status -eq 0 ]]; then
        echo "  ok      $claim  ($(since "$began") s)"
        count 1 0
    else
        tell_failure $status "$claim" "$@"
    fi
    return $status
}

# A program that ends with `N passed, N failed`. One that dies before it says so has failed once.
tally() {
    local last status
    observe "$@"
    status=$?
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]] &&
        { [[ $status -eq 0 ]] || [[ ${BASH_REMATCH[2]} -gt 0 ]]; }; then
        count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    else
        tell_failure $status "$1 ended early" "$@"
    fi
}

# Runs one of these beside what runs already, as many as there are jobs; `wait` waits for the last ones.
beside() {
    while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do
        wait -n
    done
    "$@" &
}

# ---- built first, alone: the others need it ---------------------------------------------------------------------------

piece_build() {
    JOBS=$processors check "builds without a warning" build release all -DPRC_WERROR=ON
}

# ---- quick ------------------------------------------------------------------------------------------------------------

piece_unit() {
    local program
    for program in $(tests build/test); do
        beside tally "$program"
    done
    for program in test/*.sh; do
        beside tally bash "$program" build
    done
    wait
}

piece_examples() {
    local program
    for program in build/examples/[0-9]*; do
        check "example ${program##*/}" "$program"
    done
}

piece_evidence() { tally build/bin/evidence --quick; }

# Scenes with contact, small: no intersections, in both precisions, with the same bits for 1 and 2 threads.
piece_scenes() { tally tools/scenes.sh --small; }

# Random scenes.
piece_torture() { tally build/bin/torture 0 300 -j "$JOBS"; }

# Puts the Python package together from what the build has compiled, as `pip install` would, where `python` finds it. The
# wheel itself is tested by another piece.
stage_python() { # folder
    cmake --preset release -DPRC_PYTHON=ON -DPython3_EXECUTABLE="$python" &&
        cmake --build build -j "$JOBS" --target percale_python_package &&
        rm -rf "$1" && cmake --install build --component python --prefix "$1" &&
        cp -r python/percale/. "$1/percale/" &&
        ln -sf "$PWD/build/bin/percale" "${python%/*}/percale" &&
        echo "$1" >"$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/percale.pth"
}

piece_python() {
    need python3
    local example room=$PWD/build/python_package
    python_with "$PWD/build" 'import numpy, cffi, pytest, mypy, matplotlib' numpy cffi pytest mypy matplotlib ||
        skip "PyPI cannot be reached, or a virtual environment cannot be made (python3-venv)"
    check "the Python package is built" stage_python "$room/site" || return
    tally "$python" -m pytest -q -p no:cacheprovider python/tests
    check "tests and examples have types" env MYPYPATH=python/tests "$python" -m mypy --strict \
        --cache-dir "$room/mypy" python/tests examples/python
    mkdir -p "$room/examples"
    for example in "$PWD"/examples/python/[0-9]*.py; do
        check "example ${example##*/}" env -C "$room/examples" MPLBACKEND=agg "$python" "$example"
    done
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

lint() {
    tools/lint.sh "$1"
    local status=$?
    [[ $status -ne 77 ]] || skip "the tool for $1 is not installed"
    return $status
}

piece_format() { check "clang-format has nothing to change" lint format; }
piece_headers() { check "public headers stand alone in C and C++" lint headers; }
piece_layers() { check "files include only what ARCHITECTURE.md allows them" lint layers; }
piece_text() { check "licence lines and file lengths" lint text && check "shell scripts parse" lint shell; }

# ---- deep -------------------------------------------------------------------------------------------------------------

piece_tidy() { check "clang-tidy is clean" lint tidy; }
piece_cppcheck() { check "cppcheck is clean" lint cppcheck; }

# The chapter on the guarantee takes longer in full than all others: `make evidence` has it, and `evidence` its short form.
piece_full_evidence() { tally build/bin/evidence --without guarantee; }

# The project's own scenes. `make scenes` has those with data from elsewhere too, and all variants.
piece_full_scenes() {
    local scene
    for scene in $(grep -l 'enabled: true' scenes/*.yaml); do
        scene=$(basename "$scene" .yaml)
        beside check "$scene at full size does not intersect" tools/scenes.sh --plain "$scene"
    done
    wait
}

# Address and undefined-behaviour sanitizers; the same run counts the lines that tests reach.
piece_asan() {
    local program least=95 # per cent
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    check "builds with sanitizers" build asan tests || return
    find build/asan -name '*.gcda' -delete
    for program in $(tests build/asan/test); do
        beside check "no error in ${program##*/}" "${plain_addresses[@]}" "$program"
    done
    wait
    command -v gcovr >/dev/null || { echo "lines are not counted: gcovr is not installed" >"$note"; return; }
    check "at least $least % of the lines are reached" gcovr -r . -f src/ --gcov-ignore-parse-errors -j "$JOBS" \
        --fail-under-line $least --object-directory build/asan --html-details build/asan/coverage.html --print-summary \
        -o "$logs/coverage.txt" build/asan
    sed -n 's/^lines: \([0-9.]*%\).*/lines covered: \1 (build\/asan\/coverage.html)/p' "$log" >"$note"
}

# Which claims of a test start threads: those whose names say so, or all where the source alone speaks of more than one.
claims_with_threads() { # source
    if grep -qE '^(TEST|CLAIM)\(.*threads' "$1"; then
        echo threads
    elif grep threads "$1" | grep -qvE 'threads = 1;|set_num_threads\(1\)'; then
        echo ""
    else
        return 1
    fi
}

# Only clang's OpenMP runtime tells TSan about its barriers, through libarcher; with libgomp every loop looks like a race.
piece_tsan() {
    need clang
    local archer source program claims
    archer=$(clang -print-resource-dir)/../../libarcher.so
    [[ -f $archer ]] || skip "libarcher.so is not installed (libomp-dev)"
    export OMP_TOOL_LIBRARIES=$archer OMP_NUM_THREADS=3
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66"
    check "builds with the thread sanitizer" build tsan tests || return
    beside check "no race in hash_run" "${plain_addresses[@]}" build/tsan/test/hash_run 3 1
    for source in test/test_*.c; do
        program=build/tsan/test/$(basename "$source" .c)
        if [[ -x $program ]] && claims=$(claims_with_threads "$source"); then
            beside check "no race in ${program##*/}" "${plain_addresses[@]}" "$program" $claims
        fi
    done
    # Items of a launch are spread over threads there: a race between them would be one on a GPU.
    for program in test_device "test_backend device_on_host_short"; do
        # shellcheck disable=SC2086
        beside check "no race between items of a launch: $program" "${plain_addresses[@]}" build/tsan/test/$program
    done
    wait
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
    check "gcc and clang, 1 and 2 threads: the same bits" same_bits
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

# The Python package as a wheel, installed where nothing else of the sources is.
piece_wheel() {
    need python3
    local room=$PWD/build/wheel python
    python3 -m venv --clear "$room/venv" || skip "a virtual environment cannot be made (python3-venv)"
    python=$room/venv/bin/python
    "$python" -m pip install -q --disable-pip-version-check numpy cffi pytest || skip "PyPI cannot be reached"
    CMAKE_BUILD_PARALLEL_LEVEL=$JOBS CMAKE_ARGS=-DPERCALE_CUDA=OFF check "a wheel is built" tools/wheel.sh "$room" || return
    check "and installs" "$python" -m pip install -q --disable-pip-version-check --no-index --no-deps "$room"/*.whl || return
    tally "$python" -m pytest -q -p no:cacheprovider python/tests
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
    sed -n 's/^ *\(prc_[a-z0-9_]*\);.*/\1/p' build/percale.map >"$room/declared"
    nm -D --defined-only "$room/prefix/lib/libpercale.so" | awk '{print $3}' | LC_ALL=C sort >"$room/exported"
    check "exports what the headers declare, and nothing else" diff "$room/declared" "$room/exported"
}

# ---- the driver -------------------------------------------------------------------------------------------------------

alone_in_its_log() { ("piece_$piece") >"$log" 2>&1; }

run_piece() {
    local piece=$1 started=$SECONDS passed=0 failed=0 p f TIMEFORMAT='%U %S'
    log=$logs/$piece.log counts=$logs/$piece.counts skipped=$logs/$piece.skipped note=$logs/$piece.note
    failures=$logs/$piece.failures
    rm -f "$skipped" "$note"
    : >"$counts" >"$failures"
    { time alone_in_its_log; } 2>"$logs/$piece.cpu"
    # A piece that neither counted anything nor was skipped has shown nothing.
    [[ -s $counts || -f $skipped ]] || count 0 1
    while read -r p f; do
        passed=$((passed + p)) failed=$((failed + f))
    done <"$counts"
    {
        printf '%-14s' "$piece"
        if [[ -f $skipped ]]; then
            cat "$skipped"
        else
            printf '%5d passed, %d failed %6d s' $passed $failed $((SECONDS - started))
            awk '{ printf "  (CPU %.0f s)", $1 + $2 }' "$logs/$piece.cpu"
            [[ ! -f $note ]] || printf '  %s' "$(cat "$note")"
            printf '\n'
        fi
        if [[ $failed -gt 0 ]]; then
            printf '%s\n' "---- what failed; the whole log is $log"
            cat "$failures"
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

# The tests that took longest, from the logs: lines that end with a time, after the line of their program.
slowest() { # pieces
    local piece
    echo "slowest:"
    for piece in "$@"; do
        awk -v piece="$piece" '
            /^--- / { program = $2 == "bash" ? $3 : $2; sub(/.*\//, "", program); if (program !~ /^test_/) program = piece }
            match($0, /\([0-9.]+ s\)$/) {
                seconds = substr($0, RSTART + 1, RLENGTH - 4)
                name = substr($0, 1, RSTART - 1)
                sub(/^ *(ok|FAILED)? +/, "", name)
                sub(/( +[0-9]+ passed.*| +)$/, "", name)
                if (seconds >= 1) printf "%7.1f s  %s: %s\n", seconds, program, name
            }' "$logs/$piece.log"
    done | sort -rn | head -n 10
}

total() { # pieces
    local passed=0 failed=0 p f
    while read -r p f; do
        passed=$((passed + p)) failed=$((failed + f))
    done < <(cat "${@/#/$logs/}")
    echo "$passed passed, $failed failed"
    [[ $failed -eq 0 && $passed -gt 0 ]]
}

pieces=()
for word in "$@"; do
    case $word in
    quick | deep)
        declare -n list=$word
        [[ ${pieces[0]-} == build ]] || pieces=(build "${pieces[@]}")
        pieces+=("${list[@]}")
        ;;
    *)
        [[ $(type -t "piece_$word") == function ]] || { echo "test: there is no piece '$word': $(sed -n 's/^piece_\([a-z_]*\)().*/\1/p' "$0" | tr '\n' ' ')"; exit 2; }
        pieces+=("$word")
        ;;
    esac
done
[[ ${#pieces[@]} -gt 0 ]] || { sed -n '2,/^# SPDX/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 2; }

mkdir -p "$logs"
if [[ ${pieces[0]} == build ]]; then
    run_piece build
    total build.counts >/dev/null || { total build.counts; exit 1; } # the rest would only say the same
    run_pieces "${pieces[@]:1}"
else
    run_pieces "${pieces[@]}"
fi
slowest "${pieces[@]}"
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
total "${pieces[@]/%/.counts}"
