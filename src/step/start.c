/* step/start.c — a start that intersects, or is closer than the thickness allows: found, told, and treated by choice.
 *
 * Crossings are found by the independent checker, exactly; what is only too close by the contact set itself. The
 * promise of contact holds from a good start, and only from there: a bad one is refused, opened (push.c), or pairs are
 * exempt (exempt.c). A state that is set later is treated alike. SPDX-License-Identifier: Apache-2.0 */
#include "step/start.h"
#include "step/place.h"
#include "step/shells.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/small.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FINE_EDGES 4  /* edges that a thickness is longer than where pairs may be countless */
#define COUNTLESS 200 /* pairs per vertex that are too close */

/* --- finding --- */

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

prc_result prc_start_crossings(prc_sim *sim, const double *y, prc_check_result *found, prc_error *error)
{
    const prc_model *m = &sim->model;
    *found = (prc_check_result){0};
    int *triangles = with_segments(m);
    if (!triangles)
        return PRC_FAIL_MEMORY(error);
    double *interleaved = sim->work.columns;
    for (int i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++)
            interleaved[3 * i + c] = y[(long)c * sim->view.padded_count + i];
    prc_check_options options = prc_check_options_default();
    options.skip_distances = true;
    options.most_listed = INT_MAX;
    options.obstacle = sim->obstacle;
    options.threads = sim->view.threads;
    const prc_result result = prc_check_surfaces(interleaved, m->vertex_count, triangles,
                                                 m->triangle_count + m->segment_count, &options, found, error);
    prc_free(triangles);
    return result;
}

static void describe_crossing(const prc_model *m, const prc_check_crossing *from, prc_start_crossing *to)
{
    for (int k = 0; k < 2; k++)
        to->edge[k] = m->caller_of[from->edge[k]];
    for (int k = 0; k < 3; k++)
        to->triangle[k] = m->caller_of[from->triangle[k]];
    to->edge_body = m->body_of[from->edge[0]];
    to->triangle_body = m->body_of[from->triangle[0]];
    memcpy(to->point, from->point, sizeof to->point);
}

/* Callers see colliders as such, and as side B, whatever surface they have. */
static void describe_close(const prc_sim *sim, const prc_contact *k, prc_start_close *to)
{
    const prc_model *m = &sim->model;
    bool swapped;
    *to = (prc_start_close){.body = {-1, -1}, .distance = prc_contact_bound(k), .smallest = k->xi_hard};
    to->collider = prc_contact_collider(sim, k, &swapped);
    for (int p = 0; p < k->count; p++) {
        const bool side_b = (p >= k->side_a) != swapped;
        double x[3];
        prc_take3(prc_field_position(&sim->model.view), sim->view.padded_count, k->v[p], x);
        for (int c = 0; c < 3; c++)
            to->on[side_b][c] += (p < k->side_a ? 1 : -1) * k->w[p] * x[c];
        if (side_b && to->collider >= 0)
            continue;
        to->vertices[to->a_count + to->b_count] = m->caller_of[k->v[p]];
        to->body[side_b] = m->body_of[k->v[p]];
        ++*(side_b ? &to->b_count : &to->a_count);
    }
    for (int c = 0; c < 3 && k->collider >= 0; c++)
        to->on[1][c] = to->on[0][c] - k->distance * k->n[c];
}

/* A vertex inside a collider that is a mesh. */
static void describe_inside(const prc_sim *sim, const prc_inside *inside, prc_start_close *to)
{
    const prc_model *m = &sim->model;
    const int i = inside->vertex, collider = inside->shell->collider;
    double n[3];
    *to = (prc_start_close){.a_count = 1,
                            .vertices = {m->caller_of[i]},
                            .body = {m->body_of[i], -1},
                            .collider = collider,
                            .smallest = PRC_HARD_SHARE * sim->contact.half[i]};
    prc_take3(prc_field_position(&m->view), sim->view.padded_count, i, to->on[0]);
    to->distance = prc_smaller(0, prc_collider_distance(&sim->contact.colliders[collider], to->on[0], n));
    for (int c = 0; c < 3; c++)
        to->on[1][c] = to->on[0][c] - to->distance * n[c];
}

/* An edge or a triangle of cloth that the surface of such a collider passes through; false for other crossings. */
static bool describe_pierced(const prc_sim *sim, const prc_check_crossing *from, prc_start_close *to)
{
    const prc_model *m = &sim->model;
    const prc_shell *of_edge = prc_shell_of_body(sim, m->body_of[from->edge[0]]),
                    *of_triangle = prc_shell_of_body(sim, m->body_of[from->triangle[0]]);
    if (!of_edge && !of_triangle)
        return false;
    const int *v = of_triangle ? from->edge : from->triangle;
    *to = (prc_start_close){.a_count = of_triangle ? 2 : 3,
                            .body = {m->body_of[v[0]], -1},
                            .collider = (of_triangle ? of_triangle : of_edge)->collider,
                            .smallest = PRC_HARD_SHARE * sim->contact.half[v[0]]};
    for (int p = 0; p < to->a_count; p++)
        to->vertices[p] = m->caller_of[v[p]];
    memcpy(to->on[0], from->point, sizeof to->on[0]);
    memcpy(to->on[1], from->point, sizeof to->on[1]);
    return true;
}

/* All of it as the caller has it. */
static prc_result describe(const prc_sim *sim, const prc_check_result *found, const prc_inside_list *inside,
                           prc_start_report *report, prc_error *error)
{
    const prc_contact_set *set = &sim->contact;
    int close = inside->count + found->listed_count;
    for (int k = 0; k < set->contact_count; k++)
        close += prc_contact_is_close(&set->contacts[k]);
    report->crossings = PRC_NEW(prc_start_crossing, found->listed_count);
    report->close = PRC_NEW(prc_start_close, close);
    if (!report->crossings || !report->close)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < inside->count; k++)
        describe_inside(sim, &inside->items[k], &report->close[report->close_count++]);
    for (int k = 0; k < found->listed_count; k++) {
        if (describe_pierced(sim, &found->listed[k], &report->close[report->close_count]))
            report->close_count++;
        else
            describe_crossing(&sim->model, &found->listed[k], &report->crossings[report->crossing_count++]);
    }
    for (int k = 0; k < set->contact_count; k++)
        if (prc_contact_is_close(&set->contacts[k]))
            describe_close(sim, &set->contacts[k], &report->close[report->close_count++]);
    return PRC_OK;
}

/* What is wrong with a state, and a report of it. */
typedef struct trouble {
    prc_check_result crossings;
    prc_inside_list inside; /* vertices in colliders that are meshes */
    prc_start_report report;
} trouble;

static void release(trouble *t)
{
    prc_check_result_release(&t->crossings);
    prc_inside_list_release(&t->inside);
    prc_start_report_release(&t->report);
}

/* Where contact reaches far beyond the edges, everything is too close to everything, and lists of it would take minutes
 * and gigabytes: it is counted up to what no scene has on purpose. */
static prc_result refuse_countless(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const double thickness = set->bodies.largest_thickness;
    const long most = COUNTLESS * (long)sim->model.vertex_count;
    long close = 0;
    if (!(thickness > FINE_EDGES * set->edge_length))
        return PRC_OK;
    const prc_result result = prc_contact_count_close(set, prc_field_position(&sim->model.view), most, &close, error);
    if (result != PRC_OK || close < most)
        return result;
    return prc_fail(error, PRC_ERROR_INPUT,
                    "contact: at the start more than %ld pairs are too close, because contact.thickness is %.3g m and "
                    "edges are %.2g m long; lower contact.thickness, or convert the meshes to metres (place.scale)",
                    most, thickness, set->edge_length);
}

/* Into one that is zeroed. */
static prc_result collect(prc_sim *sim, trouble *t, prc_error *error)
{
    const double *x = prc_field_position(&sim->model.view);
    prc_result result = refuse_countless(sim, error);
    if (result == PRC_OK)
        result = prc_start_crossings(sim, x, &t->crossings, error);
    if (result == PRC_OK)
        result = prc_start_set_aside(sim, x, &t->crossings, error);
    if (result == PRC_OK)
        result = prc_contact_detect(&sim->contact, x, NULL, error);
    if (result == PRC_OK)
        result = prc_shells_find_inside(sim, x, &t->inside, error);
    return result == PRC_OK ? describe(sim, &t->crossings, &t->inside, &t->report, error) : result;
}

void prc_start_report_release(prc_start_report *report)
{
    prc_free(report->crossings);
    prc_free(report->close);
    prc_free(report->positions);
    *report = (prc_start_report){0};
}

static prc_result copy_positions(prc_sim *sim, prc_start_report *report, prc_error *error)
{
    const size_t count = 3 * (size_t)prc_sim_vertex_count(sim);
    report->positions = PRC_NEW(double, count);
    if (!report->positions)
        return PRC_FAIL_MEMORY(error);
    memcpy(report->positions, prc_sim_positions(sim), count * sizeof(double));
    return PRC_OK;
}

prc_result prc_start_examine(const prc_sim_def *def, prc_start_report *report, prc_error *error)
{
    prc_error ignored = {0};
    error = error ? error : &ignored;
    if (prc_need(report, "report", error) || prc_need(def, "def", error))
        return PRC_ERROR_INPUT;
    *report = (prc_start_report){0};
    if (!def->contact.enabled)
        return prc_fail(error, PRC_ERROR_INPUT, "contact.enabled is false: intersections at the start are allowed");
    prc_sim *sim = prc_sim_create_untreated(def, error);
    if (!sim)
        return error->code;
    trouble t = {0};
    prc_result result = collect(sim, &t, error);
    if (result == PRC_OK)
        result = copy_positions(sim, &t.report, error);
    t.report.prescribed_pairs = sim->start.prescribed_pairs;
    prc_sim_destroy(sim);
    if (result == PRC_OK) {
        *report = t.report;
        t.report = (prc_start_report){0};
    }
    release(&t);
    return result;
}

/* --- telling --- */

typedef struct text {
    char *at;
    size_t room;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(t->at, t->room, format, arguments);
    va_end(arguments);
    const size_t used = length < 0 ? 0 : (size_t)length < t->room ? (size_t)length : t->room - 1;
    t->at += used;
    t->room -= used;
}

/* "edge 3–4 of bodies[0] 'sheet'", "… of obstacles[1] 'plate'": the caller's numbers within the body. */
static void append_primitive(const prc_sim *sim, text *t, const int *vertices, int count, int body)
{
    static const char *const names[] = {"", "vertex", "edge", "triangle"};
    const int bodies = sim->model.body_count - sim->model.obstacle_count;
    if (count == 3 && vertices[1] == vertices[2]) /* see with_segments */
        count = 2;
    append(t, "%s ", names[count]);
    for (int k = 0; k < count; k++)
        append(t, "%s%d", k > 0 ? "–" : "", vertices[k] - sim->model.bodies[body].first_vertex);
    append(t, " of %s[%d]", body < bodies ? "bodies" : "obstacles", body < bodies ? body : body - bodies);
    if (sim->body_names[body])
        append(t, " '%.20s'", sim->body_names[body]);
}

/* Counts, advice, and the first of each kind; the advice before the places, which are of any length. */
static prc_result refuse(const prc_sim *sim, const prc_start_report *r, const char *advice, prc_error *error)
{
    char message[sizeof error->message];
    text t = {message, sizeof message};
    append(&t, "contact: ");
    if (r->crossing_count > 0)
        append(&t, "the start intersects in %d place%s", r->crossing_count, r->crossing_count == 1 ? "" : "s");
    if (r->close_count > 0)
        append(&t, "%s%d pair%s too close%s", r->crossing_count > 0 ? " and " : "", r->close_count,
               r->close_count == 1 ? " is" : "s are", r->crossing_count > 0 ? "" : " at the start");
    append(&t, "; %s", advice);
    if (r->crossing_count > 0) {
        const prc_start_crossing *c = &r->crossings[0];
        append(&t, ". First crossing: ");
        append_primitive(sim, &t, c->edge, 2, c->edge_body);
        append(&t, " and ");
        append_primitive(sim, &t, c->triangle, 3, c->triangle_body);
        append(&t, " at (%.4g, %.4g, %.4g)", c->point[0], c->point[1], c->point[2]);
    }
    if (r->close_count > 0) {
        const prc_start_close *c = &r->close[0];
        append(&t, ". First too close: ");
        append_primitive(sim, &t, c->vertices, c->a_count, c->body[0]);
        append(&t, " and ");
        if (c->collider >= 0)
            append(&t, "colliders[%d]", c->collider);
        else
            append_primitive(sim, &t, c->vertices + c->a_count, c->b_count, c->body[1]);
        append(&t, " at (%.4g, %.4g, %.4g), %.4g m apart, more than %.4g m needed", c->on[0][0], c->on[0][1],
               c->on[0][2], c->distance, c->smallest);
    }
    return prc_fail(error, PRC_ERROR_INPUT, "%s", message);
}

/* --- treating --- */

static bool is_bad(const trouble *t)
{
    return t->report.crossing_count + t->report.close_count > 0;
}

static prc_result push_apart(prc_sim *sim, trouble *t, prc_error *error)
{
    if (t->report.crossing_count > 0)
        return refuse(sim, &t->report,
                      "contact.start: push_apart only widens gaps; move the bodies apart, or set contact.start: exempt",
                      error);
    prc_result result = prc_start_push(sim, t->inside.count + t->crossings.listed_count > 0, error);
    release(t);
    *t = (trouble){0};
    if (result == PRC_OK)
        result = collect(sim, t, error);
    if (result == PRC_OK && is_bad(t))
        result = refuse(sim, &t->report,
                        "contact.start: push_apart could not widen the gaps; move the bodies apart, lower "
                        "contact.thickness, or set contact.start: exempt",
                        error);
    return result;
}

static bool exempt_from_collider(prc_exempt_set *set, const prc_contact *k)
{
    return k->count == 1 ? prc_exempt_add_collider(set, k->v[0], k->collider)
                         : prc_exempt_add_face(set, k->v, k->collider);
}

/* What crosses, and what is inside colliders, first; then gaps are opened; then all that is still too close. */
static prc_result exempt(prc_sim *sim, const trouble *t, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const double *x = prc_field_position(&sim->model.view);
    const int crossings = prc_exempt_crossings(&set->exempt, NULL, &t->crossings);
    bool enough = crossings >= 0;
    sim->start.exempt_crossings += crossings;
    for (int k = 0; k < t->inside.count && enough; k++)
        enough = prc_exempt_add_shell(&set->exempt, t->inside.items[k].vertex, t->inside.items[k].shell->body);
    for (int k = set->pair_count; k < set->contact_count && enough; k++)
        if (set->contacts[k].distance <= 0)
            enough = exempt_from_collider(&set->exempt, &set->contacts[k]);
    if (!enough)
        return PRC_FAIL_MEMORY(error);
    prc_result result = prc_start_push(sim, false, error);
    if (result == PRC_OK)
        result = prc_contact_detect(set, x, NULL, error);
    if (result != PRC_OK)
        return result;
    for (int k = 0; k < set->contact_count && enough; k++) {
        const prc_contact *contact = &set->contacts[k];
        if (prc_contact_is_close(contact))
            enough = contact->collider >= 0 ? exempt_from_collider(&set->exempt, contact)
                                            : prc_exempt_add(&set->exempt, contact->v, contact->side_a);
    }
    if (!enough)
        return PRC_FAIL_MEMORY(error);
    sim->start.exempt_pairs = set->exempt.count;
    return prc_contact_detect(set, x, NULL, error); /* without them */
}

/* Whether all is well, found out without lists of pairs: where a device has them in the end, the host need not have
 * room for them. */
static prc_result look(prc_sim *sim, bool *good, prc_error *error)
{
    const double *x = prc_field_position(&sim->model.view);
    prc_check_result found = {0};
    long close = 0;
    prc_result result = prc_start_crossings(sim, x, &found, error);
    if (result == PRC_OK)
        result = prc_start_set_aside(sim, x, &found, error);
    *good = result == PRC_OK && found.crossings == 0;
    prc_inside_list inside = {0};
    if (*good)
        result = prc_contact_count_close(&sim->contact, x, LONG_MAX, &close, error);
    if (*good && result == PRC_OK && close == 0)
        result = prc_shells_find_inside(sim, x, &inside, error);
    *good = *good && close + inside.count == 0;
    prc_inside_list_release(&inside);
    prc_check_result_release(&found);
    return result;
}

static prc_result treat(prc_sim *sim, prc_error *error)
{
    if (sim->kind != PRC_BACKEND_CPU) {
        bool good;
        const prc_result result = look(sim, &good, error);
        if (result != PRC_OK || good)
            return result; /* prc_start_measure has the device find the contacts */
    }
    trouble t = {0};
    prc_result result = collect(sim, &t, error);
    if (result == PRC_OK && is_bad(&t)) {
        if (sim->def.contact.start == PRC_START_EXEMPT)
            result = exempt(sim, &t, error);
        else if (sim->def.contact.start == PRC_START_PUSH_APART)
            result = push_apart(sim, &t, error);
        else
            result =
                refuse(sim, &t.report,
                       t.report.crossing_count > 0
                           ? "move the bodies apart, or set contact.start: exempt (push_apart only widens gaps)"
                           : "move them apart, lower contact.thickness, or set contact.start: push_apart or exempt",
                       error);
    }
    if (result == PRC_OK)
        prc_contact_measure(&sim->contact);
    release(&t);
    return result;
}

prc_result prc_start_settle(prc_sim *sim, prc_error *error)
{
    const prc_exempt_set exempt_before = sim->contact.exempt;
    const prc_start_outcome outcome_before = sim->start;
    prc_exempt_set *now = &sim->contact.exempt, old = exempt_before;
    *now = (prc_exempt_set){0};
    sim->start = (prc_start_outcome){0};
    const prc_result result = treat(sim, error);
    if (result != PRC_OK) {
        prc_exempt_release(now);
        *now = exempt_before;
        sim->start = outcome_before;
        return result;
    }
    prc_exempt_release(&old);
    memcpy(prc_field_position_before(&sim->model.view), prc_field_position(&sim->model.view),
           sizeof(double) * 3 * (size_t)sim->view.padded_count);
    return PRC_OK;
}

prc_result prc_start_measure(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    if (!set->table)
        return PRC_OK;
    const prc_result result = prc_contact_detect(set, prc_field_position(&sim->view), NULL, error);
    if (result != PRC_OK)
        return result;
    prc_contact_measure(set);
    set->table->fetch(set);
    return prc_sim_status(sim, error);
}

prc_start_outcome prc_sim_start(const prc_sim *sim)
{
    return sim->start;
}
