/* app/cli/convert.c — `percale convert`: converts between mesh formats, and the frames of a run to other files.
 *
 * Every input is a list of frames (source.h), which become a mesh, numbered files, or one file with all frames
 * (io/clip.h). Frames are read one at a time. Leaves out frames whose triangles change.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "io/clip.h"
#include "io/numbered.h"
#include "parts.h"
#include "source.h"

#define PATH_SIZE 1100
#define LAST_FRAME (-1)
#define NO_FRAME (-2)
#define MOST_TARGETS 250 /* frames of a GLB file unless told: browsers are sure of 256 morph targets, and no more */

typedef struct job {
    const char *in, *out, *problems, *body;
    prc_source_def from;
    bool check, quiet, no_normals;
    double scale, translate[3], rotate[4]; /* axis and degrees */
    int frame;                             /* NO_FRAME, LAST_FRAME */
    prc_source source;
    bool noted;   /* the notes of one frame are enough */
    bool writing; /* what fails now is the output */
} job;

/* ---- options ---- */

/* Numbers with commas between them. */
static bool read_numbers(const char *text, double *values, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        values[k] = strtod(text, &end);
        if (end == text || !isfinite(values[k]) || *end != (k + 1 < count ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

static bool read_count(const char *text, int *count)
{
    char *end;
    const long value = strtol(text, &end, 10);
    *count = (int)value;
    return end != text && !*end && value >= 1 && value < INT_MAX;
}

static bool read_frame(const char *text, int *frame)
{
    char *end;
    const long value = strtol(text, &end, 10);
    *frame = !strcmp(text, "last") ? LAST_FRAME : (int)value;
    return *frame == LAST_FRAME || (end != text && !*end && value >= 0 && value < INT_MAX);
}

/* "a..b", "a.." or "..b". */
static bool read_frames(const char *text, int *first, int *last)
{
    const char *dots = strstr(text, "..");
    char *end = NULL;
    const long low = strtol(text, &end, 10);
    if (!dots || (end != dots) || low < 0 || low > INT_MAX)
        return false;
    const long high = dots[2] ? strtol(dots + 2, &end, 10) : INT_MAX;
    *first = (int)low;
    *last = high > INT_MAX ? INT_MAX : (int)high;
    return high >= low && (!dots[2] || !*end);
}

/* An option with a value; false where the value makes no sense. */
static bool take_value(job *j, const char *name, const char *value, bool *known)
{
    double pair[2];
    *known = true;
    if (!strcmp(name, "--frame"))
        return read_frame(value, &j->frame);
    if (!strcmp(name, "--frames"))
        return read_frames(value, &j->from.first, &j->from.last);
    if (!strcmp(name, "--every"))
        return read_count(value, &j->from.every);
    if (!strcmp(name, "--fps"))
        return read_numbers(value, &j->from.rate, 1) && j->from.rate > 0;
    if (!strcmp(name, "--scale"))
        return read_numbers(value, &j->scale, 1) && j->scale > 0;
    if (!strcmp(name, "--translate"))
        return read_numbers(value, j->translate, 3);
    if (!strcmp(name, "--rotate"))
        return read_numbers(value, j->rotate, 4);
    if (!strcmp(name, "--vertices")) {
        const bool good = read_numbers(value, pair, 2) && pair[0] >= 0 && pair[1] >= 1 && pair[0] + pair[1] < INT_MAX;
        for (int k = 0; k < 2; k++)
            j->from.file.vertices[k] = good ? (int)pair[k] : 0;
        return good;
    }
    if (!strcmp(name, "--mesh"))
        j->from.mesh = value;
    else if (!strcmp(name, "--body"))
        j->body = value;
    else if (!strcmp(name, "--problems"))
        j->problems = value;
    else
        *known = false;
    return true;
}

static bool take_flag(job *j, const char *name)
{
    if (!strcmp(name, "--mend"))
        j->from.file.mend = true;
    else if (!strcmp(name, "--split-texture"))
        j->from.file.split_texture = true;
    else if (!strcmp(name, "--check"))
        j->check = true;
    else if (!strcmp(name, "--no-normals"))
        j->no_normals = true;
    else if (!strcmp(name, "--quiet"))
        j->quiet = true;
    else
        return false;
    return true;
}

static int read_options(job *j, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool known = true;
        if (argv[i][0] != '-') {
            if (j->out)
                return prc_cli_usage("convert", "unexpected argument '%s' after '%s' and '%s'", argv[i], j->in, j->out);
            *(j->in ? &j->out : &j->in) = argv[i];
        } else if (!take_flag(j, argv[i])) {
            const char *value = i + 1 < argc ? argv[i + 1] : "";
            const bool good = take_value(j, argv[i], value, &known);
            if (!known)
                return prc_cli_usage("convert", "unknown option '%s'", argv[i]);
            if (i + 1 == argc)
                return prc_cli_usage("convert", "a value is missing after '%s'", argv[i]);
            if (!good)
                return prc_cli_usage("convert", "%s: invalid value '%s'", argv[i], value);
            i++;
        }
    }
    if (!j->out)
        return prc_cli_usage("convert", j->in ? "no output file given" : "no input file given");
    return PRC_EXIT_OK;
}

/* ---- frames ---- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static prc_result check_frame(const job *j, const char *path, const prc_mesh *mesh, prc_error *error)
{
    prc_error shown, found = {0};
    const prc_result result = prc_mesh_check(mesh, &found);
    const char *what = !strncmp(found.message, "mesh: ", 6) ? found.message + 6 : found.message;
    if (result)
        prc_fail(error, result, "%s: %s", path, what);
    if (result == PRC_ERROR_INPUT && j->problems && j->source.kind != PRC_SOURCE_CACHE) {
        if (prc_cli_show_problems(path, &j->from.file, j->problems, &shown))
            fprintf(stderr, "percale: the mesh of the problems could not be written: %s\n", shown.message);
        else
            fprintf(stderr, "percale: %s shows the problems\n", j->problems);
    }
    return result;
}

/* Frame k of the source, placed as asked. */
static prc_result read_mesh(job *j, int k, prc_source_frame *frame, prc_error *error)
{
    const prc_mesh_report *report = &frame->report;
    prc_result result = prc_source_read(&j->source, k, frame, error);
    for (int n = 0; n < report->note_count && !j->quiet && !j->noted; n++)
        printf("  %s: %s\n", frame->path, report->notes[n]);
    j->noted = true;
    if (result)
        return result;
    if (report->torn_vertices && !j->quiet)
        printf(
            "  %s: %d vertices have several texture coordinates, so the texture is dropped; --split-texture keeps it\n",
            frame->path, report->torn_vertices);
    if (j->check)
        result = check_frame(j, frame->path, &frame->mesh, error);
    prc_mesh_transform(&frame->mesh, j->rotate, j->rotate[3], j->scale, j->translate);
    if (result)
        prc_source_frame_release(frame);
    return result;
}

/* --body: the range of vertices of the one that is called so. */
static prc_result choose_body(job *j, prc_error *error)
{
    prc_source_frame frame;
    prc_parts parts = {0};
    prc_result result = prc_source_read(&j->source, 0, &frame, error);
    if (!result)
        result = prc_parts_find(&parts, &frame, error);
    int first = 0, found = -1, size = 0;
    char names[300] = "";
    for (int p = 0; p < parts.count && found < 0; p++) {
        const char *name = parts.items[p].name ? parts.items[p].name : "";
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", p ? ", " : "", name[0] ? name : "(no name)");
        size = parts.items[p].vertex_count;
        found = strcmp(name, j->body) == 0 ? p : -1;
        first += found < 0 ? size : 0;
    }
    if (!result && found < 0)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: there is no body '%s'; bodies are: %s", j->in, j->body, names);
    j->source.def.file.vertices[0] = first;
    j->source.def.file.vertices[1] = size;
    prc_parts_release(&parts);
    prc_source_frame_release(&frame);
    return result;
}

/* ---- writing ---- */

/* What the format has no place for. */
static void tell_lost(const job *j, const prc_mesh *mesh, const char *path)
{
    const bool obj = ends_in(path, ".obj"), stl = ends_in(path, ".stl");
    if (j->quiet)
        return;
    if (stl && mesh->texture)
        printf("  not kept in %s: the texture\n", path);
    if (mesh->group_count && !obj && !prc_clip_is_path(path)) /* those have parts for them */
        printf("  not kept in %s: %d group%s\n", path, mesh->group_count, mesh->group_count == 1 ? "" : "s");
    if (mesh->property_count && (obj || stl))
        printf("  not kept in %s: %d propert%s of vertices\n", path, mesh->property_count,
               mesh->property_count == 1 ? "y" : "ies");
    if (mesh->stitch_count && !obj)
        printf("  not kept in %s: %d stitches\n", path, mesh->stitch_count);
}

static prc_result write_one(job *j, int k, const char *path, bool first, prc_error *error)
{
    prc_source_frame frame;
    prc_result result = read_mesh(j, k, &frame, error);
    if (result)
        return result;
    if (first)
        tell_lost(j, &frame.mesh, path);
    j->writing = true;
    result = prc_mesh_write(&frame.mesh, path, error);
    j->writing = result != PRC_OK;
    if (!result && !j->quiet && first)
        printf("%s: %d vertices, %d triangles\n", path, frame.mesh.vertex_count, frame.mesh.triangle_count);
    prc_source_frame_release(&frame);
    return result;
}

static prc_result write_sequence(job *j, const prc_numbered *to, prc_error *error)
{
    char path[PATH_SIZE] = "";
    prc_result result = PRC_OK;
    for (int k = 0; k < j->source.count && !result; k++) {
        if (!prc_numbered_path(to, j->source.numbers[k], path, sizeof path))
            return prc_fail(error, PRC_ERROR_IO, "a file name is too long");
        result = write_one(j, k, path, k == 0, error);
    }
    if (!result && !j->quiet && j->source.count > 1)
        printf("… to %s, %d files\n", path, j->source.count);
    return result;
}

/* ---- all frames in one file ---- */

/* On a terminal, how far it has come; `done` = all clears the line. */
static void show_progress(const job *j, int done)
{
    if (j->quiet || !isatty(fileno(stderr)) || j->source.count < 20)
        return;
    if (done < j->source.count)
        fprintf(stderr, "\r  frame %d of %d", done, j->source.count);
    else
        fprintf(stderr, "\r\033[K");
}

static prc_result add_frames(job *j, prc_clip *clip, const prc_mesh *first, prc_error *error)
{
    prc_result result = PRC_OK;
    for (int k = 0; k < j->source.count && !result; k++) {
        prc_source_frame frame;
        show_progress(j, k);
        result = read_mesh(j, k, &frame, error);
        if (result)
            return result;
        if (frame.mesh.vertex_count != first->vertex_count || frame.mesh.triangle_count != first->triangle_count)
            result = prc_fail(error, PRC_ERROR_INPUT,
                              "frame %d has %d vertices and %d triangles, the first frame %d and %d; in a %s file they "
                              "must be the same",
                              j->source.numbers[k], frame.mesh.vertex_count, frame.mesh.triangle_count,
                              first->vertex_count, first->triangle_count, strrchr(j->out, '.'));
        if (!result) {
            result = prc_clip_add(clip, frame.mesh.positions, error);
            j->writing = result != PRC_OK;
        }
        prc_source_frame_release(&frame);
    }
    show_progress(j, j->source.count);
    return result;
}

static void tell_clip(const job *j, const prc_clip_def *def, int vertices)
{
    struct stat status;
    const double size = stat(j->out, &status) == 0 ? (double)status.st_size : 0;
    if (j->quiet)
        return;
    printf("%s: %d frame%s of %d vertices", j->out, def->frame_count, def->frame_count == 1 ? "" : "s", vertices);
    if (def->part_count > 1)
        printf(" in %d parts", def->part_count);
    printf(", %.*f %s\n", size < 1e6 ? 0 : 1, size < 1e6 ? ceil(size / 1e3) : size / 1e6, size < 1e6 ? "kB" : "MB");
    if ((ends_in(j->out, ".pc2") || ends_in(j->out, ".mdd")) && j->source.kind == PRC_SOURCE_FOLDER)
        printf("  to write its mesh: percale convert %s mesh.obj --frame %d\n", j->in, j->source.numbers[0]);
}

static prc_result write_frames(job *j, const prc_source_frame *first, prc_error *error)
{
    prc_parts parts;
    prc_result result = prc_parts_find(&parts, first, error);
    if (result)
        return result;
    if (j->body)
        parts.items[0].name = j->body;
    prc_clip_def def = {.parts = parts.items,
                        .part_count = parts.count,
                        .body_count = parts.body_count,
                        .triangles = parts.triangles,
                        .edges = parts.edges,
                        .frame_count = j->source.count,
                        .no_normals = j->no_normals};
    double *times = PRC_NEW(double, j->source.count);
    if (times) {
        prc_source_times(&j->source, times, &def.rate);
        def.times = times;
        prc_clip *clip = prc_clip_open(j->out, &def, error);
        j->writing = !clip;
        result = clip ? add_frames(j, clip, &first->mesh, error) : error->code;
        if (clip && result) {
            prc_clip_abandon(clip);
        } else if (clip) {
            result = prc_clip_finish(clip, error);
            j->writing = result != PRC_OK;
        }
    } else {
        result = PRC_FAIL_MEMORY(error);
    }
    if (!result)
        tell_clip(j, &def, first->mesh.vertex_count);
    prc_free(times);
    prc_parts_release(&parts);
    return result;
}

/* A browser wants no more frames than it can hold as morph targets. */
static void thin_out(job *j)
{
    const int every = (j->source.count + MOST_TARGETS - 1) / MOST_TARGETS;
    if (!ends_in(j->out, ".glb") || j->from.every || every < 2)
        return;
    int kept = 0;
    for (int k = 0; k < j->source.count; k += every)
        j->source.numbers[kept++] = j->source.numbers[k];
    if (!j->quiet)
        printf("  %d frames are too many for browsers: each frame of a GLB file is a morph target, and only 256 are "
               "sure to work. Writing every %dth frame; --every N changes that\n",
               j->source.count, every);
    j->source.count = kept;
}

static prc_result write_clip(job *j, prc_error *error)
{
    prc_source_frame first;
    thin_out(j);
    prc_result result = read_mesh(j, 0, &first, error);
    if (result)
        return result;
    if (j->source.kind == PRC_SOURCE_MESH)
        tell_lost(j, &first.mesh, j->out);
    result = write_frames(j, &first, error);
    prc_source_frame_release(&first);
    return result;
}

/* ---- the job ---- */

static int status_of(const job *j, prc_result result, const prc_error *error)
{
    if (result)
        fprintf(stderr, "percale: %s\n", error->message);
    return !result ? PRC_EXIT_OK : j->writing && result == PRC_ERROR_IO ? PRC_EXIT_WRITE : PRC_EXIT_INPUT;
}

/* --frame: of all frames only this one is left. */
static int choose_frame(job *j)
{
    prc_source *s = &j->source;
    int k = s->kind == PRC_SOURCE_MESH || j->frame == LAST_FRAME ? s->count - 1 : 0;
    while (j->frame != LAST_FRAME && s->kind != PRC_SOURCE_MESH && k < s->count && s->numbers[k] != j->frame)
        k++;
    if (k == s->count) {
        fprintf(stderr, "percale: %s has no frame %d; it has frames %d to %d\n", j->in, j->frame, s->numbers[0],
                s->numbers[s->count - 1]);
        return PRC_EXIT_INPUT;
    }
    s->numbers[0] = s->numbers[k];
    s->count = 1;
    return PRC_EXIT_OK;
}

static int convert(job *j)
{
    prc_error error = {0};
    prc_numbered to;
    prc_result result = PRC_OK;
    if (ends_in(j->out, ".abc"))
        result = prc_fail(&error, PRC_ERROR_INPUT,
                          "%s: Alembic is not supported; programs that read Alembic also read .usda, and Blender "
                          "converts between them (docs/formats.md)",
                          j->out);
    if (!result)
        result = prc_source_open(&j->source, &j->from, &error);
    if (result)
        return status_of(j, result, &error);
    if (j->frame != NO_FRAME && choose_frame(j))
        return PRC_EXIT_INPUT;
    if (j->body && (result = choose_body(j, &error)))
        return status_of(j, result, &error);
    if (prc_numbered_read(&to, j->out))
        return status_of(j, write_sequence(j, &to, &error), &error);
    if (prc_clip_is_path(j->out))
        return status_of(j, write_clip(j, &error), &error);
    if (j->source.count > 1)
        return prc_cli_usage("convert",
                             "%s has %d frames, but %s is one mesh; choose a frame with --frame N or --frame last, or "
                             "write numbered files: %s",
                             j->in, j->source.count, j->out, "frame_%05d.obj");
    return status_of(j, write_one(j, 0, j->out, true, &error), &error);
}

int prc_cli_convert(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    if (!j) {
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    j->scale = 1;
    j->rotate[1] = 1;
    j->frame = NO_FRAME;
    j->from.last = INT_MAX;
    int status = read_options(j, argc, argv);
    if (!status && j->in && j->out) {
        j->from.path = j->in;
        status = convert(j);
    }
    prc_source_release(&j->source);
    free(j);
    return status;
}
