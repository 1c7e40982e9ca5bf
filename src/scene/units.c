/* scene/units.c — see units.h. A unit is a quotient of names, each with an optional prefix, optionally squared or
 * cubed. SPDX-License-Identifier: Apache-2.0 */
#include "scene/units.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double factor;
} units[] = {
    {"m", 1},
    {"km", 1e3},
    {"dm", 0.1},
    {"cm", 0.01},
    {"mm", 1e-3},
    {"um", 1e-6},
    {"µm", 1e-6},
    {"μm", 1e-6},
    {"nm", 1e-9},
    {"in", 0.0254},
    {"inch", 0.0254},
    {"ft", 0.3048},
    {"kg", 1},
    {"g", 1e-3},
    {"mg", 1e-6},
    {"t", 1e3},
    {"s", 1},
    {"sec", 1},
    {"ms", 1e-3},
    {"us", 1e-6},
    {"µs", 1e-6},
    {"min", 60},
    {"h", 3600},
    {"N", 1},
    {"kN", 1e3},
    {"cN", 0.01},
    {"mN", 1e-3},
    {"Pa", 1},
    {"hPa", 100},
    {"kPa", 1e3},
    {"MPa", 1e6},
    {"GPa", 1e9},
    {"bar", 1e5},
    {"mbar", 100},
    {"J", 1},
    {"mJ", 1e-3},
    {"Hz", 1},
    {"fps", 1},
    {"deg", 1},
    {"degree", 1},
    {"degrees", 1},
    {"°", 1},
    {"rad", 57.29577951308232},
    {"1", 1},
};

/* ², ³ or a digit after a name. */
static int read_power(const char **text)
{
    static const struct {
        const char *sign;
        int power;
    } signs[] = {{"²", 2}, {"³", 3}, {"^2", 2}, {"^3", 3}, {"2", 2}, {"3", 3}};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t length = strlen(signs[k].sign);
        if (!strncmp(*text, signs[k].sign, length)) {
            *text += length;
            return signs[k].power;
        }
    }
    return 1;
}

static bool ends_name(const char *text)
{
    return !*text || *text == '/' || read_power(&text) > 1;
}

/* One name with its power. */
static bool read_name(const char **text, double *factor)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        const size_t length = strlen(units[k].name);
        if (strncmp(*text, units[k].name, length) != 0 || !ends_name(*text + length))
            continue;
        *text += length;
        *factor = pow(units[k].factor, read_power(text));
        return true;
    }
    return false;
}

bool prc_units_read(const char *text, double *value)
{
    char *end;
    double factor;
    if (!text[0] || !strchr("+-.0123456789", text[0]))
        return false;
    *value = strtod(text, &end);
    const char *at = end + strspn(end, " ");
    if (end == text || !read_name(&at, &factor))
        return false;
    *value *= factor;
    while (*at == '/') {
        at++;
        if (!read_name(&at, &factor))
            return false;
        *value /= factor;
    }
    return !*at;
}
