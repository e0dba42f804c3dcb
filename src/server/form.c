// SPDX-License-Identifier: Apache-2.0
#include "server/form.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "jobs/private.h"
#include "server/form_raw.h"
#include "server/quote.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TAGS_MOST    32
#define TAG_MOST     100
#define MEMORY_LEAST (16 << 20) /* with less not even a shell starts */
#define TEXT_MOST    (16 << 10)

static int choose(const char *const *names, size_t count, const char *text, const char *what,
		  int *chosen, struct err *err)
{
	struct buf known = { 0 };
	int rc;

	for (size_t i = 0; i < count; i++)
		if (names[i] && !strcmp(names[i], text)) {
			*chosen = (int)i;
			return 0;
		}
	for (size_t i = 0; i < count; i++)
		if (names[i])
			buf_printf(&known, "%s%s", known.len ? ", " : "", names[i]);
	if (*text)
		rc = err_set(err, EINVAL, "`%s` can't be `%.100s`; it is one of %s", what, text,
			     buf_text(&known));
	else
		rc = err_set(err, EINVAL, "`%s` is missing: one of %s", what, buf_text(&known));
	buf_free(&known);
	return rc;
}

static const char *const tools[] = {
	[TOOL_COUNT] = "count", [TOOL_SAMPLE] = "sample", [TOOL_BOTH] = "both"
};
static const char *const targets[] = { [TARGET_COMMAND] = "command",
				       [TARGET_PROCESS] = "process",
				       [TARGET_THREAD] = "thread",
				       [TARGET_USER] = "user",
				       [TARGET_HOST] = "host" };

const char *form_tool_name(enum run_tool tool)
{
	return tools[tool];
}

const char *form_target_name(enum run_target target)
{
	return targets[target];
}

static int read_command(const struct form_raw *raw, struct arena *arena, struct form *form,
			struct err *err)
{
	bool text = *raw->command;
	int rc = 0;

	if (text == (raw->argv.len > 0))
		return err_set(err, EINVAL, "needs a command, as `command` or as `argv`");
	if (raw->shell && !text)
		return err_set(err, EINVAL, "a shell is given a text: `command`");
	if (strlen(raw->command) > QUOTE_BYTES_MOST)
		return err_set(err, EINVAL, "`command` is longer than %d bytes", QUOTE_BYTES_MOST);
	if (raw->shell) {
		*vec_push(&form->argv) = "/bin/sh";
		*vec_push(&form->argv) = "-c";
		*vec_push(&form->argv) = raw->command;
	} else if (text) {
		rc = quote_split(raw->command, arena, &form->argv, err);
		if (rc)
			err_prefix(err, "command");
	} else {
		vec_each (word, &raw->argv)
			*vec_push(&form->argv) = *word;
	}
	if (!rc && (!form->argv.len || !*form->argv.data[0]))
		rc = err_set(err, EINVAL, "the command has no name");
	return rc;
}

/* "12,13" */
static int check_numbers(const char *text, const char *what, struct err *err)
{
	const char *at = text;

	for (;;) {
		size_t digits = strspn(at, "0123456789");

		if (!digits || digits > 9 || (at[digits] && at[digits] != ','))
			return err_set(err, EINVAL, "`who`: must be %s numbers with commas", what);
		if (!at[digits])
			return 0;
		at += digits + 1;
	}
}

static int read_target(const struct form_raw *raw, struct arena *arena, struct form *form,
		       struct err *err)
{
	int target = 0;
	int rc = choose(targets, ARRAY_SIZE(targets), raw->kind, "target.kind", &target, err);

	if (rc)
		return rc;
	form->target = target;
	form->who = raw->who;
	form->children = raw->children;
	form->shell = raw->shell;
	switch (form->target) {
	case TARGET_COMMAND: return read_command(raw, arena, form, err);
	case TARGET_PROCESS: return check_numbers(raw->who, "process", err);
	case TARGET_THREAD: return check_numbers(raw->who, "thread", err);
	case TARGET_USER: return *raw->who ? 0 : err_set(err, EINVAL, "`who`: needs a user's name");
	case TARGET_HOST: return 0;
	}
	return 0;
}

static int check_rate(const char *rate, struct err *err)
{
	const char *digits = rate + (*rate == 'c');

	if (!*rate || !strcmp(rate, "max"))
		return 0;
	if (*digits && strspn(digits, "0123456789") == strlen(digits) && strlen(digits) <= 12 &&
	    strtoull(digits, NULL, 10))
		return 0;
	return err_set(err, EINVAL, "`rate` can't be `%.100s`: 99, max, or c1000", rate);
}

static int check_call_graph(const char *text, struct err *err)
{
	const char *size = !strncmp(text, "dwarf,", 6) ? text + 6 : NULL;

	if (!*text || !strcmp(text, "fp") || !strcmp(text, "dwarf") || !strcmp(text, "lbr") ||
	    (size && *size && strspn(size, "0123456789") == strlen(size) && strlen(size) <= 5))
		return 0;
	return err_set(err, EINVAL, "`call_graph` can't be `%.100s`: fp, dwarf, dwarf,SIZE or lbr",
		       text);
}

static int check_cpus(const char *text, struct err *err)
{
	struct cpuset cpus = { 0 };
	int rc = *text ? cpuset_parse(&cpus, text, err) : 0;

	cpuset_free(&cpus);
	return rc ? err_prefix(err, "cpus") : 0;
}

static int check_folder(const char *text, struct err *err)
{
	if (!*text || (*text == '/' && strlen(text) < 4000))
		return 0;
	return err_set(err, EINVAL, "`folder` must begin with a slash");
}

static int check_texts(const struct form_raw *raw, struct err *err)
{
	const char *const texts[] = { raw->count, raw->sample, raw->who, raw->webhook, raw->notes };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strlen(texts[i]) > TEXT_MOST)
			return err_set(err, EINVAL, "a text is longer than %d bytes", TEXT_MOST);
	if (raw->tags.len > TAGS_MOST)
		return err_set(err, EINVAL, "more than %d tags", TAGS_MOST);
	for (size_t i = 0; i < raw->tags.len; i++)
		if (!*raw->tags.data[i] || strlen(raw->tags.data[i]) > TAG_MOST)
			return err_set(err, EINVAL, "a tag has 1 to %d bytes", TAG_MOST);
	return 0;
}

static int understand(const struct form_raw *raw, struct arena *arena, struct form *form,
		      struct err *err)
{
	int tool = 0;
	int rc = choose(tools, ARRAY_SIZE(tools), raw->tool, "tool", &tool, err);

	form->tool = tool;
	if (!rc)
		rc = check_texts(raw, err);
	if (!rc)
		rc = read_target(raw, arena, form, err);
	if (!rc && quote_assignments(raw->environment, arena, &form->environment, err))
		rc = err_prefix(err, "environment");
	if (!rc)
		rc = check_rate(raw->rate, err);
	if (!rc)
		rc = check_call_graph(raw->call_graph, err);
	if (!rc)
		rc = check_cpus(raw->cpus, err);
	if (!rc)
		rc = check_folder(raw->folder, err);
	if (!rc && raw->limit_memory && raw->limit_memory < MEMORY_LEAST)
		rc = err_set(err, EINVAL, "`limit_memory` must be 16 MiB or more; 0: the server's");
	if (!rc && raw->limit_cpus > 0 && raw->limit_cpus < 0.01)
		rc = err_set(err, EINVAL, "`limit_cpus` must be 0.01 or more; 0: the server's");
	form->network = -1;
	if (!rc && *raw->network) {
		form->network = private_network_find(raw->network, err);
		if (form->network < 0)
			rc = err_prefix(err, "`network`");
	}
	if (!rc && quote_split(raw->stat, arena, &form->stat_options, err))
		rc = err_prefix(err, "options.stat");
	if (!rc && quote_split(raw->record, arena, &form->record_options, err))
		rc = err_prefix(err, "options.record");
	return rc;
}

static void take_plain(const struct form_raw *raw, struct form *form)
{
	form->live = raw->live;
	form->folder = raw->folder;
	form->cpus = raw->cpus;
	form->count_events = raw->count;
	form->sample_events = raw->sample;
	form->interval_ms = raw->interval_ms;
	form->rate = raw->rate;
	form->call_graph = raw->call_graph;
	form->limit_s = raw->limit_s;
	form->limit_memory = raw->limit_memory;
	form->limit_tasks = raw->limit_tasks;
	form->limit_cpus = raw->limit_cpus;
	form->repeats = raw->repeats;
	form->webhook = raw->webhook;
	form->notes = raw->notes;
	form->tags = raw->tags;
}

/* "sched:sched_switch", also with modifiers, and "mem:0x1000/4:w", but not "cycles:u". */
static bool has_hits(const char *event, size_t length)
{
	const char *colon = memchr(event, ':', length);
	size_t name = colon ? (size_t)(event + length - colon - 1) : 0;

	if (!name || memchr(event, '/', (size_t)(colon - event)))
		return false;
	return strspn(colon + 1, "ukhGHpPSDWeIb") < name;
}

/* The kernel's own events of which each is one thing that happened; its clocks are none. */
static bool is_happening(const char *event, size_t length)
{
	static const char *const names[] = {
		"page-faults", "faults",	   "minor-faults",     "major-faults",
		"cs",	       "context-switches", "cgroup-switches",  "migrations",
		"bpf-output",  "cpu-migrations",   "alignment-faults", "emulation-faults",
	};
	const char *colon = memchr(event, ':', length);
	size_t name = colon ? (size_t)(colon - event) : length;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == name && !strncmp(event, names[i], name))
			return true;
	return false;
}

/* A rate says little of what has a number of its own: all of it is taken unless somebody asks. */
static bool has_happenings_only(const char *events)
{
	bool some = false;

	while (*events) {
		size_t length = strcspn(events, "{},"), blanks = strspn(events, " ");

		if (*events == '}') { /* with modifiers behind it */
			events += strcspn(events, ",");
			continue;
		}
		if (length > blanks && !has_hits(events, length) &&
		    !is_happening(events + blanks, length - blanks))
			return false;
		some |= length > blanks;
		events += length + (events[length] == ',' || events[length] == '{');
	}
	return some;
}

int form_parse(struct json_object *object, struct arena *arena, struct form *form, struct err *err)
{
	struct form_raw raw = { .tool = "",
				.kind = "",
				.command = "",
				.who = "",
				.environment = "",
				.folder = "",
				.cpus = "",
				.network = "",
				.count = "",
				.sample = "",
				.rate = NULL,
				.call_graph = FORM_CALL_GRAPH,
				.stat = "",
				.record = "",
				.webhook = "",
				.notes = "",
				.live = true,
				.interval_ms = 100,
				.repeats = 1 };
	int rc = form_raw_read(object, &raw, err);

	if (!raw.rate || !*raw.rate)
		raw.rate = has_happenings_only(raw.sample) ? "c1" : FORM_RATE;
	*form = (struct form){ 0 };
	take_plain(&raw, form);
	if (!rc)
		rc = understand(&raw, arena, form, err);
	vec_free(&raw.argv);
	if (rc)
		form_fini(form);
	return rc;
}

void form_fini(struct form *form)
{
	vec_free(&form->argv);
	vec_free(&form->environment);
	vec_free(&form->stat_options);
	vec_free(&form->record_options);
	vec_free(&form->tags);
}

/* At commas that are in no braces, slashes or groups: "cpu/event=1,umask=2/", "{a,b}". */
static void split_events(const char *text, struct arena *arena, struct wordlist *into)
{
	bool slashes = false;
	const char *first = text;

	for (;; text++) {
		if (*text == '/')
			slashes = !slashes;
		if (*text && (slashes || !strchr(",{}", *text)))
			continue;
		if (text > first)
			*vec_push(into) = arena_strndup(arena, first, (size_t)(text - first));
		if (!*text)
			return;
		first = text + 1;
	}
}

static void add_missing(struct wordlist *into, const struct wordlist *more)
{
	for (size_t i = 0; i < more->len; i++) {
		bool there = !isalnum((unsigned char)*more->data[i]) && *more->data[i] != '_';

		for (size_t j = 0; j < into->len && !there; j++)
			there = !strcmp(into->data[j], more->data[i]);
		if (!there)
			*vec_push(into) = more->data[i];
	}
}

void form_events(const struct form *form, struct arena *arena, struct wordlist *into)
{
	struct wordlist found = { 0 };

	if (form->tool & TOOL_COUNT)
		split_events(form->count_events, arena, &found);
	if (form->tool & TOOL_SAMPLE)
		split_events(form->sample_events, arena, &found);
	add_missing(into, &found);
	vec_free(&found);
}

struct msg_start form_start(const struct form *form, int64_t run)
{
	return (struct msg_start){
		.run = (uint64_t)run,
		.tool = form->tool,
		.target = form->target,
		.who = form->who,
		.children = form->children,
		.argv = form->argv,
		.environment = form->environment,
		.folder = form->folder,
		.cpus = form->cpus,
		.limit_ns = (uint64_t)(form->limit_s * NS_PER_SEC),
		.limit_memory = form->limit_memory,
		.limit_tasks = form->limit_tasks,
		.limit_cpu = (uint64_t)(form->limit_cpus * 1000 + 0.5),
		.count_events = form->count_events,
		.interval_ns = form->interval_ms * NS_PER_MSEC,
		.sample_events = form->sample_events,
		.rate = form->rate,
		.call_graph = form->call_graph,
		.network = form->network < 0 ? NETWORK_FULL : (uint64_t)form->network,
		.stat_options = form->stat_options,
		.record_options = form->record_options,
		.recording = -1,
		.series = -1,
		.output = -1,
	};
}
