// SPDX-License-Identifier: Apache-2.0
#include "perfdata/attrs.h"
#include "base/mem.h"

#include <string.h>

/* The kernel's ids are consecutive numbers: one multiplication spreads them well enough. */
static size_t slot_of(const struct attr_table *table, uint64_t id)
{
	size_t at = (size_t)((id * 0x9e3779b97f4a7c15u) >> 20) & (table->id_cap - 1);

	while (table->slots[at].id && table->slots[at].id != id)
		at = (at + 1) & (table->id_cap - 1);
	return at;
}

static void grow(struct attr_table *table)
{
	struct attr_table old = *table;

	table->id_cap = old.id_cap ? old.id_cap * 2 : 64;
	table->slots = mem_alloc(table->id_cap * sizeof(*table->slots));
	for (size_t i = 0; i < old.id_cap; i++)
		if (old.slots[i].id)
			table->slots[slot_of(table, old.slots[i].id)] = old.slots[i];
	free(old.slots);
}

void attr_table_add_id(struct attr_table *table, struct perf_attr *attr, uint64_t id)
{
	struct id_slot *slot;

	if (!id)
		return;
	if ((table->id_count + 1) * 2 > table->id_cap)
		grow(table);
	slot = &table->slots[slot_of(table, id)];
	table->id_count += !slot->id;
	slot->id = id;
	slot->attr = attr;
}

struct id_slot *attr_table_find(const struct attr_table *table, uint64_t id)
{
	struct id_slot *slot;

	if (!table->id_cap || !id)
		return NULL;
	slot = &table->slots[slot_of(table, id)];
	return slot->id ? slot : NULL;
}

static bool has(const struct perf_attr *attr, uint64_t bit)
{
	return attr->attr.base.sample_type & bit;
}

static void lay_out(struct perf_attr *attr)
{
	/* In the order in which they stand. */
	static const uint64_t head[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};
	static const uint64_t trailer[] = {
		PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
	};

	for (size_t i = 0; i < ARRAY_SIZE(head); i++) {
		if (head[i] == PERF_SAMPLE_TIME && has(attr, PERF_SAMPLE_TIME))
			attr->time_at = (uint16_t)(8 + attr->fixed_size);
		attr->fixed_size += has(attr, head[i]) ? 8 : 0;
	}
	if (!attr->attr.base.sample_id_all)
		return;
	for (size_t i = ARRAY_SIZE(trailer); i-- > 0;) {
		attr->trailer_size += has(attr, trailer[i]) ? 8 : 0;
		if (trailer[i] == PERF_SAMPLE_TIME && has(attr, PERF_SAMPLE_TIME))
			attr->trailer_time = attr->trailer_size;
	}
}

/* As perf: the first event decides for all, and IDENTIFIER is there to make that safe. */
static void find_id_words(struct attr_table *table, const struct perf_attr *attr)
{
	if (has(attr, PERF_SAMPLE_IDENTIFIER)) {
		table->sample_id_word = 0;
		table->other_id_word = 1;
	} else if (has(attr, PERF_SAMPLE_ID)) {
		table->sample_id_word = has(attr, PERF_SAMPLE_IP) + has(attr, PERF_SAMPLE_TID) +
					has(attr, PERF_SAMPLE_TIME) + has(attr, PERF_SAMPLE_ADDR);
		table->other_id_word = 1 + has(attr, PERF_SAMPLE_CPU) +
				       has(attr, PERF_SAMPLE_STREAM_ID);
	} else {
		table->sample_id_word = -1;
		table->other_id_word = 0;
	}
}

struct perf_attr *attr_table_add(struct attr_table *table, const struct event_attr *attr,
				 const uint64_t *ids, size_t ids_count)
{
	struct perf_attr *added = arena_alloc(&table->arena, sizeof(*added));

	added->attr = *attr;
	added->index = added->leader = (uint32_t)table->list.len;
	added->name = attr_name(&table->arena, attr);
	added->unit = "";
	added->scale = 1;
	lay_out(added);
	if (!table->list.len)
		find_id_words(table, added);
	*vec_push(&table->list) = added;

	if (ids_count) {
		uint64_t *copy = arena_alloc(&table->arena, ids_count * sizeof(*ids));

		memcpy(copy, ids, ids_count * sizeof(*ids));
		added->ids = copy;
		added->ids_count = ids_count;
	}
	for (size_t i = 0; i < ids_count; i++)
		attr_table_add_id(table, added, ids[i]);
	return added;
}

void attr_table_free(struct attr_table *table)
{
	arena_free(&table->arena);
	vec_free(&table->list);
	free(table->slots);
	*table = (struct attr_table){ 0 };
}
