// SPDX-License-Identifier: Apache-2.0
#include "record/sampling.h"
#include "fakering.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct scene {
	struct event_list list;
	struct target target;
	struct sampling_options options;
	struct sampling *sampling;
	struct err err;
};

/* Two CPUs recorded whole, one event, unless the test says otherwise. */
static void set_scene(struct scene *scene)
{
	fake_boot(0);
	fake_rings_boot();
	*scene = (struct scene){
		.target = { .kind = TARGET_CPUS },
		.options = { .sys = &fake_ring_sys,
			     .choice = { .frequency = 99, .clock = CLOCK_MONOTONIC },
			     .ring_bytes = 64 << 10 },
	};
	lifewatch_init(&scene->target.watch);
	cpuset_parse(&scene->target.cpus, "0-1", NULL);
	event_list_add(&scene->list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
		->name = "cpu-clock";
}

static bool open_scene(struct scene *scene)
{
	scene->sampling = sampling_open(&scene->list, &scene->target, &scene->options, &scene->err);
	return scene->sampling != NULL;
}

static void strike_scene(struct scene *scene)
{
	sampling_close(scene->sampling);
	EXPECT_INT(fake_open_fds(), 0);
	EXPECT_INT(fake_rings.rings.len, 0);
	target_fini(&scene->target);
	event_list_free(&scene->list);
	fake_rings_shutdown();
	fake_shutdown();
}

/* Per CPU: the anchor that owns the ring, the event, the tracker. */
TEST(sampling_opens_anchor_event_and_tracker)
{
	struct scene scene;
	const struct perf_writer_attr *attrs;
	size_t count, forward;

	set_scene(&scene);
	EXPECT(open_scene(&scene));
	EXPECT_INT(fake_open_fds(), 6);
	sampling_rings(scene.sampling, &count, &forward);
	EXPECT_INT(count, 2);
	EXPECT_INT(forward, 2);
	EXPECT_INT(fake_rings.outputs.len, 4);
	vec_each (fd, &fake_rings.outputs)
		EXPECT(*fd == fake_rings.rings.data[0].fd || *fd == fake_rings.rings.data[1].fd);

	attrs = sampling_attrs(scene.sampling, &count);
	test_case("the tracker is part of the first event");
	EXPECT_INT(count, 1);
	EXPECT_INT(attrs[0].ids_count, 4);
	EXPECT(attrs[0].attr.base.mmap2 && attrs[0].attr.base.comm && attrs[0].attr.base.task);
	EXPECT(!(attrs[0].attr.base.sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)));
	strike_scene(&scene);
}

TEST(sampling_tracker_runs_before_the_events)
{
	struct scene scene;
	int trackers = 0, running = 0;

	set_scene(&scene);
	EXPECT(open_scene(&scene));
	vec_each (event, &fake.events) {
		if (!event->open)
			continue;
		trackers += event->attr.base.mmap2;
		running += event->enabled;
		EXPECT_BOOL(event->enabled, event->attr.base.mmap2);
	}
	EXPECT_INT(trackers, 2);
	EXPECT_INT(sampling_enable(scene.sampling, &scene.err), 0);
	running = 0;
	vec_each (event, &fake.events)
		running += event->open && event->enabled;
	EXPECT_INT(running, 4); /* all but the anchors */
	strike_scene(&scene);
}

TEST(sampling_command_needs_no_tracker)
{
	struct scene scene;

	set_scene(&scene);
	scene.target.kind = TARGET_COMMAND;
	scene.options.command = getpid();
	fake.cpus = 1024;
	EXPECT(open_scene(&scene));
	vec_each (event, &fake.events) {
		if (!event->open || event->pid != getpid())
			continue;
		EXPECT(event->attr.base.mmap2);
		EXPECT(event->attr.base.enable_on_exec);
		EXPECT(!event->enabled);
	}
	strike_scene(&scene);
}

/* Of the events of the target: how many are for a cgroup, and how many are enabled. */
static int in_group(int *enabled)
{
	int count = 0;

	*enabled = 0;
	vec_each (event, &fake.events) {
		if (!event->open || !(event->flags & PERF_FLAG_PID_CGROUP))
			continue;
		count++;
		*enabled += event->enabled;
		EXPECT(event->cpu >= 0 && !event->attr.base.enable_on_exec);
	}
	return count;
}

static void set_command(struct scene *scene)
{
	set_scene(scene);
	scene->target.kind = TARGET_COMMAND;
	scene->options.command = getpid();
	scene->options.group = "/"; /* a folder that can be opened */
	fake.cpus = 1024;
}

/* A program in a cgroup is sampled by CPU, and from the moment that it is let go. */
TEST(sampling_command_in_a_group)
{
	struct perf_counts counts = { 0 };
	struct scene scene;
	int cpus, enabled;

	set_command(&scene);
	EXPECT(open_scene(&scene));
	EXPECT(sampling_census(scene.sampling)->by_group);
	cpus = in_group(&enabled);
	EXPECT(cpus > 0 && !enabled);
	EXPECT_INT(fake_open_fds(), cpus * 2); /* and the anchors: no other event */
	EXPECT_INT(sampling_begin(scene.sampling, &scene.err), 0);
	EXPECT_INT(in_group(&enabled), cpus);
	EXPECT_INT(enabled, cpus);
	sampling_read_counts(scene.sampling, &counts);
	EXPECT(!(counts.flags & COUNTS_INHERITED));
	perf_counts_fini(&counts);
	strike_scene(&scene);

	test_case("told to wait, it waits");
	set_command(&scene);
	scene.options.start_disabled = true;
	EXPECT(open_scene(&scene));
	EXPECT_INT(sampling_begin(scene.sampling, &scene.err), 0);
	EXPECT_INT(in_group(&enabled), cpus * 2); /* the tracker, too */
	EXPECT_INT(enabled, cpus);
	strike_scene(&scene);
}

TEST(sampling_command_without_permission_for_cpus)
{
	struct perf_counts counts = { 0 };
	struct scene scene;
	int enabled;

	set_command(&scene);
	fake.paranoid = 2;
	EXPECT(open_scene(&scene));
	EXPECT(!sampling_census(scene.sampling)->by_group);
	EXPECT_INT(in_group(&enabled), 0);
	sampling_read_counts(scene.sampling, &counts);
	EXPECT(counts.flags & COUNTS_INHERITED);
	perf_counts_fini(&counts);
	strike_scene(&scene);
}

/* What tells of one task while another runs stays with the task. */
TEST(sampling_command_whose_events_differ)
{
	struct scene scene;
	int cpus, enabled, inherited = 0;

	set_command(&scene);
	event_list_add(&scene.list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE,
		       PERF_COUNT_SW_CONTEXT_SWITCHES)
		->name = "cs";
	EXPECT(sampling_wants_group(&scene.list, &scene.options.choice));
	EXPECT(open_scene(&scene));
	cpus = in_group(&enabled);
	vec_each (event, &fake.events)
		inherited += event->open && event->pid == getpid() &&
			     !(event->flags & PERF_FLAG_PID_CGROUP);
	EXPECT_INT(inherited, cpus * 2); /* cs and the tracker */
	strike_scene(&scene);

	test_case("only one thread is wanted");
	set_command(&scene);
	scene.options.choice.no_inherit = true;
	EXPECT(!sampling_wants_group(&scene.list, &scene.options.choice));
	EXPECT(open_scene(&scene));
	EXPECT_INT(in_group(&enabled), 0);
	strike_scene(&scene);
}

TEST(sampling_several_events_have_identifiers)
{
	struct scene scene;
	const struct perf_writer_attr *attrs;
	size_t count;

	set_scene(&scene);
	event_list_add(&scene.list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)
		->name = "faults";
	EXPECT(open_scene(&scene));
	attrs = sampling_attrs(scene.sampling, &count);
	EXPECT_INT(count, 2);
	EXPECT_INT(attrs[0].ids_count, 4);
	EXPECT_INT(attrs[1].ids_count, 2);
	for (size_t i = 0; i < count; i++)
		EXPECT(attrs[i].attr.base.sample_type & PERF_SAMPLE_IDENTIFIER);
	EXPECT_INT(sampling_id_bytes(scene.sampling), 32);
	strike_scene(&scene);
}

/* What a kernel does not know yet is left out, once for all events. */
TEST(sampling_serves_older_kernels)
{
	static const struct {
		int kernel;
		bool lost, build_id, bpf, namespaces;
	} cases[] = {
		{ 618, true, true, true, true },     { 519, false, true, true, true },
		{ 510, false, false, true, true },   { 500, false, false, false, true },
		{ 409, false, false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene scene;
		struct sampling_losses losses = { 0 };

		test_case("Linux %d.%d", cases[i].kernel / 100, cases[i].kernel % 100);
		set_scene(&scene);
		fake_rings.kernel = cases[i].kernel;
		EXPECT(open_scene(&scene));
		vec_each (event, &fake.events) {
			const struct perf_event_attr *attr = &event->attr.base;

			if (!event->open || !attr->mmap2)
				continue;
			EXPECT_BOOL(attr->build_id, cases[i].build_id);
			EXPECT_BOOL(attr->bpf_event, cases[i].bpf);
			EXPECT_BOOL(attr->namespaces, cases[i].namespaces);
		}
		EXPECT_BOOL(sampling_census(scene.sampling)->kernel_is_old, !cases[i].lost);
		fake_rings.lost_samples = 3;
		EXPECT_BOOL(sampling_read_losses(scene.sampling, &losses), cases[i].lost);
		EXPECT_INT(losses.len, cases[i].lost ? 4 : 0);
		vec_free(&losses);
		strike_scene(&scene);
	}
}

TEST(sampling_losses_are_by_event_and_cpu)
{
	struct scene scene;
	struct sampling_losses losses = { 0 };
	size_t side = 0;

	set_scene(&scene);
	fake_rings.lost_samples = 17;
	EXPECT(open_scene(&scene));
	EXPECT(sampling_read_losses(scene.sampling, &losses));
	EXPECT_INT(losses.len, 4);
	vec_each (loss, &losses) {
		EXPECT_INT(loss->lost, 17);
		EXPECT_INT(loss->event, 0);
		side += loss->side;
	}
	EXPECT_INT(side, 2);
	EXPECT_INT(losses.data[0].cpu, 0);
	EXPECT_INT(losses.data[1].cpu, 1);
	vec_free(&losses);
	strike_scene(&scene);
}

TEST(sampling_rings_shrink_to_what_may_be_locked)
{
	struct scene scene;

	set_scene(&scene);
	scene.options.ring_bytes = 0;
	fake_rings.most_bytes = 2 * ((512 << 10) + 4096);
	EXPECT(open_scene(&scene));
	EXPECT_INT(sampling_census(scene.sampling)->ring_bytes, 512 << 10);
	strike_scene(&scene);
}

TEST(sampling_ring_of_a_size_asked_for_is_not_shrunk)
{
	struct scene scene;

	set_scene(&scene);
	fake_rings.most_bytes = 10000;
	EXPECT(!open_scene(&scene));
	EXPECT_INT(scene.err.code, EPERM);
	EXPECT_CONTAINS(scene.err.text, "64 KB");
	strike_scene(&scene);
}

TEST(sampling_without_permission_for_the_kernel)
{
	struct scene scene;

	set_scene(&scene);
	scene.target.kind = TARGET_COMMAND;
	scene.options.command = getpid();
	fake.cpus = 1024;
	fake.paranoid = 2;
	EXPECT(open_scene(&scene));
	EXPECT(sampling_census(scene.sampling)->user_only);
	strike_scene(&scene);
}

TEST(sampling_the_kernel_alone_without_permission)
{
	struct scene scene;

	set_scene(&scene);
	scene.target.kind = TARGET_COMMAND;
	scene.options.command = getpid();
	scene.options.choice.all_kernel = true;
	fake.cpus = 1024;
	fake.paranoid = 2;
	EXPECT(!open_scene(&scene));
	EXPECT_INT(scene.err.code, EACCES);
	strike_scene(&scene);
}

TEST(sampling_says_why_it_may_not)
{
	struct scene scene;

	set_scene(&scene);
	fake.paranoid = 2; /* whole CPUs are closed, whatever the modes */
	EXPECT(!open_scene(&scene));
	EXPECT_INT(scene.err.code, EACCES);
	EXPECT_CONTAINS(scene.err.text, "cpu-clock: ");
	strike_scene(&scene);
}

TEST(sampling_out_of_descriptors)
{
	struct scene scene;

	set_scene(&scene);
	fake.fds_most = 4; /* two anchors and one event on each CPU */
	EXPECT(!open_scene(&scene));
	EXPECT_INT(scene.err.code, EMFILE);
	EXPECT_CONTAINS(scene.err.text, "ulimit -n");
	strike_scene(&scene);
}

TEST(sampling_overwrite_has_rings_of_its_own)
{
	struct scene scene;
	size_t count, forward;
	struct ring *rings;

	set_scene(&scene);
	scene.options.choice.overwrite = true;
	EXPECT(open_scene(&scene));
	rings = sampling_rings(scene.sampling, &count, &forward);
	EXPECT_INT(count, 4);
	EXPECT_INT(forward, 2);
	EXPECT(rings[2].backward && rings[3].backward);
	vec_each (event, &fake.events)
		if (event->open && event->attr.base.mmap2)
			EXPECT(!event->attr.base.write_backward);
	EXPECT_INT(sampling_pause(scene.sampling, true, &scene.err), 0);
	EXPECT_INT(fake_rings.paused, 1);
	strike_scene(&scene);
}

static pid_t gone;

static bool all_but_one(pid_t pid)
{
	return pid != gone;
}

TEST(sampling_tasks_that_end_meanwhile_are_counted)
{
	struct scene scene;

	set_scene(&scene);
	scene.target.kind = TARGET_TASKS;
	scene.target.source = TARGET_FROM_TIDS;
	fake.cpus = 1024;
	gone = 1;
	fake.has_task = all_but_one;
	*vec_push(&scene.target.tasks) = (struct target_task){ .pid = 1, .tid = 1 };
	*vec_push(&scene.target.tasks) = (struct target_task){ .pid = 2, .tid = 2 };
	EXPECT(open_scene(&scene));
	EXPECT_INT(sampling_census(scene.sampling)->vanished, 1);
	EXPECT_INT(sampling_census(scene.sampling)->tasks, 1);
	strike_scene(&scene);
}

TEST(sampling_fails_when_all_have_ended)
{
	struct scene scene;

	set_scene(&scene);
	scene.target.kind = TARGET_TASKS;
	scene.target.source = TARGET_FROM_TIDS;
	fake.cpus = 1024;
	gone = 1;
	fake.has_task = all_but_one;
	*vec_push(&scene.target.tasks) = (struct target_task){ .pid = 1, .tid = 1 };
	EXPECT(!open_scene(&scene));
	EXPECT_INT(scene.err.code, ESRCH);
	strike_scene(&scene);
}
