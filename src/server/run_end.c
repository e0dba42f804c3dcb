// SPDX-License-Identifier: Apache-2.0
#include "server/run_end.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/log.h"
#include "base/mem.h"
#include "render/series_read.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/link.h"
#include "server/webhook.h"
#include "store/content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_notes(struct json *json, const char *notes)
{
	char *text = mem_strdup(notes);
	size_t length = strlen(text);

	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	json_text(json, "notes", text);
	free(text);
}

/* What it was allowed; what is missing had no limit. */
static void put_limits(struct json *json, const struct msg_ended *ended)
{
	json_open(json, "limits", '{');
	if (ended->limit_memory)
		json_u64(json, "memory", ended->limit_memory);
	if (ended->limit_tasks)
		json_u64(json, "tasks", ended->limit_tasks);
	if (ended->limit_cpu)
		json_double(json, "cpus", (double)ended->limit_cpu / 1000);
	if (ended->tasks_refused)
		json_u64(json, "tasks_refused", ended->tasks_refused);
	json_close(json);
}

static int usage_json(const struct msg_ended *ended, uint64_t monotonic_ns, const char *user,
		      char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);
	struct json json;
	int rc;

	if (!out)
		return -ENOMEM;
	json = json_to(out);
	json_open(&json, NULL, '{');
	json_u64_text(&json, "monotonic_ns", monotonic_ns);
	if (*user)
		json_text(&json, "unix_user", user);
	if (ended) {
		json_u64_text(&json, "user_ns", ended->user_ns);
		json_u64_text(&json, "system_ns", ended->system_ns);
		json_u64(&json, "max_rss", ended->max_rss);
		if (ended->rss_below)
			json_u64(&json, "rss_below", ended->rss_below);
		json_u64(&json, "minor_faults", ended->minor_faults);
		json_u64(&json, "major_faults", ended->major_faults);
		json_u64(&json, "voluntary_switches", ended->voluntary_switches);
		json_u64(&json, "involuntary_switches", ended->involuntary_switches);
		json_u64(&json, "disk_read", ended->disk_read);
		json_u64(&json, "output_cut", ended->output_cut);
		json_flag(&json, "limited", ended->limited);
		if (*ended->limit)
			json_text(&json, "limit", ended->limit);
		put_limits(&json, ended);
		if (ended->left_over)
			json_u64(&json, "left_over", ended->left_over);
		if (ended->paused_ns)
			json_u64_text(&json, "paused_ns", ended->paused_ns);
		put_notes(&json, ended->notes);
		if (*ended->budget)
			json_raw(&json, "budget", ended->budget);
	}
	json_close(&json);
	rc = fclose(out) ? -ENOMEM : 0;
	if (!rc) /* it becomes part of other JSON, where a line would end */
		(*text)[strcspn(*text, "\n")] = '\0';
	return rc;
}

static bool wants_live(struct app *app, int64_t id)
{
	struct json_object *form = NULL, *live = NULL;
	struct arena arena = { 0 };
	bool wants = true;
	struct run run;

	if (!store_run_get(app->store, id, &arena, &run, NULL))
		form = jsonread(run.form, strlen(run.form), "its form", NULL);
	if (form && json_object_object_get_ex(form, "live", &live) && live)
		wants = json_object_get_boolean(live);
	json_object_put(form);
	arena_free(&arena);
	return wants;
}

int run_began(struct app *app, const struct msg_began *began, bool first)
{
	struct run_facts facts = {
		.started_ns = (int64_t)began->wall_ns,
		.kernel = app->policy.kernel,
		.perfolio = app->policy.perfolio,
		.cpu_model = app->policy.cpu_model,
	};
	int64_t id = (int64_t)began->run;
	struct err err = { 0 };
	char *usage = NULL;
	int rc = usage_json(NULL, began->monotonic_ns, began->user, &usage);

	facts.usage = usage;
	if (!rc)
		rc = store_run_step(app->store, id, RUN_STARTING, RUN_RUNNING, &facts, &err);
	free(usage);
	if (first && app->analysis && wants_live(app, id))
		analysis_follow(app->analysis, id, began->monotonic_ns);
	if (!rc || rc == -EAGAIN || rc == -ENOENT) /* -EAGAIN: noted by an earlier web side */
		return 0;
	log_once(LOG_WARN, "run %lld has begun, which can't be noted: %s", (long long)id, err.text);
	return rc;
}

/* A head alone says that somebody was about to count. */
static bool has_counts(int fd)
{
	struct series series;
	bool has;

	if (series_open_fd(&series, fd, NULL))
		return false;
	has = series.count > 0;
	series_close(&series);
	return has;
}

/*
 * Whether a program was to be started and was not: what was measured then is the fork of ours that
 * tried.  One that ran has an ending, whoever ended it.
 */
static bool never_ran(const struct run *run, const struct msg_ended *ended)
{
	return run->argv.len && ended->ending == ENDING_NONE;
}

static bool is_worth_keeping(const struct file_row *row, int fd, bool ran)
{
	if (!row->size || (!ran && strcmp(row->kind, "output") != 0))
		return false;
	return strcmp(row->kind, "series") != 0 || has_counts(fd);
}

/* What was written is complete; what was not written at all was not there. */
static int finish_files(struct app *app, const struct run *run, bool ran, struct arena *arena,
			struct err *err)
{
	struct file_rows rows = { 0 };
	int rc = content_list(app->dir, run->id, arena, &rows, err);

	for (size_t i = 0; i < rows.len && !rc; i++) {
		struct content *content;

		if (*rows.data[i].hash)
			continue;
		content = content_resume(app->dir, rows.data[i].id, err);
		if (!content)
			rc = -err->code;
		else if (is_worth_keeping(&rows.data[i], content_fd(content), ran))
			rc = content_end(content, err);
		else
			rc = content_abandon(content, err);
	}
	vec_free(&rows);
	return rc;
}

uint64_t run_began_at(const struct run *run)
{
	unsigned long long ns = 0;

	if (sscanf(run->facts.usage, "{\"monotonic_ns\":\"%llu\"", &ns) != 1)
		return 0;
	return ns;
}

static enum run_state state_after(const struct msg_ended *ended)
{
	if (ended->cancelled)
		return RUN_CANCELLED;
	/* how a program ends that is told to says nothing about it */
	if (ended->interrupted || (ended->ending == ENDING_NONE && *ended->reason))
		return RUN_FAILED;
	return RUN_PROCESSING;
}

static int note_end(struct app *app, const struct run *run, const struct msg_ended *ended,
		    const char *usage, struct err *err)
{
	struct run_facts facts = {
		.ended_ns = (int64_t)ended->wall_ns,
		.ending = ended->ending,
		.ending_code = (int)ended->code,
		.reason = *ended->reason ? ended->reason : NULL,
		.usage = usage,
	};
	enum run_state to = state_after(ended);

	/* one that ended before anybody was told that it began */
	if (run->state == RUN_STARTING && to == RUN_PROCESSING) {
		int rc = store_run_step(app->store, run->id, RUN_STARTING, RUN_RUNNING, NULL, err);

		return rc ? rc : store_run_step(app->store, run->id, RUN_RUNNING, to, &facts, err);
	}
	return store_run_step(app->store, run->id, run->state, to, &facts, err);
}

/* The disk was found full before it began: it is the first of the queue again. */
static bool waits_for_room(const struct run *run, const struct msg_ended *ended)
{
	return run->state == RUN_STARTING && ended->ending == ENDING_NONE && !ended->cancelled &&
	       !ended->interrupted && !strcmp(ended->limit, "disk");
}

static int end_run(struct app *app, const struct msg_ended *ended, struct arena *arena,
		   struct err *err)
{
	int64_t id = (int64_t)ended->run;
	int64_t back;
	char *usage = NULL;
	struct run run;
	int rc = store_run_get(app->store, id, arena, &run, err);

	if (!rc && run.state != RUN_STARTING && run.state != RUN_RUNNING)
		return 0; /* an earlier web side has noted it */
	if (!rc)
		rc = finish_files(app, &run, !never_ran(&run, ended), arena, err);
	if (!rc && waits_for_room(&run, ended))
		return store_run_put_back(app->store, NULL, 0, &back, err);
	if (!rc)
		rc = usage_json(ended, run_began_at(&run), ended->user, &usage);
	if (!rc)
		rc = note_end(app, &run, ended, usage, err);
	free(usage);
	if (rc)
		return rc;
	if (state_after(ended) != RUN_PROCESSING)
		webhook_tell(app, id);
	if (app->analysis) /* also of one that was cancelled: what was measured can be looked at */
		analysis_process(app->analysis, id);
	return 0;
}

int run_ended(struct app *app, const struct msg_ended *ended)
{
	struct arena arena = { 0 };
	struct err err = { 0 };
	int rc = end_run(app, ended, &arena, &err);

	arena_free(&arena);
	if (!rc || rc == -ENOENT)
		return 0;
	log_once(LOG_WARN, "run %lld has ended, which can't be noted: %s", (long long)ended->run,
		 err.text);
	return rc;
}
