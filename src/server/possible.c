// SPDX-License-Identifier: Apache-2.0
#include "server/possible.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "record/sampleattr.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/form.h"
#include "server/link.h"
#include "server/rights.h"

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
	pthread_mutex_t lock;
	struct {
		char *what, *cost;
	} known[COSTS_MOST];
	size_t next; /* the oldest once it is full */
};

struct costs *costs_new(void)
{
	struct costs *costs = mem_alloc(sizeof(*costs));

	pthread_mutex_init(&costs->lock, NULL);
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
	pthread_mutex_destroy(&costs->lock);
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

static struct json_object *ask(struct app *app, const struct asker *asker, const char *what,
			       const struct wordlist *words, bool recent, struct err *err)
{
	struct json_object *object = NULL;
	struct buf answer = { 0 };
	int rc = recent ? link_ask_recent(app->link, asker, what, words, &answer, err)
			: link_ask(app->link, asker, what, words, &answer, err);

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

void possible_target(struct app *app, const struct form *form, const struct asker *asker,
		     struct verdict *verdict)
{
	struct reach reach = rights_reach(app);
	const char *others = reach_refuses_attach(&reach, true);
	const char *values[] = { asker->person,
				 form_target_name(form->target),
				 form->who,
				 others ? others : "",
				 form->folder,
				 form->cpus,
				 form->argv.len ? form->argv.data[0] : "",
				 path_of(form) };
	struct wordlist words = { values, ARRAY_SIZE(values), ARRAY_SIZE(values) };
	struct err unknown = { 0 };
	struct json_object *said;

	if (form->target == TARGET_HOST)
		return;
	said = ask(app, asker, "target", &words, false, &unknown);
	if (unknown.code)
		strlist_add(&verdict->warnings, unknown.text);
	take_texts(said, "refused", &verdict->refused);
	take_texts(said, "warnings", &verdict->warnings);
	verdict->forbidden |= said &&
			      json_object_get_boolean(json_object_object_get(said, "forbidden"));
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
static struct json_object *ask_events(struct app *app, const struct form *form,
				      const struct asker *asker, const char *cost,
				      struct verdict *verdict)
{
	const char *values[] = { form_tool_name(form->tool), form->count_events,
				 form->sample_events,	     form->rate,
				 form->call_graph,	     cost };
	struct wordlist words = { values, ARRAY_SIZE(values) - !cost, ARRAY_SIZE(values) };
	const char *what = cost ? "plan" : "plan-events";
	struct err unknown = { 0 };
	struct json_object *said = ask(app, asker, what, &words, true, &unknown);
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

/* What was found of it, by us or by another who asked meanwhile; "": nothing. */
static char *settle_cost(struct costs *costs, const char *what, struct json_object *plan)
{
	char *cost;

	pthread_mutex_lock(&costs->lock);
	cost = mem_strdup(find_cost(costs, what));
	if (!*cost)
		keep_cost(costs, what, plan);
	pthread_mutex_unlock(&costs->lock);
	return cost;
}

static struct json_object *ask_plan(struct app *app, const struct form *form,
				    const struct asker *asker, struct verdict *verdict)
{
	struct asker measuring = *asker;
	char *what, *cost;
	struct json_object *plan;

	if (form->tool == TOOL_COUNT)
		return ask_events(app, form, asker, "", verdict);
	/* how much of a stack is copied goes by the rate; where none is, costs don't */
	what = mem_printf("%s %u %s", form->call_graph,
			  !strncmp(form->call_graph, "dwarf", 5)
				  ? sampling_stack_size(strtoull(form->rate, NULL, 10), SIZE_MAX)
				  : 0,
			  form->sample_events);
	cost = settle_cost(app->costs, what, NULL);
	measuring.alone = !*cost;
	plan = ask_events(app, form, &measuring, cost, verdict);
	if (!*cost && plan) {
		free(cost);
		cost = settle_cost(app->costs, what, plan);
		if (*cost) {
			json_object_put(plan);
			plan = ask_events(app, form, asker, cost, verdict);
		}
	}
	free(cost);
	free(what);
	return plan;
}

struct json_object *possible_plan(struct app *app, const struct form *form,
				  const struct asker *asker, struct verdict *verdict)
{
	struct json_object *plan = ask_plan(app, form, asker, verdict);

	if (!plan)
		return NULL;
	take_notes(jsonread_text(plan, "notes", ""), verdict);
	/* the usual ones are left out without a word: nobody asked for them */
	if (*form->count_events)
		warn_of_counters(plan, verdict);
	return plan;
}

int possible(struct app *app, const struct form *form, const struct asker *asker, struct err *err)
{
	struct verdict verdict = { 0 };
	int rc = 0;

	possible_target(app, form, asker, &verdict);
	if (!verdict.refused.len && (*form->count_events || *form->sample_events))
		json_object_put(ask_events(app, form, asker, NULL, &verdict));
	if (verdict.refused.len)
		rc = err_set(err, verdict.forbidden ? EACCES : EINVAL, "%s",
			     verdict.refused.data[0]);
	verdict_fini(&verdict);
	return rc;
}
