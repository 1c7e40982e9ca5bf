/* test/test_schema.c — the schema list: its defaults, its checks, its wording.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <percale/percale.h>
#include <stdlib.h>

#include "harness.h"
#include "schema/schema.h"
#include "schema/spec.h"

/* One triangle, the smallest mesh, with a def that is complete and good. */
static double triangle_positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static int triangle_indices[3] = {0, 1, 2};
static prc_mesh triangle = {
    .vertex_count = 3, .triangle_count = 1, .positions = triangle_positions, .triangles = triangle_indices};

typedef struct sample {
    prc_body_def body;
    prc_pin_def pin;
    prc_force_def force;
    int vertices[1];
    int vertex_material[3];
    prc_material_def other;
    prc_sim_def def;
} sample;

static void fill(sample *s)
{
    *s = (sample){0};
    s->body = prc_body_def_default();
    s->pin = prc_pin_def_default();
    s->force = prc_force_def_default();
    s->other = prc_material_def_default();
    s->def = prc_sim_def_default();
    s->body.mesh = &triangle;
    s->pin.vertices = s->vertices;
    s->pin.vertex_count = 1;
    s->def.bodies = &s->body;
    s->def.pins = &s->pin;
    s->def.forces = &s->force;
    s->def.body_count = s->def.pin_count = s->def.force_count = 1;
}

TEST(defaults_pass_their_own_check)
{
    sample s;
    prc_error error = {0};
    fill(&s);
    CHECK(prc_schema_check_sim(&s.def, &error) == PRC_OK);
    CHECK(prc_schema_check_material(&s.other, "material", &error) == PRC_OK);
}

TEST(defaults_are_those_of_the_manual)
{
    prc_sim_def sim = prc_sim_def_default();
    prc_material_def material = prc_material_def_default();
    prc_pin_def pin = prc_pin_def_default();
    CHECK(sim.time.step == 1e-3 && sim.time.duration == 1 && sim.time.frames_per_second == 60);
    CHECK(sim.gravity[0] == 0 && sim.gravity[1] == -9.81 && sim.gravity[2] == 0);
    CHECK(sim.solver.method == PRC_METHOD_NEWTON && sim.solver.tolerance == 0);
    CHECK(sim.solver.max_iterations == 100 && sim.solver.max_inner == 500 && sim.solver.inner_sweeps == 1);
    CHECK(sim.solver.inner_tolerance == 0.3 && sim.solver.anderson_window == 5);
    CHECK(sim.solver.chebyshev_radius == 0.9999 && sim.solver.preconditioner == PRC_PRECONDITIONER_AUTO);
    CHECK(sim.air.density == 0 && sim.air.drag == 1 && sim.precision == PRC_PRECISION_DOUBLE && sim.threads == 0);
    CHECK(material.model == PRC_MODEL_A3 && material.stretch == 500 && material.density == 0.2);
    CHECK(material.bending == 1e-5 && material.poisson == 0.3 && material.stabilisation == 0.05);
    CHECK(material.stretch_warp == 500 && material.stretch_weft == 500 && material.shear == 200);
    CHECK(material.warp[0] == 1 && material.warp[1] == 0 && material.warp[2] == 0 && material.term_count == 0);
    CHECK(pin.motion.key_count == 0 && pin.from == 0 && pin.until == 1e300 && pin.motion.axis[1] == 1);
    CHECK(prc_force_def_default().until == 1e300);
    CHECK(prc_body_def_default().material.stretch == 500 && !prc_body_def_default().mesh);
}

TEST(grid_defaults_agree_with_the_generator)
{
    prc_grid_def schema, generator = prc_grid_def_default();
    prc_schema_default(PRC_TABLE_grid, &schema, true);
    CHECK(schema.size[0] == generator.size[0] && schema.size[1] == generator.size[1]);
    CHECK(schema.cells[0] == generator.cells[0] && schema.cells[1] == generator.cells[1]);
    CHECK(schema.pattern == generator.pattern && schema.jitter == generator.jitter && schema.seed == generator.seed);
}

TEST(a_def_that_skipped_its_default_is_caught)
{
    prc_sim_def def = {0};
    prc_error error;
    CHECK(prc_schema_check_sim(&def, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "prc_sim_def_default()");
    CHECK(prc_schema_check_sim(NULL, &error) == PRC_ERROR_INPUT);
    CHECK(prc_schema_check_sim(NULL, NULL) == PRC_ERROR_INPUT);
}

TEST(every_key_has_a_sentence_and_a_default_inside_its_range)
{
    for (int t = 0; t < PRC_TABLE_COUNT; t++) {
        const prc_table *table = prc_schema_table((prc_table_id)t);
        CHECK(table->key_count > 0 && table->key_count <= 32 && table->note[0]);
        for (int k = 0; k < table->key_count; k++) {
            const prc_key *key = &table->keys[k];
            char expected[300];
            CHECK(prc_schema_find(table, key->name) == k);
            CHECK(key->note[0] && key->note[strlen(key->note) - 1] == '.');
            prc_schema_expected(key, expected, sizeof expected);
            CHECK(expected[0]);
            bool number = key->type == PRC_KEY_REAL || key->type == PRC_KEY_INT || key->type == PRC_KEY_VECTOR ||
                          key->type == PRC_KEY_INTS || key->type == PRC_KEY_ENUM;
            for (int c = 0; number && c < key->count; c++)
                CHECK(prc_schema_allows(key, key->fallback[c]));
        }
    }
}

/* Follows the tables from the scene, as a person writing a scene does. */
static void visit(prc_table_id id, bool seen[PRC_TABLE_COUNT])
{
    seen[id] = true;
    const prc_table *table = prc_schema_table(id);
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].type >= PRC_KEY_TABLE && !seen[table->keys[k].table])
            visit(table->keys[k].table, seen);
}

TEST(every_table_is_reached_from_the_scene)
{
    bool seen[PRC_TABLE_COUNT] = {false};
    visit(PRC_TABLE_scene, seen);
    for (int t = 0; t < PRC_TABLE_COUNT; t++)
        CHECK(seen[t]);
}

TEST(every_real_field_of_a_def_refuses_nan)
{
    sample s;
    prc_error error;
    struct {
        prc_table_id id;
        char *object;
    } parts[] = {{PRC_TABLE_scene, (char *)&s.def},
                 {PRC_TABLE_time, (char *)&s.def.time},
                 {PRC_TABLE_solver, (char *)&s.def.solver},
                 {PRC_TABLE_air, (char *)&s.def.air},
                 {PRC_TABLE_body, (char *)&s.body},
                 {PRC_TABLE_material, (char *)&s.body.material},
                 {PRC_TABLE_pin, (char *)&s.pin},
                 {PRC_TABLE_path, (char *)&s.pin.motion},
                 {PRC_TABLE_turning, (char *)&s.pin.motion},
                 {PRC_TABLE_force, (char *)&s.force}};
    double nan = NAN;
    int tried = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const prc_table *table = prc_schema_table(parts[p].id);
        for (int k = 0; k < table->key_count; k++) {
            const prc_key *key = &table->keys[k];
            if ((key->type != PRC_KEY_REAL && key->type != PRC_KEY_VECTOR) || key->offset >= table->core_size)
                continue;
            fill(&s);
            memcpy(parts[p].object + key->offset + (size_t)(key->count - 1) * sizeof nan, &nan, sizeof nan);
            CHECK(prc_schema_check_sim(&s.def, &error) == PRC_ERROR_INPUT);
            CHECK_TEXT(error.message, key->name);
            CHECK_TEXT(error.message, "nan is not allowed");
            tried++;
        }
    }
    CHECK(tried > 30);
}

/* ---- one mistake at a time ---- */

#define REFUSED(change, text)                                                                                          \
    do {                                                                                                               \
        sample s;                                                                                                      \
        prc_error error = {0};                                                                                         \
        fill(&s);                                                                                                      \
        change;                                                                                                        \
        CHECK(prc_schema_check_sim(&s.def, &error) == PRC_ERROR_INPUT);                                                \
        CHECK(error.code == PRC_ERROR_INPUT);                                                                          \
        CHECK_TEXT(error.message, text);                                                                               \
    } while (0)

TEST(numbers_out_of_range_are_named_with_what_is_allowed)
{
    REFUSED(s.body.material.density = -1, "bodies[0].material.density: -1 is not allowed; expected a number > 0 kg/m²");
    REFUSED(s.def.time.step = 0, "time.step: 0 is not allowed; expected a number > 0 s");
    REFUSED(s.def.gravity[1] = INFINITY, "gravity: inf is not allowed; expected 3 numbers in m/s²");
    REFUSED(s.def.solver.anderson_window = 21,
            "solver.anderson_window: 21 is not allowed; expected a whole number from 1 to 20");
    REFUSED(s.def.solver.max_iterations = 0, "solver.max_iterations: 0 is not allowed");
    REFUSED(s.def.solver.chebyshev_radius = 1, "expected a number between 0 and 1, ends excluded");
    REFUSED(s.body.material.poisson = -1, "bodies[0].material.poisson: -1 is not allowed");
    REFUSED(s.def.threads = -2, "threads: -2 is not allowed");
    REFUSED(s.def.solver.method = (prc_method)17, "solver.method: 17 is not allowed; expected one of newton, ncg");
    REFUSED(s.def.precision = (prc_precision)-1, "precision: -1 is not allowed");
    REFUSED(s.body.discretisation = (prc_discretisation)9, "bodies[0].discretisation: 9");
}

TEST(counts_and_indices_are_checked)
{
    REFUSED(s.def.body_count = 0, "bodies: none given");
    REFUSED(s.def.body_count = -3, "bodies: the count is -3");
    REFUSED(s.def.bodies = NULL, "bodies: the count is 1, but no matching array is given");
    REFUSED(s.def.pins = NULL, "pins: the count is 1, but no matching array is given");
    REFUSED(s.body.mesh = NULL, "bodies[0].mesh: missing or empty");
    REFUSED(s.pin.body = 1, "pins[0].body: 1 is not allowed; there are bodies 0 to 0");
    REFUSED(s.vertices[0] = 3, "pins[0].vertices[0]: 3 is not allowed; body 0 has vertices 0 to 2");
    REFUSED(s.vertices[0] = -1, "pins[0].vertices[0]: -1 is not allowed");
    REFUSED(s.pin.vertices = NULL, "pins[0].vertices: missing");
    REFUSED(s.pin.vertex_count = -1, "pins[0].vertex_count: -1");
    REFUSED(s.force.body = -1, "forces[0].body: -1 is not allowed");
    REFUSED((s.force.vertices = s.vertices, s.force.vertex_count = 1, s.vertices[0] = 7, s.def.pin_count = 0),
            "forces[0].vertices[0]: 7");
    REFUSED((s.body.vertex_material = s.vertex_material, s.vertex_material[2] = 1), "bodies[0].vertex_material[2]: 1");
    REFUSED((s.body.materials = &s.other, s.body.material_count = 1, s.other.density = 0),
            "bodies[0].groups[0].material.density: 0");
    REFUSED(s.body.material_count = 2, "bodies[0].materials: material_count is 2, but no matching array is given");
}

TEST(pins_and_rest_shapes_are_checked)
{
    REFUSED(s.pin.until = -1, "pins[0]: until -1 s is before from 0 s");
    REFUSED(s.pin.motion.ease = (prc_ease)5, "pins[0].motion.ease: 5 is not allowed");
    REFUSED(s.pin.motion.until = -1, "pins[0].motion: until -1 s is before from 0 s");
    REFUSED(s.pin.motion.key_count = 2, "pins[0].motion.keys: key_count is 2, but no matching array is given");
    REFUSED((s.pin.motion.degrees_per_second = 1, s.pin.motion.axis[1] = 0), "pins[0].motion.rotation.axis: [0, 0, 0]");
    REFUSED(s.body.rest = PRC_REST_TEXTURE, "bodies[0].rest: texture, but the mesh has no texture coordinates");
    REFUSED(s.body.rest = (prc_rest)4, "bodies[0].rest: 4 is not allowed");
    prc_mesh other = triangle;
    int swapped[3] = {0, 2, 1};
    other.triangles = swapped;
    REFUSED(s.body.rest_mesh = &other, "the triangles of the rest mesh differ");
    other.vertex_count = 4;
    REFUSED(s.body.rest_mesh = &other, "the rest mesh has 4 vertices and 1 triangles, the mesh 3 and 1");
    double velocity[9] = {0, 0, 0, 0, NAN};
    REFUSED(s.body.vertex_velocity = velocity, "bodies[0].vertex_velocity: vertex 1 is not finite");
}

TEST(an_infinite_release_time_is_allowed)
{
    sample s;
    fill(&s);
    s.pin.until = s.force.until = INFINITY;
    CHECK(prc_schema_check_sim(&s.def, NULL) == PRC_OK);
}

#define MATERIAL(change, text)                                                                                         \
    do {                                                                                                               \
        prc_material_def m = prc_material_def_default();                                                               \
        prc_error error = {0};                                                                                         \
        change;                                                                                                        \
        const char *wanted = text;                                                                                     \
        prc_result result = prc_schema_check_material(&m, "cloth", &error);                                            \
        if (wanted) {                                                                                                  \
            CHECK(result == PRC_ERROR_INPUT);                                                                          \
            CHECK_TEXT(error.message, wanted);                                                                         \
        } else {                                                                                                       \
            CHECK(result == PRC_OK);                                                                                   \
        }                                                                                                              \
    } while (0)

TEST(each_model_needs_its_own_parameters)
{
    MATERIAL(m.stretch = 0, "cloth.stretch: 0 computes it from young and thickness, but they are 0 Pa and 0 m");
    MATERIAL((m.stretch = 0, m.young = 1e6, m.thickness = 1e-3), NULL);
    MATERIAL(m.bending = -1, "cloth.bending: a negative value computes it from young and thickness");
    MATERIAL((m.bending = -1, m.young = 1e6, m.thickness = 1e-3), NULL);
    MATERIAL(m.model = PRC_MODEL_SUM, "cloth.terms: none given; sum needs 1 to 4");
    MATERIAL((m.model = PRC_MODEL_SUM, m.term_count = 5), "cloth.terms: 5 items are not allowed");
    MATERIAL((m.model = PRC_MODEL_SUM, m.term_count = 1, m.terms[0].stretch = 0), "cloth.terms[0].stretch: 0");
    MATERIAL((m.model = PRC_MODEL_SUM, m.term_count = 1, m.terms[0].model = PRC_MODEL_OGDEN),
             "cloth.terms[0].model: 19");
    MATERIAL((m.model = PRC_MODEL_SUM, m.term_count = 2), NULL);
    MATERIAL(m.model = PRC_MODEL_MOONEY_RIVLIN, "cloth.coefficients: 0 given; mooney_rivlin needs 2");
    MATERIAL((m.model = PRC_MODEL_MOONEY_RIVLIN, m.coefficient_count = 2), "not both 0");
    MATERIAL((m.model = PRC_MODEL_MOONEY_RIVLIN, m.coefficient_count = 2, m.coefficients[0] = 9), NULL);
    MATERIAL((m.model = PRC_MODEL_YEOH, m.coefficient_count = 4), "yeoh needs 1 to 3");
    MATERIAL((m.model = PRC_MODEL_YEOH, m.coefficient_count = 1), "yeoh needs a first coefficient > 0");
    MATERIAL((m.model = PRC_MODEL_OGDEN, m.coefficient_count = 1, m.coefficients[0] = 5),
             "one exponent per coefficient");
    MATERIAL((m.model = PRC_MODEL_OGDEN, m.coefficient_count = m.exponent_count = 1, m.coefficients[0] = 5),
             "cloth.exponents: 0 is not allowed for ogden");
    MATERIAL((m.model = PRC_MODEL_OGDEN, m.coefficient_count = m.exponent_count = 1, m.coefficients[0] = 5,
              m.exponents[0] = -2),
             "is -10; ogden needs more than 0");
    MATERIAL(m.model = PRC_MODEL_FUNG, "fung needs exactly one number > 0");
    MATERIAL((m.model = PRC_MODEL_FUNG, m.exponent_count = 1, m.exponents[0] = 2), NULL);
    MATERIAL((m.model = PRC_MODEL_ORTHOTROPIC, m.warp[0] = 0), "cloth.warp: [0, 0, 0] has no direction");
    MATERIAL((m.model = PRC_MODEL_ORTHOTROPIC, m.shear = 0), "cloth.shear: 0 is not allowed");
    MATERIAL(m.model = (prc_material_model)99, "cloth.model: 99 is not allowed");
}

TEST(curves_must_increase_through_rest)
{
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 1), "cloth.curve: 1 points are too few");
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 2), "stretch 0 is not allowed");
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 2, m.curve[0][0] = 1, m.curve[1][0] = 2),
             "stretch and stress must both increase");
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 2, m.curve[0][0] = 1.1, m.curve[1][0] = 2, m.curve[1][1] = 5),
             "no point [1, 0]");
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 2, m.curve[0][0] = 1, m.curve[1][0] = 2, m.curve[1][1] = 5),
             NULL);
    MATERIAL((m.model = PRC_MODEL_CURVE, m.curve_count = 65),
             "cloth.curve: 65 items are not allowed; expected 0 to 64");
}

TEST(every_model_has_a_name)
{
    CHECK(strcmp(prc_material_model_name(PRC_MODEL_A3), "a3") == 0);
    CHECK(strcmp(prc_material_model_name(PRC_MODEL_B6), "b6") == 0);
    CHECK(strcmp(prc_material_model_name(PRC_MODEL_NEO_HOOKEAN_2D), "neo_hookean_2d") == 0);
    CHECK(strcmp(prc_material_model_name(PRC_MODEL_CURVE), "curve") == 0);
    CHECK(strcmp(prc_material_model_name((prc_material_model)-1), "unknown") == 0);
}

TEST_MAIN()
