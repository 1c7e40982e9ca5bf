#!/usr/bin/env bash
# The JSON Schema of scene files, held against scenes that are good and scenes that are not, with python's jsonschema.
#
#   test/test_json_schema.sh [build]    the folder of the build, whose bin/percale is run
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
python3 -c 'import jsonschema, yaml; jsonschema.Draft202012Validator' 2>/dev/null ||
    { echo "  skipped: python3 with jsonschema (4 or later) and yaml is needed (tools/packages.sh test)"
      echo "0 passed, 0 failed"; exit 0; }
schema=$(mktemp)
trap 'rm -f "$schema"' EXIT
"$percale" schema --json-schema >"$schema" || { echo "0 passed, 1 failed"; exit 1; }

python3 - "$schema" "$percale" <<'PYTHON'
import glob, json, subprocess, sys, tempfile
import jsonschema, yaml

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
passed = failed = 0

def claim(name, good, what=""):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    print("  ok      " + name if good else "  FAILED  %s %s" % (name, what))

def first_error(text):
    error = next(validator.iter_errors(yaml.safe_load(text)), None)
    return error and "%s: %s" % (error.json_path, error.message[:200])

for path in sorted(glob.glob("scenes/*.yaml")):
    error = first_error(open(path).read())
    claim("the_schema_takes_" + path, error is None, error)

body = "percale: 1\nbodies: [{mesh: {disc: {rings: 2}}%s}]\n%s"
good = {
    "expressions": body % ("", "variables: {n: 3, h: n / 2}\ntime: {step: 1/500, duration: \"max(n, 2)\"}"),
    "numbers_of_all_forms": body % ("", "time: {step: 1e-3, duration: 2.0, frames_per_second: 60}"),
    "everything_selected": body % (", pins: [{select: all, until: .inf}]", ""),
    "a_selection": body % (", pins: [{select: {vertices: [0, 18], boundary: true}}]", ""),
    "names_and_numbers_of_bodies": body % (", name: a", "contact: {pairs: [{bodies: [a, 0], friction: 0.1}]}"),
    "a_rest_shape": body % (", rest: {disc: {rings: 2}}", ""),
    "a_rest_word": body % (", rest: mesh", ""),
    "instances": body % (", instances: {count: 3, offset: [0, 1, 0], rotate: {degrees: 5}}", ""),
    "velocities": body % (", velocities: [{select: all, velocity: [1, 0, 0]}]", ""),
    "a_curve": body % (", material: {model: curve, curve: [[1, 0], [2, 5]]}", ""),
    "polylines": body % ("", "contact: {enabled: true}\nobstacles: [{polylines: [[[0, 9, 0], [1, 9, 0]]]}]"),
    "included_files_may_bring_the_bodies": "percale: 1\ninclude: [a.yaml]\n",
}
bad = {
    "no_version": "bodies: [{mesh: {disc: {}}}]\n",
    "no_bodies": "percale: 1\n",
    "another_version": "percale: 2\nbodies: [{mesh: {disc: {}}}]\n",
    "no_mesh": "percale: 1\nbodies: [{name: a}]\n",
    "an_empty_mesh": "percale: 1\nbodies: [{mesh: {}}]\n",
    "an_unknown_key": body % ("", "tiem: {}"),
    "an_unknown_key_inside": body % (", material: {dampling: 1}", ""),
    "a_value_below_its_range": body % (", material: {density: 0}", ""),
    "a_value_above_its_range": body % (", material: {poisson: 1}", ""),
    "a_fraction_for_a_whole_number": body % ("", "threads: 1.5"),
    "a_list_for_a_number": body % ("", "time: {step: [1]}"),
    "a_table_for_a_number": body % ("", "time: {step: {a: 1}}"),
    "a_vector_too_short": body % ("", "gravity: [0, -9.81]"),
    "a_word_that_is_not_one_of_them": body % ("", "solver: {method: neuton}"),
    "a_number_for_a_flag": body % ("", "contact: {enabled: 1}"),
    "text_that_is_no_expression": body % ("", "time: {step: \"1 & 2\"}"),
    "a_variable_that_is_a_list": body % ("", "variables: {n: [1]}"),
    "a_name_that_is_no_variable": body % ("", "variables: {2n: 1}"),
    "a_selection_by_an_unknown_word": body % (", pins: [{select: everything}]", ""),
    "a_pin_without_a_selection": body % (", pins: [{until: 3}]", ""),
    "an_empty_list_of_bodies": "percale: 1\nbodies: []\n",
    "a_scene_that_is_a_list": "- 1\n",
    "instances_without_a_count": body % (", instances: {offset: [0, 1, 0]}", ""),
    "a_curve_of_one_point": body % (", material: {curve: [[1, 0]]}", ""),
}
for name, text in good.items():
    error = first_error(text)
    claim("takes_" + name, error is None, error)
for name, text in bad.items():
    claim("refuses_" + name, first_error(text) is not None)

# What the schema says of a scene, percale says too.
with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scene:
    for name, text, status in [(n, t, 0) for n, t in good.items()] + [(n, t, 1) for n, t in bad.items()]:
        scene.seek(0), scene.truncate(), scene.write(text), scene.flush()
        ran = subprocess.run([sys.argv[2], "info", scene.name], capture_output=True, text=True)
        if "include" not in text:
            claim("percale_agrees_about_" + name, ran.returncode == status, ran.stderr)

# Every default is a value that the schema allows.
wrong = []
for table, definition in schema["$defs"].items():
    for key, value in definition.get("properties", {}).items():
        if "default" in value:
            rule = {"$defs": schema["$defs"], "allOf": value["allOf"]}
            if next(jsonschema.Draft202012Validator(rule).iter_errors(value["default"]), None):
                wrong.append(table + "." + key)
claim("defaults_are_allowed", not wrong, wrong)
print("%d passed, %d failed" % (passed, failed))
sys.exit(min(failed, 100))
PYTHON
