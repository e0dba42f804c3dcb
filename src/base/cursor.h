/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading bytes from outside, never past their end.
 *
 * Every read is checked.  After the first one that does not fit the cursor is `broken`, gives zeros
 * and moves no more, so a parser may read a whole structure and look at `broken` once.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const unsigned char *at, *end;
	bool broken;
};

static inline struct cursor cursor_of(const void *bytes, size_t size)
{
	const unsigned char *at = bytes ? bytes : (const void *)""; /* NULL may not be added to */

	return (struct cursor){ .at = at, .end = at + (bytes ? size : 0) };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->broken ? 0 : (size_t)(c->end - c->at);
}

/* The next size bytes in place, or NULL when there are fewer. */
static inline const void *cursor_bytes(struct cursor *c, size_t size)
{
	const void *bytes = c->at;

	if (cursor_left(c) < size) {
		c->broken = true;
		return NULL;
	}
	c->at += size;
	return bytes;
}

static inline void cursor_read(struct cursor *c, void *into, size_t size)
{
	const void *bytes = cursor_bytes(c, size);

	if (bytes)
		memcpy(into, bytes, size);
	else
		memset(into, 0, size);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	uint64_t value;

	cursor_read(c, &value, sizeof(value));
	return value;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	uint32_t value;

	cursor_read(c, &value, sizeof(value));
	return value;
}

#endif
