/* app/cli/check.c — `percale check`: do the stored frames of a run intersect?
 *
 * Reads what a run wrote and nothing of what it knew: the frames are judged by src/check alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "cli.h"
#include "io/ply.h"
#include "shapes.h"
#include "source.h"

#define PATH_SIZE 1100
#define SHOWN 3 /* crossings of a frame that are described */

typedef struct range {
    int first, last;
} range;

typedef struct job {
    const char *path, *pairs;
    range frames, obstacles;
    bool quiet;
    int edges; /* of the frame, that belong to no triangle … */
    int extra; /* … and these together with points, which the checker takes as triangles without area */
    /* what was found */
    int checked, crossing_frames;
    long long tested, crossings;
    char first_crossing[PATH_SIZE], nearest_frame[PATH_SIZE];
    prc_check_nearest nearest;
} job;

/* ---- options ---- */

/* "a..b", "a..", "..b" or "a": both ends included. */
static bool read_range(const char *text, range *r)
{
    char *end;
    const char *dots = strstr(text, "..");
    *r = (range){0, INT_MAX};
    if (text != dots) {
        long value = strtol(text, &end, 10);
        if (end == text || (dots ? end != dots : *end) || value < 0 || value > INT_MAX)
            return false;
        r->first = (int)value;
        if (!dots)
            r->last = r->first;
    }
    if (dots && dots[2]) {
        long value = strtol(dots + 2, &end, 10);
        if (*end || value < r->first || value > INT_MAX)
            return false;
        r->last = (int)value;
    }
    return true;
}

static int read_options(job *j, int argc, char **argv)
{
    j->frames = (range){0, INT_MAX};
    j->obstacles = (range){0, -1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        range *r = !strcmp(argv[i], "--frames") ? &j->frames : !strcmp(argv[i], "--obstacles") ? &j->obstacles : NULL;
        if (!strcmp(argv[i], "--quiet"))
            j->quiet = true;
        else if (argv[i][0] != '-' && !j->path)
            j->path = argv[i];
        else if (argv[i][0] != '-')
            return prc_cli_usage("check", "'%s': one folder at a time; the first was '%s'", argv[i], j->path);
        else if (!r && strcmp(argv[i], "--pairs") != 0)
            return prc_cli_usage("check", "'%s' is not known", argv[i]);
        else if (!value)
            return prc_cli_usage("check", "a value is missing after '%s'", argv[i]);
        else if (r && !read_range(value, r))
            return prc_cli_usage("check", "%s: '%s' is no range; expected first..last", argv[i], value);
        else if (!r)
            j->pairs = value;
        i += (r || !strcmp(argv[i], "--pairs"));
    }
    return j->path ? PRC_EXIT_OK : prc_cli_usage("check", "which folder?");
}

/* ---- telling ---- */

static void print_nearest(const prc_check_nearest *n)
{
    printf("%.4g m, ", n->distance);
    if (n->a_count == 1)
        printf("vertex %d to triangle %d %d %d", n->a[0], n->b[0], n->b[1], n->b[2]);
    else
        printf("edge %d %d to edge %d %d", n->a[0], n->a[1], n->b[0], n->b[1]);
    printf(" at (%.4g, %.4g, %.4g)", n->on_a[0], n->on_a[1], n->on_a[2]);
}

static void print_crossings(const prc_check_result *r)
{
    int shown = r->listed_count < SHOWN ? r->listed_count : SHOWN;
    for (int k = 0; k < shown; k++) {
        const prc_check_crossing *c = &r->listed[k];
        printf("    edge %d %d meets triangle %d %d %d at (%.6g, %.6g, %.6g)\n", c->edge[0], c->edge[1], c->triangle[0],
               c->triangle[1], c->triangle[2], c->point[0], c->point[1], c->point[2]);
    }
    if (r->crossings > shown)
        printf("    … and %lld more\n", r->crossings - shown);
}

static void print_frame(const job *j, const char *name, const prc_mesh *mesh, const prc_check_result *r)
{
    if (j->quiet && !r->crossings)
        return;
    printf("%s  %d triangles, ", name, mesh->triangle_count);
    if (j->edges)
        printf("%d edges, ", j->edges);
    printf("%lld pairs, ", r->pairs);
    if (r->crossings)
        printf("%lld INTERSECTIONS (pairs of triangles: %lld)", r->crossings, r->triangle_pairs);
    else
        printf("0 intersections");
    if (r->nearest.found) {
        printf("; smallest gap ");
        print_nearest(&r->nearest);
    }
    if (r->degenerate > j->extra)
        printf("; %d triangles without area", r->degenerate - j->extra);
    printf("\n");
    print_crossings(r);
}

static void print_summary(const job *j)
{
    if (j->quiet && !j->crossing_frames)
        return;
    printf("%d frame%s, %lld pairs: ", j->checked, j->checked == 1 ? "" : "s", j->tested);
    if (j->crossing_frames)
        printf("%d frame%s with %lld intersections, the first in %s\n", j->crossing_frames,
               j->crossing_frames == 1 ? "" : "s", j->crossings, j->first_crossing);
    else
        printf("0 intersections\n");
    if (j->nearest.found) {
        printf("  smallest gap ");
        print_nearest(&j->nearest);
        printf(", in %s\n", j->nearest_frame);
    }
}

/* ---- the offending triangles as a mesh ---- */

static bool has_both(const int *triangle, const int *edge)
{
    int found = 0;
    for (int k = 0; k < 3; k++)
        found += triangle[k] == edge[0] || triangle[k] == edge[1];
    return found >= 2;
}

static bool offends(const int *triangle, const prc_check_result *r, const bool *touched)
{
    if (!touched[triangle[0]] && !touched[triangle[1]] && !touched[triangle[2]])
        return false;
    for (int k = 0; k < r->listed_count; k++)
        if (!memcmp(triangle, r->listed[k].triangle, 3 * sizeof *triangle) || has_both(triangle, r->listed[k].edge))
            return true;
    return false;
}

/* Keeps the triangles that cross, and their vertices, of the mesh. */
static void keep_offenders(prc_mesh *mesh, const prc_check_result *r, bool *touched, int *renumbered)
{
    int triangles = 0, vertices = 0;
    for (int k = 0; k < r->listed_count; k++) {
        for (int i = 0; i < 2; i++)
            touched[r->listed[k].edge[i]] = true;
        for (int i = 0; i < 3; i++)
            touched[r->listed[k].triangle[i]] = true;
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        if (offends(mesh->triangles + 3 * t, r, touched))
            memmove(mesh->triangles + 3 * triangles++, mesh->triangles + 3 * t, 3 * sizeof(int));
    mesh->triangle_count = triangles;
    for (int i = 0; i < mesh->vertex_count; i++)
        renumbered[i] = -1;
    for (int i = 0; i < 3 * triangles; i++)
        renumbered[mesh->triangles[i]] = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!renumbered[i]) {
            memmove(mesh->positions + 3 * vertices, mesh->positions + 3 * i, 3 * sizeof(double));
            renumbered[i] = vertices++;
        }
    mesh->vertex_count = vertices;
    for (int i = 0; i < 3 * triangles; i++)
        mesh->triangles[i] = renumbered[mesh->triangles[i]];
}

static prc_result write_offenders(const char *path, prc_mesh *mesh, const prc_check_result *r, prc_error *error)
{
    bool *touched = calloc((size_t)mesh->vertex_count, sizeof *touched);
    int *renumbered = malloc((size_t)mesh->vertex_count * sizeof *renumbered);
    prc_result result = PRC_ERROR_MEMORY;
    if (touched && renumbered) {
        keep_offenders(mesh, r, touched, renumbered);
        prc_ply_frame frame = {.vertex_count = mesh->vertex_count,
                               .triangle_count = mesh->triangle_count,
                               .positions = mesh->positions,
                               .triangles = mesh->triangles,
                               .comment = "triangles that intersect"};
        result = prc_ply_write(path, &frame, error);
    } else {
        PRC_FAIL_MEMORY(error);
    }
    free(touched);
    free(renumbered);
    return result;
}

/* ---- checking ---- */

static void add_up(job *j, const char *name, const prc_check_result *r)
{
    j->checked++;
    j->tested += r->pairs;
    j->crossings += r->crossings;
    if (r->crossings && !j->crossing_frames++)
        snprintf(j->first_crossing, sizeof j->first_crossing, "%s", name);
    if (r->nearest.found && (!j->nearest.found || r->nearest.distance < j->nearest.distance)) {
        j->nearest = r->nearest;
        snprintf(j->nearest_frame, sizeof j->nearest_frame, "%s", name);
    }
}

static int fail(const char *path, const prc_error *error, int status)
{
    fflush(stdout);
    fprintf(stderr, "percale check: %s%s%s\n", path, path[0] ? ": " : "", error->message);
    return status;
}

static int check_mesh(job *j, const char *name, prc_mesh *mesh, const prc_ply_extra *extra)
{
    bool *obstacle = calloc((size_t)mesh->vertex_count, sizeof *obstacle);
    int shape_count, *shapes;
    prc_check_options options = prc_check_options_default();
    prc_check_result result;
    prc_error error;
    bool writes = j->pairs && !j->crossing_frames;
    options.obstacle = obstacle;
    options.most_listed = writes ? INT_MAX : SHOWN;
    for (int i = 0; obstacle && i < mesh->vertex_count; i++)
        obstacle[i] = (extra->obstacle && extra->obstacle[i]) || (i >= j->obstacles.first && i <= j->obstacles.last);
    shapes = prc_cli_shapes(mesh->triangles, mesh->triangle_count, extra->edges, extra->edge_count, extra->obstacle,
                            mesh->vertex_count, &shape_count);
    j->edges = extra->edge_count;
    j->extra = shape_count - mesh->triangle_count;
    int status = PRC_EXIT_OK;
    if (!obstacle || !shapes) {
        PRC_FAIL_MEMORY(&error);
        status = fail(name, &error, PRC_EXIT_INPUT);
    } else if (prc_check_surfaces(mesh->positions, mesh->vertex_count, shapes, shape_count, &options, &result,
                                  &error)) {
        status = fail(name, &error, PRC_EXIT_INPUT);
    } else {
        print_frame(j, name, mesh, &result);
        add_up(j, name, &result);
        if (writes && result.crossings && write_offenders(j->pairs, mesh, &result, &error))
            status = fail("", &error, PRC_EXIT_WRITE);
        prc_check_result_release(&result);
    }
    free(obstacle);
    prc_free(shapes);
    return status;
}

static int check_frame(job *j, const prc_source *source, int k)
{
    prc_source_frame frame;
    prc_error error;
    if (prc_source_read(source, k, &frame, &error))
        return fail("", &error, PRC_EXIT_INPUT);
    const char *slash = strrchr(frame.path, '/');
    const int status = check_mesh(j, slash ? slash + 1 : frame.path, &frame.mesh, &frame.extra);
    prc_source_frame_release(&frame);
    return status;
}

/* One mesh, or all frames of a folder. */
static int check_all(job *j)
{
    const prc_source_def def = {.path = j->path, .first = j->frames.first, .last = j->frames.last};
    prc_source source;
    prc_error error;
    if (prc_source_open(&source, &def, &error))
        return fail("", &error, PRC_EXIT_INPUT);
    int status = PRC_EXIT_OK;
    for (int k = 0; k < source.count && !status; k++)
        status = check_frame(j, &source, k);
    prc_source_release(&source);
    return status;
}

int prc_cli_check(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    int status = j ? read_options(j, argc, argv) : PRC_EXIT_INPUT;
    if (!status && j->path) {
        status = check_all(j);
        if (j->checked)
            print_summary(j);
        if (!status && j->crossing_frames)
            status = PRC_EXIT_VIOLATION;
    }
    free(j);
    return status;
}
