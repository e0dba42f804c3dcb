// SPDX-License-Identifier: Apache-2.0
#include "machine/maps.h"
#include "test.h"

static void add(struct maps *maps, uint64_t start, uint64_t end, uint32_t object)
{
	struct mapping mapping = { .start = start, .end = end, .offset = 0x1000, .object = object };

	maps_insert(maps, &mapping);
}

/* What lies at each address, as a row of letters; '.' is nothing. */
static const char *picture(struct maps *maps, char into[static 17])
{
	for (uint64_t i = 0; i < 16; i++) {
		const struct mapping *found = maps_find(maps, i);

		into[i] = found ? (char)('a' + found->object) : '.';
	}
	into[16] = 0;
	return into;
}

TEST(maps_a_new_mapping_cuts_what_it_covers)
{
	static const struct {
		uint64_t start, end;
		const char *want;
	} cases[] = {
		{ 4, 8, "....bbbb........" },  { 0, 4, "bbbbaaaa........" },
		{ 6, 10, "....aabbbb......" }, { 2, 6, "..bbbbaa........" },
		{ 5, 7, "....abba........" },  { 2, 12, "..bbbbbbbbbb...." },
		{ 8, 12, "....aaaabbbb...." }, { 4, 4, "....aaaa........" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct maps *maps = maps_new();
		char got[17];

		test_case("%zu", i);
		add(maps, 4, 8, 0);
		add(maps, cases[i].start, cases[i].end, 1);
		EXPECT_TEXT(picture(maps, got), cases[i].want);
		maps_put(maps);
	}
}

TEST(maps_what_is_left_keeps_its_offset_in_the_file)
{
	struct maps *maps = maps_new();

	add(maps, 0x100, 0x200, 0);
	add(maps, 0x140, 0x180, 1);
	EXPECT_INT(mapping_offset(maps_find(maps, 0x130), 0x130), 0x1030);
	EXPECT_INT(mapping_offset(maps_find(maps, 0x150), 0x150), 0x1010);
	EXPECT_INT(mapping_offset(maps_find(maps, 0x190), 0x190), 0x1090);
	maps_put(maps);
}

TEST(maps_remove_takes_a_part_away)
{
	struct maps *maps = maps_new();
	char got[17];

	add(maps, 2, 6, 0);
	add(maps, 6, 12, 1);
	maps_remove(maps, 4, 8);
	EXPECT_TEXT(picture(maps, got), "..aa....bbbb....");
	maps_remove(maps, 0, 16);
	EXPECT_TEXT(picture(maps, got), "................");
	maps_put(maps);
}

TEST(maps_are_shared_until_changed)
{
	struct maps *parent = maps_new(), *child;
	char got[17];

	add(parent, 2, 6, 0);
	EXPECT(maps_own(parent) == parent); /* nobody else has it */
	child = maps_own(maps_get(parent));
	EXPECT(child != parent);
	EXPECT_INT(parent->refs, 1);
	add(child, 0, 16, 1);
	EXPECT_TEXT(picture(parent, got), "..aaaa..........");
	EXPECT_TEXT(picture(child, got), "bbbbbbbbbbbbbbbb");
	maps_put(child);
	maps_put(parent);
}

/* Against the simplest thing that could be right: an array with an entry for each address. */
TEST(maps_agree_with_a_plain_array)
{
	struct maps *maps = maps_new();
	uint32_t truth[256] = { 0 };
	uint64_t state = 7;

	for (uint32_t round = 1; round < 5000; round++) {
		uint64_t start, length;

		state = state * 6364136223846793005u + 1442695040888963407u;
		start = state >> 40 & 0xff;
		length = state >> 50 & 0x1f;
		if (start + length > 256)
			length = 256 - start;
		if (state >> 33 & 7)
			add(maps, start, start + length, round);
		else
			maps_remove(maps, start, start + length);
		for (uint64_t i = start; i < start + length; i++)
			truth[i] = state >> 33 & 7 ? round : 0;
		for (uint64_t i = 0; i < 256; i += 3) {
			const struct mapping *found = maps_find(maps, i);

			EXPECT_INT(found ? found->object : 0, truth[i]);
		}
	}
	maps_put(maps);
}
