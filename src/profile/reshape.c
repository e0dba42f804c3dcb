// SPDX-License-Identifier: Apache-2.0
#include "profile/reshape.h"
#include "base/err.h"
#include "base/text.h"
#include "profile/flametree.h"
#include "profile/match.h"

#include <errno.h>

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

static const struct {
	const char *word;
	enum reshape_what what;
	bool named; /* a function's name follows */
} words[] = {
	{ "focus:", RESHAPE_FOCUS, true },     { "until:", RESHAPE_UNTIL, true },
	{ "hide:", RESHAPE_HIDE, true },       { "collapse", RESHAPE_COLLAPSE, false },
	{ "reverse", RESHAPE_REVERSE, false },
};

static int read_step(struct reshape *r, const char *text, size_t length, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t known = strlen(words[i].word);
		struct reshape_step *step;
		char *name;

		if (length < known || strncmp(text, words[i].word, known) ||
		    (length == known) == words[i].named)
			continue;
		step = add_step(r, words[i].what);
		if (words[i].named) {
			name = decode(text + known, length - known);
			step->functions = functions_called(r->profile, name);
			free(name);
		}
		return 0;
	}
	return err_set(err, EINVAL,
		       "changes: '%.*s' is none of focus:NAME, until:NAME, hide:NAME, collapse and "
		       "reverse",
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
