/* contact/response.c — forces of contacts: at the positions of the last geometry, and as a model about them.
 *
 * The model keeps normals and closest points and lets the gap follow a move linearly; barrier and friction stay what
 * they are. It knows what a linearisation at one point does not: that a barrier which is not felt yet will be, and that
 * one that is felt stiffens. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/small.h"

#include "base/clock.h"
#include "kernel/barrier.h"

#include <math.h>
#include <string.h>

#define TURN_ALLOWED 0.5 /* share of the slope that may have turned up at the end of a step of the model */
#define SLOPE_FOUND 0.1  /* … and at which the search along it ends */
#define MOST_TRIES 12

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

/* What contacts and lagged friction have in common. */
typedef struct contact_sides {
    const int *v;
    const double *w, *n, *slip;
    int count, solid;
    double distance; /* m */
} contact_sides;

static contact_sides sides_of(const prc_contact *k)
{
    const contact_sides sides = {k->v, k->w, k->n, k->slip, k->count, k->solid, k->distance};
    return sides;
}

static contact_sides lagged_sides(const prc_lagged *k)
{
    const contact_sides sides = {k->v, k->w, k->n, k->slip, k->count, k->solid, k->distance};
    return sides;
}

/* Slip of the two sides over the step, along the surface; a solid's is that of the point of it that is touched. */
static void slip_of(const prc_contact_set *set, contact_sides k, const double *y, const double *x, double u[3])
{
    double at[3], carried[3] = {0, 0, 0};
    if (k.solid >= 0) {
        prc_take3(y, set->stride, k.v[0], at);
        for (int c = 0; c < 3; c++)
            at[c] -= k.distance * k.n[c];
        prc_solid_displacement(&set->solids[k.solid], at, carried);
    }
    for (int c = 0; c < 3; c++) {
        u[c] = -carried[c];
        for (int p = 0; p < k.count; p++)
            u[c] += k.w[p] * (y[(long)c * set->stride + k.v[p]] - x[(long)c * set->stride + k.v[p]]);
    }
    const double along = prc_dot3(u, k.n);
    for (int c = 0; c < 3; c++)
        u[c] -= along * k.n[c];
}

/* Gap after the sides have moved by s against each other. */
static double gap_after(const prc_contact *k, const double s[3])
{
    return k->distance - k->xi + prc_dot3(k->n, s);
}

/* Slip after that. */
static double slip_after(contact_sides k, const double s[3], double u[3])
{
    const double along = prc_dot3(k.n, s);
    for (int c = 0; c < 3; c++)
        u[c] = k.slip[c] + s[c] - along * k.n[c];
    return sqrt(prc_dot3(u, u));
}

/* A row without force or stiffness. */
static void begin_row(contact_sides k, prc_active *a)
{
    memset(a, 0, sizeof *a);
    memcpy(a->v, k.v, sizeof a->v);
    memcpy(a->w, k.w, sizeof a->w);
    memcpy(a->n, k.n, sizeof a->n);
    a->count = k.count;
}

/* Friction up to `limit` (N) after a move s. */
static void add_friction(contact_sides k, double limit, const double s[3], double eps, prc_active *a)
{
    double u[3];
    const double length = slip_after(k, s, u);
    const prc_friction f = prc_friction_at(length, eps);
    a->k_t = limit * f.secant;
    a->k_n -= a->k_t; /* friction acts along the surface only */
    a->k_u = length > 0 ? limit * (f.tangent - f.secant) : 0;
    for (int c = 0; c < 3; c++) {
        a->u[c] = length > 0 ? u[c] / length : 0;
        a->f[c] += limit * f.secant * u[c];
    }
}

/* Force and stiffness between the sides of a contact after a move s. */
static void respond(const prc_contact_set *set, const prc_contact *k, double gap, const double s[3], prc_active *a)
{
    const prc_barrier b = prc_barrier_at(gap, k->d_hat);
    const double kappa = k->share * k->kappa;
    begin_row(sides_of(k), a);
    a->k_n = kappa * b.curvature;
    for (int c = 0; c < 3; c++)
        a->f[c] = kappa * b.slope * k->n[c];
    if (k->friction > 0 && set->def.friction_lag == 0)
        add_friction(sides_of(k), -k->friction * kappa * b.slope, s, set->friction_eps, a);
}

/* Rows of all contacts that are felt at the present shifts, then of friction that is lagged. */
static void gather_rows(prc_contact_set *set)
{
    prc_active_set *active = &set->active;
    active->count = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        const double gap = contact->exact ? gap_after(contact, set->shift[k]) : INFINITY;
        if (gap < contact->d_hat)
            respond(set, contact, gap, set->shift[k], &active->rows[active->count++]);
    }
    for (int k = 0; k < set->lagged_count; k++) {
        prc_active *row = &active->rows[active->count++];
        begin_row(lagged_sides(&set->lagged[k]), row);
        add_friction(lagged_sides(&set->lagged[k]), set->lagged[k].limit, set->shift[set->contact_count + k],
                     set->friction_eps, row);
    }
    prc_contact_index(active->rows, sizeof *active->rows, active->count, set->model->vertex_count, active->of_start,
                      active->of);
}

void prc_contact_forces(prc_contact_set *set, const double *y, const double *x, double h)
{
    if (set->table) {
        set->table->forces(set, y, x, h);
        return;
    }
    const double start = prc_seconds();
    set->friction_eps = set->def.eps_v * h;
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count; k++) {
        memset(set->shift[k], 0, sizeof set->shift[k]);
        if (set->contacts[k].exact && set->contacts[k].friction > 0)
            slip_of(set, sides_of(&set->contacts[k]), y, x, set->contacts[k].slip);
    }
    for (int k = 0; k < set->lagged_count; k++) {
        memset(set->shift[set->contact_count + k], 0, sizeof *set->shift);
        slip_of(set, lagged_sides(&set->lagged[k]), y, x, set->lagged[k].slip);
    }
    gather_rows(set);
    set->seconds_forces += prc_seconds() - start;
}

/* Σ w p: how far side A moves from side B. */
static void relative(const prc_contact_set *set, contact_sides k, const double *p, double out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int v = 0; v < k.count; v++)
            out[c] += k.w[v] * p[(long)c * set->stride + k.v[v]];
    }
}

/* Whether the old plane of a pair lets it come into the barrier's range by a move made + step. */
static bool may_be_felt(const prc_contact_set *set, const prc_contact *k, const double *made, const double *step)
{
    double low = 0, high = 0; /* how far the sides can come towards the plane */
    for (int v = 0; v < 4; v++) {
        double towards = 0;
        for (int c = 0; c < 3; c++) {
            const long at = (long)c * set->stride + k->v[v];
            towards += k->n[c] * (made[at] + step[at]);
        }
        if (v < k->side_a)
            low = prc_smaller(low, towards);
        else
            high = prc_larger(high, towards);
    }
    return k->sep + low - high < k->xi + k->d_hat;
}

void prc_contact_aim(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step)
{
    if (set->table) {
        set->table->aim(set, y, x, made, step);
        return;
    }
    const double start = prc_seconds();
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count; k++) {
        prc_contact *contact = &set->contacts[k];
        if (!contact->exact) {
            if (!may_be_felt(set, contact, made, step))
                continue;
            double at[4][3];
            for (int p = 0; p < 4; p++)
                prc_take3(y, set->stride, contact->v[p], at[p]);
            prc_contact_closest(contact, (const double(*)[3])at);
            slip_of(set, sides_of(contact), y, x, contact->slip);
            relative(set, sides_of(contact), made, set->shift[k]);
        }
        relative(set, sides_of(contact), step, set->shift_step[k]);
    }
    for (int k = 0; k < set->lagged_count; k++)
        relative(set, lagged_sides(&set->lagged[k]), step, set->shift_step[set->contact_count + k]);
    set->seconds_forces += prc_seconds() - start;
}

/* Work of friction along the step after a move s. */
static double friction_work(contact_sides k, double limit, const double s[3], const double step[3], double eps)
{
    double u[3];
    const double length = slip_after(k, s, u);
    return limit * prc_friction_at(length, eps).secant * prc_dot3(u, step);
}

/* Force times step of one contact after a move s. */
static double work_of(const prc_contact_set *set, const prc_contact *k, const double s[3], const double step[3])
{
    const double gap = gap_after(k, s);
    if (gap >= k->d_hat)
        return 0;
    const double push = k->share * k->kappa * prc_barrier_at(gap, k->d_hat).slope;
    double work = push * prc_dot3(k->n, step);
    if (k->friction > 0 && set->def.friction_lag == 0)
        work += friction_work(sides_of(k), -k->friction * push, s, step, set->friction_eps);
    return work;
}

double prc_contact_slope(const prc_contact_set *set, double t)
{
    double sum = 0;
    for (int k = 0; k < set->contact_count + set->lagged_count; k++) {
        const prc_lagged *lagged = k < set->contact_count ? NULL : &set->lagged[k - set->contact_count];
        if (!lagged && !set->contacts[k].exact)
            continue;
        const double *step = set->shift_step[k];
        const double s[3] = {set->shift[k][0] + t * step[0], set->shift[k][1] + t * step[1],
                             set->shift[k][2] + t * step[2]};
        sum += lagged ? friction_work(lagged_sides(lagged), lagged->limit, s, step, set->friction_eps)
                      : work_of(set, &set->contacts[k], s, step);
    }
    return sum;
}

/* Where along the step the slope a + b t + contacts(t) has risen to about zero: false position, Illinois variant. */
static double find_part(const prc_contact_set *set, double a, double b, double *surprise)
{
    double low = 0, high = 1, at_low = a + prc_contact_slope(set, 0), at_high = a + b + prc_contact_slope(set, 1);
    const double first = fabs(at_low);
    *surprise = fabs(at_high) / first;
    if (!(at_low < 0) || at_high <= TURN_ALLOWED * first)
        return 1;
    for (int k = 0; k < MOST_TRIES; k++) {
        const double t = low - at_low * (high - low) / (at_high - at_low);
        const double slope = a + b * t + prc_contact_slope(set, t);
        if (fabs(slope) <= SLOPE_FOUND * first)
            return t;
        if (slope < 0) {
            low = t;
            at_low = slope;
            at_high /= 2;
        } else {
            high = t;
            at_high = slope;
            at_low /= 2;
        }
    }
    return low > 0 ? low : high;
}

void prc_contact_search(prc_contact_set *set, double *slot)
{
    if (set->table) {
        set->table->search(set, slot);
        return;
    }
    const double start = prc_seconds();
    slot[PRC_SLOT_PART] = find_part(set, slot[PRC_SLOT_SLOPE], slot[PRC_SLOT_CURVATURE], &slot[PRC_SLOT_SURPRISE]);
    set->seconds_forces += prc_seconds() - start;
}

int prc_contact_active_count(prc_contact_set *set)
{
    return set->table ? set->table->active_count(set) : set->active.count;
}

void prc_contact_shift(prc_contact_set *set, const double *slot)
{
    if (set->table) {
        set->table->shift(set, slot);
        return;
    }
    const double t = slot[PRC_SLOT_PART];
    for (int k = 0; k < set->contact_count + set->lagged_count; k++)
        for (int c = 0; (k >= set->contact_count || set->contacts[k].exact) && c < 3; c++)
            set->shift[k][c] += t * set->shift_step[k][c];
    gather_rows(set);
}
