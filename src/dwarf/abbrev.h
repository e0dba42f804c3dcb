/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of abbreviations: which attributes, in which form, an entry of a code has. */
#ifndef DWARF_ABBREV_H
#define DWARF_ABBREV_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct dwarf_file;
struct unit;

struct abbrev_attr {
	uint16_t name, form;
	int64_t constant; /* DW_FORM_implicit_const's value */
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool fixed;		     /* all attributes have sizes that the unit's header tells: */
	uint32_t size;		     /* the bytes of those that are always the same, */
	uint16_t addresses, offsets; /* and how many there are of these */
	uint16_t refs;		     /* and of DW_FORM_ref_addr */
	uint32_t first, count;	     /* its attributes */
};

struct abbrevs {
	VEC(struct abbrev) rows; /* by code */
	VEC(struct abbrev_attr) attrs;
};

/* Reads the table at an offset up to the abbreviation of a code; 0: all of it. */
void abbrevs_read(struct abbrevs *table, struct dwarf_file *file, uint64_t offset, uint64_t until);
void abbrevs_fini(struct abbrevs *table);

const struct abbrev *abbrevs_find(const struct abbrevs *table, uint64_t code);

/* The unit's own table, which it may share with others. */
const struct abbrevs *abbrevs_of(struct unit *unit);

#endif
