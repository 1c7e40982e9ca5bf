/* app/view/view.h — the window of `percale view`: the interface for the program.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_VIEW_H
#define PRC_VIEW_H

#include <percale/percale.h>

typedef struct prc_view_options {
    const char *title;
    const char *folder; /* where screenshots, recordings and states go */
    const char *log;    /* a log for programs, or NULL */
    int width, height;
    bool paused;
} prc_view_options;

/* Opens a window on a simulation of `def` and returns when it is closed. What it could not do is in the error. */
prc_result prc_view_scene(const prc_sim_def *def, const prc_view_options *options, prc_error *error);
/* The same on the frames of a run, as prc_playback_open finds them; `scene` may be NULL. */
prc_result prc_view_run(const char *path, const char *scene, const prc_view_options *options, prc_error *error);

#endif
