/* app/cli/info_json.c — the results of `percale info` as JSON: docs/formats.md describes it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "info.h"
#include "io/json.h"
#include "schema/schema.h"

static void write_vector(prc_json *json, const char *key, const double v[3])
{
    prc_json_array(json, key);
    for (int c = 0; c < 3; c++)
        prc_json_real(json, NULL, v[c]);
    prc_json_end(json);
}

static void write_material(prc_json *json, const prc_body_def *body, const prc_body_survey *s)
{
    prc_json_object(json, "material");
    prc_json_text(json, "model", prc_material_model_name(body->material.model));
    prc_json_real(json, "density", s->density);
    prc_json_real(json, "modulus", s->modulus);
    prc_json_real(json, "bending", s->bending);
    prc_json_int(json, "groups", body->material_count);
    prc_json_int(json, "grouped_vertices", s->grouped_vertices);
    prc_json_end(json);
}

static void write_pins(prc_json *json, const prc_sim_def *def, int b)
{
    prc_json_array(json, "pins");
    for (int p = 0; p < def->pin_count; p++) {
        if (def->pins[p].body != b)
            continue;
        prc_json_object(json, NULL);
        prc_json_int(json, "vertices", def->pins[p].vertex_count);
        prc_json_bool(json, "moves", prc_survey_pin_moves(&def->pins[p]));
        prc_json_real(json, "speed", prc_survey_pin_speed(def, &def->pins[p]));
        prc_json_real(json, "from", def->pins[p].from);
        prc_json_real(json, "until", def->pins[p].until);
        prc_json_end(json);
    }
    prc_json_end(json);
    prc_json_array(json, "forces");
    for (int f = 0; f < def->force_count; f++) {
        if (def->forces[f].body != b)
            continue;
        prc_json_object(json, NULL);
        prc_json_int(json, "vertices",
                     def->forces[f].vertices ? def->forces[f].vertex_count : def->bodies[b].mesh->vertex_count);
        write_vector(json, "force", def->forces[f].force);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_balls(prc_json *json, const prc_body_def *body)
{
    prc_json_object(json, "particle");
    prc_json_real(json, "radius", body->particle.radius);
    prc_json_real(json, "density", body->particle.density);
    prc_json_real(json, "mass", prc_survey_ball_mass(&body->particle));
    prc_json_end(json);
}

static void write_edges(prc_json *json, const prc_body_survey *s)
{
    prc_json_real(json, "edge_min", s->edge_least);
    prc_json_real(json, "edge_mean", s->edge_mean);
    prc_json_real(json, "edge_max", s->edge_most);
    prc_json_real(json, "strain", s->strain);
    prc_json_real(json, "area", s->area);
}

static void write_time_scales(prc_json *json, const prc_info *info, const prc_body_survey *s)
{
    prc_json_real(json, "stretch_time", s->stretch_time);
    prc_json_real(json, "bending_time", s->bending_time);
    prc_json_real(json, "step_over_stretch_time", info->def->time.step / s->stretch_time);
    prc_json_real(json, "step_over_bending_time", info->def->time.step / s->bending_time);
}

/* Particles have no edges, material and time-scales. */
static void write_body(prc_json *json, const prc_info *info, int b)
{
    const prc_body_def *body = &info->def->bodies[b];
    const prc_body_survey *s = &info->survey.bodies[b];
    const bool balls = body->kind == PRC_BODY_PARTICLES;
    prc_json_object(json, NULL);
    prc_json_text(json, "name", body->name);
    prc_json_text(json, "kind", prc_info_name(PRC_TABLE_body, "kind", body->kind));
    prc_json_int(json, "vertices", body->mesh->vertex_count);
    prc_json_int(json, "triangles", balls ? 0 : body->mesh->triangle_count);
    if (!balls)
        write_edges(json, s);
    prc_json_real(json, "mass", s->mass);
    write_vector(json, "box_min", s->low);
    write_vector(json, "box_max", s->high);
    if (balls)
        write_balls(json, body);
    else
        write_material(json, body, s);
    prc_json_int(json, "pinned_vertices", s->pinned_vertices);
    write_pins(json, info->def, b);
    if (!balls)
        write_time_scales(json, info, s);
    prc_json_end(json);
}

static void write_things(prc_json *json, const prc_info *info)
{
    const prc_sim_def *def = info->def;
    prc_json_array(json, "bodies");
    for (int b = 0; b < def->body_count; b++)
        write_body(json, info, b);
    prc_json_end(json);
    prc_json_int(json, "springs", def->spring_count);
    prc_json_array(json, "obstacles");
    for (int o = 0; o < def->obstacle_count; o++) {
        prc_json_object(json, NULL);
        prc_json_text(json, "name", def->obstacles[o].name);
        prc_json_int(json, "vertices", def->obstacles[o].mesh->vertex_count);
        prc_json_int(json, "triangles", def->obstacles[o].mesh->triangle_count);
        prc_json_int(json, "segments", def->obstacles[o].segment_count);
        prc_json_end(json);
    }
    prc_json_end(json);
    prc_json_array(json, "colliders");
    for (int c = 0; c < def->collider_count; c++) {
        prc_json_object(json, NULL);
        prc_json_text(json, "shape", prc_info_name(PRC_TABLE_collider, "shape", def->colliders[c].shape));
        write_vector(json, "center", def->colliders[c].center);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_settings(prc_json *json, const prc_info *info)
{
    const prc_sim_def *def = info->def;
    prc_json_real(json, "step", def->time.step);
    prc_json_real(json, "duration", def->time.duration);
    prc_json_real(json, "steps", info->survey.steps);
    prc_json_real(json, "frames", info->survey.frames);
    prc_json_text(json, "solver", prc_info_name(PRC_TABLE_solver, "method", def->solver.method));
    prc_json_text(json, "precision", def->precision == PRC_PRECISION_SINGLE ? "single" : "double");
    prc_json_int(json, "threads", def->threads);
    write_vector(json, "gravity", def->gravity);
    prc_json_int(json, "vertices", info->survey.vertices);
    prc_json_int(json, "triangles", info->survey.triangles);
    prc_json_object(json, "contact");
    prc_json_bool(json, "enabled", def->contact.enabled);
    prc_json_text(json, "method", prc_info_name(PRC_TABLE_contact, "method", def->contact.method));
    prc_json_real(json, "thickness", def->contact.thickness);
    prc_json_real(json, "friction", def->contact.friction);
    prc_json_end(json);
}

static void write_start(prc_json *json, const prc_info *info)
{
    prc_json_object(json, "start");
    prc_json_bool(json, "examined", info->examined);
    prc_json_int(json, "crossings", info->crossings);
    prc_json_int(json, "close_pairs", info->close_pairs);
    prc_json_int(json, "prescribed_pairs", info->prescribed_pairs);
    prc_json_bool(json, "refused", prc_info_start_is_refused(info));
    prc_json_text(json, "error", info->start_failure[0] ? info->start_failure : NULL);
    prc_json_end(json);
}

static void write_cost(prc_json *json, const prc_info *info)
{
    const prc_probe *probe = &info->probe;
    prc_json_object(json, "cost");
    prc_json_bool(json, "measured", info->probed && probe->steps > 0);
    if (info->probed && probe->steps) {
        prc_json_int(json, "measured_steps", probe->steps);
        prc_json_real(json, "seconds_per_step", probe->per_step);
        prc_json_real(json, "seconds_building", probe->building);
        prc_json_real(json, "seconds_expected", probe->building + probe->per_step * info->survey.steps);
        prc_json_real(json, "memory_bytes", probe->memory);
        prc_json_text(json, "backend", probe->backend);
    }
    prc_json_real(json, "memory_expected_bytes", info->survey.memory_bytes);
    prc_json_real(json, "frame_bytes", info->survey.frame_bytes);
    prc_json_real(json, "disk_bytes", info->survey.disk_bytes);
    prc_json_text(json, "error", info->probed && probe->error.message[0] ? probe->error.message : NULL);
    prc_json_end(json);
}

prc_result prc_info_write_json(const prc_info *info, prc_error *error)
{
    prc_file *file = prc_file_stream(stdout, "standard output", error);
    if (!file)
        return PRC_ERROR_MEMORY;
    prc_json json = prc_json_begin(file);
    prc_json_text(&json, "scene", info->path);
    prc_json_text(&json, "percale", prc_version());
    write_settings(&json, info);
    write_things(&json, info);
    write_start(&json, info);
    write_cost(&json, info);
    prc_json_array(&json, "warnings");
    for (int k = 0; k < info->warnings.count; k++)
        prc_json_text(&json, NULL, info->warnings.items[k]);
    prc_json_end(&json);
    prc_json_end(&json);
    return prc_file_commit(file, error);
}
