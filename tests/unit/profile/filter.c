// SPDX-License-Identifier: Apache-2.0
#include "profile/filter.h"
#include "made.h"
#include "test.h"

#include <errno.h>

/* Four threads of two programs on three CPUs, two events; row i at time i * 10. */
static struct profile *crowd(void)
{
	struct profile *profile = made_profile();

	*vec_push(&profile->events) =
		(struct profile_event){ .name = profile->events.data[0].name };
	made_thread(profile, 1, 2, "worker");
	made_thread(profile, 9, 9, "other");
	made_thread(profile, 9, 10, "prog");
	for (uint32_t i = 0; i < 600; i++)
		profile_add(profile, &(struct profile_row){
					     .time = i * 10ull,
					     .weight = 100 + i,
					     .thread = i % 4,
					     .cpu = (uint16_t)(i % 3),
					     .event = (uint8_t)(i % 5 == 0),
					     .stack = made_stack(profile, i % 2 ? "main;read;copy"
										: "main;sort"),
				     });
	return profile;
}

/* The same question, answered row by row. */
static bool wanted(const struct profile *profile, size_t row, const struct profile_filter *filter)
{
	const struct profile_samples *rows = &profile->samples;
	const struct profile_thread *thread = &profile->threads.data[rows->thread[row]];
	bool reads = row % 2;

	return rows->event[row] == filter->event && rows->time[row] >= filter->time_from &&
	       (!filter->time_to || rows->time[row] < filter->time_to) &&
	       (!filter->comms || !strcmp(profile_text(profile, thread->comm), filter->comms)) &&
	       (!filter->pids || thread->pid == (uint32_t)atoi(filter->pids)) &&
	       (!filter->tids || thread->tid == (uint32_t)atoi(filter->tids)) &&
	       (!filter->cpus || rows->cpu[row] == atoi(filter->cpus)) &&
	       (!filter->keep || reads) && (!filter->drop || !reads);
}

TEST(filter_weighs_the_rows_that_it_names)
{
	static const struct profile_filter cases[] = {
		{ 0 },
		{ .event = 1 },
		{ .time_from = 995, .time_to = 2000 },
		{ .comms = "worker" },
		{ .pids = "9" },
		{ .tids = "10", .cpus = "2" },
		{ .pids = "1", .cpus = "1", .time_to = 3000 },
		{ .keep = "^re" },
		{ .drop = "copy$", .cpus = "0" },
		{ .comms = "nobody" },
	};
	struct profile *profile = crowd();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_weights weights;
		struct err err = { 0 };
		uint64_t samples = 0, weight = 0;

		for (size_t row = 0; row < profile->samples.len; row++) {
			if (wanted(profile, row, &cases[i])) {
				samples++;
				weight += profile->samples.weight[row];
			}
		}
		test_case("%zu", i);
		EXPECT_INT(profile_weigh(profile, &cases[i], &weights, &err), 0);
		EXPECT_INT(weights.total_samples, samples);
		EXPECT_INT(weights.total_weight, weight);
		stack_weights_free(&weights);
	}
	profile_free(profile);
}

TEST(filter_says_what_is_wrong_with_it)
{
	static const struct {
		struct profile_filter filter;
		const char *words;
	} cases[] = {
		{ { .keep = "a(b" }, "'a(b' is not a regular expression" },
		{ { .drop = "[" }, "'[' is not a regular expression" },
		{ { .cpus = "x" }, "'x' is not a list of CPUs" },
	};
	struct profile *profile = crowd();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_weights weights;
		struct err err = { 0 };

		EXPECT_INT(profile_weigh(profile, &cases[i].filter, &weights, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].words);
	}
	profile_free(profile);
}

TEST(filter_knows_names_as_they_are_shown)
{
	static const struct {
		struct profile_filter filter;
		uint64_t weight;
	} cases[] = {
		{ { .keep = "^foo::bar$" }, 5 },
		{ { .keep = "^_ZN3foo3barEv$" }, 0 },
		{ { .keep_raw = "^_ZN3foo3barEv$" }, 5 },
		{ { .keep_raw = "foo::" }, 0 },
		{ { .drop = "3foo" }, 7 },
		{ { .keep = "main", .keep_too = "foo::" }, 5 },
		{ { .keep = "foo::", .keep_too = "^work$" }, 0 },
		{ { .drop = "foo::" }, 2 },
	};
	struct profile *profile = made_profile();

	made_sample(profile, 1, "main;_ZN3foo3barEv", 5);
	made_sample(profile, 2, "main;work", 2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_weights weights;
		struct err err = { 0 };

		test_case("%zu", i);
		EXPECT_INT(profile_weigh(profile, &cases[i].filter, &weights, &err), 0);
		EXPECT_INT(weights.total_weight, cases[i].weight);
		stack_weights_free(&weights);
	}
	profile_free(profile);
}

TEST(filter_takes_objects_by_path_and_by_name)
{
	struct profile *profile = made_profile();
	uint32_t libc = profile_object(profile, "/usr/lib/libc.so.6", &(struct build_id){ 0 },
				       DSO_FILE);
	uint32_t read = profile_function(profile, "read", libc, FRAME_LIBRARY);
	static const struct {
		const char *objects;
		uint64_t samples;
	} cases[] = {
		{ "libc.so.6", 1 }, { "/usr/lib/libc.so.6", 1 }, { "prog", 2 },
		{ "libc.so", 0 },   { "prog,libc.so.6", 3 },
	};

	made_sample(profile, 1, "main", 1);
	made_sample(profile, 2, "main;f", 1);
	profile_add(profile, &(struct profile_row){
				     .time = 3,
				     .weight = 1,
				     .stack = profile_stack(profile, made_stack(profile, "main"),
							    read, false),
			     });
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_weights weights;
		struct err err = { 0 };

		test_case("%s", cases[i].objects);
		EXPECT_INT(profile_weigh(profile,
					 &(struct profile_filter){ .objects = cases[i].objects },
					 &weights, &err),
			   0);
		EXPECT_INT(weights.total_samples, cases[i].samples);
		stack_weights_free(&weights);
	}
	profile_free(profile);
}

/* It would take longer than anybody waits. */
TEST(filter_gives_up_on_what_takes_for_ever)
{
	struct profile *profile = made_profile();
	struct profile_filter filter = { .keep = "(a+)+$" };
	struct stack_weights weights;
	struct err err = { 0 };

	made_sample(profile, 1, "main;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
		    1);
	EXPECT_INT(profile_weigh(profile, &filter, &weights, &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "takes too long");
	profile_free(profile);
}
