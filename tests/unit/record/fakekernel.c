// SPDX-License-Identifier: Apache-2.0
#include "fakekernel.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct fake_kernel fake;

void fake_boot(int counters)
{
	fake_shutdown();
	fake = (struct fake_kernel){
		.counters = counters,
		.paranoid = -1,
		.fds_most = SIZE_MAX,
		.precise_most = 3,
		.cpus = 4,
		.fails_cpu = -1,
	};
}

void fake_shutdown(void)
{
	vec_free(&fake.events);
}

static struct fake_event *event_of(int fd)
{
	size_t index = (size_t)(fd - FAKE_FD);

	if (fd < FAKE_FD || index >= fake.events.len || !fake.events.data[index].open)
		return NULL;
	return fake.events.data[index].thread == gettid() ? &fake.events.data[index] : NULL;
}

static bool on_pmu(const struct event_attr *attr)
{
	return attr->base.type != PERF_TYPE_SOFTWARE && attr->base.type != PERF_TYPE_TRACEPOINT;
}

static int counters_of_group(int leader)
{
	int used = 0;

	vec_each (event, &fake.events)
		used += event->open && event->leader == leader && on_pmu(&event->attr);
	return used;
}

size_t fake_open_fds(void)
{
	size_t n = 0;

	vec_each (event, &fake.events)
		n += event->open;
	return n;
}

static size_t fds_of_this_thread(void)
{
	size_t n = 0;

	vec_each (event, &fake.events)
		n += event->open && event->thread == gettid();
	return n;
}

struct fake_event *fake_at(int n)
{
	vec_each (event, &fake.events)
		if (event->open && n-- == 0)
			return event;
	return NULL;
}

static int check_permission(const struct perf_event_attr *attr, pid_t pid)
{
	if (fake.paranoid > 2 || (fake.paranoid > 1 && !attr->exclude_kernel) ||
	    (fake.paranoid > 0 && pid < 0) ||
	    (fake.paranoid > -1 && attr->type == PERF_TYPE_TRACEPOINT))
		return -EACCES;
	return 0;
}

static int check_pmu(const struct event_attr *attr, int cpu, int group_fd)
{
	if (!on_pmu(attr))
		return 0;
	if (!fake.counters)
		return -ENOENT;
	if (fake.fails_cpu >= 0 && cpu == fake.fails_cpu)
		return -fake.fails_with;
	if (attr->base.precise_ip > fake.precise_most)
		return -EOPNOTSUPP;
	if (group_fd >= 0 && counters_of_group(group_fd) >= fake.counters)
		return -EINVAL;
	return 0;
}

static int check_attr(const struct perf_event_attr *attr, int group_fd)
{
	if (fake.no_guest_bit && (attr->exclude_guest || attr->exclude_host))
		return -EINVAL;
	if (fake.old_reads && attr->inherit && attr->read_format & PERF_FORMAT_GROUP)
		return -EINVAL;
	if (group_fd >= 0 && (attr->pinned || attr->exclusive))
		return -EINVAL;
	return 0;
}

static bool interrupted(void)
{
	if (!fake.interrupts)
		return false;
	fake.interrupts--;
	return true;
}

static int fake_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	bool cgroup = flags & PERF_FLAG_PID_CGROUP;
	struct fake_event *event;
	int rc, fd;

	fake.opens++;
	if (fake.on_open)
		fake.on_open(pid);
	if (interrupted())
		return -EINTR;
	if (pid < 0 && cpu < 0)
		return -EINVAL;
	if (group_fd >= 0 && !event_of(group_fd))
		return -EBADF;
	if (pid > 0 && !cgroup && fake.has_task && !fake.has_task(pid))
		return -ESRCH;
	if (cpu >= fake.cpus)
		return -ENODEV;
	rc = check_permission(&attr->base, cgroup ? -1 : pid);
	if (fake.private_pid && pid == fake.private_pid)
		rc = -EACCES;
	if (!rc)
		rc = check_attr(&attr->base, group_fd);
	if (!rc)
		rc = check_pmu(attr, cpu, group_fd);
	if (rc)
		return rc;
	if (fds_of_this_thread() >= fake.fds_most)
		return -EMFILE;

	fd = FAKE_FD + (int)fake.events.len;
	event = vec_push(&fake.events);
	*event = (struct fake_event){
		.open = true,
		.thread = gettid(),
		.attr = *attr,
		.pid = pid,
		.cpu = cpu,
		.flags = flags,
		.leader = group_fd >= 0 ? group_fd : fd,
		.enabled = !attr->base.disabled,
	};
	return fd;
}

static int fake_close(int fd)
{
	struct fake_event *event = event_of(fd);

	if (!event)
		return -EBADF;
	event->open = false;
	/* What a leader leaves behind stands alone. */
	vec_each (member, &fake.events)
		if (member->open && member->leader == fd)
			member->leader = FAKE_FD + (int)(member - fake.events.data);
	return 0;
}

static int fake_ioctl(int fd, unsigned long request, unsigned long argument)
{
	struct fake_event *event = event_of(fd);

	if (!event)
		return -EBADF;
	switch (request) {
	case PERF_EVENT_IOC_ENABLE: event->enabled = true; return 0;
	case PERF_EVENT_IOC_DISABLE: event->enabled = false; return 0;
	case PERF_EVENT_IOC_ID: *(uint64_t *)argument = (uint64_t)fd * 7; return 0;
	case PERF_EVENT_IOC_SET_FILTER:
		if (fake.bad_filters)
			return -EINVAL;
		event->filter = (const char *)argument;
		return 0;
	default: return -ENOTTY;
	}
}

static ssize_t fake_read(int fd, void *into, size_t size)
{
	struct fake_event *leader = event_of(fd);
	uint64_t words[64];
	size_t n = 0;

	fake.reads++;
	if (interrupted())
		return -EINTR;
	if (!leader)
		return -EBADF;
	if (leader->error)
		return 0;
	if (leader->attr.base.read_format & PERF_FORMAT_GROUP) {
		words[n++] = 0;
		words[n++] = leader->enabled_ns;
		words[n++] = leader->running_ns;
		for (size_t i = 0; i < fake.events.len; i++) {
			size_t at = fake.reversed ? fake.events.len - 1 - i : i;
			struct fake_event *member = &fake.events.data[at];

			if (!member->open || member->leader != fd)
				continue;
			words[0]++;
			words[n++] = member->count;
			words[n++] = (FAKE_FD + at) * 7;
		}
	} else {
		words[n++] = leader->count;
		words[n++] = leader->enabled_ns;
		words[n++] = leader->running_ns;
		words[n++] = (uint64_t)fd * 7;
	}
	if (size < n * sizeof(*words))
		return -ENOSPC;
	memcpy(into, words, n * sizeof(*words));
	return (ssize_t)(n * sizeof(*words) - fake.short_by);
}

static void run_group(int leader, uint64_t ns, bool counted)
{
	vec_each (event, &fake.events) {
		if (!event->open || event->leader != leader || !event->enabled)
			continue;
		event->enabled_ns += ns;
		if (!counted)
			continue;
		event->running_ns += ns;
		event->count += ns * (event->attr.base.config + 1);
	}
}

/* One tick of the scheduler: groups take turns on the counters, a whole group or nothing of it. */
static void run_tick(uint64_t ns)
{
	size_t n = fake.events.len;
	int left = fake.counters;

	for (size_t i = 0; i < n; i++) {
		size_t at = (i + fake.turn) % n;
		struct fake_event *event = &fake.events.data[at];
		int fd = FAKE_FD + (int)at;
		int need;

		if (!event->open || event->leader != fd || !event->enabled || event->error)
			continue;
		need = counters_of_group(fd);
		if (event->attr.base.pinned && need > left)
			event->error = true;
		run_group(fd, ns, need <= left && !event->error);
		if (need <= left)
			left -= need;
	}
	fake.turn++;
}

void fake_run_ms(int ms)
{
	for (; fake.events.len && ms > 0; ms--)
		run_tick(NS_PER_MSEC);
}

void fake_exec(pid_t pid)
{
	vec_each (event, &fake.events)
		if (event->open && event->pid == pid && event->attr.base.enable_on_exec)
			event->enabled = true;
}

const struct perf_sys fake_sys = {
	.open = fake_open,
	.read = fake_read,
	.ioctl = fake_ioctl,
	.close = fake_close,
};
