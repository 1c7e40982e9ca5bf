/* io/sdf_file.h — fields of distances kept from run to run.
 *
 * The cache is a folder: $PERCALE_CACHE, or $XDG_CACHE_HOME/percale, or ~/.cache/percale; PERCALE_CACHE set to nothing
 * means none. It is never needed: what cannot be read is built, what cannot be written is not an error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_SDF_FILE_H
#define PRC_IO_SDF_FILE_H

#include <percale/sdf.h>

/* The field from the cache, or built and put there. */
prc_sdf *prc_sdf_cached(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error);
/* Where the cache keeps a field; false where there is no cache. */
bool prc_sdf_cache_path(const prc_mesh *mesh, int resolution, double margin, char *path, size_t size);

#endif
