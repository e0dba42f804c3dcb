/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a unit and what is inlined in them, by address. */
#ifndef DWARF_FUNCTION_H
#define DWARF_FUNCTION_H

#include "dwarf/file.h"

#define NO_FUNCTION UINT32_MAX

struct function {
	uint64_t entry;	 /* its offset in .debug_info */
	uint32_t parent; /* what it is inlined in; NO_FUNCTION for a function itself */
	uint32_t call_file, call_line;
};

struct functions {
	VEC(struct function) rows; /* parents first */
	struct spans places;	   /* address to innermost row */
};

/* Of the unit; read at the first call.  NULL if it has none. */
const struct functions *functions_of(struct unit *unit);
void functions_free(struct functions *functions);

/* The name of the function of an entry, found through what it refers to; or NULL. */
const char *function_name(struct unit *unit, uint64_t entry);

#endif
