/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cgroup (version 2) around a program that we start, so that it and all that it starts can be
 * sampled as one thing.
 *
 * It lies below the group that we are in, limits nothing and is locked while we live.  Processes
 * that outlive the recording go back to our own group.  What a recorder that was killed has left is
 * found by its name and its missing lock when the next one begins.
 */
#ifndef RECORD_TREEGROUP_H
#define RECORD_TREEGROUP_H

#include <sys/types.h>

struct treegroup {
	char *path;   /* of its folder; NULL: there is none, since the machine lets us have none */
	char *parent; /* where we are ourselves */
	int lock_fd;
};

/* Makes one and puts the process in. */
void treegroup_open(struct treegroup *group, pid_t pid);
void treegroup_close(struct treegroup *group);

/* The same below a folder that the caller names; tests enter here. */
void treegroup_open_below(struct treegroup *group, const char *parent, pid_t pid);

#endif
