#!/usr/bin/env bash
# Animation files as other programs read them: usd-core, trimesh and pygltflib from PyPI, in a virtual environment in
# the build folder; MDD files byte by byte; GLB files in a browser where Chromium and three.js are installed.
#
#   test/test_interchange.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures. What needs packages is skipped, with a
# message, where they are not there and cannot be fetched.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
build=$(realpath "${1:-build}")
percale=$build/bin/percale
reader=$PWD/test/read_clips.py
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
source "$kit/python.sh"
others=1
if ! python_with "$build" 'import numpy, trimesh, pygltflib, jsonschema; from pxr import Usd' \
    usd-core trimesh pygltflib jsonschema numpy; then
    echo "  skipped: usd-core, trimesh and pygltflib cannot be installed from PyPI (no network, or no python3-venv)"
    others=0
fi
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"

reads() { "$python" "$reader" "$@"; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
says() { holds out.txt "$1"; }
complains() { holds err.txt "$1"; }
status_is() { [[ $status -eq $1 ]] || { echo "status $status"; cat out.txt err.txt; false; }; }

cat >scene.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.2, frames_per_second: 100}
contact: {enabled: true, thickness: 5e-3}
bodies:
  - name: my sheet
    mesh: {grid: {size: [1, 1], cells: [8, 8]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
  - name: Übertuch
    mesh: {disc: {radius: 0.2, rings: 3}}
    place: {translate: [0, 0.1, 0], rotate: {axis: [1, 0, 0], degrees: 90}}
obstacles:
  - name: ball
    mesh: {sphere: {radius: 0.2, subdivisions: 1}}
    place: {translate: [0, -0.21, 0]}
    motion: {velocity: [0, 0.1, 0]}
  - polylines: [[[2, 0, 0], [2, 1, 0], [2, 1, 1]]]
  - points: [[3, 0, 0]]
YAML
claim "a_run_writes_frames" "$percale" run scene.yaml -o out --quiet --formats ply,obj

# ---- all frames ----

run convert out movie.glb
claim "a_run_becomes_a_glb_file" says "movie.glb: 21 frames of 164 vertices in 5 parts, "
run convert out movie.usda
claim "and_a_usd_file" says "movie.usda: 21 frames"
run convert out movie.mdd
claim "and_an_mdd_file" says "movie.mdd: 21 frames of 164 vertices"
claim "which_tells_how_to_get_its_mesh" says "percale convert out mesh.obj --frame 0"
run convert out movie.pc2
claim "and_a_pc2_file" says "movie.pc2: 21 frames of 164 vertices"
run convert out still.glb --frame last
claim "one_frame_is_enough" says "still.glb: 1 frame of"
run convert out few.usda --frames 5.. --every 5 --fps 50 --quiet
claim "some_frames_are_enough" status_is 0
run convert out flat.glb --no-normals
claim "normals_can_be_left_out" test "$(stat -c %s flat.glb)" -lt $(($(stat -c %s movie.glb) * 7 / 10))
run convert out sheet.glb --body 'my sheet'
claim "a_body_can_be_chosen" says "sheet.glb: 21 frames of 81 vertices, "
run convert out x.glb --body shirt
claim "but_must_be_there" complains "out: there is no body 'shirt'; bodies are: my sheet, Übertuch, ball, (no name), (no name)"

# ---- back again ----

run convert movie.mdd back_%d.ply --mesh out/frame_00000.ply --quiet
run convert out told.mdd --fps 25 --quiet
run convert movie.mdd again.mdd --mesh out/frame_00000.ply --quiet
claim "mdd_files_come_back_to_the_bit" cmp told.mdd again.mdd
run convert back_%d.ply again.pc2 --quiet
claim "and_so_do_meshes_made_of_them" cmp movie.pc2 again.pc2
run convert movie.glb first.obj
claim "a_glb_file_is_a_mesh_as_it_stands" says "animation ignored"
run check movie.glb
claim "which_can_be_checked" status_is 0
mkdir objs && cp out/frame_*.obj objs
run convert objs objs.pc2
claim "obj_frames_serve_where_there_are_no_ply_frames" says "objs.pc2: 21 frames of 164 vertices"
sed -e 's/    motion: .*/    animation: {file: told.mdd}/' -e 's/mesh: {sphere.*/mesh: {file: out\/frame_00000.ply}/' \
    -e 's/translate: \[0, -0.21, 0\]/translate: [9, 9, 9]/' scene.yaml >animated.yaml
run run animated.yaml -o animated --until 0.02 --quiet
claim "an_mdd_file_animates_an_obstacle" status_is 0
printf 'percale: 1\ntime: {step: 0.01, duration: 0.02}\nbodies: [{mesh: {file: sheet.glb}}]\n' >glb.yaml
run run glb.yaml -o fromglb --quiet
claim "a_glb_file_is_a_body" status_is 0

# ---- what does not fit ----

run convert out 'x.abc'
claim "alembic_is_not_written_and_says_so" complains "x.abc: Alembic is not supported"
mkdir odd && cp out/frame_0000[01].ply odd && "$percale" convert out/frame_00002.ply odd/frame_00002.ply --body ball --quiet
run convert odd x.mdd
claim "frames_that_differ_are_refused" complains "frame 2 has 42 vertices and 80 triangles, the first frame 164 and "
claim "and_leave_no_file" test ! -e x.mdd
run convert out missing/x.glb
claim "what_cannot_be_written_is_told" status_is 3
for arguments in "out x.glb --every 0" "out x.glb --fps 0" "out x.glb --fps" "out x.glb --every x"; do
    # shellcheck disable=SC2086
    run convert $arguments
    claim "usage_error: percale convert $arguments" status_is 2
done

# Many frames are thinned out for browsers, and only for them.
mkdir many
for ((k = 0; k < 501; k++)); do
    ln -s "$room/out/frame_000$(printf %02d $((k % 21))).ply" "many/frame_$(printf %05d "$k").ply"
done
run convert many many.glb --body ball
claim "a_browser_gets_no_more_frames_than_it_can_play" says "many.glb: 167 frames"
claim "and_that_is_said" says "501 frames are too many for browsers"
run convert many many.glb --body ball --every 1
claim "unless_told_otherwise" says "many.glb: 501 frames"

# ---- as others read them ----

claim "mdd_holds_the_frames" python3 "$reader" mdd out movie.mdd
if command -v chromium >/dev/null && [[ -f /usr/share/javascript/three/examples/js/loaders/GLTFLoader.js ]]; then
    claim "a_browser_plays_the_frames" python3 "$reader" browser out movie.glb
else
    echo "  skipped: chromium and libjs-three are not installed; no browser plays the GLB file"
fi
if [[ $others -eq 1 ]]; then
    claim "usd_core_finds_nothing_wrong" reads validate movie.usda few.usda
    claim "usd_core_reads_the_frames" reads usd out movie.usda
    claim "an_independent_reader_of_glb_gets_the_frames" reads glb out movie.glb
    claim "and_of_one_body" reads glb_body out sheet.glb
    claim "trimesh_reads_the_first_frame" reads trimesh out movie.glb
    claim "trimesh_reads_the_last" reads trimesh_last out still.glb
    claim "pygltflib_reads_it" reads pygltflib movie.glb
    claim "its_description_follows_the_schema" reads schema movie.glb
    claim "percale_reads_what_trimesh_writes" reads write_trimesh "$percale"
    claim "percale_reads_what_pygltflib_writes" reads write_pygltflib "$percale"
fi

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
