/* app/render/bar.c — progress of pictures: a bar on a terminal, a line now and then elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render.h"

#define CELLS 30
#define REFRESH 0.1 /* s, on a terminal */
#define INTERVAL 10 /* s, elsewhere */

prc_bar prc_bar_begin(bool quiet)
{
    const char *term = getenv("TERM");
    prc_bar bar = {.stream = quiet ? NULL : stdout, .started = prc_cli_seconds()};
    bar.terminal = isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
    bar.shown = bar.started;
    return bar;
}

void prc_bar_show(prc_bar *bar, int done, int count)
{
    const double now = prc_cli_seconds();
    if (!bar->stream || count < 2 || done < 1 || now - bar->shown < (bar->terminal ? REFRESH : INTERVAL))
        return;
    const int left = (int)ceil((now - bar->started) / done * (count - done)), filled = CELLS * done / count;
    bar->shown = now;
    if (bar->terminal) {
        fputs("\r[", bar->stream);
        for (int k = 0; k < CELLS; k++)
            fputc(k < filled ? '#' : '-', bar->stream);
        fprintf(bar->stream, "] picture %d of %d, %d:%02d left \033[K", done, count, left / 60, left % 60);
    } else {
        fprintf(bar->stream, "picture %d of %d, %d:%02d left\n", done, count, left / 60, left % 60);
    }
    fflush(bar->stream);
}

void prc_bar_end(prc_bar *bar)
{
    if (bar->stream && bar->terminal) {
        fputs("\r\033[K", bar->stream);
        fflush(bar->stream);
    }
    bar->stream = NULL;
}
