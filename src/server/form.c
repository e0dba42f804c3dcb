// SPDX-License-Identifier: Apache-2.0
#include "server/form.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "server/quote.h"
#include "server/route.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define TAGS_MOST 32
#define TAG_MOST  100
#define TEXT_MOST (16 << 10)

enum member_kind {
	MEMBER_TEXT,
	MEMBER_FLAG,
	MEMBER_WHOLE,
	MEMBER_NUMBER,
	MEMBER_WORDS,
	MEMBER_OBJECT
};

struct member {
	const char *name;
	enum member_kind kind;
	size_t offset; /* in struct raw; MEMBER_OBJECT: unused */
	const struct member *inside;
	double least, most; /* of numbers */
};

/* The form as it stands in JSON, before anything is understood. */
struct raw {
	const char *tool, *kind, *command, *who, *environment, *folder, *cpus, *count, *sample;
	const char *rate, *call_graph, *stat, *record, *webhook, *notes;
	bool live, shell, children;
	uint64_t interval_ms, repeats;
	double limit_s;
	struct wordlist argv, tags;
};

#define AT(field) offsetof(struct raw, field)

static const struct member target_members[] = {
	{ "kind", MEMBER_TEXT, AT(kind) },
	{ "command", MEMBER_TEXT, AT(command) },
	{ "argv", MEMBER_WORDS, AT(argv) },
	{ "shell", MEMBER_FLAG, AT(shell) },
	{ "who", MEMBER_TEXT, AT(who) },
	{ "children", MEMBER_FLAG, AT(children) },
	{ 0 },
};
static const struct member event_members[] = {
	{ "count", MEMBER_TEXT, AT(count) },
	{ "sample", MEMBER_TEXT, AT(sample) },
	{ 0 },
};
static const struct member option_members[] = {
	{ "stat", MEMBER_TEXT, AT(stat) },
	{ "record", MEMBER_TEXT, AT(record) },
	{ 0 },
};
static const struct member form_members[] = {
	{ "tool", MEMBER_TEXT, AT(tool) },
	{ "live", MEMBER_FLAG, AT(live) },
	{ "target", MEMBER_OBJECT, 0, target_members },
	{ "environment", MEMBER_TEXT, AT(environment) },
	{ "folder", MEMBER_TEXT, AT(folder) },
	{ "cpus", MEMBER_TEXT, AT(cpus) },
	{ "events", MEMBER_OBJECT, 0, event_members },
	{ "interval_ms", MEMBER_WHOLE, AT(interval_ms), NULL, 1, 3600000 },
	{ "rate", MEMBER_TEXT, AT(rate) },
	{ "call_graph", MEMBER_TEXT, AT(call_graph) },
	{ "limit_s", MEMBER_NUMBER, AT(limit_s), NULL, 0, 1e7 },
	{ "repeats", MEMBER_WHOLE, AT(repeats), NULL, 1, 1000 },
	{ "options", MEMBER_OBJECT, 0, option_members },
	{ "tags", MEMBER_WORDS, AT(tags) },
	{ "webhook", MEMBER_TEXT, AT(webhook) },
	{ "notes", MEMBER_TEXT, AT(notes) },
	{ "batch", MEMBER_OBJECT, 0, NULL }, /* ours: which of the repeats it is */
	{ 0 },
};

static int read_members(struct json_object *object, const struct member *members, struct raw *raw,
			struct err *err);

static int read_number(struct json_object *value, const struct member *m, struct raw *raw,
		       struct err *err)
{
	bool whole = m->kind == MEMBER_WHOLE;
	double number = json_object_get_double(value);

	if (!json_object_is_type(value, json_type_int) &&
	    (whole || !json_object_is_type(value, json_type_double)))
		return err_set(err, EINVAL, "`%s` must be a %snumber", m->name,
			       whole ? "whole " : "");
	if (!(number >= m->least && number <= m->most))
		return err_set(err, EINVAL, "`%s` must be from %g to %.0f", m->name, m->least,
			       m->most);
	if (whole)
		*(uint64_t *)((char *)raw + m->offset) = (uint64_t)number;
	else
		*(double *)((char *)raw + m->offset) = number;
	return 0;
}

static int read_words(struct json_object *value, const struct member *m, struct wordlist *into,
		      struct err *err)
{
	const char *word;
	int rc = 0;

	if (!json_object_is_type(value, json_type_array))
		return err_set(err, EINVAL, "`%s` must be a list of texts", m->name);
	if (json_object_array_length(value) > QUOTE_WORDS_MOST)
		return err_set(err, EINVAL, "`%s` has more than %d words", m->name,
			       QUOTE_WORDS_MOST);
	for (size_t i = 0; i < json_object_array_length(value) && !rc; i++) {
		rc = json_whole_text(json_object_array_get_idx(value, i), m->name, &word, err);
		if (!rc)
			*vec_push(into) = word;
	}
	return rc;
}

static int read_member(struct json_object *value, const struct member *m, struct raw *raw,
		       struct err *err)
{
	void *at = (char *)raw + m->offset;

	switch (m->kind) {
	case MEMBER_TEXT: return json_whole_text(value, m->name, at, err);
	case MEMBER_FLAG:
		if (!json_object_is_type(value, json_type_boolean))
			return err_set(err, EINVAL, "`%s` must be true or false", m->name);
		*(bool *)at = json_object_get_boolean(value);
		return 0;
	case MEMBER_WHOLE:
	case MEMBER_NUMBER: return read_number(value, m, raw, err);
	case MEMBER_WORDS: return read_words(value, m, at, err);
	case MEMBER_OBJECT:
		if (!json_object_is_type(value, json_type_object))
			return err_set(err, EINVAL, "`%s` must be an object", m->name);
		return m->inside ? read_members(value, m->inside, raw, err) : 0;
	}
	return 0;
}

static int read_members(struct json_object *object, const struct member *members, struct raw *raw,
			struct err *err)
{
	json_object_object_foreach(object, name, value)
	{
		const struct member *m = members;
		int rc;

		while (m->name && strcmp(m->name, name))
			m++;
		if (!m->name)
			return err_set(err, EINVAL, "`%.100s` is no member of a form", name);
		rc = value ? read_member(value, m, raw, err) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

static int choose(const char *const *names, size_t count, const char *text, const char *what,
		  int *chosen, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] && !strcmp(names[i], text)) {
			*chosen = (int)i;
			return 0;
		}
	return err_set(err, EINVAL, "`%s` can't be `%.100s`", what, text);
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

static int read_command(const struct raw *raw, struct arena *arena, struct form *form,
			struct err *err)
{
	bool text = *raw->command;
	int rc = 0;

	if (text == (raw->argv.len > 0))
		return err_set(err, EINVAL, "a command is wanted, as `command` or as `argv`");
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
			return err_set(err, EINVAL, "`who`: %s numbers with commas are wanted",
				       what);
		if (!at[digits])
			return 0;
		at += digits + 1;
	}
}

static int read_target(const struct raw *raw, struct arena *arena, struct form *form,
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
	case TARGET_USER:
		return *raw->who ? 0 : err_set(err, EINVAL, "`who`: a user's name is wanted");
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

static int check_texts(const struct raw *raw, struct err *err)
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

static int understand(const struct raw *raw, struct arena *arena, struct form *form,
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
	if (!rc && quote_split(raw->stat, arena, &form->stat_options, err))
		rc = err_prefix(err, "options.stat");
	if (!rc && quote_split(raw->record, arena, &form->record_options, err))
		rc = err_prefix(err, "options.record");
	return rc;
}

static void take_plain(const struct raw *raw, struct form *form)
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
	form->repeats = raw->repeats;
	form->webhook = raw->webhook;
	form->notes = raw->notes;
	form->tags = raw->tags;
}

int form_parse(struct json_object *object, struct arena *arena, struct form *form, struct err *err)
{
	struct raw raw = { .tool = "",
			   .kind = "",
			   .command = "",
			   .who = "",
			   .environment = "",
			   .folder = "",
			   .cpus = "",
			   .count = "",
			   .sample = "",
			   .rate = "",
			   .call_graph = "",
			   .stat = "",
			   .record = "",
			   .webhook = "",
			   .notes = "",
			   .live = true,
			   .interval_ms = 100,
			   .repeats = 1 };
	int rc = read_members(object, form_members, &raw, err);

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
		.count_events = form->count_events,
		.interval_ns = form->interval_ms * NS_PER_MSEC,
		.sample_events = form->sample_events,
		.rate = form->rate,
		.call_graph = form->call_graph,
		.stat_options = form->stat_options,
		.record_options = form->record_options,
		.recording = -1,
		.series = -1,
		.output = -1,
	};
}
