/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap.  Out of memory ends the program here and nowhere else, so these never return NULL.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void *mem_alloc(size_t size);				/* zeroed */
void *mem_alloc_aligned(size_t alignment, size_t size); /* not zeroed; alignment: 8, 16, ... */
void *mem_alloc_large(size_t size); /* not zeroed; in huge pages where it fills some */
void *mem_resize(void *old, size_t count, size_t size); /* count * size is checked */
/* Gets the pages of memory that will all be used: at once that costs a third. */
void mem_populate(void *memory, size_t size);
/* Called in place of the usual words when there is none left; it must not return, nor ask for any.
 */
void mem_on_exhaustion(void (*last_words)(void));

char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
