/* app/cli/check_tell.c — the output of `percale check`: what it found, where, and what it did not check.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "check.h"
#include "colliders.h"

static const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

/* " of 'cloth'", or nothing where the part has no name. */
static void name_part(const prc_checked *frame, int vertex, char text[80])
{
    text[0] = '\0';
    for (int p = 0, end = 0; p < frame->extra->part_count; p++) {
        const prc_ply_part *part = &frame->extra->parts[p];
        end += part->vertex_count;
        if (vertex < end) {
            if (part->name[0])
                snprintf(text, 80, " of '%s'", part->name);
            return;
        }
    }
}

void prc_check_tell_meeting(const prc_checked *frame, const prc_check_meeting *m, char *text, size_t size)
{
    char item[PRC_CLI_ITEM], part[80], how[PRC_CLI_ITEM];
    name_part(frame, m->vertices[0], part);
    snprintf(text, size, "%s%s %s colliders[%d] at (%.6g, %.6g, %.6g)", prc_cli_tell_item(m->vertices, item), part,
             prc_cli_tell_inside(m, how), frame->colliders->numbers[m->collider], m->point[0], m->point[1],
             m->point[2]);
}

static void print_nearest(const prc_check_nearest *n)
{
    printf("%.4g m, ", n->distance);
    if (n->a_count == 1)
        printf("vertex %d to triangle %d %d %d", n->a[0], n->b[0], n->b[1], n->b[2]);
    else
        printf("edge %d %d to edge %d %d", n->a[0], n->a[1], n->b[0], n->b[1]);
    printf(" at (%.4g, %.4g, %.4g)", n->on_a[0], n->on_a[1], n->on_a[2]);
}

static void print_near(const prc_check_meeting *m, int collider)
{
    char item[PRC_CLI_ITEM];
    printf("%.4g m, %s to colliders[%d] at (%.4g, %.4g, %.4g)", -m->depth, prc_cli_tell_item(m->vertices, item),
           collider, m->point[0], m->point[1], m->point[2]);
}

static void print_crossings(const prc_check_result *r)
{
    int shown = r->listed_count < PRC_CHECK_SHOWN ? r->listed_count : PRC_CHECK_SHOWN;
    for (int k = 0; k < shown; k++) {
        const prc_check_crossing *c = &r->listed[k];
        printf("    edge %d %d meets triangle %d %d %d at (%.6g, %.6g, %.6g)\n", c->edge[0], c->edge[1], c->triangle[0],
               c->triangle[1], c->triangle[2], c->point[0], c->point[1], c->point[2]);
    }
    if (r->crossings > shown)
        printf("    … and %lld more\n", r->crossings - shown);
}

static void print_meetings(const prc_checked *frame)
{
    const prc_check_collider_result *r = &frame->entered;
    const int shown = r->listed_count < PRC_CHECK_SHOWN ? r->listed_count : PRC_CHECK_SHOWN;
    char text[400];
    for (int k = 0; k < shown; k++) {
        prc_check_tell_meeting(frame, &r->listed[k], text, sizeof text);
        printf("    %s\n", text);
    }
    if (r->meetings > shown)
        printf("    … and %lld more\n", r->meetings - shown);
}

static void print_colliders(const prc_checked *frame)
{
    const prc_colliders *s = frame->colliders;
    const prc_check_collider_result *r = &frame->entered;
    if (s->count && r->meetings)
        printf("; %lld INSIDE COLLIDERS", r->meetings);
    else if (s->count)
        printf("; 0 inside %d collider%s", s->count, plural(s->count));
    if (r->nearest_found) {
        printf(", smallest gap ");
        print_near(&r->nearest, s->numbers[r->nearest.collider]);
    }
    if (s->told < 0)
        printf("; COLLIDERS NOT CHECKED");
    else if (s->told > s->count)
        printf("; %d COLLIDER%s NOT CHECKED", s->told - s->count, s->told - s->count == 1 ? "" : "S");
}

void prc_check_tell_frame(const prc_check_job *j, const prc_checked *frame)
{
    const prc_check_result *r = &frame->surfaces;
    const int extra = frame->shape_count - frame->mesh->triangle_count;
    if (j->quiet && !r->crossings && !frame->entered.meetings)
        return;
    printf("%s  %d triangles, ", frame->name, frame->mesh->triangle_count);
    if (frame->extra->edge_count)
        printf("%d edges, ", frame->extra->edge_count);
    printf("%lld pairs, ", r->pairs);
    if (r->crossings)
        printf("%lld INTERSECTIONS (pairs of triangles: %lld)", r->crossings, r->triangle_pairs);
    else
        printf("0 intersections");
    if (r->nearest.found) {
        printf("; smallest gap ");
        print_nearest(&r->nearest);
    }
    if (r->degenerate > extra)
        printf("; %d triangles of zero area", r->degenerate - extra);
    print_colliders(frame);
    printf("\n");
    print_crossings(r);
    print_meetings(frame);
}

static void print_gaps(const prc_check_job *j)
{
    if (j->nearest.found) {
        printf("  smallest gap ");
        print_nearest(&j->nearest);
        printf(", in %s\n", j->nearest_frame);
    }
    if (j->has_near) {
        printf("  smallest gap to a collider ");
        print_near(&j->near, j->near.collider);
        printf(", in %s\n", j->near_frame);
    }
}

/* Also where nothing else is said: what was not looked at is not clean. */
static void print_unchecked(const prc_check_job *j)
{
    if (j->without_poses)
        printf("  colliders were NOT checked: there are no poses in %s%s\n", j->first_without,
               j->without_poses > 1 ? " and others" : "");
    if (j->unknown_colliders)
        printf("  %d collider%s NOT checked: the frames have no poses for them\n", j->unknown_colliders,
               j->unknown_colliders == 1 ? " was" : "s were");
    if (j->loose)
        printf("  %d vert%s NOT checked: not part of any triangle or edge\n", j->loose,
               j->loose == 1 ? "ex was" : "ices were");
}

void prc_check_tell_summary(const prc_check_job *j)
{
    if (!j->quiet || j->bad_frames) {
        printf("%d frame%s, %lld pairs: ", j->checked, plural(j->checked), j->tested);
        if (j->crossing_frames)
            printf("%d frame%s with %lld intersections", j->crossing_frames, plural(j->crossing_frames), j->crossings);
        else
            printf("0 intersections");
        if (j->entered_frames)
            printf(", %d frame%s with %lld triangles or edges inside colliders", j->entered_frames,
                   plural(j->entered_frames), j->meetings);
        if (j->bad_frames)
            printf(", the first in %s", j->first_bad);
        printf("\n");
        if (j->entered_frames)
            printf("  deepest: %s\n", j->deepest);
        print_gaps(j);
    }
    print_unchecked(j);
}
