/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the supervisor share. */
#ifndef JOBS_SUPERVISOR_INSIDE_H
#define JOBS_SUPERVISOR_INSIDE_H

#include "base/err.h"
#include "base/vec.h"
#include "ipc/channel.h"
#include "jobs/child.h"
#include "jobs/evloop.h"
#include "jobs/family.h"
#include "jobs/protocol.h"
#include "jobs/supervisor.h"

struct analysers;
struct jobrun;
struct privates;
struct questions;
struct states;

struct supervisor {
	const struct supervisor_options *options;
	struct evloop *loop;
	int signal_fd;
	char **environment; /* of our own roles */

	struct child web;
	struct channel *channel; /* NULL: the web side is not there */
	bool up, ever_up;
	int64_t pause_ns; /* before the web side is started again */

	struct analysers *analysers;
	struct questions *questions;
	struct privates *privates;
	struct states *states; /* that the kernel counts; NULL: not yet, or states_why not */
	char states_why[200];
	VEC(struct jobrun *)
	runs; /* the one that goes on, and those whose end is not in the store */
	struct family family;
	bool shared; /* somebody besides the owner had an account once */
	bool stopping;
	int status;
	struct err failure; /* why it ends, where it fails */
};

/* Sends to the web side if it is there; one that does not listen is ended. */
void supervisor_tell(struct supervisor *s, const struct ipc_type *type, const void *message);
/* Ends the supervisor's loop after everything that goes on. */
void supervisor_fail(struct supervisor *s, const struct err *why);

/* Whether somebody besides the owner has an account; once seen it is not forgotten. */
bool supervisor_is_shared(struct supervisor *s);

/* Whether a child of ours is one that somebody waits for. */
bool supervisor_knows(const struct supervisor *s, pid_t pid);
/* A run has come to its end. */
void supervisor_run_over(struct supervisor *s);

/* webside.c: the process, its channel, its restarts. */
int webside_start(struct supervisor *s, struct err *err);
void webside_stop(struct supervisor *s);

/* dispatch.c: one message of the web side; negative: it is no peer of ours any more. */
int dispatch(struct supervisor *s, const struct ipc_type *type, void *message, struct err *err);
/* What a new web side is told. */
void greet(struct supervisor *s);

/* runs.c: what the web side asks of runs. */
void runs_start(struct supervisor *s, struct msg_start *start);
void runs_cancel(struct supervisor *s, uint64_t id);
void runs_control(struct supervisor *s, const struct msg_control *control);
void runs_forget(struct supervisor *s, uint64_t id);
void runs_tell(struct supervisor *s);		 /* of all that are held */
bool runs_interrupt(struct supervisor *s);	 /* true if one goes on */
uint64_t runs_going(const struct supervisor *s); /* 0: none */
bool runs_know(const struct supervisor *s, pid_t pid);
void runs_free(struct supervisor *s);

/* ask.c */
struct questions *questions_new(struct supervisor *s);
void questions_end(struct questions *questions); /* all: nobody waits for them */
void questions_free(struct questions *questions);
void questions_ask(struct questions *questions, const struct msg_ask *ask);
void questions_drop(struct questions *questions, uint64_t number);
bool questions_know(const struct questions *questions, pid_t pid);

/* privates.c: the folders of a run's own, which has been analysed */
struct privates *privates_new(struct supervisor *s);
void privates_free(struct privates *privates);
void privates_drop(struct privates *privates, uint64_t run);
bool privates_know(const struct privates *privates, pid_t pid);

/* analysers.c */
struct analysers *analysers_new(struct supervisor *s);
void analysers_free(struct analysers *analysers);
void analysers_end(struct analysers *analysers); /* all: nobody waits for them */
void analysers_start(struct analysers *analysers, struct msg_analyse *ask);
bool analysers_know(const struct analysers *analysers, pid_t pid);
void analysers_stop(struct analysers *analysers, uint64_t job);

#endif
