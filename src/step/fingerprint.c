/* step/fingerprint.c — a hash of all that is constant in a simulation and that its steps depend on.
 *
 * What programs alone use (duration, frames, output, camera), the number of threads and the backend are left out: a run
 * may be continued with others. What an animation will show cannot be known, but for its first moment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "collider/sdf.h"
#include "schema/schema.h"
#include "step/sim.h"
#include "step/state.h"

#include <string.h>

static uint64_t add_ints(uint64_t hash, const int *values, size_t count)
{
    hash = prc_hash(hash, &count, sizeof count);
    return values ? prc_hash(hash, values, count * sizeof *values) : hash;
}

static uint64_t add_reals(uint64_t hash, const double *values, size_t count)
{
    hash = prc_hash(hash, &count, sizeof count);
    return values ? prc_hash(hash, values, count * sizeof *values) : hash;
}

static uint64_t add_mesh(uint64_t hash, const prc_mesh *mesh)
{
    const size_t vertices = (size_t)mesh->vertex_count;
    hash = add_reals(hash, mesh->positions, 3 * vertices);
    hash = add_ints(hash, mesh->triangles, 3 * (size_t)mesh->triangle_count);
    hash = add_reals(hash, mesh->texture, mesh->texture ? 2 * vertices : 0);
    for (int k = 0; k < mesh->stitch_count; k++) {
        const prc_mesh_stitch *stitch = &mesh->stitches[k];
        const int numbers[4] = {stitch->vertex, stitch->edge[0], stitch->edge[1], stitch->seam};
        hash = add_reals(add_ints(hash, numbers, 4), &stitch->at, 1);
    }
    return hash;
}

static uint64_t add_body(uint64_t hash, const prc_body_def *body)
{
    const size_t vertices = (size_t)body->mesh->vertex_count;
    hash = add_mesh(prc_schema_hash(PRC_TABLE_body, body, hash), body->mesh);
    if (body->rest_mesh)
        hash = add_mesh(hash, body->rest_mesh);
    for (int m = 0; m < body->material_count; m++)
        hash = prc_schema_hash(PRC_TABLE_material, &body->materials[m], hash);
    hash = add_ints(hash, body->vertex_material, body->vertex_material ? vertices : 0);
    return add_reals(hash, body->vertex_velocity, body->vertex_velocity ? 3 * vertices : 0);
}

/* What is in the tables of the scene itself. */
static uint64_t settings_of(const prc_sim_def *def)
{
    prc_sim_def used = *def;
    used.threads = 0;
    used.backend = PRC_BACKEND_AUTO;
    used.time.duration = used.time.frames_per_second = 0;
    used.solver.unconverged = PRC_UNCONVERGED_STOP;
    memset(&used.output, 0, sizeof used.output);
    memset(&used.camera, 0, sizeof used.camera);
    return prc_schema_hash(PRC_TABLE_scene, &used, PRC_HASH_START);
}

static uint64_t add_springs(uint64_t hash, const prc_sim_def *def)
{
    for (int k = 0; k < def->spring_count; k++) {
        const prc_spring_def *spring = &def->springs[k];
        const int kind = spring->seam;
        hash = add_ints(prc_schema_hash(PRC_TABLE_spring, spring, hash), &kind, 1);
        for (int e = 0; e < 2; e++) {
            const prc_spring_end *end = e == 0 ? &spring->tie : &spring->to;
            hash = add_ints(add_ints(hash, &end->body, 1), end->vertex, 2);
            hash = add_reals(add_reals(hash, &end->at, 1), end->point, 3);
        }
    }
    for (int k = 0; k < def->pressure_count; k++) {
        const prc_pressure_def *pressure = &def->pressures[k];
        hash = prc_schema_hash(PRC_TABLE_pressure, pressure, hash);
        hash = add_ints(hash, pressure->bodies, (size_t)pressure->body_count);
    }
    return hash;
}

uint64_t prc_sim_def_fingerprint(const prc_sim *sim, const prc_sim_def *def)
{
    uint64_t hash = settings_of(def);
    for (int b = 0; b < def->body_count; b++)
        hash = add_body(hash, &def->bodies[b]);
    for (int p = 0; p < def->pin_count; p++) {
        hash = add_ints(prc_schema_hash(PRC_TABLE_pin, &def->pins[p], hash), &def->pins[p].body, 1);
        hash = add_ints(hash, def->pins[p].vertices, (size_t)def->pins[p].vertex_count);
        const int animated = def->pins[p].animate != NULL;
        hash = add_ints(hash, &animated, 1);
    }
    for (int f = 0; f < def->force_count; f++) {
        const prc_force_def *force = &def->forces[f];
        hash = add_ints(prc_schema_hash(PRC_TABLE_force, force, hash), &force->body, 1);
        hash = add_ints(hash, force->vertices, force->vertices ? (size_t)force->vertex_count : 0);
    }
    hash = add_springs(hash, def);
    for (int s = 0; s < def->collider_count; s++) {
        hash = prc_schema_hash(PRC_TABLE_collider, &def->colliders[s], hash);
        if (sim->fields && sim->fields[s])
            hash = prc_hash(hash, &sim->fields[s]->key, sizeof sim->fields[s]->key);
        if (sim->fields && sim->fields[s] && def->colliders[s].mesh)
            hash = add_mesh(hash, def->colliders[s].mesh);
    }
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        const int animated = obstacle->animate != NULL;
        hash = add_mesh(prc_schema_hash(PRC_TABLE_obstacle, obstacle, hash), obstacle->mesh);
        hash = add_ints(hash, obstacle->segments, 2 * (size_t)obstacle->segment_count);
        hash = add_ints(hash, &animated, 1);
    }
    return add_reals(hash, sim->model.position, 3 * (size_t)sim->model.vertex_count); /* also of animations */
}

unsigned long long prc_sim_fingerprint(const prc_sim *sim)
{
    return sim->fingerprint;
}
