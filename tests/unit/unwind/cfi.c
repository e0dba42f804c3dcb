// SPDX-License-Identifier: Apache-2.0
#include "unwind/cfi.h"
#include "test.h"
#include "unwind/maker.h"

#include <stdlib.h>

TEST(cfi_reads_entries_in_order)
{
	for (int debug = 0; debug < 2; debug++) {
		struct made_frames frames = { .debug = debug };
		struct cfi_section section;
		struct cfi_entry entry;
		size_t next, first, second;

		test_case(debug ? ".debug_frame" : ".eh_frame");
		make_usual_common(&frames);
		first = make_entry(&frames, 0x401000, 0x20, "\x41\x0e\x10", 3);
		second = make_entry(&frames, 0x402000, 0x40, "", 0);
		section = made_section(&frames);
		EXPECT_INT(cfi_read(&section, 0, &entry, &next), CFI_COMMON);
		EXPECT_INT(next, first);
		EXPECT_INT(cfi_read(&section, next, &entry, &next), CFI_ENTRY);
		EXPECT_INT(entry.start, 0x401000);
		EXPECT_INT(entry.end, 0x401020);
		EXPECT_INT(entry.offset, first);
		EXPECT_INT(entry.common.return_column, 16);
		EXPECT_INT(entry.common.data_align, -8);
		EXPECT_INT(entry.program.at[0], 0x41);
		EXPECT_INT(next, second);
		EXPECT_INT(cfi_read(&section, next, &entry, &next), CFI_ENTRY);
		EXPECT_INT(entry.end, 0x402040);
		EXPECT_INT(cfi_read(&section, next, &entry, &next), CFI_END);
		buf_free(&frames.bytes);
	}
}

TEST(cfi_reads_augmentations)
{
	static const struct {
		const char *label;
		struct made_common made;
		enum cfi_kind kind;
		bool signal;
	} cases[] = {
		{ "signal", { .letters = "zRS", .data = "\x1b", .data_size = 1 }, CFI_ENTRY, true },
		{ "C++",
		  { .letters = "zPLR", .data = "\x9b\x01\x02\x03\x04\x1b\x1b", .data_size = 7 },
		  CFI_ENTRY,
		  false },
		{ "aarch64's B key",
		  { .letters = "zRB", .data = "\x1b", .data_size = 1 },
		  CFI_ENTRY,
		  false },
		{ "an unknown letter at the end",
		  { .letters = "zRq", .data = "\x1b\x01", .data_size = 2 },
		  CFI_ENTRY,
		  false },
		{ "version 3",
		  { .version = 3, .letters = "zR", .data = "\x1b", .data_size = 1 },
		  CFI_ENTRY,
		  false },
		{ "version 4",
		  { .version = 4, .letters = "zR", .data = "\x1b", .data_size = 1 },
		  CFI_ENTRY,
		  false },
		{ "version 2",
		  { .version = 2, .letters = "zR", .data = "\x1b", .data_size = 1 },
		  CFI_DAMAGED,
		  false },
		{ "unknown without a length", { .letters = "q" }, CFI_DAMAGED, false },
		{ "data too short for its letters",
		  { .letters = "zPR", .data = "\x03", .data_size = 1 },
		  CFI_DAMAGED,
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made_frames frames = { 0 };
		struct cfi_section section;
		struct cfi_entry entry;
		size_t next, at;

		test_case("%s", cases[i].label);
		make_common(&frames, &cases[i].made);
		at = make_entry(&frames, 0x401000, 0x20, "", 0);
		section = made_section(&frames);
		EXPECT_INT(cfi_read(&section, at, &entry, &next), cases[i].kind);
		if (cases[i].kind == CFI_ENTRY)
			EXPECT_BOOL(entry.common.signal, cases[i].signal);
		buf_free(&frames.bytes);
	}
}

TEST(cfi_ends_at_a_zero)
{
	struct made_frames frames = { 0 };
	struct cfi_section section;
	struct cfi_entry entry;
	size_t next;

	buf_add(&frames.bytes, "\0\0\0\0\x08\0\0\0", 8);
	section = made_section(&frames);
	EXPECT_INT(cfi_read(&section, 0, &entry, &next), CFI_END);
	buf_free(&frames.bytes);
}

/* Every cut and every changed byte: no stray read (the sanitizers see to that), and it ends. */
TEST(cfi_bears_damage)
{
	struct made_frames frames = { 0 };
	size_t size;

	make_usual_common(&frames);
	make_entry(&frames, 0x401000, 0x20, "\x41\x0e\x10", 3);
	size = frames.bytes.len;
	for (size_t i = 0; i < size * 3; i++) {
		unsigned char *copy = malloc(size);
		struct cfi_section section = made_section(&frames);
		struct cfi_entry entry;
		size_t at = 0, next, rounds = 0;

		memcpy(copy, frames.bytes.data, size);
		section.bases.bytes = copy;
		if (i < size)
			section.size = i;
		else
			copy[i % size] = i < 2 * size ? 0xff : 0x80;
		while (cfi_read(&section, at, &entry, &next) != CFI_END && rounds++ < 100)
			at = next;
		EXPECT(rounds < 100);
		free(copy);
	}
	buf_free(&frames.bytes);
}

static void make_header(unsigned char *bytes, uint8_t count_encoding, uint8_t table_encoding,
			uint32_t count)
{
	const int32_t rows[] = { -0x2000, 0x100, -0x1000, 0x120, 0x40, 0x140 };
	int32_t frames = 0x100 - 4;

	bytes[0] = 1;
	bytes[1] = CFI_FROM_HERE | CFI_S32;
	bytes[2] = count_encoding;
	bytes[3] = table_encoding;
	memcpy(bytes + 4, &frames, 4);
	memcpy(bytes + 8, &count, 4);
	memcpy(bytes + 12, rows, sizeof(rows));
}

TEST(cfi_header_finds_entries)
{
	static const struct {
		uint64_t pc, entry;
		bool found;
	} cases[] = {
		{ 0x401fff, 0, false },	      { 0x402000, 0x404100, true },
		{ 0x402fff, 0x404100, true }, { 0x403000, 0x404120, true },
		{ 0x404040, 0x404140, true }, { UINT64_MAX, 0x404140, true },
	};
	unsigned char bytes[36];
	struct cfi_bases bases = {
		.bytes = bytes, .address = 0x404000, .data = 0x404000, .wide = true
	};
	struct cfi_header header;
	uint64_t entry = 0;

	make_header(bytes, CFI_U32, CFI_FROM_DATA | CFI_S32, 3);
	EXPECT(cfi_header_read(&header, &bases, sizeof(bytes)));
	EXPECT_INT(header.frames, 0x404100);
	EXPECT_INT(header.count, 3);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%zu", i);
		EXPECT_BOOL(cfi_header_find(&header, cases[i].pc, &entry), cases[i].found);
		if (cases[i].found)
			EXPECT_INT(entry, cases[i].entry);
	}
}

TEST(cfi_header_without_a_table_it_knows)
{
	unsigned char bytes[36];
	struct cfi_bases bases = {
		.bytes = bytes, .address = 0x404000, .data = 0x404000, .wide = true
	};
	struct cfi_header header;
	uint64_t entry;

	make_header(bytes, CFI_U32, CFI_FROM_DATA | CFI_S32, 4); /* one more than there are */
	EXPECT(cfi_header_read(&header, &bases, sizeof(bytes)));
	EXPECT_INT(header.count, 0);
	EXPECT_BOOL(cfi_header_find(&header, 0x402000, &entry), false);
	make_header(bytes, CFI_OMITTED, CFI_OMITTED, 0);
	EXPECT(cfi_header_read(&header, &bases, sizeof(bytes)));
	EXPECT_INT(header.count, 0);
	bytes[0] = 2;
	EXPECT_BOOL(cfi_header_read(&header, &bases, sizeof(bytes)), false);
	for (size_t size = 0; size < 8; size++) {
		bytes[0] = 1;
		EXPECT_BOOL(cfi_header_read(&header, &bases, size), false);
	}
}
