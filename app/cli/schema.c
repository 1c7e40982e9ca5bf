/* app/cli/schema.c — `percale schema`: prints the schema as text, or as docs/scene.md.
 * json_schema.c prints the JSON Schema for editors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "schema/schema.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct printer {
    bool markdown;
    const char *only; /* one table, or NULL for all */
    bool done[PRC_TABLE_COUNT];
    int printed;
} printer;

/* Width in terminal columns: continuation bytes of UTF-8 count as none. */
static int width(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* Prints a sentence with a left margin, wrapped at spaces. */
static void wrap(const char *text, int margin, int columns)
{
    int at = margin;
    printf("%*s", margin, "");
    while (*text) {
        int length = (int)strcspn(text, " ");
        char word[100];
        snprintf(word, sizeof word, "%.*s", length, text);
        if (at > margin && at + 1 + width(word) > columns) {
            printf("\n%*s", margin, "");
            at = margin;
        }
        at += printf("%s", at > margin ? " " : "");
        printf("%s", word);
        at += width(word);
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_key(const prc_key *key, const char *expected, const char *fallback)
{
    bool number = fallback[0] == '[' || strchr("-0123456789", fallback[0]);
    const char *unit = number ? key->unit : "";
    if (key->required)
        printf("  %-20s (required)\n", key->name);
    else if (fallback[0])
        printf("  %-20s = %s%s%s\n", key->name, fallback, unit[0] ? " " : "", unit);
    else
        printf("  %s\n", key->name);
    wrap(key->note, 6, 100);
    printf("      Expects ");
    char sentence[320];
    snprintf(sentence, sizeof sentence, "%s.", expected);
    wrap(sentence, 0, 86);
}

static void print_key_markdown(const prc_key *key, const char *expected, const char *fallback)
{
    printf("| `%s` | %s | %s | %s |\n", key->name, key->required ? "**required**" : fallback, expected, key->note);
}

static void print_table(printer *p, prc_table_id id, const char *path)
{
    const prc_table *table = prc_schema_table(id);
    p->printed++;
    if (p->markdown)
        printf("\n## %s\n\n`%s` — %s\n\n| key | default | expects | meaning |\n|---|---|---|---|\n", table->name,
               path[0] ? path : "top level", table->note);
    else
        printf("\n%s    %s\n%s\n\n", table->name, path[0] ? path : "(top level)", table->note);
    for (int k = 0; k < table->key_count; k++) {
        char expected[300], fallback[80];
        prc_schema_expected(&table->keys[k], expected, sizeof expected);
        prc_schema_fallback_text(&table->keys[k], fallback, sizeof fallback);
        if (p->markdown)
            print_key_markdown(&table->keys[k], expected, fallback);
        else
            print_key(&table->keys[k], expected, fallback);
    }
}

/* Prints each table once, at its first path from the scene. */
static void visit(printer *p, prc_table_id id, const char *path)
{
    const prc_table *table = prc_schema_table(id);
    p->done[id] = true;
    if (!p->only || !strcmp(p->only, table->name))
        print_table(p, id, path);
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        if (key->type < PRC_KEY_TABLE || p->done[key->table])
            continue;
        bool list = key->type == PRC_KEY_LIST || key->type == PRC_KEY_ARRAY;
        char inner[200];
        snprintf(inner, sizeof inner, "%.150s%s%s%s", path, path[0] ? "." : "", key->name, list ? "[]" : "");
        visit(p, key->table, inner);
    }
}

int prc_cli_schema(int argc, char **argv)
{
    printer p = {0};
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--markdown"))
            p.markdown = true;
        else if (!strcmp(argv[i], "--json-schema"))
            json = true;
        else if (argv[i][0] == '-' || p.only)
            return prc_cli_usage("schema", "unexpected argument '%s'", argv[i]);
        else
            p.only = argv[i];
    }
    if (json && (p.markdown || p.only))
        return prc_cli_usage("schema",
                             "--json-schema cannot be combined with other arguments; it describes all tables");
    if (json) {
        prc_cli_json_schema();
        return PRC_EXIT_OK;
    }
    if (p.markdown && !p.only)
        printf("# Scene file reference\n\nAll keys of a scene file. Units are SI. The fields of the def structs in C "
               "and the "
               "keys\nof `--set` have the same names. This page is the output of `percale schema --markdown`.\n");
    visit(&p, PRC_TABLE_scene, "");
    if (!p.printed)
        return prc_cli_usage("schema", "there is no table '%s'; 'percale schema' prints all tables", p.only);
    return PRC_EXIT_OK;
}
