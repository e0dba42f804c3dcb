// SPDX-License-Identifier: Apache-2.0
#include "record/target.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "record/cgroup.h"
#include "record/ownproc.h"
#include "record/proctree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

static int parse_ids(struct target_ids *ids, const char *text, const char *what, struct err *err)
{
	const char *at = text;

	do {
		char *end;
		long id;

		errno = 0;
		id = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
		if (id <= 0 || errno || id > INT_MAX || (*end && *end != ','))
			return err_set(err, EINVAL, "'%s' is not a list of %s ids; write 12,34",
				       text, what);
		*vec_push(ids) = (pid_t)id;
		at = *end ? end + 1 : end;
	} while (*at);
	return 0;
}

static int find_user(uid_t *into, const char *text, struct err *err)
{
	struct passwd *user = getpwnam(text);
	unsigned long number;
	char *end;

	if (user) {
		*into = user->pw_uid;
		return 0;
	}
	errno = 0;
	number = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || number >= UINT_MAX)
		return err_set(err, ENOENT, "unknown user '%s'", text);
	*into = (uid_t)number;
	return 0;
}

/* The number that a folder of /proc is called, or 0. */
static pid_t entry_id(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]) ? (pid_t)atoi(entry->d_name) : 0;
}

static int scan_process(struct target_tasks *tasks, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	size_t before = tasks->len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid_t tid = entry_id(entry);

		if (tid)
			*vec_push(tasks) = (struct target_task){ .pid = pid, .tid = tid };
	}
	closedir(dir);
	return tasks->len > before ? 0 : -ESRCH;
}

/* The effective user as the status file says it: the folder's owner is root for processes that may
 * not be dumped, whoever runs them. */
static bool runs_as(pid_t pid, uid_t user)
{
	char path[64];
	char *text, *line;
	unsigned effective;
	size_t size;
	bool found;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	text = file_read(path, &size, NULL);
	if (!text)
		return false;
	line = strstr(text, "\nUid:");
	found = line && sscanf(line, "\nUid: %*u %u", &effective) == 1 && effective == user;
	free(text);
	return found;
}

/* Of what was not named by its number: a server holds other people's data (record/ownproc.h). */
static void scan_found(struct target_tasks *tasks, pid_t pid, const struct owner *owner,
		       struct target *counts)
{
	if (ownproc_is_servers(pid))
		counts->left_out++;
	else if (owner_check_task(owner, pid, NULL) == -EPERM)
		counts->others++;
	else if (scan_process(tasks, pid))
		counts->vanished++;
}

static void scan_user(const struct target *target, struct target_tasks *tasks,
		      struct target *counts)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		pid_t pid = entry_id(entry);

		if (pid && runs_as(pid, target->user))
			scan_found(tasks, pid, &target->owner, counts);
	}
	closedir(dir);
}

static int by_tid(const void *a, const void *b)
{
	const struct target_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void sort_unique(struct target_tasks *tasks)
{
	size_t kept = 0;

	if (tasks->len)
		qsort(tasks->data, tasks->len, sizeof(*tasks->data), by_tid);
	for (size_t i = 0; i < tasks->len; i++)
		if (!kept || tasks->data[kept - 1].tid != tasks->data[i].tid)
			tasks->data[kept++] = tasks->data[i];
	tasks->len = kept;
}

static void scan_descendants(const struct target *target, struct target_tasks *tasks,
			     struct target *counts)
{
	struct proctree_ids below = { 0 };

	proctree_descendants(target->ids.data, target->ids.len, &below);
	vec_each (pid, &below)
		scan_found(tasks, *pid, &target->owner, counts);
	vec_free(&below);
}

/* counts: where it is put how many were not there, or not to be looked at. */
static void scan(const struct target *target, struct target_tasks *tasks, struct target *counts)
{
	if (target->source == TARGET_FROM_USER)
		scan_user(target, tasks, counts);
	if (target->source == TARGET_FROM_PIDS && target->tree)
		scan_descendants(target, tasks, counts);
	vec_each (id, &target->ids) {
		if (target->source == TARGET_FROM_TIDS) {
			if (file_exists("/proc/%d", (int)*id))
				*vec_push(tasks) = (struct target_task){ .pid = *id, .tid = *id };
			else
				counts->vanished++;
		} else if (scan_process(tasks, *id)) {
			counts->vanished++;
		}
	}
	sort_unique(tasks);
}

void target_scan(const struct target *target, struct target_tasks *tasks, size_t *vanished)
{
	struct target counts = { 0 };

	scan(target, tasks, &counts);
	*vanished += counts.vanished;
}

void target_name_tasks(struct target_tasks *tasks)
{
	vec_each (task, tasks)
		file_line(task->comm, sizeof(task->comm), "/proc/%d/task/%d/comm", (int)task->pid,
			  (int)task->tid);
}

static void watch_tasks(struct target *target)
{
	bool found = target->source == TARGET_FROM_USER || target->tree;

	if (!found)
		vec_each (id, &target->ids)
			lifewatch_add(&target->watch, *id, target->source == TARGET_FROM_TIDS);
	if (found)
		vec_each (task, &target->tasks)
			if (task->pid == task->tid)
				lifewatch_add(&target->watch, task->pid, false);
}

/* Who was named and is another's is refused, not left out. */
static int check_named(const struct target *target, struct err *err)
{
	vec_each (id, &target->ids)
		if (owner_check_task(&target->owner, *id, err) == -EPERM)
			return -EPERM;
	return 0;
}

static int resolve_tasks(struct target *target, const struct target_flags *flags, struct err *err)
{
	const char *named = flags->pids ? flags->pids : flags->tids;
	int rc;

	target->kind = TARGET_TASKS;
	target->tree = flags->tree && flags->pids;
	if (flags->pids) {
		target->source = TARGET_FROM_PIDS;
		rc = parse_ids(&target->ids, flags->pids, "process", err);
	} else if (flags->tids) {
		target->source = TARGET_FROM_TIDS;
		rc = parse_ids(&target->ids, flags->tids, "thread", err);
	} else {
		target->source = TARGET_FROM_USER;
		named = flags->user;
		rc = find_user(&target->user, flags->user, err);
	}
	if (!rc)
		rc = owner_parse(&target->owner, flags->owner, err);
	if (!rc)
		rc = check_named(target, err);
	if (rc)
		return rc;

	scan(target, &target->tasks, target);
	watch_tasks(target);
	if (target->tasks.len)
		return 0;
	if (target->source == TARGET_FROM_USER)
		return err_set(err, ESRCH, "user '%s' runs no process%s", named,
			       target->left_out ? " but a perfolio server's"
			       : target->others ? " that it may look into itself"
						: "");
	return err_set(err, ESRCH, "no such %s: %s; `ps -e%s` lists them",
		       flags->pids ? "process" : "thread", named, flags->pids ? "" : "L");
}

/* "0-3,5" */
static void cpuset_write(const struct cpuset *set, struct buf *into)
{
	for (size_t i = 0; i < set->len;) {
		size_t last = i;

		while (last + 1 < set->len && set->data[last + 1] == set->data[last] + 1)
			last++;
		buf_printf(into, "%s%d", i ? "," : "", set->data[i]);
		if (last > i)
			buf_printf(into, "-%d", set->data[last]);
		i = last + 1;
	}
}

static int resolve_cpus(struct target *target, const char *text, struct err *err)
{
	struct cpuset online = { 0 };
	struct buf names = { 0 };
	int rc = cpuset_online(&online, err);

	if (rc || !text) {
		target->cpus = online;
		return rc;
	}
	rc = cpuset_parse(&target->cpus, text, err);
	if (!rc && !target->cpus.len)
		rc = err_set(err, EINVAL, "the list of CPUs is empty; write 0-3,8");
	for (size_t i = 0; !rc && i < target->cpus.len; i++) {
		int cpu = target->cpus.data[i];

		if (cpuset_has(&online, cpu))
			continue;
		cpuset_write(&online, &names);
		rc = err_set(err, ENODEV, "CPU %d %s; online are %s", cpu,
			     file_exists("/sys/devices/system/cpu/cpu%d", cpu) ? "is offline"
									       : "does not exist",
			     buf_text(&names));
	}
	buf_free(&names);
	cpuset_free(&online);
	return rc;
}

static int add_cgroup(struct target *target, const char *name, struct err *err)
{
	int fd = *name ? cgroup_open(name, err) : -1;

	if (*name && fd < 0)
		return fd;
	*vec_push(&target->cgroups) = (struct target_cgroup){ .name = mem_strdup(name), .fd = fd };
	return 0;
}

static int add_matching(struct target *target, const char *pattern, struct err *err)
{
	struct strlist names = { 0 };
	int rc = cgroup_match(pattern, &names, err);

	for (size_t i = 0; !rc && i < names.len; i++)
		rc = add_cgroup(target, names.data[i], err);
	strlist_free(&names);
	return rc;
}

static int resolve_cgroups(struct target *target, const struct target_flags *flags, struct err *err)
{
	char *copy = mem_strdup(flags->cgroups), *rest = copy, *name;
	int rc = resolve_cpus(target, flags->cpus, err);

	target->kind = TARGET_CGROUPS;
	while (!rc && (name = strsep(&rest, ","))) {
		if (flags->cgroup_patterns && !*name) /* of -G it says: the whole machine */
			rc = err_set(err, EINVAL, "the name of a cgroup is missing in '%s'",
				     flags->cgroups);
		else if (flags->cgroup_patterns && strpbrk(name, "{}[]()|*+?^$"))
			rc = add_matching(target, name, err);
		else
			rc = add_cgroup(target, name, err);
	}
	free(copy);
	return rc;
}

/* As perf ranks flags that exclude each other. */
static const char *passed_over(const struct target_flags *flags)
{
	bool task = flags->pids || flags->tids;

	if (flags->pids && flags->tids)
		return "-p overrides -t";
	if (task && flags->user)
		return "-p and -t override -u";
	if (task && flags->cpus)
		return "-p and -t override -C";
	if (task && flags->all_cpus)
		return "-p and -t override -a";
	if (flags->user && flags->cpus)
		return "-u overrides -C";
	if (flags->user && flags->all_cpus)
		return "-u overrides -a";
	return NULL;
}

static int resolve(struct target *target, const struct target_flags *flags, struct err *err)
{
	bool tasks = flags->pids || flags->tids || flags->user;

	target->overrides = passed_over(flags);
	if (tasks && flags->cgroups)
		return err_set(err, EINVAL,
			       "cgroups are counted on CPUs and can't be combined with -p, -t, -u");
	if (tasks)
		return resolve_tasks(target, flags, err);
	if (flags->cgroups)
		return resolve_cgroups(target, flags, err);
	if (flags->all_cpus || flags->cpus) {
		target->kind = TARGET_CPUS;
		return resolve_cpus(target, flags->cpus, err);
	}
	if (!flags->has_command)
		return err_set(err, EINVAL,
			       "nothing to measure: name a command, or -a, -C, -p, -t, -u");
	target->kind = TARGET_COMMAND;
	return 0;
}

int target_resolve(struct target *target, const struct target_flags *flags, struct err *err)
{
	int rc;

	*target = (struct target){ 0 };
	lifewatch_init(&target->watch);
	rc = resolve(target, flags, err);
	if (rc)
		target_fini(target);
	return rc;
}

void target_fini(struct target *target)
{
	vec_each (cgroup, &target->cgroups) {
		free(cgroup->name);
		if (cgroup->fd >= 0)
			close(cgroup->fd);
	}
	vec_free(&target->cgroups);
	vec_free(&target->tasks);
	vec_free(&target->ids);
	cpuset_free(&target->cpus);
	lifewatch_fini(&target->watch);
}

int target_refused(const struct target *target, pid_t tid, const char *verb, int code,
		   struct err *err)
{
	const char *noun = "thread";

	if (target->source == TARGET_FROM_USER && target->user != geteuid()) {
		struct passwd *user = getpwuid(target->user);

		return err_set(err, code,
			       "the processes of %s are another user's; %s them as root or with "
			       "CAP_PERFMON",
			       user ? user->pw_name : "that user", verb);
	}
	vec_each (id, &target->ids)
		if (*id == tid && target->source == TARGET_FROM_PIDS)
			noun = "process";
	return err_set(err, code,
		       "%s %d belongs to another user or changed its rights; %s it as root or with "
		       "CAP_PERFMON",
		       noun, (int)tid, verb);
}

bool target_alive(struct target *target)
{
	return target->kind != TARGET_TASKS || lifewatch_alive(&target->watch);
}
