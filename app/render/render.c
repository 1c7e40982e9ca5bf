/* app/render/render.c — `percale render`: pictures, contact sheets and movies of the frames of a run.
 *
 * First the frames are surveyed, only a sample if there are many, so that camera, ground and the range of colours are
 * the same in all pictures; then they are drawn one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/numbered.h"
#include "quantity.h"
#include "render.h"
#include "stop.h"

#define PATH_SIZE 1100
#define SURVEY 30       /* frames that are looked over */
#define VALUES 20000    /* of one frame that count for the range */
#define FASTEST 60      /* pictures per second that a player can be trusted with */
#define MARGIN 0.06     /* of the picture, free at each edge */
#define LEGEND 0.17     /* of the height: how wide a legend is */
#define SHEET_MARGIN 10 /* pixels around the pictures of a sheet */
#define SHEET_GAP 6

typedef struct job {
    prc_render_options options;
    prc_playback *playback;
    int *frames, count; /* to be drawn: numbers in the playback */
    prc_draw_context *context;
    prc_draw *draw;
    prc_show *show;
    int vertex_count, triangle_count; /* of the show */
    prc_render_field own_field;
    const prc_render_field *field; /* NULL: colours of bodies */
    double *values;                /* one per vertex */
    double range[2];
    double *sample; /* values for the range */
    long sample_count;
    prc_draw_view view;
    unsigned char *pixels;
    bool writing; /* what fails now is the output */
} job;

static int status_of(const job *j, prc_result result, const prc_error *error)
{
    if (result)
        fprintf(stderr, "percale: %s\n", error->message);
    if (result == PRC_ERROR_STATE && prc_stop_signal())
        return PRC_EXIT_SIGNAL + prc_stop_signal();
    return !result ? PRC_EXIT_OK : j->writing && result == PRC_ERROR_IO ? PRC_EXIT_WRITE : PRC_EXIT_INPUT;
}

/* ---- which frames ---- */

static int find_frame(const job *j)
{
    const prc_render_options *o = &j->options;
    const int count = prc_playback_count(j->playback);
    int best = count - 1;
    double least = HUGE_VAL;
    for (int k = 0; k < count && o->frame >= 0; k++)
        if (prc_playback_number(j->playback, k) == o->frame)
            return k;
    if (o->frame >= 0)
        return -1;
    for (int k = 0; k < count && !isnan(o->time); k++) {
        const double away = fabs(prc_playback_time(j->playback, k) - o->time);
        if (away < least) {
            least = away;
            best = k;
        }
    }
    return best;
}

static prc_result choose_frames(job *j, prc_error *error)
{
    const prc_render_options *o = &j->options;
    const int count = prc_playback_count(j->playback);
    j->frames = PRC_NEW(int, count);
    if (!j->frames)
        return PRC_FAIL_MEMORY(error);
    if (o->kind == PRC_RENDER_PICTURE) {
        j->frames[0] = find_frame(j);
        j->count = 1;
        if (j->frames[0] < 0)
            return prc_fail(error, PRC_ERROR_INPUT, "%s: has no frame %d; it has frames %d to %d", o->in, o->frame,
                            prc_playback_number(j->playback, 0), prc_playback_number(j->playback, count - 1));
        return PRC_OK;
    }
    for (int k = 0; k < count; k++) {
        const int number = prc_playback_number(j->playback, k);
        if (number >= o->first && number <= o->last && (number - o->first) % o->every == 0)
            j->frames[j->count++] = k;
    }
    if (!j->count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has no frames in this range; it has frames %d to %d", o->in,
                        prc_playback_number(j->playback, 0), prc_playback_number(j->playback, count - 1));
    if (o->kind == PRC_RENDER_SHEET) { /* evenly, from the first to the last */
        const int cells = o->columns * o->rows, shown = j->count < cells ? j->count : cells;
        for (int k = 0; k < shown; k++)
            j->frames[k] = j->frames[shown > 1 ? (int)lround((double)k * (j->count - 1) / (shown - 1)) : j->count - 1];
        j->count = shown;
    }
    return PRC_OK;
}

/* ---- one frame ---- */

/* Where the number of vertices or triangles changes, everything begins anew. */
static prc_result renew_show(job *j, const prc_playback_frame *frame, const char *file, prc_error *error)
{
    const prc_mesh *mesh = &frame->mesh;
    if (j->show && mesh->vertex_count == j->vertex_count && mesh->triangle_count == j->triangle_count)
        return PRC_OK;
    if (!mesh->triangle_count && !frame->extra.edge_count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has no triangles, so there is nothing to draw", file);
    prc_show_destroy(j->show);
    prc_draw_clear(j->draw);
    prc_free(j->values);
    const prc_show_def def = {.vertex_count = mesh->vertex_count,
                              .triangle_count = mesh->triangle_count,
                              .edge_count = frame->extra.edge_count,
                              .triangles = mesh->triangles,
                              .edges = frame->extra.edges,
                              .obstacle = frame->extra.obstacle,
                              .smooth = j->options.smooth ? 4 : 0,
                              .sim = prc_playback_def(j->playback)};
    j->vertex_count = mesh->vertex_count;
    j->triangle_count = mesh->triangle_count;
    j->values = PRC_NEW(double, mesh->vertex_count);
    j->show = j->values ? prc_show_create(j->draw, &def, error) : NULL;
    if (!j->values)
        return PRC_FAIL_MEMORY(error);
    return j->show ? PRC_OK : error->code;
}

static prc_result load(job *j, int k, prc_playback_frame *frame, prc_error *error)
{
    prc_result result = prc_playback_read(j->playback, k, frame, error);
    if (!result)
        result = renew_show(j, frame, prc_playback_file(j->playback, k), error);
    if (!result && j->field)
        result = prc_render_field_values(j->field, frame, prc_playback_file(j->playback, k), j->values, error);
    if (!result)
        result = prc_show_move(j->show, frame->mesh.positions, j->field ? j->values : NULL, frame->time, error);
    if (!result)
        prc_show_place_told(j->show, &frame->colliders);
    return result;
}

/* ---- looking them over ---- */

static void add_sample(job *j)
{
    const long stride = j->vertex_count / VALUES + 1;
    for (long v = 0; j->field && v < j->vertex_count && j->sample_count < (long)SURVEY * VALUES; v += stride)
        j->sample[j->sample_count++] = j->values[v];
}

static prc_result survey(job *j, prc_error *error)
{
    const int looks = j->count < SURVEY ? j->count : SURVEY;
    prc_result result = PRC_OK;
    j->sample = PRC_NEW(double, (size_t)SURVEY *VALUES);
    if (!j->sample)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < looks && !result; k++) {
        prc_playback_frame frame;
        const int at = looks > 1 ? (int)lround((double)k * (j->count - 1) / (looks - 1)) : 0;
        result = load(j, j->frames[at], &frame, error);
        if (!result) {
            prc_show_look(j->show);
            add_sample(j);
        }
        prc_playback_frame_release(&frame);
    }
    if (!result && j->field)
        prc_render_field_range(j->field, j->sample, j->sample_count, j->range);
    if (!isnan(j->options.range[0]))
        memcpy(j->range, j->options.range, sizeof j->range);
    prc_free(j->sample);
    j->sample = NULL;
    return result;
}

static bool has_camera(const job *j)
{
    const prc_sim_def *def = prc_playback_def(j->playback);
    return def && memcmp(def->camera.eye, def->camera.target, sizeof def->camera.eye) != 0;
}

static prc_result aim(job *j, prc_error *error)
{
    const prc_render_options *o = &j->options;
    prc_draw_view *view = &j->view;
    const double *angles = o->camera_count == 2 ? o->camera : NULL;
    /* A legend covers a part at the right: what is fitted goes into the rest. */
    const bool fitted = o->camera_count < 6 && (angles || !has_camera(j));
    const double covered = j->field && !o->no_legend && o->kind != PRC_RENDER_SHEET && fitted ? LEGEND : 0;
    const double aspect = (double)o->width / o->height;
    const prc_result result = prc_show_aim(j->show, angles, aspect - covered, MARGIN, view, error);
    prc_camera_pan(&view->camera, covered / 2, 0);
    if (o->camera_count >= 6) {
        memcpy(view->camera.eye, o->camera, sizeof view->camera.eye);
        memcpy(view->camera.target, o->camera + 3, sizeof view->camera.target);
        memcpy(view->camera.up, view->up, sizeof view->camera.up);
    }
    if (o->camera_count == 7)
        view->camera.field_of_view = o->camera[6];
    if (o->has_background)
        memcpy(view->background, o->background, sizeof view->background);
    if (j->field)
        view->map = j->field->map;
    memcpy(view->range, j->range, sizeof view->range);
    view->ground = view->ground && !o->no_ground;
    view->grid = o->grid;
    view->wireframe = o->wireframe;
    view->shadows = !o->no_shadows;
    view->passes = o->passes;
    return result;
}

/* ---- drawing ---- */

static void add_label(job *j, double time)
{
    static const double ink[4] = {0.16, 0.17, 0.19, 1};
    const double em = fmax(11, j->options.height / 30.0);
    const double span = prc_playback_time(j->playback, prc_playback_count(j->playback) - 1);
    char text[60];
    snprintf(text, sizeof text, "%.*f s", span < 0.1 ? 4 : span < 1 ? 3 : 2, time);
    prc_draw_text(j->draw, 0.9 * em, j->options.height - 0.9 * em, em, PRC_ALIGN_LEFT, ink, text);
}

static prc_result draw_frame(job *j, int k, bool legend, bool label, prc_error *error)
{
    prc_playback_frame frame;
    if (prc_stop_signal())
        return prc_fail(error, PRC_ERROR_STATE, "%s: stopped before it was complete, and not written", j->options.out);
    prc_result result = load(j, k, &frame, error);
    if (!result) {
        prc_draw_begin(j->draw, &j->view);
        prc_draw_pass(j->draw, j->view.passes);
        if (legend && j->field)
            prc_draw_legend(j->draw, 0, j->field->title, j->field->unit, j->field->map, j->range);
        if (label)
            add_label(j, frame.time);
        prc_draw_finish(j->draw, PRC_DRAW_OWN);
        prc_draw_read(j->draw, j->pixels);
    }
    prc_playback_frame_release(&frame);
    return result;
}

static prc_result make_pictures(job *j, prc_bar *bar, prc_error *error)
{
    const prc_render_options *o = &j->options;
    prc_numbered pattern;
    char path[PATH_SIZE];
    prc_result result = PRC_OK;
    const bool many = o->kind == PRC_RENDER_PICTURES && prc_numbered_read(&pattern, o->out);
    for (int k = 0; k < j->count && !result; k++) {
        snprintf(path, sizeof path, "%s", o->out);
        if (many && !prc_numbered_path(&pattern, prc_playback_number(j->playback, j->frames[k]), path, sizeof path))
            return prc_fail(error, PRC_ERROR_INPUT, "%s: the name is too long", o->out);
        result = draw_frame(j, j->frames[k], !o->no_legend, o->label, error);
        if (!result) {
            j->writing = true;
            result = prc_draw_write_png(path, j->pixels, o->width, o->height, error);
            j->writing = result != PRC_OK;
        }
        prc_bar_show(bar, k + 1, j->count);
    }
    return result;
}

static prc_result make_movie(job *j, double rate, prc_bar *bar, prc_error *error)
{
    const prc_render_options *o = &j->options;
    prc_movie *movie = prc_movie_open(o->out, o->width, o->height, rate, error);
    prc_result result = movie ? PRC_OK : error->code;
    j->writing = !movie;
    for (int k = 0; k < j->count && !result; k++) {
        result = draw_frame(j, j->frames[k], !o->no_legend, o->label, error);
        if (!result) {
            result = prc_movie_add(movie, j->pixels, error);
            j->writing = result != PRC_OK;
        }
        prc_bar_show(bar, k + 1, j->count);
    }
    if (result) {
        prc_movie_abandon(movie);
        return result;
    }
    j->writing = true;
    return prc_movie_close(movie, error);
}

/* The legend of a sheet has a column of its own. */
static prc_result add_legend(job *j, unsigned char *sheet, int width, int height, int room, prc_error *error)
{
    const double *b = j->view.background, paper[4] = {b[0], b[1], b[2], 1};
    const size_t row = 3 * (size_t)width;
    unsigned char *pixels = PRC_NEW(unsigned char, 3 * (size_t)room * (size_t)height);
    if (!pixels)
        return PRC_FAIL_MEMORY(error);
    prc_result result = prc_draw_resize(j->draw, room, height, error);
    if (!result) {
        prc_draw_begin(j->draw, &j->view);
        prc_draw_rectangle(j->draw, -2, -2, room + 4, height + 4, paper, 0);
        prc_draw_legend(j->draw, j->options.height / 22.0, j->field->title, j->field->unit, j->field->map, j->range);
        prc_draw_finish(j->draw, PRC_DRAW_OWN);
        prc_draw_read(j->draw, pixels);
        for (int y = 0; y < height; y++)
            memcpy(sheet + (size_t)y * row + row - 3 * (size_t)room, pixels + 3 * (size_t)room * (size_t)y,
                   3 * (size_t)room);
    }
    prc_free(pixels);
    return result;
}

static prc_result fill_sheet(job *j, unsigned char *sheet, int width, prc_bar *bar, prc_error *error)
{
    const prc_render_options *o = &j->options;
    const size_t row = 3 * (size_t)width, own = 3 * (size_t)o->width;
    prc_result result = PRC_OK;
    for (int k = 0; k < j->count && !result; k++) {
        const int x = SHEET_MARGIN + (k % o->columns) * (o->width + SHEET_GAP);
        const int y = SHEET_MARGIN + (k / o->columns) * (o->height + SHEET_GAP);
        result = draw_frame(j, j->frames[k], false, true, error);
        for (int line = 0; line < o->height && !result; line++)
            memcpy(sheet + (size_t)(y + line) * row + 3 * (size_t)x, j->pixels + (size_t)line * own, own);
        prc_bar_show(bar, k + 1, j->count);
    }
    return result;
}

static prc_result make_sheet(job *j, prc_bar *bar, prc_error *error)
{
    const prc_render_options *o = &j->options;
    const bool legend = j->field && !o->no_legend;
    const int rows = (j->count + o->columns - 1) / o->columns, columns = j->count < o->columns ? j->count : o->columns;
    const int room = legend ? (int)fmax(120, 0.52 * o->height) : 0;
    const int width = 2 * SHEET_MARGIN + columns * (o->width + SHEET_GAP) - SHEET_GAP + room;
    const int height = 2 * SHEET_MARGIN + rows * (o->height + SHEET_GAP) - SHEET_GAP;
    unsigned char *sheet = PRC_NEW(unsigned char, 3 * (size_t)width * (size_t)height);
    if (!sheet)
        return PRC_FAIL_MEMORY(error);
    for (size_t k = 0; k < 3 * (size_t)width * (size_t)height; k++)
        sheet[k] = (unsigned char)lround(255 * fmin(1, j->view.background[k % 3]));
    prc_result result = fill_sheet(j, sheet, width, bar, error);
    if (!result && legend)
        result = add_legend(j, sheet, width, height, room, error);
    if (!result) {
        j->writing = true;
        result = prc_draw_write_png(o->out, sheet, width, height, error);
        if (!result && !o->quiet)
            printf("%s: %d × %d pixels, %d pictures\n", o->out, width, height, j->count);
    }
    prc_free(sheet);
    return result;
}

/* ---- all of it ---- */

/* Before anything is drawn: whether the file can be written at all. */
static prc_result check_output(job *j, prc_error *error)
{
    prc_numbered pattern;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", j->options.out);
    if (j->options.kind == PRC_RENDER_PICTURES && prc_numbered_read(&pattern, j->options.out))
        prc_numbered_path(&pattern, 0, path, sizeof path);
    prc_file *file = prc_file_open(path, error);
    prc_file_abandon(file);
    j->writing = !file;
    return file ? PRC_OK : PRC_ERROR_IO;
}

/* As fast as it was, where players can show that. */
static double movie_rate(const job *j)
{
    const double rate = prc_playback_rate(j->playback) / j->options.every;
    return j->options.rate > 0 ? j->options.rate : rate > FASTEST ? FASTEST : rate >= 1 ? rate : 30;
}

static void tell(const job *j, double seconds)
{
    const prc_render_options *o = &j->options;
    char taken[PRC_QUANTITY];
    prc_quantity_duration(seconds, taken);
    if (o->quiet || o->kind == PRC_RENDER_SHEET)
        return;
    if (o->kind == PRC_RENDER_PICTURE)
        printf("%s: frame %d, %.4g s, %d × %d pixels\n", o->out, prc_playback_number(j->playback, j->frames[0]),
               prc_playback_time(j->playback, j->frames[0]), o->width, o->height);
    else if (o->kind == PRC_RENDER_PICTURES)
        printf("%s: %d pictures of %d × %d pixels, in %s\n", o->out, j->count, o->width, o->height, taken);
    else {
        const double rate = movie_rate(j), real = prc_playback_rate(j->playback) / o->every;
        printf("%s: %d pictures of %d × %d pixels, %.4g per second", o->out, j->count, o->width, o->height, rate);
        if (real > 0 && fabs(rate / real - 1) > 0.01)
            printf(" (%.3g times real time)", rate / real);
        printf(", made in %s\n", taken);
    }
}

static prc_result prepare(job *j, prc_error *error)
{
    const prc_render_options *o = &j->options;
    const int shadow = o->width > 1600 ? 2048 : o->width > 800 ? 1024 : 768;
    const prc_draw_options size = {.width = o->width, .height = o->height, .shadow_size = shadow};
    prc_result result = choose_frames(j, error);
    if (!result)
        result = check_output(j, error);
    if (result)
        return result;
    j->context = prc_draw_context_create(error);
    j->draw = j->context ? prc_draw_create(&size, error) : NULL;
    j->pixels = PRC_NEW(unsigned char, 3 * (size_t)o->width * (size_t)o->height);
    if (!j->draw)
        return error->code;
    if (!j->pixels)
        return PRC_FAIL_MEMORY(error);
    if (prc_draw_warning(j->draw)[0] && !o->quiet)
        fprintf(stderr, "percale: %s\n", prc_draw_warning(j->draw));
    j->field = prc_render_field_find(o->colour, &j->own_field);
    j->view = prc_draw_view_default();
    result = survey(j, error);
    return result ? result : aim(j, error);
}

static int render(job *j)
{
    prc_error error = {0};
    const double started = prc_cli_seconds();
    j->playback = prc_playback_open(j->options.in, j->options.scene, &error);
    if (!j->playback)
        return status_of(j, error.code, &error);
    if (prc_playback_note(j->playback)[0] && !j->options.quiet)
        fprintf(stderr, "percale: %s\n", prc_playback_note(j->playback));
    prc_stop_catch(true);
    prc_result result = prepare(j, &error);
    prc_bar bar = prc_bar_begin(j->options.quiet);
    if (!result && j->options.kind == PRC_RENDER_MOVIE)
        result = make_movie(j, movie_rate(j), &bar, &error);
    else if (!result && j->options.kind == PRC_RENDER_SHEET)
        result = make_sheet(j, &bar, &error);
    else if (!result)
        result = make_pictures(j, &bar, &error);
    prc_bar_end(&bar);
    if (!result)
        tell(j, prc_cli_seconds() - started);
    return status_of(j, result, &error);
}

int prc_cli_render(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    if (!j) {
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    int status = prc_render_options_read(&j->options, argc, argv);
    if (!status)
        status = render(j);
    prc_show_destroy(j->show);
    prc_draw_destroy(j->draw);
    prc_draw_context_destroy(j->context);
    prc_playback_close(j->playback);
    prc_free(j->frames);
    prc_free(j->values);
    prc_free(j->pixels);
    free(j);
    return status;
}
