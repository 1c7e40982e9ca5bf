/* test_scene_forces.c — springs, seams and pressures as scenes say them: what is joined to what, and what is refused
 * how. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

/* Two sheets of 2 × 2 cells, the second 0.1 m above the first; vertices 0 to 8 in rows along x. */
#define TWO                                                                                                            \
    "percale: 1\n"                                                                                                     \
    "bodies:\n"                                                                                                        \
    "- {name: low, mesh: {grid: {size: [1, 1], cells: [2, 2]}}}\n"                                                     \
    "- {name: high, mesh: {grid: {size: [1, 1], cells: [2, 2]}}, place: {translate: [0, 0, 0.1]}}\n"

static prc_scene *parse(const char *text, prc_scene_errors *errors)
{
    return prc_scene_parse(text, strlen(text), "t.yaml", NULL, 0, errors);
}

static bool refused(const char *text, const char *message)
{
    prc_scene_errors errors;
    prc_scene *scene = parse(text, &errors);
    prc_scene_destroy(scene);
    if (!scene && strstr(errors.items[0].message, message))
        return true;
    printf("    \"%s\" does not contain \"%s\"\n", scene ? "" : errors.items[0].message, message);
    return false;
}

TEST(a_spring_joins_a_vertex_to_a_point_of_an_edge)
{
    prc_scene_errors errors;
    prc_scene *scene = parse(TWO "springs: [{tie: {body: low, vertex: 3}, to: {body: high, edge: [1, 2], at: 0.25}, "
                                 "stiffness: 7, length: 0.3, damping: 2, rope: true, from: 1, until: 2}]\n",
                             &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 1);
    const prc_spring_def *s = def->springs;
    CHECK(s->tie.body == 0 && s->tie.vertex[0] == 3 && s->tie.at == 0);
    CHECK(s->to.body == 1 && s->to.vertex[0] == 1 && s->to.vertex[1] == 2 && s->to.at == 0.25);
    CHECK(s->stiffness == 7 && s->length == 0.3 && s->damping == 2 && s->rope && !s->seam);
    CHECK(s->from == 1 && s->until == 2 && s->close_time == 0);
    prc_scene_destroy(scene);
}

TEST(a_selection_is_tied_to_the_nearest_of_another)
{
    prc_scene_errors errors;
    prc_scene *scene = parse(TWO "springs: [{tie: {body: low, select: {boundary: true}}, "
                                 "to: {body: high, select: {corners: [0, 2]}}}]\n",
                             &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 8);
    for (int k = 0; k < 8; k++) { /* along the other diagonal both are equally near: the lower number */
        const int v = def->springs[k].tie.vertex[0];
        CHECK(def->springs[k].to.vertex[0] == (v == 5 || v == 7 || v == 8 ? 8 : 0));
    }
    prc_scene_destroy(scene);
}

TEST(many_vertices_may_hang_from_one_place)
{
    prc_scene_errors errors;
    prc_scene *scene =
        parse(TWO "springs: [{tie: {body: low, vertices: [4, 2, 7]}, to: {point: [0, 0, 1]}, rope: true}]\n", &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 3);
    CHECK(def->springs[1].tie.vertex[0] == 2 && def->springs[1].to.body == -1 && def->springs[1].to.point[2] == 1);
    prc_scene_destroy(scene);
}

TEST(a_seam_of_two_edges_leaves_no_vertex_open_and_makes_no_stitch_twice)
{
    prc_scene_errors errors;
    prc_scene *scene = parse(TWO "seams: [{tie: {body: low, select: {boundary: true}}, "
                                 "to: {body: high, select: {boundary: true}}, close_time: 2}]\n",
                             &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 8);
    for (int k = 0; k < 8; k++) {
        CHECK(def->springs[k].tie.vertex[0] == def->springs[k].to.vertex[0]);
        CHECK(def->springs[k].seam && def->springs[k].length == -1 && def->springs[k].close_time == 2);
    }
    prc_scene_destroy(scene);
    scene = parse(TWO "seams: [{tie: {body: low, select: {corners: [0]}}, to: {body: high, select: {box: {max: [0, 0, "
                      "1]}}}}]\n",
                  &errors);
    CHECK(scene);
    CHECK(prc_scene_sim_def(scene)->spring_count == 4); /* one to the corner, three back */
    prc_scene_destroy(scene);
}

TEST(lists_of_vertices_are_sewn_in_their_order)
{
    prc_scene_errors errors;
    prc_scene *scene =
        parse(TWO "seams: [{tie: {body: 0, vertices: [0, 1, 2]}, to: {body: 1, vertices: [8, 7, 6]}}]\n", &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->spring_count == 3 && def->springs[0].to.vertex[0] == 8 && def->springs[2].to.vertex[0] == 6);
    prc_scene_destroy(scene);
}

TEST(the_pressure_of_a_body_may_be_held_by_others_too)
{
    prc_scene_errors errors;
    prc_scene *scene = parse("percale: 1\n"
                             "bodies:\n"
                             "- {name: low, mesh: {grid: {size: [1, 1], cells: [2, 2]}}}\n"
                             "- {name: high, mesh: {grid: {}}, pressure: {kind: gas, over: 20, volume: 3, outside: 5, "
                             "exponent: 1.4, ramp: 2, from: 1, until: 9, with: [low]}}\n"
                             "- {mesh: {sphere: {}}, pressure: {over: -7}}\n",
                             &errors);
    CHECK(scene);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->pressure_count == 2);
    const prc_pressure_def *p = def->pressures;
    CHECK(p->body_count == 2 && p->bodies[0] == 1 && p->bodies[1] == 0 && p->kind == PRC_PRESSURE_GAS);
    CHECK(p->over == 20 && p->volume == 3 && p->outside == 5 && p->exponent == 1.4 && p->ramp == 2);
    CHECK(p->from == 1 && p->until == 9);
    CHECK(p[1].body_count == 1 && p[1].bodies[0] == 2 && p[1].kind == PRC_PRESSURE_CONSTANT && p[1].over == -7);
    prc_scene_destroy(scene);
    CHECK(refused("percale: 1\nbodies: [{mesh: {grid: {}}, pressure: {with: [nobody]}}]\n",
                  "bodies[0].pressure.with[0]: 'nobody' is not a body"));
    CHECK(refused("percale: 1\nbodies: [{mesh: {grid: {}}, pressure: {from: 3, until: 2}}]\n",
                  "bodies[0].pressure: until 2 s is before from 3 s"));
}

TEST(springs_and_seams_that_make_no_sense_are_refused_with_their_place)
{
    CHECK(refused(TWO "springs: [{tie: {body: low, vertex: 3}}]\n", "t.yaml:5:11: springs[0].to: missing"));
    CHECK(refused(TWO "springs: [{tie: {body: low}, to: {point: [0, 0, 0]}}]\n",
                  "springs[0].tie: 0 of vertex, edge, vertices, select and point given; expected exactly one"));
    CHECK(refused(TWO "springs: [{tie: {body: lw, vertex: 1}, to: {point: [0, 0, 0]}}]\n", "did you mean 'low'?"));
    CHECK(refused(TWO "springs: [{tie: {vertex: 1}, to: {point: [0, 0, 0]}}]\n", "tie.body: missing"));
    CHECK(refused(TWO "springs: [{tie: {body: low, vertex: 9}, to: {point: [0, 0, 0]}}]\n",
                  "springs[0]: tie: there is no vertex 9; the mesh has vertices 0 to 8"));
    CHECK(refused(TWO "springs: [{tie: {body: low, vertex: 1, at: 0.5}, to: {point: [0, 0, 0]}}]\n",
                  "at is allowed only with edge"));
    CHECK(refused(TWO "springs: [{tie: {body: low, vertices: [1, 2]}, to: {body: high, vertices: [1, 2, 3]}}]\n",
                  "tie has 2 vertices, to has 3"));
    CHECK(refused(TWO "springs: [{tie: {body: low, vertex: 1}, to: {body: low, vertex: 1}}]\n",
                  "springs[0]: joins vertex 1 of body 0 to itself"));
    CHECK(refused(TWO "springs: [{tie: {body: low, vertex: 1}, to: {body: low, vertex: 2}, from: 2, until: 1}]\n",
                  "until 1 s is before from 2 s"));
    CHECK(refused(TWO "seams: [{stitches: low}]\n", "seams[0]: stitches: the mesh of this body has none"));
    CHECK(refused(TWO "seams: [{stitches: low, tie: {body: low, vertex: 1}}]\n",
                  "expected either stitches, or tie and to"));
    CHECK(refused(TWO "seams: [{tie: {body: low, vertex: 1}}]\n", "expected either stitches, or tie and to"));
}

TEST_MAIN()
