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

static bool matches_text(const pcre2_code *regex, pcre2_match_data *data, const char *text)
{
	return pcre2_match(regex, (PCRE2_SPTR)text, strlen(text), 0, 0, data, NULL) >= 0;
}

/* By the name that the linker knows or, where it is another, by that which people are shown. */
static bool matches_function(const pcre2_code *regex, pcre2_match_data *data,
			     const struct profile *profile, uint32_t function)
{
	const char *name = profile_function_name(profile, function);
	char *shown;
	bool matches;

	if (matches_text(regex, data, name))
		return true;
	shown = flame_function_name(profile, function);
	matches = matches_text(regex, data, shown);
	free(shown);
	return matches;
}

uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 struct err *err)
{
	pcre2_code *regex = compile(expression, err);
	pcre2_match_data *data;
	uint8_t *matches;

	if (!regex)
		return NULL;
	pcre2_jit_compile(regex, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
	data = pcre2_match_data_create_from_pattern(regex, NULL);
	matches = mem_alloc(profile->functions.len);
	for (uint32_t i = 0; i < profile->functions.len; i++)
		matches[i] = matches_function(regex, data, profile, i);
	pcre2_match_data_free(data);
	pcre2_code_free(regex);
	return matches;
}
