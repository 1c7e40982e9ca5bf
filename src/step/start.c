/* step/start.c — a start that intersects, or is closer than the thickness allows, is refused before the first step.
 *
 * Crossings are found by the independent checker, exactly; what is only too close by the contact set itself. The
 * promise of contact holds from a good start, and only from there. SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"

#include <stdio.h>
#include <string.h>

/* "vertex 12 of body 0": the caller's numbers. */
static int local_vertex(const prc_model *m, int internal)
{
    return m->caller_of[internal] - m->bodies[m->body_of[internal]].first_vertex;
}

/* "bodies[0]", "obstacles[2]": what a vertex belongs to. */
static const char *owner(const prc_model *m, int internal, char text[40])
{
    const int body = m->body_of[internal], bodies = m->body_count - m->obstacle_count;
    snprintf(text, 40, "%s[%d]", body < bodies ? "bodies" : "obstacles", body < bodies ? body : body - bodies);
    return text;
}

/* The checker takes an edge as a triangle that names a vertex twice. The caller frees. */
static int *with_segments(const prc_model *m)
{
    int *triangles = PRC_NEW(int, 3 * ((size_t)m->triangle_count + (size_t)m->segment_count));
    if (!triangles)
        return NULL;
    if (m->triangle_count)
        memcpy(triangles, m->triangles, sizeof(int) * 3 * (size_t)m->triangle_count);
    for (long s = 0; s < m->segment_count; s++)
        for (int k = 0; k < 3; k++)
            triangles[3 * (m->triangle_count + s) + k] = m->segments[2 * s + (k > 0)];
    return triangles;
}

static prc_result refuse_crossings(prc_sim *sim, prc_error *error)
{
    const prc_model *m = &sim->model;
    int *triangles = with_segments(m);
    if (!triangles)
        return PRC_FAIL_MEMORY(error);
    const double *x = sim->view.field[PRC_FIELD_position];
    double *interleaved = sim->scratch;
    for (int i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++)
            interleaved[3 * i + c] = x[(long)c * sim->view.padded_count + i];
    prc_check_options options = prc_check_options_default();
    options.skip_distances = true;
    options.most_listed = 1;
    options.obstacle = sim->obstacle;
    prc_check_result found;
    prc_result result = prc_check_surfaces(interleaved, m->vertex_count, triangles,
                                           m->triangle_count + m->segment_count, &options, &found, error);
    prc_free(triangles);
    if (result == PRC_OK && found.crossings > 0) {
        const prc_check_crossing *first = &found.listed[0];
        char names[2][40];
        result = prc_fail(error, PRC_ERROR_INPUT,
                          "contact: the start intersects in %lld places, first where edge %d–%d of %s crosses "
                          "triangle %d %d %d of %s near (%.4g, %.4g, %.4g); move the bodies apart",
                          found.crossings, local_vertex(m, first->edge[0]), local_vertex(m, first->edge[1]),
                          owner(m, first->edge[0], names[0]), local_vertex(m, first->triangle[0]),
                          local_vertex(m, first->triangle[1]), local_vertex(m, first->triangle[2]),
                          owner(m, first->triangle[0], names[1]), first->point[0], first->point[1], first->point[2]);
    }
    prc_check_result_release(&found);
    return result;
}

/* Counts contacts at or below the distance that may never be passed, and describes the first. */
static prc_result refuse_closeness(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const prc_model *m = &sim->model;
    const double *x = sim->view.field[PRC_FIELD_position];
    prc_result result = prc_contact_detect(set, x, NULL, error);
    if (result != PRC_OK)
        return result;
    prc_contact_geometry(set, x);
    int close = 0;
    const prc_contact *first = NULL;
    for (int k = 0; k < set->contact_count; k++)
        if (!(set->contacts[k].distance > set->contacts[k].xi_hard)) {
            first = first ? first : &set->contacts[k];
            close++;
        }
    if (!first) {
        prc_contact_measure(set);
        return PRC_OK;
    }
    if (first->solid >= 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "contact: %d pairs are too close at the start, first vertex %d of bodies[%d] and colliders[%d] "
                        "at %.4g m (at least %.4g m are needed); move them apart, or lower contact.thickness",
                        close, local_vertex(m, first->v[0]), m->body_of[first->v[0]], first->solid, first->distance,
                        first->xi_hard);
    char names[2][40];
    return prc_fail(error, PRC_ERROR_INPUT,
                    "contact: %d pairs are too close at the start, first vertices %d of %s and %d of %s "
                    "at %.4g m (at least %.4g m are needed); move them apart, or lower contact.thickness",
                    close, local_vertex(m, first->v[0]), owner(m, first->v[0], names[0]), local_vertex(m, first->v[3]),
                    owner(m, first->v[3], names[1]), first->distance, first->xi_hard);
}

prc_result prc_start_check(prc_sim *sim, prc_error *error)
{
    prc_result result = refuse_crossings(sim, error);
    return result == PRC_OK ? refuse_closeness(sim, error) : result;
}
