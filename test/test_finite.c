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
        const double x = CELL * (i % SIDE), z = -CELL * (i % SHEET / SIDE), second = i < SHEET ? 0 : 1;
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

TEST_MAIN()
