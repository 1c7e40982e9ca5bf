#!/usr/bin/env bash
# What the program says about bodies of particles: before a run, in its report, and when it is taken up again.
#
#   test/test_particles_run.sh [build]    the folder of the build, whose bin/percale is run
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

says() { "${@:2}" >out.txt 2>&1; grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
does_not_say() { "${@:2}" >out.txt 2>&1; ! grep -qF -- "$1" out.txt || { cat out.txt; false; }; }

cat >sand.yaml <<'SCENE'
percale: 1
time: {step: 2e-3, duration: 0.02, frames_per_second: 100}
contact: {enabled: true}
colliders: [{shape: plane, center: [0, -0.5, 0]}]
bodies:
- name: sand
  kind: particles
  particle: {radius: 0.01, density: 3000}
  mesh: {lattice: {count: [5, 2, 3]}}
  pins: [{select: {vertices: [0]}}]
SCENE

# 30 balls of 4/3 π r³ ρ = 12.57 g.
claim "info_tells_size_and_mass_of_particles" says "radius 10 mm, density 3000 kg/m³, 12.57 g each" \
    "$percale" info --fast sand.yaml
claim "info_counts_particles" says "body 0 sand: 30 particles" "$percale" info --fast sand.yaml
claim "info_adds_their_mass_up" says "; 0.377 kg" "$percale" info --fast sand.yaml
for word in edges material scales inf nan warning; do
    claim "info_has_no_$word" does_not_say "$word" "$percale" info sand.yaml
done
claim "json_tells_the_kind" says '"kind": "particles"' "$percale" info --fast --json sand.yaml
claim "json_tells_the_mass_of_one" says '"mass": 0.012566' "$percale" info --fast --json sand.yaml
claim "json_has_no_edges" does_not_say edge_ "$percale" info --fast --json sand.yaml

claim "a_density_in_other_units_is_noticed" says "is less than that of any foam" \
    "$percale" info --fast sand.yaml --set bodies[0].particle.density=2.6
claim "particles_without_contact_are_noticed" says "particles pass through each other" \
    "$percale" info --fast sand.yaml --set contact.enabled=false --set 'colliders=[]'
claim "what_falls_is_called_by_its_name" says "nothing holds the particles" \
    "$percale" info --fast sand.yaml --set 'colliders=[]' --set 'bodies[0].pins=[]'

"$percale" run sand.yaml -o whole >run.txt 2>&1 || cat run.txt
claim "a_run_tells_no_stretches_of_particles" does_not_say stretches cat run.txt
claim "the_report_has_the_particles" says '"kind": "particles"' cat whole/report.json
claim "the_report_has_their_radius" says '"radius": 0.01' cat whole/report.json
claim "the_report_has_no_material" does_not_say '"material"' cat whole/report.json
claim "the_report_of_cloth_has_no_radius" does_not_say '"particle"' bash -c \
    "'$percale' run /dev/stdin -o cloth --quiet <<<'{percale: 1, time: {duration: 0}, bodies: [{mesh: {grid: {cells: [2, 2]}}}]}'; cat cloth/report.json"

# A run that is taken up again ends in the same state.
"$percale" run sand.yaml -o part --until 0.01 --quiet
claim "a_run_of_particles_goes_on" says "Finished." "$percale" resume part --until 0.02
claim "with_the_same_bits" cmp whole/frame_00002.ply part/frame_00002.ply
echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
