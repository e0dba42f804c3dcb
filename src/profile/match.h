/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions over function names: each name is looked at once. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/profile.h"

struct err;

/* For each function of the profile a byte: does its name match?  Free it; NULL on failure. */
uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 struct err *err);

/* One expression for text after text. */
struct matcher;
struct matcher *matcher_new(const char *expression, struct err *err);
bool matcher_test(struct matcher *matcher, const char *text);
/* -EINVAL where some text took too long, and was taken for one that does not match. */
int matcher_end(struct matcher *matcher, struct err *err);

#endif
