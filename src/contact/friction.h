/* contact/friction.h — friction of a contact as the linear solver sees it, and the friction that a solve keeps frozen.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_FRICTION_H
#define PRC_CONTACT_FRICTION_H

#include "contact/contact.h"

/* Adds friction with the limit `limit` (N, coefficient × normal force) to a row that has v, w and n, for a step of
 * length h from x to y. */
void prc_friction_add(const prc_contact_set *set, int solid, double limit, const double *y, const double *x, double h,
                      prc_active *row);

/* A row of friction alone. */
prc_active prc_friction_row(const prc_contact_set *set, const prc_lagged *from, const double *y, const double *x,
                            double h);

#endif
