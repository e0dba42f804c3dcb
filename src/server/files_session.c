// SPDX-License-Identifier: Apache-2.0
/* What is known of runs, for files that are read without the server; and a session in one. */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "server/app.h"
#include "server/files.h"
#include "server/jobs.h"
#include "server/resource.h"
#include "server/rights.h"
#include "server/route.h"
#include "store/datadir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a run in words ---- */

static void add_text(struct arena *arena, struct wordlist *into, const char *name, const char *text)
{
	if (*text)
		*vec_push(into) = arena_printf(arena, "%s=%s", name, text);
}

static void add_number(struct arena *arena, struct wordlist *into, const char *name, int64_t number)
{
	*vec_push(into) = arena_printf(arena, "%s=%lld", name, (long long)number);
}

/* Words as a JSON array: they may hold anything. */
static void add_words(struct arena *arena, struct wordlist *into, const char *name,
		      const struct wordlist *words)
{
	struct buf text = { 0 };

	buf_puts(&text, "[");
	vec_each (word, words) {
		buf_puts(&text, text.len > 1 ? "," : "");
		json_quote_into(&text, *word);
	}
	buf_puts(&text, "]");
	add_text(arena, into, name, text.data);
	buf_free(&text);
}

void run_attributes(const struct run *run, bool all, struct arena *arena, struct wordlist *into)
{
	const struct run_facts *facts = &run->facts;
	struct run_secrets secrets = run_secrets(run, all, arena);

	add_number(arena, into, "run", run->id);
	add_number(arena, into, "session", run->session);
	add_text(arena, into, "state", run_state_name(run->state));
	add_text(arena, into, "tool", run->tool);
	add_words(arena, into, "command", &run->argv);
	add_words(arena, into, "environment", &secrets.environment);
	add_words(arena, into, "asked_events", &run->events);
	add_words(arena, into, "tags", &run->tags);
	add_text(arena, into, "folder", run->folder);
	add_text(arena, into, "host", run->host);
	add_text(arena, into, "person", run->person);
	add_text(arena, into, "kernel", facts->kernel);
	add_text(arena, into, "perfolio", facts->perfolio);
	add_text(arena, into, "cpu_model", facts->cpu_model);
	add_number(arena, into, "created_ns", run->created_ns);
	add_number(arena, into, "started_ns", facts->started_ns);
	add_number(arena, into, "ended_ns", facts->ended_ns);
	if (facts->ending != ENDING_NONE)
		add_number(arena, into,
			   facts->ending == ENDING_EXIT ? "exit_status" : "ended_by_signal",
			   facts->ending_code);
	add_text(arena, into, "reason", facts->reason);
	add_text(arena, into, "usage", facts->usage);
	add_text(arena, into, "form", secrets.form);
	run_secrets_fini(&secrets);
}

/* ---- a session in one file ---- */

/* Runs one after another, each with what it has: nothing of a session is held at once. */
struct feeder {
	struct app *app;
	struct request *request;
	struct arena arena; /* of the run that is being given */
	VEC(int64_t) runs;
	size_t next;
	struct run run;
	bool in_run; /* its index was given, its counters are next */
};

static bool feed_counters(struct feeder *f, struct msg_input *into)
{
	struct file_row row;
	int fd = run_file_open(f->app, f->run.id, "series", &f->arena, &row, NULL);

	f->in_run = false;
	*into = (struct msg_input){
		.kind = "series", .name = "", .run = (uint64_t)f->run.id, .fd = fd
	};
	return fd >= 0;
}

static bool feed_index(struct feeder *f, struct msg_input *into)
{
	struct file_row row;
	int fd;

	arena_free(&f->arena);
	if (store_run_get(f->app->store, f->runs.data[f->next++], &f->arena, &f->run, NULL))
		return false; /* it was removed meanwhile */
	fd = run_file_open(f->app, f->run.id, "index", &f->arena, &row, NULL);
	*into = (struct msg_input){ .kind = "index",
				    .name = arena_printf(&f->arena, "run %lld",
							 (long long)f->run.id),
				    .run = (uint64_t)f->run.id,
				    .fd = fd < 0 ? -1 : fd };
	run_attributes(&f->run, rights_of_run(f->request, &f->run).raw, &f->arena,
		       &into->attributes);
	f->in_run = true;
	return true;
}

static bool feed(void *user, struct msg_input *into)
{
	struct feeder *f = user;

	while (f->in_run || f->next < f->runs.len)
		if (f->in_run ? feed_counters(f, into) : feed_index(f, into))
			return true;
	return false;
}

/* Those that have ended, the oldest first. */
static int list_runs(struct feeder *f, int64_t session, struct err *err)
{
	struct run_filter filter = { .session = session,
				     .states = 1u << RUN_DONE | 1u << RUN_FAILED |
					       1u << RUN_CANCELLED };
	struct runs runs = { 0 };
	int rc;

	do {
		runs.len = 0;
		arena_free(&f->arena);
		rc = store_run_list(f->app->store, &filter, &f->arena, &runs, err);
		vec_each (run, &runs)
			*vec_push(&f->runs) = filter.page.before = run->id;
	} while (!rc && runs.len);
	vec_free(&runs);
	for (size_t i = 0; i < f->runs.len / 2; i++) {
		int64_t swapped = f->runs.data[i];

		f->runs.data[i] = f->runs.data[f->runs.len - 1 - i];
		f->runs.data[f->runs.len - 1 - i] = swapped;
	}
	return rc;
}

int files_session_hdf5(struct request *request, struct err *err)
{
	struct app *app = request->app;
	struct feeder feeder = { .app = app, .request = request };
	struct job_spec spec = { .kind = ANALYSE_SESSION,
				 .feed = feed,
				 .feeder = &feeder,
				 .most = app->policy.max_export,
				 .unwanted = request_gone,
				 .asker = request };
	struct session session;
	int rc = store_session_get(request->store, request->ids[0], &request->arena, &session, err);

	if (!rc)
		rc = list_runs(&feeder, session.id, err);
	if (!rc)
		rc = datadir_room(app->dir, 0, 0, err);
	spec.out = rc ? -1 : datadir_scratch(app->dir, err);
	if (!rc && spec.out < 0)
		rc = spec.out;
	if (!rc) {
		*vec_push(&spec.options) = session.title;
		rc = jobs_run(app->jobs, &spec, err);
		rights_note_too_large(request, rc, err);
		vec_free(&spec.options);
	}
	if (!rc)
		reply_file(request, spec.out, "application/x-hdf5",
			   arena_printf(&request->arena, "session-%lld.h5", (long long)session.id));
	else if (spec.out >= 0)
		close(spec.out);
	vec_free(&feeder.runs);
	arena_free(&feeder.arena);
	return rc;
}
