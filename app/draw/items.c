/* app/draw/items.c — surfaces, lines and points on the device: adding, moving, normals.
 *
 * Cloth has one normal per vertex. A collider has one per corner of a triangle, the mean of the triangles around the
 * vertex that face nearly the same way, so that a table keeps its sharp edges and a ball looks round.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "parts.h"

#define CREASE 0.7f /* cosine of the angle between triangles from which an edge is sharp: 45° */

static void reset_box(prc_draw_item *item)
{
    for (int c = 0; c < 3; c++) {
        item->box[0][c] = HUGE_VAL;
        item->box[1][c] = -HUGE_VAL;
    }
}

void prc_draw_item_release(prc_draw_item *item)
{
    const GLuint buffers[3] = {item->vertices, item->indices, item->line_indices};
    glDeleteBuffers(3, buffers);
    glDeleteVertexArrays(1, &item->vertex_array);
    glDeleteVertexArrays(1, &item->edge_array);
    prc_free(item->triangles);
    prc_free(item->first);
    prc_free(item->of);
    prc_free(item->colours);
    prc_free(item->staged);
    prc_free(item->curved);
    memset(item, 0, sizeof *item);
}

/* ---- adding ---- */

static bool find_neighbours(prc_draw_item *item)
{
    const int vertices = item->def.vertex_count, corners = 3 * item->def.triangle_count;
    item->first = PRC_NEW(int, vertices + 2);
    item->of = PRC_NEW(int, corners);
    if (!item->first || !item->of)
        return false;
    for (int k = 0; k < corners; k++)
        item->first[item->triangles[k] + 2]++;
    for (int v = 2; v <= vertices; v++)
        item->first[v + 1] += item->first[v];
    for (int k = 0; k < corners; k++)
        item->of[item->first[item->triangles[k] + 1]++] = k / 3;
    return true;
}

static int compare_edges(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Each edge of the triangles once. Edges of colliders join corners, which stand for vertices. */
static bool find_edges(prc_draw_item *item)
{
    const int corners = 3 * item->def.triangle_count;
    int(*edges)[3] = (int(*)[3])PRC_NEW(int, 3 * (size_t)corners), count = 0;
    const int parts = item->def.smooth ? item->def.smooth : 1;
    int *pairs = PRC_NEW(int, 2 * (size_t)corners * (size_t)parts);
    if (edges && pairs) {
        for (int k = 0; k < corners; k++) {
            const int next = k % 3 == 2 ? k - 2 : k + 1, a = item->triangles[k], b = item->triangles[next];
            edges[k][0] = a < b ? a : b;
            edges[k][1] = a < b ? b : a;
            edges[k][2] = k;
        }
        qsort(edges, (size_t)corners, sizeof *edges, compare_edges);
        for (int k = 0; k < corners; k++) {
            if (k && !compare_edges(edges[k], edges[k - 1]))
                continue;
            const int corner = edges[k][2], next = corner % 3 == 2 ? corner - 2 : corner + 1;
            for (int step = 0; step < parts; step++, count++) {
                pairs[2 * count] = item->def.rigid ? corner : edges[k][0];
                pairs[2 * count + 1] = item->def.rigid ? next : edges[k][1];
                for (int end = 0; item->def.smooth && end < 2; end++)
                    pairs[2 * count + end] = prc_smooth_on_edge(item, corner, step + end);
            }
        }
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(2 * sizeof(int) * (size_t)count), pairs, GL_STATIC_DRAW);
        item->edge_count = count;
    }
    const bool good = edges && pairs;
    prc_free(edges);
    prc_free(pairs);
    return good;
}

static void describe_vertex(void)
{
    static const struct {
        int count;
        size_t offset;
    } parts[] = {{3, offsetof(prc_draw_vertex, position)},
                 {3, offsetof(prc_draw_vertex, normal)},
                 {1, offsetof(prc_draw_vertex, value)},
                 {3, offsetof(prc_draw_vertex, colour)}};
    for (GLuint k = 0; k < 4; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(
            k, parts[k].count, GL_FLOAT, GL_FALSE, sizeof(prc_draw_vertex),
            (const void *)parts[k].offset); /* NOLINT(performance-no-int-to-ptr): as OpenGL wants it */
    }
}

static void make_arrays(prc_draw_item *item)
{
    glGenBuffers(1, &item->vertices);
    glGenBuffers(1, &item->indices);
    glGenBuffers(1, &item->line_indices);
    glGenVertexArrays(1, &item->vertex_array);
    glGenVertexArrays(1, &item->edge_array);
    glBindVertexArray(item->vertex_array);
    glBindBuffer(GL_ARRAY_BUFFER, item->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, item->indices);
    describe_vertex();
    glBindVertexArray(item->edge_array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, item->line_indices);
    describe_vertex();
}

/* Lines that belong to no triangle are kept as edges. */
static bool keep_lines(prc_draw_item *item)
{
    glBindVertexArray(item->edge_array);
    if (item->def.triangle_count && !item->def.lines)
        return find_edges(item);
    if (item->def.lines)
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(2 * sizeof(int) * (size_t)item->def.line_count),
                     item->def.lines, GL_STATIC_DRAW);
    item->edge_count = item->def.line_count;
    return true;
}

static bool send_triangles(prc_draw_item *item)
{
    size_t count = 3 * (size_t)item->def.triangle_count;
    int *small = item->def.smooth ? prc_smooth_triangles(item, &count) : NULL;
    if (item->def.smooth && !small)
        return false;
    glBindVertexArray(item->vertex_array);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof(int)), small ? small : item->triangles,
                 GL_STATIC_DRAW);
    glBindVertexArray(0);
    item->corner_count = (int)count;
    prc_free(small);
    return true;
}

static prc_result fill_item(prc_draw_item *item, const prc_draw_item_def *def, prc_error *error)
{
    const size_t corners = 3 * (size_t)def->triangle_count, vertices = (size_t)def->vertex_count;
    item->def = *def;
    if (def->rigid || !def->triangle_count)
        item->def.smooth = 0;
    for (int k = 0; k < 16; k++)
        item->model[k] = k % 5 == 0;
    reset_box(item);
    item->staged_count = def->rigid && def->triangle_count ? (int)corners : def->vertex_count;
    item->mark_count = def->vertex_count;
    item->triangles = PRC_NEW(int, corners);
    item->staged = PRC_NEW(prc_draw_vertex, item->staged_count);
    item->colours = def->colours ? PRC_NEW(float, 3 * vertices) : NULL;
    if (!item->triangles || !item->staged || (def->colours && !item->colours))
        return PRC_FAIL_MEMORY(error);
    for (size_t k = 0; k < corners; k++) {
        if (def->triangles[k] < 0 || def->triangles[k] >= def->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %zu names vertex %d of %d", k / 3, def->triangles[k],
                            def->vertex_count);
        item->triangles[k] = def->triangles[k];
    }
    for (size_t k = 0; item->colours && k < 3 * vertices; k++)
        item->colours[k] = (float)prc_colour_linear((double)def->colours[k]);
    make_arrays(item);
    if (!find_neighbours(item) || !keep_lines(item) || !send_triangles(item))
        return PRC_FAIL_MEMORY(error);
    item->def.triangles = item->def.lines = NULL;
    item->def.colours = NULL;
    return PRC_OK;
}

int prc_draw_add(prc_draw *draw, const prc_draw_item_def *def, prc_error *error)
{
    if (draw->item_count == draw->item_capacity) {
        const int capacity = draw->item_capacity ? 2 * draw->item_capacity : 16;
        prc_draw_item *grown = prc_grow(draw->items, (size_t)draw->item_count, (size_t)capacity, sizeof(prc_draw_item));
        if (!grown) {
            PRC_FAIL_MEMORY(error);
            return -1;
        }
        draw->items = grown;
        draw->item_capacity = capacity;
    }
    prc_draw_item *item = &draw->items[draw->item_count];
    memset(item, 0, sizeof *item);
    if (fill_item(item, def, error)) {
        prc_draw_item_release(item);
        return -1;
    }
    return draw->item_count++;
}

void prc_draw_clear(prc_draw *draw)
{
    for (int k = 0; k < draw->item_count; k++)
        prc_draw_item_release(&draw->items[k]);
    draw->item_count = 0;
}

int prc_draw_item_count(const prc_draw *draw)
{
    return draw->item_count;
}

/* ---- moving ---- */

/* As long as the triangle is large: small ones then count little in a mean. */
static void triangle_normal(const double *positions, const int *t, float normal[3])
{
    const double *a = positions + 3L * t[0], *b = positions + 3L * t[1], *c = positions + 3L * t[2];
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    for (int k = 0; k < 3; k++)
        normal[k] = (float)(u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
}

static void unit(float n[3])
{
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3; c++)
        n[c] = length > 0 ? n[c] / length : c == 1;
}

/* The mean of the triangles about each vertex, by area; then once more the mean of those means over the triangles,
 * since irregular triangles leave traces that no cloth has. */
static bool smooth_normals(prc_draw_item *item, const double *positions)
{
    float(*normals)[3] = (float(*)[3])PRC_NEW(float, 3 * (size_t)item->def.triangle_count);
    if (!normals)
        return false;
    for (int t = 0; t < item->def.triangle_count; t++)
        triangle_normal(positions, item->triangles + 3L * t, normals[t]);
    for (int round = 0; round < 2; round++) {
        for (int v = 0; v < item->def.vertex_count; v++)
            memset(item->staged[v].normal, 0, sizeof item->staged[v].normal);
        for (int t = 0; t < item->def.triangle_count; t++)
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++)
                    item->staged[item->triangles[3 * t + k]].normal[c] += normals[t][c];
        for (int v = 0; v < item->def.vertex_count; v++)
            unit(item->staged[v].normal);
        for (int t = 0; t < item->def.triangle_count; t++) {
            const float *n = normals[t], size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int c = 0; c < 3; c++) {
                float sum = 0;
                for (int k = 0; k < 3; k++)
                    sum += item->staged[item->triangles[3 * t + k]].normal[c];
                normals[t][c] = size * sum;
            }
        }
    }
    prc_free(normals);
    return true;
}

static bool sharp_normals(prc_draw_item *item, const double *positions)
{
    float(*normals)[3] = (float(*)[3])PRC_NEW(float, 3 * (size_t)item->def.triangle_count);
    if (!normals)
        return false;
    for (int t = 0; t < item->def.triangle_count; t++)
        triangle_normal(positions, item->triangles + 3L * t, normals[t]);
    for (int k = 0; k < 3 * item->def.triangle_count; k++) {
        const int v = item->triangles[k];
        float own[3], *sum = item->staged[k].normal;
        memcpy(own, normals[k / 3], sizeof own);
        unit(own);
        memset(sum, 0, sizeof item->staged[k].normal);
        for (int n = item->first[v]; n < item->first[v + 1]; n++) {
            float other[3];
            memcpy(other, normals[item->of[n]], sizeof other);
            unit(other);
            if (own[0] * other[0] + own[1] * other[1] + own[2] * other[2] >= CREASE)
                for (int c = 0; c < 3; c++)
                    sum[c] += normals[item->of[n]][c];
        }
        unit(sum);
    }
    prc_free(normals);
    return true;
}

static void stage(prc_draw_item *item, const double *positions, const double *values)
{
    const bool corners = item->def.rigid && item->def.triangle_count;
    for (int k = 0; k < item->staged_count; k++) {
        const int v = corners ? item->triangles[k] : k;
        prc_draw_vertex *to = &item->staged[k];
        for (int c = 0; c < 3; c++) {
            const double x = positions[3L * v + c];
            to->position[c] = (float)x;
            to->colour[c] = item->colours ? item->colours[3L * v + c] : (float)prc_colour_linear(item->def.colour[c]);
            item->box[0][c] = fmin(item->box[0][c], x);
            item->box[1][c] = fmax(item->box[1][c], x);
        }
        to->value = values ? (float)values[v] : 0;
    }
}

static bool upload(prc_draw_item *item)
{
    if (item->def.smooth && !prc_smooth_fill(item))
        return false;
    const size_t count = (size_t)(item->def.smooth ? item->curved_count : item->staged_count);
    glBindBuffer(GL_ARRAY_BUFFER, item->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(sizeof *item->staged * count),
                 item->def.smooth ? item->curved : item->staged, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    item->placed = item->staged_count > 0;
    return true;
}

prc_result prc_draw_move(prc_draw *draw, int number, const double *positions, const double *values, prc_error *error)
{
    prc_draw_item *item = &draw->items[number];
    reset_box(item);
    stage(item, positions, values);
    item->valued = values != NULL;
    if (item->def.triangle_count && item->def.rigid && !sharp_normals(item, positions))
        return PRC_FAIL_MEMORY(error);
    if (item->def.triangle_count && !item->def.rigid && !smooth_normals(item, positions))
        return PRC_FAIL_MEMORY(error);
    return upload(item) ? PRC_OK : PRC_FAIL_MEMORY(error);
}

prc_result prc_draw_set_marks(prc_draw *draw, int number, int count, const double *positions, prc_error *error)
{
    prc_draw_item *item = &draw->items[number];
    if (count > item->staged_count) {
        prc_draw_vertex *grown = PRC_NEW(prc_draw_vertex, count);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        prc_free(item->staged);
        item->staged = grown;
    }
    item->staged_count = item->mark_count = item->def.vertex_count = count;
    item->edge_count = 0;
    reset_box(item);
    stage(item, positions, NULL);
    return upload(item) ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_draw_pose(prc_draw *draw, int item, const double turn[3][3], const double shift[3])
{
    float *m = draw->items[item].model;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[4 * j + i] = (float)turn[i][j];
        m[12 + i] = (float)shift[i];
    }
}

void prc_draw_hide(prc_draw *draw, int item, bool hidden)
{
    draw->items[item].def.hidden = hidden;
}

void prc_draw_recolour(prc_draw *draw, int number, const double colour[3], const double back[3])
{
    prc_draw_item *item = &draw->items[number];
    memcpy(item->def.colour, colour, sizeof item->def.colour);
    if (back)
        memcpy(item->def.back, back, sizeof item->def.back);
    prc_free(item->colours);
    item->colours = NULL;
    for (int k = 0; k < item->staged_count; k++)
        for (int c = 0; c < 3; c++)
            item->staged[k].colour[c] = (float)prc_colour_linear(colour[c]);
    if (item->placed)
        upload(item); /* its room is there since it was placed */
}

/* ---- drawing ---- */

void prc_draw_item_triangles(const prc_draw_item *item)
{
    glBindVertexArray(item->vertex_array);
    if (item->def.rigid)
        glDrawArrays(GL_TRIANGLES, 0, item->staged_count);
    else
        glDrawElements(GL_TRIANGLES, item->corner_count, GL_UNSIGNED_INT, NULL);
}

void prc_draw_item_edges(const prc_draw_item *item)
{
    if (item->edge_count) {
        glBindVertexArray(item->edge_array);
        glDrawElements(GL_LINES, 2 * item->edge_count, GL_UNSIGNED_INT, NULL);
    } else if (!item->def.triangle_count) {
        glBindVertexArray(item->vertex_array);
        glDrawArrays(GL_LINES, 0, item->mark_count);
    }
}

prc_box prc_draw_bounds(const prc_draw *draw)
{
    prc_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int k = 0; k < draw->item_count; k++) {
        const prc_draw_item *item = &draw->items[k];
        if (!item->placed || item->def.hidden || item->def.unbounded || item->plane)
            continue;
        for (int corner = 0; corner < 8; corner++)
            for (int c = 0; c < 3; c++) {
                double x = (double)item->model[12 + c];
                for (int a = 0; a < 3; a++)
                    x += (double)item->model[4 * a + c] * item->box[corner >> a & 1][a];
                box.low[c] = fmin(box.low[c], x);
                box.high[c] = fmax(box.high[c], x);
            }
    }
    return box;
}
