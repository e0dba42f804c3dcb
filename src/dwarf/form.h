/* SPDX-License-Identifier: Apache-2.0 */
/* The values of attributes, in all the forms that they are written in. */
#ifndef DWARF_FORM_H
#define DWARF_FORM_H

#include "dwarf/abbrev.h"
#include "dwarf/file.h"

/* The attribute's value, which stands at b; b moves behind it. */
struct value form_read(struct bytes *b, struct unit *unit, const struct abbrev_attr *attr);
void form_skip(struct bytes *b, const struct unit *unit, const struct abbrev_attr *attr);

/* Moves behind all attributes of an entry. */
void form_skip_all(struct bytes *b, const struct unit *unit, const struct abbrevs *table,
		   const struct abbrev *abbrev);

/* An address by its number in .debug_addr; NO_OFFSET if there is none. */
uint64_t form_address(const struct unit *unit, uint64_t index);

#endif
