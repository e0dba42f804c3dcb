/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this person do this with that thing?
 *
 * A route names the right that it needs in its table, and it is asked for before the handler runs,
 * with the session or run whose number is in the address: no handler can forget it.  What handlers
 * ask themselves is what a reply shows (a run's environment) and what a stream follows.
 *
 * Whoever is signed in sees names and times.  Sessions are their makers', who change them and what
 * is in them.  Raw data may hold anything of the measured program's memory (recordings, stacks,
 * registers, fields of tracepoints, output, the values of its environment), so it is for those who
 * might have measured that: the run's maker; of a command, others whose programs run as the same
 * Unix account; of processes, users and the host those who may measure such; of imports nobody
 * else.  Viewers never get it.  The owner may do everything.
 *
 * Who is refused is noted in the log, and so is who takes raw data; each at a bounded rate.
 */
#ifndef SERVER_RIGHTS_H
#define SERVER_RIGHTS_H

#include "jobs/reach.h"
#include <stdbool.h>
#include <stdint.h>

struct app;
struct arena;
struct err;
struct makers;
struct request;
struct rights;
struct run;
struct session;
struct user;

/* {id} is the first number in the address. */
enum right {
	RIGHT_LOOK = 1,	      /* whoever is signed in */
	RIGHT_MEASURE,	      /* runners: what is nobody's yet, and questions for that */
	RIGHT_CHANGE_SESSION, /* session {id}: its maker */
	RIGHT_CHANGE_RUN,     /* run {id}: its maker, and its session's */
	RIGHT_REPEAT_RUN,     /* run {id}: who may add to its session, and see all that is in it */
	RIGHT_RAW,	      /* run {id}: who may measure what it measured */
	RIGHT_EXPORT,	      /* run {id}: as RIGHT_RAW where the format has raw data */
	RIGHTS
};

/* As the API's description has it. */
const char *right_name(enum right right);
/* Whether it is for runners alone, whatever the thing. */
bool right_needs_runner(enum right right);

/* What was noted lately, so that the log stays readable. */
struct rights *rights_new(void);
void rights_free(struct rights *rights);

/* Before the body is read: the person's role, and whose the session is that a file is sent to. */
int rights_check_early(struct request *request, struct err *err);
/* Before the handler runs: whose the thing is. */
int rights_check(struct request *request, struct err *err);

/* What may be measured besides programs that runs start: jobs/reach.h. */
struct reach rights_reach(const struct app *app);

struct run_rights {
	bool change, repeat, raw;
};
struct run_rights rights_of_run(struct request *request, const struct run *run);
bool rights_change_session(const struct user *user, const struct session *session);

/*
 * The account that made it; the owner's is none.  -ENOENT if it was removed: another person may
 * have that name by now, with another Unix account.
 */
int rights_find_maker(const struct app *app, const struct run *run, struct arena *arena,
		      struct user *user, struct err *err);

/* Raw data of a run for a stream; `what` is its name for the log. */
int rights_check_raw(struct request *request, int64_t run, const char *what, struct err *err);

/* Notes that somebody was refused; not more than some a minute of each. */
void rights_note_refusal(struct request *request, const char *why);
/* Notes whose values of the environment the reply has, where those are others'. */
void rights_note_values(struct request *request);

/* The same of a file that would have been too large: its making was work, and may be meant to be.
 */
void rights_note_too_large(struct request *request, int rc, const struct err *err);

#endif
