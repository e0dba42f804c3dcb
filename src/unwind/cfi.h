/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of .eh_frame and .debug_frame: which code each tells of, and the program that tells
 * where a function's caller is found.  unwind/rows.h runs the programs.
 *
 * Everything is checked; an entry that is damaged is none.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "unwind/encoding.h"

struct cfi_section {
	struct cfi_bases bases;
	size_t size;
	bool debug; /* .debug_frame, whose entries are laid out a little differently */
};

/* What entries have in common (a CIE). */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint32_t return_column; /* the register that stands for the return address */
	uint8_t encoding;	/* of the addresses in its entries */
	bool has_data;		/* entries carry a length of further data */
	bool signal; /* a trampoline of signals: the caller was interrupted, it has not called */
	struct cursor program;
};

/* An entry for a piece of code (an FDE). */
struct cfi_entry {
	uint64_t start, end; /* of the code, the object's own addresses */
	size_t offset;	     /* of itself in the section, by which it is known */
	struct cfi_common common;
	struct cursor program;
};

enum cfi_kind {
	CFI_END,    /* of the section */
	CFI_COMMON, /* passed over */
	CFI_ENTRY,
	CFI_DAMAGED, /* this one; *next is behind it if that is known, else the section's end */
};

/* What stands at an offset; *next is where the following one begins. */
enum cfi_kind cfi_read(const struct cfi_section *section, size_t offset, struct cfi_entry *entry,
		       size_t *next);

/* The table of .eh_frame_hdr: code to entries, sorted, if it is of the kind that all linkers write.
 */
struct cfi_header {
	const unsigned char *table; /* pairs of 32 bits, counted from `address` */
	size_t count;
	uint64_t address;
	uint64_t frames; /* where .eh_frame is loaded */
};

/* False if the bytes are no such header; a count of 0 means that only `frames` is known. */
bool cfi_header_read(struct cfi_header *header, const struct cfi_bases *bases, size_t size);

/* The address of the entry whose code begins last before pc or at it; false if there is none. */
bool cfi_header_find(const struct cfi_header *header, uint64_t pc, uint64_t *entry);

#endif
