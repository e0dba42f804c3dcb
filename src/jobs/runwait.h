/* SPDX-License-Identifier: Apache-2.0 */
/* How long a process that we have not started was ready to run while others had the CPU. */
#ifndef JOBS_RUNWAIT_H
#define JOBS_RUNWAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Since it began, by the kernel's account; -1: not known.  who: the id of a process, or of a
 * thread. Of several threads, or with children, it is not known either: their sum would say nothing
 * of the time that passed.
 */
int64_t runwait_ns(const char *who, bool thread);

#endif
