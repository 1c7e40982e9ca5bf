#!/usr/bin/env bash
# Static checks of the sources:
#   tools/lint.sh [format|tidy|cppcheck|headers|layers|shell|text ...]   all of them without arguments
# An exit status of 77 means: the tool is not installed.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
defines=(-DPRC_REAL_FLOAT=1 -DPRC_ISA=baseline -DPRC_HAVE_FYAML -D_POSIX_C_SOURCE=200809L
    '-DPRC_TEST_SOURCE="."' '-DPRC_TEST_PROGRAM="build/bin/percale"')
includes=(-Iinclude -Isrc -Itest -Itest/evidence -Iapp/cli -Ibench)
includes+=(-Iapp/draw -Iapp/render -Iapp/view)
defines+=(-DPRC_HAVE_VIEW)

need() {
    command -v "$1" >/dev/null && return
    echo "$1 is not installed"
    exit 77
}

sources() { # the endings wanted, as find takes them
    find include src app bench examples test -type f \( "$@" \) 2>/dev/null | LC_ALL=C sort
}

lint_format() {
    need clang-format
    # .inl files are tables, laid out by hand.
    sources -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cpp' | xargs -r clang-format --dry-run --Werror
}

# Flags are given here rather than taken from compile_commands.json, where cpu.c stands six times.
lint_tidy() {
    need clang-tidy
    sources -name '*.c' | xargs -r -P "$jobs" -I{} sh -c 'file=$1; shift; clang-tidy --quiet "$file" -- "$@" 2>/dev/null' \
        tidy {} -std=c17 -fopenmp "${defines[@]}" "${includes[@]}"
}

lint_cppcheck() {
    need cppcheck
    # Two things it misreads: memory.c copies a pointer on purpose; vectors are filled lane by lane in the kernels.
    cppcheck -q -j "$jobs" --std=c11 --inline-suppr --error-exitcode=1 --enable=warning,performance,portability \
        --suppress=missingIncludeSystem --suppress=pointerSize:src/base/memory.c '--suppress=uninitvar:src/kernel/*' \
        "${defines[@]}" "${includes[@]}" $(sources -name '*.c')
}

# Every public header stands alone, as C17 and as C++17.
lint_headers() {
    local header
    for header in include/percale/*.h; do
        cc -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c "$header"
        c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ "$header"
    done
}

# Who may include whom: the order is read where ARCHITECTURE.md states it, in lines that begin with `base <`.
lint_layers() {
    local order
    order=$(awk '/^ +base </ { found = 1 } found && NF == 0 { exit } found' ARCHITECTURE.md)
    [[ -n $order ]] || { echo "ARCHITECTURE.md: no line that begins with \`base <\` says who may include whom"; return 1; }
    {
        grep -nE '^ *# *include "' -r src app bench --include='*.[ch]' --include='*.inl' --include='*.cu' --include='*.cpp'
        grep -nE '^ *# *include ("|<.*/)' -r include | grep -v '<percale/' || true
    } | LC_ALL=C sort | awk -v order="$order" '
        BEGIN {
            rooms = split(order, room, "<")
            for (r = 1; r <= rooms; r++) {
                names = split(room[r], name, ",")
                for (n = 1; n <= names; n++) {
                    gsub(/[[:space:]]/, "", name[n])
                    height[name[n]] = r
                }
            }
        }
        # The folder of the order that a file is in: the longest, such as backend/cuda; "" for none.
        function folder_of(path) {
            while (path != "" && !(path in height))
                if (!sub("/[^/]*$", "", path))
                    path = ""
            return path
        }
        function bad(why) {
            print place ": includes " path ": " why
            status = 1
        }
        {
            split($0, part, ":")
            place = part[1] ":" part[2]
            file = part[1]
            path = $0
            sub(/^[^"<]*["<]/, "", path)
            sub(/[">].*$/, "", path)
            in_src = sub("^src/", "", file)
            own = folder_of(file)
            to = folder_of(path)
            if (file ~ "^include/")
                bad("public headers include public headers alone, as <percale/...>")
            else if (own == "")
                bad("the order in ARCHITECTURE.md does not have the folder of this file")
            else if (path !~ "/" && in_src)
                bad("a file in src is named with its folder")
            else if (path !~ "/") # beside it
                next
            else if (to == "")
                bad("the order in ARCHITECTURE.md does not have this folder")
            else if (height[to] > height[own])
                bad(to " stands after " own)
            else if (own != to && to != "base" && (own == "schema" || own == "check"))
                bad(own " needs base only")
            else if (own != to && to == "backend/cuda")
                bad("what is compiled for devices is reached through tables")
        }
        END { exit status }'
}

lint_shell() {
    local script
    for script in tools/*.sh .ci/run; do
        bash -n "$script"
    done
}

# What every text file keeps to: no line over 120 columns in the sources, a licence line, files under 800 lines.
lint_text() {
    local file status=0
    for file in $(sources -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.cu' -o -name '*.cpp'); do
        head -n 30 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "$file: no licence line"; status=1; }
        [[ $(wc -l <"$file") -le 800 ]] || { echo "$file: over 800 lines"; status=1; }
    done
    return $status
}

for check in "${@:-format tidy cppcheck headers layers shell text}"; do
    for name in $check; do
        "lint_$name"
    done
done
