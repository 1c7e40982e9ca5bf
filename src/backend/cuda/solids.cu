/* backend/cuda/solids.cu — see solids.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/solids.h"

#include "kernel/contact_move.h"

#include "base/memory.h"
#include "collider/sdf.h"

#include <limits.h>
#include <string.h>

PRC_DEVICE_BEGIN

/* The field of solid `index`, with its values from `first` on. */
static void send_field(prc_device *d, prc_device_solids *s, const prc_sdf *field, int index, size_t first)
{
    prc_sdf copy = *field;
    copy.value = s->values.data + first;
    prc_copy_in(d, copy.value, field->value, sizeof(float) * prc_sdf_node_count(field));
    prc_copy_in(d, s->fields.data + index, &copy, sizeof copy);
    s->sent[index].shape.field = s->fields.data + index;
}

prc_result prc_device_solids_create(prc_device *d, prc_device_solids *s, const prc_solid *solids, int count,
                                    prc_error *error)
{
    if (count == 0)
        return PRC_OK;
    size_t values = 0, first = 0;
    for (int k = 0; k < count; k++)
        values += solids[k].shape.field ? prc_sdf_node_count(solids[k].shape.field) : 0;
    s->sent = PRC_NEW(prc_solid, count);
    s->asked = PRC_NEW(prc_solid_way, count);
    if (!s->sent || !s->asked)
        return PRC_FAIL_MEMORY(error);
    const bool room = prc_reserve(d, &s->solids, (size_t)count) && prc_reserve(d, &s->fields, (size_t)count) &&
                      prc_reserve(d, &s->values, values) && prc_reserve(d, &s->ways, (size_t)count);
    if (!room)
        return prc_device_status(d, error);
    s->count = count;
    for (int k = 0; k < count; k++) {
        const prc_sdf *field = solids[k].shape.field;
        s->sent[k] = solids[k];
        if (!field)
            continue;
        send_field(d, s, field, k, first);
        first += prc_sdf_node_count(field);
    }
    prc_copy_in(d, s->solids.data, s->sent, sizeof(prc_solid) * (size_t)count);
    return PRC_OK;
}

void prc_device_solids_release(prc_device *d, prc_device_solids *s)
{
    prc_release(d, &s->solids);
    prc_release(d, &s->fields);
    prc_release(d, &s->values);
    prc_release(d, &s->ways);
    prc_free(s->sent);
    prc_free(s->asked);
    s->sent = NULL;
    s->asked = NULL;
    s->count = 0;
}

/* All that changes lies at the end of a prc_solid, without gaps. */
static bool have_changed(const prc_solid *a, const prc_solid *b)
{
    const size_t kept = offsetof(prc_solid, friction);
    return memcmp((const char *)a + kept, (const char *)b + kept, sizeof *a - kept) != 0;
}

void prc_device_solids_send(prc_device *d, prc_device_solids *s, const prc_solid *solids)
{
    const size_t kept = offsetof(prc_solid, friction);
    bool changed = false;
    for (int k = 0; k < s->count; k++) {
        if (!have_changed(&s->sent[k], &solids[k]))
            continue;
        memcpy((char *)&s->sent[k] + kept, (const char *)&solids[k] + kept, sizeof(prc_solid) - kept);
        changed = true;
    }
    if (changed)
        prc_copy_in(d, s->solids.data, s->sent, sizeof(prc_solid) * (size_t)s->count);
}

/* Lowers the share of every solid in `ways` to what the vertices allow. The least is the same in any order. */
static void ask_vertices(prc_device *d, prc_device_solids *s, const prc_contact_view *of, int first, int count,
                         const double *y)
{
    const prc_contact_view view = *of;
    const prc_solid *solids = s->solids.data;
    prc_solid_way *ways = s->ways.data + first;
    const int n = view.elastic_count;
    prc_each(d, "move solids", (long)n * count, [=] PRC_DEVICE(int item) {
        const int i = item % n;
        prc_solid_way *way = &ways[item / n];
        if (prc_exempt_view_has_solid(&view.exempt, i, way->solid))
            return;
        double x[3];
        prc_take3(y, view.stride, i, x);
        const double share = prc_solid_share(&solids[way->solid], x, way->done, PRC_HARD_SHARE * view.half[i]);
        if (share < 1)
            prc_atomic_min(&way->share, prc_bits_of(share));
    });
}

/* The same for what the triangles allow. */
static void ask_faces(prc_device *d, prc_device_solids *s, const prc_contact_view *of, int first, int count,
                      const double *y)
{
    const prc_contact_view view = *of;
    prc_solid_way *ways = s->ways.data + first;
    const int n = view.triangle_count;
    prc_each(d, "move solids: faces", (long)n * count, [=] PRC_DEVICE(int item) {
        prc_solid_way *way = &ways[item / n];
        const double share = prc_face_share(&view, view.triangles[item % n], way->solid, y, way->done);
        if (share < 1)
            prc_atomic_min(&way->share, prc_bits_of(share));
    });
}

bool prc_device_solids_move(prc_device *d, prc_device_solids *s, const prc_contact_view *view, prc_solid *solids,
                            double *done, const double *y)
{
    int asked = 0;
    for (int k = 0; k < s->count; k++) {
        if (done[k] >= 1)
            continue;
        if (prc_solid_rests(&solids[k])) { /* no vertex has anything against it */
            done[k] = 1;
            solids[k].now = solids[k].to;
            continue;
        }
        s->asked[asked].solid = k;
        s->asked[asked].done = done[k];
        s->asked[asked++].share = prc_bits_of(1);
    }
    if (asked == 0)
        return true;

    prc_device_solids_send(d, s, solids);
    prc_copy_in(d, s->ways.data, s->asked, sizeof(prc_solid_way) * (size_t)asked);
    const int n = view->elastic_count > view->triangle_count ? view->elastic_count : view->triangle_count;
    const int most = n > 0 ? INT_MAX / n : asked;
    for (int first = 0; first < asked; first += most) {
        const int count = asked - first < most ? asked - first : most;
        ask_vertices(d, s, view, first, count, y);
        ask_faces(d, s, view, first, count, y);
    }
    prc_copy_out(d, s->asked, s->ways.data, sizeof(prc_solid_way) * (size_t)asked);
    if (prc_device_failed(d))
        return false;

    bool arrived = true;
    for (int k = 0; k < asked; k++) {
        const int solid = s->asked[k].solid;
        const double share = prc_double_of(s->asked[k].share);
        done[solid] = share;
        solids[solid].now = prc_solid_pose(&solids[solid], share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}

PRC_DEVICE_END
