/* io/mdd.h — MDD, the vertex cache of LightWave that Blender, Maya and others read: positions of a fixed number of
 * vertices, frame by frame.
 *
 * Two numbers, of frames and of points; the time of each frame in seconds; then the frames, three floats per point; all
 * of 32 bits, big endian. The times are not used: the scene defines the time of each frame, as with PC2. Written by
 * clip.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_MDD_H
#define PRC_IO_MDD_H

#include <percale/base.h>

/* Reads a whole file, as prc_pc2_read does. A file of another size than its header says is refused. */
prc_result prc_mdd_read(const char *path, float **positions, int *point_count, int *sample_count, prc_error *error);

#endif
