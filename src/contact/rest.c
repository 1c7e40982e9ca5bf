/* contact/rest.c — rest positions as contact takes them: how close two parts of a body are by construction.
 *
 * Within one body the thickness shrinks where parts are close at rest (kernel/contact.h, prc_pair_room). That says
 * something of parts that hang together, and of bodies that start in their rest shape. Panels that are laid out in
 * texture coordinates or in a rest mesh of their own may lie on each other there by chance, mirrored ones do on
 * purpose: they are laid apart, so that they keep their whole thickness.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define APART 1.5 /* in thickness and d_hat of the body: from 1 / PRC_CONTACT_REST_SHARE on a pair has all of both */

/* Numbers the parts of a body that hang together, in the order of their first vertices; returns how many there are.
 * stack: room for its vertices. */
static int number_parts(const prc_model *m, const prc_body *body, int *part, int *stack)
{
    const prc_graph *graph = &m->graph;
    const int *vertices = m->internal_of + body->first_vertex;
    int parts = 0;
    for (int k = 0; k < body->vertex_count; k++)
        part[vertices[k]] = -1;
    for (int k = 0; k < body->vertex_count; k++) {
        const int i = vertices[k];
        int waiting = 0;
        if (part[i] >= 0)
            continue;
        part[i] = parts++;
        stack[waiting++] = i;
        while (waiting > 0) {
            const int at = stack[--waiting];
            for (int e = graph->ring_start[at]; e < graph->ring_start[at + 1]; e++)
                if (part[graph->ring[e]] < 0) {
                    part[graph->ring[e]] = part[at];
                    stack[waiting++] = graph->ring[e];
                }
        }
    }
    return parts;
}

/* Lays the parts of a body apart along z. */
static void lay_apart(prc_contact_set *set, const prc_body *body, const int *part)
{
    const int *vertices = set->model->internal_of + body->first_vertex;
    double *z = set->rest + 2 * (size_t)set->stride;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < body->vertex_count; k++) {
        low = fmin(low, z[vertices[k]]);
        high = fmax(high, z[vertices[k]]);
    }
    const double range = 2 * (set->half[vertices[0]] + set->half_d_hat[vertices[0]]);
    for (int k = 0; k < body->vertex_count; k++)
        z[vertices[k]] += part[vertices[k]] * (high - low + APART * range);
}

prc_result prc_contact_take_rest(prc_contact_set *set, const prc_sim_def *def, prc_error *error)
{
    const prc_model *m = set->model;
    for (int i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++)
            set->rest[(long)c * set->stride + i] = m->rest_positions[3 * i + c];
    int *part = PRC_NEW(int, 2 * (size_t)m->vertex_count);
    if (!part)
        return PRC_FAIL_MEMORY(error);
    int *stack = part + m->vertex_count;
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        /* of particles each is a part of its own */
        const bool starts_at_rest =
            body->kind == PRC_BODY_MEMBRANE && body->rest != PRC_REST_TEXTURE && !body->rest_mesh;
        if (!starts_at_rest && number_parts(m, &m->bodies[b], part, stack) > 1)
            lay_apart(set, &m->bodies[b], part);
    }
    prc_free(part);
    return PRC_OK;
}
