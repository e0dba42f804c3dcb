// SPDX-License-Identifier: Apache-2.0
#include "base/options.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int duration_parse(const char *text, int64_t unit_ns, int64_t *ns, struct err *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 },   { "us", 1e3 },	{ "ms", 1e6 },	 { "s", 1e9 },
		{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	double value, factor = (double)unit_ns;
	char *end;

	errno = 0;
	value = isdigit((unsigned char)*text) || *text == '.' ? strtod(text, &end) : NAN;
	if (isnan(value) || errno || end == text)
		return err_set(err, EINVAL, "'%s' is not a duration; write 500ms, 10s or 2m", text);
	if (*end) {
		factor = 0;
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (!strcmp(end, units[i].name))
				factor = units[i].ns;
	}
	if (factor == 0)
		return err_set(err, EINVAL, "'%s': unknown unit '%s'; use ns, us, ms, s, m or h",
			       text, end);
	if (value * factor > 9.2e18)
		return err_set(err, EINVAL, "'%s' is too long a duration", text);
	*ns = llround(value * factor);
	return 0;
}

static bool takes_value(const struct option_spec *spec)
{
	return spec->arg != NULL;
}

static bool value_is_optional(const struct option_spec *spec)
{
	return spec->arg && spec->arg[0] == '[';
}

static int bad_number(const struct option_spec *spec, const char *text, struct err *err)
{
	return err_set(err, EINVAL, "'%s' is not a number, or out of range",
		       text ? text : spec->arg);
}

static int store(const struct option_spec *spec, void *options, const char *text, bool unset,
		 struct err *err)
{
	void *field = (char *)options + spec->offset;
	char *end = NULL;
	long long number;

	errno = 0;
	assert(text || unset || !takes_value(spec) || spec->kind == OPT_TEXT ||
	       spec->kind == OPT_CALL);
	switch (spec->kind) {
	case OPT_FLAG: *(bool *)field = !unset; return 0;
	case OPT_COUNT: *(int *)field = unset ? 0 : *(int *)field + 1; return 0;
	case OPT_INT:
		number = strtoll(text, &end, 0);
		if (errno || end == text || *end || number < INT_MIN || number > INT_MAX)
			return bad_number(spec, text, err);
		*(int *)field = (int)number;
		return 0;
	case OPT_U64:
		*(uint64_t *)field = strtoull(text, &end, 0);
		if (errno || end == text || *end || text[0] == '-')
			return bad_number(spec, text, err);
		return 0;
	case OPT_TEXT: *(const char **)field = unset ? NULL : text ? text : ""; return 0;
	case OPT_LIST: strlist_add(field, text); return 0;
	case OPT_DURATION:
		if (!strcmp(text, "-1")) {
			*(int64_t *)field = -1;
			return 0;
		}
		return duration_parse(text, spec->unit_ns, field, err);
	case OPT_CALL: return spec->call(options, text, unset, err);
	case OPT_END:
	case OPT_HEADING: break;
	}
	return err_set(err, EINVAL, "an option of unknown kind");
}

/* How `name` (of `length` bytes) spells a long option: not at all, by its beginning, or exactly. */
enum match { MATCH_NONE, MATCH_PREFIX, MATCH_EXACT };

static enum match match_name(const char *full, const char *name, size_t length)
{
	if (strncmp(full, name, length))
		return MATCH_NONE;
	return full[length] ? MATCH_PREFIX : MATCH_EXACT;
}

/* The same for the opposite of a flag: --no-X of X, and --X of no-X. */
static enum match match_negated(const struct option_spec *spec, const char *name, size_t length)
{
	bool negatable = !takes_value(spec) || value_is_optional(spec);

	if (!negatable)
		return MATCH_NONE;
	if (!strncmp(spec->long_name, "no-", 3))
		return match_name(spec->long_name + 3, name, length);
	if (length > 3 && !strncmp(name, "no-", 3))
		return match_name(spec->long_name, name + 3, length - 3);
	return MATCH_NONE;
}

/* Two spellings of one thing, as perf has them: not ambiguous. */
static bool same_option(const struct option_spec *a, const struct option_spec *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->call == b->call;
}

/*
 * Looks for the option whose name, or whose negated name, begins so.  Returns how it matched; with
 * several that differ *found is NULL.
 */
static enum match search(const struct option_spec *specs, const char *name, size_t length,
			 bool negated, const struct option_spec **found)
{
	enum match best = MATCH_NONE;

	for (const struct option_spec *spec = specs; spec->kind; spec++) {
		enum match match = MATCH_NONE;

		if (spec->long_name)
			match = negated ? match_negated(spec, name, length)
					: match_name(spec->long_name, name, length);
		if (match == MATCH_EXACT) {
			*found = spec;
			return match;
		}
		if (match == MATCH_PREFIX && best == MATCH_NONE)
			*found = spec;
		else if (match == MATCH_PREFIX && *found && !same_option(*found, spec))
			*found = NULL;
		if (match > best)
			best = match;
	}
	return best;
}

/* How well a name stands for what was typed: 0 not at all, else the smaller the better. */
static int nearness(const char *typed, const char *name)
{
	int typo = text_typo_of(typed, name);
	size_t length = strlen(name);

	if (typo)
		return typo;
	/* "--frequency" of which we have the first syllable; the longer the better */
	return length >= 4 && length < 64 && !strncmp(typed, name, length) ? 128 - (int)length : 0;
}

static void complain_unknown(const struct option_spec *specs, const char *name, size_t length,
			     struct err *err)
{
	char typed[64];
	const char *nearest = NULL, *negation = "";
	int best = 0;

	snprintf(typed, sizeof(typed), "%.*s", (int)length, name);
	for (const struct option_spec *spec = specs; spec->kind; spec++) {
		bool negated = !strncmp(typed, "no-", 3) && spec->long_name && !takes_value(spec) &&
			       strncmp(spec->long_name, "no-", 3) != 0;
		int distance = 0;

		if (spec->long_name && !spec->hidden)
			distance = nearness(negated ? typed + 3 : typed, spec->long_name);
		if (!distance || (best && distance >= best))
			continue;
		best = distance;
		nearest = spec->long_name;
		negation = negated ? "no-" : "";
	}
	if (nearest)
		err_set(err, EINVAL, "unknown option '--%s'; did you mean --%s%s?", typed, negation,
			nearest);
	else
		err_set(err, EINVAL, "unknown option '--%s'", typed);
}

static void complain_ambiguous(const struct option_spec *specs, const char *name, size_t length,
			       struct err *err)
{
	struct buf list = { 0 };

	for (const struct option_spec *spec = specs; spec->kind; spec++)
		if (spec->long_name && !spec->hidden &&
		    match_name(spec->long_name, name, length) != MATCH_NONE)
			buf_printf(&list, "%s--%s", list.len ? ", " : "", spec->long_name);
	err_set(err, EINVAL, "ambiguous option '--%.*s'%s%s", (int)length, name,
		list.len ? "; it could be " : "", list.len ? buf_text(&list) : "");
	buf_free(&list);
}

/* The option that name spells, or NULL with the reason; *unset for its --no- form. */
static const struct option_spec *find_long(const struct option_spec *specs, const char *name,
					   size_t length, bool *unset, struct err *err)
{
	const struct option_spec *plain = NULL, *negated = NULL;
	enum match match = MATCH_NONE, match_unset = MATCH_NONE;

	if (length) {
		match = search(specs, name, length, false, &plain);
		match_unset = search(specs, name, length, true, &negated);
	}
	/* a beginning means an option as it is called rather than the opposite of one */
	*unset = match_unset > match;
	if (*unset ? negated : plain)
		return *unset ? negated : plain;
	if (match == MATCH_NONE && match_unset == MATCH_NONE)
		complain_unknown(specs, name, length, err);
	else
		complain_ambiguous(specs, name, length, err);
	return NULL;
}

/* "-c needs a number", but "--since: 'x' is not a time". */
static int __attribute__((format(printf, 2, 3)))
name_option(struct err *err, const char *format, ...)
{
	bool sentence = err &&
			(!strncmp(err->text, "needs ", 6) || !strncmp(err->text, "must ", 5));
	char name[64];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return sentence ? err_set(err, err->code, "%s %s", name, err->text)
			: err_prefix(err, "%s", name);
}

struct parser {
	const struct option_spec *specs;
	void *options;
	int argc;
	char **argv;
	int at; /* the word being looked at */
	bool help;
};

static int parse_long(struct parser *p, struct err *err)
{
	const char *name = p->argv[p->at] + 2;
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	const struct option_spec *spec;
	bool unset = false;

	if (!strcmp(name, "help")) {
		p->help = true;
		return 0;
	}
	spec = find_long(p->specs, name, length, &unset, err);
	if (!spec)
		return -EINVAL;
	if (value && (!takes_value(spec) || unset))
		return err_set(err, EINVAL, "--%.*s takes no value", (int)length, name);
	if (!value && takes_value(spec) && !value_is_optional(spec)) {
		if (p->at + 1 >= p->argc)
			return err_set(err, EINVAL, "--%s needs %s", spec->long_name, spec->arg);
		value = p->argv[++p->at];
	}
	if (store(spec, p->options, value, unset, err))
		return name_option(err, "--%s", spec->long_name);
	return 0;
}

/* One word of short options: "-a", "-av", "-e cycles", "-ecycles". */
static int parse_short(struct parser *p, struct err *err)
{
	for (const char *c = p->argv[p->at] + 1; *c; c++) {
		const struct option_spec *spec = p->specs;
		const char *value = NULL;

		while (spec->kind && spec->short_name != *c)
			spec++;
		if (!spec->kind && *c == 'h') {
			p->help = true;
			return 0;
		}
		if (!spec->kind)
			return err_set(err, EINVAL, "unknown option '-%c'", *c);
		if (takes_value(spec)) {
			if (c[1])
				value = c + 1;
			else if (!value_is_optional(spec) && p->at + 1 < p->argc)
				value = p->argv[++p->at];
			else if (!value_is_optional(spec))
				return err_set(err, EINVAL, "-%c needs %s", *c, spec->arg);
		}
		if (store(spec, p->options, value, false, err))
			return name_option(err, "-%c", *c);
		if (takes_value(spec))
			return 0;
	}
	return 0;
}

int options_parse(const struct option_spec *specs, void *options, int argc, char **argv,
		  bool stop_at_word, struct options_result *result, struct err *err)
{
	struct parser p = { .specs = specs, .options = options, .argc = argc, .argv = argv };
	VEC(char *) words = { 0 };
	VEC(char *) taken = { 0 };
	int rc = 0;

	*result = (struct options_result){ 0 };
	for (p.at = 1; p.at < argc && !rc && !p.help; p.at++) {
		char *word = argv[p.at];
		int first = p.at;

		if (!strcmp(word, "--")) {
			*vec_push(&taken) = word;
			p.at++;
			break;
		}
		if (word[0] != '-' || !word[1]) {
			if (stop_at_word)
				break;
			*vec_push(&words) = word;
			continue;
		}
		rc = word[1] == '-' ? parse_long(&p, err) : parse_short(&p, err);
		for (; first <= p.at && first < argc; first++)
			*vec_push(&taken) = argv[first];
	}
	/* argv[1..] becomes: options, the words met between them, what stands after them */
	for (size_t i = 0; i < taken.len; i++)
		argv[1 + i] = taken.data[i];
	for (size_t i = 0; i < words.len; i++)
		argv[1 + taken.len + i] = words.data[i];
	result->next = 1 + (int)taken.len;
	result->help = p.help;
	vec_free(&words);
	vec_free(&taken);
	return rc;
}

void option_spelling(const struct option_spec *spec, struct buf *into)
{
	if (spec->short_name)
		buf_printf(into, "-%c", spec->short_name);
	if (spec->short_name && spec->long_name)
		buf_puts(into, ", ");
	if (spec->long_name)
		buf_printf(into, "--%s", spec->long_name);
	if (value_is_optional(spec)) /* "[WHAT]" becomes "[=WHAT]" */
		buf_printf(into, "[=%s", spec->arg + 1);
	else if (spec->arg)
		buf_printf(into, " %s", spec->arg);
}
