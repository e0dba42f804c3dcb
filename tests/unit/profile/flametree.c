// SPDX-License-Identifier: Apache-2.0
#include "profile/flametree.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/made.h"
#include "profile/reshape.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

/* "all:7(prog:3(main:3)...)" */
static void print_node(const struct flametree *tree, uint32_t node, struct buf *into)
{
	const struct flame_node *facts = &tree->nodes.data[node];

	buf_printf(into, "%s:%llu", flame_name(tree, node),
		   (unsigned long long)facts->total.weight);
	for (uint32_t child = facts->first_child; child != NO_NODE;
	     child = tree->nodes.data[child].next_sibling) {
		buf_putc(into, child == facts->first_child ? '(' : ' ');
		print_node(tree, child, into);
	}
	if (facts->first_child != NO_NODE)
		buf_putc(into, ')');
}

static void expect_tree(const struct profile *profile, struct flametree_options options,
			const char *want)
{
	struct buf got = { 0 };
	struct flametree tree;

	EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
	print_node(&tree, 0, &got);
	EXPECT_TEXT(buf_text(&got), want);
	buf_free(&got);
	flametree_free(&tree);
}

TEST(flametree_shapes)
{
	struct profile *profile = made_profile();
	struct profile_row row = { .time = 9, .weight = 4, .count = 4 };

	made_sample(profile, 1, "main;work;sort", 2);
	made_sample(profile, 2, "main;a;a", 1);
	row.thread = made_thread(profile, 7, 8, "awk");
	row.stack = made_stack(profile, "main");
	profile_add(profile, &row);
	expect_tree(profile, (struct flametree_options){ .group = GROUP_COMM },
		    "all:7(awk:4(main:4) prog:3(main:3(a:1(a:1) work:2(sort:2))))");
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_THREAD,
						.stacks.collapse_recursion = true,
						.filter.comms = "prog" },
		    "all:3(prog-1/1:3(main:3(a:1 work:2(sort:2))))");
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_NONE, .stacks.from_leaf = true },
		    "all:7(a:1(a:1(main:1)) main:4 sort:2(work:2(main:2)))");
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_NONE, .stacks.focus = "work" },
		    "all:2(work:2(sort:2))");
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_PROCESS, .filter.comms = "nobody" },
		    "all:0");
	/* Of awk nothing is left; what several stacks lead to is one frame. */
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_COMM, .stacks.focus = "^(work|a)$" },
		    "all:3(prog:3(a:1(a:1) work:2(sort:2)))");
	expect_tree(profile,
		    (struct flametree_options){ .group = GROUP_COMM, .stacks.hide = "work|^a$" },
		    "all:7(awk:4(main:4) prog:3(main:3(sort:2)))");
	expect_tree(profile,
		    (struct flametree_options){
			    .group = GROUP_COMM, .stacks.focus = "sort", .stacks.from_leaf = true },
		    "all:2(prog:2(sort:2))");
	profile_free(profile);
}

/* What stands on a narrow frame goes with it, and nobody else weighs more for it. */
TEST(flametree_narrow)
{
	struct profile *profile = made_profile();
	struct flametree_options options = { .least = 0.2 };
	struct flametree tree;

	made_sample(profile, 1, "main;work;sort", 7);
	made_sample(profile, 2, "main;b;c", 1);
	made_sample(profile, 3, "main;b", 1);
	made_sample(profile, 4, "main", 1);
	expect_tree(profile, options, "all:10(prog:10(main:10(b:2 work:7(sort:7))))");
	options.least = 0.21;
	expect_tree(profile, options, "all:10(prog:10(main:10(work:7(sort:7))))");
	EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
	EXPECT_INT(tree.hidden, 2);
	EXPECT_INT(tree.nodes.data[2].self.weight, 1);
	flametree_free(&tree);
	options.weight = WEIGH_SAMPLES; /* one each */
	expect_tree(profile, options, "all:10(prog:10(main:10(b:2(c:1) work:7(sort:7))))");
	profile_free(profile);
}

TEST(flametree_idle)
{
	struct profile *profile = made_profile();
	uint32_t kernel = profile_object(profile, "[kernel.kallsyms]", &(struct build_id){ 0 },
					 DSO_KERNEL);
	uint32_t halt = profile_function(profile, "default_idle", kernel, FRAME_KERNEL);
	struct profile_row row = { .time = 1, .weight = 5 };
	struct flametree tree;

	row.thread = made_thread(profile, 0, 0, "swapper");
	row.stack = profile_stack(profile, STACK_ROOT, halt, false);
	profile_add(profile, &row);
	made_sample(profile, 2, "main", 2);
	EXPECT_INT(flametree_build(&tree, profile, &(struct flametree_options){ 0 }, NULL), 0);
	EXPECT_INT(tree.idle.weight, 5);
	EXPECT_INT(tree.idle.samples, 1);
	flametree_free(&tree);
	expect_tree(profile, (struct flametree_options){ 0 }, "all:2(prog:2(main:2))");
	expect_tree(profile, (struct flametree_options){ .show_idle = true },
		    "all:7(prog:2(main:2) swapper:5(default_idle:5))");
	profile_free(profile);
}

TEST(flametree_bad_expression)
{
	struct profile *profile = made_profile();
	struct flametree_options options = { .stacks.focus = "(" };
	struct flametree tree;
	struct err err = { 0 };

	made_sample(profile, 1, "main", 2);
	EXPECT(flametree_build(&tree, profile, &options, &err) < 0);
	EXPECT(err.text[0]);
	profile_free(profile);
}

/* Of too many the widest stay, and their callers with them. */
TEST(flametree_of_so_many_frames)
{
	static const char *const stacks[] = { "main;a", "main;b", "main;c", "main;d" };
	struct profile *profile = made_profile();
	struct flametree tree;

	for (uint64_t i = 0; i < ARRAY_SIZE(stacks); i++)
		made_sample(profile, i, stacks[i], i + 1);
	expect_tree(profile, (struct flametree_options){ .most = 7 },
		    "all:10(prog:10(main:10(a:1 b:2 c:3 d:4)))");
	expect_tree(profile, (struct flametree_options){ .most = 5 },
		    "all:10(prog:10(main:10(c:3 d:4)))");
	expect_tree(profile, (struct flametree_options){ .most = 3 }, "all:10(prog:10(main:10))");
	expect_tree(profile, (struct flametree_options){ .most = 1 }, "all:10");
	expect_tree(profile, (struct flametree_options){ .depth = 2 }, "all:10(prog:10(main:10))");
	EXPECT_INT(flametree_build(&tree, profile, &(struct flametree_options){ .most = 5 }, NULL),
		   0);
	EXPECT_INT(tree.hidden, 2);
	EXPECT_NEAR(tree.least, 0.3, 1e-9);
	flametree_free(&tree);
	profile_free(profile);
}

static uint32_t length_of(const char *name)
{
	return (uint32_t)strlen(name);
}

/* Who looks into a frame gets what is narrow inside it, and its callers, but not more of others. */
TEST(flametree_inside_a_frame)
{
	static const struct {
		const char *stack;
		uint64_t weight;
	} rows[] = { { "main;a;bb;x", 1 },     { "main;a;bb;yy", 2 }, { "main;a;bb;zzz", 3 },
		     { "main;ccc;x", 2 },      { "main;ccc;yy", 1 },  { "main;ddddd", 300 },
		     { "main;ddddd;e;e", 200 } };
	struct profile *profile = made_profile();
	uint32_t key = flame_path_key(0, 4, FLAME_GROUP, 1);
	struct flametree_options options = { .most = 6, .name_key = length_of };

	for (uint64_t i = 0; i < ARRAY_SIZE(rows); i++)
		made_sample(profile, i, rows[i].stack, rows[i].weight);
	expect_tree(profile, options, "all:509(prog:509(main:509(ddddd:500(e:200(e:200)))))");
	key = flame_path_key(key, 4, FLAME_USER, 2);
	key = flame_path_key(key, 1, FLAME_USER, 3);
	options.inside = flame_path_key(key, 2, FLAME_USER, 4);
	expect_tree(profile, options,
		    "all:509(prog:509(main:509(a:6(bb:6(x:1 yy:2 zzz:3)) "
		    "ddddd:500(e:200(e:200)))))");
	options.most = 2;
	expect_tree(profile, options, "all:509(prog:509(main:509(a:6(bb:6(zzz:3)))))");
	options.inside = 1;
	expect_tree(profile, options, "all:509");
	profile_free(profile);
}

static struct profile *recursive_profile(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 1, "main;work;sort;sort;compare", 2);
	made_sample(profile, 2, "main;sort;work;brk", 4);
	made_sample(profile, 3, "main;a,b;compare", 8);
	return profile;
}

/* Steps see what those before them left, whatever their order. */
TEST(flametree_changes)
{
	static const struct {
		const char *changes, *want;
	} cases[] = {
		{ "focus:sort", "all:6(sort:6(sort:2(compare:2) work:4(brk:4)))" },
		{ "focus:work,focus:sort", "all:2(sort:2(sort:2(compare:2)))" },
		{ "until:sort", "all:6(main:6(sort:4 work:2(sort:2)))" },
		{ "until:sort,reverse", "all:6(sort:6(main:4 work:2(main:2)))" },
		{ "hide:a%2cb,hide:work",
		  "all:14(main:14(compare:8 sort:6(brk:4 sort:2(compare:2))))" },
		{ "collapse,focus:sort", "all:6(sort:6(compare:2 work:4(brk:4)))" },
		{ "collapse,hide:sort",
		  "all:14(main:14(a,b:8(compare:8) work:6(brk:4 compare:2)))" },
		{ "reverse,focus:work", "all:6(work:6(main:2 sort:4(main:4)))" },
		{ "reverse,focus:work,reverse", "all:6(main:6(sort:4(work:4) work:2))" },
		{ "hide:nobody", "all:14(main:14(a,b:8(compare:8) sort:4(work:4(brk:4)) "
				 "work:2(sort:2(sort:2(compare:2)))))" },
		{ "focus:nobody", "all:0" },
		{ "only:work", "all:6(main:6(sort:4(work:4(brk:4)) "
			       "work:2(sort:2(sort:2(compare:2)))))" },
		{ "only:work,without:brk", "all:2(main:2(work:2(sort:2(sort:2(compare:2)))))" },
		{ "without:sort", "all:8(main:8(a,b:8(compare:8)))" },
		{ "keep:^a%2c|brk", "all:12(main:12(a,b:8(compare:8) sort:4(work:4(brk:4))))" },
		{ "drop:^(brk|a%2cb)$", "all:2(main:2(work:2(sort:2(sort:2(compare:2)))))" },
		{ "hide:work,only:work", "all:0" },
		{ "without:nobody,only:brk,reverse", "all:4(brk:4(work:4(sort:4(main:4))))" },
		{ "zoom:1", "all:0" },
	};
	struct profile *profile = recursive_profile();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flametree_options options = { .group = GROUP_NONE,
						     .stacks.changes = cases[i].changes };

		test_case("%s", cases[i].changes);
		expect_tree(profile, options, cases[i].want);
	}
	profile_free(profile);
}

/* The way to a frame is found by the names on it, wherever it leads from there. */
TEST(flametree_zoom_change)
{
	struct profile *profile = recursive_profile();
	uint32_t main = reshape_way(0, reshape_name("main"), false);
	uint32_t work = reshape_way(main, reshape_name("work"), false);
	struct flametree_options options = { .group = GROUP_NONE };
	char changes[40];

	snprintf(changes, sizeof(changes), "zoom:%x", work);
	options.stacks.changes = changes;
	expect_tree(profile, options, "all:2(main:2(work:2(sort:2(sort:2(compare:2)))))");
	snprintf(changes, sizeof(changes), "reverse,zoom:%x",
		 reshape_way(0, reshape_name("brk"), false));
	expect_tree(profile, options, "all:4(brk:4(work:4(sort:4(main:4))))");
	profile_free(profile);
}

/* With the options that other views have, which come first; what is left out is told. */
TEST(flametree_changes_come_last)
{
	struct profile *profile = recursive_profile();
	struct flametree_options options = {
		.group = GROUP_COMM, .stacks = { .hide = "^sort$", .changes = "focus:work" }
	};
	struct flametree tree;

	expect_tree(profile, options, "all:6(prog:6(work:6(brk:4 compare:2)))");
	EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
	EXPECT_INT(tree.outside.weight, 8);
	EXPECT_INT(tree.outside.samples, 1);
	flametree_free(&tree);
	profile_free(profile);
}

TEST(flametree_bad_changes)
{
	static const char *const cases[] = { "focus", "focus:",	  "collapse:x",
					     "turn",  "hide:a,,", "%",
					     "only:", "zoom:xyz", "zoom:123456789" };
	struct profile *profile = recursive_profile();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flametree_options options = { .stacks.changes = cases[i] };
		struct flametree tree;
		struct err err = { 0 };

		test_case("%s", cases[i]);
		EXPECT_INT(flametree_build(&tree, profile, &options, &err), -EINVAL);
		EXPECT(strstr(err.text, "changes: '"));
	}
	profile_free(profile);
}

/* Nested matches count once, what is not drawn counts too, and names are those that are shown. */
TEST(flametree_search)
{
	static const struct {
		const char *search, *changes;
		uint64_t weight, samples;
	} cases[] = {
		{ "^sort$|compare", NULL, 14, 3 }, { "^sort$", NULL, 6, 2 },
		{ "^sort$", "hide:sort", 0, 0 },   { "main", "focus:work", 0, 0 },
		{ "prog", NULL, 14, 3 },	   { "brk", "focus:work,reverse", 4, 1 },
	};
	struct profile *profile = recursive_profile();
	struct flametree tree;
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flametree_options options = { .most = 1,
						     .search = cases[i].search,
						     .stacks.changes = cases[i].changes };

		test_case("%s", cases[i].search);
		EXPECT_INT(flametree_build(&tree, profile, &options, NULL), 0);
		EXPECT_INT(tree.matched.weight, cases[i].weight);
		EXPECT_INT(tree.matched.samples, cases[i].samples);
		flametree_free(&tree);
	}
	EXPECT_INT(
		flametree_build(&tree, profile, &(struct flametree_options){ .search = "(" }, &err),
		-EINVAL);
	EXPECT(strstr(err.text, "not a regular expression"));
	profile_free(profile);
}
