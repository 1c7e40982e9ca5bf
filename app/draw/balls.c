/* app/draw/balls.c — see balls.h.
 *
 * Each ball is an icosahedron, divided the finer the fewer there are: then they cast shadows and have values like any
 * other surface. Points with a shader of their own would be fewer numbers, but would need one in each kind of pass.
 * SPDX-License-Identifier: Apache-2.0 */
#include "balls.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Up to so many balls are divided so often, more of them not at all: half a million triangles. */
static const int most[] = {100, 1600, 8000};
#define FINEST 3

static int divisions_of(int count)
{
    for (int k = 0; k < FINEST; k++)
        if (count <= most[k])
            return FINEST - k;
    return 0;
}

/* Corners lie on a sphere and faces within it: the mean of both is to be the radius. */
static void enlarge(prc_mesh *unit)
{
    double nearest[3] = {0, 0, 0};
    for (int k = 0; k < 9; k++)
        nearest[k % 3] += unit->positions[3 * unit->triangles[k / 3] + k % 3] / 3;
    const double inner = sqrt(nearest[0] * nearest[0] + nearest[1] * nearest[1] + nearest[2] * nearest[2]);
    for (int k = 0; k < 3 * unit->vertex_count; k++)
        unit->positions[k] *= 2 / (1 + inner);
}

static bool allocate(prc_balls *b, const prc_mesh *unit)
{
    const size_t corners = (size_t)b->count * (size_t)unit->vertex_count;
    b->corner_count = unit->vertex_count;
    b->vertices = PRC_NEW(int, b->count);
    b->radii = PRC_NEW(double, b->count);
    b->unit = PRC_NEW(double, 3 * (size_t)unit->vertex_count);
    b->positions = PRC_NEW(double, 3 * corners);
    b->values = PRC_NEW(double, corners);
    return b->vertices && b->radii && b->unit && b->positions && b->values;
}

static prc_result add_item(prc_draw *draw, prc_balls *b, const prc_mesh *unit, const float *colours, prc_error *error)
{
    static const int no_lines[2] = {0, 0}; /* given, so that their triangles are not drawn as wires */
    const size_t triangles = (size_t)b->count * (size_t)unit->triangle_count;
    const size_t corners = (size_t)b->count * (size_t)unit->vertex_count;
    int *corner = PRC_NEW(int, 3 * triangles), *at = corner;
    float *colour = PRC_NEW(float, 3 * corners);
    if (corner && colour) {
        for (int i = 0; i < b->count; i++)
            for (int k = 0; k < 3 * unit->triangle_count; k++)
                *at++ = i * unit->vertex_count + unit->triangles[k];
        for (size_t k = 0; k < corners; k++)
            memcpy(colour + 3 * k, colours + 3 * (k / (size_t)unit->vertex_count), 3 * sizeof *colour);
        const prc_draw_item_def def = {.vertex_count = (int)corners,
                                       .triangle_count = (int)triangles,
                                       .triangles = corner,
                                       .lines = no_lines,
                                       .colours = colour};
        b->item = prc_draw_add(draw, &def, error);
    }
    const prc_result result = !corner || !colour ? PRC_FAIL_MEMORY(error) : b->item < 0 ? error->code : PRC_OK;
    prc_free(corner);
    prc_free(colour);
    return result;
}

prc_result prc_balls_add(prc_draw *draw, prc_balls *b, const int *vertices, const double *radii, const float *colours,
                         int count, prc_error *error)
{
    prc_mesh unit = {0};
    b->item = -1;
    b->count = count;
    if (!count)
        return PRC_OK;
    prc_result result = prc_mesh_sphere(&unit, 1, divisions_of(count), error);
    if (!result && (double)count * 3 * unit.triangle_count > 2e9)
        result = prc_fail(error, PRC_ERROR_INPUT, "%d particles are more than can be drawn", count);
    if (!result && !allocate(b, &unit))
        result = PRC_FAIL_MEMORY(error);
    if (!result) {
        enlarge(&unit);
        memcpy(b->unit, unit.positions, 3 * sizeof *b->unit * (size_t)unit.vertex_count);
        memcpy(b->vertices, vertices, sizeof *vertices * (size_t)count);
        memcpy(b->radii, radii, sizeof *radii * (size_t)count);
        result = add_item(draw, b, &unit, colours, error);
    }
    prc_mesh_release(&unit);
    return result;
}

prc_result prc_balls_move(prc_draw *draw, prc_balls *b, const double *positions, const double *values, prc_error *error)
{
    if (b->item < 0)
        return PRC_OK;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < b->count; i++) {
        const double *centre = positions + 3L * b->vertices[i];
        for (int k = 0; k < b->corner_count; k++) {
            const long corner = (long)i * b->corner_count + k;
            for (int c = 0; c < 3; c++)
                b->positions[3 * corner + c] = centre[c] + b->radii[i] * b->unit[3 * k + c];
            b->values[corner] = values ? values[b->vertices[i]] : 0;
        }
    }
    return prc_draw_move(draw, b->item, b->positions, values ? b->values : NULL, error);
}

void prc_balls_release(prc_balls *b)
{
    prc_free(b->vertices);
    prc_free(b->radii);
    prc_free(b->unit);
    prc_free(b->positions);
    prc_free(b->values);
    memset(b, 0, sizeof *b);
}
