/* app/cli/lock.c — see lock.h.
 *
 * Two locks of the system, both of which go with their process: one on the folder itself, which needs no file and so no
 * room and no permission, and one on a file in it, because some file systems (NFS) lock files only, and because the
 * file says who holds it. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define ATTEMPTS 40 /* 50 ms apart: a percale that was killed a moment ago may still be on its way out */

/* File systems that know no locks are taken as they are. */
static bool is_held_elsewhere(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

/* Whether the file is still the one of that name: who held it removes it when he goes. */
static bool is_there(int descriptor, const char *path)
{
    struct stat open_file, named;
    return fstat(descriptor, &open_file) == 0 && lstat(path, &named) == 0 && open_file.st_ino == named.st_ino &&
           open_file.st_dev == named.st_dev;
}

static void sign(int descriptor)
{
    char text[200], host[100] = "";
    gethostname(host, sizeof host - 1);
    const int length = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host[0] ? host : "?");
    /* That nothing could be written is no harm: the lock holds. */
    if (ftruncate(descriptor, 0) || pwrite(descriptor, text, (size_t)length, 0) != length)
        errno = 0;
}

static void read_holder(const char *path, char holder[200])
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t size = descriptor < 0 ? 0 : read(descriptor, holder, 199);
    holder[size > 0 ? size : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    if (descriptor >= 0)
        close(descriptor);
}

/* Locks what can be; false where somebody else does, with nothing kept. */
static bool attempt(prc_lock *lock, const char *folder)
{
    lock->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->folder < 0 || is_held_elsewhere(lock->folder))
        return false;
    lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock->file < 0) /* no room or no permission: what is written next says so */
        return true;
    if (is_held_elsewhere(lock->file) || !is_there(lock->file, lock->path))
        return false;
    sign(lock->file);
    return true;
}

static void let_go(prc_lock *lock)
{
    if (lock->file >= 0)
        close(lock->file);
    if (lock->folder >= 0)
        close(lock->folder);
    lock->file = lock->folder = -1;
}

prc_result prc_lock_take(prc_lock *lock, const char *folder, prc_error *error)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    prc_lock taken = PRC_LOCK_NONE;
    snprintf(taken.path, sizeof taken.path, "%.*s/%s", PRC_CLI_PATH, folder, PRC_LOCK_NAME);
    for (int k = 0; !attempt(&taken, folder); k++) {
        char holder[200];
        if (taken.folder < 0)
            return prc_fail(error, PRC_ERROR_IO, "%s: cannot be opened: %s", folder, strerror(errno));
        let_go(&taken);
        if (k + 1 == ATTEMPTS) {
            read_holder(taken.path, holder);
            return prc_fail(error, PRC_ERROR_IO, "%s: another percale is using this folder%s%s%s", folder,
                            holder[0] ? " (" : "", holder, holder[0] ? ")" : "");
        }
        nanosleep(&pause, NULL);
    }
    prc_lock_release(lock);
    *lock = taken;
    return PRC_OK;
}

void prc_lock_release(prc_lock *lock)
{
    if (lock->file >= 0) /* while it is locked: so it is nobody else's */
        unlink(lock->path);
    let_go(lock);
}
