/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what a workload printed (jobs/output.h), piece by piece, as text: valid UTF-8, also where
 * a character was cut between two pieces of one stream.  The file may still be growing; a place to
 * go on from later is a text of its own.
 */
#ifndef JOBS_OUTPUT_READ_H
#define JOBS_OUTPUT_READ_H

#include "base/buf.h"
#include "jobs/output.h"
#include <stdbool.h>

struct err;

struct output_reader {
	int fd;
	uint64_t at; /* of the next piece */
	char *window;
	/* The beginning of a character whose rest has not come, by stream. */
	struct {
		char bytes[4];
		uint8_t count;
	} rest[2];
};

struct output_text {
	uint64_t time_ns;
	enum output_stream stream;
	uint32_t bytes;	 /* that were printed */
	struct buf text; /* overwritten by the next call; freed by the caller at the end */
};

#define OUTPUT_PLACE 48 /* room for any place */

/* `place` is "" for the beginning, or what output_place() gave; -EINVAL for anything else. */
int output_reader_init(struct output_reader *reader, int fd, const char *place, struct err *err);
void output_reader_fini(struct output_reader *reader);

/* Goes on to where about so many bytes of the file are left; nowhere if there are fewer. */
int output_skip_to_last(struct output_reader *reader, uint64_t bytes, struct err *err);

/* 1 and a piece, 0 where no whole one is there by now, or -EBADMSG. */
int output_read(struct output_reader *reader, struct output_text *piece, struct err *err);
/* How much was printed, to stdout and to stderr, as far as the file can be understood;
 * output_before: in all, in front of a piece. */
void output_sizes(int fd, uint64_t printed[static 2]);
uint64_t output_before(int fd, uint64_t at);
/* Where the next call goes on. */
const char *output_place(const struct output_reader *reader, char into[static OUTPUT_PLACE]);

#endif
