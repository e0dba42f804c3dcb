// SPDX-License-Identifier: Apache-2.0
#include "record/target.h"
#include "base/file.h"
#include "live.h"
#include "record/cgroup.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int resolve(struct target *target, struct target_flags flags, struct err *err)
{
	*err = (struct err){ 0 };
	return target_resolve(target, &flags, err);
}

TEST(target_kinds)
{
	struct target target;
	struct err err;

	EXPECT_INT(resolve(&target, (struct target_flags){ .has_command = true }, &err), 0);
	EXPECT_INT(target.kind, TARGET_COMMAND);
	EXPECT(target_alive(&target));
	target_fini(&target);

	EXPECT_INT(resolve(&target, (struct target_flags){ .all_cpus = true, .has_command = true },
			   &err),
		   0);
	EXPECT_INT(target.kind, TARGET_CPUS);
	EXPECT_INT(target.cpus.len, sysconf(_SC_NPROCESSORS_ONLN));
	target_fini(&target);

	EXPECT_INT(resolve(&target, (struct target_flags){ .cpus = "0" }, &err), 0);
	EXPECT_INT(target.cpus.len, 1);
	target_fini(&target);
}

TEST(target_bad_flags)
{
	static const struct {
		struct target_flags flags;
		int code;
		const char *message;
	} cases[] = {
		{ { 0 }, EINVAL, "nothing to measure" },
		{ { .pids = "x" }, EINVAL, "not a list of process ids" },
		{ { .pids = "1," }, 0, "" },
		{ { .pids = "" }, EINVAL, "not a list" },
		{ { .pids = "1;2" }, EINVAL, "not a list" },
		{ { .pids = "99999999999" }, EINVAL, "not a list" },
		{ { .tids = "-1" }, EINVAL, "not a list of thread ids" },
		{ { .pids = "2147483647" }, ESRCH, "no such process: 2147483647" },
		{ { .tids = "2147483647" }, ESRCH, "no such thread: 2147483647" },
		{ { .user = "no-such-user" }, ENOENT, "unknown user 'no-such-user'" },
		{ { .user = "4000000000" }, ESRCH, "runs no process" },
		{ { .cpus = "0-9999" }, ENODEV, "does not exist; online are 0" },
		{ { .cpus = "9999" }, ENODEV, "CPU 9999 does not exist; online are 0" },
		{ { .cpus = "a" }, EINVAL, "not a list of CPUs" },
		{ { .cpus = "" }, EINVAL, "empty" },
		{ { .cgroups = "no/such/cgroup" }, ENOENT, "no/such/cgroup" },
		{ { .cgroups = "a", .pids = "1" }, EINVAL, "can't be combined" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target target;
		struct err err;

		test_case("row %zu", i);
		EXPECT_INT(resolve(&target, cases[i].flags, &err), -cases[i].code);
		EXPECT_CONTAINS(err.text, cases[i].message);
		if (!cases[i].code)
			target_fini(&target);
	}
}

TEST(target_ranks_flags_as_perf)
{
	char pid[16], user[16];
	const struct {
		struct target_flags flags;
		const char *overrides;
	} cases[] = {
		{ { .pids = pid }, NULL },
		{ { .tids = pid }, NULL },
		{ { .user = user }, NULL },
		{ { .pids = pid, .tids = "1" }, "-p overrides -t" },
		{ { .pids = pid, .user = "root" }, "-p and -t override -u" },
		{ { .tids = pid, .cpus = "0" }, "-p and -t override -C" },
		{ { .pids = pid, .all_cpus = true }, "-p and -t override -a" },
		{ { .user = user, .cpus = "0" }, "-u overrides -C" },
		{ { .user = user, .all_cpus = true }, "-u overrides -a" },
	};

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(user, sizeof(user), "%u", (unsigned)geteuid());
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target target;
		struct err err;

		test_case("row %zu", i);
		EXPECT_INT(resolve(&target, cases[i].flags, &err), 0);
		EXPECT_INT(target.kind, TARGET_TASKS);
		EXPECT_TEXT(target.overrides, cases[i].overrides);
		target_fini(&target);
	}
}

/* One id that is there is enough. */
TEST(target_counts_the_vanished)
{
	struct target target;
	struct err err;
	char pids[64];

	snprintf(pids, sizeof(pids), "%d,2147483647,2147483646", (int)getpid());
	EXPECT_INT(resolve(&target, (struct target_flags){ .pids = pids }, &err), 0);
	EXPECT_INT(target.vanished, 2);
	EXPECT_INT(target.tasks.data[0].tid, getpid());
	target_fini(&target);
}

static void *wait_at(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

TEST(target_finds_threads)
{
	pthread_barrier_t barrier;
	pthread_t threads[3];
	struct strlist names = { 0 };
	struct target target;
	int mains = 0, waiters = 0;
	struct err err;
	char pid[16];

	pthread_barrier_init(&barrier, NULL, 4);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		EXPECT_INT(pthread_create(&threads[i], NULL, wait_at, &barrier), 0);
		EXPECT_INT(pthread_setname_np(threads[i], "waiter"), 0);
	}
	pthread_barrier_wait(&barrier);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	EXPECT_INT(resolve(&target, (struct target_flags){ .pids = pid }, &err), 0);
	/* ThreadSanitizer has a thread of its own beside ours */
	EXPECT_INT(dir_names("/proc/self/task", &names, &err), 0);
	EXPECT_INT(target.tasks.len, names.len);
	EXPECT(target.tasks.len >= 4);
	target_name_tasks(&target.tasks);
	/* sorted, but ids begin anew after the last: main need not be the first */
	vec_each (task, &target.tasks) {
		EXPECT(task == target.tasks.data || task[-1].tid < task->tid);
		mains += task->tid == getpid();
		waiters += !strcmp(task->comm, "waiter");
	}
	EXPECT_INT(mains, 1);
	EXPECT_INT(waiters, 3);
	strlist_free(&names);
	target_fini(&target);
	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

/* Also while the parent has not collected it: /proc would still show it. */
TEST(target_notices_the_end)
{
	struct target target;
	struct err err;
	struct pollfd pollfd = { .events = POLLIN };
	char pid[16];
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	snprintf(pid, sizeof(pid), "%d", (int)child);
	EXPECT_INT(resolve(&target, (struct target_flags){ .pids = pid }, &err), 0);
	EXPECT(target_alive(&target));
	pollfd.fd = target.watch.fd;
	EXPECT_INT(poll(&pollfd, 1, 0), 0);
	kill(child, SIGKILL);
	EXPECT_INT(poll(&pollfd, 1, 5000), 1);
	EXPECT(!target_alive(&target));
	EXPECT_INT(waitpid(child, NULL, 0), child);
	target_fini(&target);
}

TEST(target_user)
{
	struct target target;
	struct err err;
	char user[16];
	bool found = false;

	snprintf(user, sizeof(user), "%u", (unsigned)geteuid());
	EXPECT_INT(resolve(&target, (struct target_flags){ .user = user }, &err), 0);
	vec_each (task, &target.tasks)
		found |= task->tid == getpid();
	EXPECT(found);
	EXPECT(target_alive(&target));
	target_fini(&target);
}

TEST(cgroup_mounts)
{
	static const struct {
		const char *mounts, *found;
	} cases[] = {
		{ "", NULL },
		{ "proc /proc proc rw 0 0\n", NULL },
		{ "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "/sys/fs/cgroup" },
		{ "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
		  "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
		  "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n",
		  "/sys/fs/cgroup/unified" },
		{ "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
		  "cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n",
		  "/sys/fs/cgroup/perf_event" },
		{ "cgroup /x cgroup rw,not_perf_event 0 0\n", NULL },
		{ "cgroup2 /mnt/my\\040groups cgroup2 rw 0 0\n", "/mnt/my groups" },
		{ "broken", NULL },
		{ "a b\n\n \n", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *found = cgroup_mount(cases[i].mounts);

		test_case("row %zu", i);
		EXPECT_TEXT(found, cases[i].found);
		free(found);
	}
}
