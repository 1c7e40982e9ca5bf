/* test/fuzz/fuzz_scene.h — scenes from any text. One that was understood may also be tried, if it is small: built, and
 * a step taken.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FUZZ_SCENE_H
#define PRC_FUZZ_SCENE_H

#include "fuzz.h"

#include "scene/scene.h"

#define FUZZ_VERTICES 150

static inline void fuzz_write(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* A folder with files that scenes may name; made once, and left behind in the folder for temporary files. */
static inline const char *fuzz_folder(void)
{
    static char folder[100];
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "/tmp/percale-fuzz-%ld", (long)getuid());
    mkdir(folder, 0777);
    setenv("PERCALE_CACHE", "", 1); /* fields are not kept */
    fuzz_write(folder, "a.obj", "o part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 3 2 4\n");
    fuzz_write(folder, "b.yaml", "time: {step: 1e-3}\n");
    fuzz_write(folder, "k.csv", "time,x,y,z\n0,0,0,0\n1,0,1,0\n");
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

static inline void fuzz_scene(const char *text, size_t size, const char *const *overrides, int count, bool try)
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
