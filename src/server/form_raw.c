// SPDX-License-Identifier: Apache-2.0
#include "server/form_raw.h"
#include "base/buf.h"
#include "base/err.h"
#include "server/quote.h"
#include "server/route.h"

#include <errno.h>
#include <json-c/json.h>
#include <stddef.h>
#include <string.h>

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
	size_t offset; /* in struct form_raw; MEMBER_OBJECT: unused */
	const struct member *inside;
	double least, most; /* of numbers */
};

#define AT(field) offsetof(struct form_raw, field)

static const struct member target_members[] = {
	{ "kind", MEMBER_TEXT, AT(kind) },
	{ "command", MEMBER_TEXT, AT(command) },
	{ "argv", MEMBER_WORDS, AT(argv) },
	{ "shell", MEMBER_FLAG, AT(shell) },
	{ "who", MEMBER_TEXT, AT(who) },
	{ "name", MEMBER_TEXT, AT(name) }, /* kept with the form, for people */
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
	{ "network", MEMBER_TEXT, AT(network) },
	{ "events", MEMBER_OBJECT, 0, event_members },
	{ "interval_ms", MEMBER_WHOLE, AT(interval_ms), NULL, 1, 3600000 },
	{ "rate", MEMBER_TEXT, AT(rate) },
	{ "call_graph", MEMBER_TEXT, AT(call_graph) },
	{ "limit_s", MEMBER_NUMBER, AT(limit_s), NULL, 0, 1e7 },
	{ "limit_memory", MEMBER_WHOLE, AT(limit_memory), NULL, 0, 1e15 },
	{ "limit_tasks", MEMBER_WHOLE, AT(limit_tasks), NULL, 0, 1e7 },
	{ "limit_cpus", MEMBER_NUMBER, AT(limit_cpus), NULL, 0, 1e6 },
	{ "repeats", MEMBER_WHOLE, AT(repeats), NULL, 1, 1000 },
	{ "options", MEMBER_OBJECT, 0, option_members },
	{ "tags", MEMBER_WORDS, AT(tags) },
	{ "webhook", MEMBER_TEXT, AT(webhook) },
	{ "notes", MEMBER_TEXT, AT(notes) },
	{ "batch", MEMBER_OBJECT, 0, NULL }, /* ours: which of the repeats it is */
	{ 0 },
};

static int read_members(struct json_object *object, const struct member *members,
			struct form_raw *raw, struct err *err);

static int read_number(struct json_object *value, const struct member *m, struct form_raw *raw,
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

static int read_member(struct json_object *value, const struct member *m, struct form_raw *raw,
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

static int no_such_member(const char *name, const struct member *members, struct err *err)
{
	struct buf known = { 0 };
	int rc;

	for (const struct member *m = members; m->name; m++)
		buf_printf(&known, "%s%s", known.len ? ", " : "", m->name);
	rc = err_set(err, EINVAL, "unknown member `%.100s` of the form; there are %s", name,
		     buf_text(&known));
	buf_free(&known);
	return rc;
}

static int read_members(struct json_object *object, const struct member *members,
			struct form_raw *raw, struct err *err)
{
	json_object_object_foreach(object, name, value)
	{
		const struct member *m = members;
		int rc;

		while (m->name && strcmp(m->name, name))
			m++;
		if (!m->name)
			return no_such_member(name, members, err);
		rc = value ? read_member(value, m, raw, err) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

int form_raw_read(struct json_object *object, struct form_raw *raw, struct err *err)
{
	return read_members(object, form_members, raw, err);
}
