/* model/order.h — the internal order of the vertices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_ORDER_H
#define PRC_MODEL_ORDER_H

#include <stdbool.h>

/* Fills order[new] = old. Neighbours end up close to each other (breadth first from the rim of each component, as in
 * reverse Cuthill–McKee), and inside windows of 256 vertices rings of equal size lie together, so that the blocks of
 * the bond arrays need little padding. False when out of memory. */
bool prc_order_make(int *order, int vertex_count, const int *ring_start, const int *ring);

#endif
