/* app/cli/survey.h — properties of a scene known before it is run: sizes, masses, time scales, cost.
 *
 * Particles have a bounding box, a mass and pins; their other properties are 0, and no time scale limits them.
 * A time scale is 2/ω of the fastest wave on a chain of mesh edges, the longest step that an explicit integrator could
 * take: h sqrt(ρ/C) for stretch and h² sqrt(ρ/D)/2 for bending, with edge h, density ρ, modulus C of stretch along one
 * direction with the other held, bending stiffness D. percale is implicit, so its steps may be longer; motions that are
 * faster than the step are damped, and need more iterations.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_SURVEY_H
#define PRC_CLI_SURVEY_H

#include <percale/percale.h>

typedef struct prc_body_survey {
    double edge_least, edge_mean, edge_most; /* at rest, m; the mean over the sides of triangles */
    double edge_short;                       /* the mean of the shortest sides of triangles, m */
    double area, mass;                       /* at rest, m² and kg */
    double low[3], high[3];                  /* box at time 0, m */
    double modulus, density, bending;        /* of the body's own material, resolved: N/m, kg/m², N·m */
    double stretch_time, bending_time;       /* the smallest over the mesh, s; INFINITY where nothing resists */
    double strain;                           /* of the edge that is most strained at time 0 */
    int grouped_vertices;                    /* that have another material than the body's own */
    int pinned_vertices;                     /* in any pin, at any time */
} prc_body_survey;

typedef struct prc_survey {
    prc_body_survey *bodies; /* one per body of the def */
    int vertices, triangles; /* of all bodies and obstacles */
    double steps, frames;    /* of the run; may be too many for an int */
    double frame_bytes;      /* of one, in all formats */
    double disk_bytes;       /* of everything */
    double memory_bytes;     /* of the run, roughly, without trying it */
} prc_survey;

/* Released with prc_survey_release. */
prc_result prc_survey_make(prc_survey *survey, const prc_sim_def *def, prc_error *error);
void prc_survey_release(prc_survey *survey);

/* Refuses a scene that needs far more memory than this machine has: mostly a contact thickness in the wrong unit. */
prc_result prc_survey_check_memory(const prc_sim_def *def, prc_error *error);

/* Of one particle, kg. */
double prc_survey_ball_mass(const prc_particle_def *ball);
bool prc_survey_has_cloth(const prc_sim_def *def); /* or particles alone */
bool prc_survey_pin_moves(const prc_pin_def *pin);
/* The fastest that a vertex of the pin moves in a step, m/s, as found at some times; 0 where it follows an animation.
 */
double prc_survey_pin_speed(const prc_sim_def *def, const prc_pin_def *pin);

/* A simulation of the scene was built and took a few steps. */
typedef struct prc_probe {
    bool built;
    prc_error error;  /* where it could not be built, or a step failed */
    int steps;        /* taken */
    double building;  /* s */
    double per_step;  /* the mean, s */
    double memory;    /* the most that the program had, bytes */
    char backend[80]; /* kernels in use */
    double tolerance; /* m/s */
} prc_probe;

/* Takes at most `steps` steps, and no further one after `seconds`. */
prc_probe prc_probe_run(const prc_sim_def *def, int steps, double seconds);

/* ---- warnings ---- */

#define PRC_WARNINGS 40 /* the most that are kept */

typedef struct prc_warnings {
    int count;
    char items[PRC_WARNINGS][300]; /* one sentence or two each, without a newline */
} prc_warnings;

/* What a person would want to know before the run. */
void prc_warnings_find(prc_warnings *warnings, const prc_sim_def *def, const prc_survey *survey);

#endif
