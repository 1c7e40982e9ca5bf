/* app/cli/view.c — `percale view`: simulates a scene in a window, or plays the frames of a run. The window is in
 * app/view, if it was built. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

const char prc_view_help[] =
    "percale view scene.yaml [options]    simulate a scene in a window, and change it while it runs\npercale view DIR "
    "[options]           play the frames of a run, with a time line\n\n  --set KEY=VALUE       change a value of the "
    "scene; may be repeated: --set bodies[0].mesh.grid.cells=[20,20]\n  --paused              start paused; the space "
    "bar starts the simulation\n  --size WxH            size of the window (default: 1280x800)\n  -o, --output DIR     "
    " folder for screenshots, movies and saved states (default: the current folder)\n  --backend NAME        auto, cpu "
    "or cuda: where to compute  (backend)\n  --precision NAME      single or double  (precision)\n  --threads N        "
    "   threads of the solver (default: all processors but one, which is left to the window)\n  --scene FILE          "
    "with DIR: new path of the scene file of the run, if it was moved\n  --log-json FILE       write a log, one JSON "
    "object per line: events, time, frames per second; - is standard\n                        output\n\nThe solver "
    "runs in its own thread, in real time at most (key T: as fast as it can); the window shows its latest\nstate, "
    "sixty times per second.\n\n  left drag on cloth    drag the cloth with a soft pin: a force that cannot pull cloth "
    "through anything\n  Ctrl + left drag      move a collider or obstacle; it waits where cloth is caught\n  drag "
    "elsewhere        rotate the camera; middle button or Shift: move it; wheel: zoom\n  sliders               "
    "gravity, wind, friction, stretch and bending stiffness, weight, time step; right click:\n                        "
    "reset to the value of the scene\n  space N R             pause, one step, restart at time 0\n  C W K B L          "
    "   colours, wireframe, contact forces, safe bounds, shadows\n  P V S                 screenshot, record a movie "
    "(with ffmpeg, else pictures), save the state as PLY\n  H                     list of all keys\n\n  percale view "
    "scenes/drape.yaml\n  percale view scenes/table.yaml --set bodies[0].material.bending=1e-4 --paused\n  percale "
    "view out/drape\n\nNeeds a display with OpenGL 3.3; a software renderer works, but is slow. Without a display, use "
    "percale render\nor xvfb-run percale view. Exit status: 0, 1 bad input or no window, 2 bad usage.\n";

#ifdef PRC_HAVE_VIEW

#include <sys/stat.h>

#include "view.h"

typedef struct options {
    const char *what, *scene;
    char **overrides;
    int override_count;
    prc_view_options view;
} options;

static int read_size(const char *text, prc_view_options *view)
{
    char end;
    if (sscanf(text, "%dx%d%c", &view->width, &view->height, &end) == 2 && view->width >= 320 && view->height >= 240 &&
        view->width <= 16384 && view->height <= 16384)
        return PRC_EXIT_OK;
    return prc_cli_usage("view", "--size %s: expected WIDTHxHEIGHT, 320x240 or more", text);
}

static bool add_override(options *o, const char *key, const char *value)
{
    char *text = malloc(strlen(key) + strlen(value) + 1);
    if (!text)
        return false;
    strcpy(text, key);   /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): there is room */
    strcat(text, value); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
    o->overrides[o->override_count++] = text;
    return true;
}

static int read_value(options *o, const char *name, const char *value)
{
    static const char *const keys[][2] = {
        {"--set", ""}, {"--backend", "backend="}, {"--precision", "precision="}, {"--threads", "threads="}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!strcmp(name, keys[k][0]))
            return add_override(o, keys[k][1], value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    if (!strcmp(name, "-o") || !strcmp(name, "--output"))
        o->view.folder = value;
    else if (!strcmp(name, "--log-json"))
        o->view.log = value;
    else if (!strcmp(name, "--scene"))
        o->scene = value;
    else
        return read_size(value, &o->view);
    return PRC_EXIT_OK;
}

static int read_options(options *o, int argc, char **argv)
{
    static const char *const with_value[] = {"--set", "--backend",  "--precision", "--threads", "--output",
                                             "-o",    "--log-json", "--size",      "--scene"};
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof with_value / sizeof *with_value; k++)
            known |= !strcmp(argv[i], with_value[k]);
        if (known && i + 1 == argc)
            return prc_cli_usage("view", "%s needs a value", argv[i]);
        if (known) {
            const int status = read_value(o, argv[i], argv[i + 1]);
            if (status)
                return status;
            i++;
        } else if (!strcmp(argv[i], "--paused"))
            o->view.paused = true;
        else if (argv[i][0] == '-')
            return prc_cli_usage("view", "unknown option %s", argv[i]);
        else if (o->what)
            return prc_cli_usage("view", "only one scene or folder is allowed; found %s and %s", o->what, argv[i]);
        else
            o->what = argv[i];
    }
    return o->what ? PRC_EXIT_OK : prc_cli_usage("view", "no scene and no folder of a run given");
}

/* One processor is left to the window, unless the user says how many the solver has. */
static void leave_one(prc_sim_def *def)
{
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    if (def->threads == 0 && all > 1)
        def->threads = (int)all - 1;
}

static int view_scene(const options *o)
{
    prc_scene_errors *errors = calloc(1, sizeof *errors);
    prc_scene *scene =
        errors ? prc_scene_read(o->what, (const char *const *)o->overrides, o->override_count, errors) : NULL;
    int status = PRC_EXIT_INPUT;
    if (scene) {
        prc_sim_def def = *prc_scene_sim_def(scene);
        prc_error error;
        leave_one(&def);
        const prc_result result = prc_view_scene(&def, &o->view, &error);
        if (result)
            fprintf(stderr, "percale view: %s\n", error.message);
        status = result ? PRC_EXIT_INPUT : PRC_EXIT_OK;
    } else if (errors)
        prc_cli_scene_errors(errors);
    prc_scene_destroy(scene);
    free(errors);
    return status;
}

/* A scene is a file of YAML; all else is something to play. */
static bool is_scene(const char *path)
{
    const char *end = strrchr(path, '.');
    struct stat found;
    return end && (!strcmp(end, ".yaml") || !strcmp(end, ".yml")) &&
           !(stat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

static int view_run(const options *o)
{
    prc_error error;
    if (o->override_count)
        return prc_cli_usage("view", "%s is a finished simulation: --set, --backend and similar options are for scenes",
                             o->what);
    const prc_result result = prc_view_run(o->what, o->scene, &o->view, &error);
    if (result)
        fprintf(stderr, "percale view: %s\n", error.message);
    return result ? PRC_EXIT_INPUT : PRC_EXIT_OK;
}

int prc_cli_view(int argc, char **argv)
{
    options o = {.view = {.folder = ".", .width = 1280, .height = 800}};
    o.overrides = calloc((size_t)argc + 1, sizeof *o.overrides);
    int status = o.overrides ? read_options(&o, argc, argv) : PRC_EXIT_INPUT;
    if (!status && o.what) {
        o.view.title = o.what;
        status = is_scene(o.what) ? view_scene(&o) : view_run(&o);
    }
    for (int k = 0; k < o.override_count; k++)
        free(o.overrides[k]);
    free(o.overrides);
    return status;
}

#else

int prc_cli_view(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fprintf(stderr, "percale view: this percale was built without the window, which needs GLFW 3.3 and libepoxy. On "
                    "Debian:\n  apt install libglfw3-dev libepoxy-dev libfreetype-dev\nthen configure and build again. "
                    "'percale render' makes pictures and movies without a window.\n");
    return PRC_EXIT_INPUT;
}

#endif
