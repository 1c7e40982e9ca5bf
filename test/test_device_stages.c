/* test/test_device_stages.c — the backend of a device against the CPU: every stage, every operation of the table, and
 * the linear solver, in both precisions.
 *
 * On the host the device has to give the CPU's bits. Where there is a GPU it is held against the CPU as well, but its
 * logarithms and sums may round differently. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "typical_material.h"

#include "backend/device.h"
#include "base/memory.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/sim.h"

#include <stdlib.h>

#ifdef PRC_HAVE_DEVICE_ON_HOST

#define PRC_REAL_FLOAT 0 /* rows of contact are double; the rest of this header is not used */
#include "backend/rows.h"

#include "device_mirror.h"

/* ---- stages ---- */

/* What each argument of a stage is: r a REAL field, d a vector in double, - nothing. */
static const struct {
    enum prc_stage stage;
    const char *arguments;
    bool rings; /* uses bond_t as work space only */
} calls[] = {
    {PRC_STAGE_begin, "-----", false},
    {PRC_STAGE_thin, "-----", false},
    {PRC_STAGE_bonds_begin, "-----", false},
    {PRC_STAGE_rates_begin, "-----", true},
    {PRC_STAGE_air_begin, "-----", true},
    {PRC_STAGE_air, "-----", false},
    {PRC_STAGE_stress, "-----", true},
    {PRC_STAGE_elastic, "r----", false},
    {PRC_STAGE_gradient, "rr---", false},
    {PRC_STAGE_shorten, "rrr--", false},
    {PRC_STAGE_elastic_gradient, "rr---", false},
    {PRC_STAGE_product_bonds, "r----", false},
    {PRC_STAGE_product, "rr---", false},
    {PRC_STAGE_elastic_product, "rr---", false},
    {PRC_STAGE_diagonal_bonds, "-----", false},
    {PRC_STAGE_diagonal_sum, "-----", false},
    {PRC_STAGE_diagonal, "-----", false},
    {PRC_STAGE_laplacian, "rr---", false},
    {PRC_STAGE_precondition, "rr---", false},
    {PRC_STAGE_copy, "rr---", false},
    {PRC_STAGE_combine, "rrr--", false},
    {PRC_STAGE_cg_step, "-----", false},
    {PRC_STAGE_displace, "dr---", false},
    {PRC_STAGE_widen, "rd---", false},
    {PRC_STAGE_aim, "d----", false},
    {PRC_STAGE_pin_moves, "ddd--", false},
    {PRC_STAGE_move_squares, "d----", false},
    {PRC_STAGE_limit_moves, "d----", false},
    {PRC_STAGE_add_part, "dd---", false},
    {PRC_STAGE_combine_part, "rrr--", false},
    {PRC_STAGE_slopes, "rrddd", false},
    {PRC_STAGE_scale_moves, "d----", false},
    {PRC_STAGE_lengthen_move, "ddd--", false},
    {PRC_STAGE_lag, "dd---", false},
    {PRC_STAGE_clear, "d----", false},
    {PRC_STAGE_accept, "d----", false},
    {PRC_STAGE_census, "-----", false},
};
#define ELASTIC_CALL 7
#define CALL_COUNT ((int)(sizeof calls / sizeof calls[0]))

static const enum prc_field argument_field[PRC_VIEW_ARGUMENTS] = {
    PRC_FIELD_trial, PRC_FIELD_trial_gradient, PRC_FIELD_model_gradient, PRC_FIELD_direction_next, PRC_FIELD_product};

static void call(mirror *m, int k, bool linearise, enum prc_diagonal diagonal)
{
    prc_view *both[2] = {&m->sim->view, &m->view};
    for (int side = 0; side < 2; side++) {
        prc_view *v = both[side];
        v->linearise = linearise;
        v->want_stretch = 1;
        v->diagonal_kind = diagonal;
        const double numbers[PRC_VIEW_ARGUMENTS] = {0.01, 0.02, 0.03, 0};
        memcpy(v->number, numbers, sizeof numbers);
        for (int a = 0; a < PRC_VIEW_ARGUMENTS; a++) {
            const char type = calls[k].arguments[a];
            void *vector = side ? m->on_device[a] : (void *)m->vector[a];
            v->argument[a] = type == 'r' ? v->field[argument_field[a]] : type == 'd' ? vector : NULL;
        }
    }
    m->sim->model.host->run(&m->sim->view, calls[k].stage);
    m->backend->run(&m->view, calls[k].stage);
}

/* Rings that a device handles by versions of their own are there: pairs of blocks with six bonds each, rings of up to
 * eight, and larger ones. */
static bool has_all_ring_sizes(const prc_view *v)
{
    const int *row = v->field[PRC_FIELD_row_start];
    int pairs = 0, few = 0, many = 0;
    for (int b = 0; b < v->block_count; b++) {
        const int bonds = row[b + 1] - row[b];
        pairs += b % 2 == 1 && bonds == 6 && row[b] - row[b - 1] == 6;
        few += bonds < 6;
        many += bonds > 8;
    }
    return pairs > 0 && few > 0 && many > 0;
}

static void compare_stages(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_linearised(precision, 4, false);
    mirror m;
    CHECK(sim && has_all_ring_sizes(&sim->view) && mirror_create(&m, sim, kind));
    static const char *const names[] = {
#define PRC_STAGE(name, items, meaning) #name,
#include "kernel/stages.inl"
#undef PRC_STAGE
    };
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < CALL_COUNT; k++) {
            for (int a = 0; a < PRC_VIEW_ARGUMENTS; a++)
                fill_field(sim, argument_field[a], 0.004, (unsigned)(100 * k + a));
            sim->view.slot[PRC_SLOT_PART] = 0.4;
            sim->view.slot[PRC_SLOT_LONGEST] = 0.3;
            mirror_update(&m);
            call(&m, k, round == 0, round ? PRC_DIAGONAL_MAJORANT : PRC_DIAGONAL_EXACT);
            CHECK(mirror_agrees(&m, names[calls[k].stage], !calls[k].rings));
        }
    CHECK(m.backend->status(&m.view, NULL) == PRC_OK);
    mirror_destroy(&m);
}

/* Runs a comparison on every device there is. */
static void on_all_devices(void (*compare)(prc_backend_kind, prc_precision))
{
    prc_device_info info;
    compare(PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE);
    compare(PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_SINGLE);
    if (prc_device_find(PRC_BACKEND_CUDA, &info, NULL) == PRC_OK) {
        compare(PRC_BACKEND_CUDA, PRC_PRECISION_DOUBLE);
        compare(PRC_BACKEND_CUDA, PRC_PRECISION_SINGLE);
    }
}

TEST(every_stage_gives_on_a_device_what_it_gives_on_the_cpu)
{
    CHECK(CALL_COUNT == PRC_STAGE_COUNT);
    on_all_devices(compare_stages);
}

/* Where all materials have the same law a device has a kernel for it, and one of its own without tangent. */
static void compare_laws(prc_backend_kind kind, prc_precision precision)
{
    static const prc_material_model models[] = {PRC_MODEL_A3, PRC_MODEL_A3, PRC_MODEL_ORTHOTROPIC};
    static const struct {
        int first, count, common;
    } scenes[] = {{0, 2, PRC_LAW_A3}, {1, 2, -1}, {2, 1, PRC_LAW_ORTHOTROPIC}};
    for (int s = 0; s < 3; s++) {
        prc_sim *sim = make_sim_of(precision, 4, false, models + scenes[s].first, scenes[s].count);
        mirror m;
        CHECK(sim && sim->view.common_law == scenes[s].common);
        prc_step_begin(sim);
        fill_field(sim, PRC_FIELD_trial, 0.004, 5);
        CHECK(mirror_create(&m, sim, kind));
        for (int linearise = 0; linearise < 2; linearise++) {
            call(&m, ELASTIC_CALL, linearise, PRC_DIAGONAL_EXACT);
            CHECK(mirror_agrees(&m, "elastic of these laws", true));
        }
        mirror_destroy(&m);
    }
}

TEST(laws_act_on_a_device_as_on_the_cpu_alone_and_together)
{
    CHECK(calls[ELASTIC_CALL].stage == PRC_STAGE_elastic);
    on_all_devices(compare_laws);
}

/* ---- sums and copies ---- */

static void compare_sums(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_linearised(precision, 12, false);
    mirror m;
    CHECK(sim && mirror_create(&m, sim, kind));
    const prc_backend *host = sim->model.host, *b = m.backend;
    const prc_view *v = &m.view, *h = &sim->view;
    const enum prc_field g = PRC_FIELD_gradient, u = PRC_FIELD_u, w = PRC_FIELD_inverse_mass;
    const double scale = host->dot(h, h->field[g], h->field[g], NULL);
    CHECK_NEAR(b->dot(v, v->field[g], v->field[g], NULL), scale, 1e-12 * scale);
    const double weighted = host->dot(h, h->field[u], h->field[u], h->field[w]);
    CHECK_NEAR(b->dot(v, v->field[u], v->field[u], v->field[w]), weighted, 1e-12 * weighted);
    CHECK_NEAR(b->sum(v, v->field[PRC_FIELD_mass]), host->sum(h, h->field[PRC_FIELD_mass]), 1e-12);
    CHECK_NEAR(b->largest(v, v->field[u]), host->largest(h, h->field[u]), 0);
    double here[3], there[3];
    b->sum_to_slot(v, v->field[PRC_FIELD_energy], PRC_SLOT_FREE);
    b->sum_columns(v, m.on_device[0], 2, PRC_SLOT_FREE + 1);
    b->read(v, PRC_SLOT_FREE, 3, there);
    host->sum_to_slot(h, h->field[PRC_FIELD_energy], PRC_SLOT_FREE);
    host->sum_columns(h, m.vector[0], 2, PRC_SLOT_FREE + 1);
    host->read(h, PRC_SLOT_FREE, 3, here);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(there[k], here[k], 1e-11 * fmax(scale, 1));
    b->largest_columns(v, m.on_device[0], 3, PRC_SLOT_FREE);
    b->read(v, PRC_SLOT_FREE, 3, there);
    host->largest_columns(h, m.vector[0], 3, PRC_SLOT_FREE);
    host->read(h, PRC_SLOT_FREE, 3, here);
    CHECK(memcmp(here, there, sizeof here) == 0);
    const double bad[3] = {NAN, INFINITY, 1};
    b->put(v, m.on_device[0], bad, sizeof *bad);
    b->largest_columns(v, m.on_device[0], 1, PRC_SLOT_FREE);
    b->read(v, PRC_SLOT_FREE, 1, there);
    CHECK(isnan(there[0]));
    b->upload(v, v->field[u], bad, 3);
    CHECK(isnan(b->largest(v, v->field[u])));
    mirror_destroy(&m);
}

TEST(sums_and_largest_values_of_a_device_are_those_of_the_cpu)
{
    on_all_devices(compare_sums);
}

static void compare_copies(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_sim(precision, 12, false);
    mirror m;
    CHECK(sim && mirror_create(&m, sim, kind));
    const int n = m.view.padded_count, count = 3 * n; /* more than is converted at a time */
    double *back = PRC_NEW(double, count), *values = PRC_NEW(double, count);
    int *index = PRC_NEW(int, n);
    CHECK(back && values && index && count > 8192);
    for (int k = 0; k < count; k++)
        values[k] = precision == PRC_PRECISION_SINGLE ? (double)(float)m.vector[0][k] : m.vector[0][k];
    m.backend->upload(&m.view, m.view.field[PRC_FIELD_trial], m.vector[0], (size_t)count);
    m.backend->download(&m.view, back, m.view.field[PRC_FIELD_trial], (size_t)count);
    CHECK(memcmp(back, values, sizeof *back * (size_t)count) == 0);
    for (int k = 0; k < n; k++)
        index[k] = n - 1 - k;
    m.backend->put_some(&m.view, m.on_device[1], index, values, n - 2); /* not to vertices 0 and 1 */
    m.backend->copy(&m.view, m.on_device[2], m.on_device[1], vector_size(&m));
    m.backend->get(&m.view, back, m.on_device[2], vector_size(&m));
    for (int k = 0; k < n; k++)
        for (int c = 0; c < 3; c++)
            CHECK(back[c * n + index[k]] == (k < n - 2 ? values[3 * k + c] : m.vector[1][c * n + index[k]]));
    prc_free(back);
    prc_free(values);
    prc_free(index);
    mirror_destroy(&m);
}

TEST(what_is_put_on_a_device_comes_back)
{
    on_all_devices(compare_copies);
}

/* ---- rows of contact ---- */

#include "device_rows.h"

/* What a device does at once is what the CPU does one after the other. */
static void compare_joined(mirror *m, prc_sim *sim, const contacts *c)
{
    const prc_backend *host = sim->model.host, *b = m->backend;
    prc_view *h = &sim->view;
    h->argument[0] = h->field[PRC_FIELD_u];
    h->argument[1] = h->field[PRC_FIELD_model_gradient];
    host->run(h, PRC_STAGE_gradient);
    host->contact_gradient(h, &c->set, h->field[PRC_FIELD_model_gradient], h->field[PRC_FIELD_gradient]);
    b->gradient_with_contact(&m->view, &c->mirror, m->view.field[PRC_FIELD_u], m->view.field[PRC_FIELD_model_gradient],
                             m->view.field[PRC_FIELD_gradient]);
    m->exact = false;
    CHECK(mirror_agrees(m, "gradient_with_contact", true));
}

static void compare_contacts(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_linearised(precision, 4, false);
    mirror m;
    contacts c;
    CHECK(sim && mirror_create(&m, sim, kind) && make_contacts(&c, &m, 60));
    const prc_backend *host = sim->model.host, *b = m.backend;
    const enum prc_field g = PRC_FIELD_gradient, u = PRC_FIELD_u, q = PRC_FIELD_product;
    host->contact_gradient(&sim->view, &c.set, sim->view.field[g], sim->view.field[g]);
    b->contact_gradient(&m.view, &c.mirror, m.view.field[g], m.view.field[g]);
    const bool exact = m.exact;
    m.exact = false; /* forces are summed up in another order */
    CHECK(mirror_agrees(&m, "contact_gradient", true));
    mirror_update(&m);
    m.exact = exact;
    host->contact_product(&sim->view, &c.set, sim->view.field[u], sim->view.field[q]);
    b->contact_product(&m.view, &c.mirror, m.view.field[u], m.view.field[q]);
    CHECK(mirror_agrees(&m, "contact_product", true));
    for (int d = 0; d < 2; d++) {
        sim->view.diagonal_kind = m.view.diagonal_kind = d;
        host->contact_inverse(&sim->view, &c.set);
        b->contact_inverse(&m.view, &c.mirror);
        CHECK(mirror_agrees(&m, "contact_inverse", true));
        host->contact_diagonal(&sim->view, &c.set);
        b->contact_diagonal(&m.view, &c.mirror);
        CHECK(mirror_agrees(&m, "contact_diagonal", true));
    }
    compare_joined(&m, sim, &c);
    release_contacts(&c, &m);
    mirror_destroy(&m);
}

TEST(contacts_push_on_a_device_as_on_the_cpu)
{
    on_all_devices(compare_contacts);
}

/* ---- the linear solver ---- */

#include "device_levels.h"

/* z = M^-1 r of the sim on both sides, by the operations of the table. */
static void apply_levels(mirror *m, prc_level *levels, const void *inverse)
{
    const prc_applied_levels *h = &m->sim->applied;
    const prc_backend *b = m->backend;
    const prc_view *v = &m->view;
    const int last = h->level_count - 1;
    const void *from = v->field[PRC_FIELD_residual];
    for (int l = 0; l <= last; l++) {
        b->sparse(v, &levels[l].restriction, from, levels[l].b, levels[l].padded_count, false);
        from = levels[l].b;
    }
    b->dense(v, inverse, h->dense_leading, &levels[last]);
    for (int l = last - 1; l >= 0; l--) {
        b->level_smooth(v, &levels[l]);
        b->sparse(v, &levels[l + 1].prolongation, levels[l + 1].x, levels[l].x, levels[l].padded_count, true);
    }
    b->level_finish(v, &levels[0].prolongation, levels[0].x, v->field[PRC_FIELD_residual],
                    v->field[PRC_FIELD_preconditioned]);
    prc_multilevel_apply(m->sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
}

static void compare_levels(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_linearised(precision, 16, true);
    prc_level levels[PRC_LEVELS] = {0};
    mirror m;
    CHECK(sim && sim->applied.level_count > 1);
    fill_field(sim, PRC_FIELD_residual, 1, 9);
    CHECK(mirror_create(&m, sim, kind));
    levels_copy(&m, levels);
    void *inverse = dense_copy(&m);
    apply_levels(&m, levels, inverse);
    CHECK(mirror_agrees(&m, "the coarse levels", true));
    levels_release(&m, levels);
    m.backend->release(&m.view, inverse);
    mirror_destroy(&m);
}

TEST(coarse_levels_correct_on_a_device_as_on_the_cpu)
{
    on_all_devices(compare_levels);
}

/* The numbers that the linear solver has of a ring's bonds, in their units, against what they stand for. */
static void compare_thin(prc_backend_kind kind, prc_precision precision)
{
    if (precision != PRC_PRECISION_SINGLE)
        return;
    prc_sim *sim = make_linearised(precision, 6, false);
    mirror m;
    CHECK(sim && mirror_create(&m, sim, kind));
    const size_t bonds = (size_t)m.view.bond_count, padded = (size_t)m.view.padded_count;
    unsigned *thin = PRC_NEW(unsigned, 4 * bonds);
    float *unit = PRC_NEW(float, 3 * padded);
    m.backend->get(&m.view, thin, m.view.field[PRC_FIELD_bond_thin], 16 * bonds);
    m.backend->get(&m.view, unit, m.view.field[PRC_FIELD_thin_unit], 12 * padded);
    const int *row_start = sim->view.field[PRC_FIELD_row_start];
    static const struct {
        enum prc_field field;
        int components, word;
    } parts[3] = {{PRC_FIELD_bond_f, 2, 0}, {PRC_FIELD_bond_x, 2, 1}, {PRC_FIELD_bond_k, 3, 2}};
    double worst = 0;
    long largest = 0;
    for (size_t b = 0; b < padded / PRC_BLOCK; b++)
        for (size_t e = (size_t)row_start[b] * PRC_BLOCK; e < (size_t)row_start[b + 1] * PRC_BLOCK; e++)
            for (int p = 0; p < 3; p++)
                for (int c = 0; c < parts[p].components; c++) {
                    const unsigned word = thin[4 * e + (size_t)(parts[p].word + c / 2)];
                    const long number = (long)(c % 2 ? word >> 16 : word & 0xffff) - 32768;
                    const double of = unit[(size_t)p * padded + b * PRC_BLOCK + e % PRC_BLOCK];
                    const double is = ((const float *)sim->view.field[parts[p].field])[(size_t)c * bonds + e];
                    worst = fmax(worst, fabs((double)number * of - is) / fmax(of, 1e-30));
                    largest = labs(number) > largest ? labs(number) : largest;
                }
    CHECK(worst < 0.51); /* units */
    CHECK(largest == 32767);
    prc_free(thin);
    prc_free(unit);
    mirror_destroy(&m);
}

TEST(bonds_of_the_linear_solver_are_right_to_16_bits)
{
    on_all_devices(compare_thin);
}

static void compare_solve(prc_backend_kind kind, prc_precision precision, bool multilevel, int rows, double accuracy,
                          int phases)
{
    prc_sim *sim = make_linearised(precision, multilevel ? 16 : 6, multilevel);
    prc_level levels[PRC_LEVELS] = {0};
    mirror m;
    contacts c;
    CHECK(sim && mirror_create(&m, sim, kind) && make_contacts(&c, &m, rows > 0 ? rows : 1));
    if (rows > 0)
        sim->contact.active = c.set;
    fill_field(sim, PRC_FIELD_model_gradient, 1, 11);
    fill_field(sim, PRC_FIELD_product, 1, 12);
    const double part = 0.7;
    m.backend->put(&m.view, m.view.slot + PRC_SLOT_PART, &part, sizeof part);
    sim->view.slot[PRC_SLOT_PART] = part;
    mirror_update(&m);
    levels_copy(&m, levels);
    void *inverse = dense_copy(&m);
    const bool renew = rows > 100; /* the gradient is to be made */
    const enum prc_field gradient = renew ? PRC_FIELD_trial_gradient : PRC_FIELD_gradient;
    prc_linear_job job = {.gradient = m.view.field[gradient],
                          .renew = renew,
                          .goes_on = renew,
                          .accuracy = accuracy,
                          .most = sim->def.solver.max_inner,
                          .step = m.on_device[0],
                          .rows = {rows > 0 ? &c.mirror : NULL, NULL},
                          .level = levels,
                          .level_count = sim->applied.level_count,
                          .dense_inverse = inverse,
                          .dense_leading = sim->applied.dense_leading,
                          .phases = phases};
    m.backend->solve_linear(&m.view, &job);
    prc_solve_linear(sim, gradient, multilevel, accuracy, 0, m.vector[0],
                     renew ? PRC_GRADIENT_AFTER_PART : PRC_GRADIENT_THERE);
    double here[4], there[4];
    sim->model.host->read(&sim->view, PRC_SLOT_DECREASE, 4, here);
    m.backend->read(&m.view, PRC_SLOT_DECREASE, 4, there);
    const bool single = precision == PRC_PRECISION_SINGLE;
    CHECK(here[1] > 3 && here[1] < sim->def.solver.max_inner);
    CHECK_NEAR(there[1], here[1], single ? 1 : 0);
    CHECK_NEAR(there[0], here[0], (single ? 1e-4 : 1e-10) * here[0]);
    /* Phase by phase bonds are rounded to 16 bits in single precision, which many iterations amplify. */
    const double apart = !single ? 1e-9 + accuracy : phases > 0 ? fmax(3e-3, accuracy) : 3e-3;
    m.exact = false;
    const enum prc_field compared[2] = {PRC_FIELD_correction, PRC_FIELD_product};
    for (int k = 0; k < 2; k++)
        CHECK(difference(&m, sim->view.field[compared[k]], m.view.field[compared[k]],
                         3 * m.backend->real_size * (size_t)m.view.padded_count, single) < apart);
    CHECK(difference(&m, m.vector[0], m.on_device[0], vector_size(&m), false) < apart);
    for (int k = 2; k < 4; k++) /* slopes of the contact model */
        CHECK_NEAR(there[k], here[k], (single ? 1e-3 : 1e-8) * fmax(fabs(here[k]), here[0]));
    memset(&sim->contact.active, 0, sizeof sim->contact.active);
    levels_release(&m, levels);
    m.backend->release(&m.view, inverse);
    release_contacts(&c, &m);
    mirror_destroy(&m);
}

static void compare_solves(prc_backend_kind kind, prc_precision precision, bool multilevel, int rows, double accuracy)
{
    compare_solve(kind, precision, multilevel, rows, accuracy, -1);
    compare_solve(kind, precision, multilevel, rows, accuracy, 1);
}

static void compare_plain_solves(prc_backend_kind kind, prc_precision precision)
{
    compare_solves(kind, precision, false, 0, 1e-2);
    compare_solves(kind, precision, false, 0, precision == PRC_PRECISION_SINGLE ? 1e-4 : 1e-8);
}

static void compare_solves_with_rows(prc_backend_kind kind, prc_precision precision)
{
    compare_solves(kind, precision, false, 80, 1e-3);
    compare_solves(kind, precision, false, 1500, 1e-2); /* more rows at a vertex than are looked at together */
}

static void compare_solves_with_levels(prc_backend_kind kind, prc_precision precision)
{
    compare_solves(kind, precision, true, 0, 1e-3);
    compare_solves(kind, precision, true, 50, 3e-2); /* the levels do not know rows: more iterations amplify rounding */
}

TEST(a_device_solves_linear_systems_in_as_many_iterations_as_the_host)
{
    on_all_devices(compare_plain_solves);
}

TEST(a_device_solves_linear_systems_with_contacts)
{
    on_all_devices(compare_solves_with_rows);
}

TEST(a_device_solves_linear_systems_with_coarse_levels)
{
    on_all_devices(compare_solves_with_levels);
}

#define IN_VAIN 12 /* launches of a solve of no iteration at most: start, end, and what the host is ahead */

/* A gradient of zero needs no iteration, one without a number in it ends at once, and so does a form that is not
 * positive.
 */
static void compare_empty_solves(prc_backend_kind kind, prc_precision precision)
{
    prc_sim *sim = make_linearised(precision, 4, false);
    mirror m;
    CHECK(sim && mirror_create(&m, sim, kind));
    for (int way = 0; way < 6; way++) {
        const int k = way / 2, phases = way % 2 ? 1 : -1;
        fill_field(sim, PRC_FIELD_gradient, k == 0 ? 0 : k == 1 ? NAN : 1, 1);
        for (int i = 0; i < sim->view.padded_count; i++)
            sim->work.columns[i] = -1e12;
        if (k == 2)
            sim->model.host->upload(&sim->view, sim->view.field[PRC_FIELD_weight], sim->work.columns,
                                    (size_t)sim->view.padded_count);
        mirror_update(&m);
        prc_linear_job job = {
            .gradient = m.view.field[PRC_FIELD_gradient], .accuracy = 1e-3, .most = 50, .phases = phases};
        const long before = prc_device_count(m.device).launches;
        m.backend->solve_linear(&m.view, &job);
        CHECK(prc_device_count(m.device).launches <= before + IN_VAIN);
        double found[2];
        m.backend->read(&m.view, PRC_SLOT_DECREASE, 2, found);
        CHECK(k == 1 ? isnan(found[0]) : found[0] == 0);
        CHECK(found[1] == 0);
    }
    mirror_destroy(&m);
}

TEST(nothing_to_solve_takes_no_iteration_on_a_device)
{
    on_all_devices(compare_empty_solves);
}

#else

TEST(every_stage_gives_on_a_device_what_it_gives_on_the_cpu)
{
    SKIP("the library was built without the device on the host");
}

#endif

TEST_MAIN()
