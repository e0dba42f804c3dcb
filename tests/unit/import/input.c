// SPDX-License-Identifier: Apache-2.0
#include "import/input.h"
#include "base/err.h"
#include "import/import.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

static size_t gzip(const void *bytes, size_t size, void *into, size_t room)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)bytes,
		       .avail_in = (unsigned)size,
		       .next_out = into,
		       .avail_out = (unsigned)room };

	EXPECT_INT(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	EXPECT_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void expect_all(const void *bytes, size_t size, const char *want)
{
	struct input *input = input_of(bytes, size);
	struct buf got = { 0 };
	const char *peek;
	size_t peeked;

	EXPECT_INT(input_peek(input, &peek, &peeked, NULL), 0);
	EXPECT_INT(peeked, strlen(want));
	EXPECT_INT(input_read_all(input, &got, 1000, NULL), 0);
	EXPECT_TEXT(buf_text(&got), want);
	buf_free(&got);
	input_close(input);
}

TEST(input_packed)
{
	char packed[1000];
	size_t size = gzip("hello ", 6, packed, sizeof(packed));

	expect_all("hello", 5, "hello");
	expect_all("", 0, "");
	expect_all(packed, size, "hello ");
	size += gzip("world", 5, packed + size, sizeof(packed) - size);
	expect_all(packed, size, "hello world"); /* one behind the other, as gzip allows */
	size = ZSTD_compress(packed, sizeof(packed), "hello zstd", 10, 3);
	expect_all(packed, size, "hello zstd");
}

TEST(input_packed_badly)
{
	char packed[1000];
	size_t size = gzip("hello hello hello hello", 23, packed, sizeof(packed));

	for (size_t cut = 4; cut < size; cut++) {
		struct input *input = input_of(packed, cut);
		struct buf got = { 0 };
		struct err err = { 0 };

		test_case("cut at %zu", cut);
		EXPECT_INT(input_read_all(input, &got, 1000, &err), -EBADMSG);
		EXPECT_CONTAINS(err.text, "too early");
		buf_free(&got);
		input_close(input);
	}
}

/* A few bytes that unpack to very many. */
TEST(input_bomb)
{
	size_t room = 100000, zeros = 8 << 20, size;
	char *packed = mem_alloc(room), *plain = mem_alloc(zeros);
	struct import_options options = { .most_bytes = 1 << 20 };
	struct import_result result;
	struct err err = { 0 };
	struct input *input;

	/* A field of a profile that is never ended: strings without end. */
	for (size_t i = 0; i + 2 < zeros; i += 2)
		memcpy(plain + i, "\x32\x00", 2);
	size = gzip(plain, zeros, packed, room);
	input = input_of(packed, size);
	EXPECT_INT(import_read(input, &options, &result, &err), -EFBIG);
	EXPECT_CONTAINS(err.text, "more than 1 MB when unpacked");
	input_close(input);
	free(packed);
	free(plain);
}

TEST(input_lines)
{
	struct input *input;
	struct lines lines;
	const char *at, *end;
	size_t size = LINE_LIMIT + (5 << 20), count = 0, newlines = 0;
	char *text = mem_alloc(size + 10);

	/* Lines of all lengths, one that is too long, and a last one without an end. */
	memset(text, 'x', size);
	for (size_t i = 0; i < (2 << 20); i += 1 + i / 100)
		text[i] = '\n', newlines++;
	text[size - 1000] = '\n';
	input = input_of(text, size);
	lines_init(&lines, input);
	while (lines_next(&lines, &at, &end, NULL) > 0) {
		EXPECT(end > at && end[-1] == '\n');
		for (const char *c = at; c < end; c++)
			count += *c == '\n';
	}
	EXPECT_INT(lines.too_long, 1);
	EXPECT_INT(count, newlines + 1);
	lines_fini(&lines);
	input_close(input);
	free(text);
}

TEST(input_garbage)
{
	static const struct {
		const char *bytes, *want;
		size_t size;
	} cases[] = {
		{ "", "is empty", 0 },
		{ "\177ELF\2\1\1", "a program, not a profile", 7 },
		{ "\xfe\xff\0a\0;", "UTF-16", 6 },
		{ "SIMPLEPERF\0\1", "simpleperf", 12 },
		{ "\x80\x81\x82\x83\0\0\0", "isn't a profile we can read", 7 },
		{ "\x07\x07\x07 words\n", "folded, pprof)", 10 },
		{ "some words\nand more of them\n", "folded, pprof); line 1: some words", 28 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct input *input = input_of(cases[i].bytes, cases[i].size);
		enum import_format format;
		struct err err = { 0 };

		test_case("%s", cases[i].want);
		EXPECT(import_detect(input, &format, &err) < 0);
		EXPECT_CONTAINS(err.text, cases[i].want);
		EXPECT_BOOL(strstr(err.text, "; line") != NULL,
			    strstr(cases[i].want, "; line") != NULL);
		input_close(input);
	}
}
