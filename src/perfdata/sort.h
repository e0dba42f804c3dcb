/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in order of time, with bounded memory.
 *
 * Each CPU's records reach the file in order, but the rings are emptied one after another.  A
 * FINISHED_ROUND record promises: nothing later in the file is older than the newest record before
 * the previous round's end.  So two rounds are held and sorted, no more.  What passes the memory
 * limit is held by its place in the file and read again when its turn comes; where that cannot be
 * done (a pipe, compressed data) the older half is released early, and records that then come too
 * late are counted.  A directory's files are merged: each of them is one ring's, and in order.
 *
 * Records without a time, and those that perf itself writes, come out as soon as they are read, as
 * perf does it.  The same goes for all records of a recording without sample_id_all: its mappings
 * have no time, so that the file's order is the best there is.
 */
#ifndef PERFDATA_SORT_H
#define PERFDATA_SORT_H

#include "perfdata/sample.h"

struct record_sort;

#define RECORD_SORT_LASTING 256		       /* see struct sorted_record */
#define RECORD_SORT_MEMORY  ((size_t)32 << 20) /* enough for 250,000 samples with stacks */

struct sorted_record {
	struct record rec;
	const struct perf_attr *attr; /* NULL if its id is unknown, or there are no events */
	uint64_t time;		      /* 0 where the record has none */
	bool lasting; /* its bytes hold for RECORD_SORT_LASTING calls, not only until the next */
};

/* memory_limit 0 means RECORD_SORT_MEMORY. */
struct record_sort *record_sort_new(struct perf_reader *reader, size_t memory_limit);
/* As perf_reader_next. */
int record_sort_next(struct record_sort *sort, struct sorted_record *rec, struct err *err);
/* Records that came out behind younger ones. */
uint64_t record_sort_out_of_order(const struct record_sort *sort);
void record_sort_free(struct record_sort *sort);

#endif
