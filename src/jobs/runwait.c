// SPDX-License-Identifier: Apache-2.0
#include "jobs/runwait.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_MOST	     10	  /* digits */
#define THREADS_MOST 1000 /* more are not looked at: it would take long */

static void take_thread(struct runwait *into, const char *tid)
{
	unsigned long long ran, waited;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.*s/schedstat", ID_MOST, tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%llu %llu", &ran, &waited) == 2)
		*vec_push(into) = (struct runwait_thread){ atoi(tid), waited };
	fclose(file);
}

static bool has_children(const char *pid, const char *tid)
{
	char path[64], byte;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.*s/task/%.*s/children", ID_MOST, pid, ID_MOST, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, &byte, 1);
	close(fd);
	return got > 0;
}

static void take_process(struct runwait *into, const char *pid)
{
	char path[64];
	struct dirent *entry;
	bool alone = true;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	folder = opendir(path);
	if (!folder)
		return;
	while (alone && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		take_thread(into, entry->d_name);
		alone = into->len < THREADS_MOST && !has_children(pid, entry->d_name);
	}
	if (!alone)
		into->len = 0;
	closedir(folder);
}

void runwait_take(struct runwait *into, const char *who, bool thread)
{
	if (!*who || strlen(who) > ID_MOST || strspn(who, "0123456789") != strlen(who))
		return;
	if (thread)
		take_thread(into, who);
	else
		take_process(into, who);
}

int64_t runwait_between(const struct runwait *before, const struct runwait *after)
{
	int64_t most = -1;

	if (!before->len)
		return -1;
	vec_each (now, after) {
		uint64_t then = 0; /* of a thread that is new since */

		vec_each (old, before)
			then = old->tid == now->tid ? old->ns : then;
		if ((int64_t)(now->ns - then) > most)
			most = (int64_t)(now->ns - then);
	}
	return most;
}
