/* contact/rigid.c — obstacles that wait as a whole: kernel/rigid.h, for all of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/rigid.h"

#include "base/error.h"
#include "base/memory.h"
#include "contact/contact.h"
#include "kernel/contact_move.h"

#include <math.h>
#include <string.h>

#define FIT_ROUNDS 60   /* of finding a pose for given positions */
#define FIT_REST 1e-3   /* weight of the pose before, where points say nothing */
#define FIT_NEAR 1e-9   /* in radii: positions that are farther from any pose are those of no rigid thing */
#define POLAR_ROUNDS 50 /* of Newton's method for a rotation */

/* --- making --- */

prc_result prc_rigids_create(prc_rigids *rigids, const prc_model *model, prc_error *error)
{
    const int vertices = model->vertex_count - model->elastic_count;
    *rigids = (prc_rigids){.count = model->obstacle_count, .first_body = model->body_count - model->obstacle_count};
    rigids->of = PRC_NEW(prc_rigid, rigids->count);
    rigids->own = PRC_NEW(double, 3 * (size_t)vertices);
    if (!rigids->of || !rigids->own)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < rigids->count; k++) {
        const prc_body *body = &model->bodies[rigids->first_body + k];
        rigids->of[k].first = body->first_vertex;
        rigids->of[k].count = body->vertex_count;
    }
    return PRC_OK;
}

void prc_rigids_release(prc_rigids *rigids)
{
    prc_free(rigids->of);
    prc_free(rigids->own);
    *rigids = (prc_rigids){0};
}

void prc_rigids_shape(prc_rigids *rigids, const prc_model *model, int k, const double *points, const prc_pose *pose)
{
    prc_rigid *r = &rigids->of[k];
    double *own = rigids->own + 3L * (r->first - model->elastic_count);
    r->whole = r->shaped = r->count > 0;
    for (int j = 0; j < 3 * r->count; j++)
        r->middle[j % 3] += points[j] / r->count;
    for (int j = 0; j < r->count; j++) {
        for (int c = 0; c < 3; c++)
            own[3 * j + c] = points[3 * j + c] - r->middle[c];
        r->radius = fmax(r->radius, sqrt(prc_dot3(own + 3L * j, own + 3L * j)));
    }
    r->now = r->before = r->from = r->to = r->at = prc_rigid_from_motion(r, pose);
    r->share = r->trial = 1;
}

prc_pose prc_rigid_from_motion(const prc_rigid *r, const prc_pose *motion)
{
    prc_pose pose = *motion;
    prc_pose_apply(motion, r->middle, pose.shift);
    return pose;
}

/* --- a pose for positions --- */

static void invert_transposed(const double m[3][3], double out[3][3])
{
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
            determinant += i == 0 ? m[0][j] * out[0][j] : 0;
        }
    for (int i = 0; i < 9; i++)
        out[i / 3][i % 3] /= determinant;
}

/* The rotation next to a matrix of positive determinant. */
static void nearest_rotation(double m[3][3])
{
    for (int round = 0; round < POLAR_ROUNDS; round++) {
        double inverse[3][3], change = 0;
        invert_transposed((const double(*)[3])m, inverse);
        for (int k = 0; k < 9; k++) {
            const double next = 0.5 * (m[k / 3][k % 3] + inverse[k / 3][k % 3]);
            change = fmax(change, fabs(next - m[k / 3][k % 3]));
            m[k / 3][k % 3] = next;
        }
        if (!(change > 1e-16))
            return;
    }
}

/* The turn that takes own points to their places about `middle`, as well as can be: what the points leave open (those
 * of a needle do not tell how it is turned about itself) is as it was in `turn`. */
static void fit_turn(const double *own, const double *places, int stride, int count, const double middle[3],
                     double turn[3][3])
{
    double spread[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, size = 0;
    for (int j = 0; j < count; j++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                spread[a][b] += (places[(long)a * stride + j] - middle[a]) * own[3 * j + b];
    for (int k = 0; k < 9; k++)
        size = fmax(size, fabs(spread[k / 3][k % 3]));
    for (int round = 0; round < FIT_ROUNDS && size > 0; round++) {
        for (int k = 0; k < 9; k++)
            turn[k / 3][k % 3] = spread[k / 3][k % 3] / size + FIT_REST * turn[k / 3][k % 3];
        nearest_rotation(turn);
    }
}

/* How far positions are from where a pose has the points, at most, m. */
static double farthest_off(const prc_rigid *r, const prc_pose *pose, const double *own, const double *places,
                           int stride)
{
    double most = 0;
    for (int j = 0; j < r->count; j++) {
        double at[3], square = 0;
        prc_pose_apply(pose, own + 3L * j, at);
        for (int c = 0; c < 3; c++)
            square += (places[(long)c * stride + j] - at[c]) * (places[(long)c * stride + j] - at[c]);
        most = fmax(most, square);
    }
    return sqrt(most);
}

void prc_rigids_find(prc_rigids *rigids, const prc_model *model, const double *x, int stride)
{
    for (int k = 0; k < rigids->count; k++) {
        prc_rigid *r = &rigids->of[k];
        const double *own = rigids->own + 3L * (r->first - model->elastic_count), *places = x + r->first;
        if (!r->shaped)
            continue;
        double size = r->radius;
        for (int c = 0; c < 3; c++)
            size = fmax(size, fabs(places[(long)c * stride]));
        const double near = FIT_NEAR * size;
        prc_pose pose = r->now;
        if (!(farthest_off(r, &pose, own, places, stride) <= near)) {
            memset(pose.shift, 0, sizeof pose.shift);
            for (int j = 0; j < r->count; j++)
                for (int c = 0; c < 3; c++)
                    pose.shift[c] += places[(long)c * stride + j] / r->count;
            fit_turn(own, places, stride, r->count, pose.shift, pose.turn);
        }
        r->whole = farthest_off(r, &pose, own, places, stride) <= near;
        if (r->whole)
            r->now = pose;
        r->share = r->trial = 1;
    }
}

/* --- in a step --- */

/* Between steps they are where they are: nothing of a move that was tried stays. */
static void forget_trials(prc_rigids *rigids)
{
    for (int k = 0; k < rigids->count; k++)
        rigids->of[k].trial = rigids->of[k].share;
    rigids->move = false;
}

void prc_contact_rigids_mark(prc_contact_set *set)
{
    for (int k = 0; k < set->rigids.count; k++)
        set->rigids.of[k].before = set->rigids.of[k].now;
}

void prc_contact_rigids_give_up(prc_contact_set *set)
{
    for (int k = 0; k < set->rigids.count; k++)
        set->rigids.of[k].now = set->rigids.of[k].before;
    forget_trials(&set->rigids);
}

void prc_contact_rigid_aim(prc_contact_set *set, int k, const prc_pose *motion)
{
    prc_rigid *r = &set->rigids.of[k];
    double turn[3][3];
    if (!r->whole)
        return;
    r->from = r->now;
    r->to = prc_rigid_from_motion(r, motion);
    for (int i = 0; i < 3; i++) {
        r->move[i] = r->to.shift[i] - r->from.shift[i];
        for (int j = 0; j < 3; j++)
            turn[i][j] = prc_dot3(r->to.turn[i], r->from.turn[j]);
    }
    memset(r->spin, 0, sizeof r->spin);
    if (memcmp(r->to.turn, r->from.turn, sizeof r->to.turn) != 0)
        prc_rotation_vector((const double(*)[3])turn, r->spin);
    const double one = 1;
    memcpy(&r->least, &one, sizeof r->least);
    r->marked = r->failed = r->held = r->yields = 0;
    r->asked = 1;
    const bool rests = prc_dot3(r->move, r->move) + prc_dot3(r->spin, r->spin) == 0;
    r->share = rests ? 1 : 0;
    prc_rigid_try(r, 1);
    set->rigids.move = set->rigids.move || !rests;
}

/* The moves p that the trials are. */
static void put_moves(const prc_contact_set *set, const double *y, double *p)
{
    const prc_contact_view view = prc_contact_see(set);
    for (int i = view.elastic_count; i < view.vertex_count; i++)
        prc_rigid_put_move(&view, i, y, p);
}

void prc_contact_rigids_ask(prc_contact_set *set, double longest, const double *y, double *p)
{
    if (!set->rigids.move)
        return;
    if (set->table) {
        set->table->ask_rigids(set, longest, 0, y, p);
        return;
    }
    for (int k = 0; k < set->rigids.count; k++)
        prc_rigid_ask(&set->rigids.of[k], longest);
    put_moves(set, y, p);
}

void prc_contact_rigids_ask_less(prc_contact_set *set, double part, const double *y, double *p)
{
    if (!set->rigids.move)
        return;
    if (set->table) {
        set->table->ask_rigids(set, 0, part, y, p);
        return;
    }
    for (int k = 0; k < set->rigids.count; k++)
        prc_rigid_ask_less(&set->rigids.of[k], part);
    put_moves(set, y, p);
}

void prc_contact_rigids_accept(prc_contact_set *set)
{
    if (!set->rigids.move)
        return;
    if (set->table)
        set->table->accept_rigids(set, false);
    else
        for (int k = 0; k < set->rigids.count; k++)
            set->rigids.of[k].share = set->rigids.of[k].asked = set->rigids.of[k].trial;
}

void prc_contact_rigids_keep(prc_contact_set *set)
{
    for (int k = 0; k < set->rigids.count; k++)
        set->rigids.of[k].kept = set->rigids.of[k].share;
}

void prc_contact_rigids_go_back(prc_contact_set *set)
{
    for (int k = 0; k < set->rigids.count; k++) {
        prc_rigid *r = &set->rigids.of[k];
        r->share = r->asked = r->trial = r->kept;
    }
}

void prc_contact_rigids_settle(prc_contact_set *set)
{
    if (!set->rigids.move)
        return;
    if (set->table)
        set->table->accept_rigids(set, true);
    for (int k = 0; k < set->rigids.count; k++) {
        prc_rigid *r = &set->rigids.of[k];
        if (r->whole)
            r->now = prc_rigid_pose(r, r->share);
    }
    forget_trials(&set->rigids);
}

/* --- moves --- */

/* Puts the vertices of one where the trial says; whether each is then on its side. */
static bool place(const prc_contact_view *view, const prc_rigid *r, const double *y, double *out)
{
    bool inside = true;
    for (int i = r->first; i < r->first + r->count; i++) {
        double from[3], to[3];
        prc_rigid_place(view, i, y, out);
        prc_take3(y, view->stride, i, from);
        prc_take3(out, view->stride, i, to);
        inside = inside && prc_vertex_inside(view, i, from, to);
    }
    return inside;
}

/* Less far than it has tried. False where that takes a vertex out of its ball, which no search has covered: one that
 * turns does not go along the straight way that balls are made for. */
static bool yield(const prc_contact_view *view, prc_rigid *r, const double *y, double *out)
{
    bool inside = true;
    prc_rigid_shorten(r, PRC_RIGID_YIELD);
    for (int i = r->first; i < r->first + r->count; i++) {
        prc_rigid_place(view, i, y, out);
        inside = inside && prc_vertex_in_ball(view, i, out);
    }
    for (int i = r->first; inside && i < r->first + r->count; i++)
        view->marked[i] = 0;
    return inside;
}

/* As far as all of its vertices may go on their own sides. */
static void move_static(const prc_contact_view *view, prc_rigid *r, const double *y, const double *p, double *out)
{
    double least = 1;
    for (int i = r->first; i < r->first + r->count; i++) {
        double from[3], step[3];
        prc_take3(y, view->stride, i, from);
        prc_take3(p, view->stride, i, step);
        least = prc_smaller(least, prc_vertex_admissible(view, i, from, step));
        view->held[i] = 1;
    }
    prc_rigid_try(r, r->asked); /* that is what p is */
    prc_rigid_shorten(r, least);
    for (int halvings = 0; !place(view, r, y, out) && halvings <= PRC_RIGID_HALVINGS; halvings++)
        prc_rigid_shorten(r, halvings < PRC_RIGID_HALVINGS ? 0.5 : 0);
}

void prc_contact_rigids_hold(prc_contact_set *set, const double *y, const double *p, double *out)
{
    const prc_contact_view view = prc_contact_see(set);
    for (int k = 0; set->rigids.move && k < set->rigids.count; k++) {
        prc_rigid *r = &set->rigids.of[k];
        bool marked = false;
        for (int i = r->first; prc_rigid_moves(r) && i < r->first + r->count; i++)
            marked = marked || (view.marked[i] && !view.held[i]);
        if (marked && !(r->yields++ < PRC_RIGID_YIELDS && yield(&view, r, y, out)))
            move_static(&view, r, y, p, out);
    }
}

void prc_contact_rigids_hold_back(prc_contact_set *set, double *next)
{
    for (int k = 0; set->rigids.move && k < set->rigids.count; k++) {
        prc_rigid *r = &set->rigids.of[k];
        double least = 1;
        for (int i = r->first; prc_rigid_moves(r) && i < r->first + r->count; i++)
            least = prc_smaller(least, next[i]);
        for (int i = r->first; prc_rigid_moves(r) && i < r->first + r->count; i++)
            next[i] = least;
        prc_rigid_shorten(r, least);
    }
}
