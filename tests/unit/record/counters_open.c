// SPDX-License-Identifier: Apache-2.0
/* Counter sessions on kernels that this machine is not. */
#include "fakekernel.h"
#include "live.h"
#include "record/counters.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

/* What every test needs, and what must be left behind: nothing. */
struct scene {
	struct event_list list;
	struct target target;
	struct counters *counters;
	struct err err;
};

static struct event *hardware(struct scene *scene, uint64_t config)
{
	return live_event(&scene->list, "hw", PERF_TYPE_HARDWARE, config);
}

static struct event *software(struct scene *scene, uint64_t config)
{
	return live_event(&scene->list, "sw", PERF_TYPE_SOFTWARE, config);
}

/* Makes the last n events one group. */
static void group(struct scene *scene, size_t n)
{
	size_t first = scene->list.events.len - n;

	for (size_t i = 0; i < n; i++)
		scene->list.events.data[first + i].leader = (uint32_t)first;
}

static void on_tasks(struct scene *scene, pid_t first, size_t n)
{
	scene->target.kind = TARGET_TASKS;
	scene->target.source = TARGET_FROM_TIDS;
	for (size_t i = 0; i < n; i++) {
		pid_t tid = first + (pid_t)i;

		*vec_push(&scene->target.tasks) = (struct target_task){ .pid = tid, .tid = tid };
	}
}

static void on_cpus(struct scene *scene, const char *cpus)
{
	scene->target.kind = TARGET_CPUS;
	EXPECT_INT(cpuset_parse(&scene->target.cpus, cpus, NULL), 0);
}

static bool try_open(struct scene *scene, struct counters_options options)
{
	options.sys = &fake_sys;
	if (scene->target.kind == TARGET_COMMAND)
		options.command = 42;
	scene->counters = counters_open(&scene->list, &scene->target, &options, &scene->err);
	return scene->counters != NULL;
}

static void open_it(struct scene *scene)
{
	EXPECT(try_open(scene, (struct counters_options){ 0 }));
	EXPECT_TEXT(scene->err.text, "");
}

static void count_ms(struct scene *scene, int ms)
{
	EXPECT_INT(counters_enable(scene->counters, &scene->err), 0);
	fake_run_ms(ms);
	EXPECT_INT(counters_disable(scene->counters, &scene->err), 0);
	fake_run_ms(ms); /* nothing more may be counted */
	EXPECT_INT(counters_read(scene->counters, &scene->err), 0);
}

static const struct counter_value *value(const struct scene *scene, size_t event)
{
	return counters_value(scene->counters, 0, event);
}

static const struct counter_status *status(const struct scene *scene, size_t event)
{
	return counters_status(scene->counters, event);
}

static uint64_t scaled(const struct scene *scene, size_t event, double *share)
{
	uint64_t count;

	EXPECT_INT(counter_value_scaled(value(scene, event), &count, share), 0);
	return count;
}

static void end(struct scene *scene)
{
	counters_close(scene->counters);
	vec_free(&scene->target.tasks);
	vec_each (cgroup, &scene->target.cgroups)
		free(cgroup->name);
	vec_free(&scene->target.cgroups);
	cpuset_free(&scene->target.cpus);
	event_list_free(&scene->list);
	EXPECT_INT(fake_open_fds(), 0);
	fake_shutdown();
}

TEST(opening_without_pmu)
{
	struct scene scene = { 0 };

	fake_boot(0);
	hardware(&scene, 0);
	software(&scene, 2);
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	EXPECT_INT(status(&scene, 0)->error, ENOENT);
	EXPECT_INT(status(&scene, 1)->state, COUNTER_OPEN);
	count_ms(&scene, 5);
	EXPECT_BOOL(value(&scene, 0)->present, false);
	EXPECT_INT(value(&scene, 1)->count, 15 * MS);
	end(&scene);
}

/* Not an error: `stat -e cycles` shows <not supported> and still runs the program. */
TEST(opening_nothing_at_all)
{
	struct scene scene = { 0 };

	fake_boot(0);
	hardware(&scene, 0);
	open_it(&scene);
	count_ms(&scene, 1);
	EXPECT_BOOL(value(&scene, 0)->present, false);
	end(&scene);
}

TEST(opening_software_events_ride_together)
{
	struct scene scene = { 0 };

	fake_boot(4);
	software(&scene, 0);
	hardware(&scene, 1);
	software(&scene, 2);
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 3);
	on_cpus(&scene, "0-3");
	open_it(&scene);
	EXPECT_INT(fake_open_fds(), 16);
	fake.reads = 0;
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(fake.reads, 8); /* two a CPU: the riders and the counter */
	count_ms(&scene, 1);
	for (size_t slot = 0; slot < 4; slot++)
		for (size_t i = 0; i < 4; i++)
			EXPECT_INT(counters_value(scene.counters, slot, i)->count, MS * (i + 1));
	end(&scene);
}

TEST(opening_pinned_software_event_stays_alone)
{
	struct scene scene = { 0 };

	fake_boot(0);
	software(&scene, 0);
	software(&scene, 1)->attr.base.pinned = 1;
	software(&scene, 2);
	open_it(&scene);
	count_ms(&scene, 1);
	EXPECT_INT(fake_at(1)->leader, FAKE_FD); /* the riders */
	EXPECT_INT(fake_at(2)->leader, FAKE_FD + 2);
	EXPECT_INT(value(&scene, 1)->count, 2 * MS);
	EXPECT_INT(value(&scene, 2)->count, 3 * MS);
	end(&scene);
}

TEST(opening_multiplexed)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 4; i++)
		hardware(&scene, i);
	open_it(&scene);
	count_ms(&scene, 100);
	for (size_t i = 0; i < 4; i++) {
		double share;

		test_case("event %zu", i);
		EXPECT_NEAR((double)scaled(&scene, i, &share), (double)(100 * MS * (i + 1)), 1);
		EXPECT_NEAR(share, 0.5, 0.01);
	}
	end(&scene);
}

TEST(opening_group_is_counted_as_a_whole)
{
	struct scene scene = { 0 };

	fake_boot(2);
	hardware(&scene, 0);
	hardware(&scene, 1);
	group(&scene, 2);
	hardware(&scene, 2);
	hardware(&scene, 3);
	group(&scene, 2);
	open_it(&scene);
	count_ms(&scene, 100);
	EXPECT_INT(value(&scene, 0)->running_ns, value(&scene, 1)->running_ns);
	EXPECT_INT(value(&scene, 1)->count, 2 * value(&scene, 0)->count);
	EXPECT_INT(value(&scene, 3)->count * 3, value(&scene, 2)->count * 4);
	EXPECT_INT(value(&scene, 0)->running_ns + value(&scene, 2)->running_ns, 100 * MS);
	end(&scene);
}

TEST(opening_group_that_does_not_fit)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 3; i++)
		hardware(&scene, i);
	group(&scene, 3);
	open_it(&scene);
	EXPECT_INT(status(&scene, 2)->state, COUNTER_UNSUPPORTED);
	EXPECT_BOOL(status(&scene, 2)->group_full, true);
	EXPECT_BOOL(status(&scene, 1)->group_full, false);
	count_ms(&scene, 10);
	EXPECT_INT(value(&scene, 1)->count, 20 * MS);
	EXPECT_BOOL(value(&scene, 2)->present, false);
	end(&scene);
}

TEST(opening_weak_group_falls_apart)
{
	struct scene scene = { 0 };

	fake_boot(2);
	for (uint64_t i = 0; i < 3; i++)
		hardware(&scene, i)->weak = true;
	group(&scene, 3);
	on_cpus(&scene, "0-1");
	open_it(&scene);
	for (size_t i = 0; i < 3; i++) {
		EXPECT_INT(status(&scene, i)->state, COUNTER_OPEN);
		EXPECT_BOOL(status(&scene, i)->ungrouped, true);
	}
	EXPECT_INT(fake_open_fds(), 6);
	count_ms(&scene, 90);
	for (size_t i = 0; i < 3; i++)
		EXPECT(value(&scene, i)->running_ns > 0);
	end(&scene);
}

/* perf ends here with an error; the other members can be counted all the same. */
TEST(opening_group_without_its_leader)
{
	struct scene scene = { 0 };

	fake_boot(0);
	hardware(&scene, 0);
	software(&scene, 1);
	software(&scene, 2);
	group(&scene, 3);
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->error, ENOENT);
	count_ms(&scene, 1);
	EXPECT_INT(value(&scene, 1)->count, 2 * MS);
	EXPECT_INT(value(&scene, 2)->count, 3 * MS);
	end(&scene);
}

TEST(opening_falls_back_to_user_only)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.paranoid = 2;
	software(&scene, 0);
	hardware(&scene, 1)->explicit_modes = true;
	hardware(&scene, 2);
	open_it(&scene);
	EXPECT_BOOL(status(&scene, 0)->user_only, true);
	EXPECT_INT(status(&scene, 1)->state, COUNTER_REFUSED);
	EXPECT_INT(status(&scene, 1)->error, EACCES);
	EXPECT_BOOL(status(&scene, 1)->user_only, false);
	EXPECT_BOOL(status(&scene, 2)->user_only, true);
	EXPECT_BOOL(fake_at(0)->attr.base.exclude_hv, true);
	count_ms(&scene, 1);
	EXPECT_INT(value(&scene, 0)->count, MS);
	end(&scene);
}

/* The kernel looks at permissions first; the reason to give is the one that remains. */
TEST(opening_without_permission_and_without_pmu)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.paranoid = 2;
	hardware(&scene, 0);
	software(&scene, 1);
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	EXPECT_INT(status(&scene, 0)->error, ENOENT);
	EXPECT_BOOL(status(&scene, 0)->user_only, true); /* shown as cycles:u, as perf does */
	EXPECT_BOOL(status(&scene, 1)->user_only, true);
	end(&scene);
}

TEST(opening_refused_altogether)
{
	static const struct {
		int paranoid;
		bool cpus;
	} cases[] = { { 3, false }, { 1, true }, { 2, true } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene scene = { 0 };

		test_case("paranoid %d", cases[i].paranoid);
		fake_boot(0);
		fake.paranoid = cases[i].paranoid;
		hardware(&scene, 0); /* ENOENT where it is looked at at all */
		software(&scene, 1);
		if (cases[i].cpus)
			on_cpus(&scene, "0-1");
		EXPECT_BOOL(try_open(&scene, (struct counters_options){ 0 }), false);
		EXPECT_INT(scene.err.code, EACCES);
		EXPECT(scene.err.text[0] != '\0');
		end(&scene);
	}
}

TEST(opening_out_of_descriptors)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.fds_most = 1; /* not even one thread's */
	software(&scene, 0);
	software(&scene, 1);
	on_tasks(&scene, 100, 5);
	EXPECT_BOOL(try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, EMFILE);
	EXPECT_CONTAINS(scene.err.text, "10 descriptors");
	end(&scene);
}

/* A table that is full is not the end: another thread has another one. */
TEST(opening_more_descriptors_than_a_table_holds)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.fds_most = 7;
	software(&scene, 0);
	software(&scene, 1);
	on_tasks(&scene, 100, 20);
	open_it(&scene);
	EXPECT_INT(fake_open_fds(), 40);
	count_ms(&scene, 2);
	for (size_t slot = 0; slot < 20; slot++) {
		EXPECT_INT(counters_slot(scene.counters, slot)->tid, 100 + (int)slot);
		EXPECT_INT(counters_value(scene.counters, slot, 0)->count, 2 * MS);
		EXPECT_INT(counters_value(scene.counters, slot, 1)->count, 4 * MS);
	}
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	fake.short_by = 8;
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	end(&scene);
}

TEST(opening_another_users_process)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.private_pid = 102;
	software(&scene, 0);
	on_tasks(&scene, 100, 5);
	EXPECT_BOOL(try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, EACCES);
	EXPECT_CONTAINS(scene.err.text, "thread 102 belongs to another user");
	end(&scene);
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
	software(&scene, 0);
	software(&scene, 1);
	on_tasks(&scene, 100, 5);
	open_it(&scene);
	EXPECT_INT(counters_slots(scene.counters), 2);
	EXPECT_INT(counters_slot(scene.counters, 0)->tid, 101);
	EXPECT_INT(counters_slot(scene.counters, 1)->tid, 103);
	EXPECT_INT(counters_census(scene.counters).vanished, 3);
	count_ms(&scene, 2);
	EXPECT_INT(counters_value(scene.counters, 1, 1)->count, 4 * MS);
	end(&scene);
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
	software(&scene, 0);
	on_tasks(&scene, 100, 5);
	EXPECT_BOOL(try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_INT(scene.err.code, ESRCH);
	EXPECT_CONTAINS(scene.err.text, "have ended");
	end(&scene);
}

TEST(opening_as_precise_as_it_gets)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.precise_most = 1;
	hardware(&scene, 0)->precise_max = true;
	hardware(&scene, 1)->attr.base.precise_ip = 2; /* :pp by name is not lowered */
	open_it(&scene);
	EXPECT_INT(fake_at(0)->attr.base.precise_ip, 1);
	EXPECT_INT(status(&scene, 1)->error, EOPNOTSUPP);
	end(&scene);
}

TEST(opening_without_bits_that_the_kernel_lacks)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.no_guest_bit = true;
	hardware(&scene, 0)->attr.base.exclude_guest = 1;
	hardware(&scene, 1)->attr.base.exclude_guest = 1;
	scene.list.events.data[1].explicit_modes = true;
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->state, COUNTER_OPEN);
	EXPECT_INT(status(&scene, 1)->error, EINVAL);
	end(&scene);
}

/* Kernels before 4.13 refuse inherited groups that are read as one; later ones give ECHILD at
 * times. */
TEST(opening_inherited_events_are_read_singly)
{
	struct scene scene = { 0 };

	fake_boot(2);
	fake.old_reads = true;
	hardware(&scene, 0);
	hardware(&scene, 1);
	group(&scene, 2);
	software(&scene, 2);
	software(&scene, 3);
	open_it(&scene);
	count_ms(&scene, 3);
	EXPECT_INT(fake.reads, 4);
	for (size_t i = 0; i < 4; i++)
		EXPECT_INT(value(&scene, i)->count, 3 * MS * (i + 1));
	end(&scene);
}

TEST(opening_pinned_event_without_a_counter)
{
	struct scene scene = { 0 };
	uint64_t count;
	double share;

	fake_boot(1);
	hardware(&scene, 0);
	hardware(&scene, 1)->attr.base.pinned = 1;
	open_it(&scene);
	count_ms(&scene, 10);
	EXPECT_INT(value(&scene, 0)->count, 10 * MS);
	EXPECT_BOOL(value(&scene, 1)->present, true);
	EXPECT_INT(counter_value_scaled(value(&scene, 1), &count, &share), -ENODATA);
	end(&scene);
}

TEST(opening_short_read)
{
	struct scene scene = { 0 };

	fake_boot(1);
	software(&scene, 0);
	software(&scene, 1);
	on_cpus(&scene, "0");
	open_it(&scene);
	fake.short_by = 8;
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	fake.short_by = 50; /* less than the head of a group */
	EXPECT_INT(counters_read(scene.counters, &scene.err), -EIO);
	end(&scene);
}

TEST(opening_interrupted_calls)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.interrupts = 2;
	software(&scene, 0);
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->state, COUNTER_OPEN);
	fake.interrupts = 2;
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	end(&scene);
}

/* Values belong to events by their ids, whatever their order. */
TEST(opening_group_values_in_any_order)
{
	struct scene scene = { 0 };

	fake_boot(0);
	fake.reversed = true;
	for (uint64_t i = 0; i < 3; i++)
		software(&scene, i);
	on_cpus(&scene, "0");
	open_it(&scene);
	count_ms(&scene, 1);
	for (size_t i = 0; i < 3; i++)
		EXPECT_INT(value(&scene, i)->count, MS * (i + 1));
	end(&scene);
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
	software(&scene, 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	EXPECT_INT(target_resolve(&scene.target, &(struct target_flags){ .pids = pid }, NULL), 0);
	spawned.len = 0;
	spawned.most = threads;
	pthread_mutex_lock(&spawned.held);
	fake.on_open = spawn;
	open_it(&scene);
	*found = spawned_in_slots(&scene);
	census = counters_census(scene.counters);
	pthread_mutex_unlock(&spawned.held);
	for (size_t i = 0; i < spawned.len; i++)
		pthread_join(spawned.threads[i], NULL);
	lifewatch_fini(&scene.target.watch);
	vec_free(&scene.target.ids);
	end(&scene);
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

TEST(opening_filters)
{
	struct scene scene = { 0 };

	fake_boot(0);
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 0)->filter = "prev_pid == 0";
	open_it(&scene);
	EXPECT_TEXT(fake_at(0)->filter, "prev_pid == 0");
	end(&scene);

	scene = (struct scene){ 0 };
	fake_boot(0);
	fake.bad_filters = true;
	live_event(&scene.list, "tp", PERF_TYPE_TRACEPOINT, 0)->filter = "nonsense";
	EXPECT_BOOL(try_open(&scene, (struct counters_options){ 0 }), false);
	EXPECT_CONTAINS(scene.err.text, "nonsense");
	end(&scene);
}

/* A sum over some CPUs only would be no true count. */
TEST(opening_event_that_one_cpu_lacks)
{
	struct scene scene = { 0 };

	fake_boot(4);
	fake.fails_cpu = 2;
	fake.fails_with = ENOENT;
	hardware(&scene, 0);
	software(&scene, 1);
	group(&scene, 2);
	on_cpus(&scene, "0-3");
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->error, ENOENT);
	EXPECT_INT(fake_open_fds(), 4);
	count_ms(&scene, 1);
	for (size_t slot = 0; slot < 4; slot++) {
		EXPECT_BOOL(counters_value(scene.counters, slot, 0)->present, false);
		EXPECT_INT(counters_value(scene.counters, slot, 1)->count, 2 * MS);
	}
	end(&scene);
}

TEST(opening_pmu_with_a_cpumask)
{
	struct scene scene = { 0 };
	struct event *event;

	fake_boot(4);
	event = live_event(&scene.list, "uncore", 20, 5);
	event->cpu_wide_only = true;
	EXPECT_INT(cpuset_parse(&event->cpus, "0,2", NULL), 0);
	on_cpus(&scene, "0-3");
	open_it(&scene);
	for (size_t slot = 0; slot < 4; slot++)
		EXPECT_BOOL(counters_value(scene.counters, slot, 0)->present, slot % 2 == 0);
	EXPECT_INT(fake_open_fds(), 2);
	counters_close(scene.counters);

	scene.target.kind = TARGET_COMMAND;
	open_it(&scene);
	EXPECT_INT(status(&scene, 0)->state, COUNTER_UNSUPPORTED);
	end(&scene);
}

TEST(opening_enable_on_exec_and_inherit)
{
	struct scene scene = { 0 };

	fake_boot(4);
	hardware(&scene, 0);
	hardware(&scene, 1);
	group(&scene, 2);
	EXPECT(try_open(&scene, (struct counters_options){ .enable_on_exec = true }));
	EXPECT_BOOL(fake_at(0)->attr.base.inherit, true);
	fake_run_ms(5);
	fake_exec(42);
	fake_run_ms(3);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(value(&scene, 1)->count, 6 * MS);
	counters_close(scene.counters);

	EXPECT(try_open(&scene, (struct counters_options){ .no_inherit = true }));
	EXPECT_BOOL(fake_at(0)->attr.base.inherit, false);
	end(&scene);
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
		software(&scene, i);
	on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	cgroup(&scene, "", -1); /* -G a,,a */
	cgroup(&scene, "a", 8);
	open_it(&scene);
	EXPECT_INT(counters_slots(scene.counters), 4);
	EXPECT_TEXT(counters_slot(scene.counters, 0)->cgroup, "a");
	EXPECT_TEXT(counters_slot(scene.counters, 2)->cgroup, NULL);
	expect_places(&scene, 0, "xx--");
	expect_places(&scene, 1, "--xx");
	expect_places(&scene, 2, "xx--");
	expect_places(&scene, 3, "--xx");
	EXPECT_INT(fake_at(0)->pid, 7);
	EXPECT(fake_at(0)->flags & PERF_FLAG_PID_CGROUP);
	end(&scene);
}

TEST(opening_one_cgroup_for_all_events)
{
	struct scene scene = { 0 };

	fake_boot(0);
	software(&scene, 0);
	software(&scene, 1);
	on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	open_it(&scene);
	expect_places(&scene, 0, "xx");
	expect_places(&scene, 1, "xx");
	end(&scene);
}

TEST(opening_every_event_for_each_cgroup)
{
	struct scene scene = { 0 };

	fake_boot(0);
	software(&scene, 0);
	software(&scene, 1);
	on_cpus(&scene, "0-1");
	cgroup(&scene, "a", 7);
	cgroup(&scene, "b", 8);
	EXPECT(try_open(&scene, (struct counters_options){ .each_cgroup = true }));
	expect_places(&scene, 0, "xxxx");
	expect_places(&scene, 1, "xxxx");
	EXPECT_TEXT(counters_slot(scene.counters, 3)->cgroup, "b");
	end(&scene);
}

TEST(opening_reset)
{
	struct scene scene = { 0 };

	fake_boot(2);
	hardware(&scene, 0);
	open_it(&scene);
	EXPECT_INT(counters_enable(scene.counters, NULL), 0);
	fake_run_ms(5);
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	fake_run_ms(2);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(value(&scene, 0)->count, 2 * MS);
	EXPECT_INT(value(&scene, 0)->running_ns, 2 * MS);
	EXPECT_INT(counters_reset(scene.counters, NULL), 0);
	EXPECT_INT(value(&scene, 0)->count, 0);
	fake_run_ms(1);
	EXPECT_INT(counters_read(scene.counters, NULL), 0);
	EXPECT_INT(value(&scene, 0)->count, MS);
	end(&scene);
}
