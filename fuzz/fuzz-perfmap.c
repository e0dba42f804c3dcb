// SPDX-License-Identifier: Apache-2.0
/* A JIT's map, which anybody may write: the last line that covers an address names it. */
#include "fuzz.h"
#include "symbol/perfmap.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbol_sheet sheet = { 0 };
	struct symbol_row last = { 0 };
	struct symbol row, found;
	struct table *table;
	char *name = NULL;

	perfmap_read(&sheet, fuzz_text(data, size), size);
	if (sheet.rows.len) {
		last = *vec_last(&sheet.rows);
		name = mem_strdup(sheet.strings.data + last.name);
	}
	table = table_build(&sheet, OVERLAP_NEWEST);
	for (size_t i = 0; i < table_count(table); i++) {
		table_row(table, i, &row);
		FUZZ_HOLDS(row.name[0] && !strpbrk(row.name, "\n\r"));
		FUZZ_HOLDS(table_find(table, row.start, &found));
	}
	if (name) {
		FUZZ_HOLDS(table_find(table, last.start, &found));
		FUZZ_HOLDS(!strcmp(found.name, name));
	}
	table_free(table);
	free(name);
	return 0;
}
