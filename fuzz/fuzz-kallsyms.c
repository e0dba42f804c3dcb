// SPDX-License-Identifier: Apache-2.0
/* The kernel's list of symbols, of any kernel: no name is lost in its own text. */
#include "fuzz.h"
#include "symbol/kallsyms.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int part = KALLSYMS_KERNEL; part <= KALLSYMS_BPF; part++) {
		struct symbol_sheet sheet = { 0 };
		struct symbol row, found;
		struct kallsyms list;
		struct table *table;

		kallsyms_read(&list, &sheet, fuzz_text(data, size), size, (enum kallsyms_part)part);
		FUZZ_HOLDS(list.hidden <= list.lines);
		FUZZ_HOLDS(sheet.rows.len <= list.lines - list.hidden);
		table = table_build(&sheet, OVERLAP_INNERMOST);
		for (size_t i = 0; i < table_count(table); i++) {
			table_row(table, i, &row);
			FUZZ_HOLDS(row.start && !strpbrk(row.name, "\n\t"));
			FUZZ_HOLDS(table_find(table, row.start, &found) || !row.name[0]);
		}
		table_free(table);
	}
	return 0;
}
