#!/usr/bin/env bash
# The results of a run as other programs read them: VTK and h5py from PyPI, in a virtual environment in the build folder.
#
#   test/test_results.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures. Skipped, with a message, where the packages
# are not there and cannot be fetched.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
build=$(realpath "${1:-build}")
percale=$build/bin/percale
reader=$PWD/test/read_results.py
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
source "$kit/python.sh"
if ! python_with "$build" 'import h5py, vtkmodules.vtkIOHDF' vtk h5py numpy; then
    echo "  skipped: vtk and h5py cannot be installed from PyPI (no network, or no python3-venv)"
    echo "0 passed, 0 failed"
    exit 0
fi
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"

agrees() { "$python" "$reader" compare "$1"; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }

cat >scene.yaml <<'YAML'
percale: 1
time: {step: 0.005, duration: 0.2, frames_per_second: 100}
contact: {enabled: true, thickness: 5e-3}
output: {stress: true, curvature: true, energy: true, pressure: true, gap: true, formats: [ply, vtkhdf, obj, pc2]}
bodies:
  - name: my sheet
    mesh: {grid: {size: [1, 1], cells: [10, 10]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
obstacles:
  - name: ball
    mesh: {sphere: {radius: 0.2, subdivisions: 2}}
    place: {translate: [0, -0.21, 0]}
  - polylines: [[[2, 0, 0], [2, 1, 0], [2, 1, 1]]]
  - points: [[3, 0, 0]]
YAML

# ---- every format says the same ----

claim "a_run_writes_all_formats" "$percale" run scene.yaml -o all --quiet
claim "vtk_h5py_and_pc2_give_what_the_ply_frames_hold" agrees all
claim "in_double_precision_too" "$percale" run scene.yaml -o double --quiet --set output.precision=double --until 0.05
claim "to_the_last_bit" agrees double
if command -v h5dump >/dev/null; then
    claim "h5dump_reads_all_of_it" h5dump -o /dev/null all/frames.vtkhdf
fi
claim "obj_frames_are_meshes" "$percale" run scene.yaml -o again --quiet --until 0 --formats obj \
    --set "obstacles[0].mesh={file: all/frame_00003.obj, vertices: [121, 162]}"

# ---- names and messages ----

"$percale" run scene.yaml -o none --formats '' --quiet --until 0.02
claim "no_format_is_a_choice" test "$(find none -name 'frame*' | wc -l)" -eq 0
"$percale" run scene.yaml -o no --formats ply,vtk 2>message
claim "a_format_that_is_not_known_is_told" holds message "output.formats[1]: 'vtk' is unknown; expected a list of any of"
"$percale" run scene.yaml -o no --formats ply,ply 2>message
claim "and_one_that_is_there_twice" holds message "'ply' is given twice"

# ---- resumed ----

claim "a_run_stops" "$percale" run scene.yaml -o part --quiet --until 0.1
claim "and_is_resumed" "$percale" resume part --quiet --until 0.2
claim "with_every_series_whole" agrees part
claim "and_the_same_frames" cmp part/frame_00020.ply all/frame_00020.ply
claim "in_obj" cmp part/frame_00020.obj all/frame_00020.obj
claim "in_pc2" cmp part/body_00_my_sheet.pc2 all/body_00_my_sheet.pc2

# ---- killed at any moment ----

cat >long.yaml <<'YAML'
percale: 1
time: {step: 0.002, duration: 1000, frames_per_second: 500}
output: {formats: [vtkhdf], checkpoint_steps: 20}
bodies:
  - mesh: {grid: {size: [1, 1], cells: [12, 12]}}
    place: {rotate: {axis: [1, 0, 0], degrees: 90}}
    pins: [{select: {corners: [0, 1]}}]
YAML

# Runs until it is killed; the file has whole steps, more than before.
before=0
killed() { # milliseconds, command...
    local pause=$1 pid steps
    shift
    "$percale" "$@" --quiet >/dev/null 2>&1 &
    pid=$!
    for ((wait = 0; wait < 100; wait++)); do # for the first frame of a new run
        [[ -f killed/frames.vtkhdf ]] && break
        sleep 0.05
    done
    sleep "$(printf '0.%03d' "$pause")"
    kill -9 $pid
    wait $pid 2>/dev/null
    steps=$("$python" "$reader" whole killed/frames.vtkhdf) || return 1
    echo "$steps steps, $before before"
    # What is resumed from a checkpoint begins with what that has.
    [[ $steps -ge 1 ]] && before=$steps
}
claim "a_killed_run_leaves_whole_steps" killed 150 run long.yaml -o killed
for pause in 083 241 097 312 059 178; do
    claim "and_so_does_one_resumed_and_killed_after_0.${pause}_s" killed $((10#$pause)) resume killed
done
claim "which_went_on_all_the_time" test "$before" -gt 20

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
