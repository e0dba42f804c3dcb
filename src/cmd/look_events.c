// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cmd/command.h"
#include "cmd/listing.h"
#include "cmd/look.h"
#include "cmd/record_events.h"
#include "cmd/record_options.h"
#include "cmd/record_plan.h"
#include "cmd/stat_events.h"
#include "cmd/stat_options.h"
#include "event/catalog.h"
#include "event/host.h"
#include "event/open.h"
#include "event/parse.h"
#include "record/plan.h"

#include <errno.h>

#define TRY_MOST 64 /* events: a wildcard may name thousands, and each costs the kernel time */

/* ---- check ---- */

static const char *kind_word(enum event_kind kind)
{
	for (size_t i = 0; listing_kinds[i].heading; i++)
		if (listing_kinds[i].kind == kind)
			return listing_kinds[i].words[0];
	return "other";
}

static void write_availability(struct json *json, const struct event *event,
			       const struct host *host)
{
	struct event user_only = *event;
	char why[600];
	int whole = event->kind == EVENT_TOOL ? 0 : event_probe(&perf_sys_kernel, event);
	int rc = whole;

	if (whole == -EACCES || whole == -EPERM) {
		user_only.attr.base.exclude_kernel = user_only.attr.base.exclude_hv = 1;
		rc = event_probe(&perf_sys_kernel, &user_only);
	}
	json_flag(json, "openable", !rc);
	if (!rc && whole)
		json_flag(json, "user_only", true);
	if (!whole)
		return;
	json_text(json, "errno", strerrorname_np(-whole));
	json_text(json, "why", host_why_not(host, event, -whole, why, sizeof(why)));
}

static void write_events(struct json *json, const struct event_list *list)
{
	struct host host;

	host_look(&host, &host_source_live);
	json_open(json, "events", '[');
	for (size_t i = 0; i < list->events.len && i < TRY_MOST; i++) {
		const struct event *event = &list->events.data[i];

		json_open(json, NULL, '{');
		json_text(json, "name", event->name);
		json_text(json, "kind", kind_word(event->kind));
		if (*event->unit)
			json_text(json, "unit", event->unit);
		json_u64(json, "group", event->leader);
		write_availability(json, event, &host);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "left_out", list->events.len > TRY_MOST ? list->events.len - TRY_MOST : 0);
}

/*
 * An error of the parser is the reason, the expression and a mark below it, and what helps: see
 * event/complain.c.
 */
static void write_complaint(struct json *json, const char *text)
{
	static const char list[] = "  `perfolio list`";
	const char *shown = strstr(text, "\n  "), *mark = shown ? strstr(shown + 3, "\n  ") : NULL;
	const char *end = mark ? strchrnul(mark + 3, '\n') : text + strlen(text);
	struct buf line = { 0 };

	buf_add(&line, text, (size_t)((mark ? shown : end) - text));
	json_text(json, "message", buf_text(&line));
	if (mark) {
		buf_clear(&line);
		buf_printf(&line, "%.*s\n%.*s", (int)(mark - shown - 3), shown + 3,
			   (int)(end - mark - 3), mark + 3);
		json_text(json, "marked", buf_text(&line));
		if (!strncmp(end + (*end == '\n'), list, sizeof(list) - 1))
			json_text(json, "remedy", "Choose one from the list of events.");
		else
			json_text(json, "remedy", *end ? end + 1 + strspn(end + 1, " ") : "");
	}
	buf_free(&line);
}

int look_check(const char *expression, struct err *err)
{
	struct json json = json_to(stdout);
	struct catalog *catalog = catalog_new(NULL);
	struct event_list list = { 0 };
	struct err wrong = { 0 };
	int rc = event_list_parse(&list, catalog, expression, &wrong);

	(void)err;
	json_open(&json, NULL, '{');
	json_flag(&json, "valid", !rc);
	write_complaint(&json, wrong.text);
	write_events(&json, &list);
	json_close(&json);
	event_list_free(&list);
	catalog_free(catalog);
	return EXIT_DONE;
}

/* ---- plan ---- */

/* What is wrong with them is said by who takes them. */
static int check_number(struct catalog *catalog, const char *events, struct err *err)
{
	struct event_list list = { 0 };
	struct err wrong = { 0 };
	size_t count;

	event_list_parse(&list, catalog, events, &wrong);
	count = list.events.len;
	event_list_free(&list);
	return count <= TRY_MOST
		       ? 0
		       : err_set(err, E2BIG, "%zu events are too many to be tried out", count);
}

static int plan_counts(struct json *json, struct catalog *catalog, const char *events,
		       struct err *err)
{
	static const char *const needs[] = {
		[PLAN_NO_COUNTER] = "none",
		[PLAN_COUNTER] = "counter",
		[PLAN_TOO_LARGE] = "too-large",
		[PLAN_UNAVAILABLE] = "unavailable",
	};
	struct stat_options options = stat_option_defaults;
	struct event_list list = { 0 };
	struct host host;
	struct plan plan;
	char why[600];
	int rc;

	if (*events)
		event_steps_add(&options.steps, events);
	rc = stat_events(&list, catalog, &options, false, err);
	if (rc)
		goto out;
	plan_make(&plan, &list, NULL);
	host_look(&host, &host_source_live);
	json_int(json, "needed", plan.needed);
	json_int(json, "general", plan.general);
	json_int(json, "fixed", plan.fixed);
	json_u64(json, "passes", plan.passes);
	json_open(json, "events", '[');
	for (size_t i = 0; i < list.events.len; i++) {
		const struct plan_event *planned = &plan.events.data[i];
		const struct event *event = &list.events.data[i];

		json_open(json, NULL, '{');
		json_text(json, "name", event->name);
		json_text(json, "need", needs[planned->need]);
		json_flag(json, "shares", planned->shares);
		if (planned->need == PLAN_UNAVAILABLE)
			json_text(json, "why",
				  host_why_not(&host, event, planned->error, why, sizeof(why)));
		json_close(json);
	}
	json_close(json);
	plan_fini(&plan);
out:
	event_list_free(&list);
	stat_options_release(&options);
	return rc;
}

/* By the words of the command line, so that they mean the same here. */
static int sample_options(struct record_options *options, char *const *words, struct arena *arena,
			  struct err *err)
{
	char *argv[6] = { (char *)"record", (char *)"--plan" };
	struct options_result result;
	int argc = 2, rc;

	if (*words[2])
		argv[argc++] = arena_printf(arena, "--event=%s", words[2]);
	if (*words[3] == 'c')
		argv[argc++] = arena_printf(arena, "--count=%s", words[3] + 1);
	else if (*words[3])
		argv[argc++] = arena_printf(arena, "--freq=%s", words[3]);
	if (*words[4])
		argv[argc++] = arena_printf(arena, "--call-graph=%s", words[4]);
	rc = options_parse(record_option_specs, options, argc, argv, true, &result, err);
	return rc ? rc : record_options_check(options, 0, err);
}

/* A sampled event that can't be opened ends the recording; a counter is left out. */
static int check_sampled(const struct event_list *list, struct err *err)
{
	struct host host;
	char why[600];

	vec_each (event, &list->events) {
		struct event plain = *event;
		int rc;

		if (event->precise_max) /* as precise as it can be, which may be not at all */
			plain.attr.base.precise_ip = 0;
		rc = event_probe(&perf_sys_kernel, &plain);
		if (rc != -ENOENT && rc != -EOPNOTSUPP && rc != -ENODEV)
			continue;
		host_look(&host, &host_source_live);
		return err_set(err, -rc, "%s: %s", event->name,
			       host_why_not(&host, event, -rc, why, sizeof(why)));
	}
	return 0;
}

static int check_samples(struct catalog *catalog, char *const *words, struct arena *arena,
			 struct err *err)
{
	struct record_options options = record_option_defaults;
	struct event_list list = { 0 };
	struct buf notes = { 0 };
	int rc = sample_options(&options, words, arena, err);

	if (!rc)
		rc = record_events(&list, catalog, &options, &notes, err);
	if (!rc)
		rc = check_sampled(&list, err);
	buf_free(&notes);
	event_list_free(&list);
	record_options_release(&options);
	return rc;
}

static int check_counts(struct catalog *catalog, const char *events, struct err *err)
{
	struct stat_options options = stat_option_defaults;
	struct event_list list = { 0 };
	int rc;

	if (*events)
		event_steps_add(&options.steps, events);
	rc = stat_events(&list, catalog, &options, false, err);
	event_list_free(&list);
	stat_options_release(&options);
	return rc;
}

static int plan_samples(struct json *json, struct catalog *catalog, char *const *words,
			struct arena *arena, struct err *err)
{
	struct record_options options = record_option_defaults;
	int rc = sample_options(&options, words, arena, err);

	if (!rc)
		rc = record_plan_json(&options, catalog, words[5], json, err);
	record_options_release(&options);
	return rc;
}

/*
 * For a page: "the reason; the remedy" in one line, without the expression and the mark below it,
 * which come after the reason where there are any.
 */
static void write_wrong(struct json *json, const char *text)
{
	static const char list[] = "`perfolio list`";
	struct buf line = { 0 };
	bool marked = strstr(text, "\n") && strstr(text, "^");

	for (int i = 0; *text; i++) {
		size_t blanks = strspn(text, " "), length = strcspn(text, "\n");

		if (!strncmp(text + blanks, list, sizeof(list) - 1))
			buf_puts(&line, "; choose one from the list of events");
		else if (!marked || i < 1 || i > 2)
			buf_printf(&line, "%s%.*s", i ? "; " : "", (int)(length - blanks),
				   text + blanks);
		text += length + (text[length] == '\n');
	}
	json_text(json, "wrong", buf_text(&line));
	buf_free(&line);
}

/* whole: with what it comes to, for which events are tried out. */
static int plan(char *const *words, int count, bool whole, struct err *err)
{
	struct json json = json_to(stdout);
	struct catalog *catalog;
	struct arena arena = { 0 };
	struct err wrong = { 0 };
	int rc = 0;

	if (count != 5 + whole)
		return err_set(err, EINVAL, "plan: tool, events to count, to sample, rate, calls%s",
			       whole ? ", costs" : "");
	catalog = catalog_new(NULL);
	rc = check_number(catalog, words[1], err);
	if (!rc)
		rc = check_number(catalog, words[2], err);
	if (rc) {
		catalog_free(catalog);
		return rc;
	}
	json_open(&json, NULL, '{');
	if (strcmp(words[0], "sample") != 0)
		rc = whole ? plan_counts(&json, catalog, words[1], &wrong)
			   : check_counts(catalog, words[1], &wrong);
	if (!rc && strcmp(words[0], "count") != 0)
		rc = check_samples(catalog, words, &arena, &wrong);
	if (!rc && whole && strcmp(words[0], "count") != 0)
		rc = plan_samples(&json, catalog, words, &arena, &wrong);
	if (rc)
		write_wrong(&json, wrong.text);
	json_close(&json);
	arena_free(&arena);
	catalog_free(catalog);
	return EXIT_DONE;
}

int look_plan(char *const *words, int count, struct err *err)
{
	return plan(words, count, true, err);
}

int look_plan_events(char *const *words, int count, struct err *err)
{
	return plan(words, count, false, err);
}
