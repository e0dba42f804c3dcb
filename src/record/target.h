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
#include "record/lifewatch.h"
#include "record/owner.h"
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
	const char *pids;     /* "12,34" */
	const char *tids;     /* "12,34" */
	const char *user;     /* name or number */
	const char *cpus;     /* "0-3" */
	const char *owner;    /* "UID:GID": nobody else's are measured (record/owner.h) */
	const char *cgroups;  /* "a,b": names below the cgroup mount, or paths */
	bool cgroup_patterns; /* a name may be a regular expression (--for-each-cgroup) */
	bool all_cpus;
	bool tree;	  /* with -p: also the processes that descend from those named */
	bool has_command; /* words follow: the program, or with any of the above only the clock */
};

struct target_task {
	pid_t pid, tid;
	char comm[64]; /* kernel threads show more than 15 letters */
};

struct target_tasks VEC_OF(struct target_task);

struct target_ids VEC_OF(pid_t);

struct target_cgroup {
	char *name; /* as given; "" (between two commas) stands for the whole machine */
	int fd;	    /* of its folder, -1 for "" */
};

/* Where the threads come from, kept so that they can be looked up again. */
enum target_source { TARGET_FROM_PIDS, TARGET_FROM_TIDS, TARGET_FROM_USER };

struct target {
	enum target_kind kind;
	struct target_tasks tasks;	   /* TARGET_TASKS: sorted by tid */
	struct cpuset cpus;		   /* TARGET_CPUS and TARGET_CGROUPS: never empty */
	VEC(struct target_cgroup) cgroups; /* TARGET_CGROUPS */
	size_t vanished;		   /* processes that ended while we looked */
	size_t left_out;		   /* a server's, among a user's or a tree's */
	size_t others;			   /* among those: not the owner's */
	struct owner owner;

	const char *overrides; /* flags that exclude each other: what was passed over, or NULL */

	enum target_source source;
	struct target_ids ids; /* the processes or threads that were named */
	bool tree;
	uid_t user;
	struct lifewatch watch; /* TARGET_TASKS: watch.fd is for poll */
};

/* On failure *target needs no target_fini. */
int target_resolve(struct target *target, const struct target_flags *flags, struct err *err);
void target_fini(struct target *target);

/*
 * The threads that TARGET_TASKS stands for now, sorted by tid, added to *tasks without their names
 * (target_name_tasks reads those).
 */
void target_scan(const struct target *target, struct target_tasks *tasks, size_t *vanished);
void target_name_tasks(struct target_tasks *tasks);

/* Says that a task may not be measured, in the words in which it was asked for; verb: "record". */
int target_refused(const struct target *target, pid_t tid, const char *verb, int code,
		   struct err *err);

/*
 * Whether any of the measured processes (-t: threads) is still alive; always true for CPUs and
 * cgroups.  Cheap: call it when watch.fd is readable, or whenever one likes.
 */
bool target_alive(struct target *target);

#endif
