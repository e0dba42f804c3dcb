// SPDX-License-Identifier: Apache-2.0
#include "symbol/table.h"
#include "symbol/ranges.h"
#include "symbol/symbol.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEYS_A_BUCKET 4 /* on average */

/* The bytes of a table: this, the columns in the order of struct table, then the strings. */
struct table_head {
	uint64_t strings_size;
	uint32_t count, range_count, segment_count, choice_size;
};

struct table {
	struct table_head head;
	const struct table_segment *segments;
	const uint64_t *starts, *range_starts;
	const uint32_t *range_owners; /* index of a symbol, or RANGE_NONE */
	const uint32_t *sizes, *names, *choices;
	const char *strings;
	/* The first key at or after each 2^shift addresses, so that a search has few steps; those
	 * of a cache line take no longer than one. */
	uint32_t *buckets;
	uint64_t first;
	unsigned shift;
	_Atomic uint32_t *chosen; /* by symbol: what was chosen of several names, 0 if not yet */
	const void *columns;
	void *owned_columns, *owned_strings, *map;
	size_t map_size;
};

static uint64_t columns_size(const struct table_head *head)
{
	return sizeof(*head) + (uint64_t)head->segment_count * sizeof(struct table_segment) +
	       (uint64_t)head->count * (8 + 4 + 4) + (uint64_t)head->range_count * (8 + 4) +
	       (uint64_t)head->choice_size * 4;
}

/* Points the columns into the block, whose size fits; those of 8 bytes come first. */
static void set_columns(struct table *table, const unsigned char *at)
{
	const struct table_head *head = &table->head;

	table->columns = at;
	at += sizeof(*head);
	table->segments = (const void *)at;
	at += head->segment_count * sizeof(*table->segments);
	table->starts = (const void *)at;
	at += head->count * sizeof(*table->starts);
	table->range_starts = (const void *)at;
	at += head->range_count * sizeof(*table->range_starts);
	table->range_owners = (const void *)at;
	at += head->range_count * sizeof(*table->range_owners);
	table->sizes = (const void *)at;
	at += head->count * sizeof(*table->sizes);
	table->names = (const void *)at;
	at += head->count * sizeof(*table->names);
	table->choices = (const void *)at;
	if (head->choice_size)
		table->chosen = mem_alloc(head->count * sizeof(*table->chosen));
}

/* What is searched: the ranges where there are some, else the symbols' starts. */
static const uint64_t *keys_of(const struct table *table, uint32_t *count)
{
	*count = table->head.range_count ? table->head.range_count : table->head.count;
	return table->head.range_count ? table->range_starts : table->starts;
}

static void make_buckets(struct table *table)
{
	uint32_t count;
	const uint64_t *keys = keys_of(table, &count);
	uint64_t span, wanted, filled = 0;

	if (!count)
		return;
	table->first = keys[0];
	span = keys[count - 1] - keys[0];
	while (span >> table->shift > count / KEYS_A_BUCKET + 1) /* at 63 there is 1 left */
		table->shift++;
	wanted = (span >> table->shift) + 2;
	table->buckets = mem_resize(NULL, wanted, sizeof(*table->buckets));
	for (uint32_t at = 0; at < count; at++) {
		uint64_t of = (keys[at] - table->first) >> table->shift;

		while (filled <= of)
			table->buckets[filled++] = at;
	}
	while (filled < wanted)
		table->buckets[filled++] = count;
}

static void fill_columns(const struct table *table, const struct symbol_sheet *sheet,
			 const struct ranges *ranges)
{
	uint64_t *starts = (uint64_t *)table->starts, *range_starts = (void *)table->range_starts;
	uint32_t *sizes = (uint32_t *)table->sizes, *names = (uint32_t *)table->names;
	uint32_t *owners = (uint32_t *)table->range_owners;

	memcpy((void *)table->columns, &table->head, sizeof(table->head));
	for (size_t i = 0; i < sheet->segments.len; i++)
		((struct table_segment *)table->segments)[i] = sheet->segments.data[i];
	for (size_t i = 0; i < sheet->rows.len; i++) {
		starts[i] = sheet->rows.data[i].start;
		sizes[i] = sheet->rows.data[i].size;
		names[i] = sheet->rows.data[i].name;
	}
	for (size_t i = 0; i < ranges->len; i++) {
		range_starts[i] = ranges->data[i].start;
		owners[i] = ranges->data[i].owner;
	}
	for (size_t i = 0; i < sheet->choices.len; i++)
		((uint32_t *)table->choices)[i] = sheet->choices.data[i];
}

/* Stubs of the PLT come last: what had no size and seemed to reach past the first of them ends
 * there.
 */
static void cut_guesses(struct symbol_rows *rows)
{
	for (size_t i = 0; i + 1 < rows->len; i++) {
		struct symbol_row *row = &rows->data[i];
		uint64_t gap = row[1].start - row->start;

		if (row->guessed && gap && gap < row->size)
			row->size = (uint32_t)gap;
	}
}

struct table *table_build(struct symbol_sheet *sheet, enum table_overlap overlap)
{
	struct table *table = mem_alloc(sizeof(*table));
	struct ranges ranges = { 0 };

	if (!sheet->strings.len)
		buf_add(&sheet->strings, "", 1);
	sheet_sort(sheet);
	cut_guesses(&sheet->rows);
	ranges_make(&ranges, &sheet->rows, overlap == OVERLAP_NEWEST);
	table->head = (struct table_head){ .count = (uint32_t)sheet->rows.len,
					   .range_count = (uint32_t)ranges.len,
					   .segment_count = (uint32_t)sheet->segments.len,
					   .choice_size = (uint32_t)sheet->choices.len,
					   .strings_size = sheet->strings.len };
	table->owned_columns = mem_alloc_large(columns_size(&table->head));
	set_columns(table, table->owned_columns);
	fill_columns(table, sheet, &ranges);
	table->owned_strings = sheet->strings.data;
	table->strings = sheet->strings.data;
	sheet->strings = (struct buf){ 0 };
	make_buckets(table);
	vec_free(&ranges);
	sheet_free(sheet);
	return table;
}

static bool rising(const uint64_t *keys, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (keys[i] < keys[i - 1])
			return false;
	return true;
}

/* Whether a name is a string's place, or that of a choice between such. */
static bool is_sound_name(const struct table *table, uint32_t name)
{
	const struct table_head *head = &table->head;
	uint32_t at = name & ~NAME_IS_CHOICE, count;
	bool sound = true;

	if (!(name & NAME_IS_CHOICE))
		return name < head->strings_size;
	count = at < head->choice_size ? table->choices[at] : 0;
	if (!count || count >= head->choice_size - at)
		return false;
	for (uint32_t i = 1; i <= count; i++)
		sound &= table->choices[at + i] < head->strings_size;
	return sound;
}

static bool is_sound(const struct table *table)
{
	const struct table_head *head = &table->head;
	bool sound = head->strings_size && head->strings_size <= STRINGS_MAX &&
		     !table->strings[head->strings_size - 1] &&
		     rising(table->starts, head->count) &&
		     rising(table->range_starts, head->range_count);

	for (uint32_t i = 0; sound && i < head->count; i++)
		sound = is_sound_name(table, table->names[i]);
	for (uint32_t i = 0; i < head->range_count; i++)
		sound &= table->range_owners[i] < head->count ||
			 table->range_owners[i] == RANGE_NONE;
	return sound;
}

struct table *table_of(const void *bytes, size_t size)
{
	struct table *table;
	struct table_head head;

	if (size < sizeof(head))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	if (head.strings_size > size || head.count > ROWS_MAX ||
	    columns_size(&head) != size - head.strings_size)
		return NULL;
	table = mem_alloc(sizeof(*table));
	table->head = head;
	set_columns(table, bytes);
	table->strings = (const char *)bytes + columns_size(&head);
	if (!is_sound(table)) {
		table_free(table);
		return NULL;
	}
	make_buckets(table);
	return table;
}

struct table_parts table_parts(const struct table *table)
{
	return (struct table_parts){ .columns = table->columns,
				     .columns_size = columns_size(&table->head),
				     .strings = table->strings,
				     .strings_size = table->head.strings_size };
}

void table_keep_mapping(struct table *table, void *map, size_t size)
{
	table->map = map;
	table->map_size = size;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	if (table->map)
		munmap(table->map, table->map_size);
	free(table->buckets);
	free(table->chosen);
	free(table->owned_columns);
	free(table->owned_strings);
	free(table);
}

size_t table_count(const struct table *table)
{
	return table->head.count;
}

/* Two threads may choose at once: they come to the same. */
static uint32_t chosen_name(const struct table *table, size_t i)
{
	const uint32_t *choice = &table->choices[table->names[i] & ~NAME_IS_CHOICE];
	uint32_t name = atomic_load_explicit(&table->chosen[i], memory_order_relaxed);

	if (!name) {
		name = sheet_choose(table->strings, choice + 1, choice[0]);
		atomic_store_explicit(&table->chosen[i], name, memory_order_relaxed);
	}
	return name;
}

void table_row(const struct table *table, size_t i, struct symbol *symbol)
{
	uint32_t name = table->names[i];

	if (name & NAME_IS_CHOICE)
		name = chosen_name(table, i);
	symbol->name = table->strings + name;
	symbol->start = table->starts[i];
	symbol->end = table->starts[i] + table->sizes[i];
}

bool table_find(const struct table *table, uint64_t address, struct symbol *symbol)
{
	uint32_t count, low, high, found;
	const uint64_t *keys = keys_of(table, &count);
	uint64_t bucket;

	if (!count || address < table->first)
		return false;
	bucket = (address - table->first) >> table->shift;
	if (address >= keys[count - 1]) {
		low = high = count;
	} else {
		low = table->buckets[bucket];
		high = table->buckets[bucket + 1];
	}
	while (low < high) { /* the first key behind the address */
		uint32_t middle = low + (high - low) / 2;

		if (keys[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	found = table->head.range_count ? table->range_owners[low - 1] : low - 1;
	if (found == RANGE_NONE)
		return false;
	table_row(table, found, symbol);
	return address - symbol->start < table->sizes[found] && symbol->name[0];
}

uint64_t table_address(const struct table *table, uint64_t offset)
{
	for (uint32_t i = 0; i < table->head.segment_count; i++) {
		const struct table_segment *s = &table->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size)
			return s->addr + (offset - s->offset);
	}
	return offset;
}
