/* test/test_seeds.c — the seeds of the fuzz targets, among them every input that ever broke a reader, in each build: a
 * target ends the program where a promise is not kept, and what sanitizers find fails here too.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <dirent.h>
#include <stdint.h>

#include "base/memory.h"
#include "io/file.h"

#define TARGETS(X)                                                                                                     \
    X(checkpoint)                                                                                                      \
    X(expression)                                                                                                      \
    X(frame)                                                                                                           \
    X(gltf) X(keys) X(mdd) X(msh) X(obj) X(pc2) X(ply) X(png) X(scene) X(sdf) X(set) X(colliders) X(state) X(stl) X(vtk)

typedef int target(const uint8_t *data, size_t size);

#define DECLARE(name) target fuzz_##name;
TARGETS(DECLARE)

/* How many seeds were taken; 0 fails. */
static int feed(target *function, const char *name)
{
    char folder[400], path[800];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/test/fuzz/corpus/%s", PRC_TEST_SOURCE, name);
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char *data;
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || prc_file_read(path, &data, &size, NULL))
            continue;
        function((const uint8_t *)data, size);
        prc_free(data);
        count++;
    }
    if (list)
        closedir(list);
    function((const uint8_t *)"", 0);
    return count;
}

#define CLAIM(name)                                                                                                    \
    TEST(seeds_of_##name##_are_survived)                                                                               \
    {                                                                                                                  \
        CHECK(feed(fuzz_##name, #name) > 0);                                                                           \
    }
TARGETS(CLAIM)

TEST_MAIN()
