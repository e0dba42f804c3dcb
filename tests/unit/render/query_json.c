// SPDX-License-Identifier: Apache-2.0
#include "render/query_json.h"
#include "base/err.h"
#include "base/json.h"
#include "profile/made.h"
#include "profile/ready.h"
#include "profile/remedy.h"
#include "test.h"

#include <errno.h>

/* fib calls itself; sort is in two branches; one stack is of another thread. */
static struct profile *some_profile(void)
{
	struct profile *profile = made_profile();
	struct profile_row row = { .time = 9, .weight = 6 };

	made_sample(profile, 1, "main;fib;fib", 5);
	made_sample(profile, 2, "main;fib;sort", 3);
	made_sample(profile, 3, "main;sort", 2);
	row.thread = made_thread(profile, 7, 8, "awk");
	row.stack = made_stack(profile, "sort");
	profile_add(profile, &row);
	return profile;
}

typedef int writer(const struct query *query, struct json *json, struct err *err);

static char *ask(writer *write, const struct query *query)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);
	struct err err = { 0 };

	EXPECT_INT(write(query, &json, &err), 0);
	fclose(out);
	return text;
}

static void expect(writer *write, const struct query *query, const char *part)
{
	char *text = ask(write, query);

	test_case("%s", part);
	if (!strstr(text, part))
		EXPECT_TEXT(text, part);
	free(text);
}

static int callers_of_sort(const struct query *query, struct json *json, struct err *err)
{
	return query_callers(query, "sort", json, err);
}

static int callees_of_fib(const struct query *query, struct json *json, struct err *err)
{
	return query_callees(query, "fib", json, err);
}

TEST(query_functions)
{
	struct profile *profile = some_profile();
	struct query query = { .profile = profile, .view.show_idle = true };

	expect(query_top, &query, "\"samples\":4,\"count\":\"16\",\"rows\":[");
	expect(query_top, &query,
	       "\"rows\":[{\"function\":\"sort\",\"object\":\"/bin/prog\",\"kind\":\"user\","
	       "\"self_samples\":3,\"self_count\":\"11\",\"self_percent\":68.75,");
	/* Recursion counts once. */
	expect(query_top, &query,
	       "\"total_samples\":2,\"total_count\":\"8\",\"total_percent\":50}");
	query.order = ORDER_TOTAL;
	query.limit = 1;
	expect(query_top, &query,
	       "\"total_count\":\"11\",\"total_percent\":68.75}],\"matches\":3,\"left_out\":2}");
	query.weight = WEIGH_SAMPLES;
	expect(query_top, &query, "\"self_percent\":75,");
	query = (struct query){ .profile = profile, .view.stacks.focus = "^fib$" };
	expect(query_top, &query, "\"samples\":2,\"count\":\"8\"");
	expect(query_threads, &query, "[{\"comm\":\"prog\",\"pid\":1,\"tid\":1,\"samples\":2,");
	query.view.stacks = (struct calltree_options){ .hide = "^fib$" };
	expect(query_top, &query, "\"rows\":[{\"function\":\"sort\"");
	expect(query_top, &query,
	       "{\"function\":\"main\",\"object\":\"/bin/prog\",\"kind\":\"user\","
	       "\"self_samples\":1,\"self_count\":\"5\"");
	profile_free(profile);
}

TEST(query_pages_of_functions)
{
	struct profile *profile = some_profile();
	struct query query = {
		.profile = profile, .view.show_idle = true, .order = ORDER_NAME, .limit = 1
	};

	expect(query_top, &query, "\"rows\":[{\"function\":\"fib\"");
	expect(query_top, &query, "],\"matches\":3,\"left_out\":2}");
	query.skip = 1;
	expect(query_top, &query, "\"rows\":[{\"function\":\"main\"");
	query.skip = 2;
	expect(query_top, &query, "\"rows\":[{\"function\":\"sort\"");
	query.skip = 3;
	expect(query_top, &query, "\"rows\":[],\"matches\":3,\"left_out\":3}");
	query = (struct query){ .profile = profile, .view.show_idle = true, .search = "s.?R" };
	expect(query_top, &query, "\"rows\":[],\"matches\":0,\"left_out\":0}");
	query.search = "(?i)s.?R";
	expect(query_top, &query, "\"matches\":1,\"left_out\":0}");
	query.search = "s.?r";
	expect(query_top, &query, "\"rows\":[{\"function\":\"sort\"");
	expect(query_top, &query, "\"matches\":1,\"left_out\":0}");
	query.search = "bin/prog";
	expect(query_top, &query, "\"matches\":3,\"left_out\":0}");
	query.search = "nobody";
	expect(query_top, &query, "\"rows\":[],\"matches\":0,\"left_out\":0}");
	profile_free(profile);
}

/* What was made once is what is made each time. */
TEST(query_of_a_profile_that_is_ready)
{
	static const struct flametree_options views[] = {
		{ .show_idle = true },
		{ .show_idle = false },
		{ .filter.time_from = 2, .filter.time_to = 9 },
		{ .filter.tids = "8", .show_idle = true },
		{ .filter.cpus = "0", .group = GROUP_THREAD },
		{ .filter.keep = "fib", .stacks.from_leaf = true },
		{ .stacks.focus = "sort", .group = GROUP_NONE },
	};
	struct profile *plain = some_profile(), *ready = some_profile();

	profile_make_ready(ready);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct query of_plain = { .profile = plain, .view = views[i] };
		struct query of_ready = { .profile = ready, .view = views[i] };
		char *want = ask(query_tree, &of_plain), *got = ask(query_tree, &of_ready);

		test_case("view %zu", i);
		EXPECT_TEXT(got, want);
		free(got);
		free(want);
		want = ask(query_top, &of_plain);
		got = ask(query_top, &of_ready);
		EXPECT_TEXT(got, want);
		free(got);
		free(want);
	}
	profile_free(plain);
	profile_free(ready);
}

TEST(query_neighbours)
{
	struct profile *profile = some_profile();
	struct query query = { .profile = profile, .view.show_idle = true };
	struct json json = json_to(stdout);
	struct err err = { 0 };

	expect(callers_of_sort, &query,
	       "\"rows\":[{\"function\":null,\"samples\":1,\"count\":\"6\"");
	expect(callers_of_sort, &query,
	       "{\"function\":\"main\",\"object\":\"/bin/prog\",\"kind\":"
	       "\"user\",\"samples\":1,\"count\":\"2\",\"percent\":12.5}");
	expect(callees_of_fib, &query, "\"rows\":[{\"function\":\"fib\"");
	query.least = 0.5;
	expect(callees_of_fib, &query, "\"rows\":[],\"left_out\":2}");
	EXPECT_INT(query_callers(&query, "nobody", &json, &err), -ENOENT);
	EXPECT_TEXT(err.text, "no function in these stacks is called 'nobody'");
	profile_free(profile);
}

TEST(query_tree_is_bounded)
{
	struct profile *profile = some_profile();
	struct query query = { .profile = profile, .view.show_idle = true };

	expect(query_tree, &query,
	       "\"nodes\":[{\"parent\":-1,\"name\":\"all\",\"kind\":\"group\","
	       "\"self_samples\":0,");
	/* all, awk, sort, prog, main, fib, fib, sort, sort: in the order of names. */
	expect(query_tree, &query, "{\"parent\":5,\"name\":\"fib\"");
	expect(query_tree, &query,
	       "{\"parent\":4,\"name\":\"sort\",\"kind\":\"user\",\"object\":"
	       "\"/bin/prog\",\"self_samples\":1,\"self_count\":\"2\"");
	expect(query_tree, &query, "\"left_out\":0}],\"left_out\":0}");
	query.depth = 1;
	expect(query_tree, &query, "{\"parent\":0,\"name\":\"prog\"");
	expect(query_tree, &query, "\"left_out\":1}],\"left_out\":6}");
	query.depth = 0;
	query.limit = 4; /* all 16, prog 10, main 10, fib 8 */
	expect(query_tree, &query, "{\"parent\":2,\"name\":\"fib\"");
	expect(query_tree, &query, "\"left_out\":2}],\"left_out\":5}");
	query.limit = 0;
	query.least = 0.5;
	expect(query_tree, &query, "\"left_out\":2}],\"left_out\":5}");
	profile_free(profile);
}

static int quality(const struct query *query, struct json *json, struct err *err)
{
	(void)err;
	query_quality(query, NULL, &(struct remedy_facts){ 0 }, json);
	return 0;
}

TEST(query_of_all)
{
	struct profile *profile = some_profile();
	struct query query = { .profile = profile, .view.show_idle = true };
	struct profile *empty = profile_new();

	expect(query_events, &query,
	       "{\"query\":\"events\",\"rows\":[{\"event\":\"cpu-clock\","
	       "\"unit\":\"ns\",\"samples\":4,\"count\":\"16\",\"lost\":0,\"counted\":null}]");
	expect(query_threads, &query,
	       "{\"comm\":\"awk\",\"pid\":7,\"tid\":8,\"samples\":1,\"count\":"
	       "\"6\",\"percent\":37.5}");
	expect(quality, &query, "\"objects\":[{\"path\":\"/bin/prog\",\"samples\":4,");
	query.profile = empty;
	expect(query_top, &query,
	       "\"event\":null,\"unit\":null,\"weight\":\"period\",\"samples\":0,"
	       "\"count\":\"0\",\"rows\":[],\"matches\":0,\"left_out\":0}");
	expect(query_tree, &query, "\"nodes\":[{\"parent\":-1,\"name\":\"all\"");
	expect(query_threads, &query, "\"rows\":[]");
	expect(query_events, &query, "\"rows\":[]");
	expect(quality, &query, "\"objects\":[]");
	profile_free(empty);
	profile_free(profile);
}

TEST(query_refuses_before_it_writes)
{
	static writer *const questions[] = { query_tree, query_top, query_threads, query_events };
	struct profile *profile = some_profile();
	struct query query = { .profile = profile, .view.filter.keep = "(" };

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		struct json json = json_to(out);
		struct err err = { 0 };

		EXPECT_INT(questions[i](&query, &json, &err), -EINVAL);
		fclose(out);
		EXPECT_INT(size, 0);
		free(text);
	}
	profile_free(profile);
}
