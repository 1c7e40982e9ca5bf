/* base/error.c — see error.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

prc_result prc_fail(prc_error *error, prc_result code, const char *format, ...)
{
    if (!error)
        return code;
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

prc_result prc_need(const void *pointer, const char *what, prc_error *error)
{
    return pointer ? PRC_OK : prc_fail(error, PRC_ERROR_INPUT, "%s: is NULL; nothing was changed", what);
}

const char *prc_version(void)
{
    return PRC_VERSION;
}
