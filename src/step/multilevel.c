/* step/multilevel.c — the multilevel preconditioner: set-up and application (docs/theory.md, section 6).
 *
 *   z = D^-1 r + P_1 (D_1^-1 b_1 + P_2 (D_2^-1 b_2 + … A_L^-1 b_L)),   b_l = P_l^T b_(l−1)
 *
 * Additive, so that every part is a gather. The finest blocks D are renewed at every Newton iteration (they follow the
 * normals). The coarse matrices are kept until the linear solves have spent more extra iterations than a refresh costs:
 * counts, not clocks, so that every run decides alike. SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/linear.h"
#include "step/place.h"
#include "step/sim.h"
#include "step/state.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* What a refresh costs, in iterations of the linear solver. */
#define REFRESH_COST 30
/* Coarse levels pay where a stretch wave crosses more edges than this in one step. */
#define WORTHWHILE_WAVE 4.0

static void add_scaled_block(double *to, double weight, const double *from)
{
    for (int k = 0; k < 9; k++)
        to[k] += weight * from[k];
}

/* A_l = P^T A P from the level before, through the product A P. `position` maps columns to entries. */
static void galerkin(prc_hierarchy *h, int l)
{
    const prc_level *finer = &h->level[l - 1], *level = &h->level[l];
    const prc_rows *product = &h->product[l], *p = &h->prolongation[l], *r = &h->restriction[l];
    double *value = h->product_block[l];
    int *position = level->position;
    memset(value, 0, sizeof(double) * 9 * (size_t)product->start[product->count]);
    memset(level->block, 0, sizeof(double) * 9 * (size_t)level->row_start[level->node_count]);
    for (int i = 0; i < finer->node_count; i++) {
        for (int k = product->start[i]; k < product->start[i + 1]; k++)
            position[product->column[k]] = k;
        for (int k = finer->row_start[i]; k < finer->row_start[i + 1]; k++)
            for (int q = p->start[finer->column[k]]; q < p->start[finer->column[k] + 1]; q++)
                add_scaled_block(value + 9L * position[p->column[q]], p->weight[q], finer->block + 9L * k);
    }
    for (int c = 0; c < level->node_count; c++) {
        for (int k = level->row_start[c]; k < level->row_start[c + 1]; k++)
            position[level->column[k]] = k;
        for (int k = r->start[c]; k < r->start[c + 1]; k++)
            for (int q = product->start[r->column[k]]; q < product->start[r->column[k] + 1]; q++)
                add_scaled_block(level->block + 9L * position[product->column[q]], r->weight[k], value + 9L * q);
    }
}

/* A function whose whole support is pinned has an empty row: give it something to divide by. */
static void guard_diagonal(const prc_level *level)
{
    double most = 0;
    for (int c = 0; c < level->node_count; c++)
        most = fmax(most, level->block[9L * level->diagonal[c]]);
    for (int c = 0; c < level->node_count; c++) {
        double *d = level->block + 9L * level->diagonal[c];
        for (int k = 0; k < 3; k++)
            if (!(d[4 * k] > 1e-12 * most))
                d[4 * k] = most > 0 ? most : 1;
    }
}

/* Inverse of a symmetric 3×3 block as xx xy xz yy yz zz. */
static void invert_block(const double *m, double *inverse)
{
    double c0 = m[4] * m[8] - m[5] * m[5], c1 = m[2] * m[5] - m[1] * m[8], c2 = m[1] * m[5] - m[2] * m[4];
    double d = m[0] * c0 + m[1] * c1 + m[2] * c2;
    inverse[0] = c0 / d;
    inverse[1] = c1 / d;
    inverse[2] = c2 / d;
    inverse[3] = (m[0] * m[8] - m[2] * m[2]) / d;
    inverse[4] = (m[1] * m[2] - m[0] * m[5]) / d;
    inverse[5] = (m[0] * m[4] - m[1] * m[1]) / d;
}

static void invert_diagonal(prc_sim *sim, const prc_level *level)
{
    const size_t n = (size_t)level->padded_count;
    double *columns = sim->work.columns;
    memset(columns, 0, sizeof(double) * 6 * n);
    for (int c = 0; c < level->node_count; c++) {
        double inverse[6];
        invert_block(level->block + 9L * level->diagonal[c], inverse);
        for (int k = 0; k < 6; k++)
            columns[(size_t)k * n + (size_t)c] = inverse[k];
    }
    sim->model.host->upload(&sim->model.view, level->inverse, columns, 6 * n);
}

/* Row and column component·node_count + node of the compact matrix. */
static void invert_coarsest(prc_sim *sim)
{
    prc_hierarchy *h = &sim->hierarchy;
    const prc_backend *backend = sim->model.host;
    const prc_level *level = &h->level[h->level_count - 1];
    const size_t count = (size_t)level->node_count, size = 3 * count, real = backend->real_size;
    char *matrix = h->dense, *inverse = h->dense_inverse;
    memset(matrix, 0, size * size * real);
    for (size_t r = 0; r < count; r++)
        for (int k = level->row_start[r]; k < level->row_start[r + 1]; k++)
            for (size_t a = 0; a < 3; a++)
                for (size_t b = 0; b < 3; b++) {
                    const size_t at = (a * count + r) * size + b * count + (size_t)level->column[k];
                    backend->upload(&sim->model.view, matrix + real * at, &level->block[9L * k + (long)(3 * a + b)], 1);
                }
    backend->dense_invert(&sim->model.view, matrix, (int)size);
    for (size_t row = 0; row < size; row++)
        for (size_t b = 0; b < 3; b++)
            memcpy(inverse + real * (row * (size_t)h->dense_leading + b * (size_t)level->padded_count),
                   matrix + real * (row * size + b * count), real * count);
}

static bool is_finite(const prc_sim *sim, const void *real, size_t count)
{
    double *value = sim->work.columns;
    sim->model.host->download(&sim->model.view, value, real, count);
    for (size_t k = 0; k < count; k++)
        if (!isfinite(value[k]))
            return false;
    return true;
}

/* Whether all that will be applied is finite: of forces that overflow the tangent need not be. */
static bool inverses_are_finite(const prc_sim *sim)
{
    const prc_hierarchy *h = &sim->hierarchy;
    const prc_level *last = &h->level[h->level_count - 1];
    const char *row = h->dense_inverse;
    for (int l = 0; l + 1 < h->level_count; l++)
        if (!is_finite(sim, h->level[l].inverse, 6 * (size_t)h->level[l].padded_count))
            return false;
    for (int r = 0; r < 3 * last->node_count; r++, row += sim->model.host->real_size * (size_t)h->dense_leading)
        if (!is_finite(sim, row, 3 * (size_t)last->padded_count))
            return false;
    return true;
}

/* Which vertices are pinned now. */
static void mark_pins(const prc_sim *sim, unsigned char *pinned)
{
    memset(pinned, 0, (size_t)sim->model.vertex_count);
    for (int p = 0; p < sim->pin_count; p++)
        for (int k = 0; sim->pins[p].holds && k < sim->pins[p].vertex_count; k++)
            pinned[sim->pins[p].vertices[k]] = 1;
}

/* Edges that a stretch wave of the fastest material crosses in a step. */
static double wave_reach(const prc_sim *sim)
{
    const prc_model *m = &sim->model;
    double speed = 0, length = 0;
    for (int k = 0; k < m->law_count; k++)
        speed = fmax(
            speed, sqrt(fmax(m->laws[k].row[PRC_LAW_LINEAR], m->laws[k].row[PRC_LAW_LINEAR + 1]) / m->laws[k].density));
    const int bonds = m->graph.ring_start[m->vertex_count];
    for (int e = 0; e < bonds; e++)
        length += m->graph.length[e] / bonds;
    return speed * sim->def.time.step / length;
}

bool prc_multilevel_wanted(const prc_sim *sim)
{
    const prc_solver_def *def = &sim->def.solver;
    if (def->method != PRC_METHOD_NEWTON || def->preconditioner == PRC_PRECONDITIONER_JACOBI)
        return false;
    return def->preconditioner == PRC_PRECONDITIONER_MULTILEVEL || wave_reach(sim) > WORTHWHILE_WAVE;
}

/* The set-up is the host's: what it reads of the last linearisation comes here where the fields are elsewhere. */
static void fetch_tangent(prc_sim *sim)
{
    static const struct {
        enum prc_field field;
        size_t components;
    } read[] = {{PRC_FIELD_tangent, 10},
                {PRC_FIELD_rotation, 6},
                {PRC_FIELD_normal, 3},
                {PRC_FIELD_tangent_normal, 3},
                {PRC_FIELD_weight, 1}};
    const prc_model *m = &sim->model;
    sim->model.view.has_damping = sim->view.has_damping;
    sim->model.view.inverse_h = sim->view.inverse_h;
    sim->model.view.threads = sim->view.threads;
    for (size_t k = 0; sim->view.device && k < sizeof read / sizeof *read; k++)
        prc_get(sim, m->view.field[read[k].field], sim->view.field[read[k].field],
                read[k].components * m->host->real_size * (size_t)m->view.padded_count);
}

void prc_multilevel_send(prc_sim *sim)
{
    const prc_hierarchy *h = &sim->hierarchy;
    const size_t real = sim->model.host->real_size;
    if (!sim->view.device)
        return;
    for (int l = 0; l + 1 < h->level_count; l++)
        prc_put(sim, sim->applied.level[l].inverse, h->level[l].inverse, 6 * real * (size_t)h->level[l].padded_count);
    const size_t rows = 3 * (size_t)h->level[h->level_count - 1].node_count;
    prc_put(sim, sim->applied.dense_inverse, h->dense_inverse, rows * real * (size_t)h->dense_leading);
}

bool prc_multilevel_refresh(prc_sim *sim)
{
    prc_hierarchy *h = &sim->hierarchy;
    if (h->level_count == 0)
        return false;
    const size_t count = (size_t)sim->model.vertex_count;
    mark_pins(sim, sim->pinned_now);
    const bool repin = !sim->coarse.ready || memcmp(sim->pinned, sim->pinned_now, count) != 0;
    if (!repin && sim->coarse.excess < REFRESH_COST)
        return true;
    const double start = prc_seconds();
    fetch_tangent(sim);
    if (prc_sim_status(sim, NULL) != PRC_OK) /* nothing came */
        return false;
    prc_coarse_before_take(sim);
    if (repin) {
        memcpy(sim->pinned, sim->pinned_now, count);
        prc_hierarchy_see(h, &sim->model, sim->pinned);
    }
    sim->model.host->level_assemble(&sim->model.view, &h->level[0], &h->assembly);
    for (int l = 0; l < h->level_count; l++) {
        if (l > 0)
            galerkin(h, l);
        guard_diagonal(&h->level[l]);
        if (l + 1 < h->level_count)
            invert_diagonal(sim, &h->level[l]);
    }
    invert_coarsest(sim);
    sim->coarse.ready = inverses_are_finite(sim); /* else they would spoil all later steps too */
    if (sim->coarse.ready)
        prc_multilevel_send(sim);
    sim->coarse.excess = 0;
    sim->coarse.usual = 0;
    sim->report.seconds_setup += prc_seconds() - start;
    return sim->coarse.ready;
}

void prc_multilevel_account(prc_sim *sim, int iterations)
{
    if (sim->coarse.usual == 0)
        sim->coarse.usual = iterations;
    else if (iterations > sim->coarse.usual)
        sim->coarse.excess += iterations - sim->coarse.usual;
}

void prc_multilevel_apply(prc_sim *sim, enum prc_field in, enum prc_field out)
{
    const double start = prc_seconds();
    const prc_applied_levels *h = &sim->applied;
    const prc_backend *backend = sim->model.backend;
    const prc_view *v = &sim->view;
    const int last = h->level_count - 1;
    const void *from = v->field[in];
    for (int l = 0; l <= last; l++) {
        backend->sparse(v, &h->level[l].restriction, from, h->level[l].b, h->level[l].padded_count, false);
        from = h->level[l].b;
    }
    backend->dense(v, h->dense_inverse, h->dense_leading, &h->level[last]);
    for (int l = last - 1; l >= 0; l--) {
        const prc_level *level = &h->level[l];
        backend->level_smooth(v, level);
        backend->sparse(v, &h->level[l + 1].prolongation, h->level[l + 1].x, level->x, level->padded_count, true);
    }
    backend->level_finish(v, &h->level[0].prolongation, h->level[0].x, v->field[in], v->field[out]);
    sim->report.seconds_preconditioner += prc_seconds() - start;
}
