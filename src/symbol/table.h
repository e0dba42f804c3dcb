/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finished, immutable form of an object's symbols: sorted columns and one block of names.
 *
 * The bytes of a table are the same in memory and in the cache's file, so that a cached one is
 * mapped and used as it lies.  Where symbols overlap, the ranges say whose each stretch is.
 */
#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include "symbol/sheet.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol;
struct table;

enum table_overlap {
	OVERLAP_INNERMOST, /* the symbol that starts last: ELF */
	OVERLAP_NEWEST,	   /* the one whose name was read last: JIT maps, where code is replaced */
};

/* Sorts the rows and takes the sheet's strings; the sheet is empty afterwards. */
struct table *table_build(struct symbol_sheet *sheet, enum table_overlap overlap);

/*
 * The table that lies in bytes from outside, which must stay as long as it does and be aligned to
 * 8; NULL if they hold none.  Everything in them is checked.
 */
struct table *table_of(const void *bytes, size_t size);

/* Its bytes, of which the second part follows the first. */
struct table_parts {
	const void *columns, *strings;
	size_t columns_size, strings_size;
};
struct table_parts table_parts(const struct table *table);

void table_keep_mapping(struct table *table, void *map, size_t size); /* unmapped with it */
void table_free(struct table *table);

bool table_find(const struct table *table, uint64_t address, struct symbol *symbol);
size_t table_count(const struct table *table);
void table_row(const struct table *table, size_t i, struct symbol *symbol);

/* The object's own address of a file offset, the offset itself if no segment holds it. */
uint64_t table_address(const struct table *table, uint64_t offset);

#endif
