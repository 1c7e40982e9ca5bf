/* test/fuzz/fuzz_frame.c — frames as `percale check` takes them: read, put together, held against the checker.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "check/check.h"
#include "io/ply.h"

#define MOST 300 /* triangles and edges that are checked: the checker's time grows with the crossings */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prc_mesh mesh;
    prc_ply_extra extra;
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_ply_read_frame(&mesh, &extra, fuzz_file(data, size), &error)) {
        fuzz_look_at_mesh(&mesh);
        for (long k = 0; k < 2L * extra.edge_count; k++)
            FUZZ_CHECK(extra.edges[k] >= 0 && extra.edges[k] < mesh.vertex_count);
        prc_check_options how = prc_check_options_default();
        how.obstacle = extra.obstacle;
        prc_check_result result;
        if (mesh.triangle_count <= MOST && !prc_check_surfaces(mesh.positions, mesh.vertex_count, mesh.triangles,
                                                               mesh.triangle_count, &how, &result, &error))
            prc_check_result_release(&result);
        prc_mesh_release(&mesh);
        prc_ply_extra_release(&extra);
    } else {
        FUZZ_CHECK(error.message[0] && !mesh.positions && !extra.edges);
    }
    fuzz_end();
    return 0;
}
