/* mesh/generate.c — grids, discs, cylinders, cones, tori, ribbons and spheres.
 *
 * Counts are checked before anything is allocated, so that counts beyond the range of int are refused with a message.
 * Results are the same on every machine: irregular grids use an integer hash of seed, vertex and axis. Texture
 * coordinates stay NULL, except for ribbons: the shapes are their own rest shapes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "mesh/delaunay.h"
#include "mesh/dice.h"

#include <limits.h>
#include <math.h>

#define LARGEST_JITTER 0.45 /* from 0.5 on, neighbours could change places */
#define LARGEST_SUBDIVISION 8

/* Counts arrive as double: their products overflow no double, and those that matter are exact in it. */
static prc_result allocate(prc_mesh *mesh, const char *what, double vertices, double triangles, prc_error *error)
{
    *mesh = (prc_mesh){0};
    if (vertices > PRC_MOST_VERTICES || triangles > PRC_MOST_TRIANGLES)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: %.0f vertices and %.0f triangles are too many; expected " PRC_MOST_TEXT, what, vertices,
                        triangles);
    mesh->vertex_count = (int)vertices;
    mesh->triangle_count = (int)triangles;
    mesh->positions = PRC_NEW(double, 3 * (size_t)vertices);
    mesh->triangles = PRC_NEW(int, 3 * (size_t)triangles);
    if (mesh->positions && mesh->triangles)
        return PRC_OK;
    prc_mesh_release(mesh);
    return PRC_FAIL_MEMORY(error);
}

static prc_result require_positive(const char *what, const char *name, double value, prc_error *error)
{
    if (isfinite(value) && value > 0)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_INPUT, "%s: %s is %g; it must be positive and finite", what, name, value);
}

static prc_result require_count(const char *what, const char *name, int value, int smallest, int largest,
                                prc_error *error)
{
    if (value >= smallest && value <= largest)
        return PRC_OK;
    if (largest == INT_MAX)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: %s is %d; at least %d is needed", what, name, value, smallest);
    return prc_fail(error, PRC_ERROR_INPUT, "%s: %s is %d; it must be from %d to %d", what, name, value, smallest,
                    largest);
}

static void set_position(prc_mesh *mesh, int vertex, double x, double y, double z)
{
    double *position = mesh->positions + 3 * (size_t)vertex;
    position[0] = x;
    position[1] = y;
    position[2] = z;
}

static int *add_triangle(int *at, int a, int b, int c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

/* The cell with corners v00 v10 v11 v01, counter-clockwise, cut from v00 to v11 or from v10 to v01. */
static int *add_cell(int *at, const int v[4], bool rising)
{
    at = add_triangle(at, v[0], v[1], rising ? v[2] : v[3]);
    return rising ? add_triangle(at, v[0], v[2], v[3]) : add_triangle(at, v[1], v[2], v[3]);
}

/* ---- grid ---- */

prc_grid_def prc_grid_def_default(void)
{
    return (prc_grid_def){.size = {1, 1}, .cells = {50, 50}, .pattern = PRC_GRID_REGULAR, .jitter = 0.25, .seed = 1};
}

static void move_inner_vertices(prc_mesh *mesh, const prc_grid_def *def)
{
    const int nx = def->cells[0], ny = def->cells[1];
    for (int j = 1; j < ny; j++)
        for (int i = 1; i < nx; i++) {
            int vertex = j * (nx + 1) + i;
            for (int axis = 0; axis < 2; axis++)
                mesh->positions[3 * (size_t)vertex + (size_t)axis] +=
                    def->jitter * (def->size[axis] / def->cells[axis]) *
                    (2 * prc_dice(def->seed, 2 * (uint64_t)vertex + (uint64_t)axis) - 1);
        }
}

static double doubled_area(const prc_mesh *mesh, int a, int b, int c)
{
    const double *p = mesh->positions + 3 * (size_t)a, *q = mesh->positions + 3 * (size_t)b,
                 *r = mesh->positions + 3 * (size_t)c;
    return (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
}

/* With a jitter below a half, the two opposite sides of a cell stay apart in both directions: the cell is a simple
 * quadrilateral, perhaps with one reflex corner, and at least one diagonal cuts it into two positive triangles. */
static bool rising_is_better(const prc_mesh *mesh, const int v[4])
{
    double rising = fmin(doubled_area(mesh, v[0], v[1], v[2]), doubled_area(mesh, v[0], v[2], v[3]));
    double falling = fmin(doubled_area(mesh, v[0], v[1], v[3]), doubled_area(mesh, v[1], v[2], v[3]));
    return rising >= falling;
}

static prc_result check_grid(const prc_grid_def *def, prc_error *error)
{
    static const char *const size_name[2] = {"size[0]", "size[1]"}, *const cells_name[2] = {"cells[0]", "cells[1]"};
    for (int axis = 0; axis < 2; axis++) {
        prc_result result = require_positive("grid", size_name[axis], def->size[axis], error);
        if (!result)
            result = require_count("grid", cells_name[axis], def->cells[axis], 1, INT_MAX, error);
        if (result)
            return result;
    }
    if (def->pattern != PRC_GRID_REGULAR && def->pattern != PRC_GRID_ALTERNATING && def->pattern != PRC_GRID_IRREGULAR)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "grid: pattern %d is unknown; expected regular, alternating or irregular", (int)def->pattern);
    if (!(def->jitter >= 0 && def->jitter <= LARGEST_JITTER))
        return prc_fail(error, PRC_ERROR_INPUT, "grid: jitter is %g; it must be from 0 to %g", def->jitter,
                        LARGEST_JITTER);
    return PRC_OK;
}

static void cut_grid_cells(prc_mesh *mesh, const prc_grid_def *def)
{
    const int nx = def->cells[0], ny = def->cells[1];
    int *at = mesh->triangles;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int corner = j * (nx + 1) + i;
            const int v[4] = {corner, corner + 1, corner + nx + 2, corner + nx + 1};
            bool rising = true;
            if (def->pattern == PRC_GRID_ALTERNATING)
                rising = (i + j) % 2 == 0;
            else if (def->pattern == PRC_GRID_IRREGULAR)
                rising = rising_is_better(mesh, v);
            at = add_cell(at, v, rising);
        }
}

prc_result prc_mesh_grid(prc_mesh *mesh, const prc_grid_def *def, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = check_grid(def, error);
    const int nx = def->cells[0], ny = def->cells[1];
    if (!result)
        result = allocate(mesh, "grid", (nx + 1.0) * (ny + 1.0), 2.0 * nx * ny, error);
    if (result)
        return result;

    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
            set_position(mesh, j * (nx + 1) + i, def->size[0] * ((double)i / nx - 0.5),
                         def->size[1] * ((double)j / ny - 0.5), 0);
    if (def->pattern == PRC_GRID_IRREGULAR)
        move_inner_vertices(mesh, def);
    cut_grid_cells(mesh, def);
    if (def->pattern == PRC_GRID_IRREGULAR)
        result = prc_mesh_flip_to_delaunay(mesh, error);
    if (result)
        prc_mesh_release(mesh);
    return result;
}

/* ---- disc ---- */

/* Vertex m of ring k, counted around; ring k >= 1 has 6 k vertices, ring 0 is the centre. */
static int disc_vertex(int k, int m)
{
    return k == 0 ? 0 : 1 + 3 * k * (k - 1) + m % (6 * k);
}

prc_result prc_mesh_disc(prc_mesh *mesh, double radius, int rings, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = require_positive("disc", "radius", radius, error);
    if (!result)
        result = require_count("disc", "rings", rings, 1, INT_MAX, error);
    if (!result)
        result = allocate(mesh, "disc", 1 + 3.0 * rings * (rings + 1.0), 6.0 * rings * rings, error);
    if (result)
        return result;

    const double turn = 2 * acos(-1.0);
    int *at = mesh->triangles;
    for (int k = 1; k <= rings; k++)
        for (int sector = 0; sector < 6; sector++)
            for (int m = 0; m < k; m++) {
                int outer = sector * k + m, inner = sector * (k - 1) + m;
                double r = radius * ((double)k / rings), angle = turn * outer / (6.0 * k);
                set_position(mesh, disc_vertex(k, outer), r * cos(angle), r * sin(angle), 0);
                at = add_triangle(at, disc_vertex(k - 1, inner), disc_vertex(k, outer), disc_vertex(k, outer + 1));
                if (m < k - 1)
                    at = add_triangle(at, disc_vertex(k - 1, inner), disc_vertex(k, outer + 1),
                                      disc_vertex(k - 1, inner + 1));
            }
    return PRC_OK;
}

/* ---- cylinder, cone ---- */

static prc_result make_tube(prc_mesh *mesh, const char *what, const double radius[2], double height, const int cells[2],
                            prc_error *error)
{
    const int around = cells[0], along = cells[1];
    prc_result result = require_positive(what, "height", height, error);
    if (!result)
        result = require_count(what, "around", around, 3, INT_MAX, error);
    if (!result)
        result = require_count(what, "along", along, 1, INT_MAX, error);
    if (!result)
        result = allocate(mesh, what, around * (along + 1.0), 2.0 * around * along, error);
    if (result)
        return result;

    /* From +z towards +x, so that rows of increasing y make outward normals. */
    const double turn = 2 * acos(-1.0);
    for (int j = 0; j <= along; j++)
        for (int i = 0; i < around; i++) {
            double r = radius[0] + (radius[1] - radius[0]) * ((double)j / along);
            set_position(mesh, j * around + i, r * sin(turn * i / around), height * ((double)j / along - 0.5),
                         r * cos(turn * i / around));
        }
    int *at = mesh->triangles;
    for (int j = 0; j < along; j++)
        for (int i = 0; i < around; i++) {
            int next = (i + 1) % around, row = j * around;
            const int v[4] = {row + i, row + next, row + around + next, row + around + i};
            at = add_cell(at, v, true);
        }
    return PRC_OK;
}

prc_result prc_mesh_cylinder(prc_mesh *mesh, double radius, double height, int around, int along, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = require_positive("cylinder", "radius", radius, error);
    return result ? result
                  : make_tube(mesh, "cylinder", (double[2]){radius, radius}, height, (int[2]){around, along}, error);
}

prc_result prc_mesh_cone(prc_mesh *mesh, double radius, double radius_top, double height, int around, int along,
                         prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = require_positive("cone", "radius", radius, error);
    if (!result)
        result = require_positive("cone", "radius_top", radius_top, error);
    return result ? result
                  : make_tube(mesh, "cone", (double[2]){radius, radius_top}, height, (int[2]){around, along}, error);
}

/* ---- torus ---- */

prc_result prc_mesh_torus(prc_mesh *mesh, double radius, double tube, int around, int across, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = require_positive("torus", "radius", radius, error);
    if (!result)
        result = require_positive("torus", "tube", tube, error);
    if (!result && tube >= radius)
        result = prc_fail(
            error, PRC_ERROR_INPUT,
            "torus: tube is %g and radius %g; tube must be smaller than radius, or the torus intersects itself", tube,
            radius);
    if (!result)
        result = require_count("torus", "around", around, 3, INT_MAX, error);
    if (!result)
        result = require_count("torus", "across", across, 3, INT_MAX, error);
    if (!result)
        result = allocate(mesh, "torus", (double)around * across, 2.0 * around * across, error);
    if (result)
        return result;

    /* Around as a cylinder; across from the outside upwards, so that normals point outwards. */
    const double turn = 2 * acos(-1.0);
    int *at = mesh->triangles;
    for (int j = 0; j < across; j++)
        for (int i = 0; i < around; i++) {
            const double r = radius + tube * cos(turn * j / across);
            set_position(mesh, j * around + i, r * sin(turn * i / around), tube * sin(turn * j / across),
                         r * cos(turn * i / around));
            const int next = (i + 1) % around, row = j * around, above = (j + 1) % across * around;
            const int v[4] = {row + i, row + next, above + next, above + i};
            at = add_cell(at, v, true);
        }
    return PRC_OK;
}

/* ---- ribbon ---- */

prc_ribbon_def prc_ribbon_def_default(void)
{
    return (prc_ribbon_def){.radius = 0.1, .pitch = 0.1, .turns = 3, .width = 0.05, .cells = {120, 4}};
}

/* Along the middle line of the unrolled strip: its length and its direction, around the cylinder and upwards. */
static void unroll_ribbon(const prc_ribbon_def *def, double *length, double direction[2])
{
    const double around = 2 * acos(-1.0) * def->radius * def->turns, upwards = def->pitch * def->turns;
    *length = hypot(around, upwards);
    direction[0] = around / *length;
    direction[1] = upwards / *length;
}

static void set_ribbon_vertex(prc_mesh *mesh, const prc_ribbon_def *def, int i, int j)
{
    double length, d[2];
    unroll_ribbon(def, &length, d);
    const double s = length * ((double)i / def->cells[0] - 0.5), w = def->width * ((double)j / def->cells[1] - 0.5);
    const double twist = def->twist * (acos(-1.0) / 180) * ((double)i / def->cells[0] - 0.5);
    const double across = w * cos(twist), out = w * sin(twist);
    /* On the unrolled cylinder, then around it; `out` leaves it along the normal. */
    const double around = s * d[0] - across * d[1], up = s * d[1] + across * d[0];
    const int vertex = j * (def->cells[0] + 1) + i;
    mesh->texture[2 * (size_t)vertex] = s;
    mesh->texture[2 * (size_t)vertex + 1] = w;
    if (def->radius == 0) {
        set_position(mesh, vertex, around, up, out);
        return;
    }
    /* The twisted cross-section is straight: it leaves from the middle line, whose normal it keeps. */
    if (def->twist != 0) {
        const double angle = s * d[0] / def->radius, side = -across * d[1];
        set_position(mesh, vertex, (def->radius + out) * sin(angle) + side * cos(angle), up,
                     (def->radius + out) * cos(angle) - side * sin(angle));
        return;
    }
    set_position(mesh, vertex, def->radius * sin(around / def->radius), up, def->radius * cos(around / def->radius));
}

static prc_result check_ribbon(const prc_ribbon_def *def, prc_error *error)
{
    prc_result result = require_positive("ribbon", "width", def->width, error);
    if (!result)
        result = require_positive("ribbon", "turns", def->turns, error);
    if (!result && !(isfinite(def->radius) && def->radius >= 0))
        result =
            prc_fail(error, PRC_ERROR_INPUT, "ribbon: radius is %g; it must be 0 or positive, and finite", def->radius);
    if (!result && !(isfinite(def->pitch) && isfinite(def->twist)))
        result = prc_fail(error, PRC_ERROR_INPUT, "ribbon: pitch is %g and twist %g; they must be finite", def->pitch,
                          def->twist);
    if (!result && def->radius == 0 && def->pitch == 0)
        result = prc_fail(error, PRC_ERROR_INPUT, "ribbon: radius and pitch are both 0, so it has no length");
    if (!result)
        result = require_count("ribbon", "cells[0]", def->cells[0], 1, INT_MAX, error);
    if (!result)
        result = require_count("ribbon", "cells[1]", def->cells[1], 1, INT_MAX, error);
    return result;
}

prc_result prc_mesh_ribbon(prc_mesh *mesh, const prc_ribbon_def *def, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = check_ribbon(def, error);
    const int nx = def->cells[0], ny = def->cells[1];
    if (!result)
        result = allocate(mesh, "ribbon", (nx + 1.0) * (ny + 1.0), 2.0 * nx * ny, error);
    if (result)
        return result;
    mesh->texture = PRC_NEW(double, 2 * (size_t)mesh->vertex_count);
    if (!mesh->texture) {
        prc_mesh_release(mesh);
        return PRC_FAIL_MEMORY(error);
    }
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++)
            set_ribbon_vertex(mesh, def, i, j);
    int *at = mesh->triangles;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int corner = j * (nx + 1) + i;
            const int v[4] = {corner, corner + 1, corner + nx + 2, corner + nx + 1};
            at = add_cell(at, v, true);
        }
    return PRC_OK;
}

/* ---- sphere ---- */

typedef struct midpoint {
    int other, vertex; /* the edge's larger end; the vertex in its middle */
} midpoint;

static void put_on_unit_sphere(double *x)
{
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++)
        x[k] /= length;
}

/* No vertex of a subdivided icosahedron has more than six edges: six slots at the smaller end hold them all. A slot is
 * free while its vertex is 0, which is never a midpoint. */
static int find_midpoint(prc_mesh *mesh, midpoint *table, int a, int b)
{
    midpoint *slot = table + 6 * (size_t)(a < b ? a : b);
    int other = a < b ? b : a;
    while (slot->vertex && slot->other != other)
        slot++;
    if (!slot->vertex) {
        *slot = (midpoint){other, mesh->vertex_count++};
        double *x = mesh->positions + 3 * (size_t)slot->vertex;
        for (int k = 0; k < 3; k++)
            x[k] = mesh->positions[3 * (size_t)a + (size_t)k] + mesh->positions[3 * (size_t)b + (size_t)k];
        put_on_unit_sphere(x);
    }
    return slot->vertex;
}

/* Cuts every triangle into four; from last to first, so that children never overwrite a parent that is still to come.
 */
static prc_result subdivide(prc_mesh *mesh, prc_error *error)
{
    midpoint *table = PRC_NEW(midpoint, 6 * (size_t)mesh->vertex_count);
    if (!table)
        return PRC_FAIL_MEMORY(error);
    for (int t = mesh->triangle_count - 1; t >= 0; t--) {
        const int a = mesh->triangles[3 * t], b = mesh->triangles[3 * t + 1], c = mesh->triangles[3 * t + 2];
        const int ab = find_midpoint(mesh, table, a, b), bc = find_midpoint(mesh, table, b, c),
                  ca = find_midpoint(mesh, table, c, a);
        int *at = mesh->triangles + 12 * t;
        at = add_triangle(at, a, ab, ca);
        at = add_triangle(at, b, bc, ab);
        at = add_triangle(at, c, ca, bc);
        add_triangle(at, ab, bc, ca);
    }
    mesh->triangle_count *= 4;
    prc_free(table);
    return PRC_OK;
}

static void make_icosahedron(prc_mesh *mesh)
{
    static const int triangles[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                      4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                      6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    const double golden = 0.5 * (1 + sqrt(5.0));
    const double p[12][3] = {{-1, golden, 0}, {1, golden, 0}, {-1, -golden, 0}, {1, -golden, 0},
                             {0, -1, golden}, {0, 1, golden}, {0, -1, -golden}, {0, 1, -golden},
                             {golden, 0, -1}, {golden, 0, 1}, {-golden, 0, -1}, {-golden, 0, 1}};
    mesh->vertex_count = 12;
    mesh->triangle_count = 20;
    for (int i = 0; i < 12; i++) {
        set_position(mesh, i, p[i][0], p[i][1], p[i][2]);
        put_on_unit_sphere(mesh->positions + 3 * i);
    }
    for (int k = 0; k < 60; k++)
        mesh->triangles[k] = triangles[k];
}

prc_result prc_mesh_sphere(prc_mesh *mesh, double radius, int subdivisions, prc_error *error)
{
    *mesh = (prc_mesh){0};
    prc_result result = require_positive("sphere", "radius", radius, error);
    if (!result)
        result = require_count("sphere", "subdivisions", subdivisions, 0, LARGEST_SUBDIVISION, error);
    if (!result)
        result = allocate(mesh, "sphere", 10 * pow(4, subdivisions) + 2, 20 * pow(4, subdivisions), error);
    if (result)
        return result;

    make_icosahedron(mesh);
    for (int s = 0; s < subdivisions && !result; s++)
        result = subdivide(mesh, error);
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
        mesh->positions[k] *= radius;
    if (result)
        prc_mesh_release(mesh);
    return result;
}
