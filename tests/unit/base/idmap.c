// SPDX-License-Identifier: Apache-2.0
#include "base/idmap.h"
#include "test.h"

TEST(idmap_finds_what_was_added_and_nothing_else)
{
	struct idmap map = { 0 };

	EXPECT_INT(idmap_find(&map, 7), IDMAP_NONE);
	for (uint32_t i = 0; i < 100000; i++)
		EXPECT_INT(idmap_add(&map, (uint64_t)i * i << 8, i), i);
	EXPECT_INT(map.len, 100000);
	for (uint32_t i = 0; i < 100000; i++) {
		EXPECT_INT(idmap_find(&map, (uint64_t)i * i << 8), i);
		EXPECT_INT(idmap_find(&map, ((uint64_t)i * i << 8) + 1), IDMAP_NONE);
	}
	idmap_free(&map);
}

TEST(idmap_keeps_the_first_id)
{
	struct idmap map = { 0 };

	EXPECT_INT(idmap_add(&map, 0, 5), 5);
	EXPECT_INT(idmap_add(&map, 0, 6), 5);
	EXPECT_INT(idmap_find(&map, 0), 5);
	EXPECT_INT(map.len, 1);
	idmap_free(&map);
}

TEST(idmap_expecting_keeps_what_is_there)
{
	struct idmap map = { 0 };
	size_t cap;

	EXPECT_INT(idmap_add(&map, 3, 5), 5);
	idmap_expect(&map, 1000);
	cap = map.cap;
	EXPECT_INT(idmap_find(&map, 3), 5);
	for (uint32_t i = 1; i < 1000; i++)
		EXPECT_INT(idmap_add(&map, (uint64_t)i << 32, i), i);
	EXPECT_INT(map.cap, cap);
	idmap_expect(&map, 10);
	EXPECT_INT(map.cap, cap);
	EXPECT_INT(idmap_find(&map, 3), 5);
	idmap_free(&map);
}

/* Process -1, thread -1: recordings have it. */
TEST(idmap_takes_every_key)
{
	struct idmap map = { 0 };

	EXPECT_INT(idmap_find(&map, UINT64_MAX), IDMAP_NONE);
	EXPECT_INT(idmap_add(&map, UINT64_MAX, 7), 7);
	EXPECT_INT(idmap_add(&map, UINT64_MAX, 8), 7);
	EXPECT_INT(idmap_add(&map, 1, 9), 9);
	EXPECT_INT(idmap_find(&map, UINT64_MAX), 7);
	EXPECT_INT(idmap_find(&map, 1), 9);
	idmap_free(&map);
	EXPECT_INT(idmap_find(&map, UINT64_MAX), IDMAP_NONE);
}
