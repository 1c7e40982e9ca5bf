/* torture/run.c — one scene and its claims: it runs in a child process, so that crashes, hangs and hunger for memory
 * are found as well. What is known so far stands in memory that both processes see. SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "run.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "hands.h"
#include "judge.h"
#include "scene/scene.h"

#define MOST_STEPS 400

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* takes terabytes of addresses, and keeps what was freed */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

const char *const verdict_names[VERDICTS] = {
    [RAN] = "ran",
    [UNCONVERGED] = "not converged",
    [STOPPED] = "stopped safely",
    [REFUSED] = "start refused",
    [INVALID] = "invalid",
    [CROSSED] = "CROSSED",
    [ENTERED] = "ENTERED A COLLIDER",
    [PASSED] = "PASSED THROUGH",
    [NOT_FINITE] = "NOT FINITE",
    [THREADS] = "OTHER BITS WITH 2 THREADS",
    [RESUMED] = "OTHER BITS AFTER RESUMING",
    [DISTURBED] = "A FAILED STEP CHANGED THE STATE",
    [MEMORY] = "TOO MUCH MEMORY",
    [TIME] = "TOO LONG",
    [CRASHED] = "CRASHED",
    [BROKEN] = "ERROR",
};

bool outcome_say(outcome *found, verdict what, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(found->message, sizeof found->message, format, list);
    va_end(list);
    found->verdict = what;
    return false;
}

static bool say_error(outcome *found, const prc_error *error)
{
    return outcome_say(found, error->code == PRC_ERROR_MEMORY ? MEMORY : BROKEN, "%s", error->message);
}

/* --- steps --- */

/* The scene, and what each step of the first run gave. */
typedef struct trial {
    prc_sim_def def;
    int steps; /* wanted; after the first run those that were taken */
    uint64_t hash[MOST_STEPS + 1];
    bool stopped; /* the step after the last one fails */
    uint64_t hands;
    outcome *found;
} trial;

static uint64_t hash_state(prc_sim *sim)
{
    const size_t bytes = 3 * sizeof(double) * (size_t)prc_sim_vertex_count(sim);
    const double time = prc_sim_time(sim);
    uint64_t hash = prc_hash(PRC_HASH_START, prc_sim_positions(sim), bytes);
    hash = prc_hash(hash, prc_sim_velocities(sim), bytes);
    return prc_hash(hash, &time, sizeof time);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Judges a start, or a state that was set or taken over by another def. Either it was looked at as a start, or the
 * pairs that were exempt after the last step still are; the interface does not tell which. */
static bool judge_start(judge *j, const prc_sim_def *def, prc_sim *sim, bool prescribed, const prc_step_report *last,
                        outcome *found)
{
    const prc_start_outcome start = prc_sim_start(sim);
    const prc_step_report report = {.exempt_pairs = larger(start.exempt_pairs, last->exempt_pairs),
                                    .exempt_crossings = larger(start.exempt_crossings, last->exempt_crossings)};
    if (!judge_open(j, def, sim, prescribed))
        return outcome_say(found, MEMORY, "no memory for the judge");
    return judge_state(j, sim, &report, found);
}

/* The first run: one thread, every state judged. */
static bool run_judged(trial *t, prc_sim **of, judge *j, bool prescribed)
{
    static hands h;
    prc_step_report report = {0};
    prc_error error = {0};
    hands_begin(&h, t->hands, &t->def);
    t->hash[0] = hash_state(*of);
    if (!judge_start(j, &h.def, *of, prescribed, &report, t->found))
        return false;
    for (int k = 1; k <= t->steps; k++) {
        bool anew;
        t->found->step = k;
        if (hands_act(&h, k, of, &anew, &error) != PRC_OK)
            return say_error(t->found, &error);
        prc_sim *sim = *of;
        if (anew) {
            judge_close(j);
            if (!judge_start(j, &h.def, sim, prescribed, &report, t->found))
                return false;
        }
        const uint64_t before = hash_state(sim);
        const prc_result result = prc_sim_step(sim, &report, &error);
        t->hash[k] = hash_state(sim);
        if (result == PRC_ERROR_STATE) {
            t->stopped = true;
            t->steps = k - 1;
            return t->hash[k] == before
                       ? true
                       : outcome_say(t->found, DISTURBED, "the state is another after: %s", error.message);
        }
        if (result != PRC_OK)
            return say_error(t->found, &error);
        t->found->unconverged += !report.converged;
        if (!judge_state(j, sim, &report, t->found))
            return false;
    }
    return judge_sides(j, *of, t->found);
}

/* Steps number `first` to `last` once more; the first one that gives something else, or 0. */
static int run_again(trial *t, prc_sim **sim, int first, int last)
{
    static hands h;
    prc_step_report report;
    prc_error error;
    bool anew;
    hands_begin(&h, t->hands, &t->def);
    for (int k = first; k <= last; k++) {
        t->found->step = k;
        if (hands_act(&h, k, sim, &anew, &error) != PRC_OK)
            return k;
        const prc_result result = prc_sim_step(*sim, &report, &error);
        const bool fails = t->stopped && k > t->steps;
        if (result != (fails ? PRC_ERROR_STATE : PRC_OK) || hash_state(*sim) != t->hash[k])
            return k;
    }
    return 0;
}

/* A new simulation that goes on from saved bytes. The step that differs, 0: none, −1: there is none. */
static int resume(trial *t, const void *bytes, size_t size, int threads, int middle, int last)
{
    prc_error error = {0};
    int differs = -1;
    t->def.threads = threads;
    prc_sim *sim = prc_sim_create(&t->def, &error);
    if (!sim || prc_sim_restore(sim, bytes, size, &error) != PRC_OK)
        say_error(t->found, &error);
    else if (hash_state(sim) != t->hash[middle])
        differs = middle;
    else
        differs = run_again(t, &sim, middle + 1, last);
    prc_sim_destroy(sim);
    return differs;
}

/* The second run: two threads, a stop in the middle, on from the saved state in another simulation. */
static bool run_twin(trial *t)
{
    const int last = t->steps + t->stopped,
              middle = t->hands ? last : t->steps / 2; /* what hands have done is no part of a state */
    prc_error error = {0};
    t->def.threads = 2;
    prc_sim *sim = prc_sim_create(&t->def, &error);
    if (!sim)
        return say_error(t->found, &error);
    int differs = hash_state(sim) == t->hash[0] ? run_again(t, &sim, 1, middle) : -1;
    const size_t size = prc_sim_saved_size(sim);
    void *bytes = malloc(size);
    if (bytes)
        prc_sim_save(sim, bytes);
    prc_sim_destroy(sim);
    if (!bytes)
        return outcome_say(t->found, MEMORY, "no memory for a state of %zu bytes", size);
    bool good = true;
    if (differs)
        good = outcome_say(t->found, THREADS, "first different at %s", differs < 0 ? "the start" : "this step");
    else if (!t->hands && (differs = resume(t, bytes, size, 2, middle, last)) != 0) {
        good = false;
        t->found->step = differs;
        if (differs > 0 && resume(t, bytes, size, 1, middle, last) == 0)
            outcome_say(t->found, THREADS, "first different at this step");
        else if (differs > 0)
            outcome_say(t->found, RESUMED, "first different at this step; resumed after %d", middle);
    }
    free(bytes);
    return good;
}

/* --- the child --- */

static bool try_scene(const prc_scene *scene, const limits *l, outcome *found)
{
    static trial t;
    prc_error error = {0};
    judge j = {0};
    t = (trial){.def = *prc_scene_sim_def(scene), .hands = l->hands, .found = found};
    t.steps = (int)fmin(ceil(t.def.time.duration / t.def.time.step - 1e-6), MOST_STEPS - 1);
    t.def.threads = 1;
    prc_sim *sim = prc_sim_create(&t.def, &error);
    if (!sim && error.code == PRC_ERROR_INPUT)
        return outcome_say(found, strstr(error.message, "start") ? REFUSED : INVALID, "%s", error.message);
    if (!sim)
        return say_error(found, &error);
    const bool good = run_judged(&t, &sim, &j, l->prescribed);
    prc_sim_destroy(sim);
    judge_close(&j);
    if (good && run_twin(&t))
        outcome_say(found, t.stopped ? STOPPED : found->unconverged ? UNCONVERGED : RAN, "%s", error.message);
    return good;
}

static void child(const char *text, const limits *l, outcome *found)
{
    static prc_scene_errors errors;
    const rlim_t seconds = (rlim_t)ceil(l->seconds);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm((unsigned)(10 * l->seconds) + 1);
    if (!SANITIZED && !l->any_addresses) { /* addresses: threads reserve more of them than they use */
        const rlim_t bytes = ((rlim_t)l->megabytes + 512) << 20;
        setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    }
    prc_scene *scene = prc_scene_parse(text, strlen(text), "torture.yaml", NULL, 0, &errors);
    if (scene)
        try_scene(scene, l, found);
    else
        outcome_say(found, INVALID, "%s", errors.items[0].message);
    prc_scene_destroy(scene);
}

/* --- the parent --- */

bool run_start(run *r, const char *scene, const limits *l)
{
    r->shared = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->shared == MAP_FAILED)
        return false;
    *r->shared = (outcome){.verdict = CRASHED};
    fflush(NULL);
    r->process = fork();
    if (r->process == 0) {
        child(scene, l, r->shared);
        fflush(NULL);
        _exit(0); /* a sanitizer looks for leaks at exit; so does the unit test of each part */
    }
    if (r->process < 0)
        munmap(r->shared, sizeof *r->shared);
    return r->process > 0;
}

outcome run_end(run *r, int status, double seconds, long kilobytes, const limits *l)
{
    outcome found = *r->shared;
    munmap(r->shared, sizeof *r->shared);
    const int killer = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (killer == SIGXCPU || killer == SIGALRM || killer == SIGKILL)
        outcome_say(&found, TIME, "more than %g s of %s", l->seconds * (killer == SIGALRM ? 10 : 1),
                    killer == SIGALRM ? "waiting" : "CPU");
    else if (killer)
        outcome_say(&found, CRASHED, "signal %d, %s", killer, strsignal(killer));
    else if (WEXITSTATUS(status))
        outcome_say(&found, CRASHED, "ended with status %d", WEXITSTATUS(status));
    else if (!SANITIZED && found.verdict < FAILURES && kilobytes / 1024 > l->megabytes)
        outcome_say(&found, MEMORY, "%ld MiB of resident memory", kilobytes / 1024);
    found.seconds = seconds;
    found.kilobytes = kilobytes;
    return found;
}

outcome run_scene(const char *scene, const limits *l)
{
    run r;
    int status = 0;
    struct rusage usage;
    outcome none = {.verdict = BROKEN, .message = "no process can be started"};
    if (!run_start(&r, scene, l))
        return none;
    if (wait4(r.process, &status, 0, &usage) != r.process)
        return none;
    const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return run_end(&r, status, seconds, usage.ru_maxrss, l);
}
