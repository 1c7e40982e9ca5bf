/* app/draw/overlay.c — rectangles, lines, text and colour maps on top of a picture, in pixels; and the legend, which
 * consists of them.
 *
 * Every item is two triangles with a kind, in one list that is drawn at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "parts.h"

prc_result prc_overlay_begin(prc_draw *draw, const char *font, prc_error *error)
{
    static const struct {
        int count;
        size_t offset;
    } parts[] = {{2, offsetof(prc_overlay_vertex, place)},
                 {2, offsetof(prc_overlay_vertex, at)},
                 {4, offsetof(prc_overlay_vertex, half)},
                 {4, offsetof(prc_overlay_vertex, colour)}};
    unsigned char *empty = PRC_NEW(unsigned char, PRC_ATLAS_SIZE *PRC_ATLAS_SIZE);
    if (!empty)
        return PRC_FAIL_MEMORY(error);
    glGenBuffers(1, &draw->overlay_buffer);
    glGenVertexArrays(1, &draw->overlay_array);
    glBindVertexArray(draw->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, draw->overlay_buffer);
    for (GLuint k = 0; k < 4; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(
            k, parts[k].count, GL_FLOAT, GL_FALSE, sizeof(prc_overlay_vertex),
            (const void *)parts[k].offset); /* NOLINT(performance-no-int-to-ptr): as OpenGL wants it */
    }
    glBindVertexArray(0);
    glGenTextures(1, &draw->atlas);
    glBindTexture(GL_TEXTURE_2D, draw->atlas);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, PRC_ATLAS_SIZE, PRC_ATLAS_SIZE, 0, GL_RED, GL_UNSIGNED_BYTE, empty);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    prc_free(empty);
    draw->font = prc_font_open(font, draw->warning);
    return PRC_OK;
}

void prc_overlay_end(prc_draw *draw)
{
    prc_font_close(draw->font);
    glDeleteTextures(1, &draw->atlas);
    glDeleteBuffers(1, &draw->overlay_buffer);
    glDeleteVertexArrays(1, &draw->overlay_array);
    prc_free(draw->overlay);
    draw->overlay = NULL;
}

/* Six more vertices; NULL when out of memory: what is on top is then left out. */
static prc_overlay_vertex *grow(prc_draw *draw)
{
    if (draw->overlay_count + 6 > draw->overlay_capacity) {
        const int capacity = draw->overlay_capacity ? 2 * draw->overlay_capacity : 600;
        prc_overlay_vertex *grown =
            prc_grow(draw->overlay, (size_t)draw->overlay_count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return NULL;
        draw->overlay = grown;
        draw->overlay_capacity = capacity;
    }
    draw->overlay_count += 6;
    return draw->overlay + draw->overlay_count - 6;
}

/* Corners 0 1 / 2 3, from the upper left, as two triangles. */
static void add_quad(prc_draw *draw, const double places[4][2], const double at[4][2], const double shape[4],
                     const double colour[4])
{
    static const int order[6] = {0, 2, 1, 1, 2, 3};
    prc_overlay_vertex *to = grow(draw);
    for (int k = 0; k < 6 && to; k++, to++) {
        for (int c = 0; c < 2; c++) {
            to->place[c] = (float)places[order[k]][c];
            to->at[c] = (float)at[order[k]][c];
            to->half[c] = (float)shape[c];
        }
        to->corner = (float)shape[2];
        to->kind = (float)shape[3];
        for (int c = 0; c < 4; c++)
            to->colour[c] = (float)colour[c];
    }
}

static void box(double x, double y, double width, double height, double out[4][2])
{
    for (int k = 0; k < 4; k++) {
        out[k][0] = x + (k & 1 ? width : 0);
        out[k][1] = y + (k & 2 ? height : 0);
    }
}

void prc_draw_rectangle(prc_draw *draw, double x, double y, double width, double height, const double colour[4],
                        double corner)
{
    const double shape[4] = {width / 2, height / 2, fmin(corner, fmin(width, height) / 2), 0};
    double places[4][2], at[4][2];
    /* A pixel more on each side, for edges that are smooth. */
    box(x - 1, y - 1, width + 2, height + 2, places);
    box(-width / 2 - 1, -height / 2 - 1, width + 2, height + 2, at);
    add_quad(draw, (const double(*)[2])places, (const double(*)[2])at, shape, colour);
}

void prc_draw_line(prc_draw *draw, double x0, double y0, double x1, double y1, double width, const double colour[4])
{
    const double length = hypot(x1 - x0, y1 - y0), half = width / 2 + 1;
    if (!(length > 0))
        return;
    const double u[2] = {(x1 - x0) / length, (y1 - y0) / length}, shape[4] = {length / 2, width / 2, 0, 0};
    double places[4][2], at[4][2];
    box(-1, -half, length + 2, 2 * half, places);
    box(-length / 2 - 1, -half, length + 2, 2 * half, at);
    for (int k = 0; k < 4; k++) {
        const double along = places[k][0], side = places[k][1];
        places[k][0] = x0 + along * u[0] - side * u[1];
        places[k][1] = y0 + along * u[1] + side * u[0];
    }
    add_quad(draw, (const double(*)[2])places, (const double(*)[2])at, shape, colour);
}

void prc_draw_map(prc_draw *draw, double x, double y, double width, double height, prc_map map, bool upwards)
{
    static const double shape[4] = {0, 0, 0, 2}, white[4] = {1, 1, 1, 1};
    const double row = ((int)map + 0.5) / PRC_MAPS, low = 0.5 / PRC_MAP_SIZE, high = 1 - low;
    double places[4][2], at[4][2];
    box(x, y, width, height, places);
    for (int k = 0; k < 4; k++) {
        at[k][0] = (upwards ? k & 2 : !(k & 1)) ? low : high;
        at[k][1] = row;
    }
    add_quad(draw, (const double(*)[2])places, (const double(*)[2])at, shape, white);
}

/* ---- letters ---- */

/* The next letter of UTF-8 text; what is none is shown as a question mark. */
static unsigned next_letter(const char **text)
{
    const unsigned char *t = (const unsigned char *)*text;
    const int more = t[0] < 0x80 ? 0 : t[0] >= 0xf0 && t[0] < 0xf8 ? 3 : t[0] >= 0xe0 ? 2 : t[0] >= 0xc0 ? 1 : -1;
    unsigned letter = more <= 0 ? t[0] : t[0] & (0x3fu >> more);
    for (int k = 1; k <= more; k++) {
        if ((t[k] & 0xc0) != 0x80) {
            *text += 1;
            return '?';
        }
        letter = letter << 6 | (t[k] & 0x3f);
    }
    *text += more > 0 ? more + 1 : 1;
    return more < 0 ? '?' : letter;
}

static int whole_size(double size)
{
    return size < 4 ? 4 : size > 200 ? 200 : (int)lround(size);
}

double prc_draw_text_width(prc_draw *draw, double size, const char *text)
{
    double width = 0;
    while (*text) {
        const prc_glyph *g = prc_font_glyph(draw->font, draw->atlas, next_letter(&text), whole_size(size));
        width += g ? (double)g->advance : 0;
    }
    return width;
}

double prc_draw_text(prc_draw *draw, double x, double y, double size, prc_draw_align align, const double colour[4],
                     const char *text)
{
    static const double shape[4] = {0, 0, 0, 1};
    const double width = prc_draw_text_width(draw, size, text);
    double pen = round(x - (align == PRC_ALIGN_CENTRE ? width / 2 : align == PRC_ALIGN_RIGHT ? width : 0));
    while (*text) {
        const prc_glyph *g = prc_font_glyph(draw->font, draw->atlas, next_letter(&text), whole_size(size));
        if (!g)
            continue;
        double places[4][2], at[4][2];
        box(round(pen) + g->left, round(y) - g->top, g->width, g->rows, places);
        box((double)g->x / PRC_ATLAS_SIZE, (double)g->y / PRC_ATLAS_SIZE, (double)g->width / PRC_ATLAS_SIZE,
            (double)g->rows / PRC_ATLAS_SIZE, at);
        if (g->width)
            add_quad(draw, (const double(*)[2])places, (const double(*)[2])at, shape, colour);
        pen += (double)g->advance;
    }
    return width;
}

/* ---- the legend ---- */

int prc_draw_ticks(const double range[2], int most, double *ticks, int *digits)
{
    const double width = range[1] - range[0];
    *digits = 0;
    if (!(width > 0) || !isfinite(width) || most < 2)
        return 0;
    /* The smallest of 1, 2, 5 · 10ⁿ that needs no more ticks than wanted. */
    double step = pow(10, floor(log10(width / most)));
    for (int k = 0; floor(range[1] / step + 1e-9) - ceil(range[0] / step - 1e-9) + 1 > most && k < 6; k++)
        step *= k % 3 == 1 ? 2.5 : 2;
    *digits = (int)fmax(0, ceil(-log10(step) - 1e-9));
    int count = 0;
    for (double n = ceil(range[0] / step - 1e-9); n * step <= range[1] + 1e-9 * width && count < most; n++)
        ticks[count++] = n * step + 0.0;
    return count;
}

#define TICKS 9

/* Numbers far from 1 get a power of ten, which is the unit's then. */
static int power_of(const double range[2])
{
    const double largest = fmax(fabs(range[0]), fabs(range[1]));
    const double power = largest > 0 ? floor(log10(largest) + 1e-9) : 0;
    return power >= 5 || power <= -3 ? (int)power : 0;
}

static void superscript(int number, char text[40])
{
    static const char *const small[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[12];
    int length = 0;
    snprintf(plain, sizeof plain, "%d", number);
    for (const char *c = plain; *c; c++)
        length += snprintf(text + length, 40 - (size_t)length, "%s", *c == '-' ? "⁻" : small[*c - '0']);
}

static void name_unit(const char *unit, int power, char text[80])
{
    char exponent[40];
    superscript(power, exponent);
    if (power && unit[0])
        snprintf(text, 80, "10%s %.30s", exponent, unit);
    else if (power)
        snprintf(text, 80, "× 10%s", exponent);
    else
        snprintf(text, 80, "%.30s", unit);
}

double prc_draw_legend(prc_draw *draw, double size, const char *title, const char *unit, prc_map map,
                       const double range[2])
{
    static const double ink[4] = {0.16, 0.17, 0.19, 1}, edge[4] = {0.16, 0.17, 0.19, 0.55};
    const double em = size > 0 ? size : fmax(11, draw->height / 36.0), bar = 0.8 * em;
    const double height = fmin(0.5 * draw->height, 16 * em);
    const int power = power_of(range);
    const double scale = pow(10, power), shown[2] = {range[0] / scale, range[1] / scale};
    double ticks[TICKS], widest = 0;
    int digits;
    char text[80];
    const int count = prc_draw_ticks(shown, 6, ticks, &digits);
    for (int k = 0; k < count; k++) {
        snprintf(text, sizeof text, "%.*f", digits, ticks[k]);
        widest = fmax(widest, prc_draw_text_width(draw, em, text));
    }
    const double x = round(draw->width - 1.6 * em - widest - bar - 0.5 * em), y = round((draw->height - height) / 2);
    prc_draw_map(draw, x, y, bar, height, map, true);
    prc_draw_line(draw, x, y, x + bar, y, 1, edge);
    prc_draw_line(draw, x, y + height, x + bar, y + height, 1, edge);
    prc_draw_line(draw, x, y, x, y + height, 1, edge);
    prc_draw_line(draw, x + bar, y, x + bar, y + height, 1, edge);
    for (int k = 0; k < count; k++) {
        const double at = y + height * (1 - (ticks[k] - shown[0]) / (shown[1] - shown[0]));
        prc_draw_line(draw, x + bar, at, x + bar + 0.3 * em, at, 1, ink);
        snprintf(text, sizeof text, "%.*f", digits, ticks[k]);
        prc_draw_text(draw, x + bar + 0.5 * em, at + 0.36 * em, em, PRC_ALIGN_LEFT, ink, text);
    }
    name_unit(unit, power, text);
    const double right = draw->width - 1.1 * em;
    prc_draw_text(draw, right, y - (text[0] ? 2.0 : 0.8) * em, em, PRC_ALIGN_RIGHT, ink, title);
    prc_draw_text(draw, right, y - 0.8 * em, em, PRC_ALIGN_RIGHT, ink, text);
    return draw->width - fmin(x, right - prc_draw_text_width(draw, em, title)) + em;
}

/* ---- drawing ---- */

void prc_overlay_show(prc_draw *draw)
{
    const GLuint program = draw->programs[PRC_PROGRAM_OVERLAY];
    if (!draw->overlay_count)
        return;
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "size"), (float)draw->width, (float)draw->height);
    glUniform1i(glGetUniformLocation(program, "atlas"), 0);
    glUniform1i(glGetUniformLocation(program, "maps"), 1);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, draw->maps);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, draw->atlas);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(draw->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, draw->overlay_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(sizeof *draw->overlay * (size_t)draw->overlay_count), draw->overlay,
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, draw->overlay_count);
    glDisable(GL_BLEND);
    draw->overlay_count = 0;
}
