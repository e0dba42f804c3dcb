// SPDX-License-Identifier: Apache-2.0
#include "profile/trim.h"
#include "profile/match.h"

#include <errno.h>

static void move_samples(struct profile *profile, const uint32_t *to)
{
	for (size_t i = 0; i < profile->samples.len; i++)
		profile->samples.stack[i] = to[profile->samples.stack[i]];
}

void profile_hide_unknown(struct profile *profile)
{
	size_t len = profile->stacks.len; /* more are added */
	uint32_t *to = mem_alloc(len * sizeof(*to));

	for (size_t i = 1; i < len; i++) {
		uint32_t parent = to[profile->stacks.parent[i]];
		uint32_t function = profile->stacks.function[i];
		bool inlined = profile->stacks.flags[i] & STACK_INLINED;

		to[i] = profile->functions.data[function].kind == FRAME_UNKNOWN
				? parent
				: profile_stack(profile, parent, function, inlined);
	}
	move_samples(profile, to);
	free(to);
}

int profile_ignore_callees(struct profile *profile, const char *expression, struct err *err)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint8_t *matches = profile_match_functions(profile, expression, MATCH_LISTED, err);
	uint32_t *to;

	if (!matches)
		return -EINVAL;
	to = mem_alloc(stacks->len * sizeof(*to));
	for (uint32_t i = 1; i < stacks->len; i++) {
		uint32_t parent = stacks->parent[i];

		/* The parent's stack ends earlier, or with it and it matches. */
		to[i] = to[parent] != parent || (parent && matches[stacks->function[parent]])
				? to[parent]
				: i;
	}
	move_samples(profile, to);
	free(to);
	free(matches);
	return 0;
}
