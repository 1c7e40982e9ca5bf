#!/usr/bin/env bash
# The long version of test/test_soak.c: memory stays where it is over many steps with contact.
#
#   tools/soak.sh [STEPS]     20,000 by default, on one thread: a minute or less
#
# BUILD names the build folder (default build). Exit status 0 if all held.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

PRC_SOAK_STEPS=${1:-20000} exec "${BUILD:-build}/test/test_soak"
