// SPDX-License-Identifier: Apache-2.0
#include "jobs/output_read.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int new_file(void)
{
	char path[] = "/tmp/perfolio-output-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return fd;
}

static void print(int fd, uint64_t time, uint32_t stream, const char *bytes, size_t size)
{
	struct output_piece head = { .time_ns = time, .stream = stream, .size = (uint32_t)size };

	EXPECT_INT(write(fd, &head, sizeof(head)), sizeof(head));
	EXPECT_INT(write(fd, bytes, size), size);
}

/* The next piece from `place` on, which is moved. */
static int next(int fd, char place[static OUTPUT_PLACE], struct output_text *piece)
{
	struct output_reader reader;
	struct err err = { 0 };
	int rc = output_reader_init(&reader, fd, place, &err);

	if (rc)
		return rc;
	rc = output_read(&reader, piece, &err);
	output_place(&reader, place);
	output_reader_fini(&reader);
	return rc;
}

TEST(output_is_read_piece_by_piece)
{
	struct output_text piece = { 0 };
	char place[OUTPUT_PLACE] = "";
	int fd = new_file();

	EXPECT_INT(next(fd, place, &piece), 0);
	print(fd, 7, OUTPUT_STDOUT, "one\n", 4);
	print(fd, 8, OUTPUT_STDERR, "t\0wo", 4);
	EXPECT_INT(write(fd, "half", 4), 4);
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_INT(piece.time_ns, 7);
	EXPECT_TEXT(buf_text(&piece.text), "one\n");
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_INT(piece.stream, OUTPUT_STDERR);
	EXPECT_TEXT(buf_text(&piece.text), "t\xef\xbf\xbdwo");
	EXPECT_INT(next(fd, place, &piece), 0);
	EXPECT_TEXT(place, "40");
	buf_free(&piece.text);
	close(fd);
}

TEST(output_has_sizes)
{
	struct output_piece wrong = { .size = OUTPUT_PIECE + 1 };
	uint64_t printed[2] = { 0 };
	char *large = calloc(1, 10000);
	int fd = new_file();

	output_sizes(fd, printed);
	EXPECT_INT(printed[0] + printed[1], 0);
	/* more small ones than are read at once, and one whose end lies behind that */
	for (int i = 0; i < 1000; i++)
		print(fd, 1, i % 10 ? OUTPUT_STDOUT : OUTPUT_STDERR, "line\n", 5);
	print(fd, 2, OUTPUT_STDERR, large, 10000);
	print(fd, 3, OUTPUT_STDOUT, "", 0);
	print(fd, 4, OUTPUT_STDOUT, "end", 3);
	output_sizes(fd, printed);
	EXPECT_INT(printed[0], 900 * 5 + 3);
	EXPECT_INT(printed[1], 100 * 5 + 10000);
	EXPECT_INT(write(fd, &wrong, sizeof(wrong)), sizeof(wrong));
	printed[0] = printed[1] = 0;
	output_sizes(fd, printed);
	EXPECT_INT(printed[0] + printed[1], 1000 * 5 + 10003);
	free(large);
	close(fd);
}

TEST(output_skips_to_its_last_pieces)
{
	static const struct {
		uint64_t last;
		const char *place;
	} cases[] = { { 0, "100000" }, { 19, "99980" }, { 20, "99980" }, { 39, "99980" },
		      { 40, "99960" }, { 99999, "20" }, { 100000, "0" }, { 1 << 20, "0" } };
	struct output_reader reader;
	char place[OUTPUT_PLACE];
	int fd = new_file();

	for (int i = 0; i < 5000; i++)
		print(fd, 1, i & 1 ? OUTPUT_STDERR : OUTPUT_STDOUT, "abc\n", 4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = { 0 };

		test_case("%lu", (unsigned long)cases[i].last);
		EXPECT_INT(output_reader_init(&reader, fd, "", &err), 0);
		EXPECT_INT(output_skip_to_last(&reader, cases[i].last, &err), 0);
		EXPECT_TEXT(output_place(&reader, place), cases[i].place);
		output_reader_fini(&reader);
	}
	EXPECT_INT(pwrite(fd, "\xff", 1, 20 * 100 + 8), 1); /* a stream that there is not */
	EXPECT_INT(output_reader_init(&reader, fd, "", NULL), 0);
	EXPECT_INT(output_skip_to_last(&reader, 20, NULL), -EBADMSG);
	output_reader_fini(&reader);
	close(fd);
}

/* "ä€😀" cut everywhere, with the other stream between. */
TEST(output_joins_characters_that_were_cut)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
	struct output_text piece = { 0 };
	struct buf all = { 0 }, others = { 0 };
	char place[OUTPUT_PLACE] = "";
	int fd = new_file();

	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		print(fd, i, OUTPUT_STDOUT, text + i, 1);
		print(fd, i, OUTPUT_STDERR, &"\xc3\xb6"[i % 2], 1);
	}
	while (next(fd, place, &piece) > 0)
		buf_puts(piece.stream == OUTPUT_STDOUT ? &all : &others, buf_text(&piece.text));
	EXPECT_TEXT(buf_text(&all), text);
	EXPECT_CONTAINS(buf_text(&others), "\xc3\xb6\xc3\xb6\xc3\xb6");
	buf_free(&piece.text);
	buf_free(&all);
	buf_free(&others);
	close(fd);
}

TEST(output_makes_anything_text)
{
	struct output_text piece = { 0 };
	char place[OUTPUT_PLACE] = "";
	int fd = new_file();

	print(fd, 1, OUTPUT_STDOUT, "\xff\xc3(\x80\xed\xa0\x80", 7);
	print(fd, 1, OUTPUT_STDOUT, "\xf0\x9f", 2);
	print(fd, 1, OUTPUT_STDOUT, "", 0);
	print(fd, 1, OUTPUT_STDOUT, "x", 1);
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_TEXT(buf_text(&piece.text),
		    "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_TEXT(buf_text(&piece.text), "");
	EXPECT_CONTAINS(place, "-f09f-");
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_INT(next(fd, place, &piece), 1);
	EXPECT_TEXT(buf_text(&piece.text), "\xef\xbf\xbd\xef\xbf\xbdx");
	buf_free(&piece.text);
	close(fd);
}

TEST(output_of_bad_places_and_files)
{
	static const char *const places[] = {
		"x", "-1", "12-", "12-zz-", "12-f-", "12-f0f0f0f0-", "99999999999999999999", "12--x"
	};
	struct output_text piece = { 0 };
	char place[OUTPUT_PLACE] = "";
	int fd = new_file();

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		test_case("%s", places[i]);
		strcpy(place, places[i]);
		EXPECT_INT(next(fd, place, &piece), -EINVAL);
	}
	strcpy(place, "1000000");
	EXPECT_INT(next(fd, place, &piece), 0);
	*place = 0;
	print(fd, 1, 7, "x", 1);
	EXPECT_INT(next(fd, place, &piece), -EBADMSG);
	close(fd);
}
