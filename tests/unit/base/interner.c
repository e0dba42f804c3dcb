// SPDX-License-Identifier: Apache-2.0
#include "base/interner.h"
#include "test.h"

#include <stdio.h>

TEST(interner_gives_equal_strings_equal_ids)
{
	struct interner in = { 0 };
	char word[] = "cycles";
	uint32_t id = interner_add(&in, word);

	word[0] = 'x';
	EXPECT_INT(interner_add(&in, "cycles"), id);
	EXPECT(interner_add(&in, "xycles") != id);
	EXPECT_TEXT(interner_text(&in, id), "cycles");
	interner_free(&in);
}

TEST(interner_keeps_many)
{
	struct interner in = { 0 };
	char text[32];

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 20000; i++) {
			snprintf(text, sizeof(text), "%u", i * 7);
			EXPECT_INT(interner_add(&in, text), i);
		}
	EXPECT_TEXT(interner_text(&in, 0), "0");
	EXPECT_TEXT(interner_text(&in, 19999), "139993");
	EXPECT_INT(interner_add(&in, ""), 20000);
	EXPECT_TEXT(interner_text(&in, 20000), "");
	interner_free(&in);
}
