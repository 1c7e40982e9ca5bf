/* model/model.c — puts the bodies of a scene into the arrays of kernel/fields.inl.
 *
 * Bodies are prepared one by one in the caller's order (topology, materials, rest shape), joined into one graph,
 * renumbered for locality, and laid out in blocks of PRC_BLOCK vertices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "mesh/topology.h"
#include "model/obstacles.h"
#include "model/order.h"
#include "model/rest.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* One body while the model is built. */
typedef struct part {
    prc_topology topology;
    prc_rest_shape rest;
    double *rest_positions;
    int *law_of;
} part;

static void part_release(part *p)
{
    prc_topology_release(&p->topology);
    prc_rest_release(&p->rest);
    prc_free(p->rest_positions);
    prc_free(p->law_of);
}

static const char *body_name(const prc_body_def *def)
{
    return def->name ? def->name : "(unnamed)";
}

static bool is_membrane(const prc_body_def *def)
{
    return def->kind == PRC_BODY_MEMBRANE;
}

/* Rest positions, 3 per vertex; the caller frees. */
static double *rest_positions(const prc_body_def *def)
{
    const int n = def->mesh->vertex_count;
    double *x = PRC_NEW(double, 3 * (size_t)n);
    if (!x)
        return NULL;
    for (int i = 0; i < n; i++) {
        if (is_membrane(def) && def->rest == PRC_REST_TEXTURE) {
            x[3 * i] = def->mesh->texture[2 * i];
            x[3 * i + 1] = def->mesh->texture[2 * i + 1];
        } else {
            const prc_mesh *rest = is_membrane(def) && def->rest_mesh ? def->rest_mesh : def->mesh;
            memcpy(x + 3 * i, rest->positions + 3 * i, 3 * sizeof *x);
        }
    }
    return x;
}

static prc_result part_check(const prc_body_def *def, prc_error *error)
{
    if (!is_membrane(def))
        return PRC_OK; /* points may be anywhere: the schema has looked at them */
    prc_result result = prc_mesh_check(def->mesh, error);
    if (result != PRC_OK)
        return result;
    if (def->rest == PRC_REST_TEXTURE && !def->mesh->texture)
        return prc_fail(error, PRC_ERROR_INPUT, "rest: texture needs a mesh with one texture coordinate per vertex");
    if (def->rest == PRC_REST_MESH && def->rest_mesh) {
        const prc_mesh *rest = def->rest_mesh;
        if (rest->vertex_count != def->mesh->vertex_count || rest->triangle_count != def->mesh->triangle_count ||
            memcmp(rest->triangles, def->mesh->triangles, sizeof(int) * 3 * (size_t)rest->triangle_count) != 0)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "the rest mesh must have the same triangles as the mesh (%d against %d)",
                            rest->triangle_count, def->mesh->triangle_count);
        return prc_mesh_check(rest, error);
    }
    return PRC_OK;
}

static prc_result part_build(part *p, const prc_body_def *def, const prc_law *laws, int first_law, prc_error *error)
{
    prc_result result = part_check(def, error);
    if (result == PRC_OK && is_membrane(def))
        result = prc_topology_build(&p->topology, def->mesh, error);
    if (result != PRC_OK)
        return result;
    p->rest_positions = rest_positions(def);
    p->law_of = PRC_NEW(int, def->mesh->vertex_count);
    if (!p->rest_positions || !p->law_of)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < def->mesh->vertex_count; i++)
        p->law_of[i] = first_law + (is_membrane(def) && def->vertex_material ? def->vertex_material[i] : 0);
    if (is_membrane(def))
        result = prc_rest_build(&p->rest, &p->topology, def->mesh, p->rest_positions, laws, p->law_of, def->discretisation,
                            error);
    return result;
}

/* Prefixes the message of a failed part with the name of its body. */
static void name_body(prc_error *error, const prc_body_def *def, int index)
{
    if (!error)
        return;
    prc_error inner = *error;
    prc_fail(error, inner.code, "bodies[%d] \"%s\": %.400s", index, body_name(def), inner.message);
}

static prc_result count_and_allocate(prc_model *m, const prc_sim_def *def, prc_error *error)
{
    long vertices = 0, triangles = 0;
    m->obstacle_count = def->obstacle_count;
    m->body_count = def->body_count + def->obstacle_count;
    for (int b = 0; b < def->body_count; b++) {
        vertices += def->bodies[b].mesh->vertex_count;
        triangles += is_membrane(&def->bodies[b]) ? def->bodies[b].mesh->triangle_count : 0;
        m->ring_count += is_membrane(&def->bodies[b]) ? def->bodies[b].mesh->vertex_count : 0;
        m->law_count += 1 + def->bodies[b].material_count;
    }
    const long elastic = vertices;
    vertices += prc_obstacles_count(m, def);
    if (vertices > PRC_MOST_VERTICES || triangles > PRC_MOST_TRIANGLES)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%ld vertices and %ld triangles are more than this version can hold; expected " PRC_MOST_TEXT,
                        vertices, triangles);
    m->triangle_count += (int)triangles;
    m->vertex_count = (int)vertices;
    m->shown_count = (int)(vertices - prc_shells_count(m, def));
    m->elastic_count = (int)elastic;
    size_t n = (size_t)vertices;
    m->bodies = PRC_NEW(prc_body, m->body_count);
    m->laws = PRC_NEW(prc_law, m->law_count);
    m->caller_of = PRC_NEW(int, n);
    m->internal_of = PRC_NEW(int, n);
    m->area = PRC_NEW(double, n);
    m->mass = PRC_NEW(double, n);
    m->mass_damping = PRC_NEW(double, n);
    m->position = PRC_NEW(double, 3 * n);
    m->body_of = PRC_NEW(int, n);
    m->rest_positions = PRC_NEW(double, 3 * n);
    m->velocity = PRC_NEW(double, 3 * n);
    m->triangles = PRC_NEW(int, 3 * (size_t)m->triangle_count);
    m->segments = PRC_NEW(int, 2 * (size_t)m->segment_count);
    if (!m->bodies || !m->laws || !m->caller_of || !m->internal_of || !m->area || !m->mass || !m->mass_damping ||
        !m->position || !m->velocity || !m->body_of || !m->rest_positions || !m->triangles || !m->segments)
        return PRC_FAIL_MEMORY(error);
    return PRC_OK;
}

static prc_result build_parts(prc_model *m, part *parts, const prc_sim_def *def, prc_error *error)
{
    int law = 0, vertex = 0;
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        const int first_law = law;
        prc_law_make(&m->laws[law++], &body->material);
        for (int k = 0; k < body->material_count; k++)
            prc_law_make(&m->laws[law++], &body->materials[k]);
        prc_result result = part_build(&parts[b], body, m->laws, first_law, error);
        if (result != PRC_OK) {
            name_body(error, body, b);
            return result;
        }
        const int n = body->mesh->vertex_count;
        m->bodies[b] = (prc_body){vertex, n};
        memcpy(m->position + 3 * (size_t)vertex, body->mesh->positions, sizeof(double) * 3 * (size_t)n);
        for (int i = 0; i < 3 * n; i++)
            m->velocity[3 * vertex + i] =
                body->velocity[i % 3] + (body->vertex_velocity ? body->vertex_velocity[i] : 0);
        vertex += n;
    }
    for (int k = 0; k < m->law_count; k++)
        m->has_damping |= m->laws[k].row[PRC_LAW_DAMPING] > 0;
    return PRC_OK;
}

/* All rings of all bodies, in the caller's order. */
static bool join_rings(const prc_model *m, const part *parts, int **ring_start, int **ring)
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
static bool build_graph(prc_model *m, const part *parts)
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

/* Triangles and rest positions in the internal order. */
static void fill_surface(prc_model *m, const part *parts, const prc_sim_def *def)
{
    int *corner = m->triangles;
    for (int b = 0; b < def->body_count; b++) {
        const int *internal = m->internal_of + m->bodies[b].first_vertex;
        for (int k = 0; is_membrane(&def->bodies[b]) && k < 3 * def->bodies[b].mesh->triangle_count; k++)
            *corner++ = internal[def->bodies[b].mesh->triangles[k]];
        for (int local = 0; local < m->bodies[b].vertex_count; local++) {
            m->body_of[internal[local]] = b;
            memcpy(m->rest_positions + 3 * internal[local], parts[b].rest_positions + 3 * local, 3 * sizeof(double));
        }
    }
    prc_obstacles_fill(m, def, corner);
}

bool prc_field_is_thin(enum prc_field field)
{
    return field == PRC_FIELD_bond_thin || field == PRC_FIELD_thin_unit || field == PRC_FIELD_thin_push;
}

size_t prc_view_field_size(const prc_view *v, enum prc_field field, size_t real_size)
{
    enum { REAL, INT, DOUBLE };
    enum { VERTEX, BOND, BLOCK, LAW };
    static const struct {
        int type, shape, components;
    } fields[PRC_FIELD_COUNT] = {
#define PRC_FIELD(name, type, shape, components, meaning) {type, shape, components},
#include "kernel/fields.inl"
#undef PRC_FIELD
    };
    const size_t sizes[] = {[REAL] = real_size, [INT] = sizeof(int), [DOUBLE] = sizeof(double)};
    const size_t lengths[] = {[VERTEX] = (size_t)v->padded_count,
                              [BOND] = (size_t)v->bond_count,
                              [BLOCK] = (size_t)v->block_count + 1,
                              [LAW] = (size_t)v->law_count};
    const int components = prc_field_is_thin(field) && (!v->device || real_size > sizeof(float)) ? 0
                           : field == PRC_FIELD_bond_t && v->device                              ? 4
                                                                    : fields[field].components;
    return lengths[fields[field].shape] * (size_t)components * sizes[fields[field].type];
}

static prc_result view_allocate(prc_view *v, const prc_backend *backend, prc_error *error)
{
    for (int k = 0; k < PRC_FIELD_COUNT; k++) {
        v->field[k] = prc_alloc(prc_view_field_size(v, (enum prc_field)k, backend->real_size), 1);
        if (!v->field[k])
            return PRC_FAIL_MEMORY(error);
    }
    v->slot = PRC_NEW(double, PRC_SLOT_COUNT);
    return v->slot ? PRC_OK : PRC_FAIL_MEMORY(error);
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
    if (view_allocate(v, m->backend, error) == PRC_OK) {
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
static void unit_move(const prc_graph *g, int i, int mover, double *ss, double *kk)
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
            unit_move(g, i, e, &ss[e], &kk[e]);
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

/* The constants of one vertex, in the order of the REAL fields that fill_vertices uploads. */
enum {
    AREA,
    MASS,
    INVERSE_MASS,
    RING_Q,
    STABILISE,
    STABILISE_NORMAL,
    CENTER_B0,
    CENTER_B1,
    CENTER_SS,
    CENTER_KK,
    CURVATURE,
    DAMPING = CURVATURE + 3,
    VALUES
};

static void vertex_values(const prc_model *m, const prc_rest_shape *rest, int local, const prc_law *law, bool paper,
                          int i, double *values)
{
    const prc_graph *g = &m->graph;
    const double area = rest->area[local];
    values[AREA] = area;
    values[MASS] = area * law->density;
    values[INVERSE_MASS] = 1 / values[MASS];
    values[RING_Q] = rest->q[local];
    /* The paper's force state resists non-affine motion with P+/λ, which is a third of s0 at rest, and in all
     * directions. */
    values[STABILISE] = area * rest->q[local] * (paper ? law->row[PRC_LAW_SCALE] / 3 : law->stabilisation);
    values[STABILISE_NORMAL] = paper ? 1 : 0;
    values[CENTER_B0] = values[CENTER_B1] = 0;
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        values[CENTER_B0] -= g->f[2 * e];
        values[CENTER_B1] -= g->f[2 * e + 1];
    }
    unit_move(g, i, -1, &values[CENTER_SS], &values[CENTER_KK]);
    memcpy(values + CURVATURE, rest->curvature + 3 * local, 3 * sizeof(double));
    values[DAMPING] = law->row[PRC_LAW_DAMPING];
}

/* A ball, with the area that wind and pressure act on; without a ring it has no area of a membrane. */
static void particle_values(prc_model *m, const prc_particle_def *ball, int i, double *values)
{
    const double square = ball->radius * ball->radius;
    m->mass[i] = values[MASS] = 4.0 / 3.0 * PI * square * ball->radius * ball->density;
    m->area[i] = PI * square;
    values[INVERSE_MASS] = 1 / values[MASS];
}

static prc_result fill_vertices(prc_model *m, const part *parts, const prc_sim_def *def, prc_error *error)
{
    const prc_view *v = &m->view;
    const size_t n = (size_t)v->padded_count;
    double *columns = PRC_NEW(double, n *VALUES);
    if (!columns)
        return PRC_FAIL_MEMORY(error);
    int *law = prc_field_law(v), *mixed = prc_field_block_mixed(v);
    for (int b = 0; b < def->body_count; b++)
        for (int local = 0; local < m->bodies[b].vertex_count; local++) {
            const int i = m->internal_of[m->bodies[b].first_vertex + local];
            double values[VALUES] = {0};
            law[i] = parts[b].law_of[local];
            if (!is_membrane(&def->bodies[b])) {
                particle_values(m, &def->bodies[b].particle, i, values);
                for (int k = 0; k < VALUES; k++)
                    columns[(size_t)k * n + (size_t)i] = values[k];
                continue;
            }
            vertex_values(m, &parts[b].rest, local, &m->laws[law[i]],
                          def->bodies[b].discretisation == PRC_DISCRETISATION_PAPER, i, values);
            for (int k = 0; k < VALUES; k++)
                columns[(size_t)k * n + (size_t)i] = values[k];
            m->area[i] = values[AREA];
            m->mass[i] = values[MASS];
            m->mass_damping[i] = m->laws[law[i]].mass_damping;
        }
    for (int i = 0; i < m->vertex_count; i++)
        m->total_mass += m->mass[i];
    memcpy(prc_field_mass_exact(v), m->mass, sizeof(double) * (size_t)m->vertex_count);
    memcpy(prc_field_area_exact(v), m->area, sizeof(double) * (size_t)m->vertex_count);
    memcpy(prc_field_mass_damping(v), m->mass_damping, sizeof(double) * (size_t)m->vertex_count);
    for (int i = m->elastic_count; i < v->padded_count; i++) /* obstacles and padding: no area, so any will do */
        law[i] = law[m->elastic_count - 1];
    for (int i = 0; i < v->padded_count; i++)
        mixed[i / PRC_BLOCK] |= law[i] != law[i / PRC_BLOCK * PRC_BLOCK];
    static const enum prc_field fields[VALUES] = {
        [AREA] = PRC_FIELD_area,
        [MASS] = PRC_FIELD_mass,
        [INVERSE_MASS] = PRC_FIELD_inverse_mass,
        [RING_Q] = PRC_FIELD_ring_q,
        [STABILISE] = PRC_FIELD_stabilise,
        [STABILISE_NORMAL] = PRC_FIELD_stabilise_normal,
        [CENTER_B0] = PRC_FIELD_center_b,
        [CENTER_SS] = PRC_FIELD_center_ss,
        [CENTER_KK] = PRC_FIELD_center_kk,
        [CURVATURE] = PRC_FIELD_curvature_rest,
        [DAMPING] = PRC_FIELD_damping,
    };
    for (int k = 0; k < VALUES; k++) { /* CENTER_B0 and CURVATURE start fields of several components */
        const size_t width = k == CENTER_B0 ? 2 : k == CURVATURE ? 3 : 1;
        m->backend->upload(&m->view, v->field[fields[k]], columns + (size_t)k * n, n * width);
        k += (int)width - 1;
    }
    prc_free(columns);
    return PRC_OK;
}

static void fill_laws(prc_model *m)
{
    int *kind = prc_field_law_kind(&m->view);
    for (int k = 0; k < m->law_count; k++) {
        kind[k] = m->laws[k].kind;
        m->view.common_law = k == 0 || kind[k] == m->view.common_law ? kind[k] : -1;
        m->backend->upload(&m->view,
                           (char *)m->view.field[PRC_FIELD_law_row] + m->backend->real_size * PRC_LAW_SIZE * (size_t)k,
                           m->laws[k].row, PRC_LAW_SIZE);
    }
}

/* Where force and gradient weights are the same, they share their memory: half the traffic. */
static void share_weights(prc_model *m, const prc_sim_def *def)
{
    for (int b = 0; b < def->body_count; b++)
        if (def->bodies[b].discretisation == PRC_DISCRETISATION_PAPER)
            return;
    prc_free(m->view.field[PRC_FIELD_bond_f]);
    m->view.field[PRC_FIELD_bond_f] = m->view.field[PRC_FIELD_bond_b];
}

static prc_result fill_view(prc_model *m, const part *parts, const prc_sim_def *def, prc_error *error)
{
    int *slot = lay_out_bonds(m, error);
    if (!slot)
        return PRC_ERROR_MEMORY;
    prc_result result = fill_bonds(m, slot, error);
    if (result == PRC_OK)
        result = fill_vertices(m, parts, def, error);
    if (result == PRC_OK)
        fill_laws(m);
    share_weights(m, def);
    m->view.has_damping = m->has_damping;
    prc_free(slot);
    return result;
}

prc_result prc_model_build(prc_model *model, const prc_sim_def *def, prc_error *error)
{
    memset(model, 0, sizeof *model);
    model->backend = model->host = prc_backend_choose(PRC_BACKEND_CPU, def->precision);
    prc_result result = count_and_allocate(model, def, error);
    part *parts = PRC_NEW(part, def->body_count);
    if (result == PRC_OK && !parts)
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = build_parts(model, parts, def, error);
    if (result == PRC_OK && !build_graph(model, parts))
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = fill_view(model, parts, def, error);
    if (result == PRC_OK)
        fill_surface(model, parts, def);
    for (int b = 0; parts && b < def->body_count; b++)
        part_release(&parts[b]);
    prc_free(parts);
    if (result != PRC_OK)
        prc_model_release(model);
    return result;
}

void prc_model_release(prc_model *m)
{
    prc_free(m->bodies);
    prc_free(m->laws);
    prc_free(m->caller_of);
    prc_free(m->internal_of);
    prc_free(m->area);
    prc_free(m->mass);
    prc_free(m->mass_damping);
    prc_free(m->position);
    prc_free(m->body_of);
    prc_free(m->rest_positions);
    prc_free(m->triangles);
    prc_free(m->segments);
    prc_free(m->velocity);
    prc_free(m->graph.ring_start);
    prc_free(m->graph.ring);
    prc_free(m->graph.length);
    prc_free(m->graph.x);
    prc_free(m->graph.b);
    prc_free(m->graph.f);
    prc_free(m->graph.k);
    prc_free(m->view.slot);
    if (m->view.field[PRC_FIELD_bond_f] == m->view.field[PRC_FIELD_bond_b])
        m->view.field[PRC_FIELD_bond_f] = NULL;
    for (int k = 0; k < PRC_FIELD_COUNT; k++)
        prc_free(m->view.field[k]);
    memset(m, 0, sizeof *m);
}
