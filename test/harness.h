/* test/harness.h — tests named as claims.
 *
 *     #include "harness.h"
 *     TEST(barrier_is_c2_at_d_hat)
 *     {
 *         CHECK(x > 0);
 *         CHECK_NEAR(measured, expected, 1e-9);
 *     }
 *     TEST_MAIN()
 *
 * A program runs all of its tests, or those whose name contains its first argument, prints a line for each (with its
 * time, from a tenth of a second on) and ends with `N passed, N failed, N skipped`; its exit status is the number of
 * failures (at most 99). Of a test that fails it prints the command that runs it alone. An argument that no name
 * contains is a failure. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_HARNESS_H
#define PRC_TEST_HARNESS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct prc_test {
    const char *name;
    void (*run)(void);
    struct prc_test *next;
} prc_test;

static prc_test *prc_test_first;
static prc_test **prc_test_last = &prc_test_first;
static bool prc_test_failed, prc_test_skipped;

#define TEST(claim)                                                                                                    \
    static void claim(void);                                                                                           \
    static prc_test claim##_test = {#claim, claim, NULL};                                                              \
    __attribute__((constructor)) static void claim##_register(void)                                                    \
    {                                                                                                                  \
        *prc_test_last = &claim##_test;                                                                                \
        prc_test_last = &claim##_test.next;                                                                            \
    }                                                                                                                  \
    static void claim(void)

/* A failed check ends the test. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("    %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                       \
            prc_test_failed = true;                                                                                    \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define CHECK_NEAR(measured, expected, tolerance)                                                                      \
    do {                                                                                                               \
        double m_ = (measured), e_ = (expected), t_ = (tolerance);                                                     \
        if (!(fabs(m_ - e_) <= t_)) {                                                                                  \
            printf("    %s:%d: %s = %.17g, expected %.17g within %g\n", __FILE__, __LINE__, #measured, m_, e_, t_);    \
            prc_test_failed = true;                                                                                    \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(text, part)                                                                                         \
    do {                                                                                                               \
        if (!strstr((text), (part))) {                                                                                 \
            printf("    %s:%d: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, (text), (part));                 \
            prc_test_failed = true;                                                                                    \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define SKIP(reason)                                                                                                   \
    do {                                                                                                               \
        printf("    skipped: %s\n", (reason));                                                                         \
        prc_test_skipped = true;                                                                                       \
        return;                                                                                                        \
    } while (0)

/* Sanitizers watch every access: what reaches the same code again, in larger scenes and more of them, is for other
 * builds. PLAIN_BUILD_ONLY("why") skips a test there; TEST_SANITIZED chooses a smaller one. */
#if defined __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#if !defined TEST_SANITIZED && (defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif
#define PLAIN_BUILD_ONLY(why)                                                                                          \
    do {                                                                                                               \
        if (TEST_SANITIZED)                                                                                            \
            SKIP("not under sanitizers: " why);                                                                        \
    } while (0)

static double prc_test_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The line of a test that has ended. */
static void prc_test_tell(const prc_test *test, double seconds, const char *program)
{
    printf("  %-7s %s", prc_test_failed ? "FAILED" : prc_test_skipped ? "skipped" : "ok", test->name);
    if (seconds >= 0.1)
        printf("  (%.1f s)", seconds);
    printf("\n");
    if (prc_test_failed)
        printf("    alone: %s %s\n", program, test->name);
}

static int prc_test_main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("PERCALE_BACKEND", "cpu", 0); /* what looks into a simulation expects it here, also where there is a GPU */
    for (prc_test *test = prc_test_first; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1]))
            continue;
        prc_test_failed = prc_test_skipped = false;
        const double began = prc_test_seconds();
        test->run();
        prc_test_tell(test, prc_test_seconds() - began, argv[0]);
        if (prc_test_failed)
            failed++;
        else if (prc_test_skipped)
            skipped++;
        else
            passed++;
    }
    if (passed + failed + skipped == 0) {
        printf("  FAILED  no test here has '%s' in its name\n", argc > 1 ? argv[1] : "");
        failed = 1;
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 99 ? 99 : failed;
}

#define TEST_MAIN()                                                                                                    \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return prc_test_main(argc, argv);                                                                              \
    }

#endif
