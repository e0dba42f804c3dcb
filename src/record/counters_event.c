// SPDX-License-Identifier: Apache-2.0
/*
 * Opening one event in one slot: as it was asked for, or as near to it as permissions, PMU and
 * kernel allow without changing what was asked for by name.
 */
#include "record/counters_private.h"
#include "record/fdlimit.h"

#include <errno.h>

#define PRECISE_MOST 3

static bool inherits(const struct counters *c)
{
	return follows_tasks(c) && !c->options.no_inherit;
}

/*
 * One read for a whole group, but only where nothing is inherited.  While a child ends, its events
 * leave the group one by one, and the kernel refuses to read the group as one meanwhile (ECHILD,
 * since Linux 6.6; before, the sums were wrong).  An event read by itself is exact at any time.
 */
void session_choose_reads(struct counters *c)
{
	c->group_reads = !inherits(c);
}

void session_prepare_attr(struct counters *c, size_t index)
{
	const struct event *event = event_at(c, index);
	struct perf_event_attr *attr = &c->attrs[index].base;

	c->attrs[index] = event->attr;
	attr->freq = 0;
	attr->sample_period = 0;
	attr->sample_type = 0;
	attr->inherit = inherits(c);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    PERF_FORMAT_ID | (c->group_reads ? PERF_FORMAT_GROUP : 0);
	if (event->precise_max)
		attr->precise_ip = PRECISE_MOST;
	if (event->cpu_wide_only && follows_tasks(c))
		c->status[index] = (struct counter_status){ .state = COUNTER_UNSUPPORTED,
							    .error = EINVAL };
	if (event_is_void(event)) /* the kernel would open it, and count 0 */
		c->status[index] = (struct counter_status){ .state = COUNTER_REFUSED,
							    .error = EINVAL };
}

bool session_wants(const struct counters *c, const struct session_slot *slot, size_t index)
{
	const struct event *event = event_at(c, index);

	if (c->status[index].state != COUNTER_OPEN || event->kind == EVENT_TOOL)
		return false;
	if (!c->options.each_cgroup && c->cgroup_of[index] != slot->cgroup)
		return false;
	return slot->shown.cpu < 0 || !event->cpus.len || cpuset_has(&event->cpus, slot->shown.cpu);
}

size_t session_descriptors(const struct counters *c)
{
	size_t needed = 0;

	vec_each (slot, &c->slots)
		for (size_t i = 0; i < c->n_events; i++)
			needed += session_wants(c, slot, i);
	return needed;
}

static int open_once(struct counters *c, const struct session_slot *slot,
		     const struct event_attr *attr, int group_fd)
{
	struct event_attr copy = *attr;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	pid_t pid = slot->shown.tid;
	int fd;

	if (slot->cgroup != NO_CGROUP) {
		pid = c->target->cgroups.data[slot->cgroup].fd;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	/* Only leaders are switched; members are counted when their leader is. */
	copy.base.disabled = group_fd < 0;
	copy.base.enable_on_exec = group_fd < 0 && c->options.enable_on_exec;
	if (group_fd >= 0)
		copy.base.pinned = copy.base.exclusive = 0;
	do
		fd = c->sys->open(&copy, pid, slot->shown.cpu, group_fd, flags);
	while (fd == -EINTR || (fd == -EMFILE && fdlimit_raise(session_descriptors(c))));
	return fd;
}

/* Opens attr's gentler form, and keeps that for the event if the kernel takes it. */
static int try_instead(struct counters *c, const struct session_slot *slot, size_t index,
		       const struct event_attr *attr, int group_fd)
{
	int fd = open_once(c, slot, attr, group_fd);

	if (fd >= 0)
		c->attrs[index] = *attr;
	return fd;
}

static int try_user_only(struct counters *c, const struct session_slot *slot, size_t index,
			 int group_fd)
{
	struct event_attr attr = c->attrs[index];
	int fd;

	/* A count of what happens in the kernel only, or is wanted of it only, would be 0 without
	 * it, and untrue. */
	if (event_at(c, index)->explicit_modes || attr.base.exclude_kernel ||
	    attr.base.exclude_user || event_is_kernels(event_at(c, index)))
		return -EACCES;
	attr.base.exclude_kernel = attr.base.exclude_hv = 1;
	fd = open_once(c, slot, &attr, group_fd);
	if (fd == -EACCES || fd == -EPERM)
		return fd;
	/* What else is wrong shows only now: without a PMU, that there is none. */
	c->attrs[index] = attr;
	c->status[index].user_only = !event_is_clock(event_at(c, index));
	return fd;
}

/* Kernels and PMUs that don't know a bit say EINVAL or EOPNOTSUPP; leave out what nobody asked for
 * by name. */
static int try_without_extras(struct counters *c, const struct session_slot *slot, size_t index,
			      int group_fd, int why)
{
	struct event_attr attr = c->attrs[index];
	int fd = why;

	if (event_at(c, index)->precise_max)
		while (fd < 0 && attr.base.precise_ip > 0) {
			attr.base.precise_ip--;
			fd = try_instead(c, slot, index, &attr, group_fd);
		}
	attr = c->attrs[index];
	if (fd < 0 && (attr.base.exclude_guest || attr.base.exclude_host) &&
	    !event_at(c, index)->explicit_modes) {
		attr.base.exclude_guest = attr.base.exclude_host = 0;
		fd = try_instead(c, slot, index, &attr, group_fd);
	}
	return fd < 0 ? why : fd;
}

int session_open_event(struct counters *c, const struct session_slot *slot, size_t index,
		       int group_fd)
{
	int fd = open_once(c, slot, &c->attrs[index], group_fd);

	if (fd == -EACCES || fd == -EPERM)
		fd = try_user_only(c, slot, index, group_fd);
	if (fd == -EINVAL || fd == -EOPNOTSUPP || fd == -ENOENT)
		fd = try_without_extras(c, slot, index, group_fd, fd);
	return fd;
}

bool session_opens_alone(struct counters *c, const struct session_slot *slot, size_t index)
{
	int fd = open_once(c, slot, &c->attrs[index], -1);

	if (fd >= 0)
		c->sys->close(fd);
	return fd >= 0;
}
