/* app/cli/info.h — the results of `percale info`, for its two kinds of output.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_INFO_H
#define PRC_CLI_INFO_H

#include "survey.h"

typedef struct prc_info {
    const char *path;
    const prc_sim_def *def;
    prc_survey survey;
    prc_warnings warnings;
    bool large;    /* too much so to be tried without being asked to */
    bool examined; /* the start was looked at: contact is enabled */
    int crossings, close_pairs, prescribed_pairs;
    char start_failure[500]; /* or it could not be */
    bool probed;
    prc_probe probe;
} prc_info;

/* Whether `percale run` would refuse the start. */
bool prc_info_start_is_refused(const prc_info *info);

/* The name that a scene file has for a value: prc_info_name(PRC_TABLE_solver, "method", def->solver.method). */
const char *prc_info_name(int table, const char *key, int value);

/* The part that is known at once, and the part that takes a moment. */
void prc_info_print(const prc_info *info);
void prc_info_print_cost(const prc_info *info);

/* One document to standard output. */
prc_result prc_info_write_json(const prc_info *info, prc_error *error);

#endif
