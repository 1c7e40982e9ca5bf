/* percale/base.h — results, errors, version.
 *
 * Conventions of the whole library:
 *  - SI units everywhere. Membrane moduli are per length (N/m), bending stiffness is in N·m,
 *    density is per area (kg/m²).
 *  - Positions and velocities cross this interface as double, interleaved x y z, whatever the
 *    precision of the solver.
 *  - Fill a `*_def` struct with its `*_def_default()` function, edit it, and pass it in. Defs and the data
 *    they point to are read during the call only; the caller keeps ownership.
 *  - Functions that can fail return a prc_result and describe the failure in a prc_error (which may be
 *    NULL). The library never prints, exits or aborts on bad input.
 *  - Fields of defs have the names of scene-file keys; src/schema/schema.inl lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_BASE_H
#define PERCALE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRC_VERSION_MAJOR 0
#define PRC_VERSION_MINOR 1
#define PRC_VERSION_PATCH 0
#define PRC_VERSION "0.1.0"

typedef enum prc_result {
    PRC_OK = 0,
    PRC_ERROR_INPUT = 1,   /* an invalid value, mesh or file; the message says which */
    PRC_ERROR_MEMORY = 2,  /* out of memory; nothing was changed */
    PRC_ERROR_IO = 3,      /* a file could not be read or written */
    PRC_ERROR_STATE = 4,   /* the step could not be completed; the last accepted state is kept */
    PRC_ERROR_DEVICE = 5,  /* a GPU is missing, cannot be used or has failed; the message says which */
    PRC_ERROR_STOPPED = 6, /* stopped by the caller, see prc_sim_set_interrupt; the last accepted state is kept */
} prc_result;

typedef struct prc_error {
    prc_result code;
    char message[500]; /* one line, without a newline: where, what was found, what to do */
} prc_error;

/* Version of the linked library, which may differ from PRC_VERSION of the header. */
const char *prc_version(void);

/* The memory functions of the library; malloc and free if both pointers are NULL. `size` is in bytes; the result must
 * have at least the alignment of malloc. Set once, before anything is created. */
typedef struct prc_allocator {
    void *(*allocate)(size_t size, void *context);
    void (*release)(void *memory, void *context);
    void *context;
} prc_allocator;

/* Uses `allocator` for all memory from now on. */
void prc_set_allocator(prc_allocator allocator);

#ifdef __cplusplus
}
#endif
#endif
