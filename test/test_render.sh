#!/usr/bin/env bash
# percale render: what is in the pictures, looked at pixel by pixel by another reader; movies as ffprobe sees them.
#
#   test/test_render.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures. Skipped, with a message, where there is no
# OpenGL without a display; claims about movies where there is no ffmpeg.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
reader=$PWD/test/picture.py
percale=$(realpath "${1:-build}")/bin/percale
skip() { echo "  skipped: $1"; echo "0 passed, 0 failed"; exit 0; }
[[ -x $percale ]] || skip "$percale is not built"
command -v python3 >/dev/null || skip "no python3 to read pictures with"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
says() { grep -qF -- "$1" out.txt || { cat out.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
picture() { python3 "$reader" "$@"; }
size_is() { [[ $(picture size "$1") == "$2" ]] || { picture size "$1"; false; }; }
mean() { picture mean "$@"; }
place() { picture project 160 120 0,0.9,2.4 0,0.2,0 30 "$1"; }
# The mean colour of 5 × 5 pixels about a place in space, seen by the camera of the scene.
at() { local xy; read -ra xy <<<"$(place "$2")"; mean "$1" $((xy[0] - 2)) $((xy[1] - 2)) 5 5; }
brightness() { local c; read -ra c <<<"$1"; echo $((c[0] + c[1] + c[2])); }
is_dyed() { local c; read -ra c <<<"$1"; [[ $((c[0] - c[2])) -gt 50 ]] || { echo "colour: $1"; false; }; }
is_grey() { local c; read -ra c <<<"$1"; [[ $((c[0] - c[2])) -lt 20 && ${c[0]} -lt 215 ]] || { echo "colour: $1"; false; }; }
is_paper() { local c; read -ra c <<<"$1"; [[ ${c[0]} -gt 220 && ${c[2]} -gt 220 ]] || { echo "colour: $1"; false; }; }
darker() { [[ $(($(brightness "$2") - $(brightness "$1"))) -gt $3 ]] || { echo "$1 and $2"; false; }; }
more_than() { [[ $1 -gt $2 ]] || { echo "$1 is not more than $2"; false; }; }
nothing_left() { [[ -z $(find . -name "*.part" -o -name "*.tmp" -o -name "$1") ]] || { ls; false; }; }

# A sheet held above a floor, a ball that rolls by in front of it, and a camera.
cat >scene.yaml <<'YAML'
percale: 1
time: {step: 0.01, duration: 0.1, frames_per_second: 100}
contact: {enabled: true}
camera: {eye: [0, 0.9, 2.4], target: [0, 0.2, 0]}
colliders:
  - {shape: plane}
  - {shape: sphere, center: [-0.4, 0.1, 0.5], radius: 0.1, motion: {velocity: [8, 0, 0]}}
bodies:
  - name: sheet
    mesh: {grid: {size: [0.6, 0.6], cells: [6, 6]}}
    place: {translate: [0, 0.4, 0], rotate: {axis: [1, 0, 0], degrees: -90}}
    pins: [{select: all}]
YAML
run run scene.yaml -o out --quiet --fields residual
claim "there_is_a_run_to_look_at" status_is 0
small=(--size 160x120 --quality 8)

run render out -o first.png --frame 0 "${small[@]}"
if grep -qE "libEGL|no driver|without libepoxy" err.txt; then
    skip "$(cat err.txt)"
fi
claim "a_picture_is_made_without_a_display" status_is 0
claim "the_frame_is_named" says "frame 0, 0 s"
claim "it_is_as_large_as_asked" size_is first.png 160x120
claim "cloth_is_where_the_camera_sees_it_in_its_dye" is_dyed "$(at first.png 0,0.4,0)"
claim "the_background_is_light" is_paper "$(mean first.png 2 2 6 6)"
claim "a_collider_is_where_it_is_at_the_start" is_grey "$(at first.png -0.4,0.1,0.6)"
claim "and_not_where_it_will_be" is_paper "$(at first.png 0.4,0.1,0.6)"
claim "the_ground_under_the_cloth_is_in_its_shadow" darker "$(at first.png 0.2,0,-0.05)" "$(at first.png -0.9,0,0.3)" 60
run render out -o again.png --frame 0 "${small[@]}"
claim "pictures_have_the_same_bytes_each_time" cmp -s first.png again.png
run render out -o last.png "${small[@]}"
claim "the_last_frame_is_the_default" says "frame 10, 0.1 s"
claim "a_moving_collider_has_moved" is_grey "$(at last.png 0.4,0.1,0.6)"
claim "and_left_where_it_was" is_paper "$(at last.png -0.4,0.1,0.6)"
# A collider that waits for cloth is not where its motion puts it: frames say where.
cp -r out waits
sed -i 's/^\(comment collider 1 sphere .*\) [^ ]* [^ ]* [^ ]*$/\1 -0.4 0.1 0.5/' waits/frame_00010.ply
run render waits -o waits.png "${small[@]}"
claim "a_collider_is_drawn_where_its_frame_says" is_grey "$(at waits.png -0.4,0.1,0.6)"
claim "and_not_where_it_should_be" is_paper "$(at waits.png 0.4,0.1,0.6)"
run render out -o time.png --time 0.052 "${small[@]}" --no-shadows
claim "a_frame_is_found_by_time" says "frame 5, 0.05 s"
run render out -o plain.png --frame 0 "${small[@]}" --no-shadows
claim "without_shadows_the_ground_is_light" is_paper "$(at plain.png 0.2,0,-0.05)"
run render out -o wire.png --frame 0 "${small[@]}" --wireframe
claim "a_wireframe_shows_on_the_cloth" more_than "$(picture differ first.png wire.png 0 0 160 120)" 100

"$percale" run scene.yaml -o bent --quiet --set bodies[0].mesh='{sphere: {radius: 0.3, subdivisions: 1}}' --set colliders[1].center=[9,1,0] --until 0.01
ball=(--camera 0,0.4,3,0,0.4,0,20 "${small[@]}" --no-ground --no-shadows --frame 0)
run render bent -o flat.png "${ball[@]}"
run render bent -o round.png "${ball[@]}" --smooth
# A ball of radius 0.3 m, 3 m away, covers pi (60 tan(asin(0.3 / 3)) / tan(10 degrees))^2 = 3672 pixels.
near_to() { [[ $1 -gt $(($2 - $3)) && $1 -lt $(($2 + $3)) ]] || { echo "$1 is not $2 within $3"; false; }; }
claim "flat_triangles_are_drawn_flat" more_than $((3672 - 100)) "$(picture covered flat.png)"
claim "smooth_ones_fill_the_circle" near_to "$(picture covered round.png)" 3672 60

# Seen along the normal from both sides, without ground.
run render out -o front.png --frame 0 "${small[@]}" --no-ground --camera 0,2,0.4,0,0.4,0
run render out -o back.png --frame 0 "${small[@]}" --no-ground --camera 0,-2,0.4,0,0.4,0 --no-shadows
front=$(mean front.png 75 55 10 10)
back=$(mean back.png 75 55 10 10)
read -ra f <<<"$front"
read -ra b <<<"$back"
claim "the_front_has_more_colour_than_the_back" more_than $((f[0] - f[2])) $((b[0] - b[2] + 20))
run render out -o fitted.png --frame 0 "${small[@]}" --camera 20,30
claim "a_fitted_camera_leaves_the_edges_free" is_paper "$(mean fitted.png 0 0 160 4)"
claim "and_fills_the_picture" more_than "$(picture differ fitted.png first.png 40 30 80 60)" 500

run render out -o speed.png --colour speed "${small[@]}" --range 0:2
run render out -o bare.png --colour speed "${small[@]}" --range 0:2 --no-legend
claim "a_legend_is_drawn_at_the_right" more_than "$(picture differ speed.png bare.png 120 10 40 100)" 250
claim "it_has_the_colours_of_the_map" more_than "$(picture colours speed.png 120 10 40 100)" \
    $(($(picture colours bare.png 120 10 40 100) + 40))
claim "and_nothing_else_changes" test "$(picture differ speed.png bare.png 0 0 80 120)" -eq 0
run render out -o residual.png --colour residual "${small[@]}"
claim "a_field_that_was_asked_for_is_shown" status_is 0
run render out -o pressure.png --colour pressure "${small[@]}"
claim "one_that_was_not_is_an_error" status_is 1
claim "which_says_how_to_get_it" complains "--fields pressure"
claim "and_what_there_is" complains "body, stretch, compression, speed, residual"
claim "and_leaves_no_file" nothing_left pressure.png
run render out -o x.png --colour colourful "${small[@]}"
claim "an_unknown_field_is_named" complains "has no field 'colourful'"
PERCALE_FONT=/none.ttf run render out -o bald.png --colour speed "${small[@]}"
claim "without_a_font_there_is_still_a_picture" status_is 0
claim "and_it_is_said_how_to_get_letters" complains "PERCALE_FONT"

run render out -o sheet.png --sheet 3x2 --size 80x60 --quality 2
claim "a_contact_sheet_has_its_pictures_side_by_side" size_is sheet.png 272x146
read -ra ball <<<"$(place -0.4,0.1,0.6)"
tile() { mean sheet.png $(($1 + ball[0] / 2 - 1)) $(($2 + ball[1] / 2 - 1)) 3 3; }
claim "from_the_first_frame" is_grey "$(tile 10 10)"
claim "to_the_last" is_paper "$(tile 182 76)"
run render out -o "p_%03d.png" --frames 2..6 --every 2 --size 40x30 --quality 1
claim "frames_become_numbered_pictures" test -s p_002.png -a -s p_004.png -a -s p_006.png -a ! -e p_003.png

if command -v ffprobe >/dev/null; then
    probe() { ffprobe -v error -count_frames -select_streams v -show_entries "stream=$1" -of csv=p=0 "$2"; }
    run render out -o movie.mp4 --size 81x60 --quality 1
    claim "a_movie_has_a_picture_per_frame" test "$(probe nb_read_frames movie.mp4)" = 11
    claim "of_an_even_size" test "$(probe width,height movie.mp4)" = 82,60
    claim "at_most_sixty_per_second" test "$(probe r_frame_rate movie.mp4)" = 60/1
    claim "and_it_is_said_how_fast_that_is" says "0.6 times real time"
    run render out -o movie.webm --size 64x48 --quality 1 --every 4 --fps 10
    claim "webm_works_too" test "$(probe codec_name,nb_read_frames movie.webm)" = vp9,3
    run render out -o movie.gif --size 64x48 --quality 1 --frames 7..
    claim "gif_works_too" test "$(probe codec_name,nb_read_frames movie.gif)" = gif,4
    mkdir fake
    printf '#!/bin/sh\necho "no such codec" >&2\nexit 9\n' >fake/ffmpeg
    chmod +x fake/ffmpeg
    PATH=$PWD/fake:$PATH run render out -o broken.mp4 --size 64x48 --quality 1
    claim "when_ffmpeg_fails_so_does_the_movie" status_is 3
    claim "with_what_ffmpeg_said" complains "no such codec"
    claim "and_nothing_is_left" nothing_left broken.mp4
else
    echo "  skipped: no ffprobe to look at movies with"
fi
# A stand-in that takes its words as ffmpeg does: what begins with a dash is an option, what has a colon a protocol.
mkdir -p stand_in
cat >stand_in/ffmpeg <<'SH'
#!/bin/sh
for target; do :; done
case $target in
file:*) exec cat >"${target#file:}" ;;
-*) echo "Unrecognized option '$target'" >&2 ;;
*:*) echo "${target%%:*}: Protocol not found" >&2 ;;
*) exec cat >"$target" ;;
esac
exit 1
SH
chmod +x stand_in/ffmpeg
for name in a:b.mp4 -y.mp4 http:x.gif; do
    PATH=$PWD/stand_in:$PATH run render out -o "$name" --size 64x48 --quality 1 --frames 0..1
    claim "a_movie_may_be_called_$name" test $status -eq 0 -a -s "./$name"
done
mkdir empty
PATH=$PWD/empty run render out -o none.mp4 --size 64x48
claim "without_ffmpeg_there_is_no_movie" status_is 3
claim "and_it_is_said_what_to_install" complains "apt-get install ffmpeg"

run render empty -o x.png
claim "a_folder_that_is_no_run_is_refused" status_is 1
claim "with_what_makes_one" complains "percale run SCENE -o FOLDER"
run render nowhere -o x.png
claim "a_folder_that_is_not_there_is_refused" complains "nowhere: No such file"
run render out -o nowhere/x.png
claim "a_place_that_cannot_be_written_to_is_found_out_at_once" status_is 3
run render out -o x.bmp
claim "an_unknown_ending_is_refused" status_is 2
run render out
claim "a_missing_name_is_asked_for" complains "-o FILE is missing"
run render out -o x.png --frame 99
claim "a_missing_frame_is_refused" complains "it has frames 0 to 10"
run render out -o x.png --size 0x5
claim "sizes_have_to_make_sense" status_is 2

# The camera is no part of what a run depends on.
sed -i 's/eye: .0, 0.9, 2.4./eye: [0, 0.9, 3]/' scene.yaml
run resume out --until 0.11 --quiet
claim "a_run_goes_on_with_another_camera" status_is 0
mv scene.yaml moved.yaml
run render out -o gone.png "${small[@]}"
claim "a_run_whose_scene_is_gone_is_still_drawn" status_is 0
claim "and_it_is_said_what_is_missing" complains "give its path with --scene FILE"
run render out -o found.png "${small[@]}" --scene moved.yaml
claim "a_scene_that_was_moved_is_found_where_told" test ! -s err.txt
"$percale" convert out/frame_00000.ply plain.obj --quiet
run render plain.obj -o plain.png "${small[@]}"
claim "a_mesh_file_is_drawn" status_is 0
mkdir walk && cp plain.obj walk/w_07.obj && cp plain.obj walk/w_08.obj
run render walk -o walk.png "${small[@]}" --frame 8
claim "numbered_meshes_are_drawn" status_is 0
printf 'ply\nrubbish' >walk/bad.ply
run render walk/bad.ply -o bad.png "${small[@]}"
claim "a_bad_mesh_is_an_error" status_is 1

echo "$passed passed, $failed failed"
exit $((failed > 99 ? 99 : failed))
