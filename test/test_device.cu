/* test/test_device.cu — the runtime of devices: memory, loops, sums, scans, sorts, errors. Compiled for the device on
 * the host, and for a GPU where there is nvcc; the claims are the same. SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/device.h"

#include "harness.h"
#include "one_device.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 20;
}

static double *random_numbers(long n, uint64_t seed)
{
    double *x = (double *)malloc((size_t)(n > 0 ? n : 1) * sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = (double)(next_random(&seed) % 2000003) * 1e-3 - 1000;
    return x;
}

TEST(the_device_says_what_it_is)
{
    DEVICE(d);
    CHECK(d_info.name[0] && d_info.memory > 0 && d_info.memory_free > 0 && d_info.processors > 0);
    CHECK(prc_device_check(d, &d_error) == PRC_OK);
    prc_device_destroy(d);
}

static void squares(prc_device *d, int *data, int n)
{
    prc_each(d, "squares", n, [=] PRC_DEVICE(int i) { data[i] = i * i; });
}

TEST(each_item_is_visited_once_for_any_count)
{
    DEVICE(d);
    const int counts[] = {0, 1, 127, 128, 129, 40000};
    for (int k = 0; k < 6; k++) {
        const int n = counts[k];
        prc_buffer<int> buffer = {NULL, 0};
        CHECK(prc_reserve(d, &buffer, (size_t)n + 1));
        prc_fill(d, buffer.data, 0x11, ((size_t)n + 1) * sizeof(int));
        squares(d, buffer.data, n);
        int *out = (int *)malloc(((size_t)n + 1) * sizeof *out);
        prc_copy_out(d, out, buffer.data, ((size_t)n + 1) * sizeof(int));
        for (int i = 0; i < n; i++)
            CHECK(out[i] == i * i);
        CHECK(out[n] == 0x11111111); /* nothing past the end */
        free(out);
        prc_release(d, &buffer);
    }
    CHECK(prc_device_check(d, &d_error) == PRC_OK && prc_device_count(d).memory == 0);
    prc_device_destroy(d);
}

/* Per warp: lanes that are odd multiples of 3; least and largest, sums before a lane, what the lane beside has left. */
static void ask_warps(prc_device *d, int n, int *out)
{
    prc_each_warp<int[PRC_WARP]>(d, "warps", n, [=] PRC_DEVICE(const prc_warp &warp, int(&shared)[PRC_WARP], int i) {
        prc_per_lane<int> number, before;
        prc_per_lane<float> real;
        warp.each([&](int lane) {
            number[lane] = before[lane] = (lane * 7 + i) % PRC_WARP;
            real[lane] = lane % 2 ? NAN : (float)((lane * 5 + i) % PRC_WARP) + 1;
            shared[lane] = number[lane];
        });
        const int bits = prc_bit_count(warp.ballot([&](int lane) { return lane % 6 == 3; }));
        const int largest = warp.largest(number), least = (int)warp.least(real), total = warp.scan(before);
        warp.each([&](int lane) {
            int *own = out + 6 * (PRC_WARP * i + lane);
            own[0] = bits;
            own[1] = largest;
            own[2] = least;
            own[3] = total;
            own[4] = before[lane];
            own[5] = shared[(lane + 1) % PRC_WARP];
        });
    });
}

TEST(lanes_of_a_warp_know_of_each_other)
{
    DEVICE(d);
    const int n = 37;
    prc_buffer<int> out = {NULL, 0};
    static int found[37 * PRC_WARP][6];
    CHECK(prc_reserve(d, &out, 6 * 37 * PRC_WARP));
    ask_warps(d, n, out.data);
    prc_copy_out(d, found, out.data, sizeof found);
    for (int i = 0; i < n; i++)
        for (int lane = 0, before = 0; lane < PRC_WARP; lane++) {
            const int *own = found[PRC_WARP * i + lane];
            CHECK(own[0] == 5 && own[1] == PRC_WARP - 1 && own[2] == (i % 2 ? 2 : 1));
            CHECK(own[3] == PRC_WARP * (PRC_WARP - 1) / 2 && own[4] == before);
            CHECK(own[5] == ((lane + 1) % PRC_WARP * 7 + i) % PRC_WARP);
            before += (lane * 7 + i) % PRC_WARP;
        }
    prc_release(d, &out);
    prc_device_destroy(d);
}

TEST(what_was_copied_in_comes_out_and_host_memory_may_change_at_once)
{
    DEVICE(d);
    const size_t n = 3000000; /* more than the staging memory */
    prc_buffer<unsigned char> buffer = {NULL, 0};
    CHECK(prc_reserve(d, &buffer, n));
    unsigned char *in = (unsigned char *)malloc(n), *out = (unsigned char *)malloc(n);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < n; i++)
            in[i] = (unsigned char)(i * 31 + (size_t)round);
        prc_copy_in(d, buffer.data, in, n);
        memset(in, 0, n);
        for (size_t i = 0; i < 1000; i++) { /* many small ones over the beginning */
            const unsigned char mark = (unsigned char)(i + 7);
            prc_copy_in(d, buffer.data + i, &mark, 1);
        }
        prc_copy_out(d, out, buffer.data, n);
        for (size_t i = 0; i < n; i++)
            CHECK(out[i] == (unsigned char)(i < 1000 ? i + 7 : i * 31 + (size_t)round));
    }
    free(in);
    free(out);
    prc_release(d, &buffer);
    prc_device_destroy(d);
}

TEST(buffers_grow_and_keep_what_they_are_asked_to_keep)
{
    DEVICE(d);
    prc_buffer<int> buffer = {NULL, 0};
    const int first[3] = {5, 6, 7};
    CHECK(prc_reserve(d, &buffer, 3) && buffer.capacity == 3);
    prc_copy_in(d, buffer.data, first, sizeof first);
    CHECK(prc_reserve_keep(d, &buffer, 4) && buffer.capacity >= 4);
    CHECK(prc_reserve_keep(d, &buffer, 100000) && buffer.capacity >= 100000);
    int out[3];
    prc_copy_out(d, out, buffer.data, sizeof out);
    CHECK(out[0] == 5 && out[1] == 6 && out[2] == 7);
    int *before = buffer.data;
    CHECK(prc_reserve(d, &buffer, 50000) && buffer.data == before); /* smaller: nothing to do */
    prc_release(d, &buffer);
    CHECK(!buffer.data && !buffer.capacity);
    prc_device_destroy(d);
}

TEST(scan_gives_the_sums_before_each_entry_and_the_total)
{
    DEVICE(d);
    const int counts[] = {0, 1, 2, 1023, 100001};
    for (int k = 0; k < 5; k++) {
        const int n = counts[k];
        int *in = (int *)malloc(((size_t)n + 1) * sizeof *in), *out = (int *)malloc(((size_t)n + 1) * sizeof *out);
        for (int i = 0; i < n; i++)
            in[i] = (i * 7919) % 13;
        prc_buffer<int> from = {NULL, 0}, to = {NULL, 0};
        CHECK(prc_reserve(d, &from, (size_t)n + 1) && prc_reserve(d, &to, (size_t)n + 1));
        prc_copy_in(d, from.data, in, (size_t)n * sizeof *in);
        prc_scan(d, from.data, to.data, n);
        prc_copy_out(d, out, to.data, ((size_t)n + 1) * sizeof *out);
        int sum = 0;
        for (int i = 0; i <= n; i++) {
            CHECK(out[i] == sum);
            sum += i < n ? in[i] : 0;
        }
        free(in);
        free(out);
        prc_release(d, &from);
        prc_release(d, &to);
    }
    prc_device_destroy(d);
}

/* Sorts n keys of which the low `bits` count, and checks order, stability, and that each key kept its value. */
template <class K> static bool sorts(prc_device *d, int n, int bits)
{
    const K mask = bits >= (int)(8 * sizeof(K)) ? (K) ~(K)0 : (K)(((K)1 << bits) - 1);
    K *keys = (K *)malloc(((size_t)n + 1) * sizeof *keys), *sorted = (K *)malloc(((size_t)n + 1) * sizeof *sorted);
    int *values = (int *)malloc(((size_t)n + 1) * sizeof *values);
    uint64_t random = 17;
    for (int i = 0; i < n; i++) {
        keys[i] = (K)((K)next_random(&random) << 3) ^ (K)next_random(&random);
        values[i] = i;
    }
    prc_buffer<K> k = {NULL, 0};
    prc_buffer<int> v = {NULL, 0};
    bool good = prc_reserve(d, &k, (size_t)n + 1) && prc_reserve(d, &v, (size_t)n + 1);
    prc_copy_in(d, k.data, keys, (size_t)n * sizeof *keys);
    prc_copy_in(d, v.data, values, (size_t)n * sizeof *values);
    prc_sort(d, k.data, v.data, n, bits);
    prc_copy_out(d, sorted, k.data, (size_t)n * sizeof *keys);
    prc_copy_out(d, values, v.data, (size_t)n * sizeof *values);
    for (int i = 0; i < n && good; i++) {
        good = values[i] >= 0 && values[i] < n && keys[values[i]] == sorted[i];
        if (good && i > 0) {
            const K a = sorted[i - 1] & mask, b = sorted[i] & mask;
            good = a < b || (a == b && values[i - 1] < values[i]);
        }
    }
    free(keys);
    free(sorted);
    free(values);
    prc_release(d, &k);
    prc_release(d, &v);
    return good;
}

TEST(sort_is_ascending_and_stable_for_both_widths_and_any_bits)
{
    DEVICE(d);
    const int counts[] = {0, 1, 2, 1000, 70001}, bits[] = {1, 5, 8, 13, 30, 32};
    for (int c = 0; c < 5; c++)
        for (int b = 0; b < 6; b++) {
            CHECK(sorts<uint32_t>(d, counts[c], bits[b]));
            CHECK(sorts<uint64_t>(d, counts[c], 2 * bits[b]));
        }
    CHECK(prc_device_check(d, &d_error) == PRC_OK);
    prc_device_destroy(d);
}

/* A sum in the order that device.h defines, written out on its own. */
static double sum_in_order(const double *x, long n)
{
    const int blocks = prc_sum_blocks(n);
    double partial[PRC_SUM_BLOCKS];
    for (int stage = 0; stage < 2; stage++) {
        const int parts = stage == 0 ? blocks : 1;
        for (int b = 0; b < parts; b++) {
            double v[PRC_SUM_THREADS] = {0};
            for (long i = 0; i < (stage == 0 ? n : blocks); i++)
                if (i / PRC_SUM_THREADS % parts == b)
                    v[i % PRC_SUM_THREADS] += stage == 0 ? x[i] : partial[i];
            for (int width = PRC_SUM_THREADS / 2; width > 0; width /= 2)
                for (int t = 0; t < width; t++)
                    v[t] += v[t + width];
            if (stage == 1)
                return v[0];
            partial[b] = v[0];
        }
        if (blocks == 1)
            return partial[0];
    }
    return 0;
}

/* Sums of two columns that are nowhere kept, and what is made of them at the end; nothing where *stays. */
static void sum_and_halve(prc_device *d, const double *columns, long stride, long n, const int *stays, double *results)
{
    prc_each_summed<2>(
        d, "halves", n,
        [=] PRC_DEVICE(int i, double *sums) {
            sums[0] += columns[i];
            sums[1] += columns[stride + i];
        },
        [=] PRC_DEVICE(const double *sums) {
            results[0] = sums[0] / 2;
            results[1] = sums[1] / 2;
        },
        [=] PRC_DEVICE() { return *stays != 0; });
}

TEST(sums_have_the_bits_of_their_order_and_the_largest_is_found)
{
    DEVICE(d);
    const long counts[] = {0, 1, 255, 1024, 1025, 5000, 1100000};
    for (int k = 0; k < 7; k++) {
        const long n = counts[k], stride = n + 3;
        double *x = random_numbers(2 * stride, 3 + (uint64_t)k), out[4], again[4];
        prc_buffer<double> columns = {NULL, 0}, results = {NULL, 0};
        prc_buffer<int> stays = {NULL, 0};
        CHECK(prc_reserve(d, &columns, (size_t)(2 * stride)) && prc_reserve(d, &results, 4) &&
              prc_reserve(d, &stays, 1));
        prc_copy_in(d, columns.data, x, (size_t)(2 * stride) * sizeof *x);
        for (int run = 0; run < 2; run++) {
            prc_sum(d, columns.data, stride, n, 2, results.data);
            prc_max(d, columns.data, stride, n, 2, results.data + 2);
            prc_copy_out(d, run ? again : out, results.data, sizeof out);
        }
        CHECK(!memcmp(out, again, sizeof out));
        for (int stay = 1; stay >= 0; stay--) { /* what stayed idle leaves nothing behind for the next */
            prc_copy_in(d, stays.data, &stay, sizeof stay);
            sum_and_halve(d, columns.data, stride, n, stays.data, results.data);
            prc_copy_out(d, again, results.data, 2 * sizeof *again);
            CHECK(again[0] == out[0] / (2 - stay) && again[1] == out[1] / (2 - stay));
        }
        for (int c = 0; c < 2; c++) {
            double most = -INFINITY, plain = 0;
            for (long i = 0; i < n; i++) {
                most = fmax(most, x[c * stride + i]);
                plain += x[c * stride + i];
            }
            CHECK(out[c] == sum_in_order(x + c * stride, n) && out[2 + c] == most);
            CHECK_NEAR(out[c], plain, 1e-9 * (double)(n + 1));
        }
        free(x);
        prc_release(d, &columns);
        prc_release(d, &results);
        prc_release(d, &stays);
    }
    prc_device_destroy(d);
}

TEST(the_largest_is_nan_wherever_a_nan_stands)
{
    DEVICE(d);
    const long n = 3000;
    double *x = random_numbers(n, 1), out;
    prc_buffer<double> column = {NULL, 0}, result = {NULL, 0};
    CHECK(prc_reserve(d, &column, (size_t)n) && prc_reserve(d, &result, 1));
    for (long place = 0; place < n; place += 599) {
        const double kept = x[place];
        x[place] = NAN;
        prc_copy_in(d, column.data, x, (size_t)n * sizeof *x);
        prc_max(d, column.data, n, n, 1, result.data);
        prc_copy_out(d, &out, result.data, sizeof out);
        CHECK(isnan(out));
        x[place] = kept;
    }
    free(x);
    prc_release(d, &column);
    prc_release(d, &result);
    prc_device_destroy(d);
}

/* Power iteration on a ring of springs, all in one kernel: each round needs the others' results of the one before. */
static void rounds(prc_device *d, double *a, double *b, int n, int count, double *sums, long items)
{
    prc_together(
        d, "rounds",
        [=] PRC_DEVICE(prc_grid & grid) {
            double *from = a, *to = b;
            for (int k = 0; k < count; k++) {
                double mine[3] = {0, 0, 0}, total[3];
                grid.each(n, [&](int i) {
                    to[i] = 0.5 * from[i] + 0.25 * (from[(i + 1) % n] + from[(i + n - 1) % n]);
                    mine[0] += to[i];
                    mine[1] += to[i] * to[i];
                    mine[2] += 1;
                });
                grid.sum(mine, 3, total);
                if (grid.first()) {
                    sums[3 * k] = total[0];
                    sums[3 * k + 1] = total[1];
                    sums[3 * k + 2] = total[2];
                }
                /* Every thread goes on with the same total: the result depends on it. */
                grid.each(n, [&](int i) { to[i] += 1e-3 * total[1]; });
                grid.sync();
                double *swapped = from;
                from = to;
                to = swapped;
            }
        },
        items);
}

TEST(together_threads_see_each_others_results_and_the_same_sums)
{
    DEVICE(d);
    const int n = 5003, count = 20;
    double *x = random_numbers(n, 5), *from = random_numbers(n, 5), *to = random_numbers(n, 6), out[60], again[60];
    for (int i = 0; i < n; i++)
        x[i] = from[i] *= 1e-5;
    prc_buffer<double> a = {NULL, 0}, b = {NULL, 0}, sums = {NULL, 0};
    CHECK(prc_reserve(d, &a, (size_t)n) && prc_reserve(d, &b, (size_t)n) && prc_reserve(d, &sums, 60));
    for (int run = 0; run < 2; run++) {
        prc_copy_in(d, a.data, x, (size_t)n * sizeof *x);
        rounds(d, a.data, b.data, n, count, sums.data, n);
        prc_copy_out(d, run ? again : out, sums.data, sizeof out);
    }
    CHECK(prc_device_check(d, &d_error) == PRC_OK);
    CHECK(!memcmp(out, again, sizeof out));
    for (int k = 0; k < count; k++) {
        double sum = 0, square = 0;
        for (int i = 0; i < n; i++) {
            to[i] = 0.5 * from[i] + 0.25 * (from[(i + 1) % n] + from[(i + n - 1) % n]);
            sum += to[i];
            square += to[i] * to[i];
        }
        CHECK_NEAR(out[3 * k], sum, 1e-9 * (fabs(sum) + 1));
        CHECK_NEAR(out[3 * k + 1], square, 1e-9 * (square + 1));
        CHECK(out[3 * k + 2] == n);
        for (int i = 0; i < n; i++)
            to[i] += 1e-3 * square;
        double *swapped = from;
        from = to;
        to = swapped;
    }
    free(x);
    free(from);
    free(to);
    prc_release(d, &a);
    prc_release(d, &b);
    prc_release(d, &sums);
    prc_device_destroy(d);
}

static void count_up(prc_device *d, int *cells, int n)
{
    prc_each(d, "atomics", n, [=] PRC_DEVICE(int i) {
        prc_atomic_add(cells, 1);
        prc_atomic_or(cells + 1, 1 << (i % 20));
        prc_atomic_max(cells + 2, i);
        prc_atomic_min(cells + 3, -i);
    });
}

TEST(integer_atomics_lose_nothing)
{
    DEVICE(d);
    prc_buffer<int> cells = {NULL, 0};
    int out[4];
    CHECK(prc_reserve(d, &cells, 4));
    prc_fill(d, cells.data, 0, sizeof out);
    count_up(d, cells.data, 30000);
    prc_copy_out(d, out, cells.data, sizeof out);
    CHECK(out[0] == 30000 && out[1] == (1 << 20) - 1 && out[2] == 29999 && out[3] == -29999);
    prc_release(d, &cells);
    prc_device_destroy(d);
}

TEST(out_of_memory_says_how_much_was_asked_for_and_what_follows_is_harmless)
{
    DEVICE(d);
    prc_buffer<char> huge = {NULL, 0};
    prc_buffer<int> small = {NULL, 0};
    CHECK(prc_reserve(d, &small, 10));
    CHECK(!prc_reserve(d, &huge, (size_t)1000000000000000) && !huge.data && !huge.capacity);
    prc_error error;
    CHECK(prc_device_check(d, &error) == PRC_ERROR_MEMORY);
    CHECK_TEXT(error.message, "out of memory: 1e+06 GB more were requested");

    /* Nothing is done any more, and numbers read are zeros. */
    int out[10];
    memset(out, 1, sizeof out);
    squares(d, small.data, 10);
    prc_sum(d, NULL, 0, 100, 1, NULL);
    prc_sort(d, (uint32_t *)NULL, NULL, 100, 32);
    prc_scan(d, NULL, NULL, 100);
    CHECK(!prc_reserve(d, &small, 1000));
    prc_copy_in(d, NULL, out, sizeof out);
    prc_copy_out(d, out, NULL, sizeof out);
    CHECK(out[0] == 0 && out[9] == 0);

    /* Memory that was too little leaves the device whole. */
    CHECK(prc_device_forgive(d));
    squares(d, small.data, 10);
    prc_copy_out(d, out, small.data, sizeof out);
    CHECK(out[9] == 81 && prc_device_check(d, &error) == PRC_OK);
    prc_release(d, &small);
    prc_device_destroy(d);
}

TEST(the_first_error_stays)
{
    DEVICE(d);
    prc_device_fail(d, PRC_ERROR_STATE, "the first");
    prc_device_fail(d, PRC_ERROR_DEVICE, "the second");
    prc_error error;
    CHECK(prc_device_check(d, &error) == PRC_ERROR_STATE && error.code == PRC_ERROR_STATE);
    CHECK_TEXT(error.message, "the first");
    prc_device_destroy(d);
}

TEST(a_profile_counts_launches_by_name)
{
    DEVICE(d);
    prc_buffer<int> buffer = {NULL, 0};
    CHECK(prc_reserve(d, &buffer, 40000));
    squares(d, buffer.data, 40000); /* before: not measured */
    prc_device_profile(d, true);
    for (int k = 0; k < 1500; k++) /* more than are kept at a time */
        squares(d, buffer.data, 1000);
    prc_fill(d, buffer.data, 0, 4);
    prc_device_profile(d, false);
    squares(d, buffer.data, 1000);
    bool squares_seen = false, fill_seen = false;
    prc_device_time time;
    double before = INFINITY;
    for (int k = 0; prc_device_profile_next(d, k, &time); k++) {
        CHECK(time.seconds >= 0 && time.seconds <= before);
        before = time.seconds;
        squares_seen = squares_seen || (!strcmp(time.name, "squares") && time.calls == 1500 && time.seconds > 0);
        fill_seen = fill_seen || (!strcmp(time.name, "fill") && time.calls == 1);
    }
    CHECK(squares_seen && fill_seen && prc_device_count(d).launches == 1503);
    prc_release(d, &buffer);
    prc_device_destroy(d);
}

TEST(two_devices_do_not_disturb_each_other)
{
    DEVICE(d);
    prc_device *e = (prc_device *)prc_device_create(KIND, &d_error);
    CHECK(e);
    prc_device_fail(e, PRC_ERROR_DEVICE, "this one is broken");
    prc_buffer<int> buffer = {NULL, 0};
    CHECK(prc_reserve(d, &buffer, 10));
    squares(d, buffer.data, 10);
    int out[10];
    prc_copy_out(d, out, buffer.data, sizeof out);
    CHECK(out[9] == 81 && prc_device_check(d, &d_error) == PRC_OK && prc_device_check(e, NULL) == PRC_ERROR_DEVICE);
    prc_release(d, &buffer);
    prc_device_destroy(e);
    prc_device_destroy(d);
}

TEST(notes_of_one_purpose_are_never_taken_for_those_of_another)
{
    DEVICE(d);
    volatile uint64_t *note = prc_device_note(d);
    uint64_t base = 0;
    CHECK(*note == 0);
    for (int k = 0; k < 100; k++) {
        base = prc_note_begin(d, 8);
        CHECK(*note <= base);
        prc_each(d, "raise", 1, [=] PRC_DEVICE(int) { *note = base + 7; });
        CHECK(prc_note_await(d, base + 7) && *note == base + 7);
    }
    CHECK(prc_note_begin(d, 1) == base + 8);
    prc_device_destroy(d);
}

#ifdef PRC_DEVICE_ON_HOST
static sigjmp_buf back;

static void fell(int signal_number)
{
    (void)signal_number;
    siglongjmp(back, 1);
}

TEST(a_guard_keeps_host_and_device_from_each_others_memory)
{
    const size_t page = 4096;
    int *host = (int *)mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(host != MAP_FAILED);
    prc_device_on_host_guard(host, page);
    prc_error error;
    prc_device *d = (prc_device *)prc_device_create(KIND, &error);
    CHECK(d);
    prc_buffer<int> buffer = {NULL, 0};
    CHECK(prc_reserve(d, &buffer, 10));
    squares(d, buffer.data, 10);
    prc_copy_out(d, host, buffer.data, 10 * sizeof(int)); /* as it should be */
    CHECK(host[9] == 81);
    prc_copy_in(d, buffer.data, host, 10 * sizeof(int));

    struct sigaction act, before;
    memset(&act, 0, sizeof act);
    act.sa_handler = fell;
    act.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &act, &before);
    volatile bool host_fell = true, device_fell = true;
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)buffer.data = 1; /* the host, at the device's */
        host_fell = false;
    }
    if (sigsetjmp(back, 1) == 0) {
        squares(d, host, 10); /* a launch, at the host's */
        device_fell = false;
    }
    sigaction(SIGSEGV, &before, NULL);
    CHECK(host_fell && device_fell);
    prc_launch_end(d); /* the launch that fell: opens the host's memory again */
    prc_release(d, &buffer);
    prc_device_destroy(d);
    prc_device_on_host_guard(NULL, 0);
    munmap(host, page);
}
#endif

TEST_MAIN()
