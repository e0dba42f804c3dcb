// SPDX-License-Identifier: Apache-2.0
/*
 * ELF files: whatever the bytes are, symbols come out whole or not at all.  If the first byte is
 * odd, the rest is two files, the second a program whose debug information the first is.
 */
#include "fuzz.h"
#include "symbol/elfsyms.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "symbol/unpack.h"

static void ask(const struct table *table)
{
	struct symbol row, found;

	for (size_t i = 0; i < table_count(table); i++) {
		table_row(table, i, &row);
		FUZZ_HOLDS(strlen(row.name) < 1 << 20);
		if (table_find(table, row.start, &found))
			FUZZ_HOLDS(found.start <= row.start && row.start < found.end);
		table_find(table, row.end, &found);
		table_find(table, row.end - 1, &found);
	}
	table_find(table, 0, &found);
	table_find(table, UINT64_MAX, &found);
	table_address(table, 0x1000);
}

static void read_file(const struct elf_file *symbols, const struct elf_file *code)
{
	const struct elf_section *symtab = elfsyms_symtab(symbols);
	const struct elf_section *dynsym = elfsyms_dynsym(symbols);
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	if (symtab)
		elfsyms_add(&sheet, symbols, symtab, code);
	if (dynsym)
		elfsyms_add(&sheet, symbols, dynsym, code);
	elfsyms_add_plt(&sheet, code);
	elfsyms_add_segments(&sheet, code);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	ask(table);
	table_free(table);
}

static void read_kernel(const struct elf_file *elf)
{
	struct symbol_sheet kernel = { 0 }, module = { 0 };
	uint64_t value;

	elfsyms_value(elf, "_text", &value);
	elfsyms_add_kernel(&kernel, elf);
	table_free(table_build(&kernel, OVERLAP_INNERMOST));
	elfsyms_add_module(&module, elf, 0xffffffffc0000000);
	table_free(table_build(&module, OVERLAP_INNERMOST));
}

static bool open_part(struct elf_file *elf, const uint8_t *data, size_t size)
{
	struct image image = image_of(data, size);
	struct build_id id;

	if (unpack_image(&image)) {
		image_close(&image);
		return false;
	}
	if (elf_file_open(elf, image))
		return false;
	elf_file_build_id(elf, &id);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file elf = { 0 }, code = { 0 };
	size_t first = size ? (size - 1) / 2 : 0;

	if (size < 2)
		return 0;
	if (!(data[0] & 1)) {
		if (open_part(&elf, data + 1, size - 1)) {
			read_file(&elf, &elf);
			read_kernel(&elf);
		}
	} else if (open_part(&elf, data + 1, first) &&
		   open_part(&code, data + 1 + first, size - 1 - first)) {
		read_file(&elf, &code);
	}
	elf_file_close(&elf);
	elf_file_close(&code);
	return 0;
}
