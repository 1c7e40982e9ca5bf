/* scene/suggest.h — "did you mean": the nearest of a list of names.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_SUGGEST_H
#define PRC_SCENE_SUGGEST_H

/* The name with the fewest letters to change, or NULL where none is near. `names` ends with NULL. */
const char *prc_suggest(const char *word, const char *const *names);

#endif
