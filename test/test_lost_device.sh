#!/usr/bin/env bash
# Runs whose device fails: a message, a status, and a state from which the run goes on, to the same results.
#
#   test/test_lost_device.sh [build [backend]]    the folder of the build, whose bin/percale is run; device_on_host or cuda
#
# Ends with `N passed, N failed`; the exit status is the number of failures. The device is lost after a number of launches
# that PERCALE_LOSE_DEVICE says.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
backend=${2:-device_on_host}
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"
[[ $backend == cuda ]] || export OMP_NUM_THREADS=1 # loops are short here: waking threads would take most of the time

# Small: the host holds the state of every step. Large: that of a while ago, so that steps, rows and frames are taken back.
for size in small large; do
    cells=$([[ $size == small ]] && echo 12 || echo 56)
    cat >$size.yaml <<YAML
percale: 1
time: {step: 0.005, duration: 0.06, frames_per_second: 100}
contact: {enabled: true, thickness: 3e-3}
output: {formats: [ply, vtkhdf, pc2], gap: true}
bodies:
  - mesh: {grid: {size: [0.6, 0.6], cells: [$cells, $cells]}}
    place: {translate: [0, 0.11, 0], rotate: {axis: [1, 0, 0], degrees: 90}}
colliders:
  - {shape: sphere, radius: 0.1}
YAML
    "$percale" run $size.yaml -o $size --backend "$backend" --trace $size.csv --quiet || echo "    $size.yaml does not run here"
done

# A table without the columns of seconds.
figures() { awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) skip[k] = $k ~ /^seconds/ } { for (k = 1; k <= NF; k++) if (!skip[k]) printf "%s,", $k; print "" }' "$1"; }

same_results() { # folder folder
    local file
    for file in "$1"/frame_*.ply "$1"/*.pc2; do
        cmp "$file" "$2/${file##*/}" || return
    done
    [[ $(echo "$1"/frame_* | wc -w) == $(echo "$2"/frame_* | wc -w) ]] || return
    diff <(figures "$1/steps.csv") <(figures "$2/steps.csv")
}

# After status 4, the reason, and how to go on: it does, on the same device, to the same bits.
goes_on() { # size folder
    grep -q "^percale: .*the device was lost" "$2.err" && grep -q "continue with: percale resume $2" "$2.err" ||
        { cat "$2.err"; return 1; }
    "$percale" resume "$2" --quiet && same_results "$1" "$2" && diff <(figures "$1.csv") <(figures "$2.csv")
}

# Later and later, until a run ends before.
lost=0
for size in small large; do
    for ((launches = 300; launches < 100000; launches += launches / 3)); do
        folder=$size-$launches
        PERCALE_LOSE_DEVICE=$launches "$percale" run $size.yaml -o $folder --backend "$backend" --trace $folder.csv --quiet \
            2>$folder.err
        status=$?
        [[ $status -ne 0 ]] || break
        claim "a_${size}_run_that_loses_its_device_says_so ($launches launches)" test $status -eq 4
        claim "and_goes_on_to_the_same_bits" goes_on $size $folder
        lost=$((lost + 1))
    done
done
claim "devices_were_lost_at_several_moments ($lost)" test "$lost" -ge 8

# ---- on the CPU, and before the first step ----

goes_on_without() {
    PERCALE_LOSE_DEVICE=900 "$percale" run large.yaml -o cpu --backend "$backend" --quiet 2>err.txt
    [[ $? -eq 4 ]] && "$percale" resume cpu --backend cpu --quiet && "$percale" check cpu --quiet
}
claim "the_cpu_goes_on_where_the_device_failed" goes_on_without

not_made() {
    PERCALE_LOSE_DEVICE=20 "$percale" run small.yaml -o none --backend "$backend" --quiet 2>err.txt
    [[ $? -eq 1 ]] && grep -q "the device was lost" err.txt
}
claim "a_device_that_fails_before_the_first_step_is_an_error_of_the_start" not_made

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
