/* test/fuzz/fuzz_vtk.c — the reader of legacy VTK files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("fuzz.vtk", data, size);
}
