// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/file.h"
#include "record/fdlimit.h"
#include "record/sampling_inside.h"

#include <errno.h>
#include <sys/ioctl.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* Takes a part out of an attr; false if it was not in. */
static bool drop_part(struct perf_event_attr *attr, enum kernel_part part)
{
	struct perf_event_attr before = *attr;

	switch (part) {
	case PART_LOST: attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST; break;
	case PART_BUILD_ID: attr->build_id = 0; break;
	case PART_WEIGHTS:
		if (attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
			attr->sample_type ^= PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
		break;
	case PART_CGROUP:
		attr->cgroup = 0;
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
		break;
	case PART_BPF: attr->bpf_event = attr->ksymbol = 0; break;
	case PART_NAMESPACES: attr->namespaces = 0; break;
	case PART_GUEST: attr->exclude_guest = attr->exclude_host = 0; break;
	case PARTS: break;
	}
	return memcmp(&before, attr, sizeof(before)) != 0;
}

/* One for each event (the tracker is among them), thread and CPU, and those of the rings. */
static size_t descriptors_needed(const struct sampling *s)
{
	size_t places = s->target->kind == TARGET_TASKS ? s->target->tasks.len : 1;

	return places * s->cpus.len * s->events.len + s->anchors.len;
}

static int open_fd(struct sampling *s, const struct event_attr *attr,
		   const struct sampled_place *place, int cpu, int group_fd)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	pid_t pid = place->pid;
	int fd;

	if (place->cgroup == OWN_GROUP) {
		pid = s->group_fd;
		flags |= PERF_FLAG_PID_CGROUP;
	} else if (place->cgroup >= 0) {
		pid = s->target->cgroups.data[place->cgroup].fd;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	do
		fd = s->sys->open(attr, pid, cpu, group_fd, flags);
	while (fd == -EINTR || (fd == -EMFILE && fdlimit_raise(descriptors_needed(s))));
	return fd;
}

/* 0 if the attr opens, else why not. */
static int try_attr(struct sampling *s, const struct event_attr *attr,
		    const struct sampled_place *place, int cpu)
{
	struct event_attr copy = *attr;
	int fd;

	copy.base.disabled = 1;
	copy.base.enable_on_exec = 0;
	fd = open_fd(s, &copy, place, cpu, -1);
	if (fd < 0)
		return fd;
	s->sys->close(fd);
	return 0;
}

static int try_user_only(struct sampling *s, struct sampled_event *e,
			 const struct sampled_place *place, int cpu)
{
	struct event_attr attr = e->attr;
	int rc;

	/* Without either part there would be no sample, and nobody would know why. */
	if (!e->event || e->event->explicit_modes || attr.base.exclude_kernel ||
	    attr.base.exclude_user || event_is_kernels(e->event))
		return -EACCES;
	attr.base.exclude_kernel = attr.base.exclude_hv = 1;
	rc = try_attr(s, &attr, place, cpu);
	if (!rc) {
		e->attr = attr;
		s->census.user_only = true;
	}
	return rc;
}

/* Who may not see all of the machine may not see its namespaces either. */
static int try_without_namespaces(struct sampling *s, struct sampled_event *e,
				  const struct sampled_place *place, int cpu, int why)
{
	if (!drop_part(&e->attr.base, PART_NAMESPACES))
		return why;
	s->dropped[PART_NAMESPACES] = true;
	return try_attr(s, &e->attr, place, cpu);
}

static int try_less_precise(struct sampling *s, struct sampled_event *e,
			    const struct sampled_place *place, int cpu, int why)
{
	struct event_attr attr = e->attr;

	while (why && e->event && e->event->precise_max && attr.base.precise_ip) {
		attr.base.precise_ip--;
		if (!try_attr(s, &attr, place, cpu)) {
			e->attr = attr;
			return 0;
		}
	}
	return why;
}

/* The kernel may have lowered its limit since we read it: interrupts took it too long. */
static int try_lower_rate(struct sampling *s, struct sampled_event *e,
			  const struct sampled_place *place, int cpu, int why)
{
	struct event_attr attr = e->attr;
	int64_t most;

	if (!attr.base.freq || file_number(&most, "/proc/sys/kernel/perf_event_max_sample_rate") ||
	    most <= 0 || attr.base.sample_freq <= (uint64_t)most)
		return why;
	attr.base.sample_freq = (uint64_t)most;
	if (try_attr(s, &attr, place, cpu))
		return why;
	e->attr = attr;
	s->census.frequency = (uint64_t)most;
	return 0;
}

/*
 * Takes out what an older kernel does not know, the youngest first, until the event opens.  What
 * was found missing once is taken out of all events.
 */
static int try_older_kernel(struct sampling *s, struct sampled_event *e,
			    const struct sampled_place *place, int cpu, int why)
{
	struct event_attr attr = e->attr;
	bool dropped[PARTS];

	memcpy(dropped, s->dropped, sizeof(dropped));
	for (int part = 0; part < PARTS; part++) {
		if (part == PART_GUEST && e->event && e->event->explicit_machine)
			continue;
		if (!drop_part(&attr.base, (enum kernel_part)part))
			continue;
		dropped[part] = true;
		if (try_attr(s, &attr, place, cpu))
			continue;
		e->attr = attr;
		dropped[PART_GUEST] = false; /* that is the PMU's matter, not the kernel's */
		memcpy(s->dropped, dropped, sizeof(dropped));
		s->census.kernel_is_old |= part < PART_GUEST;
		return 0;
	}
	return why;
}

/* Whether the event would open without branches. */
static bool no_branches(struct sampling *s, const struct sampled_event *e,
			const struct sampled_place *place, int cpu)
{
	struct event_attr attr = e->attr;

	attr.base.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	attr.base.branch_sample_type = 0;
	return !try_attr(s, &attr, place, cpu);
}

/* Whether it is the process that is refused to us, not the event. */
static bool opens_on_ourselves(struct sampling *s, const struct sampled_event *e)
{
	struct event event = *e->event;

	if (!event.explicit_modes && !event_is_kernels(&event))
		event.attr.base.exclude_kernel = event.attr.base.exclude_hv = 1;
	return !event_probe(s->sys, &event);
}

static int refused_error(struct sampling *s, const struct sampled_event *e,
			 const struct sampled_place *place, int code, struct err *err)
{
	struct event refused = *e->event;
	char why[500];

	if ((code == EACCES || code == EPERM) && s->target->kind == TARGET_TASKS &&
	    place->cgroup == NO_CGROUP && opens_on_ourselves(s, e))
		return target_refused(s->target, place->pid, "record", code, err);
	refused.cpu_wide_only |= s->by_cpu;			    /* then :u would not do */
	refused.attr.base.exclude_user = e->attr.base.exclude_user; /* --all-kernel: nor then */
	refused.attr.base.exclude_kernel = e->attr.base.exclude_kernel;
	return err_set(err, code, "%s: %s", e->name,
		       event_why_not(&refused, code, why, sizeof(why)));
}

static int settle_event(struct sampling *s, struct sampled_event *e,
			const struct sampled_place *place, int cpu, struct err *err)
{
	int rc;

	for (int part = 0; part < PARTS; part++)
		if (s->dropped[part])
			drop_part(&e->attr.base, (enum kernel_part)part);
	rc = try_attr(s, &e->attr, place, cpu);
	if (rc == -EACCES || rc == -EPERM)
		rc = try_without_namespaces(s, e, place, cpu, rc);
	if (rc == -EACCES || rc == -EPERM)
		rc = try_user_only(s, e, place, cpu);
	if (rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENOENT)
		rc = try_less_precise(s, e, place, cpu, rc);
	if (rc == -EINVAL)
		rc = try_lower_rate(s, e, place, cpu, rc);
	if (rc == -EINVAL || rc == -EOPNOTSUPP)
		rc = try_older_kernel(s, e, place, cpu, rc);
	if (!rc || rc == -ESRCH)
		return rc;
	if (rc == -EMFILE || !e->event)
		return err_set(err, -rc, "%s: %s", e->name, strerror(-rc));
	if (e->attr.base.sample_type & PERF_SAMPLE_BRANCH_STACK && no_branches(s, e, place, cpu))
		return err_set(err, -rc,
			       "%s: the last branches can't be recorded with it (%s); only events "
			       "of a CPU that keeps them (Intel LBR, AMD BRS, Arm BRBE) have them",
			       e->name, strerror(-rc));
	return refused_error(s, e, place, -rc, err);
}

/* Where an event may be opened first: its PMU may not be on every CPU. */
static int first_cpu(const struct sampling *s, const struct sampled_event *e)
{
	vec_each (cpu, &s->cpus)
		if (!e->event || !e->event->cpus.len || cpuset_has(&e->event->cpus, *cpu))
			return *cpu;
	return -1;
}

/* A group opens as a whole or, if it is weak, falls apart into single events. */
static int settle_group(struct sampling *s, uint32_t leader, const struct sampled_place *place,
			struct err *err)
{
	int cpu = first_cpu(s, &s->events.data[leader]), rc = 0;
	VEC(int) fds = { 0 };

	for (uint32_t i = leader; i < s->events.len && rc >= 0; i++) {
		struct event_attr attr = s->events.data[i].attr;

		if (s->events.data[i].leader != leader)
			break;
		attr.base.disabled = i == leader;
		rc = open_fd(s, &attr, place, cpu, fds.len ? fds.data[0] : -1);
		if (rc >= 0)
			*vec_push(&fds) = rc;
	}
	vec_each (fd, &fds)
		s->sys->close(*fd);
	vec_free(&fds);
	if (rc >= 0 || rc == -ESRCH)
		return rc < 0 ? rc : 0;
	if (!s->events.data[leader].event->weak)
		return err_set(err, -rc, "%s and its group can't be sampled together: %s",
			       s->events.data[leader].name, strerror(-rc));
	for (uint32_t i = leader; i < s->events.len; i++)
		if (s->events.data[i].leader == leader)
			s->events.data[i].leader = i;
	return 0;
}

/* Those of cgroups that were asked for are tried on the whole machine. */
static bool settles_at(const struct sampled_event *e, const struct sampled_place *place)
{
	return (e->cgroup < NO_CGROUP) == (place->cgroup < NO_CGROUP);
}

static int settle_events(struct sampling *s, const struct sampled_place *place, struct err *err)
{
	vec_each (e, &s->events) {
		int cpu = first_cpu(s, e), rc;

		if (!settles_at(e, place))
			continue;
		if (cpu < 0)
			return err_set(err, ENODEV,
				       "%s can't be measured on any of the CPUs that were chosen",
				       e->name);
		rc = settle_event(s, e, place, cpu, err);
		if (rc)
			return rc;
	}
	return 0;
}

int sampling_settle(struct sampling *s, const struct sampled_place *place, struct err *err)
{
	int rc = settle_events(s, place, err);

	for (uint32_t i = 1; i < s->events.len && !rc; i++)
		if (s->events.data[i].leader == i - 1 && settles_at(&s->events.data[i], place))
			rc = settle_group(s, i - 1, place, err);
	return rc;
}

static const struct ring *ring_for(const struct sampling *s, const struct sampled_event *e, int cpu)
{
	vec_each (ring, &s->rings)
		if (ring->cpu == cpu && ring->backward == e->attr.base.write_backward)
			return ring;
	return NULL;
}

static int set_up(struct sampling *s, const struct sampled_event *e, int fd, int cpu, uint64_t *id,
		  struct err *err)
{
	const char *filter = e->event ? e->event->filter : NULL;
	int rc;

	rc = s->sys->ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)ring_for(s, e, cpu)->fd);
	if (rc)
		return err_set(err, -rc, "%s: its ring is not taken: %s", e->name, strerror(-rc));
	if (filter) {
		rc = s->sys->ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
		if (rc)
			return err_set(err, -rc, "%s: the kernel does not take the filter '%s': %s",
				       e->name, filter, strerror(-rc));
	}
	rc = s->sys->ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)id);
	return rc ? err_set(err, -rc, "%s: no id: %s", e->name, strerror(-rc)) : 0;
}

static int open_error(struct sampling *s, const struct sampled_event *e, int code, struct err *err)
{
	char why[500];

	if (code == EMFILE)
		return err_set(err, code,
			       "%zu threads, %zu events and %zu CPUs need %zu descriptors, but "
			       "only %zu may be open; raise `ulimit -n`, or record all with -a",
			       s->target->tasks.len, s->list->events.len, s->cpus.len,
			       descriptors_needed(s), fdlimit_now());
	if (code == ENFILE)
		return err_set(err, code,
			       "the system has no descriptors left; raise the sysctl fs.file-max");
	if (code == ENOMEM || !e->event)
		return err_set(err, code, "%s: %s", e->name, strerror(code));
	return err_set(err, code, "%s: %s", e->name,
		       event_why_not(e->event, code, why, sizeof(why)));
}

static bool wanted(const struct sampled_event *e, const struct sampled_place *place, int cpu)
{
	if (e->event && e->cgroup != place->cgroup)
		return false;
	return !e->event || !e->event->cpus.len || cpuset_has(&e->event->cpus, cpu);
}

static int open_one(struct sampling *s, uint32_t index, const struct sampled_place *place, int cpu,
		    int group_fd, bool later, struct err *err)
{
	struct sampled_event *e = &s->events.data[index];
	struct event_attr attr = e->attr;
	bool tracker = !e->event;
	struct sampled_fd *opened;
	uint64_t id = 0;
	int fd, rc;

	if (!tracker && group_fd < 0) {
		bool with_exec = s->target->kind == TARGET_COMMAND && !s->options.start_disabled &&
				 e->cgroup >= NO_CGROUP;

		attr.base.disabled = 1;
		attr.base.enable_on_exec = with_exec && !later;
	}
	if (later)
		attr.base.sample_freq = s->options.later_frequency;
	fd = open_fd(s, &attr, place, cpu, group_fd);
	if (fd < 0)
		return fd == -ESRCH ? fd : open_error(s, e, -fd, err);
	rc = set_up(s, e, fd, cpu, &id, err);
	if (rc) {
		s->sys->close(fd);
		return rc;
	}
	opened = vec_push(&s->fds);
	*opened = (struct sampled_fd){ .fd = fd,
				       .event = index,
				       .cpu = cpu,
				       .id = id,
				       .switched = !tracker && group_fd < 0,
				       .later = later };
	return fd;
}

static int open_event(struct sampling *s, uint32_t index, const struct sampled_place *place,
		      int cpu, int group_fd, struct err *err)
{
	int fd = open_one(s, index, place, cpu, group_fd, false, err);

	if (fd >= 0 && s->events.data[index].event && sampling_can_slow_down(s)) {
		int rc = open_one(s, index, place, cpu, group_fd, true, err);

		return rc < 0 ? rc : fd;
	}
	return fd;
}

/* All events but the tracker on one CPU; leaders come before their members. */
static int open_on_cpu(struct sampling *s, const struct sampled_place *place, int cpu,
		       struct err *err)
{
	int leader_fd = -1;

	for (uint32_t i = 0; i < s->events.len - s->has_tracker; i++) {
		const struct sampled_event *e = &s->events.data[i];
		bool leads = e->leader == i;
		int fd;

		if (leads)
			leader_fd = -1;
		if (!wanted(e, place, cpu))
			continue;
		fd = open_event(s, i, place, cpu, leads ? -1 : leader_fd, err);
		if (fd < 0)
			return fd;
		if (leads)
			leader_fd = fd;
	}
	return 0;
}

void sampling_close_from(struct sampling *s, size_t first)
{
	for (size_t i = first; i < s->fds.len; i++)
		s->sys->close(s->fds.data[i].fd);
	s->fds.len = first;
}

/*
 * The tracker comes last: a child that its FORK record tells of was then started after all other
 * events were open, and has inherited them all.
 */
int sampling_open_place(struct sampling *s, const struct sampled_place *place, struct err *err)
{
	size_t first = s->fds.len;
	uint32_t tracker = (uint32_t)s->events.len - 1;
	bool tracked;
	int rc = 0;

	for (size_t i = 0; i < s->cpus.len && !rc; i++)
		rc = open_on_cpu(s, place, s->cpus.data[i], err);
	/* Processes move between cgroups: there the tracker is opened for the whole machine. */
	tracked = s->has_tracker && s->events.data[tracker].cgroup == place->cgroup;
	for (size_t i = 0; tracked && i < s->cpus.len && rc >= 0; i++)
		rc = open_event(s, tracker, place, s->cpus.data[i], -1, err);
	if (rc < 0)
		sampling_close_from(s, first);
	return rc < 0 ? rc : 0;
}
