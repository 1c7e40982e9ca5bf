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

# ---- units ----

# What a value in a scene is told to be written as.
is_told() {
    run info cloth.yaml --set "$1=$2"
    status_is 1 && complains "found '$2'; units are SI: write $3; expected a "
}
for case in "contact.thickness|4 mm|0.004" "contact.thickness|4mm|0.004" "contact.thickness|30 µm|3e-05" \
    "contact.thickness|1.5 cm|0.015" "contact.thickness|2 m|2" "contact.thickness|0 mm|0" "time.step|2 ms|0.002" \
    "time.duration|1e1 s|10" "bodies[0].material.density|200 g/m²|0.2" "bodies[0].material.density|0.2kg/m^2|0.2" \
    "bodies[0].place.rotate.degrees|30 deg|30" \
    "bodies[0].place.rotate.degrees|30°|30" "bodies[0].material.stretch|3 kN/m|3000"; do
    IFS='|' read -r key value number <<<"$case"
    claim "${value// /_}_is_told_to_be_$number" is_told "$key" "$value" "$number"
done
run info cloth.yaml --set "gravity=[0, -981 cm/s2, 0]" --set "air.wind=[36 km/h, 0, 0]"
claim "in_lists_too" complains "gravity[1]: found '-981 cm/s2'; units are SI: write -9.81; expected"
claim "all_of_them" complains "air.wind[0]: found '36 km/h'; units are SI: write 10; expected"
run info cloth.yaml --set "contact.thickness=4 furlongs"
claim "what_is_no_unit_is_not_taken_for_one" complains "in '4 furlongs'"

# ---- keys ----

for key in time..step time.step. .time.step 'bodies[].name' 'bodies[0' 'bodies[0].' 'bodies[0]]' 'bodies0]' 'bodies[x].name' \
    'bodies[0]name' . '[0]'; do
    run info cloth.yaml --set "$key=1"
    claim "the_key_${key}_is_refused" status_is 1
done
run info cloth.yaml --set time..step=1
claim "with_what_is_expected" complains "'time..step' has an empty or unclosed part; expected a path like time.step or bodies[0].material.stretch"
run info cloth.yaml --set 'bodies.0.material.stretch=900' --set 'bodies[0].mesh.grid.cells[1]=3' --fast
claim "both_ways_to_write_an_index_are_good" status_is 0

# ---- options that a run takes, too ----

run info cloth.yaml --threads 1 --precision single --backend cpu --solver ncg
claim "info_takes_the_options_of_a_run_that_a_step_depends_on" status_is 0
claim "and_heeds_them" says "cpu float"
run info cloth.yaml --threads
claim "which_need_a_value" status_is 2
run info cloth.yaml --threads many
claim "that_is_one" status_is 1
run info cloth.yaml --checkpoint 3
claim "and_no_others" status_is 2

echo "$passed passed, $failed failed"
exit $failed
