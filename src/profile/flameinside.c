// SPDX-License-Identifier: Apache-2.0
#include "profile/flameinside.h"

uint32_t flame_path_key(uint32_t parent_key, uint32_t name_key, enum flame_kind kind,
			uint32_t depth)
{
	uint32_t step = name_key ^ ((uint32_t)kind + 1) * 0x85ebca6b;
	uint32_t mixed = (parent_key ^ step) * 0x9e3779b1;

	return (mixed ^ mixed >> 15) + depth;
}

/* The key of each function's name, made when it is first asked for. */
struct name_keys {
	const struct flametree_options *options;
	const struct profile *profile;
	uint32_t *keys;
	bool *known;
};

static uint32_t name_key(struct name_keys *names, uint32_t function)
{
	if (!names->known[function]) {
		char *name = flame_function_name(names->profile, function);

		names->keys[function] = names->options->name_key(name);
		names->known[function] = true;
		free(name);
	}
	return names->keys[function];
}

/* Whoever calls what is inside is on the way to it. */
static void mark_way(const struct flame_placer *p, uint8_t *marks, uint32_t node)
{
	while (marks[node] == FLAME_ELSEWHERE) {
		marks[node] = FLAME_ON_THE_WAY;
		node = p->nodes.data[node].parent;
	}
}

/* By node: where it is from the frame that the options look into. */
static void mark_nodes(const struct flame_placer *p, struct name_keys *names, uint8_t *marks,
		       const char *const *groups)
{
	struct {
		uint32_t key, depth;
	} *known = mem_alloc(p->nodes.len * sizeof(*known));

	for (uint32_t i = 1; i < p->nodes.len; i++) {
		const struct placed_node *node = &p->nodes.data[i];
		uint32_t own = node->link == GROUP_LINK ? names->options->name_key(*groups++)
							: name_key(names, node->link >> 1);

		known[i].depth = known[node->parent].depth + 1;
		known[i].key = flame_path_key(known[node->parent].key, own,
					      placed_kind(p->profile, node->link), known[i].depth);
		if (marks[node->parent] == FLAME_INSIDE || known[i].key == names->options->inside) {
			marks[i] = FLAME_INSIDE;
			mark_way(p, marks, node->parent);
		}
	}
	free(known);
}

uint8_t *flame_inside(const struct flame_placer *p, const struct flametree_options *options,
		      const struct flametree *tree, const uint32_t *group_names)
{
	struct name_keys names = { .options = options, .profile = p->profile };
	size_t functions = p->profile->functions.len;
	VEC(const char *) groups = { 0 };
	uint8_t *marks = mem_alloc(p->nodes.len);

	names.keys = mem_alloc((functions + 1) * sizeof(*names.keys));
	names.known = mem_alloc(functions + 1);
	vec_each (group, &p->groups)
		*vec_push(&groups) = tree->names.data[group_names[*group]];
	mark_nodes(p, &names, marks, groups.data);
	vec_free(&groups);
	free(names.keys);
	free(names.known);
	return marks;
}
