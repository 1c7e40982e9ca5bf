/* app/cli/help.h — what `percale help` prints.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_HELP_H
#define PRC_CLI_HELP_H

extern const char prc_help_general[], prc_help_run[], prc_help_info[], prc_help_check[], prc_help_schema[];

/* Prints the version, how the program was built, and the kernels that this machine can run. */
void prc_cli_version(void);

#endif
