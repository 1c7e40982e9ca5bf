/* kernel/contact_slices.h — contacts where they lie: structs on the CPU, slices of 16 bytes on a device.
 *
 * Threads of a GPU that go through contacts one each would fetch every number of a struct from a line of memory of its
 * own. There each slice of a contact, two numbers or four integers, is an array; neighbours read neighbouring ones, and
 * what a pass does not look at it does not read. Functions of kernel headers open the slices that they need and close
 * those that they have changed; on the CPU the contact itself is opened, and closing is nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_SLICES_H
#define PRC_KERNEL_CONTACT_SLICES_H

#if defined(__CUDACC__) || defined(PRC_DEVICE_ON_HOST)
#define PRC_CONTACT_SLICED 1
#else
#define PRC_CONTACT_SLICED 0
#endif

/* Slices, in their order; to open and close: bits. */
#define PRC_SLICE_VERTICES (1u << 0)
#define PRC_SLICE_KIND (1u << 1)            /* count, side_a, collider and what is bool */
#define PRC_SLICE_PLANE (1u << 2 | 1u << 3) /* n, sep */
#define PRC_SLICE_RANGE (1u << 4)           /* xi, d_hat */
#define PRC_SLICE_DISTANCE (1u << 5)        /* xi_hard, distance */
#define PRC_SLICE_MARGIN (1u << 6 | 1u << 7)
#define PRC_SLICE_WEIGHTS (1u << 8 | 1u << 9)
#define PRC_SLICE_SLIP (1u << 10 | 1u << 11) /* share, slip */
#define PRC_SLICE_LAW (1u << 12)             /* kappa, friction */
#define PRC_SLICE_COUNT 13
#define PRC_SLICE_ALL ((1u << PRC_SLICE_COUNT) - 1)
/* What prc_contact_closest makes anew. */
#define PRC_SLICE_GEOMETRY                                                                                             \
    (PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE | PRC_SLICE_MARGIN | PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP)

#if PRC_CONTACT_SLICED

typedef struct prc_slice_numbers {
    double x, y;
} __attribute__((aligned(16))) prc_slice_numbers;

typedef struct prc_slice_integers {
    int x, y, z, w;
} __attribute__((aligned(16))) prc_slice_integers;

#define PRC_SLICE_EXACT 1
#define PRC_SLICE_HAS_PLANE 2
#define PRC_SLICE_PUSHES 4
#define PRC_SLICE_QUIET 8

PRC_INLINE prc_slice_numbers *prc_slice_at(const prc_contact_view *view, int slice, int k)
{
    return (prc_slice_numbers *)view->slices + (long)slice * view->slice_stride + k;
}

PRC_INLINE prc_slice_integers *prc_slice_integers_at(const prc_contact_view *view, int slice, int k)
{
    return (prc_slice_integers *)view->slices + (long)slice * view->slice_stride + k;
}

PRC_INLINE void prc_slice_open(const prc_contact_view *view, int slice, int k, unsigned slices, double *x, double *y)
{
    if (!(slices >> slice & 1))
        return;
    const prc_slice_numbers at = *prc_slice_at(view, slice, k);
    *x = at.x;
    *y = at.y;
}

PRC_INLINE void prc_slice_close(const prc_contact_view *view, int slice, int k, unsigned slices, double x, double y)
{
    const prc_slice_numbers at = {x, y};
    if (slices >> slice & 1)
        *prc_slice_at(view, slice, k) = at;
}

PRC_INLINE prc_contact *prc_contact_open(const prc_contact_view *view, int k, unsigned slices, prc_contact *c)
{
    if (slices & PRC_SLICE_VERTICES) {
        const prc_slice_integers at = *prc_slice_integers_at(view, 0, k);
        c->v[0] = at.x;
        c->v[1] = at.y;
        c->v[2] = at.z;
        c->v[3] = at.w;
    }
    if (slices & PRC_SLICE_KIND) {
        const prc_slice_integers at = *prc_slice_integers_at(view, 1, k);
        c->count = at.x;
        c->side_a = at.y;
        c->collider = at.z;
        c->exact = at.w & PRC_SLICE_EXACT;
        c->has_plane = (at.w & PRC_SLICE_HAS_PLANE) != 0;
        c->pushes = (at.w & PRC_SLICE_PUSHES) != 0;
        c->quiet = (at.w & PRC_SLICE_QUIET) != 0;
    }
    prc_slice_open(view, 2, k, slices, &c->n[0], &c->n[1]);
    prc_slice_open(view, 3, k, slices, &c->n[2], &c->sep);
    prc_slice_open(view, 4, k, slices, &c->xi, &c->d_hat);
    prc_slice_open(view, 5, k, slices, &c->xi_hard, &c->distance);
    prc_slice_open(view, 6, k, slices, &c->margin[0], &c->margin[1]);
    prc_slice_open(view, 7, k, slices, &c->margin[2], &c->margin[3]);
    prc_slice_open(view, 8, k, slices, &c->w[0], &c->w[1]);
    prc_slice_open(view, 9, k, slices, &c->w[2], &c->w[3]);
    prc_slice_open(view, 10, k, slices, &c->share, &c->slip[0]);
    prc_slice_open(view, 11, k, slices, &c->slip[1], &c->slip[2]);
    prc_slice_open(view, 12, k, slices, &c->kappa, &c->friction);
    return c;
}

PRC_INLINE void prc_contact_close(const prc_contact_view *view, int k, unsigned slices, const prc_contact *c)
{
    if (slices & PRC_SLICE_VERTICES) {
        const prc_slice_integers at = {c->v[0], c->v[1], c->v[2], c->v[3]};
        *prc_slice_integers_at(view, 0, k) = at;
    }
    if (slices & PRC_SLICE_KIND) {
        const int flags = (c->exact ? PRC_SLICE_EXACT : 0) | (c->has_plane ? PRC_SLICE_HAS_PLANE : 0) |
                          (c->pushes ? PRC_SLICE_PUSHES : 0) | (c->quiet ? PRC_SLICE_QUIET : 0);
        const prc_slice_integers at = {c->count, c->side_a, c->collider, flags};
        *prc_slice_integers_at(view, 1, k) = at;
    }
    prc_slice_close(view, 2, k, slices, c->n[0], c->n[1]);
    prc_slice_close(view, 3, k, slices, c->n[2], c->sep);
    prc_slice_close(view, 4, k, slices, c->xi, c->d_hat);
    prc_slice_close(view, 5, k, slices, c->xi_hard, c->distance);
    prc_slice_close(view, 6, k, slices, c->margin[0], c->margin[1]);
    prc_slice_close(view, 7, k, slices, c->margin[2], c->margin[3]);
    prc_slice_close(view, 8, k, slices, c->w[0], c->w[1]);
    prc_slice_close(view, 9, k, slices, c->w[2], c->w[3]);
    prc_slice_close(view, 10, k, slices, c->share, c->slip[0]);
    prc_slice_close(view, 11, k, slices, c->slip[1], c->slip[2]);
    prc_slice_close(view, 12, k, slices, c->kappa, c->friction);
}

/* How far the vertex at a place of contact k may move, m. */
PRC_INLINE double prc_contact_margin(const prc_contact_view *view, int k, int place)
{
    const double *margin = &prc_slice_at(view, 6 + place / 2, k)->x;
    return margin[place % 2];
}

#else

PRC_INLINE prc_contact *prc_contact_open(const prc_contact_view *view, int k, unsigned slices, prc_contact *c)
{
    (void)slices;
    (void)c;
    return &view->contacts[k];
}

PRC_INLINE void prc_contact_close(const prc_contact_view *view, int k, unsigned slices, const prc_contact *c)
{
    (void)view;
    (void)k;
    (void)slices;
    (void)c;
}

PRC_INLINE double prc_contact_margin(const prc_contact_view *view, int k, int place)
{
    return view->contacts[k].margin[place];
}

#endif
#endif
