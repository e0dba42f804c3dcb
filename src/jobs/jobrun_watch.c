// SPDX-License-Identifier: Apache-2.0
/*
 * What a run may take of the machine: memory, tasks and CPU by its control group, and its files may
 * not take the room that the database needs.
 */
#include "base/clock.h"
#include "base/text.h"
#include "jobs/folder.h"
#include "jobs/jobrun_inside.h"
#include "jobs/policy.h"
#include "store/room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define LOOK_NS (100 * NS_PER_MSEC)

/* The lower one; 0 is no limit. */
static uint64_t least(uint64_t asked, uint64_t most)
{
	return asked && (!most || asked < most) ? asked : most;
}

bool jobrun_limits_cpu(const struct jobrun *run)
{
	return least(run->start.limit_cpu, run->s->options->policy->run.cpu);
}

/*
 * What can't be limited for all of it, for one process at a time, and only where somebody has asked
 * for it: programs reserve more address space than they use, and tasks count for the whole user.
 */
static void limit_process(struct jobrun *run, int resource, uint64_t asked, const char *what)
{
	struct rlimit limit = { .rlim_cur = asked, .rlim_max = asked };

	if (asked && !prlimit(run->workload.pid, (__rlimit_resource_t)resource, &limit, NULL))
		buf_printf(&run->notes,
			   "its %s is limited for each process: there is no control "
			   "group for it here\n",
			   what);
}

void jobrun_limit(struct jobrun *run)
{
	const struct jobgroup_limits *most = &run->s->options->policy->run;
	struct jobgroup_limits wanted = {
		.memory = least(run->start.limit_memory, most->memory),
		.tasks = least(run->start.limit_tasks, most->tasks),
		.cpu = least(run->start.limit_cpu, most->cpu),
	};

	run->limits = wanted;
	jobgroup_limit(&run->group, &run->limits);
	if (!run->limits.memory)
		limit_process(run, RLIMIT_AS, run->start.limit_memory ? wanted.memory : 0,
			      "memory");
	if (!run->limits.tasks)
		limit_process(run, RLIMIT_NPROC, run->start.limit_tasks ? wanted.tasks : 0,
			      "number of tasks");
	if (wanted.cpu && !run->limits.cpu)
		buf_puts(&run->notes, "its CPU time is not limited: there is no control group for "
				      "it here\n");
}

static uint64_t file_bytes(const struct jobrun *run)
{
	const int fds[] = { run->start.recording, run->start.series, run->start.output };
	uint64_t bytes = 0;
	struct stat info;

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0 && !fstat(fds[i], &info))
			bytes += (uint64_t)info.st_size;
	return bytes;
}

/*
 * A recorder can write faster than we look, so it is told how much there is room for.  What the
 * others write is seen in time.
 */
void jobrun_watch_prepare(struct jobrun *run)
{
	uint64_t quota = run->s->options->policy->max_disk, room = 1;
	struct disk disk;

	run->most_bytes = run->start.most_bytes;
	if (quota && (!run->most_bytes || run->most_bytes > quota))
		run->most_bytes = quota;
	if (disk_look(run->s->options->folder->fd, &disk))
		return;
	if (disk.left > disk.floor)
		room = (uint64_t)(disk.left - disk.floor);
	if (!run->most_bytes || run->most_bytes > room)
		run->most_bytes = room;
}

/* Where both are met the disk is the one that somebody has to do something about. */
static void look_at_disk(struct jobrun *run)
{
	const struct supervisor_options *o = run->s->options;
	char left[TEXT_NUMBER], why[300];
	uint64_t most = run->start.most_bytes;
	struct disk disk;

	if (!disk_look(o->folder->fd, &disk) && disk.left <= disk.floor) {
		snprintf(why, sizeof(why),
			 "ended because the disk is full: %s is left, which the database needs",
			 text_bytes(left, (uint64_t)disk.left));
		jobrun_end_limited(run, "disk", false, why);
	} else if (most && file_bytes(run) >= most) {
		snprintf(why, sizeof(why),
			 "ended because the server's files take all of the %s that --max-disk "
			 "allows, or its person's share of it",
			 text_bytes(left, o->policy->max_disk));
		jobrun_end_limited(run, "disk", false, why);
	} else if (run->most_bytes && file_bytes(run) >= run->most_bytes) {
		snprintf(why, sizeof(why),
			 "ended because its files take the %s that the disk had room for at its "
			 "start",
			 text_bytes(left, run->most_bytes));
		jobrun_end_limited(run, "disk", false, why);
	}
}

/* The kernel ends a process or some; what is left of the run would go on as half of one. */
static void look_at_memory(struct jobrun *run)
{
	struct jobgroup_events events = jobgroup_events(&run->group);
	char most[TEXT_NUMBER], why[200];

	if (!run->has_workload || !events.memory_kills)
		return;
	if (events.own_limit && run->limits.memory)
		snprintf(why, sizeof(why), "it used more memory than its limit of %s",
			 text_bytes(most, run->limits.memory));
	else
		snprintf(why, sizeof(why), "the machine ran out of memory while it ran");
	jobrun_end_limited(run, "memory", true, why);
}

bool jobrun_watch_look(struct jobrun *run)
{
	if (!run->limit && run->phase < PHASE_ENDING)
		look_at_memory(run);
	if (!run->limit && run->phase < PHASE_ENDING)
		look_at_disk(run);
	return run->limit != NULL;
}

static void look(void *user)
{
	struct jobrun *run = user;

	if (!jobrun_watch_look(run) && run->phase < PHASE_ENDING)
		evloop_at(run->s->loop, clock_now_ns() + LOOK_NS, look, run);
}

void jobrun_watch_begin(struct jobrun *run)
{
	evloop_at(run->s->loop, clock_now_ns() + LOOK_NS, look, run);
}

void jobrun_watch_end(struct jobrun *run)
{
	evloop_never(run->s->loop, look, run);
}
