/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of ours that measures: `stat` or `record`, attached to what is to be measured.  It says
 * when all is open, and takes words (record/control.h) while it goes on.
 */
#ifndef JOBS_MEASURE_H
#define JOBS_MEASURE_H

#include "base/buf.h"
#include "jobs/child.h"

#include <stdint.h>

struct err;
struct evloop;
struct identity;
struct msg_start;
struct policy;

struct measure {
	struct evloop *loop;
	bool record; /* else stat */
	struct child child;
	int words, acks, said_fd; /* our ends of its pipes */
	bool ready;		  /* it measures */
	bool killed;		  /* by us */
	struct buf said;	  /* what it wrote on standard error, bounded */
	/* Called when it has become ready or has ended. */
	void (*changed)(void *user);
	void *user;
};

struct measure_options {
	const struct msg_start *start;
	const struct policy *policy;
	const struct identity *who; /* the program runs as */
	char **environment;
	const char *group; /* the folder of the cgroup that the workload is in; NULL: none */
	pid_t workload;	   /* that waits for its exec; 0: the target is there already */
	bool record;
	bool own;	     /* of what runs already only what `who` could trace */
	bool apart;	     /* it has a /tmp of its own, which analysers see */
	uint64_t most_bytes; /* of a recording; 0: any number */
	void (*changed)(void *user);
	void *user;
};

int measure_start(struct measure *measure, struct evloop *loop,
		  const struct measure_options *options, struct err *err);
void measure_tell(struct measure *measure, const char *word); /* "disable", "stop" ... */
void measure_kill(struct measure *measure);
bool measure_ended(const struct measure *measure);
bool measure_failed(const struct measure *measure);
/* Ends it at once if it goes on. */
void measure_close(struct measure *measure);

#endif
