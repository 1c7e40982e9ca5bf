/* test/test_ccd.c — straight motions: nothing is missed, and times are as good as promised.
 *
 * The queries with exact answers (PERCALE_TEST_DATA/ccd, or ../shared/data/ccd; FORMAT.md there) are rational numbers.
 * Each is checked to be a double exactly, so nothing is rounded and motions that just touch, the last instant included,
 * have to be found like any other. SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include "kernel/accd.h"

#include "harness.h"
#include "pairs.h"

static bool hits(const double start[4][3], const double end[4][3], int side_a, double separation, double *time)
{
    return side_a == 1 ? prc_ccd_point_triangle(start, end, separation, time)
                       : prc_ccd_edge_edge(start, end, separation, time);
}

static double distance(const double x[4][3], int side_a)
{
    return side_a == 1 ? prc_distance_point_triangle(x).distance : prc_distance_edge_edge(x).distance;
}

static void between(const double start[4][3], const double end[4][3], double t, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = (1 - t) * start[k][i] + t * end[k][i];
}

/* A point at height 1 over a triangle, moved to height 1 − fall. */
static bool falls(double fall, double separation, double *time)
{
    const double start[4][3] = {{0.2, 0.3, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double end[4][3];
    memcpy(end, start, sizeof end);
    end[0][2] -= fall;
    return hits(start, POINTS(end), 1, separation, time);
}

TEST(a_falling_point_stops_a_tenth_of_its_gap_above_the_triangle)
{
    double t;
    CHECK(falls(2, 0, &t));
    CHECK_NEAR(t, 0.45, 1e-12);
    CHECK(falls(1, 0, &t));
    CHECK_NEAR(t, 0.9, 1e-12);
    CHECK(falls(2, 0.5, &t));
    CHECK_NEAR(t, 0.225, 1e-12);
    CHECK(falls(1e6, 0.999, &t));
    CHECK_NEAR(t * 1e6, 0.0009, 1e-8);
    CHECK(falls(1e300, 0, NULL) && falls(1e12, 0, NULL));
    CHECK(!falls(0.89, 0, &t) && t == 1);
    CHECK(!falls(-1e6, 0.999, &t) && t == 1);
    CHECK(!falls(0, 0, NULL));
}

TEST(crossing_edges_stop_a_tenth_of_their_gap_apart)
{
    const double start[4][3] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
    const double end[4][3] = {{-1, 0, -3}, {1, 0, -3}, {0, -1, 0}, {0, 1, 0}};
    double t;
    CHECK(hits(start, end, 2, 0, &t));
    CHECK_NEAR(t, 0.225, 1e-12);
    CHECK(hits(start, end, 2, 0.2, &t));
    CHECK_NEAR(t, 0.18, 1e-12);
}

TEST(a_start_that_is_too_close_gives_time_0)
{
    double t = 7;
    CHECK(falls(-1, 1, &t) && t == 0);
    CHECK(falls(-1, 2, &t) && t == 0);
    const double start[4][3] = {{0.2, 0.3, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double same[4][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    CHECK(hits(start, same, 1, 0, &t) && t == 0);
    CHECK(hits(same, start, 2, 0, &t) && t == 0);
}

TEST(a_negative_separation_counts_as_0)
{
    double t;
    CHECK(falls(2, -5, &t));
    CHECK_NEAR(t, 0.45, 1e-12);
}

TEST(numbers_that_are_not_finite_count_as_hits)
{
    for (int k = 0; k < 24; k++)
        for (int side_a = 1; side_a <= 2; side_a++)
            for (int kind = 0; kind < 3; kind++) {
                double x[2][4][3], t = 7;
                uint64_t state = 5;
                pair_make(&state, PAIR_RANDOM, side_a, 1, x[0]);
                memcpy(x[1], x[0], sizeof x[1]);
                CHECK(!hits(POINTS(x[0]), POINTS(x[1]), side_a, 0, &t));
                x[k / 12][k % 12 / 3][k % 3] = kind == 0 ? NAN : kind == 1 ? INFINITY : 1e300;
                CHECK(hits(POINTS(x[0]), POINTS(x[1]), side_a, 0, &t));
                CHECK(kind == 2 || t == 0);
            }
    double t;
    CHECK(falls(0, NAN, &t) && t == 0);
    CHECK(falls(0, INFINITY, &t) && t == 0);
}

TEST(common_motion_and_sliding_are_free)
{
    const double start[4][3] = {{0.2, 0.3, 1e-3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double end[4][3], t;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            end[k][i] = start[k][i] + 1024 * (i + 1);
    CHECK(!hits(start, POINTS(end), 1, 0, &t));
    end[0][0] += 100;
    CHECK(!hits(start, POINTS(end), 1, 9e-4, &t));
}

/* A motion of a pair: every point by up to `reach`, in a third of the cases some points much less than others. */
static void motion(uint64_t *state, int n, int side_a, double offset, double start[4][3], double end[4][3])
{
    static const double reaches[] = {2, 0.1, 100, 1e-4};
    const double reach = reaches[n / PAIR_FAMILIES % 4];
    pair_make(state, (enum pair_family)(n % PAIR_FAMILIES), side_a, 1, start);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            start[k][i] += offset * (i + 1);
            end[k][i] = start[k][i] + reach * (pair_random(state) - 0.5) * (n % 3 ? 1 : pair_small(state));
        }
}

TEST(no_sampled_position_of_a_safe_motion_is_too_close)
{
    static const double offsets[] = {0, 1, 10, 100};
    int safe = 0, stopped = 0;
    for (int o = 0; o < 4; o++) {
        uint64_t state = 11 + (uint64_t)o;
        for (int n = 0; n < 30000; n++) {
            const int side_a = 1 + n % 2;
            double start[4][3], end[4][3], x[4][3], t = -1;
            motion(&state, n / 2, side_a, offsets[o], start, end);
            const double first = distance(POINTS(start), side_a);
            const double xi = n % 3 == 0 ? 0 : n % 3 == 1 ? 0.5 * first : 0.999 * first;
            const bool hit = hits(POINTS(start), POINTS(end), side_a, xi, &t);
            CHECK(hit ? t >= 0 && t < 1 : t == 1);
            safe += !hit;
            stopped += hit && t > 0;
            /* The samples are rounded by their place in space. */
            const double rounding = 64 * DBL_EPSILON * (3 * offsets[o] + 1 + pair_size(POINTS(end)));
            for (int k = 0; k <= 50 && t > 0; k++) {
                between(POINTS(start), POINTS(end), t * k / 50, x);
                CHECK(distance(POINTS(x), side_a) > xi - rounding);
                CHECK(distance(POINTS(x), side_a) >= xi + 0.0999 * (first - xi) - rounding);
            }
        }
    }
    printf("    %d safe to the end, %d stopped on the way\n", safe, stopped);
    CHECK(safe > 5000 && stopped > 20000);
}

/* Not always: where the motion is a million times the gap and the pair turns, the iterations may run out. */
TEST(a_motion_that_stops_early_would_have_come_near)
{
    uint64_t state = 21;
    int far = 0, stopped = 0;
    for (int n = 0; n < 30000; n++) {
        const int side_a = 1 + n % 2;
        double start[4][3], end[4][3], x[4][3], t;
        motion(&state, n / 2, side_a, 0, start, end);
        const double first = distance(POINTS(start), side_a);
        if (first < 1e-9 || !hits(POINTS(start), POINTS(end), side_a, 0, &t))
            continue;
        stopped++;
        between(POINTS(start), POINTS(end), t, x);
        far += distance(POINTS(x), side_a) > 0.12 * first;
    }
    printf("    %d of %d stopped with more than 0.12 of the gap left\n", far, stopped);
    CHECK(stopped > 1000 && far * 50 < stopped);
}

/* Also for less thickness than that for which it was found: so pairs are free whatever their rest shape says. */
TEST(a_motion_that_is_free_by_its_first_plane_is_safe_to_the_end)
{
    uint64_t state = 31;
    int at_once = 0, safe = 0;
    for (int n = 0; n < 30000; n++) {
        const int side_a = 1 + n % 2;
        double start[4][3], end[4][3];
        motion(&state, n / 2, side_a, 0, start, end);
        const double xi = 0.5 * (n % 3) * distance(POINTS(start), side_a);
        const prc_accd m = prc_accd_make(POINTS(start), POINTS(end), side_a);
        const bool is_free = prc_accd_is_free(&m, xi, PRC_ACCD_KEEP);
        for (int k = 0; k <= 4; k++)
            CHECK(!is_free || prc_accd_advance(&m, xi * k / 4, PRC_ACCD_KEEP) == 1);
        at_once += is_free;
        safe += prc_accd_advance(&m, xi, PRC_ACCD_KEEP) == 1;
    }
    printf("    %d of %d that are safe are seen to be at once\n", at_once, safe);
    CHECK(2 * at_once > safe);
}

/* One column: the text of an integer that a double holds exactly. */
static bool read_exact(const char **text, double *value)
{
    char *end, back[400];
    *value = strtod(*text, &end);
    const size_t length = (size_t)(end - *text);
    snprintf(back, sizeof back, "%.0f", *value);
    const bool exact = length == strlen(back) && strncmp(back, *text, length) == 0;
    *text = end + (*end == ',');
    return exact;
}

/* Eight rows; false at the end of the file, or (*bad) where a number is not a double. */
static bool read_query(FILE *file, double x[2][4][3], bool *hit, bool *bad)
{
    char line[2000];
    for (int row = 0; row < 8; row++) {
        if (!fgets(line, sizeof line, file))
            return false;
        const char *text = line;
        for (int i = 0; i < 3; i++) {
            double over, under;
            const bool exact_over = read_exact(&text, &over), exact_under = read_exact(&text, &under);
            x[row / 4][row % 4][i] = over / under;
            int exponent;
            /* Division by a power of two is exact unless the result is too small. */
            *bad = *bad || !exact_over || !exact_under || fabs(frexp(under, &exponent)) != 0.5 ||
                   (over != 0 && fabs(over / under) < DBL_MIN);
        }
        *hit = strtol(text, NULL, 10) != 0;
    }
    return true;
}

typedef struct tally {
    int files, queries, contacts, missed, extra, extra_touching, bad;
} tally;

static void count_file(const char *path, int side_a, double keep, tally *sum)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    sum->files++;
    double x[2][4][3];
    bool contact, bad = false;
    while (read_query(file, x, &contact, &bad)) {
        const double t = side_a == 1 ? prc_accd_point_triangle(POINTS(x[0]), POINTS(x[1]), 0, keep)
                                     : prc_accd_edge_edge(POINTS(x[0]), POINTS(x[1]), 0, keep);
        sum->queries++;
        sum->contacts += contact;
        sum->missed += contact && t >= 1;
        sum->extra += !contact && t < 1;
        sum->extra_touching += !contact && t == 0;
    }
    sum->bad += bad;
    fclose(file);
}

static tally count_all(double keep)
{
    static const char *const sets[] = {"unit-tests",     "erleben-cube-cliff-edges", "erleben-sliding-spike",
                                       "erleben-spikes", "erleben-spike-crack",      "erleben-wedges"};
    const char *data = getenv("PERCALE_TEST_DATA");
    tally sum = {0, 0, 0, 0, 0, 0, 0};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int side_a = 1; side_a <= 2; side_a++)
            for (int part = 0; part < 2; part++) {
                char path[1000];
                snprintf(path, sizeof path, "%s/ccd/%s/%s/data_0_%d.csv", data ? data : "../shared/data", sets[s],
                         side_a == 1 ? "vertex-face" : "edge-edge", part);
                count_file(path, side_a, keep, &sum);
            }
    return sum;
}

TEST(no_contact_of_the_exact_queries_is_missed)
{
    static const double keeps[] = {PRC_ACCD_KEEP, 1e-6, 0};
    for (int k = 0; k < 3; k++) {
        const tally sum = count_all(keeps[k]);
        if (sum.files == 0)
            SKIP("no data: set PERCALE_TEST_DATA");
        printf(
            "    keeping %g of the gap: %d queries, %d contacts, %d missed, %d of %d others reported (%.2f %%), %d of "
            "these at time 0\n",
            keeps[k], sum.queries, sum.contacts, sum.missed, sum.extra, sum.queries - sum.contacts,
            100.0 * sum.extra / (sum.queries - sum.contacts), sum.extra_touching);
        CHECK(sum.files == 24 && sum.bad == 0);
        CHECK(sum.contacts > 0 && sum.missed == 0);
        CHECK(sum.extra < sum.queries - sum.contacts);
    }
}

TEST_MAIN()
