/* test/test_scene_particles.c — bodies of particles in scenes: where their points come from, what can be said of them,
 * and what is refused how. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"
#include "mesh_files.h"

#include "scene/scene.h"

static prc_scene_errors errors;

/* The scene stands in the folder of the test's files. */
static prc_scene *parse(const char *text)
{
    prc_scene *scene = prc_scene_parse(text, strlen(text), path_to("s.yaml"), NULL, 0, &errors);
    if (!scene)
        printf("    %s\n", errors.items[0].message);
    return scene;
}

static bool refused(const char *text, int line, const char *key, const char *message)
{
    prc_scene *scene = prc_scene_parse(text, strlen(text), path_to("s.yaml"), NULL, 0, &errors);
    prc_scene_destroy(scene);
    char place[40], said[300];
    snprintf(place, sizeof place, "s.yaml:%d:", line);
    snprintf(said, sizeof said, " %s: %s", key, message);
    if (!scene && strstr(errors.items[0].message, place) && strstr(errors.items[0].message, said))
        return true;
    printf("    \"%s\"\n    is not \"%s … %s\"\n", scene ? "" : errors.items[0].message, place, said);
    return false;
}

#define SAND "percale: 1\nbodies:\n- kind: particles\n  particle: {radius: 0.01, density: 2000}\n"
#define CLOTH "- {name: cloth, mesh: {grid: {cells: [2, 2]}}}\n"

static double least_distance(const prc_mesh *mesh)
{
    double least = INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < i; k++) {
            const double *a = mesh->positions + 3 * i, *b = mesh->positions + 3 * k;
            least = fmin(least, sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)));
        }
    return least;
}

TEST(points_of_particles_keep_their_balls_apart_however_they_are_placed)
{
    static const char *const meshes[] = {
        "{lattice: {count: [4, 3, 5]}}", "{lattice: {count: [4, 3, 5], pattern: hexagonal, jitter: 0.2}}",
        "{packing: {size: [0.2, 0.1, 0.1]}}", "{packing: {shape: sphere, radius: 0.1, count: 40}}",
        "{packing: {shape: cylinder, radius: 0.08, length: 0.2, seed: 5}}"};
    for (int k = 0; k < 5; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            char text[400];
            snprintf(text, sizeof text, SAND "  mesh: %s\n  place: {translate: [0, 1, 0], scale: %d}\n", meshes[k],
                     scaled ? 3 : 1);
            prc_scene *scene = parse(text);
            CHECK(scene);
            const prc_body_def *body = &prc_scene_sim_def(scene)->bodies[0];
            CHECK(body->kind == PRC_BODY_PARTICLES && body->particle.radius == 0.01 && body->particle.density == 2000);
            CHECK(body->mesh->triangle_count == 0 && body->mesh->vertex_count >= 40);
            const double least = least_distance(body->mesh);
            CHECK(least >= 2.126 * 0.01 && least < (k == 1 || k == 3 ? 3 : 1.2) * 2.13 * 0.01);
            prc_scene_destroy(scene);
        }
}

TEST(a_spacing_that_is_given_is_kept)
{
    prc_scene *scene = parse(SAND "  mesh: {lattice: {count: [3, 1, 1], spacing: 0.05}}\n");
    CHECK(scene);
    CHECK_NEAR(least_distance(prc_scene_sim_def(scene)->bodies[0].mesh), 0.05, 1e-15);
    prc_scene_destroy(scene);
}

TEST(the_defaults_of_the_scene_are_those_of_the_library)
{
    prc_scene *scene =
        parse("percale: 1\ncontact: {enabled: true}\nbodies: [{mesh: {grid: {}}, place: {translate: [9, 0, 0]}}]\n"
              "obstacles: [{mesh: {lattice: {spacing: 0.1}}}, {mesh: {packing: {spacing: 0.02}}}]\n");
    CHECK(scene);
    prc_lattice_def lattice = prc_lattice_def_default();
    prc_packing_def packing = prc_packing_def_default();
    lattice.spacing = 0.1;
    packing.spacing = 0.02;
    prc_mesh mesh[2];
    prc_error error;
    CHECK(!prc_mesh_lattice(&mesh[0], &lattice, &error) && !prc_mesh_packing(&mesh[1], &packing, &error));
    for (int k = 0; k < 2; k++) {
        const prc_mesh *made = prc_scene_sim_def(scene)->obstacles[k].mesh;
        CHECK(made->vertex_count == mesh[k].vertex_count);
        CHECK(!memcmp(made->positions, mesh[k].positions, 3 * sizeof(double) * (size_t)made->vertex_count));
        prc_mesh_release(&mesh[k]);
    }
    prc_scene_destroy(scene);
}

/* ---- files ---- */

#define PLY_POINTS                                                                                                     \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"                  \
    "property float heat\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n"
#define MSH_POINTS                                                                                                     \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n"            \
    "1 15 2 0 1 1\n$EndElements\n"
#define VTK_POINTS                                                                                                     \
    "# vtk DataFile Version 3.0\npoints\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"                 \
    "VERTICES 3 6\n1 0\n1 1\n1 2\n"

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

TEST(files_of_points_alone_are_particles_and_nothing_else)
{
    static const char *const files[][2] = {{"p.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
                                           {"q.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n"},
                                           {"p.ply", PLY_POINTS},
                                           {"p.msh", MSH_POINTS},
                                           {"p.vtk", VTK_POINTS}};
    for (int k = 0; k < 5; k++) {
        char text[300];
        put_text(files[k][0], files[k][1]);
        snprintf(text, sizeof text, SAND "  mesh: {file: %s}\n", files[k][0]);
        prc_scene *scene = parse(text);
        CHECK(scene);
        const prc_mesh *mesh = prc_scene_sim_def(scene)->bodies[0].mesh;
        CHECK(mesh->vertex_count == 3 && mesh->triangle_count == 0 && mesh->positions[3] == 1);
        prc_scene_destroy(scene);
        snprintf(text, sizeof text, "percale: 1\nbodies: [{mesh: {file: %s}}]\n", files[k][0]);
        scene = prc_scene_parse(text, strlen(text), path_to("s.yaml"), NULL, 0, &errors);
        CHECK(!scene);
        CHECK_TEXT(errors.items[0].message, k == 2   ? "the header has no element 'face'"
                                            : k == 1 ? "q.obj"
                                                     : "; expected a");
    }
    put_text("none.obj", "# nothing\n");
    CHECK(refused(SAND "  mesh: {file: none.obj}\n", 5, "bodies[0].mesh.file", "") /* the reader says the rest */);
    CHECK_TEXT(errors.items[0].message, "found 0 vertices and 0 faces");
}

/* What would be mended away or refused in a membrane: vertices that belong to nothing, triangles without area. */
TEST(every_vertex_of_a_file_is_a_particle)
{
    put_text("t.obj", "v 0 0 0\nv 9 9 9\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 3 4\nf 1 3 4\n");
    put_text("t.stl", "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                      "endfacet\nendsolid\n");
    prc_scene *scene = parse(SAND "  mesh: {file: t.obj}\n  pins: [{select: {vertices: [1, 4]}}]\n");
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->bodies[0].mesh->vertex_count == 5 && prc_scene_note_count(scene) == 0);
    CHECK(def->pins[0].vertices[0] == 1 && def->pins[0].vertices[1] == 4);
    prc_scene_destroy(scene);
    scene = parse(SAND "  mesh: {file: t.stl}\n");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 3);
    prc_scene_destroy(scene);
    scene = parse(SAND "  mesh: {file: t.obj, vertices: [1, 1]}\n"); /* no triangle has it */
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 1);
    prc_scene_destroy(scene);
    scene = parse(SAND "  mesh: {sphere: {subdivisions: 1, radius: 0.1}}\n"); /* balls on a sphere */
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 42);
    prc_scene_destroy(scene);
}

TEST(programs_give_particles_as_arrays_without_triangles)
{
    double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const prc_mesh mesh = {.vertex_count = 3, .positions = positions};
    const prc_scene_memory memory = {.name = "grains", .mesh = &mesh};
    const char *text = SAND "  mesh: {memory: grains}\n";
    prc_scene *scene = prc_scene_parse_with(text, strlen(text), path_to("s.yaml"), NULL, 0, &memory, 1, &errors);
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    CHECK(prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 3);
    prc_scene_destroy(scene);
    positions[4] = NAN;
    CHECK(!prc_scene_parse_with(text, strlen(text), path_to("s.yaml"), NULL, 0, &memory, 1, &errors));
    CHECK_TEXT(errors.items[0].message, "the position of vertex 1 is not finite");
}

/* ---- what can be said of them ---- */

TEST(selections_velocities_pins_forces_and_instances_know_particles)
{
    prc_scene *scene = parse(
        SAND "  mesh: {lattice: {count: [4, 3, 2], spacing: 1}}\n"
             "  place: {translate: [1.5, 1, 0.5]}\n" /* point (i, j, k) is at (i, j, k) */
             "  velocity: [1, 0, 0]\n"
             "  spin: {axis: [0, 0, 1], degrees_per_second: 180}\n"
             "  velocities: [{select: {side: {point: [0, 1.5, 0]}}, velocity: [0, 3, 0]}]\n"
             "  pins: [{select: {box: {min: [-0.1, -0.1, -0.1], max: [0.1, 9, 9]}}}, {select: {range: [20, 4]}}]\n"
             "  forces: [{force: [0, 1, 0], select: {sphere: {radius: 1.1}}}, {force: [1, 0, 0]},\n"
             "    {force: [1, 0, 0], select: {nearest: [9, 9, 9], count: 2}}]\n"
             "  instances: {count: 2, offset: [0, 10, 0]}\n");
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->body_count == 2 && def->pin_count == 4 && def->force_count == 6);
    CHECK(def->bodies[1].kind == PRC_BODY_PARTICLES && def->bodies[1].mesh->vertex_count == 24);
    CHECK_NEAR(def->bodies[1].mesh->positions[1], 10, 1e-14);
    CHECK(def->pins[0].vertex_count == 6 && def->pins[1].vertex_count == 4 && def->pins[1].vertices[0] == 20);
    CHECK(def->forces[0].vertex_count == 4 && !def->forces[1].vertices && def->forces[2].vertices[1] == 23);
    const double *v = def->bodies[0].vertex_velocity;
    const int last = 3 + 4 * (2 + 3 * 1); /* at (3, 2, 1) */
    CHECK_NEAR(v[3 * last], -acos(-1) * 2, 1e-12);
    CHECK_NEAR(v[3 * last + 1], acos(-1) * 3 + 3, 1e-12);
    prc_scene_destroy(scene);
}

TEST(springs_make_a_chain_of_beads)
{
    prc_scene *scene = parse(SAND "  mesh: {lattice: {count: [4, 1, 1]}}\n"
                                  "springs: [{tie: {vertices: [0, 1, 2]}, to: {vertices: [1, 2, 3]}, rope: true}]\n");
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 3 && def->springs[2].to.vertex[0] == 3 && def->springs[0].stiffness == 100);
    prc_scene_destroy(scene);
    /* With one end on cloth its stiffness can be taken. */
    scene = parse(SAND "  mesh: {lattice: {count: [1, 1, 1]}}\n" CLOTH
                       "springs: [{tie: {body: 0, vertex: 0}, to: {body: cloth, vertex: 4}, stiffness: 0}]\n");
    CHECK(scene);
    prc_scene_destroy(scene);
}

/* ---- what is refused ---- */

#define GRAINS SAND "  mesh: {lattice: {}}\n"

TEST(keys_that_mean_nothing_to_particles_are_refused_where_they_stand)
{
    CHECK(refused(GRAINS "  rest: texture\n", 6, "bodies[0].rest", "particles have no rest shape"));
    CHECK(refused(GRAINS "  rest: {grid: {}}\n", 6, "bodies[0].rest", "particles have no rest shape"));
    CHECK(refused(GRAINS "  discretisation: paper\n", 6, "bodies[0].discretisation", "particles are not deformed"));
    CHECK(refused(GRAINS "  material: {stretch: 1}\n", 6, "bodies[0].material",
                  "particles are rigid; remove it, and set particle.radius and particle.density"));
    CHECK(refused(GRAINS "  groups: [{select: all, material: {stretch: 2}}]\n", 6, "bodies[0].groups",
                  "particles have no material"));
    CHECK(refused(GRAINS "  contact_thickness: 0.01\n", 6, "bodies[0].contact_thickness",
                  "the thickness of particles is their diameter; remove it, and set particle.radius"));
    CHECK(refused(GRAINS "  pressure: {over: 1}\n", 6, "bodies[0].pressure", "particles enclose no volume"));
    CHECK(refused("percale: 1\nbodies: [{kind: particles, particle: {radius: 0}, mesh: {lattice: {}}}]\n", 2,
                  "bodies[0].particle.radius", "0 is not allowed; expected a number > 0 m"));
    CHECK(refused("percale: 1\nbodies: [{kind: sand, mesh: {lattice: {}}}]\n", 2, "bodies[0].kind",
                  "'sand' is unknown; expected one of membrane, particles"));
}

TEST(points_and_balls_are_refused_elsewhere)
{
    CHECK(refused("percale: 1\nbodies: [{mesh: {lattice: {spacing: 1}}}]\n", 2, "bodies[0].mesh",
                  "points without triangles are allowed only with kind: particles; expected a surface"));
    CHECK(refused("percale: 1\nbodies: [{mesh: {packing: {spacing: 1}}}]\n", 2, "bodies[0].mesh", "points"));
    CHECK(refused("percale: 1\nbodies: [{mesh: {grid: {}}, rest: {lattice: {spacing: 1}}}]\n", 2, "bodies[0].rest",
                  "points without triangles"));
    CHECK(refused("percale: 1\nbodies: [{mesh: {grid: {}}, particle: {radius: 1}}]\n", 2, "bodies[0].particle",
                  "is allowed only with kind: particles; remove it, or give the kind"));
    CHECK(
        refused("percale: 1\ncolliders: [{shape: mesh, mesh: {lattice: {spacing: 1}}}]\nbodies: [{mesh: {grid: {}}}]\n",
                2, "colliders[0].mesh", "points without triangles cannot be a collider"));
    CHECK(refused("percale: 1\nobstacles: [{mesh: {lattice: {}}}]\nbodies: [{mesh: {grid: {}}}]\n", 2,
                  "obstacles[0].mesh", "lattice: spacing is 0; it must be positive"));
}

TEST(too_many_points_are_refused)
{
    CHECK(refused(SAND "  mesh: {packing: {count: 1000}}\n", 5, "bodies[0].mesh", "packing: "));
    CHECK_TEXT(errors.items[0].message, " of 1000 points fit at a spacing of 0.0212625 m");
    CHECK(refused(SAND "  mesh: {lattice: {count: [1000, 1000, 1000]}}\n", 5, "bodies[0].mesh.lattice",
                  "1000 × 1000 × 1000 points are 1e+03 million; at most 20 million are allowed"));
}

TEST(selections_by_the_boundary_ask_for_another)
{
    static const char *const keys[] = {"boundary: true", "loops: [0]", "loop_nearest: [0, 0, 0]"};
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text, GRAINS "  pins: [{select: {%s}}]\n", keys[k]);
        CHECK(refused(text, 6, "bodies[0].pins[0].select",
                      "points have no boundary; use box, sphere, side, nearest, vertices or range"));
    }
    CHECK(refused(GRAINS "  pins: [{select: {corners: [0]}}]\n", 6, "bodies[0].pins[0].select",
                  "only grid and strip meshes have corners"));
}

TEST(springs_and_seams_of_particles_that_cannot_be_are_refused)
{
    CHECK(refused(GRAINS "springs: [{tie: {vertex: 0}, to: {vertex: 1}, stiffness: 0}]\n", 6, "springs[0]",
                  "stiffness: 0 takes that of the cloth at its ends, and there are only particles"));
    CHECK(refused(GRAINS CLOTH "seams: [{tie: {body: cloth, vertex: 0}, to: {body: 0, vertex: 1}}]\n", 7, "seams[0]",
                  "to.body: particles cannot be sewn; expected cloth, or springs in place of a seam"));
    CHECK(refused(GRAINS "seams: [{stitches: 0}]\n", 6, "seams[0]", "tie.body: particles cannot be sewn"));
    CHECK(refused(GRAINS "- {mesh: {sphere: {}}, pressure: {over: 1, with: [0]}}\n", 6, "bodies[1].pressure.with",
                  "particles enclose no volume; expected membranes"));
}

TEST(the_library_refuses_what_scenes_refuse)
{
    double positions[6] = {0, 0, 0, 1, 0, 0};
    const prc_mesh mesh = {.vertex_count = 2, .positions = positions};
    prc_body_def body = prc_body_def_default();
    body.kind = PRC_BODY_PARTICLES;
    body.mesh = &mesh;
    prc_spring_def spring = prc_spring_def_default();
    spring.tie = (prc_spring_end){.body = 0, .vertex = {0, 0}};
    spring.to = (prc_spring_end){.body = 0, .vertex = {1, 1}};
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.springs = &spring;
    def.spring_count = 1;
    prc_error error;
    spring.stiffness = 0;
    CHECK(!prc_sim_create(&def, &error));
    CHECK_TEXT(error.message,
               "springs[0].stiffness: 0 takes that of the cloth at its ends, and there are only particles");
    spring.stiffness = 10;
    spring.seam = true;
    CHECK(!prc_sim_create(&def, &error));
    CHECK_TEXT(error.message, "springs[0].seam: particles cannot be sewn");
    def.spring_count = 0;
    const int bodies[1] = {0};
    prc_pressure_def pressure = prc_pressure_def_default();
    pressure.bodies = bodies;
    pressure.body_count = 1;
    def.pressures = &pressure;
    def.pressure_count = 1;
    CHECK(!prc_sim_create(&def, &error));
    CHECK_TEXT(error.message, "pressures[0].bodies: 0 is a body of particles, which enclose no volume");
}

TEST_MAIN()
