/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information as plain rows: from which address on, where the frame begins (its CFA) and
 * where the caller's registers are found.
 *
 * The rows of a whole object, sorted, are a table by which anybody can unwind, also one that can
 * run no programs; unwind/step.h is one who does.  Registers have their DWARF numbers.
 */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "base/vec.h"
#include "unwind/cfi.h"

#define CFI_REGISTERS 33 /* x0 to x30, sp and pc; x86 has 17 */

enum cfi_where {
	CFI_UNTOLD, /* nothing is said: by convention what the caller had */
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT,	       /* saved in memory at CFA + value */
	CFI_IS,	       /* CFA + value itself */
	CFI_IN,	       /* in the register of that number */
	CFI_AT_RESULT, /* saved in memory where the expression says */
	CFI_IS_RESULT, /* what the expression says */
};

struct cfi_rule {
	uint8_t reg;
	uint8_t where; /* enum cfi_where; never CFI_UNTOLD */
	int32_t value; /* or the number of an expression */
};

enum cfi_frame {
	CFI_NO_FRAME, /* nothing is known of the code from here on */
	CFI_FRAME_REGISTER,
	CFI_FRAME_RESULT,
};

struct cfi_row {
	uint64_t start;	     /* holds until the next row's start */
	uint32_t rule_first; /* in the rules; rows may share them */
	uint8_t rule_count;
	uint8_t frame;	 /* enum cfi_frame */
	uint8_t reg;	 /* the CFA is this register + value */
	bool signal : 1; /* a trampoline of signals */
	bool ra_signed : 1;
	int32_t value; /* or the number of an expression */
	uint8_t return_column;
};

struct cfi_expression {
	const unsigned char *bytes; /* in the section, which must outlive the rows */
	size_t size;
};

struct cfi_rows { /* { 0 } is a ready, empty one */
	VEC(struct cfi_row) list;
	VEC(struct cfi_rule) rules;
	VEC(struct cfi_expression) expressions;
};

/*
 * Runs an entry's program and adds its rows, in order of addresses, the last one a CFI_NO_FRAME at
 * its end.  False, with nothing added, if the program is damaged.
 */
bool cfi_rows_add(struct cfi_rows *rows, const struct cfi_section *section,
		  const struct cfi_entry *entry);

/* Of `count` rows in order, the one that holds at pc; NULL if pc is before all of them. */
const struct cfi_row *cfi_rows_find(const struct cfi_row *rows, size_t count, uint64_t pc);

void cfi_rows_free(struct cfi_rows *rows);

#endif
