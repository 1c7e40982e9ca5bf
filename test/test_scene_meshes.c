/* test/test_scene_meshes.c — mesh files in scenes: what is mended and told, whose numbers selections use, texture
 * seams, and the shapes that scenes can name. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"
#include "mesh_files.h"

#include "scene/scene.h"

static prc_scene_errors errors;

/* The scene stands in the folder of the test's files. */
static prc_scene *parse(const char *text)
{
    return prc_scene_parse(text, strlen(text), path_to("s.yaml"), NULL, 0, &errors);
}

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

/* Vertex 1 is isolated; the first two triangles are the same. */
#define BROKEN "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 3 4\nf 1 3 4\nf 1 4 5\n"
/* The last three also meet at one edge. */
#define HOPELESS BROKEN "v 1 0 1\nf 4 1 6\nv 7 7 7\n"

TEST(what_was_mended_is_told_once_per_file)
{
    put_text("b.obj", BROKEN);
    prc_scene *scene = parse("percale: 1\nbodies: [{mesh: {file: b.obj}, rest: {file: b.obj}}, {mesh: {file: b.obj}, "
                             "place: {translate: [5, 0, 0]}}]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    CHECK(prc_scene_note_count(scene) == 2);
    CHECK_TEXT(prc_scene_note(scene, 0), "b.obj: 1 duplicate triangle removed");
    CHECK_TEXT(prc_scene_note(scene, 1), "b.obj: 1 isolated vertex removed");
    CHECK(prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 4);
    prc_scene_destroy(scene);
}

TEST(selections_and_springs_use_the_numbers_of_the_file)
{
    put_text("b.obj", BROKEN);
    prc_scene *scene = parse("percale: 1\nbodies: [{mesh: {file: b.obj}, pins: [{select: {vertices: [0, 3]}}]}]\n"
                             "springs: [{tie: {vertex: 4}, to: {edge: [0, 2], at: 0.5}}, "
                             "{tie: {vertices: [2, 3]}, to: {point: [0, 0, 5]}}]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->pins[0].vertex_count == 2 && def->pins[0].vertices[0] == 0 && def->pins[0].vertices[1] == 2);
    CHECK(def->spring_count == 3 && def->springs[0].tie.vertex[0] == 3 && def->springs[0].to.vertex[1] == 1);
    CHECK(def->springs[1].tie.vertex[0] == 1 && def->springs[2].tie.vertex[0] == 2);
    prc_scene_destroy(scene);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: b.obj}, pins: [{select: {vertices: [1]}}]}]\n"));
    CHECK_TEXT(errors.items[0].message, "vertex 1 belongs to no triangle of the mesh file and was removed");
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: b.obj}, pins: [{select: {vertices: [5]}}]}]\n"));
    CHECK_TEXT(errors.items[0].message, "there is no vertex 5; the mesh has vertices 0 to 4");
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: b.obj}}]\nsprings: [{tie: {vertex: 1}, to: {vertex: 0}}]\n"));
    CHECK_TEXT(errors.items[0].message, "there is no vertex 1");
}

TEST(a_mesh_that_cannot_be_mended_is_named_so_that_it_can_be_shown)
{
    put_text("h.obj", HOPELESS);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: h.obj}}]\n"));
    CHECK(errors.code == PRC_ERROR_INPUT && errors.count == 1);
    CHECK_TEXT(errors.items[0].message,
               "h.obj: edge 0-3 is shared by 3 triangles; at most 2 are allowed (1 such edges in total)");
    CHECK_TEXT(errors.bad_mesh, "h.obj");
    CHECK(errors.bad_mesh_def.mend);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: h.obj, mend: false}}]\n"));
    CHECK_TEXT(errors.items[0].message, "h.obj: triangle 1 has the same vertices as triangle 0");
    CHECK_TEXT(errors.items[0].message, "; besides 2 isolated vertices");
    CHECK(!errors.bad_mesh_def.mend);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: none.obj}}]\n") && !errors.bad_mesh[0]);
}

/* Obstacles may be anything, and their animations count every vertex of the file. */
TEST(obstacles_are_not_mended)
{
    put_text("h.obj", HOPELESS);
    prc_scene *scene = parse("percale: 1\ncontact: {enabled: true}\nbodies: [{mesh: {grid: {cells: [1, 1]}}, place: "
                             "{translate: [50, 0, 0]}}]\n"
                             "obstacles: [{mesh: {file: h.obj}, points: [[8, 8, 8]]}]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    CHECK(prc_scene_sim_def(scene)->obstacles[0].mesh->vertex_count == 8 && prc_scene_note_count(scene) == 0);
    prc_scene_destroy(scene);
}

#define SEAM                                                                                                           \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 3 0\nvt 4 1\nvt 3 1\nf 1/1 2/2 3/3\nf 1/4 3/5 "    \
    "4/6\n"

TEST(rest_texture_asks_for_a_texture_without_seams_or_parts_the_mesh)
{
    put_text("t.obj", SEAM);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {file: t.obj}, rest: texture}]\n"));
    CHECK_TEXT(errors.items[0].message,
               "texture, but 2 vertices of the mesh file have several texture coordinates (the first is vertex 0); "
               "mesh: {split_texture: true} cuts the mesh open along these seams");
    prc_scene *scene = parse("percale: 1\nbodies: [{mesh: {file: t.obj, split_texture: true}, rest: texture, "
                             "pins: [{select: {vertices: [2]}}]}]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->bodies[0].mesh->vertex_count == 6 && def->bodies[0].mesh->texture);
    CHECK(def->pins[0].vertex_count == 2 && def->pins[0].vertices[1] >= 4); /* both parts of vertex 2 */
    prc_scene_destroy(scene);
    scene = parse("percale: 1\nbodies: [{mesh: {file: t.obj}}]\n"); /* elsewhere seams do not matter */
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 4);
    prc_scene_destroy(scene);
}

TEST(scenes_can_name_tori_and_ribbons)
{
    prc_scene *scene =
        parse("percale: 1\nbodies: [{mesh: {torus: {cells: [12, 6]}}}, {mesh: {ribbon: {}}, rest: texture}, "
              "{mesh: {ribbon: {radius: 0, twist: 180, cells: [10, 1]}}}]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    prc_ribbon_def ribbon = prc_ribbon_def_default();
    CHECK(def->bodies[0].mesh->vertex_count == 72);
    CHECK(def->bodies[1].mesh->vertex_count == (ribbon.cells[0] + 1) * (ribbon.cells[1] + 1));
    prc_mesh mesh;
    CHECK(prc_mesh_ribbon(&mesh, &ribbon, NULL) == PRC_OK); /* the two lists of defaults agree */
    CHECK(!memcmp(mesh.positions, def->bodies[1].mesh->positions, 3 * sizeof(double) * (size_t)mesh.vertex_count));
    prc_mesh_release(&mesh);
    prc_scene_destroy(scene);
    CHECK(!parse("percale: 1\nbodies: [{mesh: {torus: {tube: 1}}}]\n"));
    CHECK_TEXT(errors.items[0].message, "torus: tube is 1 and radius 0.35");
    CHECK(!parse("percale: 1\nbodies: [{mesh: {grid: {}, mend: true}}]\n"));
    CHECK_TEXT(errors.items[0].message, "mend is allowed only with file; remove it, or give a file");
}

TEST(a_ribbon_at_rest_in_its_pattern_is_unstretched)
{
    prc_scene *scene = parse("percale: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-3}\n"
                             "bodies: [{mesh: {ribbon: {cells: [200, 4]}}, rest: texture, material: {bending: 0}}]\n");
    prc_error error;
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    prc_sim *sim = prc_sim_create(prc_scene_sim_def(scene), &error);
    CHECK_TEXT(sim ? "made" : error.message, "made");
    const double *stretches = prc_sim_stretches(sim);
    for (int k = 0; k < 2 * prc_sim_vertex_count(sim); k++)
        CHECK_NEAR(stretches[k], 1, 2e-3);
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
}

/* ---- what a program gives ---- */

static void lift(void *context, double time, double *positions)
{
    positions[1] += *(const double *)context * time;
}

static prc_scene *parse_with(const char *text, const prc_scene_memory *memory, int count)
{
    return prc_scene_parse_with(text, strlen(text), "s.yaml", NULL, 0, memory, count, &errors);
}

TEST(meshes_and_motions_in_memory_are_found_by_name)
{
    prc_mesh mesh;
    double speed = 3;
    CHECK(prc_mesh_disc(&mesh, 1, 2, NULL) == PRC_OK);
    const prc_scene_memory memory[] = {{.name = "disc", .mesh = &mesh}, {"up", NULL, lift, &speed}};
    prc_scene *scene =
        parse_with("percale: 1\ncontact: {enabled: true}\nbodies: [{mesh: {memory: disc}, rest: {memory: disc}, pins: "
                   "[{select: {vertices: [0]}, follow: {memory: up}}]}]\n"
                   "obstacles: [{mesh: {memory: disc}, place: {translate: [0, 0, 1]}, animation: {memory: up}}]\n",
                   memory, 2);
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->bodies[0].mesh->vertex_count == mesh.vertex_count && def->bodies[0].mesh->positions != mesh.positions);
    CHECK(def->pins[0].animate == lift && def->pins[0].animate_context == &speed);
    CHECK(def->obstacles[0].animate == lift);
    prc_mesh_release(&mesh); /* the scene has copies */
    prc_error error;
    prc_sim *sim = prc_sim_create(def, &error);
    CHECK_TEXT(sim ? "made" : error.message, "made");
    const double before = prc_sim_positions(sim)[1];
    CHECK(prc_sim_step(sim, NULL, &error) == PRC_OK);
    CHECK_NEAR(prc_sim_positions(sim)[1] - before, 3 * def->time.step, 1e-12);
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
}

TEST(what_is_not_in_memory_or_cannot_be_used_is_told)
{
    prc_mesh mesh;
    CHECK(prc_mesh_disc(&mesh, 1, 2, NULL) == PRC_OK);
    const prc_scene_memory memory = {.name = "disc", .mesh = &mesh};
    CHECK(!parse_with("percale: 1\nbodies: [{mesh: {memory: dsc}}]\n", &memory, 1));
    CHECK_TEXT(errors.items[0].message, "the program that reads the scene provides no mesh 'dsc'");
    CHECK(!parse_with("percale: 1\nbodies: [{mesh: {memory: disc}, pins: [{select: all, follow: {memory: disc}}]}]\n",
                      &memory, 1));
    CHECK_TEXT(errors.items[0].message,
               "bodies[0].pins[0].follow: memory: the program that reads the scene provides no motion 'disc'");
    CHECK(!parse_with("percale: 1\nbodies: [{mesh: {memory: disc}, pins: [{select: all, follow: {memory: a, start: "
                      "1}}]}]\n",
                      &memory, 1));
    CHECK_TEXT(errors.items[0].message, "memory excludes all other keys");
    CHECK(!parse("percale: 1\nbodies: [{mesh: {memory: disc}}]\n"));
    mesh.positions[4] = NAN;
    static const char body[] = "percale: 1\nbodies: [{mesh: {memory: disc}}]\n";
    static const char obstacle[] = "percale: 1\ncontact: {enabled: true}\nbodies: [{mesh: {grid: {}}}]\n"
                                   "obstacles: [{mesh: {memory: disc}}]\n";
    CHECK(!parse_with(body, &memory, 1));
    CHECK_TEXT(errors.items[0].message, "bodies[0].mesh: ");
    CHECK(!parse_with(obstacle, &memory, 1));
    CHECK_TEXT(errors.items[0].message, "the position of vertex 1 is not finite");
    mesh.positions[4] = 0.5;
    mesh.triangles[5] = 99;
    CHECK(!parse_with(obstacle, &memory, 1));
    CHECK_TEXT(errors.items[0].message, "triangle 1 names vertex 99; there are 0 to 18");
    mesh.triangles[5] = 0;
    prc_mesh_release(&mesh);
}

TEST_MAIN()
