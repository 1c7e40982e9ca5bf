/* step/exempt.c — which pairs the guarantee leaves out after a start that crossed, and when they are guarded again.
 *
 * Where edge e passes through triangle t, five pairs are exempt: each end of e with t, and e with each edge of t. An
 * edge gets into or out of a triangle through one of these only, so a crossing that none of them was exempt for must be
 * a mistake of the guarantee: it is not taken over, and not counted as exempt. Crossings are found by the independent
 * checker. docs/theory.md, section 10.11. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "kernel/small.h"
#include "step/evaluate.h"
#include "step/shells.h"
#include "step/start.h"

/* The pairs of a crossing; `side_a` of pair k is 1 for k < 2, else 2. An edge that stands in place of the triangle
 * names a vertex twice, and so do pairs that there are not then: see is_pair. */
static void pairs_of(const prc_check_crossing *c, int v[5][4])
{
    const int *e = c->edge, *t = c->triangle;
    for (int k = 0; k < 5; k++) {
        const bool point = k < 2;
        v[k][0] = point ? e[k] : e[0];
        v[k][1] = point ? t[0] : e[1];
        v[k][2] = point ? t[1] : t[k - 2];
        v[k][3] = point ? t[2] : t[(k - 1) % 3];
    }
}

static bool is_pair(const int v[4])
{
    return v[1] != v[2] && v[2] != v[3] && v[3] != v[1];
}

int prc_exempt_crossings(prc_exempt_set *set, const prc_contact_view *allowed, const prc_check_result *found)
{
    int taken = 0;
    for (int i = 0; i < found->listed_count; i++) {
        int v[5][4];
        pairs_of(&found->listed[i], v);
        bool explained = !allowed;
        for (int k = 0; k < 5 && !explained; k++)
            explained = is_pair(v[k]) && prc_pair_is_exempt(allowed, v[k], k < 2 ? 1 : 2);
        if (!explained)
            continue;
        taken++;
        for (int k = 0; k < 5; k++)
            if (is_pair(v[k]) && !prc_exempt_add(set, v[k], k < 2 ? 1 : 2))
                return -1;
    }
    return taken;
}

/* What nobody can move stays exempt, also after it has come apart: nobody could keep it so. */
static bool stays(const prc_sim *sim, const prc_exempt_pair *pair, const double *y)
{
    const prc_contact_set *set = &sim->contact;
    if (pair->side_a == 3)
        return prc_contact_face_is_close(set, y, pair->v, pair->v[3]);
    if ((pair->side_a == 1 || pair->side_a == 2) && prc_motion_is_prescribed(set->surface.motion, pair->v))
        return true;
    if (pair->side_a == 0 && pair->v[1] < 0)
        return prc_shell_holds(sim, -1 - pair->v[1], pair->v[0], y);
    if (pair->side_a > 0)
        return !(prc_contact_distance(set, y, pair->v, pair->side_a) >
                 prc_contact_hard_thickness(set, pair->v, pair->side_a));
    double x[3];
    prc_take3(y, set->stride, pair->v[0], x);
    return !(prc_collider_distance(&set->colliders[pair->v[1]], x, NULL) > PRC_HARD_SHARE * set->half[pair->v[0]]);
}

prc_result prc_exempt_follow(prc_sim *sim, const double *positions, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    if (set->exempt.count == 0)
        return PRC_OK;
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *y = sim->work.followed;
    prc_check_result found;
    const prc_backend *backend = sim->model.backend;
    prc_get(sim, y, positions, n * sizeof *y);
    prc_result result = backend->status ? backend->status(&sim->view, error) : PRC_OK;
    if (result == PRC_OK)
        result = prc_start_crossings(sim, y, &found, error);
    if (result != PRC_OK)
        return result;
    prc_exempt_set next = {0};
    const prc_contact_view view = prc_contact_see(set);
    const int crossings = prc_exempt_crossings(&next, &view, &found);
    prc_check_result_release(&found);
    bool enough = crossings >= 0;
    for (int k = 0; k < set->exempt.count && enough; k++) {
        const prc_exempt_pair *pair = &set->exempt.pairs[k];
        if (stays(sim, pair, y))
            enough = pair->side_a > 0 ? prc_exempt_add(&next, pair->v, pair->side_a)
                                      : prc_exempt_add_collider(&next, pair->v[0], pair->v[1]);
    }
    if (!enough) {
        prc_exempt_release(&next);
        return PRC_FAIL_MEMORY(error);
    }
    prc_exempt_release(&set->exempt);
    set->exempt = next;
    sim->report.exempt_pairs = next.count;
    sim->report.exempt_crossings = crossings;
    return PRC_OK;
}

/* Whether one of three vertices stands in an exempt pair with a vertex of a body, or is exempt from all of that body.
 */
static bool has_pair_with(const prc_sim *sim, const int v[3], int body)
{
    const prc_exempt_set *set = &sim->contact.exempt;
    for (int k = 0; k < set->count; k++) {
        const prc_exempt_pair *pair = &set->pairs[k];
        bool mine = false, others = pair->side_a == 0 && pair->v[1] == -1 - body;
        for (int p = 0; p < prc_exempt_vertices(pair); p++) {
            mine = mine || pair->v[p] == v[0] || pair->v[p] == v[1] || pair->v[p] == v[2];
            others = others || sim->model.body_of[pair->v[p]] == body;
        }
        if (mine && others)
            return true;
    }
    return false;
}

bool prc_exempt_excuses(const prc_sim *sim, const int v[3], int collider)
{
    const prc_exempt_set *set = &sim->contact.exempt;
    const int face[4] = {v[0], v[1], v[2], collider};
    for (int k = 0; k < 3; k++)
        if (prc_exempt_has_collider(set, v[k], collider))
            return true;
    for (int s = 0; s < sim->shell_count; s++)
        if (sim->shells[s].collider == collider && has_pair_with(sim, v, sim->shells[s].body))
            return true;
    return prc_exempt_has(set, face, 3);
}
