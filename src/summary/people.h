/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rows of summaries are kept by: small numbers for who did it, and for combinations of
 * numbers.
 */
#ifndef SUMMARY_PEOPLE_H
#define SUMMARY_PEOPLE_H

#include "base/idmap.h"
#include "base/interner.h"
#include "summary/summary.h"

/* Combinations of a few numbers, each with an index of its own from 0. */
struct groups { /* { 0 } is a ready, empty one */
	struct arena arena;
	struct map map;
};

/* The combination's index; as large as the number of those before it where it is new. */
uint32_t groups_add(struct groups *groups, const uint64_t *numbers, size_t count);
void groups_free(struct groups *groups);

/* A process, or a thread of it, under one name: what execs, or renames itself, is a new one. */
struct person {
	const char *comm;
	uint32_t pid, tid;
};

struct people { /* { 0 } is a ready, empty one */
	struct interner comms;
	struct groups groups;
	VEC(struct person) all;
};

enum people_by { BY_COMM, BY_PROCESS, BY_THREAD };

/* Which of them did it; pid and tid are SUMMARY_NO_PID where that does not count. */
uint32_t people_add(struct people *people, const struct summary_who *who, enum people_by by);
void people_free(struct people *people);

/* Something for each thread that is met: `struct PER_THREAD(struct wait) waits;`, { 0 } is empty.
 */
#define PER_THREAD(type)            \
	{                           \
		struct idmap index; \
		VEC(type) slots;    \
	}

/* The thread's own, zero when it is new; the address holds until the next new thread. */
#define per_thread(threads, tid)                                                \
	(idmap_add(&(threads)->index, (tid), (uint32_t)(threads)->slots.len) == \
			 (threads)->slots.len                                   \
		 ? vec_push(&(threads)->slots)                                  \
		 : &(threads)->slots.data[idmap_find(&(threads)->index, (tid))])
#define per_thread_free(threads) (idmap_free(&(threads)->index), vec_free(&(threads)->slots))

/* SUMMARY_NONE, which is no number of any process, in place of SUMMARY_NO_PID. */
static inline uint64_t person_number(uint32_t id)
{
	return id == SUMMARY_NO_PID ? UINT64_MAX : id;
}

#endif
