/* test/test_finite.c — whatever a start looks like, and however extreme its numbers are: no state is ever accepted that
 * is not finite, and a step that cannot be taken keeps the state before it and says why.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "contact_scene.h"
#include "harness.h"

#include <unistd.h>

static bool all_finite(const scene *s)
{
    const double *x = prc_sim_positions(s->sim), *v = prc_sim_velocities(s->sim);
    for (int k = 0; k < 3 * prc_sim_vertex_count(s->sim); k++)
        if (!isfinite(x[k]) || !isfinite(v[k]))
            return false;
    return true;
}

/* --- surfaces that meet at rest --- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

#define CELLS 4
#define SIDE (CELLS + 1)
#define SHEET (SIDE * SIDE) /* vertices */
#define CELL 0.02           /* m */

/* Two level sheets in one mesh, the second at `offset` from the first and rising by `slope`. Their patterns lie on each
 * other, like front and back of a shirt. */
static void make_two_in_one(prc_mesh *mesh, const double offset[3], double slope)
{
    double positions[2 * SHEET][3], texture[2 * SHEET][2];
    int triangles[4 * CELLS * CELLS][3], count = 0;
    for (int i = 0; i < 2 * SHEET; i++) {
        const int row = i % SHEET / SIDE;
        const double x = CELL * (i % SIDE), z = -CELL * row, second = i < SHEET ? 0 : 1;
        const double at[3] = {x, second * slope * z, z};
        for (int c = 0; c < 3; c++)
            positions[i][c] = at[c] + second * offset[c];
        texture[i][0] = x;
        texture[i][1] = -z;
        if (i % SIDE == CELLS || i % SHEET / SIDE == CELLS)
            continue;
        const int cell[2][3] = {{i, i + 1, i + SIDE + 1}, {i, i + SIDE + 1, i + SIDE}};
        memcpy(triangles[count], cell, sizeof cell);
        count += 2;
    }
    const prc_mesh both = {.vertex_count = 2 * SHEET,
                           .triangle_count = count,
                           .positions = positions[0],
                           .triangles = triangles[0],
                           .texture = texture[0]};
    prc_mesh_copy(mesh, &both, NULL);
}

/* Parts of a body that meet at rest have no thickness to keep, and once their barrier had no range either: its value
 * was not a number as soon as the model of a step closed the gap. */
TEST(front_and_back_whose_patterns_lie_on_each_other_collide)
{
    for (int single = 0; single < 2; single++) {
        scene *s = scene_new();
        double velocity[2 * SHEET][3] = {{0}};
        make_two_in_one(&s->mesh[0], (const double[3]){3e-3, 0.01, 5e-3}, 0);
        for (int i = SHEET; i < 2 * SHEET; i++)
            velocity[i][1] = -2;
        s->def.body_count = 1;
        s->body[0].rest = PRC_REST_TEXTURE;
        s->body[0].vertex_velocity = velocity[0];
        s->def.precision = single ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        scene_hurry(s, 30);
        CHECK(scene_start(s));
        for (int k = 0; k < 4; k++)
            CHECK(scene_step(s) && all_finite(s) && crossings_now(s, NULL) == 0);
        scene_free(s);
    }
}

TEST(a_garment_that_crosses_itself_at_rest_stays_finite_and_converges)
{
    PLAIN_BUILD_ONLY("a smaller scene does the same above");
    if (access(data_path("starts/exempt_nonfinite.obj"), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    scene *s = scene_new();
    CHECK(prc_mesh_read(&s->mesh[0], data_path("starts/exempt_nonfinite.obj"), &s->error) == PRC_OK);
    s->def.body_count = 1;
    s->def.contact.start = PRC_START_EXEMPT;
    s->def.contact.thickness = 1e-3;
    s->def.time.step = 2e-3;
    CHECK(scene_start(s) && prc_sim_start(s->sim).exempt_crossings == 79);
    for (int k = 0; k < 3; k++)
        CHECK(scene_step(s) && all_finite(s) && s->report.converged && s->report.substeps == 1);
    scene_free(s);
}

/* --- forces beyond the numbers of a precision --- */

/* A sheet that is stretched to twice its size, and pinned nowhere. */
static scene *stretched(prc_precision precision, bool contact)
{
    scene *s = scene_new();
    prc_body_def *body = add_sheet(s, 4, 0.2, along_y, 0, 0, 0, 0);
    prc_mesh with_pattern = s->mesh[0];
    double texture[25][2];
    for (int i = 0; i < 25; i++) {
        texture[i][0] = 0.5 * s->mesh[0].positions[3 * i];
        texture[i][1] = -0.5 * s->mesh[0].positions[3 * i + 2];
    }
    with_pattern.texture = texture[0];
    prc_mesh copy;
    prc_mesh_copy(&copy, &with_pattern, NULL);
    prc_mesh_release(&s->mesh[0]);
    s->mesh[0] = copy;
    body->rest = PRC_REST_TEXTURE;
    s->def.precision = precision;
    s->def.contact.enabled = contact;
    return s;
}

/* Blocks of the preconditioner are inverted by their determinant: in single precision that of 1e13 N/m is infinite. */
TEST(blocks_of_heavy_stiff_cloth_and_tiny_steps_can_be_inverted_in_single_precision)
{
    for (int contact = 0; contact < 2; contact++)
        for (int light = 0; light < 2; light++) {
            scene *s = stretched(PRC_PRECISION_SINGLE, contact);
            s->body[0].material.stretch = light ? 1e-12 : 1e10;
            s->body[0].material.bending = 0;
            s->body[0].material.density = light ? 1e-13 : 1e4;
            s->def.time.step = light ? 1 : 1e-6;
            s->def.gravity[1] = 0;
            CHECK(scene_start(s) && scene_step(s) && all_finite(s) && s->report.converged);
            scene_free(s);
        }
}

/* A state is far out, so that nothing of its step is finite; then a good one is set. */
TEST(coarse_levels_of_an_overflow_do_not_last)
{
    scene *s = banner();
    s->def.precision = PRC_PRECISION_SINGLE;
    s->def.solver.max_substeps = 1;
    CHECK(scene_start(s));
    const size_t count = 3 * (size_t)prc_sim_vertex_count(s->sim);
    double *good = malloc(count * sizeof *good), *far = malloc(count * sizeof *far);
    memcpy(good, prc_sim_positions(s->sim), count * sizeof *good);
    for (size_t k = 0; k < count; k++)
        far[k] = 1e19 * good[k];
    CHECK(prc_sim_set_state(s->sim, far, NULL, &s->error) == PRC_OK);
    prc_sim_step(s->sim, &s->report, &s->error);
    CHECK(!s->report.converged && all_finite(s));
    CHECK(prc_sim_set_state(s->sim, good, NULL, &s->error) == PRC_OK);
    CHECK(scene_step(s) && all_finite(s));
    CHECK(s->report.converged);
    free(good);
    free(far);
    scene_free(s);
}

/* What a step says that is not finite however it is taken: where, and what is not in use already. */
TEST(a_step_that_cannot_be_taken_says_where_and_advises_what_is_not_in_use)
{
    for (int single = 0; single < 2; single++)
        for (int kind = 0; kind < 3; kind++) { /* contact; newton; ncg */
            scene *s = stretched(single ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE, kind == 0);
            s->body[0].name = "sail";
            s->def.solver.method = kind == 2 ? PRC_METHOD_NCG : PRC_METHOD_NEWTON;
            const int corner = 24;
            prc_force_def force = prc_force_def_default();
            force.vertices = &corner;
            force.vertex_count = 1;
            force.force[0] = single ? 1e60 : 1e308;
            s->def.forces = &force;
            s->def.force_count = 1;
            CHECK(scene_start(s));
            double before[75];
            memcpy(before, prc_sim_positions(s->sim), sizeof before);
            CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_STATE);
            CHECK(memcmp(before, prc_sim_positions(s->sim), sizeof before) == 0 && all_finite(s));
            CHECK_TEXT(s->error.message, "the state before the step is kept");
            CHECK_TEXT(s->error.message, "a time.step below");
            CHECK(!strstr(s->error.message, "solver.method: newton") == (kind != 2));
            CHECK(!strstr(s->error.message, "precision: double") == !single);
            scene_free(s);
        }
}

/* --- all kinds of starts with all kinds of numbers --- */

typedef struct start_kind {
    const char *name;
    void (*build)(scene *s);
} start_kind;

static void two_in_one(scene *s, double x, double y, double z, double slope)
{
    make_two_in_one(&s->mesh[0], (const double[3]){x, y, z}, slope);
    s->def.body_count = 1;
}
static void twins(scene *s)
{
    two_in_one(s, 0, 0, 0, 0);
}
static void open_seam(scene *s)
{
    two_in_one(s, 0, 0, CELLS * CELL, 0.5);
}
static void through_itself(scene *s)
{
    two_in_one(s, 0.37 * CELL, 0.4 * CELL, 0, 0.5);
}
static void front_and_back(scene *s)
{
    two_in_one(s, 0.3 * CELL, 5e-3, 0, 0);
    s->body[0].rest = PRC_REST_TEXTURE;
}
static void common_corners(scene *s)
{
    add_sheet(s, 2, 0.1, along_y, 0, 0, 0, 0);
    add_sheet(s, 2, 0.1, along_x, 90, 0, 0.05, -0.05);
}
static void same_place(scene *s)
{
    add_sheet(s, 2, 0.1, along_y, 0, 0, 0, 0);
    add_sheet(s, 2, 0.1, along_y, 0, 0, 0, 0);
}
static void crossing(scene *s)
{
    add_sheet(s, 3, 0.2, along_y, 0, 0, 0.1, 0);
    add_sheet(s, 3, 0.2, along_x, 40, 0.013, 0.1, 0.017);
}
/* Rest flat, faces that touch all over. */
static void folded(scene *s)
{
    two_in_one(s, 0, 1, 0, 0);
    s->body[0].rest = PRC_REST_TEXTURE;
    for (int i = 0; i < 2 * SHEET; i++)
        if (s->mesh[0].positions[3 * i] > 2.5 * CELL)
            s->mesh[0].positions[3 * i] = 5 * CELL - s->mesh[0].positions[3 * i];
}
static void slivers(scene *s)
{
    add_sheet(s, 3, 0.1, along_y, 0, 0, 0, 0);
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        s->mesh[0].positions[3 * i] *= 1e-5;
}
static void on_a_plane(scene *s)
{
    add_sheet(s, 3, 0.1, along_y, 0, 0, 0, 0);
    add_plane(s, 0);
}
static void round_a_center(scene *s)
{
    add_sheet(s, 4, 0.1, along_y, 0, 0, 0, 0);
    add_collider(s, PRC_SHAPE_SPHERE)->radius = 0.03;
}

static const start_kind kinds[] = {{"twins", twins},
                                   {"open seam", open_seam},
                                   {"through itself", through_itself},
                                   {"front and back", front_and_back},
                                   {"common corners", common_corners},
                                   {"same place", same_place},
                                   {"crossing", crossing},
                                   {"folded", folded},
                                   {"slivers", slivers},
                                   {"on a plane", on_a_plane},
                                   {"round a center", round_a_center}};

/* Numbers of case k: one in three is ordinary, the others are extreme in one way or both. */
static void choose_numbers(scene *s, int k)
{
    static const double stretch[] = {500, 1e-3, 1e9}, density[] = {0.2, 1e-6, 1e4}, gravity[] = {9.81, 1e6, 0},
                        step[] = {4e-3, 1e-6, 1};
    for (int b = 0; b < s->def.body_count; b++) {
        s->body[b].material.stretch = stretch[k % 3];
        s->body[b].material.density = density[k / 3 % 3];
    }
    s->def.gravity[1] = -gravity[k / 9 % 3];
    s->def.time.step = step[k / 27 % 3];
    s->def.contact.friction = k % 2 ? 0.5 : 0;
}

/* What a report says of a step must be finite too; and only what has small forces left may be called converged. */
static bool steps_stay_finite(scene *s)
{
    for (int k = 0; k < 2; k++) {
        if (!scene_step(s) || !all_finite(s))
            return false;
        const prc_step_report *r = &s->report;
        if (!isfinite(r->residual) || !isfinite(r->decrement) || !isfinite(r->energy_elastic + r->energy_kinetic))
            return false;
    }
    return true;
}

TEST(no_start_leads_to_a_state_that_is_not_finite)
{
    const int every = TEST_SANITIZED ? 211 : 53;
    int started = 0, next = 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int k = 0; k < 6 * 81; k++) {
            if (++next % every)
                continue;
            scene *s = scene_new();
            kinds[kind].build(s);
            choose_numbers(s, k % 81);
            scene_hurry(s, 6);
            s->def.contact.start = (prc_start)(k / 81 % 3);
            s->def.precision = k / 243 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE;
            s->sim = prc_sim_create(&s->def, &s->error); /* may be refused, with a message */
            const bool fine = s->sim ? steps_stay_finite(s) : s->error.code == PRC_ERROR_INPUT;
            if (!fine)
                printf("    %s, numbers %d, start %d, precision %d\n", kinds[kind].name, k % 81, s->def.contact.start,
                       s->def.precision);
            started += s->sim != NULL;
            scene_free(s);
            CHECK(fine);
        }
    CHECK(started > 6 * 81 * 11 / every / 3);
}

TEST_MAIN()
