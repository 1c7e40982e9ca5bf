/* mesh/mend.c — repairs problems of meshes that have only one possible repair, and extracts parts of meshes.
 *
 * The order matters: triangles that name a vertex twice would disturb the search for duplicates, duplicates that for
 * neighbours, and only after that are vertices without triangles known. Only triangles are examined, never positions,
 * so a mesh and its rest shape are repaired alike. Leaves out everything that needs a decision: triangles of zero area,
 * edges of three triangles, pinched vertices, one-sided surfaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mend.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void prc_mesh_note(prc_mesh_report *report, const char *format, ...)
{
    if (!report || report->note_count == PRC_MESH_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->notes[report->note_count++], sizeof report->notes[0], format, arguments);
    va_end(arguments);
}

/* ---- parts ---- */

static int keep_stitches(prc_mesh *mesh, const int *keep)
{
    int kept = 0;
    for (int s = 0; s < mesh->stitch_count; s++) {
        prc_mesh_stitch stitch = mesh->stitches[s];
        stitch.vertex = keep[stitch.vertex];
        for (int k = 0; k < 2; k++)
            stitch.edge[k] = keep[stitch.edge[k]];
        if (stitch.vertex >= 0 && stitch.edge[0] >= 0 && stitch.edge[1] >= 0)
            mesh->stitches[kept++] = stitch;
    }
    const int gone = mesh->stitch_count - kept;
    mesh->stitch_count = kept;
    return gone;
}

/* Groups that are left empty go. */
static void keep_groups(prc_mesh *mesh, const int *keep)
{
    int kept_groups = 0;
    for (int g = 0; g < mesh->group_count; g++) {
        prc_mesh_group *group = &mesh->groups[g];
        int kept = 0;
        for (int k = 0; k < group->vertex_count; k++)
            if (keep[group->vertices[k]] >= 0)
                group->vertices[kept++] = keep[group->vertices[k]];
        group->vertex_count = kept;
        if (kept) {
            mesh->groups[kept_groups++] = *group;
        } else {
            prc_free(group->name);
            prc_free(group->vertices);
        }
    }
    mesh->group_count = kept_groups;
}

int prc_mesh_keep(prc_mesh *mesh, const int *keep)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const size_t from = (size_t)i, to = (size_t)keep[i];
        if (keep[i] < 0)
            continue;
        memmove(mesh->positions + 3 * to, mesh->positions + 3 * from, 3 * sizeof(double));
        if (mesh->texture)
            memmove(mesh->texture + 2 * to, mesh->texture + 2 * from, 2 * sizeof(double));
        if (mesh->numbers)
            mesh->numbers[to] = mesh->numbers[from];
        for (int p = 0; p < mesh->property_count; p++)
            mesh->properties[p].values[to] = mesh->properties[p].values[from];
        count++;
    }
    keep_groups(mesh, keep);
    const int gone = keep_stitches(mesh, keep);
    mesh->vertex_count = count;
    return gone;
}

/* Triangles of the range, renumbered; −1 where one is cut, which *cut says. */
static int keep_triangles_of(prc_mesh *mesh, int first, int count, int *cut)
{
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int corners[3], inside = 0;
        for (int k = 0; k < 3; k++) {
            corners[k] = prc_mesh_number(mesh, mesh->triangles[3 * (size_t)t + (size_t)k]) - first;
            inside += corners[k] >= 0 && corners[k] < count;
        }
        if (inside == 1 || inside == 2) {
            *cut = t;
            return -1;
        }
        if (inside == 3)
            memmove(mesh->triangles + 3 * (size_t)kept++, mesh->triangles + 3 * (size_t)t, sizeof corners);
    }
    return kept;
}

prc_result prc_mesh_keep_range(prc_mesh *mesh, const int range[2], prc_error *error)
{
    const int first = range[0], count = range[1];
    int total = mesh->numbers ? 0 : mesh->vertex_count, cut = 0;
    while (total < mesh->vertex_count && mesh->numbers[total] == total)
        total++; /* what follows was split off */
    if (count < 1 || first >= total || count > total - first)
        return prc_fail(error, PRC_ERROR_INPUT, "%d vertices from number %d; the file has %d", count, first, total);
    int *keep = PRC_NEW(int, mesh->vertex_count);
    if (!keep)
        return PRC_FAIL_MEMORY(error);
    const int triangles = keep_triangles_of(mesh, first, count, &cut);
    if (triangles < 0) {
        prc_free(keep);
        return prc_fail(error, PRC_ERROR_INPUT,
                        "triangle %d has corners inside and outside the %d vertices from number %d; expected a range "
                        "that no triangle crosses",
                        cut, count, first);
    }
    for (int i = 0, next = 0; i < mesh->vertex_count; i++) {
        const int number = prc_mesh_number(mesh, i) - first;
        keep[i] = number >= 0 && number < count ? next++ : -1;
    }
    mesh->triangle_count = triangles;
    for (size_t k = 0; k < 3 * (size_t)triangles; k++)
        mesh->triangles[k] = keep[mesh->triangles[k]];
    prc_mesh_keep(mesh, keep);
    for (int i = 0; mesh->numbers && i < mesh->vertex_count; i++)
        mesh->numbers[i] -= first;
    prc_free(keep);
    return PRC_OK;
}

/* ---- triangles ---- */

static bool repeats(const int *v)
{
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static int count_repeating(const prc_mesh *mesh)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        count += repeats(mesh->triangles + 3 * (size_t)t);
    return count;
}

/* A triangle, or one of its edges, that is to be compared with others. */
typedef struct key {
    int vertices[3]; /* triangle: from its smallest vertex on; edge: in increasing order, and 0 */
    int triangle;
    bool forward; /* edge: the triangle runs along it in that order */
} key;

static int compare_keys(const void *left, const void *right)
{
    const key *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->vertices[k] != b->vertices[k])
            return a->vertices[k] < b->vertices[k] ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static bool same_vertices(const key *a, const key *b)
{
    return memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0;
}

/* Marks triangles that have the vertices of an earlier one, in the same order; returns their number. */
static int find_duplicates(const prc_mesh *mesh, key *keys, bool *gone)
{
    int count = 0, found = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3 * (size_t)t;
        const int s = v[0] <= v[1] ? (v[0] <= v[2] ? 0 : 2) : (v[1] <= v[2] ? 1 : 2);
        gone[t] = repeats(v);
        if (!gone[t])
            keys[count++] = (key){{v[s], v[(s + 1) % 3], v[(s + 2) % 3]}, t, false};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int k = 1; k < count; k++)
        if (same_vertices(&keys[k - 1], &keys[k])) {
            gone[keys[k].triangle] = true;
            found++;
        }
    return found;
}

static void remove_triangles(prc_mesh *mesh, const bool *gone)
{
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (!gone[t])
            memmove(mesh->triangles + 3 * (size_t)kept++, mesh->triangles + 3 * (size_t)t, 3 * sizeof(int));
    mesh->triangle_count = kept;
}

/* ---- orientation ---- */

/* Across each side of a triangle: the other triangle, and whether it runs the same way along it (then one of the two is
 * turned). −1 at boundaries and where more than two meet. */
typedef struct side {
    int other;
    bool turned;
} side;

static int find_sides(const prc_mesh *mesh, key *keys, side *sides)
{
    const int count = 3 * mesh->triangle_count;
    int turned = 0;
    for (int e = 0; e < count; e++) {
        const int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        keys[e] = (key){{a < b ? a : b, a < b ? b : a, 0}, e, a < b};
        sides[e].other = -1;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && same_vertices(&keys[k], &keys[next]); next++)
            ;
        if (next - k != 2)
            continue;
        const key *a = &keys[k], *b = &keys[k + 1];
        const bool same = a->forward == b->forward;
        sides[a->triangle] = (side){b->triangle / 3, same};
        sides[b->triangle] = (side){a->triangle / 3, same};
        turned += same;
    }
    return turned;
}

typedef struct component {
    int first, last; /* in the queue */
    int flipped;     /* triangles that face against the first */
    bool one_sided;
} component;

/* Spreads the orientation of the first triangle over its component. flip[t]: 0 unknown, 1 as the first, 2 against. */
static component spread(const side *sides, int start, int *queue, int first, unsigned char *flip)
{
    component c = {first, first + 1, 0, false};
    queue[first] = start;
    flip[start] = 1;
    for (int at = first; at < c.last; at++) {
        const int t = queue[at];
        for (int k = 0; k < 3; k++) {
            const side *s = &sides[3 * (size_t)t + (size_t)k];
            if (s->other < 0)
                continue;
            const unsigned char wanted = s->turned ? (unsigned char)(3 - flip[t]) : flip[t];
            if (!flip[s->other]) {
                flip[s->other] = wanted;
                c.flipped += wanted == 2;
                queue[c.last++] = s->other;
            } else if (flip[s->other] != wanted) {
                c.one_sided = true;
            }
        }
    }
    return c;
}

/* Turns the minority of every component that has two sides; returns how many were turned. */
static int turn_over(prc_mesh *mesh, const side *sides, int *queue, unsigned char *flip)
{
    int turned = 0, done = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (flip[t])
            continue;
        component c = spread(sides, t, queue, done, flip);
        done = c.last;
        if (c.one_sided || !c.flipped)
            continue;
        const int size = c.last - c.first;
        const unsigned char minority = 2 * c.flipped <= size ? 2 : 1;
        for (int k = c.first; k < c.last; k++) {
            int *v = mesh->triangles + 3 * (size_t)queue[k];
            if (flip[queue[k]] != minority)
                continue;
            const int swap = v[1];
            v[1] = v[2];
            v[2] = swap;
            turned++;
        }
    }
    return turned;
}

static prc_result orient(prc_mesh *mesh, key *keys, int *turned, prc_error *error)
{
    const size_t count = (size_t)mesh->triangle_count;
    side *sides = PRC_NEW(side, 3 * count);
    int *queue = PRC_NEW(int, count);
    unsigned char *flip = PRC_NEW(unsigned char, count);
    prc_result result = sides && queue && flip ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result && find_sides(mesh, keys, sides))
        *turned = turn_over(mesh, sides, queue, flip);
    prc_free(sides);
    prc_free(queue);
    prc_free(flip);
    return result;
}

/* ---- vertices ---- */

/* Numbers what is used; returns how many are not. */
static int find_isolated(const prc_mesh *mesh, int *keep)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        keep[i] = -1;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        keep[mesh->triangles[k]] = 0;
    int next = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        keep[i] = keep[i] < 0 ? -1 : next++;
    return mesh->vertex_count - next;
}

static int remove_isolated(prc_mesh *mesh, const int *keep, int *numbers)
{
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        mesh->triangles[k] = keep[mesh->triangles[k]];
    if (!mesh->numbers) {
        for (int i = 0; i < mesh->vertex_count; i++)
            numbers[i] = i;
        mesh->numbers = numbers;
    }
    return prc_mesh_keep(mesh, keep);
}

/* ---- all of it ---- */

static bool can_be_mended(const prc_mesh *mesh)
{
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1 || !mesh->positions || !mesh->triangles ||
        prc_mesh_fits(mesh, NULL))
        return false;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
            return false;
    return true;
}

/* What is needed, all at once, so that a failure changes nothing. */
typedef struct room {
    int *triangles; /* those of before */
    key *keys;
    bool *gone;
    int *keep, *numbers;
} room;

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static prc_result mend(prc_mesh *mesh, room *r, prc_mesh_report *report, prc_error *error)
{
    const int before = mesh->triangle_count, repeating = count_repeating(mesh);
    int turned = 0, lost = 0;
    memcpy(r->triangles, mesh->triangles, 3 * (size_t)before * sizeof(int));
    const int duplicates = find_duplicates(mesh, r->keys, r->gone);
    if (repeating + duplicates == before)
        return PRC_OK; /* nothing would be left; the check says why */
    remove_triangles(mesh, r->gone);
    prc_result result = orient(mesh, r->keys, &turned, error);
    if (result) {
        memcpy(mesh->triangles, r->triangles, 3 * (size_t)before * sizeof(int));
        mesh->triangle_count = before;
        return result;
    }
    const int isolated = find_isolated(mesh, r->keep);
    if (isolated) {
        const bool unnumbered = !mesh->numbers;
        lost = remove_isolated(mesh, r->keep, r->numbers);
        if (unnumbered)
            r->numbers = NULL; /* the mesh's now */
    }
    if (repeating)
        prc_mesh_note(report, "%d triangle%s that name%s a vertex twice removed", repeating, plural(repeating),
                      repeating == 1 ? "s" : "");
    if (duplicates)
        prc_mesh_note(report, "%d duplicate triangle%s removed", duplicates, plural(duplicates));
    if (turned)
        prc_mesh_note(report, "%d of %d triangles flipped, to face as most of their neighbours do", turned,
                      mesh->triangle_count);
    if (isolated)
        prc_mesh_note(report, "%d isolated vert%s removed", isolated, isolated == 1 ? "ex" : "ices");
    if (lost)
        prc_mesh_note(report, "%d stitch%s of isolated vertices removed", lost, lost == 1 ? "" : "es");
    return PRC_OK;
}

prc_result prc_mesh_mend(prc_mesh *mesh, prc_mesh_report *report, prc_error *error)
{
    if (!can_be_mended(mesh) || prc_mesh_check(mesh, NULL) == PRC_OK)
        return PRC_OK;
    const size_t triangles = (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
    room r = {.triangles = PRC_NEW(int, 3 * triangles),
              .keys = PRC_NEW(key, 3 * triangles),
              .gone = PRC_NEW(bool, triangles),
              .keep = PRC_NEW(int, vertices),
              .numbers = PRC_NEW(int, vertices)};
    prc_result result =
        r.triangles && r.keys && r.gone && r.keep && r.numbers ? mend(mesh, &r, report, error) : PRC_FAIL_MEMORY(error);
    prc_free(r.triangles);
    prc_free(r.keys);
    prc_free(r.gone);
    prc_free(r.keep);
    prc_free(r.numbers);
    return result;
}
