/* test/test_device_contact.cu — the contact set of a device does what the CPU's does, operation by operation: lists in
 * the same order, entries with the same bits. Compiled for the device on the host, and for a GPU where there is nvcc,
 * whose logarithm may round differently: what a barrier enters has a tolerance there.
 * SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the headers of the CPU's contact set include */

#include "contact_twin.h"

#include <limits.h>

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

TEST(exempt_pairs_and_colliders_are_no_contacts_on_a_device)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    const int before = t->cpu->contact_count, pairs = t->cpu->pair_count;
    for (int k = 0; k < before; k += 7) {
        const prc_contact *c = &t->cpu->contacts[k];
        CHECK(c->collider >= 0 ? prc_exempt_add_collider(&t->cpu->exempt, c->v[0], c->collider)
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

/* Contacts that the device knows to be far. */
static int far_apart(twin *t)
{
    const prc_device_contacts *c = prc_device_contacts_of(&t->device);
    float *far = fetched(t, c->far.data, t->device.contact_count);
    int count = 0;
    for (int k = 0; k < t->device.contact_count; k++)
        count += far[k] > 0;
    free(far);
    return count;
}

TEST(contacts_that_stay_far_on_a_device_are_what_the_cpu_has_though_nobody_looks_at_them)
{
    TWIN(t, 0);
    prc_device_contacts_of(&t->device)->many = 1;
    double found[2], *out = (double *)calloc(t->numbers, sizeof *out);
    shake(t, t->p, 4e-3, 3); /* balls for all moves below */
    CHECK(detect(t, true));
    int far = 0, cuts = 0;
    for (int k = 0; k < 8; k++) {
        shake(t, t->y, k % 4 == 3 ? 5e-5 : 2e-6, 21 + (unsigned)k);
        memset(t->p, 0, t->numbers * sizeof *t->p);
        shake(t, t->p, k % 2 ? 1e-3 : 3e-5, 41 + (unsigned)k);
        send(t);
        prc_contact_evaluate(t->cpu, t->y, t->x, 1e-3);
        prc_contact_evaluate(&t->device, t->dy.data, t->dx.data, 1e-3);
        CHECK(differing_contact(t) == -1 && differing_row(t) == -1);
        prc_contact_measure(t->cpu);
        prc_contact_measure(&t->device);
        CHECK(t->device.smallest_gap == t->cpu->smallest_gap);
        far += far_apart(t);
        if (k % 2) { /* not both: a shift leaves other contacts exact than a move would find */
            const int expected = prc_contact_move_inside(t->cpu, t->y, t->p, t->out);
            CHECK(prc_contact_move_inside(&t->device, t->dy.data, t->dp.data, t->dout.data) == expected);
            CHECK(expected >= 0);
            prc_copy_out(t->d, out, t->dout.data, t->numbers * sizeof *out);
            for (int i = 0; i < t->cpu->model->vertex_count; i++)
                CHECK(out[i] == t->out[i]);
            cuts += expected;
        } else
            CHECK(follow_model(t, -1e-5, 1e-6, found));
        CHECK(differing_contact(t) == -1);
    }
    CHECK(far > 100 && cuts > 0);
    free(out);
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
        prc_collider_aim(&t->cpu->colliders[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        prc_collider_aim(&t->device.colliders[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        t->cpu->collider_done[s] = t->device.collider_done[s] = 0;
    }
    for (int k = 0; k < 3; k++) {
        shake(t, t->p, 2e-4 * pow(8, k), 4 + (unsigned)k);
        send(t);
        CHECK(prc_contact_predict(t->cpu, t->y, t->p, t->out, &t->error) == PRC_OK);
        CHECK(prc_contact_predict(&t->device, t->dy.data, t->dp.data, t->dout.data, &t->error) == PRC_OK);
        prc_copy_out(t->d, out, t->dout.data, t->numbers * sizeof *out);
        for (int i = 0; i < t->cpu->model->vertex_count; i++)
            CHECK(out[i] == t->out[i]);
        CHECK(prc_contact_move_colliders(t->cpu, t->out) == prc_contact_move_colliders(&t->device, t->dout.data));
        CHECK(t->cpu->collider_done[1] == t->device.collider_done[1]);
        CHECK(t->cpu->found_ahead && t->device.found_ahead);
        const prc_device_pairs *found = &prc_device_contacts_of(&t->device)->found;
        CHECK(found->point_triangle_count < t->cpu->found.point_triangle.count &&
              found->edge_edge_count < t->cpu->found.edge_edge.count);
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
    for (int k = 0; k < 4; k++) {
        prc_device_contacts_of(&t->device)->many = k < 2 ? PRC_MANY_CONTACTS : 1;
        CHECK(k % 2 || detect(t, false));
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

/* Some vertices are to go far, all others hardly anywhere; all have wandered in their balls. */
static int part_company(twin *t, int every, double far, unsigned seed)
{
    const prc_contact_view view = prc_contact_see(t->cpu);
    int leaving = 0;
    for (int i = 0; i < view.vertex_count; i++) {
        const bool goes = (unsigned)(i + seed) % (unsigned)every == 0;
        for (int c = 0; c < 3; c++) {
            const size_t k = (size_t)c * (size_t)view.stride + (size_t)i;
            t->y[k] = view.anchor[k] + 0.3 * view.ball[i] * noise(&seed);
            t->p[k] = (goes ? far : 0.05 * view.ball[i]) * noise(&seed);
        }
        leaving += prc_contact_leaving(&view, i, t->y, t->p) == 2;
    }
    return leaving;
}

static bool extend(twin *t)
{
    send(t);
    prc_contact_geometry(t->cpu, t->y);
    prc_contact_geometry(&t->device, t->dy.data);
    return prc_contact_extend(t->cpu, t->y, t->p, &t->error) == PRC_OK &&
           prc_contact_extend(&t->device, t->dy.data, t->dp.data, &t->error) == PRC_OK;
}

/* Keys are put in order by counting, or `sorted`. */
static void add_until_room_runs_out(bool sorted)
{
    TWIN(t, 0);
    if (sorted)
        prc_device_contacts_of(&t->device)->extension.few_keys = 0;
    CHECK(detect(t, false));
    const int detections = t->device.detections;
    int added = 0, colliders = 0, turns = 0, most = 0, least = INT_MAX;
    t->cpu->extensions = t->device.extensions = 0;
    for (; turns < 20; turns++) {
        const int before = t->cpu->contact_count;
        CHECK(part_company(t, turns % 3 == 0 ? 8 : 40, 4e-3, 71 + (unsigned)turns) > 5);
        CHECK(extend(t));
        if (t->device.detections > detections)
            break;
        CHECK(differing_contact(t) == -1 && same_index(t));
        CHECK(!prc_contact_leaves(t->cpu, t->y, t->p));
        for (int i = before; i < t->cpu->contact_count; i++)
            colliders += t->cpu->contacts[i].collider >= 0;
        const int more = t->cpu->contact_count - before;
        added += more;
        most = more > most ? more : most;
        least = more < least ? more : least;
        CHECK(prc_contact_move_inside(t->cpu, t->y, t->p, t->out) ==
              prc_contact_move_inside(&t->device, t->dy.data, t->dp.data, t->dout.data));
        forces(t);
        CHECK(differing_row(t) == -1);
    }
    printf("    %d contacts added in %d turns, %d of them with colliders\n", added, turns, colliders);
    CHECK(turns > 3 && turns < 20 && colliders > 10);
    CHECK(most > 2048 && least < 2048); /* entries of lists by sorting, and by counting */
    CHECK(t->device.extensions == turns && t->cpu->extensions == turns + 1);
    CHECK(prc_contact_detect(t->cpu, t->y, t->p, &t->error) == PRC_OK);
    CHECK(differing_contact(t) == -1 && same_index(t));
    discard(t);
}

TEST(contacts_added_on_a_device_are_those_that_the_cpu_adds_until_room_runs_out)
{
    add_until_room_runs_out(false);
}

TEST(contacts_added_on_a_device_whose_keys_are_sorted_are_those_that_the_cpu_adds)
{
    add_until_room_runs_out(true);
}

TEST(an_extension_without_room_for_its_pairs_leaves_the_work_to_a_detection)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    prc_buffer<prc_fresh> *pair = &prc_device_contacts_of(&t->device)->extension.pair;
    const size_t room = pair->capacity;
    const int detections = t->device.detections, extensions = t->device.extensions;
    CHECK(part_company(t, 40, 4e-3, 71) > 5);
    pair->capacity = 8;
    const bool extended = extend(t);
    pair->capacity = room;
    CHECK(extended && t->device.detections == detections + 1 && t->device.extensions == extensions);
    CHECK(prc_contact_detect(t->cpu, t->y, t->p, &t->error) == PRC_OK);
    CHECK(differing_contact(t) == -1 && same_index(t));
    discard(t);
}

TEST(contacts_are_added_on_a_device_beside_those_that_are_far_and_nobody_looks_at)
{
    TWIN(t, 0);
    prc_device_contacts_of(&t->device)->many = 1;
    CHECK(detect(t, false));
    t->cpu->extensions = t->device.extensions = 0;
    int far = 0;
    for (int k = 0; k < 4; k++) {
        const int before = t->cpu->contact_count;
        CHECK(part_company(t, 15, 4e-3, 91 + (unsigned)k) > 5);
        send(t);
        prc_contact_evaluate(t->cpu, t->y, t->x, 4e-3);
        prc_contact_evaluate(&t->device, t->dy.data, t->dx.data, 4e-3);
        far += far_apart(t);
        CHECK(prc_contact_move_inside(&t->device, t->dy.data, t->dp.data, t->dout.data) == -1);
        CHECK(prc_contact_extend(t->cpu, t->y, t->p, &t->error) == PRC_OK);
        CHECK(prc_contact_extend(&t->device, t->dy.data, t->dp.data, &t->error) == PRC_OK);
        CHECK(t->cpu->contact_count > before);
        CHECK(differing_contact(t) == -1 && same_index(t));
        CHECK(prc_contact_move_inside(t->cpu, t->y, t->p, t->out) ==
              prc_contact_move_inside(&t->device, t->dy.data, t->dp.data, t->dout.data));
        prc_contact_evaluate(t->cpu, t->out, t->x, 4e-3);
        prc_contact_evaluate(&t->device, t->dout.data, t->dx.data, 4e-3);
        CHECK(differing_contact(t) == -1 && differing_row(t) == -1);
    }
    CHECK(far > 100 && t->cpu->extensions == 4 && t->device.extensions == 4);
    discard(t);
}

TEST(contacts_added_again_and_again_on_a_device_take_no_more_memory)
{
    TWIN(t, 0);
    const size_t numbers = 3 * (size_t)t->cpu->stride;
    double *start = (double *)malloc(numbers * sizeof *start);
    memcpy(start, t->y, numbers * sizeof *start);
    size_t early = 0;
    for (int k = 0; k < 12; k++) {
        memcpy(t->y, start, numbers * sizeof *start);
        CHECK(detect(t, false));
        t->device.extensions = 0;
        for (int turn = 0; turn < 2; turn++) {
            CHECK(part_company(t, 40, 4e-3, 17 + (unsigned)turn) > 5);
            CHECK(extend(t));
        }
        CHECK(t->device.extensions == 2);
        early = k == 3 ? prc_device_count(t->d).memory : early;
    }
    CHECK(prc_device_count(t->d).memory == early);
    free(start);
    discard(t);
}

/* … and what is so far away that boxes in single precision say nothing is found in another way. */
TEST(contacts_are_not_added_on_a_device_where_boxes_overflow)
{
    TWIN(t, 0);
    CHECK(detect(t, false));
    CHECK(part_company(t, 20, 4e-3, 3) > 0);
    send(t);
    CHECK(TABLE.extend(&t->device, t->dy.data, t->dp.data));
    t->y[1] = 1e35;
    send(t);
    CHECK(!TABLE.extend(&t->device, t->dy.data, t->dp.data));
    discard(t);
}

/* … and where balls are as large as the scene, boxes meet more often than an int can count. */
TEST(contacts_are_not_added_on_a_device_where_everything_is_near_to_everything)
{
    NEED_DEVICE;
    prc_error error = {};
    prc_mesh mesh = {};
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 1;
    grid.cells[0] = grid.cells[1] = 320;
    CHECK(prc_mesh_grid(&mesh, &grid, &error) == PRC_OK);
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.contact.enabled = true;
    def.contact.thickness = 1e-3;
    prc_sim *sim = prc_sim_create(&def, &error);
    CHECK(sim);
    prc_contact_set set = sim->contact;
    const int n = set.model->vertex_count, most = prc_extend_most(n);
    const size_t numbers = 3 * (size_t)set.stride;
    CHECK((double)most * n * 6 > 2147483648.0); /* points, two triangles and three edges each */
    prc_device *d = (prc_device *)prc_device_create(KIND, &error);
    memset(&set.active, 0, sizeof set.active);
    CHECK(d && TABLE.create(&set, d, &error) == PRC_OK);
    prc_buffer<double> y = {NULL, 0}, p = {NULL, 0};
    double *far = (double *)calloc(numbers, sizeof(double));
    for (int k = 0; k < most; k++)
        far[2L * set.stride + (long)k * (n / most)] = 10;
    CHECK(prc_reserve(d, &y, numbers) && prc_reserve(d, &p, numbers));
    prc_copy_in(d, y.data, sim->view.field[PRC_FIELD_position], numbers * sizeof(double));
    prc_copy_in(d, p.data, far, numbers * sizeof(double));
    CHECK(TABLE.detect(&set, y.data, NULL, &error) == PRC_OK);
    CHECK(!TABLE.extend(&set, y.data, p.data));
    CHECK(prc_device_status(d, &error) == PRC_OK);
    TABLE.destroy(&set);
    prc_release(d, &y);
    prc_release(d, &p);
    prc_device_destroy(d);
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    free(far);
}

TEST(contacts_are_added_on_a_device_after_a_prediction_and_beside_friction_that_lags)
{
    TWIN(t, 1);
    for (int s = 0; s < 2; s++) {
        prc_collider_aim(&t->cpu->colliders[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        prc_collider_aim(&t->device.colliders[s], &t->collider[s], prc_sim_time(t->sim) + 4e-3);
        t->cpu->collider_done[s] = t->device.collider_done[s] = 0;
    }
    shake(t, t->p, 2e-3, 4);
    send(t);
    CHECK(prc_contact_predict(t->cpu, t->y, t->p, t->out, &t->error) == PRC_OK);
    CHECK(prc_contact_predict(&t->device, t->dy.data, t->dp.data, t->dout.data, &t->error) == PRC_OK);
    CHECK(prc_contact_detect(t->cpu, t->out, NULL, &t->error) == PRC_OK);
    CHECK(prc_contact_detect(&t->device, t->dout.data, NULL, &t->error) == PRC_OK);
    CHECK(prc_contact_freeze_friction(t->cpu, &t->error) == PRC_OK);
    CHECK(prc_contact_freeze_friction(&t->device, &t->error) == PRC_OK);
    CHECK(t->cpu->lagged_count > 50);
    const int before = t->cpu->contact_count;
    t->cpu->extensions = t->device.extensions = 0;
    CHECK(part_company(t, 17, 5e-3, 5) > 10);
    CHECK(extend(t));
    CHECK(t->cpu->contact_count > before + 100 && t->cpu->extensions == 1 && t->device.extensions == 1);
    CHECK(differing_contact(t) == -1 && same_index(t));
    forces(t);
    CHECK(differing_row(t) == -1);
    double found[2];
    CHECK(follow_model(t, -1, 1, found));
    CHECK(differing_row(t) == -1);
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
    if (result == PRC_OK)
        result = prc_contact_extend(&t->device, t->dy.data, t->dout.data, &t->error);
    return result;
}

TEST(a_device_out_of_memory_says_so_at_every_place_and_can_go_on_with_more)
{
    const prc_allocator failing = {failing_allocate, failing_release, NULL}, standard = {NULL, NULL, NULL};
    TWIN(t, 1);
    CHECK(detect(t, false) && part_company(t, 20, 2e-3, 7) > 0 && detect(t, false) && detect(t, true));
    for (size_t k = 0; k < t->numbers; k++)
        t->out[k] = 8 * t->p[k]; /* for the extension */
    prc_copy_in(t->d, t->dout.data, t->out, t->numbers * sizeof(double));
    TABLE.destroy(&t->device);
    const size_t without = prc_device_count(t->d).memory;
    t->device.extensions = 0;
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
            prc_contact_move(&t->device, t->dy.data, t->dp.data, t->dx.data);
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
    CHECK(t->device.extensions > 0);
    discard(t);
}
#endif

TEST_MAIN()
