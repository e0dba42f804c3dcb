// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing_check.h"
#include "test.h"

#include <stdio.h>

#define HEAD                              \
	"name: fault\nID: 317\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define FIELDS                                                      \
	"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"           \
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n" \
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n\n"

TEST(tracing_check_knows_the_kernels_way_of_printing)
{
	static const struct {
		const char *print;
		bool sane;
	} cases[] = {
		{ "\"x=%d\", REC->x", true },
		{ "\"%s %s\", REC->comm, __get_str(name)", true },
		{ "\"%d%%\", ((unsigned int)REC->x >> 20) & ((1U << 20) - 1)", true },
		{ "\"%s\", __print_flags(REC->x, \"|\", { 1, \"A\" }, { 1 << 1, \"B\" })", true },
		{ "\"%s\", REC->x ? \"yes\" : \"no\"", true },
		{ "\"%*d %c\", 5, REC->x, 'c'", true },
		{ "\"x=%d,\n in two lines\", REC->x", true },
		{ "\"x=%d\", REC->x\n\n", true },
		{ "\"x=%d\", -\nREC->x", false },
		{ "\"x=%d\", REC->y", false },	     /* no such field */
		{ "\"x=%d\", __get_str(x)", false }, /* not one whose length varies */
		{ "\"x=%d\", REC->x / 0", false },
		{ "\"x=%d\", REC->x % REC->x", false },
		{ "\"x=%d %d\", REC->x", false }, /* too few */
		{ "\"x\", REC->x", false },	  /* too many */
		{ "\"x=%,\", REC->x", false },
		{ "\"a\tb\"", false },
		{ "\"x=%d\", (REC->x", false },
		{ "\"x=%d\", system(REC->x)", false },
		{ "\"%s\", __print_symbolic(REC->x, { REC->x, \"A\" })", false },
		{ "REC->x", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char format[1024];
		struct tracing_check check;
		int size = snprintf(format, sizeof(format), HEAD FIELDS "print fmt: %s\n",
				    cases[i].print);

		test_case("%s", cases[i].print);
		check = tracing_check(format, (size_t)size);
		EXPECT(check.fields);
		EXPECT_BOOL(check.print, cases[i].sane);
		EXPECT(!strncmp(format + check.print_at, "print fmt:", 10));
	}
}

TEST(tracing_check_refuses_fields_that_are_none)
{
	static const char *const fields[] = {
		"\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int x\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:8888888;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:;\tsigned:1;\n",
		"\tfield:int x[0];\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:char[] __data_loc name;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;more\n",
		"\tfield:int \x01x;\toffset:8;\tsize:4;\tsigned:1;\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		char format[1024];
		int size = snprintf(format, sizeof(format), HEAD "%s\nprint fmt: \"\"\n",
				    fields[i]);

		test_case("%zu", i);
		EXPECT(!tracing_check(format, (size_t)size).fields);
	}
}
