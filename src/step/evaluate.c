/* step/evaluate.c — gradient, product, diagonal: what all solvers share. Thin names over the stages, with the time each
 * takes. SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

void prc_run(prc_sim *sim, enum prc_stage stage, void *a, void *b, void *c, void *d)
{
    void *const arguments[4] = {a, b, c, d};
    memcpy(sim->view.argument, arguments, sizeof arguments);
    sim->model.backend->run(&sim->view, stage);
}

static void run_columns(prc_sim *sim, enum prc_stage stage, bool sums, int count, int slot)
{
    const prc_backend *backend = sim->model.backend;
    const prc_view *v = &sim->view;
    if (backend->run_columns) {
        backend->run_columns(v, stage, count, slot);
        return;
    }
    backend->run(v, stage);
    (sums ? backend->sum_columns : backend->largest_columns)(v, prc_field_column(v), count, slot);
}

void prc_run_sums(prc_sim *sim, enum prc_stage stage, int count, int slot)
{
    run_columns(sim, stage, true, count, slot);
}

void prc_run_largest(prc_sim *sim, enum prc_stage stage, int count, int slot)
{
    run_columns(sim, stage, false, count, slot);
}

void prc_put(prc_sim *sim, void *to, const void *host, size_t bytes)
{
    if (sim->model.backend->put)
        sim->model.backend->put(&sim->view, to, host, bytes);
    else
        memcpy(to, host, bytes);
}

void prc_get(prc_sim *sim, void *host, const void *from, size_t bytes)
{
    if (sim->model.backend->get)
        sim->model.backend->get(&sim->view, host, from, bytes);
    else
        memcpy(host, from, bytes);
}

void prc_put_some(prc_sim *sim, enum prc_field field, const int *index, const double *values, int count)
{
    double *to = sim->view.field[field];
    if (sim->model.backend->put_some) {
        sim->model.backend->put_some(&sim->view, to, index, values, count);
        return;
    }
    for (int k = 0; k < count; k++)
        for (long c = 0; c < 3; c++)
            to[c * sim->view.padded_count + index[k]] = values[3 * k + c];
}

static void run2(prc_sim *sim, enum prc_stage stage, enum prc_field a, enum prc_field b)
{
    prc_view *v = &sim->view;
    v->argument[0] = v->field[a];
    v->argument[1] = v->field[b];
    sim->model.backend->run(v, stage);
}

void prc_evaluate(prc_sim *sim, enum prc_field u, enum prc_field gradient, bool linearise)
{
    const double start = prc_seconds();
    sim->view.linearise = linearise;
    sim->view.want_stretch = 1;
    run2(sim, PRC_STAGE_elastic, u, gradient);
    run2(sim, PRC_STAGE_gradient, u, gradient);
    prc_forces_gradient(sim, u, gradient);
    sim->report.seconds_gradient += prc_seconds() - start;
}

void prc_product(prc_sim *sim, enum prc_field in, enum prc_field out)
{
    const double start = prc_seconds();
    run2(sim, PRC_STAGE_product_bonds, in, out);
    run2(sim, PRC_STAGE_product, in, out);
    prc_forces_product(sim, in, out);
    sim->report.seconds_product += prc_seconds() - start;
}

void prc_diagonal_sum(prc_sim *sim, enum prc_diagonal kind)
{
    const double start = prc_seconds();
    sim->view.diagonal_kind = kind;
    sim->model.backend->run(&sim->view, PRC_STAGE_diagonal_bonds);
    sim->model.backend->run(&sim->view, PRC_STAGE_diagonal_sum);
    prc_forces_diagonal(sim);
    sim->report.seconds_setup += prc_seconds() - start;
}

void prc_diagonal_invert(prc_sim *sim)
{
    const double start = prc_seconds();
    if (sim->contact.table || sim->contact.active.count > 0)
        sim->model.backend->contact_inverse(&sim->view, &sim->contact.active);
    else
        sim->model.backend->run(&sim->view, PRC_STAGE_diagonal);
    sim->report.seconds_setup += prc_seconds() - start;
}

void prc_diagonal(prc_sim *sim, enum prc_diagonal kind)
{
    prc_diagonal_sum(sim, kind);
    prc_diagonal_invert(sim);
}

void prc_precondition(prc_sim *sim, enum prc_field in, enum prc_field out)
{
    run2(sim, PRC_STAGE_precondition, in, out);
}

void prc_copy(prc_sim *sim, enum prc_field from, enum prc_field to)
{
    run2(sim, PRC_STAGE_copy, from, to);
}

void prc_combine(prc_sim *sim, double a, enum prc_field x, double b, enum prc_field y, enum prc_field out)
{
    prc_view *v = &sim->view;
    v->number[0] = a;
    v->number[1] = b;
    v->argument[2] = v->field[out];
    run2(sim, PRC_STAGE_combine, x, y);
}

double prc_inner(prc_sim *sim, enum prc_field a, enum prc_field b)
{
    return sim->model.backend->dot(&sim->view, sim->view.field[a], sim->view.field[b], NULL);
}

double prc_residual(prc_sim *sim, enum prc_field gradient)
{
    const prc_view *v = &sim->view;
    double square =
        sim->model.backend->dot(v, v->field[gradient], v->field[gradient], v->field[PRC_FIELD_inverse_mass]);
    return sim->step * sqrt(square / sim->free_mass);
}

double prc_evaluate_first(prc_sim *sim)
{
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    const double residual = prc_residual(sim, PRC_FIELD_gradient);
    if (isfinite(residual))
        return residual;
    prc_step_begin_still(sim);
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    return prc_residual(sim, PRC_FIELD_gradient);
}

bool prc_decrease_is_true(prc_sim *sim, double decrease)
{
    return isfinite(decrease) && (decrease > 0 || prc_residual(sim, PRC_FIELD_gradient) < sim->def.solver.tolerance);
}

double prc_energy_elastic(prc_sim *sim)
{
    return sim->model.backend->sum(&sim->view, sim->view.field[PRC_FIELD_energy]);
}

double prc_objective(prc_sim *sim, enum prc_field u)
{
    const prc_view *v = &sim->view;
    const prc_backend *backend = sim->model.backend;
    const size_t n = (size_t)v->padded_count;
    const struct prc_objective_work *w = &sim->work.objective;
    backend->download(&sim->view, w->at, v->field[u], 3 * n);
    backend->download(&sim->view, w->target, v->field[PRC_FIELD_target], 3 * n);
    backend->download(&sim->view, w->weight, v->field[PRC_FIELD_weight], n);
    backend->download(&sim->view, w->free, v->field[PRC_FIELD_free], n);
    backend->download(&sim->view, w->normal, v->field[PRC_FIELD_air_normal], 3 * n);
    backend->download(&sim->view, w->air, v->field[PRC_FIELD_air_weight], n);
    backend->download(&sim->view, w->wind, v->field[PRC_FIELD_air_wind], n);
    double energy = prc_energy_elastic(sim) + prc_forces_energy(sim);
    if (v->has_damping)
        energy += backend->sum(v, v->field[PRC_FIELD_energy_damping]);
    for (size_t i = 0; i < (size_t)v->vertex_count; i++) {
        if (w->free[i] == 0)
            continue;
        double square = 0, slip = -w->wind[i];
        for (size_t c = 0; c < 3; c++) {
            double d = w->at[c * n + i] - w->target[c * n + i];
            square += d * d;
            slip += w->normal[c * n + i] * w->at[c * n + i];
        }
        energy += 0.5 * w->weight[i] * square + (v->has_air ? 0.5 * w->air[i] * slip * slip : 0);
    }
    return energy;
}

void prc_trace(prc_sim *sim, enum prc_field u, double residual)
{
    if (sim->trace)
        sim->trace(sim->trace_context, sim->report.iterations, sim->report.inner_iterations, prc_objective(sim, u),
                   residual, prc_seconds());
}
