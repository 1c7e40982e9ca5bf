/* model/obstacles.c — see obstacles.h.
 *
 * A triangle that names a vertex twice is kept as a segment, or dropped if it has only one vertex. Triangles of zero
 * area with three different vertices are kept: distances to them are those to their edges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/obstacles.h"

#include <string.h>

/* The number of different vertices of a triangle; two of them in `ends`, where there are just two. */
static int distinct(const int *t, int ends[2])
{
    ends[0] = t[0];
    ends[1] = t[1] != t[0] ? t[1] : t[2];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
        return 3;
    return ends[0] != ends[1] ? 2 : 1;
}

long prc_obstacles_count(prc_model *m, const prc_sim_def *def)
{
    long vertices = 0;
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        int ends[2];
        vertices += obstacle->mesh->vertex_count;
        for (int t = 0; t < obstacle->mesh->triangle_count; t++) {
            const int count = distinct(obstacle->mesh->triangles + 3L * t, ends);
            m->triangle_count += count == 3;
            m->segment_count += count == 2;
        }
        for (int s = 0; s < obstacle->segment_count; s++)
            m->segment_count += obstacle->segments[2L * s] != obstacle->segments[2L * s + 1];
    }
    return vertices;
}

long prc_shells_count(prc_model *m, const prc_sim_def *def)
{
    long vertices = 0;
    for (int o = 0; o < def->obstacle_count; o++)
        if (prc_obstacle_is_shell(&def->obstacles[o])) {
            m->shell_count++;
            vertices += def->obstacles[o].mesh->vertex_count;
        }
    return vertices;
}

static int *put_segment(int *end, int first, int a, int b)
{
    *end++ = first + a;
    *end++ = first + b;
    return end;
}

void prc_obstacles_fill(prc_model *m, const prc_sim_def *def, int *corner)
{
    int *end = m->segments, first = m->elastic_count;
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        const prc_mesh *mesh = obstacle->mesh;
        const int body = def->body_count + o;
        m->bodies[body] = (prc_body){first, mesh->vertex_count};
        for (int i = 0; i < mesh->vertex_count; i++)
            m->body_of[first + i] = body;
        const size_t bytes = sizeof(double) * 3 * (size_t)mesh->vertex_count;
        memcpy(m->rest_positions + 3L * first, mesh->positions, bytes);
        memcpy(m->position + 3L * first, mesh->positions, bytes);
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles + 3L * t;
            int ends[2];
            const int count = distinct(v, ends);
            for (int k = 0; count == 3 && k < 3; k++)
                *corner++ = first + v[k];
            if (count == 2)
                end = put_segment(end, first, ends[0], ends[1]);
        }
        for (int s = 0; s < obstacle->segment_count; s++) {
            const int *v = obstacle->segments + 2L * s;
            if (v[0] != v[1])
                end = put_segment(end, first, v[0], v[1]);
        }
        first += mesh->vertex_count;
    }
}
