/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web side's end of analysers: each job is a process that the supervisor starts for us, with a
 * channel of its own.
 *
 * One thread listens to all of them.  A job ends with what its analyser says, or with why it could
 * say nothing: it crashed, took too long, or was never started.  An analyser may have been taken
 * over by what it reads; all that it can do is to give a wrong answer.
 */
#ifndef SERVER_JOBS_H
#define SERVER_JOBS_H

#include "jobs/protocol.h"

struct app;
struct err;
struct jobs;

/* The reason of jobs that fail because the server ends. */
#define JOBS_ENDED "the server was ended"

struct job_result {
	bool failed;
	bool refused;	/* ... for what was asked was wrong, as the analyser says */
	bool no_room;	/* ... for the disk is full, or so full that its file could take no more */
	bool too_large; /* ... for its file would pass job_spec.most */
	bool ended;	/* ... because the server ends, which no analyser can claim */
	const char *reason;
	const char *quality, *facts; /* as the analyser says; nobody has looked at them yet */
};

struct job_spec {
	enum analysis_kind kind;
	bool imported;	    /* no file of this host is read for it */
	const char *person; /* whose run it is, where files of this host are read; NULL: nobody's */
	int64_t run;	    /* whose own folders it sees; 0: none */
	bool endless;	    /* it may take any time until jobs_complete() */
	bool at_once;	    /* jobs_run() does not let it wait behind longer ones */
	struct wordlist options;
	const struct msg_input *inputs; /* their descriptors stay the caller's */
	size_t input_count;
	int out;
	uint64_t most; /* bytes of `out`; 0: as many as there is room for */
	/* jobs_run(): whether nobody waits for it any more, asked now and then; NULL: somebody does
	 */
	bool (*unwanted)(void *asker);
	void *asker;

	/* In the jobs' thread. */
	/* ANALYSE_SESSION: the next input, whose descriptor and list are then freed; false: none.
	 */
	bool (*feed)(void *feeder, struct msg_input *into);
	void *feeder;
	void *user;
	/* Other messages; a negative value ends the job. */
	int (*hear)(void *user, const struct ipc_type *type, const void *message, struct err *err);
	void (*done)(void *user, const struct job_result *result); /* once */
};

struct jobs *jobs_new(struct app *app);
int jobs_begin(struct jobs *jobs, struct err *err); /* its thread */
/* All jobs fail, and later ones at once. */
void jobs_end(struct jobs *jobs);
void jobs_free(struct jobs *jobs);

/* The job's number, or negative; then done() is not called. */
int64_t jobs_start(struct jobs *jobs, const struct job_spec *spec, struct err *err);
/* Says so to the analyser; the time that it may take begins.  -ENOENT when it has ended. */
int jobs_complete(struct jobs *jobs, int64_t job, uint64_t run);
/* Ends it: nobody wants what it makes.  done() is told that it failed. */
void jobs_stop(struct jobs *jobs, int64_t job);
/* Starts it and waits for its end, for ROUTE_MADE; `done` is not the caller's. */
int jobs_run(struct jobs *jobs, struct job_spec *spec, struct err *err);

#endif
