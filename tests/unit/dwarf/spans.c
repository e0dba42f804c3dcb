// SPDX-License-Identifier: Apache-2.0
#include "dwarf/spans.h"
#include "test.h"

static void add(struct span_list *list, uint64_t start, uint64_t end, uint32_t owner,
		uint32_t depth)
{
	*vec_push(list) = (struct span){ start, end, owner, depth };
}

TEST(spans_inner_ones_win)
{
	static const struct {
		uint64_t address;
		uint32_t owner;
	} cases[] = { { 9, SPAN_NONE },	  { 10, 0 },
		      { 19, 0 },	  { 20, 1 },
		      { 24, 1 },	  { 25, 2 },
		      { 29, 2 },	  { 30, 1 },
		      { 40, 0 },	  { 99, 0 },
		      { 100, SPAN_NONE }, { 200, 3 },
		      { 201, SPAN_NONE }, { UINT64_MAX, SPAN_NONE } };
	struct span_list list = { 0 };
	struct spans spans;

	add(&list, 200, 201, 3, 0);
	add(&list, 25, 30, 2, 2);
	add(&list, 10, 100, 0, 0);
	add(&list, 20, 40, 1, 1);
	spans_make(&spans, &list);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%llu", (unsigned long long)cases[i].address);
		EXPECT_INT(spans_find(&spans, cases[i].address), cases[i].owner);
	}
	spans_free(&spans);
	vec_free(&list);
}

TEST(spans_of_one_size)
{
	struct span_list list = { 0 };
	struct spans spans;

	add(&list, 10, 20, 0, 0); /* a function that is all of what is inlined in it */
	add(&list, 10, 20, 1, 1);
	add(&list, 30, 40, 2, 1); /* two beside each other that claim the same */
	add(&list, 30, 40, 3, 1);
	spans_make(&spans, &list);
	EXPECT_INT(spans_find(&spans, 15), 1);
	EXPECT_INT(spans_find(&spans, 35), 2);
	spans_free(&spans);
	vec_free(&list);
}

TEST(spans_that_cross)
{
	struct span_list list = { 0 };
	struct spans spans;

	add(&list, 10, 30, 0, 0);
	add(&list, 20, 45, 1, 0);
	spans_make(&spans, &list);
	EXPECT_INT(spans_find(&spans, 25), 0);
	EXPECT_INT(spans_find(&spans, 30), 1);
	EXPECT_INT(spans_find(&spans, 45), SPAN_NONE);
	spans_free(&spans);
	vec_free(&list);
}

TEST(spans_none)
{
	struct span_list list = { 0 };
	struct spans spans;

	spans_make(&spans, &list);
	EXPECT_INT(spans_find(&spans, 0), SPAN_NONE);
	spans_free(&spans);
}
