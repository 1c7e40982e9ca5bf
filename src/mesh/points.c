/* mesh/points.c — points without triangles: lattices, and random packings without overlap.
 *
 * A packing is made by random sequential addition: each point gets a place at random and keeps it, unless one is too
 * near already. Plain addition would throw ever more darts in vain the fuller the shape; here, as Ebeida, Mitchell,
 * Patney, Davidson and Owens do it, "A simple algorithm for maximal Poisson-disk sampling in high dimensions", Computer
 * Graphics Forum 31 (2012), 785, they are thrown at the cells of a grid that are not covered yet, which are cut into
 * eight when some have missed. What is left out: nothing is pressed together, so that at most some 38 % of the volume
 * is balls (random close packing: 64 %). SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "kernel/hilbert.h"
#include "mesh/dice.h"

#include <percale/mesh.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_JITTER 0.45 /* from 0.5 on, neighbours could change places */
#define PASSES 2            /* darts at each cell before it is cut */
#define RUN 64              /* cells that are looked at one after the other, of the smaller ones */
#define DEEPEST 5           /* cuts; what room is left then would take one point in a hundred more */
#define CELLS_PER_POINT 16  /* at most; of a full shape there are about 7 */
#define MOST_CELLS (8.0 * PRC_MOST_READ_VERTICES)
#define NEARBY 64     /* points around a cell; balls of that spacing leave room for fewer where cells are small */
#define CURVE_BITS 20 /* of a cell's number along an axis */

static prc_result require_positive(const char *what, const char *name, double value, prc_error *error)
{
    if (isfinite(value) && value > 0)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_INPUT, "%s: %s is %g; it must be positive and finite", what, name, value);
}

/* ---- lattice ---- */

prc_lattice_def prc_lattice_def_default(void)
{
    return (prc_lattice_def){.count = {10, 10, 10}, .pattern = PRC_LATTICE_CUBIC, .jitter = 0, .seed = 1};
}

static prc_result check_lattice(const prc_lattice_def *def, prc_error *error)
{
    for (int c = 0; c < 3; c++)
        if (def->count[c] < 1)
            return prc_fail(error, PRC_ERROR_INPUT, "lattice: count[%d] is %d; at least 1 is needed", c, def->count[c]);
    if (require_positive("lattice", "spacing", def->spacing, error))
        return PRC_ERROR_INPUT;
    if (def->pattern != PRC_LATTICE_CUBIC && def->pattern != PRC_LATTICE_HEXAGONAL)
        return prc_fail(error, PRC_ERROR_INPUT, "lattice: pattern %d is unknown; use cubic or hexagonal",
                        (int)def->pattern);
    if (!(def->jitter >= 0 && def->jitter <= LARGEST_JITTER))
        return prc_fail(error, PRC_ERROR_INPUT, "lattice: jitter is %g; it must be from 0 to %g", def->jitter,
                        LARGEST_JITTER);
    const double total = (double)def->count[0] * def->count[1] * def->count[2];
    if (total > PRC_MOST_VERTICES)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "lattice: %.0f points are more than percale can number; expected " PRC_MOST_TEXT, total);
    return PRC_OK;
}

/* In units of the spacing. Hexagonal layers lie across y, their rows along x. */
static void lattice_point(prc_lattice_pattern pattern, const int at[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = at[c];
    if (pattern == PRC_LATTICE_HEXAGONAL) {
        const int upper = at[1] % 2;
        x[0] += 0.5 * ((at[2] + upper) % 2);
        x[1] *= sqrt(2.0 / 3);
        x[2] = sqrt(3.0) / 2 * (at[2] + upper / 3.0);
    }
}

/* So that the points, without jitter, are centred. */
static void find_middle(const prc_lattice_def *def, double middle[3])
{
    double high[3] = {0, 0, 0}, x[3];
    const int *n = def->count;
    for (int corner = 0; corner < 8; corner++) {
        /* The farthest along x and z may be in the last row or layer, or in the one before. */
        const int at[3] = {n[0] - 1, n[1] - 1 - (n[1] > 1 && (corner & 1)), n[2] - 1 - (n[2] > 1 && (corner & 2))};
        lattice_point(def->pattern, at, x);
        for (int c = 0; c < 3; c++)
            high[c] = fmax(high[c], x[c]);
    }
    for (int c = 0; c < 3; c++)
        middle[c] = high[c] / 2;
}

prc_result prc_mesh_lattice(prc_mesh *mesh, const prc_lattice_def *def, prc_error *error)
{
    *mesh = (prc_mesh){0};
    if (check_lattice(def, error))
        return PRC_ERROR_INPUT;
    const int count = def->count[0] * def->count[1] * def->count[2];
    mesh->positions = PRC_NEW(double, 3 * (size_t)count);
    if (!mesh->positions)
        return PRC_FAIL_MEMORY(error);
    mesh->vertex_count = count;

    /* Displacements fill a cube in the ball of that radius. */
    const double reach = def->jitter / sqrt(3.0);
    double middle[3];
    find_middle(def, middle);
    for (int v = 0; v < count; v++) {
        const int at[3] = {v % def->count[0], v / def->count[0] % def->count[1], v / def->count[0] / def->count[1]};
        double x[3];
        lattice_point(def->pattern, at, x);
        for (int c = 0; c < 3; c++) {
            const double moved = reach * (2 * prc_dice(def->seed, 3 * (uint64_t)v + (uint64_t)c) - 1);
            mesh->positions[3 * (size_t)v + (size_t)c] = def->spacing * (x[c] - middle[c] + moved);
        }
    }
    return PRC_OK;
}

/* ---- packing ---- */

prc_packing_def prc_packing_def_default(void)
{
    return (prc_packing_def){
        .shape = PRC_PACKING_BOX, .size = {0.1, 0.1, 0.1}, .radius = 0.05, .length = 0.1, .count = 0, .seed = 1};
}

/* A cell in which there may be room: its place among those of its level. */
typedef struct cell {
    int at[3];
} cell;

typedef struct packing {
    const prc_packing_def *def;
    double low[3]; /* corner of the box around the shape */
    double side[3];
    int cells[3];
    int *head, *next; /* the points of each cell of the grid, as lists; −1 ends */
    double *points;
    int count, capacity, wanted;
    cell *open;
    int open_count, open_capacity;
    uint64_t thrown; /* dice so far */
} packing;

static prc_result check_packing(const prc_packing_def *def, prc_error *error)
{
    static const char *const size_name[3] = {"size[0]", "size[1]", "size[2]"};
    prc_result result = require_positive("packing", "spacing", def->spacing, error);
    if (result)
        return result;
    if (def->count < 0 || def->count > PRC_MOST_READ_VERTICES)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "packing: count is %d; it must be from 1 to " PRC_MOST_READ_TEXT ", or 0 for as many as fit",
                        def->count);
    switch (def->shape) {
    case PRC_PACKING_BOX:
        for (int c = 0; c < 3 && !result; c++)
            result = require_positive("packing", size_name[c], def->size[c], error);
        return result;
    case PRC_PACKING_SPHERE:
        return require_positive("packing", "radius", def->radius, error);
    case PRC_PACKING_CYLINDER:
        result = require_positive("packing", "radius", def->radius, error);
        return result ? result : require_positive("packing", "length", def->length, error);
    }
    return prc_fail(error, PRC_ERROR_INPUT, "packing: shape %d is unknown; use box, sphere or cylinder",
                    (int)def->shape);
}

/* Whether any of a box belongs to the shape; a point is a box without size. */
static bool is_inside(const prc_packing_def *def, const double low[3], const double high[3])
{
    double square = 0;
    if (def->shape == PRC_PACKING_BOX)
        return true;
    for (int c = 0; c < 3; c++) {
        const double nearest = fmax(0, fmax(low[c], -high[c]));
        if (c != 1 || def->shape == PRC_PACKING_SPHERE)
            square += nearest * nearest;
    }
    return square <= def->radius * def->radius;
}

/* The square of the distance of a point from the farthest place of a box. */
static inline double farthest(const double x[3], const double low[3], const double high[3])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double a = fabs(x[c] - low[c]), b = fabs(x[c] - high[c]), away = a > b ? a : b;
        square += away * away;
    }
    return square;
}

static int cell_of(const packing *p, double x, int axis)
{
    const int i = (int)((x - p->low[axis]) / p->side[axis]);
    return i < 0 ? 0 : i < p->cells[axis] ? i : p->cells[axis] - 1;
}

/* Points near a box: of those that can cover a part of it, as many as there is room for. */
typedef struct nearby {
    int count;
    const double *points[NEARBY];
} nearby;

/* Looks at the points of a block of cells. Whether one is nearer than the spacing to all of a box, so that no other has
 * room there; else, into `list` where it is given, all of them. */
static bool covers(const packing *p, const int from[3], const int to[3], const double low[3], const double high[3],
                   nearby *list)
{
    const double square = p->def->spacing * p->def->spacing;
    for (int k = from[2]; k <= to[2]; k++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int i = from[0]; i <= to[0]; i++)
                for (int v = p->head[i + p->cells[0] * (j + p->cells[1] * k)]; v >= 0; v = p->next[v]) {
                    const double *x = p->points + 3 * (size_t)v;
                    if (farthest(x, low, high) < square)
                        return true;
                    if (list && list->count < NEARBY)
                        list->points[list->count++] = x;
                }
    return false;
}

static bool is_covered(const packing *p, const double low[3], const double high[3], nearby *list)
{
    int from[3], to[3], inner_from[3], inner_to[3];
    for (int c = 0; c < 3; c++) {
        const int here = cell_of(p, 0.5 * (low[c] + high[c]), c);
        from[c] = cell_of(p, low[c] - p->def->spacing, c);
        to[c] = cell_of(p, high[c] + p->def->spacing, c);
        inner_from[c] = here > from[c] ? here - 1 : here;
        inner_to[c] = here < to[c] ? here + 1 : here;
    }
    /* What covers it is mostly close by. */
    return covers(p, inner_from, inner_to, low, high, NULL) || covers(p, from, to, low, high, list);
}

static void box_of(const packing *p, const cell *part_of, int level, double low[3], double high[3])
{
    const double part = 1.0 / (1 << level);
    for (int c = 0; c < 3; c++) {
        low[c] = p->low[c] + p->side[c] * part * part_of->at[c];
        high[c] = p->low[c] + p->side[c] * part * (part_of->at[c] + 1);
    }
}

static double throw_dice(packing *p)
{
    return prc_dice(p->def->seed, p->thrown++);
}

/* Numbers below `count` in a random order; NULL: out of memory. */
static int *shuffle(packing *p, int count)
{
    int *order = PRC_NEW(int, count);
    for (int k = 0; order && k < count; k++) {
        const int other = (int)(throw_dice(p) * (k + 1.0));
        order[k] = order[other];
        order[other] = k;
    }
    return order;
}

static bool add_point(packing *p, const double x[3])
{
    if (p->count == p->capacity) {
        const size_t old = (size_t)p->capacity, more = 2 * old + 1000;
        double *points = prc_grow(p->points, 3 * old, 3 * more, sizeof *points);
        p->points = points ? points : p->points;
        int *next = points ? prc_grow(p->next, old, more, sizeof *next) : NULL;
        if (!next)
            return false;
        p->next = next;
        p->capacity = (int)more;
    }
    int *head = &p->head[cell_of(p, x[0], 0) + p->cells[0] * (cell_of(p, x[1], 1) + p->cells[1] * cell_of(p, x[2], 2))];
    memcpy(p->points + 3 * (size_t)p->count, x, 3 * sizeof *x);
    p->next[p->count] = *head;
    *head = p->count++;
    return true;
}

static bool throw_dart(packing *p, const cell *at, int level)
{
    double low[3], high[3], x[3];
    box_of(p, at, level, low, high);
    for (int c = 0; c < 3; c++)
        x[c] = low[c] + (high[c] - low[c]) * throw_dice(p);
    return !is_inside(p->def, x, x) || is_covered(p, x, x, NULL) || add_point(p, x);
}

/* One dart at each open cell; false: out of memory. In a random order, so that what is filled first is no corner of the
 * shape; the many small cells of later levels by runs of neighbours, which memory is much faster with. */
static bool throw_darts(packing *p, int level)
{
    const int run = level ? RUN : 1, runs = (p->open_count + run - 1) / run;
    int *order = shuffle(p, runs);
    bool good = order != NULL;
    for (int r = 0; good && r < runs; r++)
        for (int k = run * order[r]; good && k < run * (order[r] + 1) && k < p->open_count && p->count < p->wanted; k++)
            good = throw_dart(p, &p->open[k], level);
    prc_free(order);
    return good;
}

static bool add_open(packing *p, const cell *added)
{
    if (p->open_count == p->open_capacity) {
        if (p->open_capacity > INT_MAX / 2 - 1000)
            return false;
        const int more = p->open_capacity * 3 / 2 + 1000;
        void *open = prc_grow(p->open, (size_t)p->open_capacity, (size_t)more, sizeof *p->open);
        if (!open)
            return false;
        p->open = open;
        p->open_capacity = more;
    }
    p->open[p->open_count++] = *added;
    return true;
}

/* Adds those eighths of a cell that are neither outside nor covered. */
static bool add_parts(packing *p, const cell *whole, int level)
{
    double low[3], high[3];
    nearby list = {.count = 0};
    box_of(p, whole, level, low, high);
    bool good = true, open = !is_covered(p, low, high, &list);
    for (int part = 0; open && good && part < 8; part++) {
        cell child;
        for (int c = 0; c < 3; c++)
            child.at[c] = 2 * whole->at[c] + (part >> c & 1);
        box_of(p, &child, level + 1, low, high);
        bool free = is_inside(p->def, low, high);
        for (int k = 0; free && k < list.count; k++)
            free = farthest(list.points[k], low, high) >= p->def->spacing * p->def->spacing;
        good = !free || add_open(p, &child);
    }
    return good;
}

/* Cuts every open cell into eight and keeps those with room. */
static bool cut_cells(packing *p, int level)
{
    cell *old = p->open;
    const int old_count = p->open_count;
    bool good = true;
    p->open = NULL;
    p->open_count = p->open_capacity = 0;
    for (int k = 0; good && k < old_count; k++)
        good = add_parts(p, &old[k], level);
    prc_free(old);
    return good;
}

static bool open_all(packing *p)
{
    bool good = true;
    cell all;
    for (all.at[2] = 0; good && all.at[2] < p->cells[2]; all.at[2]++)
        for (all.at[1] = 0; good && all.at[1] < p->cells[1]; all.at[1]++)
            for (all.at[0] = 0; good && all.at[0] < p->cells[0]; all.at[0]++) {
                double low[3], high[3];
                box_of(p, &all, 0, low, high);
                good = !is_inside(p->def, low, high) || add_open(p, &all);
            }
    return good;
}

static bool fill(packing *p)
{
    bool good = open_all(p);
    int most = p->cells[0]; /* along an axis, at this level */
    for (int c = 1; c < 3; c++)
        most = p->cells[c] > most ? p->cells[c] : most;
    for (int level = 0; good && p->open_count > 0 && p->count < p->wanted; level++) {
        for (int pass = 0; good && pass < PASSES && p->count < p->wanted; pass++)
            good = throw_darts(p, level);
        if (level == DEEPEST || most > INT_MAX / 2)
            break;
        good = good && cut_cells(p, level);
        most *= 2;
    }
    return good;
}

/* Cells small enough that one point fills one; larger ones where few points are wanted in much room. */
static prc_result lay_grid(packing *p, prc_error *error)
{
    const prc_packing_def *def = p->def;
    const double side = def->spacing / sqrt(3.0), most = def->count ? CELLS_PER_POINT * (double)def->count : MOST_CELLS;
    double size[3], total = 0;
    for (int c = 0; c < 3; c++) {
        size[c] = def->shape == PRC_PACKING_BOX                  ? def->size[c]
                  : def->shape == PRC_PACKING_CYLINDER && c == 1 ? def->length
                                                                 : 2 * def->radius;
        p->low[c] = -size[c] / 2;
    }
    for (double larger = 1;; larger *= 1.25) {
        total = 1;
        for (int c = 0; c < 3; c++)
            total *= fmax(1, ceil(size[c] / (side * larger)));
        if (total <= most) {
            for (int c = 0; c < 3; c++) {
                p->cells[c] = (int)fmax(1, ceil(size[c] / (side * larger)));
                p->side[c] = size[c] / p->cells[c];
            }
            break;
        }
        if (!def->count)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "packing: as many as fit would be more than " PRC_MOST_READ_TEXT
                            " points; expected a larger spacing, a "
                            "smaller shape, or a count");
    }
    p->head = PRC_NEW(int, total);
    if (!p->head)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < (int)total; k++)
        p->head[k] = -1;
    p->wanted = def->count ? def->count : PRC_MOST_READ_VERTICES;
    return PRC_OK;
}

typedef struct rank {
    uint64_t place;
    int point;
} rank;

static int compare_ranks(const void *left, const void *right)
{
    const rank *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

/* Along a curve that fills space. */
static bool take_points(const packing *p, prc_mesh *mesh)
{
    rank *ranks = PRC_NEW(rank, p->count);
    double *positions = PRC_NEW(double, 3 * (size_t)p->count), longest = 0;
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, -2 * p->low[c]);
    for (int v = 0; ranks && positions && v < p->count; v++) {
        uint32_t at[3];
        for (int c = 0; c < 3; c++)
            at[c] = (uint32_t)(fmax(0, p->points[3 * (size_t)v + (size_t)c] - p->low[c]) / longest *
                               ((1 << CURVE_BITS) - 1));
        ranks[v] = (rank){prc_hilbert_place(at[0], at[1], at[2], CURVE_BITS), v};
    }
    if (ranks && positions) {
        qsort(ranks, (size_t)p->count, sizeof *ranks, compare_ranks);
        for (int v = 0; v < p->count; v++)
            memcpy(positions + 3 * (size_t)v, p->points + 3 * (size_t)ranks[v].point, 3 * sizeof *positions);
        mesh->positions = positions;
        mesh->vertex_count = p->count;
        positions = NULL;
    }
    const bool good = ranks && mesh->positions;
    prc_free(positions);
    prc_free(ranks);
    return good;
}

prc_result prc_mesh_packing(prc_mesh *mesh, const prc_packing_def *def, prc_error *error)
{
    packing p = {.def = def};
    *mesh = (prc_mesh){0};
    prc_result result = check_packing(def, error);
    if (!result)
        result = lay_grid(&p, error);
    if (!result && !fill(&p))
        result = PRC_FAIL_MEMORY(error);
    if (!result && p.count < def->count)
        result =
            prc_fail(error, PRC_ERROR_INPUT,
                     "packing: %d of %d points fit at a spacing of %.10g m; expected a lower count or spacing, or a "
                     "larger shape",
                     p.count, def->count, def->spacing);
    if (!result && !take_points(&p, mesh))
        result = PRC_FAIL_MEMORY(error);
    prc_free(p.head);
    prc_free(p.next);
    prc_free(p.points);
    prc_free(p.open);
    return result;
}
