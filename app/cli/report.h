/* app/cli/report.h — totals of a run over its steps, for the summary and report.json.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_REPORT_H
#define PRC_CLI_REPORT_H

#include <percale/percale.h>

#include "frames.h"

/* Kept in checkpoints as it is, but for `end` and `failure`: no other pointers. */
typedef struct prc_run_totals {
    int steps, frames;
    int steps_planned; /* of the whole run; in checkpoints */
    double time;       /* simulated, s */
    int unconverged;
    double first_unconverged; /* its time, s */
    char first_stop[24];      /* why it stopped */
    double worst_residual;    /* of the unconverged steps, m/s */
    long long iterations, inner_iterations, halvings;
    long long retries, steps_in_parts; /* of steps that did not converge at once */
    int most_iterations;
    double largest_residual, largest_stretch, smallest_stretch;
    double largest_lag, lag_time; /* m, s */
    int lag_body, lag_vertex, lag_collider;
    double seconds_total; /* wall clock of the loop, writing included */
    double seconds_steps, seconds_gradient, seconds_product, seconds_preconditioner, seconds_setup, seconds_writing,
        seconds_building;
    double seconds_linear, seconds_broad, seconds_ccd, seconds_bounds, seconds_contact_forces;
    int most_contacts;
    double largest_speed, largest_elastic, largest_kinetic;  /* m/s, J, J */
    double energy_elastic, energy_kinetic, energy_potential; /* after the last step, J */
    double smallest_gap;                                     /* m; INFINITY where nothing came near */
    int exempt_pairs, exempt_crossings;                      /* after the last step */
    int verified;                                            /* states that the checker found clean */
    double least_gap;                                        /* of them, m; negative: there was no pair */
    double least_collider_gap;                               /* … to a collider; negative: there was none */
    int unverified_colliders;                                /* that the checker could not look at */
    const char *end;     /* "finished", "interrupted" (a signal), "stopped" (--max-wall), "failed" */
    const char *failure; /* what failed, or NULL */
} prc_run_totals;

prc_run_totals prc_run_totals_begin(void);
void prc_run_totals_add(prc_run_totals *totals, const prc_step_report *report);

/* What a report tells besides the totals. */
typedef struct prc_run_facts {
    const char *scene, *folder;
    const prc_sim_def *def;   /* as resolved */
    const char *backend;      /* of the simulation */
    int status;               /* exit status of the program, as far as it is known */
    const prc_frames *frames; /* files */
    const char *trace;        /* or "" */
    double seconds_writer;    /* of the thread that writes frames */
} prc_run_facts;

/* Writes report.json, whole or not at all. */
prc_result prc_run_report_write(const char *path, const prc_run_facts *facts, const prc_run_totals *totals,
                                prc_error *error);

#endif
