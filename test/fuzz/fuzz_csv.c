/* test/fuzz/fuzz_csv.c — the reader of tables: steps.csv and traces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "io/csv_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prc_csv_table table;
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_csv_table_read(&table, fuzz_file(data, size), &error)) {
        FUZZ_CHECK(table.columns >= 1 && table.rows >= 0);
        for (int c = 0; c < table.columns; c++)
            FUZZ_CHECK(strlen(table.names[c]) <= size && prc_csv_table_find(&table, table.names[c]) <= c);
        int numbers = 0; /* every cell is read */
        for (int row = 0; row < table.rows; row++)
            for (int c = 0; c < table.columns; c++)
                numbers += !isnan(prc_csv_table_at(&table, row, c));
        FUZZ_CHECK(numbers <= table.rows * table.columns);
        FUZZ_CHECK(isnan(prc_csv_table_at(&table, 0, -1)));
    } else {
        FUZZ_CHECK(error.message[0]);
    }
    prc_csv_table_release(&table);
    fuzz_end();
    return 0;
}
