/* app/cli/main.c — the program percale: finds the verb and hands over.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const char general_help[] =
    "percale " PRC_VERSION " simulates elastic membranes: cloth, foil, rubber sheets.\n"
    "\n"
    "  percale run scene.yaml -o out/    simulate a scene, write frames, a table of steps and a report\n"
    "  percale resume out/               go on with a run that was stopped or killed, to the same bits\n"
    "  percale view scene.yaml | out/    a window: simulate, drag cloth, change anything; or play the frames of a run\n"
    "  percale info scene.yaml           what was understood of a scene, what it costs, what looks odd\n"
    "  percale check out/                verify that no stored frame of a run intersects\n"
    "  percale render DIR -o FILE        pictures, contact sheets and movies of a run; see 'percale help render'\n"
    "  percale convert IN OUT            from one mesh format to another; a run to GLB, USD, MDD, PC2, OBJ\n"
    "  percale plot out/                 energies, residuals, iterations, contacts, times of runs, as SVG or PNG\n"
    "  percale schema [table]            every key of a scene file: meaning, default, range, unit\n"
    "  percale bench elastic|contact|gpu measure speed on this machine\n"
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
    "Exit status: 0 finished, 1 bad input, 2 bad usage, 3 could not write, 4 a step failed or did not converge,\n"
    "5 something intersects (check, run --verify), 6 stopped by --max-wall, 130 by Ctrl-C, 143 by SIGTERM.\n"
    "After 3, 4, 6, 130 and 143, and after a crash, 'percale resume' goes on.\n";

static const char run_help[] =
    "percale run scene.yaml [options]    simulate a scene\n"
    "\n"
    "  -o, --output DIR      where files go (default: out); a finished run in it is replaced\n"
    "  --overwrite           replace one that is not over, too: one that percale resume could go on with\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated. Lists by index:\n"
    "                        --set time.step=5e-4 --set bodies[0].material.stretch=900\n"
    "  --until SECONDS       stop early, at this simulated time\n"
    "  --solver NAME         newton, ncg, anderson, chebyshev, jacobi, sissm  (solver.method)\n"
    "  --precision NAME      single or double  (precision)\n"
    "  --backend NAME        auto, cpu or cuda: where to compute  (backend); what auto stands for can be said by\n"
    "                        PERCALE_BACKEND in the environment\n"
    "  --threads N           0 for all processors  (threads)\n"
    "  --formats LIST        files of frames: ply,vtkhdf,obj,pc2 (default: ply); vtkhdf is for ParaView, pc2 for "
    "Blender\n"
    "                        (output.formats)\n"
    "  --fields LIST         more properties of vertices in frames: stress,curvature,energy,pressure,gap,residual\n"
    "                        (output.stress and so on)\n"
    "  --report FILE         where the report goes (default: DIR/report.json)\n"
    "  --trace FILE          write energy and residual of every solver iteration, as CSV\n"
    "  --verify              check the start and every step for intersections, as percale check does but in full\n"
    "                        precision; stops at the first one with exit status 5\n"
    "  --unconverged go_on   go on after steps that do not converge, and count them; stop ends with exit status 4\n"
    "                        (solver.unconverged)\n"
    "  --max-wall DURATION   stop after this time on the clock: 2h30m, 90s, 1.5h; exit status 6\n"
    "  --checkpoint N        save the state every N steps  (output.checkpoint_steps)\n"
    "  --checkpoint-minutes M    and every M minutes, 5 unless told  (output.checkpoint_minutes)\n"
    "  --spare FOLDER        where the state goes when DIR cannot be written to, on another disk for instance\n"
    "  --quiet               print errors and warnings only\n"
    "  --verbose             print a line for every step\n"
    "  --interval SECONDS    where the output is not a terminal: time between two lines of progress (default: 5)\n"
    "  --log-json FILE       write a log for programs, one JSON object per line (docs/formats.md); - is standard\n"
    "                        output, and what is for people then goes to standard error\n"
    "\n"
    "Writes DIR/frame_00000.ply … (positions, velocities, principal stretches), DIR/steps.csv (one row per step),\n"
    "DIR/report.json (settings, timings, extremes) and DIR/checkpoint.prc (to resume from). Ctrl-C and SIGTERM stop\n"
    "within a moment, also in the midst of a step, save the state before it and say how to go on; one that comes more\n"
    "than a second later ends at once. --max-wall stops in the same way.\n"
    "\n"
    "While it runs, a terminal shows a bar: frame, simulated time, time left, iterations, residual, contacts. "
    "Elsewhere\n"
    "a line is printed now and then. NO_COLOR in the environment turns colours off, TERM=dumb the bar as well.\n"
    "\n"
    "  percale run cloth.yaml -o out/ --until 0.1 --verbose            # look at the first steps\n"
    "  percale run cloth.yaml -o out/ --set time.step=5e-4 --quiet     # for scripts\n"
    "  percale run cloth.yaml -o out/ --log-json - | jq -r .event      # for programs\n"
    "\n"
    "Exit status: 0 finished, 1 bad input, 2 bad usage, 3 could not write, 4 a step failed or did not converge,\n"
    "5 surfaces intersect, 6 stopped by --max-wall, 130 by Ctrl-C, 143 by SIGTERM. After 3, 4, 6, 130 and 143\n"
    "'percale resume DIR' goes on.\n";

static const char resume_help[] =
    "percale resume DIR [options]    go on with a run that was stopped, killed or ended\n"
    "\n"
    "  --until SECONDS       go on to this simulated time, also beyond the scene's duration\n"
    "  --max-wall DURATION   stop after this time on the clock: 2h30m, 90s, 1.5h; exit status 6\n"
    "  --backend NAME        go on there; bits differ from those of a run that was not moved\n"
    "  --threads N, --unconverged go_on, --checkpoint N, --checkpoint-minutes M, --spare FOLDER, --quiet, --verbose,\n"
    "  --interval SECONDS, --log-json FILE    as in percale run; the log is appended to\n"
    "  --scene FILE          where the scene is now, if it was moved\n"
    "  -o, --output DIR      where the output is now, if it was moved\n"
    "\n"
    "Reads DIR/checkpoint.prc, or the one before it (checkpoint.previous.prc) where that is damaged; takes back what "
    "was\n"
    "written after it, and goes on. Frames and steps.csv (but for its times) have the same bits as those of a run "
    "that\n"
    "was never interrupted, with any number of threads. A checkpoint of another version of percale, or of a scene "
    "that\n"
    "has changed since, is refused. DIR may be the --spare folder of a run.\n"
    "\n"
    "Exit status: as of percale run.\n";

static const char info_help[] =
    "percale info scene.yaml [options]    say what was understood of a scene, what it will cost, and what looks odd\n"
    "\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated\n"
    "  --solver NAME, --precision NAME, --backend NAME, --threads N    as in percale run\n"
    "  --problems FILE.ply   show what is wrong with a mesh file that cannot be simulated\n"
    "  --fast                do not try the scene: no time per step, and memory only roughly\n"
    "  --measure             do, also where it is large: more than 100 000 vertices or 2 GB\n"
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
static const char convert_help[] =
    "percale convert IN OUT [options]    from one format to another\n"
    "\n"
    "  percale convert shirt.stl shirt.obj                   a mesh\n"
    "  percale convert out/ movie.glb                        a run, as an animation that browsers play\n"
    "  percale convert out/ cloth.usda                       a run, for Blender, Houdini, Maya, Omniverse\n"
    "  percale convert out/ frames.pc2                       positions only, as PointCache2; .mdd likewise\n"
    "  percale convert out/ obj/frame_%04d.obj               all frames of a run, one file each\n"
    "  percale convert out/ end.vtk --frame last             one frame\n"
    "  percale convert kick.pc2 kick_%04d.ply --mesh body.obj\n"
    "\n"
    "IN is a mesh (.obj .ply .stl .glb .gltf .msh .vtk), the folder of a run, files by number (walk_%04d.obj, from 0\n"
    "or 1 on), or a .pc2 or .mdd file with --mesh. OUT is a mesh (.obj .ply .stl .vtk), files by number, or all "
    "frames\n"
    "in one file: .glb .usda .mdd .pc2.\n"
    "\n"
    "  --frame N|last        one frame of many\n"
    "  --frames A..B         only these frames; A.. and ..B work too\n"
    "  --every N             of these each N-th. A GLB file has 250 frames at most unless this says otherwise: each "
    "is\n"
    "                        a morph target, and browsers are sure of 256\n"
    "  --fps N               frames per second, for .glb .usda .mdd: else as the frames of a run say, or 25\n"
    "  --body NAME           only this body or obstacle of a run\n"
    "  --no-normals          .glb: half the size, and flat shading\n"
    "  --mesh FILE           the mesh that a .pc2 or .mdd file moves\n"
    "  --mend                mend what can be mended: isolated vertices, duplicate triangles, triangles that name a\n"
    "                        vertex twice, orientation; says what it did\n"
    "  --check               refuse a mesh that could not be simulated, and say why\n"
    "  --problems FILE.ply   with --check: show what is wrong, in colours\n"
    "  --split-texture       OBJ: part the mesh where a vertex has several texture coordinates\n"
    "  --vertices FIRST,N    keep N vertices from number FIRST on, and their triangles\n"
    "  --rotate X,Y,Z,DEG    turn about an axis through the origin: 1,0,0,-90 makes y up what was z up\n"
    "  --scale S             then scale: 0.001 for millimetres\n"
    "  --translate X,Y,Z     then move\n"
    "  --quiet               print errors only\n"
    "\n"
    "OBJ keeps texture, groups and stitches; PLY and VTK keep texture and properties of vertices; STL keeps triangles\n"
    "only, in single precision. GLB and USD keep bodies and obstacles apart, with their names. What is not kept is\n"
    "said; docs/formats.md tells more. Exit status: 0, 1 bad input, 2 bad usage, 3 could not write.\n";

static const char check_help[] =
    "percale check DIR [options]    verify that no stored frame of a run intersects\n"
    "percale check mesh.ply         the same for one mesh file, or files by number: frame_%04d.obj\n"
    "\n"
    "  --frames A..B         only these frames; A.., ..B and A work too\n"
    "  --obstacles A..B      vertices of obstacles, which may intersect themselves and each other (those of a\n"
    "                        scene's obstacles are marked in the frames)\n"
    "  --pairs FILE.ply      write the triangles that intersect others or colliders, and particles that overlap, of\n"
    "                        the first frame in which some do\n"
    "  --quiet               print only frames that intersect\n"
    "\n"
    "Tests every edge against every triangle with which it shares no vertex, in exact arithmetic (touching counts), "
    "and\n"
    "measures the smallest distance over all vertex-triangle and edge-edge pairs, in double precision. Tests whole\n"
    "triangles, edges and points against every collider (collider) where it is in that frame, as PLY and OBJ frames of "
    "a\n"
    "run say; where they do not, it says that colliders were not checked. Obstacles may intersect each other and "
    "colliders.\n"
    "Shares no code with the solver. Frames hold positions as 32-bit floats, rounded from what the solver had: the\n"
    "frame is what is checked. 'percale run --verify' checks the solver's own positions. Numbers of vertices count\n"
    "from 0 over all bodies. Gaps are between surfaces without thickness.\n"
    "Particles may be no nearer to each other, to surfaces and to colliders than 0.8 of the thickness that contact\n"
    "gives them, in double precision; their radius and the thickness of surfaces are in PLY frames. Where a frame does\n"
    "not tell them, as OBJ frames, it says so. Their numbers count within their body.\n"
    "\n"
    "Exit status: 0 clean, 1 a frame cannot be read, 3 FILE.ply cannot be written, 5 a frame intersects.\n";

static const char plot_help[] =
    "percale plot RUN... [options]    what happened in a run over time, as pictures; several runs are compared\n"
    "\n"
    "  percale plot out/                                     all there is, into out/plots.svg\n"
    "  percale plot out/ -o figures --format pdf             a file per plot: figures/energies.pdf and so on\n"
    "  percale plot coarse/ fine/ -o compare.png --what residuals,timings --names '25 mm,10 mm'\n"
    "  percale plot out/ --what largest_speed,momentum_y     any column of steps.csv\n"
    "\n"
    "RUN is the folder of a run, also of one that goes on, or a steps.csv.\n"
    "\n"
    "  -o, --output PATH     a file that ends in .svg, .png or .pdf, or a folder for a file per plot (default:\n"
    "                        RUN/plots.svg, for several runs plots.svg)\n"
    "  --what LIST           some of\n"
    "                        energies      elastic, kinetic, potential, of springs and pressure; their sum\n"
    "                        residuals     what the solver left, and which steps did not converge\n"
    "                        iterations    outer ones, and those of linear solves\n"
    "                        contacts      pairs that are close, and those that push\n"
    "                        gaps          smallest gap, and how far anything lags behind its motion\n"
    "                        timings       wall clock of each step, part by part\n"
    "                        convergence   residual after every iteration; from the trace of a run\n"
    "                        or columns of steps.csv (default: all that have something to show)\n"
    "  --time A..B           only this part of the simulated time, in seconds; A.. and ..B work too\n"
    "  --names A,B,…         what the runs are called in the plots (default: their folders)\n"
    "  --trace FILE          what 'percale run --trace FILE' wrote (default: RUN/trace.csv where it exists)\n"
    "  --format NAME         svg, png or pdf, where the output does not say\n"
    "  --size WxH            of the picture in pixels; PNG has twice as many, for print\n"
    "  --script FILE         do not draw, but write the script for gnuplot with all data in it, to change it\n"
    "  --quiet               do not print names of files\n"
    "\n"
    "Draws with gnuplot (Debian: gnuplot-nox). Of long runs each point stands for several steps: the largest residual\n"
    "of them, the smallest gap, the mean time.\n"
    "\n"
    "Exit status: 0, 1 a run that cannot be read, or no gnuplot, 2 bad usage, 3 could not write.\n";

static const char schema_help[] =
    "percale schema [--markdown] [table]    every key of a scene file\n"
    "percale schema --json-schema           the same for editors, as JSON Schema (draft 2020-12)\n"
    "\n"
    "With a table name (time, material, pin …) only that table.\n"
    "--markdown prints the page of the manual.\n"
    "\n"
    "An editor with a YAML language server completes and checks scenes that begin with\n"
    "  # yaml-language-server: $schema=percale.schema.json\n"
    "beside a file made by 'percale schema --json-schema > percale.schema.json'.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: the verb prints its own */
} verbs[] = {
    {"run", prc_cli_run, run_help},
    {"resume", prc_cli_resume, resume_help},
    {"view", prc_cli_view, prc_view_help},
    {"info", prc_cli_info, info_help},
    {"check", prc_cli_check, check_help},
    {"render", prc_cli_render, prc_render_help},
    {"convert", prc_cli_convert, convert_help},
    {"plot", prc_cli_plot, plot_help},
    {"schema", prc_cli_schema, schema_help},
    {"bench", prc_cli_bench, NULL},
};

#define VERBS (sizeof verbs / sizeof *verbs)

static bool asks_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run_verb(size_t v, int argc, char **argv)
{
    for (int i = 1; verbs[v].help && i < argc; i++)
        if (asks_help(argv[i])) {
            fputs(verbs[v].help, stdout);
            return PRC_EXIT_OK;
        }
    return verbs[v].run(argc, argv);
}

static int help(const char *verb)
{
    for (size_t v = 0; verb && v < VERBS; v++)
        if (!strcmp(verb, verbs[v].name)) {
            char option[] = "--help", *arguments[] = {(char *)verb, option, NULL};
            return run_verb(v, 2, arguments);
        }
    fputs(general_help, stdout);
    return PRC_EXIT_OK;
}

int prc_cli_usage(const char *verb, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "percale%s%s: ", verb[0] ? " " : "", verb);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'percale help%s%s'.\n", verb[0] ? " " : "", verb);
    return PRC_EXIT_USAGE;
}

double prc_cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Where standard input, output or errors are closed, the first files that are opened would take their numbers, and
 * messages would go into them. */
static void open_standard_streams(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) != number)
            exit(PRC_EXIT_INPUT); /* and nobody could be told */
}

/* Threads that spin while they wait cost many times their worth where other programs want the processors. OpenMP reads
 * its wishes before main starts, so the program starts itself once more with them set, unless the user has set them. */
static void start_waiting_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("GOMP_SPINCOUNT", "20000", 0); /* a stage is over soon: a short wait awake, then sleep */
    setenv("KMP_BLOCKTIME", "0", 0);
    execv("/proc/self/exe", argv); /* where this fails, threads spin: slower, not wrong */
}

int main(int argc, char **argv)
{
    open_standard_streams();
    start_waiting_passively(argv);
    if (argc < 2) {
        fputs(general_help, stderr);
        return PRC_EXIT_USAGE;
    }
    if (asks_help(argv[1]) || !strcmp(argv[1], "help"))
        return help(argc > 2 ? argv[2] : NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        prc_cli_version();
        return PRC_EXIT_OK;
    }
    for (size_t v = 0; v < VERBS; v++)
        if (!strcmp(argv[1], verbs[v].name))
            return run_verb(v, argc - 1, argv + 1);
    return prc_cli_usage(
        "", "'%s' is not known; expected run, resume, view, info, check, render, convert, plot, schema, bench or help",
        argv[1]);
}
