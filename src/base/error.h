/* base/error.h — filling a prc_error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_ERROR_H
#define PRC_BASE_ERROR_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes code and message into *error where it is not NULL; returns the code. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
prc_result
prc_fail(prc_error *error, prc_result code, const char *format, ...);

/* Refuses a pointer of the caller's that is NULL where something is needed; `what` names it. */
prc_result prc_need(const void *pointer, const char *what, prc_error *error);

#define PRC_FAIL_MEMORY(error) prc_fail((error), PRC_ERROR_MEMORY, "out of memory")

#ifdef __cplusplus
}
#endif
#endif
