/* app/cli/info.c — `percale info`: reads a scene and prints its contents, its cost, and warnings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "schema/schema.h"

#define PROBE_STEPS 5
#define PROBE_SECONDS 2  /* no further step is begun after this */
#define LARGE 1e5        /* vertices, */
#define LARGE_MEMORY 2e9 /* or bytes: a scene that is not tried unless asked for */

typedef struct options {
    const char *path, *problems;
    char **overrides; /* owned texts */
    int override_count;
    bool json, fast, measure;
} options;

static int read_options(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        const char *key = prc_run_option_key("info", name);
        const bool problems = !strcmp(name, "--problems");
        if ((key || problems) && !value)
            return prc_cli_usage("info", "'%s' needs %s", name,
                                 problems ? "FILE.ply"
                                 : key[0] ? "a value"
                                          : "KEY=VALUE");
        i += key || problems;
        if (key && !(o->overrides[o->override_count++] = prc_run_option_override(key, value)))
            return PRC_EXIT_INPUT;
        if (problems)
            o->problems = value;
        else if (!strcmp(name, "--json"))
            o->json = true;
        else if (!strcmp(name, "--fast"))
            o->fast = true;
        else if (!strcmp(name, "--measure"))
            o->measure = true;
        else if (!key && (name[0] == '-' || o->path))
            return prc_cli_usage("info", "unexpected argument '%s'", name);
        else if (!key)
            o->path = name;
    }
    return o->path ? PRC_EXIT_OK : prc_cli_usage("info", "which scene?");
}

const char *prc_info_name(int table, const char *key, int value)
{
    const prc_table *t = prc_schema_table((prc_table_id)table);
    const int k = prc_schema_find(t, key);
    return k >= 0 && t->keys[k].names ? t->keys[k].names[value] : "";
}

bool prc_info_start_is_refused(const prc_info *info)
{
    const prc_start how = info->def->contact.start;
    return info->examined && (info->start_failure[0] || (info->crossings && how != PRC_START_EXEMPT) ||
                              (info->close_pairs && how == PRC_START_REFUSE));
}

static void examine_start(prc_info *info)
{
    prc_start_report report;
    prc_error error;
    info->examined = info->def->contact.enabled && !info->large;
    if (!info->examined)
        return;
    if (prc_start_examine(info->def, &report, &error)) {
        snprintf(info->start_failure, sizeof info->start_failure, "%s", error.message);
        return;
    }
    info->crossings = report.crossing_count;
    info->close_pairs = report.close_count;
    info->prescribed_pairs = report.prescribed_pairs;
    prc_start_report_release(&report);
}

/* Building a simulation of a start that is refused would only say so again. */
static int tell(prc_info *info, const options *o)
{
    prc_error error;
    if (prc_survey_make(&info->survey, info->def, &error)) {
        fprintf(stderr, "percale: %s\n", error.message);
        return PRC_EXIT_INPUT;
    }
    prc_warnings_find(&info->warnings, info->def, &info->survey);
    info->large = !o->measure && (info->survey.vertices > LARGE || info->survey.memory_bytes > LARGE_MEMORY);
    examine_start(info);
    if (!o->json) {
        prc_info_print(info);
        fflush(stdout);
    }
    int status = prc_info_start_is_refused(info) ? PRC_EXIT_INPUT : PRC_EXIT_OK;
    info->probed = !o->fast && !info->large && !status;
    if (info->probed)
        info->probe = prc_probe_run(info->def, PROBE_STEPS, PROBE_SECONDS);
    if (info->probed && !info->probe.built)
        status = PRC_EXIT_INPUT;
    if (!o->json) {
        prc_info_print_cost(info);
    } else if (prc_info_write_json(info, &error)) {
        fprintf(stderr, "percale: %s\n", error.message);
        status = PRC_EXIT_WRITE;
    }
    prc_survey_release(&info->survey);
    return status;
}

int prc_cli_info(int argc, char **argv)
{
    options o = {.overrides = calloc((size_t)argc + 1, sizeof *o.overrides)};
    prc_scene_errors *errors = malloc(sizeof *errors);
    prc_info *info = calloc(1, sizeof *info);
    int status = PRC_EXIT_INPUT;
    if (o.overrides && errors && info && !(status = read_options(&o, argc, argv))) {
        prc_scene *scene = prc_scene_read(o.path, (const char *const *)o.overrides, o.override_count, errors);
        if (scene) {
            info->path = o.path;
            info->def = prc_scene_sim_def(scene);
            prc_cli_print_notes(scene, o.json ? stderr : stdout);
            status = tell(info, &o);
        } else {
            status = prc_cli_scene_errors(errors);
            prc_cli_mesh_problems(errors, NULL, o.problems);
        }
        prc_scene_destroy(scene);
    }
    free(info);
    free(errors);
    for (int k = 0; o.overrides && k < o.override_count; k++)
        free(o.overrides[k]);
    free(o.overrides);
    return status;
}
