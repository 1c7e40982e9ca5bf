/* test/fuzz/fuzz_gltf.c — the reader of glTF files, text and binary, and of JSON with it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh(size >= 4 && !memcmp(data, "glTF", 4) ? "fuzz.glb" : "fuzz.gltf", data, size);
}
