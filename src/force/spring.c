/* force/spring.c — see spring.h, and kernel/spring.h for the forces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "force/spring.h"

#include "base/error.h"
#include "base/memory.h"
#include "contact/bodies.h"
#include "contact/contact.h"
#include "kernel/small.h"

#include <math.h>
#include <string.h>

/* Adds an end to a row: its vertices with weights of the given sign, or its place to the anchor. */
static void add_end(prc_active *row, prc_spring *spring, const prc_spring_end *end, const prc_model *m, double sign)
{
    if (end->body < 0) {
        for (int c = 0; c < 3; c++)
            spring->anchor[c] += sign * end->point[c];
        return;
    }
    const int *internal = m->internal_of + m->bodies[end->body].first_vertex;
    for (int k = 0; k < 2; k++) {
        const double weight = k == 0 ? 1 - end->at : end->at;
        if (weight == 0)
            continue;
        row->v[row->count] = internal[end->vertex[k]];
        row->w[row->count++] = sign * weight;
    }
}

/* Stiffness against stretching of the cloth that an end is fastened to, N/m; 0 for places, particles and obstacles. */
static double cloth_stiffness(const prc_spring_end *end, const prc_model *m)
{
    if (end->body < 0 || end->body >= m->body_count - m->obstacle_count)
        return 0;
    const int i = m->internal_of[m->bodies[end->body].first_vertex + end->vertex[end->at > 0.5]];
    if (i >= m->ring_count)
        return 0;
    const prc_law *law = &m->laws[prc_field_law(&m->view)[i]];
    return fmax(law->row[PRC_LAW_LINEAR], law->row[PRC_LAW_LINEAR + 1]);
}

/* How near contact lets two ends come without pushing back. */
static double closed_length(const prc_spring_def *def, const prc_contact_bodies *bodies)
{
    double length = 0;
    for (int k = 0; bodies->count > 0 && k < 2; k++) {
        const int body = k == 0 ? def->tie.body : def->to.body;
        if (body >= 0)
            length += (bodies->thickness[body] + bodies->d_hat[body]) / 2;
    }
    return length;
}

static prc_result create_one(prc_spring_set *set, int k, const prc_spring_def *def, const prc_model *m,
                             const prc_contact_bodies *bodies, prc_error *error)
{
    prc_spring *spring = &set->springs[k];
    prc_active *row = &set->rows.rows[k];
    spring->damping = def->damping;
    spring->from = def->from;
    spring->until = def->until;
    spring->close_time = def->close_time;
    spring->rope = def->rope;
    spring->seam = def->seam;
    add_end(row, spring, &def->tie, m, -1);
    add_end(row, spring, &def->to, m, 1);
    if (row->count == 0)
        return prc_fail(error, PRC_ERROR_INPUT, "springs[%d]: both ends are fixed points; attach one to a body", k);
    for (int p = 0; p < row->count; p++)
        for (int q = 0; q < p; q++)
            if (row->v[p] == row->v[q])
                return prc_fail(error, PRC_ERROR_INPUT,
                                "springs[%d]: both ends use vertex %d of body %d; expected different vertices", k,
                                m->caller_of[row->v[p]] - m->bodies[m->body_of[row->v[p]]].first_vertex,
                                m->body_of[row->v[p]]);
    double span[3] = {spring->anchor[0], spring->anchor[1], spring->anchor[2]};
    for (int p = 0; p < row->count; p++)
        for (int c = 0; c < 3; c++)
            span[c] += row->w[p] * m->position[3L * m->caller_of[row->v[p]] + c];
    spring->start = sqrt(prc_dot3(span, span));
    spring->length = def->length >= 0 ? def->length : def->seam ? closed_length(def, bodies) : spring->start;
    spring->stiffness = def->stiffness;
    if (def->stiffness == 0)
        spring->stiffness = fmax(cloth_stiffness(&def->tie, m), cloth_stiffness(&def->to, m));
    return PRC_OK;
}

prc_result prc_springs_create(prc_spring_set *set, const prc_sim_def *def, const prc_model *model, prc_error *error)
{
    prc_contact_bodies bodies = {0};
    memset(set, 0, sizeof *set);
    if (def->spring_count == 0)
        return PRC_OK;
    set->count = set->own = set->rows.count = def->spring_count;
    set->springs = PRC_NEW(prc_spring, set->count);
    set->span = prc_alloc((size_t)set->count, sizeof *set->span);
    set->rows.rows = PRC_NEW(prc_active, set->count);
    set->rows.force = prc_alloc((size_t)set->count, sizeof *set->rows.force);
    set->rows.of_start = PRC_NEW(int, model->vertex_count + 1);
    set->rows.of = PRC_NEW(int, 4 * (size_t)set->count);
    prc_result result = PRC_OK;
    if (!set->springs || !set->span || !set->rows.rows || !set->rows.force || !set->rows.of_start || !set->rows.of)
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK && def->contact.enabled)
        result = prc_contact_bodies_create(&bodies, def, model->body_count, error);
    for (int k = 0; result == PRC_OK && k < set->count; k++)
        result = create_one(set, k, &def->springs[k], model, &bodies, error);
    if (result == PRC_OK)
        prc_contact_index(set->rows.rows, sizeof *set->rows.rows, set->count, model->vertex_count, set->rows.of_start,
                          set->rows.of);
    prc_contact_bodies_release(&bodies);
    return result;
}

void prc_springs_release(prc_spring_set *set)
{
    prc_free(set->springs);
    prc_free(set->span);
    prc_free(set->rows.rows);
    prc_free(set->rows.force);
    prc_free(set->rows.of_start);
    prc_free(set->rows.of);
    memset(set, 0, sizeof *set);
}

prc_result prc_springs_make_room(prc_spring_set *set, int more, const prc_model *model, prc_error *error)
{
    const int count = set->own + more;
    prc_spring_set larger = {.count = count, .own = set->own, .device = set->device};
    larger.springs = PRC_NEW(prc_spring, count);
    larger.span = prc_alloc((size_t)count, sizeof *larger.span);
    larger.rows = (prc_active_set){.count = count, .device = set->rows.device};
    larger.rows.rows = PRC_NEW(prc_active, count);
    larger.rows.force = prc_alloc((size_t)count, sizeof *larger.rows.force);
    larger.rows.of_start = PRC_NEW(int, model->vertex_count + 1);
    larger.rows.of = PRC_NEW(int, 4 * (size_t)count);
    if (!larger.springs || !larger.span || !larger.rows.rows || !larger.rows.force || !larger.rows.of_start ||
        !larger.rows.of) {
        prc_springs_release(&larger);
        return PRC_FAIL_MEMORY(error);
    }
    if (set->count > 0) {
        memcpy(larger.springs, set->springs, (size_t)set->own * sizeof *set->springs);
        memcpy(larger.rows.rows, set->rows.rows, (size_t)set->own * sizeof *set->rows.rows);
    }
    prc_springs_release(set);
    *set = larger;
    prc_contact_index(set->rows.rows, sizeof *set->rows.rows, set->count, model->vertex_count, set->rows.of_start,
                      set->rows.of);
    return PRC_OK;
}

void prc_springs_put(prc_spring_set *set, int k, const prc_grab_def *grab, const prc_model *model)
{
    prc_spring *spring = &set->springs[k];
    prc_active *row = &set->rows.rows[k];
    memset(spring, 0, sizeof *spring);
    memset(row, 0, sizeof *row);
    if (grab) {
        const int *internal = model->internal_of + model->bodies[grab->body].first_vertex;
        const prc_spring_end end = {.body = grab->body, .vertex = {grab->vertex[0], grab->vertex[0]}};
        spring->from = -INFINITY;
        spring->until = INFINITY;
        spring->stiffness = grab->stiffness > 0 ? grab->stiffness : cloth_stiffness(&end, model);
        spring->damping = grab->damping;
        spring->limit = grab->limit;
        for (int c = 0; c < 3; c++)
            spring->anchor[c] = grab->target[c];
        for (int p = 0; p < 3; p++)
            if (grab->weight[p] != 0) {
                row->v[row->count] = internal[grab->vertex[p]];
                row->w[row->count++] = -grab->weight[p];
            }
    }
    prc_contact_index(set->rows.rows, sizeof *set->rows.rows, set->count, model->vertex_count, set->rows.of_start,
                      set->rows.of);
}

double prc_spring_rest(const prc_spring *spring, double time)
{
    return prc_spring_rest_at(spring, time);
}

double prc_spring_tension(const prc_spring *spring, double length, double rest)
{
    double tension, stiffness;
    prc_spring_law(spring, length - rest, &tension, &stiffness);
    return spring->rope && length < rest ? 0 : tension;
}

void prc_spring_span(const prc_spring_set *set, int k, const double *x, int stride, double span[3])
{
    prc_spring_span_at(&set->springs[k], &set->rows.rows[k], x, stride, span);
}

void prc_springs_begin(prc_spring_set *set, const double *x, int stride, double end, double step)
{
    for (int k = 0; k < set->count; k++)
        prc_spring_begin(&set->springs[k], &set->rows.rows[k], x, stride, end, step);
}

void prc_springs_evaluate(prc_spring_set *set, double step)
{
    for (int k = 0; k < set->count; k++)
        prc_spring_evaluate(&set->springs[k], set->span[k], step, &set->rows.rows[k]);
}
