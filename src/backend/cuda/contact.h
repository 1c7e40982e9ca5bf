/* backend/cuda/contact.h — the contact set as a device has it: what contact*.cu share.
 *
 *   contact.cu           its making, detection, geometry, what is measured after a step
 *   contact_response.cu  rows of forces and stiffnesses, the model along a step, lagged friction
 *   extend.cu            contacts that are added when a few vertices leave their balls
 *   contact_move.cu      moves that are safe; prediction and colliders
 *   rigid.cu             obstacles that wait as a whole
 *
 * Physics is that of kernel/contact*.h, through a view whose pointers are the device's. Lists have the CPU's order,
 * entry for entry. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_CONTACT_H
#define PRC_BACKEND_CUDA_CONTACT_H

#include "backend/cuda/colliders.h"
#include "backend/cuda/detect.h"
#include "backend/cuda/device.h"
#include "backend/cuda/predict.h"
#include "backend/rows.h"
#include "contact/contact.h"

PRC_DEVICE_BEGIN

#define PRC_MANY_CONTACTS 50000

/* CSR of the items of each vertex, entry = 4 item + place, ascending. */
struct prc_device_index {
    prc_buffer<int> start, of;
    prc_buffer<uint32_t> key; /* work space: the vertex of each entry */
};

/* Which of PRC_WARP items in a row are felt, and the row of the first that is. */
struct alignas(8) prc_felt_word {
    unsigned felt;
    int row;
};

/* A primitive that may be close to one of a vertex that left. */
struct alignas(8) prc_extend_match {
    int star; /* place of the vertex in `left` */
    int item; /* points, triangles, then edges, each in the order of their trees */
};

/* Work space of an extension: extend.cu. */
struct prc_device_extension {
    prc_buffer<int> of_vertices; /* CSR: triangles, then edges of each vertex, by number */
    const int *triangle_start, *triangle_of, *edge_start, *edge_of;
    prc_buffer<prc_quad4> place; /* per vertex: anchor and radius, m */
    prc_buffer<int>
        left; /* vertices that leave their balls, then those that soon will: room for prc_extend_most each */
    prc_buffer<prc_tree_box> star; /* per vertex that left: around all its primitives, then of each the point */
    prc_buffer<prc_extend_match> match;
    prc_buffer<prc_fresh> pair, fresh; /* what may be a contact to be added, and what is */
    prc_buffer<uint64_t> key;          /* … their keys, and their order */
    prc_buffer<int> order;
    prc_buffer<uint32_t> vertex; /* … four entries of each in the lists of vertices: of which vertex, */
    prc_buffer<int> entry, at;   /* … what is entered, and where among old entries */
    prc_device_index lists;      /* of the contacts, while they are made; the old ones afterwards */
    prc_buffer<int> counts;      /* enum prc_extend_counts */
    int entries;                 /* of the lists that there are */
    int few_keys;                /* up to so many are put in order by counting */
};

struct prc_device_contacts {
    prc_device *device;
    prc_contact_view view; /* as of the last detection or freezing */
    int many;              /* contacts from which on a launch more is worth it */
    bool measured;         /* pressures and gaps are those of the last step */
    prc_device_rows rows;

    /* constant, or per vertex */
    prc_buffer<double> numbers; /* all arrays of doubles of the view */
    prc_buffer<int> integers;   /* body_of, held, marked */
    prc_buffer<float> pushed_part;
    prc_buffer<unsigned char> motion;
    prc_buffer<int> triangles;
    prc_buffer<double> body_friction;
    prc_buffer<prc_contact_pair_def> body_pairs;

    prc_device_detector detector;
    prc_buffer<prc_quad4> rest; /* of prc_detect_rest */
    prc_device_pairs found;
    prc_device_prediction prediction;
    prc_device_colliders colliders;
    prc_buffer<prc_rigid> rigids; /* of the view, and their points */
    prc_rigid *rigids_home;       /* room on the host for what comes back of them */
    prc_buffer<double> own;
    bool rigids_move; /* some of them moves in this step */
    prc_buffer<prc_exempt_pair> exempt_pairs;
    prc_buffer<int> exempt_slots;

    /* per contact, then per lagged friction */
    prc_buffer<prc_slice_integers> slices; /* kernel/contact_slices.h */
    prc_buffer<float> far;                 /* of the view, where there are many contacts */
    prc_buffer<double> last;             /* … 3 × stride: where the vertices were when it was made or last changed */
    prc_buffer<float> way;               /* … per vertex: how far a move takes it at most, m */
    prc_buffer<prc_four_doubles> packed; /* of the view: 2 × stride, the first are positions */
    prc_buffer<prc_lagged> lagged;
    prc_device_index of_contacts, of_lagged;
    prc_buffer<int> no_starts; /* zeros: lists of all vertices that are empty */
    prc_device_extension extension;
    prc_buffer<double> shift, shift_step; /* 3 each */
    prc_buffer<double> column;            /* work space of a largest value */

    /* rows: see rows.h */
    prc_buffer<int> felt, row_of; /* per contact, then per lagged friction: 1 where there is a row, and which */
    prc_buffer<prc_felt_word> felt_words;
    prc_buffer<prc_four_ints> row_vertices;
    prc_buffer<int> row_list;
    prc_buffer<int> row_ends; /* per vertex the first of its rows, then per vertex where they end */
    prc_buffer<prc_four_doubles> row_force;
    prc_buffer<prc_four_floats> row_numbers; /* all that is REAL */

    prc_buffer<int> near;          /* items that are to be looked at: prc_device_list_all_near */
    prc_buffer<int> doubtful;      /* contacts that need a closer look */
    prc_buffer<int> chosen, place; /* work space of compactions: 1 where an item stays, and where it goes */
    prc_buffer<int> counts;        /* numbers for the host: enum prc_contact_counts, and two more sets for moves */
    int move_turn;                 /* … which of them is the next move's: 0 or 1; it is clear */
    prc_buffer<double> largest;    /* one number */
};

enum prc_contact_counts {
    PRC_COUNT_PAIRS,    /* contacts of pairs, */
    PRC_COUNT_POINTS,   /* … and of vertices and colliders, */
    PRC_COUNT_CONTACTS, /* … and of triangles and colliders too */
    PRC_COUNT_CUT,      /* vertices that were cut short */
    PRC_COUNT_LEAVES,   /* 1 where some vertex leaves its ball */
    PRC_COUNT_OBJECTS,  /* of the free move, then of sweeps: 1 where some contact objected */
    PRC_COUNT_COUNT = PRC_COUNT_OBJECTS + 16,
    PRC_COUNT_DOUBTS = 8, /* … and so much later, of each: contacts that were doubtful, */
    PRC_COUNT_NEAR = 12   /* … and those that were near */
};

static inline prc_device_contacts *prc_device_contacts_of(const prc_contact_set *set)
{
    return (prc_device_contacts *)set->device;
}

/* Colliders where they are now, and exempt pairs: before they are looked at. False after an error. */
bool prc_device_contacts_send_world(prc_contact_set *set);
/* Room for rows and shifts of all contacts and lagged frictions that there are now. False: out of memory. */
bool prc_device_contacts_reserve_rows(prc_contact_set *set);
/* The contacts as structs, for tests; waits. False: out of memory. */
bool prc_device_contacts_fetch(prc_contact_set *set, prc_contact *out);
/* No contacts at all, after a failure. */
void prc_device_contacts_forget(prc_contact_set *set);

static inline PRC_DEVICE prc_four_doubles prc_device_pack(const double *x, int stride, int i)
{
    const prc_four_doubles packed = {x[i], x[(long)stride + i], x[2L * stride + i], 0};
    return packed;
}

/* Items that a warp goes through, `rounds` for each lane, and those of them that there is much to do for. */
#define PRC_NEAR_ROUNDS 2
#define PRC_NEAR_CHUNK (PRC_NEAR_ROUNDS * PRC_WARP)
#define PRC_NEAR_CHUNKS(items) (((long)(items) + PRC_NEAR_CHUNK - 1) / PRC_NEAR_CHUNK)

template <int rounds> struct prc_near_list {
    int item[rounds * PRC_WARP];
    int place;
};

/* Lists items from `first` on, in their order: of each lane, a warp apart, those whose bit it has set. So that lanes
 * have much to do together. Returns how many they are. */
template <int rounds>
PRC_DEVICE int prc_device_list(const prc_warp &warp, prc_near_list<rounds> &list, int first,
                               const prc_per_lane<unsigned> &bits)
{
    int count = 0;
    for (int u = 0; u < rounds; u++) {
        const unsigned some = warp.ballot([&](int lane) { return bits[lane] >> u & 1; });
        warp.each([&](int lane) {
            if (some >> lane & 1)
                list.item[count + prc_bit_count(some & ((1u << lane) - 1))] = first + PRC_WARP * u + lane;
        });
        count += prc_bit_count(some);
    }
    return count;
}

/* Lists those items from `first` on, before `end`, of which `far` is no more than what moves of at most `way` take from
 * it, and lagged frictions; of each other one far_off(k, left) is told what is left. */
template <int rounds, class Far>
PRC_DEVICE int prc_device_list_near(const prc_contact_view &view, const float *way, const prc_warp &warp,
                                    prc_near_list<rounds> &list, int first, int end, Far far_off)
{
    prc_per_lane<unsigned> near;
    warp.each([&](int lane) {
        float left[rounds];
        PRC_UNROLL
        for (int u = 0; u < rounds; u++) { /* no stores here: all loads go out together */
            const int k = first + PRC_WARP * u + lane, at = k < view.contact_count ? k : view.contact_count - 1;
            const prc_slice_integers v = *prc_slice_integers_at(&view, 0, at);
            const int vertices[4] = {v.x, v.y, v.z, v.w};
            const float than = view.far[at];
            left[u] = k < view.contact_count ? than - prc_contact_nearer(way, vertices) : -1;
        }
        near[lane] = 0;
        PRC_UNROLL
        for (int u = 0; u < rounds; u++) {
            const int k = first + PRC_WARP * u + lane;
            if (k < end && left[u] > 0)
                far_off(k, left[u]);
            else if (k < end)
                near[lane] |= 1u << u;
        }
    });
    return prc_device_list(warp, list, first, near);
}

#define PRC_ALL_NEAR_ROUNDS 4
/* Threads for all that is near among so many items; each looks at several, should that be more. */
#define PRC_NEAR_LOOKS(items) (((items) / 2 + PRC_WARP) / PRC_WARP * PRC_WARP)

/* Lists all of them in c->near, in any order, and their number in *count, which is 0 before: a quarter of the contacts
 * of a crumpled tube is near, but of 32 in a row one nearly always is, and a warp that looked at it where it lies would
 * take as long as for all. Unless idle(), when none is. */
template <class Idle, class Far>
void prc_device_list_all_near(prc_device_contacts *c, const char *name, int items, int *count, Idle idle, Far far_off)
{
    const prc_contact_view view = c->view;
    const float *way = c->way.data;
    int *near = c->near.data;
    const int chunk = PRC_ALL_NEAR_ROUNDS * PRC_WARP;
    typedef prc_near_list<PRC_ALL_NEAR_ROUNDS> near_list;
    prc_each_warp<near_list>(c->device, name, ((long)items + chunk - 1) / chunk,
                             [=] PRC_DEVICE(const prc_warp &warp, near_list &list, int i) {
                                 if (idle())
                                     return;
                                 const int first = chunk * i, end = first + chunk < items ? first + chunk : items;
                                 const int found = prc_device_list_near(view, way, warp, list, first, end, far_off);
                                 warp.each([&](int lane) {
                                     if (lane == 0 && found > 0)
                                         list.place = prc_atomic_add(count, found);
                                 });
                                 for (int e = 0; e < found; e += PRC_WARP)
                                     warp.each([&](int lane) {
                                         if (e + lane < found)
                                             near[list.place + e + lane] = list.item[e + lane];
                                     });
                             });
}

/* The first k from `first` on for which not is_before(k), or `end`: once that is false, it stays so. */
template <class B> PRC_DEVICE int prc_count_before(int first, int end, B is_before)
{
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (is_before(middle))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Lists of `entries` entries: vertex_of(e) is the vertex of entry e, which is for item_of(e). */
template <class Vertex, class Item>
bool prc_device_index_make(prc_device *d, prc_device_index *index, int vertices, int entries, Vertex vertex_of,
                           Item item_of)
{
    if (!prc_reserve(d, &index->start, (size_t)vertices + 1) || !prc_reserve(d, &index->of, (size_t)entries + 1) ||
        !prc_reserve(d, &index->key, (size_t)entries + 1))
        return false;
    uint32_t *key = index->key.data;
    int *of = index->of.data, *start = index->start.data, bits = 1;
    while (bits < 31 && vertices >> bits)
        bits++;
    prc_each(d, "index: entries", entries, [=] PRC_DEVICE(int e) {
        key[e] = (uint32_t)vertex_of(e);
        of[e] = item_of(e);
    });
    prc_sort(d, key, of, entries, bits); /* stable: what was ascending is so for every vertex */
    prc_each(d, "index: starts", (long)vertices + 1, [=] PRC_DEVICE(int i) {
        start[i] = prc_count_before(0, entries, [=](int k) { return key[k] < (uint32_t)i; });
    });
    return !prc_device_failed(d);
}

void prc_device_index_release(prc_device *d, prc_device_index *index);

/* --- contact_response.cu --- */

void prc_device_contact_forces(prc_contact_set *set, const double *y, const double *x, double h);
void prc_device_contact_evaluate(prc_contact_set *set, const double *y, const double *x, double h);
int prc_device_contact_active_count(prc_contact_set *set);
void prc_device_contact_aim(prc_contact_set *set, const double *y, const double *x, const double *made,
                            const double *step);
void prc_device_contact_search(prc_contact_set *set, const double *y, const double *x, const double *made,
                               const double *step, double *slot);
void prc_device_contact_shift(prc_contact_set *set, const double *slot);
prc_result prc_device_contact_freeze_friction(prc_contact_set *set, prc_error *error);

/* --- extend.cu --- */

bool prc_device_extension_create(prc_device *d, prc_device_extension *x, const prc_surface *surface);
void prc_device_extension_release(prc_device *d, prc_device_extension *x);
bool prc_device_contact_extend(prc_contact_set *set, const double *y, const double *p);

/* --- contact_move.cu --- */

int prc_device_contact_move(prc_contact_set *set, const double *y, const double *p, double *out);
prc_result prc_device_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out,
                                      prc_error *error);
bool prc_device_contact_move_colliders(prc_contact_set *set, const double *y);

/* --- rigid.cu --- */

bool prc_device_rigids_create(prc_contact_set *set, prc_device_contacts *c);
/* What the host knows of them, at the beginning of a step. */
void prc_device_rigids_send(prc_contact_set *set);
void prc_device_rigids_ask(prc_contact_set *set, double longest, double part, const double *y, double *p);
void prc_device_rigids_accept(prc_contact_set *set, bool settle);
/* Unless nothing objected `before`: those of which a vertex is marked go as far as all of their vertices may. They are
 * noted as static by the second, after their vertices. */
void prc_device_rigids_hold(prc_device_contacts *c, const double *y, const double *p, double *out, const int *before);
void prc_device_rigids_held(prc_device_contacts *c);

PRC_DEVICE_END

#endif
