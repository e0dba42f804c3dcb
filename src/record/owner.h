/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose tasks may be measured, where not everybody's may: those that the user could trace himself.
 *
 * The kernel lets a recorder with privileges open events on everything, so the kernel's own rule
 * for one without (ptrace_may_access) is kept here: all user and group ids are the user's, it may
 * be dumped, and it has no capability.  A server measures by it what people attach to.
 *
 *	held = owner_hold(owner, tid);
 *	... open events on tid, which count nothing yet ...
 *	rc = owner_check(owner, held, tid, err);	then let them count
 *
 * A task that is the user's after its events were opened can't take them along to another user:
 * whoever becomes more than it was, by an exec of a setuid program, loses all events that others
 * have on it, and those it has inherited.
 */
#ifndef RECORD_OWNER_H
#define RECORD_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

struct err;

struct owner {
	bool set; /* false: everybody's may be measured */
	uid_t uid;
	gid_t gid;
};

/* "UID:GID"; NULL or "" is everybody. */
int owner_parse(struct owner *owner, const char *text, struct err *err);

/*
 * A descriptor that stays that task's: whoever gets its number later is not taken for it.  Less
 * than 0 if it is gone, or if nobody will ask.
 */
int owner_hold(const struct owner *owner, pid_t task);

/* By such a descriptor, or by a folder of /proc: 0, -ESRCH if it has ended, or -EPERM with words.
 */
int owner_check(const struct owner *owner, int held, pid_t task, struct err *err);

/* All of it at once. */
int owner_check_task(const struct owner *owner, pid_t task, struct err *err);

#endif
