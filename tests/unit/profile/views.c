// SPDX-License-Identifier: Apache-2.0
/* What is asked of a profile beyond trees: neighbours, threads, time. */
#include "made.h"
#include "profile/histogram.h"
#include "profile/neighbours.h"
#include "test.h"

#include <errno.h>

static struct profile *recursive(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 1000000000, "main;fib;fib;fib", 5);
	made_sample(profile, 1100000000, "main;fib;fib;write", 3);
	made_sample(profile, 1999999999, "fib", 2);
	made_sample(profile, 3000000000, "main;print", 4);
	return profile;
}

static const struct neighbour *find(const struct profile *profile,
				    const struct neighbour_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++) {
		const struct neighbour *n = &list->data[i];
		const char *is = n->function == NO_FUNCTION
					 ? "nobody"
					 : profile_function_name(profile, n->function);

		if (!strcmp(is, name))
			return n;
	}
	return NULL;
}

TEST(neighbours_count_each_stack_once)
{
	static const struct {
		bool caller;
		const char *name;
		uint64_t weight;
	} cases[] = {
		{ true, "main", 8 }, { true, "fib", 8 },    { true, "nobody", 2 },
		{ false, "fib", 8 }, { false, "write", 3 },
	};
	struct profile *profile = recursive();
	uint32_t fib = profile_function(profile, "fib", 1, FRAME_USER);
	struct stack_weights weights;
	struct neighbours found;
	struct err err = { 0 };

	EXPECT_INT(profile_weigh(profile, &(struct profile_filter){ 0 }, &weights, &err), 0);
	profile_neighbours(profile, &weights, fib, &found);
	EXPECT_INT(found.self.weight, 7);
	EXPECT_INT(found.total.weight, 10);
	EXPECT_INT(found.callers.len, 3);
	EXPECT_INT(found.callees.len, 2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct neighbour *n = find(
			profile, cases[i].caller ? &found.callers : &found.callees, cases[i].name);

		test_case("%s", cases[i].name);
		EXPECT(n);
		EXPECT_INT(n->weight.weight, cases[i].weight);
	}
	EXPECT(found.callers.data[0].weight.weight >= found.callers.data[1].weight.weight);
	neighbours_free(&found);
	stack_weights_free(&weights);
	profile_free(profile);
}

TEST(histogram_has_a_column_a_second)
{
	struct profile *profile = recursive();
	struct profile_span span;
	struct histogram h;
	struct err err = { 0 };

	EXPECT_INT(profile_histogram(profile, &(struct profile_filter){ 0 }, NULL, 10, &h, &err),
		   0);
	EXPECT_INT(h.seconds, 3);
	EXPECT_INT(h.counts[0], 1);	 /* at once */
	EXPECT_INT(h.counts[1], 1);	 /* a tenth later */
	EXPECT_INT(h.counts[9], 1);	 /* the second's last nanosecond */
	EXPECT_INT(h.counts[2 * 10], 1); /* two seconds later */
	EXPECT_INT(h.most, 1);
	histogram_free(&h);
	EXPECT_INT(profile_histogram(profile, &(struct profile_filter){ .keep = "write" }, NULL, 1,
				     &h, &err),
		   0);
	EXPECT_INT(h.counts[0], 1);
	EXPECT_INT(h.counts[1] + h.counts[2], 0);
	histogram_free(&h);

	/* that the run began half a second earlier moves all of them */
	span = profile_span(profile, 500000000, 4000000000);
	EXPECT_INT(profile_histogram(profile, &(struct profile_filter){ 0 }, &span, 10, &h, &err),
		   0);
	EXPECT_INT(h.seconds, 4);
	EXPECT_INT(h.counts[0], 0);
	EXPECT_INT(h.counts[5], 1);
	EXPECT_INT(h.counts[6], 1);
	EXPECT_INT(h.counts[1 * 10 + 4], 1);
	EXPECT_INT(h.counts[2 * 10 + 5], 1);
	histogram_free(&h);
	EXPECT_INT(profile_histogram(profile, &(struct profile_filter){ 0 }, NULL, 0, &h, &err),
		   -EINVAL);
	profile_free(profile);
}

/* A start that is later than the first sample, or by another clock, is none. */
TEST(span_begins_with_the_run)
{
	const uint64_t first = 100000000000, last = 102000000000;
	struct profile *profile = made_profile();
	const struct {
		const char *what;
		uint64_t start, end, want_start, want_last;
	} cases[] = {
		{ "nothing is known", 0, 0, first, last },
		{ "before and after", first - 5, last + 7, first - 5, last + 7 },
		{ "ended a little before the last sample", first - 5, last - 1, first - 5, last },
		{ "later than the first sample", first + 1, last + 7, first, last },
		{ "by another clock", 1, 1000, first, last },
		{ "still running", first - 5, 0, first, last },
	};

	made_sample(profile, first, "main", 1);
	made_sample(profile, last, "main", 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_span span = profile_span(profile, cases[i].start, cases[i].end);

		test_case("%s", cases[i].what);
		EXPECT_INT(span.start, cases[i].want_start);
		EXPECT_INT(span.last, cases[i].want_last);
	}
	profile_free(profile);
}

TEST(threads_weigh_what_their_samples_do)
{
	struct profile *profile = recursive();
	uint32_t other = made_thread(profile, 1, 2, "worker");
	struct weight_pair *threads;
	struct err err = { 0 };

	profile_add(profile, &(struct profile_row){ .time = 4000000000,
						    .weight = 9,
						    .stack = made_stack(profile, "main"),
						    .thread = other });
	threads = profile_thread_weights(profile, &(struct profile_filter){ 0 }, &err);
	EXPECT_INT(threads[0].weight, 14);
	EXPECT_INT(threads[0].samples, 4);
	EXPECT_INT(threads[other].weight, 9);
	free(threads);
	EXPECT(!profile_thread_weights(profile, &(struct profile_filter){ .keep = "(" }, &err));
	profile_free(profile);
}
