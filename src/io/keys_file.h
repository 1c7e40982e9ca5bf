/* io/keys_file.h — keys of a motion from a table of numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_KEYS_FILE_H
#define PRC_IO_KEYS_FILE_H

#include <percale/motion.h>

/* Reads a CSV file: time, x, y, z (s, m) and perhaps axis_x, axis_y, axis_z, degrees; in this order, or in that of a
 * first line with these names. Cells are divided by commas or semicolons, or by blanks and tabs alone; empty lines and
 * those that begin with # are skipped. Times must increase. *keys is released with prc_free; NULL on failure. */
prc_result prc_keys_read(const char *path, prc_pose_key **keys, int *count, prc_error *error);

#endif
