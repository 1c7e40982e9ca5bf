/* test/surfaces.h — surfaces for tests of the broad phase: soups of triangles, sheets, folds. For C and C++.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_SURFACES_H
#define PRC_TEST_SURFACES_H

#include "contact/detect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A surface with positions, radii, displacements, and what was found on it. */
typedef struct scene {
    int vertex_count, triangle_count, stride;
    int *triangle;
    unsigned char *motion;
    double *x, *p, *radius;
    prc_surface surface;
    prc_detector detector;
    prc_pair_list pairs;
} scene;

static uint64_t seed;

/* In [0, 1). */
static inline double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static inline void scene_make(scene *s, int vertex_count, int triangle_count)
{
    memset(s, 0, sizeof *s);
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
    s->stride = vertex_count + 5;
    s->triangle = (int *)calloc((size_t)triangle_count * 3 + 1, sizeof(int));
    s->motion = (unsigned char *)malloc((size_t)vertex_count + 1);
    s->x = (double *)calloc((size_t)s->stride * 3, sizeof(double));
    s->p = (double *)calloc((size_t)s->stride * 3, sizeof(double));
    s->radius = (double *)calloc((size_t)s->stride, sizeof(double));
    memset(s->motion, 1, (size_t)vertex_count);
}

static inline void scene_free(scene *s)
{
    free(s->triangle);
    free(s->motion);
    free(s->x);
    free(s->p);
    free(s->radius);
    prc_pair_list_release(&s->pairs);
    prc_detector_release(&s->detector);
    prc_surface_release(&s->surface);
}

/* False, with everything released, where there is no memory. */
static inline bool scene_start(scene *s)
{
    prc_error error;
    const bool ok =
        !prc_surface_build(&s->surface, s->vertex_count, s->triangle, s->triangle_count, NULL, 0, s->motion, &error) &&
        !prc_detector_create(&s->detector, &s->surface, &error);
    if (!ok)
        scene_free(s);
    return ok;
}

static inline bool detect(scene *s, int threads)
{
    prc_error error;
    return !prc_detect(&s->detector, s->x, s->stride, s->radius, threads, &s->pairs, &error);
}

static inline void set(scene *s, int i, double x, double y, double z)
{
    s->x[i] = x;
    s->x[s->stride + i] = y;
    s->x[2 * s->stride + i] = z;
}

/* Separate triangles of about `size` in a cube of side 1 at `offset`; flatness squeezes them into needles. */
static inline void make_soup(scene *s, int triangle_count, double size, double flatness, double offset)
{
    scene_make(s, 3 * triangle_count, triangle_count);
    for (int t = 0; t < triangle_count; t++) {
        double centre[3] = {uniform(), uniform(), uniform()};
        for (int k = 0; k < 3; k++) {
            s->triangle[3 * t + k] = 3 * t + k;
            set(s, 3 * t + k, offset + centre[0] + size * uniform(), offset + centre[1] + flatness * size * uniform(),
                offset + centre[2] + flatness * size * uniform());
        }
    }
}

/* `layers` sheets of n × n cells of side h, `gap` apart; where `fold` is set each is folded over itself. */
static inline void make_sheets(scene *s, int n, int layers, double h, double gap, bool fold)
{
    const int side = n + 1;
    scene_make(s, side * side * layers, 2 * n * n * layers);
    int *t = s->triangle;
    for (int l = 0; l < layers; l++)
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++) {
                const int v = (l * side + j) * side + i;
                const double u = (i - n / 2.0) * h, r = 0.5 * gap, arc = acos(0) * r;
                if (!fold)
                    set(s, v, u, j * h, l * gap);
                else if (fabs(u) > arc)
                    set(s, v, fabs(u) - arc, j * h, 3 * l * gap + (u > 0 ? r : -r));
                else
                    set(s, v, -r * cos(u / r), j * h, 3 * l * gap + r * sin(u / r));
                if (i < n && j < n) {
                    const int cell[6] = {v, v + 1, v + side + 1, v, v + side + 1, v + side};
                    memcpy(t, cell, sizeof cell);
                    t += 6;
                }
            }
}

static inline void random_radii(scene *s, double largest)
{
    for (int i = 0; i < s->vertex_count; i++)
        s->radius[i] = uniform() < 0.3 ? 0 : largest * uniform();
}

static inline void shake(scene *s, double *what, double size)
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < s->vertex_count; i++)
            what[c * s->stride + i] += size * (uniform() - 0.5);
}

#endif
