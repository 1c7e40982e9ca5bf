# test/kit/claims.sh — what the tests of the program share: claims that are counted, and what percale said last.
# Sourced, with `percale` set to the program, in a folder that the test may write into.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
passed=0 failed=0

# A claim and the command that shows it.
claim() {
    local name=$1
    shift
    if "$@" >claim.log 2>&1; then
        passed=$((passed + 1))
        echo "  ok      $name"
    else
        failed=$((failed + 1))
        echo "  FAILED  $name: $*"
        sed 's/^/    /' claim.log
    fi
}

# Runs percale; keeps its status, output and errors.
run() {
    "$percale" "$@" >out.txt 2>err.txt
    status=$?
}
