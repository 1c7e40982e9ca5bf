/* app/render/movie.c — movies: pictures go to ffmpeg through a pipe as they are drawn.
 *
 * ffmpeg writes a temporary file beside the target, which is renamed at the end, so a movie is complete or absent. The
 * messages of ffmpeg are kept and printed if it fails. Leaves out sound, and other encoders.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "render.h"

#define PATH_SIZE 1100
#define WORDS 48

struct prc_movie {
    char path[PATH_SIZE], part[PATH_SIZE + 40];
    char target[PATH_SIZE + 60]; /* the part for ffmpeg, which takes "a:b" for a protocol and "-y" for an option */
    pid_t child;
    int pipe; /* to ffmpeg; −1: closed */
    FILE *said;
    size_t size; /* of a picture, bytes */
    struct sigaction before;
};

static const char hint[] = "movies need ffmpeg, which is not in PATH (on Debian: apt-get install ffmpeg); pictures do "
                           "not need it: -o picture_%04d.png";

static bool is_in_path(const char *program)
{
    const char *path = getenv("PATH");
    char name[PATH_SIZE];
    for (const char *at = path ? path : ""; *at;) {
        const size_t length = strcspn(at, ":");
        if ((size_t)snprintf(name, sizeof name, "%.*s/%s", (int)length, at, program) < sizeof name &&
            !access(name, X_OK))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Quality that does not show its compression; sizes that play everywhere. A GIF has a palette of its own colours. */
static void fill_words(const prc_movie *m, const char *size, const char *rate, const char *words[WORDS])
{
    static const char *const start[] = {"ffmpeg", "-y",       "-hide_banner", "-loglevel", "error",
                                        "-f",     "rawvideo", "-pix_fmt",     "rgb24",     "-s"};
    static const char *const mp4[] = {"-c:v", "libx264",   "-preset",    "medium", "-crf",
                                      "17",   "-movflags", "+faststart", "-f",     "mp4"};
    static const char *const webm[] = {"-c:v",    "libvpx-vp9", "-crf",      "28", "-b:v", "0",
                                       "-row-mt", "1",          "-cpu-used", "4",  "-f",   "webm"};
    /* Which red, green and blue are meant is said, and not left to the player's guess by size. */
    static const char *const colours[] = {"-vf",
                                          "scale=out_color_matrix=bt709:out_range=tv",
                                          "-pix_fmt",
                                          "yuv420p",
                                          "-colorspace",
                                          "bt709",
                                          "-color_primaries",
                                          "bt709",
                                          "-color_trc",
                                          "bt709",
                                          "-color_range",
                                          "tv"};
    static const char palette[] = "[0:v]split[a][b];[a]palettegen=stats_mode=full[p];"
                                  "[b][p]paletteuse=dither=bayer:bayer_scale=4";
    static const char *const gif[] = {"-filter_complex", palette, "-loop", "0", "-f", "gif"};
    const bool is_gif = prc_render_ends_in(m->path, ".gif"), is_webm = prc_render_ends_in(m->path, ".webm");
    const char *const *end = is_gif ? gif : is_webm ? webm : mp4;
    const size_t count = is_gif    ? sizeof gif / sizeof *gif
                         : is_webm ? sizeof webm / sizeof *webm
                                   : sizeof mp4 / sizeof *mp4;
    size_t n = 0;
    for (size_t k = 0; k < sizeof start / sizeof *start; k++)
        words[n++] = start[k];
    words[n++] = size;
    words[n++] = "-r";
    words[n++] = rate;
    words[n++] = "-i";
    words[n++] = "-";
    for (size_t k = 0; !is_gif && k < sizeof colours / sizeof *colours; k++)
        words[n++] = colours[k];
    for (size_t k = 0; k < count; k++)
        words[n++] = end[k];
    words[n++] = m->target;
    words[n] = NULL;
}

static prc_result start(prc_movie *m, const char *const words[], prc_error *error)
{
    int ends[2];
    if (pipe(ends))
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot open a pipe to ffmpeg: %s", m->path, strerror(errno));
    m->child = fork();
    if (m->child == 0) {
        dup2(ends[0], STDIN_FILENO);
        dup2(fileno(m->said), STDOUT_FILENO);
        dup2(fileno(m->said), STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    close(ends[0]);
    m->pipe = ends[1];
    if (m->child > 0 && fcntl(m->pipe, F_SETFD, FD_CLOEXEC) == 0)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_IO, "%s: ffmpeg cannot be started: %s", m->path, strerror(errno));
}

static void release(prc_movie *m)
{
    if (m->pipe >= 0)
        close(m->pipe);
    if (m->said)
        fclose(m->said);
    sigaction(SIGPIPE, &m->before, NULL);
    prc_free(m);
}

prc_movie *prc_movie_open(const char *path, int width, int height, double rate, prc_error *error)
{
    if (!is_in_path("ffmpeg")) {
        prc_fail(error, PRC_ERROR_IO, "%s: %s", path, hint);
        return NULL;
    }
    prc_movie *m = PRC_NEW(prc_movie, 1);
    if (!m) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    const char *words[WORDS];
    char size[40], speed[40];
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &m->before); /* ffmpeg may end early: writing then fails, and is told */
    m->pipe = -1;
    m->size = 3 * (size_t)width * (size_t)height;
    m->said = tmpfile();
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(speed, sizeof speed, "%.6g", rate);
    prc_result result = PRC_OK;
    if ((size_t)snprintf(m->path, sizeof m->path, "%s", path) >= sizeof m->path)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: the name is too long", path);
    snprintf(m->part, sizeof m->part, "%s.%ld.part", m->path, (long)getpid());
    snprintf(m->target, sizeof m->target, "file:%s", m->part);
    if (!result && !m->said)
        result = prc_fail(error, PRC_ERROR_IO, "%s: cannot create a temporary file: %s", path, strerror(errno));
    fill_words(m, size, speed, words);
    if (!result)
        result = start(m, words, error);
    if (!result)
        return m;
    release(m);
    return NULL;
}

/* The last line of what ffmpeg has said. */
static void last_words(prc_movie *m, char text[200])
{
    char line[400];
    text[0] = '\0';
    rewind(m->said);
    while (fgets(line, sizeof line, m->said)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            snprintf(text, 200, "%.199s", line);
    }
}

static prc_result fail(prc_movie *m, int status, prc_error *error)
{
    char said[200];
    last_words(m, said);
    return prc_fail(error, PRC_ERROR_IO, "%s: ffmpeg could not write it%s%s (exit status %d)", m->path,
                    said[0] ? ": " : "", said, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static int end(prc_movie *m)
{
    int status = 0;
    close(m->pipe);
    m->pipe = -1;
    while (waitpid(m->child, &status, 0) < 0 && errno == EINTR) {
    }
    m->child = 0;
    return status;
}

prc_result prc_movie_add(prc_movie *m, const unsigned char *pixels, prc_error *error)
{
    for (size_t done = 0; done < m->size;) {
        const ssize_t written = write(m->pipe, pixels + done, m->size - done);
        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR) /* it has ended; why, it has said */
            return fail(m, end(m), error);
    }
    return PRC_OK;
}

prc_result prc_movie_close(prc_movie *m, prc_error *error)
{
    const int status = end(m);
    prc_result result = status ? fail(m, status, error) : PRC_OK;
    if (!result && rename(m->part, m->path))
        result = prc_fail(error, PRC_ERROR_IO, "%s: cannot be written: %s", m->path, strerror(errno));
    if (result)
        unlink(m->part);
    release(m);
    return result;
}

void prc_movie_abandon(prc_movie *m)
{
    if (!m)
        return;
    if (m->child > 0) {
        kill(m->child, SIGTERM);
        end(m);
    }
    unlink(m->part);
    release(m);
}
