/* bench/gpu_frames.h — a frame after every step of a window: what it costs to ask for it, or to pack it as a run does.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BENCH_GPU_FRAMES_H
#define PRC_BENCH_GPU_FRAMES_H

#include <percale/percale.h>

typedef enum prc_frames_how { PRC_FRAMES_NONE, PRC_FRAMES_ASKED, PRC_FRAMES_PACKED } prc_frames_how;

typedef struct prc_gpu_frames prc_gpu_frames;

prc_gpu_frames *prc_gpu_frames_create(prc_sim *sim, prc_frames_how how, prc_error *error); /* NULL: out of memory */
void prc_gpu_frames_release(prc_gpu_frames *frames); /* before the simulation; may be NULL */
/* The part that keeps the solver waiting. */
void prc_gpu_frames_take(prc_gpu_frames *frames);
/* The part that another thread does meanwhile, in a run: the frame that was taken before. */
prc_result prc_gpu_frames_open(prc_gpu_frames *frames, prc_error *error);

#endif
