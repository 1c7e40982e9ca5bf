/* test/fuzz/fuzz_sdf.c — the reader of kept distance fields. The first byte says whether the sum over the values is put
 * right, without which no change of them would get past it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "collider/sdf.h"

#define HEAD 40 /* bytes before the values; the last 8 of them are the sum */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static prc_mesh ball;
    prc_error error = {0};
    if (!ball.positions)
        FUZZ_CHECK(!prc_mesh_sphere(&ball, 0.5, 0, NULL));
    if (!size)
        return 0;
    uint8_t *copy = malloc(size);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, size);
    if ((data[0] & 1) && size > HEAD + 1) {
        const uint64_t sum = prc_sdf_hash(PRC_SDF_HASH, copy + 1 + HEAD, size - 1 - HEAD);
        memcpy(copy + 1 + HEAD - 8, &sum, 8);
    }
    prc_sdf *field = prc_sdf_load(fuzz_file(copy + 1, size - 1), &ball, 3, 0.1, &error);
    if (field) {
        const double x[3] = {0.1, 0.2, 0.3};
        double gradient[3];
        FUZZ_CHECK(isfinite(prc_sdf_distance(field, x, gradient)));
        prc_sdf_destroy(field);
    } else {
        FUZZ_CHECK(error.message[0]);
    }
    free(copy);
    return 0;
}
