/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets only a program's own records through, where whole CPUs are sampled for its sake: samples of
 * other tasks never get to the file.
 *
 * Who belongs to it, FORK records tell: they come from events that only the program and what it
 * starts have inherited.  The kernel writes one before the new task runs for the first time, but
 * perhaps into another CPU's ring; so all rings are looked through for them after the ends were
 * taken up to which samples are let through.
 */
#ifndef RECORD_TASKSIEVE_H
#define RECORD_TASKSIEVE_H

#include "perfdata/writer.h"
#include "record/ring.h"
#include <sys/types.h>

struct tasksieve;

/* All attrs' samples have PERF_SAMPLE_TID, at the same place. */
struct tasksieve *tasksieve_new(pid_t program, const struct perf_writer_attr *attrs, size_t count);
void tasksieve_free(struct tasksieve *sieve);

/* Learns what all rings tell of so far. */
void tasksieve_look(struct tasksieve *sieve, const struct ring *rings, size_t count,
		    int64_t now_ns);

/* The next stretch of the view, from position *at on, that is let through; false at its end. */
bool tasksieve_next(const struct tasksieve *sieve, const struct ring_view *view, uint64_t *at,
		    struct ring_view *part);

#endif
