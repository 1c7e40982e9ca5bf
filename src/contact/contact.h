/* contact/contact.h — the set of pairs that may touch: geometry, forces, and moves that are safe.
 *
 * All of it in double, whatever the precision of the solver: positions are double, and what is promised about them is
 * decided on them. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_CONTACT_H
#define PRC_CONTACT_CONTACT_H

#include "backend/backend.h"
#include "collider/collider.h"
#include "contact/bodies.h"
#include "contact/detect.h"
#include "contact/exempt.h"
#include "contact/rigid.h"
#include "kernel/contact_extend.h"
#include "model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The operations below, done elsewhere: on a device. Positions are then the device's. What the set says of itself on
 * the host (counts, smallest gap) is kept true; contacts, rows and lists are not on the host. */
typedef struct prc_contact_table {
    prc_result (*create)(prc_contact_set *set, void *device, prc_error *error); /* from all that the set holds now */
    void (*destroy)(prc_contact_set *set);
    /* What steps change and later steps depend on (adapted, pressure, gap), to the host, where it is after the device
     * has been waited for, and back; there also what only the host changes, between steps: stiffness and friction. */
    void (*fetch)(prc_contact_set *set);
    void (*send)(prc_contact_set *set);
    prc_result (*detect)(prc_contact_set *set, const double *y, const double *p, prc_error *error);
    bool (*extend)(prc_contact_set *set, const double *y, const double *p); /* false: all are to be found anew */
    void (*geometry)(prc_contact_set *set, const double *y);
    void (*forces)(prc_contact_set *set, const double *y, const double *x, double h);
    void (*evaluate)(prc_contact_set *set, const double *y, const double *x, double h); /* both */
    int (*active_count)(prc_contact_set *set);                                          /* waits, unless active_known */
    void (*aim)(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step);
    /* aim and search at once */
    void (*search)(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step,
                   double *slot);
    void (*shift)(prc_contact_set *set, const double *slot);
    prc_result (*freeze_friction)(prc_contact_set *set, prc_error *error);
    int (*move)(prc_contact_set *set, const double *y, const double *p, double *out); /* −1: a vertex leaves its ball */
    prc_result (*predict)(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error);
    bool (*move_colliders)(prc_contact_set *set, const double *y);
    void (*measure)(prc_contact_set *set);
    void (*adapt)(prc_contact_set *set);
    /* prc_contact_rigids_ask, or with a part _ask_less; _accept, or before _settle, when the host is to hear of it */
    void (*ask_rigids)(prc_contact_set *set, double longest, double part, const double *y, double *p);
    void (*accept_rigids)(prc_contact_set *set, bool settle);
} prc_contact_table;

/* Each is there only where the library was built with it. */
extern const prc_contact_table prc_contact_cuda, prc_contact_on_host;

struct prc_contact_set {
    const prc_contact_table *table; /* NULL: here, on the CPU */
    void *device;                   /* what the table keeps */
    prc_contact_def def;
    const prc_model *model;
    prc_contact_bodies bodies;
    double *half,
        *half_d_hat; /* per vertex: half of its body's thickness and d_hat; a pair has the sum of its sides' */
    prc_surface surface;
    prc_detector detector;
    prc_pair_list found;   /* of the last detection */
    bool fields_stand_in;  /* prc_contact_view */
    bool found_ahead;      /* … which is that of a prediction: all pairs of a detection where it ended, and more */
    double reach;          /* the longest move of a free vertex that pairs were found for since all were, m */
    double longest_move;   /* … that the step allows now, m */
    bool held_back;        /* the last prediction had to stop some vertices for others before their aim */
    prc_exempt_set exempt; /* pairs that are no contacts, after a start that crossed */
    bool near_known;       /* which bodies were near to something prescribed from the beginning: PRC_MOTION_NEAR */
    double *rest;          /* 3 × stride: rest positions, for the scaling of the thickness */
    float *pushed_part;    /* prc_contact_view */
    int mixed_count;       /* colliders that push some triangles only */
    double *stiffness;     /* per vertex, N/m: base of the barrier's stiffness */
    double *adapted;       /* per vertex: as it is now */
    double *radius, *ball, *anchor; /* per vertex, as of when its contacts were last found: radius, free ball, position
                                       (3 × stride) */
    int *held, *marked;             /* work space of a move: static vertices, and those that are to be */
    double *time, *sweep;           /* work space of the prediction: 4 per vertex, 3 × stride */
    int *zone_integers;             /* … kernel/zones.h */
    uint64_t *zone_bits;
    int *left;        /* work space of an extension: vertices that leave their balls, */
    prc_fresh *fresh; /* … contacts to be added, */
    int (*added)[2];  /* … and their vertices, each with its entry in `of` */
    int fresh_count, fresh_capacity;
    int stride, threads;
    double edge_length;       /* mean, m */
    double short_edge;        /* prc_contact_view */
    prc_interrupt *interrupt; /* of the simulation, in a step; NULL between two */

    prc_rigids rigids; /* obstacles that wait as a whole */
    prc_collider *colliders;
    double *collider_done; /* per collider: share of its move in this step that has been made; then room for as many */
    int collider_count;
    bool guards_faces; /* prc_contact_view */

    prc_contact *contacts;
    /* Pairs first, then colliders; behind them what was added since. pair_count is as of the last detection. */
    int contact_count, contact_capacity, pair_count;
    int *of_start, *of; /* CSR: contacts of each vertex, entry = 4 contact + place */
    int of_capacity;

    prc_lagged *lagged; /* with friction_lag */
    int lagged_count, lagged_capacity;

    prc_active_set active; /* what the linear solver sees: contacts that push, then friction that is lagged */
    bool active_known;     /* with a table: active.count is that of now */
    double *told;          /* with a table: enum prc_slot, where it leaves ACTIVE and GAP */
    int active_capacity;
    double (
        *shift)[3]; /* per contact, then per lagged friction: how far a move of the model takes side A from side B, m */
    double (*shift_step)[3]; /* … and the next part of that move */
    double friction_eps;     /* slip below which friction holds, m */

    double *pressure, *gap; /* per vertex, as last measured: Pa, m */

    /* of the step in progress */
    int detections, extensions, cuts;
    double smallest_gap; /* distance less thickness over all pairs, m */
    double seconds_broad, seconds_ccd, seconds_bounds, seconds_forces;
};

/* `motion`: prc_motion per vertex. */
prc_result prc_contact_create(prc_contact_set *set, const prc_sim_def *def, const prc_model *model,
                              const unsigned char *motion, int threads, prc_error *error);
void prc_contact_release(prc_contact_set *set);
/* rest.c: makes set->rest, parts of a body that need not be close because they are so at rest laid apart. */
prc_result prc_contact_take_rest(prc_contact_set *set, const prc_sim_def *def, prc_error *error);
/* Other gravity or time.step, or elasticity: the barrier's stiffness anew; where it had adapted, it still has, by the
 * same factors. On the host: a device has to be sent it. */
void prc_contact_restiffen(prc_contact_set *set, const prc_sim_def *def);
/* How many times the first stiffness of vertex i it has become; 1 where settings have been such that it overflowed. */
double prc_contact_hardening(const prc_contact_set *set, int i);

/* When the colliders are there: what triangles are to each of them. */
prc_result prc_contact_choose_faces(prc_contact_set *set, prc_error *error);

/* The set as its items see it; until it changes. */
prc_contact_view prc_contact_see(const prc_contact_set *set);

/* Finds all pairs that could come into the barrier's range while no vertex moves more than its ball, max(d_hat, |p|); p
 * may be NULL. Their geometry is that of y then. Positions here and below: 3 × stride, components apart. */
prc_result prc_contact_detect(prc_contact_set *set, const double *y, const double *p, prc_error *error);
/* Before a move from y by p that takes vertices out of their balls: finds their pairs anew, where they are few, and
 * adds those that are no contacts yet, else all with prc_contact_detect. The geometry must be that of y, and is then.
 */
prc_result prc_contact_extend(prc_contact_set *set, const double *y, const double *p, prc_error *error);
/* How many contacts there are at y that are no farther apart than they may ever be: found without keeping any, on the
 * host. From `most` pairs on it may leave some out. */
prc_result prc_contact_count_close(prc_contact_set *set, const double *y, long most, long *count, prc_error *error);
/* Those of which no vertex can give way become exempt. On the host. */
prc_result prc_contact_exempt_prescribed(prc_contact_set *set, const double *y, prc_error *error);
/* What was near from the beginning in another set of the same vertices is so in this one. */
void prc_contact_take_over_near(prc_contact_set *set, const prc_contact_set *from);
/* How close a pair must come, at least, for prc_contact_detect without a move to look at it, m. */
double prc_contact_reach(const prc_contact_set *set);
/* Radius of the largest ball of a vertex that makes no move, m. */
double prc_contact_least_ball_of(const prc_contact_set *set);
/* Drops the pairs of a list that are no contacts: exempt ones; with fields_stand_in those with surfaces of colliders.
 */
void prc_contact_drop_exempt(const prc_contact_set *set, prc_pair_list *found);
/* Distances, normals, planes at y. */
void prc_contact_geometry(prc_contact_set *set, const double *y);
/* Room for so many contacts, their lists and rows; those that there are stay, rows do not. */
bool prc_contact_reserve(prc_contact_set *set, int count);
/* CSR of the items of each vertex, entry = 4 item + place. An item of `size` bytes begins with int v[4], count. */
void prc_contact_index(const void *items, size_t size, int count, int vertices, int *start, int *of);

/* --- response.c: forces, at the last geometry and, as a model, after a move from there --- */

/* Forces and stiffnesses at the last geometry, for a step of length h from x: fills `active`. */
void prc_contact_forces(prc_contact_set *set, const double *y, const double *x, double h);
/* prc_contact_geometry at y, and forces there. */
void prc_contact_evaluate(prc_contact_set *set, const double *y, const double *x, double h);
/* After a move `made` from y (x at the start of the step): prepares to go on by `step`, fills shift_step. */
void prc_contact_aim(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step);
/* Σ force · shift_step when the part t of the move has been made: slope of the contact energy along it. On the host
 * only. */
double prc_contact_slope(const prc_contact_set *set, double t);
/* Aims, and finds where along the step the slope of the whole model, slot[SLOPE] + t slot[CURVATURE] + contacts, has
 * risen to about zero: into slot[PART]; and into slot[SURPRISE] what is left of it at the end, as a share of that at
 * the start. */
void prc_contact_search(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step,
                        double *slot);
/* Makes the part slot[PART] of the move: `active` is then that of the model there. */
void prc_contact_shift(prc_contact_set *set, const double *slot);
/* How many contacts and lagged frictions are felt, after forces or a shift. */
int prc_contact_active_count(prc_contact_set *set);
/* With friction_lag: friction is that of the contacts at the last geometry from now on. */
prc_result prc_contact_freeze_friction(prc_contact_set *set, prc_error *error);
/* Room for all rows that there can be; what `active` held is lost. */
bool prc_contact_reserve_active(prc_contact_set *set);
/* Whether some vertex would leave its ball. */
bool prc_contact_leaves(const prc_contact_set *set, const double *y, const double *p);

/* Moves y by p as far as is safe, into `out`; returns the number of vertices that were cut short. The geometry must be
 * that of y. */
int prc_contact_move(prc_contact_set *set, const double *y, const double *p, double *out);
/* The same, but −1, and nothing in `out`, if a vertex would leave its ball. */
int prc_contact_move_inside(prc_contact_set *set, const double *y, const double *p, double *out);
/* The largest verified part of the move x → x + p, vertex by vertex, into `out`. The pairs that it finds on the way
 * serve for a detection at `out` that follows it. */
prc_result prc_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error);
/* The distance that a pair may never pass; and how far apart it is at y. */
double prc_contact_hard_thickness(const prc_contact_set *set, const int v[4], int side_a);
double prc_contact_distance(const prc_contact_set *set, const double *y, const int v[4], int side_a);
/* Whether a triangle is no farther from a collider than it may ever be. */
bool prc_contact_face_is_close(const prc_contact_set *set, const double *y, const int v[3], int collider);
/* Moves the colliders on as far as no vertex and no triangle is touched; true when all are where they should be. */
bool prc_contact_move_colliders(prc_contact_set *set, const double *y);
/* Pressure and gap of every vertex at the last geometry. */
void prc_contact_measure(prc_contact_set *set);
/* After a step, at its last geometry: stiffer where gaps have become small. */
void prc_contact_adapt(prc_contact_set *set);

#ifdef __cplusplus
}
#endif

#endif
