# test/kit/claims.sh — what the tests of the program share: claims that are counted and timed, and what percale said last.
# Sourced, with `percale` set to the program, in a folder that the test may write into.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
passed=0 failed=0
claims_command="bash test/${0##*/} $*" # runs this test again
claims_moment=$EPOCHREALTIME

# Leaves the time since the last claim in `claims_time`, nothing below a tenth of a second. What was run before a claim
# belongs to it.
claims_clock() {
    local now=$EPOCHREALTIME tenths
    tenths=$(((${now/[.,]/} - ${claims_moment/[.,]/}) / 100000))
    claims_moment=$now claims_time=
    [[ $tenths -eq 0 ]] || claims_time="  ($((tenths / 10)).$((tenths % 10)) s)"
}

# A claim and the command that shows it.
claim() {
    local name=$1
    shift
    if "$@" >claim.log 2>&1; then
        passed=$((passed + 1))
        claims_clock
        echo "  ok      $name$claims_time"
    else
        failed=$((failed + 1))
        claims_clock
        echo "  FAILED  $name: $*$claims_time"
        sed 's/^/    /' claim.log
        echo "    alone: $claims_command"
    fi
}

# Runs percale; keeps its status, output and errors.
run() {
    "$percale" "$@" >out.txt 2>err.txt
    status=$?
}
