/* app/cli/stop.c — see stop.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t caught, silent;

static void on_signal(int number)
{
    static const char answer[] = "\npercale: finishing the step, then saving; once more ends at once\n";
    const int before = errno;
    caught = number;
    struct sigaction action = {0}; /* the next one, of either kind, does what signals do */
    action.sa_handler = SIG_DFL;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!silent && write(STDERR_FILENO, answer, sizeof answer - 1) < 0)
        silent = 1;
    errno = before;
}

void prc_stop_catch(bool quiet)
{
    struct sigaction action = {0};
    caught = 0;
    silent = quiet;
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void prc_stop_ignore_limits(void)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, NULL);
}

int prc_stop_signal(void)
{
    return caught;
}
