// SPDX-License-Identifier: Apache-2.0
#include "base/wordlist.h"
#include "base/arena.h"
#include "base/buf.h"

void wordlist_join(const struct wordlist *words, struct buf *into)
{
	vec_each (word, words)
		buf_add(into, *word, strlen(*word) + 1);
}

struct wordlist wordlist_split(const void *bytes, size_t size, struct arena *arena)
{
	char *copy = arena_alloc(arena, size + 1);
	struct wordlist words = { 0 };
	size_t count = 0;

	if (size)
		memcpy(copy, bytes, size);
	for (size_t i = 0; i < size; i++)
		count += !copy[i];
	words.data = arena_alloc(arena, (count + 1) * sizeof(*words.data));
	for (; words.len < count; copy += strlen(copy) + 1)
		words.data[words.len++] = copy;
	return words;
}
