/* scene/include.c — `include`: other scene files under this one.
 *
 * An included tree lies under that of the including file, several in their order: tables are merged key by key, and
 * upper values win. Lists are replaced, except those of the scene itself (bodies, obstacles, …), which are joined:
 * included items come first, and an item with the name of an earlier one is merged with it. So one file can define a
 * body, and another can change its material. Keys cannot be removed.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "scene/reader.h"
#include "schema/schema.h"

#define DEEPEST 16

/* ---- merging ---- */

static void merge_tables(prc_node *under, prc_node *over, bool whole_scene);

static const char *name_of(const prc_node *item)
{
    const prc_node *name = item->kind == PRC_NODE_MAP ? prc_node_find(item, "name") : NULL;
    return name && name->kind == PRC_NODE_SCALAR ? name->text : NULL;
}

static prc_node *find_named(const prc_node *list, const char *name)
{
    for (prc_node *item = name ? list->first : NULL; item; item = item->next) {
        const char *other = name_of(item);
        if (other && !strcmp(other, name))
            return item;
    }
    return NULL;
}

static void join_lists(prc_node *under, prc_node *over)
{
    for (prc_node *item = over->first, *next; item; item = next) {
        next = item->next;
        prc_node *same = find_named(under, name_of(item));
        if (same)
            merge_tables(same, item, false);
        else
            prc_node_append(under, item);
    }
}

static bool is_joined(const char *key)
{
    const prc_table *scene = prc_schema_table(PRC_TABLE_scene);
    int k = prc_schema_find(scene, key);
    return k >= 0 && scene->keys[k].type == PRC_KEY_LIST;
}

/* Puts the keys of `over` into `under`. */
static void merge_tables(prc_node *under, prc_node *over, bool whole_scene)
{
    for (prc_node *child = over->first, *next; child; child = next) {
        next = child->next;
        prc_node *same = prc_node_find(under, child->key);
        if (!same) {
            prc_node_append(under, child);
        } else if (same->kind == PRC_NODE_MAP && child->kind == PRC_NODE_MAP) {
            merge_tables(same, child, false);
        } else if (whole_scene && same->kind == PRC_NODE_LIST && child->kind == PRC_NODE_LIST &&
                   is_joined(child->key)) {
            join_lists(same, child);
        } else {
            prc_node_become(same, child);
            same->key_line = child->key_line;
            same->key_column = child->key_column;
        }
    }
    /* An empty table that has got keys stands where they do. */
    under->origin = over->origin;
    under->line = over->line;
    under->column = over->column;
}

/* ---- files ---- */

prc_result prc_scene_load(const char *path, char **text, size_t *size, prc_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > (off_t)PRC_SCENE_BYTES)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: a file of %lld bytes; a scene may have at most %zu million", path,
                        (long long)status.st_size, PRC_SCENE_BYTES / 1000000);
    return prc_file_read(path, text, size, error);
}

static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return !strcmp(a, b);
}

/* "a.yaml → b.yaml → a.yaml" where the new file includes itself through those that include it; else "". */
static void find_cycle(const prc_scene_sources *sources, int parent, const char *path, char *chain, size_t size)
{
    char links[DEEPEST + 2][120];
    int count = 0;
    chain[0] = '\0';
    for (int s = parent; s >= 0 && count <= DEEPEST; s = sources->items[s].parent) {
        snprintf(links[count++], sizeof links[0], "%.100s → ", sources->items[s].path);
        if (!same_file(sources->items[s].path, path))
            continue;
        while (count > 0 && strlen(chain) + sizeof links[0] < size)
            snprintf(chain + strlen(chain), size - strlen(chain), "%s", links[--count]);
        snprintf(chain + strlen(chain), size - strlen(chain), "%.100s", path);
        return;
    }
}

static int depth_of(const prc_scene_sources *sources, int source)
{
    int depth = 0;
    while ((source = sources->items[source].parent) >= 0)
        depth++;
    return depth;
}

/* Reads one file into *root; the number of its source, or −1 after an error. */
static int open_file(const prc_scene_log *log, const prc_node *name, int parent, prc_error *error)
{
    prc_scene_sources *sources = log->sources;
    char file[1024], path[1024], chain[400], *text = NULL;
    size_t size = 0;
    const char *folder = name->text[0] == '/' ? "" : sources->items[parent].folder;
    if (snprintf(file, sizeof file, "%s%s", folder, name->text) >= (int)sizeof file ||
        !prc_scene_file(log, file, path, sizeof path)) {
        prc_fail(error, PRC_ERROR_INPUT, "the path of the file is too long");
        return -1;
    }
    find_cycle(sources, parent, path, chain, sizeof chain);
    if (chain[0]) {
        prc_fail(error, PRC_ERROR_INPUT, "%s: a file cannot include itself", chain);
        return -1;
    }
    if (sources->count == PRC_SCENE_FILES || depth_of(sources, parent) >= DEEPEST) {
        prc_fail(error, PRC_ERROR_INPUT, "%s: more than %d files, or nested more than %d levels deep", path,
                 PRC_SCENE_FILES, DEEPEST);
        return -1;
    }
    if (prc_scene_load(path, &text, &size, error))
        return -1;
    char *slash = strrchr(file, '/');
    if (slash)
        slash[1] = '\0';
    int source = prc_scene_source_add(sources, path, slash ? file : "", text, size, parent);
    prc_free(text);
    if (source < 0)
        PRC_FAIL_MEMORY(error);
    return source;
}

static void include_file(const prc_scene_log *log, prc_tree *tree, const prc_node *name, int parent, prc_node **merged)
{
    prc_error error;
    if (name->kind != PRC_NODE_SCALAR || !name->text[0]) {
        prc_scene_report(log, PRC_ERROR_INPUT, name->origin, name->line, name->column, "include",
                         "expected the name of a scene file, or a list of names");
        return;
    }
    int source = open_file(log, name, parent, &error);
    if (source < 0) {
        prc_scene_report(log, error.code, name->origin, name->line, name->column, "include", "%s", error.message);
        return;
    }
    const prc_scene_source *file = &log->sources->items[source];
    prc_node *root = prc_yaml_read(log, tree, file->text, file->size, -1 - source);
    if (!root)
        return;
    if (root->kind != PRC_NODE_MAP) {
        prc_scene_report(log, PRC_ERROR_INPUT, -1 - source, root->line, root->column, "",
                         root->kind == PRC_NODE_NULL ? "the file is empty; expected keys of a scene"
                                                     : "expected keys of a scene");
        return;
    }
    root = prc_scene_include(log, tree, root, source);
    if (*merged)
        merge_tables(*merged, root, true);
    else
        *merged = root;
}

static void drop_include(prc_node *root)
{
    prc_node copy = *root;
    root->first = root->last = NULL;
    root->count = 0;
    for (prc_node *child = copy.first, *next; child; child = next) {
        next = child->next;
        if (strcmp(child->key, "include") != 0)
            prc_node_append(root, child);
    }
}

prc_node *prc_scene_include(const prc_scene_log *log, prc_tree *tree, prc_node *root, int source)
{
    const prc_node *include = root->kind == PRC_NODE_MAP ? prc_node_find(root, "include") : NULL;
    prc_node *merged = NULL;
    if (!include)
        return root;
    drop_include(root);
    if (include->kind == PRC_NODE_LIST)
        for (const prc_node *name = include->first; name; name = name->next)
            include_file(log, tree, name, source, &merged);
    else
        include_file(log, tree, include, source, &merged);
    if (!merged)
        return root;
    merge_tables(merged, root, true);
    return merged;
}
