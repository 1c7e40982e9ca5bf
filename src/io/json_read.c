/* io/json_read.c — see json_read.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_read.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    prc_json_tree *tree;
    const char *path;
    prc_error *error;
    char *at, *end;
    int *open; /* values whose container is not closed yet */
    int open_count, open_capacity;
    int depth;
    int line;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static prc_result
fail_here(const reader *r, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: %s", r->path, r->line, what);
}

static void skip_blanks(reader *r)
{
    for (; r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'); r->at++)
        r->line += *r->at == '\n';
}

static prc_result expected(const reader *r, const char *what)
{
    if (r->at >= r->end)
        return fail_here(r, "the JSON text ends here; expected %s", what);
    const unsigned char c = (unsigned char)*r->at;
    if (c > ' ' && c < 127)
        return fail_here(r, "found '%c'; expected %s", c, what);
    return fail_here(r, "found the byte %d; expected %s", c, what);
}

/* ---- the tree ---- */

static prc_result add_int(const reader *r, int **list, int *count, int *capacity, int value)
{
    if (*count == *capacity) {
        const int wanted = *capacity ? 2 * *capacity : 256;
        int *grown = prc_grow(*list, (size_t)*count, (size_t)wanted, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->error);
        *list = grown;
        *capacity = wanted;
    }
    (*list)[(*count)++] = value;
    return PRC_OK;
}

/* A new value, which is one of those whose container is open. */
static prc_result add_value(reader *r, const char *key, int *index)
{
    prc_json_tree *tree = r->tree;
    if (tree->count == PRC_JSON_VALUES)
        return fail_here(r, "more than %d values", PRC_JSON_VALUES);
    if (tree->count == tree->capacity) {
        const int capacity = tree->capacity ? 2 * tree->capacity : 256;
        prc_json_value *grown = prc_grow(tree->values, (size_t)tree->count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->error);
        tree->values = grown;
        tree->capacity = capacity;
    }
    *index = tree->count;
    tree->values[tree->count++] = (prc_json_value){.key = key};
    return add_int(r, &r->open, &r->open_count, &r->open_capacity, *index);
}

/* The values since `from` are the members of this one. */
static prc_result close_container(reader *r, int index, int from)
{
    prc_json_tree *tree = r->tree;
    tree->values[index].first = tree->member_count;
    tree->values[index].count = r->open_count - from;
    prc_result result = PRC_OK;
    for (int k = from; k < r->open_count && !result; k++)
        result = add_int(r, &tree->members, &tree->member_count, &tree->member_capacity, r->open[k]);
    r->open_count = from;
    return result;
}

/* ---- texts ---- */

static int hex_digits(const reader *r, const char *at)
{
    int value = 0;
    for (int k = 0; k < 4; k++) {
        const char c = at + k < r->end ? at[k] : '\0';
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* Puts a code point as UTF-8, which is never longer than its escape. */
static char *put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* \uXXXX, two of them for characters beyond 16 bits. `at` is behind the u. */
static prc_result read_code(reader *r, char **to)
{
    const int high = hex_digits(r, r->at);
    if (high <= 0) /* zero would end the text */
        return fail_here(r, "found '\\u' without four digits of a nonzero character");
    unsigned code = (unsigned)high;
    r->at += 4;
    if (high >= 0xd800 && high < 0xe000) {
        const int low = r->at + 1 < r->end && r->at[0] == '\\' && r->at[1] == 'u' ? hex_digits(r, r->at + 2) : -1;
        if (high >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
            return fail_here(r, "found an unpaired surrogate '\\u'");
        code = 0x10000 + (((unsigned)high - 0xd800) << 10) + ((unsigned)low - 0xdc00);
        r->at += 6;
    }
    *to = put_character(*to, code);
    return PRC_OK;
}

static prc_result read_escape(reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->end ? *r->at : '\0';
    const char *found = c ? strchr(names, c) : NULL;
    if (c == 'u') {
        r->at++;
        return read_code(r, to);
    }
    if (!found)
        return fail_here(r, "invalid escape after '\\' in a string");
    *(*to)++ = means[found - names];
    r->at++;
    return PRC_OK;
}

/* Unescapes in place; the text ends with a zero byte where its quote was. */
static prc_result read_text(reader *r, const char **text)
{
    char *to = ++r->at;
    *text = to;
    prc_result result = PRC_OK;
    while (!result && r->at < r->end && *r->at != '"') {
        const char c = *r->at++;
        if (c == '\\')
            result = read_escape(r, &to);
        else if ((unsigned char)c < ' ')
            result = fail_here(r, "found the byte %d in a string; expected its end, or an escape", c);
        else
            *to++ = c;
    }
    if (result)
        return result;
    if (r->at >= r->end)
        return fail_here(r, "a string is not closed");
    r->at++;
    *to = '\0';
    return PRC_OK;
}

/* ---- values ---- */

static char *skip_digits(char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static prc_result read_number(reader *r, double *number)
{
    char *at = r->at + (*r->at == '-'), *digits = at;
    at = skip_digits(at, r->end);
    bool good = at > digits && (*digits != '0' || at == digits + 1);
    if (good && at < r->end && *at == '.') {
        digits = at + 1;
        at = skip_digits(digits, r->end);
        good = at > digits;
    }
    if (good && at < r->end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        digits += digits < r->end && (*digits == '+' || *digits == '-');
        at = skip_digits(digits, r->end);
        good = at > digits;
    }
    if (!good)
        return fail_here(r, "expected a JSON number: -12, 0.5, 1e-3");
    *number = strtod(r->at, NULL);
    if (!isfinite(*number))
        return fail_here(r, "found a number that is too large");
    r->at = at;
    return PRC_OK;
}

static bool accept_word(reader *r, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static prc_result read_value(reader *r, const char *key); /* NOLINT(misc-no-recursion): bounded */

/* NOLINTNEXTLINE(misc-no-recursion): bounded by PRC_JSON_NESTING */
static prc_result read_member(reader *r, bool object)
{
    const char *key = NULL;
    skip_blanks(r);
    if (object) {
        if (r->at >= r->end || *r->at != '"')
            return expected(r, "a key in quotes");
        prc_result result = read_text(r, &key);
        if (result)
            return result;
        skip_blanks(r);
        if (r->at >= r->end || *r->at != ':')
            return expected(r, "':' after a key");
        r->at++;
    }
    return read_value(r, key);
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by PRC_JSON_NESTING */
static prc_result read_container(reader *r, int index, bool object)
{
    const char close = object ? '}' : ']';
    const int from = r->open_count;
    if (r->depth == PRC_JSON_NESTING)
        return fail_here(r, "more than %d levels of brackets", PRC_JSON_NESTING);
    r->depth++;
    r->at++;
    skip_blanks(r);
    prc_result result = PRC_OK;
    bool more = r->at >= r->end || *r->at != close;
    while (!result && more) {
        result = read_member(r, object);
        skip_blanks(r);
        more = !result && r->at < r->end && *r->at == ',';
        if (more)
            r->at++;
    }
    if (!result && (r->at >= r->end || *r->at != close))
        result = expected(r, object ? "',' or '}'" : "',' or ']'");
    if (result)
        return result;
    r->at++;
    r->depth--;
    return close_container(r, index, from);
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by PRC_JSON_NESTING */
static prc_result read_value(reader *r, const char *key)
{
    int index = 0;
    skip_blanks(r);
    if (r->at >= r->end)
        return expected(r, "a value");
    prc_result result = add_value(r, key, &index);
    if (result)
        return result;
    const char c = *r->at;
    prc_json_value value = r->tree->values[index];
    value.kind = c == '{' ? PRC_JSON_OBJECT : c == '[' ? PRC_JSON_ARRAY : c == '"' ? PRC_JSON_TEXT : PRC_JSON_NULL;
    r->tree->values[index].kind = value.kind;
    if (c == '{' || c == '[')
        return read_container(r, index, c == '{');
    if (c == '"') {
        result = read_text(r, &value.text);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        value.kind = PRC_JSON_NUMBER;
        result = read_number(r, &value.number);
    } else if (accept_word(r, "true")) {
        value.kind = PRC_JSON_BOOL;
        value.number = 1;
    } else if (accept_word(r, "false")) {
        value.kind = PRC_JSON_BOOL;
    } else if (!accept_word(r, "null")) {
        result = expected(r, "a value");
    }
    r->tree->values[index] = value;
    return result;
}

prc_result prc_json_read(prc_json_tree *tree, const char *path, char *text, size_t length, prc_error *error)
{
    *tree = (prc_json_tree){0};
    reader r = {.tree = tree, .path = path, .error = error, .at = text, .end = text + length, .line = 1};
    prc_result result = read_value(&r, NULL);
    skip_blanks(&r);
    if (!result && r.at < r.end)
        result = expected(&r, "the end of the JSON text");
    prc_free(r.open);
    if (result)
        prc_json_tree_release(tree);
    return result;
}

void prc_json_tree_release(prc_json_tree *tree)
{
    prc_free(tree->values);
    prc_free(tree->members);
    *tree = (prc_json_tree){0};
}

const prc_json_value *prc_json_member(const prc_json_tree *tree, const prc_json_value *value, int k)
{
    return &tree->values[tree->members[value->first + k]];
}

const prc_json_value *prc_json_find(const prc_json_tree *tree, const prc_json_value *value, const char *key)
{
    for (int k = 0; value && value->kind == PRC_JSON_OBJECT && k < value->count; k++) {
        const prc_json_value *member = prc_json_member(tree, value, k);
        if (!strcmp(member->key, key))
            return member->kind == PRC_JSON_NULL ? NULL : member;
    }
    return NULL;
}
