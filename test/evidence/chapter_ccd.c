/* evidence/chapter_ccd.c — straight motions: queries with known answers, and sampled motions.
 *
 * Known answers: the queries of PERCALE_TEST_DATA/ccd or ../shared/data/ccd, which are rational numbers that doubles
 * hold exactly. Sampled motions: every kind of pair of test/pairs.h under every kind of motion, judged by the distances
 * of src/check. The promise is about the straight line between the given numbers, so samples are made from differences
 * to the last point, which are rounded by the size of the pair and not by its place in space.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "check/distance.h"

#include "pairs.h"

#include <float.h>
#include <string.h>

static bool hits(double x[2][4][3], int side_a, double separation, double *time)
{
    return side_a == 1 ? prc_ccd_point_triangle(POINTS(x[0]), POINTS(x[1]), separation, time)
                       : prc_ccd_edge_edge(POINTS(x[0]), POINTS(x[1]), separation, time);
}

static double distance(double x[4][3], int side_a, double n[3])
{
    double on[2][3];
    const double d = sqrt(side_a == 1 ? prc_check_distance_point_triangle(x[0], x[1], x[2], x[3], on[0], on[1])
                                      : prc_check_distance_edge_edge(x[0], x[1], x[2], x[3], on[0], on[1]));
    for (int i = 0; i < 3 && n; i++)
        n[i] = on[0][i] - on[1][i];
    return d;
}

/* --- known answers --- */

typedef struct tally {
    int files, queries, contacts, missed, extra;
} tally;

/* Eight lines of three fractions and the answer; false at the end of the file. */
static bool read_query(FILE *file, double x[2][4][3], bool *contact)
{
    char line[2000];
    for (int row = 0; row < 8; row++) {
        if (!fgets(line, sizeof line, file))
            return false;
        char *text = line;
        for (int i = 0; i < 3; i++) {
            const double over = strtod(text, &text), under = strtod(text + 1, &text);
            x[row / 4][row % 4][i] = over / under;
            text++;
        }
        *contact = strtol(text, NULL, 10) != 0;
    }
    return true;
}

static void count_file(const char *path, int side_a, tally *sum)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    double x[2][4][3];
    bool contact;
    sum->files++;
    while (read_query(file, x, &contact)) {
        const bool hit = hits(x, side_a, 0, NULL);
        sum->queries++;
        sum->contacts += contact;
        sum->missed += contact && !hit;
        sum->extra += !contact && hit;
    }
    fclose(file);
}

static void known_rows(void)
{
    static const char *const sets[] = {"unit-tests",     "erleben-cube-cliff-edges", "erleben-sliding-spike",
                                       "erleben-spikes", "erleben-spike-crack",      "erleben-wedges"};
    const char *data = getenv("PERCALE_TEST_DATA");
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        tally sum = {0, 0, 0, 0, 0};
        char text[1000];
        for (int side_a = 1; side_a <= 2; side_a++)
            for (int part = 0; part < 2; part++) {
                snprintf(text, sizeof text, "%s/ccd/%s/%s/data_0_%d.csv", data ? data : "../shared/data", sets[s],
                         side_a == 1 ? "vertex-face" : "edge-edge", part);
                count_file(text, side_a, &sum);
            }
        if (sum.files == 0) {
            printf("   %s: no data, left out; set PERCALE_TEST_DATA\n", sets[s]);
            continue;
        }
        snprintf(text, sizeof text, "%s: of %d queries, %d contacts: missed", sets[s], sum.queries, sum.contacts);
        ev_row(text, 0, sum.missed, sum.missed, 0);
        snprintf(text, sizeof text, "%s: share of the others that are reported (they come near)", sets[s]);
        const double share = (double)sum.extra / fmax(1, sum.queries - sum.contacts);
        ev_row_note(text, 0, share, share);
    }
}

/* --- sampled motions --- */

/* Every point anywhere within `reach`; every third time some points much less than others. */
static void move_freely(uint64_t *state, int n, double x[2][4][3])
{
    static const double reaches[] = {2, 0.1, 100, 1e-4, 1e5, 1e-10};
    const double reach = reaches[n % 6];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[1][k][i] = x[0][k][i] + reach * (pair_random(state) - 0.5) * (n % 3 ? 1 : pair_small(state));
}

/* Side A goes along the other, nearly across the line of closest points, turning a little: grazes it. */
static void move_grazing(uint64_t *state, int side_a, double x[2][4][3])
{
    double n[3], along[3], dot = 0, square = 0;
    distance(x[0], side_a, n);
    for (int i = 0; i < 3; i++) {
        along[i] = 4 * (pair_random(state) - 0.5);
        dot += along[i] * n[i];
        square += n[i] * n[i];
    }
    const double share = (square > 0 ? dot / square : 0) + (pair_random(state) - 0.5) * pair_small(state);
    const double turn = pair_small(state);
    memcpy(x[1], x[0], sizeof x[1]);
    for (int k = 0; k < side_a; k++)
        for (int i = 0; i < 3; i++)
            x[1][k][i] += along[i] - share * n[i] + turn * (pair_random(state) - 0.5);
}

/* Positions at time t seen from the last point. */
static double sample(double x[2][4][3], int side_a, double t)
{
    double at[4][3];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            at[k][i] = (1 - t) * (x[0][k][i] - x[0][3][i]) + t * (x[1][k][i] - x[1][3][i]);
    return distance(at, side_a, NULL);
}

/* The smallest distance from time 0 to `end`: samples, then the golden section about the smallest of them. */
static double smallest(double x[2][4][3], int side_a, double end)
{
    enum { SAMPLES = 24 };
    double least = INFINITY, middle = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        const double d = sample(x, side_a, end * k / SAMPLES);
        if (d < least) {
            least = d;
            middle = end * k / SAMPLES;
        }
    }
    double low = fmax(0, middle - end / SAMPLES), high = fmin(end, middle + end / SAMPLES);
    for (int k = 0; k < 12; k++) {
        const double a = high - 0.618 * (high - low), b = low + 0.618 * (high - low);
        const double at_a = sample(x, side_a, a), at_b = sample(x, side_a, b);
        least = fmin(least, fmin(at_a, at_b));
        if (at_a < at_b)
            high = b;
        else
            low = a;
    }
    return least;
}

static void round_to_float(double x[2][4][3])
{
    for (int k = 0; k < 24; k++)
        x[k / 12][k % 12 / 3][k % 3] = (float)x[k / 12][k % 12 / 3][k % 3];
}

typedef struct outcome {
    int below, stopped;
    double worst; /* smallest distance less separation, in roundings: DBL_EPSILON × size of the pair */
} outcome;

static outcome run_queries(int count, double offset, bool rounded)
{
    outcome o = {0, 0, INFINITY};
    uint64_t state = 31 + (uint64_t)offset;
    for (int n = 0; n < count; n++) {
        const int side_a = 1 + n % 2, kind = n / 2;
        double x[2][4][3], t = -1;
        pair_make(&state, (enum pair_family)(kind % PAIR_FAMILIES), side_a, 1, x[0]);
        for (int k = 0; k < 12; k++)
            x[0][k / 3][k % 3] += offset * (k % 3 + 1);
        if (kind / PAIR_FAMILIES % 4 == 3)
            move_grazing(&state, side_a, x);
        else
            move_freely(&state, kind / PAIR_FAMILIES, x);
        if (rounded)
            round_to_float(x);
        const double first = sample(x, side_a, 0);
        const double shares[4] = {0, 0.5, 0.999, 1 - pair_small(&state)};
        const double separation = shares[n / 7 % 4] * first;
        o.stopped += hits(x, side_a, separation, &t);
        if (!(t > 0))
            continue;
        const double size = fmax(pair_size(POINTS(x[0])), pair_size(POINTS(x[1])));
        const double left = (smallest(x, side_a, t) - separation) / (DBL_EPSILON * size);
        o.worst = fmin(o.worst, left);
        o.below += left < 0;
    }
    return o;
}

static void sampled_rows(void)
{
    static const double offsets[] = {0, 1, 10, 100};
    const int count = ev_quick ? 6250 : 125000;
    double worst = INFINITY;
    for (int rounded = 0; rounded < 2; rounded++)
        for (int k = 0; k < 4; k++) {
            char text[200];
            const outcome o = run_queries(count, offsets[k], rounded);
            snprintf(text, sizeof text, "%d %s motions, %g m away, %d stopped early: too close on the safe way", count,
                     rounded ? "float" : "double", offsets[k], o.stopped);
            ev_row(text, 0, o.below, o.below, 0);
            worst = fmin(worst, o.worst);
        }
    ev_row_note("all of them: smallest (distance - separation) / (rounding 2^-52 x size of the pair)", 24, worst,
                worst - 24);
}

void ev_chapter_ccd(void)
{
    known_rows();
    sampled_rows();
}
