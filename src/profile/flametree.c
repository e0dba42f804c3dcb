// SPDX-License-Identifier: Apache-2.0
#include "profile/flametree.h"
#include "base/err.h"

#include <stdio.h>

#define NAME_LIMIT 16384

/* All samples of one stack in one group. */
struct bunch {
	uint32_t group, stack;
	struct weight_pair weight;
};

struct builder {
	struct flametree *tree;
	const struct profile *profile;
	const struct flametree_options *options;
	uint32_t *group_of;   /* by thread: index into `groups` */
	VEC(uint32_t) groups; /* names */
	VEC(struct bunch) bunches;
	uint32_t *function_names; /* by function; NO_NODE: not made yet */
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

static uint32_t add_name(struct builder *b, char *name)
{
	*vec_push(&b->tree->names) = name;
	return (uint32_t)b->tree->names.len - 1;
}

static void find_groups(struct builder *b)
{
	const struct profile *profile = b->profile;
	struct map known = { 0 };

	b->group_of = mem_alloc((profile->threads.len + 1) * sizeof(*b->group_of));
	for (uint32_t i = 0; i < profile->threads.len; i++) {
		char *name = flame_group_name(profile, i, b->options->group);
		uint32_t next = (uint32_t)b->groups.len;
		uint32_t id = map_add(&known, name, strlen(name), next);

		b->group_of[i] = id;
		if (id == next)
			*vec_push(&b->groups) = add_name(b, name);
		else
			free(name);
	}
	map_free(&known);
}

/* The pass over the samples. */
static void collect(struct builder *b, const struct sieve *sieve)
{
	const struct profile_samples *rows = &b->profile->samples;
	uint8_t *idle = b->options->show_idle ? NULL : profile_idle_stacks(b->profile);
	struct idmap known = { 0 };

	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint32_t group, at, next = (uint32_t)b->bunches.len;
		struct weight_pair *weight;

		if (!sieve_takes(sieve, b->profile, i))
			continue;
		if (idle && idle[rows->stack[i]]) {
			weight = &b->tree->idle;
		} else {
			group = b->group_of[rows->thread[i]];
			at = idmap_add(&known, (uint64_t)group << 32 | rows->stack[i], next);
			if (at == next)
				*vec_push(&b->bunches) = (struct bunch){ .group = group,
									 .stack = rows->stack[i] };
			weight = &b->bunches.data[at].weight;
		}
		weight->samples += profile_row_count(rows, i);
		weight->weight += rows->weight[i];
	}
	idmap_free(&known);
	free(idle);
}

static uint32_t function_name(struct builder *b, uint32_t function)
{
	uint32_t *name = &b->function_names[function];

	if (*name == NO_NODE)
		*name = add_name(b, flame_function_name(b->profile, function));
	return *name;
}

static enum flame_kind kind_of(const struct builder *b, const struct calltree_node *node)
{
	if (node->inlined)
		return FLAME_INLINED;
	return flame_kind_of((enum frame_kind)b->profile->functions.data[node->function].kind);
}

static uint32_t add_node(struct builder *b, struct flame_node node)
{
	node.first_child = node.next_sibling = NO_NODE;
	*vec_push(&b->tree->nodes) = node;
	return (uint32_t)b->tree->nodes.len - 1;
}

/* Hangs a group's tree below the root; a group without a name is the root itself. */
static void graft(struct builder *b, uint32_t group_name, const struct calltree *tree)
{
	const struct calltree_node *root = tree->nodes.data;
	uint32_t base = 0;

	if (!root->total.samples)
		return;
	if (*b->tree->names.data[group_name])
		base = add_node(b, (struct flame_node){ .function = NO_FUNCTION,
							.name = group_name,
							.kind = FLAME_GROUP });
	b->tree->nodes.data[base].self.samples += root->self.samples;
	b->tree->nodes.data[base].self.weight += root->self.weight;
	for (size_t i = 1; i < tree->nodes.len; i++) {
		const struct calltree_node *node = &tree->nodes.data[i];
		/* The nodes of a group follow each other, as those of its tree do. */
		uint32_t first = (uint32_t)(b->tree->nodes.len - i + 1);

		add_node(b, (struct flame_node){
				    .parent = node->parent ? first + node->parent - 1 : base,
				    .function = node->function,
				    .name = function_name(b, node->function),
				    .kind = kind_of(b, node),
				    .self = node->self,
			    });
	}
}

static int by_group(const void *a, const void *b)
{
	const struct bunch *x = a, *y = b;

	return x->group != y->group  ? x->group < y->group ? -1 : 1
	       : x->stack < y->stack ? -1
				     : x->stack > y->stack;
}

/* One group after the other, through weights that are emptied again. */
static int build_groups(struct builder *b, struct err *err)
{
	struct stack_weights weights = { .len = b->profile->stacks.len };
	size_t at = 0;
	int rc = 0;

	weights.samples = mem_alloc((weights.len + 1) * sizeof(*weights.samples));
	weights.weight = mem_alloc((weights.len + 1) * sizeof(*weights.weight));
	if (b->bunches.len)
		qsort(b->bunches.data, b->bunches.len, sizeof(*b->bunches.data), by_group);
	while (at < b->bunches.len && !rc) {
		const struct bunch *bunches = b->bunches.data;
		uint32_t group = bunches[at].group;
		struct calltree tree;
		size_t first = at;

		for (; at < b->bunches.len && bunches[at].group == group; at++) {
			weights.samples[bunches[at].stack] = bunches[at].weight.samples;
			weights.weight[bunches[at].stack] = bunches[at].weight.weight;
		}
		rc = calltree_build(&tree, b->profile, &weights, &b->options->stacks, err);
		if (rc)
			break;
		graft(b, b->groups.data[group], &tree);
		calltree_free(&tree);
		for (size_t i = first; i < at; i++)
			weights.samples[bunches[i].stack] = weights.weight[bunches[i].stack] = 0;
	}
	free(weights.samples);
	free(weights.weight);
	return rc;
}

static void sum_up(struct flametree *tree)
{
	struct flame_node *nodes = tree->nodes.data;

	for (size_t i = tree->nodes.len; i-- > 0;) {
		struct weight_pair *above = &nodes[nodes[i].parent].total;

		nodes[i].total.samples += nodes[i].self.samples;
		nodes[i].total.weight += nodes[i].self.weight;
		if (i) {
			above->samples += nodes[i].total.samples;
			above->weight += nodes[i].total.weight;
		}
	}
}

static int by_text(const void *a, const void *b, void *names)
{
	char *const *texts = names;

	return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

/* Each name's place among all of them. */
static uint32_t *rank_names(const struct flametree *tree)
{
	size_t len = tree->names.len;
	uint32_t *order = mem_resize(NULL, len + 1, sizeof(*order));
	uint32_t *rank = mem_resize(NULL, len + 1, sizeof(*rank));

	for (uint32_t i = 0; i < len; i++)
		order[i] = i;
	qsort_r(order, len, sizeof(*order), by_text, tree->names.data);
	for (uint32_t i = 0; i < len; i++)
		rank[order[i]] = i;
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
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &options->filter, err);

	*tree = (struct flametree){ .profile = profile };
	if (rc)
		return rc;
	b.function_names = mem_resize(NULL, profile->functions.len + 1, sizeof(uint32_t));
	memset(b.function_names, 0xff, (profile->functions.len + 1) * sizeof(uint32_t));
	find_groups(&b);
	add_node(&b, (struct flame_node){ .function = NO_FUNCTION,
					  .name = add_name(&b, mem_strdup("all")),
					  .kind = FLAME_GROUP });
	collect(&b, &sieve);
	rc = build_groups(&b, err);
	sum_up(tree);
	link_children(tree);
	sieve_free(&sieve);
	free(b.group_of);
	free(b.function_names);
	vec_free(&b.groups);
	vec_free(&b.bunches);
	if (rc)
		flametree_free(tree);
	return rc;
}

void flametree_free(struct flametree *tree)
{
	vec_free(&tree->nodes);
	strlist_free(&tree->names);
	*tree = (struct flametree){ 0 };
}
