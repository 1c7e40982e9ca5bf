#!/usr/bin/env bash
# percale plot: the pictures hold the curves of steps.csv, and what is wrong is said.
#
#   test/test_plot.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
source "$kit/claims.sh"

status_is() { [[ $status -eq $1 ]] || { echo "status $status, expected $1"; cat out.txt err.txt; false; }; }
complains() { grep -qF -- "$1" err.txt || { cat err.txt; false; }; }
holds() { grep -qF -- "$2" "$1" || { head -c 3000 "$1"; false; }; }
lacks() { ! grep -qF -- "$2" "$1"; }
begins() { [[ $(head -c "${#2}" "$1") == "$2" ]]; }
none_of() { ! ls "$@" 2>/dev/null; }

# Ten steps by hand: numbers whose curves are known. The seventh did not converge.
mkdir a b
header='step,time [s],converged,stop,residual [m/s],decrement [m/s],iterations,inner_iterations,energy_elastic [J],energy_kinetic [J],energy_potential [J],contact_pairs,active_contacts,smallest_gap [m],largest_speed [m/s],seconds [s],seconds_gradient [s]'
echo "$header" >a/steps.csv
for k in 1 2 3 4 5 6 7 8 9 10; do
    echo "$k,0.$((k / 10))$((k % 10)),$((k != 7)),\"a, \"\"b\"\"\",${k}e-5,${k}e-6,$k,$((10 * k)),$((k * k)),$((2 * k)),-1.5,$((20 * k)),$((5 * k)),$([[ $k -lt 4 ]] || echo "${k}e-4"),$((3 * k)),0.0$((k + 10)),0.001" >>a/steps.csv
done
sed 's/0\.0\([0-9]*\),0.001$/0.1\1,0.002/' a/steps.csv >b/steps.csv

# The script holds the data: checked without gnuplot.
run plot a --script a.gp
claim "a_script_is_written" status_is 0
# Total, elastic, kinetic, potential; residual … of step 4.
claim "its_rows_are_those_of_the_table" grep -qE '^0\.04 22\.5 16 8 -1\.5 4e-05 4e-06 ' a.gp
claim "energies_are_added_up" grep -qE '^0\.1 118\.5 100 20 -1\.5 ' a.gp
claim "only_steps_that_did_not_converge_are_marked" \
    bash -c "grep -E '^0\.0[67] ' a.gp | awk '{print \$8}' | tr '\n' ' ' | grep -qiE '^nan 7e-05 \$'"
claim "times_are_in_milliseconds" bash -c "grep -E '^0\.03 ' a.gp | grep -qE ' 13\$'"
claim "an_empty_cell_is_no_value" bash -c "grep -E '^0\.03 ' a.gp | grep -qi nan"
claim "panels_without_data_are_left_out" lacks a.gp "# ---- convergence"
run plot a --script t.gp --time 0.03..0.05 --what largest_speed
claim "a_column_can_be_plotted_by_its_name" holds t.gp "'largest_speed [m/s]'"
claim "a_part_of_the_time_can_be_chosen" bash -c "test \$(grep -cE '^0\.0[0-9]+ ' t.gp) -eq 3"
awk 'BEGIN {print "step,time [s],converged,residual [m/s],iterations,seconds [s]"; for (k = 1; k <= 6000; k++) printf "%d,%g,1,%g,2,0.001\n", k, k * 1e-3, k == 3001 ? 1 : 1e-6}' >long.csv
run plot long.csv --script long.gp
claim "long_tables_are_gathered" bash -c "test \$(grep -cE '^[0-9.]+ ' long.gp) -eq 1500"
claim "the_largest_residual_is_kept" grep -qE '^3\.004 1 ' long.gp

# What is wrong with the input.
run plot
claim "a_run_is_asked_for" status_is 2
run plot a --what energies,nonsense
claim "an_unknown_plot_is_refused" status_is 2
claim "with_those_that_are_known" complains "energies, residuals, iterations"
run plot a -o picture.jpg
claim "an_unknown_ending_is_refused" complains "does not end in .svg, .png or .pdf"
run plot nowhere
claim "a_run_that_is_not_there_is_input" status_is 1
mkdir empty
run plot empty
claim "a_folder_without_a_run_is_told_as_such" complains "has no steps.csv"
echo "$header" >empty/steps.csv
run plot empty
claim "a_run_without_steps_is_told_as_such" complains "has no steps yet"
printf '%s\n1,2,3\n' "$header" >empty/steps.csv
run plot empty
claim "a_damaged_row_is_named" complains "steps.csv:2: has 3 cells where the header has 17"
printf 'a,b\n1,2\n' >other.csv
run plot other.csv
claim "another_table_is_refused" complains "has no column 'time'"
(head -n 5 a/steps.csv && printf '5,0.0') >b/going_on.csv
run plot b/going_on.csv --script going_on.gp
claim "a_row_that_is_being_written_is_left_out" status_is 0
PATH=$room run plot a -o missing.svg
claim "without_gnuplot_it_says_what_to_install" complains "apt-get install gnuplot-nox"
claim "and_leaves_no_file" none_of missing.svg*

if ! command -v gnuplot >/dev/null; then
    echo "  skipped: gnuplot is not installed"
    echo "$passed passed, $failed failed"
    exit "$failed"
fi

run plot a
claim "a_picture_is_drawn_into_the_folder" begins a/plots.svg '<?xml'
claim "with_the_names_of_its_curves" holds a/plots.svg ">elastic<"
claim "and_a_panel_of_contacts" holds a/plots.svg ">Contacts<"
run plot a -o a.png
claim "png_is_known_by_its_ending" begins a.png $'\x89PNG'
run plot a -o figures --format pdf --what energies,timings
claim "a_folder_gets_a_file_per_plot" begins figures/timings.pdf '%PDF'
claim "and_no_more" test "$(find figures -type f | wc -l)" -eq 2
run plot a b -o both.svg --names 'one,it'"'"'s "two" `touch pwned` $(touch pwned)'
claim "runs_are_compared" status_is 0
claim "by_their_names_whatever_is_in_them" holds both.svg "\$(touch pwned)"
claim "none_of_which_is_run" none_of pwned
run plot a -o "folder of a 'name"
claim "odd_names_of_files_are_good" test -s "folder of a 'name/energies.svg"
run plot a --script again.gp -o again.svg
claim "a_script_draws_the_same_picture" bash -c "gnuplot again.gp && cmp again.svg a/plots.svg"
run plot a -o /nonexistent/x.svg
claim "where_nothing_can_be_written_it_says_so" status_is 3
if command -v python3 >/dev/null; then
    # Where the picture says that a curve is, read from its tics.
    run plot a -o speed.svg --what largest_speed
    cat >values.py <<'PYTHON'
import re, sys
import xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
def numbers(text): return [float(x) for x in re.findall(r"-?[0-9.]+", text)]
texts = []
for g in root.iter(space + "g"):
    t = g.find(space + "text")
    if t is not None and "translate" in g.get("transform", ""):
        texts.append((numbers(g.get("transform"))[:2], "".join(t.itertext()).strip()))
tics = [(p, float(t)) for p, t in texts if re.fullmatch(r"-?[0-9.]+", t)]
left = min(p[0] for p, _ in tics)  # those of the y axis end at its left
low = max(p[1] for p, _ in tics)
up = sorted((t, p[1]) for p, t in tics if p[1] < low - 5)
across = sorted((t, p[0]) for p, t in tics if p[1] > low - 5)
def line(a, b): return lambda pixel: a[0] + (pixel - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
x, y = line(across[0], across[-1]), line(up[0], up[-1])
shift = 4  # texts stand a little below the middle of their tic
curve = next(g for g in root.iter(space + "g") if g.get("id") == "gnuplot_plot_1")
path = max((p.get("d") for p in curve.iter(space + "path")), key=len)
points = numbers(path)
points = list(zip(points[0::2], points[1::2]))
assert len(points) == 10, points
for k, (px, py) in enumerate(points, 1):
    assert abs(x(px) - 0.01 * k) < 2e-3, (k, x(px))
    assert abs(y(py + shift) - 3 * k) < 0.5, (k, y(py + shift))
PYTHON
    claim "the_curve_lies_where_the_table_says" python3 values.py speed.svg
fi

echo "$passed passed, $failed failed"
exit "$failed"
