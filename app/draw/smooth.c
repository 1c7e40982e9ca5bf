/* app/draw/smooth.c — draws surfaces curved between their vertices.
 *
 * Each triangle becomes a cubic patch from its corners and their normals (A. Vlachos, J. Peters, C. Boyd, J. Mitchell,
 * "Curved PN triangles", 2001), cut into level² small triangles. Patches meet along their edges, and vertices stay
 * where they are; the surface in between was not simulated, so this is for looks only, and an option. Normals, values
 * and colours are linear in a patch. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "parts.h"

/* Points of a patch: (i, j) has weight i of the second corner and j of the third, of `level`; i in rows. */
static int points_of(int level)
{
    return (level + 1) * (level + 2) / 2;
}

static int point_at(int level, int i, int j)
{
    return i * (level + 1) - i * (i - 1) / 2 + j;
}

int *prc_smooth_triangles(const prc_draw_item *item, size_t *count)
{
    const int n = item->def.smooth, points = points_of(n);
    int *triangles = PRC_NEW(int, 3 * (size_t)item->def.triangle_count * (size_t)(n * n));
    size_t k = 0;
    for (int t = 0; triangles && t < item->def.triangle_count; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; i + j < n; j++) {
                const int a = point_at(n, i, j), b = point_at(n, i + 1, j), c = point_at(n, i, j + 1);
                const int both[6] = {a, b, c, b, i + j + 1 < n ? point_at(n, i + 1, j + 1) : 0, c};
                for (int corner = 0; corner < (i + j + 1 < n ? 6 : 3); corner++)
                    triangles[k++] = t * points + both[corner];
            }
    *count = k;
    return triangles;
}

int prc_smooth_on_edge(const prc_draw_item *item, int corner, int step)
{
    const int n = item->def.smooth, first = corner / 3 * points_of(n);
    switch (corner % 3) {
    case 0:
        return first + point_at(n, step, 0);
    case 1:
        return first + point_at(n, n - step, step);
    default:
        return first + point_at(n, 0, n - step);
    }
}

/* The ten control points of a patch, as the paper names them; the last is the middle. */
typedef struct patch {
    float b300[3], b030[3], b003[3], b210[3], b120[3], b021[3], b012[3], b102[3], b201[3], b111[3];
} patch;

/* A third of the way from a to b, in the plane of a. */
static void control(const prc_draw_vertex *a, const prc_draw_vertex *b, float out[3])
{
    float away = 0;
    for (int c = 0; c < 3; c++)
        away += (b->position[c] - a->position[c]) * a->normal[c];
    for (int c = 0; c < 3; c++)
        out[c] = (2 * a->position[c] + b->position[c] - away * a->normal[c]) / 3;
}

static patch patch_of(const prc_draw_vertex *p, const prc_draw_vertex *q, const prc_draw_vertex *r)
{
    patch b;
    memcpy(b.b300, p->position, sizeof b.b300);
    memcpy(b.b030, q->position, sizeof b.b030);
    memcpy(b.b003, r->position, sizeof b.b003);
    control(p, q, b.b210);
    control(q, p, b.b120);
    control(q, r, b.b021);
    control(r, q, b.b012);
    control(r, p, b.b102);
    control(p, r, b.b201);
    for (int c = 0; c < 3; c++) {
        const float edges = (b.b210[c] + b.b120[c] + b.b021[c] + b.b012[c] + b.b102[c] + b.b201[c]) / 6;
        const float corners = (b.b300[c] + b.b030[c] + b.b003[c]) / 3;
        b.b111[c] = edges + (edges - corners) / 2;
    }
    return b;
}

/* u is the weight of the second corner, v that of the third. */
static void patch_point(const patch *b, float u, float v, float out[3])
{
    const float w = 1 - u - v;
    for (int c = 0; c < 3; c++)
        out[c] = b->b300[c] * w * w * w + b->b030[c] * u * u * u + b->b003[c] * v * v * v +
                 3 * w * u * (b->b210[c] * w + b->b120[c] * u) + 3 * u * v * (b->b021[c] * u + b->b012[c] * v) +
                 3 * v * w * (b->b102[c] * v + b->b201[c] * w) + 6 * b->b111[c] * u * v * w;
}

static float mix(float w, float a, float u, float b, float v, float c)
{
    return w * a + u * b + v * c;
}

bool prc_smooth_fill(prc_draw_item *item)
{
    const int n = item->def.smooth, points = points_of(n);
    if (!item->curved)
        item->curved = PRC_NEW(prc_draw_vertex, (size_t)item->def.triangle_count * (size_t)points);
    if (!item->curved)
        return false;
    item->curved_count = item->def.triangle_count * points;
    for (int t = 0; t < item->def.triangle_count; t++) {
        const prc_draw_vertex *corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = &item->staged[item->triangles[3 * t + k]];
        const patch b = patch_of(corner[0], corner[1], corner[2]);
        prc_draw_vertex *to = item->curved + (long)t * points;
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++, to++) {
                const float u = (float)i / (float)n, v = (float)j / (float)n, w = 1 - u - v;
                patch_point(&b, u, v, to->position);
                for (int c = 0; c < 3; c++) {
                    to->normal[c] = mix(w, corner[0]->normal[c], u, corner[1]->normal[c], v, corner[2]->normal[c]);
                    to->colour[c] = mix(w, corner[0]->colour[c], u, corner[1]->colour[c], v, corner[2]->colour[c]);
                }
                to->value = mix(w, corner[0]->value, u, corner[1]->value, v, corner[2]->value);
            }
    }
    return true;
}
