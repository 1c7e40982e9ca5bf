/* scene/finish.c — checks that involve several keys of a table, after all of them have been read.
 *
 * Mistakes that show only in meshes or in the whole scene are found later, when these are built.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "scene/reader.h"
#include "schema/schema.h"

#define GIVEN(r, id, name) ((r)->given >> prc_schema_find(prc_schema_table(PRC_TABLE_##id), name) & 1u)

#define REPORT(r, ...)                                                                                                 \
    prc_scene_report((r)->log, PRC_ERROR_INPUT, (r)->node->origin, (r)->node->line, (r)->node->column, (r)->path,      \
                     __VA_ARGS__)

static void finish_mesh(const prc_read_table *r)
{
    static const char *const beside[] = {"vertices", "split_texture", "mend"};
    int shapes = r->node->count;
    const char *last = NULL;
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
        if (GIVEN(r, mesh, beside[k])) {
            shapes--;
            last = beside[k];
        }
    if (shapes != 1)
        REPORT(r,
               "%d shapes given; expected exactly one of grid, strip, disc, cylinder, cone, sphere, torus, ribbon, "
               "lattice, "
               "packing, file",
               shapes);
    else if (last && !GIVEN(r, mesh, "file"))
        REPORT(r, "%s is allowed only with file; remove it, or give a file", last);
}

static void finish_cells(const prc_read_table *r, const int cells[2])
{
    double vertices = ((double)cells[0] + 1) * ((double)cells[1] + 1);
    if (vertices > PRC_MOST_READ_VERTICES)
        REPORT(r, "%d × %d cells make %.3g million vertices; at most " PRC_MOST_READ_TEXT " are allowed", cells[0],
               cells[1], vertices / 1e6);
}

static void finish_lattice(const prc_read_table *r, const int count[3])
{
    const double vertices = (double)count[0] * count[1] * count[2];
    if (vertices > PRC_MOST_READ_VERTICES)
        REPORT(r, "%d × %d × %d points are %.3g million; at most " PRC_MOST_READ_TEXT " are allowed", count[0],
               count[1], count[2], vertices / 1e6);
}

static bool has_points(const prc_mesh_spec *shape)
{
    return shape->mark.line > 0 && (prc_scene_mesh_given(shape, "lattice") || prc_scene_mesh_given(shape, "packing"));
}

/* At the key, where it stands. */
static void report_key(const prc_read_table *r, const char *key, const char *message)
{
    char path[PRC_PATH_SIZE];
    const prc_node *node = prc_node_find(r->node, key);
    node = node ? node : r->node;
    snprintf(path, sizeof path, "%.140s.%s", r->path, key);
    prc_scene_report(r->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path, "%s", message);
}

/* Keys without a meaning for particles are errors: they were written with some purpose. */
static void finish_particles(const prc_read_table *r)
{
    static const char *const refused[][2] = {
        {"rest", "particles have no rest shape; remove it"},
        {"discretisation", "particles are not deformed; remove it"},
        {"material", "particles are rigid; remove it, and set particle.radius and particle.density"},
        {"groups", "particles have no material; remove it, and give each kind of particle a body of its own"},
        {"contact_thickness", "the thickness of particles is their diameter; remove it, and set particle.radius"},
        {"pressure", "particles enclose no volume; remove it"}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (r->given >> prc_schema_find(prc_schema_table(PRC_TABLE_body), refused[k][0]) & 1u)
            report_key(r, refused[k][0], refused[k][1]);
}

static void finish_body(const prc_read_table *r, const prc_body_spec *body)
{
    static const char points[] = "points without triangles are allowed only with kind: particles; expected a surface";
    if (body->def.kind == PRC_BODY_PARTICLES) {
        finish_particles(r);
        return;
    }
    if (GIVEN(r, body, "particle"))
        report_key(r, "particle", "is allowed only with kind: particles; remove it, or give the kind");
    if (has_points(&body->shape))
        report_key(r, "mesh", points);
    if (has_points(&body->rest_shape))
        report_key(r, "rest", points);
}

static void finish_collider(const prc_read_table *r, const prc_collider_spec *collider)
{
    if (has_points(&collider->shape))
        report_key(r, "mesh", "points without triangles cannot be a collider; expected a closed surface");
}

static void finish_axis(const prc_read_table *r, const char *name, const double axis[3])
{
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        REPORT(r, "the %s [0, 0, 0] has no direction", name);
}

static void finish_span(const prc_read_table *r, double from, double until)
{
    if (until < from)
        REPORT(r, "until %.10g s is before from %.10g s", until, from);
}

static void finish_box(const prc_read_table *r, const prc_box_spec *box)
{
    for (int c = 0; c < 3; c++)
        if (box->min[c] > box->max[c])
            REPORT(r, "min %.10g is larger than max %.10g along %c", box->min[c], box->max[c], "xyz"[c]);
}

/* Young's modulus and thickness, where given, take the place of the default stretch and bending. */
static void finish_material(const prc_read_table *r, prc_material_def *def)
{
    bool changed = GIVEN(r, material, "young") || GIVEN(r, material, "thickness");
    const prc_table *table = prc_schema_table(PRC_TABLE_material);
    const prc_key_set all = r->given | r->inherited;
    if (changed && def->young > 0 && def->thickness > 0) {
        if (!(all >> prc_schema_find(table, "stretch") & 1u))
            def->stretch = 0;
        if (!(all >> prc_schema_find(table, "bending") & 1u))
            def->bending = -1;
    }
    prc_error error;
    if (r->clean && prc_schema_check_material(def, r->path, &error)) /* whose message begins with the key */
        prc_scene_report(r->log, PRC_ERROR_INPUT, r->node->origin, r->node->line, r->node->column, "", "%s",
                         error.message);
}

static void finish_motion(const prc_read_table *r, const prc_motion_def *motion)
{
    if (!GIVEN(r, path, "velocity") && !GIVEN(r, path, "rotation") && !GIVEN(r, path, "keys"))
        REPORT(r, "no motion given; expected velocity, rotation, keys, or several of them");
    for (int k = 1; k < motion->key_count; k++)
        if (!(motion->keys[k].time > motion->keys[k - 1].time))
            REPORT(r, "keys[%d].time: %.10g s does not come after %.10g s; keys must be in order of time", k,
                   motion->keys[k].time, motion->keys[k - 1].time);
    finish_span(r, motion->from, motion->until);
}

/* Where the frames of an animation come from. A motion of the program's says all there is to say. */
static void finish_frames(const prc_read_table *r, bool file, bool pattern, bool memory)
{
    if (memory && r->node->count > 1)
        REPORT(r, "memory excludes all other keys; remove them");
    else if (!memory && file == pattern)
        REPORT(r, "expected one of file and pattern");
}

static void finish_follow(const prc_read_table *r, const prc_follow_spec *follow)
{
    finish_frames(r, GIVEN(r, follow, "file"), GIVEN(r, follow, "pattern"), GIVEN(r, follow, "memory"));
    if (follow->vertices && GIVEN(r, follow, "by"))
        REPORT(r, "by and vertices are both given; expected only one of them");
}

static void finish_obstacle(const prc_read_table *r, const prc_obstacle_spec *o)
{
    if (r->clean && !GIVEN(r, obstacle, "mesh") && o->points.point_count == 0 && o->polylines.point_count == 0)
        REPORT(r, "the obstacle is empty; expected mesh, points or polylines");
}

static void finish_animation(const prc_read_table *r)
{
    finish_frames(r, GIVEN(r, animation, "file"), GIVEN(r, animation, "pattern"), GIVEN(r, animation, "memory"));
}

static void finish_select(const prc_read_table *r)
{
    if (GIVEN(r, select, "count") && !GIVEN(r, select, "nearest"))
        REPORT(r, "count is allowed only with nearest; remove it, or give nearest");
}

static void finish_property(const prc_read_table *r)
{
    if (!GIVEN(r, property, "name"))
        REPORT(r, "name: missing; expected the name of a vertex property");
    if (!GIVEN(r, property, "above") && !GIVEN(r, property, "below"))
        REPORT(r, "no limit given; expected above, below or both");
}

static void finish_map(const prc_read_table *r, prc_map_spec *map)
{
    if (!GIVEN(r, map, "file"))
        REPORT(r, "file: missing; expected the name of a PNG file");
    for (int c = 0; c < 2; c++)
        if (map->from[c] == map->to[c])
            REPORT(r, "from and to have the same %c, %.10g; they must differ", "uv"[c], map -> to[c]);
    if (GIVEN(r, map, "below") && !GIVEN(r, map, "above"))
        map->above = -INFINITY;
}

static void finish_end(const prc_read_table *r)
{
    static const char *const keys[] = {"vertex", "edge", "vertices", "select", "point"};
    const prc_table *table = prc_schema_table(PRC_TABLE_end);
    int count = 0;
    for (int k = 0; k < 5; k++)
        count += (int)(r->given >> prc_schema_find(table, keys[k]) & 1u);
    if (count != 1)
        REPORT(r, "%d of vertex, edge, vertices, select and point given; expected exactly one", count);
    else if (GIVEN(r, end, "at") && !GIVEN(r, end, "edge"))
        REPORT(r, "at is allowed only with edge; remove it, or give edge");
    else if (GIVEN(r, end, "body") && GIVEN(r, end, "point"))
        REPORT(r, "a point is fixed and belongs to no body; remove body, or give vertex");
}

static void finish_seam(const prc_read_table *r)
{
    const bool file = GIVEN(r, seam, "stitches"), tie = GIVEN(r, seam, "tie"), to = GIVEN(r, seam, "to");
    if (file ? tie || to : !tie || !to)
        REPORT(r, "expected either stitches, or tie and to");
}

void prc_scene_finish_table(const prc_read_table *r, prc_table_id id, void *object)
{
    switch (id) {
    case PRC_TABLE_mesh:
        finish_mesh(r);
        break;
    case PRC_TABLE_grid:
        finish_cells(r, ((prc_grid_def *)object)->cells);
        break;
    case PRC_TABLE_strip:
        finish_cells(r, ((prc_strip_spec *)object)->cells);
        break;
    case PRC_TABLE_cylinder:
        finish_cells(r, ((prc_cylinder_spec *)object)->cells);
        break;
    case PRC_TABLE_cone:
        finish_cells(r, ((prc_cone_spec *)object)->cells);
        break;
    case PRC_TABLE_torus:
        finish_cells(r, ((prc_torus_spec *)object)->cells);
        break;
    case PRC_TABLE_ribbon:
        finish_cells(r, ((prc_ribbon_def *)object)->cells);
        break;
    case PRC_TABLE_lattice:
        finish_lattice(r, ((prc_lattice_def *)object)->count);
        break;
    case PRC_TABLE_body:
        finish_body(r, (prc_body_spec *)object);
        break;
    case PRC_TABLE_collider:
        finish_collider(r, (prc_collider_spec *)object);
        break;
    case PRC_TABLE_instance_turn:
        finish_axis(r, "axis", ((prc_instance_turn_spec *)object)->axis);
        break;
    case PRC_TABLE_rotate:
        finish_axis(r, "axis", ((prc_rotate_spec *)object)->axis);
        break;
    case PRC_TABLE_spin:
        finish_axis(r, "axis", ((prc_spin_spec *)object)->axis);
        break;
    case PRC_TABLE_turning:
        finish_axis(r, "axis", ((prc_motion_def *)object)->axis);
        break;
    case PRC_TABLE_pose_turn:
        finish_axis(r, "axis", ((prc_pose_key *)object)->axis);
        break;
    case PRC_TABLE_obstacle:
        finish_obstacle(r, (prc_obstacle_spec *)object);
        break;
    case PRC_TABLE_animation:
        finish_animation(r);
        break;
    case PRC_TABLE_select:
        finish_select(r);
        break;
    case PRC_TABLE_property:
        finish_property(r);
        break;
    case PRC_TABLE_map:
        finish_map(r, (prc_map_spec *)object);
        break;
    case PRC_TABLE_side:
        finish_axis(r, "normal", ((prc_side_spec *)object)->normal);
        break;
    case PRC_TABLE_box:
        finish_box(r, (prc_box_spec *)object);
        break;
    case PRC_TABLE_material:
        finish_material(r, (prc_material_def *)object);
        break;
    case PRC_TABLE_path:
        finish_motion(r, (prc_motion_def *)object);
        break;
    case PRC_TABLE_follow:
        finish_follow(r, (prc_follow_spec *)object);
        break;
    case PRC_TABLE_pin:
        finish_span(r, ((prc_pin_def *)object)->from, ((prc_pin_def *)object)->until);
        break;
    case PRC_TABLE_spring:
        finish_span(r, ((prc_spring_def *)object)->from, ((prc_spring_def *)object)->until);
        break;
    case PRC_TABLE_seam:
        finish_span(r, ((prc_spring_def *)object)->from, ((prc_spring_def *)object)->until);
        finish_seam(r);
        break;
    case PRC_TABLE_pressure:
        finish_span(r, ((prc_pressure_def *)object)->from, ((prc_pressure_def *)object)->until);
        break;
    case PRC_TABLE_end:
        finish_end(r);
        break;
    case PRC_TABLE_force:
        finish_span(r, ((prc_force_def *)object)->from, ((prc_force_def *)object)->until);
        break;
    default:
        break;
    }
}
