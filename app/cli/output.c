/* app/cli/output.c — see output.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "colliders.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/start.h"
#include "lock.h"
#include "shapes.h"

/* The columns of a member of the report, for each type of step/report.inl. */
#define COLUMN(name, unit) "," name unit
#define COLUMN_REAL(name, unit) COLUMN(name, unit)
#define COLUMN_INT(name, unit) COLUMN(name, unit)
#define COLUMN_BOOL(name, unit) COLUMN(name, unit)
#define COLUMN_TEXT(name, unit) COLUMN(name, unit)
#define COLUMN_VECTOR(name, unit) COLUMN(name "_x", unit) COLUMN(name "_y", unit) COLUMN(name "_z", unit)

static const char steps_header[] = "step"
#define PRC_REPORT(name, type, tries, unit, meaning) COLUMN_##type(#name, unit)
#include "step/report.inl"
    ;
static const char trace_header[] = "step,iteration,inner_iterations,energy [J],residual [m/s],seconds [s]";

/* ---- the folder ---- */

static prc_result make_folder(const char *folder, prc_error *error)
{
    char path[PRC_CLI_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            if (mkdir(path, 0777) && errno != EEXIST)
                return prc_fail(error, PRC_ERROR_IO, "%s: cannot be created: %s", path, strerror(errno));
            *p = '/';
        }
    if (mkdir(path, 0777) && errno != EEXIST)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be created: %s", path, strerror(errno));
    return PRC_OK;
}

/* A run begins with a checkpoint, then starts steps.csv: either tells an output folder, even after a run that was
 * killed. */
static bool holds_a_run(const char *folder)
{
    char path[PRC_CLI_PATH + 40], line[sizeof steps_header] = "";
    snprintf(path, sizeof path, "%s/%s", folder, PRC_CHECKPOINT_NAME);
    if (access(path, F_OK) == 0)
        return true;
    snprintf(path, sizeof path, "%s/steps.csv", folder);
    const size_t length = prc_file_peek(path, line, sizeof line);
    static const char start[] = "step,time [s],"; /* columns may differ from version to version */
    return length >= sizeof start - 1 && !strncmp(line, start, sizeof start - 1);
}

/* What a start, or a mesh, that was refused left behind. */
static bool is_start(const char *name)
{
    return !strcmp(name, "start.ply") || !strcmp(name, "problems.ply");
}

/* A file that a run was killed over: frame_00012.ply.4711-3.tmp and the like. */
static bool is_half_written(const char *name)
{
    static const char *const ours[] = {"frame_",      "body_",        "obstacle_",  "collider_",
                                       "checkpoint.", "report.json.", "start.ply.", "problems.ply."};
    const size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 4, ".tmp") != 0)
        return false;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        if (!strncmp(name, ours[k], strlen(ours[k])))
            return true;
    return false;
}

static bool is_checkpoint(const char *name)
{
    return !strcmp(name, PRC_CHECKPOINT_NAME) || !strcmp(name, PRC_CHECKPOINT_PREVIOUS) ||
           !strcmp(name, PRC_CHECKPOINT_NEXT);
}

/* What belongs to frames from number `first` on. */
static bool is_of_frames(const char *name, int first)
{
    return prc_frames_is_numbered(name, first) || (first == 0 && prc_frames_is_series(name));
}

/* Files that are gone on with where they are; others are made anew and take the place of what has their name. */
static bool is_written_in_place(const char *name)
{
    return !strcmp(name, "steps.csv") || prc_frames_is_series(name);
}

static bool is_link(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

/* Whether a run may write here: the folder is empty, or holds a run or a refused start. With `clear`, takes those away,
 * but for the first frames. */
static prc_result take_folder(const char *folder, bool clear, int first, prc_error *error)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", folder, strerror(errno));
    bool ours = holds_a_run(folder);
    prc_result result = PRC_OK;
    for (struct dirent *entry; !result && (entry = readdir(directory));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        const char *name = entry->d_name;
        if (!ours && !is_start(name) && !is_checkpoint(name) && !is_half_written(name) &&
            strcmp(name, PRC_LOCK_NAME) != 0)
            result = prc_fail(
                error, PRC_ERROR_IO,
                "%s: contains '%.100s' and is not the output folder of an earlier run; choose an empty or new folder",
                folder, entry->d_name);
        else if (is_written_in_place(name) && is_link(dirfd(directory), name))
            result = prc_fail(error, PRC_ERROR_IO,
                              "%s/%s: is a symbolic link, but a run writes only inside its folder; remove the link, or "
                              "choose another folder",
                              folder, name);
        else if (clear && (is_of_frames(name, first) || is_start(name) || is_half_written(name)) &&
                 unlinkat(dirfd(directory), name, 0))
            result =
                prc_fail(error, PRC_ERROR_IO, "%s/%s: cannot be removed: %s", folder, entry->d_name, strerror(errno));
    }
    closedir(directory);
    return result;
}

/* ---- opening and closing ---- */

/* Body b of a sim: those of the def, then its obstacles. */
static const prc_mesh *mesh_of(const prc_sim_def *def, int b)
{
    return b < def->body_count ? def->bodies[b].mesh : def->obstacles[b - def->body_count].mesh;
}

static void add_edge(prc_output *output, int a, int b)
{
    if (a == b)
        return;
    output->edges[2L * output->edge_count] = a;
    output->edges[2L * output->edge_count + 1] = b;
    output->edge_count++;
}

/* A triangle that names a vertex twice is an edge, as it is to the simulation. */
static void add_triangle(prc_output *output, int first_vertex, const int *v)
{
    const int a = first_vertex + v[0], b = first_vertex + v[1], c = first_vertex + v[2];
    int *to = output->triangles + 3L * output->triangle_count;
    if (a == b || b == c || c == a) {
        add_edge(output, a, a == b ? c : b);
        return;
    }
    to[0] = a;
    to[1] = b;
    to[2] = c;
    output->triangle_count++;
}

static bool allocate(prc_output *output, const prc_sim_def *def)
{
    size_t triangles = 0, vertices = 0, edges = 0;
    for (int b = 0; b < def->body_count + def->obstacle_count; b++) {
        triangles += (size_t)mesh_of(def, b)->triangle_count;
        vertices += (size_t)mesh_of(def, b)->vertex_count;
    }
    for (int o = 0; o < def->obstacle_count; o++)
        edges += (size_t)def->obstacles[o].segment_count + (size_t)def->obstacles[o].mesh->triangle_count;
    output->triangles = PRC_NEW(int, 3 * triangles);
    output->edges = PRC_NEW(int, 2 * edges);
    output->obstacle = def->obstacle_count ? PRC_NEW(bool, vertices) : NULL;
    output->body = PRC_NEW(int, vertices);
    output->parts = PRC_NEW(prc_obj_part, def->body_count + def->obstacle_count);
    return output->triangles && output->edges && (output->obstacle || !def->obstacle_count) && output->body &&
           output->parts;
}

/* The triangles and edges of all bodies and obstacles, one after the other, as the vertices of a sim are. */
static prc_result join_shapes(prc_output *output, const prc_sim_def *def, prc_error *error)
{
    int first_vertex = 0;
    if (!allocate(output, def))
        return PRC_FAIL_MEMORY(error);
    for (int b = 0; b < def->body_count + def->obstacle_count; b++) {
        const prc_mesh *mesh = mesh_of(def, b);
        const prc_obstacle_def *obstacle = b < def->body_count ? NULL : &def->obstacles[b - def->body_count];
        const int triangles = output->triangle_count, edges = output->edge_count;
        for (int t = 0; t < mesh->triangle_count; t++)
            add_triangle(output, first_vertex, mesh->triangles + 3L * t);
        for (int s = 0; obstacle && s < obstacle->segment_count; s++)
            add_edge(output, first_vertex + obstacle->segments[2L * s], first_vertex + obstacle->segments[2L * s + 1]);
        for (int i = 0; obstacle && i < mesh->vertex_count; i++)
            output->obstacle[first_vertex + i] = true;
        for (int i = 0; i < mesh->vertex_count; i++)
            output->body[first_vertex + i] = b;
        output->parts[b] = (prc_obj_part){.name = obstacle ? obstacle->name : def->bodies[b].name,
                                          .vertex_count = mesh->vertex_count,
                                          .triangle_count = output->triangle_count - triangles,
                                          .edge_count = output->edge_count - edges,
                                          .texture = mesh->texture};
        first_vertex += mesh->vertex_count;
    }
    output->shapes = prc_cli_shapes(output->triangles, output->triangle_count, output->edges, output->edge_count,
                                    output->obstacle, first_vertex, &output->shape_count);
    return output->shapes ? PRC_OK : PRC_FAIL_MEMORY(error);
}

/* Without slashes at the end, and with room for the names of files. */
static prc_result name_folder(char name[PRC_CLI_PATH], const char *folder, prc_error *error)
{
    if (snprintf(name, PRC_CLI_PATH, "%s", folder) >= PRC_CLI_PATH - 40 || !folder[0])
        return prc_fail(error, PRC_ERROR_IO, "the name of the output folder is empty or too long");
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        name[--length] = '\0';
    return PRC_OK;
}

prc_result prc_output_start(const char *folder, const prc_start_report *report, const prc_sim_def *def,
                            char path[PRC_CLI_PATH], prc_error *error)
{
    prc_result result = name_folder(path, folder, error);
    if (!result)
        result = make_folder(path, error);
    if (!result)
        result = take_folder(path, false, 0, error);
    if (result)
        return result;
    const size_t length = strlen(path);
    snprintf(path + length, PRC_CLI_PATH - length, "/start.ply");
    return prc_start_write(path, report, def, error);
}

prc_result prc_output_prepare(const char *folder, prc_error *error)
{
    char name[PRC_CLI_PATH];
    prc_result result = name_folder(name, folder, error);
    if (!result)
        result = make_folder(name, error);
    if (!result)
        result = take_folder(name, false, 0, error);
    return result;
}

/* The files of frames and their writer, which first gets what an earlier run could not write. */
static prc_result open_frames(prc_output *output, const prc_sim_def *def, const prc_output_mark *mark, prc_error *error)
{
    int vertices = 0;
    for (int b = 0; b < def->body_count + def->obstacle_count; b++)
        vertices += output->parts[b].vertex_count;
    const prc_frame_surface surface = {.vertex_count = vertices,
                                       .triangle_count = output->triangle_count,
                                       .edge_count = output->edge_count,
                                       .triangles = output->triangles,
                                       .edges = output->edges,
                                       .obstacle = output->obstacle,
                                       .body = output->body,
                                       .parts = output->parts,
                                       .part_count = def->body_count + def->obstacle_count,
                                       .body_count = def->body_count,
                                       .colliders = def->colliders,
                                       .collider_count = def->collider_count};
    prc_result result = prc_frames_open(&output->frames, output->folder, &surface, &def->output, mark->frames, error);
    if (!result && !(output->writer = prc_writer_start(&output->frames, error)))
        result = PRC_ERROR_IO;
    const size_t size = output->frames.layout.count * sizeof(double);
    if (!result && mark->frames_size % size)
        result =
            prc_fail(error, PRC_ERROR_INPUT, "the checkpoint contains %zu bytes of frames; expected a multiple of %zu",
                     mark->frames_size, size);
    for (size_t at = 0; !result && at < mark->frames_size; at += size) {
        double *block = prc_writer_take(output->writer, error);
        if (!block)
            return PRC_ERROR_IO;
        memcpy(block, (const char *)mark->frames_data + at, size);
        prc_writer_hand(output->writer);
        output->frame_count++;
    }
    return result;
}

prc_result prc_output_open(prc_output *output, const char *folder, const char *trace, const prc_sim_def *def,
                           const prc_output_mark *from, prc_error *error)
{
    const prc_output_mark mark = from ? *from : (prc_output_mark){0};
    *output = (prc_output){.frame_count = mark.frames};
    if (name_folder(output->folder, folder, error))
        return PRC_ERROR_IO;
    char path[PRC_CLI_PATH + 20];
    snprintf(path, sizeof path, "%s/steps.csv", output->folder);
    prc_result result = prc_output_prepare(folder, error); /* nothing is lost from a folder of someone else's */
    if (!result)
        result = join_shapes(output, def, error);
    if (!result && !(output->steps = prc_csv_continue(path, steps_header, mark.steps_bytes, mark.steps_rows, error)))
        result = PRC_ERROR_IO;
    if (!result && trace &&
        !(output->trace = prc_csv_continue(trace, trace_header, mark.trace_bytes, mark.trace_rows, error)))
        result = PRC_ERROR_IO;
    if (!result)
        result = take_folder(output->folder, true, mark.frames, error);
    if (!result)
        result = open_frames(output, def, &mark, error);
    if (result)
        prc_output_close(output, NULL);
    return result;
}

prc_result prc_output_check(const prc_output *output, prc_error *error)
{
    prc_result result = prc_writer_check(output->writer, error);
    if (!result)
        result = prc_csv_check(output->steps, error);
    return result || !output->trace ? result : prc_csv_check(output->trace, error);
}

/* Frames that were handed over and not written, one after the other, into the mark. */
static void gather_unwritten(prc_output *output, prc_output_mark *mark)
{
    const size_t count = output->frames.layout.count;
    const int waiting = prc_writer_waiting(output->writer);
    prc_free(output->unwritten);
    output->unwritten = waiting ? PRC_NEW(double, count *(size_t)waiting) : NULL;
    mark->whole = mark->frames == output->frames.written && (output->unwritten || !waiting);
    if (!mark->whole || !waiting)
        return;
    for (int k = 0; k < waiting; k++) {
        const double *block = prc_writer_block(output->writer, k);
        if (!block) {
            mark->whole = false;
            return;
        }
        memcpy(output->unwritten + (size_t)k * count, block, count * sizeof(double));
    }
    mark->frames_data = output->unwritten;
    mark->frames_size = count * (size_t)waiting * sizeof(double);
}

prc_result prc_output_flush(prc_output *output, prc_output_mark *mark, prc_error *error)
{
    prc_result frames = prc_writer_wait(output->writer, error);
    /* Also after a failure: the frames before it are to be readable. */
    prc_result flushed = prc_frames_flush(&output->frames, frames ? NULL : error);
    frames = frames ? frames : flushed;
    prc_result steps = prc_csv_sync(output->steps, frames ? NULL : error);
    prc_result trace = output->trace ? prc_csv_sync(output->trace, frames || steps ? NULL : error) : PRC_OK;
    *mark = (prc_output_mark){.frames = prc_frames_safe(&output->frames),
                              .steps_bytes = prc_csv_bytes(output->steps),
                              .steps_rows = prc_csv_pending(output->steps)};
    if (output->trace) {
        mark->trace_bytes = prc_csv_bytes(output->trace);
        mark->trace_rows = prc_csv_pending(output->trace);
    }
    gather_unwritten(output, mark);
    output->seconds_writer = prc_writer_seconds(output->writer);
    return frames ? frames : steps ? steps : trace;
}

prc_result prc_output_close(prc_output *output, prc_error *error)
{
    prc_result frames = prc_writer_stop(output->writer, error);
    prc_result closed = prc_frames_close(&output->frames, frames ? NULL : error);
    frames = frames ? frames : closed;
    prc_result steps = prc_csv_close(output->steps, frames ? NULL : error);
    prc_result trace = prc_csv_close(output->trace, frames || steps ? NULL : error);
    prc_free(output->triangles);
    prc_free(output->edges);
    prc_free(output->obstacle);
    prc_free(output->shapes);
    prc_free(output->body);
    prc_free(output->parts);
    prc_free(output->unwritten);
    output->steps = output->trace = NULL;
    output->writer = NULL;
    output->triangles = output->edges = output->shapes = output->body = NULL;
    output->obstacle = NULL;
    output->parts = NULL;
    output->unwritten = NULL;
    return frames ? frames : steps ? steps : trace;
}

/* ---- rows and frames ---- */

/* What only some frames hold, into a block, part by part: what one call of the sim gives is gone with the next. False:
 * out of memory. */
static bool fill_block(const prc_frame_layout *layout, double *block, prc_sim *sim)
{
    static const double *(*const calls[PRC_FRAME_PARTS])(prc_sim *) = {
        [PRC_FRAME_STRESSES] = prc_sim_stresses,         [PRC_FRAME_CURVATURES] = prc_sim_curvatures,
        [PRC_FRAME_ENERGIES] = prc_sim_energy_densities, [PRC_FRAME_PRESSURES] = prc_sim_contact_pressure,
        [PRC_FRAME_GAPS] = prc_sim_contact_gap,          [PRC_FRAME_RESIDUALS] = prc_sim_residuals};
    for (int p = 0; p < PRC_FRAME_PARTS; p++) {
        if (!layout->offset[p] || !calls[p])
            continue;
        size_t end = layout->poses; /* where the next part begins */
        for (int q = PRC_FRAME_PARTS - 1; q > p; q--)
            end = layout->offset[q] ? layout->offset[q] : end;
        const double *values = calls[p](sim);
        if (!values)
            return false;
        memcpy(block + layout->offset[p], values, (end - layout->offset[p]) * sizeof *values);
    }
    return true;
}

/* What every frame holds is only packed here: it comes out of a device while the next steps are taken. */
prc_result prc_output_frame(prc_output *output, prc_sim *sim, prc_error *error)
{
    double *block = prc_writer_take(output->writer, error);
    if (!block)
        return error ? error->code : PRC_ERROR_IO;
    if (!fill_block(&output->frames.layout, block, sim))
        return PRC_FAIL_MEMORY(error);
    prc_parcel *parcel = prc_writer_parcel(output->writer, sim, error);
    if (!parcel)
        return PRC_ERROR_MEMORY;
    prc_parcel_pack(parcel);
    block[0] = output->frame_count++;
    block[1] = prc_sim_time(sim);
    prc_cli_poses(output->frames.surface.colliders, output->frames.surface.collider_count, sim,
                  block + output->frames.layout.poses);
    prc_writer_hand(output->writer);
    prc_csv_flush(output->steps);
    return PRC_OK;
}

/* A cell for each type of step/report.inl, as there is a column. */
#define CELL_REAL(csv, value) prc_csv_real(csv, value)
#define CELL_INT(csv, value) prc_csv_int(csv, value)
#define CELL_BOOL(csv, value) prc_csv_int(csv, value)
#define CELL_TEXT(csv, value) prc_csv_text(csv, (value) ? (value) : "")
#define CELL_VECTOR(csv, value)                                                                                        \
    prc_csv_real(csv, (value)[0]), prc_csv_real(csv, (value)[1]), prc_csv_real(csv, (value)[2])

void prc_output_step(prc_output *output, int step, const prc_step_report *report)
{
    prc_csv *csv = output->steps;
    prc_csv_int(csv, step);
#define PRC_REPORT(name, type, tries, unit, meaning) CELL_##type(csv, report->name);
#include "step/report.inl"
    prc_csv_end_row(csv);
}

void prc_output_trace(void *context, int iteration, int inner_iterations, double energy, double residual,
                      double seconds)
{
    prc_output *output = context;
    prc_csv_int(output->trace, output->step);
    prc_csv_int(output->trace, iteration);
    prc_csv_int(output->trace, inner_iterations);
    prc_csv_real(output->trace, energy);
    prc_csv_real(output->trace, residual);
    prc_csv_real(output->trace, seconds);
    prc_csv_end_row(output->trace);
}

long long prc_output_trace_length(const prc_output *output)
{
    return output->trace ? prc_csv_length(output->trace) : 0;
}

void prc_output_trace_cut(prc_output *output, long long length)
{
    if (output->trace)
        prc_csv_cut(output->trace, length);
}
