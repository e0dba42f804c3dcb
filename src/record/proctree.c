// SPDX-License-Identifier: Apache-2.0
#include "record/proctree.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct process {
	pid_t pid, parent;
	bool inside; /* one of the roots, or descends from one */
};

struct processes VEC_OF(struct process);

/* The name may hold anything, parentheses too: what follows the last one is plain. */
static pid_t parent_of(pid_t pid)
{
	char text[1024], *end;
	int parent = 0;

	if (file_line(text, sizeof(text), "/proc/%d/stat", (int)pid) <= 0)
		return 0;
	end = strrchr(text, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static void read_processes(struct processes *all)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (pid)
			*vec_push(all) = (struct process){ .pid = pid, .parent = parent_of(pid) };
	}
	if (dir)
		closedir(dir);
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct process *find_process(const struct processes *all, pid_t pid)
{
	struct process key = { .pid = pid };

	return all->len ? bsearch(&key, all->data, all->len, sizeof(key), by_pid) : NULL;
}

/* Ids wrap around, so a child may come before its parent: go on until nothing changes. */
static void mark_descendants(struct processes *all)
{
	bool changed;

	do {
		changed = false;
		vec_each (process, all) {
			struct process *parent = find_process(all, process->parent);

			if (!process->inside && parent && parent->inside)
				process->inside = changed = true;
		}
	} while (changed);
}

void proctree_descendants(const pid_t *roots, size_t count, struct proctree_ids *into)
{
	struct processes all = { 0 };

	read_processes(&all);
	if (all.len)
		qsort(all.data, all.len, sizeof(*all.data), by_pid);
	for (size_t i = 0; i < count; i++) {
		struct process *root = find_process(&all, roots[i]);

		if (root)
			root->inside = true;
	}
	mark_descendants(&all);
	vec_each (process, &all) {
		bool root = process->pid == getpid();

		for (size_t i = 0; i < count; i++)
			root |= roots[i] == process->pid;
		if (process->inside && !root)
			*vec_push(into) = process->pid;
	}
	vec_free(&all);
}
