// SPDX-License-Identifier: Apache-2.0
#include "profile/reshape.h"
#include "base/err.h"
#include "base/text.h"
#include "profile/flametree.h"
#include "profile/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 200

static struct reshape_step *add_step(struct reshape *r, enum reshape_what what)
{
	struct reshape_step *step = vec_push(&r->steps);

	*step = (struct reshape_step){ .what = what };
	return step;
}

static int add_matching(struct reshape *r, enum reshape_what what, const char *expression,
			struct err *err)
{
	uint8_t *functions = NULL;

	if (!expression)
		return 0;
	functions = profile_match_functions(r->profile, expression, MATCH_SHOWN, err);
	if (functions)
		add_step(r, what)->functions = functions;
	return functions ? 0 : -EINVAL;
}

/* All functions that are shown by that name: each object may have one. */
static uint8_t *functions_called(const struct profile *profile, const char *name)
{
	uint8_t *functions = mem_alloc(profile->functions.len + 1);

	for (uint32_t i = 0; i < profile->functions.len; i++) {
		char *shown = flame_function_name(profile, i);

		functions[i] = !strcmp(shown, name);
		free(shown);
	}
	return functions;
}

/* Names stand in the list as in an address: %2C is a comma.  Free it. */
static char *decode(const char *text, size_t length)
{
	char *name = mem_alloc(length + 1), *into = name;

	for (size_t i = 0; i < length; i++) {
		int high = text[i] == '%' && i + 2 < length ? text_hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? text_hex_digit(text[i + 2]) : -1;

		*into++ = low >= 0 ? (char)(high << 4 | low) : text[i];
		i += low >= 0 ? 2 : 0;
	}
	return name;
}

/* FNV-1a. */
uint32_t reshape_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash;
}

uint32_t reshape_way(uint32_t caller, uint32_t name, bool inlined)
{
	uint32_t mixed = (caller ^ name ^ (inlined ? 0x85ebca6b : 0)) * 0x9e3779b1u;

	mixed ^= mixed >> 15;
	return mixed ? mixed : 1;
}

static void number_names(struct reshape *r)
{
	if (r->names)
		return;
	r->names = mem_alloc((r->profile->functions.len + 1) * sizeof(*r->names));
	for (uint32_t i = 0; i < r->profile->functions.len; i++) {
		char *shown = flame_function_name(r->profile, i);

		r->names[i] = reshape_name(shown);
		free(shown);
	}
}

/* What follows the word of a step. */
enum subject { NOTHING, NAME, EXPRESSION, WAY };

static const struct {
	const char *word;
	enum reshape_what what;
	enum subject subject;
} words[] = {
	{ "focus:", RESHAPE_FOCUS, NAME },	   { "until:", RESHAPE_UNTIL, NAME },
	{ "hide:", RESHAPE_HIDE, NAME },	   { "only:", RESHAPE_ONLY, NAME },
	{ "without:", RESHAPE_WITHOUT, NAME },	   { "keep:", RESHAPE_ONLY, EXPRESSION },
	{ "drop:", RESHAPE_WITHOUT, EXPRESSION },  { "zoom:", RESHAPE_ZOOM, WAY },
	{ "collapse", RESHAPE_COLLAPSE, NOTHING }, { "reverse", RESHAPE_REVERSE, NOTHING },
};

static int add_way(struct reshape *r, const char *text, struct err *err)
{
	if (strspn(text, "0123456789abcdef") != strlen(text) || strlen(text) > 8)
		return err_set(err, EINVAL,
			       "changes: 'zoom:%.20s' needs up to eight hexadecimal digits", text);
	number_names(r);
	add_step(r, RESHAPE_ZOOM)->way = (uint32_t)strtoul(text, NULL, 16);
	return 0;
}

static int add_subject(struct reshape *r, enum reshape_what what, enum subject subject,
		       const char *text, struct err *err)
{
	switch (subject) {
	case NOTHING: add_step(r, what); return 0;
	case NAME: add_step(r, what)->functions = functions_called(r->profile, text); return 0;
	case EXPRESSION: return add_matching(r, what, text, err);
	case WAY: return add_way(r, text, err);
	}
	return 0;
}

static int read_step(struct reshape *r, const char *text, size_t length, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t known = strlen(words[i].word);
		char *subject;
		int rc;

		if (length < known || strncmp(text, words[i].word, known) ||
		    (length == known) != (words[i].subject == NOTHING))
			continue;
		subject = decode(text + known, length - known);
		rc = add_subject(r, words[i].what, words[i].subject, subject, err);
		free(subject);
		return rc;
	}
	return err_set(
		err, EINVAL,
		"changes: '%.*s' must be one of focus:NAME, until:NAME, hide:NAME, only:NAME, "
		"without:NAME, keep:REGEX, drop:REGEX, zoom:WAY, collapse and reverse",
		length < 100 ? (int)length : 100, text);
}

static int read_changes(struct reshape *r, const char *changes, struct err *err)
{
	int rc = 0;

	while (!rc && changes && *changes) {
		size_t length = strcspn(changes, ",");

		if (r->steps.len >= STEPS_MOST)
			return err_set(err, EINVAL, "changes: more than %d of them", STEPS_MOST);
		rc = read_step(r, changes, length, err);
		changes += length + (changes[length] == ',');
	}
	return rc;
}

int reshape_make(struct reshape *r, const struct profile *profile,
		 const struct calltree_options *options, struct err *err)
{
	int rc;

	*r = (struct reshape){ .profile = profile, .upright = options->upright };
	rc = add_matching(r, RESHAPE_FOCUS, options->focus, err);
	if (!rc)
		rc = add_matching(r, RESHAPE_HIDE, options->hide, err);
	if (!rc && options->collapse_recursion)
		add_step(r, RESHAPE_COLLAPSE);
	if (!rc && options->from_leaf)
		add_step(r, RESHAPE_REVERSE);
	if (!rc)
		rc = read_changes(r, options->changes, err);
	if (rc)
		reshape_free(r);
	return rc;
}

void reshape_free(struct reshape *r)
{
	vec_each (step, &r->steps)
		free(step->functions);
	vec_free(&r->steps);
	vec_free(&r->path);
	free(r->names);
	*r = (struct reshape){ 0 };
}

static void turn(struct reshape *r)
{
	for (size_t i = 0, j = r->path.len; i + 1 < j; i++) {
		uint32_t swapped = r->path.data[i];

		r->path.data[i] = r->path.data[--j];
		r->path.data[j] = swapped;
	}
}

static uint32_t function_at(const struct reshape *r, size_t place)
{
	return r->profile->stacks.function[r->path.data[place]];
}

/* The first frame that the step is about; the path's length if there is none. */
static size_t find_first(const struct reshape *r, const struct reshape_step *step)
{
	size_t at = 0;

	while (at < r->path.len && !step->functions[function_at(r, at)])
		at++;
	return at;
}

static bool cut(struct reshape *r, const struct reshape_step *step)
{
	size_t at = find_first(r, step);

	if (at == r->path.len)
		return false;
	if (step->what == RESHAPE_UNTIL) {
		r->path.len = at + 1;
		return true;
	}
	r->path.len -= at;
	memmove(r->path.data, r->path.data + at, r->path.len * sizeof(*r->path.data));
	return true;
}

static void thin_out(struct reshape *r, const struct reshape_step *step)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->path.len; i++) {
		uint32_t function = function_at(r, i);
		bool gone = step->what == RESHAPE_HIDE
				    ? step->functions[function]
				    : kept && function_at(r, kept - 1) == function;

		if (!gone)
			r->path.data[kept++] = r->path.data[i];
	}
	r->path.len = kept;
}

/* Whether the stack goes through the frame that a step has zoomed to. */
static bool leads_through(const struct reshape *r, const struct reshape_step *step)
{
	uint32_t way = 0;

	for (size_t i = 0; i < r->path.len && way != step->way; i++)
		way = reshape_way(way, r->names[function_at(r, i)],
				  r->profile->stacks.flags[r->path.data[i]] & STACK_INLINED);
	return way == step->way;
}

bool reshape_stack(struct reshape *r, uint32_t stack)
{
	bool from_leaf = false;

	r->path.len = 0;
	for (; stack != STACK_ROOT; stack = r->profile->stacks.parent[stack])
		*vec_push(&r->path) = stack;
	turn(r);
	vec_each (step, &r->steps) {
		switch (step->what) {
		case RESHAPE_FOCUS:
		case RESHAPE_UNTIL:
			if (!cut(r, step))
				return false;
			break;
		case RESHAPE_ONLY:
		case RESHAPE_WITHOUT:
			if ((find_first(r, step) == r->path.len) == (step->what == RESHAPE_ONLY))
				return false;
			break;
		case RESHAPE_ZOOM:
			if (!leads_through(r, step))
				return false;
			break;
		case RESHAPE_HIDE:
		case RESHAPE_COLLAPSE: thin_out(r, step); break;
		case RESHAPE_REVERSE:
			turn(r);
			from_leaf = !from_leaf;
			break;
		}
	}
	if (from_leaf && r->upright)
		turn(r);
	return true;
}
