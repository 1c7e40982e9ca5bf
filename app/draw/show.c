/* app/draw/show.c — see show.h.
 *
 * If a frame does not tell the body of each vertex and there is no scene, every connected part counts as a body.
 * SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "parts.h"

#define SIDES 10   /* of a needle's tube */
#define SEEN 48000 /* points that are kept for a camera */
#define LOOK 2400  /* of which one look adds so many at most */
#define NEAR 0.7   /* of the cloth: what is farther from its box is not what the picture is of */
#define BELOW 0.04 /* of it: how far the ground lies below the lowest point, where the scene has none */
#define AROUND 27  /* degrees beside and above what the picture is of */
#define ABOVE 19
#define WIDEST 2.5 /* a collider that is larger than the cloth by more than this is not what the picture is of */
#define RADIANS (3.14159265358979323846 / 180)

/* Some of the vertices, and the triangles between them, as an item. */
typedef struct part {
    int item; /* −1: there is none */
    int *vertices, vertex_count;
} part;

struct prc_show {
    prc_draw *draw;
    prc_show_def def;
    int *body; /* per vertex */
    part cloth, obstacles, points;
    int needles, *edges, edge_count;
    double needle_radius;
    int *colliders; /* items, −1 for none */
    int ground;     /* the collider that is the ground, or −1 */
    double up[3];
    const double *positions; /* of the last move; the caller's */
    double *gathered;        /* room for the positions and values of a part */
    double *seen;            /* 3 per point */
    bool *seen_cloth;        /* per point */
    long seen_count;
    double low; /* of what was seen, along up */
};

/* ---- bodies ---- */

static int root_of(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static bool find_components(prc_show *s)
{
    int *parent = PRC_NEW(int, s->def.vertex_count), count = 0;
    if (!parent)
        return false;
    for (int v = 0; v < s->def.vertex_count; v++)
        parent[v] = v;
    for (long k = 0; k < 3L * s->def.triangle_count; k++) {
        const int a = root_of(parent, s->def.triangles[k]), b = root_of(parent, s->def.triangles[k - k % 3]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int v = 0; v < s->def.vertex_count; v++) { /* a root comes before all others of its part */
        const int root = root_of(parent, v);
        s->body[v] = root == v ? count : s->body[root];
        count += root == v;
    }
    prc_free(parent);
    return true;
}

/* From the scene where it fits the frames. */
static bool find_bodies(prc_show *s)
{
    const prc_sim_def *sim = s->def.sim;
    int first = 0;
    s->body = PRC_NEW(int, s->def.vertex_count);
    if (!s->body)
        return false;
    for (int b = 0; sim && b < sim->body_count; b++)
        first += sim->bodies[b].mesh->vertex_count;
    for (int o = 0; sim && o < sim->obstacle_count; o++)
        first += sim->obstacles[o].mesh->vertex_count;
    if (!sim || first != s->def.vertex_count)
        return find_components(s);
    first = 0;
    for (int b = 0; b < sim->body_count; b++)
        for (int v = 0; v < sim->bodies[b].mesh->vertex_count; v++)
            s->body[first++] = b;
    return true;
}

/* ---- items ---- */

static bool is_obstacle(const prc_show *s, int vertex)
{
    return s->def.obstacle && s->def.obstacle[vertex];
}

/* The vertices that are wanted, numbered anew in `map`; −1 for the others. */
static bool pick(part *p, const int *map, int count)
{
    p->vertices = PRC_NEW(int, count);
    for (int v = 0; p->vertices && v < count; v++)
        if (map[v] >= 0)
            p->vertices[p->vertex_count++] = v;
    return p->vertices != NULL;
}

static prc_result add_surface(prc_show *s, part *p, bool obstacle, prc_error *error)
{
    const int vertices = s->def.vertex_count;
    int *map = PRC_NEW(int, vertices), *triangles = PRC_NEW(int, 3 * (size_t)s->def.triangle_count), count = 0,
        used = 0;
    float *colours = PRC_NEW(float, 3 * (size_t)vertices);
    p->item = -1;
    const bool good = map && triangles && colours;
    for (long k = 0; good && k < 3L * s->def.triangle_count; k++)
        map[s->def.triangles[k]] = is_obstacle(s, s->def.triangles[k]) == obstacle;
    for (int v = 0; good && v < vertices; v++) {
        double colour[3];
        prc_palette_colour(s->body[v], colour);
        for (int c = 0; map[v] && c < 3; c++)
            colours[3 * used + c] = (float)colour[c];
        map[v] = map[v] ? used++ : -1;
    }
    for (int t = 0; good && t < s->def.triangle_count; t++) {
        const int *from = s->def.triangles + 3L * t;
        for (int k = 0; map[from[0]] >= 0 && map[from[1]] >= 0 && map[from[2]] >= 0 && k < 3; k++)
            triangles[3 * count + k] = map[from[k]];
        count += map[from[0]] >= 0 && map[from[1]] >= 0 && map[from[2]] >= 0;
    }
    prc_result result = good && pick(p, map, vertices) ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result && count) {
        const prc_draw_item_def def = {.vertex_count = used,
                                       .triangle_count = count,
                                       .triangles = triangles,
                                       .colour = {0.66, 0.65, 0.63},
                                       .colours = obstacle ? NULL : colours,
                                       .rigid = obstacle,
                                       .smooth = s->def.smooth};
        p->item = prc_draw_add(s->draw, &def, error);
        result = p->item < 0 ? error->code : PRC_OK;
    }
    prc_free(map);
    prc_free(triangles);
    prc_free(colours);
    return result;
}

/* Tubes about the edges: SIDES corners at each end. */
static prc_result add_needles(prc_show *s, prc_error *error)
{
    const int edges = s->def.edge_count;
    s->needles = -1;
    s->edge_count = edges;
    if (!edges)
        return PRC_OK;
    s->edges = PRC_NEW(int, 2 * (size_t)edges);
    int *triangles = PRC_NEW(int, 6 * (size_t)edges * SIDES);
    if (s->edges)
        memcpy(s->edges, s->def.edges, 2 * sizeof *s->edges * (size_t)edges);
    for (int e = 0, t = 0; triangles && e < edges; e++)
        for (int k = 0; k < SIDES; k++) {
            const int a = 2 * SIDES * e + k, b = 2 * SIDES * e + (k + 1) % SIDES;
            const int both[6] = {a, b, a + SIDES, b, b + SIDES, a + SIDES};
            memcpy(triangles + 6L * t++, both, sizeof both);
        }
    prc_result result = s->edges && triangles ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result) {
        const prc_draw_item_def def = {.vertex_count = 2 * SIDES * edges,
                                       .triangle_count = 2 * SIDES * edges,
                                       .triangles = triangles,
                                       .colour = {0.42, 0.43, 0.46},
                                       .rigid = true};
        s->needles = prc_draw_add(s->draw, &def, error);
        result = s->needles < 0 ? error->code : PRC_OK;
    }
    prc_free(triangles);
    return result;
}

/* Vertices of obstacles that belong to nothing else. */
static prc_result add_points(prc_show *s, prc_error *error)
{
    int *map = PRC_NEW(int, s->def.vertex_count), count = 0;
    s->points.item = -1;
    if (!map)
        return PRC_FAIL_MEMORY(error);
    for (long k = 0; k < 3L * s->def.triangle_count; k++)
        map[s->def.triangles[k]] = -1;
    for (long k = 0; k < 2L * s->def.edge_count; k++)
        map[s->def.edges[k]] = -1;
    for (int v = 0; v < s->def.vertex_count; v++) {
        map[v] = !map[v] && is_obstacle(s, v) ? 0 : -1;
        count += !map[v];
    }
    prc_result result = pick(&s->points, map, s->def.vertex_count) ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result && count) {
        const prc_draw_item_def def = {
            .vertex_count = count, .points = true, .radius = s->needle_radius, .colour = {0.42, 0.43, 0.46}};
        s->points.item = prc_draw_add(s->draw, &def, error);
        result = s->points.item < 0 ? error->code : PRC_OK;
    }
    prc_free(map);
    return result;
}

/* ---- colliders ---- */

static bool moves(const prc_motion_def *m)
{
    const double *v = m->velocity;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || m->degrees_per_second != 0 || m->key_count;
}

static void find_up(prc_show *s)
{
    const double *g = s->def.sim ? s->def.sim->gravity : (const double[3]){0, -1, 0};
    const double *wanted = s->def.sim ? s->def.sim->camera.up : g;
    const double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double own = s->def.sim ? sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]) : 0;
    for (int c = 0; c < 3; c++)
        s->up[c] = own > 0 ? wanted[c] / own : length > 0 ? -g[c] / length : c == 1;
}

/* A plane at rest that faces up. */
static int find_ground(const prc_show *s)
{
    const prc_sim_def *sim = s->def.sim;
    for (int k = 0; sim && k < sim->collider_count; k++) {
        double turn[3][3], shift[3], up = 0;
        if (sim->colliders[k].shape != PRC_SHAPE_PLANE || moves(&sim->colliders[k].motion))
            continue;
        prc_draw_collider_pose(&sim->colliders[k], 0, turn, shift);
        for (int c = 0; c < 3; c++)
            up += turn[c][1] * s->up[c];
        if (up > 0.999)
            return k;
    }
    return -1;
}

/* The largest side of all cloth at the start. */
static double extent_of(const prc_sim_def *sim)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int b = 0; b < sim->body_count; b++)
        for (long k = 0; k < 3L * sim->bodies[b].mesh->vertex_count; k++) {
            low[k % 3] = fmin(low[k % 3], sim->bodies[b].mesh->positions[k]);
            high[k % 3] = fmax(high[k % 3], sim->bodies[b].mesh->positions[k]);
        }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

static prc_result add_colliders(prc_show *s, prc_error *error)
{
    const prc_sim_def *sim = s->def.sim;
    s->ground = find_ground(s);
    if (!sim || !sim->collider_count)
        return PRC_OK;
    s->colliders = PRC_NEW(int, sim->collider_count);
    if (!s->colliders)
        return PRC_FAIL_MEMORY(error);
    const double extent = extent_of(sim);
    for (int k = 0; k < sim->collider_count; k++) {
        s->colliders[k] =
            k == s->ground ? -1 : prc_draw_add_collider(s->draw, &sim->colliders[k], WIDEST * extent, error);
        if (k != s->ground && s->colliders[k] < 0)
            return error->code;
    }
    return PRC_OK;
}

/* ---- making ---- */

static prc_result fill(prc_show *s, prc_error *error)
{
    const double thickness = s->def.sim ? s->def.sim->contact.thickness : 0;
    s->needle_radius = fmax(thickness / 2, s->def.sim ? extent_of(s->def.sim) / 250 : 2e-3);
    s->gathered = PRC_NEW(double, 4 * (size_t)s->def.vertex_count + 6 * SIDES * (size_t)s->def.edge_count);
    s->seen = PRC_NEW(double, 3 * SEEN);
    s->seen_cloth = PRC_NEW(bool, SEEN);
    if (!s->gathered || !s->seen || !s->seen_cloth || !find_bodies(s))
        return PRC_FAIL_MEMORY(error);
    find_up(s);
    prc_result result = add_surface(s, &s->cloth, false, error);
    if (!result)
        result = add_surface(s, &s->obstacles, true, error);
    if (!result)
        result = add_needles(s, error);
    if (!result)
        result = add_points(s, error);
    return result ? result : add_colliders(s, error);
}

prc_show *prc_show_create(prc_draw *draw, const prc_show_def *def, prc_error *error)
{
    prc_error own;
    prc_show *s = PRC_NEW(prc_show, 1);
    if (!s) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    s->draw = draw;
    s->def = *def;
    s->low = HUGE_VAL;
    const prc_result result = fill(s, &own);
    s->def.triangles = s->def.edges = NULL; /* have been copied */
    s->def.obstacle = NULL;
    if (!result)
        return s;
    if (error)
        *error = own;
    prc_show_destroy(s);
    return NULL;
}

void prc_show_destroy(prc_show *s)
{
    if (!s)
        return;
    prc_free(s->body);
    prc_free(s->cloth.vertices);
    prc_free(s->obstacles.vertices);
    prc_free(s->points.vertices);
    prc_free(s->edges);
    prc_free(s->colliders);
    prc_free(s->gathered);
    prc_free(s->seen);
    prc_free(s->seen_cloth);
    prc_free(s);
}

/* ---- moving ---- */

static prc_result move_part(prc_show *s, const part *p, const double *positions, const double *values, prc_error *error)
{
    double *own = s->gathered + 3L * s->def.vertex_count;
    if (p->item < 0)
        return PRC_OK;
    for (int k = 0; k < p->vertex_count; k++) {
        memcpy(s->gathered + 3L * k, positions + 3L * p->vertices[k], 3 * sizeof(double));
        own[k] = values ? values[p->vertices[k]] : 0;
    }
    return prc_draw_move(s->draw, p->item, s->gathered, values ? own : NULL, error);
}

static void ring_at(const double at[3], const double along[3], double radius, double *out)
{
    const int least = fabs(along[0]) < fabs(along[1]) ? 0 : 1;
    double u[3], v[3], help[3] = {0, 0, 0}, length = 0;
    help[least] = 1;
    for (int c = 0; c < 3; c++) {
        u[c] = along[(c + 1) % 3] * help[(c + 2) % 3] - along[(c + 2) % 3] * help[(c + 1) % 3];
        length += u[c] * u[c];
    }
    for (int c = 0; c < 3; c++)
        u[c] /= fmax(sqrt(length), 1e-300);
    for (int c = 0; c < 3; c++)
        v[c] = along[(c + 1) % 3] * u[(c + 2) % 3] - along[(c + 2) % 3] * u[(c + 1) % 3];
    for (int k = 0; k < SIDES; k++)
        for (int c = 0; c < 3; c++)
            out[3 * k + c] =
                at[c] + radius * (cos(360 * RADIANS * k / SIDES) * u[c] + sin(360 * RADIANS * k / SIDES) * v[c]);
}

static prc_result move_needles(prc_show *s, const double *positions, prc_error *error)
{
    if (s->needles < 0)
        return PRC_OK;
    for (int e = 0; e < s->edge_count; e++) {
        const double *a = positions + 3L * s->edges[2 * e], *b = positions + 3L * s->edges[2 * e + 1];
        double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const double length = fmax(sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]), 1e-300);
        for (int c = 0; c < 3; c++)
            along[c] /= length;
        ring_at(a, along, s->needle_radius, s->gathered + 6L * SIDES * e);
        ring_at(b, along, s->needle_radius, s->gathered + 6L * SIDES * e + 3L * SIDES);
    }
    return prc_draw_move(s->draw, s->needles, s->gathered, NULL, error);
}

prc_result prc_show_move(prc_show *s, const double *positions, const double *values, double time, prc_error *error)
{
    s->positions = positions;
    prc_result result = move_part(s, &s->cloth, positions, values, error);
    if (!result)
        result = move_part(s, &s->obstacles, positions, NULL, error);
    if (!result)
        result = move_part(s, &s->points, positions, NULL, error);
    if (!result)
        result = move_needles(s, positions, error);
    for (int k = 0; s->colliders && k < s->def.sim->collider_count && !result; k++) {
        double turn[3][3], shift[3];
        prc_draw_collider_pose(&s->def.sim->colliders[k], time, turn, shift);
        prc_show_place_collider(s, k, (const double(*)[3])turn, shift);
    }
    return result;
}

void prc_show_place_collider(prc_show *s, int collider, const double turn[3][3], const double shift[3])
{
    if (s->colliders[collider] >= 0)
        prc_draw_pose(s->draw, s->colliders[collider], turn, shift);
}

void prc_show_place_told(prc_show *s, const prc_colliders *colliders)
{
    for (int k = 0; s->colliders && k < colliders->count; k++)
        if (colliders->numbers[k] < s->def.sim->collider_count &&
            colliders->colliders[k].kind == s->def.sim->colliders[colliders->numbers[k]].shape)
            prc_show_place_collider(s, colliders->numbers[k], (const double(*)[3])colliders->colliders[k].turn,
                                    colliders->colliders[k].shift);
}

int prc_show_collider_item(const prc_show *s, int collider)
{
    return s->colliders ? s->colliders[collider] : -1;
}

/* ---- ground and camera ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Room for more: every other point goes. */
static void thin_out(prc_show *s)
{
    s->seen_count /= 2;
    for (long k = 1; k < s->seen_count; k++) {
        memcpy(s->seen + 3 * k, s->seen + 6 * k, 3 * sizeof(double));
        s->seen_cloth[k] = s->seen_cloth[2 * k];
    }
}

static void place_of(const prc_draw_item *item, const double at[3], double out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = (double)item->model[12 + c];
        for (int a = 0; a < 3; a++)
            out[c] += (double)item->model[4 * a + c] * at[a];
    }
}

static void look_at(prc_show *s, int number, int items)
{
    const prc_draw_item *item = &s->draw->items[number];
    /* Every item has the same share: a round collider has so many vertices that little would be seen of a cloth. */
    const long stride = item->staged_count * items / LOOK + 1;
    for (long k = 0; k < item->staged_count && s->seen_count < SEEN; k += stride) {
        const float *p = item->staged[k].position;
        place_of(item, (const double[3]){(double)p[0], (double)p[1], (double)p[2]}, s->seen + 3 * s->seen_count);
        s->seen_cloth[s->seen_count++] = number == s->cloth.item;
    }
    for (int corner = 0; corner < 8; corner++) { /* the lowest point is not left to chance */
        double at[3], place[3];
        for (int a = 0; a < 3; a++)
            at[a] = item->box[corner >> a & 1][a];
        place_of(item, at, place);
        s->low = fmin(s->low, dot(place, s->up));
    }
}

void prc_show_look(prc_show *s)
{
    int items = 0;
    if (s->seen_count + 2 * LOOK > SEEN)
        thin_out(s);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->draw->item_count; k++) {
            const prc_draw_item *item = &s->draw->items[k];
            if (!item->placed || item->def.hidden || item->def.unbounded || item->plane)
                continue;
            if (pass)
                look_at(s, k, items);
            else
                items++;
        }
}

/* A picture is of the cloth and of what is near it: the points that count, how many they are, and half the diagonal of
 * the cloth's box. Where there is no cloth, all count. */
static long near_cloth(const prc_show *s, double *points, double *radius)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, square = 0;
    bool any = false;
    long count = 0;
    for (long k = 0; k < s->seen_count; k++)
        any = any || s->seen_cloth[k];
    for (long k = 0; k < s->seen_count; k++)
        for (int c = 0; c < 3 && (s->seen_cloth[k] || !any); c++) {
            low[c] = fmin(low[c], s->seen[3 * k + c]);
            high[c] = fmax(high[c], s->seen[3 * k + c]);
        }
    for (int c = 0; c < 3; c++)
        square += (high[c] - low[c]) * (high[c] - low[c]);
    *radius = sqrt(square) / 2;
    for (long k = 0; k < s->seen_count; k++) {
        bool near = true;
        for (int c = 0; c < 3; c++)
            near =
                near && s->seen[3 * k + c] >= low[c] - NEAR * *radius && s->seen[3 * k + c] <= high[c] + NEAR * *radius;
        if (near)
            memcpy(points + 3 * count++, s->seen + 3 * k, 3 * sizeof(double));
    }
    return count;
}

/* Two horizontal directions: to the right, and to who looks. */
static void horizon(const double up[3], double right[3], double front[3])
{
    const int axis = fabs(up[2]) > 0.9 ? 1 : 2; /* z is to the front, or where it is up, −y */
    double length = 0;
    for (int c = 0; c < 3; c++) {
        front[c] = (c == axis ? axis == 1 ? -1 : 1 : 0) - up[c] * (axis == 1 ? -up[1] : up[2]);
        length += front[c] * front[c];
    }
    for (int c = 0; c < 3; c++)
        front[c] /= sqrt(length);
    for (int c = 0; c < 3; c++)
        right[c] = up[(c + 1) % 3] * front[(c + 2) % 3] - up[(c + 2) % 3] * front[(c + 1) % 3];
}

/* The angle from the front at which what was seen is least deep: a flag is looked at from its broad side. */
static double broad_side(const double *points, long count, const double right[3], const double front[3])
{
    double mean[2] = {0, 0}, xx = 0, xz = 0, zz = 0;
    const double share = 1 / fmax(1, (double)count);
    for (long k = 0; k < count; k++) {
        mean[0] += share * dot(points + 3 * k, right);
        mean[1] += share * dot(points + 3 * k, front);
    }
    for (long k = 0; k < count; k++) {
        const double x = dot(points + 3 * k, right) - mean[0], z = dot(points + 3 * k, front) - mean[1];
        xx += x * x;
        xz += x * z;
        zz += z * z;
    }
    const double spread = hypot((xx - zz) / 2, xz), middle = (xx + zz) / 2;
    if (!(middle - spread < 0.45 * (middle + spread)))
        return 0;
    /* The axis of the least spread, as an angle from the front towards the right; of its two ends the one in front. */
    const double angle = 0.5 * atan2(2 * xz, xx - zz) + 90 * RADIANS;
    const double degrees = 90 - angle / RADIANS;
    return degrees > 91 ? degrees - 180 : degrees < -89 ? degrees + 180 : degrees;
}

static void fit_camera(const prc_show *s, const double *points, long count, const double *angles, double aspect,
                       double margin, prc_camera *camera)
{
    double right[3], front[3];
    horizon(s->up, right, front);
    const double around = (angles ? angles[0] : AROUND) + broad_side(points, count, right, front);
    const double above = angles ? angles[1] : ABOVE;
    for (int c = 0; c < 3; c++) {
        const double flat = sin(around * RADIANS) * right[c] + cos(around * RADIANS) * front[c];
        camera->target[c] = 0;
        camera->eye[c] = cos(above * RADIANS) * flat + sin(above * RADIANS) * s->up[c];
        camera->up[c] = s->up[c];
    }
    prc_camera_fit(camera, points, count, aspect, margin);
}

prc_result prc_show_aim(const prc_show *s, const double *angles, double aspect, double margin, prc_draw_view *view,
                        prc_error *error)
{
    const prc_camera_def *own = s->def.sim ? &s->def.sim->camera : NULL;
    double *points = PRC_NEW(double, 3 * (size_t)s->seen_count), radius;
    if (!points)
        return PRC_FAIL_MEMORY(error);
    const long count = near_cloth(s, points, &radius);
    memcpy(view->up, s->up, sizeof view->up);
    view->ground = count > 0;
    view->ground_height = s->low - BELOW * radius;
    if (s->ground >= 0 && s->def.sim) {
        double turn[3][3], shift[3];
        prc_draw_collider_pose(&s->def.sim->colliders[s->ground], 0, turn, shift);
        view->ground_height = dot(shift, s->up);
    }
    if (own)
        view->camera.field_of_view = own->field_of_view;
    if (angles || !own || !memcmp(own->eye, own->target, sizeof own->eye)) {
        fit_camera(s, points, count, angles, aspect, margin, &view->camera);
    } else {
        memcpy(view->camera.eye, own->eye, sizeof own->eye);
        memcpy(view->camera.target, own->target, sizeof own->target);
        memcpy(view->camera.up, s->up, sizeof s->up);
    }
    prc_free(points);
    return PRC_OK;
}
