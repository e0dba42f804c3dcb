/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other side of `record -z`: one zstd stream a file, cut into COMPRESSED records.
 *
 * Records come out in pieces through a buffer of fixed size, so that a few bytes which claim to
 * hold gigabytes cost time and not memory.  A record may begin in one piece and end in the next.
 */
#ifndef PERFDATA_COMPRESS_H
#define PERFDATA_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct inflate;

struct inflate *inflate_new(void);
void inflate_free(struct inflate *inflate);

/* Gives the next piece, a record's worth at most (64 KiB), once the one before is used up. */
void inflate_feed(struct inflate *inflate, const void *bytes, size_t size);

/*
 * What is there of the opened stream: at least `want` bytes (at most 64 KiB) from *at on, or all
 * that the pieces so far give.  Pointers from earlier calls die.
 */
size_t inflate_fill(struct inflate *inflate, size_t want, const unsigned char **at);
void inflate_advance(struct inflate *inflate, size_t size);

/* What zstd says is wrong with the stream, or NULL. */
const char *inflate_error(const struct inflate *inflate);

#endif
