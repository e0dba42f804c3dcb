/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a recording, from a file, a stream or memory, seen through one window.
 *
 * A file is read with pread and never mapped: whoever truncates it meanwhile gives us a short read
 * and not a SIGBUS, and memory stays the same for a file of any size.  A stream only goes forward.
 */
#ifndef PERFDATA_SOURCE_H
#define PERFDATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct source {
	int fd; /* -1 for memory */
	bool stream, owned;
	int error;	       /* errno of the read that failed; what came before it stays usable */
	unsigned char *buffer; /* NULL for memory */
	const unsigned char *window;
	uint64_t start; /* offset of the window's first byte, a multiple of 8 */
	size_t length;	/* of what the window holds */
};

/* Larger than any record; more is only more memory to be touched for the first time. */
#define SOURCE_WINDOW ((size_t)128 * 1024)

/* Takes fd over with `owned`; whether it can seek decides between file and stream. */
void source_init_fd(struct source *source, int fd, bool owned);
void source_init_mem(struct source *source, const void *bytes, size_t size);
void source_fini(struct source *source);

/*
 * The window moved so that it begins at or before `offset`; gives how many bytes from there on are
 * in it: at least `want` (at most 128 KiB) unless the source ends before.  Pointers into the window
 * die.  In a stream what lies before `offset` is gone.
 */
size_t source_fill(struct source *source, uint64_t offset, size_t want);

/* Where offset lies in memory, and how many bytes the window has from there on. */
static inline const unsigned char *source_at(const struct source *source, uint64_t offset,
					     size_t *have)
{
	uint64_t into = offset - source->start;

	*have = offset >= source->start && into < source->length ? source->length - (size_t)into
								 : 0;
	return source->window + (*have ? into : 0);
}

/* Copies bytes of a file or memory from anywhere; gives how many there were, 0 for a stream. */
size_t source_read(struct source *source, uint64_t offset, void *into, size_t size);

/* Makes a file of a stream that was read nowhere past its first window: copies all of it. */
int source_spool(struct source *source, struct err *err);

/* How large it is now; UINT64_MAX for a stream. */
uint64_t source_size(const struct source *source);

#endif
