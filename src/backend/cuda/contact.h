/* backend/cuda/contact.h — the contact set as a device has it: what contact*.cu share.
 *
 *   contact.cu           its making, detection, geometry, what is measured after a step
 *   contact_response.cu  rows of forces and stiffnesses, the model along a step, lagged friction
 *   contact_move.cu      moves that are safe; prediction and solids
 *
 * Physics is that of kernel/contact*.h, through a view whose pointers are the device's. Lists have the CPU's order,
 * entry for entry. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_CONTACT_H
#define PRC_BACKEND_CUDA_CONTACT_H

#include "backend/cuda/detect.h"
#include "backend/cuda/device.h"
#include "backend/cuda/predict.h"
#include "backend/cuda/rows.h"
#include "backend/cuda/solids.h"
#include "contact/contact.h"

PRC_DEVICE_BEGIN

#define PRC_MANY_CONTACTS 50000

/* CSR of the items of each vertex, entry = 4 item + place, ascending. */
struct prc_device_index {
    prc_buffer<int> start, of;
    prc_buffer<uint32_t> key; /* work space: the vertex of each entry */
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
    prc_buffer<unsigned char> moves_freely;
    prc_buffer<double> body_friction;
    prc_buffer<prc_contact_pair_def> body_pairs;

    prc_device_detector detector;
    prc_device_pairs found;
    prc_device_prediction prediction;
    prc_device_solids solids;
    prc_buffer<prc_exempt_pair> exempt_pairs;
    prc_buffer<int> exempt_slots;

    /* per contact, then per lagged friction */
    prc_buffer<prc_slice_integers> slices; /* kernel/contact_slices.h */
    prc_buffer<prc_lagged> lagged;
    prc_device_index of_contacts, of_lagged;
    prc_buffer<double> shift, shift_step; /* 3 each */
    prc_buffer<double> column;            /* work space of a largest value */

    /* rows: see rows.h */
    prc_buffer<int> felt, row_of; /* per contact, then per lagged friction: 1 where there is a row, and which */
    prc_buffer<prc_four_ints> row_vertices;
    prc_buffer<int> row_list;
    prc_buffer<int> row_ends; /* per vertex the first of its rows, then per vertex where they end */
    prc_buffer<prc_four_doubles> row_force;
    prc_buffer<prc_four_floats> row_numbers; /* all that is REAL */

    prc_buffer<int> doubtful;      /* contacts that need a closer look */
    prc_buffer<int> chosen, place; /* work space of compactions: 1 where an item stays, and where it goes */
    prc_buffer<int> counts;        /* numbers for the host: enum prc_contact_counts, and two more sets for moves */
    int move_turn;                 /* … which of them is the next move's: 0 or 1; it is clear */
    prc_buffer<double> largest;    /* one number */
};

enum prc_contact_counts {
    PRC_COUNT_PAIRS,    /* contacts of pairs, */
    PRC_COUNT_CONTACTS, /* … and of solids too */
    PRC_COUNT_CUT,      /* vertices that were cut short */
    PRC_COUNT_LEAVES,   /* 1 where some vertex leaves its ball */
    PRC_COUNT_OBJECTS,  /* of the free move, then of sweeps: 1 where some contact objected */
    PRC_COUNT_COUNT = PRC_COUNT_OBJECTS + 16,
    PRC_COUNT_DOUBTS = 8 /* … and so much later, of each: contacts that were doubtful */
};

static inline prc_device_contacts *prc_device_contacts_of(const prc_contact_set *set)
{
    return (prc_device_contacts *)set->device;
}

/* Solids where they are now, and exempt pairs: before they are looked at. False after an error. */
bool prc_device_contacts_send_world(prc_contact_set *set);
/* Room for rows and shifts of all contacts and lagged frictions that there are now. False: out of memory. */
bool prc_device_contacts_reserve_rows(prc_contact_set *set);
/* The contacts as structs, for tests; waits. False: out of memory. */
bool prc_device_contacts_fetch(prc_contact_set *set, prc_contact *out);
/* No contacts at all, after a failure. */
void prc_device_contacts_forget(prc_contact_set *set);

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
        int first = 0, end = entries;
        while (first < end) {
            const int middle = first + (end - first) / 2;
            if (key[middle] < (uint32_t)i)
                first = middle + 1;
            else
                end = middle;
        }
        start[i] = first;
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

/* --- contact_move.cu --- */

int prc_device_contact_move(prc_contact_set *set, const double *y, const double *p, double *out);
prc_result prc_device_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out,
                                      prc_error *error);
bool prc_device_contact_move_solids(prc_contact_set *set, const double *y);

PRC_DEVICE_END

#endif
