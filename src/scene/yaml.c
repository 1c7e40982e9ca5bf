/* scene/yaml.c — reads YAML text into a tree, through libfyaml's events.
 *
 * Events instead of libfyaml's documents, so that aliases are expanded here within limits, and a duplicate key is an
 * error with a place. A build without libfyaml (PRC_HAVE_FYAML not defined) refuses scene files with a message. Tags
 * and merge keys are not supported. SPDX-License-Identifier: Apache-2.0 */
#include "scene/tree.h"

#ifdef PRC_HAVE_FYAML

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_KEYS 1000 /* of one table: keys are searched one by one */
#define MOST_ANCHORS 1000

typedef struct frame {
    prc_node *node;
    const char *key; /* waits for its value */
    int key_line, key_column;
    const char *anchor;
    bool leave_out; /* the value that is waited for: the key was there before */
} frame;

typedef struct builder {
    const prc_scene_log *log;
    prc_tree *tree;
    int origin;
    frame stack[PRC_TREE_DEPTH];
    int depth;
    struct {
        const char *name;
        const prc_node *node;
    } anchors[MOST_ANCHORS];
    int anchor_count;
    prc_node *root;
    int line, column; /* of the event at hand */
    int documents;
} builder;

/* Reports at the event at hand; the result ends the reading. */
__attribute__((format(printf, 2, 3))) static prc_result fail(const builder *b, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    prc_scene_report(b->log, PRC_ERROR_INPUT, b->origin, b->line, b->column, "", "%s", message);
    return PRC_ERROR_INPUT;
}

static prc_result fail_memory(builder *b)
{
    if (b->tree->node_count >= PRC_TREE_NODES)
        return fail(b, "the scene has more than %d values, with aliases expanded", PRC_TREE_NODES);
    prc_scene_report(b->log, PRC_ERROR_MEMORY, b->origin, b->line, b->column, "", "out of memory");
    return PRC_ERROR_MEMORY;
}

static void set_place(builder *b, struct fy_token *token)
{
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    if (mark) {
        b->line = mark->line + 1;
        b->column = mark->column + 1;
    }
}

static const char *token_text(builder *b, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    return prc_tree_text(b->tree, text ? text : "", text ? length : 0);
}

/* Hangs a finished node where it belongs: at the root, in a list, or under the key that waits in a table. */
static prc_result attach(builder *b, prc_node *node)
{
    if (!b->depth) {
        b->root = node;
        return PRC_OK;
    }
    frame *top = &b->stack[b->depth - 1];
    if (top->node->kind == PRC_NODE_MAP) {
        node->key = (char *)top->key;
        node->key_line = top->key_line;
        node->key_column = top->key_column;
        top->key = NULL;
        if (top->leave_out)
            return PRC_OK;
    }
    prc_node_append(top->node, node);
    return PRC_OK;
}

static prc_result remember(builder *b, const char *anchor, const prc_node *node)
{
    if (!anchor)
        return PRC_OK;
    if (b->anchor_count == MOST_ANCHORS)
        return fail(b, "more than %d anchors", MOST_ANCHORS);
    b->anchors[b->anchor_count].name = anchor;
    b->anchors[b->anchor_count++].node = node;
    return PRC_OK;
}

static prc_result take_key(builder *b, frame *top, struct fy_token *token)
{
    const char *key = token_text(b, token);
    if (!key)
        return fail_memory(b);
    const prc_node *earlier = prc_node_find(top->node, key);
    if (earlier)
        fail(b, "duplicate key '%.60s'; it was first given on line %d", key, earlier->key_line);
    if (b->log->errors->count > PRC_SCENE_ERRORS)
        return PRC_ERROR_INPUT;
    top->leave_out = earlier != NULL;
    if (top->node->count >= MOST_KEYS)
        return fail(b, "more than %d keys in one table", MOST_KEYS);
    top->key = key;
    top->key_line = b->line;
    top->key_column = b->column;
    return PRC_OK;
}

static bool wants_key(const builder *b)
{
    return b->depth && b->stack[b->depth - 1].node->kind == PRC_NODE_MAP && !b->stack[b->depth - 1].key;
}

static bool means_null(const char *text)
{
    return !text[0] || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") || !strcmp(text, "NULL");
}

static prc_result take_scalar(builder *b, const struct fy_event_scalar_data *scalar)
{
    set_place(b, scalar->value);
    bool quoted = scalar->value && fy_token_scalar_style(scalar->value) != FYSS_PLAIN;
    b->column -= quoted; /* libfyaml points behind the quote */
    if (wants_key(b))
        return take_key(b, &b->stack[b->depth - 1], scalar->value);
    const char *text = token_text(b, scalar->value);
    prc_node *node = prc_tree_node(b->tree, PRC_NODE_SCALAR, b->origin, b->line, b->column);
    const char *anchor = scalar->anchor ? token_text(b, scalar->anchor) : NULL;
    if (!text || !node || (scalar->anchor && !anchor))
        return fail_memory(b);
    node->text = (char *)text;
    node->quoted = quoted;
    if (!quoted && means_null(text))
        node->kind = PRC_NODE_NULL;
    prc_result result = remember(b, anchor, node);
    return result ? result : attach(b, node);
}

static prc_result open_collection(builder *b, prc_node_kind kind, struct fy_token *start, struct fy_token *anchor)
{
    set_place(b, start);
    if (wants_key(b))
        return fail(b, "a list or table cannot be a key");
    if (b->depth == PRC_TREE_DEPTH)
        return fail(b, "nested more than %d levels deep", PRC_TREE_DEPTH);
    frame *top = &b->stack[b->depth];
    *top = (frame){0};
    top->node = prc_tree_node(b->tree, kind, b->origin, b->line, b->column);
    top->anchor = anchor ? token_text(b, anchor) : NULL;
    if (!top->node || (anchor && !top->anchor))
        return fail_memory(b);
    b->depth++;
    return PRC_OK;
}

/* An anchor counts from here on, so that an alias can never lie inside what it names. */
static prc_result close_collection(builder *b)
{
    if (b->depth <= 0)
        return fail(b, "a list or table ends that was not begun");
    frame top = b->stack[--b->depth];
    prc_result result = remember(b, top.anchor, top.node);
    return result ? result : attach(b, top.node);
}

static prc_result take_alias(builder *b, struct fy_token *token)
{
    set_place(b, token);
    b->column--; /* libfyaml points behind the asterisk */
    const char *name = token_text(b, token);
    if (!name)
        return fail_memory(b);
    if (wants_key(b))
        return fail(b, "the alias *%.60s cannot be a key", name);
    for (int a = b->anchor_count - 1; a >= 0; a--) {
        if (strcmp(b->anchors[a].name, name) != 0)
            continue;
        if (b->depth + b->anchors[a].node->height >= PRC_TREE_DEPTH)
            return fail(b, "nested more than %d levels deep through *%.60s", PRC_TREE_DEPTH, name);
        prc_node *copy = prc_tree_copy(b->tree, b->anchors[a].node);
        return copy ? attach(b, copy) : fail_memory(b);
    }
    fail(b, "the alias *%.60s has no anchor &%.60s before it", name, name);
    prc_node *nothing = prc_tree_node(b->tree, PRC_NODE_BROKEN, b->origin, b->line, b->column);
    return nothing ? attach(b, nothing) : fail_memory(b);
}

static prc_result take_event(builder *b, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++b->documents > 1) {
            set_place(b, event->document_start.document_start);
            return fail(b, "a second document begins; a scene is one document");
        }
        return PRC_OK;
    case FYET_SCALAR:
        return take_scalar(b, &event->scalar);
    case FYET_ALIAS:
        return take_alias(b, event->alias.anchor);
    case FYET_SEQUENCE_START:
        return open_collection(b, PRC_NODE_LIST, event->sequence_start.sequence_start, event->sequence_start.anchor);
    case FYET_MAPPING_START:
        return open_collection(b, PRC_NODE_MAP, event->mapping_start.mapping_start, event->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_collection(b);
    default:
        return PRC_OK;
    }
}

/* What the words of libfyaml most often mean. */
static const char *explain(const char *message)
{
    static const char *const hints[][2] = {
        {"multiline plain key", "; is a space missing after a ':'?"},    {"tab character", "; use spaces"},
        {"flow", "; is a bracket or a comma missing, here or above?"},   {"quoted scalar", "; is the quote closed?"},
        {"indentation", "; keys of one table begin in the same column"},
    };
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (strstr(message, hints[k][0]))
            return hints[k][1];
    return "";
}

static prc_result syntax_error(builder *b, struct fy_diag *diag)
{
    void *cursor = NULL;
    const struct fy_diag_error *found = fy_diag_errors_iterate(diag, &cursor);
    if (!found)
        return fail(b, "this is not YAML");
    if (found->line > 0) {
        b->line = found->line;
        b->column = found->column;
    }
    const char *message = found->msg ? found->msg : "syntax error";
    return fail(b, "this is not YAML: %s%s", message, explain(message));
}

static prc_result parse(builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
    struct fy_event *event;
    prc_result result = PRC_OK;
    while (!result && (event = fy_parser_parse(parser))) {
        result = take_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (!result && fy_parser_get_stream_error(parser))
        result = syntax_error(b, diag);
    return result;
}

/* Where the first byte stands that is not UTF-8 text, or the size. libfyaml would take some of them. */
static size_t find_bad_byte(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        unsigned char lead = bytes[i];
        size_t more = lead < 0x80 ? 0 : lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : 3;
        if ((more == 3 && (lead < 0xF0 || lead > 0xF4)) || more >= size - i)
            return i;
        if ((lead < 32 && lead != '\t' && lead != '\n' && lead != '\r') || lead == 127)
            return i;
        for (size_t k = 1; k <= more; k++)
            if ((bytes[i + k] & 0xC0) != 0x80)
                return i;
        /* Forms that are longer than need be, halves of UTF-16 pairs, and what lies beyond Unicode. */
        if ((lead == 0xE0 && bytes[i + 1] < 0xA0) || (lead == 0xED && bytes[i + 1] > 0x9F) ||
            (lead == 0xF0 && bytes[i + 1] < 0x90) || (lead == 0xF4 && bytes[i + 1] > 0x8F))
            return i;
        i += more + 1;
    }
    return size;
}

static bool check_text(builder *b, const char *text, size_t size)
{
    const size_t bad = find_bad_byte(text, size);
    if (bad == size)
        return true;
    b->line = b->column = 1;
    for (size_t i = 0; i < bad; i++) {
        b->column += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == '\n') {
            b->line++;
            b->column = 1;
        }
    }
    fail(b, "byte 0x%02x is not text; expected a file in UTF-8", (unsigned char)text[bad]);
    return false;
}

static prc_result read_text(builder *b, const char *text, size_t size)
{
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    struct fy_parser *parser = NULL;
    if (diag) {
        fy_diag_set_collect_errors(diag, true);
        struct fy_parse_cfg cfg = {.search_path = "", .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2, .diag = diag};
        parser = fy_parser_create(&cfg);
    }
    prc_result result =
        parser && fy_parser_set_string(parser, text, size) == 0 ? parse(b, parser, diag) : fail_memory(b);
    if (parser)
        fy_parser_destroy(parser);
    if (diag)
        fy_diag_destroy(diag);
    return result;
}

prc_node *prc_yaml_read(const prc_scene_log *log, prc_tree *tree, const char *text, size_t size, int origin)
{
    builder *b = PRC_NEW(builder, 1);
    if (!b) {
        prc_scene_report(log, PRC_ERROR_MEMORY, origin, 0, 0, "", "out of memory");
        return NULL;
    }
    *b = (builder){.log = log, .tree = tree, .origin = origin, .line = 1, .column = 1};
    prc_node *root = NULL;
    if (check_text(b, text, size) && !read_text(b, text, size)) {
        root = b->root ? b->root : prc_tree_node(tree, PRC_NODE_NULL, origin, 1, 1);
        if (!root)
            fail_memory(b);
    }
    prc_free(b);
    return root;
}

#else

prc_node *prc_yaml_read(const prc_scene_log *log, prc_tree *tree, const char *text, size_t size, int origin)
{
    (void)tree, (void)text, (void)size;
    prc_scene_report(log, PRC_ERROR_INPUT, origin, 0, 0, "",
                     "this build cannot read scene files; install libfyaml (Debian: libfyaml-dev) and configure again");
    return NULL;
}

#endif
