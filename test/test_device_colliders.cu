/* test/test_device_colliders.cu — colliders and the verified prediction on a device do what they do on the CPU: every
 * shape, fields of meshes, colliders that move and turn, fast moves of sheets. Compiled for the device on the host, and
 * for a GPU where there is nvcc. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the headers of the CPU's detection include */

#include "backend/cuda/colliders.h"
#include "backend/cuda/predict.h"

#include "collider/collider.h"
#include "collider/sdf.h"
#include "contact/contact.h"
#include "harness.h"
#include "kernel/contact_move.h"
#include "one_device.h"
#include "revolve.h"

#ifdef PRC_DEVICE_ON_HOST
#define TOLERANCE 0.0
#else
#define TOLERANCE 1e-9 /* hypot, sin and cos of a GPU are others */
#endif

#define COLLIDERS 14
#define POINTS 400
#define XI 2e-3

static uint64_t seed;

/* In [−1, 1). */
static double noise(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static prc_sdf *make_field(void)
{
    prc_mesh mesh = make_bowl(32);
    prc_sdf *bowl = prc_sdf_build(&mesh, 32, 0, 1, NULL);
    free_revolved(&mesh);
    return bowl;
}

/* Every shape twice, each somewhere, moving and turning far in one step; the last two rest. */
static void random_colliders(prc_collider *colliders, const prc_sdf *bowl)
{
    for (int k = 0; k < COLLIDERS; k++) {
        prc_collider_def def = prc_collider_def_default();
        def.shape = (prc_shape_kind)(k % (PRC_SHAPE_MESH + 1));
        const double moves = k < COLLIDERS - 2;
        for (int c = 0; c < 3; c++) {
            def.center[c] = noise();
            def.axis[c] = noise();
            def.size[c] = 0.1 + 0.2 * (1 + noise());
            def.motion.axis[c] = noise();
            def.motion.velocity[c] = 0.5 * moves * noise();
            def.motion.center[c] = 0.3 * noise();
        }
        def.radius = 0.2;
        def.radius_top = k % 2 ? 0 : 0.3;
        def.motion.degrees_per_second = 90 * moves * noise();
        colliders[k] = prc_collider_at(&def, def.shape == PRC_SHAPE_MESH ? bowl : NULL, 0, 0.1 * k);
        prc_collider_aim(&colliders[k], &def, 1);
    }
}

/* Points that are farther than XI from all colliders: components apart. */
static void random_points(const prc_collider *colliders, double *x)
{
    for (int i = 0; i < POINTS; i++)
        for (bool free = false; !free;) {
            const double p[3] = {3 * noise(), 3 * noise(), 3 * noise()};
            free = true;
            for (int k = 0; k < COLLIDERS; k++)
                free = free && prc_collider_distance(&colliders[k], p, NULL) > XI;
            for (int c = 0; c < 3; c++)
                x[c * POINTS + i] = p[c];
        }
}

static void measure(prc_device *d, const prc_collider *colliders, const double *x, double *distances)
{
    prc_each(d, "measure", COLLIDERS * POINTS, [=] PRC_DEVICE(int item) {
        double at[3], *out = distances + 4 * item;
        prc_take3(x, POINTS, item % POINTS, at);
        out[3] = prc_collider_distance(&colliders[item / POINTS], at, out);
    });
}

TEST(every_shape_has_the_distances_and_normals_that_it_has_on_the_cpu)
{
    DEVICE(d);
    prc_sdf *bowl = make_field();
    prc_collider colliders[COLLIDERS];
    static double x[3 * POINTS], expected[COLLIDERS * POINTS][4], measured[COLLIDERS * POINTS][4];
    seed = 1;
    random_colliders(colliders, bowl);
    for (int i = 0; i < 3 * POINTS; i++)
        x[i] = noise();
    for (int item = 0; item < COLLIDERS * POINTS; item++) {
        double at[3];
        prc_take3(x, POINTS, item % POINTS, at);
        expected[item][3] = prc_collider_distance(&colliders[item / POINTS], at, expected[item]);
    }

    prc_device_colliders copy = prc_device_colliders();
    prc_buffer<double> points = {NULL, 0}, distances = {NULL, 0};
    CHECK(prc_device_colliders_create(d, &copy, colliders, COLLIDERS, &d_error) == PRC_OK);
    CHECK(prc_reserve(d, &points, 3 * POINTS) && prc_reserve(d, &distances, 4 * COLLIDERS * POINTS));
    memset(bowl->value, 0, sizeof(float) * prc_sdf_node_count(bowl)); /* the device has its own */
    prc_copy_in(d, points.data, x, sizeof x);
    measure(d, copy.colliders.data, points.data, distances.data);
    prc_copy_out(d, measured, distances.data, sizeof measured);
    CHECK(prc_device_status(d, &d_error) == PRC_OK);
    for (int item = 0; item < COLLIDERS * POINTS; item++)
        for (int c = 0; c < 4; c++)
            CHECK_NEAR(measured[item][c], expected[item][c], TOLERANCE);
    prc_release(d, &points);
    prc_release(d, &distances);
    prc_device_colliders_release(d, &copy);
    prc_device_destroy(d);
    prc_sdf_destroy(bowl);
}

/* What colliders and vertices are to the contact set. */
static prc_contact_set small_set(const prc_model *model, prc_collider *colliders, double *done, double *half)
{
    prc_contact_set set = prc_contact_set();
    set.model = model;
    set.stride = POINTS;
    set.threads = 1;
    set.colliders = colliders;
    set.collider_count = COLLIDERS;
    set.collider_done = done;
    set.half = half;
    return set;
}

static prc_contact_view small_view(const prc_device_colliders *copy, const double *half)
{
    prc_contact_view view = prc_contact_view();
    view.vertex_count = view.elastic_count = view.stride = POINTS;
    view.colliders = copy->colliders.data;
    view.collider_count = COLLIDERS;
    view.half = half;
    return view;
}

/* In two moves, as cloth that gives way in between would let them. */
TEST(colliders_go_as_far_as_on_the_cpu)
{
    DEVICE(d);
    prc_sdf *bowl = make_field();
    prc_model model = prc_model();
    model.vertex_count = model.elastic_count = POINTS;
    static double x[3 * POINTS], half[POINTS];
    for (int i = 0; i < POINTS; i++)
        half[i] = XI / 0.8; /* so that the hard distance to a collider is XI */
    prc_buffer<double> points = {NULL, 0}, halves = {NULL, 0};
    CHECK(prc_reserve(d, &points, 3 * POINTS) && prc_reserve(d, &halves, POINTS));
    prc_copy_in(d, halves.data, half, sizeof half);
    int stopped = 0;
    for (int round = 0; round < 12; round++) {
        prc_collider here[COLLIDERS], there[COLLIDERS];
        double done[COLLIDERS] = {0}, done_there[COLLIDERS] = {0};
        seed = 100 + (uint64_t)round;
        random_colliders(here, bowl);
        memcpy(there, here, sizeof here);
        prc_device_colliders copy = prc_device_colliders();
        CHECK(prc_device_colliders_create(d, &copy, there, COLLIDERS, &d_error) == PRC_OK);
        const prc_contact_view view = small_view(&copy, halves.data);
        prc_contact_set set = small_set(&model, here, done, half);
        for (int part = 0; part < 2; part++) {
            random_points(here, x);
            prc_copy_in(d, points.data, x, sizeof x);
            const bool arrived = prc_contact_move_colliders(&set, x);
            CHECK(prc_device_colliders_move(d, &copy, &view, there, done_there, points.data) == arrived);
            for (int k = 0; k < COLLIDERS; k++) {
                stopped += done[k] < 1;
                CHECK_NEAR(done_there[k], done[k], TOLERANCE);
                for (int c = 0; c < 3; c++)
                    CHECK_NEAR(there[k].now.shift[c], here[k].now.shift[c], TOLERANCE);
                CHECK(TOLERANCE > 0 || memcmp(&there[k].now, &here[k].now, sizeof(prc_pose)) == 0);
            }
        }
        prc_device_colliders_release(d, &copy);
    }
    printf("    stopped on the way: %d of %d\n", stopped, 2 * 12 * COLLIDERS);
    CHECK(stopped > 2 * 12 * COLLIDERS / 5 && stopped < 2 * 12 * COLLIDERS * 4 / 5);
    prc_release(d, &points);
    prc_release(d, &halves);
    prc_device_destroy(d);
    prc_sdf_destroy(bowl);
}

TEST(colliders_at_rest_and_those_that_have_arrived_ask_nothing_of_the_device)
{
    DEVICE(d);
    prc_sdf *bowl = make_field();
    prc_collider colliders[COLLIDERS];
    double done[COLLIDERS];
    seed = 7;
    random_colliders(colliders, bowl);
    prc_device_colliders copy = prc_device_colliders();
    CHECK(prc_device_colliders_create(d, &copy, colliders, COLLIDERS, &d_error) == PRC_OK);
    const prc_contact_view view = small_view(&copy, NULL);
    const prc_device_counts before = prc_device_count(d);
    for (int k = 0; k < COLLIDERS; k++)
        done[k] = k < COLLIDERS - 2;
    CHECK(prc_device_colliders_move(d, &copy, &view, colliders, done, NULL));
    for (int k = 0; k < COLLIDERS; k++)
        CHECK(done[k] == 1);
    prc_device_colliders_send(d, &copy, colliders); /* nothing has changed */
    const prc_device_counts after = prc_device_count(d);
    CHECK(after.launches == before.launches && after.waits == before.waits && after.copies_in == before.copies_in);
    colliders[3].now.shift[1] += 1e-9;
    prc_device_colliders_send(d, &copy, colliders);
    CHECK(prc_device_count(d).copies_in == after.copies_in + 1);
    prc_device_colliders_release(d, &copy);
    prc_device_destroy(d);
    prc_sdf_destroy(bowl);
}

/* --- the prediction --- */

/* Sheets, one above the other, over a box, a ball and a bowl. */
#define SHEETS 8

struct heap {
    prc_mesh mesh[SHEETS];
    prc_body_def body[SHEETS];
    prc_collider_def collider[3];
    prc_sim_def def;
    prc_model model;
    prc_contact_set set;
    unsigned char *motion;
    double *x, *p, *out; /* 3 × stride */
    prc_sdf *bowl;
};

static bool heap_mesh(heap *h, int k)
{
    prc_error error;
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.3;
    grid.cells[0] = grid.cells[1] = 12;
    const double flat[3] = {1, 0, 0}, up[3] = {0, 1, 0}, none[3] = {0, 0, 0}, at[3] = {0.01 * k, 0.005 * k, -0.01 * k};
    h->body[k] = prc_body_def_default();
    h->body[k].mesh = &h->mesh[k];
    if (prc_mesh_grid(&h->mesh[k], &grid, &error) != PRC_OK)
        return false;
    prc_mesh_transform(&h->mesh[k], flat, -90, 1, none);
    prc_mesh_transform(&h->mesh[k], up, 17 * k, 1, at);
    return true;
}

static bool heap_make(heap *h)
{
    prc_error error;
    memset(h, 0, sizeof *h);
    h->def = prc_sim_def_default();
    h->bowl = make_field();
    for (int k = 0; k < SHEETS; k++)
        if (!heap_mesh(h, k))
            return false;
    const prc_shape_kind shapes[3] = {PRC_SHAPE_BOX, PRC_SHAPE_SPHERE, PRC_SHAPE_MESH};
    for (int k = 0; k < 3; k++) {
        h->collider[k] = prc_collider_def_default();
        h->collider[k].shape = shapes[k];
        h->collider[k].radius = h->collider[k].size[0] = h->collider[k].size[1] = h->collider[k].size[2] = 0.1;
        h->collider[k].center[0] = 0.12 * (k - 1);
        h->collider[k].center[1] = k == 2 ? 0.36 : -0.13; /* the bottom of the bowl is below its center */
    }
    h->def.bodies = h->body;
    h->def.body_count = SHEETS;
    h->def.colliders = h->collider;
    h->def.collider_count = 3;
    h->def.contact.enabled = true;
    h->def.contact.thickness = 3e-3;
    if (prc_model_build(&h->model, &h->def, &error) != PRC_OK)
        return false;
    const int n = h->model.vertex_count, stride = h->model.view.padded_count;
    h->motion = (unsigned char *)malloc((size_t)n);
    memset(h->motion, 1, (size_t)n);
    h->x = (double *)calloc(9 * (size_t)stride, sizeof(double));
    h->p = h->x + 3 * stride;
    h->out = h->p + 3 * stride;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            h->x[c * stride + i] = h->model.position[3 * h->model.caller_of[i] + c];
    if (prc_contact_create(&h->set, &h->def, &h->model, h->motion, 1, &error) != PRC_OK)
        return false;
    for (int k = 0; k < 3; k++)
        h->set.colliders[k] = prc_collider_at(&h->collider[k], k == 2 ? h->bowl : NULL, 0, -1);
    return true;
}

static void heap_free(heap *h)
{
    prc_contact_release(&h->set);
    prc_model_release(&h->model);
    for (int k = 0; k < SHEETS; k++)
        prc_mesh_release(&h->mesh[k]);
    prc_sdf_destroy(h->bowl);
    free(h->motion);
    free(h->x);
}

/* All fall until the lowest is stopped, and then the next one by that. */
static void heap_drop(heap *h, double way)
{
    const int stride = h->set.stride;
    for (int i = 0; i < h->model.vertex_count; i++)
        for (int c = 0; c < 3; c++)
            h->p[c * stride + i] = (c == 1) * -way;
}

/* Sheets fly through each other, and every vertex its own way besides. */
static void heap_throw(heap *h, double speed, double disorder)
{
    const int stride = h->set.stride;
    for (int i = 0; i < h->model.vertex_count; i++)
        for (int c = 0; c < 3; c++)
            h->p[c * stride + i] = disorder * noise() + (c == 1) * speed * (1 - h->model.body_of[i]);
}

/* The same on the device. */
struct heap_twin {
    prc_contact_view view;
    prc_device_colliders colliders;
    prc_device_detector detector;
    prc_device_pairs found;
    prc_device_prediction prediction;
    prc_buffer<double> numbers, vectors; /* half, half_d_hat, adapted, friction, rest; x, p, out */
    prc_buffer<int> body_of, slots, marks;
    prc_buffer<unsigned char> motion;
    prc_buffer<prc_exempt_pair> exempt;
};

static const double *put(prc_device *d, double *to, const double *from, size_t count)
{
    prc_copy_in(d, to, from, sizeof(double) * count);
    return to;
}

static bool twin_make(heap_twin *t, prc_device *d, const heap *h)
{
    prc_error error;
    const prc_contact_view here = prc_contact_see(&h->set);
    const size_t n = (size_t)here.vertex_count, stride = (size_t)here.stride;
    *t = heap_twin();
    if (prc_device_colliders_create(d, &t->colliders, h->set.colliders, 3, &error) != PRC_OK ||
        prc_device_detector_create(d, &t->detector, &h->set.surface, &error) != PRC_OK ||
        !prc_reserve(d, &t->numbers, 7 * stride) || !prc_reserve(d, &t->vectors, 9 * stride) ||
        !prc_reserve(d, &t->body_of, n) || !prc_reserve(d, &t->motion, n) || !prc_reserve(d, &t->marks, 2 * n))
        return false;
    double *to = t->numbers.data;
    t->view.vertex_count = here.vertex_count;
    t->view.elastic_count = here.elastic_count;
    t->view.stride = here.stride;
    t->view.edge_length = here.edge_length;
    t->view.half = put(d, to, here.half, n);
    t->view.half_d_hat = put(d, to + stride, here.half_d_hat, n);
    t->view.adapted = (double *)put(d, to + 2 * stride, here.adapted, n);
    t->view.rest = put(d, to + 3 * stride, here.rest, 3 * stride);
    t->view.body_friction = put(d, to + 6 * stride, here.body_friction, SHEETS);
    prc_copy_in(d, t->body_of.data, here.body_of, n * sizeof(int));
    prc_copy_in(d, t->motion.data, here.motion, n);
    t->view.body_of = t->body_of.data;
    t->view.motion = t->motion.data;
    t->view.held = t->marks.data;
    t->view.marked = t->marks.data + n;
    t->view.colliders = t->colliders.colliders.data;
    t->view.collider_count = 3;
    return true;
}

static bool twin_exempt(heap_twin *t, prc_device *d, const prc_exempt_set *set)
{
    if (!prc_reserve(d, &t->exempt, (size_t)set->count) || !prc_reserve(d, &t->slots, (size_t)set->slot_count))
        return false;
    prc_copy_in(d, t->exempt.data, set->pairs, sizeof(prc_exempt_pair) * (size_t)set->count);
    prc_copy_in(d, t->slots.data, set->slots, sizeof(int) * (size_t)set->slot_count);
    t->view.exempt.pairs = t->exempt.data;
    t->view.exempt.slots = t->slots.data;
    t->view.exempt.count = set->count;
    t->view.exempt.slot_count = set->slot_count;
    return true;
}

static void twin_free(heap_twin *t, prc_device *d)
{
    prc_device_colliders_release(d, &t->colliders);
    prc_device_detector_release(d, &t->detector);
    prc_device_pairs_release(d, &t->found);
    prc_device_prediction_release(d, &t->prediction);
    prc_release(d, &t->numbers);
    prc_release(d, &t->vectors);
    prc_release(d, &t->body_of);
    prc_release(d, &t->motion);
    prc_release(d, &t->exempt);
    prc_release(d, &t->slots);
    prc_release(d, &t->marks);
}

/* Whether no pair that could meet on the ways of a prediction does, asked of all of them. */
static bool is_safe(heap *h)
{
    prc_error error;
    const prc_contact_view view = prc_contact_see(&h->set);
    prc_pair_list *found = &h->set.found;
    if (prc_detect_swept(&h->set.detector, h->x, h->set.sweep, view.stride, prc_contact_reach(&h->set), 1, found,
                         &error) != PRC_OK)
        return false;
    prc_contact_drop_exempt(&h->set, found);
    bool safe = true;
    for (int side_a = 1; side_a <= 2; side_a++) {
        const prc_pairs *pairs = side_a == 1 ? &found->point_triangle : &found->edge_edge;
        for (int k = 0; k < pairs->count; k++)
            safe = safe && prc_pair_swept_time(&view, pairs->v[k], side_a, h->x, h->out) >= 1;
    }
    return safe;
}

/* Predicts here and there: in how many rounds vertices were held back, or −1 where the two differ or something would
 * collide. */
static int predict_both(heap *h, heap_twin *t, prc_device *d)
{
    prc_error error;
    const size_t stride = (size_t)h->set.stride, n = (size_t)h->model.vertex_count;
    double *x = t->vectors.data, *p = x + 3 * stride, *out = p + 3 * stride;
    double *there = (double *)malloc(3 * stride * sizeof(double));
    put(d, x, h->x, 3 * stride);
    put(d, p, h->p, 3 * stride);
    h->set.detections = 0;
    h->set.found_ahead = false;
    bool same = prc_contact_predict(&h->set, h->x, h->p, h->out, &error) == PRC_OK &&
                prc_device_predict(d, &t->prediction, &t->view, &t->detector, &t->found, prc_contact_reach(&h->set), x,
                                   p, out, &error) == PRC_OK;
    prc_copy_out(d, there, out, 3 * stride * sizeof(double));
    for (size_t c = 0; c < 3; c++)
        same = same && memcmp(there + c * stride, h->out + c * stride, n * sizeof(double)) == 0;
    free(there);
    same =
        same && is_safe(h) && t->prediction.searches == h->set.detections && t->prediction.ahead == h->set.found_ahead;
    return same ? t->prediction.rounds : -1;
}

TEST(the_prediction_of_fast_moves_has_the_bits_of_the_cpu)
{
    DEVICE(d);
    heap h;
    heap_twin t;
    CHECK(heap_make(&h) && twin_make(&t, d, &h));
    int most = 0;
    seed = 11;
    for (int k = 0; k < 9; k++) { /* the first so little that nobody is torn away by others who are held back */
        const double scale = k < 6 ? 0.2 : 1;
        heap_throw(&h, k % 3 == 0 ? 0 : scale * 0.02 * k, k % 2 ? scale * 0.004 * k : 1e-4);
        const int rounds = predict_both(&h, &t, d);
        CHECK(rounds >= 0);
        CHECK(t.prediction.searches <= 3); /* most rounds ask the same pairs again */
        most = rounds > most ? rounds : most;
    }
    heap_drop(&h, 0.06);
    const int rounds = predict_both(&h, &t, d);
    most = rounds > most ? rounds : most;
    printf("    at most %d rounds\n", most);
    CHECK(most >= 4); /* so there is one in which vertices do not move at all */
    twin_free(&t, d);
    heap_free(&h);
    prc_device_destroy(d);
}

TEST(exempt_pairs_are_no_part_of_a_prediction)
{
    DEVICE(d);
    heap h;
    heap_twin t;
    CHECK(heap_make(&h) && twin_make(&t, d, &h));
    seed = 12;
    heap_throw(&h, 0.02, 0.002);
    CHECK(predict_both(&h, &t, d) > 0);
    const prc_pairs *found[2] = {&h.set.found.point_triangle, &h.set.found.edge_edge};
    CHECK(found[0]->count > 100 && found[1]->count > 100);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < found[k]->count; i++)
            CHECK(i % 3 == 0 || prc_exempt_add(&h.set.exempt, found[k]->v[i], k + 1));
    for (int i = 0; i < h.model.vertex_count; i += 2)
        CHECK(prc_exempt_add_collider(&h.set.exempt, i, i % 3));
    CHECK(twin_exempt(&t, d, &h.set.exempt));
    for (int k = 0; k < 3; k++) {
        heap_throw(&h, 0.02 + 0.1 * k, 0.002);
        CHECK(predict_both(&h, &t, d) >= 0);
    }
    twin_free(&t, d);
    heap_free(&h);
    prc_device_destroy(d);
}

TEST(a_prediction_in_which_nothing_fails_waits_for_two_numbers)
{
    DEVICE(d);
    heap h;
    heap_twin t;
    CHECK(heap_make(&h) && twin_make(&t, d, &h));
    seed = 13;
    heap_throw(&h, 0, 1e-4);
    for (int k = 0; k < 2; k++) /* the first one makes room, and trees */
        CHECK(predict_both(&h, &t, d) == 0);
    const prc_device_counts before = prc_device_count(d);
    const double *x = t.vectors.data, *p = x + 3 * h.set.stride;
    CHECK(prc_device_predict(d, &t.prediction, &t.view, &t.detector, &t.found, prc_contact_reach(&h.set), x, p,
                             t.vectors.data + 6 * h.set.stride, &d_error) == PRC_OK);
    CHECK(prc_device_count(d).waits == before.waits + 2);
    twin_free(&t, d);
    heap_free(&h);
    prc_device_destroy(d);
}

TEST_MAIN()
