// SPDX-License-Identifier: Apache-2.0
#include "store/scene.h"
#include "store/steps.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

TEST(queue_only_legal_ways)
{
	static const char *const ways[] = {
		[RUN_QUEUED] = ".s....c",     /* starting, cancelled */
		[RUN_STARTING] = "..r..fc",   /* running, failed, cancelled */
		[RUN_RUNNING] = "...p.fc",    /* processing, ... */
		[RUN_PROCESSING] = "....dfc", /* done, ... */
		[RUN_DONE] = ".......",	      [RUN_FAILED] = ".......", [RUN_CANCELLED] = ".......",
	};
	int64_t run;

	scene_open();
	run = scene_queued(scene_session("s"));
	for (int from = 0; from < RUN_STATES; from++)
		for (int to = 0; to < RUN_STATES; to++) {
			bool legal = ways[from][to] != '.';

			test_case("%s to %s", run_state_name(from), run_state_name(to));
			EXPECT_BOOL(run_state_follows(from, to), legal);
			if (from == to || (from == RUN_QUEUED && legal))
				continue;
			EXPECT_INT(scene_step(run, from, to), legal ? -EAGAIN : -EPERM);
			EXPECT(scene_err.text[0]);
		}
	EXPECT_INT(scene_get(run).state, RUN_QUEUED);
	EXPECT_INT(scene_step(run, RUN_QUEUED, RUN_CANCELLED), 0);
	EXPECT_INT(scene_step(run, RUN_QUEUED, RUN_CANCELLED), -EAGAIN);
	EXPECT_TEXT(scene_err.text, "run 1 is not queued any more");
	EXPECT_INT(scene_step(99, RUN_QUEUED, RUN_CANCELLED), -ENOENT);
	scene_close();
}

TEST(queue_pause_only_while_it_runs)
{
	int64_t run, change;

	scene_open();
	run = scene_queued(scene_session("s"));
	EXPECT_INT(store_run_pause(scene_store, run, true, &scene_err), -EAGAIN);
	EXPECT_INT(scene_step(run, RUN_QUEUED, RUN_STARTING), 0);
	EXPECT_INT(scene_step(run, RUN_STARTING, RUN_RUNNING), 0);
	EXPECT_BOOL(scene_get(run).paused, false);
	change = scene_get(run).change;
	EXPECT_INT(store_run_pause(scene_store, run, true, &scene_err), 0);
	EXPECT_BOOL(scene_get(run).paused, true);
	EXPECT(scene_get(run).change > change);
	EXPECT_INT(scene_step(run, RUN_RUNNING, RUN_RUNNING), 0);
	EXPECT_BOOL(scene_get(run).paused, true);
	EXPECT_INT(scene_step(run, RUN_RUNNING, RUN_PROCESSING), 0);
	EXPECT_BOOL(scene_get(run).paused, false);
	EXPECT_INT(store_run_pause(scene_store, run, false, &scene_err), -EAGAIN);
	EXPECT_INT(store_run_pause(scene_store, 99, true, &scene_err), -ENOENT);
	scene_close();
}

static void add_id(char *text, size_t room, int64_t id)
{
	size_t length = strlen(text);

	snprintf(text + length, room - length, "%s%lld", length ? " " : "", (long long)id);
}

/* By the places in a list, by that of each run, and by the queue itself. */
static void expect_order(const char *want)
{
	struct run_filter filter = { .states = 1U << RUN_QUEUED };
	struct runs list = { 0 };
	struct queue queue = { 0 };
	char got[50] = "", waiting[50] = "";

	EXPECT_INT(store_run_list(scene_store, &filter, &scene_arena, &list, &scene_err), 0);
	for (int64_t place = 1; place <= (int64_t)list.len; place++)
		vec_each (run, &list)
			if (run->place == place && scene_get(run->id).place == place)
				add_id(got, sizeof(got), run->id);
	EXPECT_INT(store_queue(scene_store, &queue, &scene_err), 0);
	vec_each (entry, &queue)
		if (entry->waits)
			add_id(waiting, sizeof(waiting), entry->run);
	vec_free(&list);
	vec_free(&queue);
	EXPECT_TEXT(got, want);
	EXPECT_TEXT(waiting, want);
}

TEST(queue_order_can_be_changed)
{
	int64_t session, taken;

	scene_open();
	session = scene_session("s");
	for (int i = 0; i < 4; i++)
		scene_queued(session);
	expect_order("1 2 3 4");
	EXPECT_INT(store_run_move(scene_store, 4, 1, &scene_err), 0);
	expect_order("4 1 2 3");
	EXPECT_INT(store_run_move(scene_store, 4, 3, &scene_err), 0);
	expect_order("1 2 4 3");
	EXPECT_INT(store_run_move(scene_store, 1, 0, &scene_err), 0);
	expect_order("2 4 3 1");
	EXPECT_INT(store_run_move(scene_store, 3, 3, &scene_err), 0);
	expect_order("2 4 3 1");
	EXPECT_INT(store_run_move(scene_store, 99, 3, &scene_err), -ENOENT);
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
	EXPECT_INT(taken, 2);
	EXPECT_INT(store_run_move(scene_store, 2, 3, &scene_err), -EAGAIN);
	EXPECT_INT(store_run_move(scene_store, 3, 2, &scene_err), -EAGAIN);
	EXPECT_CONTAINS(scene_err.text, "run 2 does not wait in that queue");
	expect_order("4 3 1");
	EXPECT_INT(store_remove(scene_store, STORE_RUN, 4, 1, &scene_err), 0);
	expect_order("3 1");
	EXPECT_INT(store_restore(scene_store, STORE_RUN, 4, &scene_err), 0);
	expect_order("4 3 1");
	scene_close();
}

static int64_t queued_of(int64_t session, int64_t maker, const char *form)
{
	struct run run = {
		.session = session, .state = RUN_QUEUED, .host = HOST, .form = form, .maker = maker
	};
	int64_t id = 0;

	EXPECT_INT(store_run_add(scene_store, &run, &id, &scene_err), 0);
	return id;
}

TEST(queue_people_take_turns)
{
	int64_t session;

	scene_open();
	session = scene_session("s");
	for (int i = 0; i < 4; i++)
		queued_of(session, 1, "{}");
	/* as before 0007: no place is free between two */
	scene_exec("UPDATE run SET place = id");
	queued_of(session, 2, "{}");
	expect_order("1 5 2 3 4");
	queued_of(session, 2, "{}");
	queued_of(session, 3, "{}");
	expect_order("1 5 7 2 6 3 4");
	for (int i = 0; i < 3; i++)
		queued_of(session, 3, "{}");
	expect_order("1 5 7 2 6 8 3 9 4 10");
	scene_close();
}

/* Rows with long texts stay where they are when somebody gets a place before them. */
TEST(queue_a_place_costs_the_same_in_a_long_queue)
{
	char *text = mem_alloc(20001);
	int64_t session;

	memset(text, 'f', 20000);
	scene_open();
	session = scene_session("s");
	for (int i = 0; i < 100; i++)
		queued_of(session, 1, text);
	steps_begin(STEPS_COUNT, 0);
	EXPECT_INT(scene_get(queued_of(session, 2, text)).place, 2);
	EXPECT(steps_end() < 100);
	free(text);
	scene_close();
}

TEST(queue_one_at_a_time_on_each_host)
{
	struct run far = { .state = RUN_QUEUED, .host = "far" };
	int64_t session, far_id, taken;

	scene_open();
	session = far.session = scene_session("s");
	scene_queued(session);
	scene_queued(session);
	EXPECT_INT(store_run_add(scene_store, &far, &far_id, &scene_err), 0);
	EXPECT_INT(scene_get(far_id).place, 1);
	EXPECT_INT(store_run_move(scene_store, far_id, 1, &scene_err), -EAGAIN);
	EXPECT_INT(store_run_take(scene_store, "nowhere", &taken, &scene_err), 0);
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
	EXPECT_INT(taken, 1);
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 0);
	EXPECT_INT(store_run_take(scene_store, "far", &taken, &scene_err), 1);
	EXPECT_INT(taken, far_id);
	EXPECT_INT(scene_step(1, RUN_STARTING, RUN_RUNNING), 0);
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 0);
	EXPECT_INT(scene_step(1, RUN_RUNNING, RUN_PROCESSING), 0); /* nothing is measured now */
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
	EXPECT_INT(taken, 2);
	scene_close();
}

TEST(queue_after_a_restart)
{
	struct datadir_sweep sweep;
	int64_t session, taken, alive = 2;
	struct run run;

	scene_open();
	session = scene_session("s");
	for (int i = 0; i < 4; i++)
		scene_queued(session);
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
		EXPECT_INT(scene_step(taken, RUN_STARTING, RUN_RUNNING), 0);
		EXPECT_INT(scene_step(taken, RUN_RUNNING, RUN_PROCESSING), 0);
	}
	scene_exec("UPDATE run SET state = 'running' WHERE id < 3");
	scene_reopen();
	EXPECT_INT(datadir_recover(scene_dir, &(struct datadir_alive){ &alive, 1, false }, &sweep,
				   &scene_err),
		   0);
	EXPECT_INT(sweep.interrupted, 1);
	run = scene_get(1);
	EXPECT_INT(run.state, RUN_FAILED);
	EXPECT_TEXT(run.facts.reason, "interrupted");
	EXPECT(run.facts.ended_ns);
	EXPECT_INT(scene_get(2).state, RUN_RUNNING); /* its runner has outlived us */
	EXPECT_INT(scene_get(3).state, RUN_PROCESSING);
	EXPECT_INT(scene_get(4).state, RUN_QUEUED);
	EXPECT_INT(datadir_recover(scene_dir, NULL, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.interrupted, 1);
	EXPECT_INT(scene_get(2).state, RUN_FAILED);
	scene_close();
}

/* Only the web side was killed: what its supervisor does not know was never begun. */
TEST(queue_gets_back_what_was_never_begun)
{
	const int64_t held = 1;
	const struct datadir_alive alive = { &held, 1, .all = true };
	struct datadir_sweep sweep;
	struct content *content;
	int64_t session, taken;

	scene_open();
	session = scene_session("s");
	for (int i = 0; i < 4; i++)
		scene_queued(session);
	for (int i = 0; i < 2; i++) {
		EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
		content = content_begin(scene_dir, taken, "output", &scene_err);
		EXPECT(content);
		content_leave(content);
		scene_exec("UPDATE run SET state = 'processing' WHERE state = 'starting'");
	}
	scene_exec("UPDATE run SET state = 'starting' WHERE state = 'processing'");
	scene_reopen();
	EXPECT_INT(datadir_recover(scene_dir, &alive, &sweep, &scene_err), 0);
	EXPECT_INT(sweep.put_back, 1);
	EXPECT_INT(sweep.interrupted, 0);
	EXPECT_INT(sweep.orphans, 1); /* the file that was to be written */
	EXPECT_INT(scene_get(1).state, RUN_STARTING);
	EXPECT_INT(scene_get(2).state, RUN_QUEUED);
	EXPECT_INT(scene_get(2).place, 1); /* as the first */
	EXPECT_INT(scene_get(3).place, 2);
	scene_exec("UPDATE run SET state = 'done' WHERE id = 1");
	EXPECT_INT(store_run_take(scene_store, HOST, &taken, &scene_err), 1);
	EXPECT_INT(taken, 2);
	scene_close();
}

#define CONTESTED 40

static atomic_int left;

/* Takes runs until there are none; each has a connection of its own, as two servers would. */
static void *taker(void *argument)
{
	struct err err = { 0 };
	struct datadir *dir = datadir_open(scene_path(), DATADIR_ROWS, &err);
	struct store *store = dir ? datadir_store(dir) : NULL;
	int *takes = argument, rc = store ? 0 : -EIO;
	int64_t id;

	while (left > 0 && rc >= 0) {
		rc = store_run_take(store, HOST, &id, &err);
		if (rc > 0) {
			takes[id]++;
			left--;
			rc = store_run_step(store, id, RUN_STARTING, RUN_FAILED, NULL, &err);
		}
	}
	datadir_close(dir);
	return rc < 0 ? mem_strdup(err.text) : NULL;
}

TEST(queue_nothing_is_taken_twice)
{
	int takes[3][CONTESTED + 1] = { 0 };
	pthread_t threads[3];
	void *complaint;
	int64_t session;

	scene_open();
	session = scene_session("s");
	left = CONTESTED;
	for (int i = 0; i < CONTESTED; i++)
		scene_queued(session);
	for (int i = 0; i < 3; i++)
		EXPECT_INT(pthread_create(&threads[i], NULL, taker, takes[i]), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_INT(pthread_join(threads[i], &complaint), 0);
		EXPECT_TEXT(complaint ? complaint : "", "");
	}
	for (int id = 1; id <= CONTESTED; id++) {
		test_case("run %d", id);
		EXPECT_INT(takes[0][id] + takes[1][id] + takes[2][id], 1);
	}
	scene_close();
}
