/* torture/judge.c — see judge.h. SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/balls.h"
#include "check/check.h"
#include "check/collider.h"
#include "constraint/pin.h"

#define MOST_COLLIDERS 16
#define PI 3.14159265358979323846

/* --- surfaces --- */

static const prc_mesh *mesh_of(const prc_sim_def *def, int body)
{
    return body < def->body_count ? def->bodies[body].mesh : def->obstacles[body - def->body_count].mesh;
}

static int part_count(const prc_sim_def *def)
{
    return def->body_count + def->obstacle_count;
}

static void put_shape(judge *j, int a, int b, int c)
{
    int *at = j->shapes + 3 * (size_t)j->shape_count++;
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

static bool is_particles(const prc_sim_def *def, int body)
{
    return body < def->body_count && def->bodies[body].kind == PRC_BODY_PARTICLES;
}

/* Radii and thicknesses, where there are particles. */
static bool gather_balls(judge *j, const prc_sim *sim)
{
    bool any = false;
    for (int b = 0; b < j->def->body_count; b++)
        any |= is_particles(j->def, b);
    if (!any)
        return true;
    j->radii = calloc((size_t)j->vertex_count + 1, sizeof *j->radii);
    j->thickness = calloc((size_t)j->vertex_count + 1, sizeof *j->thickness);
    for (int b = 0; j->radii && j->thickness && b < part_count(j->def); b++) {
        const int first = prc_sim_body_first_vertex(sim, b);
        const double own = b < j->def->body_count ? j->def->bodies[b].contact_thickness
                                                  : j->def->obstacles[b - j->def->body_count].contact_thickness;
        for (int i = first; i < first + prc_sim_body_vertex_count(sim, b); i++) {
            j->radii[i] = is_particles(j->def, b) ? j->def->bodies[b].particle.radius : 0;
            j->thickness[i] = is_particles(j->def, b) ? 0 : own > 0 ? own : j->def->contact.thickness;
        }
    }
    return j->radii && j->thickness;
}

/* A needle is a triangle that names a vertex twice, a point one that names it thrice. */
static void gather_shapes(judge *j, const prc_sim *sim)
{
    for (int b = 0; b < part_count(j->def); b++) {
        const prc_mesh *mesh = mesh_of(j->def, b);
        const int first = prc_sim_body_first_vertex(sim, b);
        for (int t = 0; !is_particles(j->def, b) && t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles + 3 * t;
            put_shape(j, first + v[0], first + v[1], first + v[2]);
        }
        if (b < j->def->body_count)
            continue;
        const prc_obstacle_def *o = &j->def->obstacles[b - j->def->body_count];
        for (int s = 0; s < o->segment_count; s++)
            put_shape(j, first + o->segments[2 * s], first + o->segments[2 * s + 1], first + o->segments[2 * s + 1]);
        for (int i = 0; i < mesh->vertex_count; i++)
            j->prescribed[first + i] = true;
        for (int i = 0; mesh->triangle_count + o->segment_count == 0 && i < mesh->vertex_count; i++)
            put_shape(j, first + i, first + i, first + i);
    }
}

static void gather_pins(judge *j, const prc_sim *sim)
{
    for (int p = 0; p < j->def->pin_count; p++) {
        const prc_pin_def *pin = &j->def->pins[p];
        for (int k = 0; prc_pin_is_for_good(pin) && k < pin->vertex_count; k++)
            j->prescribed[prc_sim_body_first_vertex(sim, pin->body) + pin->vertices[k]] = true;
    }
}

/* --- sides of closed surfaces --- */

static bool is_closed(const prc_mesh *mesh)
{
    const int count = 3 * mesh->triangle_count;
    for (int e = 0; e < count; e++) {
        const int a = mesh->triangles[e], b = mesh->triangles[e / 3 * 3 + (e + 1) % 3];
        int back = 0;
        for (int f = 0; f < count; f++)
            back += mesh->triangles[f] == b && mesh->triangles[f / 3 * 3 + (f + 1) % 3] == a;
        if (back != 1)
            return false;
    }
    return count > 0;
}

/* The angle that a triangle fills, seen from x, over the whole sphere: Van Oosterom and Strackee. */
static double share_of_sphere(const double *x, const double *a, const double *b, const double *c)
{
    double p[3][3], l[3];
    const double *corner[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            p[k][i] = corner[k][i] - x[i];
        l[k] = sqrt(p[k][0] * p[k][0] + p[k][1] * p[k][1] + p[k][2] * p[k][2]);
    }
    const double volume = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                          p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                          p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    double sum = l[0] * l[1] * l[2];
    for (int k = 0; k < 3; k++) {
        const double *u = p[k], *v = p[(k + 1) % 3];
        sum += (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) * l[(k + 2) % 3];
    }
    return atan2(volume, sum) / (2 * PI);
}

static int winding_of(const prc_mesh *mesh, const double *positions, const double *x)
{
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3 * t;
        sum += share_of_sphere(x, positions + 3 * v[0], positions + 3 * v[1], positions + 3 * v[2]);
    }
    return (int)lround(sum);
}

/* Things that move as told may pass each other: of obstacles always, of pins where these are not judged. */
static bool may_pass(const judge *j, const prc_sim *sim, int body, int vertex)
{
    const int first = prc_sim_body_first_vertex(sim, body), count = prc_sim_body_vertex_count(sim, body);
    if (vertex >= first && vertex < first + count)
        return true; /* one of its own */
    bool any = false;
    for (int i = first; i < first + count; i++)
        any |= j->prescribed[i];
    return any && j->prescribed[vertex];
}

static void find_windings(const judge *j, prc_sim *sim, int *winding)
{
    const double *x = prc_sim_positions(sim);
    for (int b = 0; b < part_count(j->def); b++) {
        const prc_mesh *mesh = mesh_of(j->def, b);
        const bool closed = !is_particles(j->def, b) && is_closed(mesh);
        for (int i = 0; i < j->vertex_count; i++)
            winding[b * j->vertex_count + i] =
                closed && !may_pass(j, sim, b, i)
                    ? winding_of(mesh, x + 3 * (size_t)prc_sim_body_first_vertex(sim, b), x + 3 * (size_t)i)
                    : 0;
    }
}

bool judge_sides(const judge *j, prc_sim *sim, outcome *found)
{
    const int count = part_count(j->def) * j->vertex_count;
    int *now = j->winding ? calloc((size_t)count, sizeof *now) : NULL;
    bool same = true;
    if (!now)
        return true;
    find_windings(j, sim, now);
    for (int k = 0; k < count && same; k++)
        if (now[k] != j->winding[k])
            same =
                outcome_say(found, PASSED, "vertex %d went through the closed surface %d: %d times around it, was %d",
                            k % j->vertex_count, k / j->vertex_count, now[k], j->winding[k]);
    free(now);
    return same;
}

/* --- states --- */

bool judge_open(judge *j, const prc_sim_def *def, prc_sim *sim, bool prescribed)
{
    *j = (judge){.def = def, .vertex_count = prc_sim_vertex_count(sim)};
    int most = 0;
    for (int b = 0; b < part_count(def); b++)
        most += mesh_of(def, b)->triangle_count + mesh_of(def, b)->vertex_count;
    for (int o = 0; o < def->obstacle_count; o++)
        most += def->obstacles[o].segment_count;
    j->shapes = calloc((size_t)most + 1, 3 * sizeof(int));
    j->prescribed = calloc((size_t)j->vertex_count + 1, sizeof(bool));
    if (!j->shapes || !j->prescribed || !gather_balls(j, sim))
        return false;
    gather_shapes(j, sim);
    if (!prescribed)
        gather_pins(j, sim);
    if (def->contact.enabled && prc_sim_start(sim).exempt_pairs == 0) {
        j->winding = calloc((size_t)part_count(def) * (size_t)j->vertex_count, sizeof(int));
        if (!j->winding)
            return false;
        find_windings(j, sim, j->winding);
    }
    return true;
}

void judge_close(judge *j)
{
    free(j->shapes);
    free(j->prescribed);
    free(j->winding);
    free(j->radii);
    free(j->thickness);
}

static bool finite(prc_sim *sim, outcome *found)
{
    const double *x = prc_sim_positions(sim), *v = prc_sim_velocities(sim);
    for (int k = 0; k < 3 * prc_sim_vertex_count(sim); k++)
        if (!isfinite(x[k]) || !isfinite(v[k]))
            return outcome_say(found, NOT_FINITE, "vertex %d: position %g, velocity %g", k / 3, x[k], v[k]);
    return true;
}

static bool apart(const judge *j, prc_sim *sim, const prc_step_report *report, outcome *found)
{
    prc_check_options how = prc_check_options_default();
    prc_check_result result;
    prc_error error;
    how.most_listed = 1;
    how.obstacle = j->prescribed;
    how.skip_distances = true;
    if (prc_check_surfaces(prc_sim_positions(sim), j->vertex_count, j->shapes, j->shape_count, &how, &result, &error))
        return outcome_say(found, BROKEN, "the checker: %s", error.message);
    bool good = result.crossings <= report->exempt_crossings;
    if (!good) {
        const prc_check_crossing *c = result.listed;
        good = outcome_say(found, CROSSED,
                           "%lld crossings, %d exempt; edge %d %d, triangle %d %d %d at (%.4g, %.4g, %.4g)",
                           result.crossings, report->exempt_crossings, c->edge[0], c->edge[1], c->triangle[0],
                           c->triangle[1], c->triangle[2], c->point[0], c->point[1], c->point[2]);
    }
    prc_check_result_release(&result);
    return good;
}

/* --- colliders --- */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static void normalise(double a[3])
{
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int c = 0; c < 3; c++)
        a[c] /= length;
}

/* Turns v about a unit axis: Rodrigues. */
static void turn_about(const double axis[3], double radians, double v[3])
{
    double across[3];
    const double along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
    cross(axis, v, across);
    for (int c = 0; c < 3; c++)
        v[c] = v[c] * cos(radians) + across[c] * sin(radians) + axis[c] * along * (1 - cos(radians));
}

/* The directions x, y, z of a collider's own frame as its def puts it: y is its axis, if it has one. */
static void frame_of(const prc_collider_def *def, double own[3][3])
{
    const bool axis = def->shape != PRC_SHAPE_BOX && def->shape != PRC_SHAPE_MESH && def->shape != PRC_SHAPE_SPHERE;
    double y[3] = {0, 1, 0}, x[3] = {1, 0, 0}, turn[3] = {0, 1, 0};
    if (axis) {
        memcpy(y, def->axis, sizeof y);
        normalise(y);
        const double help[3] = {fabs(y[0]) < 0.5, fabs(y[0]) >= 0.5, 0};
        cross(y, help, x);
        normalise(x);
    }
    memcpy(own[0], x, sizeof x);
    memcpy(own[1], y, sizeof y);
    cross(x, y, own[2]);
    if (def->rotate.degrees == 0)
        return;
    memcpy(turn, def->rotate.axis, sizeof turn);
    normalise(turn);
    for (int k = 0; k < 3; k++)
        turn_about(turn, def->rotate.degrees * PI / 180, own[k]);
}

static prc_check_collider collider_now(const prc_collider_def *def, const prc_sim *sim, int number)
{
    prc_check_collider s = {.kind = def->shape,
                            .radius = def->radius,
                            .radius_top = def->radius_top,
                            .half_length = def->length / 2,
                            .half_size = {def->size[0] / 2, def->size[1] / 2, def->size[2] / 2}};
    double own[3][3], turn[9], shift[3];
    frame_of(def, own);
    prc_sim_collider_pose(sim, number, turn, shift);
    for (int i = 0; i < 3; i++) {
        const double *row = turn + 3 * i;
        s.shift[i] = row[0] * def->center[0] + row[1] * def->center[1] + row[2] * def->center[2] + shift[i];
        for (int k = 0; k < 3; k++)
            s.turn[i][k] = row[0] * own[k][0] + row[1] * own[k][1] + row[2] * own[k][2];
    }
    if (def->shape == PRC_SHAPE_MESH) {
        s.mesh_positions = def->mesh->positions;
        s.mesh_vertex_count = def->mesh->vertex_count;
        s.mesh_triangles = def->mesh->triangles;
        s.mesh_triangle_count = def->mesh->triangle_count;
    }
    return s;
}

static const char *const shape_names[] = {"plane", "sphere", "capsule", "cylinder", "box", "cone", "mesh"};

static int list_colliders(const judge *j, const prc_sim *sim, prc_check_collider *colliders)
{
    int count = 0;
    for (int k = 0; k < prc_sim_collider_count(sim); k++) /* of a mesh that became a field nothing is known any more */
        if (j->def->colliders[k].shape != PRC_SHAPE_MESH || j->def->colliders[k].mesh)
            colliders[count++] = collider_now(&j->def->colliders[k], sim, k);
    return count;
}

/* Particles keep off each other, surfaces and colliders. Which pairs are exempt is not told, so while there are any
 * nothing is claimed. */
static bool keep_off(const judge *j, const prc_sim *sim, const double *x, const prc_step_report *report, outcome *found)
{
    prc_check_collider colliders[MOST_COLLIDERS];
    prc_check_balls_options how = prc_check_balls_options_default();
    prc_check_balls_result result;
    prc_error error;
    if (!j->radii || report->exempt_pairs > 0 || prc_sim_collider_count(sim) > MOST_COLLIDERS)
        return true;
    how.most_listed = 1;
    how.obstacle = j->prescribed;
    how.thickness = j->thickness;
    how.skip_distances = true;
    if (prc_check_balls(x, j->radii, j->vertex_count, j->shapes, j->shape_count, colliders,
                        list_colliders(j, sim, colliders), &how, &result, &error))
        return outcome_say(found, BROKEN, "the checker of particles: %s", error.message);
    const prc_check_overlap *o = result.listed;
    static const char *const kinds[] = {"particle", "shape", "collider"};
    const bool good =
        result.overlaps == 0 ||
        outcome_say(found, o->with == PRC_CHECK_COLLIDER ? ENTERED : CROSSED,
                    "%lld overlaps of particles; vertex %d and %s %d are %.4g m nearer than allowed, %.4g m of %.4g m",
                    result.overlaps, o->ball, kinds[o->with], o->other, o->depth, o->distance, o->thickness);
    prc_check_balls_result_release(&result);
    return good;
}

/* Whole triangles stay out of colliders, those of obstacles left out. Which ones are exempt is not told, so while there
 * are any nothing is claimed. */
static bool outside(const judge *j, const prc_sim *sim, const double *x, const prc_step_report *report, outcome *found)
{
    prc_check_collider colliders[MOST_COLLIDERS];
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result result;
    prc_error error;
    const int count = prc_sim_collider_count(sim);
    if (count == 0 || report->exempt_pairs > 0)
        return true;
    if (count > MOST_COLLIDERS)
        return outcome_say(found, INVALID, "%d colliders; at most %d are judged", count, MOST_COLLIDERS);
    const int judged = list_colliders(j, sim, colliders);
    how.most_listed = 1;
    how.obstacle = j->prescribed;
    how.skip_distances = true;
    if (prc_check_colliders(x, j->vertex_count, j->shapes, j->shape_count, colliders, judged, &how, &result, &error))
        return outcome_say(found, BROKEN, "the checker of colliders: %s", error.message);
    const prc_check_meeting *m = result.listed;
    const bool good = result.meetings == 0 ||
                      outcome_say(found, ENTERED,
                                  "%lld triangles in colliders; %d %d %d is %.4g m inside a %s at (%.4g, %.4g, %.4g)%s",
                                  result.meetings, m->vertices[0], m->vertices[1], m->vertices[2], m->depth,
                                  shape_names[colliders[m->collider].kind], m->point[0], m->point[1], m->point[2],
                                  m->undecided ? ", undecided" : "");
    prc_check_collider_result_release(&result);
    return good;
}

bool judge_state(const judge *j, prc_sim *sim, const prc_step_report *report, outcome *found)
{
    return finite(sim, found) &&
           (!j->def->contact.enabled ||
            (apart(j, sim, report, found) && outside(j, sim, prc_sim_positions(sim), report, found) &&
             keep_off(j, sim, prc_sim_positions(sim), report, found)));
}
