/* app/view/source.h — the source of the pictures of the window: a running simulation, or the frames of a run.
 *
 * A source works in its own thread. The window sends it requests and takes the newest shot; neither ever waits for the
 * other (triple buffering): of three shots, each side owns one, and the third is exchanged.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_VIEW_SOURCE_H
#define PRC_VIEW_SOURCE_H

#include <percale/percale.h>
#include <pthread.h>

#include "io/colliders.h"
#include "render.h"

#define PRC_VIEW_THINGS 64 /* colliders and obstacles that can be moved by hand */

/* What cloth is coloured by: the fields of `percale render`, and how far a vertex may move. */
typedef enum prc_view_colour {
    PRC_VIEW_BODY,
    PRC_VIEW_STRETCH,
    PRC_VIEW_CURVATURE,
    PRC_VIEW_PRESSURE,
    PRC_VIEW_SPEED,
    PRC_VIEW_RESIDUAL,
    PRC_VIEW_STRESS,
    PRC_VIEW_ENERGY,
    PRC_VIEW_GAP,
    PRC_VIEW_BOUND,
    PRC_VIEW_COLOURS
} prc_view_colour;

/* Name, unit and map; NULL for bodies. */
const prc_render_field *prc_view_field(prc_view_colour colour);

/* What the window wants. The thread compares it with what it had, and does what differs. */
typedef struct prc_view_wishes {
    bool quit, paused;
    bool fast;  /* not slower than it can, where the default is not faster than real time */
    int steps;  /* single steps asked for since the beginning */
    int resets; /* … and new beginnings */
    double gravity[3], wind[3], step;
    double friction;                  /* of everything; negative: as the scene has it */
    double stretch, bending, density; /* factors on what the scene has */
    int grabs;                        /* counts those begun: another number is another grab */
    bool grabbing;
    prc_grab_def grab;
    bool moved[PRC_VIEW_THINGS]; /* colliders, then obstacles */
    double translate[PRC_VIEW_THINGS][3];
    prc_view_colour colour;
    bool contacts, bounds;
    double frame;    /* playback: which one, and where between it and the next */
    int saves;       /* states asked to be written, to: */
    char save[1024]; /* … this file */
} prc_view_wishes;

/* What there is to see. */
typedef struct prc_view_shot {
    long number; /* grows with every shot */
    double time;
    int steps;
    double *positions, *values; /* 3 and 1 per vertex; `values` count where `colour` is not that of bodies */
    prc_view_colour colour;
    double range[2];
    double (*turns)[9], (*shifts)[3]; /* per collider: against where its def puts it */
    double *contacts;                 /* 6 each: where, and from there along the force on one side */
    int contact_count, contact_capacity;
    double *bounds; /* per vertex, m */
    bool has_bounds;
    prc_step_report report;      /* of the last step; time is negative where there was none */
    double step_length, seconds; /* s; of the last step on the clock */
    bool holds;                  /* a grab: */
    double held[3], target[3], force;
    int frame;               /* playback, */
    prc_colliders colliders; /* … and where the frame says that they are */
    char message[520];       /* what went wrong, or what was done; "" for nothing */
    bool failed;             /* … and it cannot go on */
} prc_view_shot;

/* A body, or an obstacle. */
typedef struct prc_view_part {
    const char *name; /* or NULL */
    int first_vertex, vertex_count, first_triangle, triangle_count;
    bool obstacle;
} prc_view_part;

typedef struct prc_view_source prc_view_source;
struct prc_view_source {
    /* Stay as they are. */
    bool live;
    int vertex_count, triangle_count, part_count;
    int *triangles; /* with vertex numbers of the whole */
    int *edges;     /* of obstacles, that belong to no triangle; or NULL */
    int edge_count;
    bool *obstacle; /* per vertex */
    prc_view_part *parts;
    const prc_sim_def *def; /* the scene; or NULL */
    int collider_count;
    bool shows[PRC_VIEW_COLOURS]; /* what there are values of */
    int frame_count;              /* playback */
    double *times;                /* of frames, s */
    char place[200];              /* where it is computed */
    void *own;                    /* of the kind of source */
    double *ahead; /* playback: positions of frames for a camera to be fitted to, one after the other; or NULL */
    int ahead_count;
    /* The thread's work; ends when the window wishes to quit. */
    void (*work)(prc_view_source *source);
    void (*release)(prc_view_source *source);
    /* Between both sides. */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    prc_view_wishes wishes;
    long version; /* of the wishes */
    prc_view_shot shots[3];
    int back, ready, front; /* the thread's, the newest, the window's */
    bool fresh;             /* ready has not been taken yet */
};

/* ---- for the window ---- */

/* Both begin paused where `wishes` says so. NULL and a message on failure. What the def points to must outlive them. */
prc_view_source *prc_view_live_create(const prc_sim_def *def, const prc_view_wishes *wishes, prc_error *error);
prc_view_source *prc_view_played_create(prc_playback *playback, const prc_view_wishes *wishes, prc_error *error);
void prc_view_source_destroy(prc_view_source *source);
void prc_view_source_wish(prc_view_source *source, const prc_view_wishes *wishes);
/* The newest shot; stays good until the next call. *fresh where it was not there the last time. */
const prc_view_shot *prc_view_source_newest(prc_view_source *source, bool *fresh);

/* ---- for the thread ---- */

/* Room for shots, locks; release with prc_view_source_destroy also after a failure. */
prc_result prc_view_source_begin(prc_view_source *source, const prc_view_wishes *wishes, prc_error *error);
prc_result prc_view_source_start(prc_view_source *source, prc_error *error);
/* The wishes, when they have changed since version *seen, or `wait` seconds are over (negative: none, for ever). */
bool prc_view_source_listen(prc_view_source *source, prc_view_wishes *wishes, long *seen, double wait);
prc_view_shot *prc_view_source_back(prc_view_source *source);
void prc_view_source_publish(prc_view_source *source);
/* Room for `count` contacts; false when there is none. */
bool prc_view_shot_reserve(prc_view_shot *shot, int count);

/* The range in which the values of the shot are shown; `before` it was this (both 0: not known), which it follows
 * slowly. `work`: one number per vertex. */
void prc_view_find_range(prc_view_shot *shot, int count, double *work, const double before[2]);

double prc_view_seconds(void);

#endif
