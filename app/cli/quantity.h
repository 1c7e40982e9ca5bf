/* app/cli/quantity.h — numbers in readable units: 12.5 mm, 1 min 15 s, 3.4 GB.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_QUANTITY_H
#define PRC_CLI_QUANTITY_H

#include <stdbool.h>

#define PRC_QUANTITY 40 /* bytes that any of them needs */

/* Each fills and returns `text`. */
const char *prc_quantity_length(double metres, char text[PRC_QUANTITY]);
const char *prc_quantity_time(double seconds, char text[PRC_QUANTITY]);     /* 0.04 → "40 ms", 75 → "75 s" */
const char *prc_quantity_duration(double seconds, char text[PRC_QUANTITY]); /* 4000 → "1 h 7 min" */
const char *prc_quantity_bytes(double bytes, char text[PRC_QUANTITY]);
const char *prc_quantity_count(double count, char text[PRC_QUANTITY]); /* 1234567 → "1 234 567" */

#endif
