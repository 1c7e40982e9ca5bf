/* test/fuzz/fuzz_obj.c — the reader of OBJ files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("fuzz.obj", data, size);
}
