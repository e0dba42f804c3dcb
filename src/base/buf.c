// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_add(struct buf *buf, const void *bytes, size_t size)
{
	vec_reserve(buf, buf->len + size + 1);
	if (size)
		memcpy(buf->data + buf->len, bytes, size);
	buf->len += size;
	buf->data[buf->len] = '\0';
}

void buf_puts(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_putc(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	size_t room = buf->cap - buf->len;
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(buf->data ? buf->data + buf->len : NULL, room, format, args);
	if ((size_t)length >= room) { /* it did not fit: once more, with room */
		vec_reserve(buf, buf->len + (size_t)length + 1);
		vsnprintf(buf->data + buf->len, (size_t)length + 1, format, again);
	}
	buf->len += (size_t)length;
	va_end(again);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}

const char *buf_text(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

void buf_free(struct buf *buf)
{
	vec_free(buf);
}
