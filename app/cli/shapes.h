/* app/cli/shapes.h — everything that collides, in the form of the checker.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_SHAPES_H
#define PRC_CLI_SHAPES_H

#include <percale/base.h>

/* The triangles, the edges as triangles that name a vertex twice, and the vertices of obstacles that belong to neither
 * as such that name it three times; 3 vertices each. `obstacle` may be NULL. The caller frees it with prc_free; NULL
 * when out of memory. */
int *prc_cli_shapes(const int *triangles, int triangle_count, const int *edges, int edge_count, const bool *obstacle,
                    int vertex_count, int *count);

#endif
