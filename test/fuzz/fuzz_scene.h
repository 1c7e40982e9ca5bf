/* test/fuzz/fuzz_scene.h — scenes from any text. One that was understood may also be tried, if it is small: built, and
 * a step taken.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FUZZ_SCENE_H
#define PRC_FUZZ_SCENE_H

#include "fuzz.h"

#include "scene/scene.h"

#define FUZZ_VERTICES 150

/* libfyaml leaks 2 kB where a quoted text does not end; what percale takes is counted, see fuzz_end. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier): the sanitizer's name */
__attribute__((weak)) const char *__lsan_default_suppressions(void) /* NOLINT(bugprone-reserved-identifier) */
{
    return "leak:libfyaml";
}

static inline void fuzz_write(const char *folder, const char *name, const void *data, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

static inline void fuzz_write_text(const char *folder, const char *name, const char *text)
{
    fuzz_write(folder, name, text, strlen(text));
}

/* A folder with files that scenes may name; made once, and left behind in the folder for temporary files. */
static inline const char *fuzz_folder(void)
{
    static const unsigned char image[] = {
        137, 80,  78, 71, 13, 10, 26,  10,  0,   0,   0,   13, 73, 72, 68, 82, 0,  0,  0,   2,   0,  0,  0,
        2,   8,   0,  0,  0,  0,  87,  221, 82,  248, 0,   0,  0,  12, 73, 68, 65, 84, 120, 156, 99, 96, 248,
        15,  132, 0,  6,  0,  1,  255, 147, 209, 228, 137, 0,  0,  0,  0,  73, 69, 78, 68,  174, 66, 96, 130};
    static const unsigned char animation[] = {
        80,  79,  73,  78,  84,  67,  65,  67,  72,  69,  50,  0,   1,   0,   0,   0,   4,   0,   0,   0,   0,   0,
        0,   0,   0,   0,   128, 63,  2,   0,   0,   0,   0,   0,   0,   0,   205, 204, 204, 61,  205, 204, 76,  62,
        154, 153, 153, 62,  205, 204, 204, 62,  0,   0,   0,   63,  154, 153, 25,  63,  51,  51,  51,  63,  205, 204,
        76,  63,  102, 102, 102, 63,  0,   0,   128, 63,  205, 204, 140, 63,  154, 153, 153, 63,  102, 102, 166, 63,
        51,  51,  179, 63,  0,   0,   192, 63,  205, 204, 204, 63,  154, 153, 217, 63,  102, 102, 230, 63,  51,  51,
        243, 63,  0,   0,   0,   64,  102, 102, 6,   64,  205, 204, 12,  64,  51,  51,  19,  64};
    static char folder[100];
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "/tmp/percale-fuzz-%ld", (long)getuid());
    mkdir(folder, 0777);
    setenv("PERCALE_CACHE", "", 1); /* fields are not kept */
    fuzz_write_text(folder, "a.obj", "o part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 3 2 4\n");
    fuzz_write_text(folder, "b.yaml", "time: {step: 1e-3}\n");
    fuzz_write_text(folder, "k.csv", "time,x,y,z\n0,0,0,0\n1,0,1,0\n");
    fuzz_write_text(folder, "p.ply",
                    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
                    "property float w\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
                    "0 0 0 0\n1 0 0 0.3\n0 1 0 0.6\n1 1 0 1\n3 0 1 2\n3 2 1 3\n");
    fuzz_write(folder, "m.png", image, sizeof image);
    fuzz_write(folder, "f.pc2", animation, sizeof animation);
    return folder;
}

static inline bool fuzz_is_small(const prc_sim_def *def)
{
    long vertices = 0;
    for (int b = 0; b < def->body_count; b++)
        vertices += def->bodies[b].mesh->vertex_count;
    for (int o = 0; o < def->obstacle_count; o++)
        vertices += def->obstacles[o].mesh->vertex_count;
    for (int c = 0; c < def->collider_count; c++)
        if (def->colliders[c].shape == PRC_SHAPE_MESH && def->colliders[c].resolution > 16)
            return false;
    return vertices <= FUZZ_VERTICES;
}

static inline void fuzz_try(const prc_sim_def *given)
{
    prc_sim_def def = *given;
    prc_error error = {0};
    prc_step_report report;
    def.solver.max_iterations = 3;
    def.solver.max_inner = 20;
    def.solver.inner_sweeps = 2;
    def.contact.friction_lag = def.contact.friction_lag > 2 ? 2 : def.contact.friction_lag;
    def.threads = 1;
    prc_sim *sim = prc_sim_create(&def, &error);
    FUZZ_CHECK(sim || error.message[0]);
    if (sim && prc_sim_step(sim, &report, &error))
        FUZZ_CHECK(error.message[0]);
    for (int k = 0; sim && k < 3 * prc_sim_vertex_count(sim); k++)
        FUZZ_CHECK(isfinite(prc_sim_positions(sim)[k]));
    prc_sim_destroy(sim);
}

static inline void fuzz_read_scene(const char *text, size_t size, const char *const *overrides, int count, bool try)
{
    static prc_scene_errors errors;
    static char path[200];
    if (!path[0])
        snprintf(path, sizeof path, "%s/scene.yaml", fuzz_folder());
    fuzz_begin(16);
    prc_scene *scene = prc_scene_parse(text, size, path, overrides, count, &errors);
    FUZZ_CHECK(scene || (errors.count > 0 && errors.items[0].message[0]));
    if (scene && try && fuzz_is_small(prc_scene_sim_def(scene)))
        fuzz_try(prc_scene_sim_def(scene));
    prc_scene_destroy(scene);
    fuzz_end();
}

#endif
