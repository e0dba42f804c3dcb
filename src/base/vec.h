/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable arrays of any type.
 *
 *	VEC(int) numbers = { 0 };
 *	*vec_push(&numbers) = 7;
 *	vec_each (n, &numbers)
 *		use(*n);
 *	vec_free(&numbers);
 *
 * A struct that holds one for others to see names the type: `struct cpus VEC_OF(int);`.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/mem.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VEC_OF(type)             \
	{                        \
		type *data;      \
		size_t len, cap; \
	}
#define VEC(type) struct VEC_OF(type)

/* Room for n elements in all. */
#define vec_reserve(v, n)                                \
	((void)((n) > (v)->cap &&                        \
		((v)->cap = vec_next_cap((v)->cap, (n)), \
		 (v)->data = mem_resize((v)->data, (v)->cap, sizeof(*(v)->data)), 0)))

/* Appends one zeroed element and gives its address, which holds until the next push. */
#define vec_push(v)                    \
	(vec_reserve(v, (v)->len + 1), \
	 (__typeof__((v)->data))memset(&(v)->data[(v)->len++], 0, sizeof(*(v)->data)))

#define vec_each(it, v) \
	for (__typeof__((v)->data + 0) it = (v)->data; it && it < (v)->data + (v)->len; it++)

#define vec_last(v) (&(v)->data[(v)->len - 1])

/* Takes out the one element that is equal to value; the last comes into its place. */
#define vec_drop(v, value)                     \
	vec_each (drop_, v)                    \
		if (*drop_ == (value)) {       \
			*drop_ = *vec_last(v); \
			(v)->len--;            \
			break;                 \
		}

#define vec_free(v) (free((v)->data), (v)->data = NULL, (v)->len = 0, (v)->cap = 0)

static inline size_t vec_next_cap(size_t cap, size_t want)
{
	size_t next = cap ? cap * 2 : 8;

	return next < want ? want : next;
}

/* The commonest one: strings, each owned by the list. */
struct strlist VEC_OF(char *);

void strlist_add(struct strlist *list, const char *text);
void strlist_free(struct strlist *list);

#endif
