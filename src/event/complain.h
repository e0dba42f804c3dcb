/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about event texts: the text with a mark under what is wrong, and the nearest names. */
#ifndef EVENT_COMPLAIN_H
#define EVENT_COMPLAIN_H

#include <stddef.h>

struct catalog;
struct err;

/*
 * Puts the words first, then text[at..at+length) marked in its surroundings.  Returns -code.
 */
int complain(struct err *err, int code, const char *text, size_t at, size_t length,
	     const char *format, ...) __attribute__((format(printf, 6, 7)));

/* For a name that no source knows: the same, with the names that are nearest to it. */
int complain_unknown(struct err *err, struct catalog *catalog, const char *text, size_t at,
		     size_t length);

#endif
