/* evidence/evidence.c — percale against answers that do not come from it.
 *
 *   evidence [--quick] [--plots FOLDER] [--without CHAPTER] [CHAPTER]
 *
 * prints a table (claim, answer, measured, error, bar, pass), ends with `N passed, N failed`, and exits with 1 when a
 * bar was missed. --plots writes the data behind the figures of docs/validation.md. A chapter is chosen by a part of
 * its name. SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool ev_quick;
static const char *plot_folder;
static int passed, failed;

static void print_row(const char *claim, double answer, double measured, double error, const char *bar,
                      const char *pass)
{
    printf("%-86s | %13.7g | %13.7g | %9.2e | %12s | %s\n", claim, answer, measured, error, bar, pass);
    fflush(stdout);
}

static const char *judge(bool good)
{
    if (good)
        passed++;
    else
        failed++;
    return good ? "pass" : "MISS";
}

void ev_row(const char *claim, double answer, double measured, double error, double bar)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", bar);
    print_row(claim, answer, measured, error, text, judge(fabs(error) <= bar));
}

void ev_row_between(const char *claim, double measured, double low, double high)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g..%.3g", low, high);
    double middle = 0.5 * (low + high);
    print_row(claim, middle, measured, measured - middle, text, judge(measured >= low && measured <= high));
}

void ev_row_note(const char *claim, double answer, double measured, double error)
{
    print_row(claim, answer, measured, error, "none", "(note)");
}

FILE *ev_plot_open(const char *name, const char *header)
{
    char path[1000];
    if (!plot_folder)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", plot_folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: cannot be written; does the folder exist?\n", path);
        exit(2);
    }
    fprintf(file, "# %s\n", header);
    return file;
}

void ev_plot_close(FILE *file)
{
    if (file)
        fclose(file);
}

typedef struct chapter {
    const char *name;
    void (*run)(void);
} chapter;

static const chapter chapters[] = {
    {"material", ev_chapter_material},
    {"patch", ev_chapter_patch},
    {"derivative", ev_chapter_derivative},
    {"invariance", ev_chapter_invariance},
    {"stress", ev_chapter_stress},
    {"cylinder", ev_chapter_cylinder},
    {"plate", ev_chapter_plate},
    {"cantilever", ev_chapter_cantilever},
    {"end_force", ev_chapter_end_force},
    {"catenary", ev_chapter_catenary},
    {"momentum", ev_chapter_momentum},
    {"energy", ev_chapter_energy},
    {"order", ev_chapter_order},
    {"solvers", ev_chapter_solvers},
    {"bits", ev_chapter_bits},
    {"precision", ev_chapter_precision},
    {"noise", ev_chapter_noise},
    {"discretisation", ev_chapter_discretisation},
    {"ccd", ev_chapter_ccd},
    {"friction", ev_chapter_friction},
    {"rest", ev_chapter_rest},
    {"impact", ev_chapter_impact},
    {"belt", ev_chapter_belt},
    {"particles", ev_chapter_particles},
    {"guarantee", ev_chapter_guarantee},
    {"inflation", ev_chapter_inflation},
    {"springs", ev_chapter_springs},
    {"gusts", ev_chapter_gusts},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_chapter(const chapter *c, const char *program)
{
    const double start = seconds();
    const int failed_before = failed;
    ev_random_seed(1);
    printf("-- %s\n", c->name);
    c->run();
    const bool missed = failed > failed_before;
    printf("  %-7s %s  (%.1f s)\n", missed ? "FAILED" : "ok", c->name, seconds() - start);
    if (missed)
        printf("    alone: %s%s %s\n", program, ev_quick ? " --quick" : "", c->name);
}

int main(int argc, char **argv)
{
    const char *filter = "", *without = "";
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0) {
            ev_quick = true;
        } else if (strcmp(argv[k], "--plots") == 0 && k + 1 < argc) {
            plot_folder = argv[++k];
        } else if (strcmp(argv[k], "--without") == 0 && k + 1 < argc) {
            without = argv[++k];
        } else if (argv[k][0] != '-') {
            filter = argv[k];
        } else {
            fprintf(stderr, "usage: %s [--quick] [--plots FOLDER] [--without CHAPTER] [CHAPTER]\n", argv[0]);
            return 2;
        }
    }
    printf("%-86s | %13s | %13s | %9s | %12s | %s\n", "claim", "answer", "measured", "error", "bar", "pass");
    for (size_t k = 0; k < sizeof chapters / sizeof *chapters; k++)
        if (strstr(chapters[k].name, filter) && strcmp(chapters[k].name, without) != 0)
            run_chapter(&chapters[k], argv[0]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
