// SPDX-License-Identifier: Apache-2.0
/*
 * A process is killed, or finds the disk full, at one of its steps: after that the folder can be
 * opened, rows and files agree, what was promised before is still so, and nothing runs twice.
 */
#include "store/people.h"
#include "store/scene.h"
#include "store/steps.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 30 /* of each kind; all steps with PERFOLIO_LONG */

/* How far the process came, in memory that outlives it. */
static struct progress {
	bool queued, taken, begun, removed;
	int64_t run, written; /* bytes of its recording that were promised */
	struct err err;
} * progress;

#define TRY(call)                  \
	do {                       \
		int rc = (call);   \
		if (rc < 0)        \
			return rc; \
	} while (0)

static int record(struct datadir *dir, int64_t run, struct err *err)
{
	struct content *content = content_begin(dir, run, "recording", err);
	int rc = 0;

	if (!content)
		return -EIO;
	progress->begun = true;
	for (int i = 0; i < 3 && !rc; i++) {
		rc = content_write(content, "recorded;", 9, err);
		if (!rc)
			progress->written += 9;
	}
	if (!rc)
		return content_end(content, err);
	content_abandon(content, NULL);
	progress->written = 0;
	return rc;
}

/* A life of a session, with everything that writes. */
static int live(struct datadir *dir, struct err *err)
{
	struct session_patch first = { .title = "crash" };
	struct run run = { .state = RUN_QUEUED, .host = HOST };
	struct store *store = datadir_store(dir);
	struct datadir_sweep sweep;
	int64_t other = 0;

	TRY(store_session_add(store, &first, &run.session, err));
	TRY(store_run_add(store, &run, &progress->run, err));
	TRY(store_run_add(store, &run, &other, err));
	progress->queued = true;
	TRY(store_run_take(store, HOST, &run.id, err));
	progress->taken = true;
	TRY(store_run_step(store, run.id, RUN_STARTING, RUN_RUNNING, NULL, err));
	TRY(record(dir, run.id, err));
	TRY(store_run_step(store, run.id, RUN_RUNNING, RUN_PROCESSING, NULL, err));
	TRY(store_run_step(store, run.id, RUN_PROCESSING, RUN_DONE, NULL, err));
	TRY(store_remove(store, STORE_RUN, run.id, 1000, err));
	progress->removed = true;
	TRY(datadir_purge(dir, 1000, &sweep, err));
	TRY(store_audit_add(store, "ann", "lived", "", err));
	return datadir_gc(dir, 1000, &sweep, err);
}

static int open_and_live(struct err *err)
{
	struct datadir *dir = datadir_open(scene_path(), DATADIR_SERVE, err);
	struct datadir_sweep sweep;
	int rc = dir ? datadir_recover(dir, NULL, &sweep, err) : -EIO;

	if (!rc)
		rc = live(dir, err);
	datadir_close(dir);
	return rc;
}

/* In another process; whether it came to its end without meeting step `at`. */
static bool live_until(enum steps_what what, long at)
{
	int status = 0;
	pid_t child;

	memset(progress, 0, sizeof(*progress));
	child = fork();
	if (!child) {
		steps_begin(what, at);
		open_and_live(&progress->err);
		_exit(steps_end() < at);
	}
	EXPECT(child > 0);
	EXPECT_INT(waitpid(child, &status, 0), child);
	if (what == STEPS_KILL && WIFSIGNALED(status))
		EXPECT_INT(WTERMSIG(status), SIGKILL);
	else
		EXPECT(WIFEXITED(status));
	return WIFEXITED(status) && WEXITSTATUS(status);
}

static long count_steps(void)
{
	struct err err = { 0 };

	steps_begin(STEPS_COUNT, 0);
	EXPECT_INT(open_and_live(&err), 0);
	return steps_end();
}

static void expect_promises(void)
{
	struct run_filter filter = { .states = 1U << RUN_QUEUED };
	struct runs queued = { 0 };
	struct run run;
	int rc;

	EXPECT_INT(store_run_list(scene_store, &filter, &scene_arena, &queued, &scene_err), 0);
	if (progress->queued)
		EXPECT(queued.len >= 1 && queued.len <= 2);
	if (progress->taken) {
		EXPECT_INT(queued.len, 1);
		EXPECT(queued.data[0].id != progress->run);
	}
	vec_free(&queued);
	rc = store_run_get(scene_store, progress->run, &scene_arena, &run, &scene_err);
	if (progress->taken && !progress->removed && !rc) {
		EXPECT(run.state != RUN_QUEUED && run.state != RUN_STARTING);
		EXPECT(run.bytes >= progress->written);
	}
}

static void forget_sessions(void)
{
	struct datadir_sweep sweep;

	scene_exec("UPDATE run SET state = 'cancelled', place = NULL WHERE state <> 'done'");
	scene_exec("UPDATE session SET purge_ns = 1");
	EXPECT_INT(datadir_gc(scene_dir, 1, &sweep, &scene_err), 0);
	arena_free(&scene_arena);
}

static void begin(void)
{
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	EXPECT(progress != MAP_FAILED);
	scene_open();
	scene_shut();
}

static void end(void)
{
	munmap(progress, sizeof(*progress));
	scene_close();
}

/* Every step from a random one on, so that all have their turn in the course of time. */
static void each_round(enum steps_what what, void (*check)(void))
{
	long total, stride, start;

	begin();
	total = count_steps();
	stride = getenv("PERFOLIO_LONG") ? 1 : total / ROUNDS + 1;
	start = 1 + time(NULL) % stride;
	EXPECT(total > 50);
	for (long at = start; at <= total; at += stride) {
		test_case("step %ld of %ld", at, total);
		if (live_until(what, at))
			break;
		scene_reopen();
		check();
		scene_expect_agreement();
		forget_sessions();
		scene_shut();
	}
	end();
}

static void check_kill(void)
{
	struct datadir_sweep sweep;

	EXPECT_INT(datadir_recover(scene_dir, NULL, &sweep, &scene_err), 0);
	expect_promises();
}

TEST(crash_between_any_two_steps)
{
	each_round(STEPS_KILL, check_kill);
}

static void check_full(void)
{
	/* a file that could be opened, read or unlinked needs no room, so some of it may succeed */
	if (progress->err.code) {
		EXPECT_INT(progress->err.code, ENOSPC);
		EXPECT(strstr(progress->err.text, "pace left on ") ||
		       strstr(progress->err.text, "the disk is full: "));
	}
	check_kill();
}

TEST(crash_disk_full_at_any_step)
{
	each_round(STEPS_FULL, check_full);
}

/* The first start of all, in an empty folder: each round has a new one. */
TEST(crash_while_the_database_is_made)
{
	long stride = getenv("PERFOLIO_LONG") ? 1 : 23;
	bool finished = false;

	for (long at = 1 + time(NULL) % stride; !finished; at += stride) {
		test_case("step %ld", at);
		begin();
		scene_empty();
		finished = live_until(STEPS_KILL, at) || progress->queued;
		scene_reopen();
		scene_expect_agreement();
		end();
	}
}
