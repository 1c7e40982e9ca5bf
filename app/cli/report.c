/* app/cli/report.c — see report.h. The settings are written from the schema list, with defaults filled in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/json.h"
#include "machine.h"
#include "schema/schema.h"
#include "settings.h"

prc_run_totals prc_run_totals_begin(void)
{
    return (prc_run_totals){.largest_stretch = -INFINITY,
                            .smallest_stretch = INFINITY,
                            .smallest_gap = INFINITY,
                            .least_gap = -1,
                            .least_collider_gap = -1,
                            .lag_body = -1,
                            .lag_vertex = -1,
                            .lag_collider = -1};
}

void prc_run_totals_add(prc_run_totals *totals, const prc_step_report *report)
{
    totals->steps++;
    totals->time = report->time;
    if (!report->converged) {
        if (!totals->unconverged++) {
            totals->first_unconverged = report->time;
            snprintf(totals->first_stop, sizeof totals->first_stop, "%s", report->stop ? report->stop : "unknown");
        }
        totals->worst_residual = fmax(totals->worst_residual, report->residual);
    }
    totals->iterations += report->iterations;
    totals->inner_iterations += report->inner_iterations;
    totals->halvings += report->halvings;
    totals->retries += report->retries;
    totals->steps_in_parts += report->substeps > 1;
    if (report->iterations > totals->most_iterations)
        totals->most_iterations = report->iterations;
    totals->largest_residual = fmax(totals->largest_residual, report->residual);
    totals->largest_stretch = fmax(totals->largest_stretch, report->largest_stretch);
    totals->smallest_stretch = fmin(totals->smallest_stretch, report->smallest_stretch);
    if (report->active_contacts > totals->most_contacts)
        totals->most_contacts = report->active_contacts;
    if (report->active_contacts)
        totals->smallest_gap = fmin(totals->smallest_gap, report->smallest_gap);
    if (report->largest_lag > totals->largest_lag) {
        totals->largest_lag = report->largest_lag;
        totals->lag_time = report->time;
        totals->lag_body = report->lag_body;
        totals->lag_vertex = report->lag_vertex;
        totals->lag_collider = report->lag_collider;
    }
    totals->exempt_pairs = report->exempt_pairs;
    totals->exempt_crossings = report->exempt_crossings;
    totals->largest_speed = fmax(totals->largest_speed, report->largest_speed);
    totals->largest_elastic = fmax(totals->largest_elastic, report->energy_elastic);
    totals->largest_kinetic = fmax(totals->largest_kinetic, report->energy_kinetic);
    totals->energy_elastic = report->energy_elastic;
    totals->energy_kinetic = report->energy_kinetic;
    totals->energy_potential = report->energy_potential;
    totals->seconds_steps += report->seconds;
#define PRC_REPORT_PART(name, meaning) totals->seconds_##name += report->seconds_##name;
#include "step/report.inl"
}

/* ---- settings ---- */

static void write_table(prc_json *json, prc_table_id id, const char *def);

static double real_at(const char *field, int index)
{
    double value;
    memcpy(&value, field + (size_t)index * sizeof value, sizeof value);
    return value;
}

static int int_at(const char *field, int index)
{
    int value;
    memcpy(&value, field + (size_t)index * sizeof value, sizeof value);
    return value;
}

static void write_reals(prc_json *json, const char *key, const char *field, int count)
{
    prc_json_array(json, key);
    for (int i = 0; i < count; i++)
        prc_json_real(json, NULL, real_at(field, i));
    prc_json_end(json);
}

static void write_array(prc_json *json, const prc_key *key, const char *def, const char *items)
{
    prc_json_array(json, key->name);
    for (int i = 0; i < int_at(def + key->count_offset, 0); i++) {
        prc_json_object(json, NULL);
        write_table(json, key->table, items + (size_t)i * prc_schema_table(key->table)->size);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_key(prc_json *json, const prc_key *key, const char *def)
{
    const char *field = def + key->offset;
    switch (key->type) {
    case PRC_KEY_REAL:
        prc_json_real(json, key->name, real_at(field, 0));
        break;
    case PRC_KEY_INT:
        prc_json_int(json, key->name, int_at(field, 0));
        break;
    case PRC_KEY_BOOL:
        prc_json_bool(json, key->name, *(const bool *)field);
        break;
    case PRC_KEY_ENUM:
        prc_json_text(json, key->name, key->names[int_at(field, 0)]);
        break;
    case PRC_KEY_NAMES:
        prc_json_array(json, key->name);
        for (int n = 0; key->names[n]; n++)
            if (int_at(field, 0) >> n & 1)
                prc_json_text(json, NULL, key->names[n]);
        prc_json_end(json);
        break;
    case PRC_KEY_VECTOR:
        write_reals(json, key->name, field, key->count);
        break;
    case PRC_KEY_REALS:
        write_reals(json, key->name, field, int_at(def + key->count_offset, 0));
        break;
    case PRC_KEY_PAIRS:
        prc_json_array(json, key->name);
        for (int i = 0; i < int_at(def + key->count_offset, 0); i++)
            write_reals(json, NULL, field + (size_t)i * 2 * sizeof(double), 2);
        prc_json_end(json);
        break;
    case PRC_KEY_TABLE:
        prc_json_object(json, key->name);
        write_table(json, key->table, def + key->table_offset);
        prc_json_end(json);
        break;
    case PRC_KEY_BODIES:
        prc_json_array(json, key->name);
        for (int i = 0; i < key->count; i++)
            prc_json_int(json, NULL, int_at(field, i));
        prc_json_end(json);
        break;
    case PRC_KEY_BODY:
        prc_json_int(json, key->name, int_at(field, 0));
        break;
    case PRC_KEY_ARRAY:
        write_array(json, key, def, def + key->offset);
        break;
    case PRC_KEY_LIST: {
        const char *items;
        memcpy(&items, field, sizeof items);
        write_array(json, key, def, items);
        break;
    }
    default: /* what exists in scene files only */
        break;
    }
}

static void write_table(prc_json *json, prc_table_id id, const char *def)
{
    const prc_table *table = prc_schema_table(id);
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].offset < table->core_size)
            write_key(json, &table->keys[k], def);
}

static void write_groups(prc_json *json, const prc_body_def *body)
{
    prc_json_array(json, "group_materials");
    for (int g = 0; g < body->material_count; g++) {
        prc_json_object(json, NULL);
        write_table(json, PRC_TABLE_material, (const char *)&body->materials[g]);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_bodies(prc_json *json, const prc_sim_def *def)
{
    const prc_table *table = prc_schema_table(PRC_TABLE_body);
    prc_json_array(json, "bodies");
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        const bool membrane = body->kind == PRC_BODY_MEMBRANE;
        prc_json_object(json, NULL);
        prc_json_text(json, "name", body->name);
        prc_json_int(json, "vertices", body->mesh->vertex_count);
        prc_json_int(json, "triangles", membrane ? body->mesh->triangle_count : 0);
        if (membrane)
            prc_json_text(json, "rest", body->rest == PRC_REST_TEXTURE ? "texture" : "mesh");
        for (int k = 0; k < table->key_count; k++)
            if (table->keys[k].offset < table->core_size && prc_settings_has(body, table->keys[k].name))
                write_key(json, &table->keys[k], (const char *)body);
        if (membrane)
            write_groups(json, body);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_obstacles(prc_json *json, const prc_sim_def *def)
{
    prc_json_array(json, "obstacles");
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        prc_json_object(json, NULL);
        prc_json_text(json, "name", obstacle->name);
        prc_json_int(json, "vertices", obstacle->mesh->vertex_count);
        prc_json_int(json, "triangles", obstacle->mesh->triangle_count);
        prc_json_int(json, "segments", obstacle->segment_count);
        write_table(json, PRC_TABLE_obstacle, (const char *)obstacle);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_pins(prc_json *json, const prc_sim_def *def)
{
    prc_json_array(json, "pins");
    for (int p = 0; p < def->pin_count; p++) {
        const prc_pin_def *pin = &def->pins[p];
        prc_json_object(json, NULL);
        prc_json_int(json, "body", pin->body);
        prc_json_int(json, "vertices", pin->vertex_count);
        prc_json_object(json, "motion");
        write_table(json, PRC_TABLE_path, (const char *)&pin->motion);
        prc_json_end(json);
        prc_json_bool(json, "animated", pin->animate != NULL);
        write_table(json, PRC_TABLE_pin, (const char *)pin);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void write_forces(prc_json *json, const prc_sim_def *def)
{
    prc_json_array(json, "forces");
    for (int f = 0; f < def->force_count; f++) {
        const prc_force_def *force = &def->forces[f];
        prc_json_object(json, NULL);
        prc_json_int(json, "body", force->body);
        prc_json_int(json, "vertices",
                     force->vertices ? force->vertex_count : def->bodies[force->body].mesh->vertex_count);
        write_table(json, PRC_TABLE_force, (const char *)force);
        prc_json_end(json);
    }
    prc_json_end(json);
}

/* ---- the report ---- */

static void write_totals(prc_json *json, const prc_run_totals *totals)
{
    prc_json_object(json, "totals");
    prc_json_real(json, "time", totals->time);
    prc_json_int(json, "steps", totals->steps);
    prc_json_int(json, "frames", totals->frames);
    prc_json_int(json, "iterations", totals->iterations);
    prc_json_int(json, "inner_iterations", totals->inner_iterations);
    prc_json_int(json, "halvings", totals->halvings);
    prc_json_int(json, "exempt_pairs_left", totals->exempt_pairs);
    prc_json_int(json, "exempt_crossings_left", totals->exempt_crossings);
    prc_json_end(json);

    prc_json_object(json, "energies");
    prc_json_real(json, "elastic", totals->energy_elastic);
    prc_json_real(json, "kinetic", totals->energy_kinetic);
    prc_json_real(json, "potential", totals->energy_potential);
    prc_json_end(json);

    prc_json_object(json, "convergence");
    prc_json_int(json, "steps_not_converged", totals->unconverged);
    prc_json_int(json, "steps_in_parts", totals->steps_in_parts);
    prc_json_int(json, "retries", totals->retries);
    if (totals->unconverged) {
        prc_json_real(json, "first_time", totals->first_unconverged);
        prc_json_text(json, "first_stop", totals->first_stop);
        prc_json_real(json, "worst_residual", totals->worst_residual);
    }
    prc_json_end(json);

    if (totals->verified) {
        prc_json_object(json, "verified");
        prc_json_int(json, "states", totals->verified);
        prc_json_real(json, "smallest_gap", totals->least_gap < 0 ? INFINITY : totals->least_gap);
        prc_json_real(json, "smallest_gap_to_colliders",
                      totals->least_collider_gap < 0 ? INFINITY : totals->least_collider_gap);
        prc_json_int(json, "colliders_not_checked", totals->unverified_colliders);
        prc_json_end(json);
    }

    prc_json_object(json, "extremes");
    prc_json_int(json, "most_iterations", totals->most_iterations);
    prc_json_real(json, "largest_residual", totals->largest_residual);
    prc_json_real(json, "largest_stretch", totals->largest_stretch);
    prc_json_real(json, "smallest_stretch", totals->smallest_stretch);
    prc_json_int(json, "most_contacts", totals->most_contacts);
    prc_json_real(json, "smallest_gap", totals->smallest_gap);
    prc_json_real(json, "largest_speed", totals->largest_speed);
    prc_json_real(json, "largest_energy_elastic", totals->largest_elastic);
    prc_json_real(json, "largest_energy_kinetic", totals->largest_kinetic);
    prc_json_real(json, "largest_lag", totals->largest_lag);
    if (totals->largest_lag > 0) {
        prc_json_real(json, "lag_time", totals->lag_time);
        prc_json_int(json, "lag_body", totals->lag_body);
        prc_json_int(json, "lag_vertex", totals->lag_vertex);
        prc_json_int(json, "lag_collider", totals->lag_collider);
    }
    prc_json_end(json);
}

static void write_seconds(prc_json *json, const prc_run_facts *facts, const prc_run_totals *totals)
{
    prc_json_object(json, "seconds");
    prc_json_real(json, "total", totals->seconds_total);
    prc_json_real(json, "building", totals->seconds_building);
    prc_json_real(json, "steps", totals->seconds_steps);
#define PRC_REPORT_PART(name, meaning) prc_json_real(json, #name, totals->seconds_##name);
#include "step/report.inl"
    prc_json_real(json, "writing", totals->seconds_writing);
    prc_json_real(json, "writer", facts->seconds_writer);
    prc_json_end(json);
}

static void write_machine(prc_json *json, const prc_run_facts *facts)
{
    const prc_machine machine = prc_machine_find();
    prc_json_object(json, "machine");
    prc_json_text(json, "processor", machine.processor);
    prc_json_int(json, "processors", machine.processors);
    prc_json_real(json, "memory_bytes", machine.memory);
    prc_json_text(json, "system", machine.system);
    prc_json_text(json, "backend", facts->backend);
    prc_json_int(json, "threads", facts->def->threads > 0 ? facts->def->threads : machine.processors);
    prc_json_end(json);
}

/* What a run wrote; names are those in its folder. */
static void write_files(prc_json *json, const prc_run_facts *facts, const prc_run_totals *totals)
{
    prc_frames_kind kinds[PRC_FRAMES_KINDS];
    const int count = prc_frames_list(facts->frames, totals->frames, kinds);
    prc_json_object(json, "files");
    prc_json_text(json, "steps", "steps.csv");
    prc_json_text(json, "trace", facts->trace[0] ? facts->trace : NULL);
    for (int k = 0; k < count; k++) {
        prc_json_object(json, kinds[k].format);
        prc_json_text(json, "first", kinds[k].first);
        prc_json_text(json, "last", kinds[k].last);
        prc_json_int(json, "frames", totals->frames);
        prc_json_end(json);
    }
    prc_json_end(json);
}

prc_result prc_run_report_write(const char *path, const prc_run_facts *facts, const prc_run_totals *totals,
                                prc_error *error)
{
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return PRC_ERROR_IO;
    const prc_sim_def *def = facts->def;
    prc_json json = prc_json_begin(file);
    prc_json_text(&json, "program", "percale");
    prc_json_text(&json, "version", prc_version());
    prc_json_text(&json, "scene", facts->scene);
    prc_json_text(&json, "output", facts->folder);
    prc_json_text(&json, "end", totals->end);
    prc_json_int(&json, "exit_status", facts->status);
    prc_json_text(&json, "failure", totals->failure);
    write_machine(&json, facts);
    write_files(&json, facts, totals);
    write_totals(&json, totals);
    write_seconds(&json, facts, totals);
    prc_json_object(&json, "settings");
    write_table(&json, PRC_TABLE_scene, (const char *)def);
    write_bodies(&json, def);
    write_obstacles(&json, def);
    write_pins(&json, def);
    write_forces(&json, def);
    prc_json_end(&json);
    prc_json_end(&json);
    return prc_file_commit(file, error);
}
