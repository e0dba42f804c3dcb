/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as DWARF writes them, in the byte order of the file; checked as base/cursor.h is. */
#ifndef DWARF_BYTES_H
#define DWARF_BYTES_H

#include "base/cursor.h"

struct bytes {
	struct cursor c;
	bool swapped;
};

static inline uint8_t bytes_u8(struct bytes *b)
{
	uint8_t value = 0;

	if (b->c.at < b->c.end && !b->c.broken)
		value = *b->c.at++;
	else
		b->c.broken = true;
	return value;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	uint16_t value;

	cursor_read(&b->c, &value, sizeof(value));
	return b->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t bytes_u24(struct bytes *b)
{
	uint32_t one = bytes_u8(b), two = bytes_u8(b), three = bytes_u8(b);
	bool big = b->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	return big ? one << 16 | two << 8 | three : one | two << 8 | three << 16;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	uint32_t value = cursor_u32(&b->c);

	return b->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	uint64_t value = cursor_u64(&b->c);

	return b->swapped ? __builtin_bswap64(value) : value;
}

/* A number of 1, 2, 4 or 8 bytes: an address, an offset. */
static inline uint64_t bytes_sized(struct bytes *b, unsigned size)
{
	switch (size) {
	case 8: return bytes_u64(b);
	case 4: return bytes_u32(b);
	case 2: return bytes_u16(b);
	case 1: return bytes_u8(b);
	default: b->c.broken = true; return 0;
	}
}

static inline uint64_t bytes_uleb_long(struct bytes *b)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0;; shift += 7) {
		byte = bytes_u8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

/* Most have one byte. */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	if (b->c.at < b->c.end && *b->c.at < 0x80 && !b->c.broken)
		return *b->c.at++;
	return bytes_uleb_long(b);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static inline void bytes_skip(struct bytes *b, uint64_t size)
{
	if (size > cursor_left(&b->c))
		b->c.broken = true;
	else
		b->c.at += size;
}

/* A string that ends in place; NULL if it does not end. */
static inline const char *bytes_text(struct bytes *b)
{
	const char *text = (const char *)b->c.at;
	const void *end = b->c.broken ? NULL : memchr(text, 0, (size_t)(b->c.end - b->c.at));

	if (!end) {
		b->c.broken = true;
		return NULL;
	}
	b->c.at = (const unsigned char *)end + 1;
	return text;
}

/* The length that a unit begins with; *offset_size becomes 4 or 8. */
static inline uint64_t bytes_length(struct bytes *b, uint8_t *offset_size)
{
	uint32_t length = bytes_u32(b);

	*offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		return bytes_u64(b);
	if (length >= 0xfffffff0)
		b->c.broken = true;
	return length;
}

#endif
