/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that we start: created stopped just before its exec, so that events can be opened on it
 * first, then let go.
 */
#ifndef RECORD_WORKLOAD_H
#define RECORD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;

#define WORKLOAD_CANT_START 127 /* the exit status then, as in a shell */

struct workload {
	const char *program; /* argv[0], borrowed */
	pid_t pid;
	int pidfd;	     /* becomes readable when it ends; for poll */
	int go_fd;	     /* writing lets it exec; -1 afterwards */
	int failure_fd;	     /* its exec's errno comes here; -1 afterwards */
	int exec_error;	     /* a positive errno value when the exec failed */
	bool ended;	     /* and status and usage are known */
	int wait_status;     /* as waitpid gives it */
	struct rusage usage; /* of it and the children it waited for */
};

/*
 * Forks; the child waits, and ends by itself if we end first.  argv is the program and its
 * arguments, NULL at the end.  The program starts with the signal mask *mask (NULL: that of now),
 * SIGPIPE as usual and the limit of descriptors that we were started with; the rest of what it
 * inherits is untouched.
 */
int workload_prepare(struct workload *workload, char *const *argv, const sigset_t *mask,
		     struct err *err);

/*
 * Lets it exec and waits until that has happened.  If the exec fails, *err says so and the exit
 * status to end with is in workload_exit_status (127).
 */
int workload_start(struct workload *workload, struct err *err);

/* Collects its end if it has ended (block: waits for it); true once ended. */
bool workload_reap(struct workload *workload, bool block);

/* The status for our own exit: its own, 128 + signal where it was killed. */
int workload_exit_status(const struct workload *workload);

/* Ends it if it still runs (SIGTERM) and frees the descriptors. */
void workload_close(struct workload *workload);

#endif
