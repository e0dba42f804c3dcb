// SPDX-License-Identifier: Apache-2.0
#include "profile/match.h"
#include "base/err.h"
#include "profile/flametree.h"

#include <errno.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static pcre2_code *compile(const char *expression, struct err *err)
{
	PCRE2_UCHAR why[200];
	PCRE2_SIZE at;
	int code;
	pcre2_code *regex = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, 0, &code,
					  &at, NULL);

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
	pcre2_code *regex;
	pcre2_match_data *data;
	pcre2_match_context *context;
	bool too_long;
};

static bool matches_text(struct matcher *matcher, const char *text)
{
	int rc = pcre2_match(matcher->regex, (PCRE2_SPTR)text, strlen(text), 0, 0, matcher->data,
			     matcher->context);

	matcher->too_long |= rc == PCRE2_ERROR_MATCHLIMIT;
	return rc >= 0;
}

/* By the name that the linker knows or, where it is another, by that which people are shown. */
static bool matches_function(struct matcher *matcher, const struct profile *profile,
			     uint32_t function)
{
	const char *name = profile_function_name(profile, function);
	char *shown;
	bool matches;

	if (matches_text(matcher, name))
		return true;
	shown = flame_function_name(profile, function);
	matches = matches_text(matcher, shown);
	free(shown);
	return matches;
}

static int matcher_make(struct matcher *matcher, const char *expression, struct err *err)
{
	*matcher = (struct matcher){ .regex = compile(expression, err) };
	if (!matcher->regex)
		return -EINVAL;
	pcre2_jit_compile(matcher->regex, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
	matcher->data = pcre2_match_data_create_from_pattern(matcher->regex, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(matcher->context, STEPS_MOST);
	return 0;
}

static void matcher_free(struct matcher *matcher)
{
	pcre2_match_context_free(matcher->context);
	pcre2_match_data_free(matcher->data);
	pcre2_code_free(matcher->regex);
}

uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 struct err *err)
{
	struct matcher matcher;
	uint8_t *matches;

	if (matcher_make(&matcher, expression, err))
		return NULL;
	matches = mem_alloc(profile->functions.len);
	for (uint32_t i = 0; i < profile->functions.len && !matcher.too_long; i++)
		matches[i] = matches_function(&matcher, profile, i);
	if (matcher.too_long) {
		err_set(err, EINVAL, "'%s' takes too long with the names that there are",
			expression);
		free(matches);
		matches = NULL;
	}
	matcher_free(&matcher);
	return matches;
}
