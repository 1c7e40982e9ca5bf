/* evidence/scene.c — meshes, simulations and measures that several chapters need.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

void ev_random_seed(uint64_t seed)
{
    random_state = 88172645463325252u ^ (seed * 0x9E3779B97F4A7C15u);
}

double ev_random(void)
{
    random_state ^= random_state << 13; /* Marsaglia's xorshift */
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

void *ev_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static void stop_unless(prc_result result, const prc_error *error)
{
    if (result != PRC_OK) {
        fprintf(stderr, "percale: %s\n", error->message);
        exit(2);
    }
}

prc_mesh ev_grid(double length, double width, int along, int across, prc_grid_pattern pattern, int seed)
{
    prc_mesh mesh;
    prc_error error;
    prc_grid_def def = prc_grid_def_default();
    def.size[0] = length;
    def.size[1] = width;
    def.cells[0] = along;
    def.cells[1] = across;
    def.pattern = pattern;
    def.jitter = 0.3;
    def.seed = seed;
    stop_unless(prc_mesh_grid(&mesh, &def, &error), &error);
    return mesh;
}

int *ev_column(const prc_mesh *mesh, double at, double slack, int *count)
{
    int *list = EV_NEW(int, mesh->vertex_count);
    *count = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (fabs(mesh->positions[3 * i] - at) <= slack)
            list[(*count)++] = i;
    return list;
}

prc_sim_def ev_sim_def(const prc_body_def *body)
{
    prc_sim_def def = prc_sim_def_default();
    def.bodies = body;
    def.body_count = 1;
    def.gravity[0] = def.gravity[1] = def.gravity[2] = 0;
    def.threads = 1;
    def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    def.solver.max_iterations = 200;
    def.solver.max_inner = 4000;
    def.solver.tolerance = 1e-9;
    return def;
}

prc_sim *ev_sim(const prc_sim_def *def)
{
    prc_error error = {0};
    prc_sim *sim = prc_sim_create(def, &error);
    stop_unless(sim ? PRC_OK : PRC_ERROR_INPUT, &error);
    return sim;
}

void ev_step(prc_sim *sim, prc_step_report *report)
{
    prc_error error = {0};
    stop_unless(prc_sim_step(sim, report, &error), &error);
}

void ev_energy(prc_sim *sim, const double *x, double *energy, double *gradient)
{
    prc_error error = {0};
    stop_unless(prc_sim_elastic(sim, x, energy, gradient, &error), &error);
}

void ev_product(prc_sim *sim, const double *x, const double *direction, double *product)
{
    prc_error error = {0};
    stop_unless(prc_sim_elastic_product(sim, x, direction, product, &error), &error);
}

/* Steps of one length; returns the last move. */
static double relax_with(prc_sim *sim, double *x, const double *rest_velocity, int most, double tolerance)
{
    const int count = 3 * prc_sim_vertex_count(sim);
    double moved = INFINITY;
    for (int step = 0; step < most && moved > tolerance; step++) {
        prc_error error = {0};
        stop_unless(prc_sim_set_state(sim, x, rest_velocity, &error), &error);
        ev_step(sim, NULL);
        const double *y = prc_sim_positions(sim);
        moved = ev_largest_difference(x, y, count);
        memcpy(x, y, sizeof(double) * (size_t)count);
    }
    return moved;
}

double ev_relax(const prc_sim_def *def, double *x, double first_step, double tolerance)
{
    prc_sim_def copy = *def;
    double *zero = NULL, moved = 0;
    copy.solver.inner_tolerance = 0.1;
    copy.solver.tolerance = 1e-11;
    for (double step = first_step; step < 2e3; step = step < 300 && 5 * step > 1e3 ? 1e3 : 5 * step) {
        const bool last = step >= 1e3;
        copy.time.step = step;
        prc_sim *sim = ev_sim(&copy);
        if (!zero)
            zero = EV_NEW(double, 3 * prc_sim_vertex_count(sim));
        moved = relax_with(sim, x, zero, last ? 20 : 4, last ? tolerance : 0);
        prc_sim_destroy(sim);
    }
    free(zero);
    return moved;
}

void ev_cloths_open(ev_cloths *c)
{
    memset(c, 0, sizeof *c);
    c->def = prc_sim_def_default();
    c->def.bodies = c->body;
    c->def.colliders = c->collider;
    c->def.pins = c->pin;
    c->def.forces = c->force;
    c->def.threads = 1;
    c->def.gravity[0] = c->def.gravity[1] = 0;
    c->def.gravity[2] = -9.81;
    c->def.contact.enabled = true;
    for (int k = 0; k < 2; k++) {
        c->collider[k] = prc_collider_def_default();
        c->pin[k] = prc_pin_def_default();
    }
    for (int k = 0; k < EV_MOST_CLOTHS; k++)
        c->force[k] = prc_force_def_default();
}

prc_body_def *ev_cloths_square(ev_cloths *c, double size, int cells, double z, int seed)
{
    const int k = c->def.body_count++;
    const double axis[3] = {0, 0, 1}, place[3] = {0, 0, z};
    c->mesh[k] = ev_grid(size, size, cells, cells, PRC_GRID_IRREGULAR, seed);
    prc_mesh_transform(&c->mesh[k], axis, 0, 1, place);
    c->body[k] = prc_body_def_default();
    c->body[k].mesh = &c->mesh[k];
    return &c->body[k];
}

prc_collider_def *ev_cloths_plane(ev_cloths *c, double z, double up)
{
    prc_collider_def *plane = &c->collider[c->def.collider_count++];
    plane->shape = PRC_SHAPE_PLANE;
    plane->center[2] = z;
    plane->axis[0] = plane->axis[1] = 0;
    plane->axis[2] = up;
    return plane;
}

void ev_cloths_start(ev_cloths *c)
{
    c->sim = ev_sim(&c->def);
}

void ev_cloths_close(ev_cloths *c)
{
    prc_sim_destroy(c->sim);
    for (int k = 0; k < c->def.body_count; k++)
        prc_mesh_release(&c->mesh[k]);
}

double ev_cloths_mean(const ev_cloths *c, int body, double velocity[3], double *height)
{
    const double *m = prc_sim_masses(c->sim), *x = prc_sim_positions(c->sim), *v = prc_sim_velocities(c->sim);
    const int first = prc_sim_body_first_vertex(c->sim, body), count = prc_sim_body_vertex_count(c->sim, body);
    double mass = 0, sum[4] = {0, 0, 0, 0};
    for (int i = first; i < first + count; i++) {
        mass += m[i];
        for (int k = 0; k < 3; k++)
            sum[k] += m[i] * v[3 * i + k];
        sum[3] += m[i] * x[3 * i + 2];
    }
    for (int k = 0; k < 3 && velocity; k++)
        velocity[k] = sum[k] / mass;
    if (height)
        *height = sum[3] / mass;
    return mass;
}

double ev_virial(const double *rest, const double *gradient, int vertex_count, int axis, double area)
{
    double sum = 0;
    for (int i = 0; i < vertex_count; i++)
        sum += rest[3 * i + axis] * gradient[3 * i + axis];
    return sum / area;
}

double ev_largest_difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

double ev_largest(const double *a, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(a[k]));
    return most;
}
