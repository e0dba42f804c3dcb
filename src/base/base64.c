// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"
#include "base/outbuf.h"

static void put_group(struct outbuf *out, const unsigned char *bytes, size_t count)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)bytes[0] << 16;
	char *at = out_room(out, 4);

	bits |= count > 1 ? (uint32_t)bytes[1] << 8 : 0;
	bits |= count > 2 ? bytes[2] : 0;
	at[0] = digits[bits >> 18];
	at[1] = digits[bits >> 12 & 63];
	at[2] = count > 1 ? digits[bits >> 6 & 63] : '=';
	at[3] = count > 2 ? digits[bits & 63] : '=';
	out->at += 4;
}

void base64_write(struct outbuf *out, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (; size >= 3; at += 3, size -= 3)
		put_group(out, at, 3);
	if (size)
		put_group(out, at, size);
}
