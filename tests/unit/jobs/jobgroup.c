// SPDX-License-Identifier: Apache-2.0
/*
 * Both versions of control groups, as trees of plain files: what is written where; then the
 * kernel's own, of the version that the machine has.
 */
#include "jobs/jobgroup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/policy.h"
#include "symbol/folder.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct jobgroup_system fake;

static void put(const char *name, const char *text)
{
	folder_put(name, text, strlen(text));
}

static void expect(const char *name, const char *want)
{
	char *text = file_read(folder_path(name), NULL, NULL);

	test_case("%s", name);
	EXPECT(text);
	EXPECT_TEXT(text, want);
	free(text);
}

/* Files of a group's own; the kernel would make them with it. */
static void put_files(const char *group, const char *const *names)
{
	for (; *names; names++) {
		char *path = mem_printf("%s/%s", group, *names);

		put(path, "");
		free(path);
	}
}

static void mounts(const char *text)
{
	put("mounts", text);
	fake.mounts = mem_strdup(folder_path("mounts"));
	fake.groups = mem_strdup(folder_path("groups"));
}

static void done(void)
{
	free((char *)fake.mounts);
	free((char *)fake.groups);
	folder_remove();
}

static const char *const v1_files[] = { "memory.limit_in_bytes",
					"memory.memsw.limit_in_bytes",
					"pids.max",
					"cpu.cfs_period_us",
					"cpu.cfs_quota_us",
					"cgroup.procs",
					NULL };

/* A machine with the controllers in version 1, and a container's view of two of them. */
TEST(jobgroup_v1)
{
	struct jobgroup top = { 0 }, run = { 0 };
	struct jobgroup_limits limits = { .memory = 1 << 20, .tasks = 7, .cpu = 1500 };
	struct jobgroup_events events;
	struct err err = { 0 };
	char *text;

	folder_new();
	put("pids/tasks", "");
	put("cpu/tasks", "");
	put("memory/in/us/cgroup.procs", "");
	put("memory/in/us/memory.stat", "cache 1\nhierarchical_memory_limit 4096000\n");
	put("groups",
	    "9:name=systemd:/\n8:pids:/docker/x\n4:memory:/in/us\n1:cpu,cpuacct:/\n0::/\n");
	text = mem_printf("1 0 0:1 / %1$s/memory rw - cgroup cgroup rw,memory\n"
			  "2 0 0:2 /docker/x %1$s/pids rw - cgroup cgroup rw,pids\n"
			  "3 0 0:3 / %1$s/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
			  folder_path("."));
	mounts(text);
	free(text);
	EXPECT_INT((int64_t)jobgroup_memory(&fake), 4096000);
	/* groups that can't be entered are none: no kernel makes cgroup.procs in these folders */
	jobgroup_open(&top, "server", &fake);
	EXPECT(!top.path && !top.parts[GROUP_MEMORY].path);
	top.parts[GROUP_MEMORY].path = mem_strdup(folder_path("memory/in/us"));
	top.parts[GROUP_TASKS].path = mem_strdup(folder_path("pids"));
	top.parts[GROUP_CPU].path = mem_strdup(folder_path("cpu"));
	EXPECT_INT(jobgroup_below(&run, &top, "run-1", false, &err), 0);
	EXPECT(run.parts[GROUP_MEMORY].path && run.parts[GROUP_TASKS].path);
	EXPECT(!run.parts[GROUP_CPU].path && !run.path);
	jobgroup_close(&run);
	EXPECT_INT(jobgroup_below(&run, &top, "run-1", true, &err), 0);
	put_files("memory/in/us/run-1", v1_files);
	put_files("pids/run-1", v1_files);
	put_files("cpu/run-1", v1_files);
	jobgroup_limit(&run, &limits);
	EXPECT_INT((int64_t)limits.memory, 1 << 20);
	EXPECT_INT((int64_t)limits.tasks, 7);
	EXPECT_INT((int64_t)limits.cpu, 1500);
	expect("memory/in/us/run-1/memory.limit_in_bytes", "1048576");
	expect("memory/in/us/run-1/memory.memsw.limit_in_bytes", "1048576");
	expect("pids/run-1/pids.max", "7");
	expect("cpu/run-1/cpu.cfs_period_us", "100000");
	expect("cpu/run-1/cpu.cfs_quota_us", "150000");
	EXPECT_INT(jobgroup_add(&run, 999999999, &err), 0);
	expect("memory/in/us/run-1/cgroup.procs", "999999999");
	expect("cpu/run-1/cgroup.procs", "999999999");

	events = jobgroup_events(&run);
	EXPECT(!events.memory_kills && !events.tasks_refused && !events.own_limit);
	put("memory/in/us/run-1/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	put("memory/in/us/run-1/memory.failcnt", "0\n");
	put("pids/run-1/pids.events", "max 5\n");
	events = jobgroup_events(&run);
	EXPECT_INT((int64_t)events.memory_kills, 3);
	EXPECT_INT((int64_t)events.tasks_refused, 5);
	EXPECT(!events.own_limit);
	put("memory/in/us/run-1/memory.memsw.failcnt", "12\n");
	EXPECT(jobgroup_events(&run).own_limit);
	put("memory/in/us/run-1/memory.memsw.failcnt", "0\n");
	put("memory/in/us/run-1/memory.max_usage_in_bytes", "900000\n");
	EXPECT(!jobgroup_events(&run).own_limit);
	put("memory/in/us/run-1/memory.max_usage_in_bytes", "1040000\n");
	EXPECT(jobgroup_events(&run).own_limit);

	/* what is not there is not held */
	free(run.parts[GROUP_TASKS].path);
	run.parts[GROUP_TASKS].path = NULL;
	jobgroup_limit(&run, &limits);
	EXPECT_INT((int64_t)limits.tasks, 0);
	put("memory/in/us/run-1/cgroup.procs", "");
	put("cpu/run-1/cgroup.procs", "");
	jobgroup_close(&run);
	jobgroup_close(&top);
	done();
}

static const char *const v2_files[] = { "memory.max", "memory.swap.max", "memory.oom.group",
					"pids.max",   "cpu.max",	 "cgroup.procs",
					NULL };

TEST(jobgroup_v2)
{
	struct jobgroup top = { 0 }, run = { 0 };
	struct jobgroup_limits limits = { .memory = 1 << 20, .tasks = 7, .cpu = 1500 };
	struct jobgroup_events events;
	struct err err = { 0 };
	char *text;

	folder_new();
	put("v2/cgroup.controllers", "cpu io memory pids\n");
	put("v2/slice/cgroup.controllers", "cpu memory pids\n");
	put("v2/slice/service/cgroup.controllers", "cpu memory pids\n");
	put("v2/slice/memory.max", "5000000\n");
	put("v2/slice/service/memory.max", "max\n");
	put("groups", "0::/slice/service\n");
	text = mem_printf("7 0 0:1 / %s/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
			  folder_path("."));
	mounts(text);
	free(text);
	EXPECT_INT((int64_t)jobgroup_memory(&fake), 5000000);
	top.path = mem_strdup(folder_path("v2/slice/service"));
	for (int i = GROUP_MEMORY; i <= GROUP_TASKS; i++) {
		top.parts[i].path = mem_strdup(top.path);
		top.parts[i].v2 = true;
	}
	put("v2/slice/service/cgroup.subtree_control", "");
	EXPECT_INT(jobgroup_below(&run, &top, "run-1", true, &err), 0);
	expect("v2/slice/service/cgroup.subtree_control", "+cpu");
	put_files("v2/slice/service/run-1", v2_files);
	jobgroup_limit(&run, &limits);
	expect("v2/slice/service/run-1/memory.max", "1048576");
	expect("v2/slice/service/run-1/memory.swap.max", "0");
	expect("v2/slice/service/run-1/memory.oom.group", "1");
	expect("v2/slice/service/run-1/pids.max", "7");
	expect("v2/slice/service/run-1/cpu.max", "150000 100000");
	EXPECT_INT(jobgroup_add(&run, 999999999, &err), 0);
	expect("v2/slice/service/run-1/cgroup.procs", "999999999");
	put("v2/slice/service/run-1/memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\n");
	put("v2/slice/service/run-1/pids.events", "max 0\n");
	events = jobgroup_events(&run);
	EXPECT_INT((int64_t)events.memory_kills, 2);
	EXPECT(events.own_limit && !events.tasks_refused);
	put("v2/slice/service/run-1/cgroup.events", "populated 0\nfrozen 0\n");
	put("v2/slice/service/cgroup.events", "populated 0\nfrozen 0\n");
	jobgroup_close(&run);
	jobgroup_close(&top);
	done();
}

TEST(jobgroup_memory_of_a_run)
{
	static const struct {
		uint64_t all, run;
	} cases[] = { { 24ULL << 30, 18ULL << 30 },
		      { 1ULL << 30, 768ULL << 20 },
		      { 800ULL << 20, 544ULL << 20 },
		      { 400ULL << 20, 200ULL << 20 },
		      { 100ULL << 20, 50ULL << 20 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_INT((int64_t)policy_run_memory(cases[i].all), (int64_t)cases[i].run);
}

/* ---- the kernel's ---- */

#define HERE_MEMORY (64UL << 20)
#define HERE_TASKS  4

static void eat_memory(void)
{
	char *all = mmap(NULL, 3 * HERE_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (all != MAP_FAILED)
		memset(all, 1, 3 * HERE_MEMORY);
}

/* Ends with 0 if the kernel refused one more, as it should. */
static void fork_many(void)
{
	for (int i = 0; i < 2 * HERE_TASKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			pause();
			_exit(1);
		}
		if (pid < 0)
			_exit(errno != EAGAIN);
	}
	_exit(1);
}

/* How a child ended that did this in a group. */
static int status_in(const struct jobgroup *group, void (*what)(void))
{
	struct err err = { 0 };
	int gate[2], status = -1;
	char byte;
	pid_t pid;

	EXPECT(!pipe(gate));
	pid = fork();
	if (!pid) {
		close(gate[1]);
		if (!read(gate[0], &byte, 1))
			what();
		_exit(2);
	}
	EXPECT_INT(jobgroup_add(group, pid, &err), 0);
	close(gate[0]);
	close(gate[1]);
	waitpid(pid, &status, 0);
	return status;
}

/* What is promised of limits, by whichever version has the controllers. */
TEST(jobgroup_holds)
{
	struct jobgroup top = { 0 }, run = { 0 };
	struct jobgroup_limits limits = { .memory = HERE_MEMORY, .tasks = HERE_TASKS, .cpu = 500 };
	struct jobgroup_events events;
	struct err err = { 0 };
	char name[64];
	int status;

	snprintf(name, sizeof(name), "perfolio-unit-%d", (int)getpid());
	jobgroup_open(&top, name, &jobgroup_here);
	if (!top.parts[GROUP_MEMORY].path || !top.parts[GROUP_TASKS].path) {
		jobgroup_close(&top);
		printf("# no control groups that we may use hold memory and tasks here\n");
		return;
	}
	EXPECT_INT(jobgroup_below(&run, &top, "run-1", true, &err), 0);
	jobgroup_limit(&run, &limits);
	test_case("memory, version %d", run.parts[GROUP_MEMORY].v2 ? 2 : 1);
	EXPECT_INT((int64_t)limits.memory, HERE_MEMORY);
	status = status_in(&run, eat_memory);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	events = jobgroup_events(&run);
	EXPECT(events.memory_kills && events.own_limit && !events.tasks_refused);

	test_case("tasks, version %d", run.parts[GROUP_TASKS].v2 ? 2 : 1);
	EXPECT_INT((int64_t)limits.tasks, HERE_TASKS);
	status = status_in(&run, fork_many);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT(jobgroup_events(&run).tasks_refused > 0);

	test_case("what is left is ended");
	EXPECT(!jobgroup_empty(&run));
	jobgroup_close(&run);
	jobgroup_close(&top);
}
