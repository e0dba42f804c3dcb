/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a round of the file may end.
 *
 * A FINISHED_ROUND promises its reader that nothing comes after it that is older than the newest
 * record of the round before; readers hand out that much and sort no further.  The kernel takes a
 * record's time first and shows the record later: behind an interrupt, or when the host gives this
 * CPU away in between, milliseconds later.  Rings are emptied whenever one fills, which may be
 * every few microseconds apart; were each time a round, a record that is shown late would break
 * the promise.  So rounds keep a distance that no record is late by, and what is emptied in
 * between belongs to the same round.
 */
#ifndef RECORD_ROUNDS_H
#define RECORD_ROUNDS_H

#include "base/clock.h"
#include <stdbool.h>
#include <stdint.h>

#define ROUND_LEAST_NS (100 * NS_PER_MSEC)
#define ROUND_MOST_NS  (800 * NS_PER_MSEC) /* so that with the round itself it stays below 1 s */
#define ROUND_BYTES    (16U << 20)	   /* readers hold two rounds in memory */

struct rounds {
	int64_t ended_ns; /* when the last one was over */
	int64_t pause_ns;
	uint64_t bytes; /* of records, then */
	bool soon;	/* somebody reads along */
};

/* The first rounds come sooner than the others: a crash then, too, finds some samples. */
void rounds_init(struct rounds *rounds, bool soon, int64_t now_ns);

/* At the latest then the rings must be looked at. */
int64_t rounds_due_ns(const struct rounds *rounds);

/* Whether a pass over the rings that begins now ends a round; bytes: of all records so far. */
bool rounds_may_end(const struct rounds *rounds, int64_t now_ns, uint64_t bytes);

void rounds_ended(struct rounds *rounds, int64_t now_ns, uint64_t bytes);

#endif
