/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a recording and the ids that lead to them.
 *
 * Events stay where they are once added, so that others may point at them while a pipe still brings
 * more.
 */
#ifndef PERFDATA_ATTRS_H
#define PERFDATA_ATTRS_H

#include "base/arena.h"
#include "base/vec.h"
#include "perfdata/reader.h"

struct id_slot {
	uint64_t id; /* 0: free; no event has it */
	uint64_t value;
	struct perf_attr *attr;
};

struct attr_table {
	struct arena arena;
	VEC(struct perf_attr *) list;
	struct id_slot *slots;
	size_t id_count, id_cap; /* cap is a power of two */
	/* Where a record holds its id: words after the header in a SAMPLE, words before the end in
	 * all others; 0 in the second, -1 in the first: nowhere. */
	int sample_id_word, other_id_word;
};

/* ids may be NULL; they are copied. */
struct perf_attr *attr_table_add(struct attr_table *table, const struct event_attr *attr,
				 const uint64_t *ids, size_t ids_count);
void attr_table_add_id(struct attr_table *table, struct perf_attr *attr, uint64_t id);
struct id_slot *attr_table_find(const struct attr_table *table, uint64_t id);
void attr_table_free(struct attr_table *table);

#define NAMELESS_TRACEPOINT "unknown tracepoint"

/* What perf calls an event of which only the attr is known: "cycles:u". */
char *attr_name(struct arena *arena, const struct event_attr *attr);

#endif
