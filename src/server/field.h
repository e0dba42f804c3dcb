/* SPDX-License-Identifier: Apache-2.0 */
/* What is in fields of a request's head. */
#ifndef SERVER_FIELD_H
#define SERVER_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The value of the cookie of that name in "a=b; name=value"; text may be NULL.  False where there
 * is none that has room.
 */
bool field_cookie(const char *text, const char *name, char *into, size_t room);

/*
 * "bytes=A-B" for a file of that size: 1 with the range, 0 if it asks for nothing that is served
 * in parts, -1 if it is outside of the file.
 */
int field_range(const char *text, uint64_t size, uint64_t *first, uint64_t *length);

/* Whether a list like `"a", W/"b"` has the tag, which is in quotes; weak ones are as good here. */
bool field_has_etag(const char *text, const char *quoted);

bool field_takes_gzip(const char *text);

#endif
