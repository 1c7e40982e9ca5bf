/* model/particles.c — particles: a ball at every vertex of the mesh, with mass and without bonds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/kind.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define PI 3.14159265358979323846

static prc_result build(prc_part *p, const prc_body_def *def, const prc_law *laws, int first_law, prc_error *error)
{
    const size_t n = (size_t)def->mesh->vertex_count;
    (void)laws;
    p->rest_positions = PRC_NEW(double, 3 * n);
    p->law_of = PRC_NEW(int, n);
    if (!p->rest_positions || !p->law_of)
        return PRC_FAIL_MEMORY(error);
    memcpy(p->rest_positions, def->mesh->positions, 3 * n * sizeof(double));
    for (size_t i = 0; i < n; i++) /* every vertex names a material; without area it does nothing */
        p->law_of[i] = first_law;
    return PRC_OK;
}

static double measure(const prc_model *m, const prc_part *part, const prc_body_def *def, int local, int i,
                      double *values)
{
    (void)m, (void)part, (void)local, (void)i;
    const double radius = def->particle.radius, square = radius * radius;
    values[PRC_VALUE_MASS] = 4.0 / 3.0 * PI * square * radius * def->particle.density;
    values[PRC_VALUE_INVERSE_MASS] = 1 / values[PRC_VALUE_MASS];
    return PI * square;
}

const prc_kind prc_kind_particles = {.build = build, .measure = measure};
