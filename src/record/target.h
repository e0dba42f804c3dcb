/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is measured: a program to start, processes, threads, a user's processes, CPUs, cgroups.
 *
 * target_resolve turns what the flags say into threads and CPUs to open events on.  Processes that
 * vanish meanwhile are skipped and counted, never an error while one is left.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "base/cpuset.h"
#include "base/vec.h"
#include <stdbool.h>
#include <sys/types.h>

struct err;

enum target_kind {
	TARGET_COMMAND, /* a program that we start (record/workload.h) */
	TARGET_TASKS,	/* threads that are there already: -p, -t, -u */
	TARGET_CPUS,	/* everything on some CPUs: -a, -C */
	TARGET_CGROUPS, /* everything of some cgroups, on all or some CPUs */
};

/* As the flags say; a NULL or false is a flag that was not given. */
struct target_flags {
	const char *pids;    /* "12,34" */
	const char *tids;    /* "12,34" */
	const char *user;    /* name or number */
	const char *cpus;    /* "0-3" */
	const char *cgroups; /* "a,b": names below the cgroup mount, or paths */
	bool all_cpus;
	bool has_command; /* words follow: the program, or with any of the above only the clock */
};

struct target_task {
	pid_t pid, tid;
	char comm[16];
};

struct target_cgroup {
	char *name; /* as given */
	int fd;	    /* of its folder */
};

struct target {
	enum target_kind kind;
	VEC(struct target_task) tasks;	   /* TARGET_TASKS */
	struct cpuset cpus;		   /* TARGET_CPUS and TARGET_CGROUPS: never empty */
	VEC(struct target_cgroup) cgroups; /* TARGET_CGROUPS */
	size_t vanished;		   /* processes that ended while we looked */
};

/* On failure *target needs no target_fini. */
int target_resolve(struct target *target, const struct target_flags *flags, struct err *err);
void target_fini(struct target *target);

/* Whether any of the measured threads is still alive (always true for CPUs and cgroups). */
bool target_alive(const struct target *target);

#endif
