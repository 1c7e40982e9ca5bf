#!/usr/bin/env bash
# Runs the scenes with contact and looks for intersections in what comes out, with `percale check`.
#
#   tools/scenes.sh [SCENE ...]            at full size, with all variants: a table, and frames in out/scenes
#   tools/scenes.sh --plain [SCENE ...]    the same without variants
#   tools/scenes.sh --small [SCENE ...]    at a small size, for tests: single and double precision, 1 and 2 threads,
#                                          some without a barrier; ends with `N passed, N failed`
#
# A SCENE is a name without folder and ending: drape, data/skirt. What to run is said in the comments of a scene:
#
#   # variant NAME: KEY=VALUE ...     one more run, as SCENE_NAME, with these --set
#   # small: KEY=VALUE ...            the --set of the small size; bodies[0..9].KEY=VALUE stands for ten of them
#   # no barrier                      at the small size also with a barrier that hardly pushes
#   # needs: PATH                     a file from elsewhere, relative to the scene; without it the scene is skipped
#
# As many runs at a time as there are processors ($JOBS), each with one thread. Exit status 1 where something
# intersects, comes closer than the hard thickness, or cannot run.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

percale=${PERCALE:-build/bin/percale}
jobs=${JOBS:-$(nproc)}
hard=0.7999 # of contact.thickness: no pair ever comes closer than 0.8; frames are rounded to 32 bits, gaps printed so
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0

small=false plain=false
case ${1-} in
--small) small=true && shift ;;
--plain) plain=true && shift ;;
esac
out=out/scenes
$small && out=out/scenes_small

# The words after `# KEY:` in a scene.
comment() { sed -n "s/^# $2: *//p" "$1"; }

# Turns KEY=VALUE words into --set arguments, in the array `sets`.
make_sets() {
    local word k
    sets=()
    for word in "$@"; do
        if [[ $word =~ ^(.*)\[([0-9]+)\.\.([0-9]+)\](.*)$ ]]; then
            for ((k = BASH_REMATCH[2]; k <= BASH_REMATCH[3]; k++)); do
                sets+=(--set "${BASH_REMATCH[1]}[$k]${BASH_REMATCH[4]}")
            done
        else
            sets+=(--set "$word")
        fi
    done
}

# A number of report.json, by its key.
number() { sed -n "s/^ *\"$2\": \([-+0-9.e]*\),\{0,1\}$/\1/p" "$1/report.json" | head -n 1; }

# The smallest thickness of a run: that of contact, or that of a body.
thickness() {
    awk '/"contact": /   { contact = 1 }
         contact && /"thickness": / { contact = 0; note($2) }
         /"contact_thickness": /    { note($2) }
         function note(value) { value += 0; if (value > 0 && (!least || value < least)) least = value }
         END { print least + 0 }' "$1/report.json"
}

# Runs `percale check` and leaves `intersections`, `gap` and `collider_gap` (m; empty where there is no pair). False where
# anything intersects, surfaces or colliders, or was not looked at.
check_frames() {
    local status
    "$percale" check "$1" >"$1.check" 2>&1
    status=$?
    intersections=$(sed -n 's/^[0-9]* frames\{0,1\}, .* \([0-9]*\) intersections.*/\1/p' "$1.check")
    gap=$(sed -n 's/^ *smallest gap \([-+0-9.e]*\) m.*/\1/p' "$1.check" | tail -n 1)
    collider_gap=$(sed -n 's/^ *smallest gap to a collider \([-+0-9.e]*\) m.*/\1/p' "$1.check" | tail -n 1)
    [[ $status -eq 0 && $intersections == 0 ]] && ! grep -q 'NOT checked' "$1.check"
}

# Surfaces keep the hard thickness, and half of it from a collider, which has none of its own.
far_enough() { # gap collider_gap folder
    awk -v gap="$1" -v collider="$2" -v least="$(thickness "$3")" -v hard=$hard \
        'BEGIN { exit !((gap == "" || gap >= hard * least) && (collider == "" || collider >= hard * least / 2)) }'
}

# ---- full size ------------------------------------------------------------------------------------------------------

# One run and its line of the table.
run_full() { # name file KEY=VALUE ...
    local name=$1 file=$2 folder=$out/$1 status cpu vertices exempt mark="" gap collider_gap intersections
    shift 2
    make_sets "$@"
    # Crossings of a start that are exempt are in the frames too. Only the run knows how many there may be.
    exempt=$(grep -c 'start: exempt' "$file")
    [[ $exempt -eq 0 ]] || sets+=(--verify)
    rm -rf "$folder" "$folder".{log,time,check} && mkdir -p "${folder%/*}"
    TIMEFORMAT='%U %S'
    { time "$percale" run "$file" -o "$folder" --threads 1 --unconverged go_on "${sets[@]}" >"$folder.log" 2>&1; } 2>"$folder.time"
    status=$?
    cpu=$(awk '{ print $1 + $2 }' "$folder.time")
    vertices=$(sed -n 's/.*: \([0-9]*\) vertices.*/\1/p' "$folder.log" | head -n 1)
    if [[ $status -ne 0 ]]; then
        printf '%-24s %8s  the run failed (%d): %s.log\n' "$name" "$vertices" $status "$folder"
        alone "$file"
        return 1
    fi
    if ! check_frames "$folder" && [[ $exempt -eq 0 ]]; then
        mark="  INTERSECTS"
    elif [[ $exempt -eq 0 ]] && ! far_enough "$gap" "$collider_gap" "$folder"; then
        mark="  TOO CLOSE"
    fi
    printf '%-24s %8s %6s %11s %10s %13s %9s %9.1f%s\n' "$name" "$vertices" "$(number "$folder" steps)" \
        "$(number "$folder" steps_not_converged)" \
        "$(awk -v i="$(number "$folder" iterations)" -v s="$(number "$folder" steps)" 'BEGIN { printf "%.1f", s ? i / s : 0 }')" \
        "${intersections:--}" "$(awk -v g="$gap" 'BEGIN { printf g == "" ? "-" : "%.3f mm", 1e3 * g }')" "$cpu" "$mark"
    [[ -z $mark ]] || { alone "$file" && return 1; }
}

alone() { echo "    alone: tools/scenes.sh $(sed 's,^scenes/\(.*\)\.yaml$,\1,' <<<"$1")"; }

# ---- small size -----------------------------------------------------------------------------------------------------

claim() { # text command ...
    local text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        echo "  FAILED  $text"
        echo "    alone: tools/scenes.sh --small $name"
        failed=$((failed + 1))
    fi
}

run_small() { # folder file precision threads [--set ...]
    local folder=$1 file=$2 precision=$3 threads=$4
    shift 4
    mkdir -p "${folder%/*}"
    "$percale" run "$file" -o "$folder" --overwrite --verify --unconverged go_on --precision "$precision" --threads "$threads" "$@" \
        >"$folder.log" 2>&1 || { tail -n 5 "$folder.log" && return 1; }
}

same_frames() {
    local frame
    [[ -f $1/frame_00001.ply ]] || return 1
    for frame in "$1"/frame_*.ply; do
        cmp "$frame" "$2/${frame##*/}" || return 1
    done
}

test_small() { # name file
    local name=$1 file=$2 folder=$out/$1 precision passed=0 failed=0 started=$SECONDS words
    read -r -a words <<<"$(comment "$file" small)"
    make_sets "${words[@]}"
    rm -rf "$folder"
    for precision in double single; do
        claim "$name, $precision: runs, no step intersects" \
            run_small "$folder/$precision" "$file" "$precision" 1 "${sets[@]}"
        claim "$name, $precision: no frame intersects" check_frames "$folder/$precision"
        claim "$name, $precision: keeps its distance (smallest gap $gap m)" far_enough "$gap" "$collider_gap" "$folder/$precision"
        claim "$name, $precision: runs with 2 threads" \
            run_small "$folder/${precision}_2" "$file" "$precision" 2 "${sets[@]}"
        claim "$name, $precision: the same bits with 2 threads" \
            same_frames "$folder/$precision" "$folder/${precision}_2"
    done
    if grep -q '^# no barrier$' "$file"; then
        claim "$name, no barrier: runs, no step intersects" run_small "$folder/no_barrier" "$file" double 1 "${sets[@]}" \
            --set contact.stiffness=1e-12 --set solver.max_iterations=20 --set solver.max_substeps=1 \
            --set solver.unconverged=go_on
        claim "$name, no barrier: no frame intersects" check_frames "$folder/no_barrier"
        claim "$name, no barrier: keeps its distance (smallest gap $gap m)" far_enough "$gap" "$collider_gap" "$folder/no_barrier"
    fi
    printf '%-12s %d passed, %d failed  (%d s)\n' "$name" $passed $failed $((SECONDS - started))
    echo "$passed $failed" >"$folder/count"
    [[ $failed -eq 0 ]]
}

# ---- the driver -----------------------------------------------------------------------------------------------------

# Starts a command when a processor is free; its output appears in one piece.
failures=0
start() {
    while [[ $(jobs -rp | wc -l) -ge $jobs ]]; do
        wait -n || failures=$((failures + 1))
    done
    (
        output=$("$@")
        status=$?
        echo "$output"
        exit $status
    ) &
}

finish() {
    while [[ $(jobs -rp | wc -l) -gt 0 ]]; do
        wait -n || failures=$((failures + 1))
    done
}

start_scene() {
    local name=$1 file=$2 line words path
    while read -r path; do
        if [[ -n $path && ! -e ${file%/*}/$path ]]; then
            echo "$name: skipped, ${file%/*}/$path is not there"
            return
        fi
    done <<<"$(comment "$file" needs)"
    if $small; then
        [[ -n $(comment "$file" small) ]] && start test_small "$name" "$file"
        return
    fi
    start run_full "$name" "$file"
    ! $plain || return
    while read -r line; do
        [[ -n $line ]] || continue
        read -r -a words <<<"${line#*:}"
        start run_full "${name}_${line%%:*}" "$file" "${words[@]}"
    done <<<"$(sed -n 's/^# variant //p' "$file")"
}

mkdir -p "$out"
find "$out" -name count -delete
names=("$@")
if [[ $# -eq 0 ]]; then
    # Scenes without contact may pass through themselves. Those with most bodies take longest: they come first.
    mapfile -t names < <(grep -l 'enabled: true' scenes/*.yaml scenes/data/*.yaml 2>/dev/null | while read -r file; do
        echo "$(grep -c 'mesh:' "$file") $file"
    done | sort -k1,1nr -k2 | sed 's,^[0-9]* scenes/\(.*\)\.yaml$,\1,')
fi
$small || printf '%-24s %8s %6s %11s %10s %13s %9s %9s\n' scene vertices steps unconverged iterations intersections gap 'CPU s'
for name in "${names[@]}"; do
    start_scene "$name" "scenes/$name.yaml"
done
finish
if $small; then
    find "$out" -name count -exec cat {} + | awk '{ p += $1; f += $2 } END { printf "%d passed, %d failed\n", p, f }'
fi
[[ $failures -eq 0 ]]
