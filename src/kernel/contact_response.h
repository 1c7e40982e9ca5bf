/* kernel/contact_response.h — what one contact does: at the positions of the last geometry, and as a model about them.
 *
 * The model keeps normals and closest points and lets the gap follow a move linearly; barrier and friction stay what
 * they are. It knows what a linearisation at one point does not: that a barrier which is not felt yet will be, and that
 * one that is felt stiffens. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_RESPONSE_H
#define PRC_KERNEL_CONTACT_RESPONSE_H

#include "kernel/contact.h"
#include "kernel/row.h"

/* What contacts and lagged friction have in common. A copy: pointers would keep a GPU from having it in registers. */
typedef struct prc_sides {
    int v[4];
    double w[4], n[3], slip[3];
    int count, collider;
    double distance; /* m */
} prc_sides;

/* Of a prc_contact or a prc_lagged. */
#define PRC_SIDES(k)                                                                                                   \
    {                                                                                                                  \
        {(k)->v[0], (k)->v[1], (k)->v[2], (k)->v[3]}, {(k)->w[0], (k)->w[1], (k)->w[2], (k)->w[3]},                    \
            {(k)->n[0], (k)->n[1], (k)->n[2]}, {(k)->slip[0], (k)->slip[1], (k)->slip[2]}, (k)->count, (k)->collider,  \
            (k)->distance                                                                                              \
    }

PRC_INLINE prc_sides prc_contact_sides(const prc_contact *k)
{
    const prc_sides sides = PRC_SIDES(k);
    return sides;
}

PRC_INLINE prc_sides prc_lagged_sides(const prc_lagged *k)
{
    const prc_sides sides = PRC_SIDES(k);
    return sides;
}

/* Slip of the two sides over the step, along the surface; a collider's is that of the point of it that is touched. */
PRC_FUNCTION void prc_sides_slip(const prc_contact_view *view, prc_sides k, const double *y, const double *x,
                                 double u[3])
{
    double at[3], carried[3] = {0, 0, 0};
    if (k.collider >= 0) {
        for (int c = 0; c < 3; c++)
            at[c] = -k.distance * k.n[c];
        PRC_UNROLL
        for (int p = 0; p < 3; p++)
            for (int c = 0; p < k.count && c < 3; c++)
                at[c] += k.w[p] * y[(long)c * view->stride + k.v[p]];
        prc_collider_displacement(&view->colliders[k.collider], at, carried);
    }
    for (int c = 0; c < 3; c++)
        u[c] = -carried[c];
    PRC_UNROLL
    for (int p = 0; p < 4; p++) {
        double d[3];
        if (p >= k.count)
            continue;
        if (PRC_CONTACT_SLICED && view->packed_slip)
            prc_contact_vector(view, view->packed_slip, y, k.v[p], d);
        else
            for (int c = 0; c < 3; c++)
                d[c] = y[(long)c * view->stride + k.v[p]] - x[(long)c * view->stride + k.v[p]];
        for (int c = 0; c < 3; c++)
            u[c] += k.w[p] * d[c];
    }
    const double along = prc_dot3(u, k.n);
    for (int c = 0; c < 3; c++)
        u[c] -= along * k.n[c];
}

/* Gap after the sides have moved by s against each other. */
PRC_INLINE double prc_contact_gap_after(const prc_contact *k, const double s[3])
{
    return k->distance - k->xi + prc_dot3(k->n, s);
}

/* Slip after that. */
PRC_INLINE double prc_sides_slip_after(prc_sides k, const double s[3], double u[3])
{
    const double along = prc_dot3(k.n, s);
    for (int c = 0; c < 3; c++)
        u[c] = k.slip[c] + s[c] - along * k.n[c];
    return sqrt(prc_dot3(u, u));
}

/* --- rows --- */

/* A row without force or stiffness. */
PRC_INLINE void prc_row_begin(prc_sides k, prc_active *a)
{
    memset(a, 0, sizeof *a);
    for (int p = 0; p < 4; p++) {
        a->v[p] = k.v[p];
        a->w[p] = k.w[p];
    }
    for (int c = 0; c < 3; c++)
        a->n[c] = k.n[c];
    a->count = k.count;
}

/* Friction up to `limit` (N) after a move s. */
PRC_FUNCTION void prc_row_add_friction(prc_sides k, double limit, const double s[3], double eps, prc_active *a)
{
    double u[3];
    const double length = prc_sides_slip_after(k, s, u);
    const prc_friction f = prc_friction_at(length, eps);
    a->k_t = limit * f.secant;
    a->k_n -= a->k_t; /* friction acts along the surface only */
    /* Half way between tangent and secant: with the tangent alone a slip overshoots the rounded corner, and the model
     * creeps; the secant alone bounds the potential from above, and is slow where surfaces slide. */
    const double less = length > 0 ? sqrt(prc_larger(0, 0.5 * limit * (f.secant - f.tangent))) / length : 0;
    for (int c = 0; c < 3; c++) {
        a->u[c] = less * u[c];
        a->f[c] += limit * f.secant * u[c];
    }
}

/* The limit of a contact at the last geometry, N; 0 where it does not push. */
PRC_INLINE double prc_contact_friction_limit(const prc_contact *k)
{
    const double gap = k->distance - k->xi;
    return gap < k->d_hat ? -k->friction * k->share * k->kappa * prc_barrier_at(gap, k->d_hat).slope : 0;
}

#define PRC_MODEL_FLOOR                                                                                                \
    0.3 /* share of d_hat below which the model's barrier is a parabola, where the gap is not so now */

/* The barrier of the model after a move: that of the contact itself at the last geometry and wherever the gap has
 * opened, softer where it has closed. A true barrier there makes the model so stiff that its steps must be cut. */
PRC_FUNCTION prc_barrier prc_contact_barrier(const prc_contact *k, double gap)
{
    const double now = (k->distance - k->xi) / k->d_hat;
    return prc_barrier_from(gap, k->d_hat, prc_larger(PRC_BARRIER_FLOOR, prc_smaller(PRC_MODEL_FLOOR, now)));
}

/* Force and stiffness between the sides of a contact after a move s. The limit of friction stays that of the last
 * geometry: so the model is a potential. */
PRC_FUNCTION void prc_contact_respond(const prc_contact_view *view, const prc_contact *k, double gap, const double s[3],
                                      prc_active *a)
{
    const prc_barrier b = prc_contact_barrier(k, gap);
    const double kappa = k->share * k->kappa;
    prc_row_begin(prc_contact_sides(k), a);
    if (prc_contact_rocks(k)) {
        a->k_n = kappa;
        for (int c = 0; c < 3; c++)
            a->f[c] = kappa * prc_dot3(k->n, s) * k->n[c];
        return;
    }
    a->k_n = kappa * b.curvature;
    for (int c = 0; c < 3; c++)
        a->f[c] = kappa * b.slope * k->n[c];
    if (k->friction > 0 && !view->friction_lags)
        prc_row_add_friction(prc_contact_sides(k), prc_contact_friction_limit(k), s, view->friction_eps, a);
}

/* Whether a contact is felt after a move s. */
PRC_INLINE bool prc_contact_feels(const prc_contact *k, const double s[3])
{
    return k->exact && k->pushes && (prc_contact_rocks(k) || prc_contact_gap_after(k, s) < k->d_hat);
}

/* Whether contact k is felt at its present shift. */
PRC_INLINE bool prc_contact_is_felt(const prc_contact_view *view, int k)
{
    prc_contact room;
    const prc_contact *contact = prc_contact_open(view, k, PRC_SLICE_KIND, &room);
    if (!contact->exact || !contact->pushes)
        return false;
    return prc_contact_feels(prc_contact_open(view, k, PRC_SLICE_PLANE | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE, &room),
                             view->shift[k]);
}

/* The row of contact k, which is felt. */
PRC_FUNCTION void prc_contact_row(const prc_contact_view *view, int k, prc_active *a)
{
    prc_contact room;
    const prc_contact *contact = prc_contact_open(view, k, PRC_SLICE_ALL & ~PRC_SLICE_MARGIN, &room);
    prc_contact_respond(view, contact, prc_contact_gap_after(contact, view->shift[k]), view->shift[k], a);
}

/* The row of lagged friction k. */
PRC_FUNCTION void prc_lagged_row(const prc_contact_view *view, int k, prc_active *a)
{
    const prc_lagged *lagged = &view->lagged[k];
    prc_row_begin(prc_lagged_sides(lagged), a);
    prc_row_add_friction(prc_lagged_sides(lagged), lagged->limit, view->shift[view->contact_count + k],
                         view->friction_eps, a);
}

/* --- the model --- */

PRC_FUNCTION void prc_lagged_restart(const prc_contact_view *view, int k, const double *y, const double *x)
{
    double u[3];
    prc_lagged *lagged = &view->lagged[k - view->contact_count];
    prc_sides_slip(view, prc_lagged_sides(lagged), y, x, u);
    for (int c = 0; c < 3; c++) {
        view->shift[k][c] = 0;
        lagged->slip[c] = u[c];
    }
}

/* Back to the last geometry, for a step from x to y: of contact k, or of lagged friction k − contact_count. */
PRC_FUNCTION void prc_contact_restart(const prc_contact_view *view, int k, const double *y, const double *x)
{
    if (k >= view->contact_count) {
        prc_lagged_restart(view, k, y, x);
        return;
    }
    prc_contact room, *contact = prc_contact_open(view, k, PRC_SLICE_KIND, &room);
    if (!contact->exact)
        return; /* no force, and a shift when it comes into range */
    for (int c = 0; c < 3; c++)
        view->shift[k][c] = 0;
    if (prc_contact_open(view, k, PRC_SLICE_LAW, &room)->friction > 0) {
        contact = prc_contact_open(view, k, PRC_SLICE_ALL & ~PRC_SLICE_MARGIN, &room);
        prc_sides_slip(view, prc_contact_sides(contact), y, x, contact->slip);
        prc_contact_close(view, k, PRC_SLICE_SLIP, contact);
    }
}

/* The geometry of contact k, of a pair or of a vertex and a collider, at y, and the restart there. Whether it is felt.
 * What a contact that stays far apart has not changed is not written; nor, where nobody asks for it, what depends on y.
 * Where it is known to be of a pair the compiler is told. */
PRC_INLINE bool prc_contact_renew(const prc_contact_view *view, int k, bool pair, const double *y, const double *x)
{
    prc_contact room, *contact = prc_contact_open(view, k,
                                                  PRC_SLICE_VERTICES | PRC_SLICE_KIND | PRC_SLICE_PLANE |
                                                      PRC_SLICE_RANGE | PRC_SLICE_DISTANCE,
                                                  &room);
    const bool was_exact = contact->exact, had_plane = contact->has_plane;
    if (pair) {
        contact->collider = -1;
        contact->count = 4;
    } else
        contact = prc_contact_open(view, k, PRC_SLICE_MARGIN | PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP, &room);
    prc_contact_locate(view, contact, y);
    if (contact->exact != was_exact || contact->has_plane != had_plane)
        prc_contact_close(view, k, PRC_SLICE_KIND, contact);
    if (view->far)
        view->far[k] = prc_contact_beyond(contact);
    if (!view->far || was_exact || contact->exact || contact->collider >= 0)
        prc_contact_close(view, k, PRC_SLICE_PLANE | PRC_SLICE_DISTANCE | PRC_SLICE_MARGIN, contact);
    if (!contact->exact)
        return false;
    contact = prc_contact_open(view, k, PRC_SLICE_LAW, &room);
    for (int c = 0; c < 3; c++)
        view->shift[k][c] = contact->slip[c] = 0;
    if (contact->friction > 0)
        prc_sides_slip(view, prc_contact_sides(contact), y, x, contact->slip);
    prc_contact_close(view, k, PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP, contact);
    return prc_contact_feels(contact, view->shift[k]);
}

/* The same of a triangle and a collider, contact k, and of the rocking rows behind it, which say no more. felt[k] and
 * what follows says which of them are felt. */
PRC_FUNCTION void prc_contact_renew_face(const prc_contact_view *view, int k, const double *y, const double *x,
                                         int *felt)
{
    prc_contact room, *main = prc_contact_open(view, k, PRC_SLICE_ALL, &room);
    const bool was_exact = main->exact, had_plane = main->has_plane;
    double at[4][3];
    prc_contact_take_from(view, main, view->packed_y, y, at);
    const bool far = prc_contact_stays_far(view, main, (const double(*)[3])at);
    prc_facing f;
    if (!far) {
        f = prc_contact_find_face(view, main, (const double(*)[3])at);
        prc_contact_take_face(view, main, &f, (const double(*)[3])at);
    }
    if (main->exact != was_exact || main->has_plane != had_plane)
        prc_contact_close(view, k, PRC_SLICE_KIND, main);
    prc_contact_close(view, k, PRC_SLICE_PLANE | PRC_SLICE_DISTANCE | PRC_SLICE_MARGIN, main);
    if (view->far)
        view->far[k] = prc_contact_beyond(main);
    felt[k] = 0;
    if (main->exact) {
        for (int c = 0; c < 3; c++)
            view->shift[k][c] = main->slip[c] = 0;
        if (main->friction > 0)
            prc_sides_slip(view, prc_contact_sides(main), y, x, main->slip);
        prc_contact_close(view, k, PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP, main);
        felt[k] = prc_contact_feels(main, view->shift[k]);
    }
    for (int row = 1; row < 3 && !main->quiet; row++) {
        prc_contact rocking = *main;
        rocking.side_a = 3 + row;
        felt[k + row] = 0;
        if (far) {
            prc_contact_open(view, k + row, PRC_SLICE_KIND, &rocking);
            if (!rocking.exact)
                continue; /* at rest already */
            prc_contact_rest(&rocking);
        } else
            prc_contact_take_face(view, &rocking, &f, (const double(*)[3])at);
        prc_contact_close(view, k + row, PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE | PRC_SLICE_MARGIN,
                          &rocking);
        felt[k + row] = rocking.exact;
        if (!rocking.exact)
            continue;
        for (int c = 0; c < 3; c++)
            view->shift[k + row][c] = rocking.slip[c] = 0;
        prc_contact_close(view, k + row, PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP, &rocking);
    }
}

/* Σ w p: how far side A moves from side B. */
PRC_INLINE void prc_sides_relative(const prc_contact_view *view, prc_sides k, const prc_four_doubles *packed,
                                   const double *p, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    PRC_UNROLL
    for (int v = 0; v < 4; v++) {
        double d[3];
        if (v >= k.count)
            continue;
        prc_contact_vector(view, packed, p, k.v[v], d);
        for (int c = 0; c < 3; c++)
            out[c] += k.w[v] * d[c];
    }
}

/* Whether the old plane of a pair lets it come into the barrier's range by a move made + step. */
PRC_FUNCTION bool prc_contact_may_be_felt(const prc_contact_view *view, const prc_contact *k, const double *made,
                                          const double *step)
{
    double low = 0, high = 0; /* how far the sides can come towards the plane */
    if (prc_contact_rocks(k) || k->quiet)
        return false;
    for (int v = 0; v < k->count; v++) {
        double towards = 0;
        for (int c = 0; c < 3; c++) {
            const long at = (long)c * view->stride + k->v[v];
            towards += k->n[c] * (made[at] + step[at]);
        }
        if (v < k->side_a)
            low = prc_smaller(low, towards);
        else
            high = prc_larger(high, towards);
    }
    return k->sep + low - high < k->xi + k->d_hat;
}

/* Prepares contact k, which is exact and open with vertices, kind and weights, to go on by `step`. */
PRC_INLINE void prc_contact_aim_exactly(const prc_contact_view *view, int k, const prc_contact *contact,
                                        const double *step, double ahead[3])
{
    prc_sides_relative(view, prc_contact_sides(contact), view->packed_step, step, ahead);
    for (int c = 0; c < 3; c++)
        view->shift_step[k][c] = ahead[c];
}

/* After a move `made` from y (x at the start of the step): prepares contact k to go on by `step`. By how much its sides
 * then move against each other is `ahead`. False where it will not be felt; else its vertices, kind and weights are
 * open. */
PRC_FUNCTION bool prc_contact_aim_at(const prc_contact_view *view, int k, const double *y, const double *x,
                                     const double *made, const double *step, prc_contact *room, double ahead[3])
{
    prc_contact *contact = prc_contact_open(view, k, PRC_SLICE_VERTICES | PRC_SLICE_KIND, room);
    if (!contact->pushes)
        return false;
    if (!contact->exact) {
        double at[4][3];
        contact = prc_contact_open(view, k, PRC_SLICE_PLANE | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE, room);
        if (view->far)
            prc_contact_take(view, contact, y, at);
        prc_contact_part(view, contact, (const double(*)[3])at);
        if (!prc_contact_may_be_felt(view, contact, made, step))
            return false;
        prc_contact_take(view, contact, y, at);
        if (view->far)
            view->far[k] = -1;
        contact = prc_contact_open(view, k, PRC_SLICE_SLIP, room);
        prc_contact_nearest(view, contact, (const double(*)[3])at);
        prc_sides_slip(view, prc_contact_sides(contact), y, x, contact->slip);
        prc_sides_relative(view, prc_contact_sides(contact), NULL, made, view->shift[k]);
        prc_contact_close(view, k, PRC_SLICE_GEOMETRY, contact);
    } else
        contact = prc_contact_open(view, k, PRC_SLICE_WEIGHTS, room);
    prc_contact_aim_exactly(view, k, contact, step, ahead);
    return true;
}

/* The same of lagged friction k − contact_count. */
PRC_INLINE void prc_lagged_aim(const prc_contact_view *view, int k, const double *step)
{
    prc_sides_relative(view, prc_lagged_sides(&view->lagged[k - view->contact_count]), view->packed_step, step,
                       view->shift_step[k]);
}

/* The same for an index as in prc_contact_restart. */
PRC_FUNCTION void prc_contact_aim_one(const prc_contact_view *view, int k, const double *y, const double *x,
                                      const double *made, const double *step)
{
    prc_contact room;
    double ahead[3];
    if (k < view->contact_count)
        prc_contact_aim_at(view, k, y, x, made, step, &room, ahead);
    else
        prc_lagged_aim(view, k, step);
}

/* Work of friction along the step after a move s. */
PRC_FUNCTION double prc_sides_friction_work(prc_sides k, double limit, const double s[3], const double step[3],
                                            double eps)
{
    double u[3];
    const double length = prc_sides_slip_after(k, s, u);
    return limit * prc_friction_at(length, eps).secant * prc_dot3(u, step);
}

/* Force times step of a contact that is exact, when the part t of the step has been made after a move `from`. */
PRC_FUNCTION double prc_contact_work_of(const prc_contact_view *view, const prc_contact *contact, const double from[3],
                                        const double step[3], double t)
{
    const double s[3] = {from[0] + t * step[0], from[1] + t * step[1], from[2] + t * step[2]};
    const double gap = prc_contact_gap_after(contact, s);
    if (prc_contact_rocks(contact))
        return contact->share * contact->kappa * prc_dot3(contact->n, s) * prc_dot3(contact->n, step);
    if (gap >= contact->d_hat)
        return 0;
    const double push = contact->share * contact->kappa * prc_contact_barrier(contact, gap).slope;
    double work = push * prc_dot3(contact->n, step);
    if (contact->friction > 0 && !view->friction_lags)
        work += prc_sides_friction_work(prc_contact_sides(contact), prc_contact_friction_limit(contact), s, step,
                                        view->friction_eps);
    return work;
}

/* The same of lagged friction k − contact_count. */
PRC_FUNCTION double prc_lagged_work(const prc_contact_view *view, int k, double t)
{
    const double *from = view->shift[k], *step = view->shift_step[k];
    const prc_lagged *lagged = &view->lagged[k - view->contact_count];
    const double s[3] = {from[0] + t * step[0], from[1] + t * step[1], from[2] + t * step[2]};
    return prc_sides_friction_work(prc_lagged_sides(lagged), lagged->limit, s, step, view->friction_eps);
}

/* The same for an index as in prc_contact_restart. */
PRC_FUNCTION double prc_contact_work(const prc_contact_view *view, int k, double t)
{
    const double *from = view->shift[k], *step = view->shift_step[k];
    if (k >= view->contact_count)
        return prc_lagged_work(view, k, t);
    prc_contact room;
    const prc_contact *contact = prc_contact_open(view, k, PRC_SLICE_KIND, &room);
    if (!contact->exact || !contact->pushes)
        return 0;
    contact = prc_contact_open(
        view, k, PRC_SLICE_PLANE | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE | PRC_SLICE_SLIP | PRC_SLICE_LAW, &room);
    return prc_contact_work_of(view, contact, from, step, t);
}

/* Makes the part t of the step. Index as in prc_contact_restart. */
PRC_INLINE void prc_contact_shift_one(const prc_contact_view *view, int k, double t)
{
    prc_contact room;
    if (k < view->contact_count && !prc_contact_open(view, k, PRC_SLICE_KIND, &room)->exact)
        return;
    for (int c = 0; c < 3; c++)
        view->shift[k][c] += t * view->shift_step[k][c];
}

/* --- the part of a step to take --- */

#define PRC_PART_TURN_ALLOWED 0.5 /* share of the slope that may have turned up at the end of a step of the model */
#define PRC_PART_SLOPE_FOUND 0.1  /* … and at which the search along it ends */
#define PRC_PART_MOST_TRIES 12

/* Where along the step the slope a + b t + contacts(t) has risen to about zero: false position, Illinois variant. */
typedef struct prc_part_search {
    double a, b, low, high, at_low, at_high, first;
    double part, surprise; /* the answer; and the slope at the end, as a share of that at the start */
    int tries;
    bool found;
} prc_part_search;

/* `from`, `to`: slope of the contacts at t = 0 and 1. */
PRC_FUNCTION prc_part_search prc_part_begin(double a, double b, double from, double to)
{
    prc_part_search s;
    s.a = a;
    s.b = b;
    s.low = 0;
    s.high = 1;
    s.at_low = a + from;
    s.at_high = a + b + to;
    s.first = fabs(s.at_low);
    s.surprise = fabs(s.at_high) / s.first;
    s.part = 1;
    s.tries = 0;
    s.found = !(s.at_low < 0) || s.at_high <= PRC_PART_TURN_ALLOWED * s.first;
    return s;
}

/* Where to look at the contacts next. */
PRC_INLINE double prc_part_next(const prc_part_search *s)
{
    return s->low - s->at_low * (s->high - s->low) / (s->at_high - s->at_low);
}

/* What they said at t. */
PRC_FUNCTION void prc_part_tell(prc_part_search *s, double t, double contacts)
{
    const double slope = s->a + s->b * t + contacts;
    s->found = fabs(slope) <= PRC_PART_SLOPE_FOUND * s->first;
    if (s->found) {
        s->part = t;
        return;
    }
    if (slope < 0) {
        s->low = t;
        s->at_low = slope;
        s->at_high /= 2;
    } else {
        s->high = t;
        s->at_high = slope;
        s->at_low /= 2;
    }
    s->part = s->low > 0 ? s->low : s->high;
    s->found = ++s->tries == PRC_PART_MOST_TRIES;
}

/* --- friction that lags --- */

PRC_INLINE void prc_lagged_begin(prc_lagged *row, const prc_contact *contact)
{
    for (int p = 0; p < 4; p++) {
        row->v[p] = contact->v[p];
        row->w[p] = contact->w[p];
    }
    for (int c = 0; c < 3; c++)
        row->n[c] = contact->n[c];
    row->count = contact->count;
    row->collider = contact->collider;
    row->distance = contact->distance;
    row->limit = prc_contact_friction_limit(contact);
}

#endif
