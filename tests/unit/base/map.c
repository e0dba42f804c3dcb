// SPDX-License-Identifier: Apache-2.0
#include "base/map.h"
#include "base/arena.h"
#include "test.h"

#include <stdio.h>

TEST(map_finds_what_was_added)
{
	enum { KEYS = 100000 };
	struct arena arena = { 0 };
	struct map map = { 0 };
	char key[32];

	EXPECT_INT(map_find(&map, "none", 4), MAP_NONE);
	for (uint32_t i = 0; i < KEYS; i++) {
		char *text = arena_printf(&arena, "key-%u", i);

		EXPECT_INT(map_add(&map, text, strlen(text), i), i);
	}
	EXPECT_INT(map.len, KEYS);
	EXPECT(map.len * 4 <= map.cap * 3);
	for (uint32_t i = 0; i < KEYS; i++) {
		size_t length = (size_t)snprintf(key, sizeof(key), "key-%u", i);

		EXPECT_INT(map_find(&map, key, length), i);
		EXPECT_INT(map_find(&map, key, length - 1),
			   i < 10 ? MAP_NONE : i / 10); /* "key-12" of "key-123" */
	}
	EXPECT_INT(map_find(&map, "key-100000", 10), MAP_NONE);
	map_free(&map);
	arena_free(&arena);
	EXPECT_INT(map_find(&map, "key-1", 5), MAP_NONE);
}

TEST(map_keeps_the_first_value)
{
	struct map map = { 0 };

	EXPECT_INT(map_add(&map, "a", 1, 7), 7);
	EXPECT_INT(map_add(&map, "a", 1, 8), 7);
	EXPECT_INT(map_find(&map, "a", 1), 7);
	EXPECT_INT(map.len, 1);
	map_free(&map);
}

TEST(map_takes_any_bytes_as_key)
{
	struct map map = { 0 };

	EXPECT_INT(map_add(&map, "", 0, 1), 1);
	EXPECT_INT(map_add(&map, "\0", 1, 2), 2);
	EXPECT_INT(map_add(&map, "\0\0", 2, 3), 3);
	EXPECT_INT(map_add(&map, "a\0b", 3, 4), 4);
	EXPECT_INT(map_add(&map, "a\0c", 3, 5), 5);
	EXPECT_INT(map_find(&map, "", 0), 1);
	EXPECT_INT(map_find(&map, "\0\0", 2), 3);
	EXPECT_INT(map_find(&map, "a\0b", 3), 4);
	EXPECT_INT(map_find(&map, "a\0d", 3), MAP_NONE);
	map_free(&map);
}

/* Names that differ in one byte only, at any place, must not crowd into few slots. */
TEST(map_hash_spreads_similar_names)
{
	enum { BUCKETS = 1024 };
	int counts[BUCKETS] = { 0 }, most = 0;
	char name[] = "sched:sched_process_00000";

	for (int i = 0; i < BUCKETS * 8; i++) {
		int bucket;

		snprintf(name + 20, 6, "%05d", i);
		bucket = (int)(map_hash(name, strlen(name)) >> 32) & (BUCKETS - 1);
		if (++counts[bucket] > most)
			most = counts[bucket];
	}
	EXPECT(most < 32); /* eight on average; chance alone gives about 20 */
}

TEST(map_expecting_keeps_what_is_there)
{
	struct arena arena = { 0 };
	struct map map = { 0 };
	size_t cap;

	EXPECT_INT(map_add(&map, "a", 1, 7), 7);
	map_expect(&map, 1000);
	cap = map.cap;
	EXPECT_INT(map_find(&map, "a", 1), 7);
	for (uint32_t i = 1; i < 1000; i++) {
		char *text = arena_printf(&arena, "key-%u", i);

		EXPECT_INT(map_add(&map, text, strlen(text), i), i);
	}
	EXPECT_INT(map.cap, cap);
	map_expect(&map, 10);
	EXPECT_INT(map.cap, cap);
	EXPECT_INT(map_find(&map, "a", 1), 7);
	map_free(&map);
	arena_free(&arena);
}
