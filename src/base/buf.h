/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing piece of text, always ended by a NUL once anything was added.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf { /* { 0 } is a ready, empty one */
	char *data;
	size_t len, cap;
};

void buf_add(struct buf *buf, const void *bytes, size_t size);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
const char *buf_text(const struct buf *buf); /* "" when empty, never NULL */
void buf_clear(struct buf *buf);	     /* keeps the memory */
void buf_free(struct buf *buf);

#endif
