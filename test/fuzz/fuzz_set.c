/* test/fuzz/fuzz_set.c — `--set`: each line of the input is laid over a small scene.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_scene.h"

#define MOST 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char scene[] = "percale: 1\ntime: {step: 1e-3, duration: 0.1}\ncontact: {enabled: true}\n"
                                "colliders: [{shape: sphere, center: [0, -2, 0]}]\n"
                                "bodies:\n  - mesh: {grid: {size: [1, 1], cells: [2, 2]}}\n"
                                "    pins: [{select: {corners: [0]}}]\n";
    const char *overrides[MOST];
    int count = 0;
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line && count < MOST; line = strtok(NULL, "\n"))
        overrides[count++] = line;
    fuzz_read_scene(scene, sizeof scene - 1, overrides, count, false);
    free(text);
    return 0;
}
