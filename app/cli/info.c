/* app/cli/info.c — `percale info`: reads a scene and says what is in it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_scene(const char *path, const prc_sim_def *def)
{
    printf("%s: good. %g s in steps of %g s, %d bod%s, %d obstacle%s, %d pin%s, %d force%s\n", path, def->time.duration,
           def->time.step, def->body_count, def->body_count == 1 ? "y" : "ies", def->obstacle_count,
           def->obstacle_count == 1 ? "" : "s", def->pin_count, def->pin_count == 1 ? "" : "s", def->force_count,
           def->force_count == 1 ? "" : "s");
    for (int b = 0; b < def->body_count; b++) {
        const prc_body_def *body = &def->bodies[b];
        printf("  body %d %s: %d vertices, %d triangles, %s\n", b, body->name ? body->name : "(no name)",
               body->mesh->vertex_count, body->mesh->triangle_count, prc_material_model_name(body->material.model));
    }
    for (int o = 0; o < def->obstacle_count; o++) {
        const prc_obstacle_def *obstacle = &def->obstacles[o];
        printf("  obstacle %d %s: %d vertices, %d triangles, %d segments\n", o,
               obstacle->name ? obstacle->name : "(no name)", obstacle->mesh->vertex_count,
               obstacle->mesh->triangle_count, obstacle->segment_count);
    }
}

/* What contact would find wrong with the start. */
static void print_start(const prc_sim_def *def)
{
    prc_start_report report;
    prc_error error;
    if (!def->contact.enabled)
        return;
    if (prc_start_examine(def, &report, &error)) {
        printf("  start: %s\n", error.message);
        return;
    }
    if (report.crossing_count + report.close_count > 0)
        printf("  start: %d crossings, %d pairs too close; contact.start says what to do with them\n",
               report.crossing_count, report.close_count);
    prc_start_report_release(&report);
}

int prc_cli_info(int argc, char **argv)
{
    const char *path = NULL, *problems = NULL;
    const char **overrides = calloc((size_t)argc + 1, sizeof *overrides);
    int count = 0, status = PRC_EXIT_OK;
    for (int i = 1; overrides && i < argc && !status; i++) {
        if (!strcmp(argv[i], "--set") && i + 1 < argc)
            overrides[count++] = argv[++i];
        else if (!strcmp(argv[i], "--problems") && i + 1 < argc)
            problems = argv[++i];
        else if (argv[i][0] == '-' || path)
            status = prc_cli_usage("info", "'%s' is not expected", argv[i]);
        else
            path = argv[i];
    }
    if (!status && !path)
        status = prc_cli_usage("info", "which scene?");
    prc_scene_errors *errors = malloc(sizeof *errors);
    if (!status && overrides && errors) {
        prc_scene *scene = prc_scene_read(path, overrides, count, errors);
        if (scene) {
            print_scene(path, prc_scene_sim_def(scene));
            prc_cli_print_notes(scene, stdout);
            print_start(prc_scene_sim_def(scene));
        } else {
            status = prc_cli_scene_errors(errors);
            prc_cli_mesh_problems(errors, NULL, problems);
        }
        prc_scene_destroy(scene);
    }
    free(errors);
    free(overrides);
    return status;
}
