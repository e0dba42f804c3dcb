// SPDX-License-Identifier: Apache-2.0
#include "symbol/perfmap.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "test.h"

#include <stdlib.h>

static struct table *read_map(const char *text)
{
	struct symbol_sheet sheet = { 0 };

	perfmap_read(&sheet, mem_strdup(text), strlen(text));
	return table_build(&sheet, OVERLAP_NEWEST);
}

TEST(perfmap_lines)
{
	static const struct {
		const char *line;
		uint64_t start, size;
		const char *name;
	} cases[] = {
		{ "7f0000001000 40 LazyCompile:~f /a b.js:1:10\n", 0x7f0000001000, 0x40,
		  "LazyCompile:~f /a b.js:1:10" },
		{ "0x1000 0x20 with_prefix\n", 0x1000, 0x20, "with_prefix" },
		{ "1000 20 no_newline", 0x1000, 0x20, "no_newline" },
		{ "1000\t20\ttabs\n", 0x1000, 0x20, "tabs" },
		{ "1000 20 of_windows\r\n", 0x1000, 0x20, "of_windows" },
		{ "ABCD 1f upper\n", 0xabcd, 0x1f, "upper" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table *table = read_map(cases[i].line);
		struct symbol symbol = { 0 };

		test_case("%s", cases[i].line);
		EXPECT(table_find(table, cases[i].start, &symbol));
		EXPECT_TEXT(symbol.name, cases[i].name);
		EXPECT_INT(symbol.end - symbol.start, cases[i].size);
		table_free(table);
	}
}

TEST(perfmap_not_lines)
{
	static const char *const cases[] = {
		"",
		"\n",
		"\n\n\n",
		"1000",
		"1000 20",
		"1000 20 \n",
		"x 20 name\n",
		"1000 x name",
		"-10 20 name",
		" 1000 20 name",
		"1000 0 empty",
		"1000,20,name",
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table *table = read_map(cases[i]);

		test_case("'%s'", cases[i]);
		EXPECT_INT(table_count(table), 0);
		table_free(table);
	}
}

/* Code is collected and its memory used again: the last line tells what is there now. */
TEST(perfmap_later_lines_win)
{
	struct table *table =
		read_map("1000 100 old\n1200 10 other\n1080 100 new\nfoo\n1200 10 moved\n");
	struct symbol symbol;

	EXPECT(table_find(table, 0x1010, &symbol));
	EXPECT_TEXT(symbol.name, "old");
	EXPECT(table_find(table, 0x1090, &symbol));
	EXPECT_TEXT(symbol.name, "new");
	EXPECT(table_find(table, 0x1205, &symbol));
	EXPECT_TEXT(symbol.name, "moved");
	table_free(table);
}
