/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a workload prints, from its pipes into a file (jobs/output.h).  Over the limit it is read
 * and not kept, so that the workload never waits for us.
 */
#ifndef JOBS_CAPTURE_H
#define JOBS_CAPTURE_H

#include <stdint.h>

struct err;
struct evloop;

struct capture {
	struct evloop *loop;
	int pipes[2]; /* of standard output and error, to be read; -1: ended */
	int file;     /* the caller's; -1: nothing is kept */
	uint64_t at;
	uint64_t limit, kept; /* bytes that are printed; limit 0: none */
	uint64_t disk; /* what it had for files at the last look, less what was written since */
	uint64_t until_look; /* bytes until the next one */
	uint64_t cut;
	char *room;
};

/* Makes the pipes; theirs[] are the ends for the workload, which the caller closes. */
int capture_open(struct capture *capture, struct evloop *loop, int file, uint64_t limit,
		 int theirs[static 2], struct err *err);
/* Takes what is there and closes the pipes: the workload has ended. */
void capture_close(struct capture *capture);

#endif
