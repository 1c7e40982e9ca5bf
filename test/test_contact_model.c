/* test/test_contact_model.c — the model of contact that an iteration minimises, and what it and fading edges buy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

/* Two sheets of equal cells, one over the other, `gap` apart; the upper one falls at `speed`. */
static bool start_sheets(scene *s, int cells, double gap, double speed, double friction)
{
    scene_init(s);
    s->def.gravity[1] = 0;
    s->def.time.step = 1e-3;
    s->def.contact.friction = friction;
    s->def.body_count = 2;
    for (int b = 0; b < 2; b++) {
        prc_grid_def grid = prc_grid_def_default();
        grid.size[0] = grid.size[1] = 0.3;
        grid.cells[0] = grid.cells[1] = cells;
        if (prc_mesh_grid(&s->mesh[b], &grid, NULL) != PRC_OK)
            return false;
        const double place[3] = {b * 1e-3, b * gap, b * 2e-3};
        prc_mesh_transform(&s->mesh[b], (const double[3]){1, 0, 0}, -90, 1, place);
    }
    s->body[1].velocity[1] = -speed;
    return scene_start(s);
}

/* Their edges are parallel, all of them: closest points jump at the least turn. */
TEST(sheets_with_parallel_edges_meet_and_every_step_converges)
{
    for (int friction = 0; friction < 2; friction++) {
        scene s;
        int most = 0, felt = 0;
        CHECK(start_sheets(&s, 12, 0.02, 10, 0.3 * friction));
        for (int k = 0; k < 12; k++) {
            prc_step_report report;
            CHECK(prc_sim_step(s.sim, &report, NULL) == PRC_OK);
            CHECK(report.converged);
            most = report.iterations > most ? report.iterations : most;
            felt = report.active_contacts > felt ? report.active_contacts : felt;
        }
        printf("    at most %d iterations and %d contacts\n", most, felt);
        CHECK(felt > 500 && most < 40);
        scene_end(&s);
    }
}

/* A state in contact, and a move of every vertex from there. */
static prc_contact_set *touch(scene *s, double **y, double **p)
{
    if (!start_sheets(s, 6, 3.4e-3, 0.5, 0.4))
        return NULL;
    prc_sim_step(s->sim, NULL, NULL);
    prc_contact_set *set = &s->sim->contact;
    const size_t n = 3 * (size_t)set->stride;
    unsigned seed = 5;
    *y = s->sim->view.field[PRC_FIELD_position];
    *p = calloc(n, sizeof **p);
    for (size_t k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        (*p)[k] = 4e-4 * ((double)(seed >> 8) / 8388608.0 - 1);
    }
    return prc_contact_detect(set, *y, *p, NULL) == PRC_OK ? set : NULL;
}

TEST(the_slope_of_the_model_is_the_work_of_its_forces)
{
    scene s;
    double *y, *p;
    prc_contact_set *set = touch(&s, &y, &p);
    CHECK(set != NULL);
    double *none = calloc(3 * (size_t)set->stride, sizeof *none), work = 0;
    prc_contact_forces(set, y, s.sim->view.field[PRC_FIELD_position_before], 1e-3);
    const int felt = set->active.count;
    prc_contact_aim(set, y, s.sim->view.field[PRC_FIELD_position_before], none, p);
    for (int r = 0; r < set->active.count; r++)
        for (int v = 0; v < set->active.rows[r].count; v++)
            for (int c = 0; c < 3; c++)
                work += set->active.rows[r].w[v] * set->active.rows[r].f[c] *
                        p[(long)c * set->stride + set->active.rows[r].v[v]];
    CHECK(felt > 20 && fabs(work) > 0);
    CHECK_NEAR(prc_contact_slope(set, 0), work, 1e-12 * fabs(work));
    const double later = prc_contact_slope(set, 0.7);
    const double slots[PRC_SLOT_COUNT] = {[PRC_SLOT_PART] = 0.7};
    prc_contact_shift(set, slots);
    CHECK(set->active.count != felt); /* some join or leave on the way */
    CHECK_NEAR(prc_contact_slope(set, 0), later, 1e-12 * fabs(later));
    free(none);
    free(p);
    scene_end(&s);
}

/* Gaps are linear in the model: for a small move it tells the forces that a new evaluation finds. */
TEST(the_model_agrees_with_the_forces_after_a_small_move)
{
    scene s;
    double *y, *p;
    prc_contact_set *set = touch(&s, &y, &p);
    CHECK(set != NULL);
    const size_t n = 3 * (size_t)set->stride;
    const double *x = s.sim->view.field[PRC_FIELD_position_before];
    double *none = calloc(n, sizeof *none), *moved = calloc(n, sizeof *moved), *step = calloc(n, sizeof *step);
    for (size_t i = 0; i < n; i++) {
        step[i] = 0.01 * p[i];
        moved[i] = y[i] + step[i];
    }
    prc_contact_geometry(set, y);
    prc_contact_forces(set, y, x, 1e-3);
    prc_contact_aim(set, y, x, none, step);
    const double predicted = prc_contact_slope(set, 1), before = prc_contact_slope(set, 0);
    prc_contact_geometry(set, moved);
    prc_contact_forces(set, moved, x, 1e-3);
    prc_contact_aim(set, moved, x, none, step);
    const double error = fabs(predicted - prc_contact_slope(set, 0)) / fabs(predicted - before);
    printf("    error against the change: %.2g\n", error);
    CHECK(error < 0.01);
    free(step);
    free(none);
    free(moved);
    free(p);
    scene_end(&s);
}

TEST_MAIN()
