/* step/measure.c — what a state tells besides positions: areas, stresses, curvatures, energies, residuals per vertex.
 *
 * Stress and energy come from the stages, in the working precision. Curvature is made here, in double, from the fit of
 * docs/theory.md, Eq. 2.4: with the heights z over the plane of F it gives the second fundamental form in the
 * coordinates of the rest shape, and with C = F^T F the curvatures of the deformed surface. The rows that bending keeps
 * would not do: they carry the square root of the stiffness, which may be 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/place.h"
#include "step/sim.h"

#include "base/memory.h"
#include "model/rest.h"

#include <math.h>
#include <string.h>

/* The array behind *slot, allocated at its first use. */
static double *buffer(double **slot, size_t count)
{
    if (!*slot)
        *slot = PRC_NEW(double, count);
    return *slot;
}

/* What is no membrane: particles and obstacles, in the caller's order. */
static void clear_others(const prc_sim *sim, int from, int components, double *values)
{
    for (int i = from; i < sim->model.vertex_count; i++)
        for (int c = 0; c < components; c++)
            values[components * sim->model.caller_of[i] + c] = 0;
}

const double *prc_sim_areas(prc_sim *sim)
{
    double *areas = buffer(&sim->out.areas, (size_t)sim->model.vertex_count);
    if (areas) {
        prc_sim_to_caller(sim, sim->model.area, 1, areas);
        clear_others(sim, sim->model.elastic_count, 1, areas);
    }
    return areas;
}

const double *prc_sim_stresses(prc_sim *sim)
{
    double *stresses = buffer(&sim->out.stresses, 2 * (size_t)sim->model.vertex_count);
    if (stresses) {
        prc_sim_fetch(sim);
        const prc_view v = prc_sim_host_view(sim);
        sim->model.host->run(&v, PRC_STAGE_bonds_begin);
        sim->model.host->run(&v, PRC_STAGE_stress);
        prc_sim_deliver(sim, PRC_FIELD_stress, 2, stresses);
        clear_others(sim, sim->model.ring_count, 2, stresses);
    }
    return stresses;
}

const double *prc_sim_energy_densities(prc_sim *sim)
{
    double *energies = buffer(&sim->out.energies, (size_t)sim->model.vertex_count);
    if (!energies)
        return NULL;
    prc_sim_evaluate_at(sim, NULL);
    prc_sim_deliver(sim, PRC_FIELD_energy, 1, energies);
    for (int i = 0; i < sim->model.ring_count; i++)
        energies[sim->model.caller_of[i]] /= sim->model.area[i];
    clear_others(sim, sim->model.ring_count, 1, energies);
    return energies;
}

/* The gradient that the solver ended with is still there: no evaluation outside of a step writes it. */
const double *prc_sim_residuals(prc_sim *sim)
{
    const size_t n = (size_t)sim->view.padded_count;
    const bool projected = sim->def.contact.enabled && sim->def.contact.method == PRC_CONTACT_PROJECTION;
    double *residuals = buffer(&sim->out.residuals, (size_t)sim->model.vertex_count);
    if (!residuals)
        return NULL;
    memset(residuals, 0, sizeof *residuals * (size_t)sim->model.vertex_count);
    if (!sim->residual_known)
        return residuals;
    double *g = sim->work.residual.gradient, *inverse_mass = sim->work.residual.inverse_mass;
    sim->model.backend->download(&sim->view, g, sim->view.field[projected ? PRC_FIELD_residual : PRC_FIELD_gradient],
                                 3 * n);
    sim->model.backend->download(&sim->view, inverse_mass, sim->view.field[PRC_FIELD_inverse_mass], n);
    for (size_t i = 0; i < (size_t)sim->model.elastic_count; i++)
        residuals[sim->model.caller_of[i]] =
            sim->step * inverse_mass[i] * sqrt(g[i] * g[i] + g[n + i] * g[n + i] + g[2 * n + i] * g[2 * n + i]);
    return residuals;
}

/* ---- curvature ---- */

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The bond from i to j now. */
static void bond_at(const prc_sim *sim, int i, int j, double y[3])
{
    const double *x = prc_field_position(&sim->model.view);
    for (int c = 0; c < 3; c++)
        y[c] = x[(long)c * sim->view.padded_count + j] - x[(long)c * sim->view.padded_count + i];
}

/* F of vertex i by columns, and the normal of its plane; returns the area ratio. */
static double plane_at(const prc_sim *sim, int i, double f[2][3], double normal[3])
{
    const prc_graph *g = &sim->model.graph;
    memset(f, 0, 6 * sizeof(double));
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        double y[3];
        bond_at(sim, i, g->ring[e], y);
        for (int a = 0; a < 2; a++)
            for (int c = 0; c < 3; c++)
                f[a][c] += g->b[2L * e + a] * y[c];
    }
    normal[0] = f[0][1] * f[1][2] - f[0][2] * f[1][1];
    normal[1] = f[0][2] * f[1][0] - f[0][0] * f[1][2];
    normal[2] = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    const double area = sqrt(dot3(normal, normal));
    for (int c = 0; c < 3; c++)
        normal[c] /= fmax(area, 1e-18);
    return area;
}

/* Mean and Gaussian curvature of vertex i: of C^-1 B, with B the second fundamental form. */
static void curvature_at(const prc_sim *sim, int i, double result[2])
{
    const prc_graph *g = &sim->model.graph;
    double f[2][3], normal[3], h[3] = {0};
    const double area = fmax(plane_at(sim, i, f, normal), 1e-18), determinant = area * area;
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        double y[3];
        bond_at(sim, i, g->ring[e], y);
        for (int p = 0; p < 3; p++)
            h[p] += sim->hessian[3L * e + p] * dot3(normal, y);
    }
    const double c11 = dot3(f[0], f[0]), c12 = dot3(f[0], f[1]), c22 = dot3(f[1], f[1]);
    result[0] = -0.5 * (c22 * h[0] - 2 * c12 * h[1] + c11 * h[2]) / determinant;
    result[1] = (h[0] * h[2] - h[1] * h[1]) / determinant;
}

/* The fit of every ring, once. */
static bool prepare_fit(prc_sim *sim)
{
    const prc_graph *g = &sim->model.graph;
    if (sim->hessian)
        return true;
    if (!buffer(&sim->hessian, 3 * (size_t)g->ring_start[sim->model.vertex_count]))
        return false;
    for (int i = 0; i < sim->model.ring_count; i++) {
        const long e = g->ring_start[i];
        prc_rest_hessian(g->ring_start[i + 1] - g->ring_start[i], g->x + 2 * e, g->b + 2 * e, sim->hessian + 3 * e);
    }
    return true;
}

const double *prc_sim_curvatures(prc_sim *sim)
{
    double *curvatures = buffer(&sim->out.curvatures, 2 * (size_t)sim->model.vertex_count);
    if (!curvatures || !prepare_fit(sim))
        return NULL;
    prc_sim_fetch(sim);
#pragma omp parallel for schedule(static) num_threads(sim->view.threads) if (sim->model.ring_count > 3000)
    for (int i = 0; i < sim->model.ring_count; i++)
        curvature_at(sim, i, curvatures + 2L * sim->model.caller_of[i]);
    clear_others(sim, sim->model.ring_count, 2, curvatures);
    return curvatures;
}
