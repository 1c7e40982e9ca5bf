/* app/cli/quantity.c — see quantity.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *prc_quantity_length(double metres, char text[PRC_QUANTITY])
{
    const double size = fabs(metres);
    if (!(size < 0.9995) || size == 0)
        snprintf(text, PRC_QUANTITY, "%.4g m", metres);
    else if (size >= 0.9995e-3)
        snprintf(text, PRC_QUANTITY, "%.3g mm", 1e3 * metres);
    else
        snprintf(text, PRC_QUANTITY, "%.3g µm", 1e6 * metres);
    return text;
}

const char *prc_quantity_time(double seconds, char text[PRC_QUANTITY])
{
    if (!(seconds < 0.9995) || seconds == 0)
        snprintf(text, PRC_QUANTITY, "%.4g s", seconds);
    else if (seconds >= 0.9995e-3)
        snprintf(text, PRC_QUANTITY, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, PRC_QUANTITY, "%.3g µs", 1e6 * seconds);
    return text;
}

const char *prc_quantity_duration(double seconds, char text[PRC_QUANTITY])
{
    const double day = 86400;
    if (seconds >= 1e4 * day || isnan(seconds)) {
        snprintf(text, PRC_QUANTITY, "%s", isnan(seconds) ? "unknown" : "years");
        return text;
    }
    const int whole = (int)(seconds + 0.5);
    if (seconds < 0.9995)
        snprintf(text, PRC_QUANTITY, "%.3g ms", 1e3 * seconds);
    else if (seconds < 99.5)
        snprintf(text, PRC_QUANTITY, "%.3g s", seconds);
    else if (whole < 3600)
        snprintf(text, PRC_QUANTITY, "%d min %d s", whole / 60, whole % 60);
    else if (whole < 2 * (int)day)
        snprintf(text, PRC_QUANTITY, "%d h %d min", whole / 3600, whole / 60 % 60);
    else
        snprintf(text, PRC_QUANTITY, "%d days %d h", whole / (int)day, whole / 3600 % 24);
    return text;
}

const char *prc_quantity_bytes(double bytes, char text[PRC_QUANTITY])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, PRC_QUANTITY, "%.3g %s", bytes, units[unit]);
    return text;
}

const char *prc_quantity_count(double count, char text[PRC_QUANTITY])
{
    char digits[PRC_QUANTITY];
    if (!(fabs(count) < 1e12)) {
        snprintf(text, PRC_QUANTITY, "%.3g", count);
        return text;
    }
    snprintf(digits, sizeof digits, "%.0f", count);
    int length = (int)strlen(digits), at = 0;
    for (int k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0 && length > 4 && digits[k - 1] != '-')
            text[at++] = ' ';
        text[at++] = digits[k];
    }
    text[at] = '\0';
    return text;
}
