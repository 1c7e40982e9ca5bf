/* io/sdf_file.c — see sdf_file.h.
 *
 * A file consists of a header (format, key of the field, checksum of the values) and the values. The grid is computed
 * again from the mesh, and so is the bound of the gradient. Bytes are those of the machine, and say so: another one
 * builds its own. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "io/sdf_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "collider/sdf.h"
#include "io/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC "prcfield"
#define VERSION 1
#define BYTE_ORDER_MARK 0x01020304

typedef struct head {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t key, count, sum;
} head;

static head head_of(const prc_sdf *f)
{
    head h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK, .key = f->key, .count = prc_sdf_node_count(f)};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.sum = prc_sdf_hash(PRC_SDF_HASH, f->value, sizeof *f->value * prc_sdf_node_count(f));
    return h;
}

prc_result prc_sdf_save(const prc_sdf *field, const char *path, prc_error *error)
{
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return PRC_ERROR_IO;
    const head h = head_of(field);
    prc_file_write(file, &h, sizeof h);
    prc_file_write(file, field->value, sizeof *field->value * prc_sdf_node_count(field));
    return prc_file_commit(file, error);
}

/* Takes the values over if they are what the head says, and could be distances. */
static bool take_values(prc_sdf *f, const char *data, size_t size)
{
    const size_t count = prc_sdf_node_count(f);
    if (size != sizeof(head) + sizeof *f->value * count)
        return false;
    memcpy(f->value, data + sizeof(head), sizeof *f->value * count);
    const head expected = head_of(f);
    if (memcmp(data, &expected, sizeof expected) != 0)
        return false;
    for (size_t n = 0; n < count; n++)
        if (!(fabs((double)f->value[n]) <= f->band))
            return false;
    return true;
}

prc_sdf *prc_sdf_load(const char *path, const prc_mesh *mesh, int resolution, double margin, prc_error *error)
{
    char *data = NULL;
    size_t size = 0;
    prc_sdf *f = prc_sdf_lay_out(mesh, resolution, margin, error);
    if (!f)
        return NULL;
    const bool read = prc_file_read(path, &data, &size, error) == PRC_OK;
    if (!read || !take_values(f, data, size)) {
        if (read)
            prc_fail(error, PRC_ERROR_IO, "%.300s: is damaged, or not the field of this mesh; build it again", path);
        prc_sdf_destroy(f);
        f = NULL;
    } else {
        prc_sdf_measure(f);
    }
    prc_free(data);
    return f;
}

bool prc_sdf_cache_path(const prc_mesh *mesh, int resolution, double margin, char *path, size_t size)
{
    const char *own = getenv("PERCALE_CACHE"), *common = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *folder = own ? own : common && common[0] ? common : home, *below = "";
    if (!folder || !folder[0])
        return false;
    if (!own)
        below = folder == common ? "/percale" : "/.cache/percale";
    const int length =
        snprintf(path, size, "%s%s/field-%016" PRIx64, folder, below, prc_sdf_key(mesh, resolution, margin));
    return length > 0 && (size_t)length < size;
}

/* Makes the folders above a file; what fails shows when the file is written. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

prc_sdf *prc_sdf_cached(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error)
{
    char path[1024];
    if (!prc_sdf_cache_path(mesh, resolution, margin, path, sizeof path))
        return prc_sdf_build_thin(mesh, resolution, margin, threads, error);
    prc_sdf *field = prc_sdf_load(path, mesh, resolution, margin, NULL);
    if (field)
        return field;
    field = prc_sdf_build_thin(mesh, resolution, margin, threads, error);
    if (field) {
        make_folders(path);
        prc_sdf_save(field, path, NULL);
    }
    return field;
}
