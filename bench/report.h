/* bench/report.h — what the benchmarks share: options, steps added up, bars, the file of figures.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BENCH_REPORT_H
#define PRC_BENCH_REPORT_H

#include <percale/percale.h>

#include "io/json.h"

typedef struct prc_bench {
    int threads;
    bool quick;
    const char *path; /* of the file of figures */
    prc_json json;
    int missed; /* bars */
} prc_bench;

/* What some steps of a simulation did, added up. */
typedef struct prc_bench_steps {
    int steps, iterations, inner, unconverged, halvings, detections, active, cuts;
    double cpu; /* processor time of all threads, s; what is below is wall clock */
    double seconds, gradient, product, preconditioner, setup, linear, broad, ccd, bounds, forces;
} prc_bench_steps;

/* `measure` fills in tables and bars; it gets the prc_bench that opens its own struct, and says in `error` what failed.
 */
typedef struct prc_bench_verb {
    const char *name, *help;
    /* An option of its own, at argv[0]: how many arguments it takes; 0: it is not known, or incomplete. May be NULL. */
    int (*option)(prc_bench *bench, int count, char **argv);
    bool (*measure)(prc_bench *bench, prc_error *error);
} prc_bench_verb;

/* Options (--quick, --threads, --json), figures into a file, exit status: 1 where a bar is missed. */
int prc_bench_run(prc_bench *bench, const prc_bench_verb *verb, int argc, char **argv);

/* Makes `count` steps; what they did goes into *steps. */
prc_result prc_bench_step(prc_sim *sim, int count, prc_bench_steps *steps, prc_error *error);

/* Prints a claim with what was measured, and remembers whether it holds. Between prc_bench_bars and prc_json_end. */
void prc_bench_bars(prc_bench *bench);
void prc_bench_bar(prc_bench *bench, const char *claim, double measured, double bound, bool at_least);

/* --- memory.c: bytes per second and bytes, read and written --- */

double prc_bench_copy_bandwidth(int threads);
double prc_bench_sim_copy_bandwidth(prc_sim *sim); /* where it runs */
double prc_bench_gradient_bytes(const prc_sim *sim);
double prc_bench_tangent_bytes(const prc_sim *sim);
double prc_bench_product_bytes(const prc_sim *sim);
double prc_bench_vector_bytes(const prc_sim *sim);

int prc_bench_elastic(int argc, char **argv);
int prc_bench_contact(int argc, char **argv);
int prc_bench_gpu(int argc, char **argv);

#endif
