/* scene/select_map.c — the values of an image at the vertices of a mesh.
 *
 * The image lies over the texture coordinates with u to the right and v upwards, as painting programs show it: the
 * lower left corner of the image is `from`, the upper right one `to`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/error.h"
#include "io/png.h"
#include "scene/reader.h"

static double channel_value(const unsigned char *pixel, prc_channel channel)
{
    if (channel == PRC_CHANNEL_GRAY)
        return (pixel[0] + pixel[1] + pixel[2]) / (3 * 255.0);
    return pixel[channel] / 255.0;
}

/* The pixel before position `at` (pixels have their middles at 0, 1, …), and how far `at` is past it. */
static int split(double at, int size, double *past)
{
    at = fmax(0, fmin(at, size - 1));
    const int before = (int)fmin(floor(at), size > 1 ? size - 2 : 0);
    *past = at - before;
    return before;
}

/* Bilinear; u and v from 0 to 1 over the whole image. */
static double sample(const prc_image *image, prc_channel channel, double u, double v)
{
    double right, down, value = 0;
    const int x = split(u * image->width - 0.5, image->width, &right);
    const int y = split((1 - v) * image->height - 0.5, image->height, &down);
    for (int j = 0; j < 2 && y + j < image->height; j++)
        for (int i = 0; i < 2 && x + i < image->width; i++) {
            const size_t pixel = (size_t)(y + j) * (size_t)image->width + (size_t)(x + i);
            value +=
                (i ? right : 1 - right) * (j ? down : 1 - down) * channel_value(image->pixels + 4 * pixel, channel);
        }
    return value;
}

/* The rectangle of a flat mesh; false where it is not flat. */
static bool flat_bounds(const prc_mesh *mesh, double low[3], double high[3])
{
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int i = 0; i < mesh->vertex_count; i++) {
            low[c] = fmin(low[c], mesh->positions[3 * (size_t)i + (size_t)c]);
            high[c] = fmax(high[c], mesh->positions[3 * (size_t)i + (size_t)c]);
        }
    }
    const double size = fmin(high[0] - low[0], high[1] - low[1]);
    return size > 0 && high[2] - low[2] <= 1e-9 * size;
}

prc_result prc_scene_sample_map(const prc_select_context *context, const prc_map_spec *map, double *values,
                                prc_error *error)
{
    const prc_mesh *mesh = context->mesh;
    double low[3], high[3];
    if (!mesh->texture && !flat_bounds(context->rest, low, high))
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "the mesh has no texture coordinates and is not flat; expected a file with one per vertex, or a "
            "grid, strip or disc");
    char path[1024];
    if (!prc_scene_file(context->log, map->file, path, sizeof path))
        return prc_fail(error, PRC_ERROR_INPUT, "the path of the image is too long");
    prc_image image;
    prc_result result = prc_png_read(path, &image, error);
    if (result)
        return result;
    for (int i = 0; i < mesh->vertex_count; i++) {
        double at[2];
        for (size_t c = 0; c < 2; c++) {
            at[c] = mesh->texture ? mesh->texture[2 * (size_t)i + c] / context->scale
                                  : (context->rest->positions[3 * (size_t)i + c] - low[c]) / (high[c] - low[c]);
            at[c] = (at[c] - map->from[c]) / (map->to[c] - map->from[c]);
        }
        values[i] = sample(&image, map->channel, at[0], at[1]);
    }
    prc_image_release(&image);
    return PRC_OK;
}
