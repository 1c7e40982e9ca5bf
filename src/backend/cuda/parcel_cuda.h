/* backend/cuda/parcel_cuda.h — parcels of a GPU: copies out beside its work. A part of device.cu.
 *
 * In the order of the work a parcel is gathered in staging memory, at the speed of the device's memory; from there a
 * second stream brings it to pinned memory of the host. One staging memory serves all parcels: who gathers the next
 * waits, on the device, until the last has left. SPDX-License-Identifier: Apache-2.0 */
struct parcel {
    const prc_device_table *table; /* first: backend/device.c looks here */
    prc_device *device;
    char *host;
    size_t bytes;
    cudaEvent_t arrived;
    prc_error error; /* of the device, when the parcel was sent */
    uint64_t number; /* of all that were sent */
};

static bool prepare_parcels(prc_device *d)
{
    if (d->beside)
        return true;
    return enter(d) && good(d, cudaEventCreateWithFlags(&d->staged, cudaEventDisableTiming), "make an event") &&
           good(d, cudaEventCreateWithFlags(&d->left, cudaEventDisableTiming), "make an event") &&
           good(d, cudaStreamCreateWithFlags(&d->beside, cudaStreamNonBlocking), "make a stream");
}

static void parcel_destroy(void *memory)
{
    parcel *p = (parcel *)memory;
    cudaSetDevice(p->device->ordinal);
    if (p->arrived) {
        cudaEventSynchronize(p->arrived);
        cudaEventDestroy(p->arrived);
    }
    cudaGetLastError();
    if (p->host)
        prc_memory_unpin(p->device, p->host);
    prc_free(p->host);
    prc_free(p);
}

static void *parcel_create(void *device, size_t bytes, prc_error *error)
{
    prc_device *d = (prc_device *)device;
    if (prc_device_status(d, error)) /* waits: the staging memory may grow, and nothing must be leaving it then */
        return NULL;
    parcel *p = PRC_NEW(parcel, 1);
    if (!p) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    p->table = &prc_device_cuda;
    p->device = d;
    p->bytes = bytes;
    p->host = PRC_NEW(char, bytes);
    if (!p->host)
        PRC_FAIL_MEMORY(error);
    if (p->host && prepare_parcels(d) && prc_reserve_keep(d, &d->staging, bytes) &&
        good(d, cudaEventCreateWithFlags(&p->arrived, cudaEventDisableTiming), "make an event")) {
        prc_memory_pin(d, p->host, bytes);
        return p;
    }
    if (p->host)
        prc_parcel_refused(d, error);
    parcel_destroy(p);
    return NULL;
}

/* In the order of the device's work. What went out before has left the staging memory when this is written. */
static void parcel_put(void *memory, size_t at, const void *from, size_t bytes)
{
    parcel *p = (parcel *)memory;
    prc_device *d = p->device;
    if (enter(d) && good(d, cudaStreamWaitEvent(d->stream, d->left, 0), "copy a parcel out"))
        prc_copy_within(d, d->staging.data + at, from, bytes);
}

static void parcel_send(void *memory)
{
    parcel *p = (parcel *)memory;
    prc_device *d = p->device;
    if (enter(d) && good(d, cudaEventRecord(d->staged, d->stream), "copy a parcel out") &&
        good(d, cudaStreamWaitEvent(d->beside, d->staged, 0), "copy a parcel out") &&
        good(d, cudaMemcpyAsync(p->host, d->staging.data, p->bytes, cudaMemcpyDeviceToHost, d->beside),
             "copy a parcel out") &&
        good(d, cudaEventRecord(d->left, d->beside), "copy a parcel out") &&
        good(d, cudaEventRecord(p->arrived, d->beside), "copy a parcel out")) {
        d->ledger.counts.copies_out++;
        d->ledger.counts.bytes_out += (double)p->bytes;
        d->flying = true;
        p->number = ++d->sent;
    }
    p->error = d->ledger.error;
}

/* May be in another thread: nothing of the device is touched but what never changes, and `landed`. A GPU that is lost
 * answers no question any more, also not about what arrived long ago. */
static const void *parcel_open(void *memory, prc_error *error)
{
    parcel *p = (parcel *)memory;
    if (p->error.code != PRC_OK) { /* whatever it was: the parcel is lost with what the device holds */
        prc_fail(error, PRC_ERROR_DEVICE, "%s", p->error.message);
        return NULL;
    }
    if (__atomic_load_n(&p->device->landed, __ATOMIC_ACQUIRE) >= p->number)
        return p->host;
    cudaError_t result = cudaSetDevice(p->device->ordinal);
    if (result == cudaSuccess)
        result = cudaEventSynchronize(p->arrived);
    if (result == cudaSuccess)
        return p->host;
    cudaGetLastError();
    prc_fail(error, PRC_ERROR_DEVICE,
             "the GPU failed before its data were copied out: %s; continue from the last checkpoint, with backend: cpu "
             "if this happens again",
             cudaGetErrorString(result));
    return NULL;
}
