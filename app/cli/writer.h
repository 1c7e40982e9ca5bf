/* app/cli/writer.h — a thread that writes frames while the solver continues.
 *
 * The solver fills a buffer and hands it over; it waits only if all buffers are still waiting to be written. Data of a
 * parcel (positions, velocities, stretches) are copied into the buffer by the thread, when they have arrived. Buffers
 * are allocated once. A frame that cannot be written ends the writing: the next call reports it, and the frames that
 * were handed over but not written are kept.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_WRITER_H
#define PRC_CLI_WRITER_H

#include "frames.h"
#include "step/parcel.h"

#define PRC_WRITER_BUFFERS 3

typedef struct prc_writer prc_writer;

/* Starts the thread; `frames` is its own until prc_writer_wait or prc_writer_stop returns. */
prc_writer *prc_writer_start(prc_frames *frames, prc_error *error);
/* A buffer to fill with the next frame, or NULL and the message of the frame that could not be written. */
double *prc_writer_take(prc_writer *writer, prc_error *error);
/* The parcel of the buffer that was taken, made when it is first asked for; to be packed before the buffer is handed
 * over. NULL when out of memory. */
prc_parcel *prc_writer_parcel(prc_writer *writer, prc_sim *sim, prc_error *error);
/* Hands the buffer that was taken over. */
void prc_writer_hand(prc_writer *writer);
/* Whether a frame could not be written, as far as is known. */
prc_result prc_writer_check(prc_writer *writer, prc_error *error);
/* Until all frames are written, or one failed. The thread rests until the next is handed over. */
prc_result prc_writer_wait(prc_writer *writer, prc_error *error);
/* How many frames wait to be written, after a failure the one that failed and those behind it; buffer k of them, or
 * NULL where its parcel was lost. */
int prc_writer_waiting(prc_writer *writer);
const double *prc_writer_block(prc_writer *writer, int k);
/* Wall clock the thread has spent on writing, s. */
double prc_writer_seconds(prc_writer *writer);
/* Waits as prc_writer_wait, then ends the thread and releases the writer, before the simulation of its parcels goes;
 * stopping NULL does nothing. */
prc_result prc_writer_stop(prc_writer *writer, prc_error *error);

#endif
