/* test/test_thin.c — numbers of few bits: what is left of a vector, over all that a float can be.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#define PRC_REAL_FLOAT 1
#define PRC_LANES 1
#include "kernel/thin.h"

static float random_float(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)((double)*seed / 4294967296.0 * 2 - 1);
}

static prc_vec3 through(prc_vec3 t)
{
    return prc_thin_push_get(prc_thin_push_of(t));
}

static double largest_of(prc_vec3 a)
{
    return fmax(fabs((double)a.x), fmax(fabs((double)a.y), fabs((double)a.z)));
}

static prc_vec3 difference(prc_vec3 a, prc_vec3 b)
{
    return prc_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

TEST(a_push_of_any_size_is_kept_to_17_bits_of_its_largest_component)
{
    unsigned seed = 1;
    for (int exponent = -100; exponent < 127; exponent++)
        for (int k = 0; k < 2000; k++) {
            const float scale = ldexpf(1, exponent);
            prc_vec3 t =
                prc_vec3_make(scale * random_float(&seed), scale * random_float(&seed), scale * random_float(&seed));
            if (k % 4 == 0) /* as large as it can be with this exponent */
                t.y = copysignf(nextafterf(2 * scale, 0), t.y);
            if (k % 4 == 1)
                t.z = copysignf(scale, t.z);
            const prc_vec3 left = through(t);
            CHECK(largest_of(difference(left, t)) <= 7.7e-6 * largest_of(t));
        }
}

TEST(nothing_stays_nothing_and_what_is_too_small_becomes_it)
{
    CHECK(largest_of(through(prc_vec3_make(0, -0.0f, 0))) == 0);
    for (int exponent = -149; exponent < -100; exponent++) {
        const prc_vec3 t = prc_vec3_make(ldexpf(1, exponent), -ldexpf(0.7f, exponent), 0);
        CHECK(largest_of(difference(through(t), t)) <= fmax(8e-6 * largest_of(t), 1e-38));
    }
    const prc_vec3 one = through(prc_vec3_make(0, 3, 0));
    CHECK(one.x == 0 && one.z == 0);
}

TEST(what_is_not_finite_does_not_become_so)
{
    const float bad[] = {INFINITY, -INFINITY, NAN};
    for (int k = 0; k < 9; k++) {
        float t[3] = {1, -2, 3};
        t[k % 3] = bad[k / 3];
        const prc_vec3 left = through(prc_vec3_make(t[0], t[1], t[2]));
        CHECK(!isfinite(left.x) && !isfinite(left.y) && !isfinite(left.z));
    }
}

TEST(sixteen_bits_of_a_bond_are_what_was_put_into_them)
{
    unsigned seed = 3;
    for (int k = 0; k < 100000; k++) {
        const float most = ldexpf(1 + fabsf(random_float(&seed)), k % 60 - 30), unit = most / PRC_THIN_MOST;
        const float a = most * random_float(&seed), b = k % 5 ? most * random_float(&seed) : -most;
        const unsigned two = prc_thin_of(a, unit) | prc_thin_of(b, unit) << 16;
        CHECK(fabsf(unit * prc_thin_half(two, 0) - a) <= 0.5001f * unit + 1e-6f * most);
        CHECK(fabsf(unit * prc_thin_half(two, 1) - b) <= 0.5001f * unit + 1e-6f * most);
    }
    CHECK(prc_thin_half(prc_thin_of(5, 0), 0) == 0); /* a ring without any */
}

TEST_MAIN()
