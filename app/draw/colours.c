/* app/draw/colours.c — see colours.h.
 *
 * The maps are paths in Oklab (B. Ottosson, "A perceptual color space for image processing", 2020): lightness changes
 * evenly along them, the hue goes from blue to yellow, or to orange, which people with red-green blindness can
 * distinguish; and the table is spaced evenly by length in Oklab, so that equal steps look equal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "colours.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)
#define FINE 1024 /* points of a path, from which the table is taken by length */

double prc_colour_linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double to_srgb(double c)
{
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static void linear_from_oklab(const double lab[3], double rgb[3])
{
    const double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    const double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    const double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    const double L = l * l * l, M = m * m * m, S = s * s * s;
    rgb[0] = 4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S;
    rgb[1] = -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S;
    rgb[2] = -0.0041960863 * L - 0.7034186147 * M + 1.7076147010 * S;
}

void prc_colour_from_oklab(const double lab[3], double colour[3])
{
    double rgb[3];
    linear_from_oklab(lab, rgb);
    for (int c = 0; c < 3; c++)
        colour[c] = to_srgb(fmin(1, fmax(0, rgb[c])));
}

void prc_colour_to_oklab(const double colour[3], double lab[3])
{
    const double r = prc_colour_linear(colour[0]), g = prc_colour_linear(colour[1]), b = prc_colour_linear(colour[2]);
    const double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static void from_polar(double lightness, double chroma, double hue, double lab[3])
{
    lab[0] = lightness;
    lab[1] = chroma * cos(hue * RADIANS);
    lab[2] = chroma * sin(hue * RADIANS);
}

/* The most colourful that a screen can show with this lightness and hue, by halving. */
static double largest_chroma(double lightness, double hue)
{
    double low = 0, high = 0.4;
    for (int k = 0; k < 30; k++) {
        const double middle = (low + high) / 2;
        double lab[3], rgb[3];
        from_polar(lightness, middle, hue, lab);
        linear_from_oklab(lab, rgb);
        bool inside = true;
        for (int c = 0; c < 3; c++)
            inside = inside && rgb[c] >= 0 && rgb[c] <= 1;
        *(inside ? &low : &high) = middle;
    }
    return low;
}

static void path(prc_map map, double t, double lab[3])
{
    if (map == PRC_MAP_DIVERGING) {
        const double side = fabs(2 * t - 1), hue = t < 0.5 ? 252 : 48;
        const double lightness = 0.90 - 0.44 * side;
        from_polar(lightness, fmin(0.155 * pow(side, 0.9), 0.97 * largest_chroma(lightness, hue)), hue, lab);
        return;
    }
    const double lightness = 0.33 + 0.62 * t, hue = 285 - 180 * pow(t, 1.15);
    from_polar(lightness, fmin(0.145, 0.95 * largest_chroma(lightness, hue)), hue, lab);
}

static void fill_table(prc_map map, double table[PRC_MAP_SIZE][3])
{
    static double fine[FINE + 1][3], length[FINE + 1];
    for (int k = 0; k <= FINE; k++)
        path(map, (double)k / FINE, fine[k]);
    for (int k = 1; k <= FINE; k++) {
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += (fine[k][c] - fine[k - 1][c]) * (fine[k][c] - fine[k - 1][c]);
        length[k] = length[k - 1] + sqrt(square);
    }
    for (int i = 0, k = 0; i < PRC_MAP_SIZE; i++) {
        const double wanted = length[FINE] * i / (PRC_MAP_SIZE - 1);
        while (k < FINE - 1 && length[k + 1] < wanted)
            k++;
        const double t = fmin(1, (wanted - length[k]) / (length[k + 1] - length[k]));
        double lab[3];
        for (int c = 0; c < 3; c++)
            lab[c] = fine[k][c] + t * (fine[k + 1][c] - fine[k][c]);
        prc_colour_from_oklab(lab, table[i]);
    }
}

void prc_map_colour(prc_map map, double at, double colour[3])
{
    static double tables[PRC_MAPS][PRC_MAP_SIZE][3];
    static bool filled[PRC_MAPS];
    if (!filled[map])
        fill_table(map, tables[map]);
    filled[map] = true;
    const double place = fmin(1, fmax(0, at)) * (PRC_MAP_SIZE - 1);
    const int k = place >= PRC_MAP_SIZE - 1 ? PRC_MAP_SIZE - 2 : (int)place;
    for (int c = 0; c < 3; c++)
        colour[c] = tables[map][k][c] + (place - k) * (tables[map][k + 1][c] - tables[map][k][c]);
}

/* Lightness, chroma and hue of dyes that go together: neighbours in the list differ in lightness as well as in hue. */
static const double dyes[][3] = {{0.57, 0.130, 36},  {0.52, 0.115, 252}, {0.78, 0.130, 82}, {0.58, 0.095, 170},
                                 {0.48, 0.120, 335}, {0.76, 0.080, 230}, {0.66, 0.13, 55},  {0.44, 0.095, 285},
                                 {0.74, 0.11, 120},  {0.66, 0.05, 60}};

void prc_palette_colour(int body, double colour[3])
{
    const int count = (int)(sizeof dyes / sizeof *dyes);
    const double *dye = dyes[((body % count) + count) % count];
    double lab[3];
    from_polar(dye[0], dye[1], dye[2], lab);
    prc_colour_from_oklab(lab, colour);
}

void prc_palette_back(const double colour[3], double back[3])
{
    double lab[3];
    prc_colour_to_oklab(colour, lab);
    lab[0] += 0.55 * (0.90 - lab[0]);
    for (int c = 1; c < 3; c++)
        lab[c] *= 0.45;
    prc_colour_from_oklab(lab, back);
}
