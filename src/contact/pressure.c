/* contact/pressure.c — what contact does to each vertex: pressure and gap, for writers and for people.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "kernel/small.h"
#include "kernel/barrier.h"

#include <math.h>

void prc_contact_measure(prc_contact_set *set)
{
    if (set->table) {
        set->table->measure(set);
        return;
    }
    for (int i = 0; i < set->model->vertex_count; i++) {
        double force = 0;
        set->gap[i] = set->bodies.largest_d_hat;
        for (int e = set->of_start[i]; e < set->of_start[i + 1]; e++) {
            const prc_contact *k = &set->contacts[set->of[e] / 4];
            const double gap = k->distance - k->xi;
            if (gap >= k->d_hat) /* farther ones are not all in the list, and their distances are bounds */
                continue;
            force -= fabs(k->w[set->of[e] % 4]) * k->share * k->kappa * prc_barrier_at(gap, k->d_hat).slope;
            set->gap[i] = prc_smaller(set->gap[i], gap);
        }
        set->pressure[i] = set->model->area[i] > 0 ? force / set->model->area[i] : 0; /* obstacles have none */
    }
}
