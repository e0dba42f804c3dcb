// SPDX-License-Identifier: Apache-2.0
#include "profile/match.h"
#include "base/err.h"
#include "profile/flametree.h"

#include <errno.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static pcre2_code *compile(const char *expression, uint32_t options, struct err *err)
{
	PCRE2_UCHAR why[200];
	PCRE2_SIZE at;
	int code;
	pcre2_code *regex = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, options,
					  &code, &at, NULL);

	if (!regex) {
		pcre2_get_error_message(code, why, sizeof(why));
		err_set(err, EINVAL, "'%s' is not a regular expression: %s at character %zu",
			expression, (const char *)why, (size_t)at + 1);
	}
	return regex;
}

/*
 * An expression like (a+)+$ takes for ever with some names, and both may be somebody else's: what
 * takes longer than any honest one is an error.
 */
#define STEPS_MOST 200000

struct matcher {
	const char *expression;
	pcre2_code *regex;
	pcre2_match_data *data;
	pcre2_match_context *context;
	bool too_long;
};

static struct matcher *make(const char *expression, uint32_t options, struct err *err)
{
	pcre2_code *regex = compile(expression, options, err);
	struct matcher *matcher;

	if (!regex)
		return NULL;
	matcher = mem_alloc(sizeof(*matcher));
	*matcher = (struct matcher){ .expression = expression, .regex = regex };
	pcre2_jit_compile(matcher->regex, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
	matcher->data = pcre2_match_data_create_from_pattern(matcher->regex, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(matcher->context, STEPS_MOST);
	return matcher;
}

struct matcher *matcher_new(const char *expression, struct err *err)
{
	return make(expression, 0, err);
}

/* As web/flame/search.ts: \S and the like are no capital letters of a name. */
static bool has_capital(const char *expression)
{
	for (; *expression; expression++)
		if (*expression == '\\' && expression[1])
			expression++;
		else if (*expression >= 'A' && *expression <= 'Z')
			return true;
	return false;
}

struct matcher *matcher_new_smart(const char *expression, struct err *err)
{
	return make(expression, has_capital(expression) ? 0 : PCRE2_CASELESS, err);
}

bool matcher_test(struct matcher *matcher, const char *text)
{
	int rc;

	if (matcher->too_long)
		return false;
	rc = pcre2_match(matcher->regex, (PCRE2_SPTR)text, strlen(text), 0, 0, matcher->data,
			 matcher->context);
	matcher->too_long = rc == PCRE2_ERROR_MATCHLIMIT;
	return rc >= 0;
}

int matcher_end(struct matcher *matcher, struct err *err)
{
	int rc = 0;

	if (matcher->too_long)
		rc = err_set(err, EINVAL, "'%s' takes too long with the names that there are",
			     matcher->expression);
	pcre2_match_context_free(matcher->context);
	pcre2_match_data_free(matcher->data);
	pcre2_code_free(matcher->regex);
	free(matcher);
	return rc;
}

/*
 * By one name only, the one that is seen: a mangled name holds words that its readable form does
 * not ("bitmap" of a parameter's type), and nobody could tell why such a stack was kept.
 */
static bool matches_function(struct matcher *matcher, const struct profile *profile,
			     uint32_t function, enum match_names names)
{
	const char *plain = profile_function_name(profile, function);
	char *shown;
	bool matches;

	if (names == MATCH_RAW || (names == MATCH_LISTED && !strcmp(plain, UNKNOWN_NAME)))
		return matcher_test(matcher, plain);
	shown = flame_function_name(profile, function);
	matches = matcher_test(matcher, shown);
	free(shown);
	return matches;
}

uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 enum match_names names, struct err *err)
{
	struct matcher *matcher = matcher_new(expression, err);
	uint8_t *matches;

	if (!matcher)
		return NULL;
	matches = mem_alloc(profile->functions.len);
	for (uint32_t i = 0; i < profile->functions.len; i++)
		matches[i] = matches_function(matcher, profile, i, names);
	if (!matcher_end(matcher, err))
		return matches;
	free(matches);
	return NULL;
}
