/* io/pc2.h — PointCache2: positions of a fixed number of vertices, sample by sample.
 *
 * A header of 32 bytes ("POINTCACHE2" and a zero, then version 1, points, start frame, sample rate, samples), then the
 * samples, three 32-bit floats per point, all little endian. Start frame and sample rate are not used: the scene
 * defines the time of each sample.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_PC2_H
#define PRC_IO_PC2_H

#include <percale/base.h>

/* Reads a whole file. *positions holds 3 numbers per point and sample, sample after sample; the caller frees it with
 * prc_free. A file of another size than its header says is refused. */
prc_result prc_pc2_read(const char *path, float **positions, int *point_count, int *sample_count, prc_error *error);
prc_result prc_pc2_write(const char *path, const float *positions, int point_count, int sample_count, prc_error *error);

#endif
