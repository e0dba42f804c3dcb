// SPDX-License-Identifier: Apache-2.0
#include "profile/breakdown.h"
#include "profile/match.h"

#include <errno.h>

/* All samples of one stack that agree in the keys of thread and CPU. */
struct bunch {
	uint32_t group, stack;
	uint32_t leaf; /* of the first of them */
	struct weight_pair weight;
};

/* Where a row meets a bunch: the row's frame is that of the stack `node`. */
struct meeting {
	uint32_t row, bunch, node;
};

struct breakdown_work {
	VEC(struct breakdown_row) groups; /* rows with only the keys of thread and CPU */
	VEC(struct bunch) bunches;
	struct idmap row_ids;	  /* group and function or object */
	uint32_t *parents;	  /* BY_PARENT: the matching function of each stack */
	uint32_t nameless[SIDES]; /* 1 + the first function without a name, by side */
	uint32_t nowhere;	  /* 1 + the first object of addresses that no mapping holds */
	uint32_t *met;		  /* for each row: 1 + the last bunch that counted for it */
	size_t met_cap;
	struct meeting *meetings; /* sorted by row; made for the first tree */
	uint32_t *first_meeting;  /* for each row, and the end */
};

#define ROW(field) offsetof(struct breakdown_row, field)

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static bool has(const struct breakdown *b, unsigned key)
{
	return b->options.keys & 1u << key;
}

/* Groups of threads: equal in the keys that were asked for. */
static uint32_t *group_threads(struct breakdown *b)
{
	const struct profile *profile = b->profile;
	uint32_t *groups = mem_resize(NULL, profile->threads.len + 1, sizeof(*groups));
	struct map known = { 0 };
	struct arena keys = { 0 };

	for (size_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *thread = &profile->threads.data[i];
		uint32_t key[3] = {
			has(b, BY_COMM) ? thread->comm : 0,
			has(b, BY_PID) ? thread->pid : 0,
			has(b, BY_TID) ? thread->tid : 0,
		};
		uint32_t next = (uint32_t)b->work->groups.len;

		groups[i] = map_find(&known, (const char *)key, sizeof(key));
		if (groups[i] != MAP_NONE) {
			/* A program that was executed gives its name to the whole thread, as in
			 * perf; a process is called as its main thread is. */
			if (has(b, BY_TID) || thread->tid == thread->pid)
				b->work->groups.data[groups[i]].comm = thread->comm;
			continue;
		}
		groups[i] = map_add(&known, arena_strndup(&keys, (const char *)key, sizeof(key)),
				    sizeof(key), next);
		*vec_push(&b->work->groups) = (struct breakdown_row){ .comm = thread->comm,
								      .pid = key[1],
								      .tid = key[2] };
	}
	map_free(&known);
	arena_free(&keys);
	return groups;
}

/* A group cut finer by the value of a field. */
static uint32_t subgroup(struct breakdown *b, struct idmap *known, uint32_t group, uint32_t value,
			 size_t field)
{
	uint32_t next = (uint32_t)b->work->groups.len;
	uint32_t id = idmap_add(known, pair(group, value), next);

	if (id == next) {
		struct breakdown_row row = b->work->groups.data[group];

		memcpy((char *)&row + field, &value, sizeof(value));
		*vec_push(&b->work->groups) = row;
	}
	return id;
}

/* The pass over the samples. */
static void gather_bunches(struct breakdown *b, const struct sieve *sieve)
{
	const struct profile_samples *samples = &b->profile->samples;
	struct idmap known = { 0 }, cpus = { 0 }, srclines = { 0 }, srcfiles = { 0 };
	struct idmap traits[TRAITS_MAX] = { 0 };
	bool has_lines = b->profile->lines.len;
	uint32_t *groups = group_threads(b);

	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint32_t next = (uint32_t)b->work->bunches.len, group, at;
		struct bunch *bunch;

		if (!sieve_takes(sieve, b->profile, i) || (b->options.rows && !b->options.rows[i]))
			continue;
		group = groups[samples->thread[i]];
		if (has(b, BY_CPU))
			group = subgroup(b, &cpus, group, samples->cpu[i], ROW(cpu));
		if (has(b, BY_SRCLINE) && has_lines)
			group = subgroup(b, &srclines, group,
					 b->profile->lines.data[samples->leaf[i]].place,
					 ROW(srcline));
		if (has(b, BY_SRCFILE) && has_lines)
			group = subgroup(b, &srcfiles, group,
					 b->profile->lines.data[samples->leaf[i]].file,
					 ROW(srcfile));
		for (size_t k = 0; k < b->profile->trait_count; k++)
			if (has(b, BY_TRAIT + k))
				group = subgroup(
					b, &traits[k], group,
					b->profile->traits.data[i * b->profile->trait_count + k],
					ROW(traits[k]));
		at = idmap_add(&known, pair(group, samples->stack[i]), next);
		if (at == next)
			*vec_push(&b->work->bunches) = (struct bunch){
				.group = group,
				.stack = samples->stack[i],
				.leaf = samples->leaf[i],
			};
		bunch = &b->work->bunches.data[at];
		bunch->weight.samples += profile_row_count(samples, i);
		bunch->weight.weight += samples->weight[i];
	}
	free(groups);
	idmap_free(&known);
	idmap_free(&cpus);
	idmap_free(&srclines);
	idmap_free(&srcfiles);
	for (size_t k = 0; k < TRAITS_MAX; k++)
		idmap_free(&traits[k]);
}

static void add_pair(struct weight_pair *sum, const struct weight_pair *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

/* What a sample is counted for: a function that was inlined is a part of the one it is in. */
static uint32_t base_of(const struct breakdown *b, uint32_t node)
{
	while (b->profile->stacks.flags[node] & STACK_INLINED)
		node = b->profile->stacks.parent[node];
	return node;
}

/* Where no object is shown, functions without a name differ in nothing but where they ran. */
static uint32_t alike(struct breakdown *b, uint32_t function)
{
	const struct profile *profile = b->profile;
	const struct profile_object *object;
	uint32_t *first;

	if (has(b, BY_OBJECT) || profile->functions.data[function].kind != FRAME_UNKNOWN)
		return function;
	object = &profile->objects.data[profile->functions.data[function].object];
	first = profile_object_is_kernel(object) ? &b->work->nameless[SIDE_KERNEL]
						 : &b->work->nameless[object->side];
	if (!*first)
		*first = function + 1;
	return *first - 1;
}

/* Addresses that no mapping holds are in one object for who sees no functions, wherever they ran.
 */
static uint32_t alike_object(struct breakdown *b, uint32_t object)
{
	const struct profile_object *facts = &b->profile->objects.data[object];

	if (has(b, BY_FUNCTION) || facts->kind != DSO_NONE ||
	    strcmp(profile_text(b->profile, facts->path), UNKNOWN_NAME))
		return object;
	if (!b->work->nowhere)
		b->work->nowhere = object + 1;
	return b->work->nowhere - 1;
}

/* The row of a frame. */
static uint32_t row_of(struct breakdown *b, uint32_t group, uint32_t node)
{
	const struct profile *profile = b->profile;
	uint32_t function = alike(b, profile->stacks.function[node]);
	uint32_t object = alike_object(b, profile->functions.data[function].object);
	bool inlined = profile->stacks.flags[node] & STACK_INLINED;
	uint32_t what = has(b, BY_FUNCTION) ? function << 1 | inlined
			: has(b, BY_OBJECT) ? object
					    : 0;
	uint32_t next = (uint32_t)b->rows.len;
	uint32_t id = idmap_add(&b->work->row_ids, pair(group, what), next);

	if (id == next) {
		struct breakdown_row row = b->work->groups.data[group];

		row.object = has(b, BY_FUNCTION) || has(b, BY_OBJECT) ? object : 0;
		row.function = has(b, BY_FUNCTION) ? function : NO_FUNCTION;
		row.inlined = has(b, BY_FUNCTION) && inlined;
		*vec_push(&b->rows) = row;
	}
	return id;
}

/* Whether a row counts for this bunch for the first time. */
static bool meet(struct breakdown *b, uint32_t row, uint32_t bunch)
{
	struct breakdown_work *work = b->work;

	if (row >= work->met_cap) {
		size_t old = work->met_cap;

		work->met_cap = vec_next_cap(old, row + (size_t)1);
		work->met = mem_resize(work->met, work->met_cap, sizeof(*work->met));
		memset(work->met + old, 0, (work->met_cap - old) * sizeof(*work->met));
	}
	if (work->met[row] == bunch + 1)
		return false;
	work->met[row] = bunch + 1;
	return true;
}

/*
 * Calls `take` for each row that a bunch counts for, as perf does it: the leaf's row takes the
 * whole stack; rows of callers are met at the outermost of their frames if trees go from the
 * callers' side, else at the innermost.
 */
static void each_meeting(struct breakdown *b, uint32_t at,
			 void (*take)(struct breakdown *b, const struct meeting *m, uint32_t depth))
{
	const struct profile_stacks *stacks = &b->profile->stacks;
	const struct bunch *bunch = &b->work->bunches.data[at];
	uint32_t path[512], total = 0, leaf;

	if (!b->options.children || bunch->stack == STACK_ROOT) {
		for (uint32_t s = bunch->stack; s != STACK_ROOT; s = stacks->parent[s])
			total++;
		take(b,
		     &(struct meeting){ row_of(b, bunch->group, base_of(b, bunch->stack)), at,
					bunch->stack },
		     total);
		return;
	}
	for (uint32_t s = bunch->stack; s != STACK_ROOT && total < ARRAY_SIZE(path);
	     s = stacks->parent[s])
		path[total++] = s;
	leaf = row_of(b, bunch->group, base_of(b, bunch->stack));
	meet(b, leaf, at);
	take(b, &(struct meeting){ leaf, at, path[b->options.from_leaf ? 0 : total - 1] }, total);
	for (uint32_t i = 0; i < total; i++) {
		uint32_t node = path[b->options.from_leaf ? i : total - 1 - i];
		uint32_t row = row_of(b, bunch->group, node);

		if (meet(b, row, at))
			take(b, &(struct meeting){ row, at, node }, total - i);
	}
}

static void count(struct breakdown *b, const struct meeting *m, uint32_t depth)
{
	const struct bunch *bunch = &b->work->bunches.data[m->bunch];
	struct breakdown_row *row = &b->rows.data[m->row];

	add_pair(&row->total, &bunch->weight);
	if (depth > row->depth)
		row->depth = depth;
}

static void count_self(const struct breakdown *b, struct breakdown_row *row,
		       const struct bunch *bunch)
{
	const struct profile *profile = b->profile;
	uint32_t function = profile->stacks.function[bunch->stack];
	const struct profile_object *object =
		&profile->objects.data[profile->functions.data[function].object];

	if (!row->self.samples)
		row->leaf = bunch->leaf;
	add_pair(&row->self, &bunch->weight);
	*(profile_object_is_kernel(object)    ? &row->kernel
	  : object->side == SIDE_GUEST_KERNEL ? &row->guest_kernel
	  : object->side == SIDE_GUEST_USER   ? &row->guest_user
					      : &row->user) += bunch->weight.weight;
}

static void count_rows(struct breakdown *b)
{
	struct idmap known = { 0 };

	for (uint32_t i = 0; i < b->work->bunches.len; i++) {
		struct bunch *bunch = &b->work->bunches.data[i];

		if (b->work->parents)
			bunch->group = subgroup(b, &known, bunch->group,
						b->work->parents[bunch->stack], ROW(parent));
		each_meeting(b, i, count);
		count_self(b, &b->rows.data[row_of(b, bunch->group, base_of(b, bunch->stack))],
			   bunch);
		add_pair(&b->total, &bunch->weight);
	}
	idmap_free(&known);
}

static int find_parents(struct breakdown *b, struct err *err)
{
	const struct profile_stacks *stacks = &b->profile->stacks;
	uint8_t *matches;

	if (!has(b, BY_PARENT))
		return 0;
	matches = profile_match_functions(b->profile, b->options.parent, MATCH_LISTED, err);
	if (!matches)
		return -EINVAL;
	b->work->parents = mem_resize(NULL, stacks->len, sizeof(*b->work->parents));
	b->work->parents[STACK_ROOT] = NO_FUNCTION;
	for (size_t i = 1; i < stacks->len; i++) {
		uint32_t above = b->work->parents[stacks->parent[i]];
		bool own = matches[stacks->function[i]] &&
			   (above == NO_FUNCTION || !b->options.outer_parent);

		b->work->parents[i] = own ? stacks->function[i] : above;
	}
	free(matches);
	return 0;
}

/* As in perf, what ran in guests and is not shown is part of the whole, if all is asked for. */
static void count_guests(struct breakdown *b, const struct sieve *sieve)
{
	const struct profile_event *event;

	if (sieve->event >= b->profile->events.len || sieve->threads || sieve->cpus ||
	    sieve->stacks || sieve->first || sieve->last != b->profile->samples.len)
		return;
	event = &b->profile->events.data[sieve->event];
	b->total.samples += event->guest_samples;
	b->total.weight += event->guest_weight;
}

int breakdown_make(struct breakdown *b, const struct profile *profile,
		   const struct breakdown_options *options, struct err *err)
{
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &options->filter, err);

	if (rc)
		return rc;
	*b = (struct breakdown){ .profile = profile, .options = *options };
	b->work = mem_alloc(sizeof(*b->work));
	rc = find_parents(b, err);
	if (!rc) {
		gather_bunches(b, &sieve);
		count_rows(b);
		count_guests(b, &sieve);
	} else {
		breakdown_free(b);
	}
	sieve_free(&sieve);
	return rc;
}

void breakdown_free(struct breakdown *b)
{
	vec_free(&b->rows);
	vec_free(&b->work->groups);
	vec_free(&b->work->bunches);
	idmap_free(&b->work->row_ids);
	free(b->work->parents);
	free(b->work->met);
	free(b->work->meetings);
	free(b->work->first_meeting);
	free(b->work);
	b->work = NULL;
}

static void count_meeting(struct breakdown *b, const struct meeting *m, uint32_t depth)
{
	(void)depth;
	b->work->first_meeting[m->row + 1]++;
}

static void put_meeting(struct breakdown *b, const struct meeting *m, uint32_t depth)
{
	(void)depth;
	b->work->meetings[b->work->first_meeting[m->row]++] = *m;
}

static void forget_met(struct breakdown_work *work)
{
	if (work->met)
		memset(work->met, 0, work->met_cap * sizeof(*work->met));
}

/* Sorts all meetings by row, by counting them first. */
static void find_meetings(struct breakdown *b)
{
	struct breakdown_work *work = b->work;
	size_t rows = b->rows.len;

	work->first_meeting = mem_alloc((rows + 2) * sizeof(*work->first_meeting));
	forget_met(work);
	for (uint32_t i = 0; i < work->bunches.len; i++)
		each_meeting(b, i, count_meeting);
	for (size_t i = 0; i < rows; i++)
		work->first_meeting[i + 1] += work->first_meeting[i];
	work->meetings = mem_resize(NULL, work->first_meeting[rows] + (size_t)1,
				    sizeof(*work->meetings));
	forget_met(work);
	for (uint32_t i = 0; i < work->bunches.len; i++)
		each_meeting(b, i, put_meeting);
	/* Filling moved each beginning to its end, which is the next one's beginning. */
	memmove(work->first_meeting + 1, work->first_meeting, rows * sizeof(*work->first_meeting));
	work->first_meeting[0] = 0;
}

/* The frames of a meeting's stack, in the order of the tree. */
static size_t path_of(const struct breakdown *b, const struct meeting *m, uint32_t *path,
		      size_t room)
{
	const struct profile_stacks *stacks = &b->profile->stacks;
	bool children = b->options.children;
	uint32_t from = b->work->bunches.data[m->bunch].stack, to = STACK_ROOT;
	size_t length = 0;

	if (children && b->options.from_leaf)
		from = m->node;
	else if (children && m->node != STACK_ROOT)
		to = stacks->parent[m->node];
	for (; from != to && length < room; from = stacks->parent[from])
		path[length++] = from;
	for (size_t i = 0; !b->options.from_leaf && i < length / 2; i++) {
		uint32_t other = path[i];

		path[i] = path[length - 1 - i];
		path[length - 1 - i] = other;
	}
	return length;
}

void breakdown_tree(struct breakdown *b, uint32_t row, struct calltree *tree)
{
	const struct profile_stacks *stacks = &b->profile->stacks;
	struct calltree_maker maker;
	uint32_t path[512];

	if (!b->work->meetings)
		find_meetings(b);
	calltree_begin(&maker, tree, stacks->function[STACK_ROOT]);
	for (uint32_t i = b->work->first_meeting[row]; i < b->work->first_meeting[row + 1]; i++) {
		const struct meeting *m = &b->work->meetings[i];
		size_t length = path_of(b, m, path, ARRAY_SIZE(path));
		uint32_t at = 0;

		for (size_t k = 0; k < length; k++)
			at = calltree_child(&maker, at, stacks->function[path[k]],
					    stacks->flags[path[k]] & STACK_INLINED);
		add_pair(&tree->nodes.data[at].self, &b->work->bunches.data[m->bunch].weight);
	}
	calltree_end(&maker);
}
