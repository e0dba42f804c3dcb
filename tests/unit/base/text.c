// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "test.h"

#include <float.h>
#include <math.h>

TEST(text_groups_digits)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 123456, "123,456" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[TEXT_NUMBER];

		EXPECT_TEXT(text_grouped(text, cases[i].value), cases[i].text);
	}
}

TEST(text_decimals)
{
	static const struct {
		double value;
		int decimals;
		bool grouped;
		const char *text;
	} cases[] = {
		{ 1234.5, 2, true, "1,234.50" },
		{ 1234.5, 2, false, "1234.50" },
		{ -1234567.891, 1, true, "-1,234,567.9" },
		{ -123, 0, true, "-123" },
		{ 999.999, 2, true, "1,000.00" },
		{ 0, 3, true, "0.000" },
		{ 0.004, 2, true, "0.00" },
		{ 999999999999999999.0 - 128, 2, true, "999,999,999,999,999,872.00" },
		{ 1e18, 2, true, "1e+18" },
		{ 1.5e20, 2, true, "1.5e+20" },
		{ DBL_MAX, 6, true, "1.797693e+308" },
		{ -DBL_MAX, 0, true, "-2e+308" },
		{ NAN, 2, true, "nan" },
		{ INFINITY, 2, true, "inf" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[TEXT_NUMBER];

		EXPECT_TEXT(text_decimal(text, cases[i].value, cases[i].decimals, cases[i].grouped),
			    cases[i].text);
	}
}

TEST(text_sizes)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1536, "1.5 KiB" },
		{ (1 << 20) - 1, "1 MiB" },
		{ 82933024, "79.09 MiB" },
		{ UINT64_MAX, "16777216 TiB" },
	};
	char text[TEXT_NUMBER];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_TEXT(text_bytes(text, cases[i].bytes), cases[i].text);
}

TEST(text_durations)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 7, "7 ns" },
		{ 999, "999 ns" },
		{ 1000, "1 us" },
		{ 300000, "300 us" },
		{ 999949, "999.9 us" },
		{ 999960, "1 ms" },
		{ 20000000, "20 ms" },
		{ 999999999, "1 s" },
		{ 1500000000, "1.5 s" },
		{ 119400000000, "119.4 s" },
		{ 125000000000, "2 min 05 s" },
		{ 725400000000, "12 min 05 s" },
		{ 3600000000000, "1 h 00 min" },
		{ 7199000000000, "1 h 59 min" },
		{ 12300000000000, "3 h 25 min" },
		{ -7, "-7 ns" },
		{ -1500000, "-1.5 ms" },
		{ INT64_MAX, "2562047 h 47 min" },
		{ INT64_MIN, "-9.223e+09 s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[TEXT_NUMBER];

		EXPECT_TEXT(text_duration(text, cases[i].ns), cases[i].text);
	}
}

TEST(text_colour_needs_a_terminal)
{
	char *bytes = NULL;
	size_t size;
	FILE *memory = open_memstream(&bytes, &size);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	EXPECT_TEXT(text_color(memory, COLOR_BAD), "");
	EXPECT_INT(text_width(memory), 80);
	fclose(memory);
	free(bytes);
}

TEST(text_wraps_words)
{
	static const struct {
		const char *text;
		int indent, width;
		const char *wrapped;
	} cases[] = {
		{ "", 2, 20, "\n" },
		{ "one two three", 0, 80, "one two three\n" },
		{ "one two three", 0, 8, "one two\nthree\n" },
		{ "one two three", 4, 12, "one two\n    three\n" },
		{ "one   two ", 0, 80, "one two\n" },
		{ " one", 0, 80, "one\n" },
		{ "unbreakably long", 0, 5, "unbreakably\nlong\n" },
		{ "first\nsecond", 2, 80, "first\n  second\n" },
		{ "first\n\nsecond", 2, 80, "first\n\n  second\n" },
		{ "a [-e\x1fX] b", 0, 7, "a\n[-e X]\nb\n" },
		{ "\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9", 0, 5,
		  "\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *bytes = NULL;
		size_t size;
		FILE *out = open_memstream(&bytes, &size);

		test_case("%s", cases[i].text);
		text_wrap(out, cases[i].text, cases[i].indent, cases[i].width);
		fclose(out);
		EXPECT_TEXT(bytes, cases[i].wrapped);
		free(bytes);
	}
}

TEST(text_distances)
{
	static const struct {
		const char *a, *b;
		int distance;
	} cases[] = {
		{ "cycles", "cycles", 0 }, { "", "", 0 },
		{ "cycles", "cycle", 2 },  { "cylces", "cycles", 2 }, /* a swap */
		{ "Cycles", "cycles", 1 }, { "faults", "vaults", 2 },
		{ "abc", "xyz", 6 },	   { "", "abc", 6 },
		{ "abcdefghij", "", 10 }, /* no more than the limit */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s, %s", cases[i].a, cases[i].b);
		EXPECT_INT(text_distance(cases[i].a, cases[i].b, 10), cases[i].distance);
		EXPECT_INT(text_distance(cases[i].b, cases[i].a, 10), cases[i].distance);
	}
}

TEST(text_typos)
{
	static const struct {
		const char *typed, *name;
		bool near;
	} cases[] = {
		{ "stats", "stat", true },	     { "recrod", "record", true },
		{ "reprot", "report", true },	     { "erport", "report", true },
		{ "durtion", "duration", true },     { "timout", "timeout", true },
		{ "evlist", "list", false },	     { "test", "list", false },
		{ "iostat", "stat", false },	     { "top", "stat", false },
		{ "stat", "stat", false },	     { "no", "ns", false },
		{ "colour", "column-width", false }, { "", "a", false },
		{ "recordd", "record", true },	     { "rport", "report", true },
		{ "annotate", "rotate", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].typed);
		EXPECT_BOOL(text_typo_of(cases[i].typed, cases[i].name) != 0, cases[i].near);
	}
	EXPECT_TEXT(text_plural(1), "");
	EXPECT_TEXT(text_plural(0), "s");
	EXPECT_TEXT(text_plural(2), "s");
}

TEST(text_distance_of_long_names)
{
	char a[100] = "", b[100] = "";

	memset(a, 'a', 64);
	memset(b, 'a', 64);
	EXPECT_INT(text_distance(a, b, 10), 0);
	b[64] = 'a';
	EXPECT_INT(text_distance(a, b, 10), 10);
}

TEST(text_hex_digits)
{
	EXPECT_INT(text_hex_digit('0'), 0);
	EXPECT_INT(text_hex_digit('9'), 9);
	EXPECT_INT(text_hex_digit('a'), 10);
	EXPECT_INT(text_hex_digit('F'), 15);
	EXPECT_INT(text_hex_digit('g'), -1);
	EXPECT_INT(text_hex_digit('\0'), -1);
	EXPECT_INT(text_hex_digit('\x19'), -1);
}

TEST(text_patterns)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "sched:*", "sched:sched_switch", true },
		{ "sched:*", "irq:x", false },
		{ "*", "", true },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "ABC", "abc", false },
		{ "abc", "abcd", false },
		{ "*switch", "sched_switch", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s, %s", cases[i].pattern, cases[i].text);
		EXPECT_BOOL(text_glob(cases[i].pattern, cases[i].text), cases[i].matches);
	}
	EXPECT(text_contains("Retired Instructions", "instr"));
	EXPECT(!text_contains("Retired Instructions", "cycles"));
	EXPECT(text_contains("anything", ""));
}
