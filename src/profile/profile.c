// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"
#include "base/clock.h"
#include "base/idmap.h"
#include "event/modifier.h"
#include "machine/object.h"
#include "profile/index.h"
#include "profile/ready.h"

#include <assert.h>

/* Ids are 32 bits, and one of the stack key's function bits says whether it was inlined. */
#define FUNCTION_LIMIT (UINT32_MAX / 2)

#define NO_LEAF UINT32_MAX

#define ROWS_FIRST   4096
#define RESERVE_MOST (1u << 20)	       /* rows; what is not used costs no memory, only addresses */
#define MANY_ROWS    ((size_t)1 << 15) /* so many more will come, when there are as many */

struct profile_lookup {
	struct idmap functions; /* name and object */
	struct map objects;	/* path, build-id and kind */
	struct map threads;	/* the row's bytes */
	struct arena keys;
	/*
	 * Open addressing by the rows themselves: a slot holds a row's number, so that the tables
	 * stay small beside the caches.
	 */
	uint32_t *leaves; /* NO_LEAF is a free slot */
	size_t leaf_cap;
	uint32_t *stacks; /* STACK_ROOT is a free slot */
	size_t stack_cap;
};

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

struct profile *profile_new_bare(void)
{
	struct profile *profile = mem_alloc(sizeof(*profile));

	profile->lookup = mem_alloc(sizeof(*profile->lookup));
	return profile;
}

const char *profile_event_sampled(const struct profile_event *event)
{
	uint64_t scope = event->scope & (SCOPE_NO_KERNEL | SCOPE_NO_USER);

	return scope == SCOPE_NO_KERNEL ? "user" : scope == SCOPE_NO_USER ? "kernel" : NULL;
}

bool profile_is_no_stack(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];

	return profile->quality.without_stack &&
	       !strcmp(profile_text(profile, facts->name), NO_STACK_NAME);
}

const char *profile_noun(const struct profile *profile, size_t event)
{
	const char *noun = profile_text(profile, (uint32_t)profile->events.data[event].noun);

	return *noun ? noun : "samples";
}

bool profile_event_is_time(const struct profile *profile, size_t event)
{
	const char *name = profile_text(profile, profile->events.data[event].name);

	return strstr(name, "cpu-clock") || strstr(name, "task-clock");
}

uint16_t profile_main_event(const struct profile *profile)
{
	for (size_t i = 0; i < profile->events.len; i++)
		if (profile->events.data[i].samples)
			return (uint16_t)i;
	return 0;
}

bool profile_event_is(const struct profile *profile, size_t event, const char *name)
{
	const char *text = profile_text(profile, profile->events.data[event].name);
	size_t length = strlen(name);

	if (!strcmp(text, name))
		return true;
	return !strncmp(text, name, length) && text[length] == ':' &&
	       !text[length + 1 + strspn(text + length + 1, EVENT_MODIFIERS)];
}

struct profile *profile_new(void)
{
	struct profile *profile = profile_new_bare();
	uint32_t nowhere, root;

	nowhere = profile_object(profile, "", &(struct build_id){ 0 }, DSO_NONE);
	root = profile_function(profile, "all", nowhere, FRAME_UNKNOWN);
	profile_stack(profile, STACK_ROOT, root, false);
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	profile_ready_free(profile);
	if (profile->file)
		profile_index_detach(profile);
	idmap_free(&profile->lookup->functions);
	map_free(&profile->lookup->objects);
	map_free(&profile->lookup->threads);
	free(profile->lookup->leaves);
	free(profile->lookup->stacks);
	arena_free(&profile->lookup->keys);
	free(profile->lookup);
	interner_free(&profile->strings);
	vec_free(&profile->objects);
	vec_free(&profile->functions);
	vec_free(&profile->threads);
	vec_free(&profile->events);
	vec_free(&profile->leaves);
	vec_free(&profile->lines);
	vec_free(&profile->skips);
	vec_free(&profile->traits);
	free(profile->stacks.parent);
	free(profile->stacks.function);
	free(profile->stacks.flags);
	free(profile->samples.time);
	free(profile->samples.stack);
	free(profile->samples.thread);
	free(profile->samples.leaf);
	free(profile->samples.weight);
	free(profile->samples.count);
	free(profile->samples.cpu);
	free(profile->samples.event);
	free(profile);
}

/* The id of a row that is known by its bytes; `next` if it is new. */
static uint32_t by_bytes(struct profile *profile, struct map *map, const void *bytes, size_t size,
			 size_t next)
{
	uint32_t id = map_find(map, bytes, size);

	if (id != MAP_NONE)
		return id;
	assert(next < MAP_NONE);
	return map_add(map, arena_strndup(&profile->lookup->keys, bytes, size), size,
		       (uint32_t)next);
}

uint32_t profile_object(struct profile *profile, const char *path, const struct build_id *build_id,
			enum dso_kind kind)
{
	return profile_object_at(profile, path, build_id, kind, SIDE_HOST);
}

static uint32_t object_name(struct profile *profile, const char *path, enum dso_kind kind)
{
	const char *slash = strrchr(path, '/');
	char module[256];

	if (kind == DSO_MODULE && object_module_name(path, module, sizeof(module)))
		return interner_add(&profile->strings, module);
	return interner_add(&profile->strings,
			    slash && slash[1] && *path != '[' ? slash + 1 : path);
}

uint32_t profile_object_at(struct profile *profile, const char *path,
			   const struct build_id *build_id, enum dso_kind kind,
			   enum profile_side side)
{
	struct {
		uint32_t path;
		uint16_t kind, side;
		struct build_id build_id;
		uint8_t zeros[3];
	} key = { interner_add(&profile->strings, path),
		  (uint16_t)kind,
		  (uint16_t)side,
		  *build_id,
		  { 0 } };
	uint32_t id = by_bytes(profile, &profile->lookup->objects, &key, sizeof(key),
			       profile->objects.len);

	if (id == profile->objects.len)
		*vec_push(&profile->objects) = (struct profile_object){
			.path = key.path,
			.name = object_name(profile, path, kind),
			.build_id = *build_id,
			.kind = (uint8_t)kind,
			.side = (uint8_t)side,
		};
	return id;
}

uint32_t profile_thread(struct profile *profile, const struct profile_thread *thread)
{
	uint32_t id = by_bytes(profile, &profile->lookup->threads, thread, sizeof(*thread),
			       profile->threads.len);

	if (id == profile->threads.len)
		*vec_push(&profile->threads) = *thread;
	return id;
}

static size_t leaf_home(const struct profile_lookup *lookup, uint32_t object, uint64_t offset)
{
	return idmap_hash(offset ^ (uint64_t)object << 40) & (lookup->leaf_cap - 1);
}

void profile_leaf_prefetch(const struct profile *profile, uint32_t object, uint64_t offset)
{
	const struct profile_lookup *lookup = profile->lookup;

	if (lookup->leaf_cap)
		__builtin_prefetch(&lookup->leaves[leaf_home(lookup, object, offset)]);
}

void profile_leaf_prefetch_row(const struct profile *profile, uint32_t object, uint64_t offset)
{
	const struct profile_lookup *lookup = profile->lookup;
	uint32_t id = lookup->leaf_cap ? lookup->leaves[leaf_home(lookup, object, offset)]
				       : NO_LEAF;

	if (id != NO_LEAF)
		__builtin_prefetch(&profile->leaves.data[id]);
}

/* Where a leaf stands among the slots, or the free one where it belongs. */
static uint32_t *leaf_slot(const struct profile *profile, uint32_t object, uint64_t offset)
{
	const struct profile_lookup *lookup = profile->lookup;
	size_t at = leaf_home(lookup, object, offset);

	for (;; at = (at + 1) & (lookup->leaf_cap - 1)) {
		const struct profile_leaf *leaf;

		if (lookup->leaves[at] == NO_LEAF)
			return &lookup->leaves[at];
		leaf = &profile->leaves.data[lookup->leaves[at]];
		if (leaf->offset == offset && leaf->object == object)
			return &lookup->leaves[at];
	}
}

static void grow_leaf_slots(struct profile *profile)
{
	struct profile_lookup *lookup = profile->lookup;

	lookup->leaf_cap = lookup->leaf_cap ? lookup->leaf_cap * 2 : 256;
	lookup->leaves = mem_resize(lookup->leaves, lookup->leaf_cap, sizeof(*lookup->leaves));
	memset(lookup->leaves, 0xff, lookup->leaf_cap * sizeof(*lookup->leaves));
	for (uint32_t i = 0; i < profile->leaves.len; i++) {
		const struct profile_leaf *leaf = &profile->leaves.data[i];

		*leaf_slot(profile, leaf->object, leaf->offset) = i;
	}
}

uint32_t profile_leaf(struct profile *profile, uint32_t object, uint64_t offset)
{
	uint32_t *slot;

	if ((profile->leaves.len + 1) * 3 > profile->lookup->leaf_cap * 2)
		grow_leaf_slots(profile);
	slot = leaf_slot(profile, object, offset);
	if (*slot == NO_LEAF) {
		assert(profile->leaves.len < NO_LEAF);
		*slot = (uint32_t)profile->leaves.len;
		*vec_push(&profile->leaves) = (struct profile_leaf){ .object = object,
								     .function = NO_FUNCTION,
								     .offset = offset };
	}
	return *slot;
}

uint32_t profile_function(struct profile *profile, const char *name, uint32_t object,
			  enum frame_kind kind)
{
	uint32_t string = interner_add(&profile->strings, name);
	uint32_t next = (uint32_t)profile->functions.len;
	uint32_t id = idmap_add(&profile->lookup->functions, pair(object, string), next);

	assert(next < FUNCTION_LIMIT);
	if (id == next)
		*vec_push(&profile->functions) = (struct profile_function){
			.name = string,
			.object = object,
			.kind = (uint8_t)kind,
		};
	return id;
}

static bool is_recursive(const struct profile_stacks *stacks, uint32_t parent, uint32_t function)
{
	for (; parent != STACK_ROOT; parent = stacks->parent[parent])
		if (stacks->function[parent] == function)
			return true;
	return false;
}

static void grow_stacks(struct profile_stacks *stacks, size_t want)
{
	stacks->cap = vec_next_cap(stacks->cap, want);
	stacks->parent = mem_resize(stacks->parent, stacks->cap, sizeof(*stacks->parent));
	stacks->function = mem_resize(stacks->function, stacks->cap, sizeof(*stacks->function));
	stacks->flags = mem_resize(stacks->flags, stacks->cap, sizeof(*stacks->flags));
}

/* Where a stack stands among the slots, or the free one where it belongs. */
static uint32_t *stack_slot(const struct profile *profile, uint32_t parent, uint32_t function,
			    bool inlined)
{
	const struct profile_stacks *stacks = &profile->stacks;
	size_t mask = profile->lookup->stack_cap - 1;
	size_t at = idmap_hash(pair(parent, function << 1 | inlined)) & mask;

	for (;; at = (at + 1) & mask) {
		uint32_t *slot = &profile->lookup->stacks[at];

		if (*slot == STACK_ROOT ||
		    (stacks->parent[*slot] == parent && stacks->function[*slot] == function &&
		     (stacks->flags[*slot] & STACK_INLINED) == inlined))
			return slot;
	}
}

static void grow_stack_slots(struct profile *profile, size_t want)
{
	struct profile_lookup *lookup = profile->lookup;
	const struct profile_stacks *stacks = &profile->stacks;

	free(lookup->stacks);
	lookup->stack_cap = lookup->stack_cap ? lookup->stack_cap : 512;
	while (lookup->stack_cap < want * 2 + 2)
		lookup->stack_cap *= 2;
	lookup->stacks = mem_alloc(lookup->stack_cap * sizeof(*lookup->stacks));
	for (uint32_t i = 1; i < stacks->len; i++)
		*stack_slot(profile, stacks->parent[i], stacks->function[i],
			    stacks->flags[i] & STACK_INLINED) = i;
}

static uint32_t new_stack(struct profile_stacks *stacks, uint32_t parent, uint32_t function,
			  bool inlined)
{
	uint32_t id = (uint32_t)stacks->len;

	assert(stacks->len < UINT32_MAX);
	if (stacks->len == stacks->cap)
		grow_stacks(stacks, stacks->len + 1);
	stacks->parent[id] = parent;
	stacks->function[id] = function;
	stacks->flags[id] = inlined ? STACK_INLINED : 0;
	if (is_recursive(stacks, parent, function))
		stacks->flags[id] |= STACK_RECURSIVE;
	stacks->len++;
	return id;
}

uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t function, bool inlined)
{
	struct profile_stacks *stacks = &profile->stacks;
	uint32_t *slot;

	if (!stacks->len)
		return new_stack(stacks, parent, function, inlined); /* the root */
	inlined &= parent != STACK_ROOT;
	if (stacks->len * 2 > profile->lookup->stack_cap)
		grow_stack_slots(profile, stacks->len);
	slot = stack_slot(profile, parent, function, inlined);
	if (*slot == STACK_ROOT)
		*slot = new_stack(stacks, parent, function, inlined);
	return *slot;
}

static void resize_samples(struct profile_samples *samples, size_t cap)
{
	samples->cap = cap;
	samples->time = mem_resize(samples->time, samples->cap, sizeof(*samples->time));
	samples->stack = mem_resize(samples->stack, samples->cap, sizeof(*samples->stack));
	samples->thread = mem_resize(samples->thread, samples->cap, sizeof(*samples->thread));
	samples->leaf = mem_resize(samples->leaf, samples->cap, sizeof(*samples->leaf));
	samples->weight = mem_resize(samples->weight, samples->cap, sizeof(*samples->weight));
	samples->cpu = mem_resize(samples->cpu, samples->cap, sizeof(*samples->cpu));
	samples->event = mem_resize(samples->event, samples->cap, sizeof(*samples->event));
	if (samples->count)
		samples->count = mem_resize(samples->count, samples->cap, sizeof(*samples->count));
}

void profile_reserve(struct profile *profile, uint64_t rows)
{
	if (rows > RESERVE_MOST)
		rows = RESERVE_MOST;
	if (rows > profile->samples.cap)
		resize_samples(&profile->samples, (size_t)rows);
}

/* The rows from `first` on that there is room for, at most so many. */
static void populate_rows(const struct profile_samples *samples, size_t first, size_t rows)
{
	if (rows > samples->cap - first)
		rows = samples->cap - first;
	mem_populate(samples->time + first, rows * sizeof(*samples->time));
	mem_populate(samples->stack + first, rows * sizeof(*samples->stack));
	mem_populate(samples->thread + first, rows * sizeof(*samples->thread));
	mem_populate(samples->leaf + first, rows * sizeof(*samples->leaf));
	mem_populate(samples->weight + first, rows * sizeof(*samples->weight));
	mem_populate(samples->cpu + first, rows * sizeof(*samples->cpu));
	mem_populate(samples->event + first, rows * sizeof(*samples->event));
}

void profile_expect(struct profile *profile, size_t functions, size_t stacks, size_t rows)
{
	interner_expect(&profile->strings, functions);
	vec_reserve(&profile->functions, functions);
	idmap_expect(&profile->lookup->functions, functions);
	if (stacks > profile->stacks.cap) {
		grow_stacks(&profile->stacks, stacks);
		mem_populate(profile->stacks.parent, stacks * sizeof(uint32_t));
		mem_populate(profile->stacks.function, stacks * sizeof(uint32_t));
	}
	if (stacks * 2 > profile->lookup->stack_cap) {
		grow_stack_slots(profile, stacks);
		mem_populate(profile->lookup->stacks,
			     profile->lookup->stack_cap * sizeof(uint32_t));
	}
	if (rows > profile->samples.cap) {
		resize_samples(&profile->samples, rows);
		populate_rows(&profile->samples, 0, rows);
	}
}

/* The column is there from the first row on that needs it. */
static void need_counts(struct profile_samples *samples)
{
	if (samples->count)
		return;
	samples->count = mem_resize(NULL, samples->cap, sizeof(*samples->count));
	for (size_t i = 0; i < samples->len; i++)
		samples->count[i] = 1;
}

void profile_add_to(struct profile *profile, size_t row, uint64_t count, uint64_t weight)
{
	struct profile_samples *samples = &profile->samples;
	struct profile_event *event = &profile->events.data[samples->event[row]];

	need_counts(samples);
	samples->count[row] += count;
	samples->weight[row] += weight;
	event->samples += count;
	event->weight += weight;
}

void profile_add(struct profile *profile, const struct profile_row *row)
{
	const struct profile_samples *samples = &profile->samples;

	assert(!samples->len || samples->time[samples->len - 1] <= row->time);
	profile_add_unsorted(profile, row);
}

void profile_add_unsorted(struct profile *profile, const struct profile_row *row)
{
	struct profile_samples *samples = &profile->samples;
	uint64_t count = row->count ? row->count : 1;
	size_t at = samples->len;

	assert(row->event < profile->events.len);
	if (at == samples->cap)
		resize_samples(samples, at ? at * 2 : ROWS_FIRST);
	if (at % MANY_ROWS == 0 && at)
		populate_rows(samples, at, MANY_ROWS);
	samples->time[at] = row->time;
	samples->stack[at] = row->stack;
	samples->thread[at] = row->thread;
	samples->leaf[at] = row->leaf;
	samples->weight[at] = row->weight;
	samples->cpu[at] = row->cpu;
	samples->event[at] = row->event;
	if (count != 1)
		need_counts(samples);
	if (samples->count)
		samples->count[at] = count;
	samples->len++;
	profile->events.data[row->event].samples += count;
	profile->events.data[row->event].weight += row->weight;
}

static int by_time(const void *a, const void *b, void *times)
{
	const uint64_t *time = times;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (time[i] != time[k])
		return time[i] < time[k] ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* A column in the order of the rows' new places. */
static void reorder(void *column_at, size_t size, const uint32_t *order, size_t len)
{
	char *sorted, *old = *(char **)column_at;

	if (!old)
		return;
	sorted = mem_resize(NULL, len, size);
	for (size_t i = 0; i < len; i++)
		memcpy(sorted + i * size, old + order[i] * size, size);
	memcpy(old, sorted, len * size);
	free(sorted);
}

void profile_sort(struct profile *profile)
{
	struct profile_samples *rows = &profile->samples;
	uint32_t *order = mem_resize(NULL, rows->len + 1, sizeof(*order));

	for (size_t i = 0; i < rows->len; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, rows->len, sizeof(*order), by_time, rows->time);
	reorder(&rows->stack, sizeof(*rows->stack), order, rows->len);
	reorder(&rows->thread, sizeof(*rows->thread), order, rows->len);
	reorder(&rows->leaf, sizeof(*rows->leaf), order, rows->len);
	reorder(&rows->weight, sizeof(*rows->weight), order, rows->len);
	reorder(&rows->count, sizeof(*rows->count), order, rows->len);
	reorder(&rows->cpu, sizeof(*rows->cpu), order, rows->len);
	reorder(&rows->event, sizeof(*rows->event), order, rows->len);
	reorder(&rows->time, sizeof(*rows->time), order, rows->len);
	free(order);
}

/* By how much samples may be later than a run's end is noted; other clocks are off by far more. */
#define SPAN_SLACK (10 * NS_PER_SEC)

struct profile_span profile_span(const struct profile *profile, uint64_t start, uint64_t end)
{
	const struct profile_samples *rows = &profile->samples;
	struct profile_span span = { 0 };

	if (!rows->len)
		return span;
	span = (struct profile_span){ rows->time[0], rows->time[rows->len - 1] };
	if (!start || start > span.start || end < start || span.last > end + SPAN_SLACK)
		return span;
	span.start = start;
	if (end > span.last)
		span.last = end;
	return span;
}
