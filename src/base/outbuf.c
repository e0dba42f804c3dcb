// SPDX-License-Identifier: Apache-2.0
#include "base/outbuf.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MAX 20

void outbuf_init(struct outbuf *out, int fd)
{
	*out = (struct outbuf){ .fd = fd };
	out->data = out->at = mem_resize(NULL, OUTBUF_SIZE, 1);
	out->end = out->data + OUTBUF_SIZE;
}

void outbuf_init_memory(struct outbuf *out, struct buf *into)
{
	outbuf_init(out, -1);
	out->into = into;
}

void outbuf_pack(struct outbuf *out, enum packing packing)
{
	outbuf_flush(out);
	if (packing != PACK_NOT)
		out->packer = packer_new(out->fd, packing);
}

void outbuf_flush(struct outbuf *out)
{
	size_t size = (size_t)(out->at - out->data);
	int rc = 0;

	if (out->into)
		buf_add(out->into, out->data, size);
	else if (!out->error && size)
		rc = out->packer ? packer_write(out->packer, out->data, size)
				 : fd_write_all(out->fd, out->data, size);
	if (rc)
		out->error = -rc;
	out->at = out->data;
	out->flushes++;
}

int outbuf_fini(struct outbuf *out)
{
	int rc = 0;

	outbuf_flush(out);
	if (out->packer)
		rc = packer_end(out->packer);
	if (rc && !out->error)
		out->error = -rc;
	free(out->data);
	out->packer = NULL;
	out->data = out->at = out->end = NULL;
	return -out->error;
}

void out_bytes(struct outbuf *out, const void *bytes, size_t size)
{
	while (size) {
		size_t piece = size < OUTBUF_SIZE ? size : OUTBUF_SIZE;

		memcpy(out_room(out, piece), bytes, piece);
		out->at += piece;
		bytes = (const char *)bytes + piece;
		size -= piece;
	}
}

void out_printf(struct outbuf *out, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(out_room(out, 4096), 4096, format, args);
	if (length < 4096) {
		out->at += length;
	} else {
		char *text = NULL;

		length = vasprintf(&text, format, again);
		if (length > 0)
			out_bytes(out, text, (size_t)length);
		free(text);
	}
	va_end(again);
	va_end(args);
}

static void out_blanks(struct outbuf *out, char blank, size_t count)
{
	while (count) {
		size_t piece = count < 4096 ? count : 4096;

		memset(out_room(out, piece), blank, piece);
		out->at += piece;
		count -= piece;
	}
}

void out_right(struct outbuf *out, const char *text, size_t length, size_t width)
{
	if (length < width)
		out_blanks(out, ' ', width - length);
	out_bytes(out, text, length);
}

void out_left(struct outbuf *out, const char *text, size_t length, size_t width)
{
	out_bytes(out, text, length);
	if (length < width)
		out_blanks(out, ' ', width - length);
}

/* Writes the digits so that they end at `end`; gives where they begin.  Two at a time. */
static char *digits(char *end, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	for (; value >= 100; value /= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

void out_u64(struct outbuf *out, uint64_t value, unsigned width)
{
	char text[DIGITS_MAX], *start = digits(text + sizeof(text), value);

	out_right(out, start, (size_t)(text + sizeof(text) - start), width);
}

void out_u64_left(struct outbuf *out, uint64_t value, unsigned width)
{
	char text[DIGITS_MAX], *start = digits(text + sizeof(text), value);

	out_left(out, start, (size_t)(text + sizeof(text) - start), width);
}

void out_u64_zeros(struct outbuf *out, uint64_t value, unsigned width)
{
	char text[DIGITS_MAX], *start = digits(text + sizeof(text), value);
	size_t length = (size_t)(text + sizeof(text) - start);

	if (length < width)
		out_blanks(out, '0', width - length);
	out_bytes(out, start, length);
}

void out_int(struct outbuf *out, int64_t value, unsigned width)
{
	char text[DIGITS_MAX + 1], *end = text + sizeof(text);
	char *start = digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--start = '-';
	out_right(out, start, (size_t)(end - start), width);
}

void out_hex(struct outbuf *out, uint64_t value, unsigned width)
{
	char text[16], *end = text + sizeof(text), *start = end;

	do
		*--start = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	out_right(out, start, (size_t)(end - start), width);
}

void out_number(struct outbuf *out, double value)
{
	/* So many decimals that a number below the limit has seven digits. */
	static const struct {
		double below, scale;
		unsigned decimals;
	} steps[] = { { 1, 1e7, 7 }, { 10, 1e6, 6 }, { 1e3, 1e4, 4 }, { 1e5, 1e2, 2 } };
	double size = fabs(value);
	uint64_t whole;

	if (!isfinite(value)) {
		out_text(out, "null");
		return;
	}
	if (size >= 1e18 || (size < 1e-4 && size > 0)) {
		out_printf(out, "%.7g", value);
		return;
	}
	if (value < 0)
		out_char(out, '-');
	for (size_t i = 0; size != floor(size) && i < ARRAY_SIZE(steps); i++) {
		uint64_t scale = (uint64_t)steps[i].scale, part;
		unsigned decimals = steps[i].decimals;

		if (size >= steps[i].below)
			continue;
		whole = (uint64_t)(size * steps[i].scale + 0.5);
		out_u64(out, whole / scale, 0);
		for (part = whole % scale; part && part % 10 == 0; part /= 10)
			decimals--;
		if (part) {
			out_char(out, '.');
			out_u64_zeros(out, part, decimals);
		}
		return;
	}
	out_u64(out, (uint64_t)(size + 0.5), 0);
}
