/* app/cli/survey.c — see survey.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "constraint/motion.h"
#include "model/law.h"
#include "quantity.h"
#include "schema/schema.h"

#define ROW_BYTES 440  /* of steps.csv; a measured mean */
#define BALL_BYTES 8e3 /* of memory for a particle with contact; measured in a heap of 4000 */
#define PI 3.14159265358979323846
#define PIN_TIMES 64     /* of its motion that are looked at, */
#define PIN_VERTICES 100 /* and about as many vertices */

/* ---- a body ---- */

/* Stretch modulus C along one direction with the other held, at rest: the steeper side of the law, which may have a
 * kink there. The stiffer direction counts. */
static double wave_modulus(const prc_material_def *material)
{
    const double small = 1e-5;
    double modulus = 0;
    for (int direction = 0; direction < 2; direction++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double stress[2] = {0, 0}, rest[2] = {0, 0}, energy, l[2] = {1, 1};
            l[direction] += sign * small;
            if (prc_material_evaluate(material, l[0], l[1], &energy, stress, NULL) ||
                prc_material_evaluate(material, 1, 1, &energy, rest, NULL))
                return 0;
            modulus = fmax(modulus, (stress[direction] - rest[direction]) / (sign * small));
        }
    return modulus;
}

typedef struct scales {
    double stretch; /* s/m: the time-scale over the edge */
    double bending; /* s/m²: the time-scale over the edge squared */
    double density;
} scales;

static scales scales_of(const prc_material_def *material)
{
    prc_law law;
    prc_law_make(&law, material);
    const double modulus = wave_modulus(material);
    return (scales){.stretch = modulus > 0 ? sqrt(law.density / modulus) : INFINITY,
                    .bending = law.bending > 0 ? 0.5 * sqrt(law.density / law.bending) : INFINITY,
                    .density = law.density};
}

static const prc_material_def *material_of(const prc_body_def *body, int k)
{
    return k ? &body->materials[k - 1] : &body->material;
}

/* Corner c of a triangle in the rest shape. */
static void rest_point(const prc_body_def *body, int vertex, double x[3])
{
    const prc_mesh *mesh = body->rest_mesh ? body->rest_mesh : body->mesh;
    if (body->rest == PRC_REST_TEXTURE && body->mesh->texture) {
        x[0] = body->mesh->texture[2L * vertex];
        x[1] = body->mesh->texture[2L * vertex + 1];
        x[2] = 0;
    } else {
        memcpy(x, mesh->positions + 3L * vertex, 3 * sizeof *x);
    }
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double triangle_area(const double x[3][3])
{
    double u[3], v[3];
    for (int c = 0; c < 3; c++) {
        u[c] = x[1][c] - x[0][c];
        v[c] = x[2][c] - x[0][c];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void add_triangle(prc_body_survey *s, const prc_body_def *body, const int *v, const scales *scale)
{
    double x[3][3];
    for (int c = 0; c < 3; c++)
        rest_point(body, v[c], x[c]);
    const double area = triangle_area((const double(*)[3])x);
    s->area += area;
    double shortest = INFINITY;
    for (int c = 0; c < 3; c++) {
        const double edge = distance(x[c], x[(c + 1) % 3]);
        shortest = fmin(shortest, edge);
        s->edge_least = fmin(s->edge_least, edge);
        s->edge_most = fmax(s->edge_most, edge);
        s->edge_mean += edge;
        if (edge > 0) {
            const double *now = body->mesh->positions;
            s->strain = fmax(s->strain, fabs(distance(now + 3L * v[c], now + 3L * v[(c + 1) % 3]) / edge - 1));
        }
        const scales *at = &scale[body->vertex_material ? body->vertex_material[v[c]] : 0];
        const scales *next = &scale[body->vertex_material ? body->vertex_material[v[(c + 1) % 3]] : 0];
        s->mass += at->density * area / 3;
        s->stretch_time = fmin(s->stretch_time, edge * fmin(at->stretch, next->stretch));
        s->bending_time = fmin(s->bending_time, edge * edge * fmin(at->bending, next->bending));
    }
    s->edge_short += shortest;
}

/* What the triangles of a membrane say. */
static prc_result survey_membrane(prc_body_survey *s, const prc_body_def *body, prc_error *error)
{
    const prc_mesh *mesh = body->mesh;
    prc_law law;
    prc_law_make(&law, &body->material);
    s->edge_least = INFINITY;
    s->modulus = wave_modulus(&body->material);
    s->density = law.density;
    s->bending = law.bending;
    scales *scale = PRC_NEW(scales, body->material_count + 1);
    if (!scale)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k <= body->material_count; k++)
        scale[k] = scales_of(material_of(body, k));
    for (int t = 0; t < mesh->triangle_count; t++)
        add_triangle(s, body, mesh->triangles + 3L * t, scale);
    s->edge_mean /= fmax(1, 3.0 * mesh->triangle_count);
    s->edge_short /= fmax(1, mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; i++)
        s->grouped_vertices += body->vertex_material && body->vertex_material[i];
    prc_free(scale);
    return PRC_OK;
}

double prc_survey_ball_mass(const prc_particle_def *ball)
{
    return 4.0 / 3 * PI * ball->radius * ball->radius * ball->radius * ball->density;
}

static prc_result survey_body(prc_body_survey *s, const prc_body_def *body, prc_error *error)
{
    const prc_mesh *mesh = body->mesh;
    *s = (prc_body_survey){.low = {INFINITY, INFINITY, INFINITY},
                           .high = {-INFINITY, -INFINITY, -INFINITY},
                           .stretch_time = INFINITY,
                           .bending_time = INFINITY};
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            s->low[c] = fmin(s->low[c], mesh->positions[3L * i + c]);
            s->high[c] = fmax(s->high[c], mesh->positions[3L * i + c]);
        }
    if (body->kind == PRC_BODY_MEMBRANE)
        return survey_membrane(s, body, error);
    s->mass = mesh->vertex_count * prc_survey_ball_mass(&body->particle);
    return PRC_OK;
}

/* Vertices in several pins count once. */
static prc_result count_pinned(prc_survey *survey, const prc_sim_def *def, prc_error *error)
{
    for (int b = 0; b < def->body_count; b++) {
        bool *pinned = PRC_NEW(bool, def->bodies[b].mesh->vertex_count);
        if (!pinned)
            return PRC_FAIL_MEMORY(error);
        for (int p = 0; p < def->pin_count; p++)
            for (int k = 0; def->pins[p].body == b && k < def->pins[p].vertex_count; k++) {
                bool *mark = &pinned[def->pins[p].vertices[k]];
                survey->bodies[b].pinned_vertices += !*mark;
                *mark = true;
            }
        prc_free(pinned);
    }
    return PRC_OK;
}

/* ---- the run ---- */

/* Bytes of a frame in all formats; see the writers in src/io. Texts are estimates. */
static double frame_bytes(const prc_survey *survey, const prc_sim_def *def)
{
    const prc_output_def *o = &def->output;
    const double vertices = survey->vertices, triangles = survey->triangles;
    const int numbers = 8 + 2 * o->stress + 2 * o->curvature + o->energy + o->pressure + o->gap;
    const double row = numbers * (o->precision == PRC_PRECISION_DOUBLE ? 8 : 4) + (def->obstacle_count > 0);
    double segments = 0, bytes = 0;
    for (int k = 0; k < def->obstacle_count; k++)
        segments += def->obstacles[k].segment_count;
    if (o->formats & PRC_FORMAT_PLY)
        bytes += 400 + row * vertices + 13 * triangles + 8 * segments;
    if (o->formats & PRC_FORMAT_VTKHDF)
        bytes += row * vertices;
    if (o->formats & PRC_FORMAT_OBJ)
        bytes += 36 * vertices + 22 * triangles;
    if (o->formats & PRC_FORMAT_PC2)
        bytes += 12 * vertices;
    return bytes;
}

/* How far contact reaches, in edges of the body. */
static double reach_of(const prc_survey *survey, const prc_sim_def *def, int b)
{
    const double own = def->bodies[b].contact_thickness, thickness = own > 0 ? own : def->contact.thickness;
    const double reach = thickness + prc_schema_d_hat(&def->contact, def->bodies[b].kind, thickness);
    return def->contact.enabled && survey->bodies[b].edge_short > 0 ? reach / survey->bodies[b].edge_short : 0;
}

/* Measured on grids of some thousand vertices: 6 kB each, 1.5 kB more with contact; and where surfaces reach beyond
 * their neighbours, 30 kB times the square of the reach in edges for pairs of contact, until all are pairs. */
static double memory_bytes(const prc_survey *survey, const prc_sim_def *def)
{
    double bytes = 5e6 + 1500.0 * survey->vertices;
    for (int b = 0; b < def->body_count; b++) {
        const double vertices = def->bodies[b].mesh->vertex_count, reach = reach_of(survey, def, b);
        if (def->bodies[b].kind == PRC_BODY_PARTICLES) {
            bytes += vertices * (def->contact.enabled ? BALL_BYTES : 4.5e3);
            continue;
        }
        bytes += vertices * (def->contact.enabled ? 6e3 : 4.5e3);
        bytes += fmin(vertices * 30e3 * fmax(0, reach * reach - 0.2), 4.5e3 * vertices * vertices);
    }
    return bytes;
}

static void expect_files(prc_survey *survey, const prc_sim_def *def)
{
    survey->steps = ceil(def->time.duration / def->time.step - 1e-6);
    const double period = fmax(1 / def->time.frames_per_second, def->time.step);
    survey->frames = 1 + floor(survey->steps * def->time.step / period + 1e-6);
    survey->frame_bytes = frame_bytes(survey, def);
    survey->memory_bytes = memory_bytes(survey, def);
    survey->disk_bytes = survey->frames * survey->frame_bytes + survey->steps * ROW_BYTES;
}

prc_result prc_survey_check_memory(const prc_sim_def *def, prc_error *error)
{
    prc_survey survey;
    prc_result result = prc_survey_make(&survey, def, error);
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (result || pages <= 0 || page <= 0)
        return result;
    const double there = (double)pages * (double)page;
    int worst = 0;
    for (int b = 0; b < def->body_count; b++)
        worst = reach_of(&survey, def, b) > reach_of(&survey, def, worst) ? b : worst;
    const double reach = def->body_count ? reach_of(&survey, def, worst) : 0;
    char needs[PRC_QUANTITY], has[PRC_QUANTITY], why[120] = "expected fewer vertices";
    if (reach > 1)
        snprintf(why, sizeof why,
                 "contact.thickness spans %.3g edges of bodies[%d]; expected a smaller contact.thickness", reach,
                 worst);
    if (survey.memory_bytes > 2 * there)
        result = prc_fail(error, PRC_ERROR_INPUT, "the scene needs about %s of memory, but this machine has %s: %s",
                          prc_quantity_bytes(survey.memory_bytes, needs), prc_quantity_bytes(there, has), why);
    prc_survey_release(&survey);
    return result;
}

prc_result prc_survey_make(prc_survey *survey, const prc_sim_def *def, prc_error *error)
{
    *survey = (prc_survey){.bodies = PRC_NEW(prc_body_survey, def->body_count)};
    prc_result result = PRC_OK;
    if (!survey->bodies)
        return PRC_FAIL_MEMORY(error);
    for (int b = 0; b < def->body_count && !result; b++) {
        result = survey_body(&survey->bodies[b], &def->bodies[b], error);
        survey->vertices += def->bodies[b].mesh->vertex_count;
        survey->triangles += def->bodies[b].kind == PRC_BODY_MEMBRANE ? def->bodies[b].mesh->triangle_count : 0;
    }
    for (int o = 0; o < def->obstacle_count; o++) {
        survey->vertices += def->obstacles[o].mesh->vertex_count;
        survey->triangles += def->obstacles[o].mesh->triangle_count;
    }
    if (!result)
        result = count_pinned(survey, def, error);
    if (result)
        prc_survey_release(survey);
    else
        expect_files(survey, def);
    return result;
}

void prc_survey_release(prc_survey *survey)
{
    prc_free(survey->bodies);
    *survey = (prc_survey){0};
}

bool prc_survey_has_cloth(const prc_sim_def *def)
{
    bool cloth = false;
    for (int b = 0; b < def->body_count; b++)
        cloth = cloth || def->bodies[b].kind == PRC_BODY_MEMBRANE;
    return cloth;
}

bool prc_survey_pin_moves(const prc_pin_def *pin)
{
    const prc_motion_def *m = &pin->motion;
    return pin->animate || m->velocity[0] != 0 || m->velocity[1] != 0 || m->velocity[2] != 0 ||
           m->degrees_per_second != 0 || m->key_count > 0;
}

double prc_survey_pin_speed(const prc_sim_def *def, const prc_pin_def *pin)
{
    const double start = fmax(pin->from, 0), end = fmin(pin->until, def->time.duration), h = def->time.step;
    const int stride = 1 + pin->vertex_count / PIN_VERTICES;
    double fastest = 0;
    if (pin->animate || !prc_survey_pin_moves(pin) || !(end > start))
        return 0;
    for (int k = 0; k < PIN_TIMES; k++) {
        const double time = start + k * (end - start) / PIN_TIMES;
        const prc_pose here = prc_motion_pose_since(&pin->motion, start, time);
        const prc_pose next = prc_motion_pose_since(&pin->motion, start, time + h);
        for (int v = 0; v < pin->vertex_count; v += stride) {
            const double *x = def->bodies[pin->body].mesh->positions + 3L * pin->vertices[v];
            double a[3], b[3];
            prc_pose_apply(&here, x, a);
            prc_pose_apply(&next, x, b);
            fastest = fmax(fastest, distance(a, b) / h);
        }
    }
    return fastest;
}

prc_probe prc_probe_run(const prc_sim_def *def, int steps, double seconds)
{
    prc_probe probe = {0};
    const double start = prc_cli_seconds();
    prc_sim *sim = prc_sim_create(def, &probe.error);
    if (!sim)
        return probe;
    probe.built = true;
    probe.tolerance = prc_sim_tolerance(sim);
    snprintf(probe.backend, sizeof probe.backend, "%s", prc_sim_backend(sim));
    const double begun = prc_cli_seconds();
    probe.building = begun - start;
    double now = begun;
    while (probe.steps < steps && now - begun < seconds) {
        prc_step_report report;
        if (prc_sim_step(sim, &report, &probe.error))
            break;
        probe.steps++;
        now = prc_cli_seconds();
    }
    if (probe.steps)
        probe.per_step = (now - begun) / probe.steps;
    prc_sim_destroy(sim);
    struct rusage usage;
    if (!getrusage(RUSAGE_SELF, &usage))
        probe.memory = 1024.0 * (double)usage.ru_maxrss;
    return probe;
}
