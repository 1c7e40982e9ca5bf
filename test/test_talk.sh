#!/usr/bin/env bash
# What the program says: info, progress, logs, help.
#
#   test/test_talk.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
source=$PWD
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
says_not() { ! grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
lines_with() { [[ $(grep -cF -- "$2" "$1") -eq $3 ]] || { cat "$1"; false; }; }
no_python() { ! command -v python3 >/dev/null && echo "  skipped: no python3"; }
# A Python expression about the JSON document (or the list of JSON lines) d.
json_says() { no_python || python3 -c "
import json, sys
t = open(sys.argv[1]).read()
try: d = json.loads(t)
except ValueError: d = [json.loads(l) for l in t.splitlines()]
def near(a, b, r=1e-3): return abs(a - b) <= r * abs(b)
r = eval(sys.argv[2])
if not r: print(d)
sys.exit(not r)" "$1" "$2"; }

cat >small.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.1, frames_per_second: 50}
bodies:
  - name: cloth
    mesh: {grid: {size: [1, 2], cells: [10, 20]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
    material: {model: stvk, stretch: 800, poisson: 0, density: 0.2, bending: 2e-4}
    pins: [{select: {corners: [0, 1]}}, {select: {corners: [0, 2]}, motion: {velocity: [0, 0, 3]}, from: 0.05}]
    forces: [{force: [0, 0, 2]}]
YAML

# ---- info ----

run info small.yaml
claim "info_of_a_good_scene_succeeds" status_is 0
claim "info_counts" says "231 vertices, 400 triangles"
claim "info_tells_edges" says "100 mm to 141 mm"
claim "info_tells_area_and_mass" says "2 m², 0.4 kg"
claim "info_tells_the_material" says "stvk, density 0.2 kg/m², stretch modulus at rest 800 N/m, bending 0.0002 N·m"
claim "info_tells_pins" says "2 vertices moved, at most 3 m/s from 0.05 s"
claim "info_tells_forces" says "2 N on 231 vertices"
claim "info_measures_steps" says "measured on the first"
claim "info_tells_the_disk" says "6 frames of "
claim "a_good_scene_has_no_warning" says_not "warning"
run info small.yaml --json
claim "info_has_json" json_says out.txt "d['vertices'] == 231 and len(d['bodies']) == 1"
# 2/ω of a chain of 0.1 m edges: 0.1 sqrt(0.2/800) and 0.1² sqrt(0.2/2e-4)/2.
claim "the_stretch_time_scale_is_edge_over_wave_speed" json_says out.txt "near(d['bodies'][0]['stretch_time'], 0.1 * (0.2 / 800)**0.5)"
claim "the_bending_time_scale_is_that_of_plates" json_says out.txt "near(d['bodies'][0]['bending_time'], 0.01 * (0.2 / 2e-4)**0.5 / 2)"
claim "vertices_in_two_pins_count_once" json_says out.txt "d['bodies'][0]['pinned_vertices'] == 3"
claim "mass_is_area_times_density" json_says out.txt "near(d['bodies'][0]['mass'], 0.4)"
claim "json_tells_the_measured_cost" json_says out.txt "d['cost']['measured'] and d['cost']['seconds_per_step'] > 0 and d['cost']['memory_bytes'] > 1e6"
"$percale" run small.yaml -o out/size --quiet
size=$(stat -c %s out/size/frame_00000.ply)
claim "the_frame_size_is_as_expected" json_says out.txt "near(d['cost']['frame_bytes'], $size, 0.05)"
claim "the_number_of_frames_is_as_expected" json_says out.txt "d['frames'] == $(find out/size -name 'frame_*.ply' | wc -l)"
run info small.yaml --json --fast
claim "fast_measures_nothing" json_says out.txt "not d['cost']['measured'] and d['cost']['disk_bytes'] > 0"

warning() { # claim key=value… expected
    local name=$1 expected=$2
    shift 2
    run info small.yaml --fast "$@"
    claim "$name" says "$expected"
}
warning "a_long_step_is_told" "this step is 40× the stretch time scale of bodies[0] 'cloth'" --set time.step=0.0632
warning "grams_are_suspected" "Was it given in g/m²?" --set 'bodies[0].material.density=150'
warning "pascals_are_suspected" "A value in Pa belongs in material.young" --set 'bodies[0].material.stretch=2e9'
warning "large_things_are_told" "its size is 2e+03 m" --set 'bodies[0].place.scale=1000'
warning "thickness_beyond_edges_is_told" "is larger than its mean edge" --set contact.enabled=true --set contact.thickness=0.5
warning "fast_pins_are_told" "a pin moves 15 mm per step" --set contact.enabled=true
warning "too_little_memory_is_foreseen" "the run needs about" --set contact.enabled=true --set contact.thickness=1 --set 'bodies[0].mesh.grid.cells=[320, 320]'
run run small.yaml -o out/huge --set contact.enabled=true --set contact.thickness=1 --set 'bodies[0].mesh.grid.cells=[320, 320]'
claim "a_run_that_cannot_fit_is_refused" status_is 1
claim "and_says_why" complains "expected a smaller contact.thickness"
warning "too_many_frames_are_told" "one frame per step is written" --set time.frames_per_second=1000
warning "a_full_disk_is_foreseen" "are free on the disk" --set time.duration=1e12 --set time.step=1e-3
warning "free_fall_is_told" "nothing holds the cloth" --set 'bodies[0].pins=[]'
warning "rest_is_told" "nothing moves" --set 'bodies[0].pins=[]' --set 'bodies[0].forces=[]' --set 'gravity=[0,0,0]'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0.001 0\nf 1 2 4\nf 1 4 3\n' >thin.obj
warning "uneven_edges_are_told" "edges are 1 mm to 1.414 m long" --set 'bodies[0].mesh={file: thin.obj}' --set 'bodies[0].pins=[]'

run info small.yaml --set 'bodies[0].mesh.grid.cells=[320, 320]' --set contact.enabled=true
claim "a_large_scene_is_not_tried" says "the scene is large; --measure measures it"
claim "nor_its_start_examined" says "not examined"
run info small.yaml --measure --json
claim "measuring_agrees_with_what_was_expected" json_says out.txt "0.2 < d['cost']['memory_bytes'] / d['cost']['memory_expected_bytes'] < 5"

cat >crossed.yaml <<'YAML'
percale: 1
contact: {enabled: true, thickness: 0.005}
bodies:
  - {name: flat, mesh: {grid: {size: [1, 1], cells: [3, 3]}}}
  - {name: upright, mesh: {grid: {size: [1, 1], cells: [4, 4]}}, place: {rotate: {axis: [1, 0, 0], degrees: 80}}}
YAML
run info crossed.yaml
claim "info_finds_a_start_that_run_refuses" status_is 1
claim "and_says_so" says "will refuse it"
run info crossed.yaml --json
claim "also_in_json" json_says out.txt "d['start']['refused'] and d['start']['crossings'] > 0"
run info crossed.yaml --set contact.start=exempt
claim "unless_it_is_exempt" status_is 0
run info small.yaml --set
claim "info_wants_a_value_after_set" status_is 2

# ---- logs and lines ----

run run small.yaml -o out/a --log-json log.json --verbose
claim "a_verbose_run_has_a_line_per_step" lines_with out.txt "step " 20
claim "the_log_is_json_line_by_line" json_says log.json "len(d) == 1 + 6 + 20 + 1 + 1"
claim "it_begins_with_the_start" json_says log.json "d[0]['event'] == 'start' and d[0]['steps'] == 20 and d[0]['vertices'] == 231"
claim "it_has_every_step" json_says log.json "[e['step'] for e in d if e['event'] == 'step'] == list(range(1, 21))"
claim "it_has_every_frame" json_says log.json "[e['frame'] for e in d if e['event'] == 'frame'] == list(range(6))"
claim "it_ends_with_the_end" json_says log.json "d[-1]['event'] == 'end' and d[-1]['status'] == 0 and d[-1]['end'] == 'finished'"
claim "its_clock_does_not_run_backwards" json_says log.json "all(a['wall'] <= b['wall'] for a, b in zip(d, d[1:]))"
claim "the_summary_names_it" says "log.json"
claim "it_has_the_checkpoint" json_says log.json "[e['step'] for e in d if e['event'] == 'checkpoint'] == [20]"
run resume out/a --until 0.12 --log-json log.json --verbose
claim "a_resumed_run_appends_to_its_log" json_says log.json "[e['step'] for e in d if e['event'] == 'step'] == list(range(1, 25))"
claim "and_says_where_it_began" json_says log.json "[e['first_step'] for e in d if e['event'] == 'start'] == [0, 20]"
claim "and_prints_its_own_steps" lines_with out.txt "/24  " 4
run run small.yaml -o out/a --log-json -
claim "a_log_on_standard_output_is_alone_there" json_says out.txt "d[0]['event'] == 'start' and d[-1]['event'] == 'end'"
claim "and_people_read_standard_error" complains "Finished."
run run small.yaml -o out/a --log-json missing/log.json
claim "a_log_that_cannot_be_opened_is_told" status_is 3
claim "and_named" complains "missing/log.json"
if [[ -w /dev/full ]]; then
    run run small.yaml -o out/a --log-json /dev/full
    claim "a_log_that_cannot_be_written_is_told" status_is 3
    claim "but_the_run_is_complete" test -f out/a/report.json -a -f out/a/frame_00005.ply
fi
run run small.yaml -o out/a --interval 0.000001
claim "lines_come_as_often_as_asked" lines_with out.txt " left  " 20
claim "lines_have_no_control_characters" test -z "$(tr -d '\n[:print:]…' <out.txt | tr -d '\200-\377')"
run run small.yaml -o out/a
claim "short_runs_are_summed_up_only" says_not " left  "
run run small.yaml -o out/a --interval 0
claim "an_interval_of_nothing_is_refused" status_is 2

# ---- the terminal ----

cat >long.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 1000, frames_per_second: 2}
contact: {enabled: true}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [6, 6]}}
    pins: [{select: {corners: [0, 1]}}]
YAML
# The lines of a terminal after a while: width, environment.
screens=0
screen() {
    local server=percale$$.$((screens += 1))
    tmux -L "$server" -f /dev/null new-session -d -x "$1" -y 6 "env $2 $percale run long.yaml -o out/tmux$screens; sleep 5"
    for _ in $(seq 60); do
        sleep 0.25
        tmux -L "$server" capture-pane -p -e >screen.txt
        ! grep -q left screen.txt || break
    done
    tmux -L "$server" kill-server
}
widest() { LC_ALL=C.UTF-8 awk '{n = length($0); if (n > m) m = n} END {print m + 0}' screen.txt; }
if command -v tmux >/dev/null && tmux -L "percale$$" -f /dev/null new-session -d true 2>/dev/null; then
    tmux -L "percale$$" kill-server 2>/dev/null
    screen 90 "LC_ALL=C NO_COLOR=1"
    claim "a_terminal_shows_a_bar" holds screen.txt "[--"
    claim "with_frame_time_left_and_residual" grep -qE 'frame [0-9]+  [0-9.e-]+ s  [0-9:]+ left  [0-9]+ it  [0-9.e-]+ m/s' screen.txt
    claim "no_color_means_none" test -z "$(grep -a $'\033\[[0-9]*m' screen.txt)"
    screen 90 "LC_ALL=C.UTF-8"
    claim "utf8_terminals_get_a_finer_bar" holds screen.txt "▕"
    screen 48 "LC_ALL=C NO_COLOR=1"
    claim "a_narrow_terminal_is_kept_to" test "$(widest)" -le 48
    claim "and_still_shows_the_time_left" holds screen.txt " left"
else
    echo "  skipped: tmux is not installed"
fi
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    TERM=dumb script -qec "$percale run long.yaml -o out/dumb --until 1" /dev/null >out.txt
    claim "a_dumb_terminal_gets_no_codes" test -z "$(grep -a $'\033' out.txt)"
    TERM=xterm script -qec "$percale run long.yaml -o out/dumb --until 0.01" /dev/null >out.txt
    claim "another_one_gets_colours" grep -qa $'\033\[32mFinished' out.txt
else
    echo "  skipped: script is not installed"
fi

# ---- help ----

run --help
general=$(cat out.txt)
for verb in $(sed -n 's/^  percale \([a-z]*\) .*/\1/p' out.txt | sort -u); do
    [[ $verb == help || $verb == run ]] && continue
    run "$verb" --help
    claim "percale_${verb}_has_help" test "$status" -eq 0 -a -s out.txt
    general+=$(cat out.txt)
done
for arguments in "run --help" "bench elastic --help" "bench contact --help" "bench gpu --help" "help info" "help check"; do
    # shellcheck disable=SC2086
    run $arguments
    general+=$(cat out.txt)
done
claim "help_has_examples_and_exit_statuses" grep -qF "Exit status: 0 finished" <<<"$general"
for option in $(grep -hoE '"--?[a-z][a-z-]*"' "$source"/app/cli/*.c "$source"/bench/*.c | tr -d '"' | sort -u); do
    claim "help_has_the_option_$option" grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)" <<<"$general"
done
run --version
claim "the_version_tells_the_build" says "build "
claim "and_the_kernels" says "* cpu "

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
