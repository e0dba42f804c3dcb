/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that the supervisor starts: its own program in another role, or a workload.
 *
 * A child gets exactly the descriptors that it is given, at the numbers 0, 1, 2 ..., and becomes
 * who it is to be before its exec.
 */
#ifndef JOBS_CHILD_H
#define JOBS_CHILD_H

#include "jobs/caps.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;
struct identity;
struct private_run;

#define CHILD_MOST_FDS 12

struct child_spec {
	char *const *argv; /* NULL at the end */
	char *const *environment;
	bool self;		       /* our own program, whatever argv[0] says */
	const struct identity *who;    /* NULL: as we are */
	caps caps;		       /* that it can have at most, if it stays root */
	const struct private_run *own; /* what it has for itself; NULL: nothing */
	int fds[CHILD_MOST_FDS];       /* which are its 0, 1, 2 ...; -1: /dev/null */
	size_t fd_count;
	const char *folder; /* NULL: stays where we are */
	const char *cpus;   /* "0-3"; NULL: all */
	int gate;	    /* read a byte from it right before the exec; 0 or less: at once */
	int close_first;    /* our end of the gate, which it must not hold open; 0: none */
	int failure;	    /* struct child_failure is written there; -1: nobody asks */
	bool low_io;	    /* behind others at the disk */
	int oom_score;	    /* who is ended first when the machine has no memory left: enum below */
};

/* What a run has started goes first, then what looks at recordings, and the supervisor last. */
enum child_oom { OOM_GUARD = -900, OOM_ROLE = 0, OOM_ANALYSER = 500, OOM_RUN = 1000 };
/* For ourselves; where that may not be set it stays as it is. */
void child_prefer(int oom_score);

/* What kept it from its exec. */
struct child_failure {
	int step; /* enum child_step */
	int code; /* errno */
};
enum child_step {
	CHILD_DESCRIPTORS,
	CHILD_OWN,
	CHILD_IDENTITY,
	CHILD_CPUS,
	CHILD_FOLDER,
	CHILD_EXEC
};

struct child {
	pid_t pid;
	int pidfd; /* readable once it has ended */
	bool ended;
	int wait_status;
	struct rusage usage;
};

/* All descriptors stay the caller's. */
int child_start(struct child *child, const struct child_spec *spec, struct err *err);
bool child_reap(struct child *child); /* true once it has ended and is collected */
void child_kill(struct child *child, int signo);
/* Kills and collects it if it still runs. */
void child_close(struct child *child);

/* "exit status 3", "signal 11 (Segmentation fault)" */
void child_ending(const struct child *child, char *into, size_t room);

#endif
