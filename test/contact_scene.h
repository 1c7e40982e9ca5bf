/* test/contact_scene.h — small scenes of cloth in contact for tests: up to three sheets, two colliders and four pins,
 * 3 mm thick, stepped by 4 ms on one thread, and what src/check says of them, which shares no code with the solver.
 *
 *     scene *s = scene_new();
 *     add_plane(s, 0);
 *     add_sheet(s, 5, 0.3, along_y, 20, 0, 0.01, 0)->velocity[1] = -1;
 *     CHECK(scene_start(s) && scene_run_safely(s, 30));
 *     scene_free(s);
 *
 * A scene may live on the stack as well: scene_init and scene_end. It points into itself: it must not be copied.
 * Tests change the defs as they like before scene_start. Obstacles are left out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_CONTACT_SCENE_H
#define PRC_TEST_CONTACT_SCENE_H

#include "check/check.h"
#include "step/place.h"
#include "step/sim.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BODIES 3
#define MOST_COLLIDERS 2
#define MOST_PINS 4
#define KEPT 0.79 /* of the thickness, of half of it to colliders: 0.8 is what is promised */

typedef struct scene {
    prc_mesh mesh[MOST_BODIES];
    prc_body_def body[MOST_BODIES];
    prc_collider_def collider[MOST_COLLIDERS];
    prc_pin_def pin[MOST_PINS];
    int *held[MOST_PINS]; /* vertices of those that add_pin made */
    prc_contact_pair_def pair;
    prc_sim_def def;
    prc_sim *sim;
    int *triangles, triangle_count; /* of all bodies, in the caller's numbers */
    prc_step_report report;
    prc_error error;
    int unconverged; /* steps so far */
    double smallest; /* distance of two surfaces that scene_safe has seen so far, m */
} scene;

__attribute__((unused)) static const double along_x[3] = {1, 0, 0}, along_y[3] = {0, 1, 0};

static inline void scene_init(scene *s)
{
    memset(s, 0, sizeof *s);
    for (int k = 0; k < MOST_BODIES; k++) {
        s->body[k] = prc_body_def_default();
        s->body[k].mesh = &s->mesh[k];
    }
    for (int k = 0; k < MOST_COLLIDERS; k++)
        s->collider[k] = prc_collider_def_default();
    for (int k = 0; k < MOST_PINS; k++)
        s->pin[k] = prc_pin_def_default();
    s->def = prc_sim_def_default();
    s->def.bodies = s->body;
    s->def.colliders = s->collider;
    s->def.pins = s->pin;
    s->def.threads = 1;
    s->def.time.step = 4e-3;
    s->def.contact.enabled = true;
    s->def.contact.thickness = 3e-3;
    s->def.contact.pairs = &s->pair;
    s->smallest = INFINITY;
}

static inline scene *scene_new(void)
{
    scene *s = malloc(sizeof *s);
    scene_init(s);
    return s;
}

static inline void scene_end(scene *s)
{
    prc_sim_destroy(s->sim);
    for (int k = 0; k < MOST_BODIES; k++)
        prc_mesh_release(&s->mesh[k]);
    for (int k = 0; k < MOST_PINS; k++)
        free(s->held[k]);
    free(s->triangles);
}

static inline void scene_free(scene *s)
{
    scene_end(s);
    free(s);
}

/* --- what is in it --- */

/* A sheet in the x–z plane, turned by `degrees` about `axis` after that, at (x, y, z). */
static inline prc_body_def *add_sheet(scene *s, int cells, double size, const double axis[3], double degrees, double x,
                                      double y, double z)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = size;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_ALTERNATING;
    prc_mesh *mesh = &s->mesh[s->def.body_count];
    prc_mesh_grid(mesh, &grid, &s->error);
    prc_mesh_transform(mesh, along_x, -90, 1, (const double[3]){0, 0, 0});
    prc_mesh_transform(mesh, axis, degrees, 1, (const double[3]){x, y, z});
    return &s->body[s->def.body_count++];
}

/* A level one, `degrees` about the vertical, a little off the axis. */
static inline prc_body_def *lay_sheet(scene *s, int cells, double size, double degrees, double height)
{
    return add_sheet(s, cells, size, along_y, degrees, 0.003, height, 0.007);
}

static inline prc_collider_def *add_collider(scene *s, prc_shape_kind shape)
{
    prc_collider_def *c = &s->collider[s->def.collider_count++];
    c->shape = shape;
    return c;
}

static inline prc_collider_def *add_plane(scene *s, double height)
{
    prc_collider_def *c = add_collider(s, PRC_SHAPE_PLANE);
    c->center[1] = height;
    return c;
}

/* Holds the vertices of a body at or above a height. */
static inline prc_pin_def *add_pin(scene *s, int body, double above)
{
    const prc_mesh *mesh = &s->mesh[body];
    prc_pin_def *pin = &s->pin[s->def.pin_count];
    int *held = s->held[s->def.pin_count++] = calloc((size_t)mesh->vertex_count, sizeof *held);
    pin->body = body;
    pin->vertices = held;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (mesh->positions[3 * i + 1] >= above)
            held[pin->vertex_count++] = i;
    return pin;
}

/* A stiffer sheet with coarse levels and no contact, held at its upper edge. */
static inline scene *banner(void)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
    add_sheet(s, 24, 1, along_x, 30, 0, 0, 0);
    add_pin(s, 0, 0.24);
    return s;
}

/* For claims that hold whether a step converges or not: it ends after so many outer iterations. */
static inline void scene_hurry(scene *s, int iterations)
{
    s->def.solver.max_iterations = iterations;
    s->def.solver.max_substeps = 1;
}

/* --- running --- */

/* Says why not. May be called again after the sim has been destroyed. */
static inline bool scene_start(scene *s)
{
    int first = 0, count = 0;
    free(s->triangles);
    s->triangle_count = 0;
    for (int b = 0; b < s->def.body_count; b++)
        s->triangle_count += s->mesh[b].triangle_count;
    s->triangles = calloc((size_t)s->triangle_count + 1, 3 * sizeof(int));
    for (int b = 0; b < s->def.body_count; b++) {
        for (int k = 0; k < 3 * s->mesh[b].triangle_count; k++)
            s->triangles[count++] = first + s->mesh[b].triangles[k];
        first += s->mesh[b].vertex_count;
    }
    s->sim = prc_sim_create(&s->def, &s->error);
    if (!s->sim)
        printf("    %s\n", s->error.message);
    return s->sim != NULL;
}

static inline bool scene_step(scene *s)
{
    if (prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK) {
        s->unconverged += !s->report.converged;
        return true;
    }
    printf("    at %g s: %s\n", prc_sim_time(s->sim), s->error.message);
    return false;
}

/* Mean over a body's vertices of a component of positions or velocities. */
static inline double mean_of(const scene *s, const double *values, int body, int component)
{
    const int first = prc_sim_body_first_vertex(s->sim, body), count = prc_sim_body_vertex_count(s->sim, body);
    double sum = 0;
    for (int i = first; i < first + count; i++)
        sum += values[3 * i + component];
    return sum / count;
}

/* --- judging --- */

/* Crossings by the checker, −1 when it fails; and, where that is not NULL, the smallest distance: infinite where there
 * are no pairs. Pairs whose vertices are all `left_out` do not count; NULL: all do. */
static inline long long crossings_but(scene *s, const bool *left_out, double *distance)
{
    prc_check_options options = prc_check_options_default();
    prc_check_result found;
    options.obstacle = left_out;
    options.skip_distances = !distance;
    if (prc_check_surfaces(prc_sim_positions(s->sim), prc_sim_vertex_count(s->sim), s->triangles, s->triangle_count,
                           &options, &found, &s->error) != PRC_OK)
        return -1;
    const long long crossings = found.crossings;
    if (distance)
        *distance = found.nearest.found ? found.nearest.distance : INFINITY;
    prc_check_result_release(&found);
    return crossings;
}

static inline long long crossings_now(scene *s, double *distance)
{
    return crossings_but(s, NULL, distance);
}

/* Smallest distance of any two surfaces, those of colliders that are meshes included, by the checker: −1 where they
 * cross. Infinite where there is no such collider. */
static inline double nearest_mesh(const scene *s)
{
    const prc_model *m = &s->sim->model;
    const int n = s->sim->view.padded_count;
    prc_check_options options = prc_check_options_default();
    prc_check_result found;
    prc_error error;
    if (s->sim->shell_count == 0)
        return INFINITY;
    prc_sim_fetch(s->sim);
    const double *x = m->view.field[PRC_FIELD_position];
    double *y = malloc(3 * sizeof *y * (size_t)m->vertex_count), distance = -1;
    for (int i = 0; i < 3 * m->vertex_count; i++)
        y[i] = x[(long)(i % 3) * n + i / 3];
    options.obstacle = s->sim->obstacle;
    if (prc_check_surfaces(y, m->vertex_count, m->triangles, m->triangle_count, &options, &found, &error) == PRC_OK) {
        distance = found.crossings ? -1 : found.nearest.found ? found.nearest.distance : INFINITY;
        prc_check_result_release(&found);
    }
    free(y);
    return distance;
}

/* Smallest distance of a vertex to a collider where it now is; where colliders are meshes, of all surfaces. */
static inline double nearest_collider(const scene *s)
{
    const double *x = prc_sim_positions(s->sim);
    double least = nearest_mesh(s), n[3];
    for (int k = 0; k < s->sim->contact.collider_count; k++)
        for (int i = 0; !s->sim->fields[k] && i < prc_sim_vertex_count(s->sim); i++)
            least = fmin(least, prc_collider_distance(&s->sim->contact.colliders[k], x + 3 * i, n));
    return least;
}

/* Judges the state: no crossing, everything farther apart than KEPT × thickness (half of that to colliders). */
static inline bool scene_safe(scene *s)
{
    double distance = 0;
    const double xi = s->def.contact.thickness, collider = nearest_collider(s);
    const long long crossings = crossings_now(s, &distance);
    const bool safe = crossings == 0 && distance > KEPT * xi && collider > KEPT * xi / 2;
    s->smallest = fmin(s->smallest, distance);
    if (!safe)
        printf("    at %g s: %lld crossings, smallest distance %.4g thickness, to colliders %.4g half thickness\n",
               prc_sim_time(s->sim), crossings, distance / xi, 2 * collider / xi);
    return safe;
}

static inline bool scene_run_safely(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!scene_step(s) || !scene_safe(s))
            return false;
    return true;
}

#endif
