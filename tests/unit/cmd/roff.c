// SPDX-License-Identifier: Apache-2.0
#include "cmd/roff.h"
#include "test.h"

#include <stdlib.h>

TEST(roff_text_marks_and_escapes)
{
	static const struct {
		const char *text, *roff;
	} cases[] = {
		{ "plain", "plain\n" },
		{ "well-known", "well-known\n" },
		{ "`--no-inherit`", "\\fB\\-\\-no\\-inherit\\fR\n" },
		{ "**bold** and *slanted*.", "\\fBbold\\fR and \\fIslanted\\fR.\n" },
		{ "2 * 3 * 4", "2 * 3 * 4\n" },
		{ "`open", "`open\n" },
		{ "``", "``\n" },
		{ "it's", "it's\n" },
		{ "'quoted' first", "\\&'quoted' first\n" },
		{ ".hidden", "\\&.hidden\n" },
		{ "a\\nb", "a\\(rsnb\n" },
		{ "`'~^`", "\\fB\\(aq\\(ti\\(ha\\fR\n" },
		{ "\xe2\x86\x92", "\xe2\x86\x92\n" },
		{ "", "\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = NULL;
		size_t size;
		FILE *out = open_memstream(&got, &size);

		test_case("%s", cases[i].text);
		roff_text(out, cases[i].text);
		fclose(out);
		EXPECT_TEXT(got, cases[i].roff);
		free(got);
	}
}

TEST(roff_markdown_blocks)
{
	static const struct {
		const char *markdown, *roff;
	} cases[] = {
		{ "", "" },
		{ "## ONE\n\ntext\nmore\n\nnext\n", ".SH ONE\ntext more\n.PP\nnext\n" },
		{ "### Sub\ntext", ".SS Sub\ntext\n" },
		{ "- one\n  more\n- two\n\ntext\n",
		  ".IP \\(bu 2\none more\n.IP \\(bu 2\ntwo\n.PP\ntext\n" },
		{ "1. one\n12. two\n", ".IP 1. 4\none\n.IP 12. 4\ntwo\n" },
		{ "- one\n\n  still one\n", ".IP \\(bu 2\none\n.IP\nstill one\n" },
		{ "term\n:   words\n    more\n\n`t2`\n: w2\n",
		  ".TP\nterm\nwords more\n.TP\n\\fBt2\\fR\nw2\n" },
		{ "    $ ls -l\n\n    .x\n\ntext\n",
		  ".PP\n.RS 4\n.nf\n$ ls \\-l\n\n\\&.x\n.fi\n.RE\n.PP\ntext\n" },
		{ "    a\n      b\n", ".PP\n.RS 4\n.nf\na\n  b\n.fi\n.RE\n" },
		{ "```\na\n## b\n```\nend\n", ".PP\n.RS 4\n.nf\na\n## b\n.fi\n.RE\n.PP\nend\n" },
		{ "```\nnever closed\n", ".PP\n.RS 4\n.nf\nnever closed\n.fi\n.RE\n" },
		{ "## H\n\n    code\n\ntext\n", ".SH H\n.RS 4\n.nf\ncode\n.fi\n.RE\n.PP\ntext\n" },
		{ "- item\n\n        code\n",
		  ".IP \\(bu 2\nitem\n.IP\n.RS 4\n.nf\ncode\n.fi\n.RE\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = NULL;
		size_t size;
		FILE *out = open_memstream(&got, &size);

		test_case("%s", cases[i].markdown);
		roff_markdown(out, cases[i].markdown, NULL, NULL);
		fclose(out);
		EXPECT_TEXT(got, cases[i].roff);
		free(got);
	}
}

static void put_user(FILE *out, const void *user)
{
	fputs(user, out);
}

TEST(roff_markdown_lets_something_in_between)
{
	static const struct {
		const char *markdown, *roff;
	} cases[] = {
		{ "## A\na\n\n## B\nb\n\n## C\n", ".SH A\na\n!\n.SH B\nb\n.SH C\n" },
		{ "## A\na\n", ".SH A\na\n!\n" },
		{ "", "!\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = NULL;
		size_t size;
		FILE *out = open_memstream(&got, &size);

		test_case("%s", cases[i].markdown);
		roff_markdown(out, cases[i].markdown, put_user, "!\n");
		fclose(out);
		EXPECT_TEXT(got, cases[i].roff);
		free(got);
	}
}
