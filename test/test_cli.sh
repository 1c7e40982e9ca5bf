#!/usr/bin/env bash
# The program percale as a person meets it: files, exit statuses, messages.
#
#   test/test_cli.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
scenes=$PWD/scenes
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
silent() { [[ ! -s out.txt ]]; }
frames_are() { [[ $(find "$1" -name 'frame_*.ply' | wc -l) -eq $2 ]] || { ls "$1"; false; }; }
is_ply() { [[ $(head -c 3 "$1") == ply ]]; }
# Every row has as many cells as the header.
is_table() { awk -F, 'NR == 1 {n = NF} NF != n {bad = 1} END {exit bad || NR < 2 || n < 2}' "$1"; }
rows_are() { [[ $(wc -l <"$1") -eq $(($2 + 1)) ]] || { wc -l "$1"; false; }; }
is_json() { ! command -v python3 >/dev/null || python3 -m json.tool "$1" >/dev/null; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }

cat >small.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.1, frames_per_second: 50}
bodies:
  - name: cloth
    mesh: {grid: {size: [1, 1], cells: [6, 6]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
    pins: [{select: {corners: [0, 1]}}]
YAML

run run small.yaml -o out/a
claim "a_run_finishes" status_is 0
claim "the_summary_says_so" says "Finished."
claim "the_summary_names_the_files" says "out/a/steps.csv"
claim "frames_come_at_the_rate_asked_for" frames_are out/a 6
claim "frames_are_ply_files" is_ply out/a/frame_00005.ply
claim "there_is_a_row_per_step" rows_are out/a/steps.csv 20
claim "rows_match_the_header" is_table out/a/steps.csv
claim "the_header_has_units" holds out/a/steps.csv "residual [m/s]"
claim "the_report_is_json" is_json out/a/report.json
claim "the_report_counts_what_did_not_converge" holds out/a/report.json '"steps_not_converged": 0'
claim "the_report_holds_the_settings_as_resolved" holds out/a/report.json '"tolerance": 0.0001'
claim "the_report_holds_the_times" holds out/a/report.json '"gradient":'
claim "and_those_of_the_parts_of_contact" holds out/a/report.json '"broad":'
before=$(md5sum <out/a/frame_00005.ply)
run run small.yaml -o out/b
claim "a_run_can_be_repeated_to_the_bit" test "$before" = "$(md5sum <out/b/frame_00005.ply)"

run run small.yaml -o out/f --until 0.01 --fields pressure,gap --set contact.enabled=true
claim "fields_are_asked_for" status_is 0
claim "frames_hold_pressure_when_asked" holds out/f/frame_00000.ply "property float pressure"
claim "frames_hold_gaps_when_asked" holds out/f/frame_00000.ply "property float gap"
claim "frames_hold_no_gaps_else" test -z "$(grep -a 'float gap' out/a/frame_00000.ply)"
run run small.yaml -o out/f --fields presure
claim "unknown_fields_are_refused" status_is 1
claim "unknown_fields_are_named" complains "did you mean 'pressure'?"

run run small.yaml -o out/a/ --until 0.04 --quiet --report r.json --trace t.csv --threads 1 --precision single --solver ncg
claim "options_are_taken" status_is 0
claim "quiet_is_quiet" silent
claim "until_ends_early_and_old_frames_go" frames_are out/a 3
claim "the_report_goes_where_it_is_sent" holds r.json '"precision": "single"'
claim "the_solver_is_chosen" holds r.json '"method": "ncg"'
claim "the_trace_is_a_table" is_table t.csv
run run small.yaml -o out/c --set time.duration=0.02 --set 'bodies[0].material.stretch=900' --set 'bodies.0.mesh.grid.cells=[2, 2]'
claim "overrides_are_taken" holds out/c/report.json '"stretch": 900'
claim "overrides_reach_lists" holds out/c/report.json '"vertices": 9'
run run small.yaml -o out/d --set solver.max_iterations=1 --set solver.tolerance=1e-12 --quiet --unconverged go_on
claim "a_step_that_did_not_converge_is_told_even_when_quiet" complains "steps did not converge"
claim "and_is_no_failure" status_is 0
claim "and_is_in_the_report" holds out/d/report.json '"first_stop":'

mkdir -p other && echo precious >other/frame_00000.ply
run run small.yaml -o other
claim "a_folder_with_other_things_is_refused" status_is 3
claim "and_left_alone" holds other/frame_00000.ply precious
touch out/b/notes.txt out/b/frame_1.ply && run run small.yaml -o out/b --until 0 --quiet
claim "what_is_not_a_frame_survives_a_second_run" test -f out/b/notes.txt -a -f out/b/frame_1.ply
claim "a_run_of_no_time_writes_one_frame" frames_are out/b 2
run run small.yaml -o small.yaml/out
claim "a_folder_that_cannot_be_made_is_told" status_is 3
run run small.yaml -o out/e --report missing/r.json
claim "a_report_that_cannot_be_written_is_told" status_is 3

run run missing.yaml
claim "a_missing_scene_is_bad_input" status_is 1
claim "and_named" complains "missing.yaml"
printf 'percale: 1\ntiem: {}\nbodies: [{mesh: {disc: {rings: 0}}}]\n' >bad.yaml
run run bad.yaml
claim "a_bad_scene_is_bad_input" status_is 1
claim "every_error_has_its_place" complains "bad.yaml:2:1: tiem: unknown key; did you mean 'time'?"
claim "all_errors_are_told" complains "bodies[0].mesh.disc.rings: 0 is not allowed"
claim "a_bad_scene_writes_nothing" test ! -e out/steps.csv
run run small.yaml --solver neuton
claim "a_bad_option_value_is_bad_input" status_is 1
run info bad.yaml
claim "info_finds_errors" status_is 1
run info small.yaml
claim "info_describes_a_good_scene" says "49 vertices"
for scene in "$scenes"/*.yaml; do
    run info "$scene"
    claim "scene_${scene##*/}_is_good" status_is 0
done

for arguments in "" "frobnicate" "run" "run small.yaml --what 3" "run small.yaml -o" "run a.yaml b.yaml" \
    "run small.yaml --until soon" "schema --what" "schema nothing" "info"; do
    # shellcheck disable=SC2086
    run $arguments
    claim "usage_error: percale $arguments" status_is 2
done
run --version
claim "the_version_is_printed" says "percale "
run --help
claim "help_teaches" says "percale: 1"
run help run
claim "help_knows_verbs" says "--trace"
run run --help
claim "verbs_know_help" says "--trace"
run schema
claim "the_schema_is_printed" says "frames_per_second"
run schema material
claim "one_table_is_printed" says "Poisson's ratio"
run schema --markdown
claim "the_manual_page_is_printed" says '| `density` | 0.2 |'

# A bar may be missed on a busy machine (1); a step must not fail.
run bench contact --quick
claim "the_contact_benchmark_runs" test "$status" -le 1
claim "and_compares_with_steps_without_contact" says "no contact"
claim "and_writes_its_figures" is_json bench_contact.json
claim "which_have_the_parts" holds bench_contact.json '"share_broad":'
run bench gpu --backend cpu --scene skirt --scale 0.08 --before 2 --steps 3 --checks 2 --against-cpu 1 --threads 1
claim "the_benchmark_of_the_gpu_runs_on_the_cpu" status_is 0
claim "with_what_was_reached" says "3 of 3 steps converged"
claim "and_checked_surfaces" says "0 intersections in 2 states checked"
claim "and_a_second_run_from_the_same_state" says "0.0e+00 m apart after 2 steps"
claim "and_writes_figures" is_json bench_gpu.json
claim "which_have_the_floor" holds bench_gpu.json '"seconds_floor":'
run bench gpu --backend cpu --scene elastic --scale 0.03 --quick
claim "elastic_kernels_are_held_against_a_copy" says "% of a copy"
run bench gpu --backend cpu --scale 0.05 --before 0 --steps 1 --checks 0 --against-cpu 1 --threads 1
claim "all_scenes_are_compared_in_one_table" says "Against the CPU, cpu float"
claim "with_a_row_for_each" test "$(grep -cE '^  (skirt|dress|cloths|tube) .* 0.0e\+00$' out.txt)" -eq 4
run bench gpu --backend cpu --scene threshold --scale 0.3 --before 1 --against-cpu 1 --threads 1
claim "sizes_are_compared_for_the_threshold" test "$status$(grep -cE '^ +[0-9]+ .* [0-9.]+$' out.txt)" -eq 8
for how in asked packed; do
    run bench gpu --backend cpu --scene skirt --scale 0.08 --before 0 --steps 2 --frames $how --threads 1
    claim "steps_are_timed_with_frames_that_are_$how" status_is 0
done
for scene in dress cloths tube block; do
    run bench gpu --backend cpu --scene $scene --scale 0.03 --before 0 --steps 1 --threads 1
    claim "the_scene_${scene}_starts_and_converges" says "1 of 1 steps converged"
done
run bench gpu --scene trousers
claim "a_scene_that_is_not_known_is_a_usage_error" status_is 2
run bench contact --what
claim "bad_options_of_a_benchmark_are_usage_errors" status_is 2
run bench contact --json missing/figures.json
claim "figures_that_cannot_be_written_are_told" status_is 3
run bench
claim "a_benchmark_without_a_name_is_a_usage_error" status_is 2

"$percale" run small.yaml -o out/i --set time.duration=1000 >out.txt 2>err.txt &
pid=$!
for _ in $(seq 100); do
    [[ -f out/i/frame_00002.ply ]] && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
status=$?
claim "an_interrupted_run_says_so" status_is 143
claim "and_keeps_its_files" holds out/i/report.json '"end": "interrupted"'

run run small.yaml -o out/v --verify
claim "a_verified_run_finishes" status_is 0
claim "and_says_that_every_state_was_clean" says "21 states without intersection"
run check out/v
claim "check_finds_a_clean_run_clean" status_is 0
claim "check_has_a_line_per_frame" says "frame_00005.ply  72 triangles"
claim "check_ends_with_a_summary" says "6 frames, "
claim "check_names_the_smallest_gap" says "smallest gap"
run check out/v/ --frames 2..4 --quiet
claim "check_is_quiet_about_clean_frames" silent
run check out/v --frames 4..
claim "check_takes_a_range_of_frames" says "2 frames, "
# A triangle through another, in the second of two frames.
ply() { printf 'ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n'
    printf 'element face 2\nproperty list uchar int vertex_indices\nend_header\n'
    printf '0 0 0\n4 0 0\n0 4 0\n1 1 1\n1 1 %s\n9 9 1\n3 0 1 2\n3 3 4 5\n' "$1"; }
mkdir -p out/x && ply 0.5 >out/x/frame_00000.ply && ply -1 >out/x/frame_00001.ply
run check out/x --pairs out/pairs.ply
claim "check_fails_where_a_frame_intersects" status_is 5
claim "and_says_where" says "edge 1 2 meets triangle 3 4 5 at (2, 2, 0)"
claim "and_in_which_frame" says "1 frame with 2 intersections, the first in frame_00001.ply"
claim "and_shows_the_triangles" is_ply out/pairs.ply
run check out/pairs.ply
claim "which_can_be_checked_themselves" status_is 5
run check out/x --quiet --obstacles 0..5
claim "obstacles_may_intersect" status_is 0
run check out/x --pairs missing/pairs.ply
claim "pairs_that_cannot_be_written_are_told" status_is 3
run check out/x --frames 7
claim "no_frames_are_bad_input" status_is 1
run check missing
claim "a_missing_folder_is_bad_input" status_is 1
echo nonsense >out/x/frame_00000.ply
run check out/x
claim "a_frame_that_cannot_be_read_is_bad_input" status_is 1
for arguments in "" "out/x out/v" "out/x --what" "out/x --frames" "out/x --frames 4..2" "out/x --frames a"; do
    # shellcheck disable=SC2086
    run check $arguments
    claim "usage_error: percale check $arguments" status_is 2
done
cat >crossed.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.1}
bodies:
  - {name: flat, mesh: {grid: {size: [1, 1], cells: [3, 3]}}}
  - {name: upright, mesh: {grid: {size: [1, 1], cells: [4, 4]}}, place: {rotate: {axis: [1, 0, 0], degrees: 80}}}
YAML
run run crossed.yaml -o out/w --verify
claim "a_verified_run_stops_where_bodies_intersect" status_is 5
claim "and_names_them" complains "of body 1 upright"
claim "and_the_report_says_so" holds out/w/report.json "intersections; edge"

# A needle, a point and a plate that cross each other; the needle first misses the cloth, then does not.
cat >needle.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.04, frames_per_second: 250}
contact: {enabled: true}
obstacles:
  - {name: needle, polylines: [[[0.01, -0.01, 0.02], [0.01, -0.3, 0.02]]], points: [[0.3, -0.1, 0]],
     motion: {velocity: [0, 100, 0]}}
  - {name: plate, mesh: {grid: {cells: [2, 2]}}, place: {rotate: {axis: [1, 0, 0], degrees: -90}, translate: [0, -0.1, 0]}}
bodies:
  - {name: cloth, mesh: {grid: {size: [0.2, 0.2], cells: [4, 4]}}, place: {rotate: {axis: [1, 0, 0], degrees: -90}}}
YAML
run info needle.yaml
claim "info_lists_obstacles" says "obstacle 0 needle: 3 vertices, 0 triangles, 1 segments"
run run needle.yaml -o out/n --verify --unconverged go_on
claim "a_run_with_needles_is_verified" status_is 0
claim "and_says_what_was_held_back_most" says "largest lag: obstacle 'needle' vertex "
claim "the_report_lists_obstacles" holds out/n/report.json '"segments": 1'
claim "its_report_is_json" is_json out/n/report.json
claim "the_table_says_where_things_lag" holds out/n/steps.csv "lag_body,lag_vertex,lag_collider"
run check out/n
claim "check_knows_the_obstacles_of_frames" status_is 0
claim "and_counts_their_edges" says "40 triangles, 1 edges, "
ply() { printf 'ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n'
    printf 'property uchar obstacle\nelement face 1\nproperty list uchar int vertex_indices\n'
    printf 'element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n'
    printf '0 0 0 %s\n4 0 0 %s\n0 4 0 %s\n1 1 1 1\n1 1 -1 1\n3 0 1 2\n3 4\n' "$1" "$1" "$1"; }
ply 0 >out/needle.ply
run check out/needle.ply
claim "a_needle_through_cloth_is_found" status_is 5
claim "with_its_place" says "edge 3 4 meets triangle 0 1 2 at (1, 1, 0)"
ply 1 >out/needle.ply
run check out/needle.ply
claim "a_needle_through_another_obstacle_is_nothing" status_is 0

sed -e 's/^bodies/contact: {enabled: true, thickness: 0.005}\nbodies/' crossed.yaml >contact.yaml
run run contact.yaml -o out/s
claim "a_start_that_intersects_is_bad_input" status_is 1
claim "and_says_what_can_be_done" complains "or set contact.start: exempt"
claim "and_where_it_is_shown" complains "out/s/start.ply shows all "
claim "and_shows_it" is_ply out/s/start.ply
claim "and_writes_nothing_else" test "$(ls out/s)" = start.ply
run check out/s/start.ply
claim "the_picture_can_be_read_and_crosses" status_is 5
run info contact.yaml
claim "info_counts_what_is_wrong_with_a_start" says " crossings, "
mkdir -p elsewhere && echo precious >elsewhere/start.ply && echo mine >elsewhere/notes.txt
run run contact.yaml -o elsewhere
claim "no_picture_goes_into_a_folder_with_other_things" holds elsewhere/start.ply precious
claim "and_that_is_told" complains "the mesh of the start could not be written"
run run contact.yaml -o out/s --set contact.start=exempt --verify --unconverged go_on
claim "exempt_crossings_are_no_violation" status_is 0
claim "and_are_counted_at_the_end" says "crossings of "
claim "and_in_the_table" holds out/s/steps.csv "exempt_pairs,exempt_crossings"
claim "the_picture_of_an_earlier_start_goes" test ! -e out/s/start.ply
sed -e 's/, -0.01, 0.02\]/, 0.1, 0.02]/' -e 's/velocity: .0, 40/velocity: [0, -2/' needle.yaml >through.yaml
run run through.yaml -o out/t
claim "a_needle_through_the_start_is_refused_by_name" complains "of obstacles[0] 'needle'"
run check out/t/start.ply
claim "and_shown_where_it_is" says "1 intersection"
run run through.yaml -o out/t --set contact.start=exempt --verify --unconverged go_on
claim "or_exempt_and_verified" status_is 0

# A mesh with something of everything that can be mended, and one with an edge of three triangles.
printf 'v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng front\nf 1 3 4\nf 1 3 4\nf 1 4 5\nf 1 1 3\n' >torn.obj
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 3 1 5\n' >crowded.obj
run convert torn.obj torn.ply --mend --check
claim "convert_mends" status_is 0
claim "and_says_what" says "torn.obj: 1 isolated vertex removed"
claim "and_what_is_not_kept" says "not kept in torn.ply: 1 group"
claim "and_what_it_wrote" says "torn.ply: 4 vertices, 2 triangles"
run convert torn.obj copy.obj --quiet
claim "convert_without_mend_changes_nothing" test "$(grep -c ^f copy.obj)" = 4
claim "groups_are_kept" holds copy.obj "g front"
run convert crowded.obj no.obj --check --problems problems.ply
claim "convert_refuses_what_cannot_be_simulated" status_is 1
claim "and_says_where" complains "crowded.obj: edge 0-2 is shared by 3 triangles"
claim "and_writes_no_mesh" test ! -e no.obj
claim "and_shows_it" is_ply problems.ply
run convert torn.ply big.stl --scale 1000 --rotate 1,0,0,90 --translate 0,5,0
claim "convert_scales_and_turns" status_is 0
run convert out/v moving.pc2
claim "frames_become_a_point_cache" says "moving.pc2: 6 frames of 49 vertices"
run convert out/v frame_%03d.obj --frames 1..2
claim "frames_become_files_by_number" test -f frame_001.obj -a -f frame_002.obj -a ! -e frame_000.obj
run convert out/v end.vtk --frame last
claim "one_frame_becomes_a_mesh" status_is 0
run convert moving.pc2 back_%d.ply --mesh frame_001.obj --quiet
claim "a_point_cache_becomes_meshes" test -f back_0.ply -a -f back_5.ply
run convert out/v end.vtk
claim "which_frame_has_to_be_said" status_is 2
run convert out/v end.vtk --frame 77
claim "and_must_be_there" complains "out/v has no frame 77; it has frames 0 to 5"
run convert moving.pc2 x.obj --frame 1
claim "a_point_cache_needs_its_mesh" complains "give its mesh with --mesh FILE"
run convert missing.obj x.ply
claim "a_missing_mesh_is_bad_input" status_is 1
run convert torn.obj missing/x.ply
claim "a_mesh_that_cannot_be_written_is_told" status_is 3
run convert torn.obj x.dxf
claim "an_unknown_ending_is_told" complains "ending in .obj, .ply, .stl or .vtk"
for arguments in "" "torn.obj" "a.obj b.obj c.obj" "a.obj b.obj --what" "a.obj b.obj --scale" "a.obj b.obj --scale 0" \
    "a.obj b.obj --translate 1,2" "a.obj b.obj --frames 4..2" "a.obj b.obj --frame x" "a.obj b.obj --vertices 1"; do
    # shellcheck disable=SC2086
    run convert $arguments
    claim "usage_error: percale convert $arguments" status_is 2
done

printf 'percale: 1\ntime: {step: 0.01, duration: 0.02}\nbodies: [{mesh: {file: torn.obj}}]\n' >torn.yaml
run info torn.yaml
claim "info_says_what_was_mended" says "torn.obj: 1 duplicate triangle removed"
run run torn.yaml -o out/m
claim "a_run_says_what_was_mended" says "torn.obj: 1 isolated vertex removed"
sed -e 's/torn.obj/crowded.obj/' torn.yaml >crowded.yaml
run run crowded.yaml -o out/k
claim "a_mesh_that_cannot_be_simulated_is_bad_input" status_is 1
claim "and_says_where_it_is_shown" complains "out/k/problems.ply shows the problems of crowded.obj"
claim "and_shows_what_is_wrong" is_ply out/k/problems.ply
run info crowded.yaml
claim "info_says_how_to_see_it" complains "--problems FILE.ply"
run info crowded.yaml --problems seen.ply
claim "info_shows_it" is_ply seen.ply
run run torn.yaml -o out/k --quiet
claim "the_picture_goes_with_the_next_run" test ! -e out/k/problems.ply

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
