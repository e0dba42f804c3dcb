/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions over function names: each name is looked at once. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/profile.h"

struct err;

/* Which name of a function an expression is held against. */
enum match_names {
	MATCH_SHOWN,  /* as pictures show it: demangled, "[libc.so.6]" where there is none */
	MATCH_LISTED, /* as `report` lists it: demangled, "[unknown]" where there is none */
	MATCH_RAW,    /* as the linker knows it */
};

/* For each function of the profile a byte: does its name match?  Free it; NULL on failure. */
uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 enum match_names names, struct err *err);

/* One expression for text after text. */
struct matcher;
struct matcher *matcher_new(const char *expression, struct err *err);
/* For what somebody types to search: case counts only where it has a capital letter, or (?-i). */
struct matcher *matcher_new_smart(const char *expression, struct err *err);
bool matcher_test(struct matcher *matcher, const char *text);
/* -EINVAL where some text took too long, and was taken for one that does not match. */
int matcher_end(struct matcher *matcher, struct err *err);

#endif
