#!/usr/bin/env bash
# The window of percale view, for real: on a display that nobody sees (Xvfb), with a mouse and keys that nobody holds
# (xdotool), judged by pictures of that display, by the log of the window, and by percale check.
#
#   test/test_view.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures. Skipped, with a message, where a tool is
# missing. KEEP=folder keeps the pictures there.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
build=$(realpath "${1:-build}")
percale=$build/bin/percale
leave() { echo "  skipped: $*"; echo "0 passed, 0 failed"; exit 0; }
[[ -x $percale ]] || leave "$percale is not built"
for tool in Xvfb xdotool import compare convert; do
    command -v "$tool" >/dev/null || leave "$tool is not installed (apt install xvfb xdotool imagemagick)"
done
env -u DISPLAY -u WAYLAND_DISPLAY "$percale" view /dev/null 2>&1 | grep -q 'built without the window' &&
    leave "percale was built without the window"
room=$(mktemp -d)
cd "$room" || exit 1
source "$kit/claims.sh"

# A display of our own; its number is the first that is free.
Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>display 2>xvfb.log &
server=$!
trap 'kill $window $server 2>/dev/null; [[ -z ${KEEP:-} ]] || cp -r "$room"/*.png "$KEEP"; rm -rf "$room"' EXIT
window=
for _ in $(seq 100); do
    [[ -s display ]] && break
    sleep 0.1
done
[[ -s display ]] || leave "Xvfb does not start"
export DISPLAY=:$(<display) LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY

# ---- what the window says and shows ----

# A number of the last line of the log; of a vector, component 0, 1 or 2.
now() {
    tail -n 1 log.json | sed -n 's/.*"'"$1"'":\[\{0,1\}\([^]}]*\).*/\1/p' | cut -d, -f"$((${2:-0} + 1))" | tr -d '"'
}
is() { awk "BEGIN { exit !($1) }"; } # a condition between numbers
# Waits until a condition holds, in which $name stands for a number of the log and $name.1 for a component; 20 s.
await() {
    local condition name part
    for _ in $(seq 200); do
        condition=$1
        for name in $(grep -oE '\$[a-z_]+(\.[012])?' <<<"$1" | sort -ru); do
            part=${name#*.}
            [[ $name == *.* ]] || part=0
            name=${name#\$}
            value=$(now "${name%%.*}" "$part")
            condition=${condition//\$$name/${value:-nan}}
        done
        [[ $condition == *nan* ]] || ! is "$condition" || return 0
        sleep 0.1
    done
    echo "not true in 20 s: $1 ($condition)"
    tail -n 1 log.json
    return 1
}
# The pixel of a place in the plane z = 0 of the scene below, for its camera.
at() { awk -v x="$1" -v y="$2" 'BEGIN { printf "%d %d", 400 + (x + 0.12) * 559.8, 300 - y * 559.8 }'; }
picture() { import -window root "$1.png"; }
# Whether cloth is at a place of a picture: what is there is no background, which is nearly white.
covered() { # picture x y
    local x y
    read -r x y < <(at "$2" "$3")
    convert "$1.png" -format "%[fx:p{$x,$y}.intensity]" info: | awk '{ exit !($1 < 0.8) }'
}
not() { ! "$@"; }
# How many pixels of the scene, without panel and status line, differ.
differ() { compare -metric AE -fuzz 8% -extract 536x500+264+0 "$1.png" "$2.png" null: 2>&1 | sed 's/[^0-9.e+].*//'; }
open_window() {
    rm -f log.json
    "$percale" view "$@" --size 800x600 --log-json log.json -o . >view.log 2>&1 &
    window=$!
    for _ in $(seq 300); do
        [[ ! -s log.json ]] || return 0
        kill -0 $window 2>/dev/null || break
        sleep 0.1
    done
    cat view.log
    return 1
}
close_window() {
    xdotool key q
    for _ in $(seq 100); do
        kill -0 $window 2>/dev/null || break
        sleep 0.1
    done
    wait $window
}
drag() { # from x y to x y, in parts, as a hand does
    xdotool mousemove $(at "$1" "$2") mousedown 1
    for k in $(seq 12); do
        xdotool mousemove $(at $(awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" -v t="$k" \
            'BEGIN { t /= 12; print a + t * (c - a), b + t * (d - b) }'))
        sleep 0.05
    done
}
stands_still() {
    local steps
    steps=$(now steps)
    sleep 1
    [[ $(now steps) == "$steps" ]]
}

cat >scene.yaml <<'YAML'
percale: 1
time: {step: 5e-3, duration: 1, frames_per_second: 50}
contact: {enabled: true, thickness: 4e-3, friction: 0.2}
camera: {eye: [-0.12, 0, 2], target: [-0.12, 0, 0], field_of_view: 30}
colliders: [{shape: sphere, center: [0.46, 0.05, 0], radius: 0.07}]
bodies:
  - mesh: {grid: {size: [0.6, 0.6], cells: [12, 12], pattern: irregular}}
    material: {stretch: 100, bending: 1e-5, density: 0.1, mass_damping: 1}
    velocity: [0, 0, 0.2]
    pins: [{select: {corners: [2, 3]}}]
YAML

# ---- a simulation that runs ----

claim "the window opens, paused where that is asked for" open_window scene.yaml --paused
claim "pause stops" stands_still
picture start
claim "the cloth is in the picture" covered start -0.28 -0.28
claim "and not where it will be dragged to" not covered start -0.2 0.42
xdotool mousemove $(at -0.2 0.42) key n
claim "N takes one step" await '$steps == 1'
xdotool key space
claim "space lets it run" await '$steps > 20'
picture hanging
claim "it hangs, and swings little" is "$(differ start hanging) < 15000"
drag -0.28 -0.28 -0.2 0.42
claim "the dragged corner comes to the mouse, in the state" await \
    '($held.0 + 0.2)^2 + ($held.1 - 0.42)^2 < 0.03^2 && $force > 0'
sleep 0.5
picture dragged
claim "and in the picture" covered dragged -0.2 0.41
claim "from where it was" not covered dragged -0.28 -0.28
xdotool key s
claim "the state is written" timeout 20 bash -c 'until [[ -s state_001.ply ]]; do sleep 0.1; done'
xdotool mouseup 1
claim "nothing in it intersects" "$percale" check state_001.ply
xdotool keydown ctrl
drag 0.46 0.05 0.2 -0.05
xdotool mouseup 1 keyup ctrl
claim "a collider is moved with Ctrl, through cloth in its way" await '$collider.0 < -0.1'
xdotool key s key p key k key w key c
claim "that state is written" timeout 20 bash -c 'until [[ -s state_002.ply ]]; do sleep 0.1; done'
claim "and does not intersect either" "$percale" check state_002.ply
claim "P takes a screenshot" timeout 20 bash -c 'until [[ -s view_001.png ]]; do sleep 0.1; done; identify view_001.png'
claim "C changes the colouring" timeout 20 bash -c 'until tail -n 1 log.json | grep -q "\"colour\":\"stretch\""; do sleep 0.1; done'
if command -v ffmpeg >/dev/null; then
    xdotool key v
    sleep 1
    xdotool key v
    claim "V records a movie" timeout 20 bash -c 'until [[ -s movie_001.mp4 ]]; do sleep 0.1; done'
fi
xdotool key shift+c key k key w key space key r
claim "R goes back to time 0" await '$time == 0 && $steps == 0 && $collider.0 == 0'
claim "the slider takes gravity away" eval "xdotool mousemove 24 127 click 1 && await '\$gravity.1 == 0'"
xdotool mousemove $(at -0.2 0.42)
sleep 0.5
picture reset
xdotool key space
await '$time > 1'
xdotool key space
sleep 0.5
picture floating
claim "back at the start it looks as it did" is "$(differ start reset) < 900"
claim "without gravity its swing does not end" is "$(differ reset floating) > 30000"
claim "and it ends when it is told to" close_window

# ---- a solver that is slow ----

sed 's/velocity.*//; s/contact: .*/solver: {method: jacobi, tolerance: 1e-14, max_iterations: 1000000, max_substeps: 1}/
    s/colliders.*//; s/cells: .12, 12./cells: [40, 40]/; s/stretch: 100/stretch: 1e5/' scene.yaml >slow.yaml
turns_meanwhile() {
    local before after frames from=$SECONDS
    picture turn_1
    before=$(now steps) frames=$(now frames)
    xdotool mousemove 700 100 mousedown 3
    for k in $(seq 20); do
        xdotool mousemove $((700 - 8 * k)) 100
        sleep 0.1
    done
    xdotool mouseup 3
    sleep 0.5
    picture turn_2
    after=$(now steps) frames=$(($(now frames) - frames))
    echo "$frames frames in $((SECONDS - from)) s, $((after - before)) steps, $(differ turn_1 turn_2) pixels"
    [[ $((after - before)) -le 1 && $frames -ge 8 ]] && is "$(differ turn_1 turn_2) > 5000"
}
claim "the window opens on a solver that is slow" open_window slow.yaml --threads 1
claim "frames go on and the camera turns while one step takes seconds" turns_meanwhile
sed 's/^/          /' claim.log
kill $window 2>/dev/null
wait $window 2>/dev/null

# ---- the frames of a run ----

"$percale" run scene.yaml -o out --quiet
frames=$(find out -name 'frame_*.ply' | wc -l)
claim "a folder is played" open_window out --paused
picture first
xdotool mousemove 400 550 click 1 # the middle of the time line
claim "the time line goes to where it is clicked" await "\$frame == $((frames / 2))"
sleep 0.5
picture middle
claim "which is another picture" is "$(differ first middle) > 2000"
xdotool key Right
claim "a frame on" await "\$frame == $((frames / 2 + 1))"
xdotool key Home
await '$frame == 0'
xdotool key space
claim "space plays" await '$frame > 3'
claim "to the end" await "\$frame == $((frames - 1))"
claim "it closes" close_window

# ---- where there is nothing to open it on ----

no_display() {
    run view scene.yaml
    [[ $status -eq 1 ]] && grep -q 'percale render' err.txt && grep -q 'xvfb-run' err.txt
}
old_opengl() {
    MESA_GL_VERSION_OVERRIDE=2.1 run view scene.yaml
    [[ $status -eq 1 ]] && grep -q 'needs OpenGL 3.3' err.txt
}
claim "where OpenGL is too old it says so" old_opengl
unset DISPLAY
claim "without a display it says what to do" no_display
run view
claim "without a scene it is bad usage" test "$status" = 2
run view out --set time.step=1
claim "settings are for scenes" test "$status" = 2

echo "$passed passed, $failed failed"
exit $((failed < 99 ? failed : 99))
