/* test_gusts.c — gusts: mean, rms, smoothness, seeds, how they travel, and cloth that flutters in them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "contact_scene.h"

static prc_air_def gusty(double strength, double period, double length)
{
    prc_air_def air = prc_sim_def_default().air;
    air.gusts.strength = strength;
    air.gusts.period = period;
    air.gusts.length = length;
    return air;
}

static const double here[3] = {0.3, 0.4, 0.5};

/* Mean, rms and correlation with the next component, over many periods or places. */
static bool has_statistics(const prc_air_def *air, bool in_space)
{
    const int count = 200000;
    double mean[3] = {0}, square[3] = {0}, mixed[3] = {0};
    for (int k = 0; k < count; k++) {
        double w[3], x[3] = {in_space ? 0.0731 * k : here[0], here[1], here[2]};
        prc_air_velocity(air, x, in_space ? 0.37 : 0.0731 * k, w);
        for (int c = 0; c < 3; c++) {
            const double v = w[c] - air->wind[c];
            mean[c] += v / count;
            square[c] += v * v / count;
            mixed[c] += v * (w[(c + 1) % 3] - air->wind[(c + 1) % 3]) / count;
        }
    }
    const double s = air->gusts.strength;
    for (int c = 0; c < 3; c++)
        if (fabs(mean[c]) > 0.04 * s || fabs(sqrt(square[c]) / s - 1) > 0.02 || fabs(mixed[c]) > 0.03 * s * s) {
            printf("    component %d: mean %g, rms %g, correlation %g\n", c, mean[c], sqrt(square[c]), mixed[c]);
            return false;
        }
    return true;
}

TEST(gusts_have_mean_zero_and_the_rms_that_is_given)
{
    prc_air_def air = gusty(2.5, 0.7, 0);
    air.wind[0] = 4;
    CHECK(has_statistics(&air, false));
    air = gusty(2.5, 0.7, 1.3);
    CHECK(has_statistics(&air, false));
    CHECK(has_statistics(&air, true));
}

TEST(gusts_are_smooth_in_time_and_space)
{
    const prc_air_def air = gusty(1, 1, 1);
    double before[3], last[3] = {0}, now[3];
    prc_air_velocity(&air, here, 0, before);
    for (int k = 1; k < 20000; k++) { /* second differences of a smooth function are small; of a kink, or a jump, not */
        prc_air_velocity(&air, here, 1e-3 * k, now);
        for (int c = 0; c < 3; c++) {
            const double step = now[c] - before[c];
            CHECK(fabs(step) < 1e-2);
            CHECK(k == 1 || fabs(step - last[c]) < 1e-4);
            last[c] = step;
            before[c] = now[c];
        }
    }
    prc_air_velocity(&air, (const double[3]){0.999999, 0, 0}, 0.5, before);
    prc_air_velocity(&air, (const double[3]){1.000001, 0, 0}, 0.5, now);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(now[c], before[c], 1e-5);
}

TEST(the_same_seed_gives_the_same_gusts_on_every_machine_and_others_differ)
{
    prc_air_def air = gusty(1, 1, 1);
    double a[3], b[3];
    air.gusts.seed = 7;
    prc_air_velocity(&air, here, 12.34, a);
    CHECK(a[0] == 0x1.3a2b20d0a541ep-1 && a[1] == -0x1.fcc91ec6a24dp-5 && a[2] == -0x1.e4dae7bbaa656p-1);
    air.gusts.seed = 8;
    prc_air_velocity(&air, here, 12.34, b);
    CHECK(fabs(a[0] - b[0]) > 1e-3 && fabs(a[1] - b[1]) > 1e-3 && fabs(a[2] - b[2]) > 1e-3);
}

TEST(gusts_without_length_are_everywhere_alike_and_others_travel_with_the_wind)
{
    const double away[3] = {3.3, 0.4, -1};
    prc_air_def air = gusty(1, 1, 0);
    double a[3], b[3];
    prc_air_velocity(&air, here, 2.2, a);
    prc_air_velocity(&air, away, 2.2, b);
    CHECK(memcmp(a, b, sizeof a) == 0);
    air = gusty(1, 1e9, 0.5); /* frozen */
    air.wind[0] = 6;
    air.wind[2] = -3;
    prc_air_velocity(&air, here, 1, a);
    prc_air_velocity(&air, away, 1, b);
    CHECK(fabs(a[0] - b[0]) > 1e-3);
    prc_air_velocity(&air, away, 1.5, b); /* here + 0.5 wind */
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(b[c], a[c], 1e-6);
}

TEST(places_out_of_all_bounds_have_the_wind_alone)
{
    prc_air_def air = gusty(1, 1, 1);
    double a[3];
    air.wind[1] = 2;
    prc_air_velocity(&air, (const double[3]){1e300, 0, 0}, 1, a);
    CHECK(a[0] == 0 && a[1] == 2 && a[2] == 0);
    prc_air_velocity(&air, here, INFINITY, a);
    CHECK(a[1] == 2);
}

/* Kinetic energy, averaged over the second second, of a sheet that hangs by its upper edge. */
static double flutter(double strength, double length, int seed, double *x)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    add_sheet(s, 8, 0.4, along_x, 90, 0, 0, 0);
    add_pin(s, 0, 0.199);
    s->def.air.density = 1.2;
    s->def.air.gusts = (prc_gust_def){strength, 0.3, length, seed};
    double sum = 0;
    bool good = scene_start(s);
    for (int k = 0; good && k < 500; k++) {
        good = scene_step(s);
        sum += k >= 250 ? s->report.energy_kinetic / 250 : 0;
    }
    if (good)
        memcpy(x, prc_sim_positions(s->sim), 243 * sizeof *x);
    good = good && s->unconverged == 0;
    scene_free(s);
    return good ? sum : NAN;
}

TEST(cloth_flutters_in_gusts_and_hangs_still_without)
{
    double x[3][243];
    CHECK(flutter(0, 0, 1, x[0]) < 1e-8);
    CHECK(flutter(3, 0, 1, x[0]) > 1e-4);
    CHECK(flutter(3, 0.5, 1, x[0]) > 1e-4);
    CHECK(flutter(3, 0.5, 1, x[1]) > 1e-4);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    CHECK(flutter(3, 0.5, 2, x[2]) > 1e-4);
    CHECK(memcmp(x[0], x[2], sizeof x[0]) != 0);
}

TEST(gusts_that_make_no_sense_are_refused)
{
    scene *s = scene_new();
    prc_error error;
    add_sheet(s, 2, 0.4, along_x, 90, 0, 0, 0);
    s->def.air.gusts.strength = -1;
    CHECK(!prc_sim_create(&s->def, &error));
    CHECK_TEXT(error.message, "air.gusts.strength: -1 is not allowed; expected a number >= 0 m/s");
    s->def.air.gusts.strength = 1;
    s->def.air.gusts.period = 0;
    CHECK(!prc_sim_create(&s->def, &error));
    CHECK_TEXT(error.message, "air.gusts.period: 0 is not allowed");
    scene_free(s);
}

TEST_MAIN()
