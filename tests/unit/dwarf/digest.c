// SPDX-License-Identifier: Apache-2.0
#include "dwarf/digest.h"
#include "dwarf/maker.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#define FROM 0xff0
#define TO   0x2020

/* One object that was asked for some addresses, and what is kept of it, as bytes. */
struct kept {
	struct made made;
	struct dwarf *dwarf;
	unsigned char *bytes;
	size_t size;
	struct digest digest;
};

static void open_made(struct kept *kept, int version)
{
	struct dwarf_source source;

	*kept = (struct kept){ .made = { .version = version } };
	made_fill(&kept->made);
	source = made_source(&kept->made);
	kept->dwarf = dwarf_new(&source);
}

static bool keep(struct kept *kept, const struct digest *former)
{
	struct iovec parts[DIGEST_PARTS];
	struct digest_made made = { 0 };
	bool good = digest_make(&made, kept->dwarf, former);

	if (good) {
		digest_parts(&made, parts);
		for (size_t i = 0; i < DIGEST_PARTS; i++)
			kept->size += parts[i].iov_len;
		kept->bytes = malloc(kept->size);
		kept->size = 0;
		for (size_t i = 0; i < DIGEST_PARTS; i++) {
			memcpy(kept->bytes + kept->size, parts[i].iov_base, parts[i].iov_len);
			kept->size += parts[i].iov_len;
		}
		EXPECT(digest_of(&kept->digest, kept->bytes, kept->size));
	}
	digest_made_free(&made);
	return good;
}

static void close_made(struct kept *kept)
{
	free(kept->bytes);
	dwarf_free(kept->dwarf);
	made_free(&kept->made);
}

static const char *tell(char *text, size_t room, const struct dwarf_frame *frames, size_t count)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, room - at, "%s %s:%u%s ",
				       frames[i].name ? frames[i].name : "?",
				       frames[i].file ? frames[i].file : "?", frames[i].line,
				       frames[i].inlined ? " inlined" : "");
	return text;
}

static void expect_same(struct dwarf *dwarf, const struct digest *digest, size_t room)
{
	for (uint64_t address = FROM; address < TO; address++) {
		struct dwarf_frame frames[DWARF_DEPTH];
		char expected[1024], got[1024];
		size_t count = dwarf_find(dwarf, address, frames, room);

		test_case("%llx, room %zu", (unsigned long long)address, room);
		tell(expected, sizeof(expected), frames, count);
		EXPECT(digest_find(digest, address, frames, room, &count));
		EXPECT_TEXT(tell(got, sizeof(got), frames, count), expected);
	}
}

TEST(digest_answers_as_the_debug_information)
{
	for (int version = 2; version <= 5; version++)
		for (size_t room = 0; room <= 4; room++) {
			struct dwarf_frame frame;
			struct kept kept;

			open_made(&kept, version);
			EXPECT_INT(dwarf_find(kept.dwarf, 0x1034, &frame, 1), 1);
			EXPECT(keep(&kept, NULL));
			expect_same(kept.dwarf, &kept.digest, room);
			close_made(&kept);
		}
}

/* A later run reads nothing of what is kept, and what it does read comes to it. */
TEST(digest_takes_over_a_former_one)
{
	struct dwarf_frame frame;
	struct kept first, second;
	size_t count;

	open_made(&first, 5);
	EXPECT(!keep(&first, NULL)); /* nothing was asked for */
	dwarf_find(first.dwarf, FROM, &frame, 1);
	EXPECT(!keep(&first, NULL)); /* nothing is there */
	dwarf_find(first.dwarf, 0x1000, &frame, 1);
	EXPECT(keep(&first, NULL));
	open_made(&second, 5);
	dwarf_find(second.dwarf, FROM, &frame, 1);
	EXPECT(!keep(&second, &first.digest));
	dwarf_find(second.dwarf, 0x1000, &frame, 1);
	EXPECT(keep(&second, &first.digest));
	expect_same(first.dwarf, &second.digest, DWARF_DEPTH);
	EXPECT(!digest_find(&(struct digest){ 0 }, 0x1000, &frame, 1, &count));
	close_made(&first);
	close_made(&second);
}

TEST(digest_says_what_was_not_read)
{
	static const struct digest_row rows[] = {
		{ .start = 0x100, .function = DIGEST_UNREAD },
		{ .start = 0x200, .function = DIGEST_NONE, .file = DIGEST_EMPTY }
	};
	struct digest digest = { .rows = rows, .row_count = 2 };
	struct dwarf_frame frame;
	size_t count;

	EXPECT(digest_find(&digest, 0xff, &frame, 1, &count));
	EXPECT(!digest_find(&digest, 0x100, &frame, 1, &count));
	EXPECT(digest_find(&digest, 0x200, &frame, 1, &count));
	EXPECT_INT(count, 0);
}

static void ask_all(const unsigned char *bytes, size_t size)
{
	struct dwarf_frame frames[DWARF_DEPTH];
	struct digest digest;
	size_t count;

	if (!digest_of(&digest, bytes, size))
		return;
	for (uint64_t address = FROM; address < TO; address += 4) {
		char text[4096];

		if (digest_find(&digest, address, frames, DWARF_DEPTH, &count))
			tell(text, sizeof(text), frames, count < 8 ? count : 8);
	}
}

TEST(digest_every_byte_wrong)
{
	static const unsigned char wrong[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct dwarf_frame frame;
	struct kept kept;

	open_made(&kept, 5);
	dwarf_find(kept.dwarf, 0x1034, &frame, 1);
	EXPECT(keep(&kept, NULL));
	for (size_t i = 0; i < kept.size; i++) {
		unsigned char was = kept.bytes[i], *cut = malloc(i + 1);

		for (size_t w = 0; w < ARRAY_SIZE(wrong); w++) {
			kept.bytes[i] = wrong[w];
			ask_all(kept.bytes, kept.size);
		}
		kept.bytes[i] = was;
		memcpy(cut, kept.bytes, i);
		ask_all(cut, i);
		free(cut);
	}
	close_made(&kept);
}
