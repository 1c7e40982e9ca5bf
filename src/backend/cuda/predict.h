/* backend/cuda/predict.h — the verified prediction of a step on the device: prc_contact_predict.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_PREDICT_H
#define PRC_CUDA_PREDICT_H

#include "backend/cuda/detect.h"
#include "base/interrupt.h"
#include "kernel/contact.h"

PRC_DEVICE_BEGIN

/* Work space, from one step to the next. Starts as zeros. */
typedef struct prc_device_prediction {
    prc_buffer<double> time;   /* per vertex: the part of its way that is free as far as is known */
    prc_buffer<uint64_t> next; /* … and the part of that which a round leaves: bits of a double that is not negative */
    prc_buffer<uint64_t> room; /* … and which colliders leave to faces */
    prc_buffer<double> share;  /* … kernel/zones.h, */
    prc_buffer<int> zone_integers;
    prc_buffer<uint64_t> zone_bits;
    prc_buffer<double> sweep; /* 3 × stride: displacements as rounded */
    prc_buffer<int> doubtful; /* pairs of a round that need a closer look */
    prc_buffer<int> counts;   /* of a round: pairs that failed, pairs that are doubtful, edges torn */
    int searches, rounds;     /* of the last prediction: for pairs; in which vertices were held back */
    int collider_rounds;      /* … before them, by colliders */
    bool ahead;               /* … whose pairs are all of a detection where it ended, and more */
    double seconds_find;      /* … and what finding pairs took of it, s */
    prc_interrupt *interrupt; /* asked between rounds; or NULL */
} prc_device_prediction;

void prc_device_prediction_release(prc_device *d, prc_device_prediction *w);

/* The largest verified part of the move x → x + p, vertex by vertex, into `out`. Colliders and exempt pairs of the view
 * must be those of now. `separation`: prc_contact_reach, m. `found` then holds the pairs of the last search, exempt
 * ones too. Waits. */
prc_result prc_device_predict(prc_device *d, prc_device_prediction *w, const prc_contact_view *view,
                              prc_device_detector *detector, prc_device_pairs *found, double separation,
                              const double *x, const double *p, double *out, prc_error *error);

/* rigid.cu: the parts `next` of their ways that a round leaves vertices become the least of each obstacle that waits as
 * a whole; such stay where they were. */
void prc_device_rigids_hold_back(prc_device *d, const prc_contact_view *view, uint64_t *next);
void prc_device_rigids_stay(prc_device *d, const prc_contact_view *view);

PRC_DEVICE_END

#endif
