// SPDX-License-Identifier: Apache-2.0
#include "server/runs_add.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/text.h"
#include "jobs/private.h"
#include "jobs/request.h"
#include "server/app.h"
#include "server/link.h"
#include "server/possible.h"
#include "server/quote.h"
#include "server/resource.h"
#include "server/scheduler.h"
#include "server/share.h"
#include "server/unixaccount.h"
#include "server/webhook.h"
#include "store/datadir.h"

#include <errno.h>
#include <json-c/json.h>
#include <sodium.h>
#include <string.h>

#define TEXT_MOST (4 << 20) /* of all runs that one request makes */

static int check_target(const struct app *app, const struct form *form, const char *person,
			struct err *err)
{
	struct reach reach = rights_reach(app);
	struct arena arena = { 0 };
	const char *why = NULL;

	switch (form->target) {
	case TARGET_PROCESS:
	case TARGET_THREAD: why = reach_refuses_attach(&reach, false); break;
	case TARGET_USER:
		why = reach_refuses_user(&reach,
					 strcmp(form->who, unix_account_of(app, person, &arena)));
		break;
	case TARGET_HOST: why = reach_refuses_host(&reach); break;
	case TARGET_COMMAND: break;
	}
	arena_free(&arena);
	return why ? err_set(err, EACCES, "%s", why) : 0;
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

/* Settings of somebody else's run: what was left out there would be taken for what is meant. */
static int check_masks(const struct form *form, struct err *err)
{
	vec_each (entry, &form->environment) {
		const char *value = strchr(*entry, '=') + 1;

		if (!strcmp(value, MASK))
			return err_set(
				err, EINVAL,
				"environment: the value of %.*s is hidden from you; give one",
				(int)(value - 1 - *entry), *entry);
	}
	return strcmp(form->webhook, MASK)
		       ? 0
		       : err_set(err, EINVAL, "webhook: the address is hidden from you; give one");
}

/* The supervisor takes the lower of both; whoever asks for more is told. */
static int check_limits(const struct msg_policy *policy, const struct form *form, struct err *err)
{
	char most[TEXT_NUMBER];

	if (policy->run_memory && form->limit_memory > policy->run_memory)
		return err_set(err, EINVAL,
			       "`limit_memory`: a run has at most %s here (--run-memory)",
			       text_bytes(most, policy->run_memory));
	if (policy->run_tasks && form->limit_tasks > policy->run_tasks)
		return err_set(err, EINVAL,
			       "`limit_tasks`: a run has at most %s here (--run-tasks)",
			       text_grouped(most, policy->run_tasks));
	if (policy->run_cpu && form->limit_cpus * 1000 > (double)policy->run_cpu)
		return err_set(err, EINVAL,
			       "`limit_cpus`: a run has at most %g CPUs here (--run-cpu)",
			       (double)policy->run_cpu / 1000);
	return 0;
}

int form_permitted(const struct app *app, const struct form *form, const char *person,
		   struct err *err)
{
	int rc = check_target(app, form, person, err);

	if (!rc && form->network >= 0 && (uint64_t)form->network < app->policy.network)
		rc = err_set(
			err, EACCES,
			"`network`: this server's runs reach no more than '%s' (--run-network)",
			private_network_name((enum private_network)app->policy.network));
	if (!rc)
		rc = check_limits(&app->policy, form, err);
	if (!rc)
		rc = check_masks(form, err);
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

/* Without its events. */
static struct run run_of(const struct request *request, int64_t session, const struct form *form,
			 struct json_object *object)
{
	return (struct run){
		.session = session,
		.state = RUN_QUEUED,
		.host = request->app->policy.host,
		.person = request->user->name,
		.maker = request->user->id,
		.tool = form_tool_name(form->tool),
		.form = json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
		.folder = form->folder,
		.argv = form->argv,
		.environment = form->environment,
		.tags = form->tags,
	};
}

static int add_one(struct request *request, int64_t session, const struct form *form,
		   struct json_object *object, int64_t *id, struct err *err)
{
	struct run run = run_of(request, session, form, object);
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
	if (form->target == TARGET_COMMAND)
		audit(request, "run-add", "run %lld: %s %s", (long long)id,
		      form_tool_name(form->tool), buf_text(&command));
	else
		audit(request, "run-add", "run %lld: %s of the %s %s%s", (long long)id,
		      form_tool_name(form->tool), form_target_name(form->target), form->who,
		      form->children ? " and its children" : "");
	buf_free(&command);
}

/* Each repeat has all of the texts, in a transaction that keeps everybody else waiting. */
static int check_size(const struct request *request, const struct form *form,
		      struct json_object *object, int64_t *bytes, struct err *err)
{
	struct run run = run_of(request, 0, form, object);
	int64_t each = store_run_text(&run), repeats = (int64_t)form->repeats;
	char all[TEXT_NUMBER], most[TEXT_NUMBER], one[TEXT_NUMBER];

	*bytes = repeats * (each + STORE_ROW_BYTES);
	if (repeats * each <= TEXT_MOST)
		return 0;
	return err_set(err, E2BIG,
		       "%lld runs with a form and a command of %s each are %s, and %s are taken "
		       "at once; ask for fewer repeats, or have the program read what is long "
		       "from a file",
		       (long long)repeats, text_bytes(one, (uint64_t)each),
		       text_bytes(all, (uint64_t)(repeats * each)), text_bytes(most, TEXT_MOST));
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
	struct asker asker = { .person = request->user->name }; /* it is queued without him, too */
	int64_t bytes = 0;
	struct form form;
	int rc = form_parse(object, &request->arena, &form, err);

	if (rc)
		return rc;
	rc = form_permitted(app, &form, request->user->name, err);
	if (!rc)
		rc = check_size(request, &form, object, &bytes, err);
	if (!rc)
		rc = possible(app, &form, &asker, err);
	datadir_hold(app->dir);
	if (!rc)
		rc = share_room(app, request->user->id, bytes, err);
	if (!rc)
		rc = add_all(request, session, &form, object, ids, err);
	datadir_let_go(app->dir);
	if (rc == -EACCES)
		rights_note_refusal(request, err->text);
	form_fini(&form);
	scheduler_kick(app->scheduler);
	return rc;
}

/* All at once: for each its place would be counted. */
static int reply_runs(struct request *request, const struct run_ids *ids, struct err *err)
{
	struct run_filter filter = { .session = request->ids[0],
				     .page = { .before = ids->data[ids->len - 1] + 1,
					       .limit = (int)ids->len } };
	struct json *json = reply_json(request);
	struct runs found = { 0 };
	int rc = store_run_list(request->store, &filter, &request->arena, &found, err);

	json_open(json, NULL, '{');
	json_open(json, "items", '[');
	for (size_t i = found.len; i-- && !rc;) /* the newest were first */
		if (found.data[i].id >= ids->data[0])
			run_write(json, &found.data[i], request);
	json_close(json);
	json_close(json);
	vec_free(&found);
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
	{ "POST", "/api/v1/sessions/{id}/runs", RIGHT_CHANGE_SESSION, post_runs, ROUTE_SLOW },
	{ "POST", "/api/v1/runs/{id}/rerun", RIGHT_REPEAT_RUN, rerun, ROUTE_NO_BODY | ROUTE_SLOW },
	{ "POST", "/api/v1/runs/{id}/retry", RIGHT_REPEAT_RUN, retry, ROUTE_NO_BODY | ROUTE_SLOW },
	{ 0 },
};
