/* model/model.c — puts the bodies of a scene into the arrays of kernel/fields.inl.
 *
 * Bodies are prepared one by one in the caller's order, each by its kind (kind.h); their rings are joined, renumbered
 * and laid out (rings.h); then every vertex gets its constants. SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "model/kind.h"
#include "model/obstacles.h"
#include "model/rings.h"

#include <math.h>
#include <string.h>

static const char *body_name(const prc_body_def *def)
{
    return def->name ? def->name : "(unnamed)";
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
        if (prc_kind_of(&def->bodies[b])->has_rings) {
            triangles += def->bodies[b].mesh->triangle_count;
            m->ring_count += def->bodies[b].mesh->vertex_count;
        }
        m->law_count += 1 + def->bodies[b].material_count;
    }
    const long elastic = vertices;
    vertices += prc_obstacles_count(m, def);
    if (vertices > PRC_MOST_VERTICES || triangles > PRC_MOST_TRIANGLES)
        return prc_fail(error, PRC_ERROR_INPUT, "%ld vertices and %ld triangles are too many; expected " PRC_MOST_TEXT,
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

static prc_result build_parts(prc_model *m, prc_part *parts, const prc_sim_def *def, prc_error *error)
{
    int law = 0, vertex = 0;
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        const int first_law = law;
        prc_law_make(&m->laws[law++], &body->material);
        for (int k = 0; k < body->material_count; k++)
            prc_law_make(&m->laws[law++], &body->materials[k]);
        const prc_kind *kind = prc_kind_of(body);
        prc_result result = kind->check ? kind->check(body, error) : PRC_OK;
        if (result == PRC_OK)
            result = kind->build(&parts[b], body, m->laws, first_law, error);
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

/* Triangles and rest positions in the internal order. */
static void fill_surface(prc_model *m, const prc_part *parts, const prc_sim_def *def)
{
    int *corner = m->triangles;
    for (int b = 0; b < def->body_count; b++) {
        const int *internal = m->internal_of + m->bodies[b].first_vertex;
        const int corners = prc_kind_of(&def->bodies[b])->has_rings ? 3 * def->bodies[b].mesh->triangle_count : 0;
        for (int k = 0; k < corners; k++)
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

prc_result prc_view_allocate(prc_view *v, const prc_backend *backend, prc_error *error)
{
    for (int k = 0; k < PRC_FIELD_COUNT; k++) {
        v->field[k] = prc_alloc(prc_view_field_size(v, (enum prc_field)k, backend->real_size), 1);
        if (!v->field[k])
            return PRC_FAIL_MEMORY(error);
    }
    v->slot = PRC_NEW(double, PRC_SLOT_COUNT);
    return v->slot ? PRC_OK : PRC_FAIL_MEMORY(error);
}

static prc_result fill_vertices(prc_model *m, const prc_part *parts, const prc_sim_def *def, prc_error *error)
{
    const prc_view *v = &m->view;
    const size_t n = (size_t)v->padded_count;
    double *columns = PRC_NEW(double, n *PRC_VALUES);
    if (!columns)
        return PRC_FAIL_MEMORY(error);
    int *law = prc_field_law(v), *mixed = prc_field_block_mixed(v);
    for (int b = 0; b < def->body_count; b++)
        for (int local = 0; local < m->bodies[b].vertex_count; local++) {
            const int i = m->internal_of[m->bodies[b].first_vertex + local];
            double values[PRC_VALUES] = {0};
            law[i] = parts[b].law_of[local];
            m->area[i] = prc_kind_of(&def->bodies[b])->measure(m, &parts[b], &def->bodies[b], local, i, values);
            for (int k = 0; k < PRC_VALUES; k++)
                columns[(size_t)k * n + (size_t)i] = values[k];
            m->mass[i] = values[PRC_VALUE_MASS];
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
    static const enum prc_field fields[PRC_VALUES] = {
        [PRC_VALUE_AREA] = PRC_FIELD_area,
        [PRC_VALUE_MASS] = PRC_FIELD_mass,
        [PRC_VALUE_INVERSE_MASS] = PRC_FIELD_inverse_mass,
        [PRC_VALUE_RING_Q] = PRC_FIELD_ring_q,
        [PRC_VALUE_STABILISE] = PRC_FIELD_stabilise,
        [PRC_VALUE_STABILISE_NORMAL] = PRC_FIELD_stabilise_normal,
        [PRC_VALUE_CENTER_B0] = PRC_FIELD_center_b,
        [PRC_VALUE_CENTER_SS] = PRC_FIELD_center_ss,
        [PRC_VALUE_CENTER_KK] = PRC_FIELD_center_kk,
        [PRC_VALUE_CURVATURE] = PRC_FIELD_curvature_rest,
        [PRC_VALUE_DAMPING] = PRC_FIELD_damping,
    };
    for (int k = 0; k < PRC_VALUES; k++) { /* CENTER_B0 and CURVATURE start fields of several components */
        const size_t width = k == PRC_VALUE_CENTER_B0 ? 2 : k == PRC_VALUE_CURVATURE ? 3 : 1;
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

static prc_result fill_view(prc_model *m, const prc_part *parts, const prc_sim_def *def, prc_error *error)
{
    prc_result result = prc_rings_fill(m, error);
    if (result == PRC_OK)
        result = fill_vertices(m, parts, def, error);
    if (result != PRC_OK)
        return result;
    fill_laws(m);
    share_weights(m, def);
    m->view.has_damping = m->has_damping;
    return PRC_OK;
}

prc_result prc_model_build(prc_model *model, const prc_sim_def *def, prc_error *error)
{
    memset(model, 0, sizeof *model);
    model->backend = model->host = prc_backend_choose(PRC_BACKEND_CPU, def->precision);
    prc_result result = count_and_allocate(model, def, error);
    prc_part *parts = PRC_NEW(prc_part, def->body_count);
    if (result == PRC_OK && !parts)
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = build_parts(model, parts, def, error);
    if (result == PRC_OK && !prc_rings_join(model, parts))
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = fill_view(model, parts, def, error);
    if (result == PRC_OK)
        fill_surface(model, parts, def);
    for (int b = 0; parts && b < def->body_count; b++)
        prc_part_release(&parts[b]);
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
