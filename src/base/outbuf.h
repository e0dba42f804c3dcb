/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Much text, fast: a large buffer in front of a descriptor or of memory, and numbers written by
 * hand instead of by printf, which costs ten times as much.
 *
 * A write that fails is remembered in `error` and everything after it goes nowhere, so that only
 * the end, and now and then a loop, need to look.
 */
#ifndef BASE_OUTBUF_H
#define BASE_OUTBUF_H

#include "base/packer.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct outbuf {
	char *data, *at, *end;
	int fd;
	struct buf *into;      /* instead of a descriptor; or NULL */
	struct packer *packer; /* NULL: bytes go out as they are */
	int error;	       /* a positive errno value */
	unsigned flushes;      /* so far: whether a text that was written still lies here */
};

#define OUTBUF_SIZE ((size_t)256 * 1024)

struct buf;
void outbuf_init(struct outbuf *out, int fd);
/* Adds to *into, which has all of it after outbuf_fini(). */
void outbuf_init_memory(struct outbuf *out, struct buf *into);
/* From now on everything goes out packed; what was written before is not. */
void outbuf_pack(struct outbuf *out, enum packing packing);
/* Writes what is left; 0 or a negative errno value. */
int outbuf_fini(struct outbuf *out);
void outbuf_flush(struct outbuf *out);

void out_bytes(struct outbuf *out, const void *bytes, size_t size);
void out_printf(struct outbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for size bytes (at most OUTBUF_SIZE) at out->at; whoever writes there moves it on. */
static inline char *out_room(struct outbuf *out, size_t size)
{
	if ((size_t)(out->end - out->at) < size)
		outbuf_flush(out);
	return out->at;
}

static inline void out_char(struct outbuf *out, char c)
{
	*out_room(out, 1) = c;
	out->at++;
}

static inline void out_text(struct outbuf *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* As "%*s" and "%-*s": shorter ones are filled up with blanks. */
void out_right(struct outbuf *out, const char *text, size_t length, size_t width);
void out_left(struct outbuf *out, const char *text, size_t length, size_t width);

/* As "%*lu", "%-*lu" and "%0*lu". */
void out_u64(struct outbuf *out, uint64_t value, unsigned width);
void out_u64_left(struct outbuf *out, uint64_t value, unsigned width);
void out_u64_zeros(struct outbuf *out, uint64_t value, unsigned width);
/* As "%*d". */
void out_int(struct outbuf *out, int64_t value, unsigned width);
/* As "%*lx". */
void out_hex(struct outbuf *out, uint64_t value, unsigned width);
/* For pictures: seven digits or all before the point, no zeros at the end; not finite is "null". */
void out_number(struct outbuf *out, double value);

#endif
