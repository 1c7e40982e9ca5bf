/* app/cli/verify.c — `percale run --verify`: checks every state with the checker, which shares no code with the solver:
 * surfaces against each other, and everything against every collider in its current pose. Only obstacles among
 * themselves and in colliders are excepted, and pairs that are exempt from the start.
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "colliders.h"
#include "contact/exempt.h"
#include "io/colliders.h"
#include "job.h"
#include "step/place.h"
#include "step/sim.h"
#include "step/start.h"

/* The body of a vertex, and its number there. */
static void find_vertex(const prc_job *j, int vertex, int *body, int *local)
{
    *body = 0;
    while (*body + 1 < prc_sim_body_count(j->sim) && vertex >= prc_sim_body_first_vertex(j->sim, *body + 1))
        ++*body;
    *local = vertex - prc_sim_body_first_vertex(j->sim, *body);
}

static void tell_when(const prc_job *j, char when[80])
{
    char step[40] = "at the start";
    if (j->step)
        snprintf(step, sizeof step, "after step %d", j->step);
    snprintf(when, 80, "%s, at %.6g s", step, prc_sim_time(j->sim));
}

static void describe_crossing(prc_job *j, const prc_check_result *r)
{
    const prc_check_crossing *c = &r->listed[0];
    int body[5], vertex[5];
    for (int k = 0; k < 5; k++)
        find_vertex(j, k < 2 ? c->edge[k] : c->triangle[k - 2], &body[k], &vertex[k]);
    char names[2][80], when[80], exempt[40] = "";
    for (int k = 0; k < 2; k++)
        prc_job_name_body(j, body[2 * k], names[k]);
    tell_when(j, when);
    if (j->totals.exempt_crossings)
        snprintf(exempt, sizeof exempt, ", %d of them exempt", j->totals.exempt_crossings);
    snprintf(j->failure, sizeof j->failure,
             "%s: %lld intersections%s; edge %d %d of %s meets triangle %d %d %d of %s at (%.6g, %.6g, %.6g)", when,
             r->crossings, exempt, vertex[0], vertex[1], names[0], vertex[2], vertex[3], vertex[4], names[1],
             c->point[0], c->point[1], c->point[2]);
}

static void describe_meeting(prc_job *j, const prc_check_meeting *m, int collider, long long count)
{
    char name[80], when[80], item[PRC_CLI_ITEM], how[PRC_CLI_ITEM];
    int body, v[3];
    for (int k = 0; k < 3; k++)
        find_vertex(j, m->vertices[k], &body, &v[k]);
    prc_job_name_body(j, body, name);
    tell_when(j, when);
    snprintf(j->failure, sizeof j->failure,
             "%s: %lld triangles or edges are inside colliders; %s of %s %s colliders[%d] at (%.6g, %.6g, %.6g)", when,
             count, prc_cli_tell_item(v, item), name, prc_cli_tell_inside(m, how), collider, m->point[0], m->point[1],
             m->point[2]);
}

/* Crossings of a bad start that the sim says are exempt are no violation; one more than those is. */
static prc_result judge_surfaces(prc_job *j, prc_error *error)
{
    prc_check_options how = prc_check_options_default();
    prc_check_result result;
    how.most_listed = 1;
    how.obstacle = j->output.obstacle;
    how.threads = j->def.threads;
    const prc_result code = prc_check_surfaces(prc_sim_positions(j->sim), prc_sim_vertex_count(j->sim),
                                               j->output.shapes, j->output.shape_count, &how, &result, error);
    if (code)
        return code;
    prc_run_totals *t = &j->totals;
    j->violated = result.crossings > t->exempt_crossings;
    if (j->violated)
        describe_crossing(j, &result);
    else if (result.nearest.found && (t->least_gap < 0 || result.nearest.distance < t->least_gap))
        t->least_gap = result.nearest.distance;
    prc_check_result_release(&result);
    return PRC_OK;
}

/* Whether a bad start was allowed it. */
static bool is_exempt(const prc_job *j, const prc_check_meeting *m, int collider)
{
    const int *internal = j->sim->model.internal_of;
    const int v[3] = {internal[m->vertices[0]], internal[m->vertices[1]], internal[m->vertices[2]]};
    return prc_exempt_excuses(j->sim, v, collider);
}

static void judge_meetings(prc_job *j, const prc_check_collider_result *r, const int *numbers)
{
    prc_run_totals *t = &j->totals;
    long long count = 0;
    int worst = -1;
    for (int k = 0; k < r->listed_count; k++) {
        if (is_exempt(j, &r->listed[k], numbers[r->listed[k].collider]))
            continue;
        worst = worst < 0 ? k : worst;
        count++;
    }
    if (worst >= 0) {
        j->violated = true;
        describe_meeting(j, &r->listed[worst], numbers[r->listed[worst].collider], count);
    } else if (r->nearest_found && (t->least_collider_gap < 0 || -r->nearest.depth < t->least_collider_gap)) {
        t->least_collider_gap = fmax(-r->nearest.depth, 0);
    }
}

/* Every collider of which the sim knows where it is; how many it does not is noted. */
static prc_result judge_colliders(prc_job *j, prc_check_collider *colliders, int *numbers, prc_error *error)
{
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result result;
    int count = 0;
    for (int k = 0; k < j->def.collider_count; k++) {
        numbers[count] = k;
        count += prc_collider_now(&j->def.colliders[k], j->sim, k, &colliders[count]);
    }
    j->totals.unverified_colliders = j->def.collider_count - count;
    how.most_listed = INT_MAX;
    how.obstacle = j->output.obstacle;
    how.threads = j->def.threads;
    const prc_result code =
        prc_check_colliders(prc_sim_positions(j->sim), prc_sim_vertex_count(j->sim), j->output.shapes,
                            j->output.shape_count, colliders, count, &how, &result, error);
    if (code)
        return code;
    judge_meetings(j, &result, numbers);
    prc_check_collider_result_release(&result);
    return PRC_OK;
}

static int judge(prc_job *j)
{
    prc_error error;
    prc_check_collider *colliders = PRC_NEW(prc_check_collider, j->def.collider_count);
    int *numbers = PRC_NEW(int, j->def.collider_count + 1);
    prc_result result = colliders && numbers ? judge_surfaces(j, &error) : PRC_FAIL_MEMORY(&error);
    if (!result && !j->violated)
        result = judge_colliders(j, colliders, numbers, &error);
    prc_free(colliders);
    prc_free(numbers);
    if (result)
        return prc_job_fail(j, &error, PRC_EXIT_STEP);
    if (!j->violated) {
        j->totals.verified++;
        return PRC_EXIT_OK;
    }
    j->totals.failure = j->failure;
    prc_progress_end(&j->progress);
    fprintf(stderr, "percale: %s\n", j->failure);
    return PRC_EXIT_VIOLATION;
}

int prc_job_verify(prc_job *j)
{
    prc_error error;
    if (prc_sim_hold(j->sim, &error)) { /* nothing is left to judge */
        prc_job_stand_back(j);
        return prc_job_fail(j, &error, PRC_EXIT_STEP);
    }
    return judge(j);
}
