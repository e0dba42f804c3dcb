/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols as they are read, before they become a table: sorted, given ends, freed of aliases.
 *
 * Which of several names of one address survives, and how far a symbol without a size reaches,
 * follows perf, so that both show the same names.  perf compares names that it has demangled; there
 * are tens of thousands of such pairs in a large program, of which a profile shows a few, so these
 * are left as a choice for when the address is asked for.
 */
#ifndef SYMBOL_SHEET_H
#define SYMBOL_SHEET_H

#include "base/buf.h"
#include "base/vec.h"
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define ROWS_MAX       (1u << 27)
#define STRINGS_MAX    ((size_t)1 << 31)
#define NAME_IS_CHOICE (1u << 31) /* a row's name is the place of a choice, not of a string */

#define SIZE_BITS 29

struct symbol_row {
	uint64_t start;
	uint32_t name;		   /* offset in the strings */
	uint32_t size : SIZE_BITS; /* 0: up to the next one */
	uint32_t binding : 2;	   /* STB_LOCAL, STB_GLOBAL, STB_WEAK */
	uint32_t module : 1;	   /* kallsyms: of a module, not of the kernel proper */
	uint32_t guessed : 1;	   /* it had no size: it reaches as far as it can */
};

struct symbol_rows VEC_OF(struct symbol_row);

/* A part of a file that is loaded: where in the file, and at which of the object's addresses. */
struct table_segment {
	uint64_t offset, addr, size;
};

struct symbol_sheet { /* { 0 } is an empty one */
	struct symbol_rows rows;
	struct buf strings;    /* NUL behind each */
	VEC(uint32_t) choices; /* each: how many names, then these */
	VEC(struct table_segment) segments;
};

void sheet_free(struct symbol_sheet *sheet);

/*
 * Makes a block from the heap the strings of a sheet that has none; they end with a NUL, and there
 * may be room behind them for more.
 */
void sheet_take_strings(struct symbol_sheet *sheet, void *block, size_t size, size_t room);

/* A size that fits the row and does not lead past the last address. */
static inline uint32_t sheet_size(uint64_t start, uint64_t size)
{
	const uint32_t most = (1u << SIZE_BITS) - 1;

	if (size > UINT64_MAX - start)
		size = UINT64_MAX - start;
	return size < most ? (uint32_t)size : most;
}

/* One whose name is among the strings. */
static inline void sheet_add(struct symbol_sheet *sheet, uint64_t start, uint64_t size,
			     uint32_t name, uint8_t binding)
{
	if (sheet->rows.len < ROWS_MAX && start < UINT64_MAX)
		*vec_push(&sheet->rows) = (struct symbol_row){
			.start = start,
			.size = sheet_size(start, size),
			.name = name,
			.binding = binding < 3 ? binding : STB_GLOBAL,
		};
}

/* A symbol with a name of its own. */
void sheet_add_named(struct symbol_sheet *sheet, uint64_t start, uint64_t size, const char *name,
		     uint8_t binding);

/* By start; those with the same start keep their order. */
void sheet_sort(struct symbol_sheet *sheet);

/* Sorts, gives every symbol an end, and leaves one a start. */
void sheet_settle(struct symbol_sheet *sheet);

/*
 * Adds the rows of a second, lesser list (.dynsym beside .symtab) and settles.  Of those whose
 * address has a name already only such are taken that perf prefers for more than their name.
 */
void sheet_merge(struct symbol_sheet *sheet, struct symbol_sheet *lesser);

/* Of names of one symbol the one that perf shows. */
uint32_t sheet_choose(const char *strings, const uint32_t *names, size_t count);

#endif
