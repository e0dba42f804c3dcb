// SPDX-License-Identifier: Apache-2.0
/*
 * A session's slots, and catching all threads of a process that goes on starting them.
 *
 * An event opened on a thread is inherited by the threads that it starts from then on.  A thread
 * that appears between looking them up and having opened the last one may or may not have been
 * started by one that was open already: opening it too could count it twice, leaving it out could
 * lose it, and the kernel does not tell.  So the opening counts only if no thread appeared during
 * it; otherwise all is closed and opened anew.  A process that starts threads faster than they can
 * be opened is given up on after PASSES, and the caller is told.
 *
 * What can't be seen is a thread in the middle of its start, past the point where events are
 * inherited and not in /proc yet, while the last scan looks: some 50 us of the starting thread.
 */
#include "base/clock.h"
#include "base/err.h"
#include "record/counters_private.h"

#include <errno.h>

#define PASSES	   8
#define PASSES_FOR (2 * NS_PER_SEC)

static void add_slot(struct counters *c, int cpu, pid_t tid, int cgroup)
{
	struct session_slot *slot = vec_push(&c->slots);

	slot->shown.cpu = cpu;
	slot->shown.tid = tid;
	slot->cgroup = cgroup;
}

/* Whether some event counts the whole machine beside the cgroups. */
static bool machine_wanted(const struct counters *c)
{
	for (size_t i = 0; !c->options.each_cgroup && i < c->n_events; i++)
		if (c->cgroup_of[i] == NO_CGROUP && c->list->events.data[i].kind != EVENT_TOOL)
			return true;
	return false;
}

static bool cgroup_wanted(const struct counters *c, int cgroup)
{
	if (c->target->cgroups.data[cgroup].fd < 0)
		return false;
	for (size_t i = 0; !c->options.each_cgroup && i < c->n_events; i++)
		if (c->cgroup_of[i] == cgroup)
			return true;
	return c->options.each_cgroup;
}

static void make_slots(struct counters *c)
{
	const struct target *target = c->target;

	c->slots.len = 0;
	if (target->kind == TARGET_COMMAND)
		add_slot(c, -1, c->options.command, NO_CGROUP);
	vec_each (task, &c->tasks)
		add_slot(c, -1, task->tid, NO_CGROUP);
	for (int cgroup = 0; cgroup < (int)target->cgroups.len; cgroup++)
		for (size_t i = 0; cgroup_wanted(c, cgroup) && i < target->cpus.len; i++)
			add_slot(c, target->cpus.data[i], -1, cgroup);
	if (target->kind == TARGET_CPUS || (target->cgroups.len && machine_wanted(c)))
		vec_each (cpu, &target->cpus)
			add_slot(c, *cpu, -1, NO_CGROUP);

	c->fds = mem_resize(c->fds, c->slots.len * c->n_events + 1, sizeof(*c->fds));
	for (size_t i = 0; i < c->slots.len * c->n_events; i++)
		c->fds[i] = -1;
}

/* How many of `now` are not among `then`; both are sorted. */
static size_t count_new(const struct target_tasks *now, const struct target_tasks *then)
{
	size_t fresh = 0, at = 0;

	vec_each (task, now) {
		while (at < then->len && then->data[at].tid < task->tid)
			at++;
		fresh += at == then->len || then->data[at].tid != task->tid;
	}
	return fresh;
}

/* How many threads there are now that were not looked up before the opening. */
static size_t count_unsure(const struct counters *c)
{
	struct target_tasks now = { 0 };
	size_t ended = 0, unsure;

	target_scan(c->target, &now, &ended);
	unsure = count_new(&now, &c->tasks);
	vec_free(&now);
	return unsure;
}

/* Threads that ended are nobody's slot. */
static void drop_gone(struct counters *c)
{
	size_t kept = 0;

	for (size_t slot = 0; slot < c->slots.len; slot++) {
		if (c->slots.data[slot].gone) {
			c->census.vanished++;
			continue;
		}
		c->slots.data[kept] = c->slots.data[slot];
		if (c->target->kind == TARGET_TASKS)
			c->tasks.data[kept] = c->tasks.data[slot];
		memmove(&c->fds[cell_index(c, kept, 0)], &c->fds[cell_index(c, slot, 0)],
			c->n_events * sizeof(*c->fds));
		kept++;
	}
	c->slots.len = kept;
	if (c->target->kind == TARGET_TASKS)
		c->tasks.len = kept;
}

static void name_slots(struct counters *c)
{
	target_name_tasks(&c->tasks);
	for (size_t slot = 0; slot < c->slots.len; slot++) {
		struct session_slot *place = &c->slots.data[slot];

		if (c->target->kind == TARGET_TASKS)
			place->shown.comm = c->tasks.data[slot].comm;
		if (place->cgroup != NO_CGROUP)
			place->shown.cgroup = c->target->cgroups.data[place->cgroup].name;
	}
}

/* Whether threads that appear later are found by looking again: named threads are just those. */
static bool threads_may_appear(const struct counters *c)
{
	return c->target->kind == TARGET_TASKS && c->target->source != TARGET_FROM_TIDS &&
	       !c->options.no_inherit;
}

int session_open(struct counters *c, struct err *err)
{
	int64_t give_up = clock_now_ns() + PASSES_FOR;

	c->census.vanished = c->target->vanished;
	vec_each (task, &c->target->tasks)
		*vec_push(&c->tasks) = *task;
	for (int pass = 1;; pass++) {
		size_t ended = 0;
		int rc;

		make_slots(c);
		rc = session_open_slots(c, err);
		if (rc)
			return rc;
		if (!threads_may_appear(c))
			break;
		c->census.unsure = count_unsure(c);
		if (!c->census.unsure || pass == PASSES || clock_now_ns() > give_up)
			break;
		/* Closing takes its time, so look them up after it, just before the opening. */
		session_close_all(c);
		c->tasks.len = 0;
		target_scan(c->target, &c->tasks, &ended);
	}
	drop_gone(c);
	name_slots(c);
	return 0;
}
