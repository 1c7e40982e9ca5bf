/* test/fuzz/fuzz_expression.c — arithmetic in scene values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "scene/expression.h"

static prc_name_state find(void *context, const char *name, double *value)
{
    (void)context;
    *value = 2.5;
    return name[0] == 'x' ? PRC_NAME_KNOWN : name[0] == 'b' ? PRC_NAME_BROKEN : PRC_NAME_UNKNOWN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const prc_names names = {find, NULL};
    prc_expression_error error = {0};
    double value;
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (prc_expression_evaluate(text, &names, &value, &error))
        FUZZ_CHECK(isfinite(value));
    else
        FUZZ_CHECK((error.message[0] || error.unknown[0] || error.said) && error.at >= 0 && (size_t)error.at <= size);
    prc_expression_is_name(text);
    free(text);
    return 0;
}
