/* bench/report.c — see report.h; also the verb `percale bench`, which hands over to one of the benchmarks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

static const char bench_help[] =
    "percale bench elastic    kernels, steps and solvers without contact\npercale bench contact    steps with contact: "
    "cloth over a ball, stacks\npercale bench gpu        garments, heaps and tubes on a GPU, kernel by kernel\n\nEach "
    "measures this machine, prints tables and the performance targets of the project, and writes the results as\nJSON; "
    "the exit status is 1 if a target is missed. `percale bench contact --help` lists its options.\n";

static bool parse(prc_bench *b, const prc_bench_verb *verb, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--quick"))
            b->quick = true;
        else if (!strcmp(argv[k], "--threads") && k + 1 < argc && atoi(argv[k + 1]) > 0)
            b->threads = atoi(argv[++k]);
        else if (!strcmp(argv[k], "--json") && k + 1 < argc)
            b->path = argv[++k];
        else {
            const int taken = verb->option ? verb->option(b, argc - k, argv + k) : 0;
            if (taken == 0)
                return false;
            k += taken - 1;
        }
    }
    return true;
}

static int fail(const prc_bench_verb *verb, const prc_error *error, int status)
{
    fprintf(stderr, "percale bench %s: %s\n", verb->name, error->message);
    return status;
}

int prc_bench_run(prc_bench *bench, const prc_bench_verb *verb, int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(verb->help, stdout);
        return PRC_EXIT_OK;
    }
    if (!parse(bench, verb, argc, argv))
        return prc_cli_usage("bench", "unknown or incomplete option; `percale bench %s --help` lists them", verb->name);
    prc_error error = {0};
    prc_file *file = prc_file_open(bench->path, &error);
    if (!file)
        return fail(verb, &error, PRC_EXIT_WRITE);
    setvbuf(stdout, NULL, _IOLBF, 0);
    bench->json = prc_json_begin(file);
    prc_json_text(&bench->json, "benchmark", verb->name);
    prc_json_text(&bench->json, "version", prc_version());
    prc_json_int(&bench->json, "threads", bench->threads);
    prc_json_bool(&bench->json, "quick", bench->quick);
    if (!verb->measure(bench, &error)) {
        prc_file_abandon(file);
        return fail(verb, &error, PRC_EXIT_STEP);
    }
    prc_json_end(&bench->json);
    if (prc_file_commit(file, &error) != PRC_OK)
        return fail(verb, &error, PRC_EXIT_WRITE);
    printf("\nFigures: %s\n", bench->path);
    return bench->missed ? 1 : 0;
}

prc_result prc_bench_step(prc_sim *sim, int count, prc_bench_steps *t, prc_error *error)
{
    memset(t, 0, sizeof *t);
    for (int k = 0; k < count; k++) {
        prc_step_report r;
        const clock_t start = clock();
        prc_result result = prc_sim_step(sim, &r, error);
        if (result != PRC_OK)
            return result;
        t->cpu += (double)(clock() - start) / CLOCKS_PER_SEC;
        t->steps++;
        t->iterations += r.iterations;
        t->inner += r.inner_iterations;
        t->unconverged += !r.converged;
        t->halvings += r.halvings;
        t->detections += r.detections;
        t->active += r.active_contacts;
        t->cuts += r.cuts;
        t->seconds += r.seconds;
        t->gradient += r.seconds_gradient;
        t->product += r.seconds_product;
        t->preconditioner += r.seconds_preconditioner;
        t->setup += r.seconds_setup;
        t->linear += r.seconds_linear;
        t->broad += r.seconds_broad;
        t->ccd += r.seconds_ccd;
        t->bounds += r.seconds_bounds;
        t->forces += r.seconds_contact_forces;
    }
    return PRC_OK;
}

void prc_bench_bars(prc_bench *bench)
{
    printf("\nBars\n");
    prc_json_array(&bench->json, "bars");
}

void prc_bench_bar(prc_bench *b, const char *claim, double measured, double bound, bool at_least)
{
    const bool met = at_least ? measured >= bound : measured <= bound;
    printf("  %-72s %7.2f  %s %.2f  %s\n", claim, measured, at_least ? ">=" : "<=", bound, met ? "met" : "MISSED");
    b->missed += !met;
    prc_json_object(&b->json, NULL);
    prc_json_text(&b->json, "claim", claim);
    prc_json_real(&b->json, "measured", measured);
    prc_json_real(&b->json, "bound", bound);
    prc_json_bool(&b->json, "met", met);
    prc_json_end(&b->json);
}

int prc_cli_bench(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "elastic"))
        return prc_bench_elastic(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "contact"))
        return prc_bench_contact(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "gpu"))
        return prc_bench_gpu(argc - 1, argv + 1);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(bench_help, stdout);
        return PRC_EXIT_OK;
    }
    return prc_cli_usage("bench", "choose one: `percale bench elastic`, `contact` or `gpu`");
}
