// SPDX-License-Identifier: Apache-2.0
#include "profile/trim.h"
#include "made.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of a sample's stack, the outermost first. */
static void expect_stack(const struct profile *p, size_t row, const char *want)
{
	char names[256] = "";

	for (uint32_t at = p->samples.stack[row]; at != STACK_ROOT; at = p->stacks.parent[at]) {
		char *rest = mem_strdup(names);

		snprintf(names, sizeof(names), "%s%s%s",
			 profile_text(p, p->functions.data[p->stacks.function[at]].name),
			 *rest ? ";" : "", rest);
		free(rest);
	}
	EXPECT_TEXT(names, want);
}

TEST(trim_limits_stacks_to_the_innermost_frames)
{
	struct profile *p = made_profile();
	uint32_t main = made_stack(p, "_start;main"), work, inlined;

	work = profile_stack(p, main, p->stacks.function[made_stack(p, "work")], false);
	inlined = profile_stack(p, work, p->stacks.function[made_stack(p, "step")], true);
	profile_add(p, &(struct profile_row){ .weight = 1, .stack = main });
	profile_add(p, &(struct profile_row){ .weight = 1, .stack = inlined });
	profile_limit_stacks(p, 2);
	expect_stack(p, 0, "_start;main");
	expect_stack(p, 1, "main;work;step"); /* what is inlined is no frame of its own */
	profile_limit_stacks(p, 1);
	expect_stack(p, 0, "main");
	expect_stack(p, 1, "work;step");
	profile_free(p);
}

/* Of copied stacks, each part has its own limit; who never ran a program has one part. */
TEST(trim_limits_copied_stacks_by_part)
{
	struct profile *p = made_profile();
	uint32_t kernel = profile_object(p, "[kernel.kallsyms]", &(struct build_id){ 0 },
					 DSO_KERNEL);
	uint32_t entry = profile_function(p, "entry", kernel, FRAME_KERNEL);
	uint32_t call = profile_function(p, "call", kernel, FRAME_KERNEL);
	uint32_t under[] = { made_stack(p, "_start;main"), STACK_ROOT };

	p->quality.stack_copies = 1;
	for (size_t i = 0; i < ARRAY_SIZE(under); i++) {
		uint32_t stack = profile_stack(p, profile_stack(p, under[i], entry, false), call,
					       false);

		profile_add(p, &(struct profile_row){ .weight = 1, .stack = stack });
	}
	profile_limit_stacks(p, 1);
	expect_stack(p, 0, "main;call");
	expect_stack(p, 1, "call");
	profile_free(p);
}
