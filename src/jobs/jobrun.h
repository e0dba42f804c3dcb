/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run from its start to its end.
 *
 *	opening	 the workload is forked and waits for its exec, in its cgroup; what measures it
 *		 opens its events
 *	going	 all said that they are ready, the gate is open
 *	ending	 the workload has ended or was told to; what it left behind is killed, what
 *		 measures comes to its end
 *	over	 the result is kept until the web side has it in its store
 */
#ifndef JOBS_JOBRUN_H
#define JOBS_JOBRUN_H

#include "jobs/protocol.h"
#include <stdbool.h>
#include <sys/types.h>

struct err;
struct identity;
struct jobrun;
struct supervisor;

/* What is checked already (jobs/request.h); takes the message's descriptors and `who` it runs as.
 */
struct jobrun *jobrun_start(struct supervisor *s, struct msg_start *start, struct identity *who);
/* Kills what it started, if it is not over. */
void jobrun_free(struct jobrun *run);

uint64_t jobrun_id(const struct jobrun *run);
bool jobrun_over(const struct jobrun *run);
bool jobrun_knows(const struct jobrun *run, pid_t pid); /* a child of ours */
/* Tells the web side again what it has been told. */
void jobrun_tell(const struct jobrun *run);

void jobrun_cancel(struct jobrun *run);
/* The same, because the server ends. */
void jobrun_interrupt(struct jobrun *run);
void jobrun_control(struct jobrun *run, enum run_control action);

#endif
