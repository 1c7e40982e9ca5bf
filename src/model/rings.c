/* model/rings.c — the rings of all bodies in one graph, renumbered for locality, and laid out in blocks of PRC_BLOCK
 * vertices. SPDX-License-Identifier: Apache-2.0 */
#include "model/rings.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/order.h"

#include <math.h>
#include <string.h>

/* All rings of all bodies, in the caller's order. */
static bool join_rings(const prc_model *m, const prc_part *parts, int **ring_start, int **ring)
{
    long bonds = 0;
    const int body_count = m->body_count - m->obstacle_count;
    for (int b = 0; b < body_count; b++)
        bonds += parts[b].topology.ring_start ? parts[b].topology.ring_start[m->bodies[b].vertex_count] : 0;
    *ring_start = PRC_NEW(int, m->vertex_count + 1);
    *ring = PRC_NEW(int, bonds);
    if (!*ring_start || !*ring)
        return false;
    int at = 0;
    for (int b = 0; b < body_count; b++) {
        const prc_topology *t = &parts[b].topology;
        const int first = m->bodies[b].first_vertex;
        for (int i = 0; i < m->bodies[b].vertex_count; i++) {
            (*ring_start)[first + i] = at;
            for (int e = 0; t->ring_start && e < t->ring_start[i + 1] - t->ring_start[i]; e++)
                (*ring)[at++] = first + t->ring[t->ring_start[i] + e];
        }
    }
    for (int i = m->elastic_count; i <= m->vertex_count; i++)
        (*ring_start)[i] = at;
    return true;
}

static bool graph_allocate(prc_graph *g, size_t vertices, size_t bonds)
{
    g->ring_start = PRC_NEW(int, vertices + 1);
    g->ring = PRC_NEW(int, bonds);
    g->length = PRC_NEW(double, bonds);
    g->x = PRC_NEW(double, 2 * bonds);
    g->b = PRC_NEW(double, 2 * bonds);
    g->f = PRC_NEW(double, 2 * bonds);
    g->k = PRC_NEW(double, 3 * bonds);
    return g->ring_start && g->ring && g->length && g->x && g->b && g->f && g->k;
}

/* Vertices without a ring, those of particles, behind the others, in the caller's order; `order` has elastic_count. */
static void put_particles_last(int *order, const prc_model *m, const int *ring_start)
{
    int rings = 0, last = m->ring_count;
    for (int k = 0; k < m->elastic_count; k++)
        if (ring_start[order[k]] < ring_start[order[k] + 1])
            order[rings++] = order[k];
    for (int i = 0; i < m->elastic_count; i++)
        if (ring_start[i] == ring_start[i + 1])
            order[last++] = i;
}

/* Renumbers, and copies the bonds over in the new order. */
bool prc_rings_join(prc_model *m, const prc_part *parts)
{
    int *ring_start = NULL, *ring = NULL;
    bool ok = join_rings(m, parts, &ring_start, &ring) &&
              prc_order_make(m->caller_of, m->elastic_count, ring_start, ring) &&
              graph_allocate(&m->graph, (size_t)m->vertex_count, (size_t)ring_start[m->vertex_count]);
    prc_graph *g = &m->graph;
    int at = 0, body = 0;
    if (ok && m->ring_count < m->elastic_count)
        put_particles_last(m->caller_of, m, ring_start);
    for (int i = m->elastic_count; i < m->vertex_count; i++)
        m->caller_of[i] = i;
    for (int i = 0; ok && i < m->vertex_count; i++)
        m->internal_of[m->caller_of[i]] = i;
    for (int i = 0; ok && i < m->ring_count; i++) {
        const int caller = m->caller_of[i];
        while (caller < m->bodies[body].first_vertex)
            body--;
        while (caller >= m->bodies[body].first_vertex + m->bodies[body].vertex_count)
            body++;
        const prc_rest_shape *rest = &parts[body].rest;
        const int local = caller - m->bodies[body].first_vertex;
        int from = parts[body].topology.ring_start[local];
        g->ring_start[i] = at;
        for (int e = ring_start[caller]; e < ring_start[caller + 1]; e++, at++, from++) {
            g->ring[at] = m->internal_of[ring[e]];
            memcpy(g->x + 2 * at, rest->x + 2 * from, 2 * sizeof(double));
            memcpy(g->b + 2 * at, rest->b + 2 * from, 2 * sizeof(double));
            memcpy(g->f + 2 * at, rest->f + 2 * from, 2 * sizeof(double));
            memcpy(g->k + 3 * at, rest->k + 3 * from, 3 * sizeof(double));
            g->length[at] = hypot(g->x[2 * at], g->x[2 * at + 1]);
        }
        g->ring_start[i + 1] = at;
    }
    for (int i = m->ring_count; ok && i < m->vertex_count; i++)
        g->ring_start[i + 1] = at;
    prc_free(ring_start);
    prc_free(ring);
    return ok;
}

/* Row counts per block, where every bond goes, and its reverse. Returns the slot of each bond of the graph. */
static int *lay_out_bonds(prc_model *m, prc_error *error)
{
    prc_view *v = &m->view;
    const prc_graph *g = &m->graph;
    v->vertex_count = m->vertex_count;
    v->elastic_count = m->elastic_count;
    v->ring_count = m->ring_count;
    v->shown_count = m->shown_count;
    v->law_count = m->law_count;
    v->block_count = (m->vertex_count + PRC_BLOCK - 1) / PRC_BLOCK;
    v->padded_count = v->block_count * PRC_BLOCK;
    int *slot = PRC_NEW(int, g->ring_start[m->vertex_count]);
    int *rows = PRC_NEW(int, v->block_count + 1);
    if (!slot || !rows) {
        prc_free(slot);
        prc_free(rows);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    for (int i = 0; i < m->vertex_count; i++) {
        int size = g->ring_start[i + 1] - g->ring_start[i], *most = &rows[i / PRC_BLOCK + 1];
        *most = size > *most ? size : *most;
    }
    for (int b = 0; b < v->block_count; b++)
        rows[b + 1] += rows[b];
    v->bond_count = rows[v->block_count] * PRC_BLOCK;
    for (int i = 0; i < m->vertex_count; i++)
        for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++)
            slot[e] = (rows[i / PRC_BLOCK] + e - g->ring_start[i]) * PRC_BLOCK + i % PRC_BLOCK;
    if (prc_view_allocate(v, m->backend, error) == PRC_OK) {
        memcpy(prc_field_row_start(v), rows, sizeof(int) * ((size_t)v->block_count + 1));
    } else {
        prc_free(slot);
        slot = NULL;
    }
    prc_free(rows);
    return slot;
}

static void fill_bond_indices(prc_model *m, const int *slot)
{
    const prc_view *v = &m->view;
    const prc_graph *g = &m->graph;
    const int *row_start = prc_field_row_start(v);
    int *vertex = prc_field_bond_vertex(v), *reverse = prc_field_bond_reverse(v);
    for (int block = 0; block < v->block_count; block++) /* padding: bonds to itself */
        for (int e = row_start[block] * PRC_BLOCK; e < row_start[block + 1] * PRC_BLOCK; e++) {
            vertex[e] = block * PRC_BLOCK + e % PRC_BLOCK;
            reverse[e] = e;
        }
    for (int i = 0; i < m->vertex_count; i++)
        for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
            const int j = g->ring[e];
            vertex[slot[e]] = j;
            for (int back = g->ring_start[j]; back < g->ring_start[j + 1]; back++)
                if (g->ring[back] == i)
                    reverse[slot[e]] = slot[back];
        }
}

/* Spreads `components` values per bond from the graph to the slots of a REAL field; `scratch` holds bond_count doubles.
 */
static void fill_bond_field(prc_model *m, enum prc_field field, const double *values, int components, const int *slot,
                            double filler, double *scratch)
{
    const prc_view *v = &m->view;
    const int bonds = m->graph.ring_start[m->vertex_count];
    for (int c = 0; c < components; c++) {
        for (int e = 0; e < v->bond_count; e++)
            scratch[e] = filler;
        for (int e = 0; e < bonds; e++)
            scratch[slot[e]] = values[components * e + c];
        m->backend->upload(&m->view,
                           (char *)v->field[field] + m->backend->real_size * (size_t)c * (size_t)v->bond_count, scratch,
                           (size_t)v->bond_count);
    }
}

/* What a unit move of one vertex of ring i does: squared residuals, squared curvature. `centre` for the vertex itself.
 */
void prc_ring_unit_move(const prc_graph *g, int i, int mover, double *ss, double *kk)
{
    const int first = g->ring_start[i], end = g->ring_start[i + 1];
    double b[2] = {0, 0}, curvature[3] = {0, 0, 0};
    for (int e = first; e < end; e++)
        for (int k = 0; k < 2; k++)
            b[k] += mover < 0 ? -g->f[2 * e + k] : e == mover ? g->f[2 * e + k] : 0;
    *ss = 0;
    for (int e = first; e < end; e++) {
        double r = (mover < 0 ? -1 : e == mover ? 1 : 0) - b[0] * g->x[2 * e] - b[1] * g->x[2 * e + 1];
        *ss += r * r;
        for (int k = 0; k < 3; k++)
            curvature[k] += g->k[3 * e + k] * r;
    }
    *kk = curvature[0] * curvature[0] + curvature[1] * curvature[1] + curvature[2] * curvature[2];
}

static prc_result fill_bonds(prc_model *m, const int *slot, prc_error *error)
{
    const prc_graph *g = &m->graph;
    const size_t bonds = (size_t)g->ring_start[m->vertex_count];
    double *scratch = PRC_NEW(double, m->view.bond_count);
    double *ss = PRC_NEW(double, bonds), *kk = PRC_NEW(double, bonds), *rows = PRC_NEW(double, bonds);
    prc_result result = PRC_OK;
    if (!scratch || !ss || !kk || !rows)
        result = PRC_FAIL_MEMORY(error);
    for (int i = 0; result == PRC_OK && i < m->vertex_count; i++)
        for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
            prc_ring_unit_move(g, i, e, &ss[e], &kk[e]);
            for (int o = g->ring_start[i]; o < g->ring_start[i + 1]; o++)
                rows[e] += fabs(g->k[3 * e] * g->k[3 * o] + g->k[3 * e + 1] * g->k[3 * o + 1] +
                                g->k[3 * e + 2] * g->k[3 * o + 2]);
        }
    if (result == PRC_OK) {
        fill_bond_indices(m, slot);
        fill_bond_field(m, PRC_FIELD_bond_x, g->x, 2, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_b, g->b, 2, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_f, g->f, 2, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_k, g->k, 3, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_ss, ss, 1, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_kk, kk, 1, slot, 0, scratch);
        fill_bond_field(m, PRC_FIELD_bond_rows, rows, 1, slot, -1, scratch);
    }
    prc_free(scratch);
    prc_free(ss);
    prc_free(kk);
    prc_free(rows);
    return result;
}

prc_result prc_rings_fill(prc_model *m, prc_error *error)
{
    int *slot = lay_out_bonds(m, error);
    if (!slot)
        return PRC_ERROR_MEMORY;
    const prc_result result = fill_bonds(m, slot, error);
    prc_free(slot);
    return result;
}
