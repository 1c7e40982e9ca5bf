/* scene/units.h — recognizes numbers that were written with a unit, which scenes do not allow, for better messages.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_UNITS_H
#define PRC_SCENE_UNITS_H

#include <stdbool.h>

/* Whether a text is a number and a unit: "4 mm", "200g/m²", "5 km/h"; then *value is it in SI units, angles in degrees.
 */
bool prc_units_read(const char *text, double *value);

#endif
