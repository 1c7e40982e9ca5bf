/* app/cli/json_schema.c — `percale schema --json-schema`: the schema list as JSON Schema (draft 2020-12), with which
 * editors complete and check scene files while they are written.
 *
 * It describes single keys: names, types, ranges, defaults, what is required. Conditions on several keys (exactly one
 * shape of a mesh, what a material needs) are left to percale. Wherever a number is expected a text may be an
 * expression, whose letters alone are checked. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "schema/schema.h"

#define EXPRESSION "{\"$ref\": \"#/$defs/expression\"}"

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static bool is_whole(const prc_key *key)
{
    return key->type == PRC_KEY_INT || key->type == PRC_KEY_INTS || key->type == PRC_KEY_INT_LIST;
}

/* A number in the range of the key, or an expression. */
static void print_number(const prc_key *key)
{
    const prc_range *range = &key->range;
    printf("{\"anyOf\": [{\"type\": \"%s\"", is_whole(key) ? "integer" : "number");
    if (range->low > -DBL_MAX)
        printf(", \"%s\": %.17g", range->open_low ? "exclusiveMinimum" : "minimum", range->low);
    if (range->high < DBL_MAX)
        printf(", \"%s\": %.17g", range->open_high ? "exclusiveMaximum" : "maximum", range->high);
    printf("}, " EXPRESSION "]}");
}

/* A list of numbers; most < 0 for no limit. */
static void print_numbers(const prc_key *key, int fewest, int most)
{
    printf("{\"type\": \"array\", \"items\": ");
    print_number(key);
    printf(", \"minItems\": %d", fewest);
    if (most >= 0)
        printf(", \"maxItems\": %d", most);
    printf("}");
}

static void print_names(const prc_key *key)
{
    printf("{\"enum\": [");
    for (int n = 0; key->names[n]; n++) {
        printf("%s", n ? ", " : "");
        print_text(key->names[n]);
    }
    printf("]}");
}

/* A table; a selection may also be the word `all`. */
static void print_reference(prc_table_id id)
{
    const char *name = prc_schema_table(id)->name;
    if (id == PRC_TABLE_select)
        printf("{\"anyOf\": [{\"const\": \"all\"}, {\"$ref\": \"#/$defs/%s\"}]}", name);
    else
        printf("{\"$ref\": \"#/$defs/%s\"}", name);
}

/* A list; some may also be one table, or a file that holds it. */
static void print_list_of_tables(const prc_key *key)
{
    const bool also = key->also != PRC_ALSO_NOTHING;
    printf("%s{\"type\": \"array\", \"items\": ", also ? "{\"anyOf\": [" : "");
    print_reference(key->table);
    if (key->required || key->type == PRC_KEY_ARRAY)
        printf(", \"minItems\": 1");
    if (key->type == PRC_KEY_ARRAY)
        printf(", \"maxItems\": %d", key->count);
    printf("}%s", also ? ", " : "");
    if (key->also == PRC_ALSO_ONE)
        print_reference(key->table);
    else if (key->also == PRC_ALSO_FILE)
        printf("{\"type\": \"string\", \"minLength\": 1}");
    printf("%s", also ? "]}" : "");
}

/* What a key may hold. */
static void print_value(const prc_key *key)
{
    static const char body[] = "{\"type\": [\"string\", \"integer\"], \"minimum\": 0}";
    switch (key->type) {
    case PRC_KEY_REAL:
    case PRC_KEY_INT:
        print_number(key);
        break;
    case PRC_KEY_VECTOR:
    case PRC_KEY_INTS:
        print_numbers(key, key->count, key->count);
        break;
    case PRC_KEY_REALS:
        print_numbers(key, 1, key->count);
        break;
    case PRC_KEY_INT_LIST:
        print_numbers(key, 1, -1);
        break;
    case PRC_KEY_PAIRS:
        printf("{\"type\": \"array\", \"minItems\": 2, \"maxItems\": %d, \"items\": ", key->count);
        print_numbers(key, 2, 2);
        printf("}");
        break;
    case PRC_KEY_POINTS:
        printf("{\"type\": \"array\", \"items\": ");
        print_numbers(key, 3, 3);
        printf("}");
        break;
    case PRC_KEY_LINES:
        printf("{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", \"minItems\": 2, \"items\": ");
        print_numbers(key, 3, 3);
        printf("}}");
        break;
    case PRC_KEY_BODIES:
        printf("{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": %s}", key->count, key->count,
               body);
        break;
    case PRC_KEY_BODY:
        printf("%s", body);
        break;
    case PRC_KEY_BODYLIST:
        printf("{\"type\": \"array\", \"minItems\": 1, \"items\": %s}", body);
        break;
    case PRC_KEY_BOOL:
        printf("{\"type\": \"boolean\"}");
        break;
    case PRC_KEY_ENUM:
        print_names(key);
        break;
    case PRC_KEY_NAMES:
        printf("{\"anyOf\": [");
        print_names(key);
        printf(", {\"type\": \"array\", \"items\": ");
        print_names(key);
        printf("}]}");
        break;
    case PRC_KEY_TEXT:
        printf("{\"type\": %s, \"minLength\": 1}", key->is_path ? "\"string\"" : "[\"string\", \"number\"]");
        break;
    case PRC_KEY_SYMBOLS:
        printf("{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"^[A-Za-z_][A-Za-z_0-9]{0,38}$\"}, "
               "\"additionalProperties\": {\"anyOf\": [{\"type\": \"number\"}, " EXPRESSION "]}}");
        break;
    case PRC_KEY_INCLUDE:
        printf("{\"anyOf\": [{\"type\": \"string\", \"minLength\": 1}, "
               "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1}}]}");
        break;
    case PRC_KEY_TABLE:
        print_reference(key->table);
        break;
    case PRC_KEY_ARRAY:
    case PRC_KEY_LIST:
        print_list_of_tables(key);
        break;
    case PRC_KEY_VARIANT:
        printf("{\"anyOf\": [");
        print_names(key);
        printf(", ");
        print_reference(key->table);
        printf("]}");
        break;
    }
}

/* The default, where it is a value that a file can hold. */
static void print_default(const prc_key *key)
{
    char text[80];
    if (key->type == PRC_KEY_NAMES) {
        printf(", \"default\": [");
        for (int n = 0, first = 1; key->names[n]; n++)
            if ((int)key->fallback[0] >> n & 1) {
                printf("%s\"%s\"", first ? "" : ", ", key->names[n]);
                first = 0;
            }
        printf("]");
        return;
    }
    prc_schema_fallback_text(key, text, sizeof text);
    const bool number = text[0] == '[' || strchr("-0123456789", text[0]);
    const bool word = key->type == PRC_KEY_ENUM || key->type == PRC_KEY_VARIANT;
    if (!text[0] || key->required || (!number && !word && key->type != PRC_KEY_BOOL))
        return;
    printf(", \"default\": ");
    if (word)
        print_text(text);
    else
        printf("%s", text);
}

static void print_key(const prc_key *key)
{
    char expected[300], note[800];
    prc_schema_expected(key, expected, sizeof expected);
    snprintf(note, sizeof note, "%s Expects %s.", key->note, expected);
    printf("        ");
    print_text(key->name);
    printf(": {\"description\": ");
    print_text(note);
    print_default(key);
    printf(", \"allOf\": [");
    print_value(key);
    printf("]}");
}

static void print_table(prc_table_id id)
{
    const prc_table *table = prc_schema_table(id);
    int required = 0;
    printf(",\n    ");
    print_text(table->name);
    printf(": {\n      \"type\": \"object\",\n      \"description\": ");
    print_text(table->note);
    printf(",\n      \"properties\": {\n");
    for (int k = 0; k < table->key_count; k++) {
        print_key(&table->keys[k]);
        printf("%s\n", k + 1 < table->key_count ? "," : "");
    }
    printf("      },\n");
    /* What a file includes may bring the bodies. */
    if (id == PRC_TABLE_scene)
        printf("      \"anyOf\": [{\"required\": [\"bodies\"]}, {\"required\": [\"include\"]}],\n");
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].required && !(id == PRC_TABLE_scene && table->keys[k].type == PRC_KEY_LIST))
            printf("%s\"%s\"", required++ ? ", " : "      \"required\": [", table->keys[k].name);
    printf("%s", required ? "],\n" : "");
    if (id == PRC_TABLE_mesh)
        printf("      \"minProperties\": 1,\n");
    printf("      \"additionalProperties\": false\n    }");
}

static void visit(prc_table_id id, bool done[PRC_TABLE_COUNT])
{
    const prc_table *table = prc_schema_table(id);
    done[id] = true;
    print_table(id);
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].type >= PRC_KEY_TABLE && !done[table->keys[k].table])
            visit(table->keys[k].table, done);
}

void prc_cli_json_schema(void)
{
    bool done[PRC_TABLE_COUNT] = {false};
    printf("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
           "  \"title\": \"percale scene\",\n"
           "  \"description\": \"A scene file of percale %s. Units are SI.\",\n"
           "  \"$ref\": \"#/$defs/scene\",\n"
           "  \"$defs\": {\n"
           "    \"expression\": {\n"
           "      \"type\": \"string\",\n"
           "      \"description\": \"An expression of numbers and variables: size / 2. Operators + - * / %% ^ and "
           "brackets; sqrt, sin, cos, tan, asin, acos, atan, atan2 (degrees), abs, min, max, floor, ceil, round, exp, "
           "log; pi.\",\n"
           "      \"pattern\": \"^[-+*/%%^(),. \\\\tA-Za-z_0-9]*[A-Za-z_0-9][-+*/%%^(),. \\\\tA-Za-z_0-9]*$\"\n"
           "    }",
           prc_version());
    visit(PRC_TABLE_scene, done);
    printf("\n  }\n}\n");
}
