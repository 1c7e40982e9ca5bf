/* app/cli/settings.h — the settings of a scene as lines of text, to find changes between two versions of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_SETTINGS_H
#define PRC_CLI_SETTINGS_H

#include <percale/percale.h>

/* "time.step: 0.001" and so on, of all that results depend on; the caller frees it with prc_free, NULL when out of
 * memory. Leaves out the number of threads, the duration, solver.unconverged and how often to save; and meshes,
 * selections, motions and all bodies after the first hundred, which the fingerprint of the simulation stands for. */
char *prc_settings_text(const prc_sim_def *def);

/* Whether a key of the table `body` says anything about this one: particles have no material, membranes no radius. */
bool prc_settings_has(const prc_body_def *body, const char *key);

/* Whether two such texts differ; if so `difference` says where: "time.step was 0.001, is 0.002". */
bool prc_settings_differ(const char *was, const char *is, char *difference, size_t size);

#endif
