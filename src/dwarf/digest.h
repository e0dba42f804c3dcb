/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was worked out of an object's debug information, to be kept: stretches of addresses, each
 * with the function and line that is there.
 *
 * A digest covers the whole object, but only the compile units that were read have answers in it;
 * of the others it says that they were not.  It is plain arrays, in memory as in a file, and
 * nothing in it is believed: an index or an offset that leads outside means that nothing is known.
 */
#ifndef DWARF_DIGEST_H
#define DWARF_DIGEST_H

#include "base/buf.h"
#include "base/vec.h"
#include "dwarf/dwarf.h"
#include <sys/uio.h>

#define DIGEST_NONE   UINT32_MAX       /* no function, no text */
#define DIGEST_UNREAD (UINT32_MAX - 1) /* of a function: the unit was not read */
#define DIGEST_EMPTY  (UINT32_MAX - 2) /* of a file: there is no row of the line table */

/* From `start` up to the next. */
struct digest_row {
	uint64_t start;
	uint32_t function;
	uint32_t file, line;
	uint32_t reserved;
};

struct digest_function {
	uint32_t name;	     /* text */
	uint32_t parent;     /* what it is inlined in, which stands before it; or DIGEST_NONE */
	uint32_t file, line; /* where it is called */
};

/* One that is made by hand, or lies in bytes that outlive it. */
struct digest {
	const struct digest_row *rows;
	const struct digest_function *functions;
	const char *texts;
	size_t row_count, function_count, texts_size;
};

/* The digest in bytes that are aligned to 8; false if they hold none. */
bool digest_of(struct digest *digest, const void *bytes, size_t size);

/* The row that holds at an address; NULL if that is before all of them. */
const struct digest_row *digest_row_at(const struct digest *digest, uint64_t address);

/* As dwarf_find; false if its unit was not read, and the debug information must be asked. */
bool digest_find(const struct digest *digest, uint64_t address, struct dwarf_frame *frames,
		 size_t room, size_t *count);

/* { 0 } is ready to be filled. */
struct digest_made {
	uint64_t head[4];
	VEC(struct digest_row) rows;
	VEC(struct digest_function) functions;
	struct buf texts;
};

/*
 * Everything of the units that were read by now, and what a former digest has of the others.  False
 * if there is nothing new, or nothing that can be relied on.
 */
bool digest_make(struct digest_made *made, struct dwarf *dwarf, const struct digest *former);
void digest_made_free(struct digest_made *made);

/* Its bytes, in DIGEST_PARTS that follow each other. */
#define DIGEST_PARTS 4
void digest_parts(struct digest_made *made, struct iovec parts[DIGEST_PARTS]);

#endif
