/* contact/friction.c — see friction.h.
 *
 * Either normal force and direction are those of the iterate, or, as in incremental potential contact, they are frozen
 * over a solve: the rows are copied from the contacts that push, and stay when these change or go.
 * docs/theory.md, section 10.6. SPDX-License-Identifier: Apache-2.0 */
#include "contact/friction.h"

#include "base/error.h"
#include "base/memory.h"
#include "contact/small.h"
#include "kernel/barrier.h"

#include <math.h>
#include <string.h>

/* Slip of the two sides over the step, along the surface. */
static void slip_of(const prc_contact_set *set, int solid, const prc_active *row, const double *y, const double *x,
                    double u[3])
{
    for (int c = 0; c < 3; c++) {
        const long at = (long)c * set->stride;
        u[c] = solid >= 0 ? -set->solids[solid].move[c] * set->solid_done[solid] : 0;
        for (int p = 0; p < row->count; p++)
            u[c] += row->w[p] * (y[at + row->v[p]] - x[at + row->v[p]]);
    }
    const double along = prc_dot3(u, row->n);
    for (int c = 0; c < 3; c++)
        u[c] -= along * row->n[c];
}

void prc_friction_add(const prc_contact_set *set, int solid, double limit, const double *y, const double *x, double h,
                      prc_active *row)
{
    double u[3];
    slip_of(set, solid, row, y, x, u);
    const double length = sqrt(prc_dot3(u, u));
    const prc_friction f = prc_friction_at(length, set->def.eps_v * h);
    row->k_t = limit * f.secant;
    row->k_n -= row->k_t; /* friction acts along the surface only */
    row->k_u = length > 0 ? limit * (f.tangent - f.secant) : 0;
    for (int c = 0; c < 3; c++) {
        row->u[c] = length > 0 ? u[c] / length : 0;
        row->f[c] += limit * f.secant * u[c];
    }
}

prc_active prc_friction_row(const prc_contact_set *set, const prc_lagged *from, const double *y, const double *x,
                            double h)
{
    prc_active row;
    memset(&row, 0, sizeof row);
    memcpy(row.v, from->v, sizeof row.v);
    memcpy(row.w, from->w, sizeof row.w);
    memcpy(row.n, from->n, sizeof row.n);
    row.count = from->count;
    prc_friction_add(set, from->solid, from->limit, y, x, h, &row);
    return row;
}

/* The limit of a contact at the last geometry, N; 0 where it does not push. */
static double limit_of(const prc_contact *k)
{
    const double gap = k->distance - k->xi;
    return gap < k->d_hat ? -k->friction * k->kappa * prc_barrier_at(gap, k->d_hat).slope : 0;
}

prc_result prc_contact_freeze_friction(prc_contact_set *set, prc_error *error)
{
    int count = 0;
    for (int k = 0; k < set->contact_count; k++)
        count += limit_of(&set->contacts[k]) > 0;
    if (count > set->lagged_capacity) {
        prc_free(set->lagged);
        set->lagged_count = 0;
        set->lagged_capacity = count + count / 2;
        set->lagged = PRC_NEW(prc_lagged, set->lagged_capacity);
        if (!set->lagged) {
            set->lagged_capacity = 0;
            return PRC_FAIL_MEMORY(error);
        }
    }
    set->lagged_count = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        const double limit = limit_of(contact);
        if (!(limit > 0))
            continue;
        prc_lagged *row = &set->lagged[set->lagged_count++];
        memcpy(row->v, contact->v, sizeof row->v);
        memcpy(row->w, contact->w, sizeof row->w);
        memcpy(row->n, contact->n, sizeof row->n);
        row->count = contact->count;
        row->solid = contact->solid;
        row->limit = limit;
    }
    return prc_contact_reserve_active(set) ? PRC_OK : PRC_FAIL_MEMORY(error);
}
