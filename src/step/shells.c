/* step/shells.c — surfaces of colliders that are meshes: obstacles that callers know as colliders.
 *
 * A shell is an obstacle without thickness that follows the pose of its collider. It comes after all bodies and
 * obstacles of the def, so that hiding it is a matter of counts (model.shown_count).
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/shells.h"
#include "base/error.h"
#include "base/memory.h"
#include "collider/shell.h"
#include "model/obstacles.h"
#include "step/start.h"

#include <math.h>
#include <string.h>

#define FIELD_ERROR 0.8661 /* in cells: how far the field of a mesh is from its distance, at most */
#define CELL_ERROR 2.6     /* … and where all nodes of a cell are on one side of its own surface */

/* --- making --- */

static prc_result create_shell(prc_sim *sim, const prc_collider_def *def, int collider, prc_error *error)
{
    prc_shell *shell = &sim->shells[sim->shell_count++];
    const prc_sdf *field = sim->fields[collider];
    prc_error why;
    prc_result result = def->mesh && def->field ? prc_sdf_check_mesh(def->mesh, &why) : PRC_OK;
    if (result == PRC_OK)
        result = prc_shell_make(&shell->mesh, def->mesh, field, &why);
    if (result != PRC_OK)
        return prc_fail(error, why.code, "colliders[%d].%.450s", collider, why.message);
    shell->collider = collider;
    shell->doubt = (def->mesh ? FIELD_ERROR : CELL_ERROR) * field->cell;
    return PRC_OK;
}

prc_result prc_shells_create(prc_sim *sim, const prc_sim_def *def, prc_sim_def *whole, prc_error *error)
{
    int count = 0;
    *whole = *def;
    for (int s = 0; s < sim->collider_count; s++)
        count += sim->fields[s] != NULL;
    if (count == 0)
        return PRC_OK;
    sim->shells = PRC_NEW(prc_shell, count);
    sim->shell_defs = PRC_NEW(prc_obstacle_def, def->obstacle_count + count);
    if (!sim->shells || !sim->shell_defs)
        return PRC_FAIL_MEMORY(error);
    if (def->obstacle_count > 0)
        memcpy(sim->shell_defs, def->obstacles, sizeof *def->obstacles * (size_t)def->obstacle_count);
    for (int s = 0; s < sim->collider_count; s++) {
        if (!sim->fields[s])
            continue;
        const prc_result result = create_shell(sim, &def->colliders[s], s, error);
        if (result != PRC_OK)
            return result;
        prc_shell *shell = &sim->shells[sim->shell_count - 1];
        shell->body = def->body_count + whole->obstacle_count;
        sim->shell_defs[whole->obstacle_count++] = (prc_obstacle_def){
            .mesh = &shell->mesh, .contact_thickness = PRC_SHELL_THICKNESS, .friction = def->colliders[s].friction};
    }
    whole->obstacles = sim->shell_defs;
    return PRC_OK;
}

void prc_shells_release(prc_sim *sim)
{
    for (int k = 0; k < sim->shell_count; k++)
        prc_mesh_release(&sim->shells[k].mesh);
    prc_free(sim->shells);
    prc_free(sim->shell_defs);
}

/* --- whose they are --- */

const prc_shell *prc_shell_of_body(const prc_sim *sim, int body)
{
    const int k = body - (sim->model.body_count - sim->model.shell_count);
    return k >= 0 ? &sim->shells[k] : NULL;
}

/* --- where they are --- */

prc_pose prc_obstacle_pose(const prc_sim *sim, int obstacle, double time)
{
    const prc_shell *shell = prc_shell_of_body(sim, sim->model.body_count - sim->model.obstacle_count + obstacle);
    return shell ? prc_collider_at(&sim->colliders[shell->collider], sim->fields[shell->collider], time, -1).now
                 : prc_motion_pose(&sim->obstacles[obstacle].motion, time);
}

void prc_shells_follow(prc_sim *sim)
{
    prc_contact_rigids_settle(&sim->contact);
    for (int k = 0; k < sim->shell_count; k++) {
        const prc_rigid *r = &sim->contact.rigids.of[sim->shells[k].body - sim->contact.rigids.first_body];
        prc_collider *collider = &sim->contact.colliders[sim->shells[k].collider];
        const double back[3] = {-r->middle[0], -r->middle[1], -r->middle[2]};
        if (r->share >= 1) {
            collider->now = collider->to;
            continue;
        }
        collider->now = r->now;
        prc_pose_apply(&r->now, back, collider->now.shift); /* the frame of the collider has another origin */
    }
}

int prc_contact_collider(const prc_sim *sim, const prc_contact *k, bool *on_side_a)
{
    *on_side_a = false;
    if (k->collider >= 0)
        return k->collider;
    const prc_shell *a = prc_shell_of_body(sim, sim->model.body_of[k->v[0]]),
                    *b = prc_shell_of_body(sim, sim->model.body_of[k->v[3]]);
    *on_side_a = a != NULL;
    return a ? a->collider : b ? b->collider : -1;
}

/* --- what is inside --- */

static bool is_inside(const prc_sim *sim, const prc_shell *shell, const double *y, int i)
{
    double x[3], q[3];
    prc_take3(y, sim->view.padded_count, i, x);
    prc_pose_undo(&sim->contact.colliders[shell->collider].now, x, q);
    return prc_shell_contains(&shell->mesh, sim->fields[shell->collider], q, shell->doubt);
}

prc_result prc_shells_find_inside(const prc_sim *sim, const double *y, prc_inside_list *list, prc_error *error)
{
    const int elastic = sim->model.elastic_count;
    *list = (prc_inside_list){0};
    if (sim->shell_count == 0)
        return PRC_OK;
    unsigned char *inside = PRC_NEW(unsigned char, (size_t)elastic *(size_t)sim->shell_count);
    if (!inside)
        return PRC_FAIL_MEMORY(error);
    int count = 0;
    for (int s = 0; s < sim->shell_count; s++)
#pragma omp parallel for schedule(dynamic, 64) num_threads(sim->view.threads) if (elastic > 500) reduction(+ : count)
        for (int i = 0; i < elastic; i++)
            count += inside[(size_t)s * (size_t)elastic + (size_t)i] = is_inside(sim, &sim->shells[s], y, i);
    list->items = count > 0 ? PRC_NEW(prc_inside, count) : NULL;
    for (int s = 0; list->items && s < sim->shell_count; s++)
        for (int i = 0; i < elastic; i++)
            if (inside[(size_t)s * (size_t)elastic + (size_t)i])
                list->items[list->count++] = (prc_inside){i, &sim->shells[s]};
    prc_free(inside);
    return count == list->count ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_inside_list_release(prc_inside_list *list)
{
    prc_free(list->items);
    *list = (prc_inside_list){0};
}

bool prc_shell_holds(const prc_sim *sim, int body, int vertex, const double *y)
{
    const prc_shell *shell = prc_shell_of_body(sim, body);
    const double hard = PRC_HARD_SHARE * sim->contact.half[vertex];
    double x[3], q[3];
    if (is_inside(sim, shell, y, vertex))
        return true;
    prc_take3(y, sim->view.padded_count, vertex, x);
    prc_pose_undo(&sim->contact.colliders[shell->collider].now, x, q);
    return !(prc_shell_distance(&shell->mesh, sim->fields[shell->collider], q, shell->doubt, 2 * hard) > hard);
}
