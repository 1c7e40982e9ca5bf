/* app/cli/help.c — the texts of `percale help`, and the version. Every option that is accepted stands here or in the
 * benchmarks' own help; a test holds the sources against it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include <stdio.h>

#include "backend/backend.h"
#include "cli.h"

const char prc_help_general[] =
    "percale " PRC_VERSION " simulates elastic membranes: cloth, foil, rubber sheets.\n"
    "\n"
    "  percale run scene.yaml -o out/    simulate a scene, write frames, a table of steps and a report\n"
    "  percale info scene.yaml           what was understood of a scene, what it costs, what looks odd\n"
    "  percale check out/                verify that no stored frame of a run intersects\n"
    "  percale schema [table]            every key of a scene file: meaning, default, range, unit\n"
    "  percale bench elastic|contact     measure speed on this machine\n"
    "  percale help [verb]               this text, or more about a verb; percale VERB -h or --help does the same\n"
    "  percale --version\n"
    "\n"
    "A first scene, a cloth that hangs from two corners. Save it as cloth.yaml:\n"
    "\n"
    "  percale: 1\n"
    "  time: {step: 1e-3, duration: 1}\n"
    "  bodies:\n"
    "    - mesh: {grid: {size: [1, 1], cells: [30, 30]}}\n"
    "      place: {rotate: {axis: [1, 0, 0], degrees: 90}}\n"
    "      pins: [{select: {corners: [0, 1]}}]\n"
    "\n"
    "Then:  percale run cloth.yaml -o out/\n"
    "Frames are PLY files, which Blender, MeshLab and ParaView open. Units are SI: metres, kilograms, seconds.\n"
    "\n"
    "Exit status: 0 finished, 1 bad input, 2 bad usage, 3 could not write, 4 a step failed,\n"
    "5 surfaces intersect (check, run --verify), 130 interrupted.\n";

const char prc_help_run[] =
    "percale run scene.yaml [options]    simulate a scene\n"
    "\n"
    "  -o, --output DIR      where files go (default: out); frames of an earlier run in it are replaced\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated. Lists by index:\n"
    "                        --set time.step=5e-4 --set bodies[0].material.stretch=900\n"
    "  --until SECONDS       stop early, at this simulated time\n"
    "  --solver NAME         newton, ncg, anderson, chebyshev, jacobi, sissm  (solver.method)\n"
    "  --precision NAME      single or double  (precision)\n"
    "  --threads N           0 for all processors  (threads)\n"
    "  --fields LIST         more properties of vertices in frames: pressure,gap  (output.pressure, output.gap)\n"
    "  --report FILE         where the report goes (default: DIR/report.json)\n"
    "  --trace FILE          write energy and residual of every solver iteration, as CSV\n"
    "  --verify              check the start and every step for intersections, as percale check does but in full\n"
    "                        precision; stops at the first one with exit status 5\n"
    "  --quiet               print errors and warnings only\n"
    "  --verbose             print a line for every step\n"
    "  --interval SECONDS    where the output is not a terminal: time between two lines of progress (default: 5)\n"
    "  --log-json FILE       write a log for programs, one JSON object per line; - is standard output, and what is\n"
    "                        for people then goes to standard error\n"
    "\n"
    "Writes DIR/frame_00000.ply … (positions, velocities, principal stretches), DIR/steps.csv (one row per step)\n"
    "and DIR/report.json (settings, timings, extremes). Ctrl-C finishes the step and writes everything.\n"
    "\n"
    "While it runs, a terminal shows a bar: frame, simulated time, time left, iterations, residual, contacts. "
    "Elsewhere a\n"
    "line is printed now and then. NO_COLOR in the environment turns colours off, TERM=dumb the bar as well.\n"
    "\n"
    "  percale run cloth.yaml -o out/ --until 0.1 --verbose            # look at the first steps\n"
    "  percale run cloth.yaml -o out/ --set time.step=5e-4 --quiet     # for scripts\n"
    "  percale run cloth.yaml -o out/ --log-json - | jq -r .event      # for programs (docs/formats.md)\n"
    "\n"
    "Exit status: 0 finished, 1 bad scene or mesh, 2 bad usage, 3 a file could not be written, 4 a step failed,\n"
    "5 surfaces intersect (--verify), 130 interrupted. What was computed is kept in every case.\n";

const char prc_help_info[] =
    "percale info scene.yaml [options]    say what was understood of a scene, what it will cost, and what looks odd\n"
    "\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated\n"
    "  --fast                do not build and try the scene: no time per step, no memory\n"
    "  --json                print one JSON object instead (docs/formats.md)\n"
    "\n"
    "For a scene with errors prints all of them, each with line, column, key and what was expected. For a good one\n"
    "prints sizes, masses, materials, pins and forces; whether the start intersects; and the time-scales of each "
    "body:\n"
    "how long a stretch wave and a bending wave need for the shortest edge. A step may be longer, but what is faster\n"
    "than the step is damped. The time per step is measured: the first steps are taken, for two seconds or so.\n"
    "\n"
    "  percale info cloth.yaml\n"
    "  percale info cloth.yaml --set time.step=2e-3        # would a longer step do?\n"
    "  percale info cloth.yaml --json | jq .warnings\n"
    "\n"
    "Exit status: 0 the scene can be run, 1 it has errors or its start would be refused, 2 bad usage.\n";

const char prc_help_check[] =
    "percale check DIR [options]    verify that no stored frame of a run intersects\n"
    "percale check mesh.ply         the same for one mesh, .ply or .obj\n"
    "\n"
    "  --frames A..B         only these frames; A.., ..B and A work too\n"
    "  --obstacles A..B      vertices of obstacles, which may intersect themselves and each other (those of a\n"
    "                        scene's obstacles are marked in the frames)\n"
    "  --pairs FILE.ply      write the triangles that intersect, of the first frame in which some do\n"
    "  --quiet               print only frames that intersect\n"
    "\n"
    "Tests every edge against every triangle with which it shares no vertex, in exact arithmetic (touching counts), "
    "and\n"
    "measures the smallest distance over all vertex-triangle and edge-edge pairs, in double precision. Shares no code\n"
    "with the solver. Frames hold positions as 32-bit floats, rounded from what the solver had: the frame is what is\n"
    "checked. 'percale run --verify' checks the solver's own positions. Numbers of vertices count from 0 over all\n"
    "bodies. The gap is between surfaces without thickness.\n"
    "\n"
    "Exit status: 0 clean, 1 a frame cannot be read, 3 FILE.ply cannot be written, 5 a frame intersects.\n";

const char prc_help_schema[] = "percale schema [--markdown] [table]    every key of a scene file\n"
                               "\n"
                               "With a table name (time, material, pin …) only that table.\n"
                               "--markdown prints the page of the manual.\n"
                               "\n"
                               "  percale schema material            # keys of a material, with units and defaults\n";

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

/* Which OpenMP, by the date of its specification. */
#if defined(_OPENMP)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define THREADS "OpenMP " TEXT(_OPENMP)
#else
#define THREADS "no threads"
#endif

#if defined(NDEBUG)
#define ASSERTIONS ""
#else
#define ASSERTIONS ", with assertions"
#endif

void prc_cli_version(void)
{
    printf("percale %s\n", prc_version());
    printf("  build     %s, %s%s\n", COMPILER, THREADS, ASSERTIONS);
    printf("  kernels  ");
    for (int k = 0; prc_backend_at(PRC_PRECISION_DOUBLE, k); k++)
        printf(" %s%s", k ? "" : "* ", prc_backend_at(PRC_PRECISION_DOUBLE, k)->name);
    printf(" (* is used here)\n");
}
