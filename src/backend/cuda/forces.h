/* backend/cuda/forces.h — forces of contacts and springs on the device: part of stages.cu. Rows first, then every
 * vertex gathers from its rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_FORCES_H
#define PRC_CUDA_FORCES_H

#define AT_ONCE 4 /* rows of a vertex whose numbers are asked for together */

DEVICE_INLINE prc_quad row_weights(const prc_device_rows *rows, int row)
{
    return ((const prc_quad *)rows->w)[row];
}

DEVICE_INLINE prc_row row_load(const prc_device_rows *rows, int row)
{
    const prc_quad *k = (const prc_quad *)rows->k + 2L * row;
    return {row_weights(rows, row), k[0], k[1]};
}

/* Where the rows of vertex i end: lists of what is pinned, and gets nothing from them, may be long. */
DEVICE_INLINE int rows_end(const prc_view *v, const prc_device_rows *rows, int i)
{
    return ((const prc_real *)v->field[PRC_FIELD_free])[i] != R(0) ? rows->after[i] : rows->first[i];
}

/* Leaves the weights of the entries of vertex i beside them. */
DEVICE_INLINE void rows_list_weights(const prc_view *v, const prc_device_rows *rows, int i)
{
    prc_real *to = (prc_real *)rows->of_w;
    const int end = rows_end(v, rows, i);
    for (int k = rows->first[i]; k < end; k += AT_ONCE) {
        prc_real w[AT_ONCE];
        for (int q = 0; q < AT_ONCE; q++) { /* all loads are under way before the first is waited for */
            const int entry = rows->of[k + q < end ? k + q : k];
            w[q] = prc_row_weight(row_weights(rows, entry / 4), entry % 4);
        }
        for (int q = 0; q < AT_ONCE && k + q < end; q++)
            to[k + q] = w[q];
    }
}

/* Σ w of what the rows of vertex i answered, with weights from the list. */
DEVICE_INLINE prc_vec3 rows_gather(const prc_view *v, const prc_device_rows *rows, int i)
{
    const prc_real *of_w = (const prc_real *)rows->of_w;
    const prc_quad *force = (const prc_quad *)rows->force;
    prc_vec3 sum = prc_vec3_zero();
    const int end = rows_end(v, rows, i);
    for (int k = rows->first[i]; k < end; k += AT_ONCE) {
        prc_real w[AT_ONCE];
        prc_quad f[AT_ONCE];
        for (int q = 0; q < AT_ONCE; q++) {
            const int at = k + q < end ? k + q : k;
            w[q] = of_w[at];
            f[q] = force[rows->of[at] / 4];
        }
        for (int q = 0; q < AT_ONCE && k + q < end; q++)
            sum = prc_add_scaled(sum, w[q], prc_vec3_make(f[q].x, f[q].y, f[q].z));
    }
    return sum;
}

/* The row answers what move(vertex) says that its vertices do. */
template <class F> DEVICE_INLINE void row_answer(const prc_device_rows *rows, int row, F move)
{
    const prc_four_ints v = rows->v[row];
    const prc_row numbers = row_load(rows, row);
    const prc_quad p[4] = {move(v.x), move(v.y), move(v.z), move(v.w)};
    ((prc_quad *)rows->force)[row] = prc_row_answer(numbers, p);
}

/* Which lists the lanes of a warp go through, `lanes` of them each, when it is at its vertices from `sub` on. */
template <int lanes> struct list_turn {
    int sub;
    PRC_DEVICE int operator()(int lane) const
    {
        return sub + lane / lanes;
    }
};

/* The lists of the rows of a warp's vertices. */
struct row_lists {
    prc_per_lane<int> first, length;
};

/* fold_rows with `lanes` lanes for each list. */
template <int lanes, int entries, class T, int count, class L, class A>
DEVICE_INLINE void fold_lists(const row_lists &lists, const prc_warp &warp, prc_per_lane<T> (&out)[count], L load,
                              A add)
{
    for (int sub = 0; sub < PRC_WARP; sub += PRC_WARP / lanes) {
        prc_per_lane<int> from, left;
        prc_per_lane<T> sum[count], other;
        warp.move(lists.first, from, list_turn<lanes>{sub});
        warp.move(lists.length, left, list_turn<lanes>{sub});
        const int most = warp.largest(left);
        if (most == 0)
            continue;
        warp.each([&](int lane) {
            for (int n = 0; n < count; n++)
                sum[n][lane] = 0;
        });
        for (int at = 0; at < most; at += lanes * entries)
            warp.each([&](int lane) {
                decltype(load(0)) item[entries];
                T part[count];
                if (left[lane] == 0)
                    return;
                for (int q = 0; q < entries; q++) { /* all loads are under way before the first is waited for */
                    const int k = at + lanes * q + lane % lanes;
                    item[q] = load(from[lane] + (k < left[lane] ? k : 0));
                }
                for (int n = 0; n < count; n++)
                    part[n] = sum[n][lane];
                for (int q = 0; q < entries; q++) {
                    const int k = at + lanes * q + lane % lanes;
                    if (k < left[lane])
                        add(item[q], from[lane] + k, part);
                }
                for (int n = 0; n < count; n++)
                    sum[n][lane] = part[n];
            });
        for (int n = 0; n < count; n++) {
            for (int offset = 1; offset < lanes; offset *= 2) {
                warp.move(sum[n], other, [=](int lane) { return lane ^ offset; });
                warp.each([&](int lane) { sum[n][lane] += other[lane]; });
            }
            const auto own = [=](int lane) { return (lane - sub) * lanes & (PRC_WARP - 1); };
            warp.move(sum[n], other, own);
            warp.each([&](int lane) {
                out[n][lane] += lane / (PRC_WARP / lanes) == sub / (PRC_WARP / lanes) ? other[lane] : 0;
            });
        }
    }
}

#define LIST_LANES 4 /* for each list where one is long and others are not: a warp lasts as long as its longest */

/* Adds to out[n] of every lane what add(item, k, sum) makes of the entries k of its vertex base + lane, of which
 * load(k) gets what lies in memory, `entries` at a time: by a lane for each list, or by several, whichever waits for
 * memory less often. */
template <int entries, class T, int count, class L, class A>
DEVICE_INLINE void fold_rows(const prc_view *v, const prc_device_rows *rows, const prc_warp &warp, int base,
                             prc_per_lane<T> (&out)[count], L load, A add)
{
    row_lists lists;
    warp.each([&](int lane) {
        const int i = base + lane, own = i < v->vertex_count ? i : v->vertex_count - 1;
        lists.first[lane] = rows->first[own];
        lists.length[lane] = i < v->vertex_count ? rows_end(v, rows, own) - lists.first[lane] : 0;
    });
    const int longest = warp.largest(lists.length);
    if (longest == 0)
        return;
    const unsigned some = warp.ballot([&](int lane) { return lists.length[lane] > 0; });
    const unsigned part = ~0u >> (PRC_WARP - PRC_WARP / LIST_LANES);
    int turns = 0;
    for (int sub = 0; sub < PRC_WARP; sub += PRC_WARP / LIST_LANES)
        turns += (some >> sub & part) != 0;
    const int alone = entries / 2, together = LIST_LANES * entries; /* more would not fit into registers */
    if ((longest + alone - 1) / alone <= turns * ((longest + together - 1) / together))
        fold_lists<1, alone>(lists, warp, out, load, add);
    else
        fold_lists<LIST_LANES, entries>(lists, warp, out, load, add);
}

struct listed_row {
    prc_row row;
    int place;
};

/* Adds the blocks of rows, and leaves the weights of entries beside them. */
DEVICE_INLINE void fold_blocks(const prc_view *v, const prc_device_rows *rows, const prc_warp &warp, int base,
                               prc_per_lane<prc_real> (&d)[6])
{
    fold_rows<4>(
        v, rows, warp, base, d,
        [=](int k) {
            const int entry = rows->of[k];
            return listed_row{row_load(rows, entry / 4), entry % 4};
        },
        [=](const listed_row &item, int k, prc_real *sum) {
            prc_real block[6];
            prc_row_block(item.row, item.place, v->diagonal_kind == PRC_DIAGONAL_EXACT, block);
            for (int q = 0; q < 6; q++)
                sum[q] += block[q];
            ((prc_real *)rows->of_w)[k] = prc_row_weight(item.row.w, item.place);
        });
}

struct listed_force {
    prc_quad force;
    prc_real w;
};

/* Adds what the rows answered, with weights from the lists. */
DEVICE_INLINE void fold_answers(const prc_view *v, const prc_device_rows *rows, const prc_warp &warp, int base,
                                prc_per_lane<prc_real> (&q)[3])
{
    fold_rows<8>(
        v, rows, warp, base, q,
        [=](int k) {
            return listed_force{((const prc_quad *)rows->force)[rows->of[k] / 4], ((const prc_real *)rows->of_w)[k]};
        },
        [=](const listed_force &item, int, prc_real *sum) {
            sum[0] += item.w * item.force.x;
            sum[1] += item.w * item.force.y;
            sum[2] += item.w * item.force.z;
        });
}

struct listed_pull {
    prc_four_doubles f;
    prc_real w;
};

/* Adds the forces of rows, in double. */
DEVICE_INLINE void fold_forces(const prc_view *v, const prc_device_rows *rows, const prc_warp &warp, int base,
                               prc_per_lane<double> (&g)[3])
{
    fold_rows<4>(
        v, rows, warp, base, g,
        [=](int k) {
            const int entry = rows->of[k];
            return listed_pull{rows->f[entry / 4], prc_row_weight(row_weights(rows, entry / 4), entry % 4)};
        },
        [=](const listed_pull &item, int, double *sum) {
            sum[0] += (double)item.w * item.f.x;
            sum[1] += (double)item.w * item.f.y;
            sum[2] += (double)item.w * item.f.z;
        });
}

/* out = in + the forces of contacts, for the vertices of a warp. */
DEVICE_INLINE void add_forces(const prc_view *v, const prc_device_rows *rows, const prc_warp &warp, int base,
                              const prc_real *in, prc_real *out)
{
    prc_per_lane<double> g[3];
    warp.each([&](int lane) {
        for (int c = 0; c < 3; c++)
            g[c][lane] = 0;
    });
    fold_forces(v, rows, warp, base, g);
    warp.each([&](int lane) {
        const int i = base + lane;
        const prc_vec3 f = prc_vec3_make((prc_real)g[0][lane], (prc_real)g[1][lane], (prc_real)g[2][lane]);
        if (i < v->padded_count)
            prc_vertex_store(v, out, i, prc_add(prc_vertex_load(v, in, i), f));
    });
}

/* Warps whose lanes have a vertex each. */
PRC_INLINE int warps_of(const prc_view *v)
{
    return (v->padded_count + PRC_WARP - 1) / PRC_WARP;
}

static void gather_forces(const prc_view *v, const prc_device_rows *all, const prc_real *in, prc_real *out)
{
    const prc_view view = *v;
    const prc_device_rows rows = *all;
    prc_each_warp<int, 20>(device_of(v), "rows_force", warps_of(v), [=] PRC_DEVICE(const prc_warp &warp, int &, int w) {
        add_forces(&view, &rows, warp, PRC_WARP * w, in, out);
    });
}

static void contact_gradient(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_device_rows *rows = (const prc_device_rows *)set->device;
    if (rows && rows->most > 0)
        gather_forces(v, rows, (const prc_real *)in, (prc_real *)out);
    else if (in != out)
        prc_copy_within(device_of(v), out, in, 3 * sizeof(prc_real) * (size_t)v->padded_count);
}

static void gradient_with_contact(const prc_view *v, const prc_active_set *set, const void *u, void *in, void *out)
{
    const prc_device_rows *of_set = (const prc_device_rows *)set->device;
    prc_view view = *v;
    view.argument[0] = (void *)u;
    view.argument[1] = in;
    if (!of_set || of_set->most == 0) {
        run(&view, PRC_STAGE_gradient);
        contact_gradient(v, set, in, out);
        return;
    }
    const prc_device_rows rows = *of_set;
    const prc_real *own = (const prc_real *)in;
    prc_real *to = (prc_real *)out;
    prc_each_warp<int, 20>(device_of(v), "gradient, rows", warps_of(v),
                           [=] PRC_DEVICE(const prc_warp &warp, int &, int w) {
                               warp.each([&](int lane) {
                                   if (PRC_WARP * w + lane < view.padded_count)
                                       prc_stage_gradient(&view, PRC_WARP * w + lane);
                               });
                               add_forces(&view, &rows, warp, PRC_WARP * w, own, to);
                           });
}

static void contact_product(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    if (!set->device || ((const prc_device_rows *)set->device)->most == 0)
        return;
    const prc_view view = *v;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    const prc_real *p = (const prc_real *)in;
    prc_real *to = (prc_real *)out;
    const long n = v->padded_count;
    prc_each(device_of(v), "rows_answer", rows.most, [=] PRC_DEVICE(int r) {
        if (r < *rows.count)
            row_answer(&rows, r, [&](int j) { return prc_quad_make(p[j], p[n + j], p[2 * n + j], R(0)); });
    });
    prc_each(device_of(v), "rows_gather", v->vertex_count, [=] PRC_DEVICE(int i) {
        rows_list_weights(&view, &rows, i);
        prc_store3(to, n, i, prc_add(prc_load3(to, n, i), rows_gather(&view, &rows, i)));
    });
}

/* Adds the blocks of the rows of vertex i. */
DEVICE_INLINE void add_blocks(const prc_view *v, const prc_device_rows *rows, int i, prc_real sum[6])
{
    const int end = rows_end(v, rows, i); /* of what is pinned the inverse is 0 */
    for (int k = rows->first[i]; k < end; k += AT_ONCE) {
        prc_row row[AT_ONCE];
        int place[AT_ONCE];
        for (int r = 0; r < AT_ONCE; r++) {
            const int entry = rows->of[k + r < end ? k + r : k];
            row[r] = row_load(rows, entry / 4);
            place[r] = entry % 4;
        }
        for (int r = 0; r < AT_ONCE && k + r < end; r++) {
            prc_real block[6];
            prc_row_block(row[r], place[r], v->diagonal_kind == PRC_DIAGONAL_EXACT, block);
            for (int q = 0; q < 6; q++)
                sum[q] += block[q];
        }
    }
}

DEVICE_INLINE void own_block(const prc_view *v, int i, prc_real d[6])
{
    const prc_real *own = (const prc_real *)v->field[PRC_FIELD_own_d];
    for (int q = 0; q < 6; q++)
        d[q] = own[q * (long)v->padded_count + i];
}

static void contact_diagonal(const prc_view *v, const prc_active_set *set)
{
    if (!set->device || ((const prc_device_rows *)set->device)->most == 0)
        return;
    const prc_view view = *v;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    prc_each(device_of(v), "rows_diagonal", v->vertex_count, [=] PRC_DEVICE(int i) {
        prc_real *own = (prc_real *)view.field[PRC_FIELD_own_d], d[6];
        own_block(&view, i, d);
        add_blocks(&view, &rows, i, d);
        for (int q = 0; q < 6; q++)
            own[q * (long)view.padded_count + i] = d[q];
    });
}

/* Inverse of block d of vertex i. */
DEVICE_INLINE void store_inverse(const prc_view *v, int i, const prc_real d[6])
{
    prc_real inverse[6];
    prc_block_invert(d, ((const prc_real *)v->field[PRC_FIELD_free])[i], inverse);
    for (int q = 0; q < 6; q++)
        ((prc_real *)v->field[PRC_FIELD_inverse])[q * (long)v->padded_count + i] = inverse[q];
}

static void contact_inverse(const prc_view *v, const prc_active_set *set)
{
    if (!set->device || ((const prc_device_rows *)set->device)->most == 0) {
        run(v, PRC_STAGE_diagonal);
        return;
    }
    const prc_view view = *v;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    prc_each(device_of(v), "rows_inverse", v->padded_count, [=] PRC_DEVICE(int i) {
        prc_real d[6];
        own_block(&view, i, d);
        if (i < view.vertex_count)
            add_blocks(&view, &rows, i, d);
        store_inverse(&view, i, d);
    });
}

#endif
