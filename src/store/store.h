/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server remembers: sessions, runs with their queue, tags, files, users, what was done.
 *
 * This is the whole interface of a database; sqlite*.c are one behind it, and nothing of SQL passes
 * through.  Passwords and tokens are made and checked by store/accounts.h, files on disk are
 * written by store/content.h, and store/datadir.h holds all of it together.
 *
 * Functions return 0 or a negative errno value: -ENOENT there is no such thing (or it was removed),
 * -EBUSY another program held the database too long, or a run is in the way, -ENOSPC the disk is
 * full, -ESTALE the database was taken away, -EBADMSG it is damaged.  Each call is one transaction:
 * after a failure nothing of it has happened.  Text that comes out lies in the caller's arena and
 * is never NULL; NULL that goes in is "", or "leave it" in a patch.  A store may be used by several
 * threads.  Times are nanoseconds since the epoch.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/wordlist.h"
#include <stdbool.h>
#include <stdint.h>

struct err;
struct store;

struct store_options {
	int busy_ms; /* how long to wait for another program's lock; 0: 5 s */
	/* Called when the disk has no room for it; what failed is not tried again here.  NULL: none
	 */
	void (*full)(void *user);
	void *user;
};

/*
 * Opens the database at path, makes it (mode 0600) or brings it to this version.  One that a newer
 * perfolio made is refused.  options may be NULL.
 */
struct store *store_open(const char *path, const struct store_options *options, struct err *err);
/* Another connection to the same database, for who must not wait for the first. */
struct store *store_open_again(const struct store *store, struct err *err);
void store_close(struct store *store);
/* Another number than before whenever another connection, or process, has changed something. */
int store_version(struct store *store, int64_t *version, struct err *err);
/* What rows take of the database, and what it keeps free for others; journals aside. */
int store_size(struct store *store, int64_t *used, int64_t *spare, struct err *err);
/* Gives the file system what is free, if that is much; step by step, so that nobody waits long. */
int store_shrink(struct store *store, struct err *err);
/* Nothing that was deleted is left in the file or its journal. */
int store_scrub(struct store *store, struct err *err);

/*
 * What this thread asks for between the two is one transaction, and other threads wait: all of it
 * has happened if store_end() was given 0 and returns that, else nothing.  Always end, also after a
 * failure.
 */
int store_begin(struct store *store, struct err *err);
int store_end(struct store *store, int rc, struct err *err);

/* Things that can be named from outside. */
enum store_kind { STORE_SESSION, STORE_RUN, STORE_QUEUE };

/* Pages of a list, newest first: give the last id of a page as `before` of the next. */
struct page {
	int64_t before; /* 0: from the newest on */
	int limit;	/* 0: 100 */
};

/* Sessions */

struct session {
	int64_t id;
	const char *title, *notes;
	const char *person; /* who made it, and that account's number; 0: the owner */
	int64_t maker;
	int64_t created_ns;
	bool archived;
	int64_t purge_ns; /* removed, and gone from then on; 0: not removed */
	int64_t runs;	  /* that it has */
	int64_t bytes;	  /* of its files */
	int64_t change;	  /* its number in store_changes() */
	struct wordlist tags;
};
struct sessions VEC_OF(struct session);

struct session_filter {
	struct page page;
	const char *search;    /* every word is in title, notes or tags, case aside */
	const char *tag;       /* NULL: any */
	bool archived, active; /* which of them; neither is both */
	bool removed;	       /* those that can still be restored, instead */
};

struct session_patch {
	const char *title, *notes; /* NULL: leave it */
	const bool *archived;
	const char *person; /* of a new one alone, as its maker */
	int64_t maker;
};

int store_session_add(struct store *store, const struct session_patch *first, int64_t *id,
		      struct err *err);
int store_session_change(struct store *store, int64_t id, const struct session_patch *patch,
			 struct err *err);
int store_session_get(struct store *store, int64_t id, struct arena *arena, struct session *into,
		      struct err *err);
/* Adds to *into, which is freed with vec_free, tags and all in the arena. */
int store_session_list(struct store *store, const struct session_filter *filter,
		       struct arena *arena, struct sessions *into, struct err *err);

/* Runs */

enum run_state {
	RUN_QUEUED,
	RUN_STARTING,
	RUN_RUNNING,
	RUN_PROCESSING,
	RUN_DONE,
	RUN_FAILED,
	RUN_CANCELLED,
	RUN_STATES
};
const char *run_state_name(enum run_state state);
/* The way is queued, starting, running, processing, done; it can fail or be cancelled anywhere. */
bool run_state_follows(enum run_state from, enum run_state to);

enum run_ending { ENDING_NONE, ENDING_EXIT, ENDING_SIGNAL };

/* What is learnt on the way; in a patch NULL, 0 and ENDING_NONE leave what is known. */
struct run_facts {
	int64_t started_ns, ended_ns;
	enum run_ending ending;
	int ending_code; /* exit status or signal */
	const char *kernel, *perfolio, *cpu_model;
	const char *quality; /* JSON */
	const char *reason;  /* why it failed */
	const char *usage;   /* JSON: what the workload used */
	const char *facts;   /* JSON: what its data holds */
};

struct run {
	int64_t id, session;
	int64_t maker, session_maker; /* numbers of accounts; 0: the owner */
	enum run_state state;
	int64_t place; /* 1: the next of its host's queue; 0: not queued */
	const char *host, *person, *tool;
	const char *form; /* JSON, the whole of it */
	const char *folder;
	struct wordlist events, argv, environment, tags;
	int64_t created_ns;
	struct run_facts facts;
	bool paused;	  /* it runs and is not measured meanwhile */
	int64_t purge_ns; /* it or its session was removed */
	int64_t bytes;	  /* of its files that are complete */
	int64_t change;
};
struct runs VEC_OF(struct run);

struct run_filter {
	struct page page;
	int64_t session; /* 0: any */
	unsigned states; /* bits 1 << RUN_...; 0: any */
	const char *host, *tag;
	const char *search; /* in command, events, tool, folder, host, person, reason, tags */
	bool removed;
	int64_t bytes; /* of texts: it ends with the first beyond as many; 0: any */
};

/* What a row takes beside its texts: indexes, its change, its line in the log. */
#define STORE_ROW_BYTES 1024
/* What its texts take: form, folder, command and environment. */
int64_t store_run_text(const struct run *run);

/*
 * Adds a run: state is RUN_QUEUED (people take turns: it becomes the last of its maker's) or
 * RUN_PROCESSING (an import, which is not measured).  Tags and facts can be given, id, place and
 * what the store counts are its own.
 */
int store_run_add(struct store *store, const struct run *run, int64_t *id, struct err *err);
int store_run_get(struct store *store, int64_t id, struct arena *arena, struct run *into,
		  struct err *err);
int store_run_list(struct store *store, const struct run_filter *filter, struct arena *arena,
		   struct runs *into, struct err *err);

/*
 * Goes from one state to the next and takes facts along (NULL: none); from == to only takes facts.
 * -EPERM when that way does not exist, -EAGAIN when the run is in another state by now: somebody
 * else was faster.
 */
int store_run_step(struct store *store, int64_t id, enum run_state from, enum run_state to,
		   const struct run_facts *facts, struct err *err);

/* Notes that a running run is measured or not; -EAGAIN when it does not run (any more). */
int store_run_pause(struct store *store, int64_t id, bool paused, struct err *err);

/* Puts a queued run before another one of its host; 0: to the end. */
int store_run_move(struct store *store, int64_t id, int64_t before, struct err *err);
/* The same among the runs of who made it, which share their places; -EACCES before another's. */
int store_run_move_own(struct store *store, int64_t id, int64_t before, struct err *err);

/* What is starting or running, and behind it what waits, in its order. */
struct queue_entry {
	int64_t run;
	bool waits;
};
struct queue VEC_OF(struct queue_entry);

int store_queue(struct store *store, struct queue *into, struct err *err);
/* The runs themselves, up to `limit` and with as much text, the last one aside. */
int store_queue_runs(struct store *store, int limit, int64_t bytes, struct arena *arena,
		     struct runs *into, struct err *err);

/*
 * Takes the first of a host's queue to RUN_STARTING: 1 and its id, or 0 when the queue is empty or
 * a run of that host is starting or running.  No run is ever given out twice.
 */
int store_run_take(struct store *store, const char *host, int64_t *id, struct err *err);

/*
 * After a start: what is starting or running and not among those alive has failed, because it was
 * interrupted.  What is processing stays so: its data is complete and can be looked at again.
 */
int store_run_interrupt(struct store *store, const int64_t *alive, size_t count,
			int64_t *interrupted, struct err *err);

/*
 * After a start that the runner has lived through: what is starting and not among those alive was
 * never begun, and waits again as the first.  Nothing is left of its files.
 */
int store_run_put_back(struct store *store, const int64_t *alive, size_t count, int64_t *back,
		       struct err *err);

/* Names of events by use: those of the session first (0: none), then all others. */
struct event_use {
	const char *event;
	int64_t in_session, overall; /* runs with it */
};
struct event_uses VEC_OF(struct event_use);

int store_event_uses(struct store *store, int64_t session, int limit, struct arena *arena,
		     struct event_uses *into, struct err *err);

/* Both */

/* Puts a tag on a session or run, or takes it off; either may have been done before. */
int store_tag(struct store *store, enum store_kind kind, int64_t id, const char *tag, bool on,
	      struct err *err);
int store_tags(struct store *store, struct arena *arena, struct wordlist *into, struct err *err);

/*
 * Removes a session with its runs, or a run; until purge_ns it can be restored.  -EBUSY while a
 * run of it is starting or running.  A queued one keeps its place for the case that it comes back.
 * On a full disk it is tried again once options.full has made room: this is how there will be more.
 */
int store_remove(struct store *store, enum store_kind kind, int64_t id, int64_t purge_ns,
		 struct err *err);
int store_restore(struct store *store, enum store_kind kind, int64_t id, struct err *err);

/* Whose a session is, or a run and its session: also what was removed.  Names in the arena. */
struct makers {
	int64_t session, run; /* accounts; of a session both are the same */
	const char *session_person, *run_person;
};
int store_makers(struct store *store, enum store_kind kind, int64_t id, struct arena *arena,
		 struct makers *into, struct err *err);

/* What changed after a number, oldest first; who has all of it goes on with the last number. */
struct change {
	int64_t number;
	enum store_kind kind; /* STORE_QUEUE: order or length of the queue; its id is 0 */
	int64_t id;
};
struct changes VEC_OF(struct change);

int store_changes(struct store *store, int64_t after, int limit, struct changes *into,
		  struct err *err);

/* A value kept by name; NULL in *value where there is none, NULL as value forgets it. */
int store_setting_get(struct store *store, const char *name, struct arena *arena,
		      const char **value, struct err *err);
int store_setting_set(struct store *store, const char *name, const char *value, struct err *err);

#endif
