#!/usr/bin/env bash
# Runs that are stopped in the midst of a step: at once, with the state before it, and nothing of it in any file.
#
#   test/test_stop.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt err.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
lines_are() { [[ $(wc -l <"$1") -eq $2 ]] || { cat "$1"; false; }; }
took_less_than() { ((${EPOCHREALTIME/[.,]/} - moment < $1 * 1000000)) || { echo "took too long"; false; }; }
start_clock() { moment=${EPOCHREALTIME/[.,]/}; }
without_last_column() { sed 's/,[^,]*$//' "$1"; }

# A step that takes hours.
cat >endless.yaml <<'YAML'
percale: 1
precision: double
backend: cpu
time: {step: 1, duration: 3}
solver: {preconditioner: jacobi, tolerance: 1e-300, inner_tolerance: 1e-300, max_inner: 1000000, max_iterations: 100000}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [100, 100]}}
    pins: [{select: {corners: [0, 1]}}]
YAML
cat >cloth.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.4, frames_per_second: 50}
contact: {enabled: true, thickness: 0.004, friction: 0.3}
colliders: [{shape: sphere, center: [0, -0.2, 0], radius: 0.15, motion: {velocity: [0, 0.2, 0]}}]
bodies:
  - mesh: {grid: {size: [0.6, 0.6], cells: [14, 14]}}
    place: {rotate: {axis: [1, 0, 0], degrees: -90}}
    pins: [{select: {corners: [0, 1]}}]
YAML

# ---- the clock ----

start_clock
run run endless.yaml -o wall --max-wall 1s
claim "max_wall_ends_a_step_in_progress" status_is 6
claim "in_time" took_less_than 4
claim "and_says_that_nothing_was_done" says "Stopped by --max-wall before the first step was completed; use a longer --max-wall"
claim "its_report_says_stopped" holds wall/report.json '"end": "stopped"'
claim "and_no_step_is_in_the_table" lines_are wall/steps.csv 1
run resume wall --max-wall 1s --quiet
claim "it_can_be_resumed" status_is 6

# ---- signals ----

# Starts an endless step, and sends it these signals when it is in it.
signalled() {
    local folder=$1 pid signal
    shift
    "$percale" run endless.yaml -o "$folder" >out.txt 2>err.txt &
    pid=$!
    for _ in $(seq 200); do
        [[ -f $folder/frame_00000.ply ]] && break
        sleep 0.05
    done
    sleep 0.2
    start_clock
    for signal; do
        kill "-$signal" $pid
    done
    wait $pid
    status=$?
}
signalled int INT
claim "ctrl_c_ends_a_step_in_progress" status_is 130
claim "in_time" took_less_than 3
claim "and_is_answered" complains "stopping and saving; a second signal after one second or more ends at once"
claim "and_prints_the_command_to_go_on" says "continue    percale resume int"
signalled term TERM
claim "so_does_sigterm" status_is 143
signalled twice INT INT INT
claim "one_press_that_arrives_several_times_is_one_wish" status_is 130
claim "which_saves" holds twice/report.json '"end": "interrupted"'

# A run that waits for a reader of its trace who never reads does not get to the end of its stop: a later signal ends it.
mkfifo trace
sleep 60 <trace &
reader=$!
"$percale" run cloth.yaml -o blocked --trace trace --set time.duration=1000 --set 'bodies[0].mesh.grid.cells=[6,6]' --quiet >out.txt 2>err.txt &
pid=$!
before=-1 count=0
for _ in $(seq 60); do # until it gets no further
    sleep 0.4
    count=$(find blocked -name 'frame_*' 2>/dev/null | wc -l)
    [[ $count -gt 2 && $count -eq $before ]] && break
    before=$count
done
kill -INT $pid
sleep 0.3
kill -INT $pid
sleep 0.3
claim "a_second_signal_within_a_second_does_not_end_at_once" kill -0 $pid
sleep 0.7
kill -TERM $pid
{ wait $pid; } 2>/dev/null
status=$?
kill $reader
claim "one_that_comes_later_does" status_is 143
claim "without_a_report" test ! -e blocked/report.json

# ---- to the same bits ----

start_clock
run run cloth.yaml -o whole --trace whole.csv --quiet
wall=$(awk -v microseconds=$((${EPOCHREALTIME/[.,]/} - moment)) 'BEGIN { printf "%.3fs", 0.3e-6 * microseconds }')
run run cloth.yaml -o parts --trace parts.csv --max-wall "$wall" --quiet
parts=1
while [[ $status -eq 6 && $parts -lt 100 ]]; do
    run resume parts --max-wall "$wall" --quiet
    parts=$((parts + 1))
done
same_frames() {
    local frame
    for frame in whole/frame_*; do
        cmp "$frame" "parts/${frame##*/}" || return 1
    done
}
claim "a_run_that_is_stopped_in_many_steps_finishes" status_is 0
claim "it_had_several_parts" test $parts -gt 1
claim "with_the_same_bits" same_frames
claim "and_the_same_trace" diff <(without_last_column whole.csv) <(without_last_column parts.csv)

echo "$passed passed, $failed failed"
exit $failed
