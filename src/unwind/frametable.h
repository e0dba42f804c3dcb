/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One section of call frame information, loaded, and which of its entries tells of an address.
 *
 * .eh_frame is found by its section or, where a file has none (the vdso), by its segment, and has
 * a sorted table in .eh_frame_hdr; for the others an index is made.  Once loaded, any number of
 * threads may look into it.
 */
#ifndef UNWIND_FRAMETABLE_H
#define UNWIND_FRAMETABLE_H

#include "base/vec.h"
#include "unwind/cfi.h"

struct elf_file;

/* Where an entry's code lies, for sections that have no index of their own. */
struct indexed {
	uint64_t start, end;
	size_t offset;
};

struct frame_index VEC_OF(struct indexed);

struct frame_table {
	struct cfi_section section;
	struct cfi_header header; /* of .eh_frame; without rows: the index is used */
	void *bytes, *header_bytes;
	struct frame_index index;
	bool has_index;
};

/* False if the file has no such section. */
bool frame_table_load_eh(struct frame_table *table, const struct elf_file *elf);
bool frame_table_load_debug(struct frame_table *table, const struct elf_file *elf);
void frame_table_free(struct frame_table *table);

/* The entry that covers pc; false if there is none. */
bool frame_table_find(const struct frame_table *table, uint64_t pc, struct cfi_entry *entry);

/* All entries in order of addresses; makes an index if there is none, so nobody may look meanwhile.
 */
const struct frame_index *frame_table_index(struct frame_table *table);

#endif
