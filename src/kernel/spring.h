/* kernel/spring.h — one spring: its rest length, tension, and the row it is to solvers. docs/theory.md, section 11.1.
 *
 * E = ½ k (l − l0)² + ½ (c/h) (l − l_t)². One with a limit yields there: its energy goes on as a straight line. The
 * stiffness that solvers see is k + c/h along the spring and tension / l across it, the latter only where it pulls: a
 * spring that is pushed together would buckle, and its matrix would not be positive.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_SPRING_H
#define PRC_KERNEL_SPRING_H

#include "kernel/row.h"
#include "kernel/small.h"

#include <math.h>
#include <stdbool.h>

#define PRC_SPRING_SLACK 1e-9 /* of a step: times are sums of steps */

typedef struct prc_spring {
    double stiffness, damping;
    double start, length; /* rest length at `from`, and after close_time, m */
    double from, until, close_time;
    double anchor[3]; /* what fixed places add to the span, m */
    double limit;     /* most tension, N; 0: none */
    bool rope, seam;
    /* of the step in progress */
    double base[3]; /* span at x_t: from `tie` to `to`, m */
    double rest;    /* rest length, m */
    double before;  /* length at x_t, m */
    bool acts;
    double energy; /* of the last evaluation, dissipation of the step included, J */
} prc_spring;

/* Rest length at a time. */
PRC_INLINE double prc_spring_rest_at(const prc_spring *spring, double time)
{
    if (!(spring->close_time > 0) || time >= spring->from + spring->close_time)
        return spring->length;
    const double t = prc_larger(0, (time - spring->from) / spring->close_time);
    return spring->start + (spring->length - spring->start) * t * t * (3 - 2 * t);
}

/* Vector from `tie` to `to` at positions x, 3 × stride. */
PRC_INLINE void prc_spring_span_at(const prc_spring *spring, const prc_active *row, const double *x, long stride,
                                   double span[3])
{
    for (int c = 0; c < 3; c++) {
        span[c] = spring->anchor[c];
        for (int p = 0; p < row->count; p++)
            span[c] += row->w[p] * x[c * stride + row->v[p]];
    }
}

/* The step from positions x to the time `end`, `step` long. */
PRC_INLINE void prc_spring_begin(prc_spring *s, const prc_active *row, const double *x, long stride, double end,
                                 double step)
{
    prc_spring_span_at(s, row, x, stride, s->base);
    s->before = sqrt(prc_dot3(s->base, s->base));
    s->rest = prc_spring_rest_at(s, end);
    s->acts = end > s->from + PRC_SPRING_SLACK * step && end <= s->until + PRC_SPRING_SLACK * step;
}

/* Energy of a stretch beyond the rest length (J), tension (N) and stiffness (N/m) there. A limited spring yields. */
PRC_INLINE double prc_spring_law(const prc_spring *s, double stretch, double *tension, double *stiffness)
{
    const bool yields = s->limit > 0 && s->stiffness * stretch > s->limit;
    *tension = yields ? s->limit : s->stiffness * stretch;
    *stiffness = yields ? 0 : s->stiffness;
    return yields ? s->limit * (stretch - 0.5 * s->limit / s->stiffness) : 0.5 * s->stiffness * stretch * stretch;
}

/* Force and stiffness of the spring, and its energy, when the displacement has added `moved` to its span. */
PRC_INLINE void prc_spring_evaluate(prc_spring *s, const double moved[3], double step, prc_active *row)
{
    const double d[3] = {s->base[0] + moved[0], s->base[1] + moved[1], s->base[2] + moved[2]};
    const double length = sqrt(prc_dot3(d, d));
    const bool slack = !s->acts || (s->rope && length < s->rest);
    const double rate = slack ? 0 : s->damping / step, since = length - s->before;
    double pull = 0, k = 0;
    s->energy = slack ? 0 : prc_spring_law(s, length - s->rest, &pull, &k);
    s->energy += 0.5 * rate * since * since;
    const double tension = pull + rate * since;
    for (int c = 0; c < 3; c++) {
        row->n[c] = length > 0 ? d[c] / length : 0;
        row->f[c] = tension * row->n[c];
    }
    row->k_t = length > 0 ? prc_larger(tension, 0) / length : k;
    row->k_n = k + rate - row->k_t;
}

#endif
