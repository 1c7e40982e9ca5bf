/* test/device_levels.h — coarse levels of a simulation, copied to the device of a mirror: part of test_device_stages.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_DEVICE_LEVELS_H
#define PRC_TEST_DEVICE_LEVELS_H

static prc_sparse sparse_copy(const mirror *m, const prc_sparse *s)
{
    prc_sparse copy = *s;
    const int blocks = s->padded_count / PRC_BLOCK;
    const size_t entries = (size_t)s->row_start[blocks] * PRC_BLOCK;
    copy.row_start = copy_of(m, s->row_start, sizeof(int) * ((size_t)blocks + 1));
    copy.column = copy_of(m, s->column, sizeof(int) * entries);
    copy.weight = copy_of(m, s->weight, m->backend->real_size * entries);
    return copy;
}

static void sparse_release(const mirror *m, prc_sparse *s)
{
    m->backend->release(&m->view, s->row_start);
    m->backend->release(&m->view, s->column);
    m->backend->release(&m->view, s->weight);
}

/* The levels of the sim on the device. */
static void levels_copy(const mirror *m, prc_level *levels)
{
    const prc_applied_levels *h = &m->sim->applied;
    const size_t real = m->backend->real_size;
    for (int l = 0; l < h->level_count; l++) {
        const size_t n = (size_t)h->level[l].padded_count;
        levels[l] = h->level[l];
        levels[l].restriction = sparse_copy(m, &h->level[l].restriction);
        levels[l].prolongation = sparse_copy(m, &h->level[l].prolongation);
        levels[l].inverse = h->level[l].inverse ? copy_of(m, h->level[l].inverse, 6 * real * n) : NULL;
        levels[l].b = m->backend->allocate(&m->view, 3 * real * n);
        levels[l].x = m->backend->allocate(&m->view, 3 * real * n);
    }
}

static void levels_release(const mirror *m, prc_level *levels)
{
    for (int l = 0; l < m->sim->applied.level_count; l++) {
        sparse_release(m, &levels[l].restriction);
        sparse_release(m, &levels[l].prolongation);
        m->backend->release(&m->view, levels[l].inverse);
        m->backend->release(&m->view, levels[l].b);
        m->backend->release(&m->view, levels[l].x);
    }
}

static void *dense_copy(const mirror *m)
{
    const prc_applied_levels *h = &m->sim->applied;
    if (h->level_count == 0)
        return NULL;
    const size_t rows = 3 * (size_t)h->level[h->level_count - 1].node_count;
    return copy_of(m, h->dense_inverse, rows * (size_t)h->dense_leading * m->backend->real_size);
}

#endif
