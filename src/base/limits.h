/* base/limits.h — limits of mesh sizes. Checked before anything is allocated, so that a wrong count does not exhaust
 * memory. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_LIMITS_H
#define PRC_BASE_LIMITS_H

/* Each number stands here once, in millions; the counts and what messages say come from it. */
#define PRC_MILLIONS(number) ((number)*1000000)
#define PRC_MILLIONS_AS_TEXT(number) #number " million"
#define PRC_MILLIONS_TEXT(number) PRC_MILLIONS_AS_TEXT(number) /* of a macro: its number, not its name */

/* Of a simulation, and of each of its meshes: numbers of vertices, corners, edges and bonds stay within an int. */
#define PRC_MOST_MILLIONS 100
#define PRC_MOST_VERTICES PRC_MILLIONS(PRC_MOST_MILLIONS)
#define PRC_MOST_TRIANGLES (2 * PRC_MOST_VERTICES)
#define PRC_MOST_TEXT "at most " PRC_MILLIONS_TEXT(PRC_MOST_MILLIONS) " vertices and twice as many triangles"

/* Of a file, and of the bodies of a scene: a gigabyte of arrays, and more than any cloth needs. */
#define PRC_MOST_READ_MILLIONS 20
#define PRC_MOST_READ_VERTICES PRC_MILLIONS(PRC_MOST_READ_MILLIONS)
#define PRC_MOST_READ_TRIANGLES (2 * PRC_MOST_READ_VERTICES)
#define PRC_MOST_READ_TEXT PRC_MILLIONS_TEXT(PRC_MOST_READ_MILLIONS)

#endif
