/* app/cli/warnings.c — warnings about settings that are allowed, but perhaps not intended. Thresholds are wide: users
 * ignore warnings that appear for good scenes.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "quantity.h"
#include "survey.h"

#define STEP_RATIO 20   /* steps per stretch time-scale that go without saying */
#define EDGE_RATIO 50   /* longest to shortest edge */
#define LONG_RUN 1e7    /* steps */
#define ORDINARY 1e-300 /* what counts as no gravity, no wind */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
warn(prc_warnings *w, const char *format, ...)
{
    if (w->count == PRC_WARNINGS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->items[w->count++], sizeof w->items[0], format, arguments);
    va_end(arguments);
}

static double size_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* "bodies[0]", or "bodies[0] 'shirt'". */
static const char *name_of(const prc_sim_def *def, int b, char text[80])
{
    const char *name = def->bodies[b].name;
    snprintf(text, 80, "bodies[%d]%s%.50s%s", b, name ? " '" : "", name ? name : "", name ? "'" : "");
    return text;
}

/* One sentence for all bodies, about the one where it matters most. */
static void look_at_step(prc_warnings *w, const prc_sim_def *def, const prc_survey *survey)
{
    char name[80];
    double stretch = 0, bending = 0;
    int worst_stretch = 0, worst_bending = 0;
    for (int b = 0; b < def->body_count; b++) {
        if (def->time.step / survey->bodies[b].stretch_time > stretch) {
            stretch = def->time.step / survey->bodies[b].stretch_time;
            worst_stretch = b;
        }
        if (def->time.step / survey->bodies[b].bending_time > bending) {
            bending = def->time.step / survey->bodies[b].bending_time;
            worst_bending = b;
        }
    }
    if (stretch > STEP_RATIO)
        warn(w,
             "this step is %.2g× the stretch time scale of %s: stretch waves are damped, and steps need more "
             "iterations. A smaller time.step resolves them.",
             stretch, name_of(def, worst_stretch, name));
    if (bending > STEP_RATIO && bending > stretch)
        warn(w, "this step is %.2g× the bending time scale of %s: small wrinkles are damped.", bending,
             name_of(def, worst_bending, name));
}

/* Values far from any cloth, foil or rubber sheet: mostly a wrong unit. */
static void look_at_material(prc_warnings *w, const prc_sim_def *def, const prc_survey *survey, int b)
{
    char name[80];
    const prc_body_survey *s = &survey->bodies[b];
    name_of(def, b, name);
    if (s->density > 20)
        warn(w, "%s: a density of %.3g kg/m² is that of a plate; cloth has 0.05 to 1. Was it given in g/m²?", name,
             s->density);
    else if (s->density < 2e-3)
        warn(w, "%s: a density of %.3g kg/m² is less than that of any cloth (0.05 to 1); air forces will dominate.",
             name, s->density);
    if (s->modulus > 1e9)
        warn(w,
             "%s: a stretch modulus of %.3g N/m is larger than that of metal foil. A value in Pa belongs in "
             "material.young.",
             name, s->modulus);
    else if (s->modulus < 0.05)
        warn(w, "%s: a stretch modulus of %.3g N/m is less than that of any cloth (100 to 10000).", name, s->modulus);
    if (s->bending > 100)
        warn(w, "%s: a bending stiffness of %.3g N·m is that of a plate; cloth has 1e-7 to 1e-3.", name, s->bending);
}

static void look_at_extent(prc_warnings *w, const prc_sim_def *def, const prc_survey *survey, int b)
{
    char name[80];
    const prc_body_def *body = &def->bodies[b];
    const prc_body_survey *s = &survey->bodies[b];
    const double box[3] = {s->high[0] - s->low[0], s->high[1] - s->low[1], s->high[2] - s->low[2]};
    const double ball = body->kind == PRC_BODY_PARTICLES ? 2 * body->particle.radius : 0;
    const double extent = ball + fmax(box[0], fmax(box[1], box[2]));
    name_of(def, b, name);
    if (extent > 300)
        warn(w, "%s: its size is %.3g m. Lengths are in metres; place.scale: 0.01 or 0.001 converts from cm or mm.",
             name, extent);
    else if (extent < (ball > 0 ? 1e-6 : 1e-3))
        warn(w, "%s: its size is %.3g m. Lengths are in metres; place.scale changes the size.", name, extent);
}

static void look_at_particles(prc_warnings *w, const prc_sim_def *def, int b)
{
    char name[80];
    const prc_particle_def *ball = &def->bodies[b].particle;
    name_of(def, b, name);
    if (ball->density > 25e3)
        warn(w, "%s: a density of %.3g kg/m³ is beyond that of any metal; sand has 2650, steel 7850. Is it in g/m³?",
             name, ball->density);
    else if (ball->density < 10)
        warn(w, "%s: a density of %.3g kg/m³ is less than that of any foam; sand has 2650. Is it in g/cm³?", name,
             ball->density);
    if (!def->contact.enabled)
        warn(w, "%s: contact.enabled is false: particles pass through each other and through all else.", name);
}

static void look_at_mesh(prc_warnings *w, const prc_sim_def *def, const prc_survey *survey, int b)
{
    char name[80], least[PRC_QUANTITY], most[PRC_QUANTITY];
    const prc_body_survey *s = &survey->bodies[b];
    name_of(def, b, name);
    if (s->edge_most > EDGE_RATIO * s->edge_least)
        warn(w, "%s: edges are %s to %s long; the shortest edges make steps expensive. A more uniform mesh helps.",
             name, prc_quantity_length(s->edge_least, least), prc_quantity_length(s->edge_most, most));
    if (!def->contact.enabled)
        return;
    const double own = def->bodies[b].contact_thickness, thickness = own > 0 ? own : def->contact.thickness;
    if (thickness > s->edge_mean)
        warn(w,
             "%s: its contact thickness of %s is larger than its mean edge of %s; the thickness is reduced within the "
             "body, and many contact pairs cost time and memory. A smaller contact.thickness helps.",
             name, prc_quantity_length(thickness, least), prc_quantity_length(s->edge_mean, most));
}

static void look_at_pins(prc_warnings *w, const prc_sim_def *def)
{
    char name[80], way[PRC_QUANTITY], thickness[PRC_QUANTITY];
    for (int p = 0; p < def->pin_count && def->contact.enabled; p++) {
        const double speed = prc_survey_pin_speed(def, &def->pins[p]), moved = speed * def->time.step;
        if (moved > 5 * def->contact.thickness && def->contact.thickness > 0)
            warn(w,
                 "%s: a pin moves %s per step, many times the contact thickness of %s; if cloth is in its way, it lags "
                 "behind. A smaller time.step helps.",
                 name_of(def, def->pins[p].body, name), prc_quantity_length(moved, way),
                 prc_quantity_length(def->contact.thickness, thickness));
    }
}

static bool anything_moves(const prc_sim_def *def, const prc_survey *survey)
{
    bool moves = size_of(def->gravity) > ORDINARY || def->force_count > 0 || def->spring_count > 0 ||
                 def->collider_count > 0 || def->obstacle_count > 0 ||
                 (def->air.density > 0 && size_of(def->air.wind) > ORDINARY);
    for (int p = 0; p < def->pin_count; p++)
        moves = moves || prc_survey_pin_moves(&def->pins[p]);
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        moves = moves || size_of(body->velocity) > ORDINARY || body->vertex_velocity || survey->bodies[b].strain > 1e-9;
    }
    return moves;
}

static void look_at_scene(prc_warnings *w, const prc_sim_def *def, const prc_survey *survey)
{
    char needed[PRC_QUANTITY], there[PRC_QUANTITY];
    if (!def->pin_count && !def->collider_count && !def->obstacle_count && size_of(def->gravity) > ORDINARY)
        warn(w, "nothing holds the %s: without pins, colliders and obstacles everything falls freely.",
             prc_survey_has_cloth(def) ? "cloth" : "particles");
    if (!anything_moves(def, survey))
        warn(w, "nothing moves: there is no gravity, force, wind, velocity or moving pin.");
    if (def->time.frames_per_second * def->time.step > 1 + 1e-9)
        warn(w, "%.4g frames per second are more than steps per second; one frame per step is written.",
             def->time.frames_per_second);
    if (survey->steps > LONG_RUN)
        warn(w, "the run has %.3g steps; is time.duration really %g s, with steps of %g s?", survey->steps,
             def->time.duration, def->time.step);
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && survey->memory_bytes > (double)pages * (double)page)
        warn(w, "the run needs about %s of memory, but this machine has %s.",
             prc_quantity_bytes(survey->memory_bytes, needed), prc_quantity_bytes((double)pages * (double)page, there));
    struct statvfs disk;
    if (!statvfs(".", &disk)) {
        const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
        if (survey->disk_bytes > free_bytes)
            warn(w,
                 "the frames need %s, but only %s are free on the disk of this folder; lower time.frames_per_second.",
                 prc_quantity_bytes(survey->disk_bytes, needed), prc_quantity_bytes(free_bytes, there));
    }
}

void prc_warnings_find(prc_warnings *warnings, const prc_sim_def *def, const prc_survey *survey)
{
    warnings->count = 0;
    look_at_step(warnings, def, survey);
    for (int b = 0; b < def->body_count; b++) {
        look_at_extent(warnings, def, survey, b);
        if (def->bodies[b].kind == PRC_BODY_PARTICLES) {
            look_at_particles(warnings, def, b);
            continue;
        }
        look_at_material(warnings, def, survey, b);
        look_at_mesh(warnings, def, survey, b);
    }
    look_at_pins(warnings, def);
    look_at_scene(warnings, def, survey);
}
