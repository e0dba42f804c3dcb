// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)
#define ALIGNMENT  _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(max_align_t) char bytes[];
};

static void *take(struct arena *arena, size_t size, size_t alignment)
{
	size_t pad = -(uintptr_t)arena->next & (alignment - 1);
	struct arena_block *block;
	size_t room;

	if (!arena->next || size > SIZE_MAX - pad ||
	    pad + size > (size_t)(arena->end - arena->next)) {
		room = size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE;
		block = mem_alloc(room > SIZE_MAX - sizeof(*block) ? SIZE_MAX
								   : room + sizeof(*block));
		block->next = arena->blocks;
		block->size = room;
		arena->blocks = block;
		if (room == size) /* a large piece gets its own block; the current one goes on */
			return block->bytes;
		arena->next = block->bytes;
		arena->end = block->bytes + room;
		pad = 0;
	}
	arena->next += pad + size;
	return arena->next - size;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return take(arena, size, ALIGNMENT);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = take(arena, length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, again;
	char *text;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	text = take(arena, (size_t)length + 1, 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}

void arena_wipe(struct arena *arena)
{
	for (struct arena_block *block = arena->blocks; block; block = block->next)
		explicit_bzero(block->bytes, block->size);
	arena_free(arena);
}

void arena_free(struct arena *arena)
{
	struct arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	*arena = (struct arena){ 0 };
}
