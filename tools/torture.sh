#!/usr/bin/env bash
# Random scenes (test/torture): each is made from a number, run and judged; what fails is shrunk and printed.
#
#   tools/torture.sh [OPTIONS] [FIRST [COUNT]]     300 seeds from 0 on by default; one where COUNT is left out
#   tools/torture.sh [OPTIONS] SCENE.yaml ...      scenes that were kept
#   tools/torture.sh --help                        the options
#
# Built with assertions, in build/torture; BUILD names another build folder, which is taken as it is.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${BUILD:-} ]]; then
    BUILD=build/torture
    mkdir -p build
    if ! { cmake --preset torture && cmake --build $BUILD -j "${JOBS:-$(nproc)}" --target torture; } >build/torture.log 2>&1; then
        tail -n 40 build/torture.log
        echo "the build failed; the whole log is in build/torture.log"
        exit 1
    fi
fi
exec "$BUILD/bin/torture" "$@"
