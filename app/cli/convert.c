/* app/cli/convert.c — `percale convert`: from one mesh format to another, and from the frames of a run to other files.
 *
 * Everything is a list of frames: a mesh file has one, a folder of a run, files by number and a PC2 file with its mesh
 * have many. Frames are read one at a time. Leaves out frames whose triangles change.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "io/numbered.h"
#include "io/pc2.h"

#define PATH_SIZE 1100
#define LAST_FRAME (-1)
#define NO_FRAME (-2)

typedef enum source_kind { ONE_MESH, FOLDER, NUMBERED, POINTS } source_kind;

typedef struct job {
    const char *in, *out, *mesh, *problems;
    prc_mesh_file_def file;
    bool check, quiet;
    double scale, translate[3], rotate[4]; /* axis and degrees */
    int frame, first, last;                /* NO_FRAME; a range with both ends */
    /* where frames come from */
    source_kind kind;
    int *numbers, count; /* of the frames */
    prc_numbered pattern;
    prc_mesh still; /* the triangles of a PC2 file */
    float *points;
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
        return read_frames(value, &j->first, &j->last);
    if (!strcmp(name, "--scale"))
        return read_numbers(value, &j->scale, 1) && j->scale > 0;
    if (!strcmp(name, "--translate"))
        return read_numbers(value, j->translate, 3);
    if (!strcmp(name, "--rotate"))
        return read_numbers(value, j->rotate, 4);
    if (!strcmp(name, "--vertices")) {
        const bool good = read_numbers(value, pair, 2) && pair[0] >= 0 && pair[1] >= 1 && pair[0] + pair[1] < INT_MAX;
        for (int k = 0; k < 2; k++)
            j->file.vertices[k] = good ? (int)pair[k] : 0;
        return good;
    }
    if (!strcmp(name, "--mesh"))
        j->mesh = value;
    else if (!strcmp(name, "--problems"))
        j->problems = value;
    else
        *known = false;
    return true;
}

static bool take_flag(job *j, const char *name)
{
    if (!strcmp(name, "--mend"))
        j->file.mend = true;
    else if (!strcmp(name, "--split-texture"))
        j->file.split_texture = true;
    else if (!strcmp(name, "--check"))
        j->check = true;
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
                return prc_cli_usage("convert", "'%s' is not expected; from '%s' to '%s' is enough", argv[i], j->in,
                                     j->out);
            *(j->in ? &j->out : &j->in) = argv[i];
        } else if (!take_flag(j, argv[i])) {
            const char *value = i + 1 < argc ? argv[i + 1] : "";
            const bool good = take_value(j, argv[i], value, &known);
            if (!known)
                return prc_cli_usage("convert", "'%s' is not known", argv[i]);
            if (i + 1 == argc)
                return prc_cli_usage("convert", "a value is missing after '%s'", argv[i]);
            if (!good)
                return prc_cli_usage("convert", "%s: '%s' makes no sense", argv[i], value);
            i++;
        }
    }
    if (!j->out)
        return prc_cli_usage("convert", j->in ? "to what file?" : "from what file?");
    return PRC_EXIT_OK;
}

/* ---- frames ---- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The number in frame_00012.ply, or −1. */
static int frame_number(const char *name)
{
    if (strncmp(name, "frame_", 6) != 0)
        return -1;
    const size_t digits = strspn(name + 6, "0123456789");
    return digits >= 5 && digits <= 9 && !strcmp(name + 6 + digits, ".ply") ? atoi(name + 6) : -1;
}

static prc_result add_number(job *j, int number, int *capacity, prc_error *error)
{
    if (!j->numbers || j->count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        int *grown = prc_grow(j->numbers, (size_t)j->count, (size_t)*capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        j->numbers = grown;
    }
    j->numbers[j->count++] = number;
    return PRC_OK;
}

static prc_result find_frames(job *j, prc_error *error)
{
    DIR *directory = opendir(j->in);
    int capacity = 0;
    prc_result result = PRC_OK;
    if (!directory)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", j->in, strerror(errno));
    for (struct dirent *entry; !result && (entry = readdir(directory));) {
        const int number = frame_number(entry->d_name);
        if (number >= j->first && number <= j->last)
            result = add_number(j, number, &capacity, error);
    }
    closedir(directory);
    if (j->count)
        qsort(j->numbers, (size_t)j->count, sizeof *j->numbers, compare_ints);
    return result;
}

static prc_result find_numbered(job *j, int first, int end, prc_error *error)
{
    int capacity = 0;
    prc_result result = PRC_OK;
    for (int n = first; n < end && !result; n++)
        if (n >= j->first && n <= j->last)
            result = add_number(j, n, &capacity, error);
    return result;
}

/* A PC2 file has positions only: --mesh says what they belong to. */
static prc_result open_points(job *j, prc_error *error)
{
    int points, samples;
    if (!j->mesh)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has no triangles; --mesh FILE says which mesh it moves", j->in);
    prc_result result = prc_pc2_read(j->in, &j->points, &points, &samples, error);
    if (!result)
        result = prc_mesh_read(&j->still, j->mesh, error);
    if (!result && j->still.vertex_count != points)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s moves %d vertices, and %s has %d; they must be the same", j->in,
                          points, j->mesh, j->still.vertex_count);
    if (!result && (j->file.mend || j->file.split_texture || j->file.vertices[1]))
        result = prc_fail(error, PRC_ERROR_INPUT,
                          "%s: a PC2 file goes with the vertices of its mesh; convert the mesh first, and leave out "
                          "--mend, --split-texture and --vertices",
                          j->in);
    return result ? result : find_numbered(j, 0, samples, error);
}

static prc_result open_source(job *j, prc_error *error)
{
    struct stat status;
    int first, end;
    prc_result result = PRC_OK;
    if (stat(j->in, &status) == 0 && S_ISDIR(status.st_mode)) {
        j->kind = FOLDER;
        result = find_frames(j, error);
    } else if (prc_numbered_read(&j->pattern, j->in)) {
        j->kind = NUMBERED;
        prc_numbered_find(&j->pattern, &first, &end);
        result = find_numbered(j, first, end, error);
    } else if (ends_in(j->in, ".pc2")) {
        j->kind = POINTS;
        result = open_points(j, error);
    } else {
        j->kind = ONE_MESH;
        result = find_numbered(j, 0, 1, error);
    }
    if (!result && !j->count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: has no frames%s", j->in,
                          j->first > 0 || j->last < INT_MAX ? " in this range" : "");
    return result;
}

/* ---- one frame ---- */

static prc_result copy_points(const job *j, int number, prc_mesh *mesh, prc_error *error)
{
    prc_result result = prc_mesh_copy(mesh, &j->still, error);
    const size_t count = 3 * (size_t)j->still.vertex_count;
    for (size_t k = 0; k < count && !result; k++)
        mesh->positions[k] = (double)j->points[(size_t)number * count + k];
    return result;
}

static prc_result check_frame(const job *j, const char *path, const prc_mesh *mesh, prc_error *error)
{
    prc_error shown, found = {0};
    const prc_result result = prc_mesh_check(mesh, &found);
    const char *what = !strncmp(found.message, "mesh: ", 6) ? found.message + 6 : found.message;
    if (result)
        prc_fail(error, result, "%s: %s", path, what);
    if (result == PRC_ERROR_INPUT && j->problems && j->kind != POINTS) {
        if (prc_cli_show_problems(path, &j->file, j->problems, &shown))
            fprintf(stderr, "percale: no picture of the mesh: %s\n", shown.message);
        else
            fprintf(stderr, "percale: %s shows what is wrong\n", j->problems);
    }
    return result;
}

static prc_result read_mesh(job *j, int number, prc_mesh *mesh, prc_error *error)
{
    char path[PATH_SIZE];
    prc_mesh_report report = {0};
    prc_result result;
    int length = snprintf(path, sizeof path, "%s", j->in);
    if (j->kind == FOLDER)
        length = snprintf(path, sizeof path, "%s/frame_%05d.ply", j->in, number);
    else if (j->kind == NUMBERED && !prc_numbered_path(&j->pattern, number, path, sizeof path))
        length = PATH_SIZE;
    if (length >= PATH_SIZE)
        return prc_fail(error, PRC_ERROR_INPUT, "the name of a frame is too long");
    result =
        j->kind == POINTS ? copy_points(j, number, mesh, error) : prc_mesh_load(mesh, path, &j->file, &report, error);
    for (int k = 0; k < report.note_count && !j->quiet && !j->noted; k++)
        printf("  %s: %s\n", path, report.notes[k]);
    j->noted = true;
    if (result)
        return result;
    if (report.torn_vertices && !j->quiet)
        printf("  %s: %d vertices have several texture coordinates, and no texture is kept; --split-texture keeps it\n",
               path, report.torn_vertices);
    if (j->check)
        result = check_frame(j, path, mesh, error);
    prc_mesh_transform(mesh, j->rotate, j->rotate[3], j->scale, j->translate);
    if (result)
        prc_mesh_release(mesh);
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
    if (mesh->group_count && !obj)
        printf("  not kept in %s: %d group%s\n", path, mesh->group_count, mesh->group_count == 1 ? "" : "s");
    if (mesh->property_count && (obj || stl))
        printf("  not kept in %s: %d propert%s of vertices\n", path, mesh->property_count,
               mesh->property_count == 1 ? "y" : "ies");
    if (mesh->stitch_count && !obj)
        printf("  not kept in %s: %d stitches\n", path, mesh->stitch_count);
}

static prc_result write_one(job *j, int number, const char *path, bool first, prc_error *error)
{
    prc_mesh mesh = {0};
    prc_result result = read_mesh(j, number, &mesh, error);
    if (result)
        return result;
    if (first)
        tell_lost(j, &mesh, path);
    j->writing = true;
    result = prc_mesh_write(&mesh, path, error);
    j->writing = result != PRC_OK;
    if (!result && !j->quiet && first)
        printf("%s: %d vertices, %d triangles\n", path, mesh.vertex_count, mesh.triangle_count);
    prc_mesh_release(&mesh);
    return result;
}

static prc_result write_sequence(job *j, const prc_numbered *to, prc_error *error)
{
    char path[PATH_SIZE] = "";
    prc_result result = PRC_OK;
    for (int k = 0; k < j->count && !result; k++) {
        if (!prc_numbered_path(to, j->numbers[k], path, sizeof path))
            return prc_fail(error, PRC_ERROR_IO, "the name of a file is too long");
        result = write_one(j, j->numbers[k], path, k == 0, error);
    }
    if (!result && !j->quiet && j->count > 1)
        printf("… to %s, %d files\n", path, j->count);
    return result;
}

static prc_result write_points(job *j, prc_error *error)
{
    float *points = NULL;
    int vertices = 0;
    prc_result result = PRC_OK;
    for (int k = 0; k < j->count && !result; k++) {
        prc_mesh mesh = {0};
        result = read_mesh(j, j->numbers[k], &mesh, error);
        if (result)
            break;
        const size_t numbers = 3 * (size_t)mesh.vertex_count;
        if (k == 0) {
            vertices = mesh.vertex_count;
            points = PRC_NEW(float, numbers *(size_t)j->count);
            result = points ? PRC_OK : PRC_FAIL_MEMORY(error);
        }
        if (!result && mesh.vertex_count != vertices)
            result = prc_fail(error, PRC_ERROR_INPUT,
                              "frame %d has %d vertices, those before have %d; a PC2 file needs "
                              "as many in each",
                              j->numbers[k], mesh.vertex_count, vertices);
        for (size_t n = 0; n < numbers && !result; n++)
            points[(size_t)k * numbers + n] = (float)mesh.positions[n];
        prc_mesh_release(&mesh);
    }
    if (!result) {
        result = prc_pc2_write(j->out, points, vertices, j->count, error);
        j->writing = result != PRC_OK;
    }
    if (!result && !j->quiet)
        printf("%s: %d frames of %d vertices\n", j->out, j->count, vertices);
    prc_free(points);
    return result;
}

static int status_of(const job *j, prc_result result, const prc_error *error)
{
    if (result)
        fprintf(stderr, "percale: %s\n", error->message);
    return !result ? PRC_EXIT_OK : j->writing && result == PRC_ERROR_IO ? PRC_EXIT_WRITE : PRC_EXIT_INPUT;
}

/* One mesh of many: which is to be said. */
static int write_mesh(job *j, prc_error *error)
{
    int number = j->numbers[j->count - 1];
    if (j->frame == NO_FRAME && j->count > 1)
        return prc_cli_usage("convert",
                             "%s has %d frames and %s is one mesh; say which with --frame N or --frame last, or name "
                             "files by number: %s",
                             j->in, j->count, j->out, "frame_%05d.obj");
    if (j->frame >= 0 && j->kind != ONE_MESH) {
        number = j->frame;
        if (!bsearch(&number, j->numbers, (size_t)j->count, sizeof number, compare_ints)) {
            fprintf(stderr, "percale: %s has no frame %d; its frames are %d to %d\n", j->in, number, j->numbers[0],
                    j->numbers[j->count - 1]);
            return PRC_EXIT_INPUT;
        }
    }
    return status_of(j, write_one(j, number, j->out, true, error), error);
}

static int convert(job *j)
{
    prc_error error = {0};
    prc_numbered to;
    const prc_result opened = open_source(j, &error);
    if (opened || !j->numbers)
        return status_of(j, opened, &error);
    if (ends_in(j->out, ".pc2"))
        return status_of(j, write_points(j, &error), &error);
    if (prc_numbered_read(&to, j->out))
        return status_of(j, write_sequence(j, &to, &error), &error);
    return write_mesh(j, &error);
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
    j->last = INT_MAX;
    int status = read_options(j, argc, argv);
    if (!status && j->in && j->out)
        status = convert(j);
    prc_mesh_release(&j->still);
    prc_free(j->points);
    prc_free(j->numbers);
    free(j);
    return status;
}
