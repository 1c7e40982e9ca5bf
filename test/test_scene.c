/* test/test_scene.c — scene files: what they give, and what a person reads when they are wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <percale/percale.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "io/pc2.h"
#include "scene/scene.h"
#include "schema/schema.h"
#include "schema/spec.h"

static prc_scene_errors errors;

static prc_scene *parse(const char *text)
{
    return prc_scene_parse(text, strlen(text), "s.yaml", NULL, 0, &errors);
}

static prc_scene *parse_with(const char *text, const char *override)
{
    return prc_scene_parse(text, strlen(text), "s.yaml", &override, 1, &errors);
}

#define GRID "percale: 1\nbodies:\n  - mesh: {grid: {size: [2, 1], cells: [2, 2]}}\n"

/* ---- good scenes ---- */

TEST(the_example_of_the_manual_reads_as_it_says)
{
    prc_scene *scene = parse("percale: 1\n"
                             "time: {step: 2e-3, duration: 2.0, frames_per_second: 30, integrator: bdf2}\n"
                             "gravity: [0, -1.62, 0]\n"
                             "bodies:\n"
                             "  - name: cloth\n"
                             "    mesh: {grid: {size: [1, 1], cells: [5, 4], pattern: irregular, seed: 1}}\n"
                             "    place: {translate: [0, 1.6, 0], rotate: {axis: [1, 0, 0], degrees: 90}}\n"
                             "    material: {model: stvk, stretch: 400, density: 0.3, poisson: 0.2, damping: 0}\n"
                             "    pins:\n"
                             "      - {select: {corners: [0, 1]}, motion: fixed, until: 1.5}\n"
                             "solver: {method: ncg, tolerance: 1e-5}\n"
                             "precision: single\n"
                             "threads: 2\n");
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->time.step == 2e-3 && def->time.duration == 2 && def->time.frames_per_second == 30);
    CHECK(def->time.integrator == PRC_INTEGRATOR_BDF2 && def->gravity[1] == -1.62);
    CHECK(def->solver.method == PRC_METHOD_NCG && def->solver.tolerance == 1e-5 && def->solver.max_inner == 500);
    CHECK(def->precision == PRC_PRECISION_SINGLE && def->threads == 2 && def->body_count == 1);
    CHECK(strcmp(def->bodies[0].name, "cloth") == 0 && def->bodies[0].mesh->vertex_count == 30);
    CHECK(def->bodies[0].material.model == PRC_MODEL_STVK && def->bodies[0].material.stretch == 400);
    CHECK(def->bodies[0].material.bending == 1e-5);
    /* Laid flat by the placement; the rest shape is not placed. */
    for (int i = 0; i < 30; i++) {
        CHECK_NEAR(def->bodies[0].mesh->positions[3 * i + 1], 1.6, 1e-15);
        CHECK(def->bodies[0].rest_mesh->positions[3 * i + 2] == 0);
    }
    CHECK(def->pin_count == 1 && def->pins[0].vertex_count == 2 && def->pins[0].until == 1.5 && def->pins[0].from == 0);
    CHECK(prc_schema_check_sim(def, NULL) == PRC_OK);
    prc_scene_destroy(scene);
}

#define TWO_BODIES                                                                                                     \
    "percale: 1\nbodies:\n  - {name: shirt, friction: 0.3, mesh: {grid: {cells: [2, 2]}}}\n"                           \
    "  - {name: coat, contact_thickness: 4e-3, mesh: {grid: {cells: [2, 2]}}}\n"

TEST(pairs_of_bodies_are_named_or_numbered)
{
    prc_scene *scene = parse(TWO_BODIES "contact: {pairs: [{bodies: [coat, shirt], friction: 0.7}, "
                                        "{bodies: [0, coat], friction: 0.1}]}\n");
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->bodies[0].friction == 0.3 && def->bodies[1].friction < 0 && def->bodies[1].contact_thickness == 4e-3);
    CHECK(def->contact.pair_count == 2);
    CHECK(def->contact.pairs[0].bodies[0] == 1 && def->contact.pairs[0].bodies[1] == 0);
    CHECK(def->contact.pairs[0].friction == 0.7 && def->contact.pairs[1].bodies[0] == 0);
    CHECK(def->contact.pairs[1].bodies[1] == 1);
    prc_scene_destroy(scene);
    CHECK(!parse(TWO_BODIES "contact: {pairs: [{bodies: [coat, shrt], friction: 0.7}]}\n"));
    CHECK_TEXT(errors.items[0].message, "contact.pairs[0].bodies[1]: 'shrt' is not a body; expected the name of a "
                                        "body, or a number from 0 to 1; did you mean 'shirt'?");
    CHECK(!parse(TWO_BODIES "contact: {pairs: [{bodies: [2, 0]}]}\n"));
    CHECK_TEXT(errors.items[0].message, "contact.pairs[0].bodies[0]: '2' is not a body");
    CHECK(!parse(TWO_BODIES "contact: {pairs: [{bodies: [coat]}]}\n"));
    CHECK_TEXT(errors.items[0].message, "expected a list of 2 bodies, by name or number from 0");
    CHECK(!parse(TWO_BODIES "contact: {pairs: [{friction: 0.1}]}\n"));
    CHECK_TEXT(errors.items[0].message, "contact.pairs[0].bodies: missing");
}

TEST(every_mesh_generator_can_be_used)
{
    static const struct {
        const char *shape;
        int vertices;
    } shapes[] = {{"{grid: {cells: [3, 2]}}", 12},
                  {"{strip: {length: 2, width: 0.1, cells: [10, 1]}}", 22},
                  {"{disc: {radius: 1, rings: 2}}", 19},
                  {"{cylinder: {radius: 1, height: 2, cells: [6, 3]}}", 24},
                  {"{cone: {radius: 1, radius_top: 2, height: 2, cells: [6, 3]}}", 24},
                  {"{sphere: {radius: 1, subdivisions: 1}}", 42}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        char text[200];
        snprintf(text, sizeof text, "percale: 1\nbodies: [{mesh: %s}]\n", shapes[k].shape);
        prc_scene *scene = parse(text);
        CHECK(scene != NULL);
        CHECK_NEAR(prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count, shapes[k].vertices, 0);
        prc_scene_destroy(scene);
    }
}

TEST(scale_applies_to_the_mesh_and_its_rest_shape)
{
    prc_scene *scene = parse(GRID "    place: {scale: 3, translate: [10, 0, 0]}\n");
    CHECK(scene != NULL);
    const prc_body_def *body = prc_scene_sim_def(scene)->bodies;
    CHECK_NEAR(body->mesh->positions[0], 10 - 3, 1e-15);
    CHECK_NEAR(body->rest_mesh->positions[0], -3, 1e-15);
    prc_scene_destroy(scene);
}

TEST(young_and_thickness_take_the_place_of_stretch_and_bending)
{
    prc_scene *scene = parse(GRID "    material: {young: 1e6, thickness: 1e-3}\n");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].material.stretch == 0);
    CHECK(prc_scene_sim_def(scene)->bodies[0].material.bending < 0);
    prc_scene_destroy(scene);
    scene = parse(GRID "    material: {young: 1e6, thickness: 1e-3, stretch: 7, bending: 0}\n");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].material.stretch == 7);
    CHECK(prc_scene_sim_def(scene)->bodies[0].material.bending == 0);
    prc_scene_destroy(scene);
}

TEST(groups_inherit_the_material_of_the_body)
{
    prc_scene *scene = parse(GRID "    groups:\n"
                                  "      - {select: {box: {min: [0.5, -9, -9]}}, material: {stretch: 900}}\n"
                                  "      - {select: {vertices: [8]}, material: {density: 2}}\n"
                                  "    material: {density: 0.7, stretch: 100, thickness: 1e-3, young: 1e5}\n");
    CHECK(scene != NULL);
    const prc_body_def *body = prc_scene_sim_def(scene)->bodies;
    CHECK(body->material_count == 2 && body->materials[0].density == 0.7 && body->materials[0].stretch == 900);
    CHECK(body->materials[1].density == 2 && body->materials[1].stretch == 100 && body->materials[1].bending == -1);
    int counts[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++)
        counts[body->vertex_material[i]]++;
    CHECK(counts[0] == 6 && counts[1] == 2 && counts[2] == 1);
    prc_scene_destroy(scene);
}

TEST(lists_of_a_material_are_read_in_order)
{
    prc_scene *scene =
        parse(GRID "    material: {model: sum, terms: [{model: b1, stretch: 3}, {model: a6}]}\n"
                   "    groups:\n"
                   "      - {select: all, material: {model: ogden, coefficients: [1, -2], exponents: [3, -1]}}\n"
                   "      - {select: all, material: {model: curve, curve: [[0.5, -9], [1, 0], [2, 4]]}}\n");
    CHECK(scene != NULL);
    const prc_body_def *body = prc_scene_sim_def(scene)->bodies;
    CHECK(body->material.term_count == 2 && body->material.terms[0].model == PRC_MODEL_B1);
    CHECK(body->material.terms[0].stretch == 3 && body->material.terms[1].stretch == 500);
    CHECK(body->materials[0].coefficient_count == 2 && body->materials[0].coefficients[1] == -2);
    CHECK(body->materials[0].exponents[0] == 3 && body->materials[0].exponents[1] == -1);
    CHECK(body->materials[1].curve_count == 3 && body->materials[1].curve[2][0] == 2 &&
          body->materials[1].curve[0][1] == -9);
    prc_scene_destroy(scene);
}

/* Vertices of GRID by row: 0 1 2 / 3 4 5 / 6 7 8, from (-1, -0.5) to (1, 0.5). */
static bool selects(const char *select, int count, const int *vertices)
{
    char text[400];
    snprintf(text, sizeof text, GRID "    pins: [{select: %s}]\n", select);
    prc_scene *scene = parse(text);
    if (!scene)
        return false;
    const prc_pin_def *pin = prc_scene_sim_def(scene)->pins;
    bool same = pin->vertex_count == count && !memcmp(pin->vertices, vertices, (size_t)count * sizeof(int));
    prc_scene_destroy(scene);
    return same;
}

TEST(selections_name_the_vertices_they_describe)
{
    CHECK(selects("all", 9, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8}));
    CHECK(selects("{all: true}", 9, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8}));
    CHECK(selects("{corners: [2]}", 1, (int[]){8}));
    CHECK(selects("{corners: [3, 0]}", 2, (int[]){0, 6}));
    CHECK(selects("{vertices: [5, 1, 5]}", 2, (int[]){1, 5}));
    CHECK(selects("{boundary: true}", 8, (int[]){0, 1, 2, 3, 5, 6, 7, 8}));
    CHECK(selects("{box: {max: [-1, 0.5, 0]}}", 3, (int[]){0, 3, 6}));
    CHECK(selects("{nearest: [0.1, 0.1, 7]}", 1, (int[]){4}));
}

TEST(conditions_of_a_selection_hold_together)
{
    CHECK(selects("{boundary: true, box: {min: [-0.1, -9, -9], max: [0.1, 9, 9]}}", 2, (int[]){1, 7}));
    CHECK(selects("{vertices: [3, 4], boundary: false}", 2, (int[]){3, 4}));
}

TEST(boxes_and_points_mean_the_placed_mesh)
{
    prc_scene *scene = parse(GRID "    place: {translate: [0, 5, 0], rotate: {axis: [0, 0, 2], degrees: 90}}\n"
                                  "    pins: [{select: {box: {min: [-9, 6, -9]}}}, {select: {nearest: [0, 9, 0]}}]\n");
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->pins[0].vertex_count == 3 && def->pins[0].vertices[0] == 2 && def->pins[0].vertices[2] == 8);
    CHECK(def->pins[1].vertex_count == 1 && def->pins[1].vertices[0] == 5);
    prc_scene_destroy(scene);
}

TEST(motions_and_forces_reach_their_defs)
{
    prc_scene *scene = parse(
        GRID "    velocity: [0, 0, 3]\n"
             "    spin: {axis: [0, 0, 2], degrees_per_second: 180, center: [-1, -0.5, 0]}\n"
             "    pins:\n"
             "      - {select: all, motion: {velocity: [1, 2, 3]}, from: 0.5, until: .inf}\n"
             "      - {select: all, motion: {rotation: {axis: [1, 0, 0], center: [4, 5, 6], degrees_per_second: 90}}}\n"
             "    forces:\n"
             "      - {force: [0, 0, 7], until: 2}\n"
             "      - {select: {corners: [1]}, force: [1, 0, 0]}\n");
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->pins[0].motion.velocity[2] == 3 && def->pins[0].from == 0.5);
    CHECK(isinf(def->pins[0].until));
    CHECK(def->pins[1].motion.axis[0] == 1 && def->pins[1].motion.center[2] == 6);
    CHECK(def->pins[1].motion.degrees_per_second == 90 && def->pins[1].motion.axis[1] == 0);
    CHECK(def->force_count == 2 && !def->forces[0].vertices && def->forces[0].force[2] == 7 &&
          def->forces[0].until == 2);
    CHECK(def->forces[1].vertex_count == 1 && def->forces[1].vertices[0] == 2);
    CHECK(def->bodies[0].velocity[2] == 3);
    const double *spin = def->bodies[0].vertex_velocity; /* pi rad/s; vertex 2 lies 2 m along x from the axis */
    CHECK_NEAR(spin[3 * 2 + 1], 2 * acos(-1), 1e-12);
    CHECK_NEAR(spin[3 * 6], -1 * acos(-1), 1e-12);
    CHECK_NEAR(spin[0], 0, 1e-12);
    prc_scene_destroy(scene);
}

TEST(anchors_can_be_reused)
{
    prc_scene *scene = parse("percale: 1\n"
                             "bodies:\n"
                             "  - {mesh: {grid: {cells: [1, 1]}}, material: &silk {density: 0.06}}\n"
                             "  - {mesh: {disc: {rings: 1}}, material: *silk}\n");
    CHECK(scene != NULL);
    CHECK(prc_scene_sim_def(scene)->bodies[1].material.density == 0.06);
    prc_scene_destroy(scene);
}

/* ---- overrides ---- */

TEST(overrides_replace_and_add_keys)
{
    prc_scene *scene = parse_with(GRID, "bodies[0].material.stretch=900");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].material.stretch == 900);
    prc_scene_destroy(scene);
    scene = parse_with(GRID, "bodies.0.mesh.grid.cells=[3, 3]");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].mesh->vertex_count == 16);
    prc_scene_destroy(scene);
    scene =
        parse_with(GRID "    pins: [{select: all, motion: fixed}]\n", "bodies[0].pins[0].motion.velocity=[0, 1, 0]");
    CHECK(scene && prc_scene_sim_def(scene)->pins[0].motion.velocity[1] == 1);
    prc_scene_destroy(scene);
    scene = parse_with(GRID "    pins: [{select: all, until: 3}]\n", "bodies[0].pins[0]={select: {corners: [0]}}");
    CHECK(scene && prc_scene_sim_def(scene)->pins[0].vertex_count == 1 &&
          prc_scene_sim_def(scene)->pins[0].until == 1e300);
    prc_scene_destroy(scene);
}

TEST(a_later_override_wins)
{
    const char *both[] = {"time.step=0.5", "time.step=0.25"};
    prc_scene *scene = prc_scene_parse(GRID, strlen(GRID), "s.yaml", both, 2, &errors);
    CHECK(scene && prc_scene_sim_def(scene)->time.step == 0.25);
    prc_scene_destroy(scene);
}

TEST(an_override_changes_one_use_of_an_anchor_only)
{
    const char *text =
        "percale: 1\nbodies: [{mesh: {disc: {}}, material: &m {density: 1}}, {mesh: {disc: {}}, material: *m}]\n";
    prc_scene *scene = parse_with(text, "bodies[1].material.density=5");
    CHECK(scene && prc_scene_sim_def(scene)->bodies[0].material.density == 1);
    CHECK(prc_scene_sim_def(scene)->bodies[1].material.density == 5);
    prc_scene_destroy(scene);
}

TEST(wrong_overrides_name_themselves)
{
    static const struct {
        const char *override, *message;
    } cases[] = {
        {"time.step=-1", "--set time.step=-1: time.step: -1 is not allowed; expected a number > 0 s"},
        {"time.stpe=1", "--set time.stpe=1: time.stpe: unknown key; did you mean 'step'?"},
        {"time.step", "--set time.step: no '='; expected key.path=value"},
        {"=3", "--set =3: no key before '='; expected key.path=value"},
        {"time.step=", "--set time.step=: time.step: found nothing; expected a number > 0 s"},
        {"time.step=[1", "--set time.step=[1: this is not YAML"},
        {"bodies[1].name=x", "--set bodies[1].name=x: index 1 is out of range; the list has 1 items (the first is 0)"},
        {"bodies.first=x", "--set bodies.first=x: 'first' is not an index, but the value is a list"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(!parse_with(GRID, cases[k].override));
        CHECK(errors.count == 1);
        CHECK_TEXT(errors.items[0].message, cases[k].message);
    }
}

/* ---- malformed scenes ---- */

#define BODY "percale: 1\nbodies:\n  - mesh: {disc: {rings: 1}}\n"

static const struct {
    const char *text, *message; /* the whole first message */
} malformed[] = {
    {"", "s.yaml:1:1: the file is empty; expected a scene, which begins with 'percale: 1'"},
    {"# only a comment\n", "s.yaml:1:1: the file is empty; expected a scene, which begins with 'percale: 1'"},
    {"hello\n", "s.yaml:1:1: found 'hello'; expected a scene, which begins with 'percale: 1'"},
    {"- 1\n- 2\n", "s.yaml:1:1: found a list of 2; expected a scene, which begins with 'percale: 1'"},
    {"bodies: [{mesh: {disc: {}}}]\n", "s.yaml:1:1: percale: missing; expected the number 1"},
    {"percale: 2\nbodies: [{mesh: {disc: {}}}]\n", "s.yaml:1:10: percale: 2 is not allowed; expected the number 1"},
    {"percale: 1\n", "s.yaml:1:1: bodies: missing; expected a list of tables of body keys"},
    {"percale: 1\nbodies: []\n", "s.yaml:2:9: bodies: found a list of 0; expected a list of tables of body keys"},
    {"percale: 1\nbodies: 5\n", "s.yaml:2:9: bodies: found '5'; expected a list of tables of body keys"},
    {"percale: 1\nbodies:\n", "s.yaml:2:1: bodies: found nothing; expected a list of tables of body keys"},
    {"percale: 1\nbodies: [7]\n", "s.yaml:2:10: bodies[0]: found '7'; expected a table of body keys"},
    {"percale: 1\nbodies: [{name: x}]\n", "s.yaml:2:10: bodies[0].mesh: missing; expected a table of mesh keys"},
    {"percale: 1\nbodies: [{mesh: {}}]\n",
     "s.yaml:2:17: bodies[0].mesh: 0 shapes given; expected exactly one of grid, "
     "strip, disc, cylinder, cone, sphere, torus, ribbon, lattice, packing, file"},
    {"percale: 1\nbodies: [{mesh: {disc: {}, grid: {}}}]\n",
     "s.yaml:2:17: bodies[0].mesh: 2 shapes given; expected exactly one of grid, strip, disc, cylinder, cone, sphere, "
     "torus, ribbon, lattice, packing, file"},
    {"percale: 1\nbodies: [{mesh: {vertices: [0, 3]}}]\n",
     "s.yaml:2:17: bodies[0].mesh: 0 shapes given; expected exactly one of grid, strip, disc, cylinder, cone, sphere, "
     "torus, ribbon, lattice, packing, file"},
    {"percale: 1\nbodies: [{mesh: {disc: {}, vertices: [0, 3]}}]\n",
     "s.yaml:2:17: bodies[0].mesh: vertices is allowed only with file; remove it, or give a file"},
    {"percale: 1\nbodies: [{mesh: {grid: {cells: [10000, 10000]}}}]\n",
     "s.yaml:2:24: bodies[0].mesh.grid: 10000 × 10000 cells make 100 million vertices; at most 20 million are "
     "allowed"},
    {"percale: 1\nbodies: [{mesh: {grid: {cells: [1e9, 2]}}}]\n",
     "s.yaml:2:33: bodies[0].mesh.grid.cells[0]: 1e9 is not allowed; expected 2 whole numbers from 1 to 1000000"},
    {"percale: 1\nbodies: [{mesh: {grid: {cells: [2.5, 2]}}}]\n",
     "s.yaml:2:33: bodies[0].mesh.grid.cells[0]: 2.5 is not allowed; expected 2 whole numbers from 1 to 1000000"},
    {"percale: 1\nbodies: [{mesh: {grid: {cells: 5}}}]\n",
     "s.yaml:2:32: bodies[0].mesh.grid.cells: found '5'; expected 2 whole numbers from 1 to 1000000"},
    {"percale: 1\nbodies: [{mesh: {grid: {size: [1, 2, 3]}}}]\n",
     "s.yaml:2:31: bodies[0].mesh.grid.size: found a list of 3; expected 2 numbers > 0 m"},
    {"percale: 1\nbodies: [{mesh: {grid: {pattern: alternatng}}}]\n",
     "s.yaml:2:34: bodies[0].mesh.grid.pattern: 'alternatng' is unknown; expected one of regular, alternating, "
     "irregular; did you mean 'alternating'?"},
    {"percale: 1\nbodies: [{mesh: {pyramid: {}}}]\n",
     "s.yaml:2:18: bodies[0].mesh.pyramid: unknown key; expected one "
     "of grid, strip, disc, cylinder, cone, sphere, torus, "
     "ribbon, lattice, packing, file, memory, vertices, split_texture, mend"},
    {"percale: 1\nbodies: [{mesh: {file: }}]\n", "s.yaml:2:18: bodies[0].mesh.file: found nothing; expected text"},
    {BODY "time: {step: 0}\n", "s.yaml:4:14: time.step: 0 is not allowed; expected a number > 0 s"},
    {BODY "time: {step: fast}\n", "s.yaml:4:14: time.step: found 'fast'; expected a number > 0 s"},
    {BODY "time: {step: \"one\"}\n", "s.yaml:4:14: time.step: found the text \"one\"; expected a number > 0 s"},
    {BODY "time: {step: .nan}\n", "s.yaml:4:14: time.step: found '.nan'; expected a number > 0 s"},
    {BODY "time: {step: nan}\n", "s.yaml:4:14: time.step: found 'nan'; expected a number > 0 s"},
    {BODY "time: {step: .inf}\n", "s.yaml:4:14: time.step: .inf is not allowed; expected a number > 0 s"},
    {BODY "time: {step: 1e999}\n", "s.yaml:4:14: time.step: 1e999 is not allowed; expected a number > 0 s"},
    {BODY "time: {step: 1ms}\n",
     "s.yaml:4:14: time.step: found '1ms'; units are SI: write 0.001; expected a number > 0 s"},
    {BODY "time: {step: [1]}\n", "s.yaml:4:14: time.step: found a list of 1; expected a number > 0 s"},
    {BODY "time: {step: {a: 1}}\n", "s.yaml:4:14: time.step: found a table; expected a number > 0 s"},
    {BODY "time: 3\n", "s.yaml:4:7: time: found '3'; expected a table of time keys"},
    {BODY "time: {duratoin: 3}\n", "s.yaml:4:8: time.duratoin: unknown key; did you mean 'duration'?"},
    {BODY "tiem: {}\n", "s.yaml:4:1: tiem: unknown key; did you mean 'time'?"},
    {BODY "percale: 1\n", "s.yaml:4:1: duplicate key 'percale'; it was first given on line 1"},
    {BODY "gravity: [0, -9.81]\n", "s.yaml:4:10: gravity: found a list of 2; expected 3 numbers in m/s²"},
    {BODY "gravity: [0, down, 0]\n", "s.yaml:4:14: gravity[1]: found 'down'; expected 3 numbers in m/s²"},
    {BODY "gravity: -9.81\n", "s.yaml:4:10: gravity: found '-9.81'; expected 3 numbers in m/s²"},
    {BODY "solver: {method: neuton}\n", "s.yaml:4:18: solver.method: 'neuton' is unknown; expected one of newton, ncg, "
                                        "anderson, chebyshev, jacobi, sissm; did you mean 'newton'?"},
    {BODY "solver: {max_iterations: 0}\n",
     "s.yaml:4:26: solver.max_iterations: 0 is not allowed; expected a whole number from 1 to 1000000"},
    {BODY "precision: half\n", "s.yaml:4:12: precision: 'half' is unknown; expected one of single, double"},
    {BODY "threads: -1\n", "s.yaml:4:10: threads: -1 is not allowed; expected a whole number from 0 to 4096"},
    {BODY "    material: {density: -1}\n",
     "s.yaml:4:25: bodies[0].material.density: -1 is not allowed; expected a number > 0 kg/m²"},
    {BODY "    material: {model: fung}\n",
     "s.yaml:4:15: bodies[0].material.exponents: fung needs exactly one number > 0"},
    {BODY "    material: {stretch: 0}\n", "s.yaml:4:15: bodies[0].material.stretch: 0 computes it from young and "
                                          "thickness, but they are 0 Pa and 0 m; give stretch, or both of them > 0"},
    {BODY "    material: {model: curve, curve: [[1, 0], 3]}\n",
     "s.yaml:4:46: bodies[0].material.curve[1]: expected a pair [stretch, stress]"},
    {BODY "    material: {terms: [{model: stvk}]}\n",
     "s.yaml:4:32: bodies[0].material.terms[0].model: 'stvk' is unknown; expected one of a1, a2, a3, a4, a5, a6, b1, "
     "b2, b3, b4, b5, b6"},
    {BODY "    material: {coefficients: [1, 2, 3, 4, 5]}\n",
     "s.yaml:4:30: bodies[0].material.coefficients: found a list of 5; expected a list of 1 to 4 numbers in N/m"},
    {BODY "    groups: [{select: all}]\n",
     "s.yaml:4:14: bodies[0].groups[0].material: missing; expected a table of material keys"},
    {BODY "    rest: texture\n", "s.yaml:4:11: bodies[0].rest: texture, but the mesh has no texture coordinates; "
                                 "expected a mesh file with one per vertex"},
    {BODY "    rest: {disc: {rings: 2}}\n", "s.yaml:4:11: bodies[0].rest: the rest shape (19 vertices, 24 triangles) "
                                            "and the mesh (7, 6) must have the same triangles in the "
                                            "same order"},
    {BODY "    rest: flat\n",
     "s.yaml:4:11: bodies[0].rest: 'flat' is unknown; expected one of mesh, texture, or a table of mesh keys"},
    {BODY "    pins: [{motion: fixed}]\n",
     "s.yaml:4:12: bodies[0].pins[0].select: missing; expected all, or a table of select keys"},
    {BODY "    pins: [{select: everything}]\n",
     "s.yaml:4:21: bodies[0].pins[0].select: found 'everything'; expected all, or a table of select keys"},
    {BODY "    pins: [{select: {}}]\n", "s.yaml:4:21: bodies[0].pins[0].select: no condition given; expected all, "
                                        "corners, vertices, range, boundary, loops, loop_nearest, box, sphere, side, "
                                        "nearest, group, property, map, any, every or except"},
    {BODY "    pins: [{select: {corners: [0]}}]\n", "s.yaml:4:21: bodies[0].pins[0].select: only grid and strip meshes "
                                                    "have corners; use vertices, nearest, box or boundary"},
    {BODY "    pins: [{select: {corners: [4]}}]\n", "s.yaml:4:32: bodies[0].pins[0].select.corners[0]: 4 is not "
                                                    "allowed; expected a list of whole numbers from 0 to 3"},
    {BODY "    pins: [{select: {vertices: [7]}}]\n",
     "s.yaml:4:21: bodies[0].pins[0].select: there is no vertex 7; the mesh has vertices 0 to 6"},
    {BODY "    pins: [{select: {vertices: []}}]\n", "s.yaml:4:32: bodies[0].pins[0].select.vertices: found a list of "
                                                    "0; expected a list of whole numbers from 0 to 2147483647"},
    {BODY "    pins: [{select: {boundary: yes}}]\n",
     "s.yaml:4:32: bodies[0].pins[0].select.boundary: found 'yes'; expected true or false; did you mean 'true'?"},
    {BODY "    pins: [{select: {box: {min: [5, 5, 5]}}}]\n",
     "s.yaml:4:21: bodies[0].pins[0].select: no vertex meets the conditions; the mesh extends from [-0.5, -0.433, 0] "
     "to [0.5, 0.433, 0]"},
    {BODY "    pins: [{select: {box: {min: [1, 0, 0], max: [0, 0, 0]}}}]\n",
     "s.yaml:4:27: bodies[0].pins[0].select.box: min 1 is larger than max 0 along x"},
    {BODY "    pins: [{select: all, motion: {}}]\n",
     "s.yaml:4:34: bodies[0].pins[0].motion: no motion given; expected velocity, rotation, keys, or several of them"},
    {BODY "    pins: [{select: all, motion: {rotation: {axis: [0, 0, 0]}}}]\n",
     "s.yaml:4:45: bodies[0].pins[0].motion.rotation: the axis [0, 0, 0] has no direction"},
    {BODY "    pins: [{select: all, motion: moving}]\n",
     "s.yaml:4:34: bodies[0].pins[0].motion: 'moving' is unknown; expected fixed, or a table of path keys"},
    {BODY "    pins: [{select: all, from: 2, until: 1}]\n",
     "s.yaml:4:12: bodies[0].pins[0]: until 1 s is before from 2 s"},
    {BODY "    place: {rotate: {axis: [0, 0, 0]}}\n",
     "s.yaml:4:21: bodies[0].place.rotate: the axis [0, 0, 0] has no direction"},
    {BODY "    place: {scale: 0}\n", "s.yaml:4:20: bodies[0].place.scale: 0 is not allowed; expected a number > 0"},
    {BODY "    material: *silk\n", "s.yaml:4:15: the alias *silk has no anchor &silk before it"},
    {"percale: 1\nbodies: &all\n  - mesh: {disc: {}}\n    pins: *all\n",
     "s.yaml:4:11: the alias *all has no anchor &all before it"},
    {BODY "? [a, b]\n: 1\n", "s.yaml:4:3: a list or table cannot be a key"},
    {BODY "---\npercale: 1\n", "s.yaml:4:1: a second document begins; a scene is one document"},
};

TEST(each_malformed_scene_gives_its_exact_message)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof malformed / sizeof *malformed; k++) {
        prc_scene *scene = parse(malformed[k].text);
        if (scene || strcmp(errors.items[0].message, malformed[k].message) != 0) {
            printf("    case %zu:\n      expected %s\n      found    %s\n", k, malformed[k].message,
                   scene ? "no error" : errors.items[0].message);
            wrong++;
        }
        prc_scene_destroy(scene);
    }
    CHECK(wrong == 0);
}

TEST(syntax_errors_have_a_place)
{
    CHECK(!parse("percale: 1\nbodies: [{mesh: {disc: {}}\ntime: 3\n"));
    CHECK_TEXT(errors.items[0].message, "this is not YAML");
    CHECK(errors.items[0].line >= 2);
    CHECK(!parse("percale: 1\n\tbodies: 3\n"));
    CHECK_TEXT(errors.items[0].message, "s.yaml:");
    CHECK(!prc_scene_parse("a\0b", 3, "s.yaml", NULL, 0, &errors));
}

TEST(all_errors_of_a_file_are_reported_in_its_order)
{
    CHECK(!parse("percale: 1\n"
                 "threads: -1\n"
                 "bodies:\n"
                 "  - mesh: {disc: {rings: 0}}\n"
                 "    material: {density: 0, dampling: 1}\n"
                 "time: {step: 0}\n"
                 "gravity: 3\n"));
    CHECK(errors.count == 6 && errors.code == PRC_ERROR_INPUT);
    static const int lines[] = {2, 4, 5, 5, 6, 7};
    for (int k = 0; k < 6; k++)
        CHECK(errors.items[k].line == lines[k]);
    CHECK_TEXT(errors.items[3].message, "bodies[0].material.dampling: unknown key; did you mean 'damping'?");
}

TEST(at_most_fifty_errors_are_kept_and_all_are_counted)
{
    char text[4000] = "percale: 1\n";
    for (int k = 0; k < 120; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "unknown_%d: 1\n", k);
    CHECK(!parse(text));
    CHECK(errors.count == 121);
    CHECK_TEXT(errors.items[49].message, "s.yaml:");
}

TEST(hostile_files_are_refused)
{
    /* Deep nesting. */
    static char text[400000];
    memset(text, '[', 100000);
    text[100000] = '\0';
    CHECK(!parse(text));
    /* A thousand million laughs. */
    strcpy(text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int k = 1; k < 10; k++)
        snprintf(text + strlen(text), 200, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                 k, k, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
    CHECK(!parse(text));
    CHECK_TEXT(errors.items[0].message, "values, with aliases expanded");
    /* Depth through aliases. */
    strcpy(text, "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n");
    for (int k = 1; k < 50; k++)
        snprintf(text + strlen(text), 200, "a%d: &a%d [[[[[[[[[[*a%d]]]]]]]]]]\n", k, k, k - 1);
    CHECK(!parse(text));
    CHECK_TEXT(errors.items[0].message, "levels deep through *a");
    /* Very long words. */
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(!parse(text));
    memcpy(text + 1000, ": 1\n", 5);
    CHECK(!parse(text));
    CHECK_TEXT(errors.items[0].message, "unknown key");
}

/* Every prefix of a scene, and the scene with each byte replaced, is read or refused, never worse. */
TEST(damaged_files_never_crash)
{
    const char *text = GRID "    place: {rotate: {axis: [1, 0, 0], degrees: 90}, scale: 2}\n"
                            "    material: {model: sum, terms: [{model: a1}], damping: 1e-3}\n"
                            "    groups: [{select: {boundary: true}, material: {density: 2}}]\n"
                            "    pins: [{select: {corners: [0]}, motion: {velocity: [0, 1, 0]}, until: .inf}]\n"
                            "time: &t {step: 1e-3}\n";
    size_t size = strlen(text);
    char copy[1000];
    int good = 0;
    for (size_t k = 0; k <= size; k++) {
        prc_scene *scene = prc_scene_parse(text, k, "s.yaml", NULL, 0, &errors);
        CHECK(scene || errors.count > 0);
        good += scene != NULL;
        prc_scene_destroy(scene);
    }
    for (size_t k = 0; k < size; k++)
        for (const char *byte = "{[:*&-\n\t\xff~"; *byte; byte++) {
            memcpy(copy, text, size);
            copy[k] = *byte;
            prc_scene *scene = prc_scene_parse(copy, size, "s.yaml", NULL, 0, &errors);
            CHECK(scene || errors.count > 0);
            prc_scene_destroy(scene);
        }
    CHECK(good > 0);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

TEST(mesh_files_are_found_beside_the_scene)
{
    char folder[] = "/tmp/percale-scene-XXXXXX", scene_path[100], mesh_path[100], rest_path[100];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(scene_path, sizeof scene_path, "%s/s.yaml", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/t.obj", folder);
    snprintf(rest_path, sizeof rest_path, "%s/r.obj", folder);
    write_file(mesh_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 2 0\nvt 0 2\nf 1/1 2/2 3/3\n");
    write_file(rest_path, "v 0 0 0\nv 3 0 0\nv 0 3 0\nf 1 2 3\n");
    write_file(scene_path, "percale: 1\n"
                           "bodies:\n"
                           "  - {mesh: {file: t.obj}, rest: {file: r.obj}, place: {scale: 2}}\n"
                           "  - {mesh: {file: t.obj}, rest: texture, place: {scale: 2}}\n");
    prc_scene *scene = prc_scene_read(scene_path, NULL, 0, &errors);
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->bodies[0].mesh->positions[3] == 2 && def->bodies[0].rest_mesh->positions[3] == 6);
    CHECK(def->bodies[1].rest == PRC_REST_TEXTURE && def->bodies[1].mesh->texture[2] == 4);
    prc_scene_destroy(scene);

    write_file(scene_path, "percale: 1\nbodies: [{mesh: {file: missing.obj}}]\n");
    CHECK(!prc_scene_read(scene_path, NULL, 0, &errors));
    CHECK(errors.code == PRC_ERROR_IO);
    CHECK_TEXT(errors.items[0].message, "s.yaml:2:24: bodies[0].mesh.file: ");
    CHECK_TEXT(errors.items[0].message, "missing.obj");
    unlink(scene_path), unlink(mesh_path), unlink(rest_path), rmdir(folder);
    CHECK(!prc_scene_read(scene_path, NULL, 0, &errors));
    CHECK(errors.count == 1 && errors.code == PRC_ERROR_IO);
    CHECK_TEXT(errors.items[0].message, scene_path);
}

TEST(a_body_can_be_a_part_of_a_mesh_file)
{
    char folder[] = "/tmp/percale-scene-XXXXXX", scene_path[100], mesh_path[100];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(scene_path, sizeof scene_path, "%s/s.yaml", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/t.obj", folder);
    write_file(mesh_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 6 1 0\n"
                          "vt 0 0\nvt 1 0\nvt 2 0\nvt 3 0\nvt 4 0\nvt 5 0\nvt 6 1\n"
                          "f 4/4 5/5 6/6\nf 1/1 2/2 3/3\nf 6/6 5/5 7/7\n");
    write_file(scene_path,
               "percale: 1\n"
               "bodies: [{mesh: {file: t.obj, vertices: [3, 4]}}, {mesh: {file: t.obj, vertices: [0, 3]}}]\n");
    prc_scene *scene = prc_scene_read(scene_path, NULL, 0, &errors);
    CHECK(scene != NULL);
    const prc_mesh *part = prc_scene_sim_def(scene)->bodies[0].mesh;
    CHECK(part->vertex_count == 4 && part->triangle_count == 2 && part->positions[0] == 5 && part->texture[0] == 3);
    CHECK(part->triangles[0] == 0 && part->triangles[3] == 2 && part->triangles[5] == 3);
    CHECK(prc_scene_sim_def(scene)->bodies[1].mesh->triangle_count == 1);
    prc_scene_destroy(scene);

    write_file(scene_path, "percale: 1\nbodies: [{mesh: {file: t.obj, vertices: [3, 5]}}]\n");
    CHECK(!prc_scene_read(scene_path, NULL, 0, &errors));
    CHECK_TEXT(errors.items[0].message, "5 vertices from number 3; the file has 7");
    write_file(scene_path, "percale: 1\nbodies: [{mesh: {file: t.obj, vertices: [0, 4]}}]\n");
    CHECK(!prc_scene_read(scene_path, NULL, 0, &errors));
    CHECK_TEXT(errors.items[0].message, "triangle 0 has corners inside and outside the 4 vertices");
    unlink(scene_path), unlink(mesh_path), rmdir(folder);
}

/* ---- obstacles ---- */

#define WITH_CONTACT GRID "contact: {enabled: true}\n"

TEST(an_obstacle_is_its_mesh_then_its_points_then_its_lines)
{
    prc_scene *scene = parse(WITH_CONTACT "obstacles:\n"
                                          "  - name: all\n"
                                          "    mesh: {grid: {size: [1, 1], cells: [1, 1]}}\n"
                                          "    points: [[0, 1, 0]]\n"
                                          "    polylines: [[[1, 1, 1], [2, 2, 2], [3, 3, 3]], [[4, 4, 4], [5, 5, 5]]]\n"
                                          "    place: {translate: [0, 0, -7], scale: 2}\n"
                                          "    motion: {velocity: [1, 0, 0], keys: [{time: 0}, {time: 2}]}\n"
                                          "    contact_thickness: 5e-3\n"
                                          "    friction: 0.4\n"
                                          "  - points: [[0, 9, 0]]\n");
    CHECK_TEXT(scene ? "read" : errors.items[0].message, "read");
    const prc_sim_def *def = prc_scene_sim_def(scene);
    const prc_obstacle_def *o = &def->obstacles[0];
    CHECK(def->obstacle_count == 2 && strcmp(o->name, "all") == 0 && !o->animate);
    CHECK(o->mesh->vertex_count == 4 + 1 + 5 && o->mesh->triangle_count == 2 && o->segment_count == 3);
    CHECK(o->mesh->positions[3 * 4 + 1] == 2 && o->mesh->positions[3 * 4 + 2] == -7);
    CHECK(o->mesh->positions[3 * 9] == 10 && o->mesh->positions[3 * 9 + 2] == 3);
    static const int segments[6] = {5, 6, 6, 7, 8, 9};
    CHECK(memcmp(o->segments, segments, sizeof segments) == 0);
    CHECK(o->motion.velocity[0] == 1 && o->motion.key_count == 2);
    CHECK(o->contact_thickness == 5e-3 && o->friction == 0.4 && def->obstacles[1].friction == -1);
    CHECK(def->obstacles[1].mesh->vertex_count == 1 && def->obstacles[1].mesh->triangle_count == 0);
    CHECK(prc_schema_check_sim(def, NULL) == PRC_OK);
    prc_scene_destroy(scene);
}

TEST(obstacles_that_are_wrong_are_told_where)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"  - {name: nothing}\n", "obstacles[0]: the obstacle is empty; expected mesh, points or polylines"},
        {"  - {points: []}\n", "obstacles[0]: the obstacle is empty"},
        {"  - {points: 3}\n", "obstacles[0].points: found '3'; expected a list of points [x, y, z]"},
        {"  - {points: [[1, 2]]}\n", "obstacles[0].points[0]: found a list of 2; expected a point [x, y, z]"},
        {"  - {points: [[1, 2, x]]}\n", "obstacles[0].points[0][2]: found 'x'"},
        {"  - {polylines: [[[0, 0, 0]]]}\n", "obstacles[0].polylines[0]: found 1 points; a line needs at least 2"},
        {"  - {polylines: [[0, 0, 0]]}\n", "obstacles[0].polylines[0][0]: found '0'; expected a point"},
        {"  - {polylines: []}\n", "obstacles[0].polylines: found a list of 0; expected a list of lists of points"},
        {"  - {points: [[0, 9, 0]], animation: {}}\n", "obstacles[0].animation: expected one of file and pattern"},
        {"  - {points: [[0, 9, 0]], animation: {file: no.pc2}}\n", "obstacles[0].animation: no.pc2"},
        {"  - {points: [[0, 9, 0]], animation: {pattern: no.obj}}\n", "expected a .pc2 or .mdd file"},
        {"  - {mesh: {file: no.obj}}\n", "obstacles[0].mesh.file: no.obj"},
        {"  - {points: [[0, 9, 0]], thickness: 1}\n", "obstacles[0].thickness: unknown key"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text, WITH_CONTACT "obstacles:\n%s", cases[k].text);
        CHECK(parse(text) == NULL);
        CHECK_TEXT(errors.items[0].message, cases[k].says);
    }
    CHECK(parse(GRID "obstacles: [{points: [[0, 9, 0]]}]\n") == NULL);
    CHECK_TEXT(errors.items[0].message, "obstacles: 1 given, but contact.enabled is false");
}

TEST(an_animation_plays_where_the_obstacle_is_placed)
{
    static const float frames[6] = {1, 0, 0, 3, 0, 0};
    char folder[] = "/tmp/percale-test-XXXXXX", path[100], scene_path[100];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a.pc2", folder);
    snprintf(scene_path, sizeof scene_path, "%s/s.yaml", folder); /* the animation is found from there */
    CHECK(prc_pc2_write(path, frames, 1, 2, NULL) == PRC_OK);
    const char *text = WITH_CONTACT "obstacles:\n"
                                    "  - points: [[9, 9, 9]]\n"
                                    "    place: {translate: [0, 5, 0], scale: 2}\n"
                                    "    animation: {file: a.pc2, frames_per_second: 10, start: 1}\n";
    prc_scene *scene = prc_scene_parse(text, strlen(text), scene_path, NULL, 0, &errors);
    const char *more = WITH_CONTACT "obstacles: [{points: [[9, 9, 9], [8, 8, 8]], animation: {file: a.pc2}}]\n";
    prc_scene *wrong = prc_scene_parse(more, strlen(more), scene_path, NULL, 0, &errors);
    remove(path);
    rmdir(folder);
    CHECK(scene && !wrong);
    CHECK_TEXT(errors.items[0].message, "a.pc2 has 1 vertices per frame, the obstacle 2");
    const prc_obstacle_def *o = prc_scene_sim_def(scene)->obstacles;
    double x[3];
    o->animate(o->animate_context, 1.05, x);
    CHECK_NEAR(x[0], 4, 1e-12);
    CHECK_NEAR(x[1], 5, 1e-12);
    prc_scene_destroy(scene);
}

/* ---- colliders ---- */

#define COLLIDER "contact: {enabled: true}\n" COLLIDER_LIST
#define COLLIDER_LIST                                                                                                  \
    "colliders:\n  - shape: mesh\n    mesh: {sphere: {radius: 0.1, subdivisions: 1}}\n"                                \
    "    place: {translate: [0, 0, -1]}\n    resolution: 8\n    rotate: {axis: [1, 0, 0], degrees: 90}\n"              \
    "    motion: {rotation: {degrees_per_second: 3}, keys: [{time: 1, rotate: {degrees: 4}}]}\n"

TEST(a_collider_can_be_a_mesh_that_turns)
{
    setenv("PERCALE_CACHE", "", 1);
    prc_scene *scene = parse(GRID COLLIDER);
    CHECK(scene != NULL);
    const prc_collider_def *c = &prc_scene_sim_def(scene)->colliders[0];
    CHECK(c->shape == PRC_SHAPE_MESH && c->field && c->resolution == 8 && c->rotate.degrees == 90);
    CHECK(c->mesh && c->mesh->triangle_count == 80 && c->mesh->positions[2] < -0.8);
    CHECK(c->motion.degrees_per_second == 3 && c->motion.key_count == 1 && c->motion.keys[0].degrees == 4);
    CHECK(prc_sdf_distance(c->field, (const double[3]){0, 0, -1}, NULL) < -0.04);
    prc_sim *sim = prc_sim_create(prc_scene_sim_def(scene), NULL);
    prc_scene_destroy(scene); /* the simulation has its own copy of everything */
    CHECK(sim && prc_sim_step(sim, NULL, NULL) == PRC_OK);
    prc_sim_destroy(sim);
}

TEST(colliders_that_cannot_be_are_refused_where_they_stand)
{
    CHECK(!parse_with(GRID COLLIDER, "colliders[0].mesh={grid: {cells: [2, 2]}}"));
    CHECK_TEXT(errors.items[0].message, "colliders[0].mesh: is not closed at edge");
    CHECK_TEXT(errors.items[0].message, "--set colliders[0].mesh=");
    CHECK(!parse_with(GRID COLLIDER, "colliders[0].shape=box"));
    CHECK_TEXT(errors.items[0].message, "colliders[0].mesh: given, but shape is not mesh");
    CHECK(!parse(GRID "contact: {enabled: true}\ncolliders: [{shape: mesh}]\n"));
    CHECK_TEXT(errors.items[0].message, "colliders[0].mesh: missing");
    CHECK(!parse_with(GRID COLLIDER, "colliders[0].resolution=3000"));
    CHECK_TEXT(errors.items[0].message, "at most 64 million");
    CHECK(!parse_with(GRID COLLIDER, "colliders[0].rotate.axis=[0, 0, 0]"));
    CHECK_TEXT(errors.items[0].message, "has no direction");
}

/* ---- memory ---- */

static int allocations_left;

static void *scarce(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

TEST(running_out_of_memory_anywhere_is_reported)
{
    const char *text = GRID "    name: cloth\n"
                            "    groups: [{select: {boundary: true}, material: {density: 2}}]\n"
                            "    spin: {degrees_per_second: 3}\n"
                            "    pins: [{select: {corners: [0]}}]\n"
                            "    forces: [{select: {vertices: [1]}, force: [1, 0, 0]}]\n"
                            "contact: {enabled: true}\n"
                            "obstacles: [{mesh: {grid: {cells: [1, 1]}}, points: [[0, 0, -9]], place: {scale: 3},\n"
                            "  polylines: [[[0, 1, 0], [0, 2, 0]]], motion: {keys: [{time: 1}]}}]\n" COLLIDER_LIST;
    setenv("PERCALE_CACHE", "", 1);
    prc_set_allocator((prc_allocator){scarce, release, NULL});
    int failed = 0;
    bool reported = true;
    for (bool done = false; !done && failed < 1000; failed++) {
        allocations_left = failed;
        prc_scene *scene = parse_with(text, "time.step=0.1");
        done = scene != NULL;
        reported &= done || (errors.count > 0 && errors.code == PRC_ERROR_MEMORY);
        prc_scene_destroy(scene);
    }
    prc_set_allocator((prc_allocator){0});
    CHECK(reported);
    CHECK(failed > 20 && failed < 1000);
}

TEST_MAIN()
