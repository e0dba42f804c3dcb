/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web side's end of the channel to the supervisor.
 *
 * One thread, the one in link_run(), reads it and calls who asked for that type of message; any
 * thread may send and ask.
 */
#ifndef SERVER_LINK_H
#define SERVER_LINK_H

#include "ipc/message.h"

struct app;
struct buf;
struct err;
struct link;
struct msg_policy;

/* The message's descriptors are closed after the call unless they are replaced by -1. */
typedef void link_call(struct app *app, void *message);

struct held_runs VEC_OF(int64_t);

/*
 * Takes the channel and waits for what the supervisor says first: policy, the runs that it holds,
 * ready.  What it tells of those runs is kept for link_run().
 */
struct link *link_open(int fd, struct app *app, struct err *err);
void link_close(struct link *link);
/* The runs that the supervisor held at that time. */
const struct held_runs *link_held(const struct link *link);

/* Who is called for messages of that type; before link_run(). */
void link_on(struct link *link, const struct ipc_type *type, link_call *call);

/* Reads until the supervisor goes: 0, or why the channel died.  Wakes all who wait then. */
int link_run(struct link *link, struct err *err);
/* Makes link_run() return, from any thread or a signal handler. */
void link_stop(struct link *link);

/* Whether anybody would hear it. */
bool link_lives(struct link *link);

/* From any thread; descriptors of the message stay the caller's. */
int link_send(struct link *link, const struct ipc_type *type, const void *message, struct err *err);

/* Who asks the machine. */
struct asker {
	const char *person;
	bool (*gone)(void *user); /* whether nobody waits any more; NULL: somebody does */
	void *user;
	bool alone; /* while no other such question is answered: two would disturb each other */
};

/*
 * Asks the machine, and waits for the answer, JSON, which is added to *answer: for ROUTE_SLOW.
 * `what` is a row of the supervisor's table.  A person has a few answered at a time and others
 * wait; -EUSERS where even those are too many, or none had its turn.  -ETIMEDOUT after 30 s; then,
 * and when the asker has gone, the question is ended.
 */
int link_ask(struct link *link, const struct asker *asker, const char *what,
	     const struct wordlist *words, struct buf *answer, struct err *err);

/* The same; the answer may be up to LINK_RECENT_S seconds old. */
#define LINK_RECENT_S 20
int link_ask_recent(struct link *link, const struct asker *asker, const char *what,
		    const struct wordlist *words, struct buf *answer, struct err *err);

/* What it reads that from, which may grow while it does; tests enter here. */
#define LINK_ANSWER_MOST (64 << 20)
int link_read_answer(int fd, struct buf *into, struct err *err);

#endif
