/* app/cli/main.c — the program percale: help texts, and dispatch to verbs.
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
    "  percale resume out/               continue a run that was stopped or killed, with bitwise the same results\n"
    "  percale view scene.yaml | out/    simulate in a window: drag cloth, change settings; or play frames of a run\n"
    "  percale info scene.yaml           show the contents of a scene, its cost, and warnings\n"
    "  percale check out/                verify that no stored frame of a run intersects\n"
    "  percale render DIR -o FILE        pictures, contact sheets and movies of a run; see 'percale help render'\n"
    "  percale convert IN OUT            convert between mesh formats; or a run to GLB, USD, MDD, PC2, OBJ\n"
    "  percale plot out/                 energies, residuals, iterations, contacts, times of runs, as SVG or PNG\n"
    "  percale schema [table]            all keys of scene files: meaning, default, range, unit\n"
    "  percale bench elastic|contact|gpu measure speed on this machine\n"
    "  percale help [verb]               this text, or help for a verb; percale VERB -h or --help does the same\n"
    "  percale --version\n"
    "\n"
    "A first scene, a cloth hanging from two corners. Save it as cloth.yaml:\n"
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
    "5 surfaces intersect (check, run --verify), 6 stopped by --max-wall, 130 by Ctrl-C, 143 by SIGTERM.\n"
    "After 3, 4, 6, 130 and 143, and after a crash, 'percale resume' continues.\n";

static const char run_help[] =
    "percale run scene.yaml [options]    simulate a scene\n"
    "\n"
    "  -o, --output DIR      output folder (default: out); a finished run in it is replaced\n"
    "  --overwrite           also replace an unfinished run, which percale resume could continue\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated. List items are given by index:\n"
    "                        --set time.step=5e-4 --set bodies[0].material.stretch=900\n"
    "  --until SECONDS       stop early, at this simulated time\n"
    "  --solver NAME         newton, ncg, anderson, chebyshev, jacobi, sissm  (solver.method)\n"
    "  --precision NAME      single or double  (precision)\n"
    "  --backend NAME        auto, cpu or cuda: where to compute  (backend); the environment variable\n"
    "                        PERCALE_BACKEND sets what auto means\n"
    "  --threads N           number of CPU threads; 0: all processors  (threads)\n"
    "  --formats LIST        frame files: ply,vtkhdf,obj,pc2 (default: ply); vtkhdf is for ParaView, pc2 for Blender\n"
    "                        (output.formats)\n"
    "  --fields LIST         more vertex properties in frames: stress,curvature,energy,pressure,gap,residual\n"
    "                        (output.stress and so on)\n"
    "  --report FILE         file for the report (default: DIR/report.json)\n"
    "  --trace FILE          write energy and residual of every solver iteration, as CSV\n"
    "  --verify              check the start and every step for intersections, like percale check but in full\n"
    "                        precision; stops at the first intersection, with exit status 5\n"
    "  --unconverged go_on   continue after steps that do not converge, and count them; stop ends with exit status 4\n"
    "                        (solver.unconverged)\n"
    "  --max-wall DURATION   stop after this wall-clock time: 2h30m, 90s, 1.5h; exit status 6\n"
    "  --checkpoint N        save the state every N steps  (output.checkpoint_steps)\n"
    "  --checkpoint-minutes M    save the state every M minutes (default: 5)  (output.checkpoint_minutes)\n"
    "  --spare FOLDER        folder for the state if DIR cannot be written to, for example on another disk\n"
    "  --quiet               print errors and warnings only\n"
    "  --verbose             print a line for every step\n"
    "  --interval SECONDS    time between two progress lines if the output is not a terminal (default: 5)\n"
    "  --log-json FILE       write a log for programs, one JSON object per line (docs/formats.md); - is standard\n"
    "                        output, and text for people then goes to standard error\n"
    "\n"
    "Writes DIR/frame_00000.ply … (positions, velocities, principal stretches), DIR/steps.csv (one row per step),\n"
    "DIR/report.json (settings, timings, extremes) and DIR/checkpoint.prc (for percale resume). Ctrl-C and SIGTERM\n"
    "stop the run promptly, even during a step: it saves the state before that step and prints how to continue. A\n"
    "second signal, more than a second later, ends it at once. --max-wall stops in the same way.\n"
    "\n"
    "During a run, a terminal shows a progress bar: frame, simulated time, time left, iterations, residual, contacts.\n"
    "Other outputs get a progress line every few seconds. The environment variable NO_COLOR turns off colours,\n"
    "TERM=dumb also the bar.\n"
    "\n"
    "  percale run cloth.yaml -o out/ --until 0.1 --verbose            # look at the first steps\n"
    "  percale run cloth.yaml -o out/ --set time.step=5e-4 --quiet     # for scripts\n"
    "  percale run cloth.yaml -o out/ --log-json - | jq -r .event      # for programs\n"
    "\n"
    "Exit status: 0 finished, 1 bad input, 2 bad usage, 3 could not write, 4 a step failed or did not converge,\n"
    "5 surfaces intersect, 6 stopped by --max-wall, 130 by Ctrl-C, 143 by SIGTERM. After 3, 4, 6, 130 and 143,\n"
    "'percale resume DIR' continues.\n";

static const char resume_help[] =
    "percale resume DIR [options]    continue a run that was stopped, killed or finished\n"
    "\n"
    "  --until SECONDS       continue to this simulated time, which may be beyond the duration of the scene\n"
    "  --max-wall DURATION   stop after this wall-clock time: 2h30m, 90s, 1.5h; exit status 6\n"
    "  --backend NAME        continue on another backend; results then differ in their last bits\n"
    "  --threads N, --unconverged go_on, --checkpoint N, --checkpoint-minutes M, --spare FOLDER, --quiet, --verbose,\n"
    "  --interval SECONDS, --log-json FILE    as in percale run; the log is appended to\n"
    "  --scene FILE          new path of the scene file, if it was moved\n"
    "  -o, --output DIR      new path of the output folder, if it was moved\n"
    "\n"
    "Reads DIR/checkpoint.prc, or the previous one (checkpoint.previous.prc) if that is damaged; discards all output\n"
    "written after the checkpoint, and continues from there. Frames and steps.csv (except times) are bitwise the same\n"
    "as those of an uninterrupted run, with any number of threads. A checkpoint from another version of percale, or\n"
    "from a scene that has since changed, is refused. DIR may be the --spare folder of a run.\n"
    "\n"
    "Exit status: as for percale run.\n";

static const char info_help[] =
    "percale info scene.yaml [options]    show the contents of a scene, its cost, and warnings\n"
    "\n"
    "  --set KEY=VALUE       change a value of the scene; may be repeated\n"
    "  --solver NAME, --precision NAME, --backend NAME, --threads N    as in percale run\n"
    "  --problems FILE.ply   write a mesh that shows in colour why a mesh file cannot be simulated\n"
    "  --fast                do not take trial steps: no time per step, and only a rough estimate of memory\n"
    "  --measure             take trial steps even if the scene is large: more than 100 000 vertices or 2 GB\n"
    "  --json                print one JSON object instead (docs/formats.md)\n"
    "\n"
    "For a scene with errors, prints all of them, each with line, column, key and the expected value. For a valid\n"
    "scene, prints sizes, masses, materials, pins and forces; whether surfaces intersect at the start; and the time\n"
    "scales of each body: how long a stretch wave and a bending wave take to cross the shortest edge. The time step\n"
    "may be longer, but motion faster than the step is damped. The time per step is measured by taking the first\n"
    "steps, for about two seconds.\n"
    "\n"
    "  percale info cloth.yaml\n"
    "  percale info cloth.yaml --set time.step=2e-3        # is a longer step good enough?\n"
    "  percale info cloth.yaml --json | jq .warnings\n"
    "\n"
    "Exit status: 0 the scene can be run, 1 it has errors or its start would be refused, 2 bad usage.\n";
static const char convert_help[] =
    "percale convert IN OUT [options]    convert between file formats\n"
    "\n"
    "  percale convert shirt.stl shirt.obj                   a mesh\n"
    "  percale convert out/ movie.glb                        a run, as an animation for browsers\n"
    "  percale convert out/ cloth.usda                       a run, for Blender, Houdini, Maya, Omniverse\n"
    "  percale convert out/ frames.pc2                       positions only, as PointCache2; also .mdd\n"
    "  percale convert out/ obj/frame_%04d.obj               all frames of a run, one file each\n"
    "  percale convert out/ end.vtk --frame last             one frame\n"
    "  percale convert kick.pc2 kick_%04d.ply --mesh body.obj\n"
    "\n"
    "IN is a mesh (.obj .ply .stl .glb .gltf .msh .vtk), the folder of a run, numbered files (walk_%04d.obj, starting\n"
    "at 0 or 1), or a .pc2 or .mdd file with --mesh. OUT is a mesh (.obj .ply .stl .vtk), numbered files, or one file\n"
    "with all frames: .glb .usda .mdd .pc2.\n"
    "\n"
    "  --frame N|last        one frame of several\n"
    "  --frames A..B         only these frames; A.. and ..B work too\n"
    "  --every N             only every Nth of these frames. By default a GLB file gets at most 250 frames: each is\n"
    "                        a morph target, of which browsers support at least 256\n"
    "  --fps N               frames per second, for .glb .usda .mdd (default: as in the run, else 25)\n"
    "  --body NAME           only this body or obstacle of a run\n"
    "  --no-normals          .glb: half the size, and flat shading\n"
    "  --mesh FILE           mesh of a .pc2 or .mdd file, which has positions only\n"
    "  --mend                repair isolated vertices, duplicate triangles, triangles that name a vertex twice, and\n"
    "                        orientation; prints what was changed\n"
    "  --check               refuse a mesh that could not be simulated, with the reason\n"
    "  --problems FILE.ply   with --check: write a mesh that shows the problems in colour\n"
    "  --split-texture       OBJ: cut the mesh open where a vertex has several texture coordinates\n"
    "  --vertices FIRST,N    keep N vertices, starting at number FIRST, and their triangles\n"
    "  --rotate X,Y,Z,DEG    rotate about an axis through the origin: 1,0,0,-90 turns z up into y up\n"
    "  --scale S             then scale: 0.001 for millimetres\n"
    "  --translate X,Y,Z     then translate\n"
    "  --quiet               print errors only\n"
    "\n"
    "OBJ keeps texture, groups and stitches; PLY and VTK keep texture and vertex properties; STL keeps triangles\n"
    "only, in single precision. GLB and USD keep bodies and obstacles separate, with their names. percale convert\n"
    "lists what it does not keep; see docs/formats.md. Exit status: 0, 1 bad input, 2 bad usage, 3 could not write.\n";

static const char check_help[] =
    "percale check DIR [options]    verify that no stored frame of a run intersects\n"
    "percale check mesh.ply         the same for one mesh file, or for numbered files: frame_%04d.obj\n"
    "\n"
    "  --frames A..B         only these frames; A.., ..B and A work too\n"
    "  --obstacles A..B      vertices of obstacles, which may intersect themselves and each other (the obstacles of a\n"
    "                        scene are marked in the frames)\n"
    "  --pairs FILE.ply      write the triangles that intersect others or colliders, of the first frame with any\n"
    "  --quiet               print only frames that intersect\n"
    "\n"
    "Tests every edge against every triangle with which it shares no vertex, in exact arithmetic (touching counts as\n"
    "intersection), and measures the smallest distance over all vertex-triangle and edge-edge pairs, in double\n"
    "precision. Tests whole triangles, edges and points against every collider in its pose in that frame, which the\n"
    "PLY and OBJ frames of a run contain; if a frame has no poses, prints that colliders were not checked. Obstacles\n"
    "may intersect each other and colliders. Shares no code with the solver. Frames hold positions as 32-bit floats,\n"
    "rounded from those of the solver: what is checked is the frame. 'percale run --verify' checks the positions of\n"
    "the solver itself. Vertex numbers count from 0 over all bodies. Gaps are between surfaces of zero thickness.\n"
    "\n"
    "Exit status: 0 no intersection, 1 a frame cannot be read, 3 FILE.ply cannot be written, 5 a frame intersects.\n";

static const char plot_help[] =
    "percale plot RUN... [options]    plot quantities of a run over time; several runs are compared\n"
    "\n"
    "  percale plot out/                                     all plots, into out/plots.svg\n"
    "  percale plot out/ -o figures --format pdf             one file per plot: figures/energies.pdf and so on\n"
    "  percale plot coarse/ fine/ -o compare.png --what residuals,timings --names '25 mm,10 mm'\n"
    "  percale plot out/ --what largest_speed,momentum_y     any column of steps.csv\n"
    "\n"
    "RUN is the folder of a run, which may still be in progress, or a steps.csv.\n"
    "\n"
    "  -o, --output PATH     a file ending in .svg, .png or .pdf, or a folder for one file per plot (default:\n"
    "                        RUN/plots.svg; for several runs plots.svg)\n"
    "  --what LIST           some of\n"
    "                        energies      elastic, kinetic, potential, of springs and pressure; their sum\n"
    "                        residuals     residuals of the solver, and the steps that did not converge\n"
    "                        iterations    outer iterations, and those of linear solves\n"
    "                        contacts      contact pairs, and active contacts\n"
    "                        gaps          smallest gap, and largest lag behind a prescribed motion\n"
    "                        timings       wall-clock time of each step and its parts\n"
    "                        convergence   residual after every iteration; from the trace of a run\n"
    "                        or columns of steps.csv (default: all plots that have data)\n"
    "  --time A..B           only this range of simulated time, in seconds; A.. and ..B work too\n"
    "  --names A,B,…         names of the runs in the plots (default: their folders)\n"
    "  --trace FILE          output of 'percale run --trace FILE' (default: RUN/trace.csv if it exists)\n"
    "  --format NAME         svg, png or pdf, if the output has no such ending\n"
    "  --size WxH            size of the picture in pixels; PNG has twice as many, for print\n"
    "  --script FILE         do not draw, but write the gnuplot script with all data in it, for editing\n"
    "  --quiet               do not print file names\n"
    "\n"
    "Draws with gnuplot (Debian: gnuplot-nox). In plots of long runs, each point stands for several steps: their\n"
    "largest residual, smallest gap, mean time.\n"
    "\n"
    "Exit status: 0, 1 a run cannot be read, or gnuplot is missing, 2 bad usage, 3 could not write.\n";

static const char schema_help[] =
    "percale schema [--markdown] [table]    all keys of scene files\n"
    "percale schema --json-schema           the same for editors, as JSON Schema (draft 2020-12)\n"
    "\n"
    "With the name of a table (time, material, pin …), prints only that table.\n"
    "--markdown prints docs/scene.md.\n"
    "\n"
    "An editor with a YAML language server completes and checks scenes that begin with\n"
    "  # yaml-language-server: $schema=percale.schema.json\n"
    "if they are beside a file made by 'percale schema --json-schema > percale.schema.json'.\n";

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

/* If standard input, output or error is closed, the next files opened would get its descriptor, and messages would be
 * written into them. */
static void open_standard_streams(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) != number)
            exit(PRC_EXIT_INPUT); /* there is nowhere to print an error */
}

/* Threads that spin while they wait cost much time if other programs need the processors. OpenMP reads its environment
 * variables before main starts, so the program sets them and executes itself again, unless the user has set them. */
static void start_waiting_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("GOMP_SPINCOUNT", "20000", 0); /* stages are short: spin briefly, then sleep */
    setenv("KMP_BLOCKTIME", "0", 0);
    execv("/proc/self/exe", argv); /* if this fails, threads spin: slower, but correct */
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
        "", "unknown verb '%s'; expected run, resume, view, info, check, render, convert, plot, schema, bench or help",
        argv[1]);
}
