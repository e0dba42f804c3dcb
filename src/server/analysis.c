// SPDX-License-Identifier: Apache-2.0
#include "server/analysis.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/analysis_end.h"
#include "server/app.h"
#include "server/jobs.h"
#include "server/link.h"
#include "server/live.h"
#include "store/content.h"
#include "store/datadir.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_NS    (NS_PER_SEC)
#define AGAIN_MOST  (60 * NS_PER_SEC)
#define PERSON_MOST 8 /* analysers at once: all together are fewer than the supervisor starts */

enum kind { OF_RUN, OF_IMPORT, KINDS };

/* One whose runs are looked at: people take turns, for each kind on its own. */
struct share {
	char *person;
	size_t busy[KINDS];   /* analysers that are at it now */
	uint64_t last[KINDS]; /* when one was started last, as analysis.started */
};

/* A run that an analyser is at, or will be. */
struct task {
	struct analysis *analysis;
	struct share *share;
	int64_t run;
	int64_t job;  /* 0: it waits for its turn */
	bool dropped; /* it was cancelled or removed: its analyser is being ended */
	bool back;    /* ... and it is there again */
	bool follows;
	bool wanted; /* the run has ended: its index is what is waited for */
	bool imported;
	bool hidden;	  /* its tree is too large to be shown while it grows */
	int64_t again_ns; /* it waits until then, since there was no room or no database */
	int64_t pause_ns; /* before the next try: longer each time */
	int64_t room;	  /* bytes that the last try would have needed at least */
	int out;
	char name[CONTENT_UPLOAD_NAME]; /* of `out` */
};

struct analysis {
	struct app *app;
	pthread_mutex_t lock;
	VEC(struct task *) tasks;
	VEC(struct share *) shares;
	uint64_t started; /* analysers, until now */
};

struct analysis *analysis_new(struct app *app)
{
	struct analysis *analysis = mem_alloc(sizeof(*analysis));

	analysis->app = app;
	pthread_mutex_init(&analysis->lock, NULL);
	return analysis;
}

void analysis_free(struct analysis *analysis)
{
	if (!analysis)
		return;
	vec_each (task, &analysis->tasks)
		free(*task);
	vec_free(&analysis->tasks);
	vec_each (share, &analysis->shares) {
		free((*share)->person);
		free(*share);
	}
	vec_free(&analysis->shares);
	pthread_mutex_destroy(&analysis->lock);
	free(analysis);
}

/* ---- tasks ---- */

static struct task *find(struct analysis *analysis, int64_t run)
{
	vec_each (task, &analysis->tasks)
		if ((*task)->run == run)
			return *task;
	return NULL;
}

static struct share *share_of(struct analysis *analysis, const char *person)
{
	struct share *share;

	vec_each (known, &analysis->shares)
		if (!strcmp((*known)->person, person))
			return *known;
	share = mem_alloc(sizeof(*share));
	share->person = mem_strdup(person);
	*vec_push(&analysis->shares) = share;
	return share;
}

static struct task *add_task(struct analysis *analysis, int64_t run)
{
	struct task *task = mem_alloc(sizeof(*task));
	struct arena arena = { 0 };
	struct run known = { .person = "", .tool = "" };

	if (store_run_get(analysis->app->store, run, &arena, &known, NULL))
		known.person = known.tool = ""; /* whatever is wrong is said when it is opened */
	*task = (struct task){ .analysis = analysis,
			       .share = share_of(analysis, known.person),
			       .run = run,
			       .imported = !strcmp(known.tool, "import"),
			       .out = -1 };
	*vec_push(&analysis->tasks) = task;
	arena_free(&arena);
	return task;
}

static void drop_output(struct task *task)
{
	if (task->out < 0)
		return;
	close(task->out);
	task->out = -1;
	content_upload_drop(task->analysis->app->dir, task->name);
}

static void forget(struct task *task)
{
	struct analysis *analysis = task->analysis;

	drop_output(task);
	vec_drop(&analysis->tasks, task);
	free(task);
}

/* ---- jobs ---- */

static void start_waiting(struct analysis *analysis);

/* Whoever looks at a run live may see a tree that is too large no further, and nothing else. */
static int hear_growth(void *user, const struct ipc_type *type, const void *message,
		       struct err *err)
{
	struct task *task = user;
	struct live *live = task->analysis->app->live;
	int rc = 0;

	if (type != &msg_live_tree && type != &msg_live_heat && type != &msg_live_lanes)
		return err_set(err, EPROTO, "an analyser said '%s'", type->name);
	if (!live || task->hidden)
		return 0;
	if (type == &msg_live_tree)
		rc = live_tree_feed(live, task->run, message, err);
	else if (type == &msg_live_heat)
		rc = live_heat_feed(live, task->run, message, err);
	else
		rc = live_lanes_feed(live, task->run, message, err);
	task->hidden = rc == -E2BIG;
	return task->hidden ? 0 : rc;
}

/* What the run had for itself is needed no more. */
static void let_go(struct app *app, int64_t run)
{
	struct msg_analysed analysed = { .run = (uint64_t)run };

	if (app->link)
		link_send(app->link, &msg_analysed, &analysed, NULL);
}

/* The recording of a program that could not be started was followed, and then not kept. */
static bool has_gone(struct task *task)
{
	struct analysis_source source;
	struct err err = { 0 };
	int rc = analysis_open(task->analysis->app, task->run, &source, &err);

	if (!rc)
		analysis_close(&source);
	return rc == -ENODATA;
}

/* False: it could not be noted, and has to be tried again. */
static bool conclude(struct task *task, const struct job_result *result)
{
	struct app *app = task->analysis->app;
	struct analysis_result end = { .quality = result->quality,
				       .facts = result->facts,
				       .index = task->name };
	int rc;

	if (task->follows && has_gone(task))
		return !analysis_end(app, task->run, -1, &(struct analysis_result){ 0 });
	if (result->failed)
		return !analysis_fail(app, task->run, result->reason);
	rc = analysis_end(app, task->run, task->out, &end);
	if (!rc) { /* the upload is the run's, or was no index */
		close(task->out);
		task->out = -1;
		content_upload_drop(app->dir, task->name);
	}
	return !rc;
}

/* What was counted and printed of a run that was cancelled can be looked at; no samples. */
static void give_up(struct app *app, int64_t run)
{
	struct arena arena = { 0 };
	struct run known;

	if (!store_run_get(app->store, run, &arena, &known, NULL) && known.state == RUN_CANCELLED)
		analysis_end(app, run, -1, &(struct analysis_result){ 0 });
	let_go(app, run);
	arena_free(&arena);
}

/* Back among those that wait, for a while. */
static void try_again(struct task *task)
{
	struct stat info;

	task->pause_ns = task->pause_ns ? 2 * task->pause_ns : AGAIN_NS;
	if (task->pause_ns > AGAIN_MOST)
		task->pause_ns = AGAIN_MOST;
	task->again_ns = clock_now_ns() + task->pause_ns;
	if (task->out >= 0 && !fstat(task->out, &info))
		task->room = 2 * info.st_size;
	drop_output(task);
	task->follows = false;
	task->job = 0;
}

/*
 * A run that was followed and whose analyser failed is looked at once more, as a whole, when it has
 * ended; that may be now.  So is one whose index found no room: it waits until there is more.
 */
static void job_done(void *user, const struct job_result *result)
{
	struct task *task = user;
	struct analysis *analysis = task->analysis;
	bool ending = result->ended, concludes, dropped, noted = false;
	/* an import that needs more than there is may be one that needs more than any disk has */
	bool no_room = result->no_room && !task->imported;

	pthread_mutex_lock(&analysis->lock);
	concludes = task->wanted && !task->dropped && !ending && !no_room &&
		    !(task->follows && result->failed);
	pthread_mutex_unlock(&analysis->lock);
	if (result->failed)
		log_line(LOG_DEBUG, "run %lld: %s", (long long)task->run, result->reason);
	if (concludes)
		noted = conclude(task, result);
	if (noted)
		let_go(analysis->app, task->run);
	pthread_mutex_lock(&analysis->lock);
	dropped = task->dropped && !task->back;
	task->dropped = task->back = false;
	if (dropped) {
		give_up(analysis->app, task->run);
		forget(task);
	} else if (task->wanted && !noted && !ending && (concludes || no_room)) {
		try_again(task);
	} else if (task->wanted && !noted && !ending) {
		drop_output(task);
		task->follows = false;
		task->job = 0;
	} else {
		forget(task);
	}
	if (!ending)
		start_waiting(analysis);
	pthread_mutex_unlock(&analysis->lock);
}

static int start_job(struct task *task, struct job_spec *spec, struct err *err)
{
	struct analysis *analysis = task->analysis;

	task->out = content_upload(analysis->app->dir, 0, task->name, err);
	if (task->out < 0)
		return task->out;
	spec->out = task->out;
	spec->user = task;
	spec->done = job_done;
	task->job = jobs_start(analysis->app->jobs, spec, err);
	return task->job < 0 ? (int)task->job : 0;
}

/* The file to look at, and room to unpack it. */
static int start_index(struct task *task, struct err *err)
{
	struct app *app = task->analysis->app;
	struct analysis_source source;
	struct msg_input inputs[2] = { { 0 } };
	struct job_spec spec = { .kind = ANALYSE_INDEX, .inputs = inputs };
	int rc = analysis_open(app, task->run, &source, err);

	if (rc)
		return rc;
	rc = datadir_room(app->dir, task->room, (int64_t)app->policy.max_disk, err);
	if (rc) {
		analysis_close(&source);
		return rc;
	}
	spec.imported = !strcmp(source.kind, "import");
	spec.person = source.person;
	spec.run = task->run;
	inputs[spec.input_count++] = (struct msg_input){ .kind = source.kind,
							 .name = source.name,
							 .run = (uint64_t)task->run,
							 .fd = source.fd };
	if (spec.imported)
		inputs[spec.input_count++] = (struct msg_input){ .kind = "scratch",
								 .fd = source.scratch };
	rc = start_job(task, &spec, err);
	analysis_close(&source);
	return rc;
}

/* A run without samples needs no analyser. */
static void begin_index(struct task *task)
{
	struct app *app = task->analysis->app;
	struct err err = { 0 };
	int rc = start_index(task, &err);

	if (!rc)
		return;
	if (rc == -ENODATA)
		rc = analysis_end(app, task->run, -1, &(struct analysis_result){ 0 });
	else if (rc != -ESHUTDOWN && rc != -ENOSPC && rc != -EDQUOT)
		rc = analysis_fail(app, task->run, err.text);
	if (!rc)
		let_go(app, task->run);
	if (rc && rc != -ESHUTDOWN)
		try_again(task);
	else
		forget(task);
}

/* How many look at recordings of one person at once, beside the one that follows. */
static size_t most_at_once(const struct analysis *analysis)
{
	size_t cpus = analysis->app->policy.cpus;

	return cpus > 2 * PERSON_MOST ? PERSON_MOST : cpus > 3 ? cpus / 2 : 1;
}

/* How many are at that kind now. */
static size_t count_busy(struct analysis *analysis, enum kind kind)
{
	size_t busy = 0;

	vec_each (share, &analysis->shares)
		(*share)->busy[kind] = 0;
	vec_each (task, &analysis->tasks)
		if ((*task)->job && !(*task)->follows && (*task)->imported == (kind == OF_IMPORT)) {
			(*task)->share->busy[kind]++;
			busy++;
		}
	return busy;
}

/* Of people the one who has waited longest, of runs of the same the oldest. */
static bool goes_before(const struct task *a, const struct task *b, enum kind kind)
{
	if (a->share != b->share && a->share->last[kind] != b->share->last[kind])
		return a->share->last[kind] < b->share->last[kind];
	return a->run < b->run;
}

/*
 * One person never has all places: there is one more than anybody may have.  Imports, which may
 * take as long as whoever made them likes, have places of their own.
 */
static struct task *next_of(struct analysis *analysis, enum kind kind)
{
	size_t most = most_at_once(analysis), busy = count_busy(analysis, kind);
	int64_t now_ns = clock_now_ns();
	struct task *next = NULL;

	if (busy > most)
		return NULL;
	vec_each (task, &analysis->tasks)
		if (!(*task)->job && (*task)->imported == (kind == OF_IMPORT) &&
		    (*task)->again_ns <= now_ns && (*task)->share->busy[kind] < most &&
		    (!next || goes_before(*task, next, kind)))
			next = *task;
	return next;
}

static void start_waiting(struct analysis *analysis)
{
	struct task *next;

	for (enum kind kind = 0; kind < KINDS; kind++)
		while ((next = next_of(analysis, kind)) != NULL) {
			next->share->last[kind] = ++analysis->started;
			begin_index(next);
		}
}

/* ---- from outside ---- */

static int start_following(struct task *task, uint64_t began_ns, struct err *err)
{
	struct analysis_source source;
	char began[40];
	const char *options[] = { began };
	struct msg_input input = { .kind = "recording", .run = (uint64_t)task->run };
	struct job_spec spec = { .kind = ANALYSE_FOLLOW,
				 .endless = true,
				 .options = { .data = options, .len = ARRAY_SIZE(options) },
				 .inputs = &input,
				 .input_count = 1,
				 .hear = hear_growth };
	int rc = analysis_open_growing(task->analysis->app, task->run, &source, err);

	if (rc)
		return rc;
	task->follows = true;
	snprintf(began, sizeof(began), "began=%" PRIu64, began_ns);
	input.fd = source.fd;
	spec.person = source.person;
	spec.run = task->run;
	rc = start_job(task, &spec, err);
	analysis_close(&source);
	return rc;
}

void analysis_follow(struct analysis *analysis, int64_t run, uint64_t began_ns)
{
	struct err err = { 0 };
	struct task *task;
	int rc;

	pthread_mutex_lock(&analysis->lock);
	if (!find(analysis, run)) {
		task = add_task(analysis, run);
		rc = start_following(task, began_ns, &err);
		if (rc && rc != -ENODATA)
			log_line(LOG_WARN, "run %lld is not shown live: %s", (long long)run,
				 err.text);
		if (rc)
			forget(task);
	}
	pthread_mutex_unlock(&analysis->lock);
}

void analysis_process(struct analysis *analysis, int64_t run)
{
	struct task *task;

	pthread_mutex_lock(&analysis->lock);
	task = find(analysis, run);
	if (task && !task->wanted)
		jobs_complete(analysis->app->jobs, task->job, (uint64_t)run);
	if (!task)
		task = add_task(analysis, run);
	task->back = task->dropped;
	task->wanted = true;
	start_waiting(analysis);
	pthread_mutex_unlock(&analysis->lock);
}

void analysis_go_on(struct analysis *analysis, bool at_once)
{
	pthread_mutex_lock(&analysis->lock);
	vec_each (task, &analysis->tasks)
		if (at_once)
			(*task)->again_ns = (*task)->pause_ns = 0;
	start_waiting(analysis);
	pthread_mutex_unlock(&analysis->lock);
}

/* Called with the lock held. */
static void drop(struct task *task)
{
	struct app *app = task->analysis->app;

	if (task->job) {
		task->dropped = true;
		jobs_stop(app->jobs, task->job);
		return;
	}
	give_up(app, task->run);
	forget(task);
}

void analysis_drop(struct analysis *analysis, int64_t run)
{
	struct task *task;

	pthread_mutex_lock(&analysis->lock);
	task = find(analysis, run);
	if (task)
		drop(task);
	pthread_mutex_unlock(&analysis->lock);
}

void analysis_drop_removed(struct analysis *analysis)
{
	pthread_mutex_lock(&analysis->lock);
	for (size_t i = analysis->tasks.len; i--;) {
		struct task *task = analysis->tasks.data[i];
		struct arena arena = { 0 };
		struct run run;

		if (store_run_get(analysis->app->store, task->run, &arena, &run, NULL) == -ENOENT)
			drop(task);
		arena_free(&arena);
	}
	pthread_mutex_unlock(&analysis->lock);
}

void analysis_remake(struct analysis *analysis, int64_t run)
{
	pthread_mutex_lock(&analysis->lock);
	if (!find(analysis, run)) {
		add_task(analysis, run)->wanted = true;
		start_waiting(analysis);
	}
	pthread_mutex_unlock(&analysis->lock);
}

/* What ended without having been looked at: its server, or the analyser with it, was killed. */
static bool is_left(const struct run *run)
{
	return run->state == RUN_PROCESSING || (run->facts.started_ns && !*run->facts.facts);
}

/* Folders of runs that a server before us had analysed, or that are gone. */
static void let_go_of_others(struct analysis *analysis)
{
	struct app *app = analysis->app;

	for (size_t i = 0; i < app->policy.private_runs.len; i++) {
		int64_t id = strtoll(app->policy.private_runs.data[i], NULL, 10);
		struct arena arena = { 0 };
		struct run run;
		int rc = store_run_get(app->store, id, &arena, &run, NULL);
		bool over = !rc && (run.state == RUN_DONE || run.state == RUN_FAILED ||
				    run.state == RUN_CANCELLED);

		pthread_mutex_lock(&analysis->lock);
		if (rc == -ENOENT || (over && !find(analysis, id)))
			let_go(app, id);
		pthread_mutex_unlock(&analysis->lock);
		arena_free(&arena);
	}
}

static int take_up(struct analysis *analysis, int64_t session, struct err *err)
{
	struct run_filter filter = { .session = session,
				     .states = 1u << RUN_PROCESSING | 1u << RUN_FAILED |
					       1u << RUN_CANCELLED,
				     .page.limit = 1000 };
	struct arena arena = { 0 };
	struct runs runs = { 0 };
	int rc;

	do {
		runs.len = 0;
		rc = store_run_list(analysis->app->store, &filter, &arena, &runs, err);
		vec_each (run, &runs) {
			if (is_left(run))
				analysis_process(analysis, run->id);
			filter.page.before = run->id;
		}
	} while (!rc && runs.len);
	vec_free(&runs);
	arena_free(&arena);
	return rc;
}

int analysis_begin(struct analysis *analysis, struct err *err)
{
	int rc = take_up(analysis, 0, err);

	if (!rc)
		let_go_of_others(analysis);
	return rc;
}

int analysis_restored(struct analysis *analysis, int64_t session, struct err *err)
{
	return take_up(analysis, session, err);
}
