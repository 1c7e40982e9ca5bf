/* step/start.h — a start that intersects or is too close: start.c, push.c, prescribed.c, exempt.c, shells.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_START_H
#define PRC_STEP_START_H

#include "check/check.h"
#include "step/sim.h"

/* step/start.c: treats a state that intersects or is too close by contact.start; refused ones leave positions that were
 * perhaps moved. */
prc_result prc_start_settle(prc_sim *sim, prc_error *error);
/* … and after that, on a device: pressures and gaps of the state there. */
prc_result prc_start_measure(prc_sim *sim, prc_error *error);
/* step/exempt.c: after a step to `positions`, which pairs are still exempt. Does nothing where none were. */
prc_result prc_exempt_follow(prc_sim *sim, const double *positions, prc_error *error);
/* Whether a bad start allows a triangle (or an edge or vertex, which names vertices twice) to be in a collider still.
 */
bool prc_exempt_excuses(const prc_sim *sim, const int v[3], int collider);

/* All crossings at positions y (3 × padded), listed with internal vertices; pairs of obstacles are left out. */
prc_result prc_start_crossings(prc_sim *sim, const double *y, prc_check_result *found, prc_error *error);

/* step/prescribed.c: takes those out of `found` of which all vertices are prescribed; they and pairs of such that are
 * too close at y become exempt. */
prc_result prc_start_set_aside(prc_sim *sim, const double *y, prc_check_result *found, prc_error *error);

/* step/shells.c: the vertices of cloth that are inside colliders that are meshes. Released also after a failure. */
typedef struct prc_inside {
    int vertex;
    const prc_shell *shell;
} prc_inside;
typedef struct prc_inside_list {
    prc_inside *items;
    int count;
} prc_inside_list;
prc_result prc_shells_find_inside(const prc_sim *sim, const double *y, prc_inside_list *list, prc_error *error);
void prc_inside_list_release(prc_inside_list *list);

/* step/push.c: opens pairs of the state that are too close, as far as that goes; vertices of exempt pairs stay. Before
 * that, where `meshes` says so, vertices are pushed out of colliders that are meshes, by their fields. Fills
 * moved_vertices and largest_move of the outcome. */
prc_result prc_start_push(prc_sim *sim, bool meshes, prc_error *error);

/* step/exempt.c: the five pairs of every crossing become exempt; all crossings with `allowed` NULL, else those of which
 * a pair is exempt there. Returns how many were taken, or −1 when out of memory. */
int prc_exempt_crossings(prc_exempt_set *set, const prc_contact_view *allowed, const prc_check_result *found);

#endif
