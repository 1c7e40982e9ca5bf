/* scene/select.c — converts selections to lists of vertices.
 *
 * A selection starts from all vertices, and every given condition removes some. A condition may itself consist of
 * selections (any, every, except), to a limited depth. Positions are those at time 0.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/loops.h"
#include "mesh/mend.h"
#include "scene/reader.h"
#include "scene/suggest.h"
#include "schema/schema.h"

#define DEEPEST 16      /* selections inside of each other */
#define SUGGESTIONS 100 /* names that are looked at for "did you mean" */
#define LIST_SIZE 260   /* of names in a message */

/* One selection while it is worked out. */
typedef struct selection {
    const prc_select_context *context;
    const prc_mesh *mesh;
    const prc_select_spec *spec;
    int depth;
    char path[PRC_PATH_SIZE];
} selection;

static bool resolve(const selection *s, char *kept);

/* Reports and returns false, as the caller does then. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(const selection *s, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const prc_scene_mark *mark = &s->spec->mark;
    prc_scene_report(s->context->log, PRC_ERROR_INPUT, mark->origin, mark->line, mark->column, s->path, "%s", message);
    return false;
}

static bool refuse_memory(const selection *s)
{
    const prc_scene_mark *mark = &s->spec->mark;
    prc_scene_report(s->context->log, PRC_ERROR_MEMORY, mark->origin, mark->line, mark->column, s->path,
                     "out of memory");
    return false;
}

/* ---- by number ---- */

static bool mark_all(const selection *s, char *wanted)
{
    memset(wanted, 1, (size_t)s->mesh->vertex_count);
    return true;
}

static bool mark_corners(const selection *s, char *wanted)
{
    const int *corners = s->context->corners;
    if (!corners)
        return refuse(s, "only grid and strip meshes have corners; use vertices, nearest, box or boundary");
    for (int k = 0; k < s->spec->corner_count; k++)
        wanted[corners[s->spec->corners[k]]] = 1;
    return true;
}

/* The largest number that a vertex has in its file. */
static int largest_number(const prc_mesh *mesh)
{
    int largest = mesh->vertex_count - 1;
    for (int i = 0; mesh->numbers && i < mesh->vertex_count; i++)
        largest = mesh->numbers[i] > largest ? mesh->numbers[i] : largest;
    return largest;
}

enum { ABSENT, PRESENT, NAMED };

/* By their numbers in the file, whatever became of them since; of a vertex that was split, all of it. */
static bool mark_vertices(const selection *s, char *wanted)
{
    const prc_mesh *mesh = s->mesh;
    const int largest = largest_number(mesh);
    char *state = PRC_NEW(char, largest + 1);
    bool good = state || refuse_memory(s);
    for (int i = 0; good && i < mesh->vertex_count; i++)
        state[prc_mesh_number(mesh, i)] = PRESENT;
    for (int k = 0; good && k < s->spec->vertex_count; k++) {
        const int number = s->spec->vertices[k];
        if (number > largest)
            good = refuse(s, "there is no vertex %d; the mesh has vertices 0 to %d", number, largest);
        else if (state[number] == ABSENT)
            good = refuse(s, "vertex %d belongs to no triangle of the mesh file and was removed", number);
        else
            state[number] = NAMED;
    }
    for (int i = 0; good && i < mesh->vertex_count; i++)
        wanted[i] = state[prc_mesh_number(mesh, i)] == NAMED;
    prc_free(state);
    return good;
}

static bool mark_range(const selection *s, char *wanted)
{
    const int first = s->spec->range[0], count = s->spec->range[1], largest = largest_number(s->mesh);
    if (count < 1 || first > largest || count > largest - first + 1)
        return refuse(s, "range: %d vertices from number %d; the mesh has vertices 0 to %d", count, first, largest);
    for (int i = 0; i < s->mesh->vertex_count; i++)
        wanted[i] = prc_mesh_number(s->mesh, i) >= first && prc_mesh_number(s->mesh, i) - first < count;
    return true;
}

/* ---- by the boundary ---- */

static double square_distance(const double *x, const double point[3])
{
    double d = 0;
    for (int c = 0; c < 3; c++)
        d += (x[c] - point[c]) * (x[c] - point[c]);
    return d;
}

/* The loop of the boundary vertex that is nearest to the point. */
static int nearest_loop(const prc_mesh *mesh, const prc_mesh_loops *loops, const double point[3])
{
    double smallest = DBL_MAX;
    int best = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double d = square_distance(mesh->positions + 3 * (size_t)i, point);
        if (loops->loop_of[i] >= 0 && d < smallest) {
            smallest = d;
            best = loops->loop_of[i];
        }
    }
    return best;
}

/* Vertices of the loops with these numbers; of all loops where the list is NULL. */
static void mark_loop_list(const prc_mesh *mesh, const prc_mesh_loops *loops, const int *list, int count, char *wanted)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        wanted[i] = !list && loops->loop_of[i] >= 0;
        for (int k = 0; k < count && loops->loop_of[i] >= 0 && !wanted[i]; k++)
            wanted[i] = list[k] == loops->loop_of[i];
    }
}

static bool refuse_points(const selection *s)
{
    return refuse(s, "points have no boundary; use box, sphere, side, nearest, vertices or range");
}

static bool find_loops(const selection *s, prc_mesh_loops *loops)
{
    *loops = (prc_mesh_loops){0};
    if (!s->mesh->triangle_count)
        refuse_points(s);
    else if (prc_mesh_loops_find(s->mesh, loops, NULL))
        refuse_memory(s);
    else if (loops->count)
        return true;
    else
        refuse(s, "the mesh is closed and has no boundary");
    prc_mesh_loops_release(loops);
    return false;
}

static bool mark_boundary(const selection *s, char *wanted)
{
    prc_mesh_loops loops;
    if (!s->mesh->triangle_count)
        return refuse_points(s);
    if (prc_mesh_loops_find(s->mesh, &loops, NULL))
        return refuse_memory(s);
    mark_loop_list(s->mesh, &loops, NULL, 0, wanted);
    prc_mesh_loops_release(&loops);
    return true;
}

static bool mark_loops(const selection *s, char *wanted)
{
    prc_mesh_loops loops;
    bool good = find_loops(s, &loops);
    for (int k = 0; good && k < s->spec->loop_count; k++)
        if (s->spec->loops[k] >= loops.count)
            good = refuse(s, "there is no loop %d; the boundary has %d loop%s, numbered from 0", s->spec->loops[k],
                          loops.count, loops.count == 1 ? "" : "s");
    if (good)
        mark_loop_list(s->mesh, &loops, s->spec->loops, s->spec->loop_count, wanted);
    prc_mesh_loops_release(&loops);
    return good;
}

static bool mark_loop_nearest(const selection *s, char *wanted)
{
    prc_mesh_loops loops;
    if (!find_loops(s, &loops))
        return false;
    const int best = nearest_loop(s->mesh, &loops, s->spec->loop_nearest);
    mark_loop_list(s->mesh, &loops, &best, 1, wanted);
    prc_mesh_loops_release(&loops);
    return true;
}

/* ---- by position ---- */

/* Faces belong to what they bound, and a placed vertex that should lie on one misses it by rounding. */
static double slack(const prc_mesh *mesh)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        largest = fmax(largest, fabs(mesh->positions[i]));
    return 1e-9 * largest;
}

static bool mark_box(const selection *s, char *wanted)
{
    const prc_box_spec *box = &s->spec->box;
    const double more = slack(s->mesh);
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        const double *x = s->mesh->positions + 3 * (size_t)i;
        wanted[i] = 1;
        for (int c = 0; c < 3; c++)
            wanted[i] = wanted[i] && x[c] >= box->min[c] - more && x[c] <= box->max[c] + more;
    }
    return true;
}

static bool mark_sphere(const selection *s, char *wanted)
{
    const prc_ball_spec *ball = &s->spec->sphere;
    const double radius = ball->radius + slack(s->mesh);
    for (int i = 0; i < s->mesh->vertex_count; i++)
        wanted[i] = sqrt(square_distance(s->mesh->positions + 3 * (size_t)i, ball->center)) <= radius;
    return true;
}

static bool mark_side(const selection *s, char *wanted)
{
    const prc_side_spec *side = &s->spec->side;
    const double *n = side->normal, more = slack(s->mesh) * (fabs(n[0]) + fabs(n[1]) + fabs(n[2]));
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        const double *x = s->mesh->positions + 3 * (size_t)i;
        const double height =
            n[0] * (x[0] - side->point[0]) + n[1] * (x[1] - side->point[1]) + n[2] * (x[2] - side->point[2]);
        wanted[i] = height >= -more;
    }
    return true;
}

typedef struct neighbour {
    double distance;
    int vertex;
} neighbour;

static int compare_neighbours(const void *a, const void *b)
{
    const neighbour *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* Of vertices that are equally near, those with the smallest numbers. */
static bool mark_nearest(const selection *s, char *wanted)
{
    const int n = s->mesh->vertex_count, count = s->spec->count;
    if (count > n)
        return refuse(s, "count: %d, but the mesh has %d vertices", count, n);
    neighbour *list = PRC_NEW(neighbour, n);
    if (!list)
        return refuse_memory(s);
    for (int i = 0; i < n; i++)
        list[i] = (neighbour){square_distance(s->mesh->positions + 3 * (size_t)i, s->spec->nearest), i};
    qsort(list, (size_t)n, sizeof *list, compare_neighbours);
    for (int k = 0; k < count; k++)
        wanted[list[k].vertex] = 1;
    prc_free(list);
    return true;
}

/* ---- by what the file says ---- */

/* "; did you mean 'sleeve'?" or "; expected one of body, sleeve", for one of `count` names. */
static void suggest_name(const char *word, const char **names, int count, char text[LIST_SIZE])
{
    names[count < SUGGESTIONS ? count : SUGGESTIONS] = NULL;
    const char *near = prc_suggest(word, names);
    if (near) {
        snprintf(text, LIST_SIZE, "; did you mean '%.60s'?", near);
        return;
    }
    size_t used = (size_t)snprintf(text, LIST_SIZE, "; expected one of ");
    for (int k = 0; names[k] && used + 70 < LIST_SIZE; k++)
        used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%.60s%s", k ? ", " : "", names[k],
                                 names[k + 1] && used + 140 >= LIST_SIZE ? ", …" : "");
}

/* Names of groups, each once, as many as there is room for; returns how many. */
static int list_groups(const prc_mesh *mesh, const char *names[SUGGESTIONS])
{
    int count = 0;
    for (int g = 0; g < mesh->group_count && count < SUGGESTIONS; g++) {
        int known = 0;
        while (known < count && strcmp(names[known], mesh->groups[g].name) != 0)
            known++;
        if (known == count)
            names[count++] = mesh->groups[g].name;
    }
    return count;
}

static bool mark_group(const selection *s, char *wanted)
{
    const prc_mesh *mesh = s->mesh;
    bool found = false;
    for (int g = 0; g < mesh->group_count; g++) {
        const prc_mesh_group *group = &mesh->groups[g];
        const bool same = !strcmp(group->name, s->spec->group);
        for (int k = 0; same && k < group->vertex_count; k++)
            wanted[group->vertices[k]] = 1;
        found = found || same;
    }
    if (found)
        return true;
    const char *names[SUGGESTIONS + 1];
    char hint[LIST_SIZE] = "; the mesh has no groups, which OBJ and MSH files may have";
    const int count = list_groups(mesh, names);
    if (count > 0)
        suggest_name(s->spec->group, names, count, hint);
    return refuse(s, "group: there is no group '%.60s'%s", s->spec->group, hint);
}

static const prc_mesh_property *find_property(const prc_mesh *mesh, const char *name)
{
    for (int p = 0; p < mesh->property_count; p++)
        if (!strcmp(mesh->properties[p].name, name))
            return &mesh->properties[p];
    return NULL;
}

/* Marks values between the two ends. */
static void mark_values(const double *values, int count, double above, double below, char *wanted)
{
    for (int i = 0; i < count; i++)
        wanted[i] = values[i] > above && values[i] < below;
}

static bool mark_property(const selection *s, char *wanted)
{
    const prc_mesh *mesh = s->mesh;
    const prc_property_spec *spec = &s->spec->property;
    const prc_mesh_property *property = find_property(mesh, spec->name);
    if (property) {
        mark_values(property->values, mesh->vertex_count, spec->above, spec->below, wanted);
        return true;
    }
    const char *names[SUGGESTIONS + 1];
    char hint[LIST_SIZE] = "; the mesh has no properties, which PLY and VTK files may have";
    for (int p = 0; p < mesh->property_count && p < SUGGESTIONS; p++)
        names[p] = mesh->properties[p].name;
    if (mesh->property_count > 0)
        suggest_name(spec->name, names, mesh->property_count, hint);
    return refuse(s, "property.name: there is no property '%.60s'%s", spec->name, hint);
}

static bool mark_map(const selection *s, char *wanted)
{
    const prc_map_spec *map = &s->spec->map;
    const int n = s->mesh->vertex_count;
    double *values = PRC_NEW(double, n);
    if (!values)
        return refuse_memory(s);
    prc_error error;
    const prc_result result = prc_scene_sample_map(s->context, map, values, &error);
    if (!result)
        mark_values(values, n, map->above, map->below, wanted);
    prc_free(values);
    return !result || refuse(s, "map: %s", error.message);
}

/* ---- sets of selections ---- */

/* Vertices of one of the selections, or of all of them. */
static bool combine(const selection *s, const char *key, const prc_select_spec *list, int count, bool all, char *wanted)
{
    const int n = s->mesh->vertex_count;
    char *set = PRC_NEW(char, n);
    bool good = set || refuse_memory(s);
    memset(wanted, all, (size_t)n);
    for (int k = 0; good && k < count; k++) {
        selection inner = {.context = s->context, .mesh = s->mesh, .spec = &list[k], .depth = s->depth + 1};
        snprintf(inner.path, sizeof inner.path, "%.160s.%s[%d]", s->path, key, k);
        if (inner.depth >= DEEPEST)
            good = refuse(&inner, "selections nested more than %d levels deep; expected a simpler one", DEEPEST);
        else
            good = resolve(&inner, set);
        for (int i = 0; good && i < n; i++)
            wanted[i] = all ? wanted[i] && set[i] : wanted[i] || set[i];
    }
    prc_free(set);
    return good && (count > 0 || refuse(s, "%s: an empty list; expected selections", key));
}

static bool mark_any(const selection *s, char *wanted)
{
    return combine(s, "any", s->spec->any, s->spec->any_count, false, wanted);
}

static bool mark_every(const selection *s, char *wanted)
{
    return combine(s, "every", s->spec->every, s->spec->every_count, true, wanted);
}

static bool mark_except(const selection *s, char *wanted)
{
    if (!combine(s, "except", s->spec->except, s->spec->except_count, false, wanted))
        return false;
    for (int i = 0; i < s->mesh->vertex_count; i++)
        wanted[i] = !wanted[i];
    return true;
}

/* ---- all conditions together ---- */

/* Keys of the table `select`; what they mark is set to 0 before. `in_space`: whether bounds of the mesh would help. */
static const struct condition {
    const char *key;
    bool (*mark)(const selection *s, char *wanted);
    bool in_space;
} conditions[] = {
    {"all", mark_all, false},
    {"corners", mark_corners, false},
    {"vertices", mark_vertices, false},
    {"range", mark_range, false},
    {"boundary", mark_boundary, false},
    {"loops", mark_loops, false},
    {"loop_nearest", mark_loop_nearest, false},
    {"box", mark_box, true},
    {"sphere", mark_sphere, true},
    {"side", mark_side, true},
    {"nearest", mark_nearest, false},
    {"group", mark_group, false},
    {"property", mark_property, false},
    {"map", mark_map, false},
    {"any", mark_any, true},
    {"every", mark_every, true},
    {"except", mark_except, false},
};

static const int condition_count = sizeof conditions / sizeof *conditions;

static bool is_given(const prc_select_spec *spec, const char *key)
{
    if ((!strcmp(key, "all") && !spec->all) || (!strcmp(key, "boundary") && !spec->boundary))
        return false;
    return spec->mark.given >> prc_schema_find(prc_schema_table(PRC_TABLE_select), key) & 1u;
}

static int count_marks(const char *marks, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += marks[i];
    return count;
}

/* Marks the vertices that are selected, perhaps none. */
static bool resolve(const selection *s, char *kept)
{
    const int n = s->mesh->vertex_count;
    int given = 0;
    char *wanted = PRC_NEW(char, n);
    bool good = wanted || refuse_memory(s);
    memset(kept, 1, (size_t)n);
    for (int k = 0; good && k < condition_count; k++) {
        if (!is_given(s->spec, conditions[k].key))
            continue;
        given++;
        memset(wanted, 0, (size_t)n);
        good = conditions[k].mark(s, wanted);
        for (int i = 0; i < n; i++)
            kept[i] = kept[i] && wanted[i];
    }
    prc_free(wanted);
    return good && (given || refuse(s, "no condition given; expected all, corners, vertices, range, boundary, loops, "
                                       "loop_nearest, box, sphere, side, nearest, group, property, map, any, every or "
                                       "except"));
}

/* Appends to a message of `size` bytes; what does not fit is cut off. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_bounds(const prc_mesh *mesh, char *text, size_t size)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    append(text, size, "; the mesh extends from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g]", low[0], low[1], low[2],
           high[0], high[1], high[2]);
}

static void append_span(const char *what, const double *values, int count, char *text, size_t size)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    append(text, size, "; %.60s ranges from %.4g to %.4g", what, low, high);
}

/* What would have been possible, for conditions that alone select nothing. */
static void append_hint(const selection *s, const struct condition *condition, char *text, size_t size)
{
    const prc_mesh *mesh = s->mesh;
    if (condition->in_space && !strstr(text, "the mesh extends"))
        append_bounds(mesh, text, size);
    if (condition->mark == mark_boundary)
        append(text, size, "; the mesh is closed");
    const prc_mesh_property *property =
        condition->mark == mark_property ? find_property(mesh, s->spec->property.name) : NULL;
    if (property)
        append_span(property->name, property->values, mesh->vertex_count, text, size);
    if (condition->mark == mark_map) {
        double *values = PRC_NEW(double, mesh->vertex_count);
        if (values && !prc_scene_sample_map(s->context, &s->spec->map, values, NULL))
            append_span("the map", values, mesh->vertex_count, text, size);
        prc_free(values);
    }
}

/* Says how many vertices each condition leaves, and what to do about those that leave none. */
static void refuse_empty(const selection *s, char *wanted)
{
    char counts[200] = "", hints[300] = "";
    int given = 0;
    for (int k = 0; k < condition_count; k++) {
        if (!is_given(s->spec, conditions[k].key))
            continue;
        memset(wanted, 0, (size_t)s->mesh->vertex_count);
        if (!conditions[k].mark(s, wanted))
            return;
        const int count = count_marks(wanted, s->mesh->vertex_count);
        append(counts, sizeof counts, "%s%s %d", given++ ? ", " : "", conditions[k].key, count);
        if (!count)
            append_hint(s, &conditions[k], hints, sizeof hints);
    }
    if (given > 1)
        refuse(s, "no vertex meets all conditions (each alone: %s)%s", counts, hints);
    else
        refuse(s, "no vertex meets the conditions%s", hints);
}

int *prc_scene_select(const prc_select_context *context, const prc_select_spec *spec, int *count)
{
    const int n = context->mesh->vertex_count;
    selection s = {.context = context, .mesh = context->mesh, .spec = spec};
    snprintf(s.path, sizeof s.path, "%s", context->path);
    char *kept = PRC_NEW(char, n);
    int *list = NULL;
    *count = 0;
    if (!kept)
        refuse_memory(&s);
    if (kept && resolve(&s, kept)) {
        *count = count_marks(kept, n);
        if (!*count)
            refuse_empty(&s, kept);
        else if (!(list = PRC_NEW(int, *count)))
            refuse_memory(&s);
        for (int i = 0, at = 0; list && i < n; i++)
            if (kept[i])
                list[at++] = i;
    }
    prc_free(kept);
    return list;
}
