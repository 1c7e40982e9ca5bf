/* evidence/chapter_guarantee.c — no accepted state intersects, whatever the speed, the precision and the barrier.
 *
 * Every state after every step is judged by src/check, which shares no code with the solver: crossings, and the
 * smallest distance against the hard thickness, 0.8 of the thickness, less where the mesh is so fine that it is scaled
 * down. Distances to colliders are worked out here. A second simulation with two threads runs beside the first one and
 * has to have the same bits. SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "check/check.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- scenes --- */

static void make_layers(ev_cloths *c)
{
    c->def.time.step = 5e-3;
    c->def.contact.thickness = 4e-3;
    c->def.contact.friction = 0.3;
    c->def.collider_count = 1;
    c->collider[0].shape = PRC_SHAPE_SPHERE;
    c->collider[0].radius = 0.15;
    for (int k = 0; k < 3; k++)
        ev_cloths_square(c, 0.5, 10, 0.153 + 0.006 * k, 1 + k)->velocity[2] = -1.0 - k;
}

/* The vertices of a mesh whose y (of two signs) or whose distance from the axis is large; returns how many. */
static int select_far(const prc_mesh *mesh, int *list, double sign, double limit)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double *x = mesh->positions + 3 * i;
        if (sign != 0 ? sign * x[1] > limit : fmax(fabs(x[0]), fabs(x[1])) > limit)
            list[count++] = i;
    }
    return count;
}

static int lists[2][400];

/* Its edges are hardly longer than the thickness, which is scaled down within the body. */
static void make_twist(ev_cloths *c)
{
    prc_error error;
    c->def.time.step = 1e-2;
    c->def.gravity[2] = 0;
    c->def.contact.thickness = 2.5e-2;
    c->def.body_count = 1;
    c->def.pin_count = 2;
    if (prc_mesh_cylinder(&c->mesh[0], 0.1, 0.4, 14, 10, &error) != PRC_OK)
        exit(2);
    c->body[0] = prc_body_def_default();
    c->body[0].mesh = &c->mesh[0];
    for (int e = 0; e < 2; e++) {
        c->pin[e].vertices = lists[e];
        c->pin[e].vertex_count = select_far(&c->mesh[0], lists[e], e ? 1 : -1, 0.199);
        c->pin[e].motion.degrees_per_second = e ? 720 : -720;
    }
}

/* A tilted patch at 100 m/s into a sheet held at its border. */
static void make_shot(ev_cloths *c)
{
    const double axis[3] = {1, 0.4, 0.2}, place[3] = {0.02, 0.03, 0.12};
    c->def.contact.thickness = 3e-3;
    ev_cloths_square(c, 0.8, 12, 0, 1);
    ev_cloths_square(c, 0.3, 6, 0, 2)->velocity[2] = -100;
    prc_mesh_transform(&c->mesh[1], axis, 35, 1, place);
    c->def.pin_count = 1;
    c->pin[0].vertices = lists[0];
    c->pin[0].vertex_count = select_far(&c->mesh[0], lists[0], 0, 0.399);
}

/* Two curled sheets, one upright, between two planes that close and have no room for them in the end. */
static void make_squeeze(ev_cloths *c)
{
    const double axis[3] = {1, 0.1, 0}, place[3] = {0, 0, 0.08}, flat[3] = {0.03, 0.05, 0};
    c->def.time.step = 5e-3;
    c->def.contact.thickness = 3e-3;
    ev_cloths_plane(c, -0.01, 1);
    ev_cloths_plane(c, 0.18, -1)->motion.velocity[2] = -1;
    c->collider[1].motion.until = 0.22;
    ev_cloths_square(c, 0.15, 8, 0, 1);
    prc_mesh_transform(&c->mesh[0], axis, 80, 1, place);
    ev_cloths_square(c, 0.15, 8, 0, 2);
    prc_mesh_transform(&c->mesh[1], axis, 0, 1, flat);
    for (int i = 0; i < c->mesh[1].vertex_count; i++)
        c->mesh[1].positions[3 * i + 1] += 0.05; /* clear of the first */
}

typedef struct scene {
    const char *name;
    void (*make)(ev_cloths *c);
    int steps, quick_steps;
} scene;

static const scene scenes[] = {
    {"3 layers on a ball", make_layers, 40, 3},
    {"twist of a fine tube", make_twist, 26, 10},
    {"patch at 100 m/s", make_shot, 20, 6},
    {"squeeze between planes", make_squeeze, 60, 39},
};

/* --- judging --- */

typedef struct judge {
    int *triangles, triangle_count;
    double hard, hard_collider; /* the promise, m */
    long long crossings;
    double smallest, smallest_collider; /* so far, m */
    int different, unconverged;         /* numbers that differ for 2 threads; steps */
} judge;

static double check_state(const ev_cloths *c, judge *j, const double *x)
{
    prc_check_result found;
    prc_check_options options = prc_check_options_default();
    prc_error error;
    if (prc_check_surfaces(x, prc_sim_vertex_count(c->sim), j->triangles, j->triangle_count, &options, &found,
                           &error) != PRC_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(2);
    }
    const double nearest = found.nearest.found ? found.nearest.distance : INFINITY;
    j->crossings += found.crossings;
    prc_check_result_release(&found);
    return nearest;
}

/* The hard thickness: 0.8 of the thickness, scaled as the thickness is for the pair that is closest at rest. */
static void judge_open(judge *j, const ev_cloths *c)
{
    int first = 0;
    double closest_rest = INFINITY;
    *j = (judge){.smallest = INFINITY, .smallest_collider = INFINITY};
    for (int b = 0; b < c->def.body_count; b++)
        j->triangle_count += c->mesh[b].triangle_count;
    j->triangles = EV_NEW(int, 3 * j->triangle_count);
    for (int b = 0, at = 0; b < c->def.body_count; b++) {
        for (int k = 0; k < 3 * c->mesh[b].triangle_count; k++)
            j->triangles[at++] = first + c->mesh[b].triangles[k];
        first += c->mesh[b].vertex_count;
    }
    prc_check_options options = prc_check_options_default();
    for (int b = 0; b < c->def.body_count; b++) {
        prc_check_result rest;
        if (prc_check_surfaces(c->mesh[b].positions, c->mesh[b].vertex_count, c->mesh[b].triangles,
                               c->mesh[b].triangle_count, &options, &rest, NULL) == PRC_OK)
            closest_rest = fmin(closest_rest, rest.nearest.distance);
        prc_check_result_release(&rest);
    }
    const double xi = c->def.contact.thickness, d_hat = xi / 3;
    j->hard = 0.8 * xi * fmin(1, 0.8 * closest_rest / (xi + d_hat));
    j->hard_collider = 0.4 * xi;
}

/* Smallest distance of a vertex to a collider where it now is: planes and balls. */
static double nearest_collider(const ev_cloths *c, const double *x)
{
    double least = INFINITY;
    for (int k = 0; k < c->def.collider_count; k++) {
        const prc_collider_def *def = &c->collider[k];
        const double *center = c->sim->contact.colliders[k].now.shift;
        for (int i = 0; i < prc_sim_vertex_count(c->sim); i++) {
            const double r[3] = {x[3 * i] - center[0], x[3 * i + 1] - center[1], x[3 * i + 2] - center[2]};
            const double d = def->shape == PRC_SHAPE_PLANE
                                 ? def->axis[2] * r[2]
                                 : sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - def->radius;
            least = fmin(least, d);
        }
    }
    return least;
}

static void judge_step(judge *j, ev_cloths *c, prc_sim *twin)
{
    prc_step_report report;
    ev_step(c->sim, &report);
    j->unconverged += !report.converged;
    const double *x = prc_sim_positions(c->sim);
    if (twin) {
        ev_step(twin, NULL);
        const double *y = prc_sim_positions(twin);
        for (int k = 0; k < 3 * prc_sim_vertex_count(c->sim); k++)
            j->different += memcmp(x + k, y + k, sizeof *x) != 0;
    }
    j->smallest = fmin(j->smallest, check_state(c, j, x));
    j->smallest_collider = fmin(j->smallest_collider, nearest_collider(c, x));
}

static void judge_rows(const judge *j, const ev_cloths *c, const char *start, int steps, bool compared)
{
    char text[200];
    snprintf(text, sizeof text, "%s: crossings in %d states", start, steps);
    ev_row(text, 0, (double)j->crossings, (double)j->crossings, 0);
    snprintf(text, sizeof text, "%s: smallest distance / hard thickness", start);
    ev_row(text, 1, j->smallest / j->hard, fmax(0, 1 - j->smallest / j->hard), 1e-9);
    if (c->def.collider_count) {
        snprintf(text, sizeof text, "%s: the same to colliders", start);
        ev_row(text, 1, j->smallest_collider / j->hard_collider, fmax(0, 1 - j->smallest_collider / j->hard_collider),
               1e-9);
    }
    if (compared) {
        snprintf(text, sizeof text, "%s: numbers that differ for 2 threads", start);
        ev_row(text, 0, j->different, j->different, 0);
    }
    if (c->def.contact.stiffness == 0) {
        snprintf(text, sizeof text, "%s: steps that did not converge, of %d", start, steps);
        ev_row_note(text, 0, j->unconverged, j->unconverged);
    }
}

static void run_scene(const scene *s, prc_precision precision, double stiffness)
{
    ev_cloths c;
    judge j;
    char start[100];
    const int steps = ev_quick ? s->quick_steps : s->steps;
    const int beside = !ev_quick ? steps : stiffness > 0 ? 0 : 3; /* waiting threads take long on a busy machine */
    ev_cloths_open(&c);
    s->make(&c);
    c.def.precision = precision;
    c.def.contact.stiffness = stiffness;
    c.def.solver.max_iterations = stiffness > 0 ? 20 : 60; /* without a barrier nothing converges, and need not */
    judge_open(&j, &c);
    ev_cloths_start(&c);
    c.def.threads = 2;
    prc_sim *twin = ev_sim(&c.def);
    for (int k = 0; k < steps; k++)
        judge_step(&j, &c, k < beside ? twin : NULL);
    snprintf(start, sizeof start, "%s, %s%s", s->name, precision == PRC_PRECISION_DOUBLE ? "double" : "single",
             stiffness > 0 ? ", barrier 1e-12 N/m" : "");
    judge_rows(&j, &c, start, steps, beside > 0);
    prc_sim_destroy(twin);
    ev_cloths_close(&c);
    free(j.triangles);
}

void ev_chapter_guarantee(void)
{
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int kind = 0; kind < 4; kind++)
            run_scene(&scenes[k], kind % 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE, kind / 2 ? 1e-12 : 0);
}
