// SPDX-License-Identifier: Apache-2.0
#include "profile/flamesearch.h"
#include "profile/match.h"

#include <errno.h>

/* By function: its name as it is shown matches.  Free it. */
static uint8_t *search_functions(const struct profile *profile, struct matcher *matcher)
{
	uint8_t *found = mem_alloc(profile->functions.len + 1);

	for (uint32_t i = 0; i < profile->functions.len; i++) {
		char *name = flame_function_name(profile, i);

		found[i] = matcher_test(matcher, name);
		free(name);
	}
	return found;
}

int flame_search(const struct flame_placer *p, const struct flametree_options *options,
		 const uint32_t *group_names, struct flametree *tree, struct err *err)
{
	struct matcher *matcher = options->search ? matcher_new_smart(options->search, err) : NULL;
	const uint32_t *group = p->groups.data;
	uint8_t *functions, *inside;

	if (!matcher)
		return options->search ? -EINVAL : 0;
	functions = search_functions(p->profile, matcher);
	inside = mem_alloc(p->nodes.len); /* a frame that matches, or on one */
	for (size_t i = 1; i < p->nodes.len; i++) {
		const struct placed_node *node = &p->nodes.data[i];
		bool hit = node->link == GROUP_LINK
				   ? matcher_test(matcher, tree->names.data[group_names[*group++]])
				   : functions[node->link >> 1];

		inside[i] = inside[node->parent] | hit;
		tree->matched.samples += inside[i] ? node->weight.samples : 0;
		tree->matched.weight += inside[i] ? node->weight.weight : 0;
	}
	free(functions);
	free(inside);
	return matcher_end(matcher, err);
}
