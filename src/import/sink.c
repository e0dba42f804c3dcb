// SPDX-License-Identifier: Apache-2.0
#include "import/sink.h"
#include "base/idmap.h"
#include "event/modifier.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_ROW UINT32_MAX

void sink_init(struct sink *sink, struct profile *profile)
{
	*sink = (struct sink){ .profile = profile };
}

/* A text has nothing but the name to tell it by. */
static uint64_t scope_of(const char *name)
{
	const char *modifiers = modifiers_of(name);
	bool user = modifiers && strchr(modifiers, 'u');
	bool kernel = modifiers && strchr(modifiers, 'k');

	return user == kernel ? 0 : user ? SCOPE_NO_KERNEL : SCOPE_NO_USER;
}

uint16_t sink_event(struct sink *sink, const char *name, const char *unit)
{
	struct profile *profile = sink->profile;
	uint32_t text = interner_add(&profile->strings, name);

	for (size_t i = 0; i < profile->events.len; i++)
		if (profile->events.data[i].name == text)
			return (uint16_t)i;
	if (profile->events.len == UINT16_MAX)
		return UINT16_MAX - 1;
	*vec_push(&profile->events) = (struct profile_event){
		.name = text,
		.unit = interner_add(&profile->strings, unit),
		.scale = 1,
		.scope = scope_of(name),
	};
	return (uint16_t)(profile->events.len - 1);
}

/* Whether a stack is that of the chain. */
static bool is_chain(const struct sink *sink, uint32_t stack, bool leaf_first)
{
	const struct profile_stacks *stacks = &sink->profile->stacks;
	size_t len = sink->chain.len;

	for (size_t i = 0; i < len; i++) {
		uint32_t link = sink->chain.data[leaf_first ? i : len - 1 - i];

		if (stack == STACK_ROOT ||
		    link_of(stacks->function[stack], stacks->flags[stack] & STACK_INLINED) != link)
			return false;
		stack = stacks->parent[stack];
	}
	return stack == STACK_ROOT;
}

static uint32_t new_stack(struct sink *sink, bool leaf_first)
{
	size_t len = sink->chain.len;
	uint32_t stack = STACK_ROOT;

	for (size_t i = 0; i < len; i++) {
		uint32_t link = sink->chain.data[leaf_first ? len - 1 - i : i];

		stack = profile_stack(sink->profile, stack, link >> 1, link & 1);
	}
	return stack;
}

static void grow_chains(struct sink *sink)
{
	struct chain_slot *old = sink->chains;
	size_t old_cap = sink->chains_cap;

	sink->chains_cap = old_cap ? old_cap * 2 : 4096;
	sink->chains = mem_alloc(sink->chains_cap * sizeof(*sink->chains));
	for (size_t i = 0; i < old_cap; i++) {
		size_t at = old[i].hash & (sink->chains_cap - 1);

		if (old[i].stack == STACK_ROOT)
			continue;
		while (sink->chains[at].stack != STACK_ROOT)
			at = (at + 1) & (sink->chains_cap - 1);
		sink->chains[at] = old[i];
	}
	free(old);
}

/* Takes away what is too much on the leaf's side. */
static void shorten(struct sink *sink, bool leaf_first)
{
	size_t more = sink->chain.len - SINK_DEPTH;

	if (leaf_first)
		memmove(sink->chain.data, sink->chain.data + more,
			SINK_DEPTH * sizeof(*sink->chain.data));
	sink->chain.len = SINK_DEPTH;
	sink->dropped += more;
}

void sink_push(struct sink *sink, uint32_t link)
{
	if (sink->chain.len >= 2 * SINK_DEPTH)
		shorten(sink, true);
	*vec_push(&sink->chain) = link;
}

uint32_t sink_stack(struct sink *sink, bool leaf_first)
{
	uint64_t hash;
	uint32_t stack;
	size_t at;

	if (sink->chain.len > SINK_DEPTH)
		shorten(sink, leaf_first);
	sink->cut = sink->dropped;
	sink->dropped = 0;
	if (!sink->chain.len)
		return STACK_ROOT;
	/* as profile_stack() has it, so that the stack is found again */
	sink->chain.data[leaf_first ? sink->chain.len - 1 : 0] &= ~1u;
	if ((sink->chains_len + 1) * 2 > sink->chains_cap)
		grow_chains(sink);
	hash = XXH3_64bits(sink->chain.data, sink->chain.len * sizeof(*sink->chain.data));
	for (at = hash & (sink->chains_cap - 1); sink->chains[at].stack != STACK_ROOT;
	     at = (at + 1) & (sink->chains_cap - 1)) {
		stack = sink->chains[at].stack;
		if (sink->chains[at].hash == hash && is_chain(sink, stack, leaf_first)) {
			sink->chain.len = 0;
			return stack;
		}
	}
	stack = new_stack(sink, leaf_first);
	sink->chain.len = 0;
	sink->chains[at] = (struct chain_slot){ hash, stack };
	sink->chains_len++;
	return stack;
}

static uint64_t row_hash(uint32_t stack, uint32_t thread, uint16_t event, uint16_t cpu)
{
	return idmap_hash(((uint64_t)stack << 32 | thread) ^ (uint64_t)event << 20 ^
			  (uint64_t)cpu << 44);
}

static uint32_t *row_slot(const struct sink *sink, const struct profile_row *row)
{
	const struct profile_samples *rows = &sink->profile->samples;
	size_t at = row_hash(row->stack, row->thread, row->event, row->cpu) & (sink->rows_cap - 1);

	for (;; at = (at + 1) & (sink->rows_cap - 1)) {
		uint32_t known = sink->rows[at];

		if (known == NO_ROW ||
		    (rows->stack[known] == row->stack && rows->thread[known] == row->thread &&
		     rows->event[known] == row->event && rows->cpu[known] == row->cpu))
			return &sink->rows[at];
	}
}

static void grow_rows(struct sink *sink)
{
	const struct profile_samples *rows = &sink->profile->samples;

	sink->rows_cap = sink->rows_cap ? sink->rows_cap * 2 : 4096;
	sink->rows = mem_resize(sink->rows, sink->rows_cap, sizeof(*sink->rows));
	memset(sink->rows, 0xff, sink->rows_cap * sizeof(*sink->rows));
	for (size_t i = 0; i < rows->len; i++)
		*row_slot(sink, &(struct profile_row){ .stack = rows->stack[i],
						       .thread = rows->thread[i],
						       .event = rows->event[i],
						       .cpu = rows->cpu[i] }) = (uint32_t)i;
}

static void merge(struct sink *sink, const struct profile_row *row)
{
	uint32_t *slot;

	if ((sink->profile->samples.len + 1) * 2 > sink->rows_cap)
		grow_rows(sink);
	slot = row_slot(sink, row);
	if (*slot == NO_ROW) {
		*slot = (uint32_t)sink->profile->samples.len;
		profile_add(sink->profile, row);
	} else {
		profile_add_to(sink->profile, *slot, row->count, row->weight);
	}
}

void sink_add(struct sink *sink, const struct profile_row *row)
{
	struct profile_row kept = *row;

	if (!kept.count)
		kept.count = 1;
	if (!sink->cpus)
		kept.cpu = UINT16_MAX; /* nobody knows */
	if (!sink->times) {
		kept.time = 0;
		merge(sink, &kept);
		return;
	}
	sink->unsorted |= kept.time < sink->last_time;
	sink->last_time = kept.time;
	profile_add_unsorted(sink->profile, &kept);
}

void sink_fini(struct sink *sink)
{
	if (sink->unsorted)
		profile_sort(sink->profile);
	vec_free(&sink->chain);
	free(sink->chains);
	free(sink->rows);
	*sink = (struct sink){ 0 };
}
