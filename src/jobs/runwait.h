/* SPDX-License-Identifier: Apache-2.0 */
/* How long a process that we have not started was ready to run while others had the CPU. */
#ifndef JOBS_RUNWAIT_H
#define JOBS_RUNWAIT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* What the kernel has counted of a thread since it began. */
struct runwait_thread {
	int tid;
	uint64_t ns;
};

struct runwait VEC_OF(struct runwait_thread);

/*
 * Takes the threads of a process, or one thread, into the empty *into; who: its id.  None where
 * that is not known, and where there are children, which are measured with it.
 */
void runwait_take(struct runwait *into, const char *who, bool thread);

/*
 * How long the thread that waited most has waited from one to the other: as long at least
 * something of the process did.  -1: not known.
 */
int64_t runwait_between(const struct runwait *before, const struct runwait *after);

#endif
