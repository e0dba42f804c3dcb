// SPDX-License-Identifier: Apache-2.0
#include "jobs/capture.h"
#include "base/err.h"
#include "jobs/evloop.h"
#include "jobs/output.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t read_piece(FILE *file, struct output_piece *piece, char *bytes)
{
	if (fread(piece, sizeof(*piece), 1, file) != 1)
		return 0;
	return fread(bytes, 1, piece->size, file);
}

TEST(capture_keeps_streams_and_limit)
{
	struct evloop *loop = evloop_new();
	FILE *file = tmpfile();
	struct output_piece piece;
	struct capture capture;
	struct err err = { 0 };
	char bytes[64] = "";
	int theirs[2];

	EXPECT_INT(capture_open(&capture, loop, fileno(file), 10, theirs, &err), 0);
	EXPECT_INT(write(theirs[0], "output", 6), 6);
	EXPECT_INT(write(theirs[1], "errors", 6), 6);
	close(theirs[0]);
	close(theirs[1]);
	capture_close(&capture);
	EXPECT_INT(capture.kept, 10);
	EXPECT_INT(capture.cut, 2);

	EXPECT_INT(read_piece(file, &piece, bytes), 6);
	EXPECT_INT(piece.stream, OUTPUT_STDOUT);
	EXPECT(!memcmp(bytes, "output", 6));
	EXPECT_INT(read_piece(file, &piece, bytes), 4);
	EXPECT_INT(piece.stream, OUTPUT_STDERR);
	EXPECT(!memcmp(bytes, "erro", 4));
	EXPECT_INT(read_piece(file, &piece, bytes), 0);
	fclose(file);
	evloop_free(loop);
}

TEST(capture_full_disk)
{
	struct evloop *loop = evloop_new();
	FILE *file = fopen("/dev/full", "r+");
	struct capture capture;
	struct err err = { 0 };
	int theirs[2];

	EXPECT_INT(capture_open(&capture, loop, fileno(file), 0, theirs, &err), 0);
	EXPECT_INT(write(theirs[0], "output", 6), 6);
	close(theirs[0]);
	close(theirs[1]);
	capture_close(&capture);
	EXPECT_INT(capture.kept, 0);
	EXPECT_INT(capture.cut, 6);
	fclose(file);
	evloop_free(loop);
}
