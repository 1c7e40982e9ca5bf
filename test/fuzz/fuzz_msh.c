/* test/fuzz/fuzz_msh.c — the reader of Gmsh MSH files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("fuzz.msh", data, size);
}
