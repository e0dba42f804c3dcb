/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces that feature payloads are made of, in this machine's byte order.
 */
#ifndef PERFDATA_PAYLOAD_H
#define PERFDATA_PAYLOAD_H

#include "base/buf.h"
#include <stdint.h>
#include <string.h>

#define PAYLOAD_TEXT_ALIGN 64 /* perf pads texts to it and counts the padding as length */

static inline void payload_u32(struct buf *into, uint32_t value)
{
	buf_add(into, &value, sizeof(value));
}

static inline void payload_u64(struct buf *into, uint64_t value)
{
	buf_add(into, &value, sizeof(value));
}

static inline void payload_zeros(struct buf *into, size_t count)
{
	static const char zeros[PAYLOAD_TEXT_ALIGN];

	for (; count > sizeof(zeros); count -= sizeof(zeros))
		buf_add(into, zeros, sizeof(zeros));
	buf_add(into, zeros, count);
}

static inline void payload_align(struct buf *into, size_t align)
{
	payload_zeros(into, (align - into->len % align) % align);
}

static inline void payload_text(struct buf *into, const char *text)
{
	size_t length = strlen(text) + 1;
	size_t padded = (length + PAYLOAD_TEXT_ALIGN - 1) / PAYLOAD_TEXT_ALIGN * PAYLOAD_TEXT_ALIGN;

	payload_u32(into, (uint32_t)padded);
	buf_add(into, text, length);
	payload_zeros(into, padded - length);
}

#endif
