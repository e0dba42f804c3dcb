// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "test.h"

TEST(arena_gives_zeroed_aligned_memory)
{
	struct arena arena = { 0 };

	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		unsigned char *bytes = arena_alloc(&arena, size);

		test_case("%zu bytes", size);
		EXPECT_INT((uintptr_t)bytes % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			EXPECT_INT(bytes[i], 0);
		memset(bytes, 0xff, size);
	}
	arena_free(&arena);
}

TEST(arena_keeps_texts_apart)
{
	struct arena arena = { 0 };
	char *a = arena_strdup(&arena, "alpha"), *b = arena_strndup(&arena, "beta-max", 4);
	char *c = arena_printf(&arena, "%d %s", 7, "seas");

	EXPECT_TEXT(a, "alpha");
	EXPECT_TEXT(b, "beta");
	EXPECT_TEXT(c, "7 seas");
	arena_free(&arena);
	EXPECT_TEXT(arena_strdup(&arena, "again"), "again");
	arena_free(&arena);
}
