// SPDX-License-Identifier: Apache-2.0
/* Opening events in many places: threads that come and go, CPUs, cgroups, full descriptor tables.
 */
#include "live.h"
#include "scene.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

TEST(opening_out_of_descriptors)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.fds_most = 1; /* not even one thread's */
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_tasks(&scene, 100, 5);
	EXPECT_BOOL(scene_try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, EMFILE);
	EXPECT_CONTAINS(scene.err.text, "10 descriptors");
	scene_end(&scene);
}

/* A table that is full is not the end: another thread has another one. */
TEST(opening_more_descriptors_than_a_table_holds)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.fds_most = 7;
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_tasks(&scene, 100, 20);
	scene_open(&scene);
	EXPECT_INT(fake_open_fds(), 40);
	scene_count_ms(&scene, 2);
	for (size_t slot = 0; slot < 20; slot++) {
		EXPECT_INT(counters_slot(scene.counters, slot)->tid, 100 + (int)slot);
		EXPECT_INT(counters_value(scene.counters, slot, 0)->count, 2 * MS);
		EXPECT_INT(counters_value(scene.counters, slot, 1)->count, 4 * MS);
	}
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	fake.short_by = 8;
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	scene_end(&scene);
}

TEST(opening_another_users_process)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.private_pid = 102;
	scene_software(&scene, 0);
	scene_on_tasks(&scene, 100, 5);
	EXPECT_BOOL(scene_try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, EACCES);
	EXPECT_CONTAINS(scene.err.text, "thread 102 belongs to another user");
	scene_end(&scene);
}

static bool odd_tasks_only(pid_t pid)
{
	return pid % 2;
}

TEST(opening_threads_that_vanish)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.has_task = odd_tasks_only;
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_tasks(&scene, 100, 5);
	scene_open(&scene);
	EXPECT_INT(counters_slots(scene.counters), 2);
	EXPECT_INT(counters_slot(scene.counters, 0)->tid, 101);
	EXPECT_INT(counters_slot(scene.counters, 1)->tid, 103);
	EXPECT_INT(counters_census(scene.counters).vanished, 3);
	scene_count_ms(&scene, 2);
	EXPECT_INT(counters_value(scene.counters, 1, 1)->count, 4 * MS);
	scene_end(&scene);
}

static bool nobody(pid_t pid)
{
	return pid < 0;
}

TEST(opening_target_is_gone)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.has_task = nobody;
	scene_software(&scene, 0);
	scene_on_tasks(&scene, 100, 5);
	EXPECT_BOOL(scene_try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, ESRCH);
	EXPECT_CONTAINS(scene.err.text, "have ended");
	scene_end(&scene);
}

static struct {
	pthread_t threads[32];
	atomic_int tids[32];
	size_t len, most;
	pthread_mutex_t held;
} spawned = { .held = PTHREAD_MUTEX_INITIALIZER };

static void *wait_until_released(void *tid)
{
	*(atomic_int *)tid = gettid();
	pthread_mutex_lock(&spawned.held);
	pthread_mutex_unlock(&spawned.held);
	return NULL;
}

/* Once in each pass over the threads. */
static void spawn(pid_t pid)
{
	size_t at = spawned.len;

	if (pid != getpid() || at == spawned.most)
		return;
	spawned.tids[at] = 0;
	pthread_create(&spawned.threads[at], NULL, wait_until_released, &spawned.tids[at]);
	while (!spawned.tids[at])
		usleep(100);
	spawned.len++;
}

static size_t spawned_in_slots(const struct scene *scene)
{
	size_t found = 0;

	for (size_t slot = 0; slot < counters_slots(scene->counters); slot++)
		for (size_t i = 0; i < spawned.len; i++)
			found += counters_slot(scene->counters, slot)->tid == spawned.tids[i];
	return found;
}

/*
 * Opens this very process, which starts a thread at each pass until there are `threads`; *found is
 * how many of them have a slot.
 */
static struct counters_census open_growing(size_t threads, size_t *found)
{
	struct scene scene = { 0 };
	struct counters_census census;
	char pid[16];

	fake_boot(0);
	scene_software(&scene, 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	EXPECT_INT(target_resolve(&scene.target, &(struct target_flags){ .pids = pid }, NULL), 0);
	spawned.len = 0;
	spawned.most = threads;
	pthread_mutex_lock(&spawned.held);
	fake.on_open = spawn;
	scene_open(&scene);
	*found = spawned_in_slots(&scene);
	census = counters_census(scene.counters);
	pthread_mutex_unlock(&spawned.held);
	for (size_t i = 0; i < spawned.len; i++)
		pthread_join(spawned.threads[i], NULL);
	lifewatch_fini(&scene.target.watch);
	vec_free(&scene.target.ids);
	scene_end(&scene);
	return census;
}

TEST(opening_threads_that_start_meanwhile)
{
	size_t found;

	EXPECT_INT(open_growing(0, &found).unsure, 0);
	EXPECT_INT(found, 0);
	EXPECT_INT(open_growing(3, &found).unsure, 0);
	EXPECT_INT(found, 3);
}

/* Somebody has to give up, and say so. */
TEST(opening_threads_that_start_without_end)
{
	size_t found;

	EXPECT_INT(open_growing(32, &found).unsure, 1);
	EXPECT(found > 3 && found < 32);
}

/* A sum over some CPUs only would be no true count. */
TEST(opening_event_that_one_cpu_lacks)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.fails_cpu = 2;
	fake.fails_with = ENOENT;
	scene_hardware(&scene, 0);
	scene_software(&scene, 1);
	scene_group(&scene, 2);
	scene_on_cpus(&scene, "0-3");
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->error, ENOENT);
	EXPECT_INT(fake_open_fds(), 4);
	scene_count_ms(&scene, 1);
	for (size_t slot = 0; slot < 4; slot++) {
		EXPECT_BOOL(counters_value(scene.counters, slot, 0)->present, false);
		EXPECT_INT(counters_value(scene.counters, slot, 1)->count, 2 * MS);
	}
	scene_end(&scene);
}

TEST(opening_pmu_with_a_cpumask)
{
	struct scene scene = { 0 };
	struct event *event;

	fake_boot(4);
	event = live_event(&scene.list, "uncore", 20, 5);
	event->cpu_wide_only = true;
	EXPECT_INT(cpuset_parse(&event->cpus, "0,2", NULL), 0);
	scene_on_cpus(&scene, "0-3");
	scene_open(&scene);
	for (size_t slot = 0; slot < 4; slot++)
		EXPECT_BOOL(counters_value(scene.counters, slot, 0)->present, slot % 2 == 0);
	EXPECT_INT(fake_open_fds(), 2);
	counters_close(scene.counters);

	scene.target.kind = TARGET_COMMAND;
	scene_open(&scene);
	EXPECT_INT(scene_status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	scene_end(&scene);
}

TEST(opening_enable_on_exec_and_inherit)
{
	struct scene scene = { 0 };

	fake_boot(4);
	scene_hardware(&scene, 0);
	scene_hardware(&scene, 1);
	scene_group(&scene, 2);
	EXPECT(scene_try_open(&scene, (struct counters_options){ .enable_on_exec = true }));
	EXPECT_BOOL(fake_at(0)->attr.base.inherit, true);
	fake_run_ms(5);
	fake_exec(42);
	fake_run_ms(3);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(scene_value(&scene, 1)->count, 6 * MS);
	counters_close(scene.counters);

	EXPECT(scene_try_open(&scene, (struct counters_options){ .no_inherit = true }));
	EXPECT_BOOL(fake_at(0)->attr.base.inherit, false);
	scene_end(&scene);
}

static void cgroup(struct scene *scene, const char *name, int fd)
{
	*vec_push(&scene->target.cgroups) = (struct target_cgroup){ .name = mem_strdup(name),
								    .fd = fd };
	scene->target.kind = TARGET_CGROUPS;
}

/* In which slots (two CPUs a cgroup) each event is, as a string of 'x' and '-'. */
static void expect_places(const struct scene *scene, size_t event, const char *places)
{
	char got[32] = "";

	for (size_t slot = 0; slot < counters_slots(scene->counters); slot++)
		strcat(got, counters_value(scene->counters, slot, event)->present ? "x" : "-");
	EXPECT_TEXT(got, places);
}

TEST(opening_cgroups_each_event_its_own)
{
	struct scene scene = { 0 };

	fake_boot(0);
	for (uint64_t i = 0; i < 4; i++)
		scene_software(&scene, i);
	scene_on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	cgroup(&scene, "", -1); /* -G a,,a */
	cgroup(&scene, "a", 8);
	scene_open(&scene);
	EXPECT_INT(counters_slots(scene.counters), 4);
	EXPECT_TEXT(counters_slot(scene.counters, 0)->cgroup, "a");
	EXPECT_TEXT(counters_slot(scene.counters, 2)->cgroup, NULL);
	expect_places(&scene, 0, "xx--");
	expect_places(&scene, 1, "--xx");
	expect_places(&scene, 2, "xx--");
	expect_places(&scene, 3, "--xx");
	EXPECT_INT(fake_at(0)->pid, 7);
	EXPECT(fake_at(0)->flags & PERF_FLAG_PID_CGROUP);
	scene_end(&scene);
}

TEST(opening_one_cgroup_for_all_events)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	scene_open(&scene);
	expect_places(&scene, 0, "xx");
	expect_places(&scene, 1, "xx");
	scene_end(&scene);
}

TEST(opening_every_event_for_each_cgroup)
{
	struct scene scene = { 0 };

	fake_boot(0);
	scene_software(&scene, 0);
	scene_software(&scene, 1);
	scene_on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	cgroup(&scene, "b", 8);
	EXPECT(scene_try_open(&scene, (struct counters_options){ .each_cgroup = true }));
	expect_places(&scene, 0, "xxxx");
	expect_places(&scene, 1, "xxxx");
	EXPECT_TEXT(counters_slot(scene.counters, 3)->cgroup, "b");
	scene_end(&scene);
}
