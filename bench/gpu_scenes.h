/* bench/gpu_scenes.h — the scenes of `percale bench gpu`: garments on a figure that walks, a heap, a wrung tube, a
 * block of layers. All are made by code, at any resolution. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BENCH_GPU_SCENES_H
#define PRC_BENCH_GPU_SCENES_H

#include <percale/percale.h>

#include "gpu_frames.h"

typedef struct prc_gpu_options {
    double scale; /* of edges per length: vertices go with its square; 1 is the size that the bars speak of */
    int threads;
    prc_backend_kind backend;
    prc_precision precision;
    double step, tolerance; /* s, m/s; 0: the scene's */
} prc_gpu_options;

prc_gpu_options prc_gpu_options_default(void);

typedef struct prc_gpu_scene prc_gpu_scene;

/* A scene that runs, and what it needs as long as it does. */
typedef struct prc_gpu_run {
    prc_sim *sim;
    int vertex_count, triangle_count; /* of bodies and obstacles together */
    int elastic_count;                /* vertices of bodies: the first ones */
    int *triangles;                   /* for the checker */
    void *figure;
    prc_gpu_frames *frames; /* taken in windows; NULL for none */
} prc_gpu_run;

struct prc_gpu_scene {
    const char *name, *title;
    double step, tolerance;  /* s, m/s */
    double before, measured; /* s of motion: until contact is what it is about, and of the window */
    double bar;              /* s per step at scale 1; 0: none */
    prc_result (*create)(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                         prc_error *error);
};

extern const prc_gpu_scene prc_gpu_scenes[];
extern const int prc_gpu_scene_count;
extern const prc_gpu_scene prc_gpu_drape; /* none of them: for sizes around which a GPU begins to gain */

const prc_gpu_scene *prc_gpu_scene_find(const char *name); /* NULL: there is none */
/* On failure *run is zeroed; else it is released with prc_gpu_scene_release. */
prc_result prc_gpu_scene_create(const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                                prc_error *error);
void prc_gpu_scene_release(prc_gpu_run *run);

#endif
