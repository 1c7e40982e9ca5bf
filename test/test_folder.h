/* test/test_folder.h — a folder for the files of a test program, which goes with it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_FOLDER_H
#define PRC_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char test_folder[200];

static const char *path_to(const char *name)
{
    static char paths[4][500];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

__attribute__((constructor)) static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/percale-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(test_folder))
        perror(test_folder);
}

__attribute__((destructor)) static void remove_folder(void)
{
    DIR *list = opendir(test_folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (entry->d_name[0] != '.')
            remove(path_to(entry->d_name));
    if (list)
        closedir(list);
    rmdir(test_folder);
}

static const char *put_bytes(const char *name, const void *data, size_t size)
{
    const char *path = path_to(name);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(data, 1, size, file);
        fclose(file);
    }
    return path;
}

__attribute__((unused)) static int count_files(void)
{
    int count = 0;
    DIR *list = opendir(test_folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    if (list)
        closedir(list);
    return count;
}

#endif
