/* kernel/zones.h — zones of the prediction: vertices of pairs that would collide go on together.
 *
 * A vertex that is held back must not stay where it was: in a scene that flies at 100 m/s it would be 0.4 m behind its
 * neighbours after 4 ms, and iterations would be spent on bringing it back. So the vertices of pairs that collide are
 * united, pair by pair, to zones (the "rigid impact zones" of Provot, without turning); what the ways of a zone have in
 * common each of its vertices keeps, and gives up of the rest. Along each axis that is nothing unless all go the same
 * way; then the middle between the least and the greatest where these are alike, else the least, so that beside what
 * rests nothing is carried along: with the mean in its place layers that land were pushed on into those below, and
 * steps took a quarter more iterations. Where a vertex gives up more than a part of an edge, its neighbours would be
 * torn away: they join, ring by ring, and all of such a zone gives up the same share. Within a zone that moves as one
 * no pair can collide, whatever speed all of it has. A zone with vertices that are moved, not simulated, goes with
 * them, or stays where the others would be torn away; one that colliders are in the way of goes as far as they let all
 * of it.
 *
 * Nothing that is promised rests on this: every pair is asked with the ways that its vertices then have.
 *
 * The least of many does not depend on their order. Where many threads do this, the includer says how to change a
 * number that others change too. docs/theory.md, section 10.7. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ZONES_H
#define PRC_KERNEL_ZONES_H

#include "kernel/predict.h"

#include <limits.h>
#include <stdint.h>

#define PRC_ZONE_TEAR 0.5  /* edges by which a vertex may be held back, or dragged by what is moved, alone */
#define PRC_ZONE_RINGS 24  /* of neighbours that join in a round */
#define PRC_ZONE_ALIKE 0.5 /* of the greatest: the least way of a zone that flies as one, more or less */
#define PRC_ZONE_AGREES                                                                                                \
    1e-6 /* of its own way: by how much that may differ from what all that is moved has in common                      \
          */

#ifndef PRC_ZONE_FUNCTION
#define PRC_ZONE_FUNCTION PRC_FUNCTION
#define PRC_ZONE_READ(from) (*(from))
PRC_INLINE int prc_zone_min(int *to, int value)
{
    const int before = *to;
    *to = value < before ? value : before;
    return before;
}
#define PRC_ZONE_MIN(to, value) prc_zone_min(to, value)
#define PRC_ZONE_LEAST_BITS(to, value) (*(to) = (value) < *(to) ? (value) : *(to))
#define PRC_ZONE_OR(to, value) (*(to) |= (value))
#endif

enum prc_zone_flags {
    PRC_ZONE_MEMBER = 1,     /* of a pair that failed */
    PRC_ZONE_PRESCRIBED = 2, /* moved, not simulated */
    PRC_ZONE_STAYS = 4,      /* of a pair that failed though its zone moved as one */
    PRC_ZONE_TORN = 8        /* held back so far that its neighbours go with it */
};

/* Per vertex. What is of a zone is that of its first vertex. */
typedef struct prc_zones {
    int stride;
    int *parent;     /* a vertex of the same zone with a smaller number, or itself: the first */
    int *first;      /* … as of the last round */
    int *flags;      /* enum prc_zone_flags */
    int *traits;     /* of a zone: flags of all its vertices */
    int *ends;       /* … 12 × stride: the least way along each axis, and of their opposites; of those that are free,
                        then of the others; as prc_zone_ordered has them */
    int *join;       /* a zone that a vertex is to join, or INT_MAX */
    uint64_t *least; /* of a zone: the least share, bits of a double that is not negative */
    uint64_t *limit; /* … which part of its way colliders leave it: bits of a double that is not negative */
    double *time;    /* the part of its own way that colliders leave to a vertex */
    double *share;   /* … and the part of that, less what its zone has in common, which it keeps */
} prc_zones;

/* Room that they need, in items of each kind. */
#define PRC_ZONE_INTEGERS 17
#define PRC_ZONE_BITS 2

PRC_INLINE prc_zones prc_zones_in(int stride, int *integers, uint64_t *bits, double *time, double *share)
{
    const long n = stride;
    prc_zones z;
    z.stride = stride;
    z.parent = integers;
    z.first = integers + n;
    z.flags = integers + 2 * n;
    z.traits = integers + 3 * n;
    z.join = integers + 4 * n;
    z.ends = integers + 5 * n;
    z.limit = bits;
    z.least = bits + n;
    z.time = time;
    z.share = share;
    return z;
}

/* Before the first round. */
PRC_INLINE void prc_zone_begin(const prc_contact_view *view, const prc_zones *z, int i)
{
    z->parent[i] = z->first[i] = i;
    z->flags[i] = prc_motion_is_free(view->motion[i]) ? 0 : PRC_ZONE_PRESCRIBED;
    z->share[i] = 1;
}

/* --- a pair that failed --- */

PRC_ZONE_FUNCTION int prc_zone_find(const prc_zones *z, int i)
{
    for (int up; (up = PRC_ZONE_READ(&z->parent[i])) != i;)
        i = up;
    return i;
}

/* The larger of the two firsts gets the smaller one as its parent. If it is no longer a first, since somebody else was
 * faster, its parent of then is to be united instead, which has a smaller number: that ends. */
PRC_ZONE_FUNCTION void prc_zone_unite(const prc_zones *z, int a, int b)
{
    for (;;) {
        a = prc_zone_find(z, a);
        b = prc_zone_find(z, b);
        if (a == b)
            return;
        const int low = a < b ? a : b, high = a < b ? b : a;
        const int before = PRC_ZONE_MIN(&z->parent[high], low);
        if (before == high)
            return;
        a = before;
        b = low;
    }
}

PRC_ZONE_FUNCTION void prc_zone_fail(const prc_zones *z, const int v[4])
{
    bool as_one = true;
    for (int p = 0; p < 4; p++)
        as_one = as_one && z->first[v[p]] == z->first[v[0]] && z->share[v[p]] == 0;
    for (int p = 0; p < 4; p++) {
        PRC_ZONE_OR(&z->flags[v[p]], PRC_ZONE_MEMBER | (as_one ? PRC_ZONE_STAYS : 0));
        prc_zone_unite(z, v[0], v[p]);
    }
}

/* A triangle that a collider is in the way of: its vertices are to have less of their own way; where they have nothing
 * of it any more, it is what they have in common with others that goes too far. */
PRC_ZONE_FUNCTION void prc_zone_fail_face(const prc_zones *z, const int v[3])
{
    const bool none = z->time[v[0]] == 0 && z->time[v[1]] == 0 && z->time[v[2]] == 0;
    for (int p = 0; p < 3; p++)
        PRC_ZONE_OR(&z->flags[v[p]], PRC_ZONE_MEMBER | (none ? PRC_ZONE_STAYS : 0));
}

/* --- after a round, one after the other, each for all vertices --- */

/* What the round has left to vertex i, `next` of it, and `room` of what colliders did. It is marked where it failed:
 * whoever failed is asked again, also where all of its vertices stay where they are. */
PRC_ZONE_FUNCTION void prc_zone_hold_back(const prc_contact_view *view, const prc_zones *z, int i, double next,
                                          double room)
{
    view->marked[i] = next < 1 || room < 1;
    z->share[i] *= next;
    z->time[i] *= room;
}

PRC_ZONE_FUNCTION void prc_zone_clear(const prc_zones *z, int i)
{
    const double one = 1;
    z->first[i] = prc_zone_find(z, i);
    z->traits[i] = 0;
    z->join[i] = INT_MAX;
    for (int e = 0; e < 12; e++)
        z->ends[(long)e * z->stride + i] = INT_MAX;
    memcpy(&z->limit[i], &one, sizeof one);
    memcpy(&z->least[i], &one, sizeof one);
}

PRC_INLINE bool prc_zone_has(const prc_zones *z, int i)
{
    return z->flags[i] & PRC_ZONE_MEMBER;
}

/* The way of vertex i by itself; one that is not a number does not count. */
PRC_INLINE double prc_zone_own_way(const prc_zones *z, int i, const double *p, int c)
{
    const double d = z->time[i] * p[(long)c * z->stride + i];
    return fabs(d) < 1e30 ? d : 0;
}

/* An integer that is larger where the number is; and back, which is the same. */
PRC_INLINE int prc_zone_swap(int bits)
{
    return bits < 0 ? bits ^ INT_MAX : bits;
}

PRC_INLINE int prc_zone_ordered(double value)
{
    const float number = (float)value;
    int bits;
    memcpy(&bits, &number, sizeof bits);
    return prc_zone_swap(bits);
}

PRC_INLINE double prc_zone_number(int ordered)
{
    const int bits = prc_zone_swap(ordered);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

PRC_ZONE_FUNCTION void prc_zone_describe(const prc_zones *z, int i, const double *p)
{
    if (!prc_zone_has(z, i))
        return;
    const int first = z->first[i];
    int *ends = z->ends + first + (z->flags[i] & PRC_ZONE_PRESCRIBED ? 6L * z->stride : 0);
    uint64_t share;
    memcpy(&share, &z->share[i], sizeof share);
    PRC_ZONE_LEAST_BITS(&z->least[first], share);
    PRC_ZONE_OR(&z->traits[first], z->flags[i]);
    for (int c = 0; c < 3; c++) {
        const double d = prc_zone_own_way(z, i, p, c);
        PRC_ZONE_MIN(ends + (long)c * z->stride, prc_zone_ordered(d));
        PRC_ZONE_MIN(ends + (3L + c) * z->stride, prc_zone_ordered(-d));
    }
}

/* What the ways of the free (0) or prescribed (1) vertices of a zone have in common. */
PRC_INLINE void prc_zone_shared_way(const prc_zones *z, int first, int which, double way[3])
{
    const int *ends = z->ends + first + 6L * which * z->stride;
    for (int c = 0; c < 3; c++) {
        const int least = ends[(long)c * z->stride], opposite = ends[(3L + c) * z->stride];
        const double low = least == INT_MAX ? 0 : prc_zone_number(least),
                     high = opposite == INT_MAX ? 0 : -prc_zone_number(opposite);
        const double near = low > 0 ? low : high < 0 ? high : 0, far = low > 0 ? high : low;
        way[c] = fabs(near) > PRC_ZONE_ALIKE * fabs(far) ? 0.5 * (near + far) : near;
    }
}

/* What a zone has in common, as long as all that is moved agrees and colliders let it. False: nothing. */
PRC_FUNCTION bool prc_zone_common(const prc_contact_view *view, const prc_zones *z, int first, double common[3])
{
    double free[3], apart = 0;
    const int traits = z->traits[first];
    prc_zone_shared_way(z, first, 0, free);
    prc_zone_shared_way(z, first, traits & PRC_ZONE_PRESCRIBED ? 1 : 0, common);
    for (int c = 0; c < 3; c++)
        apart += (free[c] - common[c]) * (free[c] - common[c]);
    const double torn = PRC_ZONE_TEAR * view->edge_length;
    const bool goes = !(traits & PRC_ZONE_STAYS) && (!(traits & PRC_ZONE_PRESCRIBED) || apart <= torn * torn);
    for (int c = 0; c < 3; c++)
        common[c] = goes ? common[c] : 0;
    return goes;
}

/* The part of the common way that vertex i allows: what is moved goes its own way only, or a part of it. */
PRC_ZONE_FUNCTION void prc_zone_limit(const prc_contact_view *view, const prc_zones *z, int i, const double *x,
                                      const double *p)
{
    double common[3], time = 1;
    if (!prc_zone_has(z, i) || !prc_zone_common(view, z, z->first[i], common))
        return;
    if (z->flags[i] & PRC_ZONE_PRESCRIBED) {
        double size = 0, off = 0;
        for (int c = 0; c < 3; c++) {
            const double own = p[(long)c * z->stride + i];
            size = prc_larger(size, fabs(own));
            off = prc_larger(off, fabs(own - common[c]));
        }
        time = off <= PRC_ZONE_AGREES * size ? z->time[i] : 0;
    } else
        time = prc_predict_colliders_on(view, i, x, common);
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    PRC_ZONE_LEAST_BITS(&z->limit[z->first[i]], bits);
}

/* What vertex i keeps of its own way. */
PRC_INLINE double prc_zone_share(const prc_zones *z, int i)
{
    double least;
    memcpy(&least, &z->least[z->first[i]], sizeof least);
    return (z->traits[z->first[i]] | z->flags[i]) & PRC_ZONE_TORN ? least : z->share[i];
}

/* Whether vertex i is held back so far that vertex `beside`, at the other end of an edge, would be torn away. */
PRC_ZONE_FUNCTION bool prc_zone_tears(const prc_contact_view *view, const prc_zones *z, int i, int beside,
                                      const double *p)
{
    double common[3], square = 0;
    if (!prc_zone_has(z, i) || (prc_zone_has(z, beside) && z->first[i] == z->first[beside]))
        return false;
    prc_zone_common(view, z, z->first[i], common);
    for (int c = 0; c < 3; c++) {
        const double d = prc_zone_own_way(z, i, p, c) - common[c];
        square += d * d;
    }
    const double tear = PRC_ZONE_TEAR * view->edge_length, lost = 1 - prc_zone_share(z, i);
    return lost * lost * square > tear * tear;
}

/* The ends of an edge: one of them joins the zone of the other. Says whether. */
PRC_ZONE_FUNCTION bool prc_zone_meet(const prc_contact_view *view, const prc_zones *z, int a, int b, const double *p)
{
    if (prc_zone_tears(view, z, a, b, p))
        PRC_ZONE_MIN(&z->join[b], z->first[a]);
    else if (prc_zone_tears(view, z, b, a, p))
        PRC_ZONE_MIN(&z->join[a], z->first[b]);
    else
        return false;
    return true;
}

/* After all edges of a ring. */
PRC_ZONE_FUNCTION void prc_zone_join(const prc_zones *z, int i)
{
    if (z->join[i] == INT_MAX)
        return;
    prc_zone_unite(z, i, z->join[i]);
    z->first[i] = z->join[i];
    z->flags[i] |= PRC_ZONE_MEMBER | PRC_ZONE_TORN;
    z->join[i] = INT_MAX;
}

/* The way of vertex i with its zone. */
PRC_FUNCTION void prc_zone_way(const prc_contact_view *view, const prc_zones *z, int i, const double *x,
                               const double *p, double way[3])
{
    double limit, common[3], time = 1;
    const double share = prc_zone_share(z, i);
    memcpy(&limit, &z->limit[z->first[i]], sizeof limit);
    const bool goes = prc_zone_common(view, z, z->first[i], common);
    if (z->flags[i] & PRC_ZONE_PRESCRIBED) {
        const double part = prc_smaller(z->time[i], goes ? limit + share * (1 - limit) : share);
        for (int c = 0; c < 3; c++)
            way[c] = part * p[(long)c * z->stride + i];
        return;
    }
    for (int c = 0; c < 3; c++) {
        common[c] *= limit;
        way[c] = common[c] + share * (z->time[i] * p[(long)c * z->stride + i] - common[c]);
    }
    if (share > 0) /* else it is what all of the zone was asked about */
        time = prc_predict_colliders_on(view, i, x, way);
    for (int c = 0; c < 3; c++)
        way[c] *= time;
}

/* The part of what its obstacle, which waits as a whole, tries to go that vertex i of it leaves to it. */
PRC_FUNCTION double prc_zone_rigid_part(const prc_contact_view *view, const prc_zones *z, int i)
{
    const prc_rigid *r = prc_rigid_of(view, i);
    if (!r || !prc_rigid_moves(r) || !prc_zone_has(z, i))
        return 1;
    double limit, common[3];
    memcpy(&limit, &z->limit[z->first[i]], sizeof limit);
    const bool goes = prc_zone_common(view, z, z->first[i], common);
    const double share = prc_zone_share(z, i), part = goes ? limit + share * (1 - limit) : share;
    const double tried = (r->trial - r->share) / (1 - r->share);
    return part < tried ? part / tried : 1;
}

/* Where that takes it, or its obstacle all of its vertices; it is marked too where that is another place than before.
 */
PRC_FUNCTION void prc_zone_place(const prc_contact_view *view, const prc_zones *z, int i, const double *x,
                                 const double *p, double *out, double *sweep)
{
    double way[3], before[3];
    prc_take3(out, z->stride, i, before);
    const bool placed = prc_rigid_place(view, i, x, out);
    if (!placed && !prc_zone_has(z, i))
        return;
    if (!placed)
        prc_zone_way(view, z, i, x, p, way);
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * z->stride + i;
        out[k] = placed ? out[k] : x[k] + way[c];
        view->marked[i] |= out[k] != before[c];
        sweep[k] = out[k] - x[k];
    }
    view->held[i] |= view->marked[i];
}

#endif
