/* contact/bodies.h — what contact knows of each body: thickness, range of the barrier, friction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_BODIES_H
#define PRC_CONTACT_BODIES_H

#include <percale/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_contact_bodies {
    int count;
    double *thickness, *d_hat, *friction; /* per body: m, m, 1; friction of shells: prc_shell_friction */
    bool *own_friction;                   /* … which is not that of `contact` */
    prc_contact_pair_def *pairs;          /* friction of pairs that differs: bodies in order, sorted, each pair once */
    int pair_count;
    double largest_thickness, largest_d_hat; /* m */
} prc_contact_bodies;

/* `count`: of the model; bodies beyond those of the def have what `contact` says. Released also after a failure. */
prc_result prc_contact_bodies_create(prc_contact_bodies *b, const prc_sim_def *def, int count, prc_error *error);
void prc_contact_bodies_release(prc_contact_bodies *b);

/* Coulomb's coefficient between bodies i and j. */
double prc_contact_bodies_friction(const prc_contact_bodies *b, int i, int j);

#ifdef __cplusplus
}
#endif

#endif
