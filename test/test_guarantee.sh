#!/usr/bin/env bash
# What a device computes keeps the guarantee: `percale check`, which shares no code with the solver, finds nothing in the
# frames of its runs, nor in states of the scenes of the benchmark.
#
#   test/test_guarantee.sh [build [backend]]    the folder of the build; device_on_host, or cuda with larger scenes
#
# Ends with `N passed, N failed`; the exit status is the number of failures. Without the program, the checker is that of
# the library, called by the benchmark.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
scenes=$PWD/scenes
kit=$PWD/test/kit
build=$(realpath "${1:-build}")
backend=${2:-device_on_host}
percale=$build/bin/percale
bench=("$percale" bench)
[[ -x $percale ]] || bench=("$build/bin/percale_bench")
[[ -x ${bench[0]} ]] || { echo "  skipped: neither percale nor percale_bench is built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"
[[ $backend == cuda ]] || export OMP_NUM_THREADS=1 # loops are short here: waking threads would take most of the time

# ---- frames of runs ----

keeps() { # scene seconds [overrides]
    local scene=$1 until=$2
    shift 2
    "$percale" run "$scenes/$scene.yaml" -o "$scene" --backend "$backend" --until "$until" --quiet "$@" &&
        "$percale" check "$scene"
}

# ---- states of the benchmark ----

# Every step converges, and the states that are checked have no intersection.
keeps_on() { # scene scale before steps
    "${bench[@]}" gpu --backend "$backend" --scene "$1" --scale "$2" --before "$3" --steps "$4" --checks 3 --no-profile >out.txt 2>&1
    [[ $? -le 1 ]] && grep -q "$4 of $4 steps converged" out.txt && grep -q " 0 intersections in 3 states checked" out.txt ||
        { cat out.txt; return 1; }
}

# On a GPU in the sizes at which kernels for large scenes are taken: many contacts (cloths), many vertices (tube).
if [[ $backend == cuda ]]; then
    claim "a_dress_keeps_the_guarantee" keeps_on dress 1 400 100
    claim "cloths_keep_the_guarantee" keeps_on cloths 0.5 120 30
    claim "a_tube_keeps_the_guarantee" keeps_on tube 0.6 400 30
else
    claim "a_dress_keeps_the_guarantee" keeps_on dress 0.1 20 4
    claim "cloths_keep_the_guarantee" keeps_on cloths 0.05 40 3
fi
if [[ -x $percale ]]; then
    if [[ $backend == cuda ]]; then
        claim "check_finds_nothing_in_layers_on_a_ball" keeps layers 0.6
        claim "check_finds_nothing_in_a_wrung_tube" keeps wring 1
    else
        claim "check_finds_nothing_in_layers_on_a_ball" keeps layers 0.3 --set 'bodies[0].mesh.grid.cells=[10,10]' \
            --set 'bodies[1].mesh.grid.cells=[10,10]' --set 'bodies[2].mesh.grid.cells=[10,10]'
        claim "check_finds_nothing_in_a_wrung_tube" keeps wring 0.2 --set 'bodies[0].mesh.cylinder.cells=[14,10]' \
            --set time.step=4e-3
    fi
fi

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
