/* schema/defaults.c — the public def defaults, from the schema list.
 * SPDX-License-Identifier: Apache-2.0 */
#include "schema/schema.h"

prc_sim_def prc_sim_def_default(void)
{
    prc_sim_def def;
    prc_schema_default(PRC_TABLE_scene, &def, true);
    def.cookie = PRC_SIM_COOKIE;
    return def;
}

prc_body_def prc_body_def_default(void)
{
    prc_body_def def;
    prc_schema_default(PRC_TABLE_body, &def, true);
    return def;
}

prc_material_def prc_material_def_default(void)
{
    prc_material_def def;
    prc_schema_default(PRC_TABLE_material, &def, true);
    return def;
}

prc_pin_def prc_pin_def_default(void)
{
    prc_pin_def def;
    prc_schema_default(PRC_TABLE_pin, &def, true);
    return def;
}

prc_collider_def prc_collider_def_default(void)
{
    prc_collider_def def;
    prc_schema_default(PRC_TABLE_collider, &def, true);
    return def;
}

prc_obstacle_def prc_obstacle_def_default(void)
{
    prc_obstacle_def def;
    prc_schema_default(PRC_TABLE_obstacle, &def, true);
    return def;
}

prc_spring_def prc_spring_def_default(void)
{
    prc_spring_def def;
    prc_schema_default(PRC_TABLE_spring, &def, true);
    return def;
}

prc_pressure_def prc_pressure_def_default(void)
{
    prc_pressure_def def;
    prc_schema_default(PRC_TABLE_pressure, &def, true);
    return def;
}

prc_force_def prc_force_def_default(void)
{
    prc_force_def def;
    prc_schema_default(PRC_TABLE_force, &def, true);
    return def;
}

double prc_schema_d_hat(const prc_contact_def *contact, prc_body_kind kind, double thickness)
{
    if (contact->d_hat > 0)
        return contact->d_hat;
    return kind == PRC_BODY_PARTICLES ? thickness / 20 : thickness / 3;
}
