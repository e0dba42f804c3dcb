/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that lost their parent and became ours: what a workload left behind.
 */
#ifndef JOBS_ORPHANS_H
#define JOBS_ORPHANS_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;

/* Collects those that have ended. */
void orphans_reap(struct supervisor *s);
/* Kills those that have not, and what descends from the workload; true if there are none. */
bool orphans_kill(struct supervisor *s);
/* How many of them there are, besides those that have ended. */
uint64_t orphans_count(struct supervisor *s);
/* At the start, without cgroups: what an earlier server of this folder left behind. */
void orphans_kill_of(const char *tag);

#endif
