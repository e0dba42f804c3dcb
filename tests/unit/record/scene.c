// SPDX-License-Identifier: Apache-2.0
#include "scene.h"
#include "live.h"

struct event *scene_hardware(struct scene *scene, uint64_t config)
{
	return live_event(&scene->list, "hw", PERF_TYPE_HARDWARE, config);
}

struct event *scene_software(struct scene *scene, uint64_t config)
{
	return live_event(&scene->list, "sw", PERF_TYPE_SOFTWARE, config);
}

void scene_group(struct scene *scene, size_t n)
{
	size_t first = scene->list.events.len - n;

	for (size_t i = 0; i < n; i++)
		scene->list.events.data[first + i].leader = (uint32_t)first;
}

void scene_on_tasks(struct scene *scene, pid_t first, size_t n)
{
	scene->target.kind = TARGET_TASKS;
	scene->target.source = TARGET_FROM_TIDS;
	for (size_t i = 0; i < n; i++) {
		pid_t tid = first + (pid_t)i;

		*vec_push(&scene->target.tasks) = (struct target_task){ .pid = tid, .tid = tid };
	}
}

void scene_on_cpus(struct scene *scene, const char *cpus)
{
	scene->target.kind = TARGET_CPUS;
	EXPECT_INT(cpuset_parse(&scene->target.cpus, cpus, NULL), 0);
}

bool scene_try_open(struct scene *scene, struct counters_options options)
{
	options.sys = &fake_sys;
	if (scene->target.kind == TARGET_COMMAND)
		options.command = 42;
	scene->counters = counters_open(&scene->list, &scene->target, &options, &scene->err);
	return scene->counters != NULL;
}

void scene_open(struct scene *scene)
{
	EXPECT(scene_try_open(scene, (struct counters_options){ 0 }));
	EXPECT_TEXT(scene->err.text, "");
}

void scene_count_ms(struct scene *scene, int ms)
{
	EXPECT_INT(counters_enable(scene->counters, &scene->err), 0);
	fake_run_ms(ms);
	EXPECT_INT(counters_disable(scene->counters, &scene->err), 0);
	fake_run_ms(ms); /* nothing more may be counted */
	EXPECT_INT(counters_read(scene->counters, &scene->err), 0);
}

const struct counter_value *scene_value(const struct scene *scene, size_t event)
{
	return counters_value(scene->counters, 0, event);
}

const struct counter_status *scene_status(const struct scene *scene, size_t event)
{
	return counters_status(scene->counters, event);
}

uint64_t scene_scaled(const struct scene *scene, size_t event, double *share)
{
	uint64_t count;

	EXPECT_INT(counter_value_scaled(scene_value(scene, event), &count, share), 0);
	return count;
}

void scene_end(struct scene *scene)
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
