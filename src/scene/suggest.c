/* scene/suggest.c — see suggest.h. Optimal string alignment distance: a letter added, dropped, changed, or two swapped.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/suggest.h"

#include <stddef.h>
#include <string.h>

#define LONGEST 40

static int smallest(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, const char *b)
{
    int d[LONGEST + 1][LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    for (int i = 0; i <= m; i++)
        d[i][0] = i;
    for (int j = 0; j <= n; j++)
        d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = smallest(change, 1 + smallest(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smallest(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

const char *prc_suggest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t length = strlen(word);
    if (length > LONGEST)
        return NULL;
    int limit = length < 3 ? 1 : 1 + (int)length / 4;
    for (; *names; names++) {
        if (strlen(*names) > LONGEST)
            continue;
        int letters = distance(word, *names);
        /* A word of two letters is near to every other one: ask for one in common. */
        if (letters <= limit && letters < (int)length) {
            best = *names;
            limit = letters - 1;
        }
    }
    return best;
}
