/* app/cli/info_print.c — the results of `percale info` as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "quantity.h"
#include "schema/schema.h"

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

static double size_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- the whole ---- */

static void print_settings(const prc_info *info)
{
    const prc_sim_def *def = info->def;
    char steps[PRC_QUANTITY], step[PRC_QUANTITY], frames[PRC_QUANTITY];
    printf("  time      %g s in %s step%s of %s (%s); %s frame%s, %g per second\n", def->time.duration,
           prc_quantity_count(info->survey.steps, steps), plural(info->survey.steps),
           prc_quantity_time(def->time.step, step), prc_info_name(PRC_TABLE_time, "integrator", def->time.integrator),
           prc_quantity_count(info->survey.frames, frames), plural(info->survey.frames), def->time.frames_per_second);
    printf("  solver    %s, %s precision, ", prc_info_name(PRC_TABLE_solver, "method", def->solver.method),
           def->precision == PRC_PRECISION_SINGLE ? "single" : "double");
    if (def->threads)
        printf("%d thread%s\n", def->threads, plural(def->threads));
    else
        printf("all processors\n");
    printf("  forces    gravity (%g, %g, %g) m/s²", def->gravity[0], def->gravity[1], def->gravity[2]);
    if (def->air.density > 0)
        printf("; air of %g kg/m³, wind (%g, %g, %g) m/s", def->air.density, def->air.wind[0], def->air.wind[1],
               def->air.wind[2]);
    printf("\n");
}

static void print_contact(const prc_info *info)
{
    const prc_contact_def *contact = &info->def->contact;
    char thickness[PRC_QUANTITY], reach[PRC_QUANTITY];
    if (!contact->enabled) {
        printf("  contact   off: surfaces pass through each other\n");
        return;
    }
    printf("  contact   %s, thickness %s, d_hat %s, friction %g; start: %s\n",
           prc_info_name(PRC_TABLE_contact, "method", contact->method),
           prc_quantity_length(contact->thickness, thickness),
           prc_quantity_length(contact->d_hat > 0 ? contact->d_hat : contact->thickness / 3, reach), contact->friction,
           prc_info_name(PRC_TABLE_contact, "start", contact->start));
}

/* ---- bodies ---- */

static void print_material(const prc_material_def *m, const prc_body_survey *s)
{
    char damping[PRC_QUANTITY];
    printf("    material  %s, density %g kg/m², stretch modulus at rest %.4g N/m, bending %.4g N·m",
           prc_material_model_name(m->model), s->density, s->modulus, s->bending);
    if (m->damping > 0)
        printf(", damping %s", prc_quantity_time(m->damping, damping));
    if (m->mass_damping > 0)
        printf(", mass damping %g 1/s", m->mass_damping);
    printf("\n");
}

static void print_materials(const prc_body_def *body, const prc_body_survey *s)
{
    print_material(&body->material, s);
    for (int k = 1; k <= body->material_count; k++) {
        int count = 0;
        for (int i = 0; i < body->mesh->vertex_count; i++)
            count += body->vertex_material && body->vertex_material[i] == k;
        printf("    group %-3d %d vert%s of %s, density %g kg/m²\n", k - 1, count, count == 1 ? "ex" : "ices",
               prc_material_model_name(body->materials[k - 1].model), body->materials[k - 1].density);
    }
}

static void print_span(double from, double until)
{
    if (from > 0)
        printf(" from %g s", from);
    if (until < 1e300)
        printf(" until %g s", until);
}

static void print_pins(const prc_sim_def *def, int b)
{
    for (int p = 0; p < def->pin_count; p++) {
        const prc_pin_def *pin = &def->pins[p];
        if (pin->body != b)
            continue;
        const double speed = prc_survey_pin_speed(def, pin);
        printf("    pin       %d vert%s ", pin->vertex_count, pin->vertex_count == 1 ? "ex" : "ices");
        if (!prc_survey_pin_moves(pin))
            printf("held");
        else if (speed > 0)
            printf("moved, at most %.3g m/s", speed);
        else
            printf("follow an animation");
        print_span(pin->from, pin->until);
        printf("\n");
    }
    for (int f = 0; f < def->force_count; f++) {
        const prc_force_def *force = &def->forces[f];
        if (force->body != b)
            continue;
        const int count = force->vertices ? force->vertex_count : def->bodies[b].mesh->vertex_count;
        printf("    force     %.4g N on %d vert%s", size_of(force->force), count, count == 1 ? "ex" : "ices");
        print_span(force->from, force->until);
        printf("\n");
    }
}

static void print_time_scales(const prc_info *info, const prc_body_survey *s)
{
    char stretch[PRC_QUANTITY], bending[PRC_QUANTITY];
    printf("    scales    stretch %s (the step is %.2g×)", prc_quantity_time(s->stretch_time, stretch),
           info->def->time.step / s->stretch_time);
    if (isfinite(s->bending_time))
        printf(", bending %s (%.2g×)", prc_quantity_time(s->bending_time, bending),
               info->def->time.step / s->bending_time);
    printf("\n");
}

static void print_size(const prc_body_survey *s)
{
    printf("    size      %.4g × %.4g × %.4g m, from (%.4g, %.4g, %.4g); ", s->high[0] - s->low[0],
           s->high[1] - s->low[1], s->high[2] - s->low[2], s->low[0], s->low[1], s->low[2]);
    if (s->area > 0)
        printf("%.4g m², ", s->area);
    printf("%.4g kg\n", s->mass);
}

/* Size and mass of particles: the box is that of their middles. */
static void print_balls(const prc_body_def *body, const prc_body_survey *s)
{
    char radius[PRC_QUANTITY];
    printf("    balls     radius %s, density %.4g kg/m³, %.4g g each\n",
           prc_quantity_length(body->particle.radius, radius), body->particle.density,
           1e3 * prc_survey_ball_mass(&body->particle));
    print_size(s);
}

static void print_membrane(const prc_body_def *body, const prc_body_survey *s)
{
    char least[PRC_QUANTITY], mean[PRC_QUANTITY], most[PRC_QUANTITY];
    printf("    edges     %s to %s, mean %s\n", prc_quantity_length(s->edge_least, least),
           prc_quantity_length(s->edge_most, most), prc_quantity_length(s->edge_mean, mean));
    print_size(s);
    if (s->strain > 1e-6)
        printf("    strain    edges are strained by up to %.2g %% at the start\n", 100 * s->strain);
    print_materials(body, s);
}

static void print_body(const prc_info *info, int b)
{
    const prc_body_def *body = &info->def->bodies[b];
    const prc_body_survey *s = &info->survey.bodies[b];
    const bool balls = body->kind == PRC_BODY_PARTICLES;
    printf("  body %d%s%s: ", b, body->name ? " " : "", body->name ? body->name : "");
    if (balls)
        printf("%d particle%s\n", body->mesh->vertex_count, plural(body->mesh->vertex_count));
    else
        printf("%d vertices, %d triangles\n", body->mesh->vertex_count, body->mesh->triangle_count);
    if (balls)
        print_balls(body, s);
    else
        print_membrane(body, s);
    print_pins(info->def, b);
    if (size_of(body->velocity) > 0 || body->vertex_velocity)
        printf("    velocity  (%g, %g, %g) m/s%s\n", body->velocity[0], body->velocity[1], body->velocity[2],
               body->vertex_velocity ? ", and one per vertex" : "");
    if (!balls)
        print_time_scales(info, s);
}

static void print_obstacles(const prc_sim_def *def)
{
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        printf("  obstacle %d%s%s: %d vertices, %d triangles, %d segments%s\n", o, obstacle->name ? " " : "",
               obstacle->name ? obstacle->name : "", obstacle->mesh->vertex_count, obstacle->mesh->triangle_count,
               obstacle->segment_count, obstacle->animate ? ", animated" : "");
    }
    for (int c = 0; c < def->collider_count; c++) {
        const prc_collider_def *collider = &def->colliders[c];
        const prc_motion_def *motion = &collider->motion;
        const bool moves = size_of(motion->velocity) > 0 || motion->degrees_per_second != 0 || motion->key_count > 0;
        printf("  collider %d: %s at (%.4g, %.4g, %.4g)%s\n", c,
               prc_info_name(PRC_TABLE_collider, "shape", collider->shape), collider->center[0], collider->center[1],
               collider->center[2], moves ? ", moves" : "");
    }
}

static void print_start(const prc_info *info)
{
    if (info->large && info->def->contact.enabled)
        printf("  start     not examined, because the scene is large; --measure examines it\n");
    if (!info->examined)
        return;
    if (info->prescribed_pairs)
        printf("  start     %d pairs of pinned parts intersect or are too close: they stay so, exempt for good\n",
               info->prescribed_pairs);
    if (info->start_failure[0])
        printf("  start     %s\n", info->start_failure);
    else if (!info->crossings && !info->close_pairs)
        printf("  start     no %sintersections, no %sgaps that are too small\n", info->prescribed_pairs ? "other " : "",
               info->prescribed_pairs ? "other " : "");
    else
        printf("  start     %d crossings, %d pairs too close: %s\n", info->crossings, info->close_pairs,
               prc_info_start_is_refused(info)
                   ? "`percale run` will refuse it and show where; contact.start changes that"
                   : "treated as contact.start says");
}

void prc_info_print(const prc_info *info)
{
    char vertices[PRC_QUANTITY], triangles[PRC_QUANTITY];
    printf("%s: %s vertices, %s triangles in %d bod%s", info->path, prc_quantity_count(info->survey.vertices, vertices),
           prc_quantity_count(info->survey.triangles, triangles), info->def->body_count,
           info->def->body_count == 1 ? "y" : "ies");
    if (info->def->obstacle_count)
        printf(" and %d obstacle%s", info->def->obstacle_count, plural(info->def->obstacle_count));
    printf("\n");
    print_settings(info);
    print_contact(info);
    for (int b = 0; b < info->def->body_count; b++)
        print_body(info, b);
    if (info->def->spring_count)
        printf("  springs   %d, including stitches of seams\n", info->def->spring_count);
    print_obstacles(info->def);
    print_start(info);
}

/* ---- what it costs ---- */

static void print_probe(const prc_info *info)
{
    const prc_probe *probe = &info->probe;
    char each[PRC_QUANTITY], all[PRC_QUANTITY], building[PRC_QUANTITY], memory[PRC_QUANTITY];
    if (!probe->built || !probe->steps) {
        printf("  cost      unknown: %s\n", probe->error.message);
        return;
    }
    printf("  cost      %s per step (%s): about %s for the run, and %s for setup\n",
           prc_quantity_duration(probe->per_step, each), probe->backend,
           prc_quantity_duration(probe->per_step * info->survey.steps, all),
           prc_quantity_duration(probe->building, building));
    printf("            measured on the first %d step%s%s\n", probe->steps, plural(probe->steps),
           info->def->contact.enabled ? "; contact makes later steps slower" : "");
    printf("  memory    %s\n", prc_quantity_bytes(probe->memory, memory));
}

void prc_info_print_cost(const prc_info *info)
{
    char frame[PRC_QUANTITY], disk[PRC_QUANTITY], frames[PRC_QUANTITY], memory[PRC_QUANTITY];
    if (info->probed)
        print_probe(info);
    else
        printf("  memory    about %s; the time was not measured%s\n",
               prc_quantity_bytes(info->survey.memory_bytes, memory),
               info->large ? ": the scene is large; --measure measures it" : "");
    printf("  disk      %s: %s frame%s of %s, and the table of steps\n",
           prc_quantity_bytes(info->survey.disk_bytes, disk), prc_quantity_count(info->survey.frames, frames),
           plural(info->survey.frames), prc_quantity_bytes(info->survey.frame_bytes, frame));
    for (int k = 0; k < info->warnings.count; k++)
        printf("  warning   %s\n", info->warnings.items[k]);
}
