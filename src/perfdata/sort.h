/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in order of time, with bounded memory.
 *
 * Each CPU's records reach the file in order, but the rings are emptied one after another.  A
 * FINISHED_ROUND record promises: nothing later in the file is older than the newest record before
 * the previous round's end.  So two rounds are held and sorted, no more.  Where rounds are missing
 * or huge, what passes the limit is released early and records that then come too late are counted.
 */
#ifndef PERFDATA_SORT_H
#define PERFDATA_SORT_H

#include "perfdata/sample.h"

struct record_sort;

struct sorted_record {
	struct record rec;
	const struct perf_attr *attr; /* NULL for records without an event of their own */
	uint64_t time;		      /* 0 where the record has none */
};

struct record_sort *record_sort_new(struct perf_reader *reader, size_t memory_limit);
/* As perf_reader_next. */
int record_sort_next(struct record_sort *sort, struct sorted_record *rec, struct err *err);
uint64_t record_sort_out_of_order(const struct record_sort *sort);
void record_sort_free(struct record_sort *sort);

#endif
