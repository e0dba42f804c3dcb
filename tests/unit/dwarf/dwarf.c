// SPDX-License-Identifier: Apache-2.0
#include "dwarf/dwarf.h"
#include "dwarf/constants.h"
#include "dwarf/maker.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* "inner b.h:31 < middle b.h:30 < ...", of an address. */
static const char *tell(struct dwarf *dwarf, uint64_t address)
{
	static char text[1024];
	struct dwarf_frame frames[DWARF_DEPTH];
	size_t count = dwarf_find(dwarf, address, frames, DWARF_DEPTH), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s:%u", i ? " < " : "",
				       frames[i].name ? frames[i].name : "?",
				       frames[i].file ? frames[i].file : "?", frames[i].line);
	return text;
}

static const struct {
	uint64_t address;
	const char *frames;
} answers[] = {
	{ 0xfff, "" },
	{ 0x1000, "_Z5outerv /src/a.c:11" },
	{ 0x1010, "middle /src/a.c:11 < _Z5outerv /src/a.c:20" },
	{ 0x1020, "_Z5outerv /src/a.c:11" },
	{ 0x1034, "inner /src/include/b.h:31 < middle /src/include/b.h:30 < "
		  "_Z5outerv /src/a.c:20" },
	{ 0x1038, "middle /src/a.c:12 < _Z5outerv /src/a.c:20" },
	{ 0x10ff, "_Z5outerv /src/a.c:12" },
	{ 0x1100, "" },
	{ 0x2000, "lonely /src/a.c:40" },
	{ 0x200f, "lonely /src/a.c:40" },
	{ 0x2010, "" },
};

TEST(dwarf_of_every_version)
{
	for (int version = 2; version <= 5; version++)
		for (int wide = 0; wide < 2; wide++) {
			struct made made = { .version = version, .wide = wide };
			struct dwarf_source source = made_source(&made);
			struct dwarf *dwarf;

			made_fill(&made);
			dwarf = dwarf_new(&source);
			for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
				test_case("version %d, wide %d, %llx", version, wide,
					  (unsigned long long)answers[i].address);
				EXPECT_TEXT(tell(dwarf, answers[i].address), answers[i].frames);
			}
			EXPECT_INT(dwarf_state(dwarf), DWARF_GOOD);
			dwarf_free(dwarf);
			made_free(&made);
		}
}

TEST(dwarf_room_for_fewer)
{
	struct made made = { .version = 4 };
	struct dwarf_source source = made_source(&made);
	struct dwarf_frame frames[2];
	struct dwarf *dwarf;

	made_fill(&made);
	dwarf = dwarf_new(&source);
	EXPECT_INT(dwarf_find(dwarf, 0x1034, frames, 0), 0);
	EXPECT_INT(dwarf_find(dwarf, 0x1034, frames, 2), 2);
	EXPECT_TEXT(frames[0].name, "inner");
	EXPECT_BOOL(frames[0].inlined, true);
	EXPECT_TEXT(frames[1].name, "middle");
	EXPECT_BOOL(frames[1].inlined, false);
	dwarf_free(dwarf);
	made_free(&made);
}

static void ask_all(struct made *made)
{
	struct dwarf_source source = made_source(made);
	struct dwarf *dwarf = dwarf_new(&source);

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		tell(dwarf, answers[i].address);
	dwarf_free(dwarf);
}

TEST(dwarf_without_a_section)
{
	for (int version = 4; version <= 5; version++)
		for (int section = 0; section < DWARF_SECTIONS; section++) {
			struct made made = { .version = version };

			made_fill(&made);
			buf_free(&made.sections[section]);
			ask_all(&made);
			made_free(&made);
		}
}

/* In a block of its own size, so that a sanitizer sees the first byte that is read behind it. */
static void cut(struct made *made, int section, size_t length)
{
	struct buf *b = &made->sections[section];
	char *data = malloc(length ? length : 1);

	memcpy(data, b->data, length);
	free(b->data);
	*b = (struct buf){ .data = data, .len = length, .cap = length };
}

TEST(dwarf_cut_at_every_place)
{
	for (int version = 3; version <= 5; version++)
		for (int section = 0; section < DWARF_SECTIONS; section++)
			for (size_t length = 0;; length++) {
				struct made made = { .version = version };
				bool more;

				made_fill(&made);
				more = length < made.sections[section].len;
				if (more) {
					cut(&made, section, length);
					ask_all(&made);
				}
				made_free(&made);
				if (!more)
					break;
			}
}

TEST(dwarf_every_byte_wrong)
{
	static const unsigned char wrong[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

	for (int section = 0; section < DWARF_SECTIONS; section++)
		for (size_t i = 0;; i++) {
			struct made made = { .version = 5 };
			struct buf *b = &made.sections[section];
			size_t len;
			char was;

			made_fill(&made);
			len = b->len;
			for (size_t w = 0; i < len && w < ARRAY_SIZE(wrong); w++) {
				was = b->data[i];
				b->data[i] = (char)wrong[w];
				ask_all(&made);
				b->data[i] = was;
			}
			made_free(&made);
			if (i >= len)
				break;
		}
}

/* A list of ranges that every function names: the work would be the product of the two. */
TEST(dwarf_gives_up_on_what_never_ends)
{
	struct made made = { .version = 4 };
	struct dwarf_source source = made_source(&made);
	struct buf *info = &made.sections[DWARF_INFO], *abbrev = &made.sections[DWARF_ABBREV];
	static const unsigned char abbrevs[] = { 1,
						 DW_TAG_compile_unit,
						 1,
						 DW_AT_low_pc,
						 DW_FORM_addr,
						 DW_AT_high_pc,
						 DW_FORM_data4,
						 0,
						 0,
						 2,
						 DW_TAG_subprogram,
						 0,
						 DW_AT_ranges,
						 DW_FORM_sec_offset,
						 0,
						 0,
						 0 };
	const unsigned functions = 50000, ranges = 50000;
	struct dwarf *dwarf;

	buf_add(abbrev, abbrevs, sizeof(abbrevs));
	put_number(info, 7 + 13 + 5 * functions, 4);
	put_number(info, 4, 2);
	put_number(info, 0, 4);
	buf_putc(info, 8);
	buf_putc(info, 1);
	put_number(info, 0x1000, 8);
	put_number(info, 0x1000, 4);
	for (unsigned i = 0; i < functions; i++) {
		buf_putc(info, 2);
		put_number(info, 0, 4);
	}
	for (unsigned i = 0; i < ranges; i++) {
		put_number(&made.sections[DWARF_RANGES], 0x1000 + i, 8);
		put_number(&made.sections[DWARF_RANGES], 0x1001 + i, 8);
	}
	put_number(&made.sections[DWARF_RANGES], 0, 16);
	dwarf = dwarf_new(&source);
	tell(dwarf, 0x1000);
	EXPECT_INT(dwarf_state(dwarf), DWARF_TIRED);
	EXPECT_TEXT(tell(dwarf, 0x1500), "");
	dwarf_free(dwarf);
	made_free(&made);
}
