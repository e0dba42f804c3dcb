/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps what would vanish with the processes that are recorded: programs and libraries that were
 * deleted or that lie in a container's own files, and the lists that JITs there write of their
 * code.
 *
 * The drain tells which processes had samples.  A thread of low priority looks at each, and again
 * after a while: what a process maps is reached through /proc as long as it lives.  Only what we
 * would not find afterwards is copied, see keepfolder.h.  A process that is gone before the first
 * look (within a second) takes its files along.
 */
#ifndef RECORD_KEEP_H
#define RECORD_KEEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct keep;

struct keep_result {
	size_t files, left_out; /* left_out: too large to keep */
	uint64_t bytes;
	char dir[256]; /* where they are */
};

/* dir: NULL for ~/.debug.  NULL if it can't be done; a recording does without then. */
struct keep *keep_start(const char *dir);

/* These had samples just now.  Does not wait for anything. */
void keep_look_at(struct keep *keep, const pid_t *pids, size_t count);

/* A last look at those that are still there, and the end. */
void keep_stop(struct keep *keep, struct keep_result *result);

#endif
