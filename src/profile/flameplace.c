// SPDX-License-Identifier: Apache-2.0
#include "profile/flameplace.h"
#include "profile/match.h"

#include <errno.h>

static uint32_t name_of(struct flame_placer *p, uint32_t function)
{
	uint32_t *name = &p->names[function];

	if (*name == NO_NODE) {
		*name = (uint32_t)p->tree->names.len;
		*vec_push(&p->tree->names) = flame_function_name(p->profile, function);
	}
	return *name;
}

static enum flame_kind kind_of(const struct profile *profile, uint32_t function, bool inlined)
{
	return inlined ? FLAME_INLINED
		       : flame_kind_of((enum frame_kind)profile->functions.data[function].kind);
}

static uint32_t add_node(struct flame_placer *p, struct flame_node node)
{
	node.first_child = node.next_sibling = NO_NODE;
	*vec_push(&p->tree->nodes) = node;
	return (uint32_t)p->tree->nodes.len - 1;
}

/* Groups of which nothing is left get no node. */
static uint32_t base_of(struct flame_placer *p)
{
	if (p->base == NO_NODE)
		p->base = add_node(p, (struct flame_node){ .function = NO_FUNCTION,
							   .name = p->group_name,
							   .kind = FLAME_GROUP });
	return p->base;
}

static uint32_t child_of(struct flame_placer *p, uint32_t parent, uint32_t function, bool inlined)
{
	uint32_t next = (uint32_t)p->tree->nodes.len;

	if (p->merges) {
		uint64_t key = (uint64_t)parent << 32 | function << 1 | inlined;
		uint32_t known = idmap_add(&p->children, key, next);

		if (known != next)
			return known;
	}
	return add_node(p, (struct flame_node){ .parent = parent,
						.function = function,
						.name = name_of(p, function),
						.kind = kind_of(p->profile, function, inlined) });
}

/* The node below `at` for a frame of the profile, which may also be `at` itself. */
static uint32_t step(struct flame_placer *p, uint32_t at, uint32_t stack)
{
	uint32_t function = p->profile->stacks.function[stack];

	if (p->hide && p->hide[function])
		return at;
	if (p->options->collapse_recursion && p->tree->nodes.data[at].function == function)
		return at;
	return child_of(p, at, function, p->profile->stacks.flags[stack] & STACK_INLINED);
}

/* The same from the callers' side, where a stack begins with the focus. */
static uint32_t step_down(struct flame_placer *p, uint32_t at, uint32_t stack)
{
	if (at == NO_NODE && p->focus[p->profile->stacks.function[stack]])
		at = base_of(p);
	return at == NO_NODE ? NO_NODE : step(p, at, stack);
}

static uint32_t from_root(struct flame_placer *p, uint32_t stack)
{
	const uint32_t *parent = p->profile->stacks.parent;
	uint32_t at;

	p->path.len = 0;
	for (; stack != STACK_ROOT && p->places[stack].group != p->group; stack = parent[stack])
		*vec_push(&p->path) = stack;
	at = stack != STACK_ROOT ? p->places[stack].node : p->focus ? NO_NODE : base_of(p);
	while (p->path.len) {
		stack = p->path.data[--p->path.len];
		at = step_down(p, at, stack);
		p->places[stack] = (struct stack_place){ p->group, at };
	}
	return at;
}

/* The stack at which the walk from the leaf ends: the outermost focus' caller, or NO_NODE. */
static uint32_t focus_end(const struct flame_placer *p, uint32_t stack)
{
	const struct profile_stacks *stacks = &p->profile->stacks;
	uint32_t end = p->focus ? NO_NODE : STACK_ROOT;

	for (; p->focus && stack != STACK_ROOT; stack = stacks->parent[stack])
		if (p->focus[stacks->function[stack]])
			end = stacks->parent[stack];
	return end;
}

static uint32_t from_leaf(struct flame_placer *p, uint32_t stack)
{
	uint32_t end = focus_end(p, stack), at;

	if (end == NO_NODE)
		return NO_NODE;
	at = base_of(p);
	for (; stack != end; stack = p->profile->stacks.parent[stack])
		at = step(p, at, stack);
	return at;
}

uint32_t flame_placer_find(struct flame_placer *p, uint32_t stack)
{
	return p->options->from_leaf ? from_leaf(p, stack) : from_root(p, stack);
}

void flame_placer_group(struct flame_placer *p, uint32_t group, uint32_t name)
{
	p->group = group;
	p->group_name = name;
	p->base = *p->tree->names.data[name] ? NO_NODE : 0;
}

static int match(const struct profile *profile, const char *expression, uint8_t **functions,
		 struct err *err)
{
	if (expression)
		*functions = profile_match_functions(profile, expression, err);
	return expression && !*functions ? -EINVAL : 0;
}

/* An array of so many entries, all bits of which are set: no group, no node. */
static void *nothing_known(size_t count, size_t size)
{
	return memset(mem_resize(NULL, count + 1, size), 0xff, (count + 1) * size);
}

int flame_placer_init(struct flame_placer *p, struct flametree *tree,
		      const struct calltree_options *options, struct err *err)
{
	const struct profile *profile = tree->profile;
	int rc;

	*p = (struct flame_placer){ .tree = tree, .profile = profile, .options = options };
	rc = match(profile, options->focus, &p->focus, err);
	if (!rc)
		rc = match(profile, options->hide, &p->hide, err);
	if (rc) {
		free(p->focus);
		return rc;
	}
	p->merges = options->from_leaf || options->collapse_recursion || p->focus || p->hide;
	p->places = nothing_known(profile->stacks.len, sizeof(*p->places));
	p->names = nothing_known(profile->functions.len, sizeof(*p->names));
	strlist_add(&tree->names, "all");
	add_node(p, (struct flame_node){ .function = NO_FUNCTION,
					 .name = (uint32_t)tree->names.len - 1,
					 .kind = FLAME_GROUP });
	return 0;
}

void flame_placer_fini(struct flame_placer *p)
{
	free(p->focus);
	free(p->hide);
	free(p->places);
	free(p->names);
	idmap_free(&p->children);
	vec_free(&p->path);
}
