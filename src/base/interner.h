/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings kept once, each with a small number of its own: equal strings have equal ids.
 */
#ifndef BASE_INTERNER_H
#define BASE_INTERNER_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct interner { /* { 0 } is a ready, empty one */
	struct arena arena;
	struct map map;
	VEC(const char *) strings;
};

/* Makes room for about so many; more may come, and fewer. */
void interner_expect(struct interner *in, size_t strings);
uint32_t interner_add(struct interner *in, const char *text); /* the id, new or known */
const char *interner_text(const struct interner *in, uint32_t id);
void interner_free(struct interner *in);

#endif
