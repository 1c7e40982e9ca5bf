/* model/order.c — see order.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/order.h"

#include "base/memory.h"

#include <string.h>

#define WINDOW 256

/* Breadth first from `start`; appends to `order` from `count` on and returns the new count. */
static int sweep(int *order, int count, unsigned char *seen, int start, const int *ring_start, const int *ring)
{
    int head = count;
    order[count++] = start;
    seen[start] = 1;
    for (; head < count; head++)
        for (int e = ring_start[order[head]]; e < ring_start[order[head] + 1]; e++)
            if (!seen[ring[e]]) {
                seen[ring[e]] = 1;
                order[count++] = ring[e];
            }
    return count;
}

/* Sorts a window by ring size, keeping the order of equals: a counting sort would need bounds on the size, and the
 * window is small. */
static void sort_window(int *order, int count, const int *ring_start)
{
    for (int i = 1; i < count; i++) {
        int vertex = order[i], size = ring_start[vertex + 1] - ring_start[vertex], k = i;
        for (; k > 0 && ring_start[order[k - 1] + 1] - ring_start[order[k - 1]] > size; k--)
            order[k] = order[k - 1];
        order[k] = vertex;
    }
}

bool prc_order_make(int *order, int vertex_count, const int *ring_start, const int *ring)
{
    unsigned char *seen = PRC_NEW(unsigned char, vertex_count);
    if (!seen)
        return false;
    int count = 0;
    for (int i = 0; i < vertex_count; i++) {
        if (seen[i])
            continue;
        /* The last vertex of one sweep is far from the first: start the real sweep there. */
        int end = sweep(order, count, seen, i, ring_start, ring);
        int far = order[end - 1];
        for (int k = count; k < end; k++)
            seen[order[k]] = 0;
        count = sweep(order, count, seen, far, ring_start, ring);
    }
    prc_free(seen);
    for (int first = 0; first < vertex_count; first += WINDOW)
        sort_window(order + first, vertex_count - first < WINDOW ? vertex_count - first : WINDOW, ring_start);
    return true;
}
