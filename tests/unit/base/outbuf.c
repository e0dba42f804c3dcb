// SPDX-License-Identifier: Apache-2.0
#include "base/outbuf.h"
#include "base/buf.h"
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What was written since the last call. */
static const char *text_of(struct outbuf *out)
{
	static char text[512];
	size_t size = (size_t)(out->at - out->data);

	memcpy(text, out->data, size);
	text[size] = 0;
	out->at = out->data;
	return text;
}

TEST(outbuf_writes_numbers_as_printf_does)
{
	static const uint64_t values[] = { 0,	  1,	  9,	   10,	      99,	 100,
					   12345, 999999, 1000000, INT64_MAX, UINT64_MAX };
	static const unsigned widths[] = { 0, 1, 3, 10, 25 };
	struct outbuf out;
	char want[512];

	outbuf_init(&out, -1);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		for (size_t k = 0; k < ARRAY_SIZE(widths); k++) {
			int width = (int)widths[k];

			test_case("%" PRIu64 " in %d", values[i], width);
			out_u64(&out, values[i], widths[k]);
			out_char(&out, '|');
			out_u64_left(&out, values[i], widths[k]);
			out_char(&out, '|');
			out_u64_zeros(&out, values[i], widths[k]);
			out_char(&out, '|');
			out_int(&out, -(int64_t)(values[i] / 2), widths[k]);
			out_char(&out, '|');
			out_hex(&out, values[i], widths[k]);
			snprintf(want, sizeof(want),
				 "%*" PRIu64 "|%-*" PRIu64 "|%0*" PRIu64 "|%*" PRId64 "|%*" PRIx64,
				 width, values[i], width, values[i], width, values[i], width,
				 -(int64_t)(values[i] / 2), width, values[i]);
			EXPECT_TEXT(text_of(&out), want);
		}
	out_right(&out, "ab", 2, 5);
	out_left(&out, "ab", 2, 5);
	EXPECT_TEXT(text_of(&out), "   abab   ");
	free(out.data);
}

TEST(outbuf_carries_more_than_it_holds)
{
	enum { SIZE = 700000 };
	char path[] = "/tmp/perfolio-outbuf-XXXXXX", *text = mem_alloc(SIZE + 1);
	int fd = mkstemp(path);
	struct outbuf out;

	memset(text, 'x', SIZE);
	outbuf_init(&out, fd);
	out_bytes(&out, text, SIZE);
	out_printf(&out, "%s", text);
	for (int i = 0; i < 100000; i++)
		out_u64(&out, 12345678, 0);
	EXPECT_INT(outbuf_fini(&out), 0);
	EXPECT_INT(lseek(fd, 0, SEEK_END), 2 * SIZE + 800000);
	close(fd);
	unlink(path);
	free(text);
}

TEST(outbuf_remembers_a_write_that_failed)
{
	struct outbuf out;

	outbuf_init(&out, -1);
	out_text(&out, "lost");
	outbuf_flush(&out);
	EXPECT_INT(out.error, EBADF);
	out_text(&out, "lost too");
	EXPECT_INT(outbuf_fini(&out), -EBADF);
}

TEST(outbuf_writes_numbers_for_pictures)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 7, "7" },
		{ -12, "-12" },
		{ 0.5, "0.5" },
		{ 1.2345678, "1.234568" },
		{ 2.05, "2.05" },
		{ 999.96, "999.96" },
		{ 99999.999, "100000" },
		{ 123456.7, "123457" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 1e20, "1e+20" },
		{ 0.00001, "1e-05" },
		{ 0.0 / 0.0, "null" },
	};
	struct outbuf out;

	outbuf_init(&out, -1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].text);
		out_number(&out, cases[i].value);
		EXPECT_TEXT(text_of(&out), cases[i].text);
	}
	outbuf_fini(&out);
}

TEST(outbuf_gathers_in_memory)
{
	struct buf into = { 0 };
	struct outbuf out;

	buf_puts(&into, "first ");
	outbuf_init_memory(&out, &into);
	for (int i = 0; i < 100000; i++)
		out_text(&out, "ten bytes ");
	EXPECT_INT(outbuf_fini(&out), 0);
	EXPECT_INT(into.len, 6 + 1000000);
	EXPECT(!memcmp(into.data + into.len - 10, "ten bytes ", 10));
	buf_free(&into);
}
