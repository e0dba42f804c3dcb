// SPDX-License-Identifier: Apache-2.0
/*
 * Generic cache events: a cache, what is done to it, and how it ended, joined by '-'.
 *
 * Each part has several spellings.  The last two may be left out and may change places:
 * L1-dcache-load-misses, l1d-misses-read and L1-dcache-misses are one event.
 */
#include "event/pmu.h"
#include "event/source.h"

#include <stdio.h>

#define SPELLINGS 6

struct part {
	const char *names[SPELLINGS];
};

enum { READ = 1 << 0, WRITE = 1 << 1, PREFETCH = 1 << 2, ALL = READ | WRITE | PREFETCH };

/* In the kernel's order, so that an index is a field of config. */
static const struct {
	struct part part;
	unsigned ops; /* those that the kernel has a meaning for */
	const char *what;
} caches[] = {
	{ { { "L1-dcache", "l1-d", "l1d", "L1-data" } }, ALL, "the first-level data cache" },
	{ { { "L1-icache", "l1-i", "l1i", "L1-instruction" } },
	  READ | PREFETCH,
	  "the first-level instruction cache" },
	{ { { "LLC", "L2" } }, ALL, "the last-level cache" },
	{ { { "dTLB", "d-tlb", "Data-TLB" } }, ALL, "the TLB for data" },
	{ { { "iTLB", "i-tlb", "Instruction-TLB" } }, READ, "the TLB for instructions" },
	{ { { "branch", "branches", "bpu", "btb", "bpc" } }, READ, "the branch predictor" },
	{ { { "node" } }, ALL, "memory of the CPU's own node" },
};
static const struct part ops[] = {
	{ { "load", "loads", "read" } },
	{ { "store", "stores", "write" } },
	{ { "prefetch", "prefetches", "speculative-read", "speculative-load" } },
};
static const struct part results[] = {
	{ { "refs", "Reference", "ops", "access" } },
	{ { "misses", "miss" } },
};

/* How much of text one of the spellings takes, the longest one; it has to end at a '-' or end. */
static size_t part_match(const struct part *part, const char *text, size_t length)
{
	size_t best = 0;

	for (int i = 0; i < SPELLINGS && part->names[i]; i++) {
		size_t size = strlen(part->names[i]);

		if (size > best && size <= length && !strncmp(part->names[i], text, size) &&
		    (size == length || text[size] == '-'))
			best = size;
	}
	return best;
}

/* Takes "-op" or "-result" off the front into what is still open (-1); what it took, or 0. */
static size_t tail_match(const char *text, size_t length, int *op, int *result)
{
	size_t size;

	if (!length || text[0] != '-')
		return 0;
	for (int i = 0; *op < 0 && i < (int)ARRAY_SIZE(ops); i++)
		if ((size = part_match(&ops[i], text + 1, length - 1))) {
			*op = i;
			return size + 1;
		}
	for (int i = 0; *result < 0 && i < (int)ARRAY_SIZE(results); i++)
		if ((size = part_match(&results[i], text + 1, length - 1))) {
			*result = i;
			return size + 1;
		}
	return 0;
}

static uint64_t cache_config(size_t cache, int op, int result)
{
	return cache | (uint64_t)op << 8 | (uint64_t)result << 16;
}

static int cache_find(struct catalog *catalog, const char *name, struct event_list *list,
		      struct err *err)
{
	size_t length = source_word(name);

	(void)err;
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		size_t at = part_match(&caches[i].part, name, length);
		int op = -1, result = -1;

		if (!at)
			continue;
		at += tail_match(name + at, length - at, &op, &result);
		at += tail_match(name + at, length - at, &op, &result);
		op = op < 0 ? 0 : op;
		if (at != length || !(caches[i].ops & 1u << op))
			continue;
		pmu_add_core(catalog, list, EVENT_CACHE, PERF_TYPE_HW_CACHE,
			     cache_config(i, op, result == 1), name, length);
		return (int)length;
	}
	return 0;
}

static int visit_one(size_t cache, int op, int result, const struct catalog_walk *walk)
{
	static const char *const did[] = { "loads from", "stores to", "prefetches into" };
	const char *type = caches[cache].part.names[0];
	struct catalog_entry entry = { .kind = EVENT_CACHE };

	entry.name = result ? arena_printf(walk->texts, "%s-%s-misses", type, ops[op].names[0])
			    : arena_printf(walk->texts, "%s-%s", type, ops[op].names[1]);
	entry.brief = arena_printf(walk->texts, "%s %s%s", did[op], caches[cache].what,
				   result ? " that missed" : "");
	return walk->visit(&entry, walk->user);
}

static int cache_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	int rc = 0;

	(void)catalog;
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		for (int op = 0; op < (int)ARRAY_SIZE(ops); op++)
			for (int result = 0; result < (int)ARRAY_SIZE(results); result++)
				if (caches[i].ops & 1u << op &&
				    (rc = visit_one(i, op, result, walk)))
					return rc;
	return rc;
}

const struct event_source source_cache = { cache_find, cache_each };
