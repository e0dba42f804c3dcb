// SPDX-License-Identifier: Apache-2.0
#include "dwarf/spans.h"

/* A sweep over the addresses; those that are open lie in a heap, the smallest on top. */
struct sweep {
	const struct span_list *list;
	VEC(uint32_t) heap;
	VEC(uint64_t) starts;
	VEC(uint32_t) owners;
};

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->owner > y->owner) - (x->owner < y->owner);
}

static bool above(const struct sweep *s, uint32_t a, uint32_t b)
{
	const struct span *x = &s->list->data[a], *y = &s->list->data[b];
	uint64_t x_size = x->end - x->start, y_size = y->end - y->start;

	if (x_size != y_size)
		return x_size < y_size;
	return x->depth != y->depth ? x->depth > y->depth : x->owner < y->owner;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static void push(struct sweep *s, uint32_t index)
{
	size_t at = s->heap.len;
	uint32_t *heap;

	*vec_push(&s->heap) = index;
	heap = s->heap.data;
	for (; at && above(s, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&heap[at], &heap[(at - 1) / 2]);
}

static void pop(struct sweep *s)
{
	uint32_t *heap = s->heap.data;
	size_t len = --s->heap.len, at = 0, child;

	heap[0] = heap[len];
	while ((child = 2 * at + 1) < len) {
		if (child + 1 < len && above(s, heap[child + 1], heap[child]))
			child++;
		if (!above(s, heap[child], heap[at]))
			break;
		swap(&heap[at], &heap[child]);
		at = child;
	}
}

static void add(struct sweep *s, uint64_t start, uint32_t owner)
{
	if (s->owners.len && *vec_last(&s->owners) == owner)
		return;
	*vec_push(&s->starts) = start;
	*vec_push(&s->owners) = owner;
}

static void run(struct sweep *s)
{
	const struct span *spans = s->list->data;
	size_t next = 0, count = s->list->len;
	uint64_t at = 0;

	while (next < count || s->heap.len) {
		if (!s->heap.len)
			at = spans[next].start;
		for (; next < count && spans[next].start <= at; next++)
			push(s, (uint32_t)next);
		while (s->heap.len && spans[s->heap.data[0]].end <= at)
			pop(s);
		add(s, at, s->heap.len ? spans[s->heap.data[0]].owner : SPAN_NONE);
		if (!s->heap.len)
			continue;
		at = spans[s->heap.data[0]].end;
		if (next < count && spans[next].start < at)
			at = spans[next].start;
	}
}

void spans_make(struct spans *spans, struct span_list *list)
{
	struct sweep s = { .list = list };

	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_start);
	run(&s);
	vec_free(&s.heap);
	*spans = (struct spans){ s.starts.data, s.owners.data, s.starts.len };
}

void spans_free(struct spans *spans)
{
	free(spans->starts);
	free(spans->owners);
	*spans = (struct spans){ 0 };
}

size_t spans_up_to(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->starts[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t spans_find(const struct spans *spans, uint64_t address)
{
	size_t count = spans_up_to(spans, address);

	return count ? spans->owners[count - 1] : SPAN_NONE;
}
