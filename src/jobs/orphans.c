// SPDX-License-Identifier: Apache-2.0
#include "jobs/orphans.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "jobs/supervisor_inside.h"
#include "record/proctree.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN_NS (50 * NS_PER_MSEC)

static void reap_again(void *user)
{
	orphans_reap(user);
}

/* One that somebody here waits for is left to that one. */
void orphans_reap(struct supervisor *s)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
			return;
		if (supervisor_knows(s, info.si_pid)) {
			/* it hides those behind it */
			evloop_at(s->loop, clock_now_ns() + AGAIN_NS, reap_again, s);
			return;
		}
		waitpid(info.si_pid, NULL, WNOHANG);
	}
}

static bool is_ours(struct supervisor *s, pid_t pid)
{
	char line[512];
	const char *behind;
	int parent;

	/* what our own roles and the measuring ones start is theirs */
	while (pid > 1 && !supervisor_knows(s, pid)) {
		if (file_line(line, sizeof(line), "/proc/%d/stat", (int)pid) <= 0)
			return false;
		behind = strrchr(line, ')');
		if (!behind || sscanf(behind + 1, " %*c %d", &parent) != 1)
			return false;
		if (parent == getpid())
			return false;
		pid = parent;
	}
	return true;
}

uint64_t orphans_count(struct supervisor *s)
{
	struct proctree_ids ids = { 0 };
	pid_t self = getpid();
	uint64_t count = 0;

	orphans_reap(s);
	proctree_descendants(&self, 1, &ids);
	vec_each (pid, &ids)
		count += !is_ours(s, *pid);
	vec_free(&ids);
	return count;
}

bool orphans_kill(struct supervisor *s)
{
	struct proctree_ids ids = { 0 };
	pid_t self = getpid();
	bool none = true;

	proctree_descendants(&self, 1, &ids);
	vec_each (pid, &ids) {
		if (is_ours(s, *pid))
			continue;
		none = false;
		kill(*pid, SIGKILL);
	}
	vec_free(&ids);
	orphans_reap(s);
	return none;
}

void orphans_kill_of(const char *tag)
{
	struct strlist names = { 0 };
	char *mark = mem_printf("PERFOLIO_SERVER=%s", tag);

	dir_names("/proc", &names, NULL);
	vec_each (name, &names) {
		pid_t pid = (pid_t)atoi(*name);
		char path[64];
		size_t size = 0;
		char *text;

		snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
		text = pid > 1 && pid != getpid() ? file_read(path, &size, NULL) : NULL;
		for (size_t at = 0; text && at < size; at += strlen(text + at) + 1)
			if (!strcmp(text + at, mark))
				kill(pid, SIGKILL);
		free(text);
	}
	strlist_free(&names);
	free(mark);
}
