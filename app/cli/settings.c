/* app/cli/settings.c — see settings.h. The lines are made from the schema list, as the report is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"

#define BODIES 100
#define DIFFERENCES 3 /* that are told */

/* What a run may be resumed with another value of. */
static const char *const free_keys[] = {"threads",
                                        "backend",
                                        "camera",
                                        "time.duration",
                                        "solver.unconverged",
                                        "output.checkpoint_steps",
                                        "output.checkpoint_minutes"};

typedef struct lines {
    char *text;
    size_t size, capacity;
    bool failed;
} lines;

static void add(lines *l, const char *text)
{
    const size_t length = strlen(text);
    if (l->size + length >= l->capacity && !l->failed) {
        const size_t capacity = 2 * (l->size + length) + 1000;
        char *grown = prc_grow(l->text, l->capacity, capacity, 1);
        l->failed = !grown;
        l->text = grown ? grown : l->text;
        l->capacity = grown ? capacity : l->capacity;
    }
    if (l->failed)
        return;
    memcpy(l->text + l->size, text, length + 1);
    l->size += length;
}

static void add_real(lines *l, double value)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) { /* the shortest that is the number */
        snprintf(text, sizeof text, " %.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    add(l, text);
}

static double real_at(const char *field, int index)
{
    double value;
    memcpy(&value, field + (size_t)index * sizeof value, sizeof value);
    return value;
}

static int int_at(const char *field, int index)
{
    int value;
    memcpy(&value, field + (size_t)index * sizeof value, sizeof value);
    return value;
}

static void add_table(lines *l, const char *where, prc_table_id id, const char *def);

static void add_items(lines *l, const char *where, const prc_key *key, const char *def, const char *items)
{
    char place[220];
    for (int i = 0; i < int_at(def + key->count_offset, 0); i++) {
        snprintf(place, sizeof place, "%s[%d]", where, i);
        add_table(l, place, key->table, items + (size_t)i * prc_schema_table(key->table)->size);
    }
}

/* The value of a key that is on one line; false for what is not. */
static bool add_value(lines *l, const prc_key *key, const char *def)
{
    const char *field = def + key->offset;
    char number[40];
    const bool counted = key->type == PRC_KEY_REALS || key->type == PRC_KEY_PAIRS;
    const int reals = key->type == PRC_KEY_REAL     ? 1
                      : key->type == PRC_KEY_VECTOR ? key->count
                      : counted ? int_at(def + key->count_offset, 0) * (key->type == PRC_KEY_PAIRS ? 2 : 1)
                                : 0;
    const int ints = key->type == PRC_KEY_INT ? 1 : key->type == PRC_KEY_BODIES ? key->count : 0;
    for (int k = 0; k < reals; k++)
        add_real(l, real_at(field, k));
    for (int k = 0; k < ints; k++) {
        snprintf(number, sizeof number, " %d", int_at(field, k));
        add(l, number);
    }
    if (key->type == PRC_KEY_BOOL) {
        add(l, *(const bool *)field ? " true" : " false");
    } else if (key->type == PRC_KEY_ENUM) {
        add(l, " ");
        add(l, key->names[int_at(field, 0)]);
    }
    for (int n = 0; key->type == PRC_KEY_NAMES && key->names[n]; n++)
        if (int_at(field, 0) >> n & 1) {
            add(l, " ");
            add(l, key->names[n]);
        }
    return reals || ints || counted || key->type == PRC_KEY_BOOL || key->type == PRC_KEY_ENUM ||
           key->type == PRC_KEY_NAMES;
}

static bool is_free(const char *name)
{
    for (size_t k = 0; k < sizeof free_keys / sizeof *free_keys; k++)
        if (!strcmp(name, free_keys[k]))
            return true;
    return false;
}

static void add_key(lines *l, const char *where, const prc_key *key, const char *def)
{
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", where, where[0] ? "." : "", key->name);
    if (is_free(name))
        return;
    if (key->type == PRC_KEY_TABLE) {
        add_table(l, name, key->table, def + key->table_offset);
    } else if (key->type == PRC_KEY_ARRAY) {
        add_items(l, name, key, def, def + key->offset);
    } else if (key->type == PRC_KEY_LIST) {
        const char *items;
        memcpy(&items, def + key->offset, sizeof items);
        add_items(l, name, key, def, items);
    } else {
        const size_t before = l->size;
        add(l, name);
        add(l, ":");
        if (add_value(l, key, def))
            add(l, "\n");
        else if (!l->failed)
            l->text[l->size = before] = '\0'; /* what exists in scene files only */
    }
}

static void add_table(lines *l, const char *where, prc_table_id id, const char *def)
{
    const prc_table *table = prc_schema_table(id);
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].offset < table->core_size)
            add_key(l, where, &table->keys[k], def);
}

bool prc_settings_has(const prc_body_def *body, const char *key)
{
    static const char *const of_membranes[] = {"rest", "discretisation", "material", "contact_thickness"};
    if (body->kind == PRC_BODY_MEMBRANE)
        return strcmp(key, "particle") != 0;
    for (size_t k = 0; k < sizeof of_membranes / sizeof *of_membranes; k++)
        if (!strcmp(key, of_membranes[k]))
            return false;
    return true;
}

static void add_body(lines *l, int b, const prc_body_def *body)
{
    const prc_table *table = prc_schema_table(PRC_TABLE_body);
    char place[80], counts[120];
    snprintf(place, sizeof place, "bodies[%d]", b);
    snprintf(counts, sizeof counts, "%s.mesh: %d vertices, %d triangles\n", place, body->mesh->vertex_count,
             body->mesh->triangle_count);
    add(l, counts);
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].offset < table->core_size && prc_settings_has(body, table->keys[k].name))
            add_key(l, place, &table->keys[k], (const char *)body);
    for (int m = 0; prc_settings_has(body, "material") && m < body->material_count && m < BODIES; m++) {
        snprintf(place, sizeof place, "bodies[%d].materials[%d]", b, m);
        add_table(l, place, PRC_TABLE_material, (const char *)&body->materials[m]);
    }
}

char *prc_settings_text(const prc_sim_def *def)
{
    lines l = {0};
    char counts[160];
    add_table(&l, "", PRC_TABLE_scene, (const char *)def);
    snprintf(counts, sizeof counts, "bodies: %d\nobstacles: %d\ncolliders: %d\npins: %d\nforces: %d\n", def->body_count,
             def->obstacle_count, def->collider_count, def->pin_count, def->force_count);
    add(&l, counts);
    for (int b = 0; b < def->body_count && b < BODIES; b++)
        add_body(&l, b, &def->bodies[b]);
    if (l.failed)
        prc_free(l.text);
    return l.failed ? NULL : l.text;
}

/* ---- comparing ---- */

static int line_length(const char *line)
{
    return (int)strcspn(line, "\n");
}

static int key_length(const char *line)
{
    return (int)strcspn(line, ":\n");
}

static const char *next_line(const char *line)
{
    line += line_length(line);
    return *line ? line + 1 : line;
}

bool prc_settings_differ(const char *was, const char *is, char *difference, size_t size)
{
    int found = 0;
    size_t used = 0;
    difference[0] = '\0';
    for (; *was && *is; was = next_line(was), is = next_line(is)) {
        const int length = line_length(was), key = key_length(was);
        if (length == line_length(is) && !memcmp(was, is, (size_t)length))
            continue;
        const bool same_key = key == key_length(is) && !memcmp(was, is, (size_t)key);
        if (found++ < DIFFERENCES && used < size && same_key)
            used +=
                (size_t)snprintf(difference + used, size - used, "%s%.*s was%.*s, is%.*s", found > 1 ? "; " : "", key,
                                 was, length - key - 1, was + key + 1, line_length(is) - key - 1, is + key + 1);
        if (!same_key) /* the lists go different ways from here */
            break;
    }
    const bool differ = found || *was || *is;
    if (found > DIFFERENCES && used < size)
        snprintf(difference + used, size - used, "; and more");
    else if (differ && !used)
        snprintf(difference, size, "%.*s has been added or removed", key_length(*was ? was : is), *was ? was : is);
    return differ;
}
