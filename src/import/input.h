/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to import: of a file, of standard input or in memory, unpacked on the way if they are gzip
 * or zstd, and as whole lines.
 *
 * Nothing is held but one window, so a text of any size streams.  Files are read, not mapped: a
 * mapped one that is cut short under us is a SIGBUS.
 */
#ifndef IMPORT_INPUT_H
#define IMPORT_INPUT_H

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct input;

/* "-" is standard input.  NULL on failure. */
struct input *input_open(const char *path, struct err *err);
/* The bytes must outlive it. */
struct input *input_of(const void *bytes, size_t size);
void input_close(struct input *input);

/* What errors call it. */
const char *input_name(const struct input *input);
/* Bytes taken from the file so far, packed as they are, and how many it has (0: not known). */
uint64_t input_position(const struct input *input);
uint64_t input_size(const struct input *input);
bool input_is_packed(const struct input *input);

/*
 * Packed data that grows to more than `bytes` and to more than `times` its size is refused with
 * -EFBIG: nothing that was measured does.  What is read as a stream costs time only and has the
 * limits below from the start; what is read as a whole wants less.
 */
#define INPUT_STREAM_BYTES ((uint64_t)1 << 30)
#define INPUT_STREAM_TIMES 1000
#define INPUT_WHOLE_BYTES  ((uint64_t)64 << 20)
#define INPUT_WHOLE_TIMES  100
void input_limit(struct input *input, uint64_t bytes, unsigned times);

/* The first unpacked bytes (at most INPUT_PEEK, all there are if fewer), to tell formats apart. */
#define INPUT_PEEK ((size_t)64 * 1024)
int input_peek(struct input *input, const char **bytes, size_t *size, struct err *err);

/* The next unpacked bytes: how many, 0 at the end, or a negative errno value. */
ssize_t input_read(struct input *input, void *into, size_t room, struct err *err);

/* All that is left; -EFBIG if it is more than `most` bytes. */
int input_read_all(struct input *input, struct buf *into, uint64_t most, struct err *err);

/*
 * Whole lines.  A window ends with a newline (one is added to the last line of a text that lacks
 * it) and holds until the next call.  Lines longer than LINE_LIMIT are left out and counted.
 */
#define LINE_LIMIT ((size_t)16 << 20)

struct lines {
	struct input *input;
	char *data;
	size_t cap, start, len; /* data[start..len) is not handed out yet */
	bool at_end, skipping;
	uint64_t too_long;
};

void lines_init(struct lines *lines, struct input *input);
void lines_fini(struct lines *lines);
/* 1 with a window, 0 at the end, or a negative errno value. */
int lines_next(struct lines *lines, const char **window, const char **end, struct err *err);

#endif
