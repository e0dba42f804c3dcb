// SPDX-License-Identifier: Apache-2.0
#include "symbol/sheet.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "test.h"

#include <elf.h>
#include <stdlib.h>

struct given {
	const char *name;
	uint64_t start, size;
	uint8_t binding;
	bool module;
};

static void fill(struct symbol_sheet *sheet, const struct given *given)
{
	for (; given->name; given++) {
		sheet_add_named(sheet, given->start, given->size, given->name, given->binding);
		vec_last(&sheet->rows)->module = given->module;
	}
}

/* perf's order, as one finds by running it on files that have each of these pairs. */
TEST(sheet_which_alias_stays)
{
	static const struct {
		const char *why, *want;
		struct given given[5];
	} cases[] = {
		{ "with a size",
		  "sized",
		  { { "none", 16, 0, STB_GLOBAL }, { "sized", 16, 8 }, { "next", 32, 8 } } },
		{ "not weak",
		  "strong",
		  { { "weak_but_long", 16, 8, STB_WEAK }, { "strong", 16, 8 } } },
		{ "global", "out", { { "local_long", 16, 8 }, { "out", 16, 8, STB_GLOBAL } } },
		{ "local before weak",
		  "inside",
		  { { "weak_it_is", 16, 8, STB_WEAK }, { "inside", 16, 8 } } },
		{ "fewer underscores", "a", { { "__a_long_one", 16, 8, 1 }, { "a", 16, 8, 1 } } },
		{ "longer",
		  "memcpy_long",
		  { { "memcpy", 16, 8, 1 }, { "memcpy_long", 16, 8, 1 } } },
		{ "the first", "one", { { "one", 16, 8, 1 }, { "two", 16, 8, 1 } } },
		{ "no SyS", "sys_read", { { "SyS_read", 16, 8, 1 }, { "sys_read", 16, 8, 1 } } },
		{ "labels: the last has an end",
		  "short",
		  { { "a_longer_label", 16, 0, 1 }, { "short", 16, 0, 1 }, { "next", 32, 8 } } },
		{ "demangled, it is the longer",
		  "_Z3fooILi1000000EEvv",
		  { { "_Z10shorterfoov", 16, 8, 1 }, { "_Z3fooILi1000000EEvv", 16, 8, 1 } } },
		{ "longer only while mangled",
		  "_Z10shorterfoov",
		  { { "_ZN3abc17h0123456789abcdefE", 16, 8, 1 },
		    { "_Z10shorterfoov", 16, 8, 1 } } },
		{ "no underscore once demangled",
		  "_Z1fv",
		  { { "_plain_and_long", 16, 8, 1 }, { "_Z1fv", 16, 8, 1 } } },
		{ "twins",
		  "_ZN3FooC1Ev",
		  { { "_ZN3FooC1Ev", 16, 8, 1 }, { "_ZN3FooC2Ev", 16, 8, 1 } } },
		{ "three",
		  "_ZN5outer5innerEv",
		  { { "_Z1av", 16, 8, 1 },
		    { "_ZN5outer5innerEv", 16, 8, 1 },
		    { "_Z2bbv", 16, 8, 1 } } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_sheet sheet = { 0 };
		struct symbol symbol;
		struct table *table;

		test_case("%s", cases[i].why);
		fill(&sheet, cases[i].given);
		sheet_settle(&sheet);
		table = table_build(&sheet, OVERLAP_INNERMOST);
		EXPECT(table_find(table, 16, &symbol));
		EXPECT_TEXT(symbol.name, cases[i].want);
		EXPECT(table_find(table, 16, &symbol)); /* now it is remembered */
		EXPECT_TEXT(symbol.name, cases[i].want);
		table_free(table);
	}
}

TEST(sheet_ends_of_symbols_without_a_size)
{
	static const struct given given[] = {
		{ "sized", 0x1000, 0x10 },
		{ "label", 0x1010 },
		{ "next", 0x1040 },
		{ "of_the_kernel", 0x1100 },
		{ "of_a_module", 0x700010, 0, 0, true },
		{ "last", 0x700020, 0, 0, true },
		{ 0 },
	};
	static const uint64_t ends[] = { 0x1010, 0x1040, 0x1100, 0x3000, 0x700020, 0x702000 };
	struct symbol_sheet sheet = { 0 };

	fill(&sheet, given);
	sheet_settle(&sheet);
	EXPECT_INT(sheet.rows.len, ARRAY_SIZE(ends));
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		test_case("%s", given[i].name);
		EXPECT_INT(sheet.rows.data[i].start + sheet.rows.data[i].size, ends[i]);
		EXPECT_BOOL(sheet.rows.data[i].guessed, i != 0);
	}
	sheet_free(&sheet);
}

TEST(sheet_sort_keeps_the_order_of_equals)
{
	/* Spans of one, two, three and all digits of the sort. */
	static const uint64_t spans[] = { 7, 3000, 5u << 20, UINT64_MAX };

	for (size_t s = 0; s < ARRAY_SIZE(spans); s++) {
		struct symbol_sheet sheet = { 0 };
		uint64_t seed = 88172645463325252u;

		test_case("span %llx", (unsigned long long)spans[s]);
		for (uint32_t i = 0; i < 20000; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			sheet_add(&sheet, spans[s] == UINT64_MAX ? seed : seed % spans[s], 1, i, 0);
		}
		sheet_sort(&sheet);
		EXPECT_INT(sheet.rows.len, 20000);
		for (size_t i = 1; i < sheet.rows.len; i++) {
			const struct symbol_row *row = &sheet.rows.data[i];

			EXPECT(row[-1].start < row->start ||
			       (row[-1].start == row->start && row[-1].name < row->name));
		}
		sheet_free(&sheet);
	}
}

/* .dynsym beside .symtab: new addresses, and what is better by more than its name. */
TEST(sheet_merge_takes_what_is_new)
{
	static const struct given known[] = { { "local", 0x10, 8 },
					      { "global", 0x20, 8, STB_GLOBAL },
					      { 0 } };
	static const struct given lesser[] = { { "a_much_longer_name", 0x20, 8, STB_GLOBAL },
					       { "exported", 0x10, 8, STB_GLOBAL },
					       { "only_here", 0x30, 8, STB_GLOBAL },
					       { 0 } };
	static const char *const want[] = { "exported", "global", "only_here" };
	struct symbol_sheet sheet = { 0 }, other = { 0 };

	fill(&sheet, known);
	sheet_settle(&sheet);
	fill(&other, lesser);
	sheet_merge(&sheet, &other);
	EXPECT_INT(sheet.rows.len, 3);
	for (size_t i = 0; i < 3; i++)
		EXPECT_TEXT(sheet.strings.data + sheet.rows.data[i].name, want[i]);
	sheet_free(&sheet);
	sheet_free(&other);
}
