/* check/items.h — shared by collider.c and collider_mesh.c: triangles, edges and points, and their relation to one
 * collider. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_ITEMS_H
#define PRC_CHECK_ITEMS_H

#include "check/convex.h"

#define PRC_CHECK_ITEM_RUN 4096 /* items in a row that one thread judges, so that results do not depend on threads */

typedef struct prc_check_items {
    const double *positions;
    int vertex_count, count, threads;
    const int *vertices; /* 3 each */
    bool *skipped;       /* all vertices are obstacles' */
    prc_check_box *boxes;
    double rounding;
    bool skip_distances;
    /* against the collider at hand */
    bool *looked; /* closer than a box tells */
    prc_check_verdict *verdict;
    double *least;  /* smallest signed distance found, m; INFINITY: not looked for */
    double *points; /* where, in the world; 3 each */
} prc_check_items;

/* Sets looked, verdict, least and points of every item. */
prc_result prc_check_items_meet_mesh(prc_check_items *items, const prc_check_collider *collider, prc_error *error);

#endif
