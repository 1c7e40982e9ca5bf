/* base/limits.h — limits of mesh sizes. Checked before anything is allocated, so that a wrong count does not exhaust
 * memory. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_LIMITS_H
#define PRC_BASE_LIMITS_H

/* Of a simulation, and of each of its meshes: numbers of vertices, corners, edges and bonds stay within an int. */
#define PRC_MOST_VERTICES 100000000
#define PRC_MOST_TRIANGLES (2 * PRC_MOST_VERTICES)
#define PRC_MOST_TEXT "at most 100 million vertices and 200 million triangles"

/* Of a file, and of the bodies of a scene: a gigabyte of arrays, and more than any cloth needs. */
#define PRC_MOST_READ_VERTICES 20000000
#define PRC_MOST_READ_TRIANGLES (2 * PRC_MOST_READ_VERTICES)

#endif
