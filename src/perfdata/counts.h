/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the events themselves counted while they were sampled, and the CPU time there was: the truth
 * that samples times period is held against.
 *
 * Our recorder writes it at the end of each round's FINISHED_ROUND record, of which perf (and any
 * reader) looks at the type only; so the file has it at every moment, as of the last round.  Words
 * of 64 bits: the fixed ones in the order of struct perf_counts, one for each event of the file,
 * the time budget's if there is one, then how many words that were, and COUNTS_MAGIC.  Later
 * versions put theirs behind those.
 */
#ifndef PERFDATA_COUNTS_H
#define PERFDATA_COUNTS_H

#include "base/buf.h"
#include "base/vec.h"
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum counts_flags {
	COUNTS_CPU = 1 << 0,	   /* cpu_ns is known */
	COUNTS_IDLE = 1 << 1,	   /* so is idle_ns: whole CPUs were sampled */
	COUNTS_INHERITED = 1 << 2, /* new processes began a period anew: short ones are missed */
	COUNTS_FULL = 1 << 3,  /* the file reached its size, and the recording ended with that */
	COUNTS_ENDED = 1 << 4, /* so did the program, by itself: */
};
#define COUNTS_STATUS_SHIFT 32 /* ... with this status of wait(2), 16 bits */

struct perf_counts {
	uint64_t flags;
	/*
	 * CPU time of what was sampled, while it was: of its threads; of whole CPUs all of it.  A
	 * clock may have counted less: while the kernel switches tasks no event counts.
	 */
	uint64_t cpu_ns;
	uint64_t idle_ns;     /* of that, CPUs without work */
	VEC(uint64_t) events; /* by the file's order: what each of them counted */
	VEC(uint64_t) budget; /* where the time went (profile/budget.h); of the last round only */
};

/* Adds it to a FINISHED_ROUND record, at the record's end. */
void perf_counts_add(const struct perf_counts *counts, struct buf *record);

/* Those of a FINISHED_ROUND record; false if it has none.  *counts starts empty or from a call. */
bool perf_counts_read(struct perf_counts *counts, const struct perf_event_header *record);

/* What was counted since `before`. */
void perf_counts_subtract(struct perf_counts *counts, const struct perf_counts *before);
void perf_counts_copy(struct perf_counts *counts, const struct perf_counts *from);
void perf_counts_fini(struct perf_counts *counts);

#endif
