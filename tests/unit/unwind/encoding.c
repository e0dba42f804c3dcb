// SPDX-License-Identifier: Apache-2.0
#include "unwind/encoding.h"
#include "test.h"

static struct cfi_bases bases_of(const void *bytes, bool wide)
{
	return (struct cfi_bases){
		.bytes = bytes, .address = 0x1000, .data = 0x5000, .wide = wide
	};
}

TEST(encoding_uleb)
{
	static const struct {
		unsigned char bytes[12];
		size_t size;
		uint64_t value;
		bool broken;
	} cases[] = {
		{ { 0x00 }, 1, 0, false },
		{ { 0x7f }, 1, 127, false },
		{ { 0x80, 0x01 }, 2, 128, false },
		{ { 0xe5, 0x8e, 0x26 }, 3, 624485, false },
		{ { 0x81, 0x80, 0x00 }, 3, 1, false }, /* padded */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 },
		  10,
		  UINT64_MAX,
		  false },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 }, 10, 0, true },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 },
		  11,
		  0,
		  true },
		{ { 0x80 }, 1, 0, true },
		{ { 0 }, 0, 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cursor c = cursor_of(cases[i].bytes, cases[i].size);

		test_case("%zu", i);
		EXPECT(cfi_uleb(&c) == cases[i].value);
		EXPECT_BOOL(c.broken, cases[i].broken);
	}
}

TEST(encoding_sleb)
{
	static const struct {
		unsigned char bytes[12];
		size_t size;
		int64_t value;
		bool broken;
	} cases[] = {
		{ { 0x02 }, 1, 2, false },
		{ { 0x7e }, 1, -2, false },
		{ { 0xff, 0x00 }, 2, 127, false },
		{ { 0x81, 0x7f }, 2, -127, false },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f },
		  10,
		  INT64_MIN,
		  false },
		{ { 0xff, 0xff }, 2, 0, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cursor c = cursor_of(cases[i].bytes, cases[i].size);

		test_case("%zu", i);
		EXPECT(cfi_sleb(&c) == cases[i].value);
		EXPECT_BOOL(c.broken, cases[i].broken);
	}
}

/* The pointer stands behind two bytes, at 0x1002. */
TEST(encoding_pointers)
{
	static const struct {
		const char *label;
		uint8_t encoding;
		unsigned char bytes[8];
		uint64_t value;
		bool narrow, broken;
	} cases[] = {
		{ "word",
		  CFI_ABSOLUTE,
		  { 1, 2, 3, 4, 5, 6, 7, 8 },
		  0x0807060504030201,
		  false,
		  false },
		{ "narrow word", CFI_ABSOLUTE, { 1, 2, 3, 4 }, 0x04030201, true, false },
		{ "uleb", CFI_ULEB, { 0x80, 1 }, 128, false, false },
		{ "sleb", CFI_SLEB, { 0x7f }, UINT64_MAX, false, false },
		{ "u16", CFI_U16, { 0xff, 0xff }, 0xffff, false, false },
		{ "s16", CFI_S16, { 0xfe, 0xff }, (uint64_t)-2, false, false },
		{ "u32", CFI_U32, { 0xff, 0xff, 0xff, 0xff }, 0xffffffff, false, false },
		{ "s32 from here",
		  CFI_S32 | CFI_FROM_HERE,
		  { 0xfe, 0xff, 0xff, 0xff },
		  0x1000,
		  false,
		  false },
		{ "s32 from data", CFI_S32 | CFI_FROM_DATA, { 4 }, 0x5004, false, false },
		{ "u64", CFI_U64, { 1 }, 1, false, false },
		{ "s64", CFI_S64, { 2 }, 2, false, false },
		{ "wraps in 32 bits",
		  CFI_U32 | CFI_FROM_HERE,
		  { 0xfe, 0xef, 0xff, 0xff },
		  0,
		  true,
		  false },
		{ "aligned", CFI_ALIGNED, { 9, 9, 9, 9, 9, 9, 1, 0 }, 0, false, true },
		{ "indirect", CFI_S32 | CFI_INDIRECT, { 1 }, 0, false, true },
		{ "from text", CFI_S32 | CFI_FROM_TEXT, { 1 }, 0, false, true },
		{ "from function", CFI_S32 | CFI_FROM_FUNCTION, { 1 }, 0, false, true },
		{ "no such format", 0x05, { 1 }, 0, false, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned char bytes[10] = { 0 };
		struct cfi_bases bases = bases_of(bytes, !cases[i].narrow);
		struct cursor c = cursor_of(bytes, sizeof(bytes));

		memcpy(bytes + 2, cases[i].bytes, 8);
		cursor_bytes(&c, 2);
		test_case("%s", cases[i].label);
		EXPECT(cfi_pointer(&c, cases[i].encoding, &bases) == cases[i].value);
		EXPECT_BOOL(c.broken, cases[i].broken);
	}
}

TEST(encoding_aligned_pointer_begins_at_a_word)
{
	unsigned char bytes[16] = { [8] = 0x34, [9] = 0x12 };
	struct cfi_bases bases = bases_of(bytes, true);
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cursor_bytes(&c, 1);
	EXPECT_INT(cfi_pointer(&c, CFI_ALIGNED, &bases), 0x1234);
	EXPECT_INT(cursor_left(&c), 0);
}

TEST(encoding_skips_what_nobody_follows)
{
	unsigned char bytes[16] = { 0 };
	struct cfi_bases bases = bases_of(bytes, true);
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cfi_skip_pointer(&c, CFI_OMITTED, &bases);
	EXPECT_INT(cursor_left(&c), 16);
	cfi_skip_pointer(&c, CFI_INDIRECT | CFI_FROM_HERE | CFI_S32, &bases);
	EXPECT_INT(cursor_left(&c), 12);
	EXPECT_BOOL(c.broken, false);
	EXPECT_INT(cfi_extent(&c, CFI_FROM_HERE | CFI_U16, &bases), 0);
	EXPECT_INT(cursor_left(&c), 10);
}
