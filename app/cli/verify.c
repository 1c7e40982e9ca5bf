/* app/cli/verify.c — `percale run --verify`: every state is held against the checker, which shares nothing with the
 * solver. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"
#include "constraint/pin.h"
#include "job.h"
#include "step/sim.h"

/* The body of a vertex, and its number there. */
static void find_vertex(const prc_job *j, int vertex, int *body, int *local)
{
    *body = 0;
    while (*body + 1 < prc_sim_body_count(j->sim) && vertex >= prc_sim_body_first_vertex(j->sim, *body + 1))
        ++*body;
    *local = vertex - prc_sim_body_first_vertex(j->sim, *body);
}

static void describe_crossing(prc_job *j, const prc_check_result *r)
{
    const prc_check_crossing *c = &r->listed[0];
    int body[5], vertex[5];
    for (int k = 0; k < 5; k++)
        find_vertex(j, k < 2 ? c->edge[k] : c->triangle[k - 2], &body[k], &vertex[k]);
    char names[2][80], when[40] = "at the start";
    for (int k = 0; k < 2; k++)
        prc_job_name_body(j, body[2 * k], names[k]);
    if (j->step)
        snprintf(when, sizeof when, "after step %d", j->step);
    char exempt[40] = "";
    if (j->totals.exempt_crossings)
        snprintf(exempt, sizeof exempt, ", %d of them exempt", j->totals.exempt_crossings);
    snprintf(
        j->failure, sizeof j->failure,
        "%s, at %.6g s: %lld intersections%s; edge %d %d of %s meets triangle %d %d %d of %s at (%.6g, %.6g, %.6g)",
        when, prc_sim_time(j->sim), r->crossings, exempt, vertex[0], vertex[1], names[0], vertex[2], vertex[3],
        vertex[4], names[1], c->point[0], c->point[1], c->point[2]);
}

/* Obstacles may intersect each other, and what rests for good stays as it was. Where pins share a vertex, all of them
 * have to rest. */
static int find_obstacles(prc_job *j)
{
    const size_t count = (size_t)prc_sim_vertex_count(j->sim);
    j->obstacle = calloc(count, sizeof *j->obstacle);
    j->resting = calloc(count, sizeof *j->resting);
    if (!j->obstacle || !j->resting) {
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    for (int i = 0; j->output.obstacle && i < prc_sim_vertex_count(j->sim); i++)
        j->obstacle[i] = j->output.obstacle[i];
    for (int moving = 0; moving < 2; moving++)
        for (int p = 0; p < j->def.pin_count; p++) {
            const prc_pin_def *pin = &j->def.pins[p];
            const bool rests = prc_pin_is_for_good(pin) && prc_pin_rests(pin);
            for (int k = 0; rests != moving && k < pin->vertex_count; k++)
                j->resting[prc_sim_body_first_vertex(j->sim, pin->body) + pin->vertices[k]] = rests;
        }
    return PRC_EXIT_OK;
}

/* Crossings of a bad start that the sim says are exempt are no violation; one more than those is. */
static int judge(prc_job *j)
{
    prc_check_options how = prc_check_options_default();
    prc_check_result result;
    prc_error error;
    how.most_listed = 1;
    how.obstacle = j->obstacle;
    how.resting = j->resting;
    if (prc_check_surfaces(prc_sim_positions(j->sim), prc_sim_vertex_count(j->sim), j->output.shapes,
                           j->output.shape_count, &how, &result, &error))
        return prc_job_fail(j, &error, PRC_EXIT_STEP);
    prc_run_totals *t = &j->totals;
    j->violated = result.crossings > t->exempt_crossings;
    if (j->violated) {
        describe_crossing(j, &result);
        t->failure = j->failure;
        prc_progress_end(&j->progress);
        fprintf(stderr, "percale: %s\n", j->failure);
    } else {
        const bool nearer = result.nearest.found && (t->least_gap < 0 || result.nearest.distance < t->least_gap);
        t->least_gap = nearer ? result.nearest.distance : t->least_gap;
        t->verified++;
    }
    prc_check_result_release(&result);
    return j->violated ? PRC_EXIT_VIOLATION : PRC_EXIT_OK;
}

int prc_job_verify(prc_job *j)
{
    prc_error error;
    if (prc_sim_hold(j->sim, &error)) { /* nothing is left to judge */
        prc_job_stand_back(j);
        return prc_job_fail(j, &error, PRC_EXIT_STEP);
    }
    const int status = j->obstacle ? PRC_EXIT_OK : find_obstacles(j);
    return status ? status : judge(j);
}
