/* kernel/hilbert.h — where a cell lies on the Hilbert curve through a cube of cells.
 *
 * Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004), 381. Neighbours on the curve are
 * neighbours in space, without the jumps of Morton codes. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_HILBERT_H
#define PRC_KERNEL_HILBERT_H

#include "kernel/portable.h"

#include <stdint.h>

/* Number of the cell (x, y, z), each below 2^bits, bits ≤ 21. */
PRC_FUNCTION uint64_t prc_hilbert_place(uint32_t x, uint32_t y, uint32_t z, int bits)
{
    uint32_t a[3] = {x, y, z}, turn = 0;

    /* From the largest cubes to the smallest: turn what follows as the curve turns in this one. */
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        for (int i = 0; i < 3; i++) {
            const uint32_t below = q - 1, other = (a[0] ^ a[i]) & below;
            if (a[i] & q) {
                a[0] ^= below;
            } else {
                a[0] ^= other;
                a[i] ^= other;
            }
        }

    /* Gray code, across the axes. */
    a[1] ^= a[0];
    a[2] ^= a[1];
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if (a[2] & q)
            turn ^= q - 1;
    uint64_t place = 0;
    for (int b = bits - 1; b >= 0; b--)
        for (int i = 0; i < 3; i++)
            place = place << 1 | ((a[i] ^ turn) >> b & 1);
    return place;
}

#endif
