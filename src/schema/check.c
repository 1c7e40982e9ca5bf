/* schema/check.c — range checks of defs, whether filled by a program, a binding or the scene reader.
 *
 * The ranges come from the schema list; checks of several fields together (what a model needs, indices into meshes) are
 * here. Meshes themselves are checked by prc_mesh_check. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "schema/schema.h"

#define WHERE_SIZE 160

/* "time" + "step" = "time.step"; an empty `where` adds nothing. */
static void join(char path[WHERE_SIZE], const char *where, const char *name)
{
    snprintf(path, WHERE_SIZE, "%.100s%s%.50s", where, where[0] ? "." : "", name);
}

static prc_result refuse(const prc_key *key, const char *path, double value, prc_error *error)
{
    char expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    return prc_fail(error, PRC_ERROR_INPUT, "%s: %.10g is not allowed; expected %s", path, value, expected);
}

static prc_result check_number(const prc_key *key, double value, const char *path, prc_error *error)
{
    return prc_schema_allows(key, value) ? PRC_OK : refuse(key, path, value, error);
}

/* The number of items of an in-place list, refused where it does not fit its array. */
static prc_result list_length(const prc_key *key, const char *def, const char *path, int *count, prc_error *error)
{
    memcpy(count, def + key->count_offset, sizeof *count);
    if (*count < 0 || *count > key->count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: %d items are not allowed; expected 0 to %d", path, *count,
                        key->count);
    return PRC_OK;
}

static prc_result check_reals(const prc_key *key, const char *field, int count, const char *path, prc_error *error)
{
    for (int i = 0; i < count; i++) {
        double value;
        memcpy(&value, field + (size_t)i * sizeof value, sizeof value);
        if (check_number(key, value, path, error))
            return PRC_ERROR_INPUT;
    }
    return PRC_OK;
}

static prc_result check_ints(const prc_key *key, const char *field, const char *path, prc_error *error)
{
    for (int i = 0; i < key->count; i++) {
        int value;
        memcpy(&value, field + (size_t)i * sizeof value, sizeof value);
        if (check_number(key, value, path, error))
            return PRC_ERROR_INPUT;
    }
    return PRC_OK;
}

static prc_result check_array(const prc_key *key, const char *def, const char *path, prc_error *error)
{
    int count;
    if (list_length(key, def, path, &count, error))
        return PRC_ERROR_INPUT;
    for (int i = 0; i < count; i++) {
        char item[WHERE_SIZE];
        snprintf(item, sizeof item, "%.140s[%d]", path, i);
        size_t offset = key->offset + (size_t)i * prc_schema_table(key->table)->size;
        if (prc_schema_check(key->table, def + offset, item, error))
            return PRC_ERROR_INPUT;
    }
    return PRC_OK;
}

static prc_result check_key(const prc_key *key, const char *def, const char *path, prc_error *error)
{
    const char *field = def + key->offset;
    int count;
    switch (key->type) {
    case PRC_KEY_REAL:
    case PRC_KEY_VECTOR:
        return check_reals(key, field, key->count, path, error);
    case PRC_KEY_INT:
    case PRC_KEY_INTS:
    case PRC_KEY_BODIES:
    case PRC_KEY_BODY:
    case PRC_KEY_ENUM:
    case PRC_KEY_NAMES:
        return check_ints(key, field, path, error);
    case PRC_KEY_REALS:
    case PRC_KEY_PAIRS:
        if (list_length(key, def, path, &count, error))
            return PRC_ERROR_INPUT;
        return check_reals(key, field, key->type == PRC_KEY_PAIRS ? 2 * count : count, path, error);
    case PRC_KEY_TABLE:
        return prc_schema_check(key->table, def + key->table_offset, path, error);
    case PRC_KEY_ARRAY:
        return check_array(key, def, path, error);
    default: /* texts may be anything; variants are checked by their owner, who knows the other enumerators */
        return PRC_OK;
    }
}

prc_result prc_schema_check(prc_table_id id, const void *def, const char *where, prc_error *error)
{
    const prc_table *table = prc_schema_table(id);
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        if (key->offset >= table->core_size)
            continue;
        char path[WHERE_SIZE];
        join(path, where, key->name);
        if (check_key(key, def, path, error))
            return PRC_ERROR_INPUT;
    }
    return PRC_OK;
}

static prc_result check_ogden(const prc_material_def *def, const char *where, prc_error *error)
{
    if (def->exponent_count != def->coefficient_count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: ogden needs one exponent per coefficient; found %d and %d", where,
                        def->exponent_count, def->coefficient_count);
    double stiffness = 0;
    for (int k = 0; k < def->exponent_count; k++) {
        if (def->exponents[k] == 0)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.exponents: 0 is not allowed for ogden", where);
        stiffness += def->coefficients[k] * def->exponents[k];
    }
    if (!(stiffness > 0))
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s: the sum of coefficient times exponent is %.10g; ogden needs more than 0 to resist stretching", where,
            stiffness);
    return PRC_OK;
}

static prc_result check_curve(const prc_material_def *def, const char *where, prc_error *error)
{
    bool through_rest = false;
    if (def->curve_count < 2)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.curve: %d points are too few; expected 2 to %d pairs [stretch, stress]", where,
                        def->curve_count, PRC_CURVE_POINTS);
    for (int i = 0; i < def->curve_count; i++) {
        if (!(def->curve[i][0] > 0))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.curve: stretch %.10g is not allowed; expected a number > 0",
                            where, def->curve[i][0]);
        if (i && !(def->curve[i][0] > def->curve[i - 1][0] && def->curve[i][1] > def->curve[i - 1][1]))
            return prc_fail(error, PRC_ERROR_INPUT,
                            "%s.curve: point %d, [%.10g, %.10g], is not above the previous point; stretch and stress "
                            "must both increase",
                            where, i, def->curve[i][0], def->curve[i][1]);
        through_rest |= def->curve[i][0] == 1 && def->curve[i][1] == 0;
    }
    if (!through_rest)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.curve: no point [1, 0]; the stress at rest must be given as zero",
                        where);
    return PRC_OK;
}

static prc_result check_coefficients(const prc_material_def *def, int fewest, int most, const char *where,
                                     prc_error *error)
{
    const char *name = prc_material_model_name(def->model);
    if (def->coefficient_count < fewest || def->coefficient_count > most)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.coefficients: %d given; %s needs %s%d", where,
                        def->coefficient_count, name, fewest < most ? "1 to " : "", most);
    return PRC_OK;
}

static prc_result check_model(const prc_material_def *def, const char *where, prc_error *error)
{
    bool derived = def->young > 0 && def->thickness > 0;
    switch (def->model) {
    case PRC_MODEL_SUM:
        if (def->term_count < 1)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.terms: none given; sum needs 1 to %d", where,
                            PRC_MATERIAL_TERMS);
        return PRC_OK;
    case PRC_MODEL_MOONEY_RIVLIN:
        if (check_coefficients(def, 2, 2, where, error))
            return PRC_ERROR_INPUT;
        if (!(def->coefficients[0] >= 0 && def->coefficients[1] >= 0 &&
              def->coefficients[0] + def->coefficients[1] > 0))
            return prc_fail(
                error, PRC_ERROR_INPUT,
                "%s.coefficients: [%.10g, %.10g] is not allowed; mooney_rivlin needs two numbers >= 0 N/m, not both 0",
                where, def->coefficients[0], def->coefficients[1]);
        return PRC_OK;
    case PRC_MODEL_YEOH:
        if (check_coefficients(def, 1, 3, where, error))
            return PRC_ERROR_INPUT;
        if (!(def->coefficients[0] > 0))
            return prc_fail(error, PRC_ERROR_INPUT,
                            "%s.coefficients: yeoh needs a first coefficient > 0 N/m; found %.10g", where,
                            def->coefficients[0]);
        return PRC_OK;
    case PRC_MODEL_OGDEN:
        if (check_coefficients(def, 1, PRC_MATERIAL_TERMS, where, error))
            return PRC_ERROR_INPUT;
        return check_ogden(def, where, error);
    case PRC_MODEL_ORTHOTROPIC:
        if (def->warp[0] == 0 && def->warp[1] == 0 && def->warp[2] == 0)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.warp: [0, 0, 0] has no direction", where);
        return PRC_OK;
    case PRC_MODEL_CURVE:
        return check_curve(def, where, error);
    case PRC_MODEL_FUNG:
        if (def->exponent_count != 1 || !(def->exponents[0] > 0))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.exponents: fung needs exactly one number > 0", where);
        break;
    default:
        break;
    }
    if (!(def->stretch > 0) && !derived)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.stretch: 0 computes it from young and thickness, but they are %.10g Pa and %.10g m; give "
                        "stretch, or both of them > 0",
                        where, def->young, def->thickness);
    return PRC_OK;
}

prc_result prc_schema_check_material(const prc_material_def *def, const char *where, prc_error *error)
{
    if (prc_schema_check(PRC_TABLE_material, def, where, error) || check_model(def, where, error))
        return PRC_ERROR_INPUT;
    if (def->bending < 0 && !(def->young > 0 && def->thickness > 0))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.bending: a negative value computes it from young and thickness, but they are %.10g Pa and "
                        "%.10g m; give bending, or both of them > 0",
                        where, def->young, def->thickness);
    return PRC_OK;
}

/* ---- bodies ---- */

static prc_result check_rest(const prc_body_def *body, const char *where, prc_error *error)
{
    const prc_mesh *mesh = body->mesh, *rest = body->rest_mesh;
    if ((int)body->rest < PRC_REST_MESH || (int)body->rest > PRC_REST_TEXTURE)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.rest: %d is not allowed; expected one of mesh, texture", where,
                        (int)body->rest);
    if (body->rest == PRC_REST_TEXTURE && !mesh->texture)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s.rest: texture, but the mesh has no texture coordinates; expected a mesh with them, or rest: mesh",
            where);
    if (body->rest != PRC_REST_MESH || !rest)
        return PRC_OK;
    if (!rest->positions || rest->vertex_count != mesh->vertex_count || rest->triangle_count != mesh->triangle_count)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s.rest: the rest mesh has %d vertices and %d triangles, the mesh %d and %d; they must be the same", where,
            rest->vertex_count, rest->triangle_count, mesh->vertex_count, mesh->triangle_count);
    size_t bytes = (size_t)mesh->triangle_count * 3 * sizeof(int);
    if (!rest->triangles || memcmp(rest->triangles, mesh->triangles, bytes) != 0)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s.rest: the triangles of the rest mesh differ from those of the mesh; they must be the same in the "
            "same order",
            where);
    return PRC_OK;
}

static prc_result check_groups(const prc_body_def *body, const char *where, prc_error *error)
{
    if (body->material_count < 0 || (body->material_count > 0 && !body->materials))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.materials: material_count is %d, but no matching array is given",
                        where, body->material_count);
    for (int k = 0; k < body->material_count; k++) {
        char path[WHERE_SIZE];
        snprintf(path, sizeof path, "%.100s.groups[%d].material", where, k);
        if (prc_schema_check_material(&body->materials[k], path, error))
            return PRC_ERROR_INPUT;
    }
    for (int i = 0; body->vertex_material && i < body->mesh->vertex_count; i++)
        if (body->vertex_material[i] < 0 || body->vertex_material[i] > body->material_count)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex_material[%d]: %d is not allowed; expected 0 to %d",
                            where, i, body->vertex_material[i], body->material_count);
    return PRC_OK;
}

static prc_result check_velocities(const prc_body_def *body, const char *where, prc_error *error)
{
    for (int i = 0; body->vertex_velocity && i < 3 * body->mesh->vertex_count; i++)
        if (!isfinite(body->vertex_velocity[i]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex_velocity: vertex %d is not finite", where, i / 3);
    return PRC_OK;
}

static prc_result check_particles(const prc_sim_def *def, const prc_body_def *body, const char *where, prc_error *error)
{
    const prc_mesh *mesh = body->mesh;
    if (!mesh || mesh->vertex_count < 1 || !mesh->positions)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: missing or empty; expected at least one vertex", where);
    if (mesh->vertex_count > PRC_MOST_VERTICES)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: %d vertices; expected " PRC_MOST_TEXT, where,
                        mesh->vertex_count);
    for (long k = 0; k < 3L * mesh->vertex_count; k++)
        if (!isfinite(mesh->positions[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: vertex %ld is not finite", where, k / 3);
    char path[WHERE_SIZE];
    join(path, where, "particle");
    if (prc_schema_check(PRC_TABLE_particle, &body->particle, path, error))
        return PRC_ERROR_INPUT;
    if (body->contact_thickness > 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.contact_thickness: particles keep their radius; set particle.radius and leave it out",
                        where);
    if (def->contact.method == PRC_CONTACT_PROJECTION && def->contact.enabled)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.kind: contact.method: projection is for membranes alone", where);
    return PRC_OK;
}

static prc_result check_body(const prc_sim_def *def, int index, prc_error *error)
{
    char where[WHERE_SIZE], path[WHERE_SIZE];
    snprintf(where, sizeof where, "bodies[%d]", index);
    const prc_body_def *body = &def->bodies[index];
    const prc_mesh *mesh = body->mesh;
    if (prc_schema_check(PRC_TABLE_body, body, where, error))
        return PRC_ERROR_INPUT;
    if (body->kind == PRC_BODY_PARTICLES && check_particles(def, body, where, error))
        return PRC_ERROR_INPUT;
    if (body->kind == PRC_BODY_PARTICLES)
        return check_velocities(body, where, error);
    if (!mesh || mesh->vertex_count < 3 || mesh->triangle_count < 1 || !mesh->positions || !mesh->triangles)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: missing or empty; expected a mesh with at least one triangle",
                        where);
    if (check_rest(body, where, error))
        return PRC_ERROR_INPUT;
    join(path, where, "material");
    if (prc_schema_check_material(&body->material, path, error) || check_groups(body, where, error))
        return PRC_ERROR_INPUT;
    return check_velocities(body, where, error);
}

/* ---- pins and forces ---- */

static prc_result check_vertices(const prc_sim_def *def, int body, const int *vertices, int count, const char *where,
                                 prc_error *error)
{
    if (body < 0 || body >= def->body_count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.body: %d is not allowed; there are bodies 0 to %d", where, body,
                        def->body_count - 1);
    if (count < 0)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex_count: %d is not allowed", where, count);
    int limit = def->bodies[body].mesh->vertex_count;
    for (int i = 0; vertices && i < count; i++)
        if (vertices[i] < 0 || vertices[i] >= limit)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.vertices[%d]: %d is not allowed; body %d has vertices 0 to %d",
                            where, i, vertices[i], body, limit - 1);
    return PRC_OK;
}

static prc_result check_span(double from, double until, const char *where, prc_error *error)
{
    if (until < from)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: until %.10g s is before from %.10g s", where, until, from);
    return PRC_OK;
}

static prc_result check_force(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_force_def *force = &def->forces[index];
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "forces[%d]", index);
    if (prc_schema_check(PRC_TABLE_force, force, where, error) || check_span(force->from, force->until, where, error))
        return PRC_ERROR_INPUT;
    return check_vertices(def, force->body, force->vertices, force->vertex_count, where, error);
}

static prc_result check_axis(const double *a, const char *where, const char *key, prc_error *error)
{
    if (!(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.%s: [0, 0, 0] has no direction", where, key);
    return PRC_OK;
}

/* What the ranges of a motion do not say; those have been checked with its owner. */
static prc_result check_motion(const prc_motion_def *motion, const char *owner, prc_error *error)
{
    char where[WHERE_SIZE], key[WHERE_SIZE];
    join(where, owner, "motion");
    if (check_span(motion->from, motion->until, where, error) ||
        (motion->degrees_per_second != 0 && check_axis(motion->axis, where, "rotation.axis", error)))
        return PRC_ERROR_INPUT;
    if (motion->key_count < 0 || (motion->key_count > 0 && !motion->keys))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.keys: key_count is %d, but no matching array is given", where,
                        motion->key_count);
    for (int k = 0; k < motion->key_count; k++) {
        snprintf(key, sizeof key, "%.130s.keys[%d]", where, k);
        if (prc_schema_check(PRC_TABLE_pose, &motion->keys[k], key, error) ||
            (motion->keys[k].degrees != 0 && check_axis(motion->keys[k].axis, key, "rotate.axis", error)))
            return PRC_ERROR_INPUT;
        if (k > 0 && !(motion->keys[k].time > motion->keys[k - 1].time))
            return prc_fail(error, PRC_ERROR_INPUT,
                            "%s.time: %.10g s does not come after %.10g s; keys must be in order of time", key,
                            motion->keys[k].time, motion->keys[k - 1].time);
    }
    return PRC_OK;
}

static prc_result check_pin(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_pin_def *pin = &def->pins[index];
    char where[WHERE_SIZE], path[WHERE_SIZE];
    snprintf(where, sizeof where, "pins[%d]", index);
    join(path, where, "motion");
    if (prc_schema_check(PRC_TABLE_pin, pin, where, error) ||
        prc_schema_check(PRC_TABLE_path, &pin->motion, path, error) || check_motion(&pin->motion, where, error) ||
        check_span(pin->from, pin->until, where, error) ||
        check_vertices(def, pin->body, pin->vertices, pin->vertex_count, where, error))
        return PRC_ERROR_INPUT;
    if (!pin->vertices && pin->vertex_count > 0)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.vertices: missing; vertex_count is %d", where, pin->vertex_count);
    return PRC_OK;
}

static prc_result check_collider(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_collider_def *collider = &def->colliders[index];
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "colliders[%d]", index);
    if (prc_schema_check(PRC_TABLE_collider, collider, where, error) || check_motion(&collider->motion, where, error) ||
        (collider->rotate.degrees != 0 && check_axis(collider->rotate.axis, where, "rotate.axis", error)))
        return PRC_ERROR_INPUT;
    if (collider->shape == PRC_SHAPE_MESH && !collider->mesh && !collider->field)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: missing; shape mesh needs a closed mesh", where);
    return check_axis(collider->axis, where, "axis", error);
}

static prc_result check_obstacle_mesh(const prc_obstacle_def *obstacle, const char *where, prc_error *error)
{
    const prc_mesh *mesh = obstacle->mesh;
    if (!mesh || mesh->vertex_count < 1 || !mesh->positions || mesh->triangle_count < 0 ||
        (mesh->triangle_count > 0 && !mesh->triangles))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: missing or empty; expected at least one vertex", where);
    if (mesh->vertex_count > PRC_MOST_VERTICES || mesh->triangle_count > PRC_MOST_TRIANGLES)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: %d vertices and %d triangles; expected " PRC_MOST_TEXT, where,
                        mesh->vertex_count, mesh->triangle_count);
    if (obstacle->segment_count < 0 || (obstacle->segment_count > 0 && !obstacle->segments))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.segments: segment_count is %d, but no matching array is given",
                        where, obstacle->segment_count);
    for (long k = 0; k < 3L * mesh->vertex_count; k++)
        if (!isfinite(mesh->positions[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: vertex %ld is not finite", where, k / 3);
    const int last = mesh->vertex_count - 1;
    for (long k = 0; k < 3L * mesh->triangle_count; k++)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] > last)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.mesh: triangle %ld has vertex %d; there are vertices 0 to %d",
                            where, k / 3, mesh->triangles[k], last);
    for (long k = 0; k < 2L * obstacle->segment_count; k++)
        if (obstacle->segments[k] < 0 || obstacle->segments[k] > last)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.segments[%ld]: vertex %d; there are vertices 0 to %d", where,
                            k / 2, obstacle->segments[k], last);
    return PRC_OK;
}

static prc_result check_obstacle(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_obstacle_def *obstacle = &def->obstacles[index];
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "obstacles[%d]", index);
    if (prc_schema_check(PRC_TABLE_obstacle, obstacle, where, error) || check_motion(&obstacle->motion, where, error))
        return PRC_ERROR_INPUT;
    return check_obstacle_mesh(obstacle, where, error);
}

static prc_result check_contact_pairs(const prc_sim_def *def, prc_error *error)
{
    for (int k = 0; k < def->contact.pair_count; k++) {
        const prc_contact_pair_def *pair = &def->contact.pairs[k];
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "contact.pairs[%d]", k);
        if (prc_schema_check(PRC_TABLE_contact_pair, pair, where, error))
            return PRC_ERROR_INPUT;
        for (int s = 0; s < 2; s++)
            if (pair->bodies[s] >= def->body_count + def->obstacle_count)
                return prc_fail(error, PRC_ERROR_INPUT, "%s.bodies: %d is not allowed; there are bodies 0 to %d", where,
                                pair->bodies[s], def->body_count + def->obstacle_count - 1);
    }
    return PRC_OK;
}

/* The projection has no friction: better refused than left out in silence. */
static prc_result check_projection(const prc_sim_def *def, prc_error *error)
{
    char key[WHERE_SIZE] = "";
    if (def->contact.method != PRC_CONTACT_PROJECTION)
        return PRC_OK;
    if (def->contact.friction > 0)
        snprintf(key, sizeof key, "contact.friction");
    for (int b = 0; b < def->body_count; b++)
        if (def->bodies[b].friction > 0)
            snprintf(key, sizeof key, "bodies[%d].friction", b);
    for (int o = 0; o < def->obstacle_count; o++)
        if (def->obstacles[o].friction > 0)
            snprintf(key, sizeof key, "obstacles[%d].friction", o);
    for (int k = 0; k < def->collider_count; k++)
        if (def->colliders[k].friction > 0)
            snprintf(key, sizeof key, "colliders[%d].friction", k);
    for (int k = 0; k < def->contact.pair_count; k++)
        if (def->contact.pairs[k].friction > 0)
            snprintf(key, sizeof key, "contact.pairs[%d].friction", k);
    return key[0]
               ? prc_fail(error, PRC_ERROR_INPUT,
                          "%s: contact.method projection has no friction; set it to 0, or use the method barrier", key)
               : PRC_OK;
}

/* Contact is part of the newton solver and of implicit Euler. */
static prc_result check_contact(const prc_sim_def *def, prc_error *error)
{
    if (!def->contact.enabled && def->obstacle_count > 0)
        return prc_fail(error, PRC_ERROR_INPUT, "obstacles: %d given, but contact.enabled is false; set it to true",
                        def->obstacle_count);
    if (!def->contact.enabled)
        return def->collider_count == 0
                   ? PRC_OK
                   : prc_fail(error, PRC_ERROR_INPUT,
                              "colliders: %d given, but contact.enabled is false; set it to true", def->collider_count);
    if (def->solver.method != PRC_METHOD_NEWTON)
        return prc_fail(error, PRC_ERROR_INPUT, "contact: works with solver.method newton only");
    if (def->time.integrator != PRC_INTEGRATOR_EULER)
        return prc_fail(error, PRC_ERROR_INPUT, "contact: works with time.integrator euler only");
    return check_projection(def, error);
}

static prc_result check_count(const char *name, int count, const void *items, prc_error *error)
{
    if (count < 0 || (count > 0 && !items))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: the count is %d, but no matching array is given", name, count);
    return PRC_OK;
}

prc_result prc_schema_check_sim(const prc_sim_def *def, prc_error *error)
{
    if (!def)
        return prc_fail(error, PRC_ERROR_INPUT, "no prc_sim_def given");
    if (def->cookie != PRC_SIM_COOKIE)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "the prc_sim_def was not initialized by prc_sim_def_default(); start from it");
    if (prc_schema_check(PRC_TABLE_scene, def, "", error) ||
        check_count("bodies", def->body_count, def->bodies, error) ||
        check_count("pins", def->pin_count, def->pins, error) ||
        check_count("forces", def->force_count, def->forces, error) ||
        check_count("springs", def->spring_count, def->springs, error) ||
        check_count("pressures", def->pressure_count, def->pressures, error) ||
        check_count("colliders", def->collider_count, def->colliders, error) ||
        check_count("obstacles", def->obstacle_count, def->obstacles, error) ||
        check_count("contact.pairs", def->contact.pair_count, def->contact.pairs, error))
        return PRC_ERROR_INPUT;
    if (def->body_count == 0)
        return prc_fail(error, PRC_ERROR_INPUT, "bodies: none given; expected at least one");
    for (int b = 0; b < def->body_count; b++)
        if (check_body(def, b, error))
            return PRC_ERROR_INPUT;
    for (int p = 0; p < def->pin_count; p++)
        if (check_pin(def, p, error))
            return PRC_ERROR_INPUT;
    for (int f = 0; f < def->force_count; f++)
        if (check_force(def, f, error))
            return PRC_ERROR_INPUT;
    for (int k = 0; k < def->collider_count; k++)
        if (check_collider(def, k, error))
            return PRC_ERROR_INPUT;
    for (int o = 0; o < def->obstacle_count; o++)
        if (check_obstacle(def, o, error))
            return PRC_ERROR_INPUT;
    if (check_contact_pairs(def, error) || check_contact(def, error))
        return PRC_ERROR_INPUT;
    return prc_schema_check_forces(def, error);
}
