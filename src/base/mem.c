// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void (*on_exhaustion)(void);

void mem_on_exhaustion(void (*last_words)(void))
{
	on_exhaustion = last_words;
}

static void *checked(void *pointer)
{
	if (!pointer && on_exhaustion)
		on_exhaustion();
	if (!pointer) {
		fputs("perfolio: out of memory\n", stderr);
		abort();
	}
	return pointer;
}

void *mem_alloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mem_alloc_aligned(size_t alignment, size_t size)
{
	void *memory; /* aligned_alloc would want size to be a multiple of alignment */

	return checked(posix_memalign(&memory, alignment, size ? size : 1) ? NULL : memory);
}

/* Faulting in megabytes page by page takes longer than filling them. */
void *mem_alloc_large(size_t size)
{
	const size_t page = (size_t)2 << 20;
	void *memory;

	if (size < 2 * page)
		return checked(malloc(size ? size : 1));
	memory = checked(aligned_alloc(page, (size + page - 1) / page * page));
	madvise(memory, size, MADV_HUGEPAGE);
	return memory;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return checked(NULL);
	return checked(realloc(old, total ? total : 1));
}

/* Kernels before 5.14 do not know how; then it is faulted in as it is used. */
void mem_populate(void *memory, size_t size)
{
	uintptr_t page = 4096, from = ((uintptr_t)memory + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)memory + size) & ~(page - 1);

	if (to > from)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

char *mem_strdup(const char *text)
{
	return checked(strdup(text));
}

char *mem_strndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return checked(text);
}
