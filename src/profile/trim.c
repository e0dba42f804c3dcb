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

/* Whether it is one of those that were unwound: copies are of programs' stacks. */
static bool is_unwound(const struct profile *profile, uint32_t stack)
{
	while (profile->stacks.parent[stack] != STACK_ROOT)
		stack = profile->stacks.parent[stack];
	return profile->quality.stack_copies &&
	       profile->functions.data[profile->stacks.function[stack]].kind != FRAME_KERNEL;
}

/* The innermost frames of a stack, as a stack. */
static uint32_t innermost(struct profile *profile, uint32_t stack, size_t most)
{
	const struct profile_stacks *stacks = &profile->stacks;
	bool apart = is_unwound(profile, stack), in_kernel = true;
	VEC(uint32_t) frames = { 0 };
	uint32_t made = STACK_ROOT;
	size_t part = 0;

	for (; stack != STACK_ROOT; stack = stacks->parent[stack]) {
		bool kernel = profile->functions.data[stacks->function[stack]].kind == FRAME_KERNEL;

		if (apart && in_kernel && !kernel) {
			part = 0;
			in_kernel = false;
		}
		if (part == most)
			continue;
		*vec_push(&frames) = stack;
		part += !(stacks->flags[stack] & STACK_INLINED);
	}
	while (frames.len) {
		uint32_t frame = frames.data[--frames.len];

		made = profile_stack(profile, made, stacks->function[frame],
				     stacks->flags[frame] & STACK_INLINED);
	}
	vec_free(&frames);
	return made;
}

void profile_limit_stacks(struct profile *profile, size_t most)
{
	uint32_t *to = mem_alloc(profile->stacks.len * sizeof(*to));

	for (size_t i = 0; i < profile->samples.len; i++) {
		uint32_t *stack = &profile->samples.stack[i];

		if (!to[*stack])
			to[*stack] = innermost(profile, *stack, most);
		*stack = to[*stack];
	}
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
