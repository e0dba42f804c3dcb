// SPDX-License-Identifier: Apache-2.0
#include "perfdata/counts.h"
#include "perfdata/payload.h"

#define COUNTS_MAGIC 0x53544e554f434650ULL /* "PFCOUNTS" */
#define FIXED_WORDS  4			   /* flags, cpu_ns, idle_ns, number of events */
#define TAIL_WORDS   2

void perf_counts_add(const struct perf_counts *counts, struct buf *record)
{
	payload_u64(record, counts->flags);
	payload_u64(record, counts->cpu_ns);
	payload_u64(record, counts->idle_ns);
	payload_u64(record, counts->events.len);
	vec_each (count, &counts->events)
		payload_u64(record, *count);
	vec_each (word, &counts->budget)
		payload_u64(record, *word);
	payload_u64(record, FIXED_WORDS + counts->events.len + counts->budget.len);
	payload_u64(record, COUNTS_MAGIC);
}

/* A round of the other byte order comes as it stands: its table of features is nobody's concern. */
static uint64_t word(const uint64_t *words, size_t at, bool swapped)
{
	return swapped ? __builtin_bswap64(words[at]) : words[at];
}

bool perf_counts_read(struct perf_counts *counts, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(record + 1);
	size_t have = (record->size - sizeof(*record)) / sizeof(*words), first, events;
	uint64_t stated;
	bool swapped;

	if (have < TAIL_WORDS + FIXED_WORDS)
		return false;
	swapped = words[have - 1] == __builtin_bswap64(COUNTS_MAGIC);
	if (!swapped && words[have - 1] != COUNTS_MAGIC)
		return false;
	stated = word(words, have - 2, swapped);
	if (stated < FIXED_WORDS || stated > have - TAIL_WORDS)
		return false;
	first = have - TAIL_WORDS - (size_t)stated;
	if (word(words, first + 3, swapped) > stated - FIXED_WORDS)
		return false;
	events = (size_t)word(words, first + 3, swapped);
	counts->flags = word(words, first, swapped);
	counts->cpu_ns = word(words, first + 1, swapped);
	counts->idle_ns = word(words, first + 2, swapped);
	counts->events.len = 0;
	for (size_t i = 0; i < events; i++)
		*vec_push(&counts->events) = word(words, first + FIXED_WORDS + i, swapped);
	counts->budget.len = 0;
	for (size_t i = FIXED_WORDS + events; i < stated; i++)
		*vec_push(&counts->budget) = word(words, first + i, swapped);
	return true;
}

static uint64_t less(uint64_t value, uint64_t by)
{
	return value > by ? value - by : 0;
}

void perf_counts_subtract(struct perf_counts *counts, const struct perf_counts *before)
{
	counts->cpu_ns = less(counts->cpu_ns, before->cpu_ns);
	counts->idle_ns = less(counts->idle_ns, before->idle_ns);
	for (size_t i = 0; i < counts->events.len && i < before->events.len; i++)
		counts->events.data[i] = less(counts->events.data[i], before->events.data[i]);
}

void perf_counts_copy(struct perf_counts *counts, const struct perf_counts *from)
{
	counts->flags = from->flags;
	counts->cpu_ns = from->cpu_ns;
	counts->idle_ns = from->idle_ns;
	counts->events.len = 0;
	vec_each (count, &from->events)
		*vec_push(&counts->events) = *count;
	counts->budget.len = 0;
	vec_each (word, &from->budget)
		*vec_push(&counts->budget) = *word;
}

void perf_counts_fini(struct perf_counts *counts)
{
	vec_free(&counts->events);
	vec_free(&counts->budget);
	*counts = (struct perf_counts){ 0 };
}
