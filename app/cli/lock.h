/* app/cli/lock.h — locks an output folder, so that only one program uses it at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_LOCK_H
#define PRC_CLI_LOCK_H

#include <percale/base.h>

#include "frames.h"

#define PRC_LOCK_NAME ".percale.lock" /* says who, while a folder is locked */

/* Zeroed before first use is not enough: PRC_LOCK_NONE. */
typedef struct prc_lock {
    int folder, file; /* descriptors; −1: none */
    char path[PRC_CLI_PATH + 40];
} prc_lock;

#define PRC_LOCK_NONE ((prc_lock){.folder = -1, .file = -1})

/* Makes sure that no other percale writes into the folder, which must exist; else says which one does. The lock goes
 * with the process, however it ends. One that was held before goes when the new one is there. */
prc_result prc_lock_take(prc_lock *lock, const char *folder, prc_error *error);
void prc_lock_release(prc_lock *lock);

#endif
