// SPDX-License-Identifier: Apache-2.0
#include "server/runs_add.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "jobs/request.h"
#include "server/app.h"
#include "server/possible.h"
#include "server/quote.h"
#include "server/resource.h"
#include "server/scheduler.h"
#include "server/webhook.h"
#include "store/datadir.h"

#include <errno.h>
#include <json-c/json.h>
#include <sodium.h>
#include <string.h>

static int check_target(const struct msg_policy *policy, const struct form *form, struct err *err)
{
	switch (form->target) {
	case TARGET_PROCESS:
	case TARGET_THREAD:
		if (!policy->attach)
			return err_set(err, EACCES,
				       "this server attaches to no process (--deny attach)");
		break;
	case TARGET_USER:
		if (!policy->attach ||
		    (!policy->other_users && strcmp(form->who, policy->workload_user)))
			return err_set(err, EACCES,
				       "this server measures no processes of other users "
				       "(--deny users)");
		break;
	case TARGET_HOST:
		if (!policy->whole_host)
			return err_set(err, EACCES,
				       "this server does not measure the whole host (--deny host)");
		break;
	case TARGET_COMMAND: break;
	}
	return 0;
}

/* By the list of the supervisor, which looks again, and by the command's own table. */
static int check_words(const struct app *app, const struct wordlist *words, bool record,
		       struct err *err)
{
	int rc = request_check_options(words, record, err);

	if (!rc && app->check_options && words->len)
		rc = app->check_options(record ? "record" : "stat", words, err);
	return rc ? err_set(err, EINVAL, "%s", err->text) : 0;
}

static int check_options(const struct app *app, const struct form *form, struct err *err)
{
	int rc = check_words(app, &form->stat_options, false, err);

	return rc ? rc : check_words(app, &form->record_options, true, err);
}

int form_permitted(const struct app *app, const struct form *form, struct err *err)
{
	int rc = check_target(&app->policy, form, err);

	if (!rc)
		rc = webhook_check(app, form->webhook, err);
	return rc ? rc : check_options(app, form, err);
}

/* Which of the repeats of one form it is. */
static void set_batch(struct json_object *form, const char *name, uint64_t index, uint64_t of)
{
	struct json_object *batch;

	json_object_object_del(form, "batch");
	if (of < 2)
		return;
	batch = json_object_new_object();
	json_object_object_add(batch, "batch", json_object_new_string(name));
	json_object_object_add(batch, "index", json_object_new_int64((int64_t)index));
	json_object_object_add(batch, "of", json_object_new_int64((int64_t)of));
	json_object_object_add(form, "batch", batch);
}

static int add_one(struct request *request, int64_t session, const struct form *form,
		   struct json_object *object, int64_t *id, struct err *err)
{
	struct run run = {
		.session = session,
		.state = RUN_QUEUED,
		.host = request->app->policy.host,
		.person = request->user->name,
		.tool = form_tool_name(form->tool),
		.form = json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
		.folder = form->folder,
		.argv = form->argv,
		.environment = form->environment,
		.tags = form->tags,
	};
	int rc;

	form_events(form, &request->arena, &run.events);
	rc = store_run_add(request->store, &run, id, err);
	vec_free(&run.events);
	return rc;
}

static void note(struct request *request, const struct form *form, int64_t id)
{
	struct buf command = { 0 };

	quote_join(&form->argv, &command);
	audit(request, "run-add", "run %lld: %s %s%s", (long long)id, form_tool_name(form->tool),
	      buf_text(&command), form->who);
	buf_free(&command);
}

static int add_all(struct request *request, int64_t session, const struct form *form,
		   struct json_object *object, struct run_ids *ids, struct err *err)
{
	unsigned char random[6];
	char batch[2 * sizeof(random) + 1];
	int64_t id;
	int rc = store_begin(request->store, err); /* all of the repeats, or none */

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(batch, sizeof(batch), random, sizeof(random));
	for (uint64_t i = 0; i < form->repeats && !rc; i++) {
		set_batch(object, batch, i + 1, form->repeats);
		rc = add_one(request, session, form, object, &id, err);
		if (!rc) {
			*vec_push(ids) = id;
			note(request, form, id);
		}
	}
	return store_end(request->store, rc, err);
}

int runs_add(struct request *request, int64_t session, struct json_object *object,
	     struct run_ids *ids, struct err *err)
{
	struct app *app = request->app;
	struct form form;
	int rc = form_parse(object, &request->arena, &form, err);

	if (rc)
		return rc;
	rc = form_permitted(app, &form, err);
	if (!rc)
		rc = possible(app, &form, err);
	if (!rc)
		rc = datadir_room(app->dir, 0, (int64_t)app->policy.max_disk, err);
	if (!rc)
		rc = add_all(request, session, &form, object, ids, err);
	form_fini(&form);
	scheduler_kick(app->scheduler);
	return rc;
}

static int reply_runs(struct request *request, const struct run_ids *ids, struct err *err)
{
	struct json *json = reply_json(request);
	struct run run;
	int rc = 0;

	json_open(json, NULL, '{');
	json_open(json, "items", '[');
	for (size_t i = 0; i < ids->len && !rc; i++) {
		rc = store_run_get(request->store, ids->data[i], &request->arena, &run, err);
		if (!rc)
			run_write(json, &run);
	}
	json_close(json);
	json_close(json);
	reply_status(request, 201);
	return rc;
}

static int post_runs(struct request *request, struct err *err)
{
	struct run_ids ids = { 0 };
	int rc = runs_add(request, request->ids[0], request->body, &ids, err);

	if (!rc)
		rc = reply_runs(request, &ids, err);
	vec_free(&ids);
	return rc;
}

/* One more run like that one. */
static int again(struct request *request, const struct run *run, struct err *err)
{
	struct json_object *form = jsonread(run->form, strlen(run->form), "its form", err);
	struct run_ids ids = { 0 };
	int rc;

	if (!form)
		return -EINVAL;
	json_object_object_add(form, "repeats", json_object_new_int(1));
	rc = runs_add(request, run->session, form, &ids, err);
	if (!rc)
		rc = reply_run(request, ids.data[0], err);
	if (!rc)
		reply_status(request, 201);
	json_object_put(form);
	vec_free(&ids);
	return rc;
}

static int rerun(struct request *request, struct err *err)
{
	struct run run;
	int rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (!rc && !strcmp(run.tool, "import"))
		rc = err_set(err, EPERM, "run %lld was imported: there is nothing to run again",
			     (long long)run.id);
	return rc ? rc : again(request, &run, err);
}

static int retry(struct request *request, struct err *err)
{
	struct run run;
	int rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (!rc && run.state != RUN_FAILED && run.state != RUN_CANCELLED)
		rc = err_set(err, EPERM,
			     "run %lld is %s: only one that failed or was cancelled is "
			     "tried again",
			     (long long)run.id, run_state_name(run.state));
	return rc ? rc : rerun(request, err);
}

const struct route run_add_routes[] = {
	{ "POST", "/api/v1/sessions/{id}/runs", ROLE_RUNNER, post_runs, ROUTE_SLOW },
	{ "POST", "/api/v1/runs/{id}/rerun", ROLE_RUNNER, rerun, ROUTE_NO_BODY | ROUTE_SLOW },
	{ "POST", "/api/v1/runs/{id}/retry", ROLE_RUNNER, retry, ROUTE_NO_BODY | ROUTE_SLOW },
	{ 0 },
};
