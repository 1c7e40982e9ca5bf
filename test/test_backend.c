/* test/test_backend.c — the same claims for every backend: the CPU, the device on the host, and a GPU where there is
 * one.
 *
 *     test_backend [part of a name]        test_backend cuda_      those of the GPU
 *
 * A twin on the CPU is the measure. Operators over items are the same sums in the same order everywhere, so their bits
 * are compared; what adds up over a whole scene (dot products) has an order of its own per backend, so steps are
 * compared within a tolerance, as bodies move: what contact does to rounding is not small for ever. Two runs have the
 * same bits, and src/check, which shares no code with any backend, finds no crossing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/device.h"
#include "backend_scenes.h"
#include "harness.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/parcel.h"

/* Runs a claim, a function of the kind, for each kind. */
#define CLAIM(claim)                                                                                                   \
    static void claim(prc_backend_kind kind);                                                                          \
    TEST(cpu_##claim)                                                                                                  \
    {                                                                                                                  \
        claim(PRC_BACKEND_CPU);                                                                                        \
    }                                                                                                                  \
    TEST(device_on_host_##claim)                                                                                       \
    {                                                                                                                  \
        claim(PRC_BACKEND_DEVICE_ON_HOST);                                                                             \
    }                                                                                                                  \
    TEST(cuda_##claim)                                                                                                 \
    {                                                                                                                  \
        claim(PRC_BACKEND_CUDA);                                                                                       \
    }                                                                                                                  \
    static void claim(prc_backend_kind kind)

#define NEED(kind)                                                                                                     \
    do {                                                                                                               \
        prc_device_info info_;                                                                                         \
        prc_error error_;                                                                                              \
        if ((kind) != PRC_BACKEND_CPU && prc_device_find((kind), &info_, &error_))                                     \
            SKIP(error_.message);                                                                                      \
    } while (0)

/* --- operators, against a twin --- */

typedef struct twins {
    scene *s[2]; /* on the CPU, and as asked for */
    size_t count;
    double *values[2]; /* 6 per padded vertex */
} twins;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void put_random(twins *t, enum prc_field field, double scale, uint64_t seed)
{
    const prc_view *v = &t->s[0]->sim->view;
    double *x = t->values[0];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < v->padded_count; i++)
            x[(long)c * v->padded_count + i] =
                i < v->vertex_count ? scale * ((double)next_random(&seed) / 1073741824.0 - 1) : 0;
    for (int k = 0; k < 2; k++) {
        prc_sim *sim = t->s[k]->sim;
        sim->model.backend->upload(&sim->view, sim->view.field[field], x, 3 * (size_t)v->padded_count);
    }
}

/* Both at the beginning of a first step, with u and direction at random. */
static bool twins_start(twins *t, int which, prc_backend_kind kind, prc_precision precision)
{
    memset(t, 0, sizeof *t);
    for (int k = 0; k < 2; k++) {
        scene *s = t->s[k] = make_scene(which, k ? kind : PRC_BACKEND_CPU, precision);
        s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
        if (!scene_start(s))
            return false;
        prc_step_aim(s->sim);
        if (prc_obstacles_aim(s->sim, s->sim->end, &s->error) || prc_pins_aim(s->sim, s->sim->end, &s->error))
            return false;
        prc_step_begin(s->sim);
        t->values[k] = malloc(6 * (size_t)s->sim->view.padded_count * sizeof(double));
    }
    t->count = (size_t)t->s[0]->sim->view.padded_count;
    put_random(t, PRC_FIELD_u, 1e-3, 1);
    put_random(t, PRC_FIELD_direction, 1, 2);
    return true;
}

static void twins_end(twins *t)
{
    for (int k = 0; k < 2; k++) {
        free(t->values[k]);
        if (t->s[k])
            scene_free(t->s[k]);
    }
}

/* Largest difference of a field, relative to its largest entry; 0 where all bits are the same. */
static double differ(twins *t, enum prc_field field, int components)
{
    const size_t n = (size_t)components * t->count;
    for (int k = 0; k < 2; k++) {
        prc_sim *sim = t->s[k]->sim;
        sim->model.backend->download(&sim->view, t->values[k], sim->view.field[field], n);
    }
    if (!memcmp(t->values[0], t->values[1], n * sizeof(double)))
        return 0;
    double most = 0, size = 1e-300;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(t->values[0][i] - t->values[1][i]));
        size = fmax(size, fabs(t->values[0][i]));
        if (isnan(t->values[0][i]) != isnan(t->values[1][i]))
            return INFINITY;
    }
    printf("    field %d differs by %.3g of its largest entry\n", (int)field, most / size);
    return most / size;
}

#define BOTH(t, statement)                                                                                             \
    for (int k_ = 0; k_ < 2; k_++) {                                                                                   \
        prc_sim *sim = (t).s[k_]->sim;                                                                                 \
        statement;                                                                                                     \
    }

CLAIM(gradient_product_and_diagonal_have_the_bits_of_the_twin)
{
    NEED(kind);
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        twins t;
        CHECK(twins_start(&t, FLAG, kind, (prc_precision)precision));
        CHECK(differ(&t, PRC_FIELD_u, 3) == 0 && differ(&t, PRC_FIELD_target, 3) == 0);
        CHECK(differ(&t, PRC_FIELD_weight, 1) == 0 && differ(&t, PRC_FIELD_free, 1) == 0);
        CHECK(differ(&t, PRC_FIELD_air_normal, 3) == 0 && differ(&t, PRC_FIELD_air_weight, 1) == 0);
        BOTH(t, prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true));
        CHECK(differ(&t, PRC_FIELD_gradient, 3) == 0 && differ(&t, PRC_FIELD_energy, 1) == 0);
        CHECK(differ(&t, PRC_FIELD_stretch, 2) == 0);
        BOTH(t, prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product));
        CHECK(differ(&t, PRC_FIELD_product, 3) == 0);
        for (int diagonal = PRC_DIAGONAL_EXACT; diagonal <= PRC_DIAGONAL_MAJORANT; diagonal++) {
            BOTH(t, prc_diagonal(sim, (enum prc_diagonal)diagonal));
            CHECK(differ(&t, PRC_FIELD_inverse, 6) == 0);
        }
        BOTH(t, prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned));
        CHECK(differ(&t, PRC_FIELD_preconditioned, 3) == 0);
        BOTH(t, prc_combine(sim, 0.3, PRC_FIELD_gradient, -1.7, PRC_FIELD_direction, PRC_FIELD_trial));
        CHECK(differ(&t, PRC_FIELD_trial, 3) == 0);
        twins_end(&t);
    }
}

CLAIM(sums_agree_to_rounding_and_the_largest_entry_to_the_bit)
{
    NEED(kind);
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        twins t;
        double dot[2], square[2], sum[2], largest[2];
        CHECK(twins_start(&t, FLAG, kind, (prc_precision)precision));
        BOTH(t, prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true));
        BOTH(t, dot[k_] = prc_inner(sim, PRC_FIELD_u, PRC_FIELD_direction));
        BOTH(t, square[k_] = prc_inner(sim, PRC_FIELD_u, PRC_FIELD_u));
        BOTH(t, sum[k_] = sim->model.backend->sum(&sim->view, sim->view.field[PRC_FIELD_energy]));
        BOTH(t, largest[k_] = sim->model.backend->largest(&sim->view, sim->view.field[PRC_FIELD_gradient]));
        CHECK_NEAR(dot[1], dot[0], 1e-12 * 1e-3 * (double)t.count);
        CHECK_NEAR(square[1], square[0], 1e-12 * square[0]);
        CHECK_NEAR(sum[1], sum[0], 1e-12 * sum[0]);
        CHECK(largest[1] == largest[0] && largest[0] > 0);
        twins_end(&t);
    }
}

CLAIM(coarse_levels_are_those_of_the_twin)
{
    NEED(kind);
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        twins t;
        CHECK(twins_start(&t, FLAG, kind, (prc_precision)precision));
        BOTH(t, prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true));
        BOTH(t, prc_diagonal(sim, PRC_DIAGONAL_EXACT));
        BOTH(t, prc_multilevel_refresh(sim));
        BOTH(t, prc_multilevel_apply(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned));
        CHECK(differ(&t, PRC_FIELD_preconditioned, 3) <= (precision == PRC_PRECISION_SINGLE ? 1e-5 : 1e-13));
        twins_end(&t);
    }
}

/* --- whole steps --- */

/* How far vertices may be from those of the twin after 100 steps, m, in single and double precision. Without contact
 * they follow to rounding: 2e-15 m (double) for the device on the host, whose bits differ in dot products alone. With
 * contact rounding decides now and then what comes first, and what differs after that is the solver's tolerance, which
 * a strip that buckles makes larger: ball 5e-13 m, layers 8e-9 m, twist 2e-4 m were seen. A GPU also has logarithms of
 * its own. */
static const double step_tolerance[SCENES][2] = {{1e-5, 1e-9}, {2e-4, 2e-5}, {2e-3, 2e-3}, {2e-4, 2e-5}};

#define STEPS 100

static double *run_scene(int which, prc_backend_kind kind, prc_precision precision, int *count, bool *safe)
{
    scene *s = make_scene(which, kind, precision);
    double *end = NULL;
    *safe = scene_start(s);
    for (int k = 0; *safe && k < STEPS; k++) {
        *safe = scene_step(s);
        if (*safe && s->def.contact.enabled && k % 10 == 9)
            *safe = scene_safe(s);
    }
    if (*safe && s->unconverged) {
        printf("    %d steps did not converge\n", s->unconverged);
        *safe = false;
    }
    if (*safe) {
        *count = 3 * prc_sim_vertex_count(s->sim);
        end = malloc((size_t)*count * sizeof *end);
        memcpy(end, prc_sim_positions(s->sim), (size_t)*count * sizeof *end);
    }
    scene_free(s);
    return end;
}

static bool follows(int which, prc_backend_kind kind)
{
    bool good = true;
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        double *end[3];
        int count = 0;
        for (int k = 0; k < 3; k++) {
            bool safe;
            end[k] = run_scene(which, k ? kind : PRC_BACKEND_CPU, (prc_precision)precision, &count, &safe);
            good &= safe;
        }
        if (end[0] && end[1] && end[2]) {
            double most = 0;
            for (int i = 0; i < count; i++)
                most = fmax(most, fabs(end[1][i] - end[0][i]));
            const bool same = !memcmp(end[1], end[2], (size_t)count * sizeof(double));
            good &= same && most <= step_tolerance[which][precision == PRC_PRECISION_DOUBLE];
            printf("    %s, %s: %.3g m from the CPU after %d steps; two runs %s\n", scene_names[which],
                   precision == PRC_PRECISION_DOUBLE ? "double" : "single", most, STEPS,
                   same ? "have the same bits" : "DIFFER");
        }
        for (int k = 0; k < 3; k++)
            free(end[k]);
    }
    return good;
}

#define LONG "the same scenes are stepped a few times below"

CLAIM(a_flag_flies_as_it_should)
{
    NEED(kind);
    PLAIN_BUILD_ONLY(LONG);
    CHECK(follows(FLAG, kind));
}

CLAIM(cloth_falls_over_a_ball_and_never_crosses)
{
    NEED(kind);
    PLAIN_BUILD_ONLY(LONG);
    CHECK(follows(BALL, kind));
}

CLAIM(a_strip_is_twisted_and_never_crosses)
{
    NEED(kind);
    PLAIN_BUILD_ONLY(LONG);
    CHECK(follows(TWIST, kind));
}

CLAIM(layers_land_and_never_cross)
{
    NEED(kind);
    PLAIN_BUILD_ONLY(LONG);
    CHECK(follows(LAYERS, kind));
}

/* A few steps alone: quick enough for tools that watch every access. */
static bool steps_few(scene *s, int steps)
{
    bool good = scene_start(s);
    for (int k = 0; good && k < steps; k++)
        good = scene_step(s) && (!s->def.contact.enabled || scene_safe(s));
    scene_free(s);
    return good;
}

static bool steps_short(int which, prc_backend_kind kind)
{
    return steps_few(make_scene(which, kind, PRC_PRECISION_SINGLE), 3) &&
           steps_few(make_scene(which, kind, PRC_PRECISION_DOUBLE), 3);
}

/* … and for those that also compare every two of them. */
static bool steps_tiny(int which, prc_backend_kind kind)
{
    return steps_few(make_scene_part(which, 3, kind, PRC_PRECISION_SINGLE), which == LAYERS ? 2 : 1);
}

CLAIM(short_flag_is_stepped)
{
    NEED(kind);
    CHECK(steps_short(FLAG, kind));
}

CLAIM(short_ball_is_stepped)
{
    NEED(kind);
    CHECK(steps_short(BALL, kind));
}

CLAIM(short_twist_is_stepped)
{
    NEED(kind);
    CHECK(steps_short(TWIST, kind));
}

CLAIM(short_layers_are_stepped)
{
    NEED(kind);
    CHECK(steps_short(LAYERS, kind));
}

CLAIM(tiny_flag_is_stepped)
{
    NEED(kind);
    CHECK(steps_tiny(FLAG, kind));
}

CLAIM(tiny_ball_is_stepped)
{
    NEED(kind);
    CHECK(steps_tiny(BALL, kind));
}

CLAIM(tiny_twist_is_stepped)
{
    NEED(kind);
    CHECK(steps_tiny(TWIST, kind));
}

CLAIM(tiny_layers_are_stepped)
{
    NEED(kind);
    CHECK(steps_tiny(LAYERS, kind));
}

/* --- state --- */

CLAIM(a_state_that_is_put_back_gives_the_same_bits_again)
{
    NEED(kind);
    scene *s = make_scene(BALL, kind, PRC_PRECISION_DOUBLE);
    CHECK(scene_start(s));
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    const size_t size = prc_sim_saved_size(s->sim), count = 3 * (size_t)prc_sim_vertex_count(s->sim);
    void *state = malloc(size);
    double *first = malloc(count * sizeof *first);
    prc_sim_save(s->sim, state);
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    memcpy(first, prc_sim_positions(s->sim), count * sizeof *first);
    CHECK(prc_sim_restore(s->sim, state, size, &s->error) == PRC_OK);
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    CHECK(!memcmp(first, prc_sim_positions(s->sim), count * sizeof *first));
    free(state);
    free(first);
    scene_free(s);
}

/* --- parcels --- */

typedef struct opened {
    size_t count; /* vertices */
    double *x, *v, *stretches;
} opened;

static opened opened_new(const scene *s)
{
    const size_t n = (size_t)prc_sim_vertex_count(s->sim);
    return (opened){n, malloc(3 * n * sizeof(double)), malloc(3 * n * sizeof(double)), malloc(2 * n * sizeof(double))};
}

static void opened_free(opened *o)
{
    free(o->x);
    free(o->v);
    free(o->stretches);
}

static bool opened_same(const opened *a, const opened *b)
{
    return !memcmp(a->x, b->x, 3 * a->count * sizeof(double)) && !memcmp(a->v, b->v, 3 * a->count * sizeof(double)) &&
           !memcmp(a->stretches, b->stretches, 2 * a->count * sizeof(double));
}

static void ask(scene *s, opened *o)
{
    memcpy(o->x, prc_sim_positions(s->sim), 3 * o->count * sizeof(double));
    memcpy(o->v, prc_sim_velocities(s->sim), 3 * o->count * sizeof(double));
    memcpy(o->stretches, prc_sim_stretches(s->sim), 2 * o->count * sizeof(double));
}

/* Steps are taken between packing and opening. */
static bool parcel_is_of_its_state(scene *s)
{
    bool good = scene_start(s) && scene_step(s) && scene_step(s);
    prc_parcel *parcel = good ? prc_parcel_create(s->sim, &s->error) : NULL;
    if (!parcel)
        return false;
    opened there = opened_new(s), asked = opened_new(s);
    for (int k = 0; k < 3; k++) { /* the same parcel again */
        prc_parcel_pack(parcel);
        ask(s, &asked);
        good = good && scene_step(s) && (k == 1 || scene_step(s));
        good = good && prc_parcel_open(parcel, there.x, there.v, there.stretches, &s->error) == PRC_OK &&
               opened_same(&there, &asked);
    }
    opened_free(&there);
    opened_free(&asked);
    prc_parcel_destroy(parcel);
    return good;
}

CLAIM(a_parcel_holds_the_state_of_when_it_was_packed)
{
    NEED(kind);
    static const int scenes[] = {FLAG, LAYERS};
    for (int k = 0; k < 4; k++) {
        scene *s = make_scene(scenes[k / 2], kind, k % 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE);
        const bool good = parcel_is_of_its_state(s);
        scene_free(s);
        CHECK(good);
    }
}

/* Positions after some steps, before each of which a parcel is packed or not. */
static void run_packing(scene *s, bool pack, double *end)
{
    const size_t bytes = 3 * (size_t)prc_sim_vertex_count(s->sim) * sizeof *end;
    opened o = opened_new(s);
    prc_parcel *parcel = prc_parcel_create(s->sim, &s->error);
    for (int k = 0; k < 8 && parcel; k++) {
        const prc_device_counts before = s->sim->device ? prc_device_count(s->sim->device) : (prc_device_counts){0};
        if (pack)
            prc_parcel_pack(parcel);
        const prc_device_counts after = s->sim->device ? prc_device_count(s->sim->device) : (prc_device_counts){0};
        if (after.waits != before.waits || after.launches > before.launches + 6 || !scene_step(s) ||
            (pack && prc_parcel_open(parcel, o.x, o.v, o.stretches, &s->error)))
            s->unconverged = 1000;
    }
    memcpy(end, prc_sim_positions(s->sim), bytes);
    prc_parcel_destroy(parcel);
    opened_free(&o);
}

CLAIM(packing_a_parcel_waits_for_nothing_and_changes_no_step)
{
    NEED(kind);
    double *end[2] = {NULL};
    size_t count = 0;
    int unconverged = 0;
    for (int k = 0; k < 2; k++) {
        scene *s = make_scene(LAYERS, kind, PRC_PRECISION_SINGLE);
        CHECK(scene_start(s));
        count = 3 * (size_t)prc_sim_vertex_count(s->sim);
        end[k] = malloc(count * sizeof(double));
        run_packing(s, k == 1, end[k]);
        unconverged += s->unconverged;
        scene_free(s);
    }
    const bool same = !memcmp(end[0], end[1], count * sizeof(double));
    free(end[0]);
    free(end[1]);
    CHECK(same && unconverged < 1000);
}

TEST_MAIN()
