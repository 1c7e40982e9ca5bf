/* app/cli/stop.c — see stop.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* One wish may come as several signals: a terminal sends Ctrl-C to all processes in the foreground, and a shell or
 * queue among them may pass it on. */
#define SAME_WISH 1 /* s */

static volatile sig_atomic_t caught, silent;
static struct timespec when; /* of the first one */

/* Ends the program as the signal would have: it is held back until the handler returns. */
static void end_by(int number)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
    raise(number);
}

static void on_signal(int number)
{
    static const char answer[] =
        "\npercale: stopping and saving; a second signal after one second or more ends at once\n";
    const int before = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!caught) {
        caught = number;
        when = now;
        if (!silent && write(STDERR_FILENO, answer, sizeof answer - 1) < 0)
            silent = 1;
    } else if ((double)(now.tv_sec - when.tv_sec) + 1e-9 * (double)(now.tv_nsec - when.tv_nsec) > SAME_WISH) {
        end_by(number);
    }
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
