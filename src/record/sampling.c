// SPDX-License-Identifier: Apache-2.0
#include "record/sampling.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "event/modifier.h"
#include "record/sampling_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

#define RING_BYTES_LEAST (64 << 10)
#define RING_SHARE	 16 /* of the machine's memory, for all rings together */
#define WATERMARKS	 4  /* wakes us when a ring is filled to one part of so many */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool follows_tasks(const struct target *target)
{
	return target->kind == TARGET_COMMAND || target->kind == TARGET_TASKS;
}

/* An anchor is only there to own the ring: on our own thread, so that no process's end ends it. */
static int open_anchor(struct sampling *s, int cpu, bool backward, size_t ring_bytes,
		       struct err *err)
{
	struct event_attr attr = { .base = {
					   .type = PERF_TYPE_SOFTWARE,
					   .config = PERF_COUNT_SW_DUMMY,
					   .disabled = 1,
					   .exclude_kernel = 1,
					   .exclude_hv = 1,
					   .watermark = 1,
					   .wakeup_watermark = (uint32_t)(ring_bytes / WATERMARKS),
					   .write_backward = backward,
					   .use_clockid = 1,
					   .clockid = s->options.choice.clock,
				   } };
	struct event dummy = { .name = "dummy", .kind = EVENT_SOFTWARE, .attr = attr };
	char why[500];
	int fd;

	if (s->options.choice.no_buffering) {
		attr.base.watermark = 0;
		attr.base.wakeup_events = 1;
	}
	fd = s->sys->open(&attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -fd, "%s", event_why_not(&dummy, -fd, why, sizeof(why)));
	*vec_push(&s->anchors) = fd;
	return fd;
}

static size_t power_of_two_below(size_t value)
{
	size_t power = 1;

	while (power <= value / 2)
		power *= 2;
	return power;
}

/* What was asked for, or as much as a machine with many CPUs and little memory can spare. */
static size_t wanted_ring_bytes(const struct sampling *s)
{
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * page_size();
	size_t spare = memory / RING_SHARE / (s->cpus.len ? s->cpus.len : 1);
	size_t bytes = s->options.ring_bytes ? s->options.ring_bytes : RING_BYTES;

	if (!s->options.ring_bytes && bytes > spare)
		bytes = spare;
	if (bytes < page_size())
		bytes = page_size();
	return power_of_two_below(bytes);
}

static int map_ring(struct sampling *s, int cpu, bool backward, size_t bytes, struct err *err)
{
	int fd = open_anchor(s, cpu, backward, bytes, err);
	struct ring ring;
	int rc;

	if (fd < 0)
		return fd;
	rc = ring_map(&ring, s->sys, fd, cpu, bytes / page_size(), backward);
	if (!rc)
		*vec_push(&s->rings) = ring;
	return rc;
}

static void unmap_rings(struct sampling *s)
{
	vec_each (ring, &s->rings)
		ring_unmap(ring, s->sys);
	s->rings.len = 0;
	vec_each (fd, &s->anchors)
		s->sys->close(*fd);
	s->anchors.len = 0;
}

static int map_rings_of(struct sampling *s, size_t bytes, struct err *err)
{
	bool backward = s->options.choice.overwrite;
	int rc = 0;

	for (size_t i = 0; i < s->cpus.len && !rc; i++)
		rc = map_ring(s, s->cpus.data[i], false, bytes, err);
	s->forward = s->rings.len;
	for (size_t i = 0; i < s->cpus.len && !rc && backward; i++)
		rc = map_ring(s, s->cpus.data[i], true, bytes, err);
	return rc;
}

/* Without CAP_IPC_LOCK perf_event_mlock_kb limits the rings: halve them until they fit. */
static int map_rings(struct sampling *s, struct err *err)
{
	size_t bytes = wanted_ring_bytes(s);
	int rc;

	while ((rc = map_rings_of(s, bytes, err)) == -EPERM || rc == -ENOMEM) {
		if (err->code || s->options.ring_bytes || bytes <= RING_BYTES_LEAST)
			break;
		unmap_rings(s);
		bytes /= 2;
	}
	s->census.ring_bytes = bytes;
	if (rc && !err->code)
		return err_set(err, -rc,
			       "a ring of %zu KB for each of %zu CPUs is more than may be locked "
			       "(%s); give a smaller -m, or raise kernel.perf_event_mlock_kb",
			       bytes / 1024, s->cpus.len, strerror(-rc));
	return rc;
}

/* perf's -G: the n-th cgroup is the n-th event's; a single one is for all. */
static int cgroup_for(const struct target *target, size_t event)
{
	size_t cgroup = target->cgroups.len == 1 ? 0 : event;

	if (cgroup >= target->cgroups.len || target->cgroups.data[cgroup].fd < 0)
		return NO_CGROUP;
	return (int)cgroup;
}

static bool is_clock(const struct event *event)
{
	return event->attr.base.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.base.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.base.config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Whether an event is the same for a group of processes on whole CPUs as inherited from process to
 * process.  Some software events and tracepoints tell of one task while another one runs, and the
 * CPU's stack of calls is kept for a task only.
 */
static bool suits_group(const struct event *event, const struct sampling_choice *choice)
{
	/* -s: the kernel writes a thread's counts where its inherited event ends */
	if (choice->no_inherit || choice->inherit_stat || event->sampling.inherit == CHOICE_NO ||
	    choice->stacks == STACK_LBR || event->sampling.call_graph ||
	    choice->branches & PERF_SAMPLE_BRANCH_CALL_STACK)
		return false;
	switch (event->kind) {
	case EVENT_HARDWARE:
	case EVENT_CACHE:
	case EVENT_MODEL:
	case EVENT_VENDOR:
	case EVENT_RAW: return true;
	case EVENT_PMU:
		return !event->pmu ||
		       (strcmp(event->pmu, "uprobe") && strcmp(event->pmu, "kprobe"));
	case EVENT_SOFTWARE: return is_clock(event);
	default: return false;
	}
}

/* A group of events is opened in one place, so all of them must suit it. */
static bool group_suits(const struct event_list *list, const struct sampling_choice *choice,
			uint32_t leader)
{
	vec_each (event, &list->events)
		if (event->leader == leader && !suits_group(event, choice))
			return false;
	return true;
}

bool sampling_wants_group(const struct event_list *list, const struct sampling_choice *choice)
{
	vec_each (event, &list->events)
		if (group_suits(list, choice, event->leader))
			return true;
	return false;
}

static bool opens_whole_cpus(struct sampling *s, pid_t pid, unsigned long flags)
{
	struct event_attr dummy = {
		.base = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .disabled = 1 }
	};
	int fd = s->sys->open(&dummy, pid, s->cpus.data[0], -1, PERF_FLAG_FD_CLOEXEC | flags);

	if (fd >= 0)
		s->sys->close(fd);
	return fd >= 0;
}

/* Of all tasks on the CPUs only the program's are let through; so its CPU time is counted apart. */
static void open_whole(struct sampling *s)
{
	struct event_attr clock = { .base = { .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_TASK_CLOCK,
					      .disabled = 1,
					      .enable_on_exec = !s->options.start_disabled,
					      .inherit = 1 } };

	if (s->target->kind != TARGET_COMMAND || s->options.choice.overwrite ||
	    !sampling_wants_group(s->list, &s->options.choice) || !opens_whole_cpus(s, -1, 0))
		return;
	s->whole = true;
	s->clock_fd = s->sys->open(&clock, s->options.command, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Being allowed to make a group says little: whole CPUs are what may be refused. */
static void open_group(struct sampling *s)
{
	int fd = s->options.group ? open(s->options.group, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0 && opens_whole_cpus(s, fd, PERF_FLAG_PID_CGROUP)) {
		s->group_fd = fd;
		return;
	}
	if (fd >= 0)
		close(fd);
	if (s->options.by_task)
		open_whole(s);
}

bool sampling_can_slow_down(const struct sampling *s)
{
	return s->options.later_frequency && s->list->events.len == 1 &&
	       s->events.data[0].attr.base.freq;
}

static bool any_in_group(const struct sampling *s)
{
	vec_each (e, &s->events)
		if (e->event && e->cgroup < NO_CGROUP)
			return true;
	return false;
}

static bool all_in_group(const struct sampling *s)
{
	vec_each (e, &s->events)
		if (e->event && e->cgroup >= NO_CGROUP)
			return false;
	return true;
}

static void make_events(struct sampling *s)
{
	struct sampling_choice *choice = &s->options.choice;
	bool several = s->list->events.len > 1;
	bool begins_with_exec = s->target->kind == TARGET_COMMAND && !s->options.start_disabled;

	if (!choice->stack_size_given)
		choice->stack_size = sampling_stack_size(choice->frequency, s->census.ring_bytes);
	for (size_t i = 0; i < s->list->events.len; i++) {
		const struct event *event = &s->list->events.data[i];
		struct sampled_event *e = vec_push(&s->events);

		*e = (struct sampled_event){ .event = event,
					     .name = event->name,
					     .leader = event->leader,
					     .cgroup = cgroup_for(s->target, i) };
		if ((s->group_fd >= 0 || s->whole) && group_suits(s->list, choice, event->leader))
			e->cgroup = s->whole ? WHOLE_CPUS : OWN_GROUP;
		sampling_attr(&e->attr, s->list, i, choice, s->by_cpu);
		if (several)
			e->attr.base.sample_type |= PERF_SAMPLE_IDENTIFIER;
	}
	s->has_tracker = s->whole || several || !begins_with_exec || choice->overwrite ||
			 sampling_can_slow_down(s);
	if (s->has_tracker) {
		struct sampled_event *e = vec_push(&s->events);

		*e = (struct sampled_event){ .name = "dummy",
					     .leader = (uint32_t)s->events.len - 1,
					     .cgroup = all_in_group(s) && !s->whole ? OWN_GROUP
										    : NO_CGROUP };
		sampling_attr_tracker(&e->attr, &s->events.data[0].attr, choice);
		e->attr.base.inherit = !choice->no_inherit;
	} else {
		sampling_attr_track(&s->events.data[0].attr, choice);
	}
}

static int open_whole_machine(struct sampling *s, struct err *err)
{
	struct sampled_place machine = { .pid = -1, .cgroup = NO_CGROUP };
	int rc = sampling_settle(s, &machine, err);

	for (int i = 0; i < (int)s->target->cgroups.len && !rc; i++)
		if (s->target->cgroups.data[i].fd >= 0)
			rc = sampling_open_place(
				s, &(struct sampled_place){ .pid = -1, .cgroup = i }, err);
	return rc ? rc : sampling_open_place(s, &machine, err);
}

static int open_own_group(struct sampling *s, struct err *err)
{
	struct sampled_place place = { .pid = -1, .cgroup = s->whole ? WHOLE_CPUS : OWN_GROUP };
	int rc;

	if (!any_in_group(s))
		return 0;
	s->census.by_group = !s->whole;
	s->census.by_task = s->whole;
	rc = sampling_settle(s, &place, err);
	return rc ? rc : sampling_open_place(s, &place, err);
}

static int open_tasks(struct sampling *s, struct err *err)
{
	int rc = open_own_group(s, err);

	if (rc || !all_in_group(s))
		return rc ? rc : sampling_attach(s, err);
	s->census.tasks = s->target->tasks.len;
	return 0;
}

static int open_command(struct sampling *s, struct err *err)
{
	struct sampled_place place = { .pid = s->options.command, .cgroup = NO_CGROUP };
	int rc = open_own_group(s, err);

	if (rc || (all_in_group(s) && !s->whole))
		return rc;
	rc = sampling_settle(s, &place, err);
	if (!rc)
		rc = sampling_open_place(s, &place, err);
	if (rc == -ESRCH && !err->code)
		err_set(err, ESRCH, "the program ended before its start");
	return rc;
}

static int open_all(struct sampling *s, struct err *err)
{
	int rc = follows_tasks(s->target) ? cpuset_online(&s->cpus, err) : 0;

	if (!follows_tasks(s->target))
		vec_each (cpu, &s->target->cpus)
			*vec_push(&s->cpus) = *cpu;
	if (!rc)
		rc = map_rings(s, err);
	if (rc)
		return rc;
	if (follows_tasks(s->target))
		open_group(s);
	make_events(s);
	switch (s->target->kind) {
	case TARGET_COMMAND: return open_command(s, err);
	case TARGET_TASKS: return open_tasks(s, err);
	default: return open_whole_machine(s, err);
	}
}

static bool is_event(const struct sampling *s, const struct sampled_fd *fd)
{
	return s->events.data[fd->event].event != NULL; /* not the tracker */
}

/* The tracker's ids are the first event's in the file, and so are the bits that it has. */
static void make_file_attrs(struct sampling *s)
{
	vec_each (fd, &s->fds) {
		bool tracker = !is_event(s, fd);

		*vec_push(&s->events.data[tracker ? 0 : fd->event].ids) = fd->id;
	}
	for (size_t i = 0; i < s->events.len - s->has_tracker; i++) {
		struct sampled_event *e = &s->events.data[i];
		struct perf_writer_attr *attr = vec_push(&s->file_attrs);

		e->name_in_file = modifiers_name(e->name, &e->attr.base);

		*attr = (struct perf_writer_attr){ .attr = e->attr,
						   .name = e->name_in_file,
						   .ids = e->ids.data,
						   .ids_count = e->ids.len,
						   .leader = e->leader };
		if (i == 0 && s->has_tracker)
			sampling_attr_track(&attr->attr, &s->options.choice);
	}
}

struct sampling *sampling_open(const struct event_list *events, struct target *target,
			       const struct sampling_options *options, struct err *err)
{
	struct sampling *s = mem_alloc(sizeof(*s));

	s->options = *options;
	s->sys = options->sys ? options->sys : &perf_sys_kernel;
	s->list = events;
	s->target = target;
	s->by_cpu = !follows_tasks(target);
	s->census.frequency = options->choice.frequency;
	s->group_fd = s->clock_fd = -1;
	pthread_mutex_init(&s->idle_lock, NULL);
	if (open_all(s, err)) {
		sampling_close(s);
		return NULL;
	}
	make_file_attrs(s);
	return s;
}

void sampling_close(struct sampling *s)
{
	if (!s)
		return;
	vec_each (fd, &s->fds)
		s->sys->close(fd->fd);
	unmap_rings(s);
	vec_each (e, &s->events) {
		vec_free(&e->ids);
		free(e->name_in_file);
	}
	vec_free(&s->events);
	vec_free(&s->fds);
	vec_free(&s->rings);
	vec_free(&s->anchors);
	vec_free(&s->file_attrs);
	cpuset_free(&s->cpus);
	if (s->group_fd >= 0)
		close(s->group_fd);
	if (s->clock_fd >= 0)
		s->sys->close(s->clock_fd);
	pthread_mutex_destroy(&s->idle_lock);
	free(s);
}

static int switch_fd(struct sampling *s, const struct sampled_fd *fd, bool on, struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	int rc = s->sys->ioctl(fd->fd, request, 0);

	return rc ? err_set(err, -rc, "%s: %s", s->events.data[fd->event].name, strerror(-rc)) : 0;
}

static int switch_all(struct sampling *s, bool on, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->fds.len && !rc; i++) {
		const struct sampled_fd *fd = &s->fds.data[i];

		if (fd->later == s->slowed && (fd->switched || (s->apart && is_event(s, fd))))
			rc = switch_fd(s, fd, on, err);
	}
	if (s->clock_fd >= 0)
		s->sys->ioctl(s->clock_fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	return rc;
}

int sampling_slow_down(struct sampling *s, struct err *err)
{
	int rc;

	if (!sampling_can_slow_down(s) || s->slowed)
		return 0;
	rc = switch_all(s, false, err);
	s->slowed = true;
	return rc ? rc : switch_all(s, true, err);
}

int sampling_switch_event(struct sampling *s, size_t event, bool on, struct err *err)
{
	int rc = 0;

	s->apart = true;
	for (size_t i = 0; i < s->fds.len && !rc; i++)
		if (s->fds.data[i].event == event)
			rc = switch_fd(s, &s->fds.data[i], on, err);
	return rc;
}

/* Of the CPUs that are sampled, as /proc/stat has it: idle or waiting for a disk. */
static bool read_idle(const struct sampling *s, uint64_t *ns)
{
	char *text = file_read("/proc/stat", NULL, NULL);
	uint64_t ticks = 0, idle, waiting;
	size_t found = 0;
	int cpu;

	for (char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "cpu%d %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &waiting) !=
			    3 ||
		    !cpuset_has(&s->cpus, cpu))
			continue;
		ticks += idle + waiting;
		found++;
	}
	free(text);
	*ns = ticks * (NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return found == s->cpus.len;
}

/* Called with every switch of all events; before they are enabled, and after they were disabled. */
static void switch_idle(struct sampling *s, bool on)
{
	uint64_t now;

	if (s->target->kind != TARGET_CPUS || s->idle_runs == on || !read_idle(s, &now))
		return;
	pthread_mutex_lock(&s->idle_lock);
	if (on)
		s->idle_from_ns = now;
	else
		s->idle_ns += now - s->idle_from_ns;
	s->idle_runs = on;
	pthread_mutex_unlock(&s->idle_lock);
}

static bool idle_so_far(struct sampling *s, uint64_t *ns)
{
	uint64_t now = 0;
	bool known = s->target->kind == TARGET_CPUS && !s->apart && read_idle(s, &now);

	pthread_mutex_lock(&s->idle_lock);
	*ns = s->idle_ns + (s->idle_runs && now > s->idle_from_ns ? now - s->idle_from_ns : 0);
	pthread_mutex_unlock(&s->idle_lock);
	return known;
}

int sampling_begin(struct sampling *s, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->fds.len && !rc && !s->options.start_disabled; i++) {
		const struct sampled_fd *fd = &s->fds.data[i];

		if (fd->switched && !fd->later && s->events.data[fd->event].cgroup < NO_CGROUP)
			rc = switch_fd(s, fd, true, err);
	}
	return rc;
}

int sampling_enable(struct sampling *s, struct err *err)
{
	switch_idle(s, true);
	return switch_all(s, true, err);
}

int sampling_disable(struct sampling *s, struct err *err)
{
	int rc = switch_all(s, false, err);

	switch_idle(s, false);
	return rc;
}

const struct sampling_census *sampling_census(const struct sampling *s)
{
	return &s->census;
}

struct ring *sampling_rings(struct sampling *s, size_t *count, size_t *forward)
{
	*count = s->rings.len;
	*forward = s->forward;
	return s->rings.data;
}

int sampling_pause(struct sampling *s, bool pause, struct err *err)
{
	for (size_t i = s->forward; i < s->rings.len; i++) {
		int rc = s->sys->ioctl(s->rings.data[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause);

		if (rc)
			return err_set(err, -rc, "pausing the rings: %s", strerror(-rc));
	}
	return 0;
}

const struct perf_writer_attr *sampling_attrs(struct sampling *s, size_t *count)
{
	*count = s->file_attrs.len;
	return s->file_attrs.data;
}

size_t sampling_id_bytes(const struct sampling *s)
{
	return sampling_id_size(&s->events.data[0].attr);
}

struct reading {
	uint64_t count, lost;
};

/* read(2) gives: value, [enabled, running,] id, lost; or for a group nr, [..] and triples. */
static struct reading read_fd(struct sampling *s, const struct sampled_fd *fd)
{
	const struct perf_event_attr *attr = &s->events.data[fd->event].attr.base;
	size_t times = attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 2 : 0;
	bool group = attr->read_format & PERF_FORMAT_GROUP;
	uint64_t values[3 + 3 * 64];
	ssize_t got = s->sys->read(fd->fd, values, sizeof(values));
	size_t at = group ? 1 + times : 0;
	size_t id_at = at + 1 + (group ? 0 : times);
	size_t step = s->dropped[PART_LOST] ? 2 : 3;
	struct reading none = { 0 };

	if (got < 0)
		return none;
	for (; (id_at + step - 1) * sizeof(uint64_t) <= (size_t)got; id_at += step)
		if (values[id_at] == fd->id)
			return (struct reading){ values[id_at - 1 - (group ? 0 : times)],
						 step == 3 ? values[id_at + 1] : 0 };
	return none;
}

void sampling_used(struct sampling *s, uint64_t ns)
{
	__atomic_store_n(&s->used_ns, ns, __ATOMIC_RELEASE);
}

/*
 * What events of whole CPUs count is not the program's, but its clock is.  An inherited clock
 * misses the end of each process, from where the kernel takes its events away (0.1 ms each); what
 * the kernel accounts to the program, known once it has ended, has that too.
 */
static void read_clock(struct sampling *s, struct perf_counts *counts)
{
	uint64_t ns = 0, used = __atomic_load_n(&s->used_ns, __ATOMIC_ACQUIRE);

	if (s->clock_fd < 0 || s->sys->read(s->clock_fd, &ns, sizeof(ns)) != sizeof(ns))
		return;
	ns = used > ns ? used : ns;
	for (size_t i = 0; i < counts->events.len; i++)
		if (s->events.data[i].cgroup == WHOLE_CPUS && is_clock(s->events.data[i].event))
			counts->events.data[i] = ns;
}

/*
 * No event counts while the kernel switches from one task to another, but the program is charged
 * with that: of one that waits very often it is a tenth of its CPU time and more.
 */
static uint64_t cpu_time(const struct sampling *s, uint64_t counted)
{
	uint64_t used = __atomic_load_n(&s->used_ns, __ATOMIC_ACQUIRE);
	bool whole = s->target->kind == TARGET_COMMAND && !s->options.choice.no_inherit;

	return whole && used > counted ? used : counted;
}

void sampling_read_counts(struct sampling *s, struct perf_counts *counts)
{
	counts->flags = counts->cpu_ns = 0;
	counts->events.len = 0;
	for (size_t i = 0; i < s->events.len - s->has_tracker; i++)
		*vec_push(&counts->events) = 0;
	vec_each (fd, &s->fds)
		if (is_event(s, fd) && s->events.data[fd->event].cgroup != WHOLE_CPUS)
			counts->events.data[fd->event] += read_fd(s, fd).count;
	read_clock(s, counts);
	/* A clock's count is the time that it ran, whatever modes it leaves out of its samples. */
	for (size_t i = counts->events.len; i-- > 0;)
		if (is_clock(s->events.data[i].event) && s->target->cgroups.len <= 1) {
			counts->flags |= COUNTS_CPU;
			counts->cpu_ns = cpu_time(s, counts->events.data[i]);
		}
	if (idle_so_far(s, &counts->idle_ns) && counts->flags & COUNTS_CPU)
		counts->flags |= COUNTS_IDLE;
	if (follows_tasks(s->target) && !s->options.choice.no_inherit && !all_in_group(s))
		counts->flags |= COUNTS_INHERITED;
}

bool sampling_read_losses(struct sampling *s, struct sampling_losses *losses)
{
	if (s->dropped[PART_LOST])
		return false;
	vec_each (fd, &s->fds) {
		uint64_t lost = read_fd(s, fd).lost;
		bool tracker = !is_event(s, fd);

		if (lost)
			*vec_push(losses) = (struct sampling_loss){
				.event = tracker ? 0 : fd->event,
				.cpu = fd->cpu,
				.side = tracker,
				.id = fd->id,
				.lost = lost,
			};
	}
	return true;
}

int sampling_exclude(struct sampling *s, const pid_t *tids, size_t count, struct err *err)
{
	bool any = false;
	int rc = 0;

	vec_each (fd, &s->fds) {
		const struct sampled_event *e = &s->events.data[fd->event];
		struct buf filter = { 0 };

		if (rc || !e->event || e->attr.base.type != PERF_TYPE_TRACEPOINT)
			continue;
		any = true;
		if (e->event->filter)
			buf_printf(&filter, "(%s) && ", e->event->filter);
		for (size_t i = 0; i < count; i++)
			buf_printf(&filter, "%scommon_pid != %d", i ? " && " : "", (int)tids[i]);
		rc = s->sys->ioctl(fd->fd, PERF_EVENT_IOC_SET_FILTER,
				   (unsigned long)buf_text(&filter));
		if (rc)
			err_set(err, -rc, "%s: the kernel does not take the filter '%s': %s",
				e->name, buf_text(&filter), strerror(-rc));
		buf_free(&filter);
	}
	if (!any)
		return err_set(err, EINVAL, "--exclude-perf needs a tracepoint, as in -e sched:*");
	return rc;
}
