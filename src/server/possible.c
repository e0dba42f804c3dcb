// SPDX-License-Identifier: Apache-2.0
#include "server/possible.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/form.h"
#include "server/link.h"

#include <errno.h>
#include <json-c/json.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void verdict_fini(struct verdict *verdict)
{
	strlist_free(&verdict->refused);
	strlist_free(&verdict->warnings);
	strlist_free(&verdict->notes);
}

/* ---- what samples cost ---- */

#define COSTS_MOST 64

struct costs {
	pthread_mutex_t measuring; /* one at a time: two at once would disturb each other */
	struct {
		char *what, *cost;
	} known[COSTS_MOST];
	size_t next; /* the oldest once it is full */
};

struct costs *costs_new(void)
{
	struct costs *costs = mem_alloc(sizeof(*costs));

	pthread_mutex_init(&costs->measuring, NULL);
	return costs;
}

void costs_free(struct costs *costs)
{
	if (!costs)
		return;
	for (size_t i = 0; i < COSTS_MOST; i++) {
		free(costs->known[i].what);
		free(costs->known[i].cost);
	}
	pthread_mutex_destroy(&costs->measuring);
	free(costs);
}

static const char *find_cost(const struct costs *costs, const char *what)
{
	for (size_t i = 0; i < COSTS_MOST; i++)
		if (costs->known[i].what && !strcmp(costs->known[i].what, what))
			return costs->known[i].cost;
	return "";
}

static double number_of(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value) ? json_object_get_double(value) : 0;
}

/* As cmd/record_plan.h takes it; of some that could not be measured nothing is kept. */
static void keep_cost(struct costs *costs, const char *what, struct json_object *plan)
{
	struct json_object *list = plan ? answer_list(plan, "sampled") : NULL, *cost;
	size_t count = list ? json_object_array_length(list) : 0;
	struct buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct json_object *event = json_object_array_get_idx(list, i);

		if (!json_object_object_get_ex(event, "cost_ns", &cost)) {
			buf_free(&text);
			return;
		}
		buf_printf(&text, "%s%.3f:%.3f:%.3f", i ? "," : "", number_of(event, "cost_ns"),
			   number_of(event, "error_ns"), number_of(event, "bytes"));
	}
	if (count) {
		free(costs->known[costs->next].what);
		free(costs->known[costs->next].cost);
		costs->known[costs->next].what = mem_strdup(what);
		costs->known[costs->next].cost = mem_strdup(buf_text(&text));
		costs->next = (costs->next + 1) % COSTS_MOST;
	}
	buf_free(&text);
}

static struct json_object *ask(struct app *app, const char *what, const struct wordlist *words,
			       bool recent, struct err *err)
{
	struct json_object *object = NULL;
	struct buf answer = { 0 };
	int rc = recent ? link_ask_recent(app->link, what, words, &answer, err)
			: link_ask(app->link, what, words, &answer, err);

	if (!rc)
		object = jsonread(buf_text(&answer), answer.len, what, err);
	buf_free(&answer);
	return object;
}

static void take_texts(struct json_object *object, const char *name, struct strlist *into)
{
	struct json_object *list = answer_list(object, name);

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		strlist_add(into, json_object_get_string(json_object_array_get_idx(list, i)));
}

/* ---- who is measured ---- */

static const char *path_of(const struct form *form)
{
	const char *path = "";

	vec_each (entry, &form->environment)
		if (!strncmp(*entry, "PATH=", 5))
			path = *entry + 5;
	return path;
}

void possible_target(struct app *app, const struct form *form, struct verdict *verdict)
{
	const char *values[] = { form_target_name(form->target),
				 form->who,
				 app->policy.other_users ? "yes" : "",
				 form->folder,
				 form->cpus,
				 form->argv.len ? form->argv.data[0] : "",
				 path_of(form) };
	struct wordlist words = { values, ARRAY_SIZE(values), ARRAY_SIZE(values) };
	struct err unknown = { 0 };
	struct json_object *said;

	if (form->target == TARGET_HOST)
		return;
	said = ask(app, "target", &words, false, &unknown);
	if (unknown.code)
		strlist_add(&verdict->warnings, unknown.text);
	take_texts(said, "refused", &verdict->refused);
	take_texts(said, "warnings", &verdict->warnings);
	json_object_put(said);
}

/* ---- what is measured ---- */

/* Lines of a command: "note: ..." and "warning: ...". */
static void take_notes(const char *text, struct verdict *verdict)
{
	while (*text) {
		size_t length = strcspn(text, "\n"), name = strcspn(text, ":\n");
		bool named = text[name] == ':' && text[name + 1] == ' ' && name < 10;
		const char *said = named ? text + name + 2 : text;
		char *line = mem_printf("%.*s", (int)(text + length - said), said);

		if (*line)
			strlist_add(*text == 'w' && named ? &verdict->warnings : &verdict->notes,
				    line);
		free(line);
		text += length + (text[length] == '\n');
	}
}

/* cost: what is known of it; NULL: nothing is tried out. */
static struct json_object *ask_events(struct app *app, const struct form *form, const char *cost,
				      struct verdict *verdict)
{
	const char *values[] = { form_tool_name(form->tool), form->count_events,
				 form->sample_events,	     form->rate,
				 form->call_graph,	     cost };
	struct wordlist words = { values, ARRAY_SIZE(values) - !cost, ARRAY_SIZE(values) };
	const char *what = cost ? "plan" : "plan-events";
	struct err unknown = { 0 };
	struct json_object *said = ask(app, what, &words, true, &unknown);
	const char *wrong = said ? jsonread_text(said, "wrong", "") : "";

	if (unknown.code)
		strlist_add(&verdict->warnings, unknown.text);
	if (!*wrong)
		return said;
	strlist_add(&verdict->refused, wrong);
	json_object_put(said);
	return NULL;
}

/* A counter that is not there is left out, and the others count. */
static void warn_of_counters(struct json_object *plan, struct verdict *verdict)
{
	struct json_object *list = answer_list(plan, "events");

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *event = json_object_array_get_idx(list, i);
		const char *why = jsonread_text(event, "why", "");
		char *text = mem_printf("%s is left out: %s", jsonread_text(event, "name", ""),
					why);

		if (*why)
			strlist_add(&verdict->warnings, text);
		free(text);
	}
}

static struct json_object *ask_plan(struct app *app, const struct form *form,
				    struct verdict *verdict)
{
	char *what, *cost;
	struct json_object *plan;

	if (form->tool == TOOL_COUNT)
		return ask_events(app, form, "", verdict);
	what = mem_printf("%s %s", form->call_graph, form->sample_events);
	pthread_mutex_lock(&app->costs->measuring);
	cost = mem_strdup(find_cost(app->costs, what));
	if (*cost)
		pthread_mutex_unlock(&app->costs->measuring);
	plan = ask_events(app, form, cost, verdict);
	if (!*cost) {
		keep_cost(app->costs, what, plan);
		pthread_mutex_unlock(&app->costs->measuring);
	}
	free(cost);
	free(what);
	return plan;
}

struct json_object *possible_plan(struct app *app, const struct form *form, struct verdict *verdict)
{
	struct json_object *plan = ask_plan(app, form, verdict);

	if (!plan)
		return NULL;
	take_notes(jsonread_text(plan, "notes", ""), verdict);
	/* the usual ones are left out without a word: nobody asked for them */
	if (*form->count_events)
		warn_of_counters(plan, verdict);
	return plan;
}

int possible(struct app *app, const struct form *form, struct err *err)
{
	struct verdict verdict = { 0 };
	int rc = 0;

	possible_target(app, form, &verdict);
	if (!verdict.refused.len && (*form->count_events || *form->sample_events))
		json_object_put(ask_events(app, form, NULL, &verdict));
	if (verdict.refused.len)
		rc = err_set(err, EINVAL, "%s", verdict.refused.data[0]);
	verdict_fini(&verdict);
	return rc;
}
