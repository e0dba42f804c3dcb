/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups for what a run starts: so that all of it can be ended, whatever it did to get
 * away (own sessions, forks of forks), and so that it takes no more of the machine than it may.
 *
 * Version 2 is where processes are found and ended.  A controller is used where the machine has it:
 * in version 2, if it is passed on to groups of ours, else in its hierarchy of version 1.
 */
#ifndef JOBS_JOBGROUP_H
#define JOBS_JOBGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

enum jobgroup_part { GROUP_MEMORY, GROUP_TASKS, GROUP_CPU, GROUP_IO, GROUP_PARTS };

struct jobgroup {
	char *path; /* of its folder in version 2; NULL: there is none, since there is none for us
		     */
	struct {
		char *path; /* of the folder that holds the controller; NULL: none does */
		bool v2;
	} parts[GROUP_PARTS];
};

/* What it may take; 0: no limit. */
struct jobgroup_limits {
	uint64_t memory; /* bytes, with what is swapped out */
	uint64_t tasks;	 /* processes and threads */
	uint64_t cpu;	 /* thousandths of one */
};

/* What it has taken, and what came of it. */
struct jobgroup_events {
	uint64_t memory_kills; /* processes that the kernel has ended for lack of memory */
	bool own_limit;	       /* ... of the group's, not of the machine's or of who holds us */
	uint64_t tasks_refused;
};

/* Where the machine says what groups there are; tests have files of their own. */
struct jobgroup_system {
	const char *groups; /* as /proc/self/cgroup */
	const char *mounts; /* as /proc/self/mountinfo */
};
extern const struct jobgroup_system jobgroup_here;

/*
 * The server's own, below the group that we are in: made, or taken over from a server that was
 * killed, with everything in it ended.  Where version 2 passes controllers on only to groups
 * beside processes, we move to one.  What can't be made is NULL.
 */
void jobgroup_open(struct jobgroup *group, const char *name, const struct jobgroup_system *system);
/* One below it, for a run; cpu: its CPU time will be limited. */
int jobgroup_below(struct jobgroup *group, const struct jobgroup *parent, const char *name,
		   bool cpu, struct err *err);
int jobgroup_add(const struct jobgroup *group, pid_t pid, struct err *err);

/* Sets them; one that is not held, since nothing here can, is 0 then. */
void jobgroup_limit(const struct jobgroup *group, struct jobgroup_limits *limits);
/* Less of the disk than others get, where they compete; false where nothing here can. */
bool jobgroup_yield_io(const struct jobgroup *group);
struct jobgroup_events jobgroup_events(const struct jobgroup *group);

/* The memory of the machine, or of the group that we are in where that may have less. */
uint64_t jobgroup_memory(const struct jobgroup_system *system);

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
