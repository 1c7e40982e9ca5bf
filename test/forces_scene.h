/* test/forces_scene.h — scenes of contact_scene.h with the forces that are not contact's: springs, gusts, pressure.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_FORCES_SCENE_H
#define PRC_TEST_FORCES_SCENE_H

#include "contact_scene.h"

/* A spring at vertex 0, from time `from` on, and air with gusts. */
static void pull_and_blow(scene *s, double from)
{
    static prc_spring_def spring;
    spring = prc_spring_def_default();
    spring.tie = (prc_spring_end){.body = 0, .vertex = {0, 0}};
    spring.to = (prc_spring_end){.body = -1, .point = {0, -1, 0}};
    spring.stiffness = 100;
    spring.damping = 1;
    spring.close_time = 0.05;
    spring.length = 0.1;
    spring.from = from;
    s->def.springs = &spring;
    s->def.spring_count = 1;
    s->def.air.density = 1.2;
    s->def.air.drag = 1;
    s->def.air.wind[2] = 3;
    s->def.air.gusts = (prc_gust_def){.strength = 3, .period = 0.01, .length = 0.2, .seed = 1};
}

/* A ball that is blown up to `over` Pa more than around it. */
static scene *ball_under(double over)
{
    static const int body = 0;
    static prc_pressure_def pressure;
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    s->def.body_count = 1;
    prc_mesh_sphere(&s->mesh[0], 0.1, 2, &s->error);
    pressure = prc_pressure_def_default();
    pressure.bodies = &body;
    pressure.body_count = 1;
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.over = over;
    pressure.ramp = 0.02;
    s->def.pressures = &pressure;
    s->def.pressure_count = 1;
    return s;
}

#endif
