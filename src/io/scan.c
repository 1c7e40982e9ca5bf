/* io/scan.c — see scan.h. Numbers are read in the calling thread's locale, see prc_mesh_read.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/scan.h"

#include "base/error.h"
#include "base/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

prc_scan prc_scan_begin(const char *path, const char *data, size_t size, prc_error *error)
{
    return (prc_scan){.path = path, .error = error, .begin = data, .at = data, .end = data + size, .line = 1};
}

/* ---- messages ---- */

prc_result prc_scan_fail(const prc_scan *s, const char *format, ...)
{
    char what[400], where[48];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (s->bytes)
        snprintf(where, sizeof where, ": byte %lld", (long long)(s->at - s->begin));
    else
        snprintf(where, sizeof where, ":%lld", s->line);
    return prc_fail(s->error, PRC_ERROR_INPUT, "%s%s: %s", s->path, where, what);
}

/* Blanks within a line; a continued line is one line with a vertical tab in it. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == '\0';
}

static int quoted_length(const prc_scan *s)
{
    int length = 0;
    while (s->at + length < s->end && length < PRC_SCAN_FOUND && (unsigned char)s->at[length] > ' ' &&
           (unsigned char)s->at[length] < 127)
        length++;
    return length;
}

prc_result prc_scan_unexpected(prc_scan *s, const char *expected)
{
    if (!prc_scan_skip(s))
        return prc_scan_fail(s, "the %s ends; expected %s", s->one_line && s->at < s->end ? "line" : "file", expected);
    int length = quoted_length(s);
    if (!length)
        return prc_scan_fail(s, "found a byte of value %d; expected %s", (unsigned char)*s->at, expected);
    return prc_scan_fail(s, "found '%.*s'; expected %s", length, s->at, expected);
}

/* ---- words ---- */

bool prc_scan_skip(prc_scan *s)
{
    while (s->at < s->end && (is_blank(*s->at) || (*s->at == '\n' && !s->one_line)))
        s->line += *s->at++ == '\n';
    return s->at < s->end && *s->at != '\n';
}

bool prc_scan_next_line(prc_scan *s)
{
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = newline ? newline + 1 : s->end;
    s->line += newline != NULL;
    return s->at < s->end;
}

const char *prc_scan_word(prc_scan *s, char word[PRC_SCAN_WORD])
{
    int length = 0;
    prc_scan_skip(s);
    while (s->at < s->end && !ends_word(*s->at)) {
        if (length < PRC_SCAN_WORD - 1)
            word[length++] = *s->at;
        s->at++;
    }
    word[length] = '\0';
    return word;
}

bool prc_scan_accept(prc_scan *s, const char *word)
{
    const size_t length = strlen(word);
    if (!prc_scan_skip(s) || (size_t)(s->end - s->at) < length || strncasecmp(s->at, word, length) != 0 ||
        (s->at + length < s->end && !ends_word(s->at[length])))
        return false;
    s->at += length;
    return true;
}

const char *prc_scan_rest(prc_scan *s, size_t *length)
{
    while (s->at < s->end && is_blank(*s->at))
        s->at++;
    const char *begin = s->at, *newline = memchr(begin, '\n', (size_t)(s->end - begin));
    s->at = newline ? newline : s->end;
    *length = (size_t)(s->at - begin);
    while (*length && is_blank(begin[*length - 1]))
        --*length;
    return begin;
}

prc_result prc_scan_any_number(prc_scan *s, double *value, const char *expected)
{
    if (!prc_scan_skip(s))
        return prc_scan_unexpected(s, expected);
    char *end;
    *value = strtod(s->at, &end);
    if (end == s->at || end > s->end || (end < s->end && !ends_word(*end)))
        return prc_scan_unexpected(s, expected);
    s->at = end;
    return PRC_OK;
}

prc_result prc_scan_number(prc_scan *s, double *value, const char *expected)
{
    prc_scan_skip(s);
    prc_scan before = *s;
    prc_result result = prc_scan_any_number(s, value, expected);
    return result || isfinite(*value) ? result : prc_scan_unexpected(&before, expected);
}

prc_result prc_scan_whole(prc_scan *s, long long low, long long high, long long *value, const char *expected)
{
    if (!prc_scan_skip(s))
        return prc_scan_unexpected(s, expected);
    char *end;
    *value = strtoll(s->at, &end, 10); /* beyond its range it is the largest, which no bound allows */
    if (end == s->at || end > s->end || (end < s->end && !ends_word(*end)) || *value < low || *value > high)
        return prc_scan_unexpected(s, expected);
    s->at = end;
    return PRC_OK;
}

/* ---- room ---- */

prc_result prc_scan_room(const prc_scan *s, long long count, size_t bytes, const char *what)
{
    const unsigned long long left = (unsigned long long)(s->end - s->at) + 1; /* the last may lack its newline */
    if (count < 0 || (unsigned long long)count > left / (bytes ? bytes : 1))
        return prc_scan_fail(s, "%lld %s are declared, more than the rest of the file can contain", count, what);
    return PRC_OK;
}

prc_result prc_scan_vertices(const prc_scan *s, long long count)
{
    if (count <= PRC_MOST_READ_VERTICES)
        return PRC_OK;
    return prc_fail(s->error, PRC_ERROR_INPUT, "%s: %lld vertices; expected at most %d", s->path, count,
                    PRC_MOST_READ_VERTICES);
}

/* ---- binary ---- */

uint64_t prc_scan_bits(const char *at, int size, bool big)
{
    uint64_t bits = 0;
    for (int k = 0; k < size; k++)
        bits |= (uint64_t)(unsigned char)at[k] << (8 * (big ? size - 1 - k : k));
    return bits;
}

static prc_result need(const prc_scan *s, uint64_t size)
{
    if ((uint64_t)(s->end - s->at) >= size)
        return PRC_OK;
    return prc_scan_fail(s, "the file ends %lld bytes from here; expected at least %llu more",
                         (long long)(s->end - s->at), (unsigned long long)size);
}

prc_result prc_scan_pass(prc_scan *s, uint64_t size)
{
    prc_result result = need(s, size);
    if (!result)
        s->at += size;
    return result;
}

prc_result prc_scan_int32(prc_scan *s, int32_t *value)
{
    prc_result result = need(s, 4);
    if (result)
        return result;
    *value = (int32_t)(uint32_t)prc_scan_bits(s->at, 4, s->big);
    s->at += 4;
    return PRC_OK;
}

prc_result prc_scan_uint64(prc_scan *s, uint64_t *value)
{
    prc_result result = need(s, 8);
    if (result)
        return result;
    *value = prc_scan_bits(s->at, 8, s->big);
    s->at += 8;
    return PRC_OK;
}

prc_result prc_scan_real(prc_scan *s, int size, double *value)
{
    prc_result result = need(s, (uint64_t)size);
    if (result)
        return result;
    const uint64_t bits = prc_scan_bits(s->at, size, s->big);
    if (size == 4) {
        const uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof single);
        *value = (double)single;
    } else {
        memcpy(value, &bits, sizeof *value);
    }
    if (!isfinite(*value))
        return prc_scan_fail(s, "found %g; expected a finite number", *value);
    s->at += size;
    return PRC_OK;
}
