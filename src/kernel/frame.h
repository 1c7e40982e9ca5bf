/* kernel/frame.h — the frame of a step, vertex by vertex: what it begins with, what it leaves, what is counted of it.
 *
 * All in double: positions are, and what is made of them here is rounded once, as it is stored.
 * docs/theory.md, section 5. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_FRAME_H
#define PRC_KERNEL_FRAME_H

#include "kernel/air.h"
#include "kernel/lane.h"
#include "kernel/view.h"

#define FIELD(name) ((prc_real *)v->field[PRC_FIELD_##name])
#define FIELD_INT(name) ((const int *)v->field[PRC_FIELD_##name])
#define FIELD_DOUBLE(name) ((double *)v->field[PRC_FIELD_##name])

/* Displacement that the step before takes over into one of the second order, m. */
PRC_INLINE double prc_frame_base(const prc_view *v, long k, int second)
{
    return second ? (FIELD_DOUBLE(position)[k] - FIELD_DOUBLE(position_before)[k]) / 3 : 0;
}

/* How much of the dead force vertex i really followed of late: 1 in free flight, 0 at rest. */
PRC_INLINE double prc_frame_follow(const prc_view *v, int i, double since_before)
{
    const double *acceleration = FIELD_DOUBLE(acceleration);
    double gained = 0, square = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        gained += (FIELD_DOUBLE(velocity)[k] - FIELD_DOUBLE(velocity_before)[k]) * acceleration[k];
        square += acceleration[k] * acceleration[k];
    }
    const double follow = square > 0 ? gained / (since_before * square) : 0;
    return follow < 0 ? 0 : follow > 1 ? 1 : follow;
}

/* Where a vertex of a body would go without elastic forces, and the first guess: as if it were accelerated as in the
 * step before. Without contact only what dead forces had to do with that is taken, which is less noise. */
PRC_INLINE void prc_begin_elastic(const prc_view *v, int i)
{
    const double h = v->number[0], full = v->number[1];
    const int second = v->number[3] != 0;
    const double mass = FIELD_DOUBLE(mass_exact)[i], drag = FIELD_DOUBLE(mass_damping)[i];
    const double inertia = mass / (h * h), damp = mass * drag / h, follow = prc_frame_follow(v, i, v->number[2]);
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        const double velocity = FIELD_DOUBLE(velocity)[k], acceleration = FIELD_DOUBLE(acceleration)[k];
        const double base = prc_frame_base(v, k, second);
        const double speed = second ? (4 * velocity - FIELD_DOUBLE(velocity_before)[k]) / 3 : velocity;
        const double goal = base + h * speed + h * h * acceleration;
        FIELD(target)[k] = (prc_real)((inertia * goal + damp * base) / (inertia + damp));
        const double gained = (velocity - FIELD_DOUBLE(velocity_before)[k]) / v->number[2];
        FIELD(u)[k] = (prc_real)(full * velocity + full * full * (v->number[4] != 0 ? gained : follow * acceleration));
    }
    FIELD(weight)[i] = (prc_real)(inertia + damp);
}

/* Obstacles take no part in the objective; a weight of 1 keeps their diagonal blocks regular, and those of padding. */
PRC_INLINE void prc_stage_begin(const prc_view *v, int i)
{
    const int elastic = i < v->elastic_count;
    FIELD(free)[i] = elastic && !FIELD_INT(pinned)[i] ? R(1) : R(0);
    if (elastic)
        prc_begin_elastic(v, i);
    else
        FIELD(weight)[i] = R(1);
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        if (!elastic)
            FIELD(target)[k] = R(0);
        if (i >= v->vertex_count)
            FIELD(u)[k] = R(0);
        else if (!elastic || FIELD_INT(pinned)[i])
            FIELD(u)[k] = (prc_real)(FIELD_DOUBLE(prescribed)[k] - FIELD_DOUBLE(position)[k]);
    }
}

/* The drag coefficient / h of vertex i in a flow, N/m. */
PRC_INLINE double prc_frame_drag(const prc_view *v, int i, const double flow[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double w = flow[c] - FIELD_DOUBLE(velocity)[(long)c * v->padded_count + i];
        square += w * w;
    }
    return 0.5 * v->air.density * v->air.drag * FIELD_DOUBLE(area_exact)[i] * sqrt(square) / v->number[0];
}

/* The drag of a ball acts in all directions alike: it joins the inertia of the step, after the stage `begin`. */
PRC_INLINE void prc_air_on_particle(const prc_view *v, int i, const double flow[3])
{
    const double drag = prc_frame_drag(v, i, flow), inertia = (double)FIELD(weight)[i];
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        const double carried = v->number[0] * flow[c] + prc_frame_base(v, k, v->number[2] != 0);
        FIELD(target)[k] = (prc_real)((inertia * (double)FIELD(target)[k] + drag * carried) / (inertia + drag));
    }
    FIELD(weight)[i] = (prc_real)(inertia + drag);
}

/* Drag: ½ ρ C a |w| (w·n) n with w the wind relative to the cloth; |w| and n are those of x_t. */
PRC_INLINE void prc_stage_air(const prc_view *v, int i)
{
    const long n = v->padded_count;
    const double h = v->number[0], *position = FIELD_DOUBLE(position);
    double drag = 0, wind = 0, flow[3] = {0, 0, 0};
    if (i < v->elastic_count) {
        const double x[3] = {position[i], position[n + i], position[2 * n + i]};
        prc_air_flow(&v->air, x, v->number[1], flow);
    }
    if (i < v->ring_count) {
        drag = prc_frame_drag(v, i, flow);
        for (int c = 0; c < 3; c++)
            wind +=
                (double)FIELD(air_normal)[c * n + i] * (h * flow[c] + prc_frame_base(v, c * n + i, v->number[2] != 0));
    } else if (i < v->elastic_count)
        prc_air_on_particle(v, i, flow);
    FIELD(air_weight)[i] = (prc_real)drag;
    FIELD(air_wind)[i] = (prc_real)wind;
}

/* Positions with contact are exactly what was found safe, not x + u, which is rounded; without it, pinned vertices are
 * put exactly where their motion says. Obstacles, which take no part in the objective, have the velocity of the way
 * they made. */
PRC_INLINE void prc_stage_accept(const prc_view *v, int i)
{
    const double *safe = (const double *)v->argument[0];
    const double h = v->number[0], length = v->number[1];
    if (i >= v->vertex_count)
        return;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        const double x = FIELD_DOUBLE(position)[k], u = (double)FIELD(u)[k];
        double speed = (u - prc_frame_base(v, k, v->number[2] != 0)) / h, to = x + u;
        if (safe) {
            to = safe[k];
            speed = i < v->elastic_count ? speed : (to - x) / length;
        } else if (FIELD_INT(pinned)[i])
            to = FIELD_DOUBLE(prescribed)[k];
        if (v->number[3] != 0) {
            FIELD_DOUBLE(position_before)[k] = x;
            FIELD_DOUBLE(velocity_before)[k] = FIELD_DOUBLE(velocity)[k];
        }
        FIELD_DOUBLE(position)[k] = to;
        FIELD_DOUBLE(velocity)[k] = speed;
    }
}

/* A number that is none says nothing of the others. */
PRC_INLINE double prc_number_or(double value, double otherwise)
{
    return value == value ? value : otherwise;
}

PRC_INLINE void prc_stage_census(const prc_view *v, int i)
{
    const long n = v->padded_count;
    const double m = i < v->vertex_count ? FIELD_DOUBLE(mass_exact)[i] : 0;
    double *column = FIELD_DOUBLE(column), y[3], w[3], kinetic = 0, potential = 0, square = 0;
    for (int c = 0; c < 3; c++) {
        y[c] = FIELD_DOUBLE(position)[c * n + i];
        w[c] = FIELD_DOUBLE(velocity)[c * n + i];
        kinetic += 0.5 * m * w[c] * w[c];
        potential -= m * FIELD_DOUBLE(acceleration)[c * n + i] * y[c];
        square += w[c] * w[c];
    }
    for (int c = 0; c < 3; c++) {
        column[c * n + i] = m * w[c];
        column[(3 + c) * n + i] = m * (y[(c + 1) % 3] * w[(c + 2) % 3] - y[(c + 2) % 3] * w[(c + 1) % 3]);
    }
    column[6 * n + i] = kinetic;
    column[7 * n + i] = potential;
    column[8 * n + i] = i < v->shown_count ? prc_number_or(sqrt(square), 0) : 0;
    column[9 * n + i] = i < v->ring_count ? prc_number_or((double)FIELD(stretch)[i], 0) : 0;
    column[10 * n + i] = i < v->ring_count ? -prc_number_or((double)FIELD(stretch)[n + i], INFINITY) : -INFINITY;
}

#undef FIELD
#undef FIELD_INT
#undef FIELD_DOUBLE

#endif
