/* SPDX-License-Identifier: Apache-2.0 */
/* Who a process of ours runs as. */
#ifndef JOBS_IDENTITY_H
#define JOBS_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

struct err;

struct identity {
	uid_t uid;
	gid_t gid;
	char *name, *home, *shell;
};

/* By name or number; -ENOENT if there is no such user. */
int identity_find(struct identity *identity, const char *user, struct err *err);
void identity_of(struct identity *identity, uid_t uid, gid_t gid); /* also without an account */
void identity_copy(struct identity *identity, const struct identity *from);
void identity_fini(struct identity *identity);

/*
 * Becomes it for good: groups, group and user, and no way back.  Between fork and exec; 0 or a
 * negative errno value.  Does nothing if this is who we are already.
 */
int identity_become(const struct identity *identity);
/* From here on no program that is started has more rights than this one: sudo, su and the like. */
int identity_stay(const struct identity *identity);

#endif
