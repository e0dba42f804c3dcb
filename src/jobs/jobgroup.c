// SPDX-License-Identifier: Apache-2.0
#include "jobs/jobgroup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 5
#define WAITS	600

static int write_file(const char *folder, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	free(path);
	if (fd < 0)
		return rc;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* Where version 2 is mounted, alone or beside version 1. */
static const char *mount_point(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (file_exists("%s/cgroup.procs", places[i]) &&
		    file_exists("%s/cgroup.controllers", places[i]))
			return places[i];
	return NULL;
}

/* The folder of the group that we are in; free it. */
static char *own_group(void)
{
	const char *mount = mount_point();
	char *text = mount ? file_read("/proc/self/cgroup", NULL, NULL) : NULL;
	char *line = text && !strncmp(text, "0::", 3) ? text : NULL;
	char *path = NULL;

	if (text && !line && (line = strstr(text, "\n0::")))
		line++;
	if (line) {
		line[strcspn(line, "\n")] = '\0';
		path = mem_printf("%s%s", mount, line + 3);
	}
	free(text);
	return path;
}

static void kill_listed(const char *folder)
{
	char *path = mem_printf("%s/cgroup.procs", folder);
	FILE *file = fopen(path, "re");
	int pid;

	while (file && fscanf(file, "%d", &pid) == 1)
		if (pid > 1 && pid != getpid())
			kill(pid, SIGKILL);
	if (file)
		fclose(file);
	free(path);
}

/* cgroup.kill came with Linux 5.14. */
static void kill_all(const char *folder)
{
	struct strlist below = { 0 };

	if (!write_file(folder, "cgroup.kill", "1"))
		return;
	dir_subdirs(folder, &below, NULL);
	vec_each (name, &below) {
		char *path = mem_printf("%s/%s", folder, *name);

		kill_all(path);
		free(path);
	}
	strlist_free(&below);
	kill_listed(folder);
}

bool jobgroup_empty(const struct jobgroup *group)
{
	char *path, *text;
	bool empty;

	if (!group->path)
		return true;
	path = mem_printf("%s/cgroup.events", group->path);
	text = file_read(path, NULL, NULL);
	empty = !text || strstr(text, "populated 0");
	free(path);
	free(text);
	return empty;
}

bool jobgroup_kill(const struct jobgroup *group)
{
	if (!jobgroup_empty(group))
		kill_all(group->path);
	return jobgroup_empty(group);
}

static void remove_tree(const char *folder)
{
	struct strlist below = { 0 };

	dir_subdirs(folder, &below, NULL);
	vec_each (name, &below) {
		char *path = mem_printf("%s/%s", folder, *name);

		remove_tree(path);
		free(path);
	}
	strlist_free(&below);
	rmdir(folder);
}

void jobgroup_close(struct jobgroup *group)
{
	struct timespec pause = { .tv_nsec = WAIT_MS * 1000000 };

	if (!group->path)
		return;
	for (int i = 0; i < WAITS && !jobgroup_kill(group); i++)
		nanosleep(&pause, NULL);
	remove_tree(group->path);
	free(group->path);
	group->path = NULL;
}

/* Being able to make one says little: moving a process there is what may be refused. */
static bool can_move(const char *folder)
{
	char *path = mem_printf("%s/cgroup.procs", folder);
	bool can = !access(path, W_OK);

	free(path);
	return can;
}

void jobgroup_open(struct jobgroup *group, const char *name)
{
	char *own = own_group();
	struct jobgroup old;

	group->path = NULL;
	if (!own)
		return;
	old.path = mem_printf("%s/%s", own, name);
	group->path = mem_strdup(old.path);
	jobgroup_close(&old);
	if (mkdir(group->path, 0755) || !can_move(own) || !can_move(group->path)) {
		rmdir(group->path);
		free(group->path);
		group->path = NULL;
	}
	free(own);
}

int jobgroup_below(struct jobgroup *group, const struct jobgroup *parent, const char *name,
		   struct err *err)
{
	group->path = parent->path ? mem_printf("%s/%s", parent->path, name) : NULL;
	if (!group->path || !mkdir(group->path, 0755) || errno == EEXIST)
		return 0;
	err_set(err, errno, "%s: %s", group->path, strerror(errno));
	free(group->path);
	group->path = NULL;
	return -err->code;
}

int jobgroup_add(const struct jobgroup *group, pid_t pid, struct err *err)
{
	char text[32];
	int rc;

	if (!group->path)
		return 0;
	snprintf(text, sizeof(text), "%d", (int)pid);
	rc = write_file(group->path, "cgroup.procs", text);
	return rc ? err_set(err, -rc, "%s: can't be entered: %s", group->path, strerror(-rc)) : 0;
}

int64_t jobgroup_pressure_us(const struct jobgroup *group, const char *what)
{
	char line[200];
	long long us;

	if (!group->path ||
	    file_line(line, sizeof(line), "%s/%s.pressure", group->path, what) <= 0 ||
	    sscanf(line, "some %*s %*s %*s total=%lld", &us) != 1)
		return -1;
	return us;
}

bool jobgroup_cpu(const struct jobgroup *group, uint64_t *user_ns, uint64_t *system_ns)
{
	unsigned long long user, system;
	char *path, *text, *line;
	bool known = false;

	if (!group->path)
		return false;
	path = mem_printf("%s/cpu.stat", group->path);
	text = file_read(path, NULL, NULL);
	line = text ? strstr(text, "user_usec") : NULL;
	if (line && sscanf(line, "user_usec %llu\nsystem_usec %llu", &user, &system) == 2) {
		*user_ns = user * 1000;
		*system_ns = system * 1000;
		known = true;
	}
	free(text);
	free(path);
	return known;
}
