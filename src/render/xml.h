/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text inside XML, whatever its bytes are: what XML gives a meaning is escaped, what it does not
 * allow (control characters, bytes that are no UTF-8) becomes U+FFFD.
 */
#ifndef RENDER_XML_H
#define RENDER_XML_H

#include <stddef.h>

struct outbuf;

void xml_text(struct outbuf *out, const char *text);
/* At most `most` characters of it; if it has more, the last two of those are dots. */
void xml_text_cut(struct outbuf *out, const char *text, size_t most);
/* How many characters a reader sees. */
size_t xml_length(const char *text);

#endif
