/* backend/device.h — devices as C sees them: what there is, one for a simulation, its errors and its times.
 *
 * A device is reached through a table, since two kinds of it may be in one library: a GPU, and the same code run by the
 * CPU, for tests. Code that runs on a device includes backend/cuda/device.h instead.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_DEVICE_H
#define PRC_BACKEND_DEVICE_H

#include <percale/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_device_info {
    char name[128];
    size_t memory, memory_free; /* bytes */
    int processors;             /* multiprocessors, or threads */
    int major, minor;           /* compute capability; 0 for the CPU */
    int driver, runtime;        /* versions of CUDA, 1000 major + 10 minor; 0 for the CPU */
} prc_device_info;

/* One line of a profile: all launches under one name. */
typedef struct prc_device_time {
    const char *name;
    long calls;
    double seconds;
} prc_device_time;

/* What a device was asked to do since it was made. */
typedef struct prc_device_counts {
    long launches, waits; /* a wait: the host stood still until the device was done */
    long copies_in, copies_out;
    double bytes_in, bytes_out;
    size_t memory; /* held now, bytes */
} prc_device_counts;

typedef struct prc_device_table {
    const char *name;
    prc_result (*find)(prc_device_info *info, prc_error *error);
    void *(*create)(prc_error *error);
    void (*destroy)(void *device);
    prc_result (*status)(void *device, prc_error *error);
    void (*profile)(void *device, bool on);
    bool (*profile_at)(void *device, int k, prc_device_time *time);
    void (*count)(void *device, prc_device_counts *counts);
    void (*fail_after)(void *device, long launches);
    void *(*parcel_create)(void *device, size_t bytes, prc_error *error);
    void (*parcel_destroy)(void *parcel);
    void (*parcel_put)(void *parcel, size_t at, const void *from, size_t bytes);
    void (*parcel_send)(void *parcel);
    const void *(*parcel_open)(void *parcel, prc_error *error);
} prc_device_table;

/* The table of that kind, or NULL with the reason: the library was built without it. */
const prc_device_table *prc_device_kind(prc_backend_kind kind, prc_error *error);

/* Whether there is such a device that this library can use, and what it is. The error says what is missing (the library
 * was built without, no driver, no device, too old a driver or device) and what to do. */
prc_result prc_device_find(prc_backend_kind kind, prc_device_info *info, prc_error *error);

/* A context of its own for one simulation; NULL with an error. One thread at a time may use it. For tests of programs,
 * PERCALE_LOSE_DEVICE in the environment says after how many launches it is lost, as prc_device_fail_after does. */
void *prc_device_create(prc_backend_kind kind, prc_error *error);
void prc_device_destroy(void *device); /* may be NULL */

/* Waits for all work, parcels included, and gives the first error of the device, if there was one. After an error
 * everything asked of the device is left undone. */
prc_result prc_device_check(void *device, prc_error *error);

/* Switched on, every launch is timed under its name, which costs some microseconds each; switched off, what was
 * measured stays. Entry k (from 0) of what was measured, the longest first; false past the last. */
void prc_device_profile(void *device, bool on);
bool prc_device_profile_next(void *device, int k, prc_device_time *time);

prc_device_counts prc_device_count(void *device);

/* Bytes on their way out, beside the work of the device: `put` takes them over in the order of that work, as they are
 * then, into memory of the device that nothing else writes to; `send`, when all are there, starts the copy to the host.
 * None of these waits. `open` waits for that copy alone, in any thread, and gives the bytes, valid until the parcel is
 * used again; or NULL with the error that kept them. Only an opened parcel may be used again. */
void *prc_device_parcel_create(void *device, size_t bytes, prc_error *error); /* NULL when out of memory */
void prc_device_parcel_destroy(void *parcel);                                 /* before its device; may be NULL */
void prc_device_parcel_put(void *parcel, size_t at, const void *from, size_t bytes);
void prc_device_parcel_send(void *parcel);
const void *prc_device_parcel_open(void *parcel, prc_error *error);

/* For tests, of devices on the host that are made after it: outside of launches and copies the memory of the device is
 * out of reach, and within a launch the `bytes` at `host` are, whole pages from which the library has its memory
 * (prc_set_allocator). So whoever mixes up host and device falls here as on a GPU. A NULL switches it off. */
void prc_device_on_host_guard(void *host, size_t bytes);

/* For tests: with so many more launches and copies the device is lost. */
void prc_device_fail_after(void *device, long launches);

/* The tables themselves; each is there only where the library was built with it. */
extern const prc_device_table prc_device_cuda, prc_device_on_host;

#ifdef __cplusplus
}
#endif
#endif
