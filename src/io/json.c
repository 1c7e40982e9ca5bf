/* io/json.c — see json.h. Text is written as UTF-8; only characters that RFC 8259 requires are escaped.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void write_text(prc_json *json, const char *text)
{
    prc_file_write(json->file, "\"", 1);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            prc_file_printf(json->file, "\\%c", c);
        else if (c < 0x20)
            prc_file_printf(json->file, "\\u%04x", c);
        else
            prc_file_write(json->file, text, 1);
    }
    prc_file_write(json->file, "\"", 1);
}

static void new_line(prc_json *json)
{
    if (!json->line)
        prc_file_printf(json->file, "\n%*s", 2 * json->depth, "");
}

/* What stands before a value: comma, line, key. */
static void begin_value(prc_json *json, const char *key)
{
    assert(json->depth > 0 && (key != NULL) == (json->closing[json->depth - 1] == '}'));
    bool *filled = &json->filled[json->depth - 1];
    if (*filled)
        prc_file_write(json->file, ", ", json->line ? 2 : 1);
    *filled = true;
    new_line(json);
    if (key) {
        write_text(json, key);
        prc_file_write(json->file, ": ", 2);
    }
}

static void open_level(prc_json *json, char opening, char closing)
{
    assert(json->depth < PRC_JSON_DEPTH);
    prc_file_write(json->file, &opening, 1);
    json->closing[json->depth] = closing;
    json->filled[json->depth++] = false;
}

prc_json prc_json_begin(prc_file *file)
{
    prc_json json = {.file = file};
    open_level(&json, '{', '}');
    return json;
}

prc_json prc_json_begin_line(prc_file *file)
{
    prc_json json = {.file = file, .line = true};
    open_level(&json, '{', '}');
    return json;
}

void prc_json_object(prc_json *json, const char *key)
{
    begin_value(json, key);
    open_level(json, '{', '}');
}

void prc_json_array(prc_json *json, const char *key)
{
    begin_value(json, key);
    open_level(json, '[', ']');
}

void prc_json_end(prc_json *json)
{
    assert(json->depth > 0);
    json->depth--;
    if (json->filled[json->depth])
        new_line(json);
    prc_file_write(json->file, &json->closing[json->depth], 1);
    if (!json->depth)
        prc_file_write(json->file, "\n", 1);
}

void prc_json_real(prc_json *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        prc_file_printf(json->file, "%.12g", value);
    else
        prc_file_printf(json->file, "null");
}

void prc_json_int(prc_json *json, const char *key, long long value)
{
    begin_value(json, key);
    prc_file_printf(json->file, "%lld", value);
}

void prc_json_bool(prc_json *json, const char *key, bool value)
{
    begin_value(json, key);
    prc_file_printf(json->file, value ? "true" : "false");
}

void prc_json_text(prc_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        write_text(json, text);
    else
        prc_file_printf(json->file, "null");
}
