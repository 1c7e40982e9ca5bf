/* backend/cuda/tree.h — trees of boxes over triangles and edges, and an order of the points, on a device.
 *
 * The twin of contact/bvh.h, made for warps that search for many at a time. A tree is implicit: primitives in the order
 * of a Hilbert curve are the boxes of level 0, box i of level l + 1 holds boxes 32i to 32i + 31 of level l, up to a
 * level of a hundred or so: a warp looks at all boxes of a node at once, and reads them side by side. The order is made
 * anew when the boxes have grown slack (the host hears of it with the counts of the detection before, so that this
 * costs no wait); in between one kernel refits all boxes. What a search finds does not depend on the order. Rejected:
 * nodes of four boxes and a thread for every query (each reads its own 128 bytes a step, and all wait for the slowest).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_TREE_H
#define PRC_BACKEND_CUDA_TREE_H

#include "backend/cuda/device.h"
#include "contact/surface.h"

#include <math.h>

PRC_DEVICE_BEGIN

#define PRC_TREE_WIDTH PRC_WARP
#define PRC_TREE_TOP 128  /* boxes of the last level, at most */
#define PRC_TREE_LEVELS 6 /* 32^6 primitives are more than an int counts */

/* Loaded as a whole, in one instruction. */
struct alignas(16) prc_quad4 {
    float x, y, z, w;
};
struct alignas(16) prc_quad_tag {
    float x, y, z;
    int tag;
};

/* A box in single precision, rounded outwards. `tag` is 4 number + meets: the number of the primitive, in inner boxes
 * the largest of them, and the bits of prc_motion_meets of all vertices in it. Boxes of the trees are larger by the
 * radius on all sides from level 1 on, so that those of two things within reach of each other overlap, and they are NaN
 * where there is nothing: no comparison holds for those. */
struct prc_tree_box {
    prc_quad4 low; /* w: −radius, m; of several the least of these */
    prc_quad_tag high;
};

/* A box with its radius on all sides. The factor is for the rounding here, beside what a box has to spare already. */
static inline PRC_DEVICE prc_tree_box prc_tree_inflate(prc_tree_box box)
{
    const float by = box.low.w * 1.000001f;
    box.low.x += by;
    box.low.y += by;
    box.low.z += by;
    box.high.x -= by;
    box.high.y -= by;
    box.high.z -= by;
    return box;
}

/* The smallest box around both, the larger number and the larger radius; what is NaN does not count. */
static inline PRC_DEVICE void prc_tree_join(prc_tree_box *a, const prc_tree_box &b)
{
    a->low.x = fminf(a->low.x, b.low.x);
    a->low.y = fminf(a->low.y, b.low.y);
    a->low.z = fminf(a->low.z, b.low.z);
    a->low.w = fminf(a->low.w, b.low.w);
    a->high.x = fmaxf(a->high.x, b.high.x);
    a->high.y = fmaxf(a->high.y, b.high.y);
    a->high.z = fmaxf(a->high.z, b.high.z);
    const int larger = a->high.tag > b.high.tag ? a->high.tag : b.high.tag;
    a->high.tag = (larger & ~PRC_MEETS_ALL) | ((a->high.tag | b.high.tag) & PRC_MEETS_ALL);
}

/* A primitive in the order of the curve: its vertices, and the tag of its box. */
struct alignas(16) prc_tree_leaf {
    int v[3], tag;
};

/* As kernels see it. */
struct prc_tree_view {
    const prc_tree_leaf *leaf;
    prc_tree_box *box;
    int count, arity; /* of primitives; vertices of each */
    int top;          /* the last level */
    int start[PRC_TREE_LEVELS + 1],
        size[PRC_TREE_LEVELS + 1]; /* of a level: its first box, its boxes without padding */
};

/* What positions are seen from; and what a sweep is. In device memory. */
struct prc_tree_frame {
    double origin[3]; /* middle of all positions at the last build, m */
    double low[3], cells_per_metre;
    double mean[3];    /* displacement of a sweep, over the free vertices, m */
    double area[2][2]; /* of the tree of triangles, of edges: boxes of level 0 with their radii, of level 1; half their
                          surface, m² */
};

struct prc_device_trees {
    int vertex_count, triangle_count, edge_count, free_count;
    prc_buffer<int> triangle_of, edge_of; /* vertices by number: three, two each */
    prc_buffer<unsigned char> motion;     /* prc_motion per vertex */
    prc_buffer<int> point;                /* order of the points, each 4 number + meets */
    prc_buffer<prc_tree_leaf> leaf[2];    /* of triangles, of edges */
    prc_buffer<prc_tree_box> box[2];      /* of their trees */
    prc_tree_view view[2];                /* [0] triangles, [1] edges */
    prc_buffer<prc_tree_box> bound;       /* of each vertex; tag: prc_motion_meets */
    prc_buffer<prc_quad4> local, way;     /* per vertex: position from the origin and radius, m; displacement */
    prc_buffer<uint64_t> key;             /* scratch of a build */
    prc_buffer<int> value;
    prc_buffer<double> part;
    prc_buffer<prc_tree_frame> frame; /* one */
    double slack_built[2];            /* area of level 1 over that of level 0, at the update after a build */
    bool wants_build, was_built, measures;
    int builds;
    long updates;
};

/* Uploads the surface. False: the device has failed. Released in any case. */
bool prc_device_trees_create(prc_device *d, prc_device_trees *trees, const prc_surface *surface);
void prc_device_trees_release(prc_device *d, prc_device_trees *trees);

/* Fits all boxes to positions x and radii; or, where p is given, to the ways from x to x + p in the frame of the mean
 * displacement, with half of `separation` as radius. Builds the order before, where it has to be made. */
bool prc_device_trees_update(prc_device *d, prc_device_trees *trees, const double *x, const double *p, int stride,
                             const double *radius, double separation);

/* Takes note of the areas that the last update left in the frame; a build may follow at the next. */
void prc_device_trees_note(prc_device_trees *trees, const double area[2][2]);

PRC_DEVICE_END

#endif
