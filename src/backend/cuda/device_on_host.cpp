/* backend/cuda/device_on_host.cpp — the device that is the CPU: memory is memory, and everything is done at once.
 *
 * It is there to test what runs on a GPU, so it helps to find mistakes: new memory is full of NaN (and −1), host and
 * device can be kept from each other's memory, and sums are taken in the order of the GPU. No speed is sought. Nothing
 * of the C++ library is used, so that C programs can link it. SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/ledger.h"

#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

PRC_DEVICE_BEGIN

struct parcel;

struct prc_device {
    const prc_device_table *table; /* first: backend/device.c looks here */
    prc_ledger ledger;
    int entry; /* of the launch under way, while profiling */
    double started;
    char *arena; /* with a guard: all memory of the device; NULL without */
    size_t arena_used;
    uint64_t note;
    uint64_t noted; /* notes that have been given out */
    prc_buffer<uint64_t> sort_keys;
    prc_buffer<int> sort_values;
    parcel *parcels; /* all there are */
};

/* The guard. What lies here stays in reach when the host's memory does not. One launch at a time. */
static struct {
    void *host;
    size_t host_bytes;
    bool host_closed;
    char *arena; /* of the device that is at work, NULL for none */
    size_t arena_used;
} guard;

/* Of a guarded device: address space, not memory. Nothing in it is used twice. */
#define ARENA_BYTES ((size_t)16 << 30)

static void guard_open(const prc_device *d)
{
    if (!d->arena)
        return;
    guard.arena = d->arena;
    guard.arena_used = d->arena_used;
    mprotect(guard.arena, guard.arena_used, PROT_READ | PROT_WRITE);
}

static void guard_close()
{
    if (!guard.arena)
        return;
    if (guard.host_closed)
        mprotect(guard.host, guard.host_bytes, PROT_READ | PROT_WRITE);
    mprotect(guard.arena, guard.arena_used, PROT_NONE);
    guard.host_closed = false;
    guard.arena = NULL;
}

static void *arena_take(prc_device *d, size_t bytes)
{
    const size_t place = (d->arena_used + 255) / 256 * 256;
    if (bytes > ARENA_BYTES - place)
        return NULL;
    d->arena_used = place + bytes;
    return d->arena + place;
}

bool prc_device_failed(const prc_device *d)
{
    return d->ledger.error.code != PRC_OK;
}

void prc_device_fail(prc_device *d, prc_result code, const char *message)
{
    if (!prc_device_failed(d))
        prc_fail(&d->ledger.error, code, "%s", message);
}

bool prc_device_forgive(prc_device *d)
{
    d->ledger.error.code = PRC_OK; /* nothing can break here */
    return true;
}

/* ---- parcels ---- */

/* One arrives as late as it can: when it is opened, or when the device is waited for. Opening may be in another thread,
 * so that the two have to agree on who copies. */
enum { EMPTY, FLYING, ARRIVING, ARRIVED, LOST };

struct parcel {
    const prc_device_table *table; /* first: backend/device.c looks here */
    prc_device *device;
    parcel *next;
    char *staging, *host;
    size_t bytes;
    int where;
};

static void arrive(parcel *p, int where)
{
    int flying = FLYING;
    if (!__atomic_compare_exchange_n(&p->where, &flying, ARRIVING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    guard_open(p->device);
    if (where == ARRIVED)
        memcpy(p->host, p->staging, p->bytes);
    guard_close();
    __atomic_store_n(&p->where, where, __ATOMIC_RELEASE);
}

prc_result prc_device_status(prc_device *d, prc_error *error)
{
    for (parcel *p = d->parcels; p; p = p->next)
        arrive(p, prc_device_failed(d) ? LOST : ARRIVED);
    if (prc_device_failed(d) && error)
        *error = d->ledger.error;
    return d->ledger.error.code;
}

void prc_device_too_large(prc_device *d, size_t count, size_t size)
{
    if (!prc_device_failed(d))
        prc_fail(&d->ledger.error, PRC_ERROR_MEMORY,
                 "device on the host: out of memory: %zu items of %zu bytes were requested", count, size);
}

/* Above what any machine has; sanitizers stop a program that asks for so much. */
#define MOST_BYTES ((size_t)1 << 46)

void *prc_device_allocate(prc_device *d, size_t bytes)
{
    if (prc_device_failed(d))
        return NULL;
    const size_t size = bytes ? bytes : 1;
    void *memory = bytes >= MOST_BYTES ? NULL : d->arena ? arena_take(d, size) : prc_alloc(size, 1);
    if (!memory) {
        prc_fail(
            &d->ledger.error, PRC_ERROR_MEMORY,
            "device on the host: out of memory: %.3g GB more were requested, and %.3g GB are in use; use a smaller "
            "scene",
            (double)bytes * 1e-9, (double)d->ledger.counts.memory * 1e-9);
        return NULL;
    }
    guard_open(d);
    memset(memory, 0xff, bytes);
    guard_close();
    d->ledger.counts.memory += bytes;
    return memory;
}

void prc_device_free(prc_device *d, void *memory, size_t bytes)
{
    d->ledger.counts.memory -= bytes;
    if (!d->arena)
        prc_free(memory);
}

/* What the runtime does by itself reaches both memories. */
static bool begin(prc_device *d, const char *name)
{
    if (prc_device_failed(d))
        return false;
    if (!prc_ledger_launch(&d->ledger, name))
        return false;
    if (d->ledger.profiling) {
        d->entry = prc_ledger_entry(&d->ledger, name);
        d->started = prc_seconds();
    }
    guard_open(d);
    return true;
}

bool prc_launch_begin(prc_device *d, const char *name)
{
    if (!begin(d, name))
        return false;
    if (guard.arena) {
        guard.host_closed = true;
        mprotect(guard.host, guard.host_bytes, PROT_NONE);
    }
    return true;
}

void prc_launch_end(prc_device *d)
{
    guard_close();
    if (d->ledger.profiling)
        prc_ledger_add(&d->ledger, d->entry, prc_seconds() - d->started);
}

void prc_copy_in(prc_device *d, void *device, const void *host, size_t bytes)
{
    if (!bytes || !begin(d, "copy in"))
        return;
    d->ledger.counts.copies_in++;
    d->ledger.counts.bytes_in += (double)bytes;
    memcpy(device, host, bytes);
    prc_launch_end(d);
}

void prc_copy_out(prc_device *d, void *host, const void *device, size_t bytes)
{
    if (!bytes)
        return;
    if (!begin(d, "copy out")) {
        memset(host, 0, bytes);
        return;
    }
    d->ledger.counts.copies_out++;
    d->ledger.counts.waits++;
    d->ledger.counts.bytes_out += (double)bytes;
    memcpy(host, device, bytes);
    prc_launch_end(d);
}

void prc_copy_out_later(prc_device *d, void *host, const void *device, size_t bytes)
{
    if (!bytes || !begin(d, "copy out"))
        return;
    d->ledger.counts.copies_out++;
    d->ledger.counts.bytes_out += (double)bytes;
    memcpy(host, device, bytes);
    prc_launch_end(d);
}

void prc_memory_pin(prc_device *, void *, size_t)
{
}

void prc_memory_unpin(prc_device *, void *)
{
}

void prc_copy_within(prc_device *d, void *to, const void *from, size_t bytes)
{
    if (!bytes || !begin(d, "copy within"))
        return;
    memcpy(to, from, bytes);
    prc_launch_end(d);
}

void prc_fill(prc_device *d, void *to, int byte, size_t bytes)
{
    if (!bytes || !begin(d, "fill"))
        return;
    memset(to, byte, bytes);
    prc_launch_end(d);
}

void prc_wait(prc_device *d)
{
    d->ledger.counts.waits++;
}

volatile uint64_t *prc_device_note(prc_device *d)
{
    return &d->note;
}

uint64_t prc_note_begin(prc_device *d, uint64_t count)
{
    d->noted += count;
    return d->noted - count;
}

bool prc_note_await(prc_device *d, uint64_t)
{
    return !prc_device_failed(d);
}

void prc_scan(prc_device *d, const int *in, int *out, int n)
{
    if (!begin(d, "scan"))
        return;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
    out[n] = sum;
    prc_launch_end(d);
}

/* By digits of 8 bits, lowest first. An odd number of passes ends in the second arrays, and is copied back. */
template <class K> static void sort(prc_device *d, K *keys, int *values, int n, int bits)
{
    if (n <= 1 || !prc_reserve(d, &d->sort_keys, (size_t)n) || !prc_reserve(d, &d->sort_values, (size_t)n) ||
        !begin(d, "sort"))
        return;
    K *from = keys, *to = (K *)d->sort_keys.data;
    int *value_from = values, *value_to = d->sort_values.data;
    for (int shift = 0; shift < bits; shift += 8) {
        const K mask = bits - shift >= 8 ? 255 : (K)((1 << (bits - shift)) - 1);
        int start[257] = {0};
        for (int i = 0; i < n; i++)
            start[((from[i] >> shift) & mask) + 1]++;
        for (int k = 0; k < 256; k++)
            start[k + 1] += start[k];
        for (int i = 0; i < n; i++) {
            const int place = start[(from[i] >> shift) & mask]++;
            to[place] = from[i];
            value_to[place] = value_from[i];
        }
        K *swapped = from;
        from = to;
        to = swapped;
        int *value_swapped = value_from;
        value_from = value_to;
        value_to = value_swapped;
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
        memcpy(values, value_from, (size_t)n * sizeof *values);
    }
    prc_launch_end(d);
}

void prc_sort(prc_device *d, uint32_t *keys, int *values, int n, int bits)
{
    sort(d, keys, values, n, bits);
}

void prc_sort(prc_device *d, uint64_t *keys, int *values, int n, int bits)
{
    sort(d, keys, values, n, bits);
}

void prc_sum(prc_device *d, const double *columns, long stride, long n, int count, double *results)
{
    prc_each_folded<prc_fold_sum>(
        d, "sum", n, [](int) {}, columns, stride, count, results);
}

void prc_max(prc_device *d, const double *columns, long stride, long n, int count, double *results)
{
    prc_each_folded<prc_fold_largest>(
        d, "max", n, [](int) {}, columns, stride, count, results);
}

/* ---- what C sees ---- */

static void parcel_destroy(void *memory)
{
    parcel *p = (parcel *)memory;
    parcel **link = &p->device->parcels;
    while (*link && *link != p)
        link = &(*link)->next;
    if (*link)
        *link = p->next;
    if (p->staging)
        prc_device_free(p->device, p->staging, p->bytes);
    prc_free(p->host);
    prc_free(p);
}

static void *parcel_create(void *device, size_t bytes, prc_error *error)
{
    prc_device *d = (prc_device *)device;
    if (prc_device_status(d, error))
        return NULL;
    parcel *p = PRC_NEW(parcel, 1);
    if (!p) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    p->table = &prc_device_on_host;
    p->device = d;
    p->bytes = bytes;
    p->host = PRC_NEW(char, bytes);
    p->staging = p->host ? (char *)prc_device_allocate(d, bytes) : NULL;
    if (!p->staging) {
        if (!p->host)
            PRC_FAIL_MEMORY(error);
        else
            prc_parcel_refused(d, error);
        parcel_destroy(p);
        return NULL;
    }
    p->next = d->parcels;
    d->parcels = p;
    return p;
}

static void parcel_put(void *memory, size_t at, const void *from, size_t bytes)
{
    parcel *p = (parcel *)memory;
    prc_copy_within(p->device, p->staging + at, from, bytes);
}

static void parcel_send(void *memory)
{
    parcel *p = (parcel *)memory;
    prc_device *d = p->device;
    d->ledger.counts.copies_out++;
    d->ledger.counts.bytes_out += (double)p->bytes;
    __atomic_store_n(&p->where, prc_device_failed(d) ? LOST : FLYING, __ATOMIC_RELEASE);
}

static const void *parcel_open(void *memory, prc_error *error)
{
    parcel *p = (parcel *)memory;
    int where;
    arrive(p, ARRIVED);
    while ((where = __atomic_load_n(&p->where, __ATOMIC_ACQUIRE)) == ARRIVING)
        sched_yield();
    if (where != LOST)
        return p->host;
    prc_fail(error, PRC_ERROR_DEVICE, "the device was lost before its data were copied out");
    return NULL;
}

static prc_result find(prc_device_info *info, prc_error *error)
{
    (void)error;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "device on the host");
    info->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    info->memory = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    info->memory_free = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    return PRC_OK;
}

static void *create(prc_error *error)
{
    prc_device *d = PRC_NEW(prc_device, 1);
    if (!d)
        PRC_FAIL_MEMORY(error);
    else
        d->table = &prc_device_on_host;
    if (d && guard.host) {
        void *arena = mmap(NULL, ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        d->arena = arena == MAP_FAILED ? NULL : (char *)arena;
    }
    return d;
}

static void destroy(void *device)
{
    prc_device *d = (prc_device *)device;
    prc_release(d, &d->sort_keys);
    prc_release(d, &d->sort_values);
    if (d->arena)
        munmap(d->arena, ARENA_BYTES);
    prc_free(d);
}

static prc_result status(void *device, prc_error *error)
{
    return prc_device_status((prc_device *)device, error);
}

static void profile(void *device, bool on)
{
    ((prc_device *)device)->ledger.profiling = on;
}

static bool profile_at(void *device, int k, prc_device_time *time)
{
    return prc_ledger_at(&((prc_device *)device)->ledger, k, time);
}

static void count(void *device, prc_device_counts *counts)
{
    *counts = ((prc_device *)device)->ledger.counts;
}

static void fail_after(void *device, long launches)
{
    ((prc_device *)device)->ledger.fail_after = launches;
}

PRC_DEVICE_END

void prc_device_on_host_guard(void *host, size_t bytes)
{
    guard.host = host;
    guard.host_bytes = bytes;
}

extern "C" const prc_device_table prc_device_on_host = {
    "device on the host", find,          create,         destroy,    status,      profile,    profile_at, count,
    fail_after,           parcel_create, parcel_destroy, parcel_put, parcel_send, parcel_open};
