/* app/render/fields.c — fields of frames for colouring cloth: their names, units and ranges.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "render.h"

/* A thousandth of the values at either end is left to the ends of the map: one bad triangle must not hide the rest. */
#define OUTLIERS 1e-3

static const prc_render_field fields[] = {
    {"stretch", "stretch_max", "largest stretch", "", PRC_MAP_SEQUENTIAL, NULL, false, false},
    {"compression", "stretch_min", "smallest stretch", "", PRC_MAP_SEQUENTIAL, NULL, false, false},
    {"speed", "vx vy vz", "speed", "m/s", PRC_MAP_SEQUENTIAL, NULL, true, false},
    {"curvature", "curvature_mean", "mean curvature", "1/m", PRC_MAP_DIVERGING, "curvature", false, true},
    {"pressure", "pressure", "contact pressure", "Pa", PRC_MAP_SEQUENTIAL, "pressure", true, false},
    {"residual", "residual", "residual", "m/s", PRC_MAP_SEQUENTIAL, "residual", true, false},
    {"stress", "stress_max", "largest stress", "N/m", PRC_MAP_SEQUENTIAL, "stress", false, false},
    {"energy", "energy", "elastic energy", "J/m²", PRC_MAP_SEQUENTIAL, "energy", true, false},
    {"gap", "gap", "gap", "m", PRC_MAP_SEQUENTIAL, "gap", false, false},
};

#define FIELDS (sizeof fields / sizeof *fields)

const prc_render_field *prc_render_field_find(const char *name, prc_render_field *own)
{
    if (!name || !strcmp(name, "body"))
        return NULL;
    for (size_t k = 0; k < FIELDS; k++)
        if (!strcmp(name, fields[k].name))
            return &fields[k];
    *own = (prc_render_field){
        .name = name, .properties = name, .title = name, .unit = "", .map = PRC_MAP_SEQUENTIAL, .option = NULL};
    return own;
}

/* The property whose name is the first word of `names`. */
static const double *find_property(const prc_mesh *mesh, const char *names, size_t length)
{
    for (int k = 0; k < mesh->property_count; k++)
        if (strlen(mesh->properties[k].name) == length && !strncmp(mesh->properties[k].name, names, length))
            return mesh->properties[k].values;
    return NULL;
}

static bool has(const prc_mesh *mesh, const prc_render_field *field)
{
    for (const char *name = field->properties; *name; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        if (!find_property(mesh, name, length))
            return false;
        name += length;
    }
    return true;
}

static prc_result refuse(const prc_render_field *field, const prc_mesh *mesh, const char *file, prc_error *error)
{
    char there[200];
    size_t length = (size_t)snprintf(there, sizeof there, "body");
    for (size_t k = 0; k < FIELDS; k++)
        if (has(mesh, &fields[k]))
            length += (size_t)snprintf(there + length, sizeof there - length, ", %s", fields[k].name);
    if (field->option)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: has no field '%s'; 'percale run … --fields %s' writes it (output.%s in the scene). These "
                        "frames can be coloured by %s",
                        file, field->properties, field->option, field->option, there);
    return prc_fail(error, PRC_ERROR_INPUT, "%s: has no field '%s'; these frames can be coloured by %s", file,
                    field->properties, there);
}

prc_result prc_render_field_values(const prc_render_field *field, const prc_playback_frame *frame, const char *file,
                                   double *values, prc_error *error)
{
    const prc_mesh *mesh = &frame->mesh;
    if (!has(mesh, field))
        return refuse(field, mesh, file, error);
    const bool vector = strchr(field->properties, ' ') != NULL;
    memset(values, 0, sizeof *values * (size_t)mesh->vertex_count);
    for (const char *name = field->properties; *name; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        const double *from = find_property(mesh, name, length);
        for (int v = 0; v < mesh->vertex_count; v++)
            values[v] += vector ? from[v] * from[v] : from[v];
        name += length;
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (vector)
            values[v] = sqrt(values[v]);
        if (frame->extra.obstacle && frame->extra.obstacle[v]) /* has a number, but none that means anything */
            values[v] = NAN;
    }
    return PRC_OK;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void prc_render_field_range(const prc_render_field *field, double *values, long count, double range[2])
{
    long kept = 0;
    for (long k = 0; k < count; k++)
        if (isfinite(values[k]))
            values[kept++] = values[k];
    range[0] = range[1] = 0;
    if (kept) {
        qsort(values, (size_t)kept, sizeof *values, compare);
        range[0] = values[(long)(OUTLIERS * (double)(kept - 1))];
        range[1] = values[(long)((1 - OUTLIERS) * (double)(kept - 1))];
    }
    if (field->from_zero)
        range[0] = 0;
    if (field->symmetric) {
        range[1] = fmax(fabs(range[0]), fabs(range[1]));
        range[0] = -range[1];
    }
    const double least = 1e-6 * fmax(fabs(range[0]), fabs(range[1]));
    if (!(range[1] - range[0] > least)) /* the same everywhere: a range about it, so that the map means something */
        range[1] = range[0] + (least > 0 ? 1e3 * least : 1);
}
