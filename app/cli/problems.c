/* app/cli/problems.c — shows the problems of a mesh file of a scene, and prints what was repaired.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "io/problems.h"
#include "lock.h"
#include "output.h"

void prc_cli_print_notes(const prc_scene *scene, FILE *stream)
{
    for (int k = 0; k < prc_scene_note_count(scene); k++)
        fprintf(stream, "  %s\n", prc_scene_note(scene, k));
}

prc_result prc_cli_show_problems(const char *mesh_path, const prc_mesh_file_def *def, const char *path,
                                 prc_error *error)
{
    prc_mesh mesh;
    prc_mesh_problems problems;
    prc_result result = prc_mesh_load(&mesh, mesh_path, def, NULL, error);
    if (result)
        return result;
    result = prc_mesh_examine(&mesh, &problems, error);
    if (!result)
        result = prc_problems_write(path, &mesh, &problems, error);
    prc_mesh_problems_release(&problems);
    prc_mesh_release(&mesh);
    return result;
}

void prc_cli_mesh_problems(const prc_scene_errors *errors, const char *folder, const char *file)
{
    char path[PRC_CLI_PATH + 20];
    prc_error error;
    if (!errors->bad_mesh[0])
        return;
    if (!folder && !file) {
        fprintf(stderr, "percale: 'percale info … --problems FILE.ply' shows the problems of %s\n", errors->bad_mesh);
        return;
    }
    prc_lock lock = PRC_LOCK_NONE;
    prc_result result = folder ? prc_output_prepare(folder, &error) : PRC_OK;
    if (!result && folder)
        result = prc_lock_take(&lock, folder, &error);
    if (folder)
        snprintf(path, sizeof path, "%s%sproblems.ply", folder,
                 folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/");
    if (!result)
        result = prc_cli_show_problems(errors->bad_mesh, &errors->bad_mesh_def, folder ? path : file, &error);
    prc_lock_release(&lock);
    if (result)
        fprintf(stderr, "percale: the mesh of the problems could not be written: %s\n", error.message);
    else
        fprintf(stderr, "percale: %s shows the problems of %s\n", folder ? path : file, errors->bad_mesh);
}
