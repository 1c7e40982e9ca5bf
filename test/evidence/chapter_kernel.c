/* evidence/chapter_kernel.c — the energy as a function of the positions: patch test, derivatives, invariance.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sheet with everything a check needs. */
typedef struct sheet {
    prc_mesh mesh;
    prc_body_def body;
    prc_sim *sim;
    int count;                                    /* numbers per vector */
    double *x, *y, *gradient, *other, *direction; /* work space */
} sheet;

static void sheet_open(sheet *s, prc_material_def material, prc_discretisation discretisation)
{
    s->body = prc_body_def_default();
    s->body.mesh = &s->mesh;
    s->body.material = material;
    s->body.discretisation = discretisation;
    prc_sim_def scene = ev_sim_def(&s->body);
    s->sim = ev_sim(&scene);
    s->count = 3 * s->mesh.vertex_count;
    double *all = EV_NEW(double, 5 * s->count);
    s->x = all;
    s->y = all + s->count;
    s->gradient = all + 2 * s->count;
    s->other = all + 3 * s->count;
    s->direction = all + 4 * s->count;
}

static void sheet_close(sheet *s)
{
    prc_sim_destroy(s->sim);
    free(s->x);
    prc_mesh_release(&s->mesh);
}

/* y = A x + b */
static void affine(const double a[9], const double b[3], const double *x, double *y, int vertex_count)
{
    for (int i = 0; i < vertex_count; i++)
        for (int r = 0; r < 3; r++)
            y[3 * i + r] = a[3 * r] * x[3 * i] + a[3 * r + 1] * x[3 * i + 1] + a[3 * r + 2] * x[3 * i + 2] + b[r];
}

/* A rotation about a skew axis. */
static void rotation(double angle, double m[9])
{
    const double axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -axis[3 - i - j] : axis[3 - i - j]);
            m[3 * i + j] = c * (i == j) + s * cross + (1 - c) * axis[i] * axis[j];
        }
}

static bool on_edge(const prc_mesh *mesh, int i, double half_x, double half_y)
{
    return fabs(mesh->positions[3 * i]) > half_x - 1e-9 || fabs(mesh->positions[3 * i + 1]) > half_y - 1e-9;
}

/* An affine motion of an irregular flat sheet into space: largest force inside over largest force, and the stretches.
 */
static void patch_measure(prc_discretisation discretisation, int cells, double *force, double *stretch)
{
    const double a[9] = {1.2, 0.15, 0, -0.1, 1.1, 0, 0.3, -0.2, 1}, b[3] = {3, -2, 1};
    prc_material_def material = prc_material_def_default();
    material.model = PRC_MODEL_NEO_HOOKEAN_2D;
    material.bending = 1;
    sheet s;
    s.mesh = ev_grid(1, 0.8, cells, cells, PRC_GRID_IRREGULAR, 5);
    sheet_open(&s, material, discretisation);
    affine(a, b, s.mesh.positions, s.y, s.mesh.vertex_count);
    ev_energy(s.sim, s.y, NULL, s.gradient);
    double inside = 0;
    for (int i = 0; i < s.mesh.vertex_count; i++)
        for (int c = 0; c < 3 && !on_edge(&s.mesh, i, 0.5, 0.4); c++)
            inside = fmax(inside, fabs(s.gradient[3 * i + c]));
    *force = inside / ev_largest(s.gradient, s.count);
    /* Principal stretches of F = A restricted to the plane. */
    double xx = a[0] * a[0] + a[3] * a[3] + a[6] * a[6], yy = a[1] * a[1] + a[4] * a[4] + a[7] * a[7];
    double xy = a[0] * a[1] + a[3] * a[4] + a[6] * a[7], r = sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
    double answer[2] = {sqrt(0.5 * (xx + yy) + r), sqrt(0.5 * (xx + yy) - r)};
    prc_error error = {0};
    prc_sim_set_state(s.sim, s.y, NULL, &error);
    const double *measured = prc_sim_stretches(s.sim);
    *stretch = 0;
    for (int k = 0; k < 2 * s.mesh.vertex_count; k++)
        *stretch = fmax(*stretch, fabs(measured[k] - answer[k % 2]));
    sheet_close(&s);
}

void ev_chapter_patch(void)
{
    static const char *const names[] = {"averaged", "least_squares", "paper"};
    for (int d = 0; d < 3; d++) {
        double force, stretch;
        char claim[120];
        patch_measure((prc_discretisation)d, 20, &force, &stretch);
        snprintf(claim, sizeof claim, "patch test, irregular mesh, %s: force inside / largest force", names[d]);
        if (d == PRC_DISCRETISATION_AVERAGED)
            ev_row(claim, 0, force, force, 1e-10);
        else
            ev_row_note(claim, 0, force, force);
        snprintf(claim, sizeof claim, "patch test, irregular mesh, %s: principal stretches, largest error", names[d]);
        ev_row(claim, 0, stretch, stretch, 1e-10);
    }
}

/* A deformed state: stretched and with every vertex off its place. */
static void disturb(sheet *s, double size)
{
    for (int k = 0; k < s->count; k++) {
        s->x[k] = s->mesh.positions[k] * (k % 3 == 0 ? 1.15 : k % 3 == 1 ? 1.05 : 1) + size * (2 * ev_random() - 1);
        s->direction[k] = 2 * ev_random() - 1;
    }
}

/* x + t·direction into y. */
static void along(sheet *s, double t)
{
    for (int k = 0; k < s->count; k++)
        s->y[k] = s->x[k] + t * s->direction[k];
}

static double inner(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Relative error of the gradient along a random direction: central differences, extrapolated once. */
static double gradient_error(sheet *s)
{
    double slope[2], plus, minus;
    for (int k = 0; k < 2; k++) {
        double h = k ? 5e-5 : 1e-4;
        along(s, h);
        ev_energy(s->sim, s->y, &plus, NULL);
        along(s, -h);
        ev_energy(s->sim, s->y, &minus, NULL);
        slope[k] = (plus - minus) / (2 * h);
    }
    double extrapolated = (4 * slope[1] - slope[0]) / 3;
    ev_energy(s->sim, s->x, NULL, s->gradient);
    double exact = inner(s->gradient, s->direction, s->count);
    return fabs(extrapolated - exact) / fabs(exact);
}

/* |H d − difference of gradients| / |H d|. */
static double product_error(sheet *s)
{
    double *product = EV_NEW(double, s->count), *slope = EV_NEW(double, s->count), square = 0, size = 0;
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-4 : 2e-4, factor = (k ? 4.0 : -1.0) / 3;
        along(s, h);
        ev_energy(s->sim, s->y, NULL, s->gradient);
        along(s, -h);
        ev_energy(s->sim, s->y, NULL, s->other);
        for (int i = 0; i < s->count; i++)
            slope[i] += factor * (s->gradient[i] - s->other[i]) / (2 * h);
    }
    ev_product(s->sim, s->x, s->direction, product);
    for (int i = 0; i < s->count; i++) {
        square += (product[i] - slope[i]) * (product[i] - slope[i]);
        size += slope[i] * slope[i];
    }
    free(product);
    free(slope);
    return sqrt(square / size);
}

/* Symmetry (relative) and smallest d·Hd / |d||Hd| over random pairs at a disturbed state. */
static void product_form(sheet *s, double *asymmetry, double *least)
{
    double *hd = EV_NEW(double, s->count), *he = EV_NEW(double, s->count), *e = EV_NEW(double, s->count);
    *asymmetry = 0;
    *least = 1;
    for (int trial = 0; trial < 5; trial++) {
        for (int k = 0; k < s->count; k++) {
            s->direction[k] = 2 * ev_random() - 1;
            e[k] = 2 * ev_random() - 1;
        }
        ev_product(s->sim, s->x, s->direction, hd);
        ev_product(s->sim, s->x, e, he);
        double scale = sqrt(inner(hd, hd, s->count) * inner(e, e, s->count));
        *asymmetry = fmax(*asymmetry, fabs(inner(hd, e, s->count) - inner(he, s->direction, s->count)) / scale);
        *least = fmin(*least, inner(hd, s->direction, s->count) /
                                  sqrt(inner(hd, hd, s->count) * inner(s->direction, s->direction, s->count)));
    }
    free(hd);
    free(he);
    free(e);
}

static prc_mesh curved_mesh(void)
{
    prc_mesh mesh;
    prc_error error = {0};
    if (prc_mesh_cylinder(&mesh, 0.3, 1, 12, 6, &error) != PRC_OK) {
        fprintf(stderr, "percale: %s\n", error.message);
        exit(2);
    }
    return mesh;
}

static void derivative_rows(int index)
{
    char claim[120];
    prc_material_def material = ev_material(index);
    const char *name = prc_material_model_name(material.model);
    material.bending = 1e-2;
    for (int curved = 0; curved < 2; curved++) {
        sheet s;
        s.mesh = curved ? curved_mesh() : ev_grid(1, 1, 9, 7, PRC_GRID_IRREGULAR, 1);
        sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
        disturb(&s, 0.02);
        double error = gradient_error(&s), asymmetry, least;
        snprintf(claim, sizeof claim, "%s: gradient against differences, %s", name, curved ? "curved at rest" : "flat");
        ev_row(claim, 0, error, error, 1e-7);
        product_form(&s, &asymmetry, &least);
        snprintf(claim, sizeof claim, "%s: product symmetric, %s, disturbed state", name, curved ? "curved" : "flat");
        ev_row(claim, 0, asymmetry, asymmetry, 1e-12);
        snprintf(claim, sizeof claim, "%s: product never negative, %s: smallest cosine", name,
                 curved ? "curved" : "flat");
        ev_row(claim, 0, least, fmax(0, -least), 0);
        if (!curved) {
            disturb(&s, 0);
            error = product_error(&s);
            snprintf(claim, sizeof claim, "%s: product against differences, homogeneous tension", name);
            ev_row(claim, 0, error, error, 1e-7);
        }
        sheet_close(&s);
    }
}

void ev_chapter_derivative(void)
{
    for (int k = 0; k < ev_material_count(); k++)
        derivative_rows(k);
}

/* Net force and torque, relative to the sum of the sizes of forces and moments. */
static void net_rows(int index)
{
    char claim[120];
    prc_material_def material = ev_material(index);
    material.bending = 1e-2;
    double force = 0, torque = 0;
    for (int curved = 0; curved < 2; curved++) {
        sheet s;
        s.mesh = curved ? curved_mesh() : ev_grid(1, 1, 9, 7, PRC_GRID_IRREGULAR, 1);
        sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
        disturb(&s, 0.02);
        ev_energy(s.sim, s.x, NULL, s.gradient);
        double sum[3] = {0}, moment[3] = {0}, sizes = 0, moments = 0;
        for (int i = 0; i < s.mesh.vertex_count; i++)
            for (int c = 0; c < 3; c++) {
                const double *x = s.x + 3 * i, *g = s.gradient + 3 * i;
                sum[c] += g[c];
                sizes += fabs(g[c]);
                moment[c] += x[(c + 1) % 3] * g[(c + 2) % 3] - x[(c + 2) % 3] * g[(c + 1) % 3];
                moments += fabs(x[(c + 1) % 3] * g[(c + 2) % 3]) + fabs(x[(c + 2) % 3] * g[(c + 1) % 3]);
            }
        force = fmax(force, ev_largest(sum, 3) / sizes);
        torque = fmax(torque, ev_largest(moment, 3) / moments);
        sheet_close(&s);
    }
    snprintf(claim, sizeof claim, "%s: net force, disturbed flat and curved sheets",
             prc_material_model_name(material.model));
    ev_row(claim, 0, force, force, 1e-12);
    snprintf(claim, sizeof claim, "%s: net torque, disturbed flat and curved sheets",
             prc_material_model_name(material.model));
    ev_row(claim, 0, torque, torque, 1e-12);
}

/* Energy and force under rotation and translation of the whole, for all materials together. */
static void rigid_rows(void)
{
    const double zero[3] = {0}, shift[3] = {5, -7, 2}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double worst[3] = {0}, turn[9];
    rotation(1.234, turn);
    for (int index = 0; index < ev_material_count(); index++) {
        prc_material_def material = ev_material(index);
        material.bending = 1e-2;
        sheet s;
        s.mesh = ev_grid(1, 1, 9, 7, PRC_GRID_IRREGULAR, 1);
        sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
        disturb(&s, 0.02);
        double before, after;
        ev_energy(s.sim, s.x, &before, s.gradient);
        affine(turn, zero, s.x, s.y, s.mesh.vertex_count);
        ev_energy(s.sim, s.y, &after, s.other);
        worst[0] = fmax(worst[0], fabs(after / before - 1));
        affine(turn, zero, s.gradient, s.direction, s.mesh.vertex_count);
        worst[1] = fmax(worst[1], ev_largest_difference(s.direction, s.other, s.count) / ev_largest(s.other, s.count));
        affine(unit, shift, s.x, s.y, s.mesh.vertex_count);
        ev_energy(s.sim, s.y, &after, NULL);
        worst[2] = fmax(worst[2], fabs(after / before - 1));
        sheet_close(&s);
    }
    ev_row("energy does not change under rotation, all materials", 0, worst[0], worst[0], 1e-12);
    ev_row("forces turn with a rotation, all materials", 0, worst[1], worst[1], 1e-12);
    ev_row("energy does not change under translation by 9 m, all materials", 0, worst[2], worst[2], 1e-12);
}

/* The same sheet twice as large, with moduli per length the same: stretch energy × 4; and no bending by stretching. */
static void scale_rows(void)
{
    prc_material_def material = ev_material(PRC_MODEL_NEO_HOOKEAN_2D);
    double energy[2];
    for (int k = 0; k < 2; k++) {
        sheet s;
        s.mesh = ev_grid(1 + k, 1 + k, 9, 9, PRC_GRID_IRREGULAR, 1);
        sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
        const double a[9] = {1.3, 0.1, 0, 0, 0.9, 0, 0, 0.2, 1}, zero[3] = {0};
        affine(a, zero, s.mesh.positions, s.y, s.mesh.vertex_count);
        ev_energy(s.sim, s.y, &energy[k], NULL);
        sheet_close(&s);
    }
    ev_row("a homogeneous state: energy per area independent of the size of the mesh", 4, energy[1] / energy[0],
           energy[1] / energy[0] / 4 - 1, 1e-12);
    double affine_energy[2];
    for (int k = 0; k < 2; k++) {
        sheet s;
        s.mesh = ev_grid(1, 1, 9, 9, PRC_GRID_IRREGULAR, 1);
        material.bending = k * 10.0;
        sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
        const double a[9] = {1.3, 0.1, 0, 0, 0.9, 0, 0, 0.2, 1}, zero[3] = {0};
        affine(a, zero, s.mesh.positions, s.y, s.mesh.vertex_count);
        ev_energy(s.sim, s.y, &affine_energy[k], NULL);
        sheet_close(&s);
    }
    double bent = affine_energy[1] / affine_energy[0] - 1;
    ev_row("stretch invariance: a homogeneous stretch of a flat sheet costs no bending energy", 0, bent, bent, 1e-12);
}

/* A curved rest shape is at rest, and scaled by 1.1 every principal stretch is 1.1. */
static void curved_rows(void)
{
    const double grow[9] = {1.1, 0, 0, 0, 1.1, 0, 0, 0, 1.1}, zero[3] = {0};
    sheet s;
    prc_error error = {0};
    if (prc_mesh_sphere(&s.mesh, 0.5, 3, &error) != PRC_OK)
        exit(2);
    prc_material_def material = ev_material(PRC_MODEL_A3);
    material.bending = 1e-2;
    sheet_open(&s, material, PRC_DISCRETISATION_AVERAGED);
    ev_energy(s.sim, s.mesh.positions, NULL, s.gradient);
    double left = ev_largest(s.gradient, s.count) / 500;
    ev_row("a sphere is at rest in its rest shape: largest force / modulus (m)", 0, left, left, 1e-12);
    affine(grow, zero, s.mesh.positions, s.y, s.mesh.vertex_count);
    prc_sim_set_state(s.sim, s.y, NULL, &error);
    const double *stretch = prc_sim_stretches(s.sim);
    double worst = 0;
    for (int k = 0; k < 2 * s.mesh.vertex_count; k++)
        worst = fmax(worst, fabs(stretch[k] - 1.1));
    ev_row("a sphere scaled by 1.1: every principal stretch", 1.1, 1.1 + worst, worst, 1e-12);
    sheet_close(&s);
}

void ev_chapter_invariance(void)
{
    for (int k = 0; k < ev_material_count(); k++)
        net_rows(k);
    rigid_rows();
    scale_rows();
    curved_rows();
}
