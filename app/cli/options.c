/* app/cli/options.c — see options.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Options that stand for a key of the scene become overrides of it: one way to check them, one kind of message. */
static bool add_override(prc_run_options *o, const char *key, const char *value)
{
    char *text = prc_run_option_override(key, value);
    if (!text)
        return false;
    o->overrides[o->override_count++] = text;
    return true;
}

/* --fields a,b: output.a and output.b are true. */
static bool add_fields(prc_run_options *o, const char *list)
{
    bool good = true;
    while (good) {
        const int length = (int)strcspn(list, ",");
        char key[60];
        snprintf(key, sizeof key, "output.%.*s", length, list);
        good = add_override(o, key, "true");
        if (!list[length])
            break;
        list += length + 1;
    }
    return good;
}

/* --formats a,b: the list output.formats. */
static bool add_formats(prc_run_options *o, const char *list)
{
    char value[200];
    const int length = snprintf(value, sizeof value, "[%s]", list);
    return length < (int)sizeof value && add_override(o, "output.formats", value);
}

double prc_cli_duration(const char *text)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    const size_t count = sizeof units / sizeof *units;
    double total = 0;
    for (size_t k = 0; *text || !k;) {
        char *end;
        const size_t digits = strspn(text, "0123456789."); /* strtod would also take signs, spaces and words */
        const double value = strtod(text, &end);
        if (!digits || end != text + digits || !isfinite(value))
            return -1;
        if (!*end && !k) /* a number without units */
            return value;
        while (k < count && units[k].unit != *end)
            k++;
        if (k == count) /* or not in the order of the units */
            return -1;
        total += value * units[k++].seconds;
        text = end + 1;
    }
    return total;
}

/* Options with a text as value; NULL where `name` is none of them. */
static const char **find_text(prc_run_options *o, const char *name)
{
    const bool resume = !strcmp(o->verb, "resume");
    if (!strcmp(name, "-o") || !strcmp(name, "--output"))
        return &o->folder;
    if (!strcmp(name, "--spare"))
        return &o->spare;
    if (!strcmp(name, "--log-json"))
        return &o->log;
    if (resume && !strcmp(name, "--scene"))
        return &o->scene;
    if (!resume && !strcmp(name, "--report"))
        return &o->report;
    if (!resume && !strcmp(name, "--trace"))
        return &o->trace;
    return NULL;
}

const char *prc_run_option_key(const char *verb, const char *name)
{
    static const struct {
        const char *option, *key;
        bool resume, info;
    } keys[] = {{"--threads", "threads", true, true},
                {"--backend", "backend", true, true},
                {"--checkpoint", "output.checkpoint_steps", true, false},
                {"--checkpoint-minutes", "output.checkpoint_minutes", true, false},
                {"--unconverged", "solver.unconverged", true, false},
                {"--set", "", false, true},
                {"--precision", "precision", false, true},
                {"--solver", "solver.method", false, true}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!strcmp(name, keys[k].option) && (!strcmp(verb, "run") || (keys[k].resume && !strcmp(verb, "resume")) ||
                                              (keys[k].info && !strcmp(verb, "info"))))
            return keys[k].key;
    return NULL;
}

char *prc_run_option_override(const char *key, const char *value)
{
    const size_t size = strlen(key) + strlen(value) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", key, key[0] ? "=" : "", value);
    return text;
}

static int take_option(prc_run_options *o, const char *name, const char *value)
{
    const char **text = find_text(o, name), *key = prc_run_option_key(o->verb, name);
    char *end;
    if (text) {
        *text = value;
    } else if (key) {
        return add_override(o, key, value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    } else if (!strcmp(name, "--fields") && !strcmp(o->verb, "run")) {
        return add_fields(o, value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    } else if (!strcmp(name, "--formats") && !strcmp(o->verb, "run")) {
        return add_formats(o, value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    } else if (!strcmp(name, "--until")) {
        o->until = strtod(value, &end);
        if (end == value || *end || !(o->until >= 0))
            return prc_cli_usage(o->verb, "--until: '%s' is not a time; expected a number of seconds >= 0", value);
    } else if (!strcmp(name, "--interval")) {
        o->interval = prc_cli_duration(value);
        if (!(o->interval > 0))
            return prc_cli_usage(o->verb, "--interval: '%s' is not a duration; expected one like 30s or 5m", value);
    } else if (!strcmp(name, "--max-wall")) {
        o->max_wall = prc_cli_duration(value);
        if (!(o->max_wall > 0))
            return prc_cli_usage(o->verb, "--max-wall: '%s' is not a duration; expected one like 2h30m, 90s or 1.5h",
                                 value);
    } else if (!strcmp(name, "--set")) {
        return prc_cli_usage(o->verb,
                             "--set: a run is resumed with its original settings; use 'percale run' to change them");
    } else {
        return prc_cli_usage(o->verb, "unknown option '%s'", name);
    }
    return PRC_EXIT_OK;
}

/* Takes argument i; moves on over its value. */
static int take_argument(prc_run_options *o, int *i, int argc, char **argv)
{
    const bool resume = !strcmp(o->verb, "resume");
    const char *name = argv[*i];
    if (!strcmp(name, "--quiet"))
        o->quiet = true;
    else if (!strcmp(name, "--verbose"))
        o->verbose = true;
    else if (!resume && !strcmp(name, "--verify"))
        o->verify = true;
    else if (!resume && !strcmp(name, "--overwrite"))
        o->overwrite = true;
    else if (name[0] != '-' && !o->what)
        o->what = name;
    else if (name[0] != '-')
        return prc_cli_usage(o->verb, "'%s': only one %s is allowed; the first was '%s'", name,
                             resume ? "folder" : "scene", o->what);
    else if (*i + 1 >= argc)
        return prc_cli_usage(o->verb, "unknown option '%s', or its value is missing", name);
    else
        return take_option(o, name, argv[++*i]);
    return PRC_EXIT_OK;
}

int prc_run_options_read(prc_run_options *o, int argc, char **argv)
{
    *o = (prc_run_options){.verb = argv[0], .until = INFINITY, .max_wall = INFINITY};
    size_t most = 1; /* an override per option, and one per field of --fields */
    for (int i = 0; i < argc; i++, most++)
        for (const char *c = argv[i]; *c; c++)
            most += *c == ',';
    o->overrides = calloc(most, sizeof *o->overrides);
    if (!o->overrides) {
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    for (int i = 1; i < argc; i++) {
        const int status = take_argument(o, &i, argc, argv);
        if (status)
            return status;
    }
    if (o->what)
        return PRC_EXIT_OK;
    return prc_cli_usage(o->verb, !strcmp(o->verb, "resume") ? "which folder?" : "which scene?");
}

FILE *prc_run_options_stream(const prc_run_options *o)
{
    return o->log && !strcmp(o->log, "-") ? stderr : stdout;
}

void prc_run_options_release(prc_run_options *o)
{
    for (int k = 0; k < o->override_count; k++)
        free(o->overrides[k]);
    free(o->overrides);
}
