/* test/contact_twin.h — the contact set of a simulation twice, on the CPU and on a device, and whether both are the
 * same. For test_device_contact.cu. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_CONTACT_TWIN_H
#define PRC_TEST_CONTACT_TWIN_H

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

/* Three sheets and two colliders on a CPU, pressed together by some steps; and the contact set once more, on a device.
 */
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
    const size_t n = (size_t)t->cpu->stride, colliders = (size_t)t->cpu->collider_count;
    t->device.adapted = copy_of(t->cpu->adapted, n);
    t->device.pressure = copy_of(t->cpu->pressure, n);
    t->device.gap = copy_of(t->cpu->gap, n);
    t->device.collider_done = copy_of(t->cpu->collider_done, colliders);
    t->device.colliders = (prc_collider *)malloc(colliders * sizeof(prc_collider));
    memcpy(t->device.colliders, t->cpu->colliders, colliders * sizeof(prc_collider));
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
        free(t->device.collider_done);
        free(t->device.colliders);
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

/* Without a device there is nothing to compare. */
#define NEED_DEVICE                                                                                                    \
    do {                                                                                                               \
        prc_device_info info;                                                                                          \
        prc_error missing;                                                                                             \
        if (prc_device_find(KIND, &info, &missing))                                                                    \
            SKIP(missing.message);                                                                                     \
    } while (0)

#define TWIN(t, friction_lag)                                                                                          \
    NEED_DEVICE;                                                                                                       \
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

/* A rocking row that is not felt: of it only that counts. */
static bool rests(const prc_contact *k)
{
    return prc_contact_rocks(k) && !k->exact;
}

static bool same_contact(const prc_contact *a, const prc_contact *b)
{
    return memcmp(a->v, b->v, sizeof a->v) == 0 && a->count == b->count && a->side_a == b->side_a &&
           a->collider == b->collider && a->xi == b->xi && a->xi_hard == b->xi_hard && a->d_hat == b->d_hat &&
           a->kappa == b->kappa && a->friction == b->friction && a->exact == b->exact && a->has_plane == b->has_plane &&
           near(a->distance, b->distance, 1) && same_vectors(a->margin, b->margin, a->count) &&
           (rests(a) || (near(a->sep, b->sep, 1) && same_vectors(a->n, b->n, 3))) &&
           (!a->exact || (near(a->share, b->share, 1) && same_vectors(a->w, b->w, a->count)));
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

static bool same_row(const double *w, const double *k, prc_four_doubles f, prc_four_ints v, const prc_active *a)
{
    double number[PRC_ROW_NUMBERS];
    const double force[3] = {f.x, f.y, f.z}, stiffness = fabs(a->k_n) + fabs(a->k_t);
    const int place[4] = {v.x, v.y, v.z, v.w};
    prc_row_numbers(a, number);
    for (int p = 0; p < 4; p++)
        if (place[p] != a->v[p < a->count ? p : 0])
            return false;
    return same_vectors(w, number, 4) && same_vectors(k, number + 4, 3) && same_vectors(k + 4, number + 8, 3) &&
           same_vectors(force, a->f, 3) && near(k[3], number[7], stiffness) && near(k[7], number[11], stiffness);
}

/* The same for rows; −3 where the list of a vertex differs. */
static int differing_row(twin *t)
{
    const prc_device_rows *rows = &prc_device_contacts_of(&t->device)->rows;
    const prc_active_set *active = &t->cpu->active;
    if (prc_contact_active_count(&t->device) != active->count || rows->most < active->count)
        return -2;
    const int n = t->cpu->model->vertex_count, most = rows->most;
    double *w = fetched(t, (const double *)rows->w, 4 * most), *k = fetched(t, (const double *)rows->k, 8 * most);
    prc_four_doubles *f = fetched(t, rows->f, most);
    prc_four_ints *v = fetched(t, rows->v, most);
    int *first = fetched(t, rows->first, n), *after = fetched(t, rows->after, n), *of = fetched(t, rows->of, 4 * most),
        differs = -1;
    for (int r = active->count - 1; r >= 0; r--)
        if (!same_row(w + 4L * r, k + 8L * r, f[r], v[r], &active->rows[r]))
            differs = r;
    for (int i = 0; i < n && differs == -1; i++) {
        const int count = active->of_start[i + 1] - active->of_start[i];
        if (after[i] - first[i] != count ||
            memcmp(of + first[i], active->of + active->of_start[i], sizeof(int) * (size_t)count) != 0)
            differs = -3;
    }
    free(w);
    free(k);
    free(f);
    free(v);
    free(first);
    free(after);
    free(of);
    return differs;
}

#endif
