/* scene/forces.c — springs, seams and pressures of a scene: expands selections, lists and mesh files into one
 * prc_spring_def each.
 *
 * To join vertices to the nearest of others, the others are sorted along x and searched outwards from the x of the
 * vertex, which is fast for long edges too. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mend.h"
#include "scene/reader.h"
#include "schema/schema.h"

typedef struct sewing {
    const prc_scene_log *log;
    prc_scene *scene;
    int capacity;
    const char *list; /* "springs" or "seams" */
    int index;
    const prc_scene_mark *mark; /* of the table in work */
} sewing;

/* The points of one end. */
typedef struct points {
    int count, body; /* body −1: a place */
    int *vertices;   /* owned; NULL where there is a single `end` */
    prc_spring_end end;
    bool in_order;
} points;

__attribute__((format(printf, 3, 4))) static void report(const sewing *s, prc_result code, const char *format, ...)
{
    char path[PRC_PATH_SIZE], text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s[%d]", s->list, s->index);
    prc_scene_report(s->log, code, s->mark->origin, s->mark->line, s->mark->column, path, "%s", text);
}

static const prc_mesh *mesh_of(const prc_scene *scene, int body)
{
    return body < scene->spec.body_count ? &scene->meshes[2 * (size_t)body]
                                         : scene->obstacles[body - scene->spec.body_count].mesh;
}

static bool add(sewing *s, const prc_spring_def *def, prc_spring_end tie, prc_spring_end to)
{
    prc_sim_def *sim = &s->scene->def;
    for (int k = 0; tie.body >= 0 && tie.body == to.body && k < 4; k++)
        if (tie.vertex[k / 2] == to.vertex[k % 2]) {
            report(s, PRC_ERROR_INPUT, "joins vertex %d of body %d to itself; expected two different points",
                   tie.vertex[k / 2], tie.body);
            return false;
        }
    if (sim->spring_count == s->capacity) {
        const int more = 2 * s->capacity + 64;
        prc_spring_def *springs = s->capacity > 0x1fffffff
                                      ? NULL
                                      : prc_grow(s->scene->springs, (size_t)s->capacity, (size_t)more, sizeof *springs);
        if (!springs) {
            report(s, PRC_ERROR_MEMORY, "out of memory");
            return false;
        }
        s->scene->springs = springs;
        s->capacity = more;
    }
    prc_spring_def *spring = &s->scene->springs[sim->spring_count++];
    *spring = *def;
    spring->tie = tie;
    spring->to = to;
    return true;
}

static prc_spring_end at_vertex(int body, int vertex)
{
    return (prc_spring_end){.body = body, .vertex = {vertex, vertex}};
}

static prc_spring_end end_of(const points *p, int k)
{
    return p->vertices ? at_vertex(p->body, p->vertices[k]) : p->end;
}

static bool given(const prc_end_spec *end, const char *key)
{
    return end->mark.given >> prc_schema_find(prc_schema_table(PRC_TABLE_end), key) & 1u;
}

static int *selected(const sewing *s, const prc_end_spec *spec, int body, const char *key, int *count)
{
    const bool simulated = body < s->scene->spec.body_count;
    const int *corners = simulated ? s->scene->corners[body] : NULL;
    const prc_mesh *mesh = mesh_of(s->scene, body);
    prc_select_context context = {.log = s->log, .mesh = mesh, .rest = simulated ? mesh + 1 : mesh, .scale = 1};
    if (simulated)
        context.scale = s->scene->spec.bodies[body].place.scale;
    context.corners = corners && corners[0] >= 0 ? corners : NULL;
    snprintf(context.path, sizeof context.path, "%s[%d].%s.select", s->list, s->index, key);
    return prc_scene_select(&context, &spec->select, count);
}

/* From the number in the mesh file to the vertex. */
static bool find_vertex(const sewing *s, int body, const char *key, int *vertex)
{
    const prc_mesh *mesh = mesh_of(s->scene, body);
    const int found = prc_mesh_find(mesh, *vertex);
    if (found < 0)
        report(s, PRC_ERROR_INPUT, "%s: there is no vertex %d; the mesh has vertices 0 to %d", key, *vertex,
               prc_mesh_number(mesh, mesh->vertex_count - 1));
    *vertex = found;
    return found >= 0;
}

/* What one end names; false after an error. */
static bool find_points(const sewing *s, const prc_end_spec *spec, const char *key, points *p)
{
    memset(p, 0, sizeof *p);
    if (given(spec, "point")) {
        p->count = 1;
        p->body = p->end.body = -1;
        memcpy(p->end.point, spec->point, sizeof p->end.point);
        return true;
    }
    p->body = spec->body;
    if (p->body < 0 && s->scene->spec.body_count + s->scene->spec.obstacle_count > 1) {
        report(s, PRC_ERROR_INPUT, "%s.body: missing; the scene has several bodies, so name one", key);
        return false;
    }
    p->body = p->body < 0 ? 0 : p->body;
    if (given(spec, "select")) {
        p->vertices = selected(s, spec, p->body, key, &p->count);
        return p->vertices != NULL;
    }
    p->count = 1;
    p->end = at_vertex(p->body, spec->vertex);
    if (given(spec, "edge"))
        p->end = (prc_spring_end){.body = p->body, .vertex = {spec->edge[0], spec->edge[1]}, .at = spec->at};
    if (given(spec, "vertices")) {
        p->in_order = true;
        p->count = spec->vertex_count;
        p->vertices = PRC_NEW(int, p->count);
        if (!p->vertices) {
            report(s, PRC_ERROR_MEMORY, "out of memory");
            return false;
        }
        memcpy(p->vertices, spec->vertices, sizeof(int) * (size_t)p->count);
    }
    bool good = true;
    for (int k = 0; k < p->count && good && p->vertices; k++)
        good = find_vertex(s, p->body, key, &p->vertices[k]);
    for (int k = 0; k < 2 && good && !p->vertices; k++)
        good = find_vertex(s, p->body, key, &p->end.vertex[k]);
    return good;
}

/* --- the nearest --- */

typedef struct place {
    double x[3];
    int vertex;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->x[0] != q->x[0])
        return p->x[0] < q->x[0] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static place *sort_places(const sewing *s, const points *p)
{
    const prc_mesh *mesh = mesh_of(s->scene, p->body);
    place *places = PRC_NEW(place, p->count);
    for (int k = 0; places && k < p->count; k++) {
        memcpy(places[k].x, mesh->positions + 3 * (size_t)p->vertices[k], sizeof places[k].x);
        places[k].vertex = p->vertices[k];
    }
    if (places)
        qsort(places, (size_t)p->count, sizeof *places, compare_places);
    return places;
}

/* The vertex nearest to x but not `except`, of equal ones the lowest; −1: there is no other. */
static int nearest(const place *places, int count, const double x[3], int except)
{
    int low = 0, high = count, best = -1;
    double smallest = INFINITY;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (places[middle].x[0] < x[0])
            low = middle + 1;
        else
            high = middle;
    }
    for (int step = -1; step <= 1; step += 2)
        for (int k = step < 0 ? low - 1 : low; k >= 0 && k < count; k += step) {
            const double *q = places[k].x;
            const double d[3] = {q[0] - x[0], q[1] - x[1], q[2] - x[2]};
            if (d[0] * d[0] > smallest)
                break;
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (places[k].vertex != except && (square < smallest || (square == smallest && places[k].vertex < best))) {
                smallest = square;
                best = places[k].vertex;
            }
        }
    return best;
}

/* Joins each point of `a` to the nearest of `b`. `partner`, per vertex of a's mesh, keeps whom it got; a pair that
 * stands in `taken` the other way round is not made again. */
static bool join_nearest(sewing *s, const prc_spring_def *def, const points *a, const points *b, int *partner,
                         const int *taken)
{
    place *places = sort_places(s, b);
    bool good = places != NULL;
    if (!good)
        report(s, PRC_ERROR_MEMORY, "out of memory");
    for (int k = 0; good && k < a->count; k++) {
        const prc_spring_end end = end_of(a, k);
        const double *x = end.body < 0 ? end.point : mesh_of(s->scene, end.body)->positions + 3 * (size_t)end.vertex[0];
        const int found = nearest(places, b->count, x, a->body == b->body ? end.vertex[0] : -1);
        if (found < 0) {
            report(s, PRC_ERROR_INPUT, "to.select: contains only the vertex that is to be joined");
            good = false;
        } else if (!taken || taken[found] != end.vertex[0]) {
            good = add(s, def, end, at_vertex(b->body, found));
        }
        if (good && partner)
            partner[end.vertex[0]] = found;
    }
    prc_free(places);
    return good;
}

/* Both ways, so that no vertex of either edge is left open. */
static void join_edges(sewing *s, const prc_spring_def *def, const points *a, const points *b)
{
    const int count = mesh_of(s->scene, a->body)->vertex_count;
    int *partner = PRC_NEW(int, count);
    if (!partner) {
        report(s, PRC_ERROR_MEMORY, "out of memory");
        return;
    }
    for (int i = 0; i < count; i++)
        partner[i] = -1;
    if (join_nearest(s, def, a, b, partner, NULL))
        join_nearest(s, def, b, a, NULL, partner);
    prc_free(partner);
}

/* --- springs, seams --- */

static bool has_kind(const sewing *s, const points *p, prc_body_kind kind)
{
    return p->body >= 0 && p->body < s->scene->spec.body_count && s->scene->spec.bodies[p->body].def.kind == kind;
}

/* What a spring would take from cloth, and what only cloth can be part of. False after an error. */
static bool suits_particles(const sewing *s, const prc_spring_def *def, const points *a, const points *b)
{
    const bool balls = has_kind(s, a, PRC_BODY_PARTICLES) || has_kind(s, b, PRC_BODY_PARTICLES);
    const bool cloth = has_kind(s, a, PRC_BODY_MEMBRANE) || has_kind(s, b, PRC_BODY_MEMBRANE);
    if (balls && def->seam)
        report(s, PRC_ERROR_INPUT, "%s.body: particles cannot be sewn; expected cloth, or springs in place of a seam",
               has_kind(s, a, PRC_BODY_PARTICLES) ? "tie" : "to");
    else if (balls && !cloth && def->stiffness == 0)
        report(
            s, PRC_ERROR_INPUT,
            "stiffness: 0 takes that of the cloth at its ends, and there are only particles; expected a stiffness in "
            "N/m");
    else
        return true;
    return false;
}

static void join(sewing *s, const prc_spring_def *def, const prc_end_spec *tie, const prc_end_spec *to, bool both_ways)
{
    points a = {0}, b = {0};
    if (find_points(s, tie, "tie", &a) && find_points(s, to, "to", &b) && suits_particles(s, def, &a, &b)) {
        const bool selection = b.vertices && !b.in_order;
        if (a.vertices && selection && both_ways)
            join_edges(s, def, &a, &b);
        else if (selection)
            join_nearest(s, def, &a, &b, NULL, NULL);
        else if (b.count != 1 && a.count != b.count)
            report(s, PRC_ERROR_INPUT, "tie has %d vertices, to has %d; expected the same number, or a single one",
                   a.count, b.count);
        else
            for (int k = 0; k < a.count; k++)
                if (!add(s, def, end_of(&a, k), end_of(&b, b.count == 1 ? 0 : k)))
                    break;
    }
    prc_free(a.vertices);
    prc_free(b.vertices);
}

/* All stitches of a mesh file; one whose vertex is part of the edge it belongs at is closed already. */
static void sew_stitches(sewing *s, const prc_spring_def *def, int body)
{
    const prc_mesh *mesh = mesh_of(s->scene, body);
    const points sewn = {.body = body};
    if (!suits_particles(s, def, &sewn, &sewn))
        return;
    if (mesh->stitch_count == 0)
        report(s, PRC_ERROR_INPUT, "stitches: the mesh of this body has none; expected an OBJ file with stitch lines");
    for (int k = 0; k < mesh->stitch_count; k++) {
        const prc_mesh_stitch *stitch = &mesh->stitches[k];
        const prc_spring_end edge = {.body = body, .vertex = {stitch->edge[0], stitch->edge[1]}, .at = stitch->at};
        if (stitch->vertex == stitch->edge[0] || stitch->vertex == stitch->edge[1])
            continue;
        if (!add(s, def, at_vertex(body, stitch->vertex), edge))
            return;
    }
}

/* The pressure of a body, with the bodies that enclose its volume. */
static void build_pressure(const prc_scene_log *log, prc_scene *scene, int body)
{
    const prc_pressure_spec *spec = &scene->spec.bodies[body].pressure;
    int *bodies = PRC_NEW(int, spec->with_count + 1);
    char path[PRC_PATH_SIZE];
    snprintf(path, sizeof path, "bodies[%d].pressure.with", scene->spec.bodies[body].instances.written);
    if (!bodies) {
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, path, "out of memory");
        return;
    }
    bodies[0] = body;
    for (int k = 0; k < spec->with_count; k++) {
        bodies[k + 1] = spec->with[k];
        if (spec->with[k] >= scene->spec.body_count)
            prc_scene_report(log, PRC_ERROR_INPUT, spec->mark.origin, spec->mark.line, spec->mark.column, path,
                             "an obstacle cannot be inflated; expected bodies");
        else if (scene->spec.bodies[spec->with[k]].def.kind == PRC_BODY_PARTICLES)
            prc_scene_report(log, PRC_ERROR_INPUT, spec->mark.origin, spec->mark.line, spec->mark.column, path,
                             "particles enclose no volume; expected membranes");
    }
    prc_pressure_def *def = &scene->pressures[scene->def.pressure_count++];
    *def = spec->def;
    def->bodies = bodies;
    def->body_count = spec->with_count + 1;
}

void prc_scene_build_forces(const prc_scene_log *log, prc_scene *scene)
{
    const prc_scene_spec *spec = &scene->spec;
    sewing s = {.log = log, .scene = scene, .list = "springs"};
    for (s.index = 0; s.index < spec->spring_count; s.index++) {
        const prc_spring_spec *spring = &spec->springs[s.index];
        s.mark = &spring->mark;
        join(&s, &spring->def, &spring->tie, &spring->to, false);
    }
    s.list = "seams";
    for (s.index = 0; s.index < spec->seam_count; s.index++) {
        const prc_seam_spec *seam = &spec->seams[s.index];
        prc_spring_def def = seam->def;
        def.seam = true;
        s.mark = &seam->mark;
        if (seam->stitches >= 0)
            sew_stitches(&s, &def, seam->stitches);
        else
            join(&s, &def, &seam->tie, &seam->to, true);
    }
    scene->def.springs = scene->springs;
    scene->pressures = PRC_NEW(prc_pressure_def, spec->body_count);
    if (!scene->pressures)
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
    for (int b = 0; scene->pressures && b < spec->body_count; b++)
        if (spec->bodies[b].pressure.mark.line > 0)
            build_pressure(log, scene, b);
    scene->def.pressures = scene->pressures;
}
