/* test/test_start.c — starts that intersect or are too close: found, told, shown, opened, or exempt until they have
 * come apart. What crosses is judged by src/check. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "contact_scene.h"
#include "harness.h"

#include "base/memory.h"
#include "io/start.h"
#include "step/start.h"

#include <unistd.h>

#define THICKNESS 3e-3
#define HARD (0.8 * THICKNESS)

static scene *scene_with(prc_start start)
{
    scene *s = scene_new();
    s->def.contact.thickness = THICKNESS;
    s->def.contact.start = start;
    return s;
}

/* Why a start was refused; "" where it was not. */
static const char *refusal(scene *s)
{
    s->sim = prc_sim_create(&s->def, &s->error);
    return s->sim || s->error.code != PRC_ERROR_INPUT ? "" : s->error.message;
}

static void add_crossing_sheets(scene *s)
{
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0.1, 0)->name = "lower";
    add_sheet(s, 4, 0.2, along_x, 40, 0.013, 0.1, 0.017);
}

static bool same(const char *found, const char *expected)
{
    if (strcmp(found, expected) != 0)
        printf("    found    \"%s\"\n    expected \"%s\"\n", found, expected);
    return strcmp(found, expected) == 0;
}

/* --- refuse --- */

TEST(a_start_that_crosses_is_refused_with_counts_places_and_advice)
{
    scene *s = scene_with(PRC_START_REFUSE);
    add_crossing_sheets(s);
    CHECK(same(refusal(s),
               "contact: the start intersects in 41 places and 16 pairs are too close; move the bodies apart, or set "
               "contact.start: exempt (push_apart only widens gaps). First crossing: edge 9–14 of bodies[0] 'lower' "
               "and triangle 13–14–18 of bodies[1] at (0.1, 0.1, 0.017). First too close: vertex 11 of bodies[1] and "
               "triangle 6–12–11 of bodies[0] 'lower' at (-0.037, 0.1, 0.017), 0 m apart, more than 0.0024 m needed"));
    scene_free(s);
}

TEST(a_start_that_is_too_close_is_refused_with_counts_places_and_advice)
{
    scene *s = scene_with(PRC_START_REFUSE);
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0.1, 0)->name = "lower";
    add_sheet(s, 4, 0.2, along_y, 10, 0, 0.1 + 2e-3, 0);
    CHECK(same(refusal(s),
               "contact: 276 pairs are too close at the start; move them apart, lower contact.thickness, or set "
               "contact.start: push_apart or exempt. First too close: vertex 15 of bodies[0] 'lower' and triangle "
               "15–16–20 of bodies[1] at (-0.1, 0.1, -0.05), 0.002 m apart, more than 0.0024 m needed"));
    scene_free(s);
    s = scene_with(PRC_START_REFUSE);
    add_sheet(s, 4, 0.2, along_x, 0.5, 0, 2e-3, 0);
    add_collider(s, PRC_SHAPE_PLANE);
    CHECK(same(refusal(s), "contact: 5 pairs are too close at the start; move them apart, lower contact.thickness, or "
                           "set contact.start: push_apart or exempt. First too close: vertex 0 of bodies[0] and "
                           "colliders[0] at (-0.1, 0.001127, 0.1), 0.001127 m apart, more than 0.0012 m needed"));
    scene_free(s);
}

TEST(a_thickness_far_beyond_the_edges_is_refused_without_lists)
{
    scene *s = scene_new();
    const int choices[] = {PRC_START_REFUSE, PRC_START_PUSH_APART, PRC_START_EXEMPT};
    lay_sheet(s, 16, 1e-3, 0, 0); /* 1 mm, as of a mesh that was meant in metres */
    lay_sheet(s, 16, 1e-3, 0, 1e-4);
    s->def.contact.thickness = 5e-3;
    for (int k = 0; k < 3; k++) {
        s->def.contact.start = choices[k];
        CHECK(!scene_start(s));
        CHECK_TEXT(s->error.message, "pairs are too close, because contact.thickness is 0.005 m and edges are");
        CHECK_TEXT(s->error.message, "lower contact.thickness, or convert the meshes to metres");
    }
    prc_start_report report;
    CHECK(prc_start_examine(&s->def, &report, &s->error) == PRC_ERROR_INPUT && report.close == NULL);
    scene_free(s);
}

TEST(long_names_do_not_push_the_advice_out_of_the_message)
{
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    scene *s = scene_with(PRC_START_REFUSE);
    add_crossing_sheets(s);
    s->body[0].name = s->body[1].name = name;
    CHECK_TEXT(refusal(s), "or set contact.start: exempt");
    CHECK_TEXT(s->error.message, "0 m apart");
    scene_free(s);
}

/* --- examine, show --- */

static bool lists_all(scene *s, const prc_start_report *r)
{
    for (int k = 0; k < r->close_count; k++) {
        const prc_start_close *c = &r->close[k];
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (c->on[0][d] - c->on[1][d]) * (c->on[0][d] - c->on[1][d]);
        if (!(c->distance <= c->smallest) || fabs(sqrt(square) - fabs(c->distance)) > 1e-12 ||
            (c->collider >= 0) != (c->a_count + c->b_count == 1) || c->body[0] < 0)
            return false;
    }
    for (int k = 0; k < r->crossing_count; k++)
        if (r->crossings[k].edge_body + r->crossings[k].triangle_body != 1 ||
            (r->crossings[k].edge[0] < s->mesh[0].vertex_count) != (r->crossings[k].edge_body == 0))
            return false;
    return true;
}

TEST(everything_that_is_wrong_is_listed_whatever_the_choice)
{
    for (int choice = 0; choice < 3; choice++) {
        scene *s = scene_with((prc_start)choice);
        add_crossing_sheets(s);
        add_collider(s, PRC_SHAPE_PLANE)->center[1] = 0.05;
        prc_start_report r;
        CHECK(prc_start_examine(&s->def, &r, &s->error) == PRC_OK);
        int colliders = 0;
        for (int k = 0; k < r.close_count; k++)
            colliders += r.close[k].collider == 0;
        CHECK(r.crossing_count == 41 && r.close_count == 21 && colliders == 5 && lists_all(s, &r));
        prc_start_report_release(&r);
        CHECK(!r.crossings && !r.close && r.crossing_count == 0);
        s->def.contact.enabled = false;
        s->def.collider_count = 0;
        CHECK(prc_start_examine(&s->def, &r, &s->error) == PRC_ERROR_INPUT && !r.crossings);
        CHECK_TEXT(s->error.message, "contact.enabled");
        scene_free(s);
    }
}

TEST(the_picture_of_a_bad_start_can_be_read)
{
    scene *s = scene_with(PRC_START_REFUSE);
    add_crossing_sheets(s);
    add_collider(s, PRC_SHAPE_PLANE)->center[1] = 0.05;
    prc_start_report r;
    CHECK(prc_start_examine(&s->def, &r, &s->error) == PRC_OK);
    char folder[] = "/tmp/percale_start_XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/start.ply", folder);
    CHECK(prc_start_write(path, &r, &s->def, &s->error) == PRC_OK);
    prc_mesh mesh;
    CHECK(prc_mesh_read(&mesh, path, &s->error) == PRC_OK);
    int faces = r.crossing_count, lines = r.crossing_count + r.close_count;
    for (int k = 0; k < r.close_count; k++)
        faces += r.close[k].b_count == 3 ? 1 : r.close[k].b_count == 2 ? 2 : 0;
    faces += 8; /* triangles of the upper sheet that reach down to the plane */
    CHECK(mesh.triangle_count == faces && mesh.vertex_count == 3 * faces + 2 * lines);
    const int first = r.crossings[0].triangle[0] - s->mesh[0].vertex_count * r.crossings[0].triangle_body;
    const double *x = s->mesh[r.crossings[0].triangle_body].positions + 3 * first;
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(mesh.positions[c], x[c], 1e-8);
    prc_mesh_release(&mesh);
    CHECK(prc_start_write("/tmp/no such folder/start.ply", &r, &s->def, &s->error) == PRC_ERROR_IO);
    unlink(path);
    rmdir(folder);
    prc_start_report_release(&r);
    scene_free(s);
}

/* --- push_apart --- */

TEST(gaps_that_are_too_small_are_opened_by_little)
{
    scene *s = scene_with(PRC_START_PUSH_APART);
    s->def.gravity[1] = 0;
    for (int b = 0; b < 3; b++)
        add_sheet(s, 6, 0.3, along_y, 20 * b, 0, 0.1 + 0.3 * THICKNESS * b, 0)->velocity[0] = 0.5;
    CHECK(scene_start(s));
    double smallest;
    CHECK(crossings_now(s, &smallest) == 0 && smallest >= THICKNESS);
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.moved_vertices > 0 && start.moved_vertices <= prc_sim_vertex_count(s->sim));
    CHECK(start.largest_move > 0.3 * THICKNESS && start.largest_move < THICKNESS && start.exempt_pairs == 0);
    const double *v = prc_sim_velocities(s->sim);
    for (int i = 0; i < prc_sim_vertex_count(s->sim); i++)
        CHECK(v[3 * i] == 0.5 && v[3 * i + 1] == 0 && v[3 * i + 2] == 0);
    for (int k = 0; k < 10; k++) {
        CHECK(scene_step(s) && s->report.converged);
        CHECK(crossings_now(s, &smallest) == 0 && smallest > HARD);
    }
    scene_free(s);
}

TEST(what_is_far_enough_apart_is_not_moved)
{
    scene *s = scene_with(PRC_START_PUSH_APART);
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0, 0);
    add_sheet(s, 4, 0.2, along_y, 10, 0, 0.85 * THICKNESS, 0); /* more than the hard thickness: good as it is */
    CHECK(scene_start(s));
    CHECK(prc_sim_start(s->sim).moved_vertices == 0 && prc_sim_start(s->sim).largest_move == 0);
    CHECK(memcmp(prc_sim_positions(s->sim), s->mesh[0].positions, 75 * sizeof(double)) == 0);
    scene_free(s);
}

TEST(pinned_vertices_are_not_pushed)
{
    scene *s = scene_with(PRC_START_PUSH_APART);
    add_sheet(s, 5, 0.2, along_y, 0, 0, 0, 0);
    add_sheet(s, 4, 0.2, along_y, 10, 0, 0.3 * THICKNESS, 0);
    add_pin(s, 0, -1)->until = 1;
    CHECK(scene_start(s));
    CHECK(memcmp(prc_sim_positions(s->sim), s->mesh[0].positions, 108 * sizeof(double)) == 0);
    CHECK(prc_sim_start(s->sim).moved_vertices == 25);
    double smallest;
    CHECK(crossings_now(s, &smallest) == 0 && smallest > HARD);
    scene_free(s);
}

TEST(vertices_too_close_to_a_plane_or_a_little_inside_are_pushed_out)
{
    static const double heights[] = {0.2 * THICKNESS, -0.2 * THICKNESS};
    for (int k = 0; k < 2; k++) {
        scene *s = scene_with(PRC_START_PUSH_APART);
        add_sheet(s, 4, 0.2, along_y, 0, 0, heights[k], 0);
        add_collider(s, PRC_SHAPE_PLANE);
        CHECK(scene_start(s));
        const double *x = prc_sim_positions(s->sim);
        for (int i = 0; i < 25; i++)
            CHECK(x[3 * i + 1] >= THICKNESS / 2 && x[3 * i + 1] < 0.7 * THICKNESS);
        CHECK(prc_sim_start(s->sim).moved_vertices == 25 && scene_step(s));
        scene_free(s);
    }
}

TEST(what_cannot_be_opened_is_refused_with_what_is_left)
{
    scene *s = scene_with(PRC_START_PUSH_APART);
    for (int b = 0; b < 3; b++) /* no room for the middle one */
        add_sheet(s, 4, 0.2, along_y, 10 * b, 0, 0.7 * HARD * b, 0)->name = b == 1 ? "middle" : "held";
    add_pin(s, 0, -1);
    add_pin(s, 2, -1);
    CHECK_TEXT(refusal(s),
               "pairs are too close at the start; contact.start: push_apart could not widen the gaps; move the bodies "
               "apart, lower contact.thickness, or set contact.start: exempt. First too close: ");
    scene_free(s);
    s = scene_with(PRC_START_PUSH_APART);
    add_sheet(s, 4, 0.2, along_y, 0, 0, -2 * THICKNESS, 0);
    add_collider(s, PRC_SHAPE_PLANE);
    CHECK_TEXT(refusal(s), "contact: 25 pairs are too close at the start; contact.start: push_apart could not");
    scene_free(s);
    s = scene_with(PRC_START_PUSH_APART);
    add_crossing_sheets(s);
    CHECK_TEXT(refusal(s), "contact: the start intersects in 41 places and 16 pairs are too close; contact.start: "
                           "push_apart only widens gaps; move the bodies apart, or set contact.start: exempt. First");
    scene_free(s);
}

/* --- exempt --- */

/* A sheet that is half-way through another, which is held at its border; pulled out for `time` and pressed back. */
static scene *pull_and_press(double speed, double time)
{
    scene *s = scene_with(PRC_START_EXEMPT);
    s->def.gravity[1] = 0;
    add_sheet(s, 8, 0.2, along_y, 0, 0, 0, 0);
    add_sheet(s, 6, 0.1, along_x, 88, 0.0037, 0.013, 0.0041);
    prc_pin_def *border = add_pin(s, 0, -1), *out = add_pin(s, 1, 0.055), *back = add_pin(s, 1, 0.055);
    border->vertex_count = 0;
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        if (fabs(s->mesh[0].positions[3 * i]) > 0.099 || fabs(s->mesh[0].positions[3 * i + 2]) > 0.099)
            s->held[0][border->vertex_count++] = i;
    out->motion.velocity[1] = speed;
    back->motion.velocity[1] = -speed;
    out->until = back->from = time;
    return s;
}

TEST(what_crosses_is_exempt_until_it_has_come_apart_and_guarded_then)
{
    scene *s = pull_and_press(0.5, 0.12);
    CHECK(scene_start(s));
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.exempt_crossings == crossings_now(s, NULL) && start.exempt_crossings > 10);
    CHECK(start.exempt_pairs > 3 * start.exempt_crossings);
    int apart = 0;
    for (int k = 1; k <= 75; k++) {
        CHECK(scene_step(s));
        CHECK(s->report.exempt_crossings == crossings_now(s, NULL));
        CHECK(!apart || s->report.exempt_pairs == 0);
        apart = !apart && s->report.exempt_pairs == 0 ? k : apart;
    }
    CHECK(apart > 10 && apart < 30);
    /* Pressed back to below where it began, it has folded up on the other one, and is not through it. */
    const int top = s->pin[1].vertices[0];
    CHECK(prc_sim_positions(s->sim)[3 * (81 + top) + 1] < s->mesh[1].positions[3 * top + 1] - 0.02);
    CHECK(s->report.exempt_crossings == 0 && s->report.active_contacts > 0);
    scene_free(s);
}

TEST(nothing_crosses_but_what_is_exempt_at_any_speed)
{
    static const double speeds[] = {1, 5, 20};
    for (int k = 0; k < 3; k++) {
        scene *s = scene_with(PRC_START_EXEMPT);
        s->def.solver.max_iterations = 20;
        s->def.solver.max_substeps = 1;
        add_sheet(s, 6, 0.2, along_x, 7, 0, 0, 0)->velocity[1] = speeds[k];
        add_sheet(s, 5, 0.2, along_x, 50, 0.011, 0.013, 0.003)->velocity[2] = speeds[k];
        add_sheet(s, 5, 0.2, along_x, 20, 0.017, 0.03, 0.007)->velocity[1] = -speeds[k];
        CHECK(scene_start(s) && prc_sim_start(s->sim).exempt_crossings == crossings_now(s, NULL));
        for (int step = 0; step < 12; step++) {
            CHECK(scene_step(s));
            CHECK(s->report.exempt_crossings == crossings_now(s, NULL));
        }
        scene_free(s);
    }
}

TEST(vertices_inside_a_collider_are_exempt_until_they_are_out)
{
    scene *s = scene_with(PRC_START_EXEMPT);
    add_sheet(s, 4, 0.2, along_x, 5, 0, -0.5 * THICKNESS, 0)->velocity[1] = 0.5;
    add_collider(s, PRC_SHAPE_PLANE);
    CHECK(scene_start(s));
    const int at_first = prc_sim_start(s->sim).exempt_pairs;
    CHECK(at_first > 5 && at_first < 25 && prc_sim_start(s->sim).exempt_crossings == 0);
    CHECK(scene_step(s) && scene_step(s) && s->report.exempt_pairs > 0 && s->report.exempt_pairs < at_first);
    for (int k = 0; k < 60; k++) {
        CHECK(scene_step(s));
        const double *x = prc_sim_positions(s->sim);
        for (int i = 0; i < 25 && k > 10; i++)
            CHECK(s->report.exempt_pairs == 0 && x[3 * i + 1] > HARD / 2);
    }
    CHECK(s->report.active_contacts > 0); /* it has fallen back on the plane */
    scene_free(s);
}

TEST(a_collider_does_not_wait_for_vertices_that_are_exempt_from_it)
{
    scene *s = scene_with(PRC_START_EXEMPT);
    add_sheet(s, 4, 0.2, along_x, 5, 0, -0.1, 0);
    add_collider(s, PRC_SHAPE_PLANE)->motion.velocity[1] = 0.5;
    CHECK(scene_start(s) && prc_sim_start(s->sim).exempt_pairs == 25);
    for (int k = 0; k < 5; k++)
        CHECK(scene_step(s) && s->report.exempt_pairs == 25 && s->report.largest_lag == 0);
    scene_free(s);
}

TEST(a_squeeze_that_cannot_be_opened_is_exempt)
{
    scene *s = scene_with(PRC_START_EXEMPT);
    for (int b = 0; b < 3; b++)
        add_sheet(s, 4, 0.2, along_y, 10 * b, 0, 0.7 * HARD * b, 0);
    add_pin(s, 0, -1);
    add_pin(s, 2, -1);
    CHECK(scene_start(s));
    CHECK(prc_sim_start(s->sim).exempt_pairs > 0 && prc_sim_start(s->sim).exempt_crossings == 0);
    for (int k = 0; k < 5; k++)
        CHECK(scene_step(s) && s->report.exempt_crossings == crossings_now(s, NULL));
    scene_free(s);
}

/* The promise that run --verify relies on: a crossing that no exempt pair led to is not covered up. */
TEST(a_crossing_that_no_exempt_pair_explains_is_not_taken_over)
{
    prc_check_crossing crossing = {.edge = {7, 3}, .triangle = {5, 1, 2}};
    const prc_check_result found = {.crossings = 1, .listed_count = 1, .listed = &crossing};
    prc_exempt_set all = {0}, allowed = {0}, taken = {0};
    const double half[8] = {1, 1, 1, 1, 1, 1, 1, 1}; /* none of a collider */
    prc_contact_view view = {.half = half};
    CHECK(prc_exempt_crossings(&all, NULL, &found) == 1 && all.count == 5);
    CHECK(prc_exempt_has(&all, (const int[4]){3, 1, 2, 5}, 1) && prc_exempt_has(&all, (const int[4]){7, 2, 5, 1}, 1));
    CHECK(prc_exempt_has(&all, (const int[4]){3, 7, 1, 2}, 2) && prc_exempt_has(&all, (const int[4]){2, 5, 7, 3}, 2));
    CHECK(!prc_exempt_has(&all, (const int[4]){3, 1, 2, 6}, 1) && !prc_exempt_has(&all, (const int[4]){3, 7, 1, 6}, 2));
    CHECK(!prc_exempt_has_collider(&all, 3, 1));
    for (int v = 0; v < 500; v++) /* many others, so that the table grows */
        CHECK(prc_exempt_add(&allowed, (const int[4]){3, 1, 2, 100 + v}, 1) && prc_exempt_add_collider(&allowed, 3, v));
    CHECK(allowed.count == 1000 && prc_exempt_has_collider(&allowed, 3, 499));
    view.exempt = prc_exempt_see(&allowed);
    CHECK(prc_exempt_crossings(&taken, &view, &found) == 0 && taken.count == 0);
    CHECK(prc_exempt_add(&allowed, (const int[4]){5, 2, 3, 7}, 2));
    view.exempt = prc_exempt_see(&allowed);
    CHECK(prc_exempt_crossings(&taken, &view, &found) == 1 && taken.count == 5);
    prc_exempt_release(&all);
    prc_exempt_release(&allowed);
    prc_exempt_release(&taken);
}

/* --- states that are set later --- */

TEST(a_state_that_is_set_is_treated_like_a_start)
{
    double bad[300], good[300];
    scene *s = scene_with(PRC_START_REFUSE);
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0, 0);
    add_sheet(s, 4, 0.2, along_y, 10, 0, 0.05, 0);
    CHECK(scene_start(s));
    memcpy(good, prc_sim_positions(s->sim), 150 * sizeof *good);
    memcpy(bad, good, sizeof bad);
    for (int i = 25; i < 50; i++)
        bad[3 * i + 1] = 0.3 * bad[3 * i] + 0.001; /* tilted through the other */
    CHECK(prc_sim_set_state(s->sim, bad, NULL, &s->error) == PRC_ERROR_INPUT);
    CHECK_TEXT(s->error.message, "intersects");
    CHECK(memcmp(prc_sim_positions(s->sim), good, 150 * sizeof *good) == 0);

    s->def.contact.start = PRC_START_EXEMPT;
    prc_sim_destroy(s->sim);
    CHECK((s->sim = prc_sim_create(&s->def, &s->error)) != NULL);
    CHECK(prc_sim_start(s->sim).exempt_pairs == 0);
    CHECK(prc_sim_set_state(s->sim, bad, NULL, &s->error) == PRC_OK);
    CHECK(prc_sim_start(s->sim).exempt_crossings > 0);
    CHECK(scene_step(s) && s->report.exempt_crossings == crossings_now(s, NULL) && s->report.exempt_crossings > 0);
    CHECK(prc_sim_set_state(s->sim, good, NULL, &s->error) == PRC_OK);
    CHECK(prc_sim_start(s->sim).exempt_pairs == 0 && scene_step(s) && s->report.exempt_pairs == 0);
    scene_free(s);
}

/* --- threads, memory --- */

TEST(opening_and_exempting_give_the_same_bits_for_1_2_and_3_threads)
{
    double first[6000];
    for (int threads = 1; threads <= 3; threads++) {
        scene *s = scene_with(PRC_START_EXEMPT);
        s->def.threads = threads;
        s->def.solver.max_iterations = 10;
        s->def.solver.max_substeps = 1;
        add_sheet(s, 20, 0.3, along_y, 0, 0, 0, 0);
        add_sheet(s, 20, 0.3, along_y, 10, 0, 0.3 * THICKNESS, 0);
        add_sheet(s, 8, 0.1, along_x, 80, 0.003, 0.004, 0.005);
        CHECK(scene_start(s) && prc_sim_start(s->sim).moved_vertices > 100);
        CHECK(scene_step(s) && scene_step(s) && s->report.exempt_pairs > 0);
        const size_t bytes = 3 * sizeof(double) * (size_t)prc_sim_vertex_count(s->sim);
        CHECK(bytes < sizeof first);
        if (threads == 1)
            memcpy(first, prc_sim_positions(s->sim), bytes);
        else
            CHECK(memcmp(first, prc_sim_positions(s->sim), bytes) == 0);
        scene_free(s);
    }
}

static long allowance;

static void *allocate_some(size_t size, void *context)
{
    (void)context;
    return allowance-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

TEST(running_out_of_memory_at_the_start_is_told_and_leaks_nothing)
{
    for (int choice = 0; choice < 3; choice++) {
        scene *s = scene_with((prc_start)choice);
        add_sheet(s, 2, 0.1, along_y, 0, 0, 0, 0);
        add_sheet(s, 2, 0.1, along_x, choice == PRC_START_PUSH_APART ? 0 : 40, 0.013, 1e-3, 0.017);
        prc_set_allocator((prc_allocator){allocate_some, release, NULL});
        int failures = 0;
        for (long limit = 0; limit < 2000; limit++) {
            allowance = limit;
            s->sim = prc_sim_create(&s->def, &s->error);
            if (s->sim || s->error.code != PRC_ERROR_MEMORY)
                break;
            failures++;
        }
        allowance = 1000000;
        prc_sim_destroy(s->sim);
        s->sim = NULL;
        prc_set_allocator((prc_allocator){NULL, NULL, NULL});
        CHECK(failures > 100 && failures < 1999);
        CHECK(choice != PRC_START_REFUSE || s->error.code == PRC_ERROR_INPUT);
        scene_free(s);
    }
}

/* --- a garment made by others --- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

#define DRESS 15656 /* vertices of the dress; the mannequin's follow */

/* The part of a mesh with vertices from `first` to before `end`. */
static bool take_part(const prc_mesh *whole, int first, int end, prc_mesh *part)
{
    int *triangles = calloc((size_t)whole->triangle_count, 3 * sizeof *triangles), count = 0;
    for (int t = 0; t < whole->triangle_count; t++) {
        const int *v = whole->triangles + 3 * t;
        if (v[0] < first || v[0] >= end)
            continue;
        for (int k = 0; k < 3; k++)
            triangles[3 * count + k] = v[k] - first;
        count++;
    }
    const prc_mesh view = {.vertex_count = end - first,
                           .triangle_count = count,
                           .positions = whole->positions + 3 * first,
                           .triangles = triangles};
    const prc_result result = prc_mesh_copy(part, &view, NULL);
    free(triangles);
    return result == PRC_OK;
}

TEST(a_dress_that_crosses_its_mannequin_comes_out_by_itself)
{
    PLAIN_BUILD_ONLY("smaller scenes do the same above");
    if (access(data_path("garments/dress_knife_drape.obj"), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    prc_mesh whole;
    scene *s = scene_with(PRC_START_EXEMPT);
    CHECK(prc_mesh_read(&whole, data_path("garments/dress_knife_drape.obj"), &s->error) == PRC_OK);
    CHECK(take_part(&whole, 0, DRESS, &s->mesh[0]) && take_part(&whole, DRESS, whole.vertex_count, &s->mesh[1]));
    prc_mesh_release(&whole);
    prc_obstacle_def mannequin = prc_obstacle_def_default(); /* which may cross itself, and does */
    mannequin.mesh = &s->mesh[1];
    s->def.body_count = 1;
    s->def.obstacles = &mannequin;
    s->def.obstacle_count = 1;
    s->def.contact.thickness = 1e-3;
    s->def.solver.max_iterations = 4;
    s->def.solver.max_substeps = 1;
    CHECK(scene_start(s));
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.exempt_crossings == 528 && start.exempt_pairs > 528 && start.exempt_pairs < 5 * 528);
    CHECK(start.largest_move < 3e-3);
    for (int k = 0; k < 3; k++)
        CHECK(scene_step(s));
    CHECK(s->report.exempt_crossings > 0 && s->report.exempt_crossings < 500);
    scene_free(s);
}

TEST_MAIN()
