// SPDX-License-Identifier: Apache-2.0
#include "server/quote.h"
#include "base/arena.h"
#include "base/buf.h"
#include "test.h"

#include <errno.h>

/* Words with a | between them. */
static void join(const struct wordlist *words, struct buf *into)
{
	buf_clear(into);
	for (size_t i = 0; i < words->len; i++)
		buf_printf(into, "%s%s", i ? "|" : "", words->data[i]);
}

TEST(quote_splits_as_documented)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "" },
		{ "  \t\n ", "" },
		{ "sort -k 2 'my file'", "sort|-k|2|my file" },
		{ "awk '{ print $1 }' a\\ b", "awk|{ print $1 }|a b" },
		{ "echo \"say \\\"hi\\\"\"", "echo|say \"hi\"" },
		{ "a'b c'\"d\"", "ab cd" },
		{ "'' \"\"", "|" },
		{ "\"\\a\\\\\\$\"", "\\a\\$" },
		{ "a\\;b", "a;b" },
		{ "'it'\\''s'", "it's" },
		{ "x=~/#!{}[]%", "x=~/#!{}[]%" },
		{ "\xff\xfe", "\xff\xfe" },
	};
	struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wordlist words = { 0 };
		struct arena arena = { 0 };
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(quote_split(cases[i].text, &arena, &words, &err), 0);
		join(&words, &text);
		EXPECT_TEXT(buf_text(&text), cases[i].words);
		vec_free(&words);
		arena_free(&arena);
	}
	buf_free(&text);
}

TEST(quote_refuses_what_only_a_shell_does)
{
	static const struct {
		const char *text, *says;
		int rc;
	} cases[] = {
		{ "ls | wc", "| means something to a shell only", -ENOEXEC },
		{ "a && b", "&", -ENOEXEC },
		{ "echo $HOME", "$", -ENOEXEC },
		{ "cat <x", "<", -ENOEXEC },
		{ "ls *.c", "*", -ENOEXEC },
		{ "echo `id`", "`", -ENOEXEC },
		{ "(a)", "(", -ENOEXEC },
		{ "echo 'x", "' is not closed", -EINVAL },
		{ "echo \"x", "\" is not closed", -EINVAL },
		{ "echo \\", "backslash", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wordlist words = { 0 };
		struct arena arena = { 0 };
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(quote_split(cases[i].text, &arena, &words, &err), cases[i].rc);
		EXPECT_CONTAINS(err.text, cases[i].says);
		vec_free(&words);
		arena_free(&arena);
	}
}

TEST(quote_names_what_is_no_assignment)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "A=1 B='x y' _c=", "" }, { "A=1 2B=3", "`2B=3`" }, { "A=1 word", "`word`" },
		{ "=x", "`=x`" },	   { "A-B=1", "`A-B=1`" },   { "A=1 'B C=2'", "`B C=2`" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wordlist words = { 0 };
		struct arena arena = { 0 };
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(quote_assignments(cases[i].text, &arena, &words, &err),
			   *cases[i].says ? -EINVAL : 0);
		EXPECT_CONTAINS(err.text, cases[i].says);
		vec_free(&words);
		arena_free(&arena);
	}
}

/* What is shown can be typed again. */
TEST(quote_join_comes_back)
{
	static const char *given[] = { "plain", "",   "a b", "it's", "$HOME",
				       "a\nb",	"\\", "\"",  "*",    "-x=1" };
	struct wordlist words = { given, ARRAY_SIZE(given), ARRAY_SIZE(given) }, back = { 0 };
	struct arena arena = { 0 };
	struct buf text = { 0 };
	struct err err = { 0 };

	quote_join(&words, &text);
	EXPECT_INT(quote_split(buf_text(&text), &arena, &back, &err), 0);
	EXPECT_INT(back.len, words.len);
	for (size_t i = 0; i < words.len; i++)
		EXPECT_TEXT(back.data[i], given[i]);
	vec_free(&back);
	arena_free(&arena);
	buf_free(&text);
}
