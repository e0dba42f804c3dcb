// SPDX-License-Identifier: Apache-2.0
#include "record/treegroup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "record/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME	"perfolio-record-"
#define TRIES	100 /* to empty a group in which processes start others */
#define WAIT_NS 1000000

static bool move(pid_t pid, const char *folder)
{
	char *path = mem_printf("%s/cgroup.procs", folder), text[32];
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int length = snprintf(text, sizeof(text), "%d", (int)pid);
	bool moved = fd >= 0 && write(fd, text, (size_t)length) == length;

	if (fd >= 0)
		close(fd);
	free(path);
	return moved;
}

/* Those of the groups below it too; false if there were any. */
static bool move_all(const char *folder, const char *to)
{
	char *path = mem_printf("%s/cgroup.procs", folder);
	char *text = file_read(path, NULL, NULL), *at = text;
	struct strlist below = { 0 };
	bool empty = true;

	for (char *line; at && *at && (line = strsep(&at, "\n"));) {
		if (!*line)
			continue;
		empty = false;
		move((pid_t)atol(line), to);
	}
	dir_subdirs(folder, &below, NULL);
	vec_each (name, &below) {
		char *inner = mem_printf("%s/%s", folder, *name);

		empty &= move_all(inner, to);
		free(inner);
	}
	strlist_free(&below);
	free(text);
	free(path);
	return empty;
}

static void remove_tree(const char *folder)
{
	struct strlist below = { 0 };

	dir_subdirs(folder, &below, NULL);
	vec_each (name, &below) {
		char *inner = mem_printf("%s/%s", folder, *name);

		remove_tree(inner);
		free(inner);
	}
	strlist_free(&below);
	rmdir(folder);
}

static void empty_and_remove(const char *folder, const char *parent)
{
	struct timespec pause = { .tv_nsec = WAIT_NS };

	for (int i = 0; i < TRIES && !move_all(folder, parent); i++)
		if (i)
			nanosleep(&pause, NULL);
	/* One that is ending is not listed any more and still holds it for a moment. */
	for (int i = 0; i < TRIES && file_exists("%s", folder); i++) {
		remove_tree(folder);
		if (file_exists("%s", folder))
			nanosleep(&pause, NULL);
	}
}

/* Those whose recorder was killed: nobody holds their lock. */
static void sweep(const char *parent)
{
	struct strlist names = { 0 };

	dir_subdirs(parent, &names, NULL);
	vec_each (name, &names) {
		char *path;
		int fd;

		if (strncmp(*name, NAME, strlen(NAME)))
			continue;
		path = mem_printf("%s/%s", parent, *name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
			empty_and_remove(path, parent);
		if (fd >= 0)
			close(fd);
		free(path);
	}
	strlist_free(&names);
}

void treegroup_open_below(struct treegroup *group, const char *parent, pid_t pid)
{
	*group = (struct treegroup){ .lock_fd = -1 };
	sweep(parent);
	group->parent = mem_strdup(parent);
	group->path = mem_printf("%s/" NAME "%d", parent, (int)getpid());
	if (!mkdir(group->path, 0755)) {
		group->lock_fd = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (group->lock_fd >= 0 && !flock(group->lock_fd, LOCK_EX | LOCK_NB) &&
		    move(pid, group->path))
			return;
		rmdir(group->path);
	}
	free(group->path);
	group->path = NULL; /* so that nothing is removed that is not ours */
	treegroup_close(group);
}

void treegroup_open(struct treegroup *group, pid_t pid)
{
	char *own = cgroup_own();

	*group = (struct treegroup){ .lock_fd = -1 };
	if (own)
		treegroup_open_below(group, own, pid);
	free(own);
}

void treegroup_close(struct treegroup *group)
{
	if (group->path)
		empty_and_remove(group->path, group->parent);
	if (group->lock_fd >= 0)
		close(group->lock_fd);
	free(group->path);
	free(group->parent);
	*group = (struct treegroup){ .lock_fd = -1 };
}
