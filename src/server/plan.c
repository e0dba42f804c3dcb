// SPDX-License-Identifier: Apache-2.0
/* What a form would do, before it does. */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "server/app.h"
#include "server/form.h"
#include "server/link.h"
#include "server/quote.h"
#include "server/resource.h"
#include "server/runs_add.h"
#include "store/datadir.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add2(struct wordlist *line, const char *option, const char *value)
{
	if (!*value)
		return;
	*vec_push(line) = option;
	*vec_push(line) = value;
}

static void add_target(struct wordlist *line, const struct form *form)
{
	static const char *const options[] = {
		[TARGET_PROCESS] = "-p", [TARGET_THREAD] = "-t", [TARGET_USER] = "-u"
	};

	if (form->target == TARGET_HOST)
		*vec_push(line) = "-a";
	else if (form->target != TARGET_COMMAND)
		add2(line, options[form->target], form->who);
	else
		*vec_push(line) = "--";
	vec_each (word, &form->argv)
		*vec_push(line) = *word;
}

static void count_line(struct wordlist *line, const struct form *form, const char *program,
		       struct arena *arena)
{
	*vec_push(line) = program;
	*vec_push(line) = "stat";
	add2(line, "-I", arena_printf(arena, "%llu", (unsigned long long)form->interval_ms));
	add2(line, "-e", form->count_events);
	vec_each (word, &form->stat_options)
		*vec_push(line) = *word;
	add_target(line, form);
}

static void sample_line(struct wordlist *line, const struct form *form, const char *program)
{
	*vec_push(line) = program;
	*vec_push(line) = "record";
	if (*form->rate == 'c')
		add2(line, "-c", form->rate + 1);
	else
		add2(line, "-F", form->rate);
	add2(line, "--call-graph", form->call_graph);
	add2(line, "-e", form->sample_events);
	*vec_push(line) = "--sample-cpu";
	vec_each (word, &form->record_options)
		*vec_push(line) = *word;
	add_target(line, form);
}

static void write_line(struct json *json, struct wordlist *line)
{
	struct buf text = { 0 };

	quote_join(line, &text);
	json_text(json, NULL, buf_text(&text));
	buf_free(&text);
	line->len = 0;
}

static void write_commands(struct request *request, struct json *json, const struct form *form)
{
	static const char *const programs[] = { "perfolio", "perf" };
	struct wordlist line = { 0 };

	json_open(json, "commands", '{');
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		json_open(json, programs[i], '[');
		if (form->tool & TOOL_COUNT) {
			count_line(&line, form, programs[i], &request->arena);
			write_line(json, &line);
		}
		if (form->tool & TOOL_SAMPLE) {
			sample_line(&line, form, programs[i]);
			write_line(json, &line);
		}
		json_close(json);
	}
	json_close(json);
	vec_free(&line);
}

static void write_disk(struct request *request, struct json *json)
{
	struct app *app = request->app;
	struct err full = { 0 };
	int64_t used = 0;
	int rc = datadir_room(app->dir, 0, (int64_t)app->policy.max_disk, &full);

	datadir_bytes(app->dir, &used, NULL);
	json_open(json, "disk", '{');
	json_int(json, "used", used);
	json_u64(json, "quota", app->policy.max_disk);
	json_flag(json, "room", !rc);
	json_text(json, "reason", full.text);
	json_close(json);
}

/* The machine is asked for what only it knows; without an answer the plan says so. */
static struct json_object *ask_machine(struct request *request, const struct form *form,
				       struct err *err)
{
	const char *values[] = { form_tool_name(form->tool), form->count_events,
				 form->sample_events, form->rate, form->call_graph };
	struct wordlist words = { values, ARRAY_SIZE(values), ARRAY_SIZE(values) };
	struct json_object *object = NULL;
	struct buf answer = { 0 };

	if (!link_ask(request->app->link, "plan", &words, &answer, err))
		object = jsonread(buf_text(&answer), answer.len, "the plan", err);
	buf_free(&answer);
	return object;
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

	json_open(json, "expected", '{');
	json_double(json, "seconds", seconds > 0 ? seconds : NAN);
	json_double(json, "samples", samples >= 0 && seconds > 0 ? samples * seconds : NAN);
	json_double(json, "bytes", bytes >= 0 && seconds > 0 ? bytes * seconds : NAN);
	json_double(json, "overhead", overhead >= 0 ? overhead : NAN);
	json_close(json);
}

static void write_reasons(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '[');
	if (*text)
		json_text(json, NULL, text);
	json_close(json);
}

static void write_plan(struct request *request, struct json *json, const struct form *form,
		       const struct err *refused, const struct err *unknown,
		       struct json_object *machine)
{
	struct buf command = { 0 };

	quote_join(&form->argv, &command);
	json_open(json, NULL, '{');
	write_words(json, "argv", &form->argv);
	json_text(json, "command", buf_text(&command));
	write_words(json, "environment", &form->environment);
	json_u64(json, "runs", form->repeats);
	write_commands(request, json, form);
	json_flag(json, "permitted", !refused->code);
	write_reasons(json, "refused", refused->text);
	write_reasons(json, "warnings", unknown->text);
	json_raw(json, "counters",
		 machine ? json_object_to_json_string_ext(machine, JSON_C_TO_STRING_PLAIN) : NULL);
	write_expected(json, form, request->app, machine);
	write_disk(request, json);
	json_close(json);
	buf_free(&command);
}

static int post_plan(struct request *request, struct err *err)
{
	struct err refused = { 0 }, unknown = { 0 };
	struct json_object *machine;
	struct form form;
	int rc = form_parse(request->body, &request->arena, &form, err);

	if (rc)
		return rc;
	form_permitted(request->app, &form, &refused);
	machine = ask_machine(request, &form, &unknown);
	write_plan(request, reply_json(request), &form, &refused, &unknown, machine);
	json_object_put(machine);
	form_fini(&form);
	return 0;
}

const struct route plan_routes[] = {
	{ "POST", "/api/v1/plan", ROLE_RUNNER, post_plan, ROUTE_SLOW },
	{ 0 },
};
