// SPDX-License-Identifier: Apache-2.0
#include "machine/maps.h"
#include "base/mem.h"

#include <string.h>

struct maps *maps_new(void)
{
	struct maps *maps = mem_alloc(sizeof(*maps));

	maps->refs = 1;
	return maps;
}

struct maps *maps_get(struct maps *maps)
{
	maps->refs++;
	return maps;
}

void maps_put(struct maps *maps)
{
	if (!maps || --maps->refs)
		return;
	vec_free(&maps->list);
	free(maps);
}

struct maps *maps_own(struct maps *maps)
{
	struct maps *copy;

	if (maps->refs == 1)
		return maps;
	copy = maps_new();
	copy->space = maps->space;
	vec_reserve(&copy->list, maps->list.len);
	if (maps->list.len)
		memcpy(copy->list.data, maps->list.data, maps->list.len * sizeof(*maps->list.data));
	copy->list.len = maps->list.len;
	maps_put(maps);
	return copy;
}

/* The first mapping that ends past the address; it may also begin past it. */
static size_t first_past(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->list.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->list.data[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Opens a gap of `count` at `at` (or closes it, if negative). */
static void shift(struct maps *maps, size_t at, long count)
{
	size_t rest;

	if (count > 0)
		vec_reserve(&maps->list, maps->list.len + (size_t)count);
	else
		at += (size_t)-count;
	rest = maps->list.len - at;
	memmove(maps->list.data + (long)at + count, maps->list.data + at,
		rest * sizeof(*maps->list.data));
	maps->list.len = (size_t)((long)maps->list.len + count);
}

static struct mapping tail_of(const struct mapping *old, uint64_t from)
{
	struct mapping tail = *old;

	tail.offset += from - old->start;
	tail.start = from;
	return tail;
}

/* Makes [start, end) empty and gives the place where a mapping of it belongs. */
static size_t clear(struct maps *maps, uint64_t start, uint64_t end)
{
	size_t at = first_past(maps, start), last;

	if (at < maps->list.len && maps->list.data[at].start < start) {
		struct mapping *head = &maps->list.data[at];

		if (head->end > end) { /* falls apart into two */
			shift(maps, at + 1, 1);
			head = &maps->list.data[at];
			head[1] = tail_of(head, end);
		}
		head->end = start;
		at++;
	}
	for (last = at; last < maps->list.len && maps->list.data[last].end <= end; last++)
		;
	if (last < maps->list.len && maps->list.data[last].start < end)
		maps->list.data[last] = tail_of(&maps->list.data[last], end);
	if (last > at)
		shift(maps, at, -(long)(last - at));
	return at;
}

void maps_insert(struct maps *maps, const struct mapping *mapping)
{
	size_t at;

	if (mapping->start >= mapping->end)
		return;
	at = clear(maps, mapping->start, mapping->end);
	shift(maps, at, 1);
	maps->list.data[at] = *mapping;
}

void maps_remove(struct maps *maps, uint64_t start, uint64_t end)
{
	if (start < end && maps->list.len)
		clear(maps, start, end);
}

/* Whether first_past would give `at`. */
static bool is_first_past(const struct maps *maps, size_t at, uint64_t address)
{
	const struct mapping *list = maps->list.data;

	return at <= maps->list.len && (!at || list[at - 1].end <= address) &&
	       (at == maps->list.len || address < list[at].end);
}

/* Regions of a megabyte, all over the table. */
static uint16_t *hint_for(struct maps_hints *hints, uint64_t address)
{
	return &hints->at[(uint32_t)(address >> 20) * 0x9e3779b1u >> 28 & (MAPS_HINTS - 1)];
}

const struct mapping *maps_look(const struct maps *maps, struct maps_hints *hints, uint64_t address)
{
	uint16_t *hint = hint_for(hints, address);
	size_t at = *hint;

	/* A hint may be of another region or of older mappings, so it is checked, never trusted. */
	if (!is_first_past(maps, at, address)) {
		at = first_past(maps, address);
		*hint = (uint16_t)at;
	}
	if (at == maps->list.len || address < maps->list.data[at].start)
		return NULL;
	return &maps->list.data[at];
}

const struct mapping *maps_find(struct maps *maps, uint64_t address)
{
	return maps_look(maps, &maps->hints, address);
}
