#!/usr/bin/env bash
# The pictures of docs/gallery.md: runs scenes and draws one moment of each.
#
#   tools/gallery.sh [SCENE ...]    all scenes of scenes/ where none is named
#
#   BUILD=build          whose bin/percale runs and draws
#   RUNS=out/gallery     where runs are kept; one that has finished is not repeated
#   SIZE=800x600         of the pictures, pixels
#   QUALITY=high         draft, normal or high
#
# The table says how far a scene is run, and how the picture is taken. Needs ImageMagick for the JPEG files.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
percale=${BUILD:-build}/bin/percale runs=${RUNS:-out/gallery} size=${SIZE:-800x600}
[[ -x $percale ]] || { echo "gallery: $percale is not built"; exit 1; }
command -v convert >/dev/null || { echo "gallery: ImageMagick is not installed (imagemagick)"; exit 1; }

# scene | options of the run | options of the picture
table='
ball       |                                                        | --time 0.7 --colour stretch --camera 20,35
balloon    | --until 0.2                                            | --time 0.05 --colour stretch
banner     | --until 0.5                                            | --time 0.2 --camera 20,8
bullet     | --until 0.05                                           | --time 0.01 --colour stretch --camera 35,15
cape       |                                                        | --time 1.8 --camera 60,10
drape      |                                                        |
flag       |                                                        |
fold       | --until 1.2                                            | --time 0.9
funnel     | --until 0.6                                            | --time 0.36 --camera 27,50
gusts      | --until 1.4                                            | --time 0.83
hanging    | --until 1.5                                            | --time 1.2 --camera 60,10
knot       | --until 0.5                                            | --time 0.32 --camera 0.1,0.15,0.7,0,0,0,22
layers     |                                                        | --camera 75,5
layers10   | --until 0.3                                            | --time 0.28 --camera 40,8
layers6    | --until 0.5                                            | --time 0.28 --camera 40,8
needles    |                                                        | --time 0.54 --camera 0.55,0.42,0.75,0.12,0.05,0,29
particles_funnel | --until 0.8                                      | --time 0.7 --camera 20,12
particles_sling |                                                   | --time 1.5 --camera 25,20
pillow     | --until 0.7 --set bodies[0].mesh.grid.cells=[20,20] --set bodies[1].mesh.grid.cells=[20,20] |
shell      | --until 0.1                                            | --time 0.04 --camera -20,14
spin       | --until 1.5                                            | --time 1.2
stack      | --until 0.25                                           | --camera 0.5,0.3,0.62,0,0.02,0,30
table      |                                                        | --camera 27,20
trampoline | --until 0.3                                            | --time 0.13 --camera 20,18
twist      |                                                        | --time 1.8
wring      | --until 1.4                                            | --time 1.3
'

draw() { # scene
    local scene=$1 row run picture
    row=$(grep -E "^$scene +\|" <<<"$table") || { echo "gallery: $scene is not in the table of $0"; return 1; }
    IFS='|' read -r _ run picture <<<"$row"
    # shellcheck disable=SC2086
    [[ -f $runs/$scene/report.json ]] ||
        "$percale" run "scenes/$scene.yaml" -o "$runs/$scene" --overwrite --unconverged go_on --quiet $run || return 1
    # shellcheck disable=SC2086
    "$percale" render "$runs/$scene" -o "$runs/$scene.png" --size "$size" --quality "${QUALITY:-high}" --quiet $picture &&
        convert "$runs/$scene.png" -strip -interlace Plane -quality 90 "docs/gallery/$scene.jpg" &&
        echo "docs/gallery/$scene.jpg"
}

mkdir -p "$runs" docs/gallery
scenes=("$@")
[[ $# -gt 0 ]] || mapfile -t scenes < <(cd scenes && ls -- *.yaml | sed 's/\.yaml$//')
failed=0
for scene in "${scenes[@]}"; do
    draw "$scene" || failed=$((failed + 1))
done
exit $((failed > 0))
