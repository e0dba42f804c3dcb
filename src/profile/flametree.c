// SPDX-License-Identifier: Apache-2.0
#include "profile/flametree.h"
#include "base/err.h"
#include "profile/flameplace.h"
#include "profile/flamesearch.h"
#include "profile/ready.h"

#include <endian.h>
#include <stdio.h>

#define NAME_LIMIT 16384

struct builder {
	struct flametree *tree;
	const struct profile *profile;
	const struct flametree_options *options;
	uint32_t *group_of;   /* by thread: index into `groups` */
	VEC(uint32_t) groups; /* names */
	uint32_t root;	      /* the group without a name, which is the root itself; or NO_NODE */
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

static char *make_name(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];
	const char *plain = profile_function_name(profile, function);
	const struct profile_object *object = &profile->objects.data[facts->object];
	const char *path = profile_text(profile, object->path);
	const char *slash = strrchr(path, '/');
	char *readable;

	if (!strcmp(path, UNKNOWN_NAME) && object->side != SIDE_HOST)
		return mem_strdup(object->side == SIDE_KERNEL	      ? "[kernel]"
				  : object->side == SIDE_GUEST_KERNEL ? "[guest.kernel]"
								      : "[guest.user]");
	if (strcmp(plain, UNKNOWN_NAME) || !*path || !strcmp(path, UNKNOWN_NAME)) {
		readable = symbol_demangle(plain, DEMANGLE_NAME, NAME_LIMIT);
		return readable ? readable : mem_strdup(plain);
	}
	if (*path == '[')
		return mem_strdup(path);
	return mem_printf("[%s]", slash && slash[1] ? slash + 1 : path);
}

char *flame_function_name(const struct profile *profile, uint32_t function)
{
	return profile->ready ? mem_strdup(profile->ready->names[function])
			      : make_name(profile, function);
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
			b->root = *name ? b->root : next;
			*vec_push(&b->groups) = (uint32_t)b->tree->names.len;
			*vec_push(&b->tree->names) = name;
		} else {
			free(name);
		}
	}
	map_free(&known);
}

static void add_row(struct weight_pair *sum, const struct profile_samples *rows, size_t row)
{
	sum->samples += profile_row_count(rows, row);
	sum->weight += rows->weight[row];
}

/* The pass over the samples. */
static void collect(struct builder *b, struct flame_placer *placer, const struct sieve *sieve)
{
	const struct profile_samples *rows = &b->profile->samples;
	uint8_t *idle = b->options->show_idle ? NULL : profile_idle_stacks(b->profile);

	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint32_t node, stack = rows->stack[i];

		if (!sieve_takes(sieve, b->profile, i))
			continue;
		if (idle && idle[stack]) {
			add_row(&b->tree->idle, rows, i);
			continue;
		}
		node = flame_placer_find(placer, b->group_of[rows->thread[i]], stack);
		add_row(node == LEFT_OUT ? &b->tree->outside : &placer->nodes.data[node].weight,
			rows, i);
	}
	free(idle);
}

/* What each pair of thread and stack weighs, whatever it is.  Free it. */
static struct weight_pair *weigh_pairs(const struct profile *profile, const struct sieve *sieve)
{
	const struct profile_samples *rows = &profile->samples;
	const uint32_t *pair_of = profile->ready->pair_of;
	struct weight_pair *sums = mem_alloc((profile->ready->pairs.len + 1) * sizeof(*sums));

	for (size_t i = sieve->first; i < sieve->last; i++)
		if (rows->event[i] == sieve->event && (!sieve->cpus || sieve->cpus[rows->cpu[i]]))
			add_row(&sums[pair_of[i]], rows, i);
	return sums;
}

/* The same as collect(), each pair once. */
static void collect_pairs(struct builder *b, struct flame_placer *placer, const struct sieve *sieve)
{
	const struct profile_ready *ready = b->profile->ready;
	struct weight_pair *sums = weigh_pairs(b->profile, sieve);

	for (size_t i = 0; i < ready->pairs.len; i++) {
		const struct profile_pair *pair = &ready->pairs.data[i];
		struct weight_pair *sum = &b->tree->idle;
		uint32_t node;

		if (!sums[i].samples || (sieve->threads && !sieve->threads[pair->thread]) ||
		    (sieve->stacks && !sieve->stacks[pair->stack]))
			continue;
		if (b->options->show_idle || !ready->idle[pair->stack]) {
			node = flame_placer_find(placer, b->group_of[pair->thread], pair->stack);
			sum = node == LEFT_OUT ? &b->tree->outside
					       : &placer->nodes.data[node].weight;
		}
		sum->samples += sums[i].samples;
		sum->weight += sums[i].weight;
	}
	free(sums);
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
	struct builder b = {
		.tree = tree, .profile = profile, .options = options, .root = NO_NODE
	};
	struct flame_placer placer;
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, &options->filter, err);

	*tree = (struct flametree){ .profile = profile };
	if (rc)
		return rc;
	find_groups(&b);
	rc = flame_placer_init(&placer, profile, &options->stacks, b.groups.len, b.root, err);
	if (!rc) {
		if (profile->ready)
			collect_pairs(&b, &placer, &sieve);
		else
			collect(&b, &placer, &sieve);
		rc = flame_search(&placer, options, b.groups.data, tree, err);
		if (!rc)
			flame_placer_finish(&placer, options, b.groups.data, tree);
		flame_placer_fini(&placer);
	}
	if (!rc)
		link_children(tree);
	else
		flametree_free(tree);
	sieve_free(&sieve);
	free(b.group_of);
	vec_free(&b.groups);
	return rc;
}

void flametree_free(struct flametree *tree)
{
	vec_free(&tree->nodes);
	strlist_free(&tree->names);
	*tree = (struct flametree){ 0 };
}
