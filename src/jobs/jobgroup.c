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

#define WAIT_MS	  5
#define WAITS	  600
#define PERIOD_US 100000
#define LEAST_US  1000 /* of a period: what the kernel takes */
#define IO_WEIGHT 50   /* half of what others have */

const struct jobgroup_system jobgroup_here = {
	.groups = "/proc/self/cgroup",
	.mounts = "/proc/self/mountinfo",
};

static const char *const controllers[GROUP_PARTS] = {
	[GROUP_MEMORY] = "memory",
	[GROUP_TASKS] = "pids",
	[GROUP_CPU] = "cpu",
	[GROUP_IO] = "blkio",
};

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

static int write_number(const char *folder, const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return write_file(folder, name, text);
}

/* Whether a list of words holds one. */
static bool has_word(const char *list, const char *word, const char *between)
{
	size_t length = strlen(word);

	while (*list) {
		size_t next = strcspn(list, between);

		if (next == length && !strncmp(list, word, length))
			return true;
		list += next + (list[next] != '\0');
	}
	return false;
}

/* The number behind a word at the beginning of a line: "oom_kill 3". */
static uint64_t number_in(const char *folder, const char *name, const char *word)
{
	char *path = mem_printf("%s/%s", folder, name);
	char *text = file_read(path, NULL, NULL), *rest = text, *line;
	size_t length = strlen(word);
	uint64_t number = 0;

	while (rest && (line = strsep(&rest, "\n")))
		if (!strncmp(line, word, length) && line[length] == ' ')
			number = strtoull(line + length, NULL, 10);
	free(text);
	free(path);
	return number;
}

/* ---- where groups are ---- */

/* The path of our group in a hierarchy, "0::/path" or "4:memory:/path"; free it. */
static char *group_in(const struct jobgroup_system *system, const char *controller)
{
	char *text = file_read(system->groups, NULL, NULL), *rest = text, *line, *found = NULL;

	while (!found && rest && (line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		names++;
		if (controller ? has_word(names, controller, ",") : !*names)
			found = mem_strdup(path);
	}
	free(text);
	return found;
}

/*
 * "31 23 0:28 ROOT PLACE OPTIONS ... - cgroup2 SOURCE OPTIONS": the place of the hierarchy, and
 * what of it is seen there.
 */
static bool read_mount(char *line, const char *controller, char **root, char **place)
{
	char *behind = strstr(line, " - "), *type, *options;

	if (!behind)
		return false;
	*behind = '\0';
	behind += strlen(" - ");
	type = strsep(&behind, " ");
	strsep(&behind, " ");
	options = behind;
	if (strcmp(type, controller ? "cgroup" : "cgroup2") ||
	    (controller && (!options || !has_word(options, controller, ","))))
		return false;
	for (int i = 0; i < 3; i++)
		strsep(&line, " ");
	*root = strsep(&line, " ");
	*place = strsep(&line, " ");
	return *root && *place;
}

/* The folder of the group that we are in; NULL where it is not to be seen.  Free it. */
static char *own_group(const struct jobgroup_system *system, const char *controller)
{
	char *text = file_read(system->mounts, NULL, NULL), *rest = text, *line, *found = NULL;
	char *group = group_in(system, controller), *root, *place;

	while (!found && group && rest && (line = strsep(&rest, "\n"))) {
		size_t seen;

		if (!read_mount(line, controller, &root, &place))
			continue;
		seen = strcmp(root, "/") ? strlen(root) : 0;
		if (strncmp(group, root, seen) || strstr(group, "/.."))
			continue;
		found = mem_printf("%s%s", place, strcmp(group + seen, "/") ? group + seen : "");
		if (access(found, F_OK)) {
			free(found);
			found = NULL;
		}
	}
	free(text);
	free(group);
	return found;
}

static bool v2_lists(const char *folder, const char *name, const char *controller)
{
	char *path = mem_printf("%s/%s", folder, name);
	char *text = file_read(path, NULL, NULL);
	bool has = text && has_word(text, controller, " \n");

	free(text);
	free(path);
	return has;
}

/* Whether groups below a folder have the controllers that all runs need, or get them now. */
static bool v2_passes_on(const char *folder)
{
	if (v2_lists(folder, "cgroup.subtree_control", "memory") &&
	    v2_lists(folder, "cgroup.subtree_control", "pids"))
		return true;
	return v2_lists(folder, "cgroup.controllers", "memory") &&
	       !write_file(folder, "cgroup.subtree_control", "+memory +pids");
}

/* A group has either processes or groups with controllers: ours go to one of their own. */
static bool v2_step_aside(const char *own, const char *name)
{
	char *leaf = mem_printf("%s/%s-server", own, name);
	bool passes = (!mkdir(leaf, 0755) || errno == EEXIST) &&
		      !write_number(leaf, "cgroup.procs", (uint64_t)getpid()) && v2_passes_on(own);

	if (!passes) { /* others are there, too */
		write_number(own, "cgroup.procs", (uint64_t)getpid());
		rmdir(leaf);
	}
	free(leaf);
	return passes;
}

/*
 * Where our groups are made: in our own, or where that can't pass anything on, for root, in the
 * nearest one around it that does.  Else in our own all the same, to end things by.
 */
static char *v2_base(const char *own, const char *name)
{
	char *base = mem_strdup(own), *slash;

	if (v2_passes_on(own) || !v2_lists(own, "cgroup.controllers", "memory") ||
	    v2_step_aside(own, name) || geteuid())
		return base;
	while ((slash = strrchr(base, '/'))) {
		*slash = '\0';
		if (!file_exists("%s/cgroup.controllers", base))
			break;
		if (v2_passes_on(base))
			return base;
	}
	free(base);
	return mem_strdup(own);
}

/* ---- ending ---- */

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

/* Whether one of version 1, and those below it, has no processes. */
static bool is_empty_v1(const char *folder)
{
	struct strlist below = { 0 };
	char *path = mem_printf("%s/cgroup.procs", folder);
	char *text = file_read(path, NULL, NULL);
	bool empty = !text || !*text;

	free(text);
	free(path);
	dir_subdirs(folder, &below, NULL);
	for (size_t i = 0; i < below.len && empty; i++) {
		path = mem_printf("%s/%s", folder, below.data[i]);
		empty = is_empty_v1(path);
		free(path);
	}
	strlist_free(&below);
	return empty;
}

bool jobgroup_empty(const struct jobgroup *group)
{
	char *path, *text;
	bool empty = true;

	if (group->path) {
		path = mem_printf("%s/cgroup.events", group->path);
		text = file_read(path, NULL, NULL);
		empty = !text || strstr(text, "populated 0");
		free(path);
		free(text);
	}
	for (int i = 0; i < GROUP_PARTS && empty; i++)
		if (group->parts[i].path && !group->parts[i].v2)
			empty = is_empty_v1(group->parts[i].path);
	return empty;
}

bool jobgroup_kill(const struct jobgroup *group)
{
	if (jobgroup_empty(group))
		return true;
	if (group->path)
		kill_all(group->path);
	for (int i = 0; i < GROUP_PARTS; i++)
		if (group->parts[i].path && !group->parts[i].v2)
			kill_all(group->parts[i].path);
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

static void forget(struct jobgroup *group)
{
	free(group->path);
	for (int i = 0; i < GROUP_PARTS; i++)
		free(group->parts[i].path);
	*group = (struct jobgroup){ 0 };
}

void jobgroup_close(struct jobgroup *group)
{
	struct timespec pause = { .tv_nsec = WAIT_MS * 1000000 };

	for (int i = 0; i < WAITS && !jobgroup_kill(group); i++)
		nanosleep(&pause, NULL);
	if (group->path)
		remove_tree(group->path);
	for (int i = 0; i < GROUP_PARTS; i++)
		if (group->parts[i].path && !group->parts[i].v2)
			remove_tree(group->parts[i].path);
	forget(group);
}

/* ---- making ---- */

/* Being able to make one says little: moving a process there is what may be refused. */
static bool can_move(const char *folder)
{
	char *path = mem_printf("%s/cgroup.procs", folder);
	bool can = !access(path, W_OK);

	free(path);
	return can;
}

/* Makes it, with what a killed server left there ended; NULL where that can't be. */
static char *make_anew(const char *base, const char *name, bool v2)
{
	struct jobgroup old = { 0 };
	char *path = mem_printf("%s/%s", base, name);

	if (v2)
		old.path = mem_strdup(path);
	else
		old.parts[GROUP_MEMORY].path = mem_strdup(path);
	jobgroup_close(&old);
	if (!mkdir(path, 0755) && can_move(base) && can_move(path))
		return path;
	rmdir(path);
	free(path);
	return NULL;
}

static void open_v2(struct jobgroup *group, const char *name, const struct jobgroup_system *system)
{
	static const enum jobgroup_part all[] = { GROUP_MEMORY, GROUP_TASKS };
	char *own = own_group(system, NULL), *base = own ? v2_base(own, name) : NULL, word[16];

	group->path = base ? make_anew(base, name, true) : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(all) && group->path; i++) {
		snprintf(word, sizeof(word), "+%s", controllers[all[i]]);
		if (!v2_lists(group->path, "cgroup.controllers", controllers[all[i]]) ||
		    write_file(group->path, "cgroup.subtree_control", word))
			continue;
		group->parts[all[i]].path = mem_strdup(group->path);
		group->parts[all[i]].v2 = true;
	}
	free(own);
	free(base);
}

/* Without a scheduler that knows weights there is nothing to join it for. */
static void drop_weightless(struct jobgroup *group)
{
	char **path = &group->parts[GROUP_IO].path;

	if (!*path || file_exists("%s/blkio.bfq.weight", *path) ||
	    file_exists("%s/blkio.weight", *path))
		return;
	rmdir(*path);
	free(*path);
	*path = NULL;
}

void jobgroup_open(struct jobgroup *group, const char *name, const struct jobgroup_system *system)
{
	*group = (struct jobgroup){ 0 };
	open_v2(group, name, system);
	for (int i = 0; i < GROUP_PARTS; i++) {
		char *own = group->parts[i].path ? NULL : own_group(system, controllers[i]);

		if (own)
			group->parts[i].path = make_anew(own, name, false);
		free(own);
	}
	drop_weightless(group);
}

/*
 * The CPU controller shares CPUs out by groups, and the disk's disks: so they are used only where a
 * limit is wanted.  A measured program is to run as it would by itself.
 */
static bool v2_get(const struct jobgroup *parent, const char *controller)
{
	char word[16], *base = mem_strdup(parent->path);
	bool got;

	snprintf(word, sizeof(word), "+%s", controller);
	*strrchr(base, '/') = '\0';
	if (!v2_lists(parent->path, "cgroup.controllers", controller))
		write_file(base, "cgroup.subtree_control", word);
	got = !write_file(parent->path, "cgroup.subtree_control", word);
	free(base);
	return got;
}

int jobgroup_below(struct jobgroup *group, const struct jobgroup *parent, const char *name,
		   bool cpu, struct err *err)
{
	*group = (struct jobgroup){ 0 };
	if (parent->path) {
		group->path = mem_printf("%s/%s", parent->path, name);
		if (mkdir(group->path, 0755) && errno != EEXIST) {
			int rc = err_set(err, errno, "%s: %s", group->path, strerror(errno));

			forget(group);
			return rc;
		}
	}
	for (int i = 0; i < GROUP_PARTS; i++) {
		bool v2 = parent->parts[i].v2;

		if (i == GROUP_CPU && !cpu)
			continue;
		if (i == GROUP_CPU && !parent->parts[i].path && parent->path)
			v2 = v2_get(parent, controllers[i]);
		if (v2)
			group->parts[i].path = mem_strdup(group->path);
		else if (parent->parts[i].path)
			group->parts[i].path = mem_printf("%s/%s", parent->parts[i].path, name);
		group->parts[i].v2 = v2;
		if (group->parts[i].path && !v2 && mkdir(group->parts[i].path, 0755) &&
		    errno != EEXIST) { /* its limit is not held then, which is said */
			free(group->parts[i].path);
			group->parts[i].path = NULL;
		}
	}
	return 0;
}

int jobgroup_add(const struct jobgroup *group, pid_t pid, struct err *err)
{
	int rc = group->path ? write_number(group->path, "cgroup.procs", (uint64_t)pid) : 0;
	const char *failed = group->path;

	for (int i = 0; i < GROUP_PARTS && !rc; i++) {
		if (!group->parts[i].path || group->parts[i].v2)
			continue;
		failed = group->parts[i].path;
		rc = write_number(failed, "cgroup.procs", (uint64_t)pid);
	}
	return rc ? err_set(err, -rc, "%s: can't be entered: %s", failed, strerror(-rc)) : 0;
}

/* ---- limits ---- */

static bool limit_memory(const char *folder, bool v2, uint64_t bytes)
{
	if (v2) {
		write_file(folder, "memory.oom.group", "1"); /* all of it, not one process */
		write_file(folder, "memory.swap.max", "0");
		return !write_number(folder, "memory.max", bytes);
	}
	if (write_number(folder, "memory.limit_in_bytes", bytes))
		return false;
	write_number(folder, "memory.memsw.limit_in_bytes", bytes); /* not every kernel has it */
	return true;
}

static bool limit_cpu(const char *folder, bool v2, uint64_t thousandths)
{
	uint64_t quota = thousandths * PERIOD_US / 1000;
	char text[64];

	if (quota < LEAST_US)
		quota = LEAST_US;
	snprintf(text, sizeof(text), "%llu %d", (unsigned long long)quota, PERIOD_US);
	if (v2)
		return !write_file(folder, "cpu.max", text);
	return !write_number(folder, "cpu.cfs_period_us", PERIOD_US) &&
	       !write_number(folder, "cpu.cfs_quota_us", quota);
}

void jobgroup_limit(const struct jobgroup *group, struct jobgroup_limits *limits)
{
	const char *memory = group->parts[GROUP_MEMORY].path;
	const char *tasks = group->parts[GROUP_TASKS].path, *cpu = group->parts[GROUP_CPU].path;

	if (limits->memory &&
	    (!memory || !limit_memory(memory, group->parts[GROUP_MEMORY].v2, limits->memory)))
		limits->memory = 0;
	if (limits->tasks && (!tasks || write_number(tasks, "pids.max", limits->tasks)))
		limits->tasks = 0;
	if (limits->cpu && (!cpu || !limit_cpu(cpu, group->parts[GROUP_CPU].v2, limits->cpu)))
		limits->cpu = 0;
}

bool jobgroup_yield_io(const struct jobgroup *group)
{
	static const char *const files[] = { "blkio.bfq.weight", "blkio.weight" };
	const char *folder = group->parts[GROUP_IO].path;

	for (size_t i = 0; i < ARRAY_SIZE(files) && folder; i++)
		if (!write_number(folder, files[i], IO_WEIGHT))
			return true;
	return group->path && !write_number(group->path, "io.weight", IO_WEIGHT);
}

static uint64_t first_number(const char *folder, const char *name)
{
	char line[64];

	return file_line(line, sizeof(line), "%s/%s", folder, name) > 0 ? strtoull(line, NULL, 10)
									: 0;
}

/* Some kernels count no failures there; then by how much it has ever had, to the last part. */
static bool reached_limit_v1(const char *folder)
{
	uint64_t limit = first_number(folder, "memory.limit_in_bytes");
	uint64_t most = first_number(folder, "memory.max_usage_in_bytes");

	return first_number(folder, "memory.failcnt") ||
	       first_number(folder, "memory.memsw.failcnt") ||
	       (limit && most >= limit - limit / 32);
}

struct jobgroup_events jobgroup_events(const struct jobgroup *group)
{
	const char *memory = group->parts[GROUP_MEMORY].path;
	const char *tasks = group->parts[GROUP_TASKS].path;
	struct jobgroup_events events = { 0 };

	if (memory && group->parts[GROUP_MEMORY].v2) {
		events.memory_kills = number_in(memory, "memory.events", "oom_kill");
		events.own_limit = number_in(memory, "memory.events", "max") > 0;
	} else if (memory) {
		events.memory_kills = number_in(memory, "memory.oom_control", "oom_kill");
		events.own_limit = reached_limit_v1(memory);
	}
	if (tasks)
		events.tasks_refused = number_in(tasks, "pids.events", "max");
	return events;
}

static uint64_t v2_memory(const struct jobgroup_system *system)
{
	char *folder = own_group(system, NULL), *slash, line[64];
	uint64_t least = UINT64_MAX;

	while (folder && file_exists("%s/cgroup.controllers", folder)) {
		if (file_line(line, sizeof(line), "%s/memory.max", folder) > 0 && *line != 'm' &&
		    strtoull(line, NULL, 10) < least)
			least = strtoull(line, NULL, 10);
		slash = strrchr(folder, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	free(folder);
	return least;
}

uint64_t jobgroup_memory(const struct jobgroup_system *system)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t v2 = v2_memory(system), v1 = 0;
	char *folder = own_group(system, "memory");

	if (folder)
		v1 = number_in(folder, "memory.stat", "hierarchical_memory_limit");
	free(folder);
	all = v2 < all ? v2 : all;
	return v1 && v1 < all ? v1 : all;
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
