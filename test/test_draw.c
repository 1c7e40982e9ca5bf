/* test/test_draw.c — cameras, colour maps and ticks on paper; and pictures of simple things, where there is OpenGL.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "draw.h"
#include "show.h"

static const prc_camera seen_from_the_side = {
    .eye = {2, 1, 3}, .target = {0.1, -0.2, 0.3}, .up = {0, 1, 0}, .field_of_view = 40};

#ifdef __SANITIZE_ADDRESS__
/* What Mesa's drivers keep until the end is not ours to free. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier): the sanitizer's name */
const char *__lsan_default_suppressions(void)
{
    return "leak:swrast_dri.so\nleak:libgallium\nleak:libEGL_mesa.so\nleak:libGLX_mesa.so\n";
}
#endif

/* ---- cameras ---- */

TEST(what_a_ray_meets_is_projected_to_its_pixel)
{
    for (int k = 0; k < 20; k++) {
        const double x = 13.5 * k, y = 9.25 * k;
        double origin[3], direction[3], point[3], pixel[2], depth;
        prc_camera_ray(&seen_from_the_side, 320, 200, x, y, origin, direction);
        for (int c = 0; c < 3; c++)
            point[c] = origin[c] + (1 + k) * direction[c];
        CHECK(prc_camera_project(&seen_from_the_side, 320, 200, point, pixel, &depth));
        CHECK_NEAR(pixel[0], x, 1e-9);
        CHECK_NEAR(pixel[1], y, 1e-9);
    }
}

TEST(the_matrix_agrees_with_the_projection)
{
    const double point[3] = {0.3, -0.4, 0.9}, shift[2] = {0.25, -0.4};
    double pixel[2], depth, clip[4];
    float m[16];
    prc_camera_matrix(&seen_from_the_side, 320, 200, 0.1, 100, shift, m);
    for (int row = 0; row < 4; row++)
        clip[row] = (double)m[row] * point[0] + (double)m[4 + row] * point[1] + (double)m[8 + row] * point[2] +
                    (double)m[12 + row];
    CHECK(prc_camera_project(&seen_from_the_side, 320, 200, point, pixel, &depth));
    CHECK_NEAR((clip[0] / clip[3] + 1) / 2 * 320, pixel[0] + shift[0], 1e-3);
    CHECK_NEAR((1 - clip[1] / clip[3]) / 2 * 200, pixel[1] + shift[1], 1e-3);
    CHECK(fabs(clip[2]) < clip[3]);
}

TEST(a_fitted_camera_sees_all_points_and_touches_two_edges)
{
    double points[3 * 60], least[2] = {1, 1}, most[2] = {0, 0};
    for (int k = 0; k < 60; k++) {
        points[3 * k] = 3 + cos(0.7 * k) * (1 + k % 5);
        points[3 * k + 1] = sin(1.3 * k) - 2;
        points[3 * k + 2] = 0.2 * (k % 7);
    }
    prc_camera camera = {.eye = {0.5, 0.4, 1}, .up = {0, 1, 0}, .field_of_view = 35};
    prc_camera_fit(&camera, points, 60, 1.5, 0.05);
    for (int k = 0; k < 60; k++) {
        double pixel[2], depth;
        CHECK(prc_camera_project(&camera, 1500, 1000, points + 3 * k, pixel, &depth));
        for (int c = 0; c < 2; c++) {
            least[c] = fmin(least[c], pixel[c] / (c ? 1000 : 1500));
            most[c] = fmax(most[c], pixel[c] / (c ? 1000 : 1500));
        }
    }
    for (int c = 0; c < 2; c++) {
        CHECK(least[c] > 0.05 - 1e-9 && most[c] < 0.95 + 1e-9);
        CHECK_NEAR(least[c], 1 - most[c], 1e-9); /* as much room on one side as on the other */
    }
    CHECK_NEAR(fmin(least[0], least[1]), 0.05, 1e-9);
}

TEST(orbiting_keeps_the_distance_and_stops_before_the_poles)
{
    const double up[3] = {0, 1, 0};
    prc_camera camera = seen_from_the_side;
    const double before = hypot(hypot(1.9, 1.2), 2.7);
    prc_camera_orbit(&camera, up, 75, 500);
    double away[3];
    for (int c = 0; c < 3; c++)
        away[c] = camera.eye[c] - camera.target[c];
    CHECK_NEAR(sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]), before, 1e-12);
    CHECK_NEAR(asin(away[1] / before), 89 * 3.14159265358979 / 180, 1e-9);
}

/* ---- colours ---- */

TEST(oklab_and_back_is_the_same_colour)
{
    const double colours[3][3] = {{0.2, 0.5, 0.9}, {1, 1, 1}, {0.7, 0.1, 0.3}};
    for (int k = 0; k < 3; k++) {
        double lab[3], back[3];
        prc_colour_to_oklab(colours[k], lab);
        prc_colour_from_oklab(lab, back);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(back[c], colours[k][c], 1e-5);
    }
    double white[3];
    prc_colour_to_oklab(colours[1], white);
    CHECK_NEAR(white[0], 1, 1e-5); /* white is 1, without any colour */
    CHECK_NEAR(hypot(white[1], white[2]), 0, 1e-5);
}

/* Lightness after the worst of the three ways of seeing no red, green or blue would still order the values: it is the
 * lightness itself that has to rise. */
TEST(the_sequential_map_gets_lighter_in_even_steps)
{
    double before[3] = {0}, least = 1, most = 0;
    for (int k = 0; k <= 64; k++) {
        double colour[3], lab[3], square = 0;
        prc_map_colour(PRC_MAP_SEQUENTIAL, k / 64.0, colour);
        prc_colour_to_oklab(colour, lab);
        for (int c = 0; c < 3; c++)
            square += (lab[c] - before[c]) * (lab[c] - before[c]);
        if (k) {
            CHECK(lab[0] > before[0] + 0.004);
            least = fmin(least, sqrt(square));
            most = fmax(most, sqrt(square));
        }
        memcpy(before, lab, sizeof before);
    }
    CHECK(most < 1.2 * least);
}

TEST(the_diverging_map_is_lightest_in_the_middle_and_as_dark_at_both_ends)
{
    double low[3], middle[3], high[3], lab[3][3];
    prc_map_colour(PRC_MAP_DIVERGING, 0, low);
    prc_map_colour(PRC_MAP_DIVERGING, 0.5, middle);
    prc_map_colour(PRC_MAP_DIVERGING, 1, high);
    prc_colour_to_oklab(low, lab[0]);
    prc_colour_to_oklab(middle, lab[1]);
    prc_colour_to_oklab(high, lab[2]);
    CHECK(lab[1][0] > lab[0][0] + 0.35);
    CHECK_NEAR(lab[0][0], lab[2][0], 0.02);
    CHECK(hypot(lab[1][1], lab[1][2]) < 0.02);
    CHECK(low[2] > low[0] && high[0] > high[2]);
}

TEST(bodies_next_to_each_other_in_the_list_differ)
{
    for (int k = 0; k < 12; k++) {
        double a[3], b[3], x[3], y[3], square = 0;
        prc_palette_colour(k, a);
        prc_palette_colour(k + 1, b);
        prc_colour_to_oklab(a, x);
        prc_colour_to_oklab(b, y);
        for (int c = 0; c < 3; c++)
            square += (x[c] - y[c]) * (x[c] - y[c]);
        CHECK(sqrt(square) > 0.1);
    }
}

TEST(ticks_are_round_and_within_the_range)
{
    const double ranges[4][2] = {{0, 1}, {-3.7, 12.2}, {1.0003, 1.0009}, {0, 8.1e-5}};
    for (int k = 0; k < 4; k++) {
        double ticks[6];
        int digits;
        const int count = prc_draw_ticks(ranges[k], 6, ticks, &digits);
        CHECK(count >= 3 && count <= 6);
        for (int i = 0; i < count; i++) {
            const double scaled = ticks[i] * pow(10, digits);
            CHECK(ticks[i] >= ranges[k][0] - 1e-12 && ticks[i] <= ranges[k][1] + 1e-12);
            CHECK_NEAR(scaled, round(scaled), 1e-6);
        }
    }
    double ticks[6];
    int digits;
    CHECK(prc_draw_ticks((const double[2]){1, 1}, 6, ticks, &digits) == 0);
}

/* ---- pictures ---- */

#define SIZE 64

static unsigned char pixels[SIZE * SIZE * 3];

static prc_draw *draw;

/* False, and the test skipped, where there is no OpenGL. */
static bool begin(void)
{
    static prc_draw_context *context;
    prc_error error;
    if (!context)
        context = prc_draw_context_create(&error);
    if (!context) {
        printf("    %s\n", error.message);
        prc_test_skipped = true;
        return false;
    }
    prc_draw_destroy(draw);
    const prc_draw_options options = {.width = SIZE, .height = SIZE, .shadow_size = 256};
    draw = prc_draw_create(&options, &error);
    if (!draw)
        printf("    %s\n", error.message);
    return draw != NULL;
}

static void take(const prc_draw_view *view)
{
    prc_draw_begin(draw, view);
    prc_draw_pass(draw, view->passes);
    prc_draw_finish(draw, PRC_DRAW_OWN);
    prc_draw_read(draw, pixels);
}

static int red(int x, int y)
{
    return pixels[3 * (SIZE * y + x)];
}

static int blue(int x, int y)
{
    return pixels[3 * (SIZE * y + x) + 2];
}

static prc_draw_view front_view(void)
{
    prc_draw_view view = prc_draw_view_default();
    view.camera = (prc_camera){.eye = {0, 0, 4}, .up = {0, 1, 0}, .field_of_view = 30};
    view.ground = false;
    view.passes = 8;
    return view;
}

TEST(every_collider_is_drawn_as_large_as_it_is)
{
    static const prc_shape_kind kinds[] = {PRC_SHAPE_SPHERE, PRC_SHAPE_CAPSULE, PRC_SHAPE_CYLINDER, PRC_SHAPE_BOX,
                                           PRC_SHAPE_CONE};
    /* Half of what is to be seen of each: to the right at the middle, upwards. */
    static const double half[][2] = {{0.4, 0.4}, {0.4, 0.8}, {0.4, 0.4}, {0.4, 0.3}, {0.3, 0.4}};
    for (int k = 0; k < 5; k++) {
        prc_error error;
        if (!begin())
            return;
        prc_collider_def def = prc_collider_def_default();
        def.shape = kinds[k];
        def.radius = 0.4;
        def.radius_top = 0.2;
        def.length = 0.8;
        memcpy(def.size, (double[3]){0.8, 0.6, 0.8}, sizeof def.size);
        CHECK(prc_draw_add_collider(draw, &def, 9, &error) == 0);
        prc_draw_view view = front_view();
        view.background[0] = 1;
        take(&view);
        for (int side = 0; side < 2; side++) { /* just inside, and just outside */
            const double inside[3] = {side ? 0 : 0.85 * half[k][0], side ? 0.85 * half[k][1] : 0, 0};
            const double outside[3] = {side ? 0 : 1.3 * half[k][0], side ? 1.3 * half[k][1] : 0, 0};
            double in[2], out[2], depth;
            prc_camera_project(&view.camera, SIZE, SIZE, inside, in, &depth);
            prc_camera_project(&view.camera, SIZE, SIZE, outside, out, &depth);
            CHECK(red((int)in[0], (int)in[1]) < 240);
            CHECK(red((int)out[0], (int)out[1]) == 255);
        }
    }
}

TEST(a_surface_shows_its_values_with_the_map)
{
    static const double positions[12] = {-0.6, -0.6, 0, 0.6, -0.6, 0, -0.6, 0.6, 0, 0.6, 0.6, 0};
    static const double values[4] = {0, 10, 0, 10};
    static const int triangles[6] = {0, 1, 2, 1, 3, 2};
    prc_error error;
    if (!begin())
        return;
    const prc_draw_item_def def = {
        .vertex_count = 4, .triangle_count = 2, .triangles = triangles, .colour = {0.5, 0.5, 0.5}};
    CHECK(prc_draw_add(draw, &def, &error) == 0);
    CHECK(prc_draw_move(draw, 0, positions, values, &error) == PRC_OK);
    prc_draw_view view = front_view();
    view.range[1] = 10;
    take(&view);
    CHECK(red(22, 32) < blue(22, 32)); /* dark blue */
    CHECK(red(42, 32) > red(22, 32) + 60);
    CHECK(red(48, 32) > blue(48, 32) + 40); /* yellow */
    CHECK(prc_draw_move(draw, 0, positions, NULL, &error) == PRC_OK);
    take(&view);
    CHECK(abs(red(22, 32) - red(42, 32)) < 12); /* one grey */
}

/* A red sheet of half the width of the picture, upright or flat at a height. */
static bool add_sheet(bool flat, double at)
{
    static const int triangles[6] = {0, 1, 2, 1, 3, 2};
    double positions[12];
    for (int k = 0; k < 4; k++) {
        positions[3 * k] = k & 1 ? 0.3 : -0.3;
        positions[3 * k + 1] = flat ? at : k & 2 ? 0.3 : -0.3;
        positions[3 * k + 2] = flat ? (k & 2 ? -0.3 : 0.3) : at;
    }
    const prc_draw_item_def def = {
        .vertex_count = 4, .triangle_count = 2, .triangles = triangles, .colour = {0.9, 0.1, 0.1}};
    const int item = prc_draw_add(draw, &def, NULL);
    return item >= 0 && prc_draw_move(draw, item, positions, NULL, NULL) == PRC_OK;
}

/* A millimetre in front of a box it is seen, a millimetre inside it is not: pictures do not flatter. */
TEST(colliders_are_drawn_where_they_are)
{
    for (int inside = 0; inside < 2; inside++) {
        prc_error error;
        if (!begin())
            return;
        prc_collider_def box = prc_collider_def_default();
        box.shape = PRC_SHAPE_BOX;
        memcpy(box.size, (double[3]){0.8, 0.8, 0.8}, sizeof box.size);
        CHECK(prc_draw_add_collider(draw, &box, 9, &error) == 0 && add_sheet(false, inside ? 0.399 : 0.401));
        const prc_draw_view view = front_view();
        take(&view);
        CHECK((red(32, 32) > blue(32, 32) + 60) == !inside);
    }
}

/* Few balls are fine ones and many coarse ones, all of the size that they have, in the colours of their values. */
TEST(particles_are_balls_as_large_as_they_are)
{
    static const int counts[] = {2, 101, 1601, 8001};
    for (int k = 0; k < 4; k++) {
        const int count = counts[k];
        if (!begin())
            return;
        double *positions = calloc(3 * (size_t)count, sizeof *positions),
               *radius = calloc((size_t)count, sizeof *radius);
        double *values = calloc((size_t)count, sizeof *values);
        CHECK(positions && radius && values);
        for (int i = 0; i < count; i++) { /* all but the first in a second one, of half the size */
            positions[3 * i] = i ? 0.45 : -0.3;
            radius[i] = i ? 0.2 : 0.4;
            values[i] = i ? 10 : 0;
        }
        prc_error error;
        const prc_show_def def = {.vertex_count = count, .radius = radius};
        prc_show *show = prc_show_create(draw, &def, &error);
        CHECK(show && prc_show_move(show, positions, values, 0, &error) == PRC_OK);
        prc_draw_view view = front_view();
        view.background[0] = 1;
        view.passes = 2;
        view.range[1] = 10;
        view.ground = false;
        view.shadows = false;
        take(&view);
        for (int side = 0; side < 4; side++) { /* to the left and up, just inside and just outside */
            const bool first = side & 1, inside = side & 2;
            const double r = (first ? 0.4 : 0.2) * (inside ? 0.85 : 1.15);
            const double at[3] = {first ? -0.3 - r : 0.45, first ? 0 : r, 0};
            double pixel[2], depth;
            prc_camera_project(&view.camera, SIZE, SIZE, at, pixel, &depth);
            CHECK((red((int)pixel[0], (int)pixel[1]) < 250) == inside);
        }
        double at[2], depth;
        prc_camera_project(&view.camera, SIZE, SIZE, positions, at, &depth);
        CHECK(red((int)at[0], (int)at[1]) < blue((int)at[0], (int)at[1])); /* dark blue */
        prc_camera_project(&view.camera, SIZE, SIZE, positions + 3, at, &depth);
        CHECK(red((int)at[0], (int)at[1]) > blue((int)at[0], (int)at[1])); /* yellow */
        prc_show_destroy(show);
        free(positions);
        free(radius);
        free(values);
    }
}

/* While a slow renderer moves, the floor is still seen by what falls on it. */
TEST(without_shadow_maps_the_lamp_casts_on_the_ground)
{
    int shade[2];
    for (int cast = 0; cast < 2; cast++) {
        if (!begin())
            return;
        CHECK(add_sheet(true, 0.3));
        prc_draw_view view = prc_draw_view_default();
        view.camera = (prc_camera){.eye = {0, 2.5, 4}, .up = {0, 1, 0}, .field_of_view = 30};
        view.light[1] = 1;
        view.shadows = false;
        view.cast = cast;
        view.passes = 1;
        const double below[3] = {0, 0, 0.2}, beside[3] = {0.6, 0, 0.2};
        double at[2], depth;
        take(&view);
        prc_camera_project(&view.camera, SIZE, SIZE, below, at, &depth);
        shade[cast] = red((int)at[0], (int)at[1]);
        prc_camera_project(&view.camera, SIZE, SIZE, beside, at, &depth);
        CHECK(red((int)at[0], (int)at[1]) > 230);
    }
    CHECK(shade[0] > 230 && shade[1] < 200);
}

TEST(a_triangle_that_names_a_vertex_that_is_not_there_is_refused)
{
    static const int triangles[3] = {0, 1, 3};
    prc_error error;
    if (!begin())
        return;
    const prc_draw_item_def def = {.vertex_count = 3, .triangle_count = 1, .triangles = triangles};
    CHECK(prc_draw_add(draw, &def, &error) == -1);
    CHECK(strstr(error.message, "vertex 3") != NULL);
    CHECK(prc_draw_item_count(draw) == 0);
}

TEST(rectangles_and_letters_are_where_they_are_put)
{
    static const double black[4] = {0, 0, 0, 1};
    if (!begin())
        return;
    prc_draw_view view = front_view();
    prc_draw_begin(draw, &view);
    prc_draw_pass(draw, 1);
    prc_draw_rectangle(draw, 10, 20, 12, 6, black, 0);
    const double width = prc_draw_text(draw, 4, 60, 20, PRC_ALIGN_LEFT, black, "I²");
    prc_draw_finish(draw, PRC_DRAW_OWN);
    prc_draw_read(draw, pixels);
    CHECK(red(10, 20) < 5 && red(21, 25) < 5);
    CHECK(red(9, 20) > 230 && red(22, 25) > 230 && red(15, 19) > 230 && red(15, 26) > 230);
    if (prc_draw_warning(draw)[0])
        return;
    int dark = 0;
    for (int y = 40; y < 62; y++)
        for (int x = 0; x < SIZE; x++)
            dark += red(x, y) < 128;
    CHECK(width > 6 && width < 30);
    CHECK(dark > 15 && dark < 200);
}

TEST_MAIN()
