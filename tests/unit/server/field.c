// SPDX-License-Identifier: Apache-2.0
#include "server/field.h"
#include "test.h"

TEST(field_cookie_is_found_by_its_whole_name)
{
	static const struct {
		const char *text, *value;
	} cases[] = {
		{ "perfolio-7700=abc", "abc" },
		{ "a=b; perfolio-7700=abc; c=d", "abc" },
		{ "a=b;perfolio-7700=abc", "abc" },
		{ "perfolio-7700=", "" },
		{ "perfolio-77001=abc", NULL },
		{ "xperfolio-7700=abc", NULL },
		{ "perfolio-7700", NULL },
		{ "a=perfolio-7700=abc", NULL },
		{ ";;; ;", NULL },
		{ "perfolio-7700=abcde", "abcde" },
		{ "perfolio-7700=abcdef", NULL },
		{ "", NULL },
		{ NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char value[6];
		bool found = field_cookie(cases[i].text, "perfolio-7700", value, sizeof(value));

		test_case("%s", cases[i].text ? cases[i].text : "(none)");
		EXPECT_TEXT(found ? value : "(none)", cases[i].value ? cases[i].value : "(none)");
	}
}

TEST(field_range_stays_in_the_file)
{
	static const struct {
		const char *text;
		int got;
		uint64_t first, length;
	} cases[] = {
		{ "bytes=0-9", 1, 0, 10 },
		{ "bytes=90-", 1, 90, 10 },
		{ "bytes=-5", 1, 95, 5 },
		{ "bytes=-500", 1, 0, 100 },
		{ "bytes=99-200", 1, 99, 1 },
		{ "bytes=100-", -1, 0, 0 },
		{ "bytes=-0", -1, 0, 0 },
		{ "bytes=5-4", 0, 0, 0 },
		{ "bytes=0-1,3-4", 0, 0, 0 },
		{ "bytes= 1-2", 0, 0, 0 },
		{ "bytes=--1", 0, 0, 0 },
		{ "lines=1-2", 0, 0, 0 },
		{ "bytes=a-b", 0, 0, 0 },
		{ "bytes=99999999999999999999-", 0, 0, 0 },
		{ NULL, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t first = 0, length = 0;

		test_case("%s", cases[i].text ? cases[i].text : "(none)");
		EXPECT_INT(field_range(cases[i].text, 100, &first, &length), cases[i].got);
		if (cases[i].got == 1) {
			EXPECT_INT(first, cases[i].first);
			EXPECT_INT(length, cases[i].length);
		}
	}
	EXPECT_INT(field_range("bytes=0-", 0, &(uint64_t){ 0 }, &(uint64_t){ 0 }), -1);
}
