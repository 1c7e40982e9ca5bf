#!/usr/bin/env bash
# The output folder of a run: who may write there, what is replaced, and what never is.
#
#   test/test_folder.sh [build]    the folder of the build, whose bin/percale is run
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
same_files() { diff -r "$1" "$2"; }

cat >cloth.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.1, frames_per_second: 50}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [6, 6]}}
    pins: [{select: {corners: [0, 1]}}]
YAML
cat >crossed.yaml <<'YAML'
percale: 1
contact: {enabled: true, thickness: 0.002}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [2, 2]}}
  - mesh: {grid: {size: [1, 1], cells: [2, 2]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 80}, translate: [0.1, 0.05, 0]}
YAML

# ---- one at a time ----

"$percale" run cloth.yaml -o used --set time.duration=1000 --set time.frames_per_second=1 --quiet >used.txt 2>&1 &
pid=$!
for _ in $(seq 200); do
    [[ -f used/frame_00000.ply ]] && break
    sleep 0.05
done
run resume used
claim "a_folder_in_use_is_not_resumed" status_is 1
claim "and_the_process_is_named" complains "used: another percale is using this folder (process $pid on $(hostname))"
run run cloth.yaml -o used --overwrite
claim "nor_replaced" status_is 3
claim "and_the_process_is_named" complains "used: another percale is using this folder (process $pid on $(hostname))"
run run crossed.yaml -o used
claim "nor_shown_a_start_of_another_scene" complains "the mesh of the start could not be written: used: another percale is using"
kill -9 $pid
{ wait $pid; } 2>/dev/null
claim "the_name_is_left_when_it_is_killed" test -e used/.percale.lock
run resume used --until 0.02
claim "but_not_the_lock" status_is 0
claim "and_at_the_end_no_name_is_left" test ! -e used/.percale.lock

# The lock of the file alone, as on file systems that do not lock folders.
if command -v flock >/dev/null; then
    run run cloth.yaml -o locked --quiet
    echo "process 4711 on elsewhere" >locked/.percale.lock
    flock locked/.percale.lock sleep 30 &
    sleep 0.3
    run run cloth.yaml -o locked
    claim "the_file_alone_locks_too" complains "locked: another percale is using this folder (process 4711 on elsewhere)"
    kill $!
fi

# ---- what is replaced ----

run run cloth.yaml -o done --quiet
run run cloth.yaml -o done --quiet
claim "a_finished_run_is_replaced" status_is 0
run run cloth.yaml -o part --max-wall 0.000001s --quiet
claim "a_run_was_stopped" status_is 6
cp -r part kept
run run cloth.yaml -o part --set time.step=0.002
claim "one_that_is_not_over_is_not_replaced" status_is 3
claim "and_there_is_advice" complains "part: contains an unfinished run (at 0 s, after 0 of 25 steps); 'percale resume' continues it, --overwrite replaces it"
claim "and_nothing_was_touched" same_files kept part
cp -r part overwritten
run run cloth.yaml -o overwritten --overwrite --quiet
claim "with_overwrite_it_is_replaced" status_is 0
cp -r part damaged
for file in damaged/checkpoint*.prc; do
    printf 'x' | dd of="$file" bs=1 seek=500 conv=notrunc 2>/dev/null
done
run run cloth.yaml -o damaged --quiet
claim "one_that_nothing_can_go_on_with_is_replaced" status_is 0
run resume part --quiet
run run cloth.yaml -o part --quiet
claim "and_so_is_one_that_was_resumed_to_its_end" status_is 0

# ---- files that are not those of the run ----

echo "not yours" >precious
cp precious before
for name in steps.csv frames.vtkhdf body_00.pc2; do
    run run cloth.yaml -o linked --formats ply,vtkhdf,pc2 --quiet
    rm -f "linked/$name" && ln -s ../precious "linked/$name"
    run run cloth.yaml -o linked --formats ply,vtkhdf,pc2 --quiet
    claim "a_${name##*.}_file_that_is_a_link_is_refused" status_is 3
    claim "with_its_name" complains "linked/$name: is a symbolic link, but a run writes only inside its folder"
    claim "and_what_it_leads_to_is_left_alone" cmp precious before
    rm -rf linked
done
for name in report.json checkpoint.prc frame_00000.ply; do
    run run cloth.yaml -o linked --quiet
    rm -f "linked/$name" && ln -s ../precious "linked/$name"
    run run cloth.yaml -o linked --overwrite --quiet
    claim "a_link_in_place_of_${name}_is_replaced" test $status -eq 0 -a ! -L "linked/$name"
    claim "and_what_it_led_to_is_left_alone" cmp precious before
    rm -rf linked
done

# With standard streams closed, none of the files gets what is meant for people.
first_column_counts() { awk -F, 'NR > 1 && $1 != NR - 1 {bad = 1} END {exit bad || NR != 26}' "$1" || { cat "$1"; false; }; }
"$percale" run cloth.yaml -o closed >&- 2>&- <&-
claim "a_run_without_standard_streams_succeeds" test $? -eq 0
claim "its_table_holds_steps_alone" first_column_counts closed/steps.csv
"$percale" run cloth.yaml -o noerrors --verbose 2>&- >/dev/null
claim "also_without_standard_errors" first_column_counts noerrors/steps.csv

# ---- frames that are counted on ----

run run cloth.yaml -o lost --until 0.06 --formats ply,obj --quiet
cp -r lost lost-many
rm lost/frame_00001.ply
run resume lost --until 0.1 --quiet
claim "a_run_goes_on_without_an_earlier_frame" status_is 0
claim "and_says_which" complains "lost: 1 frame is missing that the checkpoint needs: frame_00001.ply; only a new run can write it again"
rm lost-many/frame_0000[012].*
run resume lost-many --until 0.1 --quiet
claim "of_many_it_names_some" complains "lost-many: 6 frames are missing that the checkpoint needs: frame_00000.ply, frame_00000.obj, frame_00001.ply …; only a new run can write them again"
run resume lost --until 0.12 --quiet
claim "and_again_each_time" complains "frame_00001.ply"
run run cloth.yaml -o lost --quiet
run resume lost --until 0.12 --quiet
claim "with_all_of_them_nothing_is_said" test ! -s err.txt

echo "$passed passed, $failed failed"
exit $failed
