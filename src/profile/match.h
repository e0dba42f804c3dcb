/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions over function names: each name is looked at once. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/profile.h"

struct err;

/* For each function of the profile a byte: does its name match?  Free it; NULL on failure. */
uint8_t *profile_match_functions(const struct profile *profile, const char *expression,
				 struct err *err);

#endif
