// SPDX-License-Identifier: Apache-2.0
#include "base/cursor.h"
#include "test.h"

static const unsigned char bytes[] = { 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7 };

TEST(cursor_reads_in_order)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));
	uint32_t one = 1;
	uint64_t two = 2;

	if (*(char *)&one == 1) { /* the bytes above are little-endian */
		EXPECT_INT(cursor_u32(&c), one);
		EXPECT_INT(cursor_u64(&c), two);
	} else {
		EXPECT(cursor_bytes(&c, 12) != NULL);
	}
	EXPECT_INT(cursor_left(&c), 3);
	EXPECT(cursor_bytes(&c, 3) == bytes + 12);
	EXPECT_INT(cursor_left(&c), 0);
	EXPECT(!c.broken);
	EXPECT(cursor_bytes(&c, 0) != NULL);
	EXPECT(!c.broken);
}

TEST(cursor_breaks_at_the_end_and_stays_broken)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));
	char into[20];

	memset(into, 0x55, sizeof(into));
	EXPECT(cursor_bytes(&c, 10) != NULL);
	cursor_read(&c, into, sizeof(into));
	EXPECT(c.broken);
	for (size_t i = 0; i < sizeof(into); i++)
		EXPECT_INT(into[i], 0);
	EXPECT_INT(cursor_left(&c), 0);
	EXPECT(cursor_bytes(&c, 1) == NULL); /* though five bytes are still there */
	EXPECT_INT(cursor_u64(&c), 0);
	EXPECT_INT(cursor_u32(&c), 0);
}

TEST(cursor_is_not_fooled_by_huge_sizes)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	EXPECT(cursor_bytes(&c, SIZE_MAX) == NULL);
	EXPECT(c.broken);
	c = cursor_of(NULL, 0);
	EXPECT_INT(cursor_u32(&c), 0);
	EXPECT(c.broken);
}
