/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding control groups: where their hierarchy is mounted, and folders below it.
 *
 * Events on a cgroup need the perf_event controller.  On version 1 that is a mount of its own; on
 * version 2 it is always there, and in a hybrid system its mount stands beside those of version 1.
 */
#ifndef RECORD_CGROUP_H
#define RECORD_CGROUP_H

#include "base/vec.h"

struct err;

/* The folder that names are looked up in, from the text of /proc/mounts; NULL if there is none. */
char *cgroup_mount(const char *mounts);

/* Opens the folder of a cgroup: a name below the mount, or a path.  The descriptor, or negative. */
int cgroup_open(const char *name, struct err *err);

/*
 * The folder of the group that we are in, of version 2; NULL where that is not mounted, or has not
 * the perf_event controller.  Free it.
 */
char *cgroup_own(void);

/* Adds the names of the cgroups that the extended regular expression matches, sorted. */
int cgroup_match(const char *pattern, struct strlist *names, struct err *err);

#endif
