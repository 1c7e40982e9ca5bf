/* test/test_shells.c — colliders that are meshes keep out whole surfaces: spikes between vertices, corners, thin parts;
 * callers see them as colliders. And how such a surface is made of a field, and asked what is inside.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/shell.h"
#include "contact_scene.h"
#include "harness.h"
#include "revolve.h"
#include "step/place.h"

/* --- meshes --- */

#define MOST_PARTS 3

/* A plate of 0.2 × 0.02 × 0.2 m below y = 0, and spikes that stand on it; as separate closed parts that overlap. */
typedef struct spiked {
    double positions[3 * (8 + 4 * MOST_PARTS)];
    int triangles[3 * (12 + 4 * MOST_PARTS)];
    prc_mesh mesh;
} spiked;

static void add_box(spiked *s, double width, double height)
{
    static const int corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const int first = s->mesh.vertex_count;
    for (int v = 0; v < 8; v++) {
        double *x = s->positions + 3 * (first + v);
        x[0] = (v & 1 ? 0.5 : -0.5) * width;
        x[1] = v & 2 ? 0 : -height;
        x[2] = (v & 4 ? 0.5 : -0.5) * width;
    }
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++)
            s->triangles[3 * s->mesh.triangle_count + 3 * t + k] = first + corners[t][k];
    s->mesh.vertex_count += 8;
    s->mesh.triangle_count += 12;
}

#define CORNER(k) (0.2 + 2 * 3.14159265358979323846 * (k) / 3) /* of a spike seen from above, radians */

/* A thin pyramid of three sides, 2 mm wide at y = `foot`, up to `tip`. */
static void add_spike(spiked *s, double at_x, double at_z, double foot, double tip)
{
    static const int corners[4][3] = {{0, 1, 2}, {0, 2, 3}, {1, 3, 2}, {0, 3, 1}};
    const int first = s->mesh.vertex_count;
    for (int v = 0; v < 4; v++) {
        double *x = s->positions + 3 * (first + v);
        x[0] = at_x + (v < 3 ? 1e-3 * cos(CORNER(v)) : 0);
        x[1] = v < 3 ? foot : tip;
        x[2] = at_z + (v < 3 ? 1e-3 * sin(CORNER(v)) : 0);
    }
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++)
            s->triangles[3 * s->mesh.triangle_count + 3 * t + k] = first + corners[t][k];
    s->mesh.vertex_count += 4;
    s->mesh.triangle_count += 4;
}

static void begin(spiked *s)
{
    memset(s, 0, sizeof *s);
    s->mesh.positions = s->positions;
    s->mesh.triangles = s->triangles;
}

static double volume_of(const prc_mesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const double *a = mesh->positions + 3 * mesh->triangles[3 * t],
                     *b = mesh->positions + 3 * mesh->triangles[3 * t + 1],
                     *c = mesh->positions + 3 * mesh->triangles[3 * t + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

static double random_between(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 33) / 2147483648.0;
}

/* --- surfaces of fields --- */

static int compare_pairs(const void *a, const void *b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Whether every edge is passed once in each direction. */
static bool is_closed(const prc_mesh *mesh)
{
    const int count = 3 * mesh->triangle_count;
    int(*forth)[2] = malloc(sizeof *forth * (size_t)count), (*back)[2] = malloc(sizeof *back * (size_t)count);
    for (int k = 0; k < count; k++) {
        forth[k][0] = back[k][1] = mesh->triangles[k];
        forth[k][1] = back[k][0] = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
    }
    qsort(forth, (size_t)count, sizeof *forth, compare_pairs);
    qsort(back, (size_t)count, sizeof *back, compare_pairs);
    bool closed = memcmp(forth, back, sizeof *forth * (size_t)count) == 0;
    for (int k = 1; k < count; k++)
        closed = closed && compare_pairs(forth[k - 1], forth[k]) != 0;
    free(forth);
    free(back);
    return closed;
}

TEST(the_surface_of_a_field_is_closed_faces_outwards_and_is_where_the_field_is_zero)
{
    prc_mesh bowl = make_bowl(40), surface;
    prc_sdf *f = prc_sdf_build(&bowl, 30, 0, 1, NULL);
    CHECK(f && prc_sdf_surface(&surface, f, NULL) == PRC_OK);
    CHECK(surface.triangle_count > 1000 && is_closed(&surface));
    double worst = 0, area = 0, outwards = 0;
    for (int v = 0; v < surface.vertex_count; v++)
        worst = fmax(worst, fabs(prc_sdf_distance(f, surface.positions + 3 * v, NULL)));
    for (int t = 0; t < surface.triangle_count; t++) {
        const double *x[3];
        double n[3], gradient[3], middle[3];
        for (int k = 0; k < 3; k++)
            x[k] = surface.positions + 3 * surface.triangles[3 * t + k];
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            n[c] = (x[1][d] - x[0][d]) * (x[2][e] - x[0][e]) - (x[1][e] - x[0][e]) * (x[2][d] - x[0][d]);
            middle[c] = (x[0][c] + x[1][c] + x[2][c]) / 3;
        }
        prc_sdf_distance(f, middle, gradient);
        area += sqrt(prc_dot3(n, n));
        outwards += prc_dot3(n, gradient) > 0 ? sqrt(prc_dot3(n, n)) : 0;
    }
    printf("    %d triangles, %.3g off, %.5f of the area outwards, volume %.5f of %.5f\n", surface.triangle_count,
           worst, outwards / area, volume_of(&surface), volume_of(&bowl));
    CHECK(worst < 1e-14);
    CHECK(outwards > 0.999 * area);
    CHECK_NEAR(volume_of(&surface), volume_of(&bowl), 0.02 * volume_of(&bowl));
    prc_mesh_release(&surface);
    prc_sdf_destroy(f);
    free_revolved(&bowl);
}

TEST(a_field_without_a_node_inside_has_no_surface_and_a_mesh_that_thin_is_refused_only_as_a_field)
{
    spiked s;
    prc_error error;
    prc_mesh surface, shell;
    begin(&s);
    add_spike(&s, 0, 0, 0, 0.1);
    CHECK(!prc_sdf_build(&s.mesh, 32, 0, 1, &error));
    CHECK_TEXT(error.message, "too coarse");
    prc_sdf *f = prc_sdf_build_thin(&s.mesh, 32, 0, 1, &error);
    CHECK(f && prc_sdf_surface(&surface, f, &error) == PRC_OK && surface.triangle_count == 0);
    CHECK(prc_shell_make(&shell, NULL, f, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "no grid node is inside");
    prc_mesh_release(&shell);
    prc_sdf_destroy(f);
}

/* --- inside --- */

/* A box and a spike that overlap, on random points and on the planes and edges of both. */
TEST(a_field_reaches_no_farther_than_its_collider_is_deep)
{
    scene *s = scene_new();
    prc_mesh bead;
    CHECK(prc_mesh_sphere(&bead, 0.01, 1, &s->error) == PRC_OK);
    s->def.contact.thickness = 0.5; /* a hundred times as much as would do */
    lay_sheet(s, 2, 1, 0, 1);
    prc_collider_def *collider = add_collider(s, PRC_SHAPE_MESH);
    collider->mesh = &bead;
    collider->resolution = 16;
    CHECK(scene_start(s));
    CHECK(prc_sdf_node_count(s->sim->fields[0]) < 50000);
    scene_free(s);
    prc_mesh_release(&bead);
}

TEST(what_is_inside_a_mesh_is_known_exactly_also_where_its_field_errs)
{
    spiked s;
    prc_mesh shell;
    begin(&s);
    add_box(&s, 0.2, 0.1);
    add_spike(&s, 0.01, 0.02, -0.05, 0.1);
    prc_sdf *f = prc_sdf_build_thin(&s.mesh, 16, 0, 1, NULL);
    CHECK(f && prc_shell_make(&shell, &s.mesh, f, NULL) == PRC_OK);
    uint64_t state = 7;
    int inside = 0, missed = 0;
    for (int k = 0; k < 20000; k++) {
        const bool near_spike = k % 2;
        double x[3] = {random_between(&state, -0.12, 0.12), random_between(&state, -0.12, 0.12),
                       random_between(&state, -0.12, 0.12)},
               q[3];
        if (near_spike) {
            x[0] = random_between(&state, 0.0085, 0.0115);
            x[2] = random_between(&state, 0.0185, 0.0215);
        }
        /* its three sides stand 0.5 mm from the axis at the foot */
        double out = -INFINITY;
        for (int side = 0; side < 3; side++)
            out = fmax(out, (x[0] - 0.01) * cos(CORNER(side + 0.5)) + (x[2] - 0.02) * sin(CORNER(side + 0.5)));
        const bool in_box = fabs(x[0]) < 0.1 && fabs(x[2]) < 0.1 && x[1] < 0 && x[1] > -0.1;
        const bool in_spike = x[1] > -0.05 && out < 0.5e-3 * (0.1 - x[1]) / 0.15;
        for (int c = 0; c < 3; c++)
            q[c] = x[c] - f->middle[c];
        CHECK(prc_shell_contains(&shell, f, q, INFINITY) == (in_box || in_spike));
        CHECK(prc_shell_contains(&shell, f, q, 0.8661 * f->cell) == (in_box || in_spike));
        inside += in_box || in_spike;
        missed += in_spike && prc_sdf_at(f, x, NULL) > 0;
        const double near = prc_shell_distance(&shell, f, q, 0.8661 * f->cell, 0.02);
        CHECK(near >= 0 && near <= 0.02);
        CHECK_NEAR(fmin(near, 0.02), prc_shell_distance(&shell, f, q, INFINITY, 0.02), 0);
    }
    printf("    %d inside, of which the field misses %d\n", inside, missed);
    CHECK(inside > 2000 && missed > 50);
    prc_mesh_release(&shell);
    prc_sdf_destroy(f);
}

TEST(vertices_that_no_triangle_has_are_no_part_of_a_surface)
{
    spiked s;
    prc_mesh shell;
    begin(&s);
    add_box(&s, 0.2, 0.1);
    s.mesh.vertex_count += 2; /* in the origin */
    prc_sdf *f = prc_sdf_build(&s.mesh, 16, 0, 1, NULL);
    CHECK(prc_shell_make(&shell, &s.mesh, f, NULL) == PRC_OK);
    CHECK(shell.vertex_count == 8 && shell.triangle_count == 12);
    CHECK_NEAR(volume_of(&shell), 0.004, 1e-15);
    prc_mesh_release(&shell);
    prc_sdf_destroy(f);
}

/* --- cloth --- */

/* A sheet at `height` over a mesh. */
static scene *sheet_over(const spiked *s, int cells, double height)
{
    scene *made = scene_new();
    add_sheet(made, cells, 0.2, along_y, 0, 0, height, 0);
    prc_collider_def *c = add_collider(made, PRC_SHAPE_MESH);
    c->mesh = &s->mesh;
    c->resolution = 32;
    return made;
}

/* Whether the vertices of the mesh are where the pose of its collider has them. */
static bool is_rigid(scene *s)
{
    const prc_shell *shell = &s->sim->shells[0];
    const prc_pose *pose = &s->sim->contact.colliders[0].now;
    const int first = s->sim->model.bodies[shell->body].first_vertex;
    double off = 0, at[3], x[3];
    prc_sim_fetch(s->sim);
    for (int v = 0; v < shell->mesh.vertex_count; v++) {
        prc_pose_apply(pose, shell->mesh.positions + 3 * v, at);
        prc_take3(s->sim->model.view.field[PRC_FIELD_position], s->sim->view.padded_count, first + v, x);
        for (int c = 0; c < 3; c++)
            off = fmax(off, fabs(at[c] - x[c]));
    }
    if (off > 1e-13)
        printf("    at %g s: a vertex of the mesh is %.3g m off\n", prc_sim_time(s->sim), off);
    return off <= 1e-13;
}

static bool run_rigidly(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!scene_run_safely(s, 1) || !is_rigid(s))
            return false;
    return true;
}

/* A needle 2 mm thick under the middle of one triangle of a grid of two by two cells. Its field has no node inside. */
TEST(a_needle_under_the_middle_of_a_triangle_is_not_passed)
{
    spiked m;
    begin(&m);
    add_spike(&m, 0.035, 0.06, -0.1, 0.05);
    scene *s = sheet_over(&m, 2, 0.056);
    s->body[0].velocity[1] = -1;
    CHECK(scene_start(s));
    CHECK(scene_run_safely(s, 60));
    scene_free(s);
}

TEST(a_mesh_with_spikes_between_the_vertices_of_cloth_holds_it_up)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.2, 0.02);
    add_spike(&m, 0.031, 0.013, -0.01, 0.05);
    add_spike(&m, -0.033, 0.021, -0.01, 0.05);
    add_spike(&m, 0.004, -0.042, -0.01, 0.05);
    scene *s = sheet_over(&m, 4, 0.056);
    s->collider[0].friction = 1;
    s->body[0].velocity[1] = -1;
    s->body[0].material.bending = 1e-3;
    CHECK(scene_start(s));
    CHECK(scene_run_safely(s, 100));
    const double *x = prc_sim_positions(s->sim);
    const double middle = x[3 * 12 + 1];
    printf("    the middle is at %.4f m, %d steps not converged\n", middle, s->unconverged);
    CHECK(middle > 0.03);
    scene_free(s);
}

/* Held at all vertices, with a spike that is to go far through a face: the spike waits, and is named. */
TEST(a_spike_that_pinned_cloth_stops_waits_and_the_report_names_its_collider)
{
    spiked m;
    begin(&m);
    add_spike(&m, 0.03, 0.055, -0.1, 0.05);
    scene *s = sheet_over(&m, 2, 0.06);
    add_pin(s, 0, -1);
    s->collider[0].motion.velocity[1] = 2;
    CHECK(scene_start(s));
    CHECK(run_rigidly(s, 30));
    double turn[9], shift[3];
    prc_sim_collider_pose(s->sim, 0, turn, shift);
    printf("    lag %.4f m\n", s->report.largest_lag);
    CHECK(s->report.largest_lag > 0.05);
    CHECK_NEAR(shift[1] + s->report.largest_lag, 0.24, 1e-12);
    CHECK(s->report.lag_collider == 0 && s->report.lag_body == -1 && s->report.lag_vertex == -1);
    scene_free(s);
}

TEST(a_mesh_that_turns_with_its_spikes_sweeps_cloth_and_never_passes_it)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.2, 0.02);
    add_spike(&m, 0.06, 0.03, -0.01, 0.05);
    add_spike(&m, -0.05, 0.02, -0.01, 0.05);
    scene *s = sheet_over(&m, 4, 0.056);
    s->collider[0].motion.degrees_per_second = 720;
    s->collider[0].motion.axis[0] = 0.2;
    s->collider[0].friction = 0.3;
    scene_hurry(s, 30);
    CHECK(scene_start(s));
    CHECK(run_rigidly(s, 60));
    scene_free(s);
}

/* Turned by hand against a frame of pinned cloth, and by keys before that: it stops where it meets it, in one piece. */
TEST(a_mesh_moved_by_keys_and_by_hand_keeps_its_shape_where_it_is_stopped)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.2, 0.02);
    add_spike(&m, 0.03, 0.055, -0.01, 0.05);
    scene *s = sheet_over(&m, 2, 0.06);
    const prc_pose_key keys[2] = {{0, {0, 0, 0}, {0, 1, 0}, 0}, {0.04, {0, 0, 0}, {0, 1, 0}, 20}};
    add_pin(s, 0, -1);
    s->collider[0].motion.keys = keys;
    s->collider[0].motion.key_count = 2;
    CHECK(scene_start(s) && run_rigidly(s, 12));
    CHECK(s->report.largest_lag == 0);
    const prc_pose_key hand = {0, {0, 0.02, 0}, {0, 0, 1}, 40};
    CHECK(prc_sim_move_collider(s->sim, 0, &hand, &s->error) == PRC_OK);
    CHECK(run_rigidly(s, 10));
    CHECK(s->report.largest_lag > 0.01 && s->report.lag_collider == 0);
    CHECK(prc_sim_move_collider(s->sim, 0, NULL, &s->error) == PRC_OK);
    CHECK(run_rigidly(s, 10));
    CHECK(s->report.largest_lag == 0);
    scene_free(s);
}

/* --- as a collider of the same shape --- */

static double resting_height(bool mesh)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.3, 0.1);
    scene *s = sheet_over(&m, 6, 0.0026);
    s->collider[0].friction = 0.5;
    if (!mesh) {
        s->collider[0].shape = PRC_SHAPE_BOX;
        s->collider[0].size[0] = s->collider[0].size[2] = 0.3;
        s->collider[0].size[1] = 0.1;
        s->collider[0].center[1] = -0.05;
    }
    const bool safe = scene_start(s) && scene_run_safely(s, 100);
    const double height = safe ? mean_of(s, prc_sim_positions(s->sim), 0, 1) : NAN;
    printf("    %s: %.6f m, speed %.2g m/s\n", mesh ? "mesh" : "box", height, s->report.largest_speed);
    scene_free(s);
    return height;
}

TEST(cloth_lies_on_a_box_that_is_a_mesh_as_high_as_on_a_box)
{
    CHECK_NEAR(resting_height(true), resting_height(false), 1e-4);
}

/* On a slope of 20 degrees: tan 20° = 0.364. */
static double slid(double friction, double of_body)
{
    spiked m;
    begin(&m);
    add_box(&m, 1, 0.1);
    scene *s = sheet_over(&m, 4, 0);
    prc_mesh_transform(&s->mesh[0], (const double[3]){0, 0, 1}, 20, 1,
                       (const double[3]){-0.0026 * sin(0.34906585), 0.0026 * cos(0.34906585), 0});
    s->collider[0].friction = friction;
    s->body[0].friction = of_body;
    s->collider[0].rotate.axis[1] = 0;
    s->collider[0].rotate.axis[2] = 1;
    s->collider[0].rotate.degrees = 20;
    double way = NAN;
    if (scene_start(s)) {
        way = mean_of(s, prc_sim_positions(s->sim), 0, 0);
        way = scene_run_safely(s, 50) ? (way - mean_of(s, prc_sim_positions(s->sim), 0, 0)) / cos(0.34906585) : NAN;
    }
    scene_free(s);
    return way;
}

TEST(friction_on_a_mesh_is_the_colliders_or_else_the_bodys)
{
    const double free = 0.5 * 9.81 * (sin(0.34906585) - 0.2 * cos(0.34906585)) * 0.2 * 0.204; /* of implicit Euler */
    CHECK(slid(0.6, 0) < 2e-3);
    CHECK(slid(-1, 0.6) < 2e-3);
    CHECK_NEAR(slid(0.2, 0.9), free, 0.03 * free);
}

/* --- what callers see --- */

TEST(callers_see_a_mesh_as_a_collider_and_none_of_its_vertices)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.3, 0.1);
    scene *s = sheet_over(&m, 4, 0.0026);
    CHECK(scene_start(s));
    CHECK(prc_sim_vertex_count(s->sim) == 25 && prc_sim_body_count(s->sim) == 1 && prc_sim_collider_count(s->sim) == 1);
    CHECK(prc_sim_set_friction(s->sim, 1, 0.1, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_move_obstacle(s->sim, 0, NULL, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_collider_friction(s->sim, 0, 0.4, &s->error) == PRC_OK);
    CHECK(prc_sim_set_friction(s->sim, -1, 0.1, &s->error) == PRC_OK);
    double x[75], v[75];
    memcpy(x, prc_sim_positions(s->sim), sizeof x);
    memset(v, 0, sizeof v);
    CHECK(prc_sim_set_state(s->sim, x, v, &s->error) == PRC_OK);
    const prc_pose_key pose = {0, {0.5, 0, 0}, {0, 1, 0}, 90};
    double turn[9], shift[3];
    CHECK(scene_run_safely(s, 60));
    CHECK(s->report.lag_collider == -1 && s->report.largest_lag == 0 && s->report.largest_speed < 0.1);

    const prc_contact_point *points;
    int count;
    CHECK(prc_sim_contacts(s->sim, &points, &count, &s->error) == PRC_OK && count > 0);
    double force = 0, mass = 0;
    for (int k = 0; k < count; k++) {
        CHECK(points[k].collider == 0 && points[k].body[0] == 0 && points[k].body[1] == -1);
        CHECK(points[k].a_count >= 1 && points[k].a_count <= 3 && points[k].b_count == 0);
        CHECK(points[k].normal[1] > 0.9 && points[k].point[1] > 0 && points[k].vertices[0] < 25);
        force += points[k].force[1];
    }
    for (int i = 0; i < 25; i++)
        mass += prc_sim_masses(s->sim)[i];
    CHECK_NEAR(force, 9.81 * mass, 0.02 * 9.81 * mass);

    CHECK(prc_sim_move_collider(s->sim, 0, &pose, &s->error) == PRC_OK && scene_step(s) && scene_safe(s));
    prc_sim_collider_pose(s->sim, 0, turn, shift);
    CHECK_NEAR(shift[0], 0.5, 1e-12);
    CHECK_NEAR(turn[2], 1, 1e-12);
    CHECK(s->report.largest_speed < 100);
    scene_free(s);
}

/* What the start of a scene is refused with. */
static const char *refusal(scene *s)
{
    prc_sim *sim = prc_sim_create(&s->def, &s->error);
    if (sim)
        s->error.message[0] = '\0';
    prc_sim_destroy(sim);
    return s->error.message;
}

TEST(a_start_inside_or_on_the_point_of_a_mesh_is_refused_with_its_name)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.3, 0.1);
    add_spike(&m, 0.03, 0.055, -0.01, 0.05);
    scene *s = sheet_over(&m, 2, -0.05);
    CHECK_TEXT(refusal(s), "9 pairs are too close");
    CHECK_TEXT(refusal(s), " of bodies[0] and colliders[0]");
    scene_free(s);
    s = sheet_over(&m, 2, 0.03);
    CHECK_TEXT(refusal(s), "too close at the start");
    CHECK_TEXT(refusal(s), "triangle 1–2–4 of bodies[0] and colliders[0]");
    prc_start_report report;
    CHECK(prc_start_examine(&s->def, &report, &s->error) == PRC_OK);
    CHECK(report.crossing_count == 0 && report.close_count > 0);
    for (int k = 0; k < report.close_count; k++)
        CHECK(report.close[k].collider == 0 && report.close[k].b_count == 0 && report.close[k].body[1] == -1);
    prc_start_report_release(&report);
    scene_free(s);
    s = sheet_over(&m, 2, 0.0011);
    s->def.contact.start = PRC_START_PUSH_APART;
    CHECK_TEXT(refusal(s), "push_apart could not widen the gaps"); /* the spike is through it */
    scene_free(s);
}

TEST(vertices_a_little_inside_a_mesh_are_pushed_out)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.3, 0.1);
    scene *s = sheet_over(&m, 2, -0.001);
    s->def.contact.start = PRC_START_PUSH_APART;
    CHECK(scene_start(s) && scene_safe(s));
    CHECK(prc_sim_start(s->sim).moved_vertices == 9);
    CHECK(prc_sim_positions(s->sim)[1] > 0);
    CHECK(scene_run_safely(s, 10));
    scene_free(s);
}

/* Thrown upwards from inside: free until it is out, kept out when it comes back. */
TEST(cloth_inside_a_mesh_is_exempt_until_it_is_out_and_kept_out_then)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.3, 0.1);
    scene *s = sheet_over(&m, 2, -0.05);
    prc_mesh_transform(&s->mesh[0], (const double[3]){0, 0, 1}, 10, 1, (const double[3]){0, 0, 0});
    s->def.contact.start = PRC_START_EXEMPT;
    s->body[0].velocity[1] = 2;
    CHECK(scene_start(s));
    CHECK(prc_sim_start(s->sim).exempt_pairs == 9 && prc_sim_start(s->sim).exempt_crossings == 0);
    int most = 0;
    for (int k = 0; k < 40; k++) {
        CHECK(scene_step(s));
        most = s->report.exempt_crossings > most ? s->report.exempt_crossings : most;
    }
    CHECK(most > 0 && s->report.exempt_pairs == 0 && s->report.exempt_crossings == 0);
    CHECK(scene_run_safely(s, 100));
    CHECK(mean_of(s, prc_sim_positions(s->sim), 0, 1) > 0);
    scene_free(s);
}

/* --- bits --- */

static scene *tumbling(const spiked *m, int threads, prc_backend_kind backend)
{
    scene *s = sheet_over(m, 8, 0.056);
    s->collider[0].motion.degrees_per_second = 180;
    s->collider[0].motion.velocity[1] = 0.1;
    s->collider[0].friction = 0.3;
    s->def.threads = threads;
    s->def.backend = backend;
    scene_hurry(s, 20);
    return s;
}

TEST(a_run_with_a_mesh_goes_on_to_the_same_bits_with_any_number_of_threads)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.2, 0.02);
    add_spike(&m, 0.03, 0.02, -0.01, 0.05);
    scene *s = tumbling(&m, 1, PRC_BACKEND_CPU), *other = tumbling(&m, 3, PRC_BACKEND_CPU);
    CHECK(scene_start(s) && scene_start(other) && scene_run_safely(s, 15));
    const size_t size = prc_sim_saved_size(s->sim);
    void *bytes = malloc(size);
    prc_sim_save(s->sim, bytes);
    CHECK(prc_sim_restore(other->sim, bytes, size, &s->error) == PRC_OK);
    for (int k = 0; k < 15; k++)
        CHECK(scene_step(s) && scene_step(other));
    CHECK(memcmp(prc_sim_positions(s->sim), prc_sim_positions(other->sim), 81 * 3 * sizeof(double)) == 0);
    double turn[2][9], shift[2][3];
    prc_sim_collider_pose(s->sim, 0, turn[0], shift[0]);
    prc_sim_collider_pose(other->sim, 0, turn[1], shift[1]);
    CHECK(memcmp(turn[0], turn[1], sizeof turn[0]) == 0 && memcmp(shift[0], shift[1], sizeof shift[0]) == 0);
    free(bytes);
    scene_free(s);
    scene_free(other);
}

TEST(a_device_meets_meshes_as_the_cpu_does)
{
    spiked m;
    begin(&m);
    add_box(&m, 0.2, 0.02);
    add_spike(&m, 0.03, 0.02, -0.01, 0.05);
    scene *s = tumbling(&m, 1, PRC_BACKEND_DEVICE_ON_HOST), *cpu = tumbling(&m, 1, PRC_BACKEND_CPU);
    CHECK(scene_start(s) && scene_start(cpu));
    CHECK(run_rigidly(s, 12) && run_rigidly(cpu, 12));
    double most = 0;
    const double *x = prc_sim_positions(s->sim), *y = prc_sim_positions(cpu->sim);
    for (int k = 0; k < 81 * 3; k++)
        most = fmax(most, fabs(x[k] - y[k]));
    printf("    %.3g m apart after 12 steps\n", most);
    CHECK(most < 1e-3);
    scene_free(s);
    scene_free(cpu);
}

/* A field alone is a collider too: its surface is made of it. */
TEST(a_field_without_its_mesh_keeps_cloth_out_all_the_same)
{
    prc_mesh ball;
    CHECK(prc_mesh_sphere(&ball, 0.1, 2, NULL) == PRC_OK);
    prc_sdf *f = prc_sdf_build(&ball, 12, 0.01, 1, NULL);
    scene *s = scene_new();
    add_sheet(s, 6, 0.3, along_y, 10, 0, 0.11, 0);
    add_collider(s, PRC_SHAPE_MESH)->field = f;
    CHECK(scene_start(s));
    CHECK(scene_run_safely(s, 60));
    CHECK(s->report.active_contacts > 0);
    scene_free(s);
    prc_sdf_destroy(f);
    prc_mesh_release(&ball);
}

TEST_MAIN()
