// SPDX-License-Identifier: Apache-2.0
#include "profile/match.h"
#include "base/err.h"

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
	for (size_t i = 0; i < profile->functions.len; i++) {
		const char *name = profile_function_name(profile, (uint32_t)i);

		matches[i] = pcre2_match(regex, (PCRE2_SPTR)name, strlen(name), 0, 0, data, NULL) >=
			     0;
	}
	pcre2_match_data_free(data);
	pcre2_code_free(regex);
	return matches;
}
