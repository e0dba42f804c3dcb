/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be measured besides the programs that runs start themselves.
 *
 * While nobody but the owner has an account, all that --deny does not forbid.  Once somebody else
 * has one, only processes of one's own Unix account, and what --allow names: a recording holds what
 * was in the memory of the processes that it is of, and those of others are not for every runner.
 */
#ifndef JOBS_REACH_H
#define JOBS_REACH_H

#include <stdbool.h>

/* The configuration. */
struct reach_rules {
	bool attach, users, host; /* not denied */
	bool allow_attach, allow_users, allow_host;
};

struct reach {
	bool attach;	    /* processes that run already, of one's own account */
	bool attach_others; /* ... of any */
	bool users;	    /* all that somebody else runs */
	bool host;
	bool shared; /* somebody besides the owner has an account */
};

struct reach reach_by(const struct reach_rules *rules, bool shared);

/* Why not, for people; NULL: it may be.  `others`: of another Unix account than one's own. */
const char *reach_refuses_attach(const struct reach *reach, bool others);
const char *reach_refuses_user(const struct reach *reach, bool others);
/* Whether only what the account could trace itself may be measured; users: of a user target. */
bool reach_is_own(const struct reach *reach, bool users);
const char *reach_refuses_host(const struct reach *reach);

#endif
