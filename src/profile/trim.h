/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile whose samples have other stacks than were recorded: without some of their frames.  New
 * stacks are added to the profile's own, so it must have been built and not mapped from an index.
 */
#ifndef PROFILE_TRIM_H
#define PROFILE_TRIM_H

#include "profile/profile.h"

struct err;

/* Without the frames that have no name. */
void profile_hide_unknown(struct profile *profile);

/* With so many frames, the innermost ones, beside what is inlined in them.  Of stacks that were
 * copied so many of the kernel's part and so many of the program's, as in perf. */
void profile_limit_stacks(struct profile *profile, size_t most);

/* What functions that match call is their own: stacks end with the outermost of them. */
int profile_ignore_callees(struct profile *profile, const char *expression, struct err *err);

#endif
