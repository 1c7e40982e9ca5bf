/* evidence/chapter_contact.c — the physics of contact: friction on a slope, rest, separation, impact, energy.
 *
 * The slope is a level plane, with a force along it that sets in once the patch has come to rest: gravity across the
 * slope is g cos, the force per mass g sin. SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "kernel/barrier.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81
#define TAN_SLOPE 0.5
#define SETTLED 0.2 /* s: when the force along the slope begins */

static const char *precision_name(prc_precision precision)
{
    return precision == PRC_PRECISION_DOUBLE ? "double" : "single";
}

/* --- friction --- */

typedef struct slide {
    double friction, step, tolerance, eps_v;
    prc_precision precision;
} slide;

/* What a slide came to: m/s at the end, m/s² over its second half, m in all, steps that did not converge. */
typedef struct slid {
    double speed, acceleration, distance;
    int unconverged;
} slid;

static slid run_slide(const slide *s, double duration, FILE *plot)
{
    ev_cloths c;
    slid r = {0, 0, 0, 0};
    const double cosine = 1 / sqrt(1 + TAN_SLOPE * TAN_SLOPE);
    ev_cloths_open(&c);
    c.def.precision = s->precision;
    c.def.time.step = s->step;
    c.def.solver.tolerance = s->tolerance;
    c.def.contact.friction = s->friction;
    c.def.contact.eps_v = s->eps_v;
    c.def.gravity[2] = -GRAVITY * cosine;
    prc_body_def *body = ev_cloths_square(&c, 0.2, 4, 0.5 * c.def.contact.thickness * (1 + 0.9 * 2 / 3), 1);
    ev_cloths_plane(&c, 0, 1);
    c.def.force_count = 1;
    c.force[0].force[0] = body->material.density * 0.04 * GRAVITY * TAN_SLOPE * cosine;
    c.force[0].from = SETTLED;
    ev_cloths_start(&c);
    const int settle = (int)lround(SETTLED / s->step), steps = (int)lround(duration / s->step);
    double half = 0, v[3] = {0, 0, 0};
    for (int k = 0; k < settle; k++)
        ev_step(c.sim, NULL);
    for (int k = 1; k <= steps; k++) {
        prc_step_report report;
        ev_step(c.sim, &report);
        ev_cloths_mean(&c, 0, v, NULL);
        r.unconverged += !report.converged;
        r.distance += s->step * v[0];
        half = 2 * k == steps ? v[0] : half;
        if (plot && k % 10 == 0)
            fprintf(plot, "%.6f %.8f %g\n", k * s->step, v[0], s->friction);
    }
    if (plot)
        fprintf(plot, "\n\n");
    r.speed = v[0];
    r.acceleration = 2 * (v[0] - half) / duration;
    ev_cloths_close(&c);
    return r;
}

static double coulomb(double friction)
{
    return GRAVITY * (TAN_SLOPE - friction) / sqrt(1 + TAN_SLOPE * TAN_SLOPE);
}

/* The speed at which the rounded-off law carries the patch: mu (2 − s) s = tan, s in units of eps_v. */
static double creep(const slide *s)
{
    return s->eps_v * (1 - sqrt(fmax(0, 1 - TAN_SLOPE / s->friction)));
}

static void slide_row(const slide *s, const slid *r)
{
    char text[200], start[100];
    const double answer = coulomb(s->friction);
    snprintf(start, sizeof start, "slope 0.5, mu %g, %s", s->friction, precision_name(s->precision));
    if (s->friction >= TAN_SLOPE) {
        snprintf(text, sizeof text, "%s, holds: speed (answer: creep, at most eps_v), m/s", start);
        ev_row(text, creep(s), r->speed, r->speed - creep(s), 0.1 * s->eps_v);
    } else if (s->friction > 0) {
        snprintf(text, sizeof text, "%s, slides: acceleration, m/s^2", start);
        ev_row(text, answer, r->acceleration, r->acceleration / answer - 1, 0.03);
    } else {
        snprintf(text, sizeof text, "%s: acceleration / that of free sliding", start);
        ev_row_between(text, r->acceleration / answer, 0.99, 1.01);
    }
}

/* The default tolerance with friction at 1 ms is 1e-3 g h = 1e-5 m/s. */
static void coulomb_rows(void)
{
    static const double frictions[] = {0.6, 0.51, 0.5, 0.49, 0.45, 0};
    const double duration = ev_quick ? 0.5 : 1;
    char text[200];
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        int unconverged = 0;
        FILE *plot = precision == PRC_PRECISION_DOUBLE
                         ? ev_plot_open("slide.dat", "time, s; speed, m/s; coefficient of friction; one block each")
                         : NULL;
        for (int k = 0; k < 6; k++) {
            const slide s = {frictions[k], 1e-3, 0, 1e-3, (prc_precision)precision};
            const slid r = run_slide(&s, duration, plot);
            slide_row(&s, &r);
            unconverged += r.unconverged;
        }
        ev_plot_close(plot);
        snprintf(text, sizeof text, "slope 0.5, %s: steps that did not converge, of %d",
                 precision_name((prc_precision)precision), 6 * (int)lround(duration / 1e-3));
        ev_row(text, 0, unconverged, unconverged, 0);
    }
}

/* Where the tolerance is looser, or eps_v smaller; and the order in the time step, from positions. */
static void variant_notes(void)
{
    const double duration = 0.5;
    slide s = {0.49, 1e-3, 1e-4, 1e-3, PRC_PRECISION_DOUBLE};
    slid r = run_slide(&s, duration, NULL);
    ev_row_note("slope 0.5, mu 0.49, tolerance 1e-4 m/s: acceleration, m/s^2", coulomb(0.49), r.acceleration,
                r.acceleration / coulomb(0.49) - 1);
    s = (slide){0.6, 1e-3, 1e-6, 1e-5, PRC_PRECISION_DOUBLE};
    r = run_slide(&s, duration, NULL);
    ev_row_note("slope 0.5, mu 0.6, eps_v 1e-5 m/s: speed of creep, m/s", creep(&s), r.speed, r.speed - creep(&s));
    double error[3];
    for (int k = 0; k < 3; k++) {
        s = (slide){0.3, 4e-3 / (1 << k), 1e-7, 1e-3, PRC_PRECISION_DOUBLE};
        r = run_slide(&s, duration, NULL);
        error[k] = fabs(r.distance - 0.5 * coulomb(s.friction) * duration * duration);
    }
    ev_row_note("slope 0.5, mu 0.3: order of the distance in the time step, 4, 2, 1 ms", 1,
                log2(error[0] / error[2]) / 2, log2(error[0] / error[2]) / 2 - 1);
}

void ev_chapter_friction(void)
{
    coulomb_rows();
    variant_notes();
}

/* --- rest --- */

/* A patch that lies still, or a stack of them. */
static double stack_open(ev_cloths *c, int layers, prc_precision precision, double friction)
{
    ev_cloths_open(c);
    const double xi = c->def.contact.thickness, d_hat = xi / 3;
    c->def.precision = precision;
    c->def.contact.friction = friction;
    ev_cloths_plane(c, 0, 1);
    for (int k = 0; k < layers; k++)
        ev_cloths_square(c, 0.2, 5, (k + 0.5) * xi + (k + 1) * 1.2 * d_hat, 1 + k);
    return d_hat;
}

static double rms_speed(const ev_cloths *c, const prc_step_report *report)
{
    double mass = 0;
    for (int k = 0; k < c->def.body_count; k++)
        mass += ev_cloths_mean(c, k, NULL, NULL);
    return sqrt(2 * report->energy_kinetic / mass);
}

static void stack_rows(int layers, prc_precision precision, FILE *plot)
{
    ev_cloths c;
    char text[200];
    const double d_hat = stack_open(&c, layers, precision, 0.3), xi = c.def.contact.thickness;
    const double h = c.def.time.step;
    double most = 0, height = 0, lowest = INFINITY, highest = 0;
    int unconverged = 0;
    ev_cloths_start(&c);
    for (int k = 1; k <= (int)lround(2.1 / h); k++) {
        prc_step_report report;
        ev_step(c.sim, &report);
        unconverged += k * h > 1 && !report.converged;
        if (k * h > 2)
            most = fmax(most, rms_speed(&c, &report));
    }
    for (int k = 0; k < layers; k++) {
        ev_cloths_mean(&c, k, NULL, &height);
        if (plot)
            fprintf(plot, "%d %d %.9f %.9f %.9f\n", layers, k + 1, height, xi, d_hat);
    }
    const double *x = prc_sim_positions(c.sim);
    for (int i = prc_sim_body_first_vertex(c.sim, layers - 1); i < prc_sim_vertex_count(c.sim); i++) {
        lowest = fmin(lowest, x[3 * i + 2] + 0.5 * xi);
        highest = fmax(highest, x[3 * i + 2] + 0.5 * xi);
    }
    const char *name = precision_name(precision);
    snprintf(text, sizeof text, "stack of %d, %s: top face, mean, m (answer n xi, bar n d_hat)", layers, name);
    ev_row(text, layers * xi, height + 0.5 * xi, height + 0.5 * xi - layers * xi, layers * d_hat);
    snprintf(text, sizeof text, "stack of %d, %s: top face, vertex farthest from n xi, m", layers, name);
    const double far = fmax(fabs(lowest - layers * xi), fabs(highest - layers * xi));
    ev_row(text, layers * xi, highest, far, layers * d_hat);
    snprintf(text, sizeof text, "stack of %d, %s: largest rms speed after 2 s, m/s", layers, name);
    ev_row(text, 0, most, most, 1e-4);
    snprintf(text, sizeof text, "stack of %d, %s: steps after 1 s that did not converge", layers, name);
    ev_row(text, 0, unconverged, unconverged, 0);
    ev_cloths_close(&c);
}

/* Two weights upwards from 0.3 s on: what was pressed together leaves as a free body would. */
static void leave_row(bool from_cloth, prc_precision precision)
{
    ev_cloths c;
    char text[200];
    const double from = 0.3, after = 0.1;
    stack_open(&c, from_cloth ? 2 : 1, precision, 0.5);
    const int top = from_cloth, steps = (int)lround((from + after) / c.def.time.step);
    c.def.force_count = 1;
    c.force[0].body = top;
    c.force[0].from = from;
    c.force[0].force[2] = 2 * GRAVITY * c.body[top].material.density * 0.04;
    ev_cloths_start(&c);
    for (int k = 0; k < steps; k++)
        ev_step(c.sim, NULL);
    double v[3];
    ev_cloths_mean(&c, top, v, NULL);
    snprintf(text, sizeof text, "pulled off %s with friction, %s: speed / that of a free body",
             from_cloth ? "another patch" : "a plane", precision_name(precision));
    ev_row_between(text, v[2] / (GRAVITY * after), 0.99, 1.01);
    ev_cloths_close(&c);
}

void ev_chapter_rest(void)
{
    static const int layers[] = {1, 3, 6};
    FILE *plot = ev_plot_open("stack.dat", "layers, layer, mean height, thickness, d_hat, m");
    for (int k = 0; k < (ev_quick ? 2 : 3); k++)
        for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++)
            stack_rows(layers[k], (prc_precision)precision, precision == PRC_PRECISION_DOUBLE ? plot : NULL);
    ev_plot_close(plot);
    for (int k = 0; k < 4; k++)
        leave_row(k / 2 != 0, k % 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE);
}

/* --- impact --- */

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Adds Σ m x₁ × (v₁ − v₀): the torque of a step of implicit Euler, times its length. */
static void add_torque(const ev_cloths *c, const double *old, double sum[3])
{
    const double *m = prc_sim_masses(c->sim), *x = prc_sim_positions(c->sim), *v = prc_sim_velocities(c->sim);
    for (int i = 0; i < prc_sim_vertex_count(c->sim); i++)
        for (int k = 0; k < 3; k++) {
            const int p = 3 * i + (k + 1) % 3, q = 3 * i + (k + 2) % 3;
            sum[k] += m[i] * (x[p] * (v[q] - old[q]) - x[q] * (v[p] - old[p]));
        }
}

/* A heavier tilted patch thrown at one at rest, at 2 m/s and a little sideways, both free; defaults of the solver. */
static void impact_start(ev_cloths *c, double friction, prc_precision precision)
{
    const double tilt[3] = {1, 0.3, 0}, place[3] = {0, 0, 0.03};
    ev_cloths_open(c);
    c->def.precision = precision;
    c->def.contact.friction = friction;
    c->def.gravity[2] = 0;
    ev_cloths_square(c, 0.3, 6, 0, 1);
    prc_body_def *thrown = ev_cloths_square(c, 0.25, 5, 0, 2);
    prc_mesh_transform(&c->mesh[1], tilt, 8, 1, place);
    thrown->velocity[0] = 0.5;
    thrown->velocity[2] = -2;
    thrown->material.density = 0.5;
    ev_cloths_start(c);
}

static void momentum_rows(double friction, prc_precision precision)
{
    ev_cloths c;
    double before[3], after[2][3], error[3], gained[3], torque[3] = {0, 0, 0};
    impact_start(&c, friction, precision);
    int unconverged = 0;
    const double mass = ev_cloths_mean(&c, 1, before, NULL);
    const int count = 3 * prc_sim_vertex_count(c.sim);
    double *old = EV_NEW(double, count);
    for (int k = 0; k < 60; k++) {
        prc_step_report report;
        memcpy(old, prc_sim_velocities(c.sim), sizeof *old * (size_t)count);
        ev_step(c.sim, &report);
        add_torque(&c, old, torque);
        unconverged += !report.converged;
    }
    const double other = ev_cloths_mean(&c, 0, after[0], NULL);
    ev_cloths_mean(&c, 1, after[1], NULL);
    for (int k = 0; k < 3; k++) {
        gained[k] = other * after[0][k];
        error[k] = gained[k] + mass * (after[1][k] - before[k]);
    }
    char text[200], start[100];
    const double lost = length(error) / length(gained), twist = length(torque) / (0.1 * length(gained));
    snprintf(start, sizeof start, "free impact, 2 m/s, mu %g, %s", friction, precision_name(precision));
    snprintf(text, sizeof text, "%s: momentum lost / exchanged", start);
    ev_row(text, 0, lost, lost, 1e-3);
    snprintf(text, sizeof text, "%s: steps that did not converge, of 60", start);
    ev_row(text, 0, unconverged, unconverged, 0);
    snprintf(text, sizeof text, "%s: torque / (0.1 m x momentum exchanged)", start);
    ev_row_note(text, 0, twist, twist);
    free(old);
    ev_cloths_close(&c);
}

static double barrier_energy(prc_sim *sim)
{
    double energy = 0;
    prc_contact_geometry(&sim->contact, sim->view.field[PRC_FIELD_position]);
    for (int k = 0; k < sim->contact.contact_count; k++) {
        const prc_contact *c = &sim->contact.contacts[k];
        energy += c->kappa * prc_barrier_at(c->distance - c->xi, c->d_hat).energy;
    }
    return energy;
}

/* A tilted patch falls by 5 cm on a plane and comes to rest. Gains are shares of the energy it arrives with. What the
 * barrier holds comes back when the patch rebounds, so it is part of the sum; growth of its stiffness counts too. */
static void energy_rows(double friction, prc_precision precision)
{
    ev_cloths c;
    const double tilt[3] = {1, 0.3, 0}, place[3] = {0, 0, 0.05 + 0.016}, drop = 0.05;
    const int steps = ev_quick ? 300 : 1000;
    ev_cloths_open(&c);
    c.def.precision = precision;
    c.def.contact.friction = friction;
    ev_cloths_square(&c, 0.2, 6, 0, 1);
    prc_mesh_transform(&c.mesh[0], tilt, 8, 1, place);
    ev_cloths_plane(&c, 0, 1);
    ev_cloths_start(&c);
    const double scale = ev_cloths_mean(&c, 0, NULL, NULL) * GRAVITY * drop;
    double start = 0, last = 0, bare = 0, highest = 0, gain = 0, bare_gain = 0;
    for (int k = 0; k < steps; k++) {
        prc_step_report r;
        ev_step(c.sim, &r);
        const double now = r.energy_elastic + r.energy_kinetic + r.energy_potential;
        const double sum = now + barrier_energy(c.sim);
        if (k == 0)
            start = now;
        else {
            gain = fmax(gain, sum - last);
            bare_gain = fmax(bare_gain, now - bare);
        }
        highest = fmax(highest, sum - start);
        last = sum;
        bare = now;
    }
    char text[200], begin[100];
    snprintf(begin, sizeof begin, "drop of 5 cm and rest, mu %g, %s", friction, precision_name(precision));
    snprintf(text, sizeof text, "%s: largest gain of energy in a step / m g h", begin);
    ev_row(text, 0, gain / scale, gain / scale, 1e-4);
    snprintf(text, sizeof text, "%s: energy above the start, ever / m g h", begin);
    ev_row(text, 0, highest / scale, highest / scale, 1e-4);
    snprintf(text, sizeof text, "%s: the same gain without the barrier's energy", begin);
    ev_row_note(text, 0, bare_gain / scale, bare_gain / scale);
    ev_cloths_close(&c);
}

void ev_chapter_impact(void)
{
    for (int k = 0; k < 4; k++)
        momentum_rows(k / 2 ? 0.3 : 0, k % 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE);
    for (int k = 0; k < 4; k++)
        energy_rows(k / 2 ? 0.3 : 0, k % 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE);
}
