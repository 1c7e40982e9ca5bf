/* schema/schema.c — the schema list as tables in memory: defaults, releasing, and texts for messages.
 *
 * Range checks of defs are in schema/check.c; scene files are read in scene/reader.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "schema/schema.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "schema/spec.h"

/* Enumerators are read and written as int. */
_Static_assert(sizeof(prc_material_model) == sizeof(int), "enums are int-sized");

static const char *const precision_names[] = {"single", "double", NULL};
static const char *const backend_names[] = {"auto", "cpu", "cuda", "device_on_host", NULL};
static const char *const integrator_names[] = {"euler", "bdf2", NULL};
static const char *const method_names[] = {"newton", "ncg", "anderson", "chebyshev", "jacobi", "sissm", NULL};
static const char *const preconditioner_names[] = {"auto", "jacobi", "multilevel", NULL};
static const char *const format_names[] = {"ply", "vtkhdf", "obj", "pc2", NULL}; /* the bits of prc_format */
static const char *const unconverged_names[] = {"stop", "go_on", NULL};
static const char *const body_kind_names[] = {"membrane", "particles", NULL};
static const char *const rest_names[] = {"mesh", "texture", NULL};
static const char *const discretisation_names[] = {"averaged", "least_squares", "paper", NULL};
static const char *const pattern_names[] = {"regular", "alternating", "irregular", NULL};
static const char *const lattice_names[] = {"cubic", "hexagonal", NULL};
static const char *const packing_names[] = {"box", "sphere", "cylinder", NULL};
static const char *const motion_names[] = {"fixed", NULL};
static const char *const follow_names[] = {"number", "nearest", NULL};
static const char *const channel_names[] = {"red", "green", "blue", "alpha", "gray", NULL};
static const char *const ease_names[] = {"linear", "smooth", NULL};
static const char *const contact_method_names[] = {"barrier", "projection", NULL};
static const char *const start_names[] = {"refuse", "push_apart", "exempt", NULL};
static const char *const pressure_names[] = {"constant", "gas", NULL};
static const char *const shape_names[] = {"plane", "sphere", "capsule", "cylinder", "box", "cone", "mesh", NULL};
#define BASE_NAMES "a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6"
static const char *const term_names[] = {BASE_NAMES, NULL};
static const char *const model_names[] = {BASE_NAMES,    "sum",           "stvk", "corotated", "neo_hookean_2d",
                                          "neo_hookean", "mooney_rivlin", "yeoh", "ogden",     "fung",
                                          "orthotropic", "curve",         NULL};
_Static_assert(sizeof model_names / sizeof *model_names == PRC_MODEL_COUNT + 1, "a name for every model");

#define PRC_SCENE_ONLY 0
#define LAST(names) ((int)(sizeof(names) / sizeof *(names)) - 2) /* the enumerator of the last name */
#define V2(a, b)                                                                                                       \
    {                                                                                                                  \
        a, b                                                                                                           \
    }
#define V3(a, b, c)                                                                                                    \
    {                                                                                                                  \
        a, b, c                                                                                                        \
    }
#define ANY                                                                                                            \
    {                                                                                                                  \
        -DBL_MAX, DBL_MAX, false, false                                                                                \
    }
#define ABOVE(low)                                                                                                     \
    {                                                                                                                  \
        low, DBL_MAX, true, false                                                                                      \
    }
#define AT_LEAST(low)                                                                                                  \
    {                                                                                                                  \
        low, DBL_MAX, false, false                                                                                     \
    }
#define BETWEEN(low, high)                                                                                             \
    {                                                                                                                  \
        low, high, false, false                                                                                        \
    }
#define INSIDE(low, high)                                                                                              \
    {                                                                                                                  \
        low, high, true, true                                                                                          \
    }
#define UNTIL                                                                                                          \
    {                                                                                                                  \
        -DBL_MAX, INFINITY, false, false                                                                               \
    }
#define BOUND                                                                                                          \
    {                                                                                                                  \
        -INFINITY, INFINITY, false, false                                                                              \
    }

#define TABLE(id, core, whole, mark, note_) static const prc_key id##_keys[] = {
#define END(id)                                                                                                        \
    }                                                                                                                  \
    ;
#define REAL(owner, field, fallback_, range_, unit_, note_)                                                            \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_REAL,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = range_,                                                                                                  \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define VECTOR(owner, field, count_, fallbacks, range_, unit_, note_)                                                  \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_VECTOR,                                                                                           \
     .offset = offsetof(owner, field),                                                                                 \
     .count = count_,                                                                                                  \
     .fallback = fallbacks,                                                                                            \
     .range = range_,                                                                                                  \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define INT(owner, field, fallback_, low_, high_, required_, note_)                                                    \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_INT,                                                                                              \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = BETWEEN(low_, high_),                                                                                    \
     .required = required_,                                                                                            \
     .unit = "",                                                                                                       \
     .note = note_},
#define INTS(owner, field, count_, fallbacks, low_, high_, note_)                                                      \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_INTS,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count = count_,                                                                                                  \
     .fallback = fallbacks,                                                                                            \
     .range = BETWEEN(low_, high_),                                                                                    \
     .unit = "",                                                                                                       \
     .note = note_},
#define BODIES(owner, field, count_, note_)                                                                            \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_BODIES,                                                                                           \
     .offset = offsetof(owner, field),                                                                                 \
     .count = count_,                                                                                                  \
     .range = BETWEEN(0, 2147483647),                                                                                  \
     .required = true,                                                                                                 \
     .unit = "",                                                                                                       \
     .note = note_},
#define BODY(owner, field, note_)                                                                                      \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_BODY,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {-1},                                                                                                 \
     .range = BETWEEN(-1, 2147483647),                                                                                 \
     .unit = "",                                                                                                       \
     .note = note_},
#define BODY_LIST(owner, field, number, note_)                                                                         \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_BODYLIST,                                                                                         \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .range = BETWEEN(0, 2147483647),                                                                                  \
     .unit = "",                                                                                                       \
     .note = note_},
#define BOOL(owner, field, fallback_, note_)                                                                           \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_BOOL,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = BETWEEN(0, 1),                                                                                           \
     .unit = "",                                                                                                       \
     .note = note_},
#define ENUM(owner, field, names_, fallback_, note_)                                                                   \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_ENUM,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = BETWEEN(0, LAST(names_)),                                                                                \
     .names = names_,                                                                                                  \
     .unit = "",                                                                                                       \
     .note = note_},
#define NAMES(owner, field, names_, fallback_, note_)                                                                  \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_NAMES,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = {0, (2 << LAST(names_)) - 1, false, false},                                                              \
     .names = names_,                                                                                                  \
     .unit = "",                                                                                                       \
     .note = note_},
#define TEXT(owner, field, note_)                                                                                      \
    {.name = #field, .type = PRC_KEY_TEXT, .offset = offsetof(owner, field), .unit = "", .note = note_},
#define PATH(owner, field, note_)                                                                                      \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_TEXT,                                                                                             \
     .is_path = true,                                                                                                  \
     .offset = offsetof(owner, field),                                                                                 \
     .unit = "",                                                                                                       \
     .note = note_},
#define VARIABLES(owner, field, note_)                                                                                 \
    {.name = #field, .type = PRC_KEY_SYMBOLS, .offset = offsetof(owner, field), .unit = "", .note = note_},
#define INCLUDE(owner, field, note_)                                                                                   \
    {.name = #field, .type = PRC_KEY_INCLUDE, .offset = offsetof(owner, field), .unit = "", .note = note_},
#define REALS(owner, field, number, most, range_, unit_, note_)                                                        \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_REALS,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .count = most,                                                                                                    \
     .range = range_,                                                                                                  \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define PAIRS(owner, field, number, most, unit_, note_)                                                                \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_PAIRS,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .count = most,                                                                                                    \
     .range = ANY,                                                                                                     \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define INT_LIST(owner, field, number, low_, high_, note_)                                                             \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_INT_LIST,                                                                                         \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .range = BETWEEN(low_, high_),                                                                                    \
     .unit = "",                                                                                                       \
     .note = note_},
#define POINTS(owner, field, unit_, note_)                                                                             \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_POINTS,                                                                                           \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 3,                                                                                                       \
     .range = ANY,                                                                                                     \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define LINES(owner, field, unit_, note_)                                                                              \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_LINES,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count = 3,                                                                                                       \
     .range = ANY,                                                                                                     \
     .unit = unit_,                                                                                                    \
     .note = note_},
#define SUBTABLE(owner, name_, offset_, id, required_, note_)                                                          \
    {.name = #name_,                                                                                                   \
     .type = PRC_KEY_TABLE,                                                                                            \
     .offset = offset_,                                                                                                \
     .table_offset = offset_,                                                                                          \
     .table = PRC_TABLE_##id,                                                                                          \
     .required = required_,                                                                                            \
     .unit = "",                                                                                                       \
     .note = note_},
#define ARRAY(owner, field, number, most, id, note_)                                                                   \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_ARRAY,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .count = most,                                                                                                    \
     .table = PRC_TABLE_##id,                                                                                          \
     .unit = "",                                                                                                       \
     .note = note_},
#define LIST(owner, field, number, id, required_, note_)                                                               \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_LIST,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .table = PRC_TABLE_##id,                                                                                          \
     .required = required_,                                                                                            \
     .unit = "",                                                                                                       \
     .note = note_},
#define LIST_OR_FILE(owner, field, number, id, note_)                                                                  \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_LIST,                                                                                             \
     .also = PRC_ALSO_FILE,                                                                                            \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .table = PRC_TABLE_##id,                                                                                          \
     .unit = "",                                                                                                       \
     .note = note_},
#define LIST_OR_ONE(owner, field, number, id, note_)                                                                   \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_LIST,                                                                                             \
     .also = PRC_ALSO_ONE,                                                                                             \
     .offset = offsetof(owner, field),                                                                                 \
     .count_offset = offsetof(owner, number),                                                                          \
     .table = PRC_TABLE_##id,                                                                                          \
     .unit = "",                                                                                                       \
     .note = note_},
#define VARIANT(owner, field, names_, fallback_, offset_, id, note_)                                                   \
    {.name = #field,                                                                                                   \
     .type = PRC_KEY_VARIANT,                                                                                          \
     .offset = offsetof(owner, field),                                                                                 \
     .table_offset = offset_,                                                                                          \
     .count = 1,                                                                                                       \
     .fallback = {fallback_},                                                                                          \
     .range = BETWEEN(0, LAST(names_)),                                                                                \
     .names = names_,                                                                                                  \
     .table = PRC_TABLE_##id,                                                                                          \
     .unit = "",                                                                                                       \
     .note = note_},
#include "schema/schema.inl"

#define TABLE(id, core, whole, mark, note_)                                                                            \
    _Static_assert(sizeof id##_keys / sizeof *id##_keys <= PRC_MOST_KEYS, #id ": more keys than a set has bits");
#include "schema/schema.inl"

static const prc_table tables[] = {
#define TABLE(id, core, whole, mark, note_)                                                                            \
    {#id, core, sizeof(whole), mark, id##_keys, (int)(sizeof id##_keys / sizeof *id##_keys), note_},
#include "schema/schema.inl"
};

const prc_table *prc_schema_table(prc_table_id id)
{
    return &tables[id];
}

int prc_schema_find(const prc_table *table, const char *name)
{
    for (int k = 0; k < table->key_count; k++)
        if (strcmp(table->keys[k].name, name) == 0)
            return k;
    return -1;
}

const char *prc_material_model_name(prc_material_model model)
{
    return (int)model >= 0 && model < PRC_MODEL_COUNT ? model_names[model] : "unknown";
}

static void write_default(const prc_key *key, char *field)
{
    for (int c = 0; c < key->count; c++) {
        int whole;
        bool flag = key->fallback[c] != 0;
        switch (key->type) {
        case PRC_KEY_REAL:
        case PRC_KEY_VECTOR:
            memcpy(field + (size_t)c * sizeof(double), &key->fallback[c], sizeof(double));
            break;
        case PRC_KEY_INT:
        case PRC_KEY_INTS:
        case PRC_KEY_BODIES:
        case PRC_KEY_BODY:
        case PRC_KEY_ENUM:
        case PRC_KEY_NAMES:
        case PRC_KEY_VARIANT:
            whole = (int)key->fallback[c];
            memcpy(field + (size_t)c * sizeof(int), &whole, sizeof(int));
            break;
        case PRC_KEY_BOOL:
            memcpy(field, &flag, sizeof flag);
            break;
        default: /* lists and texts start empty */
            return;
        }
    }
}

static void fill_defaults(const prc_table *table, char *object, bool core_only)
{
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        bool in_core = key->offset < table->core_size;
        if (in_core || !core_only)
            write_default(key, object + key->offset);
        bool nested = key->type == PRC_KEY_TABLE || key->type == PRC_KEY_VARIANT;
        if (nested && (!core_only || key->table_offset < table->core_size))
            fill_defaults(&tables[key->table], object + key->table_offset, core_only);
        if (key->type == PRC_KEY_ARRAY)
            for (int i = 0; i < key->count; i++)
                fill_defaults(&tables[key->table], object + key->offset + (size_t)i * tables[key->table].size,
                              core_only);
    }
}

void prc_schema_default(prc_table_id id, void *object, bool core_only)
{
    const prc_table *table = &tables[id];
    memset(object, 0, core_only ? table->core_size : table->size);
    fill_defaults(table, object, core_only);
}

static void release_list(const prc_key *key, char *object)
{
    char *items;
    int count;
    memcpy(&items, object + key->offset, sizeof items);
    memcpy(&count, object + key->count_offset, sizeof count);
    for (int i = 0; i < count; i++)
        prc_schema_release(key->table, items + (size_t)i * tables[key->table].size);
    prc_free(items);
}

void prc_schema_release(prc_table_id id, void *object)
{
    const prc_table *table = &tables[id];
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        char *field = (char *)object + key->offset;
        void *owned;
        switch (key->type) {
        case PRC_KEY_TEXT:
        case PRC_KEY_INT_LIST:
        case PRC_KEY_BODYLIST:
            memcpy(&owned, field, sizeof owned);
            prc_free(owned);
            break;
        case PRC_KEY_POINTS:
        case PRC_KEY_LINES:
            prc_free(((prc_points_spec *)(void *)field)->points);
            prc_free(((prc_points_spec *)(void *)field)->line_start);
            break;
        case PRC_KEY_LIST:
            release_list(key, object);
            break;
        case PRC_KEY_TABLE:
        case PRC_KEY_VARIANT:
            prc_schema_release(key->table, (char *)object + key->table_offset);
            break;
        default:
            break;
        }
    }
}

bool prc_schema_allows(const prc_key *key, double value)
{
    const prc_range *range = &key->range;
    if (range->open_low ? !(value > range->low) : !(value >= range->low))
        return false;
    return range->open_high ? value < range->high : value <= range->high;
}

/* Appends to text; what does not fit is cut off. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void append_range(const prc_key *key, char *text, size_t size)
{
    const prc_range *range = &key->range;
    bool low = range->low > -DBL_MAX, high = range->high < DBL_MAX;
    if (low && high && range->low == range->high)
        append(text, size, " %.10g", range->low);
    else if (low && high && !range->open_low)
        append(text, size, " from %.10g to %.10g", range->low, range->high);
    else if (low && high)
        append(text, size, " between %.10g and %.10g, ends excluded", range->low, range->high);
    else if (low)
        append(text, size, " %s %.10g", range->open_low ? ">" : ">=", range->low);
    if (key->unit[0])
        append(text, size, "%s %s", low || high ? "" : " in", key->unit);
}

static void append_names(const prc_key *key, char *text, size_t size)
{
    for (int n = 0; key->names[n]; n++)
        append(text, size, "%s%s", n ? ", " : key->names[1] ? "one of " : "", key->names[n]);
}

void prc_schema_expected(const prc_key *key, char *text, size_t size)
{
    const char *table = tables[key->table].name;
    text[0] = '\0';
    switch (key->type) {
    case PRC_KEY_REAL:
        append(text, size, "a %snumber", key->range.low == -DBL_MAX && key->range.high == DBL_MAX ? "finite " : "");
        append_range(key, text, size);
        break;
    case PRC_KEY_VECTOR:
        append(text, size, "%d numbers", key->count);
        append_range(key, text, size);
        break;
    case PRC_KEY_INT:
        append(text, size, key->range.low == key->range.high ? "the number" : "a whole number");
        append_range(key, text, size);
        break;
    case PRC_KEY_INTS:
        append(text, size, "%d whole numbers", key->count);
        append_range(key, text, size);
        break;
    case PRC_KEY_BODIES:
        append(text, size, "a list of %d bodies, by name or number from 0", key->count);
        break;
    case PRC_KEY_BODY:
        append(text, size, "a body, by name or number from 0");
        break;
    case PRC_KEY_BODYLIST:
        append(text, size, "a list of bodies, by name or number from 0");
        break;
    case PRC_KEY_BOOL:
        append(text, size, "true or false");
        break;
    case PRC_KEY_ENUM:
        append_names(key, text, size);
        break;
    case PRC_KEY_NAMES:
        append(text, size, "a list of any of ");
        for (int n = 0; key->names[n]; n++)
            append(text, size, "%s%s", n ? ", " : "", key->names[n]);
        break;
    case PRC_KEY_TEXT:
        append(text, size, "text");
        break;
    case PRC_KEY_REALS:
        append(text, size, "a list of 1 to %d numbers", key->count);
        append_range(key, text, size);
        break;
    case PRC_KEY_PAIRS:
        append(text, size, "a list of 2 to %d pairs of numbers", key->count);
        break;
    case PRC_KEY_INT_LIST:
        append(text, size, "a list of whole numbers");
        append_range(key, text, size);
        break;
    case PRC_KEY_POINTS:
        append(text, size, "a list of points [x, y, z]");
        append_range(key, text, size);
        break;
    case PRC_KEY_LINES:
        append(text, size, "a list of lists of points [x, y, z]");
        append_range(key, text, size);
        break;
    case PRC_KEY_SYMBOLS:
        append(text, size, "a table of names and numbers or expressions");
        break;
    case PRC_KEY_INCLUDE:
        append(text, size, "a file, relative to this one, or a list of files");
        break;
    case PRC_KEY_TABLE:
        append(text, size, "%sa table of %s keys", key->table == PRC_TABLE_select ? "all, or " : "", table);
        break;
    case PRC_KEY_ARRAY:
        append(text, size, "a list of 1 to %d tables of %s keys", key->count, table);
        break;
    case PRC_KEY_LIST:
        append(text, size, "a %slist of tables of %s keys%s", key->also == PRC_ALSO_ONE ? "table or a " : "", table,
               key->also == PRC_ALSO_FILE ? ", or the name of a CSV file" : "");
        break;
    case PRC_KEY_VARIANT:
        append_names(key, text, size);
        append(text, size, ", or a table of %s keys", table);
        break;
    }
}

void prc_schema_fallback_text(const prc_key *key, char *text, size_t size)
{
    text[0] = '\0';
    switch (key->type) {
    case PRC_KEY_REAL:
    case PRC_KEY_INT:
        if (fabs(key->fallback[0]) >= 1e300)
            append(text, size, strcmp(key->unit, "s") ? "unbounded" : "forever");
        else
            append(text, size, "%.10g", key->fallback[0]);
        break;
    case PRC_KEY_VECTOR:
    case PRC_KEY_INTS:
        if (fabs(key->fallback[0]) >= 1e300) {
            append(text, size, "unbounded");
            break;
        }
        for (int c = 0; c < key->count; c++)
            append(text, size, "%s%.10g", c ? ", " : "[", key->fallback[c]);
        append(text, size, "]");
        break;
    case PRC_KEY_BOOL:
        append(text, size, key->fallback[0] != 0 ? "true" : "false");
        break;
    case PRC_KEY_ENUM:
    case PRC_KEY_VARIANT:
        append(text, size, "%s", key->names[(int)key->fallback[0]]);
        break;
    case PRC_KEY_NAMES:
        for (int n = 0, first = 1; key->names[n]; n++)
            if ((int)key->fallback[0] >> n & 1) {
                append(text, size, "%s%s", first ? "[" : ", ", key->names[n]);
                first = 0;
            }
        append(text, size, "]");
        break;
    default:
        break;
    }
}
