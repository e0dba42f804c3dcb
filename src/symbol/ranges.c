// SPDX-License-Identifier: Apache-2.0
#include "symbol/ranges.h"

/* A sweep over the addresses; the rows that are open lie in a heap, the one that wins on top. */
struct sweep {
	const struct symbol_rows *rows;
	bool newest_wins;
	VEC(uint32_t) heap;
};

static uint64_t end_of(const struct symbol_row *row)
{
	return row->start + row->size;
}

static bool wins(const struct sweep *sweep, uint32_t a, uint32_t b)
{
	const struct symbol_row *rows = sweep->rows->data;

	if (sweep->newest_wins && rows[a].name != rows[b].name)
		return rows[a].name > rows[b].name;
	if (rows[a].guessed != rows[b].guessed)
		return rows[b].guessed;
	return a > b;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static void push(struct sweep *sweep, uint32_t row)
{
	size_t at = sweep->heap.len;
	uint32_t *heap;

	*vec_push(&sweep->heap) = row;
	heap = sweep->heap.data;
	for (; at && wins(sweep, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static void pop(struct sweep *sweep)
{
	uint32_t *heap = sweep->heap.data;
	size_t len = --sweep->heap.len, at = 0, child;

	heap[0] = heap[len];
	while ((child = 2 * at + 1) < len) {
		if (child + 1 < len && wins(sweep, heap[child + 1], heap[child]))
			child++;
		if (!wins(sweep, heap[child], heap[at]))
			break;
		swap(&heap[at], &heap[child]);
		at = child;
	}
}

static void add(struct ranges *ranges, uint64_t start, uint32_t owner)
{
	if (ranges->len && vec_last(ranges)->owner == owner)
		return;
	*vec_push(ranges) = (struct range){ start, owner };
}

static bool overlap(const struct symbol_rows *rows)
{
	for (size_t i = 1; i < rows->len; i++)
		if (end_of(&rows->data[i - 1]) > rows->data[i].start)
			return true;
	return false;
}

void ranges_make(struct ranges *ranges, const struct symbol_rows *rows, bool newest_wins)
{
	struct sweep sweep = { .rows = rows, .newest_wins = newest_wins };
	uint64_t at = 0;
	size_t next = 0;

	if (!overlap(rows))
		return;
	while (next < rows->len || sweep.heap.len) {
		if (!sweep.heap.len)
			at = rows->data[next].start;
		for (; next < rows->len && rows->data[next].start <= at; next++)
			push(&sweep, (uint32_t)next);
		while (sweep.heap.len && end_of(&rows->data[sweep.heap.data[0]]) <= at)
			pop(&sweep);
		add(ranges, at, sweep.heap.len ? sweep.heap.data[0] : RANGE_NONE);
		if (!sweep.heap.len)
			continue;
		at = end_of(&rows->data[sweep.heap.data[0]]);
		if (next < rows->len && rows->data[next].start < at)
			at = rows->data[next].start;
	}
	vec_free(&sweep.heap);
}
