/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as text that stands anywhere: base64 with the usual alphabet, filled up with '='. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

struct outbuf;

void base64_write(struct outbuf *out, const void *bytes, size_t size);

#endif
