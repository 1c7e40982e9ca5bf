/* backend/cuda/colliders.cu — see colliders.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/colliders.h"

#include "kernel/contact_move.h"

#include "base/memory.h"
#include "collider/sdf.h"

#include <limits.h>
#include <string.h>

PRC_DEVICE_BEGIN

/* The field of collider `index`, with its values from `first` on. */
static void send_field(prc_device *d, prc_device_colliders *s, const prc_sdf *field, int index, size_t first)
{
    prc_sdf copy = *field;
    copy.value = s->values.data + first;
    prc_copy_in(d, copy.value, field->value, sizeof(float) * prc_sdf_node_count(field));
    prc_copy_in(d, s->fields.data + index, &copy, sizeof copy);
    s->sent[index].shape.field = s->fields.data + index;
}

prc_result prc_device_colliders_create(prc_device *d, prc_device_colliders *s, const prc_collider *colliders, int count,
                                       prc_error *error)
{
    if (count == 0)
        return PRC_OK;
    size_t values = 0, first = 0;
    for (int k = 0; k < count; k++)
        values += colliders[k].shape.field ? prc_sdf_node_count(colliders[k].shape.field) : 0;
    s->sent = PRC_NEW(prc_collider, count);
    s->asked = PRC_NEW(prc_collider_way, count);
    if (!s->sent || !s->asked)
        return PRC_FAIL_MEMORY(error);
    const bool room = prc_reserve(d, &s->colliders, (size_t)count) && prc_reserve(d, &s->fields, (size_t)count) &&
                      prc_reserve(d, &s->values, values) && prc_reserve(d, &s->ways, (size_t)count);
    if (!room)
        return prc_device_status(d, error);
    s->count = count;
    for (int k = 0; k < count; k++) {
        const prc_sdf *field = colliders[k].shape.field;
        s->sent[k] = colliders[k];
        if (!field)
            continue;
        send_field(d, s, field, k, first);
        first += prc_sdf_node_count(field);
    }
    prc_copy_in(d, s->colliders.data, s->sent, sizeof(prc_collider) * (size_t)count);
    return PRC_OK;
}

void prc_device_colliders_release(prc_device *d, prc_device_colliders *s)
{
    prc_release(d, &s->colliders);
    prc_release(d, &s->fields);
    prc_release(d, &s->values);
    prc_release(d, &s->ways);
    prc_free(s->sent);
    prc_free(s->asked);
    s->sent = NULL;
    s->asked = NULL;
    s->count = 0;
}

/* All that changes lies at the end of a prc_collider, without gaps. */
static bool have_changed(const prc_collider *a, const prc_collider *b)
{
    const size_t kept = offsetof(prc_collider, friction);
    return memcmp((const char *)a + kept, (const char *)b + kept, sizeof *a - kept) != 0;
}

void prc_device_colliders_send(prc_device *d, prc_device_colliders *s, const prc_collider *colliders)
{
    const size_t kept = offsetof(prc_collider, friction);
    bool changed = false;
    for (int k = 0; k < s->count; k++) {
        if (!have_changed(&s->sent[k], &colliders[k]))
            continue;
        memcpy((char *)&s->sent[k] + kept, (const char *)&colliders[k] + kept, sizeof(prc_collider) - kept);
        changed = true;
    }
    if (changed)
        prc_copy_in(d, s->colliders.data, s->sent, sizeof(prc_collider) * (size_t)s->count);
}

/* Lowers the share of every collider in `ways` to what the vertices allow. The least is the same in any order. */
static void ask_vertices(prc_device *d, prc_device_colliders *s, const prc_contact_view *of, int first, int count,
                         const double *y)
{
    const prc_contact_view view = *of;
    const prc_collider *colliders = s->colliders.data;
    prc_collider_way *ways = s->ways.data + first;
    const int n = view.elastic_count;
    prc_each(d, "move colliders", (long)n * count, [=] PRC_DEVICE(int item) {
        const int i = item % n;
        prc_collider_way *way = &ways[item / n];
        if (prc_exempt_view_has_collider(&view.exempt, i, way->collider))
            return;
        double x[3];
        prc_take3(y, view.stride, i, x);
        const double share = prc_collider_share(&colliders[way->collider], x, way->done, PRC_HARD_SHARE * view.half[i]);
        if (share < 1)
            prc_atomic_min(&way->share, prc_bits_of(share));
    });
}

/* The same for what the triangles allow. */
static void ask_faces(prc_device *d, prc_device_colliders *s, const prc_contact_view *of, int first, int count,
                      const double *y)
{
    const prc_contact_view view = *of;
    prc_collider_way *ways = s->ways.data + first;
    const int n = view.triangle_count;
    prc_each(d, "move colliders: faces", (long)n * count, [=] PRC_DEVICE(int item) {
        prc_collider_way *way = &ways[item / n];
        const double share = prc_face_share(&view, view.triangles[item % n], way->collider, y, way->done);
        if (share < 1)
            prc_atomic_min(&way->share, prc_bits_of(share));
    });
}

bool prc_device_colliders_move(prc_device *d, prc_device_colliders *s, const prc_contact_view *view,
                               prc_collider *colliders, double *done, const double *y)
{
    int asked = 0;
    for (int k = 0; k < s->count; k++) {
        if (done[k] >= 1)
            continue;
        if (prc_collider_rests(&colliders[k])) { /* no vertex has anything against it */
            done[k] = 1;
            colliders[k].now = colliders[k].to;
            continue;
        }
        s->asked[asked].collider = k;
        s->asked[asked].done = done[k];
        s->asked[asked++].share = prc_bits_of(1);
    }
    if (asked == 0)
        return true;

    prc_device_colliders_send(d, s, colliders);
    prc_copy_in(d, s->ways.data, s->asked, sizeof(prc_collider_way) * (size_t)asked);
    const int n = view->elastic_count > view->triangle_count ? view->elastic_count : view->triangle_count;
    const int most = n > 0 ? INT_MAX / n : asked;
    for (int first = 0; first < asked; first += most) {
        const int count = asked - first < most ? asked - first : most;
        ask_vertices(d, s, view, first, count, y);
        ask_faces(d, s, view, first, count, y);
    }
    prc_copy_out(d, s->asked, s->ways.data, sizeof(prc_collider_way) * (size_t)asked);
    if (prc_device_failed(d))
        return false;

    bool arrived = true;
    for (int k = 0; k < asked; k++) {
        const int collider = s->asked[k].collider;
        const double share = prc_double_of(s->asked[k].share);
        done[collider] = share;
        colliders[collider].now = prc_collider_pose(&colliders[collider], share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}

PRC_DEVICE_END
