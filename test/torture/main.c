/* torture/main.c — many small random scenes, each made from a number, run and judged; what fails is shrunk and printed.
 * CONTRIBUTING.md tells how it is used. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "generate.h"
#include "shrink.h"

#define MOST_JOBS 64
#define MOST_KEPT 1000 /* failing seeds that are remembered */

typedef struct options {
    uint64_t first;
    long count;
    int jobs, shrunk; /* at a time; failing seeds that are shrunk */
    double seconds;   /* of the whole; 0: no limit */
    double shrink_seconds;
    bool verbose, quiet;
    const char *without, *keep, *backend;
    const char *scenes[MOST_KEPT]; /* files, in place of seeds */
    int scene_count;
    limits limits;
} options;

typedef struct tally {
    long counts[VERDICTS];
    double seconds, slowest_seconds;
    uint64_t slowest;
    long kilobytes;
    struct {
        uint64_t seed;
        verdict what;
    } failed[MOST_KEPT];
    int failed_count;
} tally;

static const char usage[] =
    "usage: torture [OPTIONS] [FIRST [COUNT]]     seeds FIRST, FIRST + 1, …; by default 300 from 0 on\n"
    "       torture [OPTIONS] SCENE.yaml ...       scenes that were kept, in place of random ones\n"
    "  --show SEED         prints the scene of a seed, which percale run takes\n"
    "  --seconds N         starts no more seeds after so long\n"
    "  --without NAMES     leaves out what has these names: colliders,start.exempt,body.torus\n"
    "  --names             tells them\n"
    "  --backend NAME      computes there, not where chance says; contact.method: projection stays on the CPU\n"
    "  --keep DIR          writes failing scenes there: as made, and shrunk\n"
    "  --shrink N          shrinks so many of the failing scenes (3), for at most --shrink-seconds (60) each\n"
    "  --cpu N             seconds of CPU that a seed may take (20)\n"
    "  --memory N          MiB that it may take (256)\n"
    "  -j N                seeds at a time (1)\n"
    "  -v                  a line per seed\n"
    "  -q                  the last line alone, and what fails\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- telling --- */

static void print_outcome(const char *name, const outcome *o)
{
    printf("%s: %s", name, verdict_names[o->verdict]);
    if (o->verdict >= FAILURES)
        printf(" at step %d", o->step);
    else if (o->unconverged)
        printf(", %d steps not converged", o->unconverged);
    printf("%s%s  (%.2f s, %ld MiB)\n", o->message[0] ? ": " : "", o->message, o->seconds, o->kilobytes / 1024);
    fflush(stdout);
}

#define HANDS "# hands: " /* in a file, what they go by */

static void print_hands(FILE *file, uint64_t hands)
{
    if (hands)
        fprintf(file, HANDS "%llu\n", (unsigned long long)hands);
}

static void write_scene(const options *o, uint64_t seed, uint64_t hands, const char *what, const char *text,
                        const char *note)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%llu%s.yaml", o->keep, (unsigned long long)seed, what);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "# torture, seed %llu: %s\n", (unsigned long long)seed, note);
        print_hands(file, hands);
        fprintf(file, "%s", text);
        fclose(file);
    } else
        fprintf(stderr, "torture: %s: %s\n", path, strerror(errno));
}

static void count(tally *t, uint64_t seed, const outcome *o)
{
    t->counts[o->verdict]++;
    t->seconds += o->seconds;
    t->kilobytes = o->kilobytes > t->kilobytes ? o->kilobytes : t->kilobytes;
    if (o->seconds > t->slowest_seconds) {
        t->slowest_seconds = o->seconds;
        t->slowest = seed;
    }
    if (o->verdict >= FAILURES && t->failed_count < MOST_KEPT) {
        t->failed[t->failed_count].seed = seed;
        t->failed[t->failed_count++].what = o->verdict;
    }
}

static int print_tally(const options *o, const tally *t)
{
    long passed = 0, failed = 0;
    for (int v = 0; v < VERDICTS; v++)
        *(v < FAILURES ? &passed : &failed) += t->counts[v];
    for (int v = 0; v < VERDICTS && !o->quiet; v++)
        if (t->counts[v])
            printf("%6ld  %s\n", t->counts[v], verdict_names[v]);
    if (!o->quiet && t->seconds > 0)
        printf("CPU %.3f s per seed, at most %.1f s (seed %llu); memory at most %ld MiB\n",
               t->seconds / (double)(passed + failed), t->slowest_seconds, (unsigned long long)t->slowest,
               t->kilobytes / 1024);
    const long unused = t->counts[REFUSED] + t->counts[INVALID];
    if (passed >= 100 && 3 * unused > passed) {
        printf("more than a third were refused: the generator makes too many scenes that test nothing\n");
        failed++;
    }
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed > 0;
}

/* --- running --- */

/* Seeds in progress. */
typedef struct slot {
    run run;
    uint64_t seed;
    bool busy;
} slot;

/* The scene of a seed, as the options want it. */
static node *scene_of(uint64_t seed, const options *o)
{
    node *scene = generate(seed, o->without);
    const node *contact = node_get(scene, "contact");
    node *backend = node_get(scene, "backend");
    if (o->backend && !(contact && node_get(contact, "method")))
        snprintf(backend->word, sizeof backend->word, "%s", o->backend);
    return scene;
}

/* In some scenes a caller does what he likes between the steps. */
static limits limits_of(uint64_t seed, const options *o)
{
    limits l = o->limits;
    dice d = dice_of(seed, "hands", 0, o->without);
    l.hands = dice_chance(&d, "hands") ? seed : 0;
    return l;
}

static bool launch(slot *s, uint64_t seed, const options *o)
{
    node *scene = scene_of(seed, o);
    char *text = node_text(scene);
    const limits l = limits_of(seed, o);
    s->seed = seed;
    s->busy = run_start(&s->run, text, &l);
    free(text);
    node_free(scene);
    return s->busy;
}

/* Waits for one of them. */
static void collect(slot *slots, const options *o, tally *t)
{
    int status;
    struct rusage used;
    const int process = wait4(-1, &status, 0, &used);
    for (int k = 0; k < o->jobs; k++) {
        if (!slots[k].busy || slots[k].run.process != process)
            continue;
        const double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        const outcome found = run_end(&slots[k].run, status, seconds, used.ru_maxrss, &o->limits);
        char name[40];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)slots[k].seed);
        if (o->verbose || found.verdict >= FAILURES)
            print_outcome(name, &found);
        count(t, slots[k].seed, &found);
        slots[k].busy = false;
    }
}

static void run_seeds(const options *o, tally *t)
{
    static slot slots[MOST_JOBS];
    const double until = o->seconds > 0 ? now() + o->seconds : 1e300;
    long started = 0, running = 0;
    while (running > 0 || (started < o->count && now() < until)) {
        if (running < o->jobs && started < o->count && now() < until) {
            int k = 0;
            while (slots[k].busy)
                k++;
            if (!launch(&slots[k], o->first + (uint64_t)started++, o)) {
                t->counts[BROKEN]++;
                continue;
            }
            running++;
        } else {
            collect(slots, o, t);
            running--;
        }
    }
}

/* Shrinks the first of each kind of failure, as many as are wanted. */
static void shrink_failed(const options *o, const tally *t)
{
    int left = o->shrunk;
    bool seen[VERDICTS] = {false};
    for (int k = 0; k < t->failed_count; k++) {
        const uint64_t seed = t->failed[k].seed;
        const verdict what = t->failed[k].what;
        const limits l = limits_of(seed, o);
        node *scene = scene_of(seed, o);
        char *text = node_text(scene);
        if (o->keep)
            write_scene(o, seed, l.hands, "", text, verdict_names[what]);
        free(text);
        if (left <= 0 || (seen[what] && o->shrunk < t->failed_count)) {
            node_free(scene);
            continue;
        }
        left--;
        seen[what] = true;
        int tries;
        scene = shrink(scene, what, &l, o->shrink_seconds, &tries);
        text = node_text(scene);
        const outcome last = run_scene(text, &l);
        printf("\n# seed %llu, shrunk in %d runs: %s at step %d: %s\n", (unsigned long long)seed, tries,
               verdict_names[last.verdict], last.step, last.message);
        print_hands(stdout, l.hands);
        printf("%s\n", text);
        fflush(stdout);
        if (o->keep)
            write_scene(o, seed, l.hands, "_small", text, verdict_names[what]);
        free(text);
        node_free(scene);
    }
}

static void judge_file(const char *path, const options *o, tally *t)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    outcome found = {.verdict = BROKEN};
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        limits l = o->limits;
        const char *told = strstr(text, HANDS);
        l.hands = told ? strtoull(told + strlen(HANDS), NULL, 10) : 0;
        found = run_scene(text, &l);
    } else
        outcome_say(&found, BROKEN, "%s", strerror(errno));
    if (!o->quiet || found.verdict >= FAILURES)
        print_outcome(path, &found);
    t->counts[found.verdict]++;
}

/* --- options --- */

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "torture: %s '%s'\n%s", what, about, usage);
    return 2;
}

static int show(const char *seed, const options *o)
{
    node *scene = scene_of(strtoull(seed, NULL, 10), o);
    char *text = node_text(scene);
    printf("# torture, seed %s%s%s\n", seed, o->without ? " --without " : "", o->without ? o->without : "");
    print_hands(stdout, limits_of(strtoull(seed, NULL, 10), o).hands);
    printf("%s", text);
    free(text);
    node_free(scene);
    return 0;
}

/* Options that have a value. */
static bool take_value(options *o, const char *name, const char *value)
{
    if (!strcmp(name, "--without"))
        o->without = value;
    else if (!strcmp(name, "--backend"))
        o->backend = value;
    else if (!strcmp(name, "--keep"))
        o->keep = value;
    else if (!strcmp(name, "--seconds"))
        o->seconds = strtod(value, NULL);
    else if (!strcmp(name, "--shrink"))
        o->shrunk = (int)strtol(value, NULL, 10);
    else if (!strcmp(name, "--shrink-seconds"))
        o->shrink_seconds = strtod(value, NULL);
    else if (!strcmp(name, "--cpu"))
        o->limits.seconds = strtod(value, NULL);
    else if (!strcmp(name, "--memory"))
        o->limits.megabytes = strtol(value, NULL, 10);
    else if (!strcmp(name, "-j"))
        o->jobs = (int)strtol(value, NULL, 10);
    else
        return false;
    return true;
}

static int read_options(options *o, int argc, char **argv, const char **shown)
{
    int plain = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        const char *end = strrchr(argv[i], '.');
        if (argv[i][0] != '-' && end && !strcmp(end, ".yaml") && o->scene_count < MOST_KEPT)
            o->scenes[o->scene_count++] = argv[i];
        else if (argv[i][0] != '-' && plain < 2) {
            char *rest;
            const unsigned long long number = strtoull(argv[i], &rest, 10);
            if (*rest)
                return complain("no number:", argv[i]);
            o->first = plain == 0 ? number : o->first;
            o->count = plain == 0 ? 1 : (long)number;
            plain++;
        } else if (!strcmp(argv[i], "-v"))
            o->verbose = true;
        else if (!strcmp(argv[i], "-q"))
            o->quiet = true;
        else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--names")) {
            if (argv[i][2] == 'h')
                printf("%s", usage);
            else
                dice_print_names();
            exit(0);
        } else if (value && !strcmp(argv[i], "--show"))
            *shown = argv[++i];
        else if (value && take_value(o, argv[i], value))
            i++;
        else
            return complain("not understood:", argv[i]);
    }
    if (o->jobs < 1 || o->jobs > MOST_JOBS)
        return complain("jobs:", "-j");
    const char *unknown = dice_unknown(o->without);
    return unknown ? complain("there is no name", unknown) : 0;
}

/* Waiting threads must not spin: two of them share a processor with others. The runtime reads this when it is loaded.
 */
static void let_threads_sleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("GOMP_SPINCOUNT", "0", 1);
    execv("/proc/self/exe", argv); /* where that fails it is only slower */
}

int main(int argc, char **argv)
{
    static options o = {
        .count = 300, .jobs = 1, .shrunk = 3, .shrink_seconds = 60, .limits = {20, 256, true, false, 0}};
    static tally t;
    const char *shown = NULL;
    let_threads_sleep(argv);
    const int status = read_options(&o, argc, argv, &shown);
    if (status)
        return status;
    const dice d = {.without = o.without};
    o.limits.any_addresses = o.backend && !strcmp(o.backend, "cuda");
    o.limits.prescribed = !dice_leaves_out(&d, "prescribed");
    if (shown)
        return show(shown, &o);
    for (int k = 0; k < o.scene_count; k++)
        judge_file(o.scenes[k], &o, &t);
    if (o.scene_count == 0)
        run_seeds(&o, &t);
    shrink_failed(&o, &t);
    return print_tally(&o, &t);
}
