/* io/obj_write.c — see obj_write.h. Positions, texture coordinates, triangles, edges and particles, as points (p); no
 * normals and materials.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/obj_write.h"

#include "base/error.h"
#include <string.h>

#include "io/file.h"

/* Names are one word in OBJ. */
static void write_name(prc_file *file, const char *name, int index)
{
    char word[64];
    int length = 0;
    for (; name && name[length] && length < (int)sizeof word - 1; length++)
        word[length] = (unsigned char)name[length] > ' ' ? name[length] : '_';
    word[length] = '\0';
    if (length)
        prc_file_printf(file, "o %s\n", word);
    else
        prc_file_printf(file, "o body_%d\n", index);
}

static void write_vertices(prc_file *file, const prc_obj_part *part, const double *positions, int digits)
{
    for (long i = 0; i < part->vertex_count; i++)
        prc_file_printf(file, "v %.*g %.*g %.*g\n", digits, positions[3 * i], digits, positions[3 * i + 1], digits,
                        positions[3 * i + 2]);
    for (long i = 0; part->texture && i < part->vertex_count; i++)
        prc_file_printf(file, "vt %.*g %.*g\n", digits, part->texture[2 * i], digits, part->texture[2 * i + 1]);
}

/* OBJ counts from 1. `shift` takes a vertex to its texture coordinate, which only some parts have. */
static void write_faces(prc_file *file, const prc_obj_part *part, const int *triangles, const int *edges, int shift,
                        long first)
{
    for (long t = 0; t < part->triangle_count; t++) {
        const int *v = triangles + 3 * t;
        if (part->texture)
            prc_file_printf(file, "f %d/%d %d/%d %d/%d\n", v[0] + 1, v[0] + 1 - shift, v[1] + 1, v[1] + 1 - shift,
                            v[2] + 1, v[2] + 1 - shift);
        else
            prc_file_printf(file, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
    for (long e = 0; e < part->edge_count; e++)
        prc_file_printf(file, "l %d %d\n", edges[2 * e] + 1, edges[2 * e + 1] + 1);
    for (long i = 0; part->radius > 0 && i < part->vertex_count; i++)
        prc_file_printf(file, "p %ld\n", first + i + 1);
}

prc_result prc_obj_write_frame(const char *path, const prc_obj_frame *frame, prc_error *error)
{
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return error ? error->code : PRC_ERROR_IO;
    const double *positions = frame->positions;
    const int *triangles = frame->triangles, *edges = frame->edges;
    int shift = 0;
    long first = 0;
    for (const char *line = frame->comment; line && *line;) {
        const int length = (int)strcspn(line, "\r\n");
        if (length)
            prc_file_printf(file, "# %.*s\n", length, line);
        line += length;
        line += strspn(line, "\r\n");
    }
    for (int p = 0; p < frame->part_count; p++) {
        const prc_obj_part *part = &frame->parts[p];
        write_name(file, part->name, p);
        write_vertices(file, part, positions, frame->is_double ? 17 : 9);
        write_faces(file, part, triangles, edges, shift, first);
        first += part->vertex_count;
        shift += part->texture ? 0 : part->vertex_count;
        positions += 3L * part->vertex_count;
        triangles += 3L * part->triangle_count;
        edges += 2L * part->edge_count;
    }
    return prc_file_commit(file, error);
}
