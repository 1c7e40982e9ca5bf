/* io/sdf_file.h — cache of distance fields between runs.
 *
 * The cache is a folder: $PERCALE_CACHE, or $XDG_CACHE_HOME/percale, or ~/.cache/percale; an empty PERCALE_CACHE
 * disables it. The cache is optional: a field that cannot be read is built, and failure to write is not an error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_SDF_FILE_H
#define PRC_IO_SDF_FILE_H

#include <percale/sdf.h>

/* The field from the cache, or built and put there. */
prc_sdf *prc_sdf_cached(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error);
/* Where the cache keeps a field; false where there is no cache. */
bool prc_sdf_cache_path(const prc_mesh *mesh, int resolution, double margin, char *path, size_t size);

#endif
