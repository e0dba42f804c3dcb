/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that empties the rings into the file.
 *
 * One thread for all rings, because a round is over when each was read once; at real-time priority,
 * because a ring that is full loses.  It writes straight from the rings, syncs nothing, and ends a
 * round at least once a second (rounds.h), which is then committed: more than that a crash does not
 * take.
 *
 * Another thread, without priority, calls fdatasync every few seconds: that bounds what a power cut
 * takes.
 */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include "event/open.h"
#include "perfdata/writer.h"
#include "record/account.h"
#include "record/keep.h"
#include "record/ring.h"
#include "record/tasksieve.h"
#include "record/tuck.h"
#include <stdbool.h>
#include <stdint.h>

struct drain;
struct err;

enum drain_priority {
	DRAIN_REALTIME, /* SCHED_FIFO */
	DRAIN_NICE,	/* -20: no permission for more */
	DRAIN_NORMAL,	/* no permission for that either */
};

/* Where the thread runs while it reads a ring. */
enum drain_affinity { DRAIN_ANYWHERE, DRAIN_ON_NODE, DRAIN_ON_CPU };

struct drain_options {
	const struct perf_sys *sys; /* NULL: the kernel */
	struct ring *rings;
	size_t count;		 /* of those that are to be emptied all the time */
	int priority;		 /* of SCHED_FIFO; 0: 1 */
	uint64_t most_bytes;	 /* of the file, --max-size; 0: no limit */
	bool soon;		 /* short rounds: somebody reads along */
	struct tasksieve *sieve; /* lets only some samples through; NULL: all */
	struct tuck *tuck;	 /* changes samples on their way; NULL: nothing does */
	struct ownproc *own;	 /* the tuck's, told of every record before it is asked; or NULL */
	struct keep *keep;	 /* is told whom the samples are of; NULL: nobody is */
	/* What was counted since the start, which each round ends with; NULL: nothing. */
	void (*read_counts)(void *user, struct perf_counts *counts);
	void *counts_of;
	uint64_t flush_bytes; /* less in a ring waits, to a quarter of the ring; 0: any */
	enum drain_affinity affinity;
	bool one_round; /* records from elsewhere come last, and some are older: --overwrite */
};

/* What it writes to.  The drain uses it between drain_start or drain_switch and the next of these.
 */
struct drain_sink {
	struct perf_writer *writer;
	struct account *account;
	int sync_fd; /* for fdatasync; -1: none */
};

/* As far as it has come; may be a round old. */
struct drain_progress {
	uint64_t samples, bytes, lost;
	uint64_t file_bytes; /* of the present file; `bytes` is of all */
};

struct drain *drain_start(const struct drain_options *options, const struct drain_sink *sink,
			  struct err *err);

/* Readable when the drain has come to an end by itself: drain_stop says why. */
int drain_fd(const struct drain *drain);
enum drain_priority drain_priority(const struct drain *drain);
struct drain_progress drain_progress(struct drain *drain);

/* Makes a last round into the present sink and goes on with another; the old one is the caller's
 * again. */
int drain_switch(struct drain *drain, const struct drain_sink *sink, struct err *err);

/* Makes a last round and ends.  -ENOSPC and the like if it had to end before; -EFBIG: most_bytes.
 */
int drain_stop(struct drain *drain, struct err *err);

#endif
