// SPDX-License-Identifier: Apache-2.0
#include "profile/flametree.h"
#include "base/err.h"
#include "profile/flameplace.h"

#include <endian.h>
#include <stdio.h>

#define NAME_LIMIT 16384

/* What a stack belongs to before any of its samples is seen, and if a CPU is idle in it. */
#define NOBODY UINT32_MAX
#define IDLE   (UINT32_MAX - 1)

/* All samples of one stack in one group. */
struct bunch {
	struct weight_pair weight;
	uint32_t group, stack;
};

struct builder {
	struct flametree *tree;
	const struct profile *profile;
	const struct flametree_options *options;
	uint32_t *group_of;   /* by thread: index into `groups` */
	VEC(uint32_t) groups; /* names */
	VEC(struct bunch)
	bunches;	     /* first one for each stack: that of the group that has it first */
	struct idmap others; /* group and stack to the bunches behind those */
};

const char *flame_kind_name(enum flame_kind kind)
{
	static const char *const names[] = { "user",	"library", "kernel", "jit",
					     "inlined", "unknown", "group" };

	return names[kind];
}

enum flame_kind flame_kind_of(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_LIBRARY: return FLAME_LIBRARY;
	case FRAME_KERNEL: return FLAME_KERNEL;
	case FRAME_JIT: return FLAME_JIT;
	case FRAME_UNKNOWN: return FLAME_UNKNOWN;
	case FRAME_USER: break;
	}
	return FLAME_USER;
}

char *flame_function_name(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];
	const char *plain = profile_function_name(profile, function);
	const char *path = profile_text(profile, profile->objects.data[facts->object].path);
	const char *slash = strrchr(path, '/');
	char *readable;

	if (strcmp(plain, UNKNOWN_NAME) || !*path || !strcmp(path, UNKNOWN_NAME)) {
		readable = symbol_demangle(plain, DEMANGLE_NAME, NAME_LIMIT);
		return readable ? readable : mem_strdup(plain);
	}
	if (*path == '[')
		return mem_strdup(path);
	return mem_printf("[%s]", slash && slash[1] ? slash + 1 : path);
}

char *flame_group_name(const struct profile *profile, uint32_t thread, enum flame_group group)
{
	const struct profile_thread *facts = &profile->threads.data[thread];
	const char *comm = profile_text(profile, facts->comm);
	char pid[24] = "?";

	if (facts->generation != GENERATION_UNKNOWN)
		snprintf(pid, sizeof(pid), "%u", facts->pid);
	if (group == GROUP_NONE ||
	    (!*comm && facts->generation == GENERATION_UNKNOWN && !facts->tid))
		return mem_strdup("");
	if (group == GROUP_THREAD)
		return mem_printf("%s-%s/%u", comm, pid, facts->tid);
	if (group == GROUP_PROCESS)
		return mem_printf("%s-%s", comm, pid);
	return mem_strdup(comm);
}

static void find_groups(struct builder *b)
{
	const struct profile *profile = b->profile;
	struct map known = { 0 };

	b->group_of = mem_alloc((profile->threads.len + 1) * sizeof(*b->group_of));
	for (uint32_t i = 0; i < profile->threads.len; i++) {
		char *name = flame_group_name(profile, i, b->options->group);
		uint32_t next = (uint32_t)b->groups.len;

		b->group_of[i] = map_add(&known, name, strlen(name), next);
		if (b->group_of[i] == next) {
			*vec_push(&b->groups) = (uint32_t)b->tree->names.len;
			*vec_push(&b->tree->names) = name;
		} else {
			free(name);
		}
	}
	map_free(&known);
}

/* Where idle stacks are told apart from the first look on: they belong to no group. */
static void begin_bunches(struct builder *b)
{
	size_t len = b->profile->stacks.len;
	uint8_t *idle = b->options->show_idle ? NULL : profile_idle_stacks(b->profile);

	vec_reserve(&b->bunches, len);
	for (uint32_t i = 0; i < len; i++)
		b->bunches.data[i] = (struct bunch){ .stack = i,
						     .group = idle && idle[i] ? IDLE : NOBODY };
	b->bunches.len = len;
	free(idle);
}

/* Most stacks belong to one group only, and need no table to be found. */
static struct bunch *bunch_of(struct builder *b, uint32_t group, uint32_t stack)
{
	struct bunch *bunch = &b->bunches.data[stack];
	uint32_t at, next = (uint32_t)b->bunches.len;

	if (bunch->group == group || bunch->group == IDLE)
		return bunch;
	if (bunch->group == NOBODY) {
		bunch->group = group;
		return bunch;
	}
	at = idmap_add(&b->others, (uint64_t)group << 32 | stack, next);
	if (at == next)
		*vec_push(&b->bunches) = (struct bunch){ .group = group, .stack = stack };
	return &b->bunches.data[at];
}

/* The pass over the samples. */
static void collect(struct builder *b, const struct sieve *sieve)
{
	const struct profile_samples *rows = &b->profile->samples;

	begin_bunches(b);
	for (size_t i = sieve->first; i < sieve->last; i++) {
		struct bunch *bunch;

		if (!sieve_takes(sieve, b->profile, i))
			continue;
		bunch = bunch_of(b, b->group_of[rows->thread[i]], rows->stack[i]);
		bunch->weight.samples += profile_row_count(rows, i);
		bunch->weight.weight += rows->weight[i];
	}
	idmap_free(&b->others);
}

/* The bunches that have a group, group after group.  Free it; *len says how many there are. */
static uint32_t *order_bunches(const struct builder *b, size_t *len)
{
	size_t *first = mem_alloc((b->groups.len + 1) * sizeof(*first));
	uint32_t *order = mem_resize(NULL, b->bunches.len + 1, sizeof(*order));

	vec_each (bunch, &b->bunches)
		if (bunch->group < b->groups.len)
			first[bunch->group + 1]++;
	for (size_t i = 1; i <= b->groups.len; i++)
		first[i] += first[i - 1];
	*len = first[b->groups.len];
	for (uint32_t i = 0; i < b->bunches.len; i++)
		if (b->bunches.data[i].group < b->groups.len)
			order[first[b->bunches.data[i].group]++] = i;
	free(first);
	return order;
}

static void add_pair(struct weight_pair *sum, const struct weight_pair *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

/* One group after the other. */
static void place_bunches(struct builder *b, struct flame_placer *placer)
{
	size_t len;
	uint32_t *order = order_bunches(b, &len), group = NOBODY;

	for (size_t i = 0; i < len; i++) {
		const struct bunch *bunch = &b->bunches.data[order[i]];
		uint32_t node;

		if (bunch->group != group) {
			group = bunch->group;
			flame_placer_group(placer, group, b->groups.data[group]);
		}
		node = flame_placer_find(placer, bunch->stack);
		if (node != NO_NODE)
			add_pair(&b->tree->nodes.data[node].self, &bunch->weight);
	}
	vec_each (bunch, &b->bunches)
		if (bunch->group == IDLE)
			add_pair(&b->tree->idle, &bunch->weight);
	free(order);
}

static void sum_up(struct flametree *tree)
{
	struct flame_node *nodes = tree->nodes.data;

	for (size_t i = tree->nodes.len; i-- > 0;) {
		add_pair(&nodes[i].total, &nodes[i].self);
		if (i)
			add_pair(&nodes[nodes[i].parent].total, &nodes[i].total);
	}
}

/* A name with its first bytes in front, as a number that sorts like them. */
struct ranked_name {
	uint64_t head;
	const char *text;
	uint32_t name;
};

static uint64_t head_of(const char *text)
{
	uint64_t head = 0;

	memcpy(&head, text, strnlen(text, sizeof(head)));
	return be64toh(head);
}

static int by_text(const void *a, const void *b)
{
	const struct ranked_name *x = a, *y = b;

	return x->head != y->head ? x->head < y->head ? -1 : 1 : strcmp(x->text, y->text);
}

/* Each name's place among all of them. */
static uint32_t *rank_names(const struct flametree *tree)
{
	size_t len = tree->names.len;
	struct ranked_name *order = mem_resize(NULL, len + 1, sizeof(*order));
	uint32_t *rank = mem_resize(NULL, len + 1, sizeof(*rank));

	for (uint32_t i = 0; i < len; i++)
		order[i] = (struct ranked_name){ head_of(tree->names.data[i]), tree->names.data[i],
						 i };
	qsort(order, len, sizeof(*order), by_text);
	for (uint32_t i = 0; i < len; i++)
		rank[order[i].name] = i;
	free(order);
	return rank;
}

/* The nodes in the order of their names; of equals the older comes first.  Free it. */
static uint32_t *order_nodes(const struct flametree *tree)
{
	size_t len = tree->nodes.len, names = tree->names.len;
	uint32_t *rank = rank_names(tree), *order = mem_resize(NULL, len + 1, sizeof(*order));
	size_t *first = mem_alloc((names + 1) * sizeof(*first));

	/* Many nodes share few names, so counting them is quicker than comparing. */
	vec_each (node, &tree->nodes)
		first[rank[node->name] + 1]++;
	for (size_t i = 1; i <= names; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < len; i++)
		order[first[rank[tree->nodes.data[i].name]]++] = i;
	free(first);
	free(rank);
	return order;
}

/* Hangs every node in front of its siblings, the last name first: the lists end up sorted. */
static void link_children(struct flametree *tree)
{
	uint32_t *order = order_nodes(tree);

	for (size_t i = tree->nodes.len; i-- > 0;) {
		struct flame_node *node = &tree->nodes.data[order[i]], *parent;

		if (order[i] == 0)
			continue;
		parent = &tree->nodes.data[node->parent];
		node->next_sibling = parent->first_child;
		parent->first_child = order[i];
	}
	free(order);
}

int flametree_build(struct flametree *tree, const struct profile *profile,
		    const struct flametree_options *options, struct err *err)
{
	struct builder b = { .tree = tree, .profile = profile, .options = options };
	struct flame_placer placer;
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &options->filter, err);

	*tree = (struct flametree){ .profile = profile };
	if (rc)
		return rc;
	rc = flame_placer_init(&placer, tree, &options->stacks, err);
	if (!rc) {
		find_groups(&b);
		collect(&b, &sieve);
		place_bunches(&b, &placer);
		flame_placer_fini(&placer);
		sum_up(tree);
		link_children(tree);
	}
	sieve_free(&sieve);
	free(b.group_of);
	vec_free(&b.groups);
	vec_free(&b.bunches);
	return rc;
}

void flametree_free(struct flametree *tree)
{
	vec_free(&tree->nodes);
	strlist_free(&tree->names);
	*tree = (struct flametree){ 0 };
}
