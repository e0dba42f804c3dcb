// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"
#include "made.h"
#include "test.h"

TEST(profile_keeps_equal_things_once)
{
	struct profile *profile = made_profile();
	uint32_t a = made_stack(profile, "main;work;sort");

	EXPECT_INT(made_stack(profile, "main;work;sort"), a);
	EXPECT_INT(profile->stacks.parent[a], made_stack(profile, "main;work"));
	EXPECT(made_stack(profile, "work;sort") != a);
	EXPECT_INT(profile->stacks.len, 6); /* root, 3, and 2 of another root */
	EXPECT_INT(made_thread(profile, 1, 1, "prog"), 0);
	EXPECT_INT(made_thread(profile, 1, 1, "renamed"), 1);
	EXPECT_INT(profile_leaf(profile, 1, 0x10), profile_leaf(profile, 1, 0x10));
	EXPECT(profile_leaf(profile, 1, 0x11) != profile_leaf(profile, 1, 0x10));
	profile_free(profile);
}

TEST(profile_tells_objects_apart_by_build)
{
	struct profile *profile = made_profile();
	struct build_id one = { .size = 1, .bytes = { 1 } }, two = { .size = 1, .bytes = { 2 } };
	uint32_t a = profile_object(profile, "/lib/x.so", &one, DSO_FILE);

	EXPECT_INT(profile_object(profile, "/lib/x.so", &one, DSO_FILE), a);
	EXPECT(profile_object(profile, "/lib/x.so", &two, DSO_FILE) != a);
	EXPECT(profile_function(profile, "f", a, FRAME_LIBRARY) !=
	       profile_function(profile, "f", a + 1, FRAME_LIBRARY));
	profile_free(profile);
}

TEST(profile_names_objects_as_perf_does)
{
	static const struct {
		const char *path, *name;
		enum dso_kind kind;
	} cases[] = {
		{ "/lib/modules/6.1/kernel/net/nf-tables.ko.xz", "[nf_tables]", DSO_MODULE },
		{ "/lib/modules/3.8/ath9k.ko", "[ath9k]", DSO_MODULE },
		{ "[ath9k]", "[ath9k]", DSO_MODULE },
		{ "/home/me/made.ko", "made.ko", DSO_FILE },
		{ "/usr/lib/libc.so.6", "libc.so.6", DSO_FILE },
		{ "[kernel.kallsyms]", "[kernel.kallsyms]", DSO_KERNEL },
	};
	struct profile *profile = profile_new();
	struct build_id none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t id = profile_object(profile, cases[i].path, &none, cases[i].kind);

		EXPECT_TEXT(profile_text(profile, profile->objects.data[id].name), cases[i].name);
	}
	profile_free(profile);
}

TEST(profile_marks_recursion_and_inlining)
{
	struct profile *profile = made_profile();
	uint32_t f = profile_function(profile, "f", 1, FRAME_USER);
	uint32_t outer = profile_stack(profile, STACK_ROOT, f, false);
	uint32_t inner = profile_stack(profile, outer, f, false);
	uint32_t inlined = profile_stack(profile, outer, f, true);

	EXPECT_INT(profile->stacks.flags[outer], 0);
	EXPECT_INT(profile->stacks.flags[inner], STACK_RECURSIVE);
	EXPECT_INT(profile->stacks.flags[inlined], STACK_RECURSIVE | STACK_INLINED);
	EXPECT(inner != inlined);
	/* there is nothing that it could be inlined into */
	EXPECT_INT(profile_stack(profile, STACK_ROOT, f, true), outer);
	profile_free(profile);
}

TEST(profile_counts_its_events)
{
	struct profile *profile = made_profile();

	for (int i = 0; i < 10000; i++)
		made_sample(profile, (uint64_t)i, "main;f", 3);
	EXPECT_INT(profile->samples.len, 10000);
	EXPECT_INT(profile->events.data[0].samples, 10000);
	EXPECT_INT(profile->events.data[0].weight, 30000);
	profile_free(profile);
}
