// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "import/fold.h"
#include "test.h"

TEST(folded_lines)
{
	static const struct {
		const char *text, *want;
		int broken, rounded, two;
	} cases[] = {
		{ "main;work;sort 12\nmain;io_[k] 3\n", "main;io_[k] 3\nmain;work;sort 12\n", 0, 0,
		  0 },
		{ "a;b 1\r\na;b 2\r\n", "a;b 3\n", 0, 0, 0 },
		{ "a;b 1.5\na;b 2.0\n", "a;b 35\n", 0, 0, 0 },
		{ "fast 0.4\nslow 0.45\nx 3\n", "fast 40\nslow 45\nx 300\n", 0, 0, 0 },
		{ "a 3\nb 1.0\na 0.125\nb 2 0.5\n", "a 3125\nb 1500\n", 0, 0, 1 },
		{ "a 0.00000049\nb 0.1234567\nc 0.9999999\n", "b 123457\nc 1000000\n", 0, 3, 0 },
		/* where the whole is too much for it, fractions are rounded */
		{ "a 9000000000000000000\nb 1.6\n", "a 9000000000000000000\nb 2\n", 0, 1, 0 },
		{ "a;b 7 9\n", "a;b 9\n", 0, 0, 1 },
		{ "# no\n\na 1\nnothing\nb x\nb 1\nc 1\n", "a 1\nb 1\nc 1\n", 2, 0, 0 },
		{ "a;;b 1\n", "a;[unknown];b 1\n", 0, 0, 0 },
		{ "f(int, char) const;g 2\nx y;z 1", "f(int, char) const;g 2\nx y;z 1\n", 0, 0, 0 },
		{ "a;a;a 5\na;x_[j];y_[i] 0\n", "a;a;a 5\n", 0, 0, 0 },
		/* Lines that begin as the one before do, in all ways. */
		{ "a;bc 1\na;b 1\na;b;c 1\na;b 1\na;bd 1\na 1\na;b;c 1\n",
		  "a 1\na;b 2\na;b;c 2\na;bc 1\na;bd 1\n", 0, 0, 0 },
		{ "a;;b 1\na;; 1\na;;;b 1\n;a 1\n; 1\n",
		  "[unknown];[unknown] 1\n[unknown];a 1\na;[unknown];[unknown] 1\n"
		  "a;[unknown];[unknown];b 1\na;[unknown];b 1\n",
		  0, 0, 0 },
		/* Sums stay numbers: what is too much for one is left out, and said. */
		{ "a 18446744073709551615\nb 99999999999999999999999\nc 9223372036854775800\nd "
		  "9\ne 8\n",
		  "c 9223372036854775800\ne 8\n", 3, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct import_result result;
		char *got;

		test_case("%s", cases[i].text);
		got = fold_text(cases[i].text, &result);
		EXPECT_TEXT(got, cases[i].want);
		EXPECT_INT(result.format, IMPORT_FOLDED);
		EXPECT_INT(result.broken, cases[i].broken);
		EXPECT_INT(result.rounded, cases[i].rounded);
		EXPECT_INT(result.two_columns, cases[i].two);
		free(got);
	}
}

/* What is said of a bad line is short, and that it goes on is seen. */
TEST(folded_long_bad_line)
{
	struct import_result result;
	struct buf text = { 0 };

	buf_puts(&text, "a 1\nb 1\n");
	for (int i = 0; i < 200; i++)
		buf_puts(&text, "x");
	buf_puts(&text, "\n");
	free(fold_text(text.data, &result));
	EXPECT_INT(result.broken, 1);
	EXPECT_INT(strlen(result.broken_text), sizeof(result.broken_text) - 1);
	EXPECT_CONTAINS(result.broken_text, "xxx…");
	buf_free(&text);
}

/* A stack deeper than any program's: the leaf's side is left out, the count is not. */
TEST(folded_very_deep)
{
	struct import_result result;
	struct buf text = { 0 };
	char *got;

	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "%sf%d", i ? ";" : "", i);
	buf_puts(&text, " 3\n");
	got = fold_text(text.data, &result);
	EXPECT(strlen(got) < text.len);
	EXPECT_CONTAINS(got, "f2046;f2047 3\n");
	buf_free(&text);
	free(got);
}
