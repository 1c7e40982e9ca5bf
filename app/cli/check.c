/* app/cli/check.c — `percale check`: finds intersections in the stored frames of a run.
 *
 * Uses only the files of the run; src/check alone examines the frames.
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "check.h"
#include "cli.h"
#include "shapes.h"
#include "source.h"

/* ---- options ---- */

/* "a..b", "a..", "..b" or "a": both ends included. */
static bool read_range(const char *text, prc_check_range *r)
{
    char *end;
    const char *dots = strstr(text, "..");
    *r = (prc_check_range){0, INT_MAX};
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

static int read_options(prc_check_job *j, int argc, char **argv)
{
    j->frames = (prc_check_range){0, INT_MAX};
    j->obstacles = (prc_check_range){0, -1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        prc_check_range *r = !strcmp(argv[i], "--frames")      ? &j->frames
                             : !strcmp(argv[i], "--obstacles") ? &j->obstacles
                                                               : NULL;
        if (!strcmp(argv[i], "--quiet"))
            j->quiet = true;
        else if (argv[i][0] != '-' && !j->path)
            j->path = argv[i];
        else if (argv[i][0] != '-')
            return prc_cli_usage("check", "'%s': only one folder is allowed; the first was '%s'", argv[i], j->path);
        else if (!r && strcmp(argv[i], "--pairs") != 0)
            return prc_cli_usage("check", "unknown option '%s'", argv[i]);
        else if (!value)
            return prc_cli_usage("check", "a value is missing after '%s'", argv[i]);
        else if (r && !read_range(value, r))
            return prc_cli_usage("check", "%s: '%s' is not a range; expected first..last", argv[i], value);
        else if (!r)
            j->pairs = value;
        i += (r || !strcmp(argv[i], "--pairs"));
    }
    return j->path ? PRC_EXIT_OK : prc_cli_usage("check", "which folder?");
}

/* ---- checking ---- */

static void add_surfaces(prc_check_job *j, const prc_checked *frame)
{
    const prc_check_result *r = &frame->surfaces;
    j->tested += r->pairs;
    j->crossings += r->crossings;
    j->crossing_frames += r->crossings > 0;
    if (r->nearest.found && (!j->nearest.found || r->nearest.distance < j->nearest.distance)) {
        j->nearest = r->nearest;
        snprintf(j->nearest_frame, sizeof j->nearest_frame, "%s", frame->name);
    }
}

static void add_colliders(prc_check_job *j, const prc_checked *frame)
{
    const prc_check_collider_result *r = &frame->entered;
    const int unknown = frame->colliders->told - frame->colliders->count;
    j->tested += r->pairs;
    j->meetings += r->meetings;
    j->entered_frames += r->meetings > 0;
    if (r->nearest_found && (!j->has_near || r->nearest.depth > j->near.depth)) {
        j->has_near = true;
        j->near = r->nearest;
        j->near.collider = frame->colliders->numbers[r->nearest.collider];
        snprintf(j->near_frame, sizeof j->near_frame, "%s", frame->name);
    }
    if (r->listed_count && (!j->deepest[0] || r->listed[0].depth > j->depth)) {
        char text[400];
        j->depth = r->listed[0].depth;
        prc_check_tell_meeting(frame, &r->listed[0], text, sizeof text);
        snprintf(j->deepest, sizeof j->deepest, "%s, in %.*s", text, 200, frame->name);
    }
    if (frame->colliders->told < 0 && !j->without_poses++)
        snprintf(j->first_without, sizeof j->first_without, "%s", frame->name);
    if (frame->colliders->told >= 0 && unknown > j->unknown_colliders)
        j->unknown_colliders = unknown;
}

static void add_up(prc_check_job *j, const prc_checked *frame)
{
    j->checked++;
    add_surfaces(j, frame);
    add_colliders(j, frame);
    j->loose = frame->loose > j->loose ? frame->loose : j->loose;
    if ((frame->surfaces.crossings || frame->entered.meetings) && !j->bad_frames++)
        snprintf(j->first_bad, sizeof j->first_bad, "%s", frame->name);
}

static int fail(const char *path, const prc_error *error, int status)
{
    fflush(stdout);
    fprintf(stderr, "percale check: %s%s%s\n", path, path[0] ? ": " : "", error->message);
    return status;
}

/* How far positions may be from what they were before they were stored: floats, or their decimals, have 24 bits. */
static double rounding_of(const prc_mesh *mesh)
{
    for (long k = 0; k < 3L * mesh->vertex_count; k++) {
        const double x = mesh->positions[k];
        if (!(fabs(x - (double)(float)x) <= 2e-9 * fabs(x)))
            return 0;
    }
    return 0x1p-24;
}

static int count_loose(const prc_checked *frame)
{
    int loose = 0;
    bool *used = calloc((size_t)frame->mesh->vertex_count + 1, sizeof *used);
    for (long k = 0; used && k < 3L * frame->shape_count; k++)
        used[frame->shapes[k]] = true;
    for (int i = 0; used && i < frame->mesh->vertex_count; i++)
        loose += !used[i];
    free(used);
    return loose;
}

/* Both checkers; what they found is the caller's to release. */
static prc_result examine(prc_checked *frame, const bool *obstacle, bool list_all, prc_error *error)
{
    prc_check_options how = prc_check_options_default();
    prc_check_collider_options against = prc_check_collider_options_default();
    how.obstacle = against.obstacle = obstacle;
    how.most_listed = against.most_listed = list_all ? INT_MAX : PRC_CHECK_SHOWN;
    against.rounding = rounding_of(frame->mesh);
    prc_result result = prc_check_surfaces(frame->mesh->positions, frame->mesh->vertex_count, frame->shapes,
                                           frame->shape_count, &how, &frame->surfaces, error);
    if (!result)
        result =
            prc_check_colliders(frame->mesh->positions, frame->mesh->vertex_count, frame->shapes, frame->shape_count,
                                frame->colliders->colliders, frame->colliders->count, &against, &frame->entered, error);
    return result;
}

static int check_mesh(prc_check_job *j, const char *name, prc_mesh *mesh, const prc_ply_extra *extra)
{
    bool *obstacle = calloc((size_t)mesh->vertex_count + 1, sizeof *obstacle);
    prc_checked frame = {.name = name, .mesh = mesh, .extra = extra, .colliders = &j->colliders};
    prc_error error;
    const bool writes = j->pairs && !j->bad_frames;
    for (int i = 0; obstacle && i < mesh->vertex_count; i++)
        obstacle[i] = (extra->obstacle && extra->obstacle[i]) || (i >= j->obstacles.first && i <= j->obstacles.last);
    frame.shapes = prc_cli_shapes(mesh->triangles, mesh->triangle_count, extra->edges, extra->edge_count,
                                  extra->obstacle, mesh->vertex_count, &frame.shape_count);
    int status = PRC_EXIT_OK;
    if (!obstacle || !frame.shapes) {
        PRC_FAIL_MEMORY(&error);
        status = fail(name, &error, PRC_EXIT_INPUT);
    } else if (examine(&frame, obstacle, writes, &error)) {
        status = fail(name, &error, PRC_EXIT_INPUT);
    } else {
        frame.loose = count_loose(&frame);
        prc_check_tell_frame(j, &frame);
        add_up(j, &frame);
        if (writes && j->bad_frames && prc_check_write_offenders(j->pairs, &frame, &error))
            status = fail("", &error, PRC_EXIT_WRITE);
    }
    prc_check_result_release(&frame.surfaces);
    prc_check_collider_result_release(&frame.entered);
    free(obstacle);
    prc_free(frame.shapes);
    return status;
}

static int check_frame(prc_check_job *j, const prc_source *source, int k)
{
    prc_source_frame frame;
    prc_error error;
    if (prc_source_read(source, k, &frame, &error))
        return fail("", &error, PRC_EXIT_INPUT);
    const char *slash = strrchr(frame.path, '/');
    int status = PRC_EXIT_OK;
    if (prc_colliders_read(&j->colliders, frame.path, &error))
        status = fail("", &error, PRC_EXIT_INPUT);
    else
        status = check_mesh(j, slash ? slash + 1 : frame.path, &frame.mesh, &frame.extra);
    prc_source_frame_release(&frame);
    return status;
}

/* One mesh, or all frames of a folder. */
static int check_all(prc_check_job *j)
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
    prc_check_job *j = calloc(1, sizeof *j);
    int status = j ? read_options(j, argc, argv) : PRC_EXIT_INPUT;
    if (!status && j->path) {
        status = check_all(j);
        if (j->checked)
            prc_check_tell_summary(j);
        if (!status && j->bad_frames)
            status = PRC_EXIT_VIOLATION;
    }
    if (j)
        prc_colliders_release(&j->colliders);
    free(j);
    return status;
}
