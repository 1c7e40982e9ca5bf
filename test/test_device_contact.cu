/* test/test_device_contact.cu — the contact set of a device does what the CPU's does, operation by operation: lists in
 * the same order, entries with the same bits. Compiled for the device on the host, and for a GPU where there is nvcc,
 * whose logarithm may round differently: what a barrier enters has a tolerance there.
 * SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the headers of the CPU's contact set include */

#include "backend/cuda/contact.h"

#include "harness.h"
#include "step/sim.h"

#include <stdlib.h>

#ifdef PRC_DEVICE_ON_HOST
#define KIND PRC_BACKEND_DEVICE_ON_HOST
#define TABLE prc_contact_on_host
#define ROUNDING 0.0
#else
#define KIND PRC_BACKEND_CUDA
#define TABLE prc_contact_cuda
#define ROUNDING 1e-10
#endif

/* Three sheets and two solids on a CPU, pressed together by some steps; and the contact set once more, on a device. */
struct twin {
    prc_mesh mesh[3];
    prc_body_def body[3];
    prc_collider_def collider[2];
    prc_sim_def def;
    prc_sim *sim;
    prc_contact_set *cpu, device; /* the second shares what it does not change on the host */
    prc_device *d;
    size_t numbers;                      /* of a vector */
    double *y, *p, *out;                 /* on the host */
    prc_buffer<double> dy, dx, dp, dout; /* the same on the device; dx: start of the step */
    double *x;
    prc_error error;
};

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

static void lay_out(twin *t, int friction_lag)
{
    const double up[3] = {0, 1, 0}, across[3] = {1, 0, 0}, nowhere[3] = {0, 0, 0};
    t->def = prc_sim_def_default();
    t->def.precision = PRC_PRECISION_DOUBLE;
    t->def.threads = 1;
    t->def.time.step = 4e-3;
    t->def.contact.enabled = true;
    t->def.contact.thickness = 3e-3;
    t->def.contact.friction = 0.3;
    t->def.contact.friction_lag = friction_lag;
    t->def.bodies = t->body;
    t->def.colliders = t->collider;
    t->def.body_count = 3;
    t->def.collider_count = 2;
    for (int b = 0; b < 3; b++) {
        t->body[b] = prc_body_def_default();
        t->body[b].mesh = &t->mesh[b];
        t->body[b].friction = 0.1 * (b + 1);
        prc_grid_def grid = prc_grid_def_default();
        grid.size[0] = grid.size[1] = 0.3;
        grid.cells[0] = grid.cells[1] = b == 1 ? 18 : 8; /* the middle one is finer than its thickness: scaled */
        const double place[3] = {0.004 * b, 0.0055 + 0.005 * b, 0.007 * b};
        prc_mesh_grid(&t->mesh[b], &grid, &t->error);
        prc_mesh_transform(&t->mesh[b], across, -90, 1, nowhere);
        prc_mesh_transform(&t->mesh[b], up, 17 * b, 1, place);
    }
    t->collider[0] = prc_collider_def_default();
    t->collider[0].shape = PRC_SHAPE_PLANE;
    t->collider[1] = prc_collider_def_default();
    t->collider[1].shape = PRC_SHAPE_SPHERE;
    t->collider[1].radius = 0.05;
    t->collider[1].center[1] = -0.047;
    t->collider[1].motion.velocity[1] = 0.02;
}

static double *copy_of(const double *from, size_t count)
{
    double *copy = (double *)malloc(count * sizeof *copy);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Some steps on the CPU, then a random displacement of the last of them as the step in progress. */
static bool press(twin *t)
{
    t->sim = prc_sim_create(&t->def, &t->error);
    for (int k = 0; t->sim && k < 14; k++)
        if (prc_sim_step(t->sim, NULL, &t->error) != PRC_OK)
            return false;
    if (!t->sim)
        return false;
    t->cpu = &t->sim->contact;
    t->numbers = 3 * (size_t)t->cpu->stride;
    t->y = copy_of((const double *)t->sim->view.field[PRC_FIELD_position], t->numbers);
    t->x = copy_of(t->y, t->numbers);
    t->p = copy_of(t->y, t->numbers);
    t->out = copy_of(t->y, t->numbers);
    unsigned seed = 9;
    for (size_t k = 0; k < t->numbers; k++) {
        t->x[k] += 1e-4 * noise(&seed);
        t->p[k] = 0;
    }
    return true;
}

static bool adopt(twin *t)
{
    prc_device_info info;
    if (prc_device_find(KIND, &info, &t->error) != PRC_OK)
        return false;
    t->d = (prc_device *)prc_device_create(KIND, &t->error);
    if (!t->d)
        return false;
    t->device = *t->cpu;
    const size_t n = (size_t)t->cpu->stride, solids = (size_t)t->cpu->solid_count;
    t->device.adapted = copy_of(t->cpu->adapted, n);
    t->device.pressure = copy_of(t->cpu->pressure, n);
    t->device.gap = copy_of(t->cpu->gap, n);
    t->device.solid_done = copy_of(t->cpu->solid_done, solids);
    t->device.solids = (prc_solid *)malloc(solids * sizeof(prc_solid));
    memcpy(t->device.solids, t->cpu->solids, solids * sizeof(prc_solid));
    return prc_reserve(t->d, &t->dy, t->numbers) && prc_reserve(t->d, &t->dx, t->numbers) &&
           prc_reserve(t->d, &t->dp, t->numbers) && prc_reserve(t->d, &t->dout, t->numbers) &&
           TABLE.create(&t->device, t->d, &t->error) == PRC_OK;
}

static twin *make(int friction_lag)
{
    twin *t = (twin *)calloc(1, sizeof *t);
    lay_out(t, friction_lag);
    if (!press(t) || !adopt(t))
        printf("    %s\n", t->error.message);
    return t;
}

static void discard(twin *t)
{
    if (t->d) {
        TABLE.destroy(&t->device);
        prc_release(t->d, &t->dy);
        prc_release(t->d, &t->dx);
        prc_release(t->d, &t->dp);
        prc_release(t->d, &t->dout);
        prc_device_destroy(t->d);
        free(t->device.adapted);
        free(t->device.pressure);
        free(t->device.gap);
        free(t->device.solid_done);
        free(t->device.solids);
    }
    prc_sim_destroy(t->sim);
    for (int b = 0; b < 3; b++)
        prc_mesh_release(&t->mesh[b]);
    free(t->y);
    free(t->x);
    free(t->p);
    free(t->out);
    free(t);
}

#define TWIN(t, friction_lag)                                                                                          \
    prc_device_info t##_info;                                                                                          \
    prc_error t##_error;                                                                                               \
    if (prc_device_find(KIND, &t##_info, &t##_error))                                                                  \
        SKIP(t##_error.message);                                                                                       \
    twin *t = make(friction_lag);                                                                                      \
    CHECK(t->device.device)

/* The vectors of the host, to the device. */
static void send(twin *t)
{
    prc_copy_in(t->d, t->dy.data, t->y, t->numbers * sizeof(double));
    prc_copy_in(t->d, t->dx.data, t->x, t->numbers * sizeof(double));
    prc_copy_in(t->d, t->dp.data, t->p, t->numbers * sizeof(double));
}

/* Every vertex by up to `size` in each direction. */
static void shake(twin *t, double *vector, double size, unsigned seed)
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < t->cpu->model->vertex_count; i++)
            vector[(size_t)c * (size_t)t->cpu->stride + (size_t)i] += size * noise(&seed);
}

static bool detect(twin *t, bool with_move)
{
    send(t);
    return prc_contact_detect(t->cpu, t->y, with_move ? t->p : NULL, &t->error) == PRC_OK &&
           prc_contact_detect(&t->device, t->dy.data, with_move ? t->dp.data : NULL, &t->error) == PRC_OK;
}

static void forces(twin *t)
{
    prc_contact_forces(t->cpu, t->y, t->x, 4e-3);
    prc_contact_forces(&t->device, t->dy.data, t->dx.data, 4e-3);
}

/* --- comparing --- */

static bool near(double a, double b, double scale)
{
    return a == b || fabs(a - b) <= ROUNDING * scale;
}

static bool same_vectors(const double *a, const double *b, int count)
{
    double scale = 0;
    for (int k = 0; k < count; k++)
        scale = fmax(scale, fabs(b[k]));
    for (int k = 0; k < count; k++)
        if (!near(a[k], b[k], scale))
            return false;
    return true;
}

static bool same_contact(const prc_contact *a, const prc_contact *b)
{
    return memcmp(a->v, b->v, sizeof a->v) == 0 && a->count == b->count && a->side_a == b->side_a &&
           a->solid == b->solid && a->xi == b->xi && a->xi_hard == b->xi_hard && a->d_hat == b->d_hat &&
           a->kappa == b->kappa && a->friction == b->friction && a->exact == b->exact && a->has_plane == b->has_plane &&
           near(a->distance, b->distance, 1) && near(a->share, b->share, 1) && near(a->sep, b->sep, 1) &&
           same_vectors(a->w, b->w, 4) && same_vectors(a->n, b->n, 3) && same_vectors(a->margin, b->margin, 4);
}

/* A copy on the host of `count` items on the device. */
template <class T> static T *fetched(twin *t, const T *from, int count)
{
    T *copy = (T *)calloc((size_t)count + 1, sizeof(T));
    if (count > 0)
        prc_copy_out(t->d, copy, from, (size_t)count * sizeof(T));
    return copy;
}

/* Entry of the first contact that differs; −1 for none, −2 where their number does. */
static int differing_contact(twin *t)
{
    if (t->device.contact_count != t->cpu->contact_count || t->device.pair_count != t->cpu->pair_count)
        return -2;
    prc_contact *contacts = (prc_contact *)calloc((size_t)t->cpu->contact_count + 1, sizeof *contacts);
    int differs = prc_device_contacts_fetch(&t->device, contacts) ? -1 : -3;
    for (int k = t->cpu->contact_count - 1; k >= 0; k--)
        if (!same_contact(&contacts[k], &t->cpu->contacts[k]))
            differs = k;
    free(contacts);
    return differs;
}

static bool same_index(twin *t)
{
    const prc_device_contacts *c = prc_device_contacts_of(&t->device);
    const int n = t->cpu->model->vertex_count, entries = t->cpu->of_start[n];
    int *start = fetched(t, c->of_contacts.start.data, n + 1), *of = fetched(t, c->of_contacts.of.data, entries);
    const bool same = memcmp(start, t->cpu->of_start, sizeof(int) * ((size_t)n + 1)) == 0 &&
                      memcmp(of, t->cpu->of, sizeof(int) * (size_t)entries) == 0;
    free(start);
    free(of);
    return same;
}

static bool same_row(const double *number, long stride, const int *v, int r, const prc_active *a)
{
    double got[PRC_ROW_NUMBERS], stiffness = fabs(a->k_n) + fabs(a->k_t) + fabs(a->k_u);
    for (int k = 0; k < PRC_ROW_NUMBERS; k++)
        got[k] = number[(long)k * stride + r];
    for (int p = 0; p < 4; p++)
        if (v[4 * r + p] != a->v[p < a->count ? p : 0] || (p >= a->count && got[PRC_ROW_W + p] != 0))
            return false;
    return same_vectors(got + PRC_ROW_W, a->w, a->count) && same_vectors(got + PRC_ROW_N, a->n, 3) &&
           same_vectors(got + PRC_ROW_U, a->u, 3) && same_vectors(got + PRC_ROW_F, a->f, 3) &&
           near(got[PRC_ROW_KN], a->k_n, stiffness) && near(got[PRC_ROW_KT], a->k_t, stiffness) &&
           near(got[PRC_ROW_KU], a->k_u, stiffness);
}

/* The same for rows; −3 where the list of a vertex differs. */
static int differing_row(twin *t)
{
    const prc_device_rows *rows = &prc_device_contacts_of(&t->device)->rows;
    const prc_active_set *active = &t->cpu->active;
    if (prc_contact_active_count(&t->device) != active->count || rows->most < active->count)
        return -2;
    const int n = t->cpu->model->vertex_count, most = rows->most;
    double *number = fetched(t, rows->number, (int)(PRC_ROW_NUMBERS * rows->stride));
    int *v = fetched(t, rows->v, 4 * most), *first = fetched(t, rows->first, n), *after = fetched(t, rows->after, n),
        *of = fetched(t, rows->of, 4 * most), differs = -1;
    for (int r = active->count - 1; r >= 0; r--)
        if (!same_row(number, rows->stride, v, r, &active->rows[r]))
            differs = r;
    for (int i = 0; i < n && differs == -1; i++) {
        const int count = active->of_start[i + 1] - active->of_start[i];
        if (after[i] - first[i] != count ||
            memcmp(of + first[i], active->of + active->of_start[i], sizeof(int) * (size_t)count) != 0)
            differs = -3;
    }
    free(number);
    free(v);
    free(first);
    free(after);
    free(of);
    return differs;
}

/* --- claims --- */

TEST(contacts_of_a_device_are_those_of_the_cpu_entry_for_entry)
{
    TWIN(t, 0);
    for (int k = 0; k < 4; k++) {
        CHECK(detect(t, k % 2));
        CHECK(t->cpu->pair_count > 500 && t->cpu->contact_count > t->cpu->pair_count + 50);
        CHECK(differing_contact(t) == -1);
        CHECK(same_index(t));
        shake(t, t->y, 1e-4, 3 + (unsigned)k);
        shake(t, t->p, 3e-4, 30 + (unsigned)k);
    }
    printf("    %d contacts, %d of them pairs\n", t->cpu->contact_count, t->cpu->pair_count);
    CHECK(t->device.detections == t->cpu->detections);
    discard(t);
}

TEST(exempt_pairs_and_solids_are_no_contacts_on_a_device)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    const int before = t->cpu->contact_count, pairs = t->cpu->pair_count;
    for (int k = 0; k < before; k += 7) {
        const prc_contact *c = &t->cpu->contacts[k];
        CHECK(c->solid >= 0 ? prc_exempt_add_solid(&t->cpu->exempt, c->v[0], c->solid)
                            : prc_exempt_add(&t->cpu->exempt, c->v, c->side_a));
    }
    t->device.exempt = t->cpu->exempt;
    CHECK(detect(t, false));
    CHECK(t->cpu->pair_count < pairs && t->cpu->contact_count - t->cpu->pair_count < before - pairs);
    CHECK(differing_contact(t) == -1 && same_index(t));
    discard(t);
}

TEST(geometry_of_a_device_is_that_of_the_cpu_also_where_old_planes_still_divide)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    int planes = 0;
    for (int k = 0; k < 3; k++) {
        shake(t, t->y, 2e-4, 5 + (unsigned)k);
        send(t);
        prc_contact_geometry(t->cpu, t->y);
        prc_contact_geometry(&t->device, t->dy.data);
        for (int c = 0; c < t->cpu->contact_count; c++)
            planes += !t->cpu->contacts[c].exact;
        CHECK(differing_contact(t) == -1);
    }
    CHECK(planes > 100);
    discard(t);
}

TEST(forces_of_a_device_are_those_of_the_cpu_row_by_row)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    forces(t);
    CHECK(t->cpu->active.count > 200 && t->cpu->active.count < t->cpu->contact_count);
    CHECK(differing_row(t) == -1);
    discard(t);
}

/* Aims along p, searches from slot values, takes the part. */
static bool follow_model(twin *t, double slope, double curvature, double found[2])
{
    double slot[PRC_SLOT_COUNT] = {0}, got[PRC_SLOT_COUNT] = {0};
    double *none = (double *)calloc(t->numbers, sizeof *none);
    prc_buffer<double> device_slot = {NULL, 0};
    if (!prc_reserve(t->d, &device_slot, PRC_SLOT_COUNT))
        return false;
    slot[PRC_SLOT_SLOPE] = slope;
    slot[PRC_SLOT_CURVATURE] = curvature;
    prc_copy_in(t->d, device_slot.data, slot, sizeof slot);
    prc_copy_in(t->d, t->dout.data, none, t->numbers * sizeof *none);
    prc_contact_search(t->cpu, t->y, t->x, none, t->p, slot);
    prc_contact_search(&t->device, t->dy.data, t->dx.data, t->dout.data, t->dp.data, device_slot.data);
    prc_copy_out(t->d, got, device_slot.data, sizeof got);
    prc_contact_shift(t->cpu, slot);
    prc_contact_shift(&t->device, device_slot.data);
    prc_release(t->d, &device_slot);
    free(none);
    found[0] = slot[PRC_SLOT_PART];
    found[1] = slot[PRC_SLOT_SURPRISE];
    return near(got[PRC_SLOT_PART], found[0], 1) && near(got[PRC_SLOT_SURPRISE], found[1], found[1]);
}

TEST(the_model_of_a_device_finds_the_part_that_the_cpu_finds_and_the_rows_there)
{
    TWIN(t, 0);
    double found[2];
    int short_of_all = 0;
    for (int k = 0; k < 6; k++) {
        prc_device_contacts_of(&t->device)->many = k % 2 ? 1 : PRC_MANY_CONTACTS;
        shake(t, t->p, 1e-4 * (k + 1), 77 + (unsigned)k);
        CHECK(detect(t, true));
        forces(t);
        CHECK(follow_model(t, -1e-5 * pow(100, k), 1e-6, found));
        short_of_all += found[0] < 1;
        CHECK(differing_contact(t) == -1 && differing_row(t) == -1);
    }
    CHECK(short_of_all > 0 && short_of_all < 6);
    discard(t);
}

TEST(friction_frozen_on_a_device_is_that_of_the_cpu_and_outlives_a_detection)
{
    TWIN(t, 2);
    CHECK(detect(t, false));
    CHECK(prc_contact_freeze_friction(t->cpu, &t->error) == PRC_OK);
    CHECK(prc_contact_freeze_friction(&t->device, &t->error) == PRC_OK);
    CHECK(t->cpu->lagged_count > 100 && t->device.lagged_count == t->cpu->lagged_count);
    double found[2];
    for (int k = 0; k < 2; k++) {
        forces(t);
        CHECK(differing_row(t) == -1);
        shake(t, t->p, 2e-4, 8);
        CHECK(detect(t, true));
        forces(t);
        CHECK(differing_row(t) == -1);
        CHECK(follow_model(t, -1, 1, found));
        CHECK(differing_row(t) == -1);
        CHECK(prc_contact_freeze_friction(t->cpu, &t->error) == PRC_OK);
        CHECK(prc_contact_freeze_friction(&t->device, &t->error) == PRC_OK);
        CHECK(t->device.lagged_count == t->cpu->lagged_count);
    }
    discard(t);
}

TEST(moves_on_a_device_are_certified_and_cut_as_on_the_cpu)
{
    TWIN(t, 0);
    int cut = 0, uncut = 0, left = 0;
    double *out = (double *)calloc(t->numbers, sizeof *out);
    for (int j = 0; j < 18; j++) {
        const int k = j % 9;
        prc_device_contacts_of(&t->device)->many = j > k ? 1 : PRC_MANY_CONTACTS;
        memset(t->p, 0, t->numbers * sizeof *t->p);
        shake(t, t->p, k == 8 ? 1e-2 : 1e-6 * pow(10, k % 4) * (k < 4 ? 1 : 5), 50 + (unsigned)k);
        CHECK(detect(t, k % 2));
        const int expected = prc_contact_move_inside(t->cpu, t->y, t->p, t->out);
        CHECK(prc_contact_move_inside(&t->device, t->dy.data, t->dp.data, t->dout.data) == expected);
        left += expected < 0;
        if (expected < 0)
            continue;
        prc_copy_out(t->d, out, t->dout.data, t->numbers * sizeof *out);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < t->cpu->model->vertex_count; i++) {
                const size_t at = (size_t)c * (size_t)t->cpu->stride + (size_t)i;
                CHECK(out[at] == t->out[at]);
            }
        cut += expected;
        uncut += expected == 0;
    }
    CHECK(cut > 100 && uncut > 0 && left > 0);
    CHECK(t->device.cuts == t->cpu->cuts);
    free(out);
    discard(t);
}

TEST(a_device_predicts_and_detects_where_that_ends_as_the_cpu_does)
{
    TWIN(t, 0);
    double *out = (double *)calloc(t->numbers, sizeof *out);
    for (int s = 0; s < 2; s++) {
        prc_solid_aim(&t->cpu->solids[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        prc_solid_aim(&t->device.solids[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        t->cpu->solid_done[s] = t->device.solid_done[s] = 0;
    }
    for (int k = 0; k < 3; k++) {
        shake(t, t->p, 2e-4 * pow(8, k), 4 + (unsigned)k);
        send(t);
        CHECK(prc_contact_predict(t->cpu, t->y, t->p, t->out, &t->error) == PRC_OK);
        CHECK(prc_contact_predict(&t->device, t->dy.data, t->dp.data, t->dout.data, &t->error) == PRC_OK);
        prc_copy_out(t->d, out, t->dout.data, t->numbers * sizeof *out);
        for (int i = 0; i < t->cpu->model->vertex_count; i++)
            CHECK(out[i] == t->out[i]);
        CHECK(prc_contact_move_solids(t->cpu, t->out) == prc_contact_move_solids(&t->device, t->dout.data));
        CHECK(t->cpu->solid_done[1] == t->device.solid_done[1]);
        CHECK(t->cpu->found_ahead && t->device.found_ahead);
        CHECK(prc_contact_detect(t->cpu, t->out, NULL, &t->error) == PRC_OK);
        CHECK(prc_contact_detect(&t->device, t->dout.data, NULL, &t->error) == PRC_OK);
        CHECK(differing_contact(t) == -1 && same_index(t));
        CHECK(t->device.detections == t->cpu->detections);
    }
    free(out);
    discard(t);
}

TEST(pressures_gaps_and_stiffer_barriers_come_back_from_a_device)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    for (int k = 0; k < 2; k++) {
        prc_contact_measure(t->cpu);
        prc_contact_measure(&t->device);
        prc_contact_adapt(t->cpu);
        prc_contact_adapt(&t->device);
    }
    prc_contact_geometry(t->cpu, t->y);
    CHECK(t->device.smallest_gap == t->cpu->smallest_gap && t->cpu->smallest_gap > 0);
    TABLE.fetch(&t->device);
    double pressed = 0;
    for (int i = 0; i < t->cpu->model->vertex_count; i++) {
        CHECK(near(t->device.pressure[i], t->cpu->pressure[i], t->cpu->pressure[i]));
        CHECK(t->device.gap[i] == t->cpu->gap[i] && t->device.adapted[i] == t->cpu->adapted[i]);
        pressed += t->cpu->pressure[i];
    }
    CHECK(pressed > 0);
    for (int i = 0; i < t->cpu->model->vertex_count; i++)
        t->device.adapted[i] = t->cpu->adapted[i] *= 1.5;
    TABLE.send(&t->device);
    CHECK(detect(t, false));
    CHECK(differing_contact(t) == -1);
    discard(t);
}

TEST(a_device_without_contacts_has_no_rows_and_cuts_nothing)
{
    TWIN(t, 0);
    const size_t n = (size_t)t->cpu->stride;
    for (int i = 0; i < t->cpu->model->vertex_count; i++)
        t->y[n + (size_t)i] = 10 + t->cpu->model->body_of[i];
    CHECK(prc_contact_active_count(&t->device) == 0);
    CHECK(detect(t, false));
    forces(t);
    CHECK(differing_contact(t) == -1 && differing_row(t) == -1);
    prc_contact_adapt(&t->device);
    prc_contact_measure(t->cpu);
    prc_contact_measure(&t->device);
    CHECK(t->device.smallest_gap == INFINITY || t->cpu->contact_count > 0);
    double found[2];
    CHECK(follow_model(t, -1, 1, found));
    CHECK(prc_contact_move(&t->device, t->dy.data, t->dp.data, t->dout.data) == 0);
    discard(t);
}

#ifdef PRC_DEVICE_ON_HOST
static int allocations_left;

static void *failing_allocate(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void failing_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* All that takes memory, on a device from which the set is taken away first. */
static prc_result everything(twin *t)
{
    prc_result result = TABLE.create(&t->device, t->d, &t->error);
    for (int k = 0; k < 2 && result == PRC_OK; k++) {
        result = prc_contact_detect(&t->device, t->dy.data, k == 0 ? NULL : t->dp.data, &t->error);
        if (result == PRC_OK)
            result = prc_contact_freeze_friction(&t->device, &t->error);
    }
    return result;
}

TEST(a_device_out_of_memory_says_so_at_every_place_and_can_go_on_with_more)
{
    const prc_allocator failing = {failing_allocate, failing_release, NULL}, standard = {NULL, NULL, NULL};
    TWIN(t, 1);
    CHECK(detect(t, false) && detect(t, true));
    TABLE.destroy(&t->device);
    const size_t without = prc_device_count(t->d).memory;
    prc_result result = PRC_ERROR_MEMORY;
    int tries = 0, begun = 0;
    for (; result != PRC_OK && tries < 1000; tries++) {
        t->error.message[0] = 0;
        allocations_left = tries;
        prc_set_allocator(failing);
        result = everything(t);
        prc_set_allocator(standard);
        CHECK(result == PRC_OK || (result == PRC_ERROR_MEMORY && strstr(t->error.message, "memory")));
        if (result == PRC_OK)
            break;
        prc_device_forgive(t->d);
        if (t->device.device) {
            forces(t);
            CHECK(prc_contact_move(&t->device, t->dy.data, t->dp.data, t->dout.data) >= 0);
            prc_contact_adapt(&t->device);
            CHECK(prc_contact_detect(&t->device, t->dy.data, NULL, &t->error) == PRC_OK);
            CHECK(prc_contact_detect(&t->device, t->dy.data, t->dp.data, &t->error) == PRC_OK);
            CHECK(t->device.contact_count == t->cpu->contact_count && same_index(t));
            begun++;
        }
        TABLE.destroy(&t->device);
        CHECK(!t->device.table && prc_device_count(t->d).memory == without);
    }
    CHECK(tries > 30 && tries < 1000 && begun > 10);
    discard(t);
}
#endif

TEST_MAIN()
