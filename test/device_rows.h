/* test/device_rows.h — rows of contact at random, on the host and on the device of a mirror: part of
 * test_device_stages.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_DEVICE_ROWS_H
#define PRC_TEST_DEVICE_ROWS_H

typedef struct contacts {
    prc_active_set set;    /* of the host */
    prc_active_set mirror; /* … and of the device */
    prc_device_rows rows;
} contacts;

static void make_row(prc_active *a, int vertex_count, unsigned *seed)
{
    memset(a, 0, sizeof *a);
    a->count = 1 + (int)(2 + 2 * noise(seed)) % 4;
    double length = 0;
    for (int k = 0; k < a->count; k++) {
        a->v[k] = (int)((noise(seed) + 1) / 2 * (vertex_count - 1));
        for (int other = 0; other < k; other++)
            if (a->v[other] == a->v[k]) {
                a->v[k] = (a->v[k] + 1) % vertex_count;
                other = -1;
            }
        a->w[k] = noise(seed);
    }
    for (int c = 0; c < 3; c++) {
        a->n[c] = noise(seed);
        a->u[c] = 1.5 * noise(seed);
        a->f[c] = 0.01 * noise(seed);
        length += a->n[c] * a->n[c];
    }
    for (int c = 0; c < 3; c++)
        a->n[c] /= sqrt(length);
    a->k_n = 300 * (1 + noise(seed));
    a->k_t = 20 * (1.5 + noise(seed));
}

static bool make_contacts(contacts *c, const mirror *m, int count)
{
    const int n = m->view.vertex_count;
    unsigned seed = 3;
    memset(c, 0, sizeof *c);
    c->set.count = count;
    c->set.rows = PRC_NEW(prc_active, count);
    c->set.force = prc_alloc((size_t)count, sizeof *c->set.force);
    c->set.of_start = PRC_NEW(int, n + 1);
    c->set.of = PRC_NEW(int, 4 * count);
    const size_t four = 4 * m->backend->real_size * (size_t)count;
    prc_device_rows host = {.most = count, .single = m->backend->precision == PRC_PRECISION_SINGLE};
    host.w = PRC_NEW(char, 3 * four);
    host.k = (char *)host.w + four;
    host.v = PRC_NEW(prc_four_ints, count);
    host.f = PRC_NEW(prc_four_doubles, count);
    if (!c->set.rows || !c->set.force || !c->set.of_start || !c->set.of || !host.w || !host.v || !host.f)
        return false;
    for (int r = 0; r < count; r++) {
        make_row(&c->set.rows[r], n, &seed);
        prc_row_store(&host, r, &c->set.rows[r]);
    }
    int at = 0;
    for (int i = 0; i < n; i++) {
        c->set.of_start[i] = at;
        for (int r = 0; r < count; r++)
            for (int k = 0; k < c->set.rows[r].count; k++)
                if (c->set.rows[r].v[k] == i)
                    c->set.of[at++] = 4 * r + k;
    }
    c->set.of_start[n] = at;
    c->rows = host;
    c->rows.count = copy_of(m, &count, sizeof count);
    c->rows.most = count + 3; /* the device knows how many there are */
    c->rows.w = copy_of(m, host.w, 3 * four);
    c->rows.k = (char *)c->rows.w + four;
    c->rows.v = copy_of(m, host.v, sizeof *host.v * (size_t)count);
    c->rows.f = copy_of(m, host.f, sizeof *host.f * (size_t)count);
    c->rows.force = m->backend->allocate(&m->view, 2 * four);
    c->rows.of_w = (char *)c->rows.force + four;
    c->rows.of = copy_of(m, c->set.of, sizeof(int) * (size_t)at);
    int *starts = copy_of(m, c->set.of_start, sizeof(int) * ((size_t)n + 1));
    c->rows.first = starts;
    c->rows.after = starts + 1;
    c->mirror.count = count;
    c->mirror.device = &c->rows;
    prc_free(host.w);
    prc_free(host.v);
    prc_free(host.f);
    return true;
}

static void release_contacts(contacts *c, const mirror *m)
{
    m->backend->release(&m->view, (void *)c->rows.count);
    m->backend->release(&m->view, c->rows.w);
    m->backend->release(&m->view, c->rows.v);
    m->backend->release(&m->view, c->rows.f);
    m->backend->release(&m->view, c->rows.force);
    m->backend->release(&m->view, (void *)c->rows.of);
    m->backend->release(&m->view, (void *)c->rows.first);
    prc_free(c->set.rows);
    prc_free(c->set.force);
    prc_free(c->set.of_start);
    prc_free(c->set.of);
}

#endif
