/* test/test_extend.c — contacts that are added when some vertices leave their balls: nothing that could be felt is
 * missing, found by trying all pairs with the checker's distances, which share no code with the solver's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/distance.h"
#include "contact_scene.h"
#include "harness.h"

/* Three sheets that lie on each other and on a sphere, the middle one finer than its thickness. */
static scene *press(int threads)
{
    scene *s = scene_new();
    s->def.threads = threads;
    s->def.precision = PRC_PRECISION_DOUBLE;
    s->def.solver.max_iterations = 40;
    lay_sheet(s, 7, 0.25, 0, 0.0055);
    lay_sheet(s, 16, 0.25, 17, 0.0105);
    lay_sheet(s, 8, 0.25, 34, 0.0155);
    prc_collider_def *ball = add_collider(s, PRC_SHAPE_SPHERE);
    ball->radius = 0.05;
    ball->center[1] = -0.0475;
    if (scene_start(s))
        for (int k = 0; k < 12; k++)
            scene_step(s);
    return s;
}

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

/* A step in progress. */
typedef struct moving {
    prc_contact_set *set;
    double *y, *p, *out;
    unsigned seed;
} moving;

static bool begin(moving *m, scene *s)
{
    const size_t bytes = 3 * sizeof(double) * (size_t)s->sim->contact.stride;
    m->set = &s->sim->contact;
    m->y = calloc(1, bytes);
    m->p = calloc(1, bytes);
    m->out = calloc(1, bytes);
    m->seed = 7;
    memcpy(m->y, s->sim->view.field[PRC_FIELD_position], bytes);
    return prc_contact_detect(m->set, m->y, NULL, &s->error) == PRC_OK;
}

static void end(moving *m)
{
    free(m->y);
    free(m->p);
    free(m->out);
}

/* All wander within their balls; about one in `every` is then to go far. Returns how many leave. */
static int aim(moving *m, int every, double far)
{
    const prc_contact_view view = prc_contact_see(m->set);
    int leaving = 0;
    for (int i = 0; i < view.vertex_count; i++) {
        const bool goes = noise(&m->seed) > 1 - 2.0 / every;
        for (int c = 0; c < 3; c++) {
            const long k = (long)c * view.stride + i;
            m->y[k] = view.anchor[k] + 0.5 * view.ball[i] * noise(&m->seed);
            m->p[k] = (goes ? far : 0.05 * view.ball[i]) * noise(&m->seed);
        }
        leaving += prc_contact_leaving(&view, i, m->y, m->p) == 2;
    }
    prc_contact_geometry(m->set, m->y);
    return leaving;
}

/* --- trying all pairs --- */

static double distance_of(const double *x, int stride, const int v[4], int side_a)
{
    double at[4][3], on[2][3];
    for (int p = 0; p < 4; p++)
        for (int c = 0; c < 3; c++)
            at[p][c] = x[(long)c * stride + v[p]];
    return sqrt(side_a == 1 ? prc_check_distance_point_triangle(at[0], at[1], at[2], at[3], on[0], on[1])
                            : prc_check_distance_edge_edge(at[0], at[1], at[2], at[3], on[0], on[1]));
}

static bool has(const prc_contact_set *set, const int v[4], int side_a)
{
    for (int e = set->of_start[v[0]]; e < set->of_start[v[0] + 1]; e++) {
        const prc_contact *k = &set->contacts[set->of[e] / 4];
        if (k->collider < 0 && k->side_a == side_a && memcmp(k->v, v, sizeof k->v) == 0)
            return true;
    }
    return false;
}

/* Whether a pair could come into range while its vertices are in their balls, and is not in the list. */
static bool is_missing(const prc_contact_set *set, const int v[4], int side_a)
{
    double ball[2] = {0, 0};
    int meets = 0;
    bool one_body = true;
    for (int p = 0; p < 4; p++) {
        ball[p >= side_a] = fmax(ball[p >= side_a], set->ball[v[p]]);
        meets |= prc_motion_meets(set->surface.motion[v[p]]);
        one_body = one_body && set->model->body_of[v[p]] == set->model->body_of[v[0]];
        for (int q = side_a; p < side_a && q < 4; q++)
            if (v[p] == v[q])
                return false;
    }
    double range = set->half[v[0]] + set->half[v[3]] + set->half_d_hat[v[0]] + set->half_d_hat[v[3]];
    if (one_body)
        range = fmin(range, PRC_CONTACT_REST_SHARE * distance_of(set->rest, set->stride, v, side_a));
    return meets == PRC_MEETS_ALL &&
           distance_of(set->anchor, set->stride, v, side_a) < (1 - 1e-9) * (range + ball[0] + ball[1]) &&
           !has(set, v, side_a);
}

static int missing_pairs(const prc_contact_set *set)
{
    const prc_surface *s = &set->surface;
    int missing = 0;
    for (int i = 0; i < s->vertex_count; i++)
        for (int t = 0; t < s->triangle_count; t++) {
            const int v[4] = {i, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2]};
            missing += is_missing(set, v, 1);
        }
    for (int a = 0; a < s->edge_count; a++)
        for (int b = a + 1; b < s->edge_count; b++) {
            const int v[4] = {s->edge[a][0], s->edge[a][1], s->edge[b][0], s->edge[b][1]};
            missing += is_missing(set, v, 2);
        }
    return missing;
}

/* Vertices that could come into the range of the sphere, which rests. */
static int missing_colliders(const prc_contact_set *set)
{
    int missing = 0;
    for (int i = 0; i < set->model->elastic_count; i++) {
        const double x[3] = {set->anchor[i], set->anchor[set->stride + i], set->anchor[2 * (long)set->stride + i]};
        const double distance = sqrt(x[0] * x[0] + (x[1] + 0.0475) * (x[1] + 0.0475) + x[2] * x[2]) - 0.05;
        bool listed = distance > set->half[i] + 2 * set->half_d_hat[i] + set->ball[i];
        for (int e = set->of_start[i]; e < set->of_start[i + 1]; e++)
            listed = listed || set->contacts[set->of[e] / 4].collider == 0;
        missing += !listed;
    }
    return missing;
}

/* The lists of the vertices are those of a set that was made at once, and no contact is there twice. */
static bool lists_are_right(const prc_contact_set *set)
{
    const int n = set->model->vertex_count, entries = set->of_start[n];
    int *start = calloc((size_t)n + 1, sizeof *start), *of = calloc((size_t)entries + 1, sizeof *of);
    prc_contact_index(set->contacts, sizeof *set->contacts, set->contact_count, n, start, of);
    bool right = memcmp(start, set->of_start, sizeof *start * ((size_t)n + 1)) == 0 &&
                 memcmp(of, set->of, sizeof *of * (size_t)entries) == 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *one = &set->contacts[k];
        for (int e = start[one->v[0]]; e < start[one->v[0] + 1]; e++) {
            const prc_contact *other = &set->contacts[of[e] / 4];
            right = right && (other == one || other->collider != one->collider || other->side_a != one->side_a ||
                              memcmp(one->v, other->v, sizeof one->v) != 0);
        }
    }
    free(start);
    free(of);
    return right;
}

/* Contacts from `first` on are as a geometry at y finds them. */
static bool geometry_is_that_of(const prc_contact_set *set, int first, const double *y)
{
    for (int k = first; k < set->contact_count; k++) {
        const prc_contact *c = &set->contacts[k];
        if (c->collider < 0 && c->exact && fabs(c->distance - distance_of(y, set->stride, c->v, c->side_a)) > 1e-12)
            return false;
    }
    return true;
}

/* --- claims --- */

TEST(no_pair_of_a_vertex_that_left_its_ball_is_missing)
{
    scene *s = press(1);
    moving m;
    CHECK(s->sim && begin(&m, s));
    prc_contact_set *set = m.set;
    CHECK(missing_pairs(set) == 0 && missing_colliders(set) == 0);
    const int detections = set->detections;
    int colliders = 0, would_be_missing = 0;
    set->extensions = 0;
    for (int k = 0; k < 4; k++) {
        const int before = set->contact_count;
        CHECK(aim(&m, 12, 5e-3) > 10);
        CHECK(prc_contact_extend(set, m.y, m.p, &s->error) == PRC_OK);
        CHECK(!prc_contact_leaves(set, m.y, m.p));
        CHECK(missing_pairs(set) == 0 && missing_colliders(set) == 0);
        CHECK(lists_are_right(set));
        CHECK(geometry_is_that_of(set, before, m.y));
        for (int c = before; c < set->contact_count; c++)
            colliders += set->contacts[c].collider >= 0;
        would_be_missing += set->contact_count - before;
    }
    printf("    %d contacts added, %d of them with the sphere\n", would_be_missing, colliders);
    CHECK(set->detections == detections && set->extensions == 4);
    CHECK(would_be_missing > 2000 && colliders > 0);
    end(&m);
    scene_free(s);
}

TEST(a_partner_that_wandered_is_sought_where_its_ball_is)
{
    scene *s = press(1);
    moving m;
    CHECK(s->sim && begin(&m, s));
    prc_contact_set *set = m.set;
    aim(&m, 12, 5e-3);
    CHECK(prc_contact_extend(set, m.y, m.p, &s->error) == PRC_OK);
    /* At positions instead of anchors, some of the pairs that were added would not have been: they count too. */
    const prc_contact_view view = prc_contact_see(set);
    int only_by_anchors = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *c = &set->contacts[k];
        only_by_anchors += c->collider < 0 && prc_pair_is_contact(&view, c->v, c->side_a, set->anchor) &&
                           !prc_pair_is_contact(&view, c->v, c->side_a, m.y);
    }
    CHECK(only_by_anchors > 10);
    CHECK(missing_pairs(set) == 0);
    end(&m);
    scene_free(s);
}

TEST(contacts_are_added_with_the_same_bits_by_one_thread_and_by_two)
{
    scene *s[2] = {press(1), press(2)};
    moving m[2];
    for (int k = 0; k < 2; k++)
        CHECK(s[k]->sim && begin(&m[k], s[k]));
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < 2; k++) {
            CHECK(aim(&m[k], 10, 5e-3) > 10);
            CHECK(prc_contact_extend(m[k].set, m[k].y, m[k].p, &s[k]->error) == PRC_OK);
        }
        const prc_contact_set *a = m[0].set, *b = m[1].set;
        CHECK(a->contact_count == b->contact_count && a->extensions == b->extensions);
        CHECK(memcmp(a->contacts, b->contacts, sizeof *a->contacts * (size_t)a->contact_count) == 0);
        CHECK(memcmp(a->of, b->of, sizeof *a->of * (size_t)a->of_start[a->model->vertex_count]) == 0);
        CHECK(memcmp(a->ball, b->ball, sizeof *a->ball * (size_t)a->model->vertex_count) == 0);
    }
    for (int k = 0; k < 2; k++) {
        end(&m[k]);
        scene_free(s[k]);
    }
}

TEST(where_too_many_vertices_leave_all_pairs_are_found_anew)
{
    scene *s = scene_new();
    lay_sheet(s, 40, 0.5, 0, 0);
    moving m;
    CHECK(scene_start(s) && begin(&m, s));
    const int detections = m.set->detections;
    m.set->extensions = 0;
    CHECK(aim(&m, 12, 3e-2) > 50);
    CHECK(prc_contact_extend(m.set, m.y, m.p, &s->error) == PRC_OK);
    CHECK(m.set->extensions == 1);
    CHECK(aim(&m, 1, 3e-2) > prc_extend_most(m.set->model->vertex_count));
    CHECK(prc_contact_extend(m.set, m.y, m.p, &s->error) == PRC_OK);
    CHECK(m.set->extensions == 1 && m.set->detections == detections + 1);
    end(&m);
    scene_free(s);
}

/* End to end: what the independent checker says, with steps that add contacts. */
TEST(sheets_that_fall_fast_never_cross_where_contacts_are_added)
{
    scene *s = scene_new();
    int extensions = 0, detections = 0;
    lay_sheet(s, 12, 0.25, 0, 0.004);
    lay_sheet(s, 14, 0.25, 17, 0.012)->velocity[1] = -1.5;
    prc_collider_def *ball = add_collider(s, PRC_SHAPE_SPHERE);
    ball->radius = 0.05;
    ball->center[1] = -0.05;
    CHECK(scene_start(s));
    for (int k = 0; k < 25; k++) {
        CHECK(scene_step(s) && scene_safe(s));
        extensions += s->report.extensions;
        detections += s->report.detections;
    }
    printf("    %d detections, %d extensions\n", detections, extensions);
    CHECK(extensions > 20);
    scene_free(s);
}

TEST_MAIN()
