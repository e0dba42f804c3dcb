/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a control group's quota of CPU time held a process back: that of the group it is in, or
 * of one above, of version 1 or 2.
 */
#ifndef RECORD_QUOTA_H
#define RECORD_QUOTA_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct quota_group {
	char *folder;
	uint64_t before_ns; /* at the beginning */
};

struct quota {
	VEC(struct quota_group) groups; /* that count it; those without a quota count 0 */
};

void quota_begin(struct quota *quota, pid_t pid);
/* Since then, of the group that held back most: the sum over all CPUs. */
uint64_t quota_held_ns(const struct quota *quota);
void quota_free(struct quota *quota);

/* The folders of the groups of a process, outwards, from /proc/PID/cgroup and /proc/mounts. */
void quota_folders(const char *groups, const char *mounts, struct strlist *folders);
/* From the text of a cpu.stat; false if it does not count that. */
bool quota_stat(const char *text, uint64_t *ns);

#endif
