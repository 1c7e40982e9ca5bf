/* test/fuzz/fuzz_stl.c — the reader of STL files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("fuzz.stl", data, size);
}
