#!/usr/bin/env bash
# percale check and run --verify against colliders: what frames say of them, what is found, and what is said not to have
# been looked at.
#
#   test/test_check_frames.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
silent() { [[ ! -s out.txt ]] || { cat out.txt; false; }; }
holds() { grep -qaF -- "$2" "$1" || { head -c 2000 "$1"; false; }; }

# frame FILE 'LINE;LINE' 'x y z' 'x y z' 'x y z': one triangle, and comments.
frame() {
    local file=$1 lines=$2
    shift 2
    { printf 'ply\nformat ascii 1.0\n'
      [[ -z $lines ]] || tr ';' '\n' <<<"$lines" | sed 's/^/comment /'
      printf 'element vertex 3\nproperty double x\nproperty double y\nproperty double z\nelement face 1\n'
      printf 'property list uchar int vertex_indices\nend_header\n'
      printf '%s\n' "$@" '3 0 1 2'; } >"$file"
}
turn='1 0 0 0 1 0 0 0 1'

# The rim of a round table, 20 mm thick, between three vertices that are all outside of it.
rim=('0.41 -0.02 -0.05' '0.41 -0.02 0.05' '0.3 0.012 0')
mkdir -p table && frame table/frame_00000.ply "part body 3 cloth;colliders 1;collider 0 cylinder 0.4 0.02 pose $turn 0 -0.03 0" "${rim[@]}"
frame table/frame_00001.ply "part body 3 cloth;colliders 1;collider 0 cylinder 0.4 0.02 pose $turn 0 0 0" "${rim[@]}"
run check table --pairs pairs.ply
claim "a_rim_between_vertices_is_found" status_is 5
claim "and_named" says "triangle 0 1 2 of 'cloth' is "
claim "with_its_collider" says " mm inside colliders[0] at (0.3"
claim "in_its_frame_alone" says "1 frame with 1 triangles or edges inside colliders, the first in frame_00001.ply"
claim "and_shown" test "$(head -c 3 pairs.ply)" = ply
run check table --frames 0
claim "the_frame_before_it_is_clean" status_is 0
claim "and_has_a_gap" says "smallest gap to a collider 0.0"

# 3 mm above a box, which a pose that is 5 mm off puts 2 mm into it.
flat=('-0.1 0.013 -0.1' '0.1 0.013 -0.1' '0 0.013 0.1')
frame box.ply "colliders 1;collider 0 box 0.6 0.02 0.4 pose $turn 0 0 0" "${flat[@]}"
run check box.ply
claim "a_cloth_above_a_box_is_clean" status_is 0
claim "by_what_it_is_above" says "0 inside 1 collider, smallest gap 0.003 m"
frame box.ply "colliders 1;collider 0 box 0.6 0.02 0.4 pose $turn 0 0.005 0" "${flat[@]}"
run check box.ply
claim "a_pose_that_is_off_is_found" status_is 5
claim "to_the_millimetre" says "is 2 mm inside colliders[0]"
frame box.ply "colliders 1;collider 0 box 0.02 0.6 0.4 pose 0 -1 0 1 0 0 0 0 1 0 0.005 0" "${flat[@]}"
run check box.ply
claim "so_it_is_where_it_is_turned" says "is 2 mm inside colliders[0]"

# What is not known is not clean.
frame bare.ply "" "${flat[@]}"
run check bare.ply --quiet
claim "a_frame_without_poses_is_not_refused" status_is 0
claim "but_never_silently_clean" says "colliders were NOT checked: there are no poses in bare.ply"
frame none.ply "colliders 0" "${flat[@]}"
run check none.ply --quiet
claim "where_there_are_no_colliders_nothing_is_missing" silent
frame some.ply "colliders 2;collider 1 sphere 0.001 pose $turn 0 0 0" "${flat[@]}"
run check some.ply
claim "colliders_without_a_pose_are_told" says "1 collider was NOT checked"
claim "the_others_are_checked" says "0 inside 1 collider, smallest gap 0.012 m"
sed 's/vertex 3/vertex 4/; s/^3 0 1 2/9 9 9\n&/' none.ply >loose.ply
run check loose.ply
claim "loose_vertices_are_told" says "1 vertex was NOT checked: not part of any triangle or edge"

bad=0
while IFS='|' read -r lines message; do
    frame bad.ply "$lines" "${flat[@]}"
    run check bad.ply
    bad=$((bad + 1))
    claim "bad_lines_are_refused_$bad" status_is 1
    claim "and_said_what_is_wrong_$bad" complains "$message"
done <<EOT
colliders 1;collider 1 sphere 1 pose $turn 0 0 0|bad.ply:4: found no valid collider number
colliders 1;collider 0 torus 1 pose $turn 0 0 0|bad.ply:4: found a collider of unknown kind
colliders 1;collider 0 box 1 1 pose $turn 0 0 0|bad.ply:4: found no collider sizes
colliders 1;collider 0 sphere 1 pose $turn 0 0|bad.ply:4: found no pose
colliders 1;collider 0 sphere 1 pose $turn 0 0 0 0|bad.ply:4: found no pose
colliders 1;collider 0 sphere 1 pose $turn 0 0 nan|bad.ply:4: found no pose
colliders 1;colliders 1|bad.ply:4: found a second number of colliders
colliders 1;collider 0 sphere -1 pose $turn 0 0 0|collider 0: found invalid sizes
colliders 1;collider 0 sphere 1 pose 1 0 0 0 2 0 0 0 1 0 0 0|collider 0: found a pose
colliders 1;collider 0 mesh ../collider_00.ply pose $turn 0 0 0|bad.ply:4: found a mesh with an unexpected name
colliders 1;collider 0 mesh collider_00.ply pose $turn 0 0 0|collider_00.ply: cannot be
EOT

# Comments of other programs are not poses, nor errors.
for line in "collider 0 sphere 1 pose $turn 0 0 0" "colliders of revolution" "colliders -1" "colliders"; do
    frame other.ply "$line" "${flat[@]}"
    run check other.ply
    claim "not_refused: $line" status_is 0
    claim "nor_taken_for_poses: $line" says "colliders were NOT checked"
done

# A needle that is a mesh, thinner than the triangle above it is large, in an OBJ frame.
cat >collider_03.ply <<'PLY'
ply
format ascii 1.0
element vertex 4
property double x
property double y
property double z
element face 4
property list uchar int vertex_indices
end_header
-0.001 0 -0.001
0.001 0 -0.001
0 0 0.001
0 0.1 0
3 0 1 2
3 0 3 1
3 1 3 2
3 2 3 0
PLY
obj() { printf '# made by hand\n# colliders 4\n# collider 3 mesh collider_03.ply pose %s 0 %s 0\n' "$turn" "$1"
    printf 'v -0.5 0.013 -0.5\nv 0.5 0.013 -0.5\nv 0.1 0.013 0.5\nf 1 2 3\n'; }
obj 0 >needle.obj
run check needle.obj
claim "a_needle_of_a_mesh_is_found" status_is 5
claim "by_the_number_it_has_in_the_scene" says "colliders[3]"
obj -0.1 >needle.obj
run check needle.obj
claim "and_not_where_it_ends_below" status_is 0
claim "the_other_colliders_are_told" says "3 colliders were NOT checked"

# What a run writes: a box that moves and turns, a mesh, a floor.
cat >moving.yaml <<'YAML'
percale: 1
time: {step: 0.01, duration: 0.05, frames_per_second: 100}
contact: {enabled: true, thickness: 2e-3}
colliders:
  - {shape: box, size: [0.3, 0.1, 0.2], center: [0, -0.5, 0],
     motion: {velocity: [0.5, 0, 0], rotation: {axis: [0, 1, 0], center: [0, -0.5, 0], degrees_per_second: 900}}}
  - {shape: mesh, mesh: {sphere: {radius: 0.1, subdivisions: 1}}, center: [1, 0, 0], resolution: 12}
  - {shape: plane, center: [0, -1, 0], axis: [0, 2, 0]}
bodies:
  - {name: cloth, mesh: {grid: {size: [0.2, 0.2], cells: [4, 4]}}, place: {rotate: {axis: [1, 0, 0], degrees: -90}}}
YAML
run run moving.yaml -o out --verify --formats ply,obj --threads 1
claim "a_run_with_colliders_is_verified" status_is 0
claim "and_says_how_near_they_came" says ", to a collider 0."
claim "so_does_its_report" holds out/report.json '"smallest_gap_to_colliders": 0.'
claim "frames_count_the_colliders" holds out/frame_00000.ply "comment colliders 3"
claim "with_kinds_and_sizes" holds out/frame_00000.ply "comment collider 0 box 0.29999999999999999 0.10000000000000001 0.20000000000000001 pose 1 0 0 0 1 0 0 0 1 0 -0.5 0"
claim "meshes_by_name" holds out/frame_00003.ply "comment collider 1 mesh collider_01.ply pose 1 0 0 0 1 0 0 0 1 1 0 0"
claim "which_are_there" test "$(head -c 3 out/collider_01.ply)" = ply
# After 50 ms it has turned by 45 degrees and gone by 25 mm.
pose=$(grep -a "comment collider 0" out/frame_00005.ply)
is_turned() {
    awk '{s = sqrt(0.5); d = ($9 - s)^2 + ($11 - s)^2 + ($13 - 1)^2 + ($15 + s)^2 + ($17 - s)^2 + ($18 - 0.025)^2
          d += ($19 + 0.5)^2 + $20^2; exit !(d < 1e-20)}' <<<"$pose" || { echo "$pose"; false; }
}
claim "poses_are_those_of_the_frame" is_turned
claim "obj_frames_say_the_same" test "${pose#comment }" = "$(sed -n 's/^# \(collider 0 .*\)/\1/p' out/frame_00005.obj)"
run check out
claim "check_needs_no_scene" status_is 0
claim "and_looks_at_all_of_them" says "0 inside 3 colliders"
run check out/frame_00002.obj
claim "also_in_one_file_alone" says "0 inside 3 colliders"
sed -e '/shape: mesh/d' moving.yaml >fewer.yaml
run run fewer.yaml -o out --until 0.01
claim "meshes_of_an_earlier_run_go" test ! -e out/collider_01.ply

# Part of the cloth begins inside a ball, as allowed: the guarantee leaves it out, check does not.
cat >inside.yaml <<'YAML'
percale: 1
time: {step: 0.01, duration: 0.02, frames_per_second: 100}
contact: {enabled: true, thickness: 2e-3, start: exempt}
gravity: [0, 0, 0]
colliders: [{shape: sphere, center: [0, -0.1, 0], radius: 0.101}]
bodies:
  - {name: cloth, mesh: {grid: {size: [0.2, 0.2], cells: [4, 4]}}, place: {rotate: {axis: [1, 0, 0], degrees: -90}}}
YAML
run run inside.yaml -o inside --verify --unconverged go_on
claim "what_a_bad_start_was_allowed_is_excused" status_is 0
run check inside --frames 0
claim "check_excuses_nothing" status_is 5
claim "and_says_how_deep" says "is 1 mm inside colliders[0] at (0, 0, 0)"

# Only obstacles may intersect each other; what is pinned may not.
cat >pinned.yaml <<'YAML'
percale: 1
time: {step: 0.01, duration: 0.02}
bodies:
  - {name: flat, mesh: {grid: {size: [1, 1], cells: [3, 3]}}, pins: [{select: all}]}
  - {name: upright, mesh: {grid: {size: [1, 1], cells: [4, 4]}}, pins: [{select: all}],
     place: {rotate: {axis: [1, 0, 0], degrees: 80}}}
YAML
run run pinned.yaml -o pinned --verify
claim "pinned_cloth_that_intersects_is_not_excused" status_is 5
claim "and_is_named" complains "of body 1 upright"

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
