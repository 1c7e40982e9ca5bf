/* evidence/chapter_particles.c — balls: the momentum of what collides, what a column presses with, the slope of a heap.
 *
 * Collisions keep the momentum of all, since both sides of a contact feel the same force. A column at rest presses on
 * the floor with its weight. A heap of grains stands at an angle that grows with friction; for glass and sand it is
 * between 15 and 40 degrees. SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 5e-3 /* m */
#define SPACING (2.6 * RADIUS)
#define WIDE 0.04 /* m: radius of the cylinder that becomes a heap */

typedef struct heap {
    prc_mesh mesh;
    prc_body_def body;
    prc_collider_def floor;
    prc_sim_def def;
    prc_sim *sim;
} heap;

static void heap_open(heap *h, int most)
{
    memset(h, 0, sizeof *h);
    h->mesh.positions = EV_NEW(double, 3 * most);
    h->body = prc_body_def_default();
    h->body.kind = PRC_BODY_PARTICLES;
    h->body.mesh = &h->mesh;
    h->body.particle = (prc_particle_def){RADIUS, 2500};
    h->floor = prc_collider_def_default();
    h->floor.shape = PRC_SHAPE_PLANE;
    h->def = prc_sim_def_default();
    h->def.bodies = &h->body;
    h->def.body_count = 1;
    h->def.threads = 1;
    h->def.contact.enabled = true;
    h->def.contact.d_hat = 0.1 * RADIUS;
    h->def.time.step = 2e-3;
}

static void heap_close(heap *h)
{
    prc_sim_destroy(h->sim);
    free(h->mesh.positions);
}

static void put(heap *h, double x, double y, double z)
{
    double *at = h->mesh.positions + 3 * h->mesh.vertex_count++;
    at[0] = x;
    at[1] = y;
    at[2] = z;
}

/* --- two clouds that meet --- */

/* `across`³ balls on either side, the left ones faster. */
static double momentum_lost(int across, double gap)
{
    heap h;
    prc_step_report report;
    const int half = across * across * across;
    double *velocity = EV_NEW(double, 6 * half), exchanged = 0, most = 0;
    heap_open(&h, 2 * half);
    ev_random_seed(5);
    for (int k = 0; k < 2 * half; k++) {
        const int cloud = k / half, i = k % half, row = i / across % across, layer = i / across / across;
        put(&h, (i % across) * SPACING + 0.2 * RADIUS * ev_random() + gap * cloud,
            row * SPACING + 0.2 * RADIUS * ev_random(), layer * SPACING + 0.2 * RADIUS * ev_random());
        velocity[3 * k] = cloud ? -1 : 1.5;
    }
    h.body.vertex_velocity = velocity;
    h.def.contact.friction = 0.3;
    h.def.solver.tolerance = 1e-12;
    h.def.time.step = 1e-3;
    memset(h.def.gravity, 0, sizeof h.def.gravity);
    h.sim = ev_sim(&h.def);
    const double mass = prc_sim_masses(h.sim)[0];
    for (int k = 0; k < 40; k++) {
        ev_step(h.sim, &report);
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(report.momentum[c] - (c == 0 ? half * mass * 0.5 : 0)));
    }
    for (int i = 0; i < half; i++)
        exchanged += mass * fabs(prc_sim_velocities(h.sim)[3 * i] - 1.5);
    heap_close(&h);
    free(velocity);
    return most / exchanged;
}

static void momentum(void)
{
    const double pair = momentum_lost(1, 3 * RADIUS), clouds = momentum_lost(3, 4.2 * SPACING);
    ev_row("particles: momentum of two that collide, over what they exchanged", 0, pair, pair, 1e-12);
    ev_row("… of two clouds of 27", 0, clouds, clouds, 1e-10);
}

/* --- a column --- */

static void column(void)
{
    heap h;
    prc_step_report report;
    const prc_contact_point *points;
    int count;
    prc_error error;
    double pressed = 0;
    heap_open(&h, 6);
    for (int k = 0; k < 6; k++)
        put(&h, 0, (1.05 + 2.1 * k) * RADIUS, 0);
    h.def.collider_count = 1;
    h.def.colliders = &h.floor;
    h.def.solver.tolerance = 1e-10;
    h.sim = ev_sim(&h.def);
    for (int k = 0; k < 300; k++)
        ev_step(h.sim, &report);
    const double weight = 6 * 9.81 * prc_sim_masses(h.sim)[0];
    if (prc_sim_contacts(h.sim, &points, &count, &error) != PRC_OK)
        count = 0;
    for (int k = 0; k < count; k++)
        pressed += points[k].collider == 0 ? points[k].force[1] : 0;
    ev_row("particles: force of a column of six on the floor, over its weight", 1, pressed / weight,
           fabs(pressed / weight - 1), 1e-6);
    heap_close(&h);
}

/* --- a heap --- */

/* Slope of the surface of a heap, degrees: of the highest grains over rings about its middle, a straight line where the
 * heap is neither its top nor its rim. */
static double slope_of(const heap *h, double low, double high)
{
    enum { RINGS = 64 };
    double top[RINGS] = {0}, sum[5] = {0}, peak = 0;
    const double *x = prc_sim_positions(h->sim);
    for (int i = 0; i < h->mesh.vertex_count; i++) {
        const int ring = (int)(hypot(x[3 * i], x[3 * i + 2]) / (2 * RADIUS));
        if (ring < RINGS)
            top[ring] = fmax(top[ring], x[3 * i + 1]);
        peak = fmax(peak, x[3 * i + 1]);
    }
    for (int k = 0; k < RINGS; k++) {
        if (top[k] < low * peak || top[k] > high * peak)
            continue;
        const double at = (2 * k + 1) * RADIUS;
        sum[0] += 1;
        sum[1] += at;
        sum[2] += top[k];
        sum[3] += at * at;
        sum[4] += at * top[k];
    }
    const double slope = (sum[0] * sum[4] - sum[1] * sum[2]) / (sum[0] * sum[3] - sum[1] * sum[1]);
    return -atan(slope) * 180 / EV_PI;
}

/* A loose cylinder of grains, each layer at random, that falls and collapses on a rough floor. */
static double repose(double friction, int layers, int steps, int *unconverged)
{
    enum { TRIES = 300, MOST = 80 };
    heap h;
    prc_step_report report;
    heap_open(&h, MOST * layers);
    ev_random_seed(11);
    for (int j = 0; j < layers; j++)
        for (int first = h.mesh.vertex_count, t = 0; t < TRIES && h.mesh.vertex_count < first + MOST; t++) {
            const double r = WIDE * sqrt(ev_random()), angle = 2 * EV_PI * ev_random(), x = r * cos(angle),
                         z = r * sin(angle);
            bool free_place = true;
            for (int i = first; i < h.mesh.vertex_count && free_place; i++)
                free_place = hypot(h.mesh.positions[3 * i] - x, h.mesh.positions[3 * i + 2] - z) > 2.15 * RADIUS;
            if (free_place)
                put(&h, x, (1.2 + 2.15 * j) * RADIUS, z);
        }
    h.def.collider_count = 1;
    h.def.colliders = &h.floor;
    h.def.contact.friction = friction;
    h.floor.friction = 1;
    h.def.solver.unconverged = PRC_UNCONVERGED_GO_ON;
    h.sim = ev_sim(&h.def);
    for (int k = 0; k < steps; k++) {
        ev_step(h.sim, &report);
        *unconverged += !report.converged;
    }
    const double slope = slope_of(&h, 0.15, 0.9);
    heap_close(&h);
    return slope;
}

static void heaps(void)
{
    static const double friction[] = {0.2, 0.4, 0.6};
    double before = 0;
    int unconverged = 0;
    for (int k = 0; k < 3; k++) {
        char claim[100];
        const double slope = repose(friction[k], 30, 600, &unconverged);
        snprintf(claim, sizeof claim, "particles: slope of a heap, friction %.1f, degrees", friction[k]);
        ev_row_between(claim, slope, 15, 40);
        ev_row_between("… steeper than with less friction, by degrees", slope - before, 0, 90);
        before = slope;
    }
    ev_row_note("particles: steps of these heaps that did not converge", 0, unconverged, unconverged);
}

void ev_chapter_particles(void)
{
    momentum();
    column();
    if (!ev_quick)
        heaps();
}
