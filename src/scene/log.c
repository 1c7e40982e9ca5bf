/* scene/log.c — see log.h. Messages, their order, and the source line of each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define SHOWN 100 /* most characters of a source line; a longer one is cut on both sides of the place */

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* ---- sources ---- */

int prc_scene_source_add(prc_scene_sources *sources, const char *path, const char *folder, const char *text,
                         size_t size, int parent)
{
    if (sources->count == PRC_SCENE_FILES)
        return -1;
    prc_scene_source *source = &sources->items[sources->count];
    *source = (prc_scene_source){.path = prc_string_copy(path),
                                 .folder = prc_string_copy(folder),
                                 .text = prc_alloc(size + 1, 1),
                                 .size = size,
                                 .parent = parent};
    sources->count++;
    if (!source->path || !source->folder || !source->text)
        return -1;
    if (size)
        memcpy(source->text, text, size);
    return sources->count - 1;
}

void prc_scene_sources_release(prc_scene_sources *sources)
{
    for (int k = 0; k < sources->count; k++) {
        prc_free(sources->items[k].path);
        prc_free(sources->items[k].folder);
        prc_free(sources->items[k].text);
    }
    sources->count = 0;
}

static const prc_scene_source *find_source(const prc_scene_log *log, int origin)
{
    if (!log->sources || origin >= 0 || -1 - origin >= log->sources->count)
        return NULL;
    return &log->sources->items[-1 - origin];
}

/* The start of a line, and its length without the newline; NULL where the file has no such line. */
static const char *find_line(const prc_scene_source *source, int line, size_t *length)
{
    const char *at = source->text, *end = source->text + source->size;
    for (; line > 1; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return NULL;
        at++;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((stop ? stop : end) - at);
    if (*length && at[*length - 1] == '\r')
        --*length;
    return at;
}

/* Steps over characters, not bytes. */
static size_t skip_characters(const char *text, size_t length, int count)
{
    size_t at = 0;
    for (; count > 0 && at < length; count--)
        do
            at++;
        while (at < length && continues(text[at]));
    return at;
}

const char *prc_scene_source_at(const prc_scene_log *log, int origin, int line, int column, size_t *left)
{
    const prc_scene_source *source = find_source(log, origin);
    size_t length;
    const char *text = source && line > 0 && source->text ? find_line(source, line, &length) : NULL;
    if (!text)
        return NULL;
    size_t at = skip_characters(text, length, column - 1);
    *left = length - at;
    return text + at;
}

/* ---- the line shown below a message ---- */

/* Bytes that a terminal should not get are shown as '?', a tab as one space, so that the caret stands right. */
static void copy_shown(char *to, size_t size, const char *text, size_t length)
{
    size_t used = strlen(to);
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        to[used++] = (char)(byte == '\t' ? ' ' : byte < 32 || byte == 127 ? '?' : byte);
    }
    to[used] = '\0';
}

/* Whether the bytes are whole UTF-8 characters; others are not shown at all. */
static bool is_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char byte = (unsigned char)text[i++];
        int more = byte < 0x80 ? 0 : byte >= 0xC2 && byte < 0xE0 ? 1 : byte >= 0xE0 && byte < 0xF0 ? 2 : 3;
        if (more == 3 && (byte < 0xF0 || byte > 0xF4))
            return false;
        for (; more > 0; more--, i++)
            if (i == length || !continues(text[i]))
                return false;
    }
    return true;
}

static void show_line(const prc_scene_log *log, int origin, int line, int column, char *shown, size_t size, int *caret)
{
    size_t length;
    const prc_scene_source *source = find_source(log, origin);
    const char *text = source && line > 0 && source->text ? find_line(source, line, &length) : NULL;
    shown[0] = '\0';
    *caret = 0;
    if (!text || !is_text(text, length))
        return;
    const bool whole = skip_characters(text, length, SHOWN) == length;
    int before = column - 1, cut = !whole && before > SHOWN * 2 / 3 ? before - SHOWN / 2 : 0;
    size_t start = skip_characters(text, length, cut);
    size_t end = start + skip_characters(text + start, length - start, SHOWN);
    if (start == length && cut)
        return;
    snprintf(shown, size, "%s", cut ? "…" : "");
    copy_shown(shown, size, text + start, end - start);
    if (end < length && strlen(shown) + 4 < size)
        snprintf(shown + strlen(shown), size - strlen(shown), "…");
    *caret = before - cut + (cut ? 1 : 0);
}

/* ---- errors ---- */

/* Errors stand in the order of the files, those of overrides last. */
static bool comes_after(int file, int line, int column, const prc_scene_errors *errors, int slot)
{
    int other = errors->items[slot].file;
    if (file != other)
        return (file < 0 ? INT_MAX : file) > (other < 0 ? INT_MAX : other);
    if (line != errors->items[slot].line)
        return line > errors->items[slot].line;
    return column >= errors->items[slot].column;
}

static void write_place(const prc_scene_log *log, int origin, int line, int column, char *place, size_t size)
{
    const prc_scene_source *source = find_source(log, origin);
    const char *path = source && source->path ? source->path : log->path;
    if (origin >= 0)
        snprintf(place, size, "--set %.200s", log->overrides[origin]);
    else if (line > 0)
        snprintf(place, size, "%.200s:%d:%d", path, line, column);
    else
        snprintf(place, size, "%.200s", path);
}

void prc_scene_report(const prc_scene_log *log, prc_result code, int origin, int line, int column, const char *key,
                      const char *format, ...)
{
    prc_scene_errors *errors = log->errors;
    if (!errors->count)
        errors->code = code;
    if (errors->count++ >= PRC_SCENE_ERRORS)
        return;
    char text[500], place[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_place(log, origin, line, column, place, sizeof place);
    const int file = origin >= 0 ? -1 : -1 - origin;
    int slot = errors->count - 1;
    for (; slot > 0 && !comes_after(file, line, column, errors, slot - 1); slot--)
        errors->items[slot] = errors->items[slot - 1];
    errors->items[slot].file = file;
    errors->items[slot].line = line;
    errors->items[slot].column = column;
    snprintf(errors->items[slot].message, sizeof errors->items[slot].message, "%.290s: %.200s%s%.499s", place, key,
             key[0] ? ": " : "", text);
    show_line(log, origin, line, column, errors->items[slot].source, sizeof errors->items[slot].source,
              &errors->items[slot].caret);
}
