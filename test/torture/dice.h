/* torture/dice.h — chance, the same on every machine: numbers, and choices by the names of weights.c.
 *
 * Every part of a scene throws dice of its own, so that leaving one part out changes no other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_DICE_H
#define PRC_TORTURE_DICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
    const char *without; /* names that are left out, with commas between them: "colliders,start.exempt" */
} dice;

/* The dice of one part of the scene of a seed: "body" 2. */
dice dice_of(uint64_t seed, const char *part, int number, const char *without);

double dice_unit(dice *d); /* from 0 to below 1 */
double dice_between(dice *d, double least, double most);
int dice_whole(dice *d, int least, int most); /* both included */
void dice_direction(dice *d, double unit[3]);

/* By the names of weights.c. */
double dice_draw(dice *d, const char *range);
bool dice_chance(dice *d, const char *name);
const char *dice_choose(dice *d, const char *group);
bool dice_leaves_out(const dice *d, const char *name);

/* The first name of a list that weights.c does not have, or NULL; prints all names it has. */
const char *dice_unknown(const char *without);
void dice_print_names(void);

#endif
