/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data folder: the database, and the files that it tells of.
 *
 *	DIR/perfolio.db		rows: store/store.h
 *	DIR/files/AB/CDEF...	contents by their hash (BLAKE2b), each once, never changed
 *	DIR/partial/ID		a file that is being written, by its row's id
 *	DIR/lock		held by the server; the number of its process
 *	DIR/cookie.key		what the server signs cookies with; in no copy of the database
 *	DIR/reserve		room that the database gets when the disk is full
 *
 * A row is made before its file and committed before the file gets its last name, so the rows tell
 * what was meant: whatever step a crash falls between, datadir_recover() finishes it or takes it
 * back.  What was written until then is kept.
 */
#ifndef STORE_DATADIR_H
#define STORE_DATADIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct datadir;
struct err;
struct store;

enum datadir_use {
	DATADIR_SERVE, /* the only one that may touch files; -EBUSY names who else serves it */
	DATADIR_ROWS,  /* beside a server, for the rows of people and settings */
};

#define DATADIR_UNDO_NS (600 * 1000000000LL) /* how long what was removed can be restored */

/* Makes the folder (0700) if it is missing; refuses one that others may look into. */
struct datadir *datadir_open(const char *path, enum datadir_use use, struct err *err);
void datadir_close(struct datadir *dir);
struct store *datadir_store(struct datadir *dir);
const char *datadir_path(const struct datadir *dir);
/* A file without a name, for what is needed for a while; a descriptor, or negative. */
int datadir_scratch(struct datadir *dir, struct err *err);

/*
 * A small file of secrets, all of `size` bytes: -ENOENT where there is none of that size that
 * nobody else may read.  It is written whole or not at all.
 */
int datadir_secret_read(struct datadir *dir, const char *name, void *into, size_t size,
			struct err *err);
int datadir_secret_write(struct datadir *dir, const char *name, const void *bytes, size_t size,
			 struct err *err);

struct datadir_sweep {
	int64_t interrupted; /* runs that had begun and are failed now */
	int64_t put_back;    /* runs that were never begun and wait again */
	int64_t kept;	     /* files of theirs that were unfinished, and are complete now */
	int64_t purged;	     /* runs and sessions that were removed and due */
	int64_t orphans;     /* files that no row tells of; they are gone */
	int64_t missing;     /* rows whose file is not there; they are gone, too */
};

/* Runs that a runner is still at. */
struct datadir_alive {
	const int64_t *runs;
	size_t count;
	bool all; /* it has lived since they were taken: others were never begun */
};

/*
 * After a start, before anything else.  Runs that were interrupted are failed and their files
 * complete with what had been written; those that were never begun wait again, without files.
 */
int datadir_recover(struct datadir *dir, const struct datadir_alive *alive,
		    struct datadir_sweep *sweep, struct err *err);

/* Deletes what was removed and can't be restored any more, rows and files. */
int datadir_purge(struct datadir *dir, int64_t now_ns, struct datadir_sweep *sweep,
		  struct err *err);

/* Purges, and compares all rows with all files. */
int datadir_gc(struct datadir *dir, int64_t now_ns, struct datadir_sweep *sweep, struct err *err);

/* What files take, each content once, unfinished ones too, and the rows of the database. */
int datadir_bytes(struct datadir *dir, int64_t *bytes, struct err *err);

/* The same of one who made runs, by the account's number, with what is being sent. */
int datadir_bytes_of(struct datadir *dir, int64_t maker, int64_t *bytes, struct err *err);

/*
 * Whether `wanted` more bytes may be written: -EDQUOT when the files would pass the quota (0:
 * none), -ENOSPC when the disk would have less than its floor left (store/room.h).  What was
 * removed is deleted for it at once, whatever time there was to restore it.
 */
int datadir_room(struct datadir *dir, int64_t wanted, int64_t quota, struct err *err);
/* The same for what one has made, of which there may be `most`: -EDQUOT. */
int datadir_share(struct datadir *dir, int64_t maker, int64_t wanted, int64_t most,
		  struct err *err);
/*
 * Held from asking for room until rows are written, and before any other lock: of many who ask at
 * once all would be told of the same room.
 */
void datadir_hold(struct datadir *dir);
void datadir_let_go(struct datadir *dir);
/* How many bytes may be written; 0: none. */
int64_t datadir_left(struct datadir *dir, int64_t quota);

/*
 * Looks at the disk, every second or so: whether a run could begin, which datadir_trouble() then
 * tells, and makes the reserve again once there is room.  Returns what is wrong, as datadir_room().
 */
int datadir_watch(struct datadir *dir, int64_t quota);
/* What the last look has found: 0, or -ENOSPC or -EDQUOT with words. */
int datadir_trouble(struct datadir *dir, struct err *err);
/* Whether the database may have room: after a failed write there is no use in trying without. */
bool datadir_may_write(struct datadir *dir);

#endif
