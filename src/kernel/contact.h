/* kernel/contact.h — contacts one by one: which pairs are contacts, and their geometry.
 *
 * Everything here is about one pair, one vertex or one vertex and one collider, of a set that is seen through a view of
 * plain pointers and numbers: contact/contact.c makes loops of it, a device kernels. All in double, whatever the
 * precision of the solver. What contacts do is kernel/contact_response.h, how they bound moves kernel/contact_move.h.
 * docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_H
#define PRC_KERNEL_CONTACT_H

#include <percale/contact.h>

#include "kernel/barrier.h"
#include "kernel/collider.h"
#include "kernel/distance.h"
#include "kernel/exempt.h"
#include "kernel/facing.h"
#include "kernel/motion.h"
#include "kernel/rigid.h"
#include "kernel/row.h"
#include "kernel/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PRC_CONTACT_BALL 1.0       /* smallest free ball in d_hat: larger ones cost pairs, smaller ones detections */
#define PRC_CONTACT_BALL_FINE 0.25 /* … on fine meshes, where neighbours would all be pairs */
#define PRC_CONTACT_BALL_EDGE 0.05 /* … that is, where it is more than this share of an edge */
#define PRC_CONTACT_BALL_LEAST 0.5 /* … but no more than this share of an edge */
#define PRC_CONTACT_AHEAD 3.0      /* … around the way of a vertex: in lengths of it */
#define PRC_CONTACT_AHEAD_MOST 2.0 /* … but no more of it than this, in d_hat */
#define PRC_CONTACT_WAY_MOST                                                                                           \
    0.3 /* … and of the way behind it, in edges: else balls grow from one detection to the next */
#define PRC_CONTACT_REST_SHARE 0.8 /* of the rest distance that thickness and barrier may fill within one body */
#define PRC_CONTACT_WAIT 0.5       /* of d_hat beyond the thickness: where things prescribed wait for each other, … */
#define PRC_CONTACT_NEAR 0.4       /* … unless they were nearer than this from the beginning */
#define PRC_CONTACT_ROOM 1e-4      /* … and that a barrier keeps of its range, for what meets at rest */
#define PRC_CONTACT_CROWDED 0.1    /* a gap below this share of d_hat makes the barrier stiffer */
#define PRC_CONTACT_RELAX 0.98
#define PRC_CONTACT_STIFFEST 1e6  /* times the first: where there is no way out, more would only overflow in the end */
#define PRC_CONTACT_PARALLEL 0.01 /* square of the sine between two edges below which their pair fades out */
#define PRC_CONTACT_FAR 1.01      /* in ranges of the barrier: beyond it a pair keeps its plane */
#define PRC_FACE_SHARE 0.5  /* of the stiffness against a collider that triangles have, where they are pushed too */
#define PRC_FACE_SMOOTH 0.3 /* of thickness or d_hat: over what closest points move instead of jumping */
#define PRC_FACE_ROCKS 0.3  /* least sum of squares of weights that makes a rocking row worth having */
#define PRC_FACE_FINE 0.25  /* of d_hat: what a face may dip below its corners before it is pushed itself */

/* A point and a triangle, two edges, a point and a collider, or a triangle and a collider; a particle also meets an
 * edge or a point in place of a triangle, whose last vertex then fills `v` up. Side A comes first in `v`. What most
 * passes over all contacts look at comes first, and far ones end there. */
typedef struct prc_contact {
    int v[4];
    int count;      /* vertices: 4, of particles 2 or 3, against a collider 1 or 3 */
    int side_a;     /* how many of them are on side A; 4 and 5: see prc_contact_rocks */
    int collider;   /* −1 against another surface */
    bool exact;     /* n, w and distance are those of the closest points, not of an old plane that still divides */
    bool has_plane; /* n is a unit vector */
    bool pushes;    /* some of its vertices can give way; else it divides, and that is all */
    bool quiet;     /* a triangle that a collider does not push, for its corners are: never exact */

    /* at the last geometry */
    double n[3]; /* direction of the vector from B to A */
    double sep;  /* by how much the plane with normal n keeps the sides apart */

    double xi, xi_hard, d_hat; /* thickness, distance never to be passed, range of the barrier, m */
    double distance;           /* m; a lower bound where the pair is out of range */

    double margin[4]; /* how far each vertex may move towards that plane */

    double w[4]; /* signed: Σ w x is the vector from B to A */

    double share; /* of the stiffness: less than 1 where two edges are nearly parallel */
    double kappa, friction;

    double slip[3]; /* of the two sides over the step, along the surface, m */
} __attribute__((aligned(32))) prc_contact;

/* Friction that a solve keeps: where, along which plane, and at most how much (N). */
typedef struct prc_lagged {
    int v[4], count, collider;
    double w[4], n[3], distance, limit;
    double slip[3]; /* as of the last evaluation, m */
} prc_lagged;

/* A contact set as its items see it. Vectors: components `stride` apart. */
typedef struct prc_contact_view {
    int vertex_count, elastic_count, stride;
    int ring_count; /* particles are the vertices from here to elastic_count */
    const int *body_of;
    const unsigned char *motion; /* prc_motion */
    const double *half, *half_d_hat, *rest, *area;
    const float
        *pushed_part; /* elastic_count for each collider with PRC_FACES_MIXED, in their order: prc_pushed_part */

    const double *body_friction;                /* per body */
    const prc_contact_pair_def *pair_of_bodies; /* sorted: contact/bodies.h */
    int body_pair_count;
    double largest_d_hat; /* m */
    double edge_length;   /* mean, m */
    double short_edge;    /* … or, if that is less, twice the mean of the shortest at each vertex */

    const double *stiffness;
    double *adapted, *pressure, *gap;
    double *radius, *ball, *anchor;
    int *held, *marked;

    const prc_collider *colliders;
    int collider_count;
    bool guards_faces;         /* triangles keep away from one of them, not vertices alone */
    const int (*triangles)[3]; /* of all surfaces */
    int triangle_count;
    bool fields_stand_in; /* at a start: colliders that are meshes are felt by their fields, not by their surfaces */
    prc_exempt_view exempt;

    prc_rigid *rigids; /* of obstacles, of which the first is body first_obstacle; NULL: there are none */
    int rigid_count, first_obstacle;
    const double *own; /* 3 per vertex of all obstacles: prc_rigids */

    prc_contact *contacts; /* of a device NULL, but */
    void *slices;          /* … kernel/contact_slices.h, each slice_stride long */
    long slice_stride;
    int contact_count;
    float
        *far; /* NULL, or of contacts by how much more than PRC_CONTACT_FAR a pair has been apart by its plane, at least
                 (m): as long as that is more than 0, it is not looked at, and sep, distance and margins are old */
    const int *of_start, *of; /* CSR: contacts of each vertex, entry = 4 contact + place */

    /* NULL, or on a device what a kernel gathers much of, once more with the components of a vertex side by side: the
     * positions y of a geometry, y − x, where a move ends, a step */
    const prc_four_doubles *packed_y, *packed_slip, *packed_end, *packed_step;

    prc_lagged *lagged;
    int lagged_count;
    double (*shift)[3], (*shift_step)[3]; /* per contact, then per lagged friction */
    bool friction_lags;
    double friction_eps; /* m */
} prc_contact_view;

#include "kernel/contact_slices.h"

/* --- obstacles that wait as a whole --- */

/* That of vertex i, or NULL. */
PRC_INLINE prc_rigid *prc_rigid_of(const prc_contact_view *view, int i)
{
    if (i < view->elastic_count || !view->rigids)
        return NULL;
    prc_rigid *r = &view->rigids[view->body_of[i] - view->first_obstacle];
    return r->whole ? r : NULL;
}

/* Where the trial of its obstacle takes vertex i from y; false where it is none of such. */
PRC_FUNCTION bool prc_rigid_place(const prc_contact_view *view, int i, const double *y, double *out)
{
    const prc_rigid *r = prc_rigid_of(view, i);
    double at[3];
    if (!r)
        return false;
    prc_take3(y, view->stride, i, at);
    if (prc_rigid_moves(r))
        prc_pose_apply(&r->at, view->own + 3L * (i - view->elastic_count), at);
    for (int c = 0; c < 3; c++)
        out[(long)c * view->stride + i] = at[c];
    return true;
}

/* The move p that this is. */
PRC_FUNCTION void prc_rigid_put_move(const prc_contact_view *view, int i, const double *y, double *p)
{
    if (!prc_rigid_place(view, i, y, p))
        return;
    for (int c = 0; c < 3; c++)
        p[(long)c * view->stride + i] -= y[(long)c * view->stride + i];
}

/* --- friction of two bodies --- */

PRC_INLINE int prc_body_pair_compare(const prc_contact_pair_def *pair, int low, int high)
{
    return pair->bodies[0] != low ? pair->bodies[0] - low : pair->bodies[1] - high;
}

/* Where the pair (low, high) stands in a sorted list, or would stand. */
PRC_FUNCTION int prc_body_pair_place(const prc_contact_pair_def *pairs, int count, int low, int high)
{
    int first = 0, end = count;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (prc_body_pair_compare(&pairs[middle], low, high) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* A shell, the surface of a collider that is a mesh, has the coefficient of the collider whatever touches it, or that
 * of the body that does: its own with a minus sign (−0 too), or −infinity. */
PRC_INLINE double prc_shell_friction(double of_collider)
{
    return of_collider < 0 ? -INFINITY : -of_collider;
}

/* Between such a shell and a body. */
PRC_INLINE double prc_shell_pair_friction(double shell, double body)
{
    return shell > -INFINITY ? -shell : body;
}

/* Coulomb's coefficient between bodies i and j. */
PRC_FUNCTION double prc_body_pair_friction(const double *friction, const prc_contact_pair_def *pairs, int count, int i,
                                           int j)
{
    if (copysign(1.0, friction[i]) < 0)
        return prc_shell_pair_friction(friction[i], friction[j]);
    if (copysign(1.0, friction[j]) < 0)
        return prc_shell_pair_friction(friction[j], friction[i]);
    if (count > 0) {
        const int low = i < j ? i : j, high = i < j ? j : i, at = prc_body_pair_place(pairs, count, low, high);
        if (at < count && prc_body_pair_compare(&pairs[at], low, high) == 0)
            return pairs[at].friction;
    }
    return friction[i] == friction[j] ? friction[i] : sqrt(friction[i] * friction[j]);
}

#include "kernel/contact_geometry.h"

/* --- which pairs are contacts --- */

/* Radius of the ball of a vertex that is about to make no move, m. `edge`: prc_contact_view.short_edge. */
PRC_INLINE double prc_contact_least_ball(double d_hat, double edge)
{
    return prc_larger(prc_smaller(PRC_CONTACT_BALL_FINE * d_hat, PRC_CONTACT_BALL_LEAST * edge),
                      prc_smaller(PRC_CONTACT_BALL * d_hat, PRC_CONTACT_BALL_EDGE * edge));
}

/* The way of a vertex about which its ball is: the move p from y that it is about to make, or all its way since the
 * last detection: what has moved will move on. */
PRC_FUNCTION double prc_contact_way(const prc_contact_view *view, int i, const double *y, const double *p)
{
    double move = 0, way = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + i;
        const double d = y[k] + p[k] - view->anchor[k];
        move += p[k] * p[k];
        way += d * d;
    }
    const double most = PRC_CONTACT_WAY_MOST * view->edge_length;
    return sqrt(prc_larger(move, prc_smaller(way, most * most)));
}

/* Ball and radius of a vertex, and where it is now; p, the move that is about to be made, may be NULL. */
PRC_FUNCTION void prc_contact_anchor(const prc_contact_view *view, int i, const double *y, const double *p)
{
    const double d_hat = 2 * view->half_d_hat[i], way = p ? prc_contact_way(view, i, y, p) : 0;
    view->ball[i] = prc_larger(prc_contact_least_ball(d_hat, view->short_edge),
                               way + prc_smaller(PRC_CONTACT_AHEAD * way, PRC_CONTACT_AHEAD_MOST * d_hat));
    view->radius[i] = (view->half[i] + view->half_d_hat[i]) * (1 + 1e-9) + view->ball[i];
    for (int c = 0; c < 3; c++)
        view->anchor[(long)c * view->stride + i] = y[(long)c * view->stride + i];
}

/* The range of the barrier of a pair, given a vertex of each side: the mean of its bodies', but with a shell, which has
 * no thickness, that of the other one. */
PRC_INLINE double prc_pair_range(const prc_contact_view *view, int a, int b)
{
    const double of_a = view->half_d_hat[a], of_b = view->half_d_hat[b];
    return view->half[a] == 0 ? 2 * of_b : view->half[b] == 0 ? 2 * of_a : of_a + of_b;
}

/* The thickness of a pair, and what it may never pass: of the thickness a share; but what is prescribed waits for its
 * like farther off, where what is free between them has room and the barrier is not steep. */
PRC_INLINE double prc_pair_thickness(const prc_contact_view *view, const int v[4])
{
    return view->half[v[0]] + view->half[v[3]]; /* the first and the last are on different sides */
}

PRC_INLINE double prc_pair_floor(const prc_contact_view *view, const int v[4])
{
    const double xi = prc_pair_thickness(view, v);
    if (!prc_motion_is_prescribed(view->motion, v) || prc_motion_is_near(view->motion, v))
        return PRC_HARD_SHARE * xi;
    return xi + PRC_CONTACT_WAIT * prc_pair_range(view, v[0], v[3]);
}

/* How many vertices a pair has: those of an edge or a point that stands for a triangle are filled up with its last. */
PRC_INLINE int prc_pair_vertices(const int v[4])
{
    return v[2] != v[3] ? 4 : v[1] != v[2] ? 3 : 2;
}

/* Whether a pair says nothing new: of a point and an edge or point that belong to no triangle, only what particles meet
 * is wanted, and of two particles one pair. All else is a pair of larger primitives too. */
PRC_INLINE bool prc_pair_is_idle(const prc_contact_view *view, const int v[4])
{
    if (v[2] != v[3])
        return false;
    const bool of_particle = v[0] >= view->ring_count && v[0] < view->elastic_count;
    return !of_particle || (v[3] >= view->ring_count && v[3] < view->elastic_count && v[3] < v[0]);
}

/* A pair with the thickness of its bodies. */
PRC_FUNCTION void prc_pair_begin(const prc_contact_view *view, prc_contact *k, const int v[4], int side_a)
{
    memset(k, 0, sizeof *k);
    for (int p = 0; p < 4; p++)
        k->v[p] = v[p];
    k->count = prc_pair_vertices(v);
    k->side_a = side_a;
    k->collider = -1;
    k->xi = prc_pair_thickness(view, v);
    k->xi_hard = prc_pair_floor(view, v);
    k->d_hat = prc_pair_range(view, v[0], v[3]);
    k->friction = prc_body_pair_friction(view->body_friction, view->pair_of_bodies, view->body_pair_count,
                                         view->body_of[v[0]], view->body_of[v[3]]);
    k->pushes = !prc_motion_is_prescribed(view->motion, v);
    k->kappa = k->pushes ? INFINITY : 0;
    for (int p = 0; p < 4; p++) /* what is pinned for good takes any force: its mass and stiffness mean nothing */
        if (prc_motion_is_free(view->motion[v[p]]))
            k->kappa = prc_smaller(k->kappa, view->adapted[v[p]]);
}

/* Within one body thickness and barrier must fit between things that are close at rest: the share of their sum, `range`
 * (m), that does; at most 1. */
PRC_FUNCTION double prc_pair_room(const prc_contact_view *view, const int v[4], int side_a, double range)
{
    const int *body = view->body_of;
    for (int p = 0; p < 4; p++)
        if (body[v[p]] != body[v[0]])
            return 1;
    return prc_smaller(PRC_CONTACT_REST_SHARE * prc_pair_distance(view->rest, view->stride, v, side_a) / range, 1);
}

PRC_FUNCTION void prc_pair_scale(prc_contact *k, double room)
{
    if (room < 1 && !k->pushes) /* close by construction */
        k->xi_hard = PRC_HARD_SHARE * k->xi;
    k->xi *= room;
    k->xi_hard *= room;
    k->d_hat *= prc_larger(room, PRC_CONTACT_ROOM);
}

/* The distance that a pair may never pass. */
PRC_FUNCTION double prc_pair_hard_thickness(const prc_contact_view *view, const int v[4], int side_a)
{
    prc_contact k;
    prc_pair_begin(view, &k, v, side_a);
    prc_pair_scale(&k, prc_pair_room(view, v, side_a, k.xi + k.d_hat));
    return k.xi_hard;
}

/* Whether a pair at a distance can come within `range` (m) as long as its vertices are in their balls. */
PRC_FUNCTION bool prc_pair_can_reach(const prc_contact_view *view, const int v[4], int side_a, double distance,
                                     double range)
{
    double a = 0, b = 0;
    for (int p = 0; p < 4; p++) {
        const double ball = view->ball[v[p]];
        if (p < side_a)
            a = prc_larger(a, ball);
        else
            b = prc_larger(b, ball);
    }
    return distance <= range * (1 + 1e-9) + a + b;
}

/* No less than the distance of the sides at rest: between their vertices. */
PRC_FUNCTION double prc_pair_rest_bound(const prc_contact_view *view, const int v[4], int side_a)
{
    double least = INFINITY;
    for (int p = 0; p < side_a; p++)
        for (int q = side_a; q < 4; q++) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                const double d = view->rest[(long)c * view->stride + v[p]] - view->rest[(long)c * view->stride + v[q]];
                square += d * d;
            }
            least = prc_smaller(least, square);
        }
    return sqrt(least);
}

/* Whether a pair at a distance is a contact: whether it can come into the barrier's range. With a thickness that was
 * scaled to the rest shape, by *room, that is less than the radii of the search say: most neighbours on a fine mesh
 * cannot. */
PRC_FUNCTION bool prc_pair_can_be_felt(const prc_contact_view *view, const int v[4], int side_a, double distance,
                                       double *room)
{
    const int *body = view->body_of;
    const double xi = view->half[v[0]] + view->half[v[3]], d_hat = prc_pair_range(view, v[0], v[3]);
    *room = 1;
    if (prc_pair_is_idle(view, v))
        return false;
    if (body[v[0]] == body[v[3]] &&
        !prc_pair_can_reach(view, v, side_a, distance,
                            PRC_CONTACT_REST_SHARE * prc_pair_rest_bound(view, v, side_a) + PRC_CONTACT_ROOM * d_hat))
        return false;
    *room = prc_pair_room(view, v, side_a, xi + d_hat);
    return prc_pair_can_reach(view, v, side_a, distance, xi * *room + d_hat * prc_larger(*room, PRC_CONTACT_ROOM));
}

/* The same at y. */
PRC_FUNCTION bool prc_pair_is_contact(const prc_contact_view *view, const int v[4], int side_a, const double *y)
{
    double room;
    return prc_pair_can_be_felt(view, v, side_a, prc_pair_distance(y, view->stride, v, side_a), &room);
}

/* Takes the share `room` of its thickness, after the closest points were found. Planes depend on the thickness; where
 * they are and which pairs are so far apart that they keep them is what prc_contact_locate would find now. */
PRC_FUNCTION void prc_contact_settle(const prc_contact_view *view, prc_contact *k, double room, const double *y)
{
    if (room < 1) {
        double x[4][3];
        prc_contact_take(view, k, y, x);
        prc_pair_scale(k, room);
        prc_contact_divide(k, (const double(*)[3])x);
    }
    if (k->has_plane)
        prc_contact_look_far(k);
}

/* Makes a pair that is a contact. */
PRC_FUNCTION void prc_pair_make(const prc_contact_view *view, prc_contact *k, const int v[4], int side_a,
                                const double *y)
{
    prc_pair_begin(view, k, v, side_a);
    prc_contact_locate(view, k, y);
    prc_contact_settle(view, k, prc_pair_room(view, v, side_a, k->xi + k->d_hat), y);
}

/* Makes a pair that was found, with its geometry; its count is 0 where it need not be looked at. */
PRC_FUNCTION void prc_pair_examine(const prc_contact_view *view, prc_contact *k, const int v[4], int side_a,
                                   const double *y)
{
    double room;
    prc_pair_begin(view, k, v, side_a);
    prc_contact_locate(view, k, y);
    if (prc_pair_can_be_felt(view, v, side_a, k->distance, &room))
        prc_contact_settle(view, k, room, y);
    else
        k->count = 0;
}

/* Whether the guarantee leaves a pair out. Cloth that began inside a shell is exempt from all of it until it is out. */
PRC_FUNCTION bool prc_pair_is_exempt(const prc_contact_view *view, const int v[4], int side_a)
{
    if (view->exempt.count == 0)
        return false;
    if (prc_exempt_view_has(&view->exempt, v, side_a))
        return true;
    const bool a = view->half[v[0]] == 0, b = view->half[v[3]] == 0;
    for (int p = a ? side_a : 0; p < (a ? 4 : b ? side_a : 0); p++)
        if (prc_exempt_view_has_shell(&view->exempt, v[p], view->body_of[v[a ? 0 : 3]]))
            return true;
    return false;
}

/* Whether vertex i could come into the range of collider s. */
PRC_FUNCTION bool prc_collider_can_be_felt(const prc_contact_view *view, int i, int s, const double *y)
{
    double x[3];
    prc_take3(y, view->stride, i, x);
    const prc_collider *collider = &view->colliders[s];
    if (prc_shape_is_shell(&collider->shape) && !view->fields_stand_in)
        return false;
    const double way = 2 * view->ball[i] + prc_collider_speed(collider, &collider->now, x, 1, view->ball[i]);
    const double reach = view->half[i] + 2 * view->half_d_hat[i] + prc_shape_lipschitz(&collider->shape) * way;
    return prc_collider_distance(collider, x, NULL) < reach && !prc_exempt_view_has_collider(&view->exempt, i, s);
}

/* Square of the radius of the smallest circle around a triangle at rest, m². */
PRC_FUNCTION double prc_face_circle(const prc_contact_view *view, const int v[3])
{
    double x[3][3], side[3], product = 1, most = 0, sum = 0;
    for (int p = 0; p < 3; p++)
        prc_take3(view->rest, view->stride, v[p], x[p]);
    for (int p = 0; p < 3; p++) {
        const double *a = x[p], *b = x[(p + 1) % 3], d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        side[p] = prc_dot3(d, d);
        product *= side[p];
        sum += side[p];
        most = prc_larger(most, side[p]);
    }
    /* 16 times the square of the area, from its sides */
    const double area = sum * sum - 2 * (side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
    const bool obtuse = 2 * most >= sum; /* its longest side is the diameter, and nearly so of one that is a line */
    return obtuse || !(area > 1e-12 * sum * sum) ? most / 4 : product / area;
}

/* Whether collider s pushes triangle v itself, not its corners alone: one that lies on a round collider with its
 * corners dips below them by the square of its circle over the diameter of the collider. */
PRC_FUNCTION bool prc_face_is_pushed(const prc_contact_view *view, const int v[3], int s)
{
    const prc_collider *collider = &view->colliders[s];
    if (collider->faces != PRC_FACES_MIXED)
        return collider->faces == PRC_FACES_PUSHED;
    return prc_face_circle(view, v) > 2 * collider->shape.radius * PRC_FACE_FINE * 2 * view->half_d_hat[v[0]];
}

/* Which part of the triangles of vertex i, by area, collider s pushes themselves; particles have none. */
PRC_INLINE double prc_pushed_part(const prc_contact_view *view, int i, int s)
{
    if (i >= view->ring_count)
        return 0;
    if (view->colliders[s].faces != PRC_FACES_MIXED)
        return view->colliders[s].faces == PRC_FACES_PUSHED;
    return view->pushed_part[(long)view->colliders[s].mixed * view->elastic_count + i];
}

/* How many contacts triangle v and collider s are: one that keeps them apart, and pushes; and those of rocking. */
PRC_INLINE int prc_face_contacts(const prc_contact_view *view, const int v[3], int s)
{
    const prc_collider_faces faces = view->colliders[s].faces;
    return faces == PRC_FACES_NONE ? 0 : faces == PRC_FACES_GUARDED || !prc_face_is_pushed(view, v, s) ? 1 : 3;
}

/* Vertex i and collider s, without geometry. */
PRC_FUNCTION void prc_contact_begin_collider(const prc_contact_view *view, prc_contact *k, int i, int s)
{
    memset(k, 0, sizeof *k);
    k->v[0] = i;
    k->count = k->side_a = 1;
    k->collider = s;
    k->pushes = true;
    k->w[0] = 1;
    k->share = 1 - PRC_FACE_SHARE * prc_pushed_part(view, i, s);
    k->xi = view->half[i];
    k->xi_hard = PRC_HARD_SHARE * k->xi;
    k->d_hat = 2 * view->half_d_hat[i];
    k->kappa = view->adapted[i];
    k->friction =
        view->colliders[s].friction >= 0 ? view->colliders[s].friction : view->body_friction[view->body_of[i]];
}

/* --- triangles and colliders --- */

/* Whether triangle v could come into the range of collider s as long as its vertices are in their balls, however far
 * the collider goes on in this step. Planes at the corners tell; the distance alone nearly always does. */
PRC_FUNCTION bool prc_face_can_be_felt(const prc_contact_view *view, const int v[3], int s, const double *y)
{
    const prc_collider *collider = &view->colliders[s];
    if (collider->faces == PRC_FACES_NONE || v[0] >= view->ring_count)
        return false;
    double x[3][3], n[3], size = 0, ball = 0;
    for (int p = 0; p < 3; p++) {
        prc_take3(y, view->stride, v[p], x[p]);
        const double d[3] = {x[p][0] - x[0][0], x[p][1] - x[0][1], x[p][2] - x[0][2]};
        size = prc_larger(size, prc_dot3(d, d));
        ball = prc_larger(ball, view->ball[v[p]]);
    }
    size = sqrt(size);
    const double way = 2 * ball + prc_collider_speed(collider, &collider->now, x[0], 1, ball + size);
    const double reach = view->half[v[0]] + 2 * view->half_d_hat[v[0]] + way;
    for (int p = 0; p < 3; p++) {
        const double phi = prc_collider_distance(collider, x[p], n);
        if (p == 0 && phi - size > reach)
            return false;
        double low = INFINITY;
        for (int q = 0; q < 3; q++) {
            const double d[3] = {x[q][0] - x[p][0], x[q][1] - x[p][1], x[q][2] - x[p][2]};
            low = prc_smaller(low, phi + prc_dot3(n, d));
        }
        if (phi > 0 && low > reach)
            return false;
    }
    return !prc_exempt_view_has_face(&view->exempt, v, s);
}

/* Area at rest, m². */
PRC_FUNCTION double prc_face_area(const prc_contact_view *view, const int v[3])
{
    double x[3][3], u[3], w[3];
    for (int p = 0; p < 3; p++)
        prc_take3(view->rest, view->stride, v[p], x[p]);
    for (int c = 0; c < 3; c++) {
        u[c] = x[1][c] - x[0][c];
        w[c] = x[2][c] - x[0][c];
    }
    return 0.5 * prc_collider_cross_length(u, w);
}

/* Contact number `which` of triangle v and collider s, without geometry. Its stiffness is that of an area, as that of
 * the corners is: on a flat both press alike, whatever the mesh. */
PRC_FUNCTION void prc_contact_begin_face(const prc_contact_view *view, prc_contact *k, const int v[3], int s, int which)
{
    const double friction = view->colliders[s].friction;
    double least = INFINITY;
    memset(k, 0, sizeof *k);
    for (int p = 0; p < 3; p++) {
        k->v[p] = v[p];
        least = prc_smaller(least, view->adapted[v[p]] / view->area[v[p]]);
    }
    k->v[3] = v[0]; /* a vertex that there is, for those who look before they count */
    k->count = 3;
    k->side_a = 3 + which;
    k->collider = s;
    k->pushes = true;
    k->share = PRC_FACE_SHARE;
    k->xi = view->half[v[0]];
    k->xi_hard = PRC_HARD_SHARE * k->xi;
    k->d_hat = 2 * view->half_d_hat[v[0]];
    k->quiet = !prc_face_is_pushed(view, v, s);
    k->kappa = k->quiet ? 0 : prc_face_area(view, v) * least;
    k->friction = which > 0 ? 0 : friction >= 0 ? friction : view->body_friction[view->body_of[v[0]]];
}

/* Whether vertex i would leave its ball. */
PRC_INLINE bool prc_contact_leaves_ball(const prc_contact_view *view, int i, const double *y, const double *p)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + i;
        const double d = y[k] + p[k] - view->anchor[k];
        square += d * d;
    }
    return square > view->ball[i] * view->ball[i];
}

/* --- a vertex among its contacts, after a step --- */

/* Pressure and gap at the last geometry. */
PRC_FUNCTION void prc_contact_measure_vertex(const prc_contact_view *view, int i)
{
    double force = 0;
    view->gap[i] = view->largest_d_hat;
    for (int e = view->of_start[i]; e < view->of_start[i + 1]; e++) {
        const int index = view->of[e] / 4, place = view->of[e] % 4;
        prc_contact room,
            *k = prc_contact_open(view, index, PRC_SLICE_KIND | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE, &room);
        const double gap = k->distance - k->xi;
        if (gap >= k->d_hat || !k->pushes) /* farther ones are not all in the list, and their distances are bounds */
            continue;
        k = prc_contact_open(view, index, PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP | PRC_SLICE_LAW, &room);
        force -= fabs(prc_pick4(k->w, place)) * k->share * k->kappa * prc_barrier_at(gap, k->d_hat).slope;
        view->gap[i] = prc_smaller(view->gap[i], gap);
    }
    view->pressure[i] = view->area[i] > 0 ? force / view->area[i] : 0; /* obstacles have none */
}

/* Whether a contact has so small a gap that its vertices need stiffer barriers. */
PRC_INLINE bool prc_contact_is_crowded(const prc_contact_view *view, int index)
{
    prc_contact room;
    const prc_contact *k = prc_contact_open(view, index, PRC_SLICE_KIND | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE, &room);
    return k->pushes && k->distance - k->xi < PRC_CONTACT_CROWDED * k->d_hat;
}

PRC_INLINE void prc_contact_stiffen(const prc_contact_view *view, int i, bool crowded)
{
    view->adapted[i] = crowded ? prc_smaller(2 * view->adapted[i], PRC_CONTACT_STIFFEST * view->stiffness[i])
                               : prc_larger(view->stiffness[i], PRC_CONTACT_RELAX * view->adapted[i]);
}

/* Stiffer where gaps have become small. */
PRC_FUNCTION void prc_contact_adapt_vertex(const prc_contact_view *view, int i)
{
    bool crowded = false;
    for (int e = view->of_start[i]; e < view->of_start[i + 1]; e++)
        crowded |= prc_contact_is_crowded(view, view->of[e] / 4);
    prc_contact_stiffen(view, i, crowded);
}

#endif
