// SPDX-License-Identifier: Apache-2.0
#include "symbol/kallsyms.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static const char list[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t local_one\n"
			   "ffffffff81000200 W weak_one\n"
			   "ffffffff81000300 r a_constant\n"
			   "ffffffff81000400 D jiffies\n"
			   "ffffffff81000500 t $x\n"
			   "not a line\n"
			   "ffffffff81000600 T\n"
			   "ffffffff81001000 T last_of_the_kernel\n"
			   "ffffffffc0001000 t ext4_read\t[ext4]\n"
			   "ffffffffc0000f00 t ext4_open\t[ext4]\n"
			   "ffffffffc0100000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			   "ffffffffc0200000 t no_newline_behind\t[btrfs]";

static struct table *read_list(enum kallsyms_part part, struct kallsyms *found)
{
	struct symbol_sheet sheet = { 0 };

	kallsyms_read(found, &sheet, mem_strdup(list), sizeof(list) - 1, part);
	return table_build(&sheet, OVERLAP_INNERMOST);
}

static const char *find(const struct table *table, uint64_t address, uint64_t *offset)
{
	struct symbol symbol;

	*offset = 0;
	if (!table_find(table, address, &symbol))
		return "-";
	*offset = address - symbol.start;
	return symbol.name;
}

TEST(kallsyms_lines)
{
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t offset;
	} cases[] = {
		{ 0xffffffff80ffffff, "-", 0 },
		{ 0xffffffff81000000, "_text", 0 }, /* the last of equals */
		{ 0xffffffff810000ff, "_text", 0xff },
		{ 0xffffffff81000100, "local_one", 0 },
		{ 0xffffffff810003ff, "weak_one", 0x1ff }, /* constants are left out */
		{ 0xffffffff81000400, "jiffies", 0 },
		{ 0xffffffff81000fff, "jiffies", 0xbff },
		{ 0xffffffff81001fff, "last_of_the_kernel", 0xfff },
		{ 0xffffffff81002000, "-", 0 }, /* not up to the modules */
		{ 0xffffffffc0000f10, "ext4_open", 0x10 },
		{ 0xffffffffc0001010, "ext4_read", 0x10 },
		{ 0xffffffffc0200010, "no_newline_behind", 0x10 },
	};
	struct kallsyms found;
	struct table *table = read_list(KALLSYMS_KERNEL, &found);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t offset;

		test_case("%llx", (unsigned long long)cases[i].address);
		EXPECT_TEXT(find(table, cases[i].address, &offset), cases[i].name);
		EXPECT_INT(offset, cases[i].offset);
	}
	EXPECT_INT(found.text, 0xffffffff81000000);
	EXPECT_INT(found.stext, 0xffffffff81000000);
	EXPECT_INT(found.hidden, 0); /* the one at 0 is no code */
	table_free(table);
}

TEST(kallsyms_parts)
{
	static const struct {
		enum kallsyms_part part;
		const char *of_bpf, *of_ext4;
	} cases[] = {
		{ KALLSYMS_KERNEL, "bpf_prog_6deef7357e7b4530", "ext4_read" },
		{ KALLSYMS_NO_BPF, "ext4_read", "ext4_read" },
		{ KALLSYMS_BPF, "bpf_prog_6deef7357e7b4530", "-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kallsyms found;
		struct table *table = read_list(cases[i].part, &found);
		uint64_t offset;

		test_case("part %zu", i);
		EXPECT_TEXT(find(table, 0xffffffffc0100010, &offset), cases[i].of_bpf);
		EXPECT_TEXT(find(table, 0xffffffffc0001010, &offset), cases[i].of_ext4);
		table_free(table);
	}
}

TEST(kallsyms_hidden)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t f\t[ext4]\n";
	struct symbol_sheet sheet = { 0 };
	struct kallsyms found;

	kallsyms_read(&found, &sheet, mem_strdup(hidden), sizeof(hidden) - 1, KALLSYMS_KERNEL);
	EXPECT_INT(sheet.rows.len, 0);
	EXPECT_INT(found.lines, 2);
	EXPECT_INT(found.hidden, 2);
	sheet_free(&sheet);
}
