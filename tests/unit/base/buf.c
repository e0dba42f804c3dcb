// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "test.h"

TEST(buf_is_text_at_every_moment)
{
	struct buf buf = { 0 };

	EXPECT_TEXT(buf_text(&buf), "");
	buf_puts(&buf, "");
	EXPECT_TEXT(buf_text(&buf), "");
	buf_puts(&buf, "one");
	buf_putc(&buf, ' ');
	buf_printf(&buf, "%d%s", 2, "!");
	EXPECT_TEXT(buf_text(&buf), "one 2!");
	EXPECT_INT(buf.len, 6);
	buf_add(&buf, "a\0b", 3);
	EXPECT_INT(buf.len, 9);
	EXPECT_INT(memcmp(buf.data, "one 2!a\0b", 10), 0);
	buf_clear(&buf);
	EXPECT_TEXT(buf_text(&buf), "");
	EXPECT_INT(buf.len, 0);
	buf_free(&buf);
	EXPECT_TEXT(buf_text(&buf), "");
	buf_clear(&buf);
	EXPECT_TEXT(buf_text(&buf), "");
}

TEST(buf_grows)
{
	struct buf buf = { 0 };

	for (int i = 0; i < 10000; i++)
		buf_printf(&buf, "%04d", i);
	EXPECT_INT(buf.len, 40000);
	EXPECT_INT(memcmp(buf.data + 4 * 1234, "1234", 4), 0);
	EXPECT_TEXT(buf.data + 39996, "9999");
	buf_printf(&buf, "%*s", 100000, "far");
	EXPECT_INT(buf.len, 140000);
	buf_free(&buf);
}
