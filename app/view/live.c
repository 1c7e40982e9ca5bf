/* app/view/live.c — a simulation as a source: takes steps in its own thread, and applies the requests of the window
 * between two steps. Uses only the public functions of the library, except for the file of a state.
 *
 * Settings that cannot be changed in place (materials) are changed by prc_sim_remake; if a change is refused, the last
 * valid simulation stays.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "colliders.h"
#include "io/ply.h"
#include "source.h"

#define SHOWN_PERIOD (1 / 60.0) /* s: more shots than that are not seen */
#define HAND_SPEED 2.0          /* m/s: faster is a blow */
#define FELL_BEHIND 0.1         /* s: what is later than that is not caught up with */
#define PULL 12.0               /* a grab pulls at most so many times the weight of its body at 10 m/s², … */
#define PULL_LEAST 0.5          /* … or this, N */

typedef struct live {
    const prc_sim_def *scene; /* as it was read */
    prc_sim_def def;          /* as it is now, with bodies of its own: */
    prc_body_def *bodies;
    prc_material_def *materials; /* all that bodies have besides their first */
    prc_sim *sim;
    prc_view_wishes now;                  /* what has been done */
    int grab;                             /* or −1 */
    double translate[PRC_VIEW_THINGS][3]; /* where hands have brought things: they go no faster than a hand */
    int steps;
    prc_step_report report;
    double seconds;
    double *work; /* per vertex */
    double range[2];
    prc_view_colour range_of;
    char message[520];
    bool failed;
    long shots;
} live;

static void tell(live *l, const char *what, const prc_error *error)
{
    snprintf(l->message, sizeof l->message, "%s%.490s", what, error ? error->message : "");
}

/* ---- materials ---- */

static void scale_material(const prc_material_def *from, const prc_view_wishes *w, prc_material_def *to)
{
    *to = *from;
    const double bending = from->bending >= 0
                               ? from->bending
                               : from->young * pow(from->thickness, 3) / (12 * (1 - from->poisson * from->poisson));
    to->bending = w->bending * bending;
    to->density = w->density * from->density;
    to->stretch *= w->stretch;
    to->young *= w->stretch;
    to->stretch_warp *= w->stretch;
    to->stretch_weft *= w->stretch;
    to->shear *= w->stretch;
    for (int k = 0; k < PRC_MATERIAL_TERMS; k++) {
        to->terms[k].stretch *= w->stretch;
        to->coefficients[k] *= w->stretch;
    }
    for (int k = 0; k < from->curve_count; k++)
        to->curve[k][1] *= w->stretch;
}

/* The def with all that the window wishes of it. */
static void fill_def(live *l, const prc_view_wishes *w)
{
    memcpy(l->def.gravity, w->gravity, sizeof w->gravity);
    memcpy(l->def.air.wind, w->wind, sizeof w->wind);
    l->def.time.step = w->step;
    prc_material_def *to = l->materials;
    for (int b = 0; b < l->def.body_count; b++) {
        const prc_body_def *from = &l->scene->bodies[b];
        scale_material(&from->material, w, &l->bodies[b].material);
        for (int m = 0; m < from->material_count; m++)
            scale_material(&from->materials[m], w, to++);
    }
}

static bool material_differs(const prc_view_wishes *a, const prc_view_wishes *b)
{
    return a->stretch != b->stretch || a->bending != b->bending || a->density != b->density;
}

/* ---- what the window wishes ---- */

static prc_result set_friction(live *l, double friction, prc_error *error)
{
    prc_result result = PRC_OK;
    if (friction < 0 || !l->def.contact.enabled)
        return PRC_OK;
    for (int b = 0; b < prc_sim_body_count(l->sim) && result == PRC_OK; b++)
        result = prc_sim_set_friction(l->sim, b, friction, error);
    for (int s = 0; s < prc_sim_collider_count(l->sim) && result == PRC_OK; s++)
        if (l->def.colliders[s].friction >= 0)
            result = prc_sim_set_collider_friction(l->sim, s, friction, error);
    return result;
}

/* Wind is felt in air only: where the scene has none, it is that of a room. */
static prc_result set_wind(live *l, const double wind[3], prc_error *error)
{
    const bool blows = wind[0] != 0 || wind[1] != 0 || wind[2] != 0;
    if (blows && !(l->def.air.density > 0))
        l->def.air.density = 1.2;
    if (blows && !(l->def.air.drag > 0))
        l->def.air.drag = 1;
    memcpy(l->def.air.wind, wind, sizeof l->def.air.wind);
    return prc_sim_set_air(l->sim, &l->def.air, error);
}

static prc_result apply_settings(live *l, const prc_view_wishes *w, prc_error *error)
{
    const prc_view_wishes *now = &l->now;
    prc_result result = PRC_OK;
    if (material_differs(w, now)) {
        fill_def(l, w);
        result = prc_sim_remake(&l->sim, &l->def, error);
        if (result == PRC_OK)
            result = set_friction(l, w->friction, error);
    }
    if (result == PRC_OK && memcmp(w->gravity, now->gravity, sizeof w->gravity) != 0)
        result = prc_sim_set_gravity(l->sim, w->gravity, error);
    if (result == PRC_OK && memcmp(w->wind, now->wind, sizeof w->wind) != 0)
        result = set_wind(l, w->wind, error);
    if (result == PRC_OK && w->step != now->step)
        result = prc_sim_set_step(l->sim, w->step, error);
    if (result == PRC_OK && w->friction != now->friction)
        result = set_friction(l, w->friction, error);
    return result;
}

static prc_result apply_grab(live *l, const prc_view_wishes *w, prc_error *error)
{
    if (l->grab >= 0 && (!w->grabbing || w->grabs != l->now.grabs)) {
        prc_sim_grab_end(l->sim, l->grab);
        l->grab = -1;
    }
    if (!w->grabbing)
        return PRC_OK;
    if (l->grab >= 0)
        return prc_sim_grab_move(l->sim, l->grab, w->grab.target, error);
    if (w->grabs == l->now.grabs)
        return PRC_OK; /* one that was let go by a new beginning */
    prc_grab_def grab = w->grab;
    const double *masses = prc_sim_masses(l->sim);
    const int first = prc_sim_body_first_vertex(l->sim, grab.body);
    double mass = 0;
    for (int i = first; i < first + prc_sim_body_vertex_count(l->sim, grab.body); i++)
        mass += masses[i];
    grab.limit = fmax(PULL * 10 * mass, PULL_LEAST);
    return prc_sim_grab(l->sim, &grab, &l->grab, error);
}

/* Things that are moved follow the hand, a step at a time. */
static prc_result move_things(live *l, const prc_view_wishes *w, double step, prc_error *error)
{
    const int colliders = prc_sim_collider_count(l->sim), all = colliders + l->def.obstacle_count;
    for (int k = 0; k < all && k < PRC_VIEW_THINGS; k++) {
        prc_pose_key pose = {.time = 0};
        double way[3], length = 0;
        if (!w->moved[k])
            continue;
        for (int c = 0; c < 3; c++) {
            way[c] = w->translate[k][c] - l->translate[k][c];
            length += way[c] * way[c];
        }
        const double share = fmin(1, HAND_SPEED * step / fmax(sqrt(length), 1e-12));
        for (int c = 0; c < 3; c++)
            pose.translate[c] = l->translate[k][c] += share * way[c];
        const prc_result result = k < colliders ? prc_sim_move_collider(l->sim, k, &pose, error)
                                                : prc_sim_move_obstacle(l->sim, k - colliders, &pose, error);
        if (result != PRC_OK)
            return result;
    }
    return PRC_OK;
}

/* A new beginning, with the settings as they are. */
static prc_result begin_again(live *l, const prc_view_wishes *w, prc_error *error)
{
    fill_def(l, w);
    prc_sim *sim = prc_sim_create(&l->def, error);
    if (!sim)
        return PRC_ERROR_STATE;
    prc_sim_destroy(l->sim);
    l->sim = sim;
    l->grab = -1;
    l->steps = 0;
    l->failed = false;
    l->report = (prc_step_report){.time = -1};
    memset(l->translate, 0, sizeof l->translate);
    l->message[0] = '\0';
    return set_friction(l, w->friction, error);
}

/* The time, and where colliders are. */
static char *tell_state(const live *l)
{
    const int count = l->def.collider_count;
    double *poses = PRC_NEW(double, (size_t)count *PRC_CLI_POSE);
    if (poses)
        prc_cli_poses(l->def.colliders, count, l->sim, poses);
    char *colliders = poses ? prc_cli_colliders_tell(l->def.colliders, count, poses, false) : NULL;
    const size_t size = colliders ? strlen(colliders) + 60 : 0;
    char *text = colliders ? prc_alloc(size, 1) : NULL;
    if (text)
        snprintf(text, size, "percale, time %.9g s\n%s", prc_sim_time(l->sim), colliders);
    prc_free(colliders);
    prc_free(poses);
    return text;
}

/* The state as a frame of a run is written, in full precision: for percale check and others. */
static prc_result save_state(live *l, const prc_view_source *s, const char *path, prc_error *error)
{
    char *comment = tell_state(l);
    if (!comment)
        return PRC_FAIL_MEMORY(error);
    const prc_ply_frame frame = {.vertex_count = s->vertex_count,
                                 .triangle_count = s->triangle_count,
                                 .positions = prc_sim_positions(l->sim),
                                 .triangles = s->triangles,
                                 .comment = comment,
                                 .obstacle = s->parts[s->part_count - 1].obstacle ? s->obstacle : NULL,
                                 .edges = s->edges,
                                 .edge_count = s->edge_count,
                                 .is_double = true};
    const prc_result result = prc_ply_write(path, &frame, error);
    prc_free(comment);
    return result;
}

static void apply(live *l, const prc_view_source *s, const prc_view_wishes *w)
{
    prc_error error;
    prc_result result = PRC_OK;
    if (!l->failed)
        l->message[0] = '\0';
    if (w->resets != l->now.resets)
        result = begin_again(l, w, &error);
    else
        result = apply_settings(l, w, &error);
    if (result == PRC_OK)
        result = apply_grab(l, w, &error);
    if (result != PRC_OK)
        tell(l, "refused: ", &error);
    if (w->saves != l->now.saves) {
        result = save_state(l, s, w->save, &error);
        tell(l, result ? "not written: " : "state written to ", result ? &error : NULL);
        if (!result)
            snprintf(l->message + strlen(l->message), sizeof l->message - strlen(l->message), "%.480s", w->save);
    }
    l->now = *w;
}

/* ---- shots ---- */

/* The first of so many numbers per vertex, or the length where there are three. */
static bool fill_values(live *l, const prc_view_source *s, prc_view_colour colour, double *to)
{
    static const struct {
        const double *(*get)(prc_sim *sim);
        int stride;
    } of[PRC_VIEW_COLOURS] = {
        [PRC_VIEW_STRETCH] = {prc_sim_stretches, 2},         [PRC_VIEW_CURVATURE] = {prc_sim_curvatures, 2},
        [PRC_VIEW_PRESSURE] = {prc_sim_contact_pressure, 1}, [PRC_VIEW_SPEED] = {prc_sim_velocities, 3},
        [PRC_VIEW_RESIDUAL] = {prc_sim_residuals, 1},        [PRC_VIEW_STRESS] = {prc_sim_stresses, 2},
        [PRC_VIEW_ENERGY] = {prc_sim_energy_densities, 1},   [PRC_VIEW_GAP] = {prc_sim_contact_gap, 1},
        [PRC_VIEW_BOUND] = {prc_sim_safe_bounds, 1}};
    const double *from = of[colour].get ? of[colour].get(l->sim) : NULL;
    for (int i = 0; from && i < s->vertex_count; i++) {
        const double *v = from + (long)of[colour].stride * i;
        to[i] = s->obstacle[i] ? NAN : of[colour].stride == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : v[0];
    }
    return from != NULL;
}

/* Forces are drawn as lines, the strongest as long as a twentieth of a metre at most. */
static void take_contacts(live *l, prc_view_shot *shot)
{
    const prc_contact_point *points;
    int count;
    double most = 1e-9;
    shot->contact_count = 0;
    if (prc_sim_contacts(l->sim, &points, &count, NULL) || !prc_view_shot_reserve(shot, count))
        return;
    for (int k = 0; k < count; k++) {
        const double *f = points[k].force;
        most = fmax(most, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            shot->contacts[6 * k + c] = points[k].point[c];
            shot->contacts[6 * k + 3 + c] = points[k].force[c] / most;
        }
    shot->contact_count = count;
}

static void take_values(live *l, const prc_view_source *s, prc_view_shot *shot)
{
    const double none[2] = {0, 0};
    shot->colour = l->now.colour;
    if (shot->colour == PRC_VIEW_BODY || !fill_values(l, s, shot->colour, shot->values)) {
        shot->colour = PRC_VIEW_BODY;
        return;
    }
    prc_view_find_range(shot, s->vertex_count, l->work, l->range_of == shot->colour ? l->range : none);
    memcpy(l->range, shot->range, sizeof l->range);
    l->range_of = shot->colour;
}

static void take_shot(live *l, prc_view_source *s)
{
    prc_view_shot *shot = prc_view_source_back(s);
    const int count = s->vertex_count;
    shot->number = ++l->shots;
    shot->time = prc_sim_time(l->sim);
    shot->steps = l->steps;
    memcpy(shot->positions, prc_sim_positions(l->sim), 3 * sizeof(double) * (size_t)count);
    take_values(l, s, shot);
    for (int k = 0; k < prc_sim_collider_count(l->sim); k++)
        prc_sim_collider_pose(l->sim, k, shot->turns[k], shot->shifts[k]);
    shot->contact_count = 0;
    if (l->now.contacts)
        take_contacts(l, shot);
    const double *bounds = l->now.bounds ? prc_sim_safe_bounds(l->sim) : NULL;
    shot->has_bounds = bounds != NULL;
    if (bounds)
        memcpy(shot->bounds, bounds, sizeof *bounds * (size_t)count);
    shot->report = l->report;
    shot->step_length = prc_sim_step_length(l->sim);
    shot->seconds = l->seconds;
    shot->holds = l->grab >= 0 && prc_sim_grab_read(l->sim, l->grab, shot->held, &shot->force);
    memcpy(shot->target, l->now.grab.target, sizeof shot->target);
    snprintf(shot->message, sizeof shot->message, "%s", l->message);
    shot->failed = l->failed;
    prc_view_source_publish(s);
}

/* ---- the thread ---- */

static void step(live *l)
{
    prc_error error;
    const double start = prc_view_seconds();
    prc_result result = move_things(l, &l->now, prc_sim_step_length(l->sim), &error);
    if (result == PRC_OK)
        result = prc_sim_step(l->sim, &l->report, &error);
    l->seconds = prc_view_seconds() - start;
    if (result == PRC_OK) {
        l->steps++;
        return;
    }
    tell(l, "the step failed: ", &error);
    l->failed = true;
}

/* Not faster than real time, unless that is wished; what was late is not caught up with. */
static double time_to_wait(const live *l, double *origin)
{
    const double ahead = *origin + prc_sim_time(l->sim) - prc_view_seconds();
    if (ahead < -FELL_BEHIND || l->now.fast)
        *origin = prc_view_seconds() - prc_sim_time(l->sim);
    return l->now.fast ? 0 : fmin(fmax(ahead, 0), SHOWN_PERIOD);
}

static void work(prc_view_source *s)
{
    live *l = s->own;
    prc_view_wishes w;
    double shown = 0, origin = prc_view_seconds(), wait = 0;
    long seen = 0;
    int taken = l->now.steps;
    for (;;) {
        const bool rests = (l->now.paused && taken == l->now.steps) || l->failed;
        const bool changed = prc_view_source_listen(s, &w, &seen, shown > 0 && rests ? -1 : wait);
        const int resets = l->now.resets;
        if (w.quit)
            return;
        if (changed)
            apply(l, s, &w);
        if (resets != l->now.resets)
            origin = prc_view_seconds();
        if (l->failed)
            taken = l->now.steps;
        wait = l->now.paused ? 0 : time_to_wait(l, &origin);
        const bool single = l->now.paused && taken < l->now.steps;
        if (!l->failed && (single || (!l->now.paused && !(wait > 0)))) {
            step(l);
            taken += single;
        } else if (l->now.paused)
            origin = prc_view_seconds() - prc_sim_time(l->sim);
        if (changed || l->now.paused || prc_view_seconds() - shown >= SHOWN_PERIOD) {
            take_shot(l, s);
            shown = prc_view_seconds();
        }
    }
}

/* ---- making ---- */

static void release(prc_view_source *s)
{
    live *l = s->own;
    prc_sim_destroy(l->sim);
    free(l->materials);
    free(l->bodies);
    free(l->work);
    free(l);
}

static bool copy_bodies(live *l)
{
    const int count = l->scene->body_count;
    int materials = 0;
    for (int b = 0; b < count; b++)
        materials += l->scene->bodies[b].material_count;
    l->bodies = calloc((size_t)count + 1, sizeof *l->bodies);
    l->materials = calloc((size_t)materials + 1, sizeof *l->materials);
    if (!l->bodies || !l->materials)
        return false;
    materials = 0;
    for (int b = 0; b < count; b++) {
        l->bodies[b] = l->scene->bodies[b];
        l->bodies[b].materials = l->materials + materials;
        materials += l->bodies[b].material_count;
    }
    l->def = *l->scene;
    l->def.bodies = l->bodies;
    return true;
}

/* Bodies and obstacles one after the other. */
static bool list_parts(prc_view_source *s, const prc_sim_def *def)
{
    const int bodies = def->body_count;
    s->part_count = bodies + def->obstacle_count;
    s->parts = calloc((size_t)s->part_count + 1, sizeof *s->parts);
    for (int p = 0; s->parts && p < s->part_count; p++) {
        const prc_mesh *mesh = p < bodies ? def->bodies[p].mesh : def->obstacles[p - bodies].mesh;
        s->parts[p] = (prc_view_part){.name = p < bodies ? def->bodies[p].name : def->obstacles[p - bodies].name,
                                      .first_vertex = s->vertex_count,
                                      .vertex_count = mesh->vertex_count,
                                      .first_triangle = s->triangle_count,
                                      .triangle_count = mesh->triangle_count,
                                      .obstacle = p >= bodies};
        s->vertex_count += mesh->vertex_count;
        s->triangle_count += mesh->triangle_count;
    }
    s->triangles = calloc(3 * (size_t)s->triangle_count + 1, sizeof *s->triangles);
    for (int p = 0; s->parts && s->triangles && p < s->part_count; p++) {
        const prc_view_part *part = &s->parts[p];
        const prc_mesh *mesh = p < bodies ? def->bodies[p].mesh : def->obstacles[p - bodies].mesh;
        for (int k = 0; k < 3 * part->triangle_count; k++)
            s->triangles[3 * part->first_triangle + k] = part->first_vertex + mesh->triangles[k];
    }
    s->obstacle = calloc((size_t)s->vertex_count + 1, sizeof *s->obstacle);
    for (int p = bodies; s->parts && s->obstacle && p < s->part_count; p++)
        memset(s->obstacle + s->parts[p].first_vertex, 1, (size_t)s->parts[p].vertex_count);
    s->collider_count = def->contact.enabled ? def->collider_count : 0;
    s->def = def;
    return s->parts && s->triangles && s->obstacle;
}

/* Needles and the like. */
static bool list_edges(prc_view_source *s, const prc_sim_def *def)
{
    for (int o = 0; o < def->obstacle_count; o++)
        s->edge_count += def->obstacles[o].segment_count;
    s->edges = calloc(2 * (size_t)s->edge_count + 1, sizeof *s->edges);
    int made = 0;
    for (int o = 0; s->edges && o < def->obstacle_count; o++)
        for (int k = 0; k < 2 * def->obstacles[o].segment_count; k++)
            s->edges[made++] = s->parts[def->body_count + o].first_vertex + def->obstacles[o].segments[k];
    return s->edges != NULL;
}

prc_view_source *prc_view_live_create(const prc_sim_def *def, const prc_view_wishes *wishes, prc_error *error)
{
    prc_view_source *s = calloc(1, sizeof *s);
    live *l = calloc(1, sizeof *l);
    if (!s || !l) {
        free(s);
        free(l);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    *l = (live){.scene = def, .now = *wishes, .grab = -1, .report = {.time = -1}};
    s->live = true;
    for (int k = 0; k < PRC_VIEW_COLOURS; k++)
        s->shows[k] = def->contact.enabled || (k != PRC_VIEW_PRESSURE && k != PRC_VIEW_GAP && k != PRC_VIEW_BOUND);
    s->own = l;
    s->work = work;
    s->release = release;
    prc_result result = list_parts(s, def) && list_edges(s, def) && copy_bodies(l) ? PRC_OK : PRC_FAIL_MEMORY(error);
    l->work = calloc((size_t)s->vertex_count + 1, sizeof *l->work);
    if (result == PRC_OK && !l->work)
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK) {
        fill_def(l, wishes);
        l->sim = prc_sim_create(&l->def, error);
        result = l->sim ? prc_view_source_begin(s, wishes, error) : PRC_ERROR_INPUT;
    }
    if (result == PRC_OK) {
        snprintf(s->place, sizeof s->place, "%s", prc_sim_backend(l->sim));
        take_shot(l, s);
        result = prc_view_source_start(s, error);
    }
    if (result == PRC_OK)
        return s;
    prc_view_source_destroy(s);
    return NULL;
}
