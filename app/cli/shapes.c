/* app/cli/shapes.c — see shapes.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "shapes.h"

#include <string.h>

#include "base/memory.h"

static int *put(int *at, int a, int b, int c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

int *prc_cli_shapes(const int *triangles, int triangle_count, const int *edges, int edge_count, const bool *obstacle,
                    int vertex_count, int *count)
{
    bool *used = PRC_NEW(bool, vertex_count);
    int points = 0;
    for (long k = 0; used && k < 3L * triangle_count; k++)
        used[triangles[k]] = true;
    for (long k = 0; used && k < 2L * edge_count; k++)
        used[edges[k]] = true;
    for (int i = 0; used && obstacle && i < vertex_count; i++)
        points += obstacle[i] && !used[i];
    *count = triangle_count + edge_count + points;
    int *shapes = PRC_NEW(int, 3 * (size_t)*count), *at = shapes;
    if (used && shapes) {
        if (triangle_count)
            memcpy(shapes, triangles, sizeof(int) * 3 * (size_t)triangle_count);
        at += 3L * triangle_count;
        for (long e = 0; e < edge_count; e++)
            at = put(at, edges[2 * e], edges[2 * e + 1], edges[2 * e + 1]);
        for (int i = 0; points && i < vertex_count; i++)
            if (obstacle[i] && !used[i])
                at = put(at, i, i, i);
    } else {
        prc_free(shapes);
        shapes = NULL;
    }
    prc_free(used);
    return shapes;
}
