/* mesh/dice.h — numbers that look random, and are the same on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_DICE_H
#define PRC_MESH_DICE_H

#include <stdint.h>

/* Uniform in [0, 1): the finaliser of splitmix64 (Steele, Lea, Flood 2014), twice, over seed and number < 2^33. */
static inline double prc_dice(int seed, uint64_t number)
{
    uint64_t z = ((uint64_t)(uint32_t)seed << 33) + number;
    for (int round = 0; round < 2; round++) {
        z += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-53;
}

#endif
