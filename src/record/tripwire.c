// SPDX-License-Identifier: Apache-2.0
#include "record/tripwire.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "event/open.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAGES 2 /* of a ring: a hit is a header and an address */

static int open_one(struct tripwire *wire, const struct event *event, pid_t pid, int cpu,
		    struct err *err)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct event_attr attr = event->attr;
	struct ring ring;
	char why[500];
	int fd, rc;

	if (!event->own_period)
		attr.base.sample_period = 1;
	attr.base.sample_type = PERF_SAMPLE_IP;
	attr.base.wakeup_events = 1;
	attr.base.inherit = pid >= 0;
	fd = perf_sys_kernel.open(&attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -fd, "--switch-output-event %s: %s", event->name,
			       event_why_not(event, -fd, why, sizeof(why)));
	if (event->filter)
		perf_sys_kernel.ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)event->filter);
	rc = ring_map(&ring, &perf_sys_kernel, fd, cpu, PAGES, false);
	if (rc) {
		perf_sys_kernel.close(fd);
		return err_set(err, -rc, "--switch-output-event %s: %s", event->name,
			       strerror(-rc));
	}
	*vec_push(&wire->rings) = ring;
	return epoll_ctl(wire->fd, EPOLL_CTL_ADD, fd, &wanted)
		       ? err_set(err, errno, "epoll: %s", strerror(errno))
		       : 0;
}

int tripwire_open(struct tripwire *wire, const struct event_list *events,
		  const struct target *target, pid_t command, struct err *err)
{
	bool tasks = target->kind == TARGET_TASKS,
	     by_cpu = !tasks && target->kind != TARGET_COMMAND;
	struct cpuset online = { 0 };
	int rc = cpuset_online(&online, err);

	*wire = (struct tripwire){ .fd = epoll_create1(EPOLL_CLOEXEC) };
	vec_each (event, &events->events)
		vec_each (cpu, &online) {
			if (by_cpu && !cpuset_has(&target->cpus, *cpu))
				continue;
			for (size_t i = 0; i < (tasks ? target->tasks.len : 1) && !rc; i++)
				rc = open_one(wire, event,
					      by_cpu  ? -1
					      : tasks ? target->tasks.data[i].tid
						      : command,
					      *cpu, err);
		}
	cpuset_free(&online);
	if (rc)
		tripwire_close(wire);
	return rc;
}

bool tripwire_was_hit(struct tripwire *wire)
{
	bool hit = false;

	vec_each (ring, &wire->rings) {
		struct ring_view view;

		if (!ring_view(ring, &view))
			continue;
		hit = true;
		ring_release(ring, &view);
	}
	return hit;
}

void tripwire_close(struct tripwire *wire)
{
	vec_each (ring, &wire->rings) {
		ring_unmap(ring, &perf_sys_kernel);
		perf_sys_kernel.close(ring->fd);
	}
	vec_free(&wire->rings);
	if (wire->fd >= 0)
		close(wire->fd);
	wire->fd = -1;
}
