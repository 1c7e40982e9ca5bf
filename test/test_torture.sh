#!/usr/bin/env bash
# The generator of random scenes (test/torture), and the scenes that it has found failing, each of which passes now.
#   test/test_torture.sh BUILD
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
torture=$1/bin/torture
cd "$(dirname "$0")/.."
[[ $torture == /* || -x $torture ]] || { echo "$torture is not there"; exit 1; }
passed=0 failed=0

check() { # claim command ...
    local claim=$1
    shift
    if "$@"; then
        echo "  ok      $claim"
        passed=$((passed + 1))
    else
        echo "  FAILED  $claim"
        failed=$((failed + 1))
    fi
}

same_scene() { [[ $("$torture" --show 4711 | md5sum) == "$("$torture" --show 4711 | md5sum)" ]]; }
others_differ() { [[ $("$torture" --show 4711 | md5sum) != "$("$torture" --show 4712 | md5sum)" ]]; }
bodies() { sed -n '/^bodies:/,/^[a-z]*:$/p' | grep -E '^    (mesh|material):'; }
rest_stays() { # the seed has obstacles
    [[ -n $("$torture" --show 11 | grep '^obstacles') ]] &&
        [[ -z $("$torture" --show 11 --without obstacles | grep '^obstacles') ]] &&
        [[ $("$torture" --show 11 | bodies) == "$("$torture" --show 11 --without obstacles | bodies)" ]]
}
refuses() { # what
    "$torture" "$@" >/dev/null 2>&1
    [[ $? -eq 2 ]]
}
passes() { "$torture" -q "$1" | grep -q '^1 passed, 0 failed$'; }

check "a seed is a scene" same_scene
check "another seed is another" others_differ
check "leaving things out leaves the rest as it is" rest_stays
check "names that there are not are refused" refuses --without nonsense
check "numbers that are none are refused" refuses 12x
for scene in test/torture/found/*.yaml; do
    check "$(basename "$scene" .yaml | tr _ ' ')" passes "$scene"
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
