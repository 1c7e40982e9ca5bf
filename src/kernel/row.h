/* kernel/row.h — a contact or a spring as the linear solver sees it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ROW_H
#define PRC_KERNEL_ROW_H

/* Force f, stiffness k_n n n^T + k_t I + k_u u u^T between its two sides. */
typedef struct prc_active {
    int v[4], count;
    double w[4], n[3], u[3], f[3], k_n, k_t, k_u;
} prc_active;

#endif
