# test/kit/python.sh — a Python with packages from PyPI, in the folder `python` of a build, which all tests share.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Leaves the interpreter in `python`; false where the packages are not there and cannot be installed (no network, or no
# python3-venv). Tests that run side by side wait for each other.
python_with() { # build "imports that must work" package ...
    local build=$1 imports=$2
    shift 2
    python=$build/python/bin/python
    "$python" -c "$imports" 2>/dev/null && return
    (
        flock 9
        [[ -x $build/python/bin/pip ]] || python3 -m venv "$build/python"
        timeout 600 "$build/python/bin/pip" install -q --disable-pip-version-check "$@"
    ) 9>"$build/python.lock" >/dev/null 2>&1
    "$python" -c "$imports" 2>/dev/null
}
