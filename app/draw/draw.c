/* app/draw/draw.c — see draw.h: targets, passes, the mean of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "parts.h"

#define RADIANS (3.14159265358979323846 / 180)
#define SHADOW_SIZE 1024
#define LIGHTS 2     /* of each kind in a pass */
#define BORDER 2     /* pixels of a shadow map that stay free */
#define FEW_PASSES 6 /* below which the sky is not left to chance alone */

/* ---- targets ---- */

static void release_target(prc_target *t)
{
    glDeleteFramebuffers(1, &t->framebuffer);
    glDeleteTextures(1, &t->colour);
    glDeleteTextures(1, &t->depth);
    memset(t, 0, sizeof *t);
}

static GLuint make_texture(GLint format, GLenum part, GLenum type, int width, int height, GLint filter)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, part, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static prc_result finish_target(prc_target *t, prc_error *error)
{
    glGenFramebuffers(1, &t->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    if (t->colour)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
    else
        glDrawBuffer(GL_NONE);
    if (t->depth)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
    const bool good = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return good ? PRC_OK
                : prc_fail(error, PRC_ERROR_DEVICE, "this OpenGL (%s) cannot draw into a texture",
                           (const char *)glGetString(GL_RENDERER));
}

static int size_of_shadow(const prc_draw *draw, int which)
{
    return which == 0 ? draw->shadow_size : draw->shadow_size / 2; /* the sky is soft anyway */
}

static prc_result make_shadow(prc_target *t, int size, prc_error *error)
{
    t->depth = make_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, LIGHTS * size, size, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return finish_target(t, error);
}

prc_result prc_draw_resize(prc_draw *draw, int width, int height, prc_error *error)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width < 1 || height < 1 || width > most || height > most)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "a picture of %d × %d pixels is too large; at most %d × %d can be drawn", width, height, most,
                        most);
    release_target(&draw->scene);
    release_target(&draw->sum);
    release_target(&draw->own);
    draw->width = width;
    draw->height = height;
    draw->scene.colour = make_texture(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, width, height, GL_NEAREST);
    draw->scene.depth =
        make_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, width, height, GL_NEAREST);
    draw->sum.colour = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, width, height, GL_NEAREST);
    draw->own.colour = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height, GL_NEAREST);
    prc_result result = finish_target(&draw->scene, error);
    if (!result)
        result = finish_target(&draw->sum, error);
    return result ? result : finish_target(&draw->own, error);
}

/* ---- making ---- */

static void make_maps(prc_draw *draw)
{
    float pixels[PRC_MAPS][PRC_MAP_SIZE][3];
    for (int m = 0; m < PRC_MAPS; m++)
        for (int k = 0; k < PRC_MAP_SIZE; k++) {
            double colour[3];
            prc_map_colour((prc_map)m, k / (PRC_MAP_SIZE - 1.0), colour);
            for (int c = 0; c < 3; c++)
                pixels[m][k][c] = (float)prc_colour_linear(colour[c]);
        }
    draw->maps = make_texture(GL_RGB16F, GL_RGB, GL_FLOAT, PRC_MAP_SIZE, PRC_MAPS, GL_LINEAR);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, PRC_MAP_SIZE, PRC_MAPS, GL_RGB, GL_FLOAT, pixels);
}

static prc_result make(prc_draw *draw, const prc_draw_options *options, prc_error *error)
{
    if (epoxy_gl_version() < 33)
        return prc_fail(error, PRC_ERROR_DEVICE, "OpenGL 3.3 is needed, but %s supports %d.%d", draw->renderer,
                        epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    glGenVertexArrays(1, &draw->empty_array);
    make_maps(draw);
    prc_result result = prc_draw_compile(draw, error);
    if (!result)
        result = prc_draw_resize(draw, options->width, options->height, error);
    for (int k = 0; k < 2 && !result; k++)
        result = make_shadow(&draw->shadows[k], size_of_shadow(draw, k), error);
    return result ? result : prc_overlay_begin(draw, options->font, error);
}

prc_draw *prc_draw_create(const prc_draw_options *options, prc_error *error)
{
    prc_draw *draw = PRC_NEW(prc_draw, 1);
    if (!draw) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    draw->shadow_size = options->shadow_size > 0 ? options->shadow_size : SHADOW_SIZE;
    snprintf(draw->renderer, sizeof draw->renderer, "%s", (const char *)glGetString(GL_RENDERER));
    if (!make(draw, options, error))
        return draw;
    prc_draw_destroy(draw);
    return NULL;
}

void prc_draw_destroy(prc_draw *draw)
{
    if (!draw)
        return;
    prc_draw_clear(draw);
    prc_overlay_end(draw);
    release_target(&draw->scene);
    release_target(&draw->sum);
    release_target(&draw->own);
    for (int k = 0; k < 2; k++)
        release_target(&draw->shadows[k]);
    for (int p = 0; p < PRC_PROGRAMS; p++)
        if (draw->programs[p])
            glDeleteProgram(draw->programs[p]);
    glDeleteTextures(1, &draw->maps);
    glDeleteVertexArrays(1, &draw->empty_array);
    prc_free(draw->items);
    prc_free(draw);
}

const char *prc_draw_warning(const prc_draw *draw)
{
    return draw->warning;
}

const char *prc_draw_renderer(const prc_draw *draw)
{
    return draw->renderer;
}

/* ---- a picture ---- */

prc_draw_view prc_draw_view_default(void)
{
    return (prc_draw_view){.camera = {.eye = {1, 1, 2}, .up = {0, 1, 0}, .field_of_view = 30},
                           .up = {0, 1, 0},
                           .light_size = 9,
                           .background = {0.955, 0.957, 0.962},
                           .ground = true,
                           .shadows = true,
                           .range = {0, 1},
                           .passes = 32};
}

/* Light and depth are fitted to a ball around all that is shown. */
static void fit(prc_draw *draw)
{
    const prc_box box = prc_draw_bounds(draw);
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const bool empty = !(box.low[c] <= box.high[c]);
        draw->middle[c] = empty ? 0 : (box.low[c] + box.high[c]) / 2;
        square += empty ? 1 : pow((box.high[c] - box.low[c]) / 2, 2);
    }
    draw->radius = fmax(1.02 * sqrt(square), 1e-6);
}

void prc_draw_begin(prc_draw *draw, const prc_draw_view *view)
{
    draw->view = *view;
    draw->passes = 0;
    double *light = draw->view.light, right[3], up[3], back[3], square = 0;
    prc_camera_axes(&view->camera, right, up, back);
    for (int c = 0; c < 3; c++)
        square += light[c] * light[c];
    if (square <= 0) { /* over the left shoulder, and high */
        double flat[3], along = 0, length = 0;
        for (int c = 0; c < 3; c++)
            along += back[c] * view->up[c];
        for (int c = 0; c < 3; c++) {
            flat[c] = back[c] - along * view->up[c] + 1e-3 * up[c];
            length += flat[c] * flat[c];
        }
        for (int c = 0; c < 3; c++)
            light[c] = 0.55 * flat[c] / sqrt(length) - 0.75 * right[c] + 1.10 * view->up[c];
        square = 0;
        for (int c = 0; c < 3; c++)
            square += light[c] * light[c];
    }
    for (int c = 0; c < 3; c++)
        light[c] /= sqrt(square);
    fit(draw);
}

/* Pairs of numbers without clumps, however many are taken: multiples of powers of 1/x with x³ = x + 1, the golden ratio
 * of two dimensions (M. Roberts); the second pair is from x⁴ = x + 1, that of three. */
static double sample(int k, int dimension)
{
    static const double steps[4] = {0.7548776662466927, 0.5698402909980532, 0.8191725133961645, 0.6710436067037893};
    return fmod(0.5 + (k + 1) * steps[dimension], 1);
}

static void across(const double axis[3], double u[3], double v[3])
{
    const int least = fabs(axis[0]) < fabs(axis[1]) ? (fabs(axis[0]) < fabs(axis[2]) ? 0 : 2)
                                                    : (fabs(axis[1]) < fabs(axis[2]) ? 1 : 2);
    double help[3] = {0, 0, 0}, length = 0;
    help[least] = 1;
    for (int c = 0; c < 3; c++) {
        u[c] = axis[(c + 1) % 3] * help[(c + 2) % 3] - axis[(c + 2) % 3] * help[(c + 1) % 3];
        length += u[c] * u[c];
    }
    for (int c = 0; c < 3; c++)
        u[c] /= sqrt(length);
    for (int c = 0; c < 3; c++)
        v[c] = axis[(c + 1) % 3] * u[(c + 2) % 3] - axis[(c + 2) % 3] * u[(c + 1) % 3];
}

/* A point of the lamp: even over its disc. */
static void lamp_direction(const prc_draw *draw, int light_number, double out[3])
{
    const int k = LIGHTS * draw->passes + light_number;
    const double *light = draw->view.light, angle = 2 * 180 * RADIANS * sample(k, 0);
    const double r = tan(draw->view.light_size * RADIANS) * sqrt(sample(k, 1)) * (draw->view.passes > 1 ? 1 : 0.3);
    double u[3], v[3], square = 0;
    across(light, u, v);
    for (int c = 0; c < 3; c++) {
        out[c] = light[c] + r * (cos(angle) * u[c] + sin(angle) * v[c]);
        square += out[c] * out[c];
    }
    for (int c = 0; c < 3; c++)
        out[c] /= sqrt(square);
}

/* A direction of the sky: even over the half ball above the horizon. */
static void sky_direction(const prc_draw *draw, int light_number, double out[3])
{
    const int k = LIGHTS * draw->passes + light_number;
    const double angle = 2 * 180 * RADIANS * sample(k, 2);
    const double height = draw->view.passes > 1 ? 0.03 + 0.97 * sample(k, 3) : 0.9;
    const double r = sqrt(1 - height * height), *up = draw->view.up;
    double u[3], v[3];
    across(up, u, v);
    for (int c = 0; c < 3; c++)
        out[c] = height * up[c] + r * (cos(angle) * u[c] + sin(angle) * v[c]);
}

/* Straight along the light, around the ball, with a free border of the map. */
static void shadow_matrix(const prc_draw *draw, const double direction[3], int size, float m[16])
{
    const double room = 1 - 2.0 * (BORDER + 1) / size;
    double axes[3][3];
    across(direction, axes[0], axes[1]);
    memcpy(axes[2], direction, sizeof axes[2]);
    for (int row = 0; row < 3; row++) {
        const double scale = (row == 2 ? -1 : room) / draw->radius;
        double shift = 0;
        for (int c = 0; c < 3; c++) {
            m[4 * c + row] = (float)(scale * axes[row][c]);
            shift -= scale * axes[row][c] * draw->middle[c];
        }
        m[12 + row] = (float)shift;
    }
    for (int c = 0; c < 4; c++)
        m[4 * c + 3] = c == 3;
}

/* From there into the texture, where maps lie side by side. */
static void lookup_matrix(const float clip[16], int light, float m[16])
{
    for (int c = 0; c < 4; c++)
        for (int row = 0; row < 4; row++) {
            const float share = row == 0 ? 0.5F / LIGHTS : 0.5F, last = c == 3 ? share : 0;
            m[4 * c + row] = row == 3 ? clip[4 * c + 3] : share * clip[4 * c + row] + last;
        }
    m[12] += (float)light / LIGHTS;
}

static bool casts(const prc_draw_item *item)
{
    return item->placed && !item->def.hidden && item->def.triangle_count && !item->def.unlit && !item->plane;
}

/* All maps of one kind. The border is left out, so that whatever lies beside a map is lit. */
static void draw_shadow(const prc_draw *draw, int which, float clips[LIGHTS][16])
{
    const GLuint program = draw->programs[PRC_PROGRAM_SHADOW];
    const int size = size_of_shadow(draw, which), inner = size - 2 * BORDER;
    glBindFramebuffer(GL_FRAMEBUFFER, draw->shadows[which].framebuffer);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_SCISSOR_TEST);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2, 2);
    glUseProgram(program);
    for (int light = 0; light < LIGHTS; light++) {
        glViewport(light * size, 0, size, size);
        glScissor(light * size + BORDER, BORDER, inner, inner);
        glUniformMatrix4fv(glGetUniformLocation(program, "clip"), 1, GL_FALSE, clips[light]);
        for (int k = 0; k < draw->item_count; k++)
            if (casts(&draw->items[k])) {
                glUniformMatrix4fv(glGetUniformLocation(program, "model"), 1, GL_FALSE, draw->items[k].model);
                prc_draw_item_triangles(&draw->items[k]);
            }
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_DEPTH_CLAMP);
}

/* ---- one pass ---- */

typedef struct pass {
    double directions[2][LIGHTS][3]; /* of the lamp, of the sky */
    float shadow_clip[2][LIGHTS][16], lookup[2][LIGHTS][16], clip[16];
    double shift[2], near, far;
} pass;

static void set_vector(GLuint program, const char *name, const double v[3])
{
    glUniform3f(glGetUniformLocation(program, name), (float)v[0], (float)v[1], (float)v[2]);
}

static void set_number(GLuint program, const char *name, double value)
{
    glUniform1f(glGetUniformLocation(program, name), (float)value);
}

static void set_choice(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

static void set_matrix(GLuint program, const char *name, const float m[16])
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, m);
}

/* Colours become light. */
static void set_colour(GLuint program, const char *name, const double c[3])
{
    const double light[3] = {prc_colour_linear(c[0]), prc_colour_linear(c[1]), prc_colour_linear(c[2])};
    set_vector(program, name, light);
}

static void set_lights(GLuint program, const pass *p)
{
    static const char *const names[2][2] = {{"lamp", "lamp_lit"}, {"sky", "sky_lit"}};
    for (int which = 0; which < 2; which++) {
        float directions[LIGHTS][3];
        for (int k = 0; k < LIGHTS; k++)
            for (int c = 0; c < 3; c++)
                directions[k][c] = (float)p->directions[which][k][c];
        glUniform3fv(glGetUniformLocation(program, names[which][0]), LIGHTS, directions[0]);
        glUniformMatrix4fv(glGetUniformLocation(program, names[which][1]), LIGHTS, GL_FALSE, p->lookup[which][0]);
    }
}

static void use_lit(const prc_draw *draw, GLuint program, const pass *p)
{
    static const double lamp_colour[3] = {1.00, 0.955, 0.885}, sky_colour[3] = {0.345, 0.362, 0.39};
    const bool few = draw->view.passes < FEW_PASSES;
    const float lamp_size = (float)draw->shadow_size, sky_size = lamp_size / 2, wide = 2 * (float)draw->radius;
    glUseProgram(program);
    set_matrix(program, "clip", p->clip);
    set_lights(program, p);
    set_vector(program, "up", draw->view.up);
    set_vector(program, "eye", draw->view.camera.eye);
    set_vector(program, "lamp_colour", lamp_colour);
    set_vector(program, "sky_colour", sky_colour);
    set_colour(program, "background", draw->view.background);
    set_number(program, "sampled", few ? 0.5 : 1);
    set_choice(program, "seed", draw->passes);
    set_number(program, "shadowed", draw->view.shadows);
    glUniform2f(glGetUniformLocation(program, "texels"), 1.3F * wide / lamp_size, 1.5F * wide / sky_size);
    glUniform2f(glGetUniformLocation(program, "spreads"), (few ? 6.0F : 2.5F) / lamp_size,
                (few ? 24.0F : 6.0F) / sky_size);
    set_choice(program, "lamp_map", 0);
    set_choice(program, "sky_map", 1);
    set_choice(program, "maps", 2);
}

/* What a shadow map would show on the ground, and there only: all that casts is drawn once more, laid flat along the
 * light. */
static void cast_shadow(const prc_draw *draw, const pass *p, const double centre[3], double reach)
{
    const GLuint program = draw->programs[PRC_PROGRAM_CAST];
    glUseProgram(program);
    set_matrix(program, "clip", p->clip);
    set_vector(program, "up", draw->view.up);
    set_vector(program, "lamp", p->directions[0][0]);
    set_vector(program, "centre", centre);
    set_number(program, "reach", reach);
    set_colour(program, "background", draw->view.background);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(0, -16); /* above the ground, but below what lies on it */
    for (int k = 0; k < draw->item_count; k++)
        if (casts(&draw->items[k])) {
            set_matrix(program, "model", draw->items[k].model);
            prc_draw_item_triangles(&draw->items[k]);
        }
    glDisable(GL_POLYGON_OFFSET_FILL);
}

static void draw_ground(const prc_draw *draw, const pass *p)
{
    const GLuint program = draw->programs[PRC_PROGRAM_GROUND];
    const double *up = draw->view.up, reach = 8 * draw->radius;
    double x[3], z[3], centre[3], height = 0, eye = 0;
    across(up, x, z);
    for (int c = 0; c < 3; c++) {
        height += draw->middle[c] * up[c];
        eye += draw->view.camera.eye[c] * up[c];
    }
    if (eye <= draw->view.ground_height) /* from below there is none */
        return;
    for (int c = 0; c < 3; c++) {
        centre[c] = draw->middle[c] + (draw->view.ground_height - height) * up[c];
        x[c] *= reach;
        z[c] *= reach;
    }
    use_lit(draw, program, p);
    set_vector(program, "ground_x", x);
    set_vector(program, "ground_z", z);
    set_vector(program, "centre", centre);
    set_number(program, "reach", reach);
    set_number(program, "grid", draw->view.grid ? pow(10, floor(log10(draw->radius) + 0.5)) : 0);
    glBindVertexArray(draw->empty_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    if (!draw->view.shadows && draw->view.cast)
        cast_shadow(draw, p, centre, reach);
}

static void draw_surface(const prc_draw_item *item, GLuint program)
{
    const bool has_back = item->def.back[0] > 0 || item->def.back[1] > 0 || item->def.back[2] > 0;
    const double middle[3] = {(double)item->model[12], (double)item->model[13], (double)item->model[14]};
    set_matrix(program, "model", item->model);
    set_colour(program, "back", item->def.back);
    set_vector(program, "plane_middle", middle);
    set_number(program, "plane_spread", item->plane ? item->spread : 0);
    set_choice(program, "rigid", item->def.rigid);
    set_choice(program, "unlit", item->def.unlit);
    set_choice(program, "has_back", has_back);
    set_choice(program, "valued", item->valued && !item->def.rigid);
    prc_draw_item_triangles(item);
}

static void draw_surfaces(const prc_draw *draw, const pass *p, bool front)
{
    const GLuint program = draw->programs[PRC_PROGRAM_SURFACE];
    use_lit(draw, program, p);
    set_number(program, "map_row", ((int)draw->view.map + 0.5) / PRC_MAPS);
    glUniform2f(glGetUniformLocation(program, "range"), (float)draw->view.range[0], (float)draw->view.range[1]);
    for (int planes = 1; planes >= 0; planes--)
        for (int k = 0; k < draw->item_count; k++) {
            const prc_draw_item *item = &draw->items[k];
            if (item->placed && !item->def.hidden && item->def.triangle_count && item->plane == planes &&
                item->def.front == front)
                draw_surface(item, program);
        }
}

static void draw_lines(const prc_draw *draw, const pass *p, bool front)
{
    static const double ink[3] = {0.08, 0.09, 0.11};
    const GLuint program = draw->programs[PRC_PROGRAM_LINES];
    glUseProgram(program);
    set_matrix(program, "clip", p->clip);
    set_colour(program, "tint", ink);
    glUniform2f(glGetUniformLocation(program, "size"), (float)draw->width, (float)draw->height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (int k = 0; k < draw->item_count; k++) {
        const prc_draw_item *item = &draw->items[k];
        const bool wire = draw->view.wireframe && item->def.triangle_count && !item->def.rigid && !item->def.unlit;
        if (!item->placed || item->def.hidden || item->def.points || item->def.front != front ||
            (item->def.triangle_count && !wire))
            continue;
        set_matrix(program, "model", item->model);
        set_number(program, "tinted", wire);
        set_number(program, "opacity", wire ? 0.45 : 1);
        set_number(program, "width", wire ? 1 : fmax(1, item->def.width * draw->height / 1000));
        set_number(program, "pull", 2e-4 * draw->radius / p->far);
        prc_draw_item_edges(item);
    }
    glDisable(GL_BLEND);
}

static void draw_points(const prc_draw *draw, const pass *p, bool front)
{
    const GLuint program = draw->programs[PRC_PROGRAM_POINTS];
    glUseProgram(program);
    glEnable(GL_PROGRAM_POINT_SIZE);
    set_matrix(program, "clip", p->clip);
    set_number(program, "pixels", draw->height / (2 * tan(draw->view.camera.field_of_view / 2 * RADIANS)));
    for (int k = 0; k < draw->item_count; k++) {
        const prc_draw_item *item = &draw->items[k];
        if (!item->placed || item->def.hidden || !item->def.points || item->def.front != front)
            continue;
        set_matrix(program, "model", item->model);
        set_number(program, "radius", item->def.radius);
        glBindVertexArray(item->vertex_array);
        glDrawArrays(GL_POINTS, 0, item->mark_count);
    }
}

static pass plan(const prc_draw *draw)
{
    pass p = {.shift = {0, 0}};
    double away = 0;
    for (int c = 0; c < 3; c++)
        away += pow(draw->view.camera.eye[c] - draw->middle[c], 2);
    /* The ground goes on behind everything. */
    p.far = sqrt(away) + 9 * draw->radius;
    p.near = fmax(sqrt(away) - 1.5 * draw->radius, 0.002 * p.far);
    for (int c = 0; c < 2 && draw->view.passes > 1; c++)
        p.shift[c] = sample(draw->passes, c + 2) - 0.5;
    for (int k = 0; k < LIGHTS; k++) {
        lamp_direction(draw, k, p.directions[0][k]);
        sky_direction(draw, k, p.directions[1][k]);
        for (int which = 0; which < 2; which++) {
            shadow_matrix(draw, p.directions[which][k], size_of_shadow(draw, which), p.shadow_clip[which][k]);
            lookup_matrix(p.shadow_clip[which][k], k, p.lookup[which][k]);
        }
    }
    prc_camera_matrix(&draw->view.camera, draw->width, draw->height, p.near, p.far, p.shift, p.clip);
    return p;
}

static void draw_scene(const prc_draw *draw, const pass *p)
{
    const double *b = draw->view.background;
    glBindFramebuffer(GL_FRAMEBUFFER, draw->scene.framebuffer);
    glViewport(0, 0, draw->width, draw->height);
    glClearColor((float)prc_colour_linear(b[0]), (float)prc_colour_linear(b[1]), (float)prc_colour_linear(b[2]), 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    const GLuint textures[3] = {draw->shadows[0].depth, draw->shadows[1].depth, draw->maps};
    for (GLuint k = 0; k < 3; k++) {
        glActiveTexture(GL_TEXTURE0 + k);
        glBindTexture(GL_TEXTURE_2D, textures[k]);
    }
    for (int front = 0; front < 2; front++) {
        if (front)
            glClear(GL_DEPTH_BUFFER_BIT);
        draw_surfaces(draw, p, front);
        if (!front && draw->view.ground)
            draw_ground(draw, p);
        draw_lines(draw, p, front);
        draw_points(draw, p, front);
    }
}

static void draw_screen(const prc_draw *draw, prc_draw_program which, GLuint texture)
{
    glUseProgram(draw->programs[which]);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    set_choice(draw->programs[which], "image", 0);
    glBindVertexArray(draw->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void prc_draw_pass(prc_draw *draw, int count)
{
    for (int k = 0; k < count; k++) {
        pass p = plan(draw);
        glDisable(GL_BLEND);
        glDisable(GL_CULL_FACE);
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LEQUAL);
        if (draw->view.shadows) {
            draw_shadow(draw, 0, p.shadow_clip[0]);
            draw_shadow(draw, 1, p.shadow_clip[1]);
        }
        draw_scene(draw, &p);
        glDisable(GL_DEPTH_TEST);
        glBindFramebuffer(GL_FRAMEBUFFER, draw->sum.framebuffer);
        if (draw->passes) {
            glEnable(GL_BLEND);
            glBlendFunc(GL_ONE, GL_ONE);
        }
        draw_screen(draw, PRC_PROGRAM_ADD, draw->scene.colour);
        glDisable(GL_BLEND);
        draw->passes++;
    }
}

int prc_draw_passes(const prc_draw *draw)
{
    return draw->passes;
}

void prc_draw_finish(prc_draw *draw, unsigned framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer == PRC_DRAW_OWN ? draw->own.framebuffer : framebuffer);
    glViewport(0, 0, draw->width, draw->height);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(draw->programs[PRC_PROGRAM_FINISH]);
    set_number(draw->programs[PRC_PROGRAM_FINISH], "share", draw->passes ? 1.0 / draw->passes : 0);
    draw_screen(draw, PRC_PROGRAM_FINISH, draw->sum.colour);
    prc_overlay_show(draw);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void prc_draw_read(prc_draw *draw, unsigned char *pixels)
{
    const size_t row = 3 * (size_t)draw->width;
    glBindFramebuffer(GL_FRAMEBUFFER, draw->own.framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, draw->width, draw->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    /* OpenGL counts rows from below. */
    for (int y = 0; y < draw->height / 2; y++) {
        unsigned char *a = pixels + row * (size_t)y, *b = pixels + row * (size_t)(draw->height - 1 - y);
        for (size_t k = 0; k < row; k++) {
            const unsigned char kept = a[k];
            a[k] = b[k];
            b[k] = kept;
        }
    }
}
