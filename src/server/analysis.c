// SPDX-License-Identifier: Apache-2.0
#include "server/analysis.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/analysis_end.h"
#include "server/app.h"
#include "server/jobs.h"
#include "server/live.h"
#include "store/content.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run that an analyser is at, or will be. */
struct task {
	struct analysis *analysis;
	int64_t run;
	int64_t job; /* 0: it waits for its turn */
	bool follows;
	bool wanted; /* the run has ended: its index is what is waited for */
	bool hidden; /* its tree is too large to be shown while it grows */
	int out;
	char name[CONTENT_UPLOAD_NAME]; /* of `out` */
};

struct analysis {
	struct app *app;
	pthread_mutex_t lock;
	VEC(struct task *) tasks;
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

static struct task *add_task(struct analysis *analysis, int64_t run)
{
	struct task *task = mem_alloc(sizeof(*task));

	*task = (struct task){ .analysis = analysis, .run = run, .out = -1 };
	*vec_push(&analysis->tasks) = task;
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

static void conclude(struct task *task, const struct job_result *result)
{
	struct analysis_result end = { .quality = result->quality,
				       .facts = result->facts,
				       .index = task->name };

	if (task->follows && has_gone(task)) {
		analysis_end(task->analysis->app, task->run, -1, &(struct analysis_result){ 0 });
		return;
	}
	if (!result->failed && !analysis_end(task->analysis->app, task->run, task->out, &end)) {
		close(task->out);
		task->out = -1;
	}
	if (result->failed)
		analysis_fail(task->analysis->app, task->run, result->reason);
}

/*
 * A run that was followed and whose analyser failed is looked at once more, as a whole, when it has
 * ended; that may be now.
 */
static void job_done(void *user, const struct job_result *result)
{
	struct task *task = user;
	struct analysis *analysis = task->analysis;
	bool ending = result->ended, concludes;

	pthread_mutex_lock(&analysis->lock);
	concludes = task->wanted && !ending && !(task->follows && result->failed);
	pthread_mutex_unlock(&analysis->lock);
	if (result->failed)
		log_line(LOG_DEBUG, "run %lld: %s", (long long)task->run, result->reason);
	if (concludes)
		conclude(task, result);
	pthread_mutex_lock(&analysis->lock);
	if (task->wanted && !concludes && !ending) {
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

	task->out = content_upload(analysis->app->dir, task->name, err);
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
	spec.imported = !strcmp(source.kind, "import");
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
		analysis_end(app, task->run, -1, &(struct analysis_result){ 0 });
	else if (rc != -ESHUTDOWN)
		analysis_fail(app, task->run, err.text);
	forget(task);
}

/* How many look at recordings at once, beside the one that follows. */
static size_t most_at_once(const struct analysis *analysis)
{
	size_t cpus = analysis->app->policy.cpus;

	return cpus > 3 ? cpus / 2 : 1;
}

static void start_waiting(struct analysis *analysis)
{
	struct task *next;
	size_t busy;

	do {
		busy = 0;
		next = NULL;
		vec_each (task, &analysis->tasks) {
			busy += (*task)->job && !(*task)->follows;
			if (!(*task)->job && (!next || (*task)->run < next->run))
				next = *task;
		}
		if (next && busy < most_at_once(analysis))
			begin_index(next);
	} while (next && busy < most_at_once(analysis));
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
	task->wanted = true;
	start_waiting(analysis);
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

int analysis_begin(struct analysis *analysis, struct err *err)
{
	struct run_filter filter = { .states = 1u << RUN_PROCESSING | 1u << RUN_FAILED |
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
