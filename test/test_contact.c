/* test/test_contact.c — contact forces, friction, rest, impact, and above all the promise: from a start that does not
 * intersect, no accepted state does. Every state is judged by src/check, which shares no code with the solver.
 * Meshes are small and coarser than the thickness, so that nothing is scaled down and one bound holds for all pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

#include "base/memory.h"
#include "kernel/barrier.h"
#include "step/frame.h"

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static prc_collider_def *add_sphere(scene *s, double x, double y, double z, double radius)
{
    prc_collider_def *c = add_collider(s, PRC_SHAPE_SPHERE);
    c->center[0] = x;
    c->center[1] = y;
    c->center[2] = z;
    c->radius = radius;
    return c;
}

/* Mean velocity of a body by mass; returns its mass. */
static double mean_velocity(const scene *s, int body, double mean[3])
{
    const double *v = prc_sim_velocities(s->sim), *m = prc_sim_masses(s->sim);
    const int first = prc_sim_body_first_vertex(s->sim, body), count = prc_sim_body_vertex_count(s->sim, body);
    double mass = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = first; i < first + count; i++) {
        mass += m[i];
        for (int c = 0; c < 3; c++)
            mean[c] += m[i] * v[3 * i + c];
    }
    for (int c = 0; c < 3; c++)
        mean[c] /= mass;
    return mass;
}

/* --- forces --- */

/* Two wavy sheets within the barrier's range over a plane; contacts at the state. */
static scene *make_close(double friction)
{
    scene *s = scene_new();
    s->def.precision = PRC_PRECISION_DOUBLE;
    s->def.contact.stiffness = 7;
    s->def.contact.friction = friction;
    add_plane(s, -1.9e-3);
    add_sheet(s, 5, 0.3, along_y, 0, 0, 0, 0);
    add_sheet(s, 4, 0.3, along_y, 31, 0.011, 3.5e-3, 0.007);
    unsigned seed = 4;
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < s->mesh[b].vertex_count; i++)
            s->mesh[b].positions[3 * i + 1] += 1e-4 * noise(&seed);
    if (scene_start(s)) {
        prc_contact_set *set = &s->sim->contact;
        const double *x = s->sim->view.field[PRC_FIELD_position];
        prc_step_begin(s->sim); /* says which vertices are free */
        if (prc_contact_detect(set, x, NULL, &s->error) == PRC_OK)
            prc_contact_geometry(set, x);
    }
    return s;
}

static double barrier_energy(const prc_contact_set *set)
{
    double energy = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *c = &set->contacts[k];
        energy += c->kappa * prc_barrier_at(c->distance - c->xi, c->d_hat).energy;
    }
    return energy;
}

TEST(contact_forces_are_the_gradient_of_the_barrier)
{
    scene *s = make_close(0);
    CHECK(s->sim);
    prc_contact_set *set = &s->sim->contact;
    const size_t n = 3 * (size_t)set->stride;
    double *y = malloc(n * sizeof *y), *g = s->sim->view.field[PRC_FIELD_gradient], most = 0;
    memcpy(y, s->sim->view.field[PRC_FIELD_position], n * sizeof *y);
    memset(g, 0, n * sizeof *g);
    prc_contact_forces(set, y, y, 1e-3);
    CHECK(set->active.count > 40);
    s->sim->model.backend->contact_gradient(&s->sim->view, &set->active, g, g);
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(g[k]));
    for (int i = 0; i < set->model->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            const size_t k = (size_t)c * (size_t)set->stride + (size_t)i;
            const double at = y[k], e = 1e-8;
            y[k] = at + e;
            prc_contact_geometry(set, y);
            const double more = barrier_energy(set);
            y[k] = at - e;
            prc_contact_geometry(set, y);
            CHECK_NEAR((more - barrier_energy(set)) / (2 * e), g[k], 1e-4 * most);
            y[k] = at;
        }
    free(y);
    scene_free(s);
}

TEST(contact_forces_between_surfaces_have_no_resultant_and_no_torque)
{
    scene *s = make_close(0);
    CHECK(s->sim);
    prc_contact_set *set = &s->sim->contact;
    const double *y = s->sim->view.field[PRC_FIELD_position];
    prc_contact_forces(set, y, y, 1e-3);
    int between = 0;
    for (int r = 0; r < set->active.count; r++) {
        const prc_active *a = &set->active.rows[r];
        if (a->count == 1)
            continue;
        double sum = 0, arm[3] = {0, 0, 0}, force = sqrt(dot(a->f, a->f));
        for (int p = 0; p < 4; p++) {
            sum += a->w[p];
            for (int c = 0; c < 3; c++)
                arm[c] += a->w[p] * y[c * set->stride + a->v[p]];
        }
        CHECK_NEAR(sum, 0, 1e-13);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(arm[c] * a->f[(c + 1) % 3] - arm[(c + 1) % 3] * a->f[c], 0, 1e-12 * force);
        between++;
    }
    CHECK(between > 20);
    scene_free(s);
}

/* Forces at positions z, after a step from x, with the normals, weights and pressures of `rows`, made at y, kept. */
static void frozen_forces(const prc_contact_set *set, const prc_active *rows, const double *z, const double *y,
                          const double *x, double h, double *out)
{
    memset(out, 0, sizeof *out * 3 * (size_t)set->stride);
    int r = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *c = &set->contacts[k];
        if (c->distance - c->xi >= c->d_hat)
            continue;
        const prc_active *a = &rows[r++];
        double d = c->distance, closer[3], u[3], f[3];
        const double pressure = -c->friction * c->kappa * prc_barrier_at(d - c->xi, c->d_hat).slope;
        for (int q = 0; q < 3; q++) {
            u[q] = closer[q] = 0;
            for (int p = 0; p < a->count; p++) {
                const int i = q * set->stride + a->v[p];
                u[q] += a->w[p] * (z[i] - x[i]);
                closer[q] += a->w[p] * (z[i] - y[i]);
            }
        }
        const double along = dot(u, a->n);
        for (int q = 0; q < 3; q++)
            u[q] -= along * a->n[q];
        const double slip = sqrt(dot(u, u)), gap = d + dot(closer, a->n) - c->xi;
        const double normal = prc_barrier_at(gap, c->d_hat).slope * c->kappa;
        for (int q = 0; q < 3; q++) {
            f[q] = normal * a->n[q] + pressure * prc_friction_at(slip, set->def.eps_v * h).secant * u[q];
            for (int p = 0; p < a->count; p++)
                out[q * set->stride + a->v[p]] += a->w[p] * f[q];
        }
    }
}

static void check_products(double friction)
{
    scene *s = make_close(friction);
    CHECK(s->sim);
    prc_contact_set *set = &s->sim->contact;
    const size_t n = 3 * (size_t)set->stride;
    const double *y = s->sim->view.field[PRC_FIELD_position], h = 1e-3, e = 1e-10;
    double *p = s->sim->view.field[PRC_FIELD_direction], *hp = s->sim->view.field[PRC_FIELD_product];
    double *q = s->sim->view.field[PRC_FIELD_residual], *hq = s->sim->view.field[PRC_FIELD_preconditioned];
    double *z = calloc(4 * n, sizeof *z), *more = z + n, *less = z + 2 * n, *x = z + 3 * n;
    unsigned seed = 9;
    for (size_t k = 0; k < n; k++) /* slips shorter and longer than eps_v h = 1e-6 m */
        x[k] = y[k] + 1e-6 * noise(&seed);
    prc_contact_forces(set, y, x, h);
    for (int i = 0; i < set->model->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            p[c * set->stride + i] = noise(&seed);
            q[c * set->stride + i] = noise(&seed);
        }
    memset(hp, 0, n * sizeof *hp);
    memset(hq, 0, n * sizeof *hq);
    s->sim->model.backend->contact_product(&s->sim->view, &set->active, p, hp);
    double stiffer = 0; /* than the tangent: along a slip rows have half of the way from the secant to it */
    for (size_t k = 0; k < n; k++)
        stiffer += p[k] * hp[k];
    memset(hp, 0, n * sizeof *hp);
    for (int r = 0; r < set->active.count; r++)
        for (int c = 0; c < 3; c++)
            set->active.rows[r].u[c] *= sqrt(2);
    s->sim->model.backend->contact_product(&s->sim->view, &set->active, p, hp);
    s->sim->model.backend->contact_product(&s->sim->view, &set->active, q, hq);
    double php = 0, phq = 0, qhp = 0, most = 0;
    for (size_t k = 0; k < n; k++) {
        php += p[k] * hp[k];
        phq += p[k] * hq[k];
        qhp += q[k] * hp[k];
        most = fmax(most, fabs(hp[k]));
    }
    CHECK(php > 0);
    CHECK(friction > 0 ? stiffer > php : stiffer == php);
    CHECK_NEAR(phq, qhp, 1e-12 * php);
    for (size_t k = 0; k < n; k++)
        z[k] = y[k] + e * p[k];
    frozen_forces(set, set->active.rows, z, y, x, h, more);
    for (size_t k = 0; k < n; k++)
        z[k] = y[k] - e * p[k];
    frozen_forces(set, set->active.rows, z, y, x, h, less);
    for (size_t k = 0; k < n; k++)
        CHECK_NEAR((more[k] - less[k]) / (2 * e), hp[k], 1e-3 * most);
    free(z);
    scene_free(s);
}

TEST(contact_product_is_symmetric_and_the_difference_of_forces)
{
    check_products(0);
}

TEST(contact_product_with_friction_is_symmetric_and_the_difference_of_forces)
{
    check_products(0.5);
}

/* --- the promise --- */

static const prc_precision precisions[2] = {PRC_PRECISION_SINGLE, PRC_PRECISION_DOUBLE};

/* How stiff the barrier is must not matter: by itself, and nearly nothing. */
static const double stiffnesses[2] = {0, 1e-12};

#define FOR_ALL_KINDS for (int kind = 0; kind < 4; kind += TEST_SANITIZED ? 3 : 1) /* there each choice once */

static void set_kind(scene *s, int kind)
{
    s->def.precision = precisions[kind % 2];
    s->def.contact.stiffness = stiffnesses[kind / 2];
    s->def.solver.max_iterations = kind / 2 ? 8 : 20; /* what is promised does not wait for convergence */
    s->def.solver.max_substeps = 1;
}

TEST(cloth_falling_on_a_sphere_and_a_plane_never_enters)
{
    FOR_ALL_KINDS
    {
        scene *s = scene_new();
        set_kind(s, kind);
        s->def.time.step = 0.01;
        s->def.contact.friction = 0.3;
        add_sphere(s, 0, 0, 0, 0.15);
        add_plane(s, -0.2);
        add_sheet(s, 12, 0.8, along_y, 10, 0.03, 0.17, 0.02)->velocity[1] = -2;
        CHECK(scene_start(s) && scene_run_safely(s, 30));
        scene_free(s);
    }
}

/* Moves a tilted sheet so that its lowest vertex is twice the thickness above zero. */
static void lower(scene *s, int body)
{
    prc_mesh *mesh = &s->mesh[body];
    double least = INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++)
        least = fmin(least, mesh->positions[3 * i + 1]);
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->positions[3 * i + 1] -= least - 2 * s->def.contact.thickness;
}

static void throw_sheets(double speed, double step, int steps)
{
    FOR_ALL_KINDS
    {
        scene *s = scene_new();
        set_kind(s, kind);
        s->def.time.step = step;
        s->def.gravity[1] = 0;
        add_sheet(s, 8, 0.8, along_y, 0, 0, 0, 0)->velocity[1] = speed / 2;
        add_sheet(s, 6, 0.5, (const double[3]){1, 0.4, 0.2}, 35, 0.02, 0, 0.01)->velocity[1] = -speed / 2;
        lower(s, 1);
        CHECK(scene_start(s));
        if (!scene_run_safely(s, steps)) {
            printf("    speed %g, step %g, kind %d\n", speed, step, kind);
            CHECK(!"safe");
        }
        double v[3];
        mean_velocity(s, 1, v); /* they did meet: without contact it would still be what it was */
        CHECK(v[1] > -0.49999 * speed);
        scene_free(s);
    }
}

TEST(sheets_thrown_at_each_other_never_cross_in_short_steps)
{
    throw_sheets(1, 1e-3, 10);
    throw_sheets(10, 1e-3, 30);
    throw_sheets(100, 1e-3, 10);
    throw_sheets(1000, 1e-3, 6);
}

TEST(sheets_thrown_at_each_other_never_cross_in_long_steps)
{
    PLAIN_BUILD_ONLY("short steps do the same above");
    throw_sheets(1, 0.02, 20);
    throw_sheets(10, 0.02, 6);
    throw_sheets(100, 0.02, 5);
    throw_sheets(1000, 0.02, 5);
}

/* A crossing seen after a step does not tell of one sheet that has gone all the way through: this does. */
TEST(a_sheet_thrown_into_a_held_one_does_not_pass_it)
{
    const double speeds[4] = {1, 10, 100, 1000};
    for (int c = 0; c < 32; c++) {
        scene *s = scene_new();
        set_kind(s, c % 4);
        const double speed = speeds[c / 8];
        s->def.time.step = c / 4 % 2 ? 0.02 : 1e-3;
        int list[64], count = 0;
        add_sheet(s, 8, 0.8, along_y, 0, 0, 0, 0);
        add_sheet(s, 3, 0.2, (const double[3]){1, 0.4, 0.2}, 35, 0.02, 0, 0.03)->velocity[1] = -speed;
        lower(s, 1);
        for (int i = 0; i < s->mesh[0].vertex_count; i++)
            if (fmax(fabs(s->mesh[0].positions[3 * i]), fabs(s->mesh[0].positions[3 * i + 2])) > 0.399)
                list[count++] = i;
        s->pin[0].vertices = list;
        s->pin[0].vertex_count = count;
        s->def.pin_count = 1;
        CHECK(scene_start(s) && scene_run_safely(s, 5));
        const double *x = prc_sim_positions(s->sim);
        const int first = prc_sim_body_first_vertex(s->sim, 1);
        double held = INFINITY, thrown = INFINITY;
        for (int i = 0; i < prc_sim_vertex_count(s->sim); i++)
            if (i < first)
                held = fmin(held, x[3 * i + 1]);
            else if (fabs(x[3 * i]) < 0.4 &&
                     fabs(x[3 * i + 2]) < 0.4) /* what was flung beyond it has not gone through */
                thrown = fmin(thrown, x[3 * i + 1]);
        CHECK(thrown > held);
        scene_free(s);
    }
}

TEST(three_layers_on_a_sphere_never_cross)
{
    FOR_ALL_KINDS
    {
        scene *s = scene_new();
        set_kind(s, kind);
        s->def.time.step = 0.01;
        add_sphere(s, 0, 0, 0, 0.15);
        for (int b = 0; b < 3; b++)
            add_sheet(s, 8, 0.5, along_y, 17 * b, 0.01 * b, 0.16 + 0.01 * b, 0)->velocity[1] = -1.0 - b;
        CHECK(scene_start(s) && scene_run_safely(s, 15));
        scene_free(s);
    }
}

TEST(layers_that_start_as_close_as_the_thickness_stay_apart)
{
    FOR_ALL_KINDS
    {
        scene *s = scene_new();
        set_kind(s, kind);
        const double xi = s->def.contact.thickness;
        s->def.time.step = 0.01;
        add_plane(s, -xi / 2);
        for (int b = 0; b < 3; b++)
            add_sheet(s, 6, 0.4, along_y, 20 * b, 0, b * xi, 0)->velocity[1] = -b;
        CHECK(scene_start(s) && scene_run_safely(s, 15));
        CHECK(s->smallest < 1.5 * xi);
        scene_free(s);
    }
}

/* The vertices of a cylinder's ends. */
static int rim(const prc_mesh *mesh, double sign, int *list)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (sign * mesh->positions[3 * i + 1] > 0.199)
            list[count++] = i;
    return count;
}

TEST(a_cylinder_twisted_from_both_ends_never_crosses_itself)
{
    FOR_ALL_KINDS
    {
        scene *s = scene_new();
        int list[2][64];
        set_kind(s, kind);
        s->def.time.step = 0.01;
        s->def.gravity[1] = 0;
        s->def.pin_count = 2;
        s->def.body_count = 1;
        CHECK(prc_mesh_cylinder(&s->mesh[0], 0.1, 0.4, 14, 10, &s->error) == PRC_OK);
        for (int e = 0; e < 2; e++) {
            s->pin[e].vertices = list[e];
            s->pin[e].vertex_count = rim(&s->mesh[0], e ? 1 : -1, list[e]);
            s->pin[e].motion.degrees_per_second = e ? 720 : -720;
        }
        CHECK(scene_start(s) && scene_run_safely(s, 26));
        CHECK(s->smallest < 2 * s->def.contact.thickness); /* it did touch */
        scene_free(s);
    }
}

/* --- threads --- */

/* Runs three layers with `threads`; positions and velocities to `out`. */
static bool run_layers(int kind, int threads, double *out, prc_step_report *report)
{
    scene *s = scene_new();
    set_kind(s, kind);
    s->def.threads = threads;
    s->def.time.step = 5e-3;
    s->def.solver.max_iterations = 6; /* the same bits, converged or not */
    s->def.contact.thickness = 6e-3;
    s->def.contact.friction = 0.3;
    add_sphere(s, 0, 0, 0, 0.15);
    for (int b = 0; b < 3; b++)
        add_sheet(s, 18, 0.5, along_y, 20 * b, 0, 0.156 + 0.007 * b, 0)->velocity[1] = -1;
    bool ok = scene_start(s);
    for (int k = 0; ok && k < 2; k++)
        ok = scene_step(s);
    if (ok) {
        const size_t n = 3 * (size_t)prc_sim_vertex_count(s->sim);
        memcpy(out, prc_sim_positions(s->sim), n * sizeof *out);
        memcpy(out + n, prc_sim_velocities(s->sim), n * sizeof *out);
        *report = s->report;
    }
    scene_free(s);
    return ok;
}

TEST(contact_gives_the_same_bits_for_1_2_and_3_threads)
{
    const size_t n = 6 * 3 * 19 * 19;
    double *out[3];
    for (int kind = 0; kind < 3; kind++) {
        prc_step_report report = {0};
        for (int t = 0; t < 3; t++) {
            out[t] = calloc(n, sizeof(double));
            CHECK(run_layers(kind, t + 1, out[t], &report));
        }
        CHECK(report.contact_pairs > 2500);   /* enough that the threads really share them, */
        CHECK(kind < 2 || report.cuts > 100); /* without a barrier also those that are not certified */
        CHECK(memcmp(out[0], out[1], n * sizeof(double)) == 0);
        CHECK(memcmp(out[0], out[2], n * sizeof(double)) == 0);
        for (int t = 0; t < 3; t++)
            free(out[t]);
    }
}

/* --- friction, rest, impact --- */

/* A stiff patch on a plane that slopes by tan = 0.5: gravity is turned instead. Along-slope velocities at two times. */
static bool slide(double friction, double *early, double *late)
{
    scene *s = scene_new();
    const double xi = s->def.contact.thickness, g = 9.81;
    s->def.precision = PRC_PRECISION_DOUBLE;
    s->def.time.step = 1e-3;
    s->def.contact.friction = friction;
    s->def.solver.tolerance = 1e-6;
    s->def.gravity[0] = g * 0.5 / sqrt(1.25);
    s->def.gravity[1] = -g / sqrt(1.25);
    prc_body_def *body = add_sheet(s, 4, 0.2, along_y, 0, 0, xi / 2 + 0.6e-3, 0);
    body->material.stretch = 1e4;
    body->material.bending = 1e-2;
    add_plane(s, 0);
    bool ok = scene_start(s);
    double v[3] = {0, 0, 0};
    for (int k = 0; ok && k < 300; k++) {
        ok = scene_step(s);
        mean_velocity(s, 0, v);
        if (k == 99)
            *early = v[0];
    }
    *late = v[0];
    ok = ok && scene_safe(s);
    scene_free(s);
    return ok;
}

TEST(a_patch_on_a_slope_sticks_where_friction_is_enough)
{
    double early, late;
    CHECK(slide(0.6, &early, &late));
    CHECK_NEAR(late, 0, 1e-3); /* eps_v */
}

TEST(a_patch_on_a_slope_slides_as_coulomb_says)
{
    double early, late;
    CHECK(slide(0.4, &early, &late));
    const double expected = 9.81 * (0.5 - 0.4) / sqrt(1.25);
    CHECK_NEAR((late - early) / 0.2, expected, 0.05 * expected);
}

TEST(a_patch_on_a_slope_slides_freely_without_friction)
{
    double early, late;
    CHECK(slide(0, &early, &late));
    const double free_fall = 9.81 * 0.5 / sqrt(1.25);
    CHECK((late - early) / 0.2 >= 0.99 * free_fall && (late - early) / 0.2 <= 1.01 * free_fall);
}

TEST(a_patch_comes_to_rest_on_a_plane_and_leaves_it_freely)
{
    for (int p = 0; p < 2; p++) {
        scene *s = scene_new();
        const double xi = s->def.contact.thickness, d_hat = xi / 3;
        s->def.precision = precisions[p];
        s->def.contact.friction = 0.5;
        add_sheet(s, 5, 0.3, along_y, 0, 0, 0.01, 0)->material.mass_damping = 2;
        add_plane(s, 0);
        CHECK(scene_start(s) && scene_run_safely(s, 250));
        const double *x = prc_sim_positions(s->sim);
        for (int i = 0; i < prc_sim_vertex_count(s->sim); i++)
            CHECK(x[3 * i + 1] > xi / 2 && x[3 * i + 1] < xi / 2 + d_hat);
        double v[3], expected = 0;
        CHECK(sqrt(2 * s->report.energy_kinetic / mean_velocity(s, 0, v)) < 1e-3);
        s->sim->def.gravity[1] = 9.81;
        for (int k = 0; k < 25; k++) {
            CHECK(scene_step(s));
            expected = (expected + 9.81 * s->def.time.step) / (1 + 2 * s->def.time.step);
        }
        mean_velocity(s, 0, v);
        CHECK(v[1] > 0.99 * expected);
        scene_free(s);
    }
}

TEST(an_impact_of_free_bodies_keeps_momentum)
{
    for (int p = 0; p < 2; p++) {
        scene *s = scene_new();
        s->def.precision = precisions[p];
        s->def.time.step = 1e-3;
        s->def.gravity[1] = 0;
        s->def.solver.tolerance = 1e-5;
        add_sheet(s, 6, 0.3, along_y, 0, 0, 0, 0);
        prc_body_def *thrown = add_sheet(s, 5, 0.25, (const double[3]){1, 0, 0.3}, 8, 0, 0.03, 0);
        thrown->velocity[1] = -2;
        thrown->velocity[0] = 0.5;
        thrown->material.density = 0.5;
        CHECK(scene_start(s) && scene_run_safely(s, 60));
        double v0[3], v1[3];
        const double m0 = mean_velocity(s, 0, v0), m1 = mean_velocity(s, 1, v1);
        const double exchanged = m0 * sqrt(dot(v0, v0));
        CHECK(exchanged > 0.3 * m0 * m1 / (m0 + m1) * 2);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(m0 * v0[c] + m1 * v1[c], m1 * thrown->velocity[c], 1e-3 * exchanged);
        scene_free(s);
    }
}

/* --- moving colliders --- */

TEST(a_moving_collider_pushes_cloth_along_and_never_enters_it)
{
    for (int p = 0; p < 2; p++) {
        scene *s = scene_new();
        s->def.precision = precisions[p];
        s->def.gravity[1] = 0;
        add_sphere(s, 0, -0.13, 0, 0.12)->motion.velocity[1] = 1;
        add_sheet(s, 8, 0.3, along_y, 0, 0.01, 0, 0.02);
        CHECK(scene_start(s));
        double v[3];
        for (int k = 0; k < 50; k++) {
            CHECK(scene_step(s) && scene_safe(s));
            CHECK_NEAR(s->sim->contact.colliders[0].now.shift[1], -0.13 + prc_sim_time(s->sim) - s->report.largest_lag,
                       1e-9);
        }
        CHECK(s->report.largest_lag < 1e-3);
        mean_velocity(s, 0, v);
        CHECK(v[1] > 0.8);
        scene_free(s);
    }
}

TEST(a_collider_that_presses_cloth_against_a_plane_waits_and_says_so)
{
    for (int p = 0; p < 2; p++) {
        scene *s = scene_new();
        s->def.precision = precisions[p];
        s->def.solver.max_iterations = 30;
        s->def.solver.max_substeps = 1;
        add_plane(s, 0);
        add_plane(s, 0.02)->motion.velocity[1] = -1; /* collider above */
        s->collider[1].axis[1] = -1;
        s->collider[1].motion.until = 0.03; /* more than 1 cm farther than there is room */
        add_sheet(s, 8, 0.3, along_y, 0, 0.01, 2.2e-3, 0.02);
        CHECK(scene_start(s));
        double most = 0, last = 0;
        for (int k = 0; k < 20; k++) {
            CHECK(scene_step(s) && scene_safe(s));
            most = fmax(most, s->report.largest_lag);
            last = s->report.largest_lag;
        }
        CHECK(most > 5e-3 && last > 5e-3);
        scene_free(s);
    }
}

/* --- refusals, memory --- */

TEST(a_bad_start_is_refused_with_a_message)
{
    scene *s = scene_new();
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0.1, 0);
    add_sheet(s, 4, 0.2, (const double[3]){1, 0, 0}, 40, 0.013, 0.1, 0.017);
    CHECK(!prc_sim_create(&s->def, &s->error) && s->error.code == PRC_ERROR_INPUT);
    CHECK_TEXT(s->error.message, "intersects");
    scene_free(s);
    s = scene_new();
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0.1, 0);
    add_sheet(s, 4, 0.2, along_y, 10, 0, 0.1 + 2e-3, 0);
    CHECK(!prc_sim_create(&s->def, &s->error) && s->error.code == PRC_ERROR_INPUT);
    CHECK_TEXT(s->error.message, "too close");
    scene_free(s);
    s = scene_new();
    add_sheet(s, 4, 0.2, along_y, 0, 0, 1e-3, 0);
    add_plane(s, 0);
    CHECK(!prc_sim_create(&s->def, &s->error) && s->error.code == PRC_ERROR_INPUT);
    CHECK_TEXT(s->error.message, "colliders[0]");
    scene_free(s);
}

TEST(resting_contact_allocates_nothing)
{
    scene *s = scene_new();
    add_plane(s, 0);
    for (int b = 0; b < 2; b++)
        add_sheet(s, 5, 0.3, along_y, 15 * b, 0, 3e-3 + 4e-3 * b, 0)->material.mass_damping = 5;
    CHECK(scene_start(s));
    size_t before = 0;
    for (int k = 0; k < 80; k++) {
        if (k == 60)
            before = prc_alloc_count();
        CHECK(scene_step(s));
    }
    CHECK(s->report.active_contacts > 0);
    CHECK(prc_alloc_count() == before);
    scene_free(s);
}

typedef struct seen_trace {
    int rows, last_iteration;
    double first, last; /* residuals, m/s */
} seen_trace;

static void see(void *context, int iteration, int inner, double energy, double residual, double seconds)
{
    (void)inner, (void)energy, (void)seconds;
    seen_trace *t = context;
    t->first = t->rows++ == 0 ? residual : t->first;
    t->last = residual;
    t->last_iteration = iteration;
}

TEST(a_trace_sees_every_iteration_with_contact_and_changes_no_bit)
{
    scene *s[2];
    seen_trace t = {0};
    for (int k = 0; k < 2; k++) {
        s[k] = scene_new();
        add_plane(s[k], 0);
        add_sheet(s[k], 5, 0.3, along_y, 20, 0, 0.01, 0)->velocity[1] = -1;
        CHECK(scene_start(s[k]));
        for (int step = 0; step < 5; step++) {
            t = (seen_trace){0};
            if (k == 1)
                prc_sim_set_trace(s[k]->sim, see, &t);
            CHECK(scene_step(s[k]));
        }
    }
    const prc_step_report *r = &s[1]->report;
    CHECK(r->active_contacts > 0 && r->substeps == 1);
    CHECK(t.rows == r->iterations + 1 && t.last_iteration == r->iterations);
    CHECK(t.last < t.first && t.last == r->residual);
    CHECK(!memcmp(prc_sim_positions(s[0]->sim), prc_sim_positions(s[1]->sim),
                  3 * sizeof(double) * (size_t)prc_sim_vertex_count(s[0]->sim)));
    scene_free(s[0]);
    scene_free(s[1]);
}

TEST_MAIN()
