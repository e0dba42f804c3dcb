/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes are a server's own: its guard, its supervisor and all that these have started,
 * and those of any other server that is the same program.  They hold passwords, sessions and other
 * people's data, so nobody measures them by their numbers.
 */
#ifndef JOBS_FAMILY_H
#define JOBS_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

struct family {
	pid_t supervisor, guard; /* 0: not known */
};

/* As the supervisor sees it, and as a process does that it has started. */
struct family family_own(void);
struct family family_of_parent(void);

/* A process or thread. */
bool family_has(const struct family *family, pid_t pid);
/* Whether the server is among what that process has started. */
bool family_is_below(const struct family *family, pid_t pid);

#endif
