// SPDX-License-Identifier: Apache-2.0
#include "profile/calltree.h"
#include "base/buf.h"
#include "made.h"
#include "test.h"

#include <errno.h>

static struct profile *recursive(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 1, "main;fib;fib;fib", 5);
	made_sample(profile, 2, "main;fib;fib", 3);
	made_sample(profile, 3, "main;print;write", 4);
	made_sample(profile, 4, "main", 1);
	made_sample(profile, 5, "idle", 2);
	return profile;
}

/* "name self/total (children)" in the order of the lists. */
static void describe(const struct profile *profile, const struct calltree *tree, uint32_t node,
		     struct buf *into)
{
	const struct calltree_node *n = &tree->nodes.data[node];

	buf_printf(into, "%s %llu/%llu", profile_function_name(profile, n->function),
		   (unsigned long long)n->self.weight, (unsigned long long)n->total.weight);
	for (uint32_t child = n->first_child; child != NO_NODE;
	     child = tree->nodes.data[child].next_sibling) {
		buf_puts(into, child == n->first_child ? " (" : ", ");
		describe(profile, tree, child, into);
	}
	if (n->first_child != NO_NODE)
		buf_putc(into, ')');
}

TEST(calltree_has_the_shape_that_is_asked_for)
{
	static const struct {
		struct calltree_options options;
		const char *tree;
	} cases[] = {
		{ { 0 },
		  "all 0/15 (main 1/13 (fib 0/8 (fib 3/8 (fib 5/5)), print 0/4 (write 4/4)), "
		  "idle 2/2)" },
		{ { .collapse_recursion = true },
		  "all 0/15 (main 1/13 (fib 8/8, print 0/4 (write 4/4)), idle 2/2)" },
		{ { .hide = "^(fib|print)$" }, "all 0/15 (main 9/13 (write 4/4), idle 2/2)" },
		{ { .focus = "fib" }, "all 0/8 (fib 0/8 (fib 3/8 (fib 5/5)))" },
		{ { .focus = "nothing" }, "all 0/0" },
		{ { .from_leaf = true, .collapse_recursion = true },
		  "all 0/15 (fib 0/8 (main 8/8), write 0/4 (print 0/4 (main 4/4)), idle 2/2, "
		  "main 1/1)" },
		{ { .from_leaf = true, .focus = "print" }, "all 0/4 (write 0/4 (print 4/4))" },
	};
	struct profile *profile = recursive();
	struct stack_weights weights;
	struct err err = { 0 };

	EXPECT_INT(profile_weigh(profile, &(struct profile_filter){ 0 }, &weights, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct calltree tree;
		struct buf text = { 0 };

		test_case("%zu", i);
		EXPECT_INT(calltree_build(&tree, profile, &weights, &cases[i].options, &err), 0);
		describe(profile, &tree, 0, &text);
		EXPECT_TEXT(buf_text(&text), cases[i].tree);
		calltree_free(&tree);
		buf_free(&text);
	}
	stack_weights_free(&weights);
	profile_free(profile);
}

TEST(calltree_leaves_out_what_weighs_nothing)
{
	struct profile *profile = recursive();
	struct stack_weights weights;
	struct calltree tree;
	struct err err = { 0 };

	EXPECT_INT(
		profile_weigh(profile, &(struct profile_filter){ .time_from = 4 }, &weights, &err),
		0);
	EXPECT_INT(calltree_build(&tree, profile, &weights, &(struct calltree_options){ 0 }, &err),
		   0);
	EXPECT_INT(tree.nodes.len, 3); /* all, main, idle */
	calltree_free(&tree);
	EXPECT_INT(calltree_build(&tree, profile, &weights,
				  &(struct calltree_options){ .hide = "(" }, &err),
		   -EINVAL);
	stack_weights_free(&weights);
	profile_free(profile);
}

TEST(function_weights_count_recursion_once)
{
	static const struct {
		const char *name;
		uint64_t self, total;
	} cases[] = {
		{ "main", 1, 13 }, { "fib", 8, 8 },  { "print", 0, 4 },
		{ "write", 4, 4 }, { "idle", 2, 2 },
	};
	struct profile *profile = recursive();
	struct stack_weights weights;
	struct function_weight *functions;
	struct err err = { 0 };

	EXPECT_INT(profile_weigh(profile, &(struct profile_filter){ 0 }, &weights, &err), 0);
	functions = profile_function_weights(profile, &weights);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t id = profile_function(profile, cases[i].name, 1, FRAME_USER);

		test_case("%s", cases[i].name);
		EXPECT_INT(functions[id].self.weight, cases[i].self);
		EXPECT_INT(functions[id].total.weight, cases[i].total);
	}
	free(functions);
	stack_weights_free(&weights);
	profile_free(profile);
}
