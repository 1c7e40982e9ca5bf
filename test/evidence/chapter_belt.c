/* evidence/chapter_belt.c — a belt over a round bar: the pressure of its tension, and the capstan.
 *
 * A weightless belt under a tension T presses on a bar with T for every radian that it goes around. Dragged over the
 * bar with Coulomb's friction, the tension grows from one end to the other by exp(mu π) (Euler, Eytelwein). The contact
 * of whole triangles with a collider must give both, whatever the size of the cells: corners and faces share the work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.1 /* m, of the bar */
#define WIDTH 0.04
#define HANGS 0.1    /* m, on either side, less what the belt is longer than half the bar */
#define TENSION 10.0 /* N */
#define SETTLED 0.4  /* s */
#define DRAGGED 0.4  /* s */
#define SPEED 0.02   /* m/s: slips by far more than eps_v everywhere */
#define WITHIN 1.2   /* radians from the top: where pressure is looked at */

typedef struct belt {
    ev_cloths c;
    prc_mesh rest;
    int *end[2], columns;
    double cell;
} belt;

/* The belt as it lies: half around the bar, straight down on both sides. */
static void wrap(prc_mesh *mesh, double radius)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        double *x = mesh->positions + 3 * i;
        const double s = x[0], around = 0.5 * EV_PI * radius, beyond = fabs(s) - around;
        x[0] = beyond > 0 ? copysign(radius, s) : radius * sin(s / radius);
        x[2] = beyond > 0 ? -beyond : radius * cos(s / radius);
    }
}

static void belt_open(belt *b, double cell, double friction)
{
    ev_cloths *c = &b->c;
    ev_cloths_open(c);
    const double length = EV_PI * RADIUS + 2 * HANGS, xi = c->def.contact.thickness / 2;
    b->columns = 2 * (int)lround(0.5 * length / cell);
    b->cell = length / b->columns;
    const int across = (int)lround(WIDTH / cell);
    b->rest = ev_grid(length, WIDTH, b->columns, across, PRC_GRID_IRREGULAR, 3);
    c->mesh[0] = ev_grid(length, WIDTH, b->columns, across, PRC_GRID_IRREGULAR, 3);
    wrap(&c->mesh[0], RADIUS + 1.3 * xi + cell * cell / (8 * RADIUS)); /* chords dip */
    c->body[0] = prc_body_def_default();
    c->body[0].mesh = &c->mesh[0];
    c->body[0].rest_mesh = &b->rest;
    c->body[0].material.stretch = 1e5; /* N/m: by far more than the tension, so that it soon slips everywhere */
    c->body[0].material.bending = 0;
    c->body[0].material.mass_damping = 20;
    c->def.body_count = 1;
    c->def.gravity[2] = 0;
    c->def.time.step = 4e-3;
    c->def.contact.friction = friction;
    prc_collider_def *bar = &c->collider[c->def.collider_count++];
    bar->shape = PRC_SHAPE_CYLINDER;
    bar->axis[0] = bar->axis[2] = 0;
    bar->axis[1] = 1;
    bar->radius = RADIUS;
    bar->length = 1;
    for (int k = 0; k < 2; k++) {
        prc_force_def *f = &c->force[c->def.force_count++];
        b->end[k] = ev_column(&b->rest, k ? 0.5 * length : -0.5 * length, 1e-9, &f->vertex_count);
        f->vertices = b->end[k];
        f->force[2] = -TENSION;
    }
}

static void belt_close(belt *b)
{
    ev_cloths_close(&b->c);
    prc_mesh_release(&b->rest);
    free(b->end[0]);
    free(b->end[1]);
}

/* Mean angle from the top of each column of vertices, and the force that presses on it. */
static void columns_of(const belt *b, double *angle, double *press)
{
    const double *x = prc_sim_positions(b->c.sim), *m = prc_sim_masses(b->c.sim);
    const double *pressure = prc_sim_contact_pressure(b->c.sim), density = b->c.body[0].material.density;
    int *count = EV_NEW(int, b->columns + 1);
    memset(angle, 0, sizeof *angle * (size_t)(b->columns + 1));
    memset(press, 0, sizeof *press * (size_t)(b->columns + 1));
    for (int i = 0; i < b->rest.vertex_count; i++) {
        const int k = (int)lround((b->rest.positions[3 * i] - b->rest.positions[3 * b->end[0][0]]) / b->cell);
        angle[k] += atan2(x[3 * i], x[3 * i + 2]);
        press[k] += pressure[i] * m[i] / density;
        count[k]++;
    }
    for (int k = 0; k <= b->columns; k++)
        angle[k] /= count[k];
    free(count);
}

static void pressure_row(double cell)
{
    belt b;
    belt_open(&b, cell, 0);
    ev_cloths_start(&b.c);
    int unconverged = 0;
    for (int k = 0; k < (int)lround(SETTLED / b.c.def.time.step); k++) {
        prc_step_report report;
        ev_step(b.c.sim, &report);
        unconverged += !report.converged;
    }
    double *angle = EV_NEW(double, b.columns + 1), *press = EV_NEW(double, b.columns + 1), sum = 0, around = 0;
    columns_of(&b, angle, press);
    for (int k = 1; k < b.columns; k++)
        if (fabs(angle[k]) < WITHIN) {
            sum += press[k];
            around += 0.5 * (angle[k + 1] - angle[k - 1]);
        }
    char text[200];
    const double mean = sum / around;
    snprintf(text, sizeof text, "belt on a bar, cells of %g mm: pressure x radius x width, N (answer: tension)",
             1e3 * cell);
    ev_row(text, TENSION, mean, mean / TENSION - 1, 0.02);
    snprintf(text, sizeof text, "belt on a bar, cells of %g mm: steps that did not converge", 1e3 * cell);
    ev_row(text, 0, unconverged, unconverged, 0);
    free(angle);
    free(press);
    belt_close(&b);
}

/* What the bar carries. */
static double load(prc_sim *sim)
{
    const prc_contact_point *points;
    prc_error error;
    int count;
    double sum = 0;
    if (prc_sim_contacts(sim, &points, &count, &error) != PRC_OK)
        return NAN;
    for (int k = 0; k < count; k++)
        sum += points[k].force[2];
    return sum;
}

static void capstan_row(double cell, double friction)
{
    belt b;
    belt_open(&b, cell, friction);
    prc_pin_def *pin = &b.c.pin[b.c.def.pin_count++];
    pin->vertices = b.end[1];
    pin->vertex_count = b.c.force[1].vertex_count;
    pin->motion.velocity[2] = -SPEED;
    pin->from = pin->motion.from = SETTLED;
    ev_cloths_start(&b.c);
    const int settle = (int)lround(SETTLED / b.c.def.time.step), steps = (int)lround(DRAGGED / b.c.def.time.step);
    double tight = 0;
    int measured = 0;
    for (int k = 0; k < settle + steps; k++) {
        ev_step(b.c.sim, NULL);
        if (k >= settle + steps / 2) {
            tight += load(b.c.sim) - TENSION;
            measured++;
        }
    }
    char text[200];
    const double answer = exp(friction * EV_PI), ratio = tight / measured / TENSION;
    snprintf(text, sizeof text, "belt dragged over a bar, mu %g, cells of %g mm: ratio of tensions", friction,
             1e3 * cell);
    ev_row(text, answer, ratio, ratio / answer - 1, 0.03);
    belt_close(&b);
}

void ev_chapter_belt(void)
{
    static const double cells[] = {20e-3, 10e-3, 5e-3};
    for (int k = 0; k < (ev_quick ? 2 : 3); k++)
        pressure_row(cells[k]);
    for (int k = 0; k < (ev_quick ? 1 : 3); k++)
        capstan_row(cells[k], 0.3);
    if (!ev_quick)
        capstan_row(10e-3, 0.5);
}
