/* io/clip.c — see clip.h: keeps frames in a temporary file, and writes the formats that are little more than a list of
 * frames.
 *
 * MDD (NewTek's Motion Designer): the numbers of frames and of points, the times of all frames, then the positions, all
 * of 32 bits, big endian. PC2: see pc2.h. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/clip.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/clip_formats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ATTEMPTS 100

static const struct {
    const char *ending;
    prc_clip_writer *write;
} formats[] = {{".glb", prc_clip_write_glb},
               {".usda", prc_clip_write_usda},
               {".mdd", prc_clip_write_mdd},
               {".pc2", prc_clip_write_pc2}};

static prc_clip_writer *find_writer(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof formats / sizeof *formats; k++)
        if (strcasecmp(ending, formats[k].ending) == 0)
            return formats[k].write;
    return NULL;
}

bool prc_clip_is_path(const char *path)
{
    return find_writer(path) != NULL;
}

/* ---- the frames ---- */

/* A file that has no name any more: it goes with the process, however that ends. */
static int open_spool(const char *path, prc_error *error)
{
    const size_t size = strlen(path) + 40;
    char *name = prc_alloc(size, 1);
    int descriptor = -1, failure = 0;
    if (!name) {
        PRC_FAIL_MEMORY(error);
        return -1;
    }
    for (int k = 0; k < ATTEMPTS && descriptor < 0; k++) {
        snprintf(name, size, "%s.%ld-%d.frames.tmp", path, (long)getpid(), k);
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        failure = errno;
        if (descriptor < 0 && failure != EEXIST)
            break;
    }
    if (descriptor >= 0)
        unlink(name);
    else
        prc_file_fail(error, path, "cannot be written", failure);
    prc_free(name);
    return descriptor;
}

static void release(prc_clip *clip)
{
    if (clip->spool >= 0)
        close(clip->spool);
    prc_free(clip->path);
    prc_free(clip->first);
    prc_free(clip->moves);
    prc_free(clip->frame);
    prc_free(clip->before);
    prc_free(clip);
}

prc_clip *prc_clip_open(const char *path, const prc_clip_def *def, prc_error *error)
{
    long long vertices = 0;
    for (int p = 0; p < def->part_count; p++)
        vertices += def->parts[p].vertex_count;
    if (!find_writer(path) || vertices <= 0 || vertices > INT_MAX / 3 || def->frame_count < 1 || !(def->rate > 0)) {
        prc_fail(error, PRC_ERROR_INPUT,
                 "%s: expected frames with vertices, and a name ending in .glb, .usda, .mdd or .pc2", path);
        return NULL;
    }
    prc_clip *clip = PRC_NEW(prc_clip, 1);
    if (clip) {
        clip->def = *def;
        clip->spool = -1;
        clip->vertex_count = (int)vertices;
        clip->path = prc_string_copy(path);
        clip->first = PRC_NEW(int, def->part_count);
        clip->moves = PRC_NEW(bool, def->part_count);
        clip->frame = PRC_NEW(float, 3 * vertices);
        clip->before = PRC_NEW(float, 3 * vertices);
    }
    if (!clip || !clip->path || !clip->first || !clip->moves || !clip->frame || !clip->before) {
        if (clip)
            release(clip);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    for (int p = 1; p < def->part_count; p++)
        clip->first[p] = clip->first[p - 1] + def->parts[p - 1].vertex_count;
    clip->spool = open_spool(path, error);
    if (clip->spool >= 0)
        return clip;
    release(clip);
    return NULL;
}

prc_result prc_clip_add(prc_clip *clip, const double *positions, prc_error *error)
{
    const size_t count = 3 * (size_t)clip->vertex_count;
    if (clip->added == clip->def.frame_count)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: more frames than the %d expected", clip->path, clip->added);
    for (size_t k = 0; k < count; k++) {
        clip->frame[k] = (float)positions[k];
        if (!isfinite(clip->frame[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s: vertex %zu of a frame is not finite in single precision",
                            clip->path, k / 3);
    }
    if (!clip->added)
        memcpy(clip->before, clip->frame, count * sizeof *clip->frame);
    for (int p = 0; p < clip->def.part_count; p++) {
        const size_t first = 3 * (size_t)clip->first[p], size = 3 * (size_t)clip->def.parts[p].vertex_count;
        clip->moves[p] |= memcmp(clip->frame + first, clip->before + first, size * sizeof *clip->frame) != 0;
    }
    const char *from = (const char *)clip->frame;
    for (size_t left = count * sizeof *clip->frame; left;) {
        const ssize_t written = write(clip->spool, from, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return prc_file_fail(error, clip->path, "could not be written", written ? errno : ENOSPC);
        from += written;
        left -= (size_t)written;
    }
    clip->added++;
    return PRC_OK;
}

prc_result prc_clip_read(const prc_clip *clip, int frame, int part, float *to, prc_error *error)
{
    size_t left = 12 * (size_t)clip->def.parts[part].vertex_count;
    off_t at = 12 * ((off_t)clip->vertex_count * frame + clip->first[part]);
    char *into = (char *)to;
    while (left) {
        const ssize_t got = pread(clip->spool, into, left, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return prc_fail(error, PRC_ERROR_IO, "%s: its temporary file cannot be read: %s", clip->path,
                            got ? strerror(errno) : "it has become shorter");
        into += got;
        left -= (size_t)got;
        at += got;
    }
    return PRC_OK;
}

prc_result prc_clip_finish(prc_clip *clip, prc_error *error)
{
    prc_error unheard = {0};
    error = error ? error : &unheard;
    prc_result result = PRC_OK;
    if (clip->added != clip->def.frame_count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: %d frames; expected %d", clip->path, clip->added,
                          clip->def.frame_count);
    prc_file *file = result ? NULL : prc_file_open(clip->path, error);
    if (!result && !file)
        result = error->code;
    if (file)
        result = find_writer(clip->path)(clip, file, error);
    if (file && result)
        prc_file_abandon(file);
    else if (file)
        result = prc_file_commit(file, error);
    release(clip);
    return result;
}

void prc_clip_abandon(prc_clip *clip)
{
    if (clip)
        release(clip);
}

/* ---- what formats share ---- */

void prc_clip_put32(prc_file *file, uint32_t bits, bool big)
{
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++)
        bytes[k] = (unsigned char)(bits >> (8 * (big ? 3 - k : k)));
    prc_file_write(file, bytes, 4);
}

void prc_clip_put_floats(prc_file *file, const float *values, size_t count, bool big)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        prc_clip_put32(file, bits, big);
    }
}

/* Bytes of the character at `text`; 0 where they are none of UTF-8. */
static int character_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const int length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (length == 4 && (c[0] < 0xf0 || c[0] > 0xf4))
        return 0;
    for (int k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    const bool strange = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                         (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f);
    return strange ? 0 : length;
}

bool prc_clip_name(const prc_clip *clip, int part, char name[PRC_CLIP_NAME])
{
    const char *own = clip->def.parts[part].name;
    const bool obstacle = part >= clip->def.body_count;
    size_t used = 0;
    for (int length = 0; own && *own && used + 5 < PRC_CLIP_NAME; own += length ? length : 1) {
        length = character_length(own);
        memcpy(name + used, length && (unsigned char)*own >= ' ' ? own : "_", length ? (size_t)length : 1);
        used += length ? (size_t)length : 1;
    }
    name[used] = '\0';
    if (!used)
        snprintf(name, PRC_CLIP_NAME, "%s %d", obstacle ? "obstacle" : "body",
                 obstacle ? part - clip->def.body_count : part);
    return used > 0;
}

void prc_clip_colour(const prc_clip *clip, int part, double colour[3])
{
    /* Muted cloth colours that keep apart also for most who see few of them. */
    static const double palette[6][3] = {{0.11, 0.28, 0.50}, {0.62, 0.20, 0.10}, {0.10, 0.36, 0.28},
                                         {0.62, 0.44, 0.10}, {0.34, 0.18, 0.40}, {0.30, 0.46, 0.60}};
    for (int k = 0; k < 3; k++)
        colour[k] = part >= clip->def.body_count ? 0.45 : palette[part % 6][k];
}

/* ---- positions and little else ---- */

static prc_result put_frames(const prc_clip *clip, prc_file *file, bool big, prc_error *error)
{
    prc_result result = PRC_OK;
    for (int f = 0; f < clip->def.frame_count && !result; f++)
        for (int p = 0; p < clip->def.part_count && !result; p++) {
            result = prc_clip_read(clip, f, p, clip->frame, error);
            if (!result)
                prc_clip_put_floats(file, clip->frame, 3 * (size_t)clip->def.parts[p].vertex_count, big);
        }
    return result;
}

prc_result prc_clip_write_mdd(const prc_clip *clip, prc_file *file, prc_error *error)
{
    prc_clip_put32(file, (uint32_t)clip->def.frame_count, true);
    prc_clip_put32(file, (uint32_t)clip->vertex_count, true);
    for (int f = 0; f < clip->def.frame_count; f++) {
        const float time = (float)clip->def.times[f];
        prc_clip_put_floats(file, &time, 1, true);
    }
    return put_frames(clip, file, true, error);
}

prc_result prc_clip_write_pc2(const prc_clip *clip, prc_file *file, prc_error *error)
{
    static const char magic[12] = "POINTCACHE2";
    prc_file_write(file, magic, sizeof magic);
    prc_clip_put32(file, 1, false);
    prc_clip_put32(file, (uint32_t)clip->vertex_count, false);
    prc_clip_put_floats(file, (const float[2]){0, 1}, 2, false); /* first frame and sample rate: see pc2.h */
    prc_clip_put32(file, (uint32_t)clip->def.frame_count, false);
    return put_frames(clip, file, false, error);
}
