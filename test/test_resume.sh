#!/usr/bin/env bash
# Runs that are stopped, killed, starved of disk and taken up again: the results have the bits of one that was not.
#
#   test/test_resume.sh [build]    the folder of the build, whose bin/percale is run
#
# Kills with signal 9 at 50 random moments (always the same ones, as far as clocks allow), and at every single file
# operation of a short run. Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'umount "$room/disk" 2>/dev/null; rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"
RANDOM=4711

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt err.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }

# All columns but those that tell wall clock.
without_seconds() {
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) keep[i] = $i !~ /^"?seconds/}
             {line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "," $i; print line}' "$1"
}

totals() { sed -n -e '/^  "totals"/,/^  }/p' -e '/^  "convergence"/,/^  }/p' -e '/^  "extremes"/,/^  }/p' "$1/report.json"; }

# Whether two runs have the same frames, rows and totals.
same_run() {
    local frame
    diff <(cd "$1" && ls frame_*) <(cd "$2" && ls frame_*) || return 1
    for frame in "$1"/frame_*; do
        cmp "$frame" "$2/${frame##*/}" || return 1
    done
    diff <(without_seconds "$1/steps.csv") <(without_seconds "$2/steps.csv") || return 1
    [[ -n $(totals "$1") ]] && diff <(totals "$1") <(totals "$2")
}

# And the same PC2 files. A VTKHDF file has the same values, but where they are in it depends on its past;
# test_results.sh reads those.
same_series() {
    local file
    for file in "$1"/*.pc2; do
        [[ ! -e $file ]] || cmp "$file" "$2/${file##*/}" || return 1
    done
}

no_leftovers() { ! find "$1" -name '*.tmp' | grep .; }

# ---- scenes ----

# A cloth that is wound up by a turning and a moving edge, over a ball, with friction: contact in all its parts.
cat >contact.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.2, frames_per_second: 60}
threads: 1
contact: {enabled: true, thickness: 0.004, friction: 0.3}
colliders: [{shape: sphere, center: [0, -0.2, 0], radius: 0.15, motion: {velocity: [0, 0.2, 0]}}]
obstacles:
  - {name: needle, polylines: [[[0.1, -0.05, 0.02], [0.1, -0.3, 0.02]]], motion: {velocity: [0, 1, 0]}}
bodies:
  - name: cloth
    mesh: {grid: {size: [0.6, 0.6], cells: [9, 9]}}
    place: {rotate: {axis: [1, 0, 0], degrees: -90}}
    pins:
      - {select: {corners: [0, 1]}, motion: {velocity: [0, 0, 0.6]}, until: 0.12}
      - {select: {corners: [2]}}
YAML
# Without contact: BDF2 has a history, pins move, turn and let go, wind blows.
cat >bdf2.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.8, frames_per_second: 50, integrator: bdf2}
threads: 1
air: {density: 1.2, drag: 1, wind: [3, 0, 1]}
bodies:
  - name: flag
    mesh: {grid: {size: [1, 0.7], cells: [20, 14]}}
    place: {rotate: {axis: [1, 0, 0], degrees: -90}}
    pins:
      - {select: {corners: [0]}, motion: {rotation: {axis: [0, 1, 0], degrees_per_second: 90}}}
      - {select: {corners: [3]}, motion: {velocity: [0, 0.3, 0]}, from: 0.1, until: 0.5}
YAML
# A short one, for what is done often.
cat >short.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.05, frames_per_second: 100}
bodies:
  - name: cloth
    mesh: {grid: {size: [1, 1], cells: [4, 4]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
    pins: [{select: {corners: [0, 1]}}]
YAML

for scene in contact bdf2 short; do
    run info $scene.yaml
    claim "scene_${scene}_is_good" status_is 0
done

# ---- killed at random moments ----

# A duration between 0 and $1 milliseconds, in seconds.
moment() { awk -v most="$1" -v a=$RANDOM -v b=$RANDOM 'BEGIN {printf "%.4f", most * (a * 32768 + b) / 1073741824 / 1000}'; }

# Starts percale and kills it after a while; true if it was still at work.
kill_after() {
    local seconds=$1 pid
    shift
    "$percale" "$@" >out.txt 2>err.txt &
    pid=$!
    sleep "$seconds"
    kill -9 $pid 2>/dev/null
    { wait $pid; } 2>/dev/null
    status=$?
    [[ $status -eq 137 ]]
}

# Runs with the given options, killed `kills` times on its way; then to the end. Resumes what can be resumed: a run that
# was killed before its first checkpoint has left no frame, and is begun again.
killed_run() {
    local folder=$1 kills=$2 most=$3
    shift 3
    local k
    for ((k = 0; k < kills; k++)); do
        if [[ -e $folder/checkpoint.prc || -e $folder/checkpoint.previous.prc ]]; then
            kill_after "$(moment "$most")" resume "$folder" --quiet && killed=$((killed + 1))
        else
            [[ ! -e $folder/frame_00000.ply ]] || return 1
            kill_after "$(moment "$most")" run "$@" -o "$folder" --quiet && killed=$((killed + 1))
        fi
        [[ $status -eq 137 || $status -eq 0 ]] || { cat err.txt; return 1; }
    done
    if [[ -e $folder/checkpoint.prc ]]; then
        run resume "$folder"
    else
        run run "$@" -o "$folder"
    fi
    [[ $status -eq 0 ]] || { cat out.txt err.txt; return 1; }
}

milliseconds() { date +%s%3N; }

killed=0
contact=(contact.yaml --checkpoint 3 --fields pressure,gap --formats ply,pc2,vtkhdf --verify)
bdf2=(bdf2.yaml --checkpoint 7 --precision single)
for scene in contact bdf2; do
    declare -n options=$scene
    from=$(milliseconds)
    run run "${options[@]}" -o $scene-whole
    whole=$(($(milliseconds) - from))
    claim "the_run_of_${scene}_finishes" status_is 0
    for ((chain = 0; chain < 40 && killed < (${#scene} > 4 ? 27 : 54); chain++)); do
        # so many in each that most are killed on their way
        claim "a_run_of_${scene}_goes_on_after_kills_$chain" \
            killed_run $scene-$chain 6 $((whole * 2 / 3)) "${options[@]}"
        claim "and_has_the_same_bits" same_run $scene-whole $scene-$chain
        claim "also_in_files_of_many_frames" same_series $scene-whole $scene-$chain
        claim "and_leaves_nothing_behind" no_leftovers $scene-$chain
    done
done
claim "at_least_50_runs_were_killed ($killed)" test "$killed" -ge 50

# ---- killed at every file operation ----

cat >kill_at.c <<'C'
/* Ends the process at file operation number KILL_AT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
static void count(void)
{
    static int operations;
    const char *last = getenv("KILL_AT");
    if (last && ++operations == atoi(last))
        kill(getpid(), SIGKILL);
}
#define WRAP(result, name, parameters, arguments)                                                                      \
    result name parameters                                                                                             \
    {                                                                                                                  \
        count();                                                                                                       \
        result(*real) parameters = (result(*) parameters)dlsym(RTLD_NEXT, #name);                                      \
        return real arguments;                                                                                         \
    }
WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, link, (const char *a, const char *b), (a, b))
WRAP(int, unlink, (const char *a), (a))
WRAP(int, unlinkat, (int a, const char *b, int c), (a, b, c))
WRAP(int, mkdir, (const char *a, mode_t b), (a, b))
WRAP(int, fsync, (int a), (a))
WRAP(int, ftruncate, (int a, off_t b), (a, b))
WRAP(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))
WRAP(ssize_t, pwrite, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (flags & O_CREAT)
        count();
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return real(path, flags, mode);
}
C
every_operation() {
    local n first_status
    for ((n = 1; n < 1000; n++)); do
        rm -rf each
        KILL_AT=$n LD_PRELOAD=$room/kill_at.so "$percale" run short.yaml -o each --checkpoint 3 --formats ply,pc2,vtkhdf --quiet 2>err.txt
        first_status=$?
        [[ $first_status -ne 0 ]] || break
        if [[ ! -e each/checkpoint.prc && ! -e each/checkpoint.previous.prc ]]; then
            [[ ! -e each/steps.csv ]] || { echo "operation $n: no checkpoint"; return 1; }
            run run short.yaml -o each --checkpoint 3 --formats ply,pc2,vtkhdf --quiet
        elif ((n % 3 == 0)); then # and once more, while resuming
            KILL_AT=$((n % 17 + 1)) LD_PRELOAD=$room/kill_at.so "$percale" resume each --quiet 2>err.txt
            run resume each --quiet
        else
            run resume each --quiet
        fi
        status_is 0 && same_run short-whole each && same_series short-whole each && no_leftovers each ||
            { echo "operation $n"; return 1; }
    done
    echo "$n operations"
    [[ $n -gt 40 && $n -lt 1000 ]]
}
# An old run in the folder gives way to a new one at one moment: before it the old one can be resumed, then the new one.
every_operation_over_an_old_run() {
    local n
    for ((n = 1; n < 30; n++)); do
        rm -rf each
        "$percale" run short.yaml -o each --until 0.03 --formats ply,pc2,vtkhdf --quiet
        KILL_AT=$n LD_PRELOAD=$room/kill_at.so "$percale" run short.yaml -o each --checkpoint 3 --formats ply,pc2,vtkhdf --quiet 2>err.txt
        run resume each --until 0.05 --quiet
        status_is 0 && same_run short-whole each && no_leftovers each || { echo "operation $n"; return 1; }
    done
}
run run short.yaml -o short-whole --checkpoint 3 --formats ply,pc2,vtkhdf
if cc -shared -fPIC -o kill_at.so kill_at.c -ldl 2>cc.log && ! ldd "$percale" | grep -q libasan; then
    claim "killed_at_any_file_operation_a_run_goes_on_to_the_same_bits" every_operation
    claim "and_so_does_one_in_the_folder_of_an_older_run" every_operation_over_an_old_run
else
    echo "  skipped: no C compiler to make the library that kills, or a sanitizer in its way"
fi

# ---- stopped by signals and by the clock ----

# Starts a long run, sends a signal when it has a few frames; keeps its status.
signalled() {
    local signal=$1 folder=$2 pid
    shift 2
    "$percale" run bdf2.yaml -o "$folder" --set time.duration=1000 "$@" >out.txt 2>err.txt &
    pid=$!
    for _ in $(seq 200); do
        [[ -f $folder/frame_00002.ply ]] && break
        sleep 0.05
    done
    kill "-$signal" $pid
    wait $pid
    status=$?
}
for signal in INT TERM; do
    signalled $signal sig-$signal
    claim "${signal}_has_its_exit_status" status_is $([[ $signal == INT ]] && echo 130 || echo 143)
    claim "${signal}_is_answered_at_once" complains "stopping and saving; a second signal after one second or more ends at once"
    claim "and_prints_the_command_to_go_on" says "continue    percale resume sig-$signal"
    claim "and_its_report_says_interrupted" holds sig-$signal/report.json '"end": "interrupted"'
    rows=$(wc -l <sig-$signal/steps.csv)
    # farther than it came, however quick this machine is
    until=$(awk -v rows="$rows" 'BEGIN { print 0.004 * (rows + 20) }')
    run resume sig-$signal --until "$until"
    claim "and_it_goes_on_where_it_stopped" says "after step $((rows - 1)), "
    run run bdf2.yaml -o end-$signal --set time.duration=1000 --until "$until"
    claim "to_the_same_bits" same_run end-$signal sig-$signal
done
signalled INT 'a folder' --quiet
claim "the_command_is_told_to_the_quiet_too_and_can_be_pasted" complains "continue with: percale resume 'a folder'"

# A step that cannot be taken from a state is not taken from there by resuming either: nobody is sent there.
cat >stuck.yaml <<END
percale: 1
time: {step: 2e-3, duration: 0.02}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [4, 4]}}
    forces: [{force: [1e307, 0, 0], from: 4.1e-3}]
END
run run stuck.yaml -o stuck
claim "a_step_that_cannot_be_taken_has_status_4" status_is 4
claim "and_says_what_may_help" complains "not finite in double precision; the state before the step is kept. Try a time.step"
claim "and_that_the_scene_has_to_change" says "continue    change the scene and run it again"
run resume stuck
claim "and_so_does_a_run_that_is_resumed" status_is 4
claim "with_the_same_words" says "continue    change the scene and run it again"

# More iterations do not help where they were not used up.
cat >stalled.yaml <<END
percale: 1
time: {step: 4e-3, duration: 4e-3}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [4, 4]}}
    pins: [{select: {corners: [0, 1]}}]
solver: {tolerance: 1e-30, max_substeps: 1}
END
run run stalled.yaml -o stalled
claim "a_step_that_stalls_is_not_advised_more_iterations" says "a smaller time.step, a larger solver.tolerance or a larger"
run run stalled.yaml -o stalled_single --precision single
claim "but_more_precision_where_there_is" says "a smaller time.step, precision: double or a larger"

"$percale" run contact.yaml -o twice --set time.duration=1000 --unconverged go_on --quiet >out.txt 2>err.txt &
pid=$!
for _ in $(seq 200); do
    [[ -f twice/frame_00001.ply ]] && break
    sleep 0.05
done
run resume twice
claim "a_folder_in_use_is_refused" status_is 1
claim "and_that_is_said" complains "twice: another percale is using this folder"
run run short.yaml -o twice
claim "also_by_a_new_run" status_is 3
kill -9 $pid
{ wait $pid; } 2>/dev/null
run resume twice --max-wall 0.001s
claim "but_not_after_that_one_was_killed" status_is 6

run run bdf2.yaml -o wall --max-wall 0.05s
claim "max_wall_has_its_exit_status" status_is 6
claim "and_says_so" says "Stopped by --max-wall"
claim "and_in_the_report" holds wall/report.json '"end": "stopped"'
for _ in $(seq 60); do
    run resume wall --max-wall 0.5s --quiet
    [[ $status -eq 6 ]] || break
done
claim "a_run_in_many_short_parts_finishes" status_is 0
run run bdf2.yaml -o bdf2-double --quiet
claim "with_the_same_bits" same_run bdf2-double wall
for bad in soon 0 -3s 3x 5s2h 1e3 "" "2h 3m" inf nan .; do
    run run short.yaml -o bad --max-wall "$bad"
    claim "max_wall_refuses_'$bad'" status_is 2
done
run run short.yaml -o good --max-wall 1d2h30m4.5s
claim "max_wall_takes_all_units" status_is 0

# ---- steps that do not converge ----

# What the message says is what the table has.
tells_substeps() {
    local parts
    parts=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "substeps") k = i} NR == 2 {print $k}' hard/steps.csv)
    if [[ $parts -gt 1 ]]; then
        complains ", not even in $parts sub-steps" && says "1 steps were divided into sub-steps, after "
    else
        ! complains "sub-steps"
    fi
}
hard=(short.yaml --set solver.max_iterations=1 --set solver.tolerance=1e-12 --set solver.max_substeps=4)
run run "${hard[@]}" -o hard
claim "a_step_that_does_not_converge_ends_a_run" status_is 4
claim "and_is_told_with_its_residual" complains "percale: step 1, to 0.005 s: did not converge (max_iterations; residual "
claim "and_the_sub_steps_that_were_tried" tells_substeps
claim "the_summary_says_what_to_try" says "Possible remedies: percale run with a smaller time.step"
claim "and_how_to_go_on" says "percale resume hard --unconverged go_on"
claim "the_report_says_failed" holds hard/report.json '"end": "failed"'
run resume hard
claim "resumed_it_stops_after_the_next" complains "percale: step 2, to 0.01 s: did not converge"
run resume hard --unconverged go_on
claim "unless_told_to_go_on" status_is 0
run run "${hard[@]}" -o hard-whole --unconverged go_on --quiet
claim "to_the_bits_of_a_run_that_went_on_at_once" same_run hard-whole hard
claim "which_tells_what_did_not_converge_even_when_quiet" complains "10 of 10 steps did not converge"

# ---- until, threads, moved files ----

run run contact.yaml -o until --fields pressure,gap --verify --until 0.06 --trace until.csv --report until.json
claim "until_ends_early" status_is 0
run resume until
claim "a_finished_run_has_nothing_to_do" status_is 0
claim "and_says_how_to_go_further" says "until: nothing to do: the run has reached 0.06 s in 15 steps; --until SECONDS extends it"
run resume until --until 0.05
claim "also_when_asked_for_less" says "nothing to do"
run resume until --until 0.1 --threads 2
claim "until_goes_further" status_is 0
mv until moved
cp contact.yaml elsewhere.yaml
run resume moved --until 0.2 --threads 1 --scene elsewhere.yaml
claim "a_folder_and_a_scene_may_be_moved_and_threads_changed" status_is 0
cp until.json moved/report.json
claim "and_the_bits_are_the_same" same_run contact-whole moved
claim "every_state_was_verified_once" says "51 states without intersection"
run run contact.yaml -o traced --fields pressure,gap --verify --trace traced.csv --quiet
claim "the_trace_goes_on_too" diff <(without_seconds traced.csv) <(without_seconds until.csv)
run resume moved --until 0.22
claim "a_run_goes_on_beyond_the_duration_of_its_scene" says "0.22 s simulated"
kill_after 0.25 resume moved --until 0.3 --checkpoint 1 --quiet
run resume moved
claim "also_after_it_was_killed_on_the_way" says "0.3 s"

# ---- what is refused ----

run run short.yaml -o changed --until 0.02 --set 'bodies[0].material.stretch=700'
cp short.yaml kept.yaml
refused() { # name sed-script expected
    sed -e "$2" kept.yaml >short.yaml
    run resume changed --until 0.05
    claim "$1_is_refused" status_is 1
    claim "and_the_message_says_what" complains "$3"
    cp kept.yaml short.yaml
}
refused "another_step" 's/0.005/0.004/' "has changed: time.step was 0.005, is 0.004"
refused "another_rate_of_frames" 's/: 100/: 50/' "time.frames_per_second was 100, is 50"
refused "another_material" 's/name: cloth/material: {density: 0.3}/' "bodies[0].material.density was 0.2, is 0.3"
refused "another_mesh" 's/4, 4/4, 5/' "bodies[0].mesh was 25 vertices, 32 triangles, is 30 vertices, 40 triangles"
refused "another_pin" 's/0, 1\]}/0, 2]}/' "but a mesh, selection, motion, load or a file that it uses differs (fingerprint was"
refused "one_more_body" '$a\  - {mesh: {grid: {cells: [2, 2]}}}' "bodies was 1, is 2"
refused "a_broken_scene" 's/bodies/bodeis/' "did you mean 'bodies'?"
mv short.yaml away.yaml
run resume changed --until 0.05
claim "a_missing_scene_is_named" complains "$room/short.yaml"
mv away.yaml short.yaml
cp changed/steps.csv steps.csv
head -c 1000 steps.csv >changed/steps.csv
run resume changed --until 0.05
claim "a_table_that_was_cut_is_refused" complains "steps.csv: has 1000 bytes, but had"
cp steps.csv changed/steps.csv
run resume changed --until 0.05
claim "put_back_it_all_goes_on" status_is 0
head -c 500 changed/checkpoint.prc >cut && cp cut changed/checkpoint.prc
run resume changed --until 0.07
claim "a_damaged_checkpoint_gives_way_to_the_one_before" complains "continuing from the previous checkpoint"
claim "and_it_goes_on" status_is 0
run run short.yaml -o short-longer --set time.duration=0.07 --set 'bodies[0].material.stretch=700' --quiet
claim "to_the_same_bits_again" same_run short-longer changed

mkdir -p empty
run resume empty
claim "a_folder_without_a_checkpoint_is_bad_input" status_is 1
claim "and_the_way_out_is_told" complains "start one with 'percale run'"
run resume missing
claim "so_is_a_missing_folder" status_is 1
for arguments in "" "a b" "changed --what 3" "changed --set time.step=1" "changed --until soon" "changed --until"; do
    # shellcheck disable=SC2086
    run resume $arguments
    claim "usage_error: percale resume $arguments" status_is 2
done

# ---- full disks ----

whole_frames() { # every frame that is there is one of the whole run
    local frame
    for frame in "$1"/frame_*.ply; do
        cmp "$frame" "$2/${frame##*/}" || return 1
    done
}
fill() { dd if=/dev/zero of="$1" bs=1k count=100000 2>/dev/null; [[ -s $1 ]]; }

mkdir -p disk
if mount -t tmpfs -o size=400k tmpfs disk 2>/dev/null; then
    run run bdf2.yaml -o disk/out --spare "$room/spare"
    claim "a_full_disk_ends_a_run" status_is 3
    claim "and_is_named" complains "No space left on device"
    claim "and_the_state_is_saved_elsewhere" complains "is saved in $room/spare"
    claim "with_the_command_to_go_on" complains "continue with: percale resume $room/spare"
    claim "no_frame_is_half_written" whole_frames disk/out bdf2-double
    claim "no_temporary_file_fills_it" no_leftovers disk/out
    run resume spare
    claim "while_it_is_full_it_stays_so" status_is 3
    mount -o remount,size=20m disk
    run resume spare
    claim "with_room_again_it_goes_on" status_is 0
    claim "with_the_same_bits" same_run bdf2-double disk/out
    claim "and_the_spare_state_is_gone" test ! -e spare/checkpoint.prc
    mount -o remount,size=4m disk && rm -rf disk/out
    run run bdf2.yaml -o disk/out --until 0.1 --quiet
    fill disk/filler
    run resume disk/out --until 0.8
    claim "a_disk_that_fills_up_without_a_spare_ends_a_run" status_is 3
    claim "and_says_what_is_left" complains "percale: the last checkpoint is that of step 25"
    rm disk/filler
    run resume disk/out --until 0.8
    claim "and_it_goes_on_from_there" status_is 0
    claim "with_the_same_bits_too" same_run bdf2-double disk/out
    umount disk
else
    echo "  skipped: no small file system can be mounted here; files are limited in size instead"
fi
# The table of steps outgrows the limit long before the checkpoints of a small scene do.
run run short.yaml -o limited-whole --set time.duration=2 --set time.frames_per_second=5 --quiet
(ulimit -f 64 && "$percale" run short.yaml -o limited --set time.duration=2 --set time.frames_per_second=5 >out.txt 2>err.txt)
status=$?
claim "a_file_that_may_not_grow_ends_a_run" status_is 3
claim "and_is_told" complains "limited/steps.csv: some data could not be written: File too large"
claim "and_the_state_is_saved" complains "is saved in limited"
run resume limited
claim "and_goes_on_when_it_may" status_is 0
claim "to_the_bits_it_would_have_had" same_run limited-whole limited
if [[ -w /dev/full ]]; then
    run run short.yaml -o nowhere --trace /dev/full
    claim "a_trace_that_cannot_be_written_ends_a_run" status_is 3
    claim "and_is_named" complains "/dev/full: some data could not be written"
    claim "but_the_state_is_saved" complains "is saved in nowhere"
fi
run run short.yaml -o none --spare /proc/none
claim "a_spare_folder_that_cannot_be_made_is_told_at_once" status_is 3
run run short.yaml -o none --spare short-whole
claim "and_so_is_one_that_is_in_use" complains "already contains a checkpoint"

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
