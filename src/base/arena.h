/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is freed all at once.  For tables whose parts live as long as the whole.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena { /* { 0 } is a ready, empty arena */
	struct arena_block *blocks;
	char *next, *end;
};

void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for any type */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena); /* leaves it empty and ready again */
void arena_wipe(struct arena *arena); /* the same, and nothing of it is left in memory */

#endif
