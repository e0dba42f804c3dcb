// SPDX-License-Identifier: Apache-2.0
#include "import/rawtab.h"
#include "base/mem.h"

#include <stdlib.h>

#define LEAST 1024 /* slots */

static void grow(struct rawtab *tab, size_t cap)
{
	struct rawtab old = *tab;

	tab->cap = cap;
	tab->slots = mem_alloc(tab->cap * sizeof(*tab->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].text)
			*rawtab_slot(tab, old.slots[i].text, old.slots[i].length) = old.slots[i];
	free(old.slots);
}

void rawtab_expect(struct rawtab *tab, size_t pieces)
{
	size_t cap = tab->cap ? tab->cap : LEAST;

	while (pieces * 2 > cap)
		cap *= 2;
	if (cap == tab->cap)
		return;
	grow(tab, cap);
	mem_populate(tab->slots, cap * sizeof(*tab->slots));
}

struct raw_slot *rawtab_add(struct rawtab *tab, const char *text, size_t length, uint32_t value)
{
	struct raw_slot *slot;

	if ((tab->len + 1) * 2 > tab->cap)
		grow(tab, tab->cap ? tab->cap * 2 : LEAST);
	slot = rawtab_slot(tab, text, length);
	*slot = (struct raw_slot){
		.text = arena_strndup(&tab->arena, text, length),
		.length = (uint32_t)length,
		.value = value,
	};
	tab->len++;
	return slot;
}

void rawtab_free(struct rawtab *tab)
{
	free(tab->slots);
	arena_free(&tab->arena);
	*tab = (struct rawtab){ 0 };
}
