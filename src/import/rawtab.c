// SPDX-License-Identifier: Apache-2.0
#include "import/rawtab.h"
#include "base/mem.h"

#include <stdlib.h>

static void grow(struct rawtab *tab)
{
	struct rawtab old = *tab;

	tab->cap = old.cap ? old.cap * 2 : 1024;
	tab->slots = mem_alloc(tab->cap * sizeof(*tab->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].text)
			*rawtab_slot(tab, old.slots[i].text, old.slots[i].length) = old.slots[i];
	free(old.slots);
}

struct raw_slot *rawtab_add(struct rawtab *tab, const char *text, size_t length, uint32_t value)
{
	struct raw_slot *slot;

	if ((tab->len + 1) * 2 > tab->cap)
		grow(tab);
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
