/* step/advice.c — why a step could not be taken, and what can be done about it with the settings in use.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "step/frame.h"
#include "step/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAR_STRETCHED 100.0 /* beyond that it is the stretch that makes forces large */

/* The first vertex whose gradient is not finite, in the caller's numbers, and how many there are; −1: none. */
static int find_overflow(prc_sim *sim, int *count)
{
    const prc_model *m = &sim->model;
    const long n = sim->view.padded_count;
    double *gradient = sim->work.columns;
    int first = -1;
    *count = 0;
    sim->model.backend->download(&sim->view, gradient, sim->view.field[PRC_FIELD_gradient], 3 * (size_t)n);
    for (int i = 0; i < m->elastic_count; i++) {
        if (isfinite(gradient[i] + gradient[n + i] + gradient[2 * n + i]))
            continue;
        ++*count;
        first = first < 0 || m->caller_of[i] < m->caller_of[first] ? i : first;
    }
    return first;
}

static double largest_stretch(prc_sim *sim)
{
    double *stretch = sim->work.columns, most = 0;
    sim->model.backend->download(&sim->view, stretch, sim->view.field[PRC_FIELD_stretch],
                                 (size_t)sim->view.padded_count);
    for (int i = 0; i < sim->model.ring_count; i++)
        most = fmax(most, stretch[i]);
    return most;
}

static void say_where(prc_sim *sim, char *text, size_t size)
{
    int count;
    const int i = find_overflow(sim, &count);
    if (i < 0) {
        snprintf(text, size, "forces or their sums");
        return;
    }
    const int body = sim->model.body_of[i];
    const char *name = sim->body_names[body];
    char others[40] = "";
    if (count > 1)
        snprintf(others, sizeof others, " and %d more", count - 1);
    snprintf(text, size, "forces at vertex %d of bodies[%d]%s%.20s%s%s",
             sim->model.caller_of[i] - sim->model.bodies[body].first_vertex, body, name ? " '" : "", name ? name : "",
             name ? "'" : "", others);
}

/* Each item helps by itself; what is in use already is not among them. */
static void say_what_to_try(prc_sim *sim, char *text, size_t size)
{
    const char *precision = sim->def.precision == PRC_PRECISION_SINGLE ? "precision: double, " : "";
    const bool other = !sim->def.contact.enabled && sim->def.solver.method != PRC_METHOD_NEWTON;
    const double most = largest_stretch(sim);
    char stretched[80] = "";
    if (most > FAR_STRETCHED)
        snprintf(stretched, sizeof stretched, " (cloth is stretched by a factor of %.3g)", most);
    snprintf(text, size,
             "Try %s%sa time.step below %.3g s; or look for extreme values of material, start%s, gravity, forces and "
             "velocities",
             precision, other ? "solver.method: newton, " : "", sim->length, stretched);
}

prc_result prc_step_fail_not_finite(prc_sim *sim, prc_error *error)
{
    char where[120], parts[60] = "", advice[240];
    const double whole = sim->def.time.step, length = sim->length;
    const char *limit = sim->def.precision == PRC_PRECISION_SINGLE ? "single" : "double";
    say_where(sim, where, sizeof where);
    if (length < whole)
        snprintf(parts, sizeof parts, ", even in sub-steps of %.3g s", length);
    say_what_to_try(sim, advice, sizeof advice);
    return prc_fail(error, PRC_ERROR_STATE,
                    "the step from %g s%s: %s are not finite in %s precision; the state before the step is kept. %s",
                    sim->whole_start, parts, where, limit, advice);
}
