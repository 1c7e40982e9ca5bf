/* test/test_scene_select.c — selections: every kind against a search of its own, sets of them, and what a person reads
 * when nothing is selected. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <percale/percale.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "harness.h"
#include "mesh/loops.h"
#include "mesh/mend.h"
#include "png_file.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "schema/schema.h"

static prc_scene_errors errors;

/* ---- against a search ---- */

typedef bool (*chosen)(const prc_mesh *mesh, int vertex);

/* What the cases below are tried on: open, irregular, turned, scaled and moved. */
#define SHEET                                                                                                          \
    "percale: 1\nbodies:\n  - mesh: {grid: {size: [2, 1], cells: [13, 9], pattern: irregular, seed: 3}}\n"             \
    "    place: {rotate: {axis: [1, 2, 3], degrees: 40}, scale: 1.5, translate: [0.1, 0.2, 0.3]}\n"
#define TUBE                                                                                                           \
    "percale: 1\nbodies:\n  - mesh: {cone: {radius: 0.2, radius_top: 0.4, height: 1, cells: [11, 7]}}\n"               \
    "    place: {rotate: {axis: [1, 2, 3], degrees: 40}, translate: [0.1, 0.2, 0.3]}\n"

static prc_scene *select_in(const char *body, const char *select)
{
    char text[2000];
    snprintf(text, sizeof text, "%s    pins: [{select: %s}]\n", body, select);
    return prc_scene_parse(text, strlen(text), "s.yaml", NULL, 0, &errors);
}

/* Whether a selection has exactly the vertices that the function names, and at least one but not all. */
static bool agrees(const char *body, const char *select, chosen is_chosen)
{
    prc_scene *scene = select_in(body, select);
    if (!scene) {
        printf("    %s\n", errors.items[0].message);
        return false;
    }
    const prc_sim_def *def = prc_scene_sim_def(scene);
    const prc_mesh *mesh = def->bodies[0].mesh;
    const prc_pin_def *pin = &def->pins[0];
    bool same = pin->vertex_count > 0 && pin->vertex_count < mesh->vertex_count;
    int k = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const bool listed = k < pin->vertex_count && pin->vertices[k] == i;
        k += listed;
        same = same && listed == is_chosen(mesh, i);
    }
    prc_scene_destroy(scene);
    return same && k > 0;
}

static const double *at(const prc_mesh *mesh, int i)
{
    return mesh->positions + 3 * (size_t)i;
}

static double from(const prc_mesh *mesh, int i, double x, double y, double z)
{
    const double *p = at(mesh, i);
    return sqrt((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z));
}

static bool in_sphere(const prc_mesh *mesh, int i)
{
    return from(mesh, i, 0.3, 0.2, 0.1) <= 0.6;
}

static bool in_box(const prc_mesh *mesh, int i)
{
    return at(mesh, i)[0] >= 0 && at(mesh, i)[1] <= 0.4;
}

static bool on_side(const prc_mesh *mesh, int i)
{
    return at(mesh, i)[0] - 2 * at(mesh, i)[1] + 0.5 * at(mesh, i)[2] >= 0.1 - 0.4 + 0.15;
}

static bool in_range(const prc_mesh *mesh, int i)
{
    (void)mesh;
    return i >= 20 && i < 57;
}

/* One of the 17 nearest: fewer than 17 are nearer. */
static bool is_near(const prc_mesh *mesh, int i)
{
    int nearer = 0;
    for (int k = 0; k < mesh->vertex_count; k++)
        nearer += from(mesh, k, 0.3, 0.2, 0.1) < from(mesh, i, 0.3, 0.2, 0.1);
    return nearer < 17;
}

/* An edge of i that no other triangle has. */
static bool on_boundary(const prc_mesh *mesh, int i)
{
    for (int e = 0; e < 3 * mesh->triangle_count; e++) {
        const int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        int uses = 0;
        for (int f = 0; (a == i || b == i) && f < 3 * mesh->triangle_count; f++) {
            const int c = mesh->triangles[f], d = mesh->triangles[f % 3 == 2 ? f - 2 : f + 1];
            uses += (a == c && b == d) || (a == d && b == c);
        }
        if (uses == 1)
            return true;
    }
    return false;
}

/* The wide rim of TUBE is at the end of its axis, 0.5 from its middle. */
static bool on_wide_rim(const prc_mesh *mesh, int i)
{
    return on_boundary(mesh, i) && from(mesh, i, 0.1, 0.2, 0.3) > 0.6;
}

static bool on_narrow_rim(const prc_mesh *mesh, int i)
{
    return on_boundary(mesh, i) && !on_wide_rim(mesh, i);
}

TEST(each_kind_of_selection_agrees_with_a_search)
{
    CHECK(agrees(SHEET, "{sphere: {center: [0.3, 0.2, 0.1], radius: 0.6}}", in_sphere));
    CHECK(agrees(SHEET, "{box: {min: [0, -9, -9], max: [9, 0.4, 9]}}", in_box));
    CHECK(agrees(SHEET, "{side: {point: [0.1, 0.2, 0.3], normal: [1, -2, 0.5]}}", on_side));
    CHECK(agrees(SHEET, "{range: [20, 37]}", in_range));
    CHECK(agrees(SHEET, "{nearest: [0.3, 0.2, 0.1], count: 17}", is_near));
    CHECK(agrees(SHEET, "{boundary: true}", on_boundary));
    CHECK(agrees(SHEET, "{loops: [0]}", on_boundary));
    CHECK(agrees(TUBE, "{boundary: true}", on_boundary));
    CHECK(agrees(TUBE, "{loops: [0]}", on_wide_rim));
    CHECK(agrees(TUBE, "{loops: [1]}", on_narrow_rim));
    CHECK(agrees(TUBE, "{loops: [1, 0, 1]}", on_boundary));
}

static bool box_or_sphere(const prc_mesh *mesh, int i)
{
    return in_box(mesh, i) || in_sphere(mesh, i);
}

static bool box_and_sphere(const prc_mesh *mesh, int i)
{
    return in_box(mesh, i) && in_sphere(mesh, i);
}

static bool box_without(const prc_mesh *mesh, int i)
{
    return in_box(mesh, i) && !in_sphere(mesh, i) && !in_range(mesh, i);
}

static bool one_of_two(const prc_mesh *mesh, int i)
{
    return in_box(mesh, i) != in_sphere(mesh, i);
}

#define BOX "{box: {min: [0, -9, -9], max: [9, 0.4, 9]}}"
#define SPHERE "{sphere: {center: [0.3, 0.2, 0.1], radius: 0.6}}"

TEST(sets_of_selections_agree_with_a_search)
{
    CHECK(agrees(SHEET, "{any: [" BOX ", " SPHERE "]}", box_or_sphere));
    CHECK(agrees(SHEET, "{every: [" BOX ", " SPHERE "]}", box_and_sphere));
    CHECK(agrees(SHEET, "{except: {except: " BOX "}}", in_box));
    CHECK(agrees(SHEET, "{any: " SPHERE "}", in_sphere));
    CHECK(agrees(SHEET, "{box: {min: [0, -9, -9], max: [9, 0.4, 9]}, except: [" SPHERE ", {range: [20, 37]}]}",
                 box_without));
    CHECK(agrees(SHEET, "{any: [{every: [" BOX ", {except: " SPHERE "}]}, {every: [{except: " BOX "}, " SPHERE "]}]}",
                 one_of_two));
    CHECK(agrees(SHEET, "{every: [all, " BOX "], any: [" SPHERE ", {box: {min: [90, 0, 0]}}]}", box_and_sphere));
}

TEST(the_loop_nearest_to_a_point_is_found_and_equal_loops_go_by_their_vertices)
{
    const char *tube = "percale: 1\nbodies:\n  - mesh: {cylinder: {radius: 0.1, height: 1, cells: [12, 5]}}\n"
                       "    place: {rotate: {axis: [1, 2, 3], degrees: 77}, translate: [5, 6, 7]}\n";
    prc_scene *scene = select_in(tube, "{loops: [0]}");
    CHECK(scene != NULL);
    CHECK(prc_scene_sim_def(scene)->pins[0].vertex_count == 12 && prc_scene_sim_def(scene)->pins[0].vertices[0] == 0);
    const prc_mesh *mesh = prc_scene_sim_def(scene)->bodies[0].mesh;
    char select[200];
    const double *end = at(mesh, mesh->vertex_count - 1);
    snprintf(select, sizeof select, "{loop_nearest: [%.17g, %.17g, %.17g]}", end[0], end[1], end[2]);
    prc_scene *other = select_in(tube, select);
    CHECK(other != NULL);
    const prc_pin_def *pin = &prc_scene_sim_def(other)->pins[0];
    CHECK(pin->vertex_count == 12 && pin->vertices[11] == mesh->vertex_count - 1);
    CHECK(pin->vertices[0] > 11);
    prc_scene_destroy(other);
    prc_scene_destroy(scene);
}

TEST(loops_are_numbered_by_length)
{
    prc_mesh mesh;
    prc_mesh_loops loops;
    CHECK(prc_mesh_cone(&mesh, 0.3, 0.1, 1, 9, 4, NULL) == PRC_OK);
    CHECK(prc_mesh_loops_find(&mesh, &loops, NULL) == PRC_OK);
    CHECK(loops.count == 2);
    CHECK_NEAR(loops.length[0], 2 * 9 * 0.3 * sin(acos(-1.0) / 9), 1e-12);
    CHECK_NEAR(loops.length[1], 2 * 9 * 0.1 * sin(acos(-1.0) / 9), 1e-12);
    for (int i = 0; i < mesh.vertex_count; i++)
        CHECK(loops.loop_of[i] == (mesh.positions[3 * i + 1] < -0.49 ? 0 : mesh.positions[3 * i + 1] > 0.49 ? 1 : -1));
    prc_mesh_loops_release(&loops);
    prc_mesh_release(&mesh);
    CHECK(prc_mesh_sphere(&mesh, 1, 1, NULL) == PRC_OK);
    CHECK(prc_mesh_loops_find(&mesh, &loops, NULL) == PRC_OK && loops.count == 0);
    prc_mesh_loops_release(&loops);
    prc_mesh_release(&mesh);
}

static char folder[] = "/tmp/percale_select_XXXXXX", map_path[100], scene_path[100];

static bool make_folder(void)
{
    if (!mkdtemp(folder))
        return false;
    snprintf(map_path, sizeof map_path, "%s/map.png", folder);
    snprintf(scene_path, sizeof scene_path, "%s/s.yaml", folder);
    return true;
}

static void remove_folder(void)
{
    unlink(map_path);
    rmdir(folder);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

/* ---- groups and properties ---- */

/* A strip of two rows of vertices with what a file may say besides. */
typedef struct garment {
    prc_mesh mesh;
    prc_mesh_group groups[3];
    prc_mesh_property properties[2];
    int sleeve[3], body[4], more[1];
    double weight[12], label[12];
} garment;

static void garment_make(garment *g)
{
    prc_grid_def grid = {.size = {5, 1}, .cells = {5, 1}};
    prc_mesh_grid(&g->mesh, &grid, NULL);
    memcpy(g->sleeve, (int[]){0, 1, 6}, sizeof g->sleeve);
    memcpy(g->body, (int[]){3, 4, 5, 11}, sizeof g->body);
    g->more[0] = 7;
    g->groups[0] = (prc_mesh_group){"sleeve", g->sleeve, 3};
    g->groups[1] = (prc_mesh_group){"body", g->body, 4};
    g->groups[2] = (prc_mesh_group){"sleeve", g->more, 1};
    for (int i = 0; i < 12; i++) {
        g->weight[i] = i / 11.0;
        g->label[i] = i == 5 ? NAN : i % 3;
    }
    g->properties[0] = (prc_mesh_property){"weight", g->weight};
    g->properties[1] = (prc_mesh_property){"label", g->label};
    g->mesh.groups = g->groups;
    g->mesh.group_count = 3;
    g->mesh.properties = g->properties;
    g->mesh.property_count = 2;
}

static void garment_release(garment *g)
{
    g->mesh.groups = NULL;
    g->mesh.properties = NULL;
    g->mesh.group_count = g->mesh.property_count = 0;
    prc_mesh_release(&g->mesh);
}

/* What spec selects of the mesh; −1 after an error. */
static int select_of(const prc_mesh *mesh, prc_select_spec *spec, const char *key, int list[12])
{
    static prc_scene_sources sources;
    const prc_scene_log log = {.errors = &errors, .path = "s.yaml", .sources = &sources};
    const prc_select_context context = {.log = &log, .mesh = mesh, .rest = mesh, .scale = 1, .path = "select"};
    int count;
    errors = (prc_scene_errors){0};
    spec->mark = (prc_scene_mark){
        .given = 1u << prc_schema_find(prc_schema_table(PRC_TABLE_select), key), .line = 1, .column = 1, .origin = -1};
    int *found = prc_scene_select(&context, spec, &count);
    if (!found)
        return -1;
    memcpy(list, found, (size_t)count * sizeof *list);
    prc_free(found);
    return count;
}

static int group_of(const prc_mesh *mesh, char *name, int list[12])
{
    prc_select_spec spec;
    prc_schema_default(PRC_TABLE_select, &spec, false);
    spec.group = name;
    return select_of(mesh, &spec, "group", list);
}

static int property_of(const prc_mesh *mesh, char *name, double above, double below, int list[12])
{
    prc_select_spec spec;
    prc_schema_default(PRC_TABLE_select, &spec, false);
    spec.property = (prc_property_spec){.name = name, .above = above, .below = below};
    return select_of(mesh, &spec, "property", list);
}

static bool same(int count, const int *list, int expected_count, const int *expected)
{
    return count == expected_count && memcmp(list, expected, (size_t)count * sizeof *list) == 0;
}

TEST(groups_and_properties_of_a_mesh_select_by_name)
{
    garment g;
    int list[12];
    garment_make(&g);
    CHECK(same(group_of(&g.mesh, "body", list), list, 4, (int[]){3, 4, 5, 11}));
    CHECK(same(group_of(&g.mesh, "sleeve", list), list, 4, (int[]){0, 1, 6, 7})); /* both parts of that name */
    CHECK(same(property_of(&g.mesh, "weight", 0.75, 1e300, list), list, 3, (int[]){9, 10, 11}));
    CHECK(same(property_of(&g.mesh, "weight", -1e300, 1 / 11.0, list), list, 1, (int[]){0})); /* ends excluded */
    CHECK(same(property_of(&g.mesh, "label", 1.5, 2.5, list), list, 3, (int[]){2, 8, 11}));   /* not 5, which is NaN */
    garment_release(&g);
}

TEST(unknown_groups_and_properties_are_told_with_those_that_exist)
{
    garment g;
    int list[12];
    garment_make(&g);
    CHECK(group_of(&g.mesh, "sleve", list) == -1);
    CHECK(strcmp(errors.items[0].message,
                 "s.yaml:1:1: select: group: there is no group 'sleve'; did you mean 'sleeve'?") == 0);
    CHECK(group_of(&g.mesh, "trousers", list) == -1);
    CHECK_TEXT(errors.items[0].message, "there is no group 'trousers'; expected one of sleeve, body");
    CHECK(property_of(&g.mesh, "wieght", 0, 1, list) == -1);
    CHECK_TEXT(errors.items[0].message, "there is no property 'wieght'; did you mean 'weight'?");
    CHECK(property_of(&g.mesh, "weight", 3, 5, list) == -1);
    CHECK(strcmp(errors.items[0].message,
                 "s.yaml:1:1: select: no vertex meets the conditions; weight ranges from 0 to 1") == 0);
    g.mesh.group_count = g.mesh.property_count = 0;
    CHECK(group_of(&g.mesh, "body", list) == -1);
    CHECK_TEXT(errors.items[0].message,
               "there is no group 'body'; the mesh has no groups, which OBJ and MSH files may have");
    CHECK(property_of(&g.mesh, "weight", 0, 1, list) == -1);
    CHECK_TEXT(errors.items[0].message, "the mesh has no properties, which PLY and VTK files may have");
    garment_release(&g);
}

TEST(groups_of_an_obj_file_and_properties_of_a_ply_file_can_be_selected)
{
    char obj[120], ply[120], text[400];
    CHECK(make_folder());
    snprintf(obj, sizeof obj, "%s/m.obj", folder);
    snprintf(ply, sizeof ply, "%s/m.ply", folder);
    FILE *file = fopen(obj, "w");
    CHECK(file != NULL);
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nv 2 0 0\ng hem\nf 1 2 3\ng cuff\nf 1 3 4\ng cuff\nf 2 6 3\n",
          file);
    fclose(file);
    file = fopen(ply, "w");
    CHECK(file != NULL);
    fputs("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
          "property float weight\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
          "0 0 0 0.25\n1 0 0 0.5\n0 1 0 0.75\n3 0 1 2\n",
          file);
    fclose(file);
    snprintf(
        text, sizeof text,
        "percale: 1\nbodies:\n"
        "  - {mesh: {file: m.obj}, pins: [{select: {group: hem}}, {select: {group: cuff}}, {select: {vertices: [5]}},\n"
        "      {select: {range: [3, 3]}}]}\n"
        "  - {mesh: {file: m.ply}, pins: [{select: {property: {name: weight, above: 0.4}}}]}\n");
    prc_scene *scene = prc_scene_parse(text, strlen(text), scene_path, NULL, 0, &errors);
    unlink(obj);
    unlink(ply);
    remove_folder();
    CHECK(scene != NULL);
    const prc_pin_def *pins = prc_scene_sim_def(scene)->pins;
    CHECK(same(pins[0].vertex_count, pins[0].vertices, 3, (int[]){0, 1, 2}));
    CHECK(same(pins[1].vertex_count, pins[1].vertices, 5, (int[]){0, 1, 2, 3, 4}));
    CHECK(same(pins[2].vertex_count, pins[2].vertices, 1, (int[]){4})); /* the file's 4 is in no triangle */
    CHECK(same(pins[3].vertex_count, pins[3].vertices, 2, (int[]){3, 4}));
    CHECK(same(pins[4].vertex_count, pins[4].vertices, 2, (int[]){1, 2}));
    prc_scene_destroy(scene);
}

TEST(many_long_names_do_not_overflow_the_message)
{
    static char names[300][80];
    static prc_mesh_group groups[300];
    garment g;
    int list[12];
    garment_make(&g);
    for (int k = 0; k < 300; k++) {
        snprintf(names[k], sizeof names[k], "%03d_%s", k, "a_name_that_is_much_longer_than_anybody_would_like_to_read");
        groups[k] = (prc_mesh_group){names[k], g.body, 4};
    }
    g.mesh.groups = groups;
    g.mesh.group_count = 300;
    CHECK(group_of(&g.mesh, "x", list) == -1);
    CHECK_TEXT(errors.items[0].message, "expected one of 000_a_name");
    CHECK_TEXT(errors.items[0].message, ", …");
    garment_release(&g);
}

TEST(a_part_of_a_mesh_keeps_its_groups_properties_and_stitches)
{
    garment g;
    prc_mesh two = {0};
    prc_mesh_stitch stitches[3] = {{7, {8, 9}, 0.5, 0}, {1, {8, 9}, 0.5, 1}, {11, {6, 7}, 0.25, 2}};
    garment_make(&g);
    int triangles[6] = {6, 7, 8, 9, 10, 11}; /* the second half of the vertices is joined to itself only */
    memcpy(g.mesh.triangles, triangles, sizeof triangles);
    g.mesh.triangle_count = 2;
    g.mesh.stitches = stitches;
    g.mesh.stitch_count = 3;
    CHECK(prc_mesh_copy(&two, &g.mesh, NULL) == PRC_OK);
    g.mesh.stitches = NULL;
    g.mesh.stitch_count = 0;
    CHECK(prc_mesh_keep_range(&two, (const int[]){6, 6}, NULL) == PRC_OK);
    CHECK(two.vertex_count == 6 && two.triangle_count == 2 && two.triangles[5] == 5);
    CHECK(two.positions[0] == g.mesh.positions[18]);
    CHECK(two.group_count == 3 && two.groups[0].vertex_count == 1 && two.groups[0].vertices[0] == 0);
    CHECK(strcmp(two.groups[1].name, "body") == 0 && two.groups[1].vertices[0] == 5);
    CHECK(two.properties[0].values[0] == g.weight[6] && two.properties[0].values[5] == g.weight[11]);
    CHECK(two.stitch_count == 2 && two.stitches[0].vertex == 1 && two.stitches[0].edge[1] == 3);
    CHECK(two.stitches[1].vertex == 5 && two.stitches[1].at == 0.25 && two.stitches[1].seam == 2);
    CHECK(prc_mesh_keep_range(&two, (const int[]){0, 3}, NULL) == PRC_OK);
    CHECK(two.group_count == 2 && strcmp(two.groups[1].name, "sleeve") == 0); /* the body has no vertex left */
    prc_error error;
    CHECK(prc_mesh_keep_range(&two, (const int[]){1, 2}, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 0 has corners inside and outside the 2 vertices from number 1");
    CHECK(prc_mesh_keep_range(&two, (const int[]){2, 2}, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "2 vertices from number 2; the file has 3");
    prc_mesh_release(&two);
    garment_release(&g);
}

/* ---- painted maps ---- */

static prc_scene *select_by_map(const char *body, const char *map)
{
    char text[2000];
    snprintf(text, sizeof text, "%s    pins: [{select: {map: %s}}]\n", body, map);
    return prc_scene_parse(text, strlen(text), scene_path, NULL, 0, &errors);
}

/* A picture of 4 × 3: its red grows to the right, its green downwards, blue is 51 everywhere. */
static void paint(unsigned char pixels[48])
{
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) {
            unsigned char *p = pixels + 4 * (4 * y + x);
            p[0] = (unsigned char)(60 * x);
            p[1] = (unsigned char)(100 * y);
            p[2] = 51;
            p[3] = (unsigned char)(x == 0 ? 0 : 255);
        }
}

/* Red and green between the middles of pixels, by hand: both are linear, and go on evenly outside of the middles. */
static double red_at(double u)
{
    return 60 * fmax(0, fmin(3, 4 * u - 0.5)) / 255;
}

static double green_at(double v)
{
    return 100 * fmax(0, fmin(2, 3 * (1 - v) - 0.5)) / 255;
}

#define FLAT                                                                                                           \
    "percale: 1\nbodies:\n  - mesh: {grid: {size: [2, 3], cells: [16, 16]}}\n    place: {rotate: {degrees: 90}}\n"

#ifdef PRC_HAVE_PNG

static bool map_agrees(const char *map, bool (*wanted)(double u, double v))
{
    prc_scene *scene = select_by_map(FLAT, map);
    if (!scene) {
        printf("    %s\n", errors.items[0].message);
        return false;
    }
    const prc_mesh *rest = prc_scene_sim_def(scene)->bodies[0].rest_mesh;
    const prc_pin_def *pin = &prc_scene_sim_def(scene)->pins[0];
    bool good = pin->vertex_count < rest->vertex_count;
    for (int i = 0, k = 0; i < rest->vertex_count; i++) {
        const bool listed = k < pin->vertex_count && pin->vertices[k] == i;
        k += listed;
        good = good && listed == wanted(rest->positions[3 * i] / 2 + 0.5, rest->positions[3 * i + 1] / 3 + 0.5);
    }
    prc_scene_destroy(scene);
    return good;
}

static bool red_above(double u, double v)
{
    (void)v;
    return red_at(u) > 0.3;
}

static bool green_below(double u, double v)
{
    (void)u;
    return green_at(v) < 0.5;
}

static bool gray_above(double u, double v)
{
    return (red_at(u) + green_at(v) + 0.2) / 3 > 0.37;
}

static bool alpha_between(double u, double v)
{
    (void)v;
    const double alpha = fmax(0, fmin(1, 4 * u - 0.5));
    return alpha > 0.1 && alpha < 0.9;
}

/* The image over the left half only: the rest has its right border. */
static bool red_on_half(double u, double v)
{
    (void)v;
    return red_at(2 * u) > 0.3;
}

/* Turned upside down by its corners. */
static bool green_upside_down(double u, double v)
{
    (void)u;
    return green_at(1 - v) < 0.5;
}

TEST(a_painted_map_selects_by_its_values_u_to_the_right_and_v_upwards)
{
    unsigned char pixels[48];
    png_file png;
    CHECK(make_folder());
    paint(pixels);
    png_make(&png, 4, 3, 4, pixels);
    CHECK(png_save(&png, map_path));
    CHECK(map_agrees("{file: map.png, channel: red, above: 0.3}", red_above));
    CHECK(map_agrees("{file: map.png, channel: green, below: 0.5}", green_below));
    CHECK(map_agrees("{file: map.png, above: 0.37}", gray_above));
    CHECK(map_agrees("{file: map.png, channel: alpha, above: 0.1, below: 0.9}", alpha_between));
    CHECK(map_agrees("{file: map.png, channel: red, above: 0.3, to: [0.5, 1]}", red_on_half));
    CHECK(map_agrees("{file: map.png, channel: green, below: 0.5, from: [0, 1], to: [1, 0]}", green_upside_down));
    remove_folder();
}

TEST(a_map_goes_by_texture_coordinates_where_there_are_some_whatever_the_scale)
{
    const unsigned char pixels[2] = {0, 255};
    png_file png;
    char obj[120], text[400];
    CHECK(make_folder());
    snprintf(obj, sizeof obj, "%s/m.obj", folder);
    FILE *file = fopen(obj, "w");
    CHECK(file != NULL);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 5\nvt 0.1 0\nvt 0.9 0\nvt 0.8 1\nf 1/2 2/1 3/3\n", file);
    fclose(file);
    png_make(&png, 2, 1, 1, pixels);
    CHECK(png_save(&png, map_path));
    snprintf(text, sizeof text, "percale: 1\nbodies:\n  - mesh: {file: m.obj}\n    place: {scale: 7}\n");
    prc_scene *scene = select_by_map(text, "{file: map.png}");
    CHECK(scene != NULL);
    const prc_pin_def *pin = &prc_scene_sim_def(scene)->pins[0];
    CHECK(pin->vertex_count == 2 && pin->vertices[0] == 0 && pin->vertices[1] == 2);
    prc_scene_destroy(scene);
    unlink(obj);
    remove_folder();
}

TEST(bad_images_are_refused_whatever_is_wrong_with_them)
{
    unsigned char pixels[48];
    png_file png;
    CHECK(make_folder());
    paint(pixels);
    png_make(&png, 4, 3, 4, pixels);
    CHECK(!select_by_map(FLAT, "{file: map.png}"));
    CHECK_TEXT(errors.items[0].message, "map.png: cannot be opened: No such file or directory");
    for (size_t size = 0; size < png.size - 12; size++) { /* without its IEND a file may pass */
        png_file cut = png;
        cut.size = size;
        CHECK(png_save(&cut, map_path));
        prc_scene *scene = select_by_map(FLAT, "{file: map.png}");
        CHECK(!scene);
        CHECK_TEXT(errors.items[0].message, "map.png: is not a valid PNG file");
    }
    for (size_t k = 0; k < png.size; k++) { /* whatever comes of it, nothing breaks */
        png_file bent = png;
        bent.bytes[k] ^= 0x55;
        CHECK(png_save(&bent, map_path));
        prc_scene_destroy(select_by_map(FLAT, "{file: map.png}"));
    }
    memcpy(png.bytes + 16, "\x00\x00\xFF\xFF\x00\x00\x04\x00", 8); /* 65535 × 1024 pixels in a small file */
    png.bytes[29] = 0;
    png.size = 29;
    png_file huge = {.size = 8};
    memcpy(huge.bytes, png.bytes, 8);
    png_chunk(&huge, "IHDR", png.bytes + 16, 13);
    png_chunk(&huge, "IDAT", png.bytes, 20);
    png_chunk(&huge, "IEND", NULL, 0);
    CHECK(png_save(&huge, map_path));
    CHECK(!select_by_map(FLAT, "{file: map.png}"));
    CHECK_TEXT(errors.items[0].message, "should have 65535 × 1024 pixels, which do not fit in 77 bytes");
    remove_folder();
}

TEST(a_map_that_selects_nothing_tells_its_values)
{
    const unsigned char pixels[2] = {51, 102};
    png_file png;
    CHECK(make_folder());
    png_make(&png, 2, 1, 1, pixels);
    CHECK(png_save(&png, map_path));
    CHECK(!select_by_map(FLAT, "{file: map.png, above: 0.7}"));
    CHECK_TEXT(errors.items[0].message,
               "bodies[0].pins[0].select: no vertex meets the conditions; the map ranges from 0.2 to 0.4");
    CHECK(!select_by_map("percale: 1\nbodies:\n  - mesh: {sphere: {}}\n", "{file: map.png}"));
    CHECK_TEXT(errors.items[0].message, "map: the mesh has no texture coordinates and is not flat; expected a file "
                                        "with one per vertex, or a grid, strip or disc");
    remove_folder();
}

#else

TEST(without_libpng_a_map_says_what_is_missing)
{
    (void)map_path;
    CHECK(make_folder());
    CHECK(!select_by_map(FLAT, "{file: map.png}"));
    CHECK_TEXT(errors.items[0].message, "map.png: cannot be read: percale was built without libpng; install "
                                        "libpng-dev and build again");
    remove_folder();
    (void)paint;
    (void)red_at;
    (void)green_at;
}

#endif

/* ---- mistakes ---- */

#define GRID "percale: 1\nbodies:\n  - mesh: {grid: {size: [2, 1], cells: [2, 2]}}\n"
#define HERE "s.yaml:4:21: bodies[0].pins[0].select: "

TEST(wrong_selections_give_their_exact_message)
{
    static const struct {
        const char *select, *message;
    } cases[] = {
        {"{range: [5, 5]}", HERE "range: 5 vertices from number 5; the mesh has vertices 0 to 8"},
        {"{range: [0, 0]}", HERE "range: 0 vertices from number 0; the mesh has vertices 0 to 8"},
        {"{range: [3]}",
         "s.yaml:4:29: bodies[0].pins[0].select.range: found a list of 1; expected 2 whole numbers from 0 "
         "to 2147483647"},
        {"{loops: [1]}", HERE "there is no loop 1; the boundary has 1 loop, numbered from 0"},
        {"{count: 3}", HERE "count is allowed only with nearest; remove it, or give nearest"},
        {"{nearest: [0, 0, 0], count: 10}", HERE "count: 10, but the mesh has 9 vertices"},
        {"{nearest: [0, 0, 0], count: 0}", "s.yaml:4:49: bodies[0].pins[0].select.count: 0 is not allowed; expected a "
                                           "whole number from 1 to 2147483647"},
        {"{sphere: {center: [5, 5, 5]}}",
         HERE "no vertex meets the conditions; the mesh extends from [-1, -0.5, 0] to [1, 0.5, 0]"},
        {"{side: {point: [0, 9, 0]}}",
         HERE "no vertex meets the conditions; the mesh extends from [-1, -0.5, 0] to [1, 0.5, 0]"},
        {"{side: {normal: [0, 0, 0]}}",
         "s.yaml:4:28: bodies[0].pins[0].select.side: the normal [0, 0, 0] has no direction"},
        {"{sphere: {radius: -1}}",
         "s.yaml:4:39: bodies[0].pins[0].select.sphere.radius: -1 is not allowed; expected a number >= 0 m"},
        {"{vertices: [4], boundary: true}", HERE "no vertex meets all conditions (each alone: vertices 1, boundary 8)"},
        {"{vertices: [4], box: {min: [7, 7, 7]}}", HERE "no vertex meets all conditions (each alone: vertices 1, box "
                                                        "0); the mesh extends from [-1, -0.5, 0] to [1, 0.5, 0]"},
        {"{except: all}", HERE "no vertex meets the conditions"},
        {"{any: [{box: {min: [7, 7, 7]}}]}",
         HERE "no vertex meets the conditions; the mesh extends from [-1, -0.5, 0] to [1, 0.5, 0]"},
        {"{any: []}", HERE "any: an empty list; expected selections"},
        {"{any: 5}",
         "s.yaml:4:27: bodies[0].pins[0].select.any: found '5'; expected a table or a list of tables of select keys"},
        {"{any: [5]}", "s.yaml:4:28: bodies[0].pins[0].select.any[0]: found '5'; expected a table of select keys"},
        {"{any: [{}]}", "s.yaml:4:28: bodies[0].pins[0].select.any[0]: no condition given; expected all, corners, "
                        "vertices, range, boundary, loops, loop_nearest, box, sphere, side, nearest, group, property, "
                        "map, any, every or except"},
        {"{any: [all, {except: {vertices: [99]}}]}", "s.yaml:4:42: bodies[0].pins[0].select.any[1].except[0]: there is "
                                                     "no vertex 99; the mesh has vertices 0 to 8"},
        {"{any: [{vertexes: [1]}]}",
         "s.yaml:4:29: bodies[0].pins[0].select.any[0].vertexes: unknown key; did you mean 'vertices'?"},
        {"{group: sleeve}",
         HERE "group: there is no group 'sleeve'; the mesh has no groups, which OBJ and MSH files may have"},
        {"{property: {name: weight}}",
         "s.yaml:4:32: bodies[0].pins[0].select.property: no limit given; expected above, below or both"},
        {"{property: {above: 3}}",
         "s.yaml:4:32: bodies[0].pins[0].select.property: name: missing; expected the name of a vertex property"},
        {"{map: {above: 3}}",
         "s.yaml:4:27: bodies[0].pins[0].select.map: file: missing; expected the name of a PNG file"},
        {"{map: {file: a.png, from: [1, 0]}}",
         "s.yaml:4:27: bodies[0].pins[0].select.map: from and to have the same u, 1; they must differ"},
        {"{map: {file: a.png, channel: rde}}", "s.yaml:4:50: bodies[0].pins[0].select.map.channel: 'rde' is unknown; "
                                               "expected one of red, green, blue, alpha, gray; did you mean 'red'?"},
    };
    int wrong = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        prc_scene *scene = select_in(GRID, cases[k].select);
        if (scene || strcmp(errors.items[0].message, cases[k].message) != 0) {
            printf("    %s\n      expected %s\n      found    %s\n", cases[k].select, cases[k].message,
                   scene ? "no error" : errors.items[0].message);
            wrong++;
        }
        prc_scene_destroy(scene);
    }
    CHECK(wrong == 0);
}

TEST(a_closed_mesh_has_no_boundary_to_select)
{
    const char *ball = "percale: 1\nbodies:\n  - mesh: {sphere: {subdivisions: 1}}\n";
    CHECK(!select_in(ball, "{boundary: true}"));
    CHECK(strcmp(errors.items[0].message, HERE "no vertex meets the conditions; the mesh is closed") == 0);
    CHECK(!select_in(ball, "{loops: [0]}"));
    CHECK(strcmp(errors.items[0].message, HERE "the mesh is closed and has no boundary") == 0);
    prc_scene *scene = select_in(ball, "{except: {boundary: true}}");
    CHECK(scene && prc_scene_sim_def(scene)->pins[0].vertex_count == 42);
    prc_scene_destroy(scene);
}

/* The corner 0, with so many times `except` around it. */
static prc_scene *select_nested(int times)
{
    char text[1000] = "{corners: [0]}";
    for (int k = 0; k < times; k++) {
        char inner[1000];
        memcpy(inner, text, sizeof inner);
        snprintf(text, sizeof text, "{except: %.900s}", inner);
    }
    return select_in(GRID, text);
}

TEST(selections_inside_of_each_other_are_bounded)
{
    for (int times = 14; times <= 15; times++) {
        prc_scene *scene = select_nested(times);
        CHECK(scene && prc_scene_sim_def(scene)->pins[0].vertex_count == (times % 2 ? 8 : 1));
        prc_scene_destroy(scene);
    }
    CHECK(!select_nested(16));
    CHECK_TEXT(errors.items[0].message, "selections nested more than 16 levels deep; expected a simpler one");
}

TEST_MAIN()
