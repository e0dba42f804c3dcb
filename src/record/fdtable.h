/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More descriptors than a process may hold: threads with descriptor tables of their own.
 *
 * The limit of open files (ulimit -n) is one table's.  A thread that leaves the table which threads
 * share has a new one, empty but for the standard descriptors; what it opens is known by number in
 * that thread only.  So whatever touches those descriptors is run there, while the caller waits:
 * there is never more than one thread at work.
 */
#ifndef RECORD_FDTABLE_H
#define RECORD_FDTABLE_H

struct err;
struct fdtable;

/* NULL on failure: some containers refuse it. */
struct fdtable *fdtable_new(struct err *err);

/* Runs function(argument) in the table's thread (NULL: in this one) and waits for its end. */
void fdtable_run(struct fdtable *table, void (*function)(void *argument), void *argument);

/* Closes what is still open in it. */
void fdtable_free(struct fdtable *table);

#endif
