/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control group (version 2) for what a run starts, so that all of it can be ended, whatever it
 * did to get away: own sessions, forks of forks.
 */
#ifndef JOBS_JOBGROUP_H
#define JOBS_JOBGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct jobgroup {
	char *path; /* of its folder; NULL: there is none, since the machine has none for us */
};

/*
 * The server's own, below the group that we are in: made, or taken over from a server that was
 * killed, with everything in it ended.  Without cgroups of ours path is NULL.
 */
void jobgroup_open(struct jobgroup *group, const char *name);
/* One below it, for a run. */
int jobgroup_below(struct jobgroup *group, const struct jobgroup *parent, const char *name,
		   struct err *err);
int jobgroup_add(const struct jobgroup *group, pid_t pid, struct err *err);

/* Sends SIGKILL to all in it and below; true if nothing is left in it. */
bool jobgroup_kill(const struct jobgroup *group);
bool jobgroup_empty(const struct jobgroup *group);
/*
 * For how long something in it could have run and had no CPU ("cpu"), or waited for a disk ("io"):
 * microseconds as the kernel counts them, -1 where it does not.
 */
int64_t jobgroup_pressure_us(const struct jobgroup *group, const char *what);
/* The CPU time of all that was in it, also of what was killed; false where that is not known. */
bool jobgroup_cpu(const struct jobgroup *group, uint64_t *user_ns, uint64_t *system_ns);
/* Kills what is in it, waits, removes it and those below it. */
void jobgroup_close(struct jobgroup *group);

#endif
