// SPDX-License-Identifier: Apache-2.0
#include "render/xml.h"
#include "base/outbuf.h"

#include <stdbool.h>

/* The length of the character of UTF-8 at text, 0 if it is none or one that XML forbids. */
static size_t character(const unsigned char *text)
{
	unsigned char lead = text[0];
	size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (lead < 0x20)
		return 0;
	if (length == 1)
		return lead != 0x7f;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    (code & 0xfffe) == 0xfffe || (code >= 0x80 && code < 0xa0))
		return 0;
	return length;
}

static void put(struct outbuf *out, const unsigned char *text, size_t length)
{
	switch (length ? *text : 0) {
	case 0: out_text(out, "\xef\xbf\xbd"); break;
	case '<': out_text(out, "&lt;"); break;
	case '>': out_text(out, "&gt;"); break;
	case '&': out_text(out, "&amp;"); break;
	case '"': out_text(out, "&quot;"); break;
	case '\'': out_text(out, "&#39;"); break;
	default: out_bytes(out, text, length); break;
	}
}

static void put_some(struct outbuf *out, const unsigned char *at, size_t most)
{
	for (size_t length; *at && most; at += length ? length : 1, most--) {
		length = character(at);
		put(out, at, length);
	}
}

void xml_text(struct outbuf *out, const char *text)
{
	put_some(out, (const unsigned char *)text, SIZE_MAX);
}

size_t xml_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t count = 0;

	for (; *at; count++) {
		size_t length = character(at);

		at += length ? length : 1;
	}
	return count;
}

void xml_text_cut(struct outbuf *out, const char *text, size_t most)
{
	bool whole = xml_length(text) <= most;

	put_some(out, (const unsigned char *)text, whole ? most : most - 2);
	if (!whole)
		out_text(out, "..");
}
