/* io/mesh_read.c — chooses the reader of a mesh file by the ending of its name.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include <percale/mesh.h>

#include "base/error.h"
#include "io/obj.h"
#include "io/ply.h"

#include <locale.h>
#include <string.h>
#include <strings.h>

typedef prc_result mesh_reader(prc_mesh *mesh, const char *path, prc_error *error);

prc_result prc_mesh_read(prc_mesh *mesh, const char *path, prc_error *error)
{
    *mesh = (prc_mesh){0};
    const char *ending = strrchr(path, '.');
    mesh_reader *read = NULL;
    if (ending && strcasecmp(ending, ".obj") == 0)
        read = prc_obj_read;
    else if (ending && strcasecmp(ending, ".ply") == 0)
        read = prc_ply_read;
    if (!read)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: a mesh file's name must end in .obj or .ply", path);

    /* Programs with a user interface often set a locale with decimal commas; mesh files always have points. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return PRC_FAIL_MEMORY(error);
    locale_t before = uselocale(plain);
    prc_result result = read(mesh, path, error);
    uselocale(before);
    freelocale(plain);
    return result;
}
