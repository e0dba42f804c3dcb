// SPDX-License-Identifier: Apache-2.0
#include "jobs/family.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 1000 /* a chain of parents that is longer is none */

/* 0: it is gone, or has none. */
static pid_t parent_of(pid_t pid)
{
	char line[512];
	const char *behind;
	int parent = 0;

	if (file_line(line, sizeof(line), "/proc/%d/stat", (int)pid) > 0 &&
	    (behind = strrchr(line, ')')) && sscanf(behind + 1, " %*c %d", &parent) == 1)
		return parent;
	return 0;
}

/* Process 1 is everybody's: in a container it may be the guard, and then all are below it. */
static pid_t not_first(pid_t pid)
{
	return pid > 1 ? pid : 0;
}

struct family family_own(void)
{
	return (struct family){ .supervisor = getpid(), .guard = not_first(getppid()) };
}

struct family family_of_parent(void)
{
	pid_t supervisor = not_first(getppid());

	return (struct family){ .supervisor = supervisor,
				.guard = supervisor ? not_first(parent_of(supervisor)) : 0 };
}

static bool is_below(pid_t pid, pid_t above)
{
	for (int i = 0; above && pid && i < DEEPEST; i++) {
		if (pid == above)
			return true;
		pid = parent_of(pid);
	}
	return false;
}

/* "perfolio serve ..." of the same file. */
static bool is_server(pid_t pid)
{
	struct stat own, its;
	char path[64], *words;
	size_t size = 0, first;
	bool serves;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat("/proc/self/exe", &own) || stat(path, &its) || own.st_dev != its.st_dev ||
	    own.st_ino != its.st_ino)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	words = file_read(path, &size, NULL);
	first = words ? strnlen(words, size) + 1 : 0;
	serves = words && first < size && !strcmp(words + first, "serve");
	free(words);
	return serves;
}

bool family_has(const struct family *family, pid_t pid)
{
	return is_below(pid, family->guard) || is_below(pid, family->supervisor) || is_server(pid);
}

bool family_is_below(const struct family *family, pid_t pid)
{
	return is_below(family->supervisor, pid);
}
