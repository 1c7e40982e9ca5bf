/* torture/run.h — one scene, run in a process of its own, and what came of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_RUN_H
#define PRC_TORTURE_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum verdict {
    RAN,         /* all steps, every claim held */
    UNCONVERGED, /* the same, and some steps did not converge, and said so */
    STOPPED,     /* a step could not be completed, and left the last safe state */
    REFUSED,     /* no simulation was made: a bad start, and contact.start refuses it */
    INVALID,     /* … or something in the scene makes no sense */
    FAILURES,    /* from here on claims that did not hold */
    CROSSED = FAILURES,
    ENTERED,    /* a collider */
    PASSED,     /* from one side of a closed surface to the other */
    NOT_FINITE, /* positions or velocities */
    THREADS,    /* other bits with 2 threads than with 1 */
    RESUMED,    /* … after a restored state */
    DISTURBED,  /* a step that failed has changed the state */
    MEMORY,     /* more than the limit */
    TIME,       /* … */
    CRASHED,
    BROKEN, /* an error that should not be */
    VERDICTS
} verdict;

extern const char *const verdict_names[VERDICTS];

typedef struct outcome {
    verdict verdict;
    int step; /* in which it was found; counted from 1, 0 is the start */
    char message[600];
    double seconds;  /* of CPU */
    long kilobytes;  /* of resident memory at the most */
    int unconverged; /* steps */
} outcome;

/* Fills in what was found; false, for the caller to return. */
bool outcome_say(outcome *found, verdict what, const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef struct limits {
    double seconds; /* of CPU; ten times that by the clock */
    long megabytes;
    bool prescribed;    /* pins that cross each other or obstacles are judged */
    bool any_addresses; /* a GPU takes as many as it likes; what is resident counts all the same */
    uint64_t hands;     /* seed of what is done between steps; 0: nothing */
} limits;

/* A run in progress. */
typedef struct run {
    int process;
    outcome *shared;
} run;

/* Starts a process for the scene; false where there can be none. Programs that call this start no threads. */
bool run_start(run *r, const char *scene, const limits *l);
/* What came of a run whose process ended with this status of wait4; releases it. */
outcome run_end(run *r, int status, double seconds, long kilobytes, const limits *l);
/* Both, and waits in between. */
outcome run_scene(const char *scene, const limits *l);

#endif
