// SPDX-License-Identifier: Apache-2.0
/* What a form would do, before it does. */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/commands.h"
#include "server/form.h"
#include "server/possible.h"
#include "server/quote.h"
#include "server/resource.h"
#include "server/runs_add.h"
#include "server/share.h"
#include "store/datadir.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_disk(struct request *request, struct json *json)
{
	struct app *app = request->app;
	struct err full = { 0 };
	int64_t used = 0;
	int rc = share_room(app, request->user->id, 0, &full);

	datadir_bytes(app->dir, &used, NULL);
	json_open(json, "disk", '{');
	json_int(json, "used", used);
	json_u64(json, "quota", app->policy.max_disk);
	json_flag(json, "room", !rc);
	json_text(json, "reason", full.text);
	json_close(json);
}

static double number_in(struct json_object *object, const char *name, double otherwise)
{
	struct json_object *value;

	return object && json_object_object_get_ex(object, name, &value)
		       ? json_object_get_double(value)
		       : otherwise;
}

static void write_expected(struct json *json, const struct form *form, const struct app *app,
			   struct json_object *machine)
{
	double most = (double)app->policy.max_runtime_ns / 1e9;
	double seconds = form->limit_s > 0 ? form->limit_s : most;
	double samples = number_in(machine, "samples_per_second", -1);
	double bytes = number_in(machine, "bytes_per_second", -1);
	double overhead = number_in(machine, "overhead", -1);
	double error = number_in(machine, "overhead_error", -1);

	json_open(json, "expected", '{');
	json_double(json, "seconds", seconds > 0 ? seconds : NAN);
	json_double(json, "samples", samples >= 0 && seconds > 0 ? samples * seconds : NAN);
	json_double(json, "bytes", bytes >= 0 && seconds > 0 ? bytes * seconds : NAN);
	json_double(json, "overhead", overhead >= 0 ? overhead : NAN);
	json_double(json, "overhead_error", error >= 0 ? error : NAN);
	json_close(json);
}

static void write_texts(struct json *json, const char *key, const struct strlist *texts)
{
	json_open(json, key, '[');
	vec_each (text, texts)
		json_text(json, NULL, *text);
	json_close(json);
}

static void write_verdict(struct json *json, const struct verdict *verdict)
{
	json_flag(json, "permitted", !verdict->refused.len);
	write_texts(json, "refused", &verdict->refused);
	write_texts(json, "warnings", &verdict->warnings);
	write_texts(json, "notes", &verdict->notes);
}

static void write_plan(struct request *request, struct json *json, const struct form *form,
		       const struct verdict *verdict, struct json_object *machine)
{
	struct buf command = { 0 };

	quote_join(&form->argv, &command);
	json_open(json, NULL, '{');
	write_words(json, "argv", &form->argv);
	json_text(json, "command", buf_text(&command));
	write_words(json, "environment", &form->environment);
	json_u64(json, "runs", form->repeats);
	commands_write(json, form, &request->arena);
	write_verdict(json, verdict);
	json_raw(json, "counters",
		 machine ? json_object_to_json_string_ext(machine, JSON_C_TO_STRING_PLAIN) : NULL);
	write_expected(json, form, request->app, machine);
	write_disk(request, json);
	json_close(json);
	buf_free(&command);
}

static int post_plan(struct request *request, struct err *err)
{
	struct asker asker = answer_asker(request);
	struct verdict verdict = { 0 };
	struct err refused = { 0 };
	struct json_object *machine;
	struct form form;
	int rc = form_parse(request->body, &request->arena, &form, err);

	if (rc)
		return rc;
	if (form_permitted(request->app, &form, request->user->name, &refused))
		strlist_add(&verdict.refused, refused.text);
	else
		possible_target(request->app, &form, &asker, &verdict);
	machine = possible_plan(request->app, &form, &asker, &verdict);
	write_plan(request, reply_json(request), &form, &verdict, machine);
	json_object_put(machine);
	verdict_fini(&verdict);
	form_fini(&form);
	return 0;
}

const struct route plan_routes[] = {
	{ "POST", "/api/v1/plan", RIGHT_MEASURE, post_plan, ROUTE_SLOW },
	{ 0 },
};
