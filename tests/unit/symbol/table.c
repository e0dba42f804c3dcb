// SPDX-License-Identifier: Apache-2.0
#include "symbol/table.h"
#include "symbol/symbol.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static const char *find(const struct table *table, uint64_t address)
{
	struct symbol symbol;

	if (!table_find(table, address, &symbol))
		return "-";
	EXPECT(symbol.start <= address && address < symbol.end);
	return symbol.name;
}

static void expect(const struct table *table, const uint64_t *addresses, const char *const *names,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_case("%llx", (unsigned long long)addresses[i]);
		EXPECT_TEXT(find(table, addresses[i]), names[i]);
	}
}

TEST(table_finds_by_start_and_size)
{
	static const uint64_t addresses[] = { 0,      0xfff,  0x1000, 0x100f, 0x1010,
					      0x101f, 0x1020, 0x2000, 0x2001, UINT64_MAX };
	static const char *const names[] = { "-", "-", "a", "a", "b", "b", "-", "c", "-", "-" };
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	sheet_add_named(&sheet, 0x2000, 1, "c", 0);
	sheet_add_named(&sheet, 0x1000, 0x10, "a", 0);
	sheet_add_named(&sheet, 0x1010, 0x10, "b", 0);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	EXPECT_INT(table_count(table), 3);
	expect(table, addresses, names, ARRAY_SIZE(names));
	table_free(table);
}

/* A list may name the first byte of memory and the last ones. */
TEST(table_spans_all_addresses)
{
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	sheet_add_named(&sheet, 0, 0x10, "low", 0);
	sheet_add_named(&sheet, UINT64_MAX - 0x10, 0x10, "high", 0);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	EXPECT_TEXT(find(table, 0xf), "low");
	EXPECT_TEXT(find(table, UINT64_MAX / 2), "-");
	EXPECT_TEXT(find(table, UINT64_MAX - 1), "high");
	table_free(table);
}

TEST(table_empty)
{
	struct symbol_sheet sheet = { 0 };
	struct table *table = table_build(&sheet, OVERLAP_INNERMOST);

	EXPECT_TEXT(find(table, 0), "-");
	EXPECT_TEXT(find(table, UINT64_MAX), "-");
	EXPECT_INT(table_address(table, 77), 77);
	table_free(table);
}

/* One inside another, two that cross, and a label that has no size of its own. */
TEST(table_overlaps_innermost)
{
	static const uint64_t addresses[] = { 0x100, 0x120, 0x130, 0x1ff, 0x200, 0x210,
					      0x22f, 0x230, 0x24f, 0x250, 0x310, 0x320 };
	static const char *const names[] = { "outer", "inner", "outer", "outer", "left",  "right",
					     "right", "right", "right", "-",	 "sized", "label" };
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	sheet_add_named(&sheet, 0x100, 0x100, "outer", 0);
	sheet_add_named(&sheet, 0x120, 0x10, "inner", 0);
	sheet_add_named(&sheet, 0x200, 0x30, "left", 0);
	sheet_add_named(&sheet, 0x210, 0x40, "right", 0);
	sheet_add_named(&sheet, 0x300, 0x20, "sized", 0);
	sheet_add_named(&sheet, 0x310, 0, "label", 0);
	sheet_settle(&sheet);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	expect(table, addresses, names, ARRAY_SIZE(names));
	table_free(table);
}

/* Stubs are added after symbols without a size were given ends. */
TEST(table_guesses_end_at_the_next_start)
{
	struct symbol_sheet sheet = { 0 };
	struct symbol symbol;
	struct table *table;

	sheet_add_named(&sheet, 0x1000, 0, "_init", STB_GLOBAL);
	sheet_add_named(&sheet, 0x2000, 0x10, "main", STB_GLOBAL);
	sheet_settle(&sheet);
	sheet_add_named(&sheet, 0x1020, 0x10, "puts@plt", STB_GLOBAL);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	EXPECT(table_find(table, 0x101f, &symbol));
	EXPECT_TEXT(symbol.name, "_init");
	EXPECT(table_find(table, 0x1028, &symbol));
	EXPECT_TEXT(symbol.name, "puts@plt");
	EXPECT(!table_find(table, 0x1030, &symbol));
	table_free(table);
}

TEST(table_overlaps_newest)
{
	static const uint64_t addresses[] = { 0x100, 0x14f, 0x150, 0x1ff, 0x200, 0x2ff, 0x310 };
	static const char *const names[] = { "old", "old", "new", "new", "old", "old", "again" };
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	sheet_add_named(&sheet, 0x100, 0x200, "old", 0);
	sheet_add_named(&sheet, 0x310, 0x20, "first", 0);
	sheet_add_named(&sheet, 0x180, 0x10, "replaced", 0);
	sheet_add_named(&sheet, 0x150, 0xb0, "new", 0);
	sheet_add_named(&sheet, 0x310, 0x20, "again", 0);
	table = table_build(&sheet, OVERLAP_NEWEST);
	expect(table, addresses, names, ARRAY_SIZE(names));
	table_free(table);
}

/* Against the plainest search there is, on crowds of intervals of all kinds. */
TEST(table_agrees_with_a_plain_search)
{
	uint64_t seed = 88172645463325252u;

	for (int round = 0; round < 60; round++) {
		uint64_t starts[64], sizes[64], space = round % 2 ? 300 : 1u << 30;
		struct symbol_sheet sheet = { 0 };
		struct table *table;
		char name[16];

		test_case("round %d", round);
		for (int i = 0; i < 64; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			starts[i] = seed % space;
			sizes[i] = 1 + (seed >> 40) % (space / 8);
			snprintf(name, sizeof(name), "%d", i);
			sheet_add_named(&sheet, starts[i], sizes[i], name, 0);
		}
		table = table_build(&sheet, OVERLAP_NEWEST);
		for (int k = 0; k < 500; k++) {
			uint64_t at;
			int want = -1;

			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			at = seed % (space + space / 8);
			for (int i = 0; i < 64; i++)
				if (at >= starts[i] && at - starts[i] < sizes[i])
					want = i;
			snprintf(name, sizeof(name), "%d", want);
			EXPECT_TEXT(find(table, at), want < 0 ? "-" : name);
		}
		table_free(table);
	}
}

TEST(table_address_of_a_file_offset)
{
	struct symbol_sheet sheet = { 0 };
	struct table *table;

	*vec_push(&sheet.segments) = (struct table_segment){ 0x1000, 0x401000, 0x2000 };
	*vec_push(&sheet.segments) = (struct table_segment){ 0x3000, 0x604000, 0x100 };
	table = table_build(&sheet, OVERLAP_INNERMOST);
	EXPECT_INT(table_address(table, 0x1000), 0x401000);
	EXPECT_INT(table_address(table, 0x2fff), 0x402fff);
	EXPECT_INT(table_address(table, 0x3000), 0x604000);
	EXPECT_INT(table_address(table, 0x3100), 0x3100);
	table_free(table);
}

/* Bytes from outside: the same table comes back, and no damage to a column is let through. */
TEST(table_of_bytes)
{
	struct symbol_sheet sheet = { 0 };
	struct table *table, *again;
	struct table_parts parts;
	unsigned char *bytes;
	size_t size;

	sheet_add_named(&sheet, 0x100, 0x200, "outer", 0);
	sheet_add_named(&sheet, 0x120, 0x10, "inner", 0);
	sheet_add_named(&sheet, 0x800, 8, "_Z1fv", 0);
	sheet_add_named(&sheet, 0x800, 8, "_Z2ffv", 0);
	sheet_settle(&sheet);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	parts = table_parts(table);
	size = parts.columns_size + parts.strings_size;
	bytes = mem_alloc(size);
	memcpy(bytes, parts.columns, parts.columns_size);
	memcpy(bytes + parts.columns_size, parts.strings, parts.strings_size);
	again = table_of(bytes, size);
	EXPECT(again);
	EXPECT_TEXT(find(again, 0x125), "inner");
	EXPECT_TEXT(find(again, 0x130), "outer");
	EXPECT_TEXT(find(again, 0x800), "_Z2ffv");
	table_free(again);
	EXPECT(!table_of(bytes, size - 1));
	EXPECT(!table_of(bytes, 8));
	for (size_t at = 0; at < size; at++)
		for (int bit = 0; bit < 8; bit += 7) {
			struct symbol symbol;

			bytes[at] ^= (unsigned char)(1 << bit);
			again = table_of(bytes, size);
			for (size_t i = 0; again && i < table_count(again); i++) {
				table_row(again, i, &symbol);
				EXPECT(strlen(symbol.name) < size);
			}
			table_free(again);
			bytes[at] ^= (unsigned char)(1 << bit);
		}
	free(bytes);
	table_free(table);
}
