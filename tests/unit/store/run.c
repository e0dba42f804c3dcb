// SPDX-License-Identifier: Apache-2.0
#include "store/people.h"
#include "store/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#define WORDS(...)                                                                    \
	{                                                                             \
		.data = (const char *[]){ __VA_ARGS__ },                              \
		.len = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *) \
	}

static void expect_words(const struct wordlist *got, const struct wordlist *want)
{
	EXPECT_INT(got->len, want->len);
	for (size_t i = 0; i < got->len; i++)
		EXPECT_TEXT(got->data[i], want->data[i]);
}

TEST(run_keeps_everything)
{
	struct run want = {
		.state = RUN_QUEUED,
		.host = "host",
		.person = "ann",
		.tool = "record",
		.form = "{\"rate\": 99, \"big\": 18446744073709551615}",
		.folder = "/tmp/\xff\xfe",
		.events = WORDS("cycles", "cache-misses:u", "cycles"),
		.argv = WORDS("./prog", "", "a b", "\xff\x80", "--x=\"y\""),
		.environment = WORDS("A=1", "B="),
		.tags = WORDS("z", "y", "z"),
		.facts = { .kernel = "6.1", .perfolio = "0.1.0", .cpu_model = "a CPU" },
	};
	const struct wordlist tags = WORDS("y", "z"), none = { 0 };
	struct run got;
	int64_t id;

	scene_open();
	want.session = scene_session("s");
	EXPECT_INT(store_run_add(scene_store, &want, &id, &scene_err), 0);
	scene_reopen();
	got = scene_get(id);
	EXPECT_INT(got.session, want.session);
	EXPECT_INT(got.state, RUN_QUEUED);
	EXPECT_INT(got.place, 1);
	EXPECT_TEXT(got.host, want.host);
	EXPECT_TEXT(got.person, want.person);
	EXPECT_TEXT(got.tool, want.tool);
	EXPECT_TEXT(got.form, want.form);
	EXPECT_TEXT(got.folder, want.folder);
	expect_words(&got.events, &want.events);
	expect_words(&got.argv, &want.argv);
	expect_words(&got.environment, &want.environment);
	expect_words(&got.tags, &tags);
	EXPECT_TEXT(got.facts.kernel, "6.1");
	EXPECT_TEXT(got.facts.reason, "");
	EXPECT_INT(got.facts.ending, ENDING_NONE);
	EXPECT_INT(got.purge_ns, 0);
	id = scene_queued(want.session);
	got = scene_get(id);
	expect_words(&got.argv, &none);
	expect_words(&got.events, &none);
	scene_close();
}

TEST(run_learns_facts_on_its_way)
{
	struct run_facts started = { .started_ns = 5, .kernel = "6.1" };
	struct run_facts ended = { .ending = ENDING_SIGNAL, .ending_code = 9, .quality = "{}" };
	struct run_facts failed = { .reason = "no" };
	struct run run;
	int64_t id;

	scene_open();
	id = scene_queued(scene_session("s"));
	EXPECT_INT(store_run_take(scene_store, HOST, &id, &scene_err), 1);
	EXPECT_INT(store_run_step(scene_store, id, RUN_STARTING, RUN_RUNNING, &started, &scene_err),
		   0);
	EXPECT_INT(store_run_step(scene_store, id, RUN_RUNNING, RUN_RUNNING, &ended, &scene_err),
		   0);
	EXPECT_INT(scene_step(id, RUN_RUNNING, RUN_PROCESSING), 0);
	EXPECT_INT(scene_get(id).facts.ended_ns, 0);
	EXPECT_INT(store_run_step(scene_store, id, RUN_PROCESSING, RUN_FAILED, &failed, &scene_err),
		   0);
	run = scene_get(id);
	EXPECT_INT(run.state, RUN_FAILED);
	EXPECT_INT(run.facts.started_ns, 5);
	EXPECT_INT(run.facts.ending, ENDING_SIGNAL);
	EXPECT_INT(run.facts.ending_code, 9);
	EXPECT_TEXT(run.facts.kernel, "6.1");
	EXPECT_TEXT(run.facts.quality, "{}");
	EXPECT_TEXT(run.facts.reason, "no");
	EXPECT(scene_just_now(run.facts.ended_ns));
	scene_close();
}

/* It was over before it was looked at: that takes time of its own. */
TEST(run_keeps_the_end_that_was_told)
{
	struct run_facts ended = { .ended_ns = 7 };
	int64_t id;

	scene_open();
	id = scene_queued(scene_session("s"));
	EXPECT_INT(store_run_take(scene_store, HOST, &id, &scene_err), 1);
	EXPECT_INT(scene_step(id, RUN_STARTING, RUN_RUNNING), 0);
	EXPECT_INT(store_run_step(scene_store, id, RUN_RUNNING, RUN_PROCESSING, &ended, &scene_err),
		   0);
	EXPECT_INT(scene_step(id, RUN_PROCESSING, RUN_DONE), 0);
	EXPECT_INT(scene_get(id).facts.ended_ns, 7);
	scene_close();
}

TEST(run_filters_and_pages)
{
	static const struct {
		struct run_filter filter;
		size_t found;
	} cases[] = {
		{ { .session = 0 }, 4 },
		{ { .session = 1 }, 3 },
		{ { .session = 2 }, 1 },
		{ { .states = 1U << RUN_QUEUED }, 3 },
		{ { .states = 1U << RUN_QUEUED | 1U << RUN_PROCESSING }, 4 },
		{ { .states = 1U << RUN_DONE }, 0 },
		{ { .host = "far" }, 1 },
		{ { .search = "sleep" }, 1 },
		{ { .search = "SLEEP far" }, 1 },
		{ { .search = "cache-m" }, 1 },
		{ { .search = "sleep 10" }, 1 },
		{ { .search = "cache-m nobody" }, 0 },
		{ { .tag = "best" }, 1 },
		{ { .page = { .before = 3 } }, 2 },
		{ { .page = { .limit = 3 } }, 3 },
		{ { .removed = true }, 1 },
	};
	struct run run = { .state = RUN_QUEUED,
			   .host = "far",
			   .argv = WORDS("sleep", "10"),
			   .events = WORDS("cache-misses"),
			   .tags = WORDS("best") };
	struct runs list = { 0 };
	int64_t id;

	scene_open();
	run.session = scene_session("1");
	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), 0);
	scene_queued(1);
	scene_run(1, RUN_PROCESSING);
	scene_queued(scene_session("2"));
	EXPECT_INT(store_remove(scene_store, STORE_RUN, scene_queued(2), 5, &scene_err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%zu", i);
		list.len = 0;
		EXPECT_INT(store_run_list(scene_store, &cases[i].filter, &scene_arena, &list,
					  &scene_err),
			   0);
		EXPECT_INT(list.len, cases[i].found);
		for (size_t j = 1; j < list.len; j++)
			EXPECT(list.data[j].id < list.data[j - 1].id);
	}
	EXPECT_INT(list.data[0].purge_ns, 5);
	vec_free(&list);
	scene_close();
}

TEST(run_needs_its_session)
{
	struct run run = { .session = 7, .state = RUN_QUEUED };
	int64_t id = 0;

	scene_open();
	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), -ENOENT);
	EXPECT_CONTAINS(scene_err.text, "no session 7");
	run.session = scene_session("s");
	run.state = RUN_DONE;
	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), -EPERM);
	EXPECT_INT(scene_number("SELECT count(*) FROM run"), 0);
	scene_close();
}

TEST(run_many_together_or_none)
{
	struct run lost = { .session = 7, .state = RUN_QUEUED };
	int64_t session, id;
	int rc;

	scene_open();
	session = scene_session("s");
	EXPECT_INT(store_begin(scene_store, &scene_err), 0);
	scene_queued(session);
	scene_queued(session);
	rc = store_run_add(scene_store, &lost, &id, &scene_err);
	EXPECT_INT(store_end(scene_store, rc, &scene_err), -ENOENT);
	EXPECT_CONTAINS(scene_err.text, "no session 7");
	EXPECT_INT(scene_number("SELECT count(*) FROM run"), 0);

	EXPECT_INT(store_begin(scene_store, &scene_err), 0);
	scene_queued(session);
	id = scene_queued(session);
	EXPECT_INT(scene_get(id).place, 2);
	EXPECT_INT(store_end(scene_store, 0, &scene_err), 0);
	EXPECT_INT(scene_number("SELECT count(*) FROM run"), 2);
	scene_close();
}

TEST(run_events_of_the_session_come_first)
{
	struct run here = { .state = RUN_QUEUED, .events = WORDS("faults", "cs") };
	struct run there = { .state = RUN_QUEUED, .events = WORDS("cycles", "cs") };
	struct event_uses uses = { 0 };
	int64_t id;

	scene_open();
	here.session = scene_session("here");
	there.session = scene_session("there");
	EXPECT_INT(store_run_add(scene_store, &here, &id, &scene_err), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_INT(store_run_add(scene_store, &there, &id, &scene_err), 0);
	EXPECT_INT(store_event_uses(scene_store, here.session, 0, &scene_arena, &uses, &scene_err),
		   0);
	EXPECT_INT(uses.len, 3);
	EXPECT_TEXT(uses.data[0].event, "cs");
	EXPECT_INT(uses.data[0].in_session, 1);
	EXPECT_INT(uses.data[0].overall, 4);
	EXPECT_TEXT(uses.data[1].event, "faults");
	EXPECT_INT(uses.data[1].overall, 1);
	EXPECT_TEXT(uses.data[2].event, "cycles");
	uses.len = 0;
	EXPECT_INT(store_event_uses(scene_store, 0, 1, &scene_arena, &uses, &scene_err), 0);
	EXPECT_INT(uses.len, 1);
	EXPECT_TEXT(uses.data[0].event, "cs");
	vec_free(&uses);
	scene_close();
}

/* Every text that can come from outside, with SQL in it: it goes in and comes out as it is. */
#define HOSTILE "x'); DROP TABLE run; --\"; DELETE FROM session; ?1 :a @b $c \\ % _"

TEST(run_text_is_never_sql)
{
	struct session_patch patch = { .title = HOSTILE, .notes = HOSTILE };
	struct session_filter sessions = { .search = HOSTILE, .tag = HOSTILE };
	struct run_filter runs = { .search = HOSTILE, .tag = HOSTILE, .host = HOSTILE };
	struct run_facts facts = { .kernel = HOSTILE,
				   .perfolio = HOSTILE,
				   .cpu_model = HOSTILE,
				   .quality = HOSTILE,
				   .reason = HOSTILE };
	struct run run = { .state = RUN_QUEUED,
			   .host = HOSTILE,
			   .person = HOSTILE,
			   .tool = HOSTILE,
			   .form = HOSTILE,
			   .folder = HOSTILE,
			   .events = WORDS(HOSTILE),
			   .argv = WORDS(HOSTILE),
			   .environment = WORDS(HOSTILE),
			   .tags = WORDS(HOSTILE),
			   .facts = facts };
	struct user user = { .name = HOSTILE, .password = HOSTILE };
	struct token token = { .label = HOSTILE, .hash = HOSTILE };
	struct sessions found_sessions = { 0 };
	struct runs found_runs = { 0 };
	const char *value;
	int64_t id, file;

	scene_open();
	run.session = scene_session("s");
	EXPECT_INT(store_session_change(scene_store, run.session, &patch, &scene_err), 0);
	EXPECT_INT(store_tag(scene_store, STORE_SESSION, run.session, HOSTILE, true, &scene_err),
		   0);
	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), 0);
	EXPECT_INT(store_run_take(scene_store, HOSTILE, &id, &scene_err), 1);
	EXPECT_INT(store_run_step(scene_store, id, RUN_STARTING, RUN_FAILED, &facts, &scene_err),
		   0);
	EXPECT_INT(store_file_add(scene_store, id, HOSTILE, &file, &scene_err), 0);
	EXPECT_INT(store_file_finish(scene_store, file, HOSTILE, 1, &scene_err), 0);
	EXPECT_INT(store_user_add(scene_store, &user, &token.user, &scene_err), 0);
	EXPECT_INT(store_user_find(scene_store, HOSTILE, &scene_arena, &user, &scene_err), 0);
	EXPECT_INT(store_token_add(scene_store, &token, &file, &scene_err), 0);
	EXPECT_INT(store_token_find(scene_store, HOSTILE, false, &scene_arena, &user, &scene_err),
		   0);
	EXPECT_TEXT(user.password, HOSTILE);
	EXPECT_INT(store_audit_add(scene_store, HOSTILE, HOSTILE, HOSTILE, &scene_err), 0);
	EXPECT_INT(store_setting_set(scene_store, HOSTILE, HOSTILE, &scene_err), 0);
	EXPECT_INT(store_setting_get(scene_store, HOSTILE, &scene_arena, &value, &scene_err), 0);
	EXPECT_TEXT(value, HOSTILE);
	EXPECT_INT(store_session_list(scene_store, &sessions, &scene_arena, &found_sessions,
				      &scene_err),
		   0);
	EXPECT_INT(found_sessions.len, 1);
	EXPECT_TEXT(found_sessions.data[0].notes, HOSTILE);
	EXPECT_INT(store_run_list(scene_store, &runs, &scene_arena, &found_runs, &scene_err), 0);
	EXPECT_INT(found_runs.len, 1);
	EXPECT_TEXT(found_runs.data[0].form, HOSTILE);
	EXPECT_TEXT(found_runs.data[0].facts.cpu_model, HOSTILE);
	EXPECT_TEXT(found_runs.data[0].argv.data[0], HOSTILE);
	EXPECT_INT(scene_number("SELECT count(*) FROM run"), 1);
	vec_free(&found_sessions);
	vec_free(&found_runs);
	scene_close();
}
