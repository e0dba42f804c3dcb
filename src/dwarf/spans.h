/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of addresses that may lie in one another, and whose each address is. */
#ifndef DWARF_SPANS_H
#define DWARF_SPANS_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define SPAN_NONE UINT32_MAX

struct span {
	uint64_t start, end;
	uint32_t owner, depth;
};

struct span_list VEC_OF(struct span);

/* The finished form: owners from each start up to the next, which is some other's or nobody's. */
struct spans {
	uint64_t *starts;
	uint32_t *owners;
	size_t count;
};

/*
 * Where several cover an address the shortest owns it, of those as short the deepest, of those
 * as deep the first.  Sorts the list.
 */
void spans_make(struct spans *spans, struct span_list *list);
void spans_free(struct spans *spans);

/* The number of those that start at an address or before it. */
size_t spans_up_to(const struct spans *spans, uint64_t address);

uint32_t spans_find(const struct spans *spans, uint64_t address);

#endif
