// SPDX-License-Identifier: Apache-2.0
#include "base/wordlist.h"
#include "base/arena.h"
#include "base/buf.h"
#include "test.h"

TEST(wordlist_joined_and_split)
{
	const char *texts[] = { "one", "", "two words", "\xff" };
	struct wordlist words = { .data = texts, .len = 4 }, got;
	struct arena arena = { 0 };
	struct buf bytes = { 0 };

	wordlist_join(&words, &bytes);
	EXPECT_INT(bytes.len, 17);
	EXPECT_INT(memcmp(bytes.data, "one\0\0two words\0\xff", 17), 0);
	got = wordlist_split(bytes.data, bytes.len, &arena);
	EXPECT_INT(got.len, 4);
	for (size_t i = 0; i < 4; i++)
		EXPECT_TEXT(got.data[i], texts[i]);
	EXPECT_INT(wordlist_split(NULL, 0, &arena).len, 0);
	EXPECT_INT(wordlist_split("a\0rest", 6, &arena).len, 1);
	arena_free(&arena);
	buf_free(&bytes);
}
