// SPDX-License-Identifier: Apache-2.0
#include "profile/breakdown.h"
#include "base/buf.h"
#include "made.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

static struct profile *two_threads(void)
{
	struct profile *profile = made_profile();
	uint32_t worker = made_thread(profile, 1, 2, "worker");

	made_sample(profile, 1, "main;fib;fib", 5);
	made_sample(profile, 2, "main;write", 3);
	profile_add(profile, &(struct profile_row){ .time = 3,
						    .weight = 2,
						    .stack = made_stack(profile, "start;fib"),
						    .thread = worker,
						    .cpu = 7 });
	return profile;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "comm name self/total" of each row, sorted. */
static char *describe(const struct breakdown *b)
{
	struct strlist lines = { 0 };
	struct buf text = { 0 };

	vec_each (row, &b->rows) {
		char line[200];

		snprintf(line, sizeof(line), "%s %s %llu/%llu", profile_text(b->profile, row->comm),
			 row->function == NO_FUNCTION
				 ? "-"
				 : profile_function_name(b->profile, row->function),
			 (unsigned long long)row->self.weight,
			 (unsigned long long)row->total.weight);
		strlist_add(&lines, line);
	}
	qsort(lines.data, lines.len, sizeof(*lines.data), by_text);
	vec_each (line, &lines)
		buf_printf(&text, "%s%s", text.len ? ", " : "", *line);
	strlist_free(&lines);
	return text.data ? text.data : mem_strdup("");
}

TEST(breakdown_has_a_row_for_each_value_of_the_keys)
{
	static const struct {
		struct breakdown_options options;
		const char *rows;
	} cases[] = {
		{ { .keys = 1 << BY_FUNCTION }, "prog fib 7/7, prog write 3/3" },
		{ { .keys = 1 << BY_COMM | 1 << BY_FUNCTION },
		  "prog fib 5/5, prog write 3/3, worker fib 2/2" },
		{ { .keys = 1 << BY_TID }, "prog - 8/8, worker - 2/2" },
		{ { .keys = 1 << BY_PID }, "prog - 10/10" },
		{ { .keys = 1 << BY_CPU }, "prog - 2/2, prog - 8/8" },
		{ { .keys = 1 << BY_OBJECT }, "prog - 10/10" },
		{ { .keys = 1 << BY_FUNCTION, .children = true },
		  "prog fib 7/7, prog main 0/8, prog start 0/2, prog write 3/3" },
		{ { .keys = 1 << BY_PARENT, .parent = "^main$" }, "prog - 2/2, prog - 8/8" },
		{ { .keys = 1 << BY_FUNCTION, .filter = { .tids = "2" } }, "prog fib 2/2" },
	};
	struct profile *profile = two_threads();
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct breakdown b;
		char *rows;

		test_case("%zu", i);
		EXPECT_INT(breakdown_make(&b, profile, &cases[i].options, &err), 0);
		rows = describe(&b);
		EXPECT_TEXT(rows, cases[i].rows);
		free(rows);
		breakdown_free(&b);
	}
	EXPECT_INT(
		breakdown_make(&(struct breakdown){ 0 }, profile,
			       &(struct breakdown_options){ .keys = 1 << BY_PARENT, .parent = "(" },
			       &err),
		-EINVAL);
	profile_free(profile);
}

static void describe_tree(const struct profile *profile, const struct calltree *tree, uint32_t node,
			  struct buf *into)
{
	const struct calltree_node *n = &tree->nodes.data[node];

	buf_printf(into, "%s %llu", node ? profile_function_name(profile, n->function) : "*",
		   (unsigned long long)n->total.weight);
	for (uint32_t child = n->first_child; child != NO_NODE;
	     child = tree->nodes.data[child].next_sibling) {
		buf_puts(into, child == n->first_child ? " (" : ", ");
		describe_tree(profile, tree, child, into);
	}
	if (n->first_child != NO_NODE)
		buf_putc(into, ')');
}

TEST(breakdown_trees_hold_the_row_s_own_stacks)
{
	static const struct {
		bool children, from_leaf;
		const char *tree;
	} cases[] = {
		{ false, false, "* 7 (main 5 (fib 5 (fib 5)), start 2 (fib 2))" },
		{ false, true, "* 7 (fib 7 (fib 5 (main 5), start 2))" },
		{ true, false, "* 7 (main 5 (fib 5 (fib 5)), start 2 (fib 2))" },
		{ true, true, "* 7 (fib 7 (fib 5 (main 5), start 2))" },
	};
	struct profile *profile = two_threads();
	uint32_t fib = profile_function(profile, "fib", 1, FRAME_USER);
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct breakdown_options options = { .keys = 1 << BY_FUNCTION,
						     .children = cases[i].children,
						     .from_leaf = cases[i].from_leaf };
		struct buf text = { 0 };
		struct calltree tree;
		struct breakdown b;
		uint32_t row = 0;

		test_case("%zu", i);
		EXPECT_INT(breakdown_make(&b, profile, &options, &err), 0);
		while (b.rows.data[row].function != fib)
			row++;
		breakdown_tree(&b, row, &tree);
		describe_tree(profile, &tree, 0, &text);
		EXPECT_TEXT(buf_text(&text), cases[i].tree);
		calltree_free(&tree);
		buf_free(&text);
		breakdown_free(&b);
	}
	profile_free(profile);
}
