#!/usr/bin/env bash
# Names and files that a program can stumble over: pipes, colons, dashes; and small slips in scenes and options.
#
#   test/test_files.sh [build]    the folder of the build, whose bin/percale is run
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
# Like run, but for ten seconds at most.
run_briefly() {
    timeout 10 "$percale" "$@" >out.txt 2>err.txt
    status=$?
}

cat >cloth.yaml <<'YAML'
percale: 1
time: {step: 0.004, duration: 0.02, frames_per_second: 250}
bodies: [{mesh: {grid: {size: [1, 1], cells: [4, 4]}}}]
YAML

# ---- pipes ----

mkfifo pipe.obj pipe.yaml pipe.csv pipe.pc2
run_briefly info pipe.yaml
claim "a_pipe_is_no_scene" complains "pipe.yaml: cannot be read: it is not a regular file"
printf 'percale: 1\nbodies: [{mesh: {file: pipe.obj}}]\n' >mesh.yaml
run_briefly info mesh.yaml
claim "a_pipe_is_no_mesh" complains "pipe.obj: cannot be read: it is not a regular file"
printf 'percale: 1\ninclude: pipe.yaml\nbodies: [{mesh: {grid: {cells: [2, 2]}}}]\n' >include.yaml
run_briefly info include.yaml
claim "nor_is_it_included" complains "pipe.yaml: cannot be read: it is not a regular file"
run_briefly convert pipe.obj out.ply
claim "nor_converted" complains "pipe.obj: cannot be read: it is not a regular file"
run run cloth.yaml -o out --quiet
rm out/frame_00002.ply && mkfifo out/frame_00002.ply
run_briefly check out
claim "a_frame_that_is_a_pipe_does_not_hang_a_check" status_is 1
mkdir taken && mkfifo taken/steps.csv
run_briefly run cloth.yaml -o taken
claim "nor_a_run_into_its_folder" status_is 3

echo "$passed passed, $failed failed"
exit $failed
