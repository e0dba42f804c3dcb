// SPDX-License-Identifier: Apache-2.0
#include "record/counters.h"
#include "base/err.h"
#include "record/counters_private.h"

#include <errno.h>

/* perf's -G: the n-th cgroup is the n-th event's, a single one is everybody's. */
static int cgroup_of(const struct counters *c, size_t event)
{
	size_t leader = c->list->events.data[event].leader;
	size_t at = c->target->cgroups.len == 1 ? 0 : leader;

	if (at >= c->target->cgroups.len || c->target->cgroups.data[at].fd < 0)
		return NO_CGROUP;
	for (size_t i = 0; i < at; i++) /* named twice: one slot serves both */
		if (!strcmp(c->target->cgroups.data[i].name, c->target->cgroups.data[at].name))
			return (int)i;
	return (int)at;
}

static struct counters *session_new(const struct event_list *events, const struct target *target,
				    const struct counters_options *options)
{
	struct counters *c = mem_alloc(sizeof(*c));

	c->options = *options;
	c->sys = options->sys ? options->sys : &perf_sys_kernel;
	c->list = events;
	c->target = target;
	c->n_events = events->events.len;
	session_choose_reads(c);
	c->attrs = mem_alloc((c->n_events + 1) * sizeof(*c->attrs));
	c->status = mem_alloc((c->n_events + 1) * sizeof(*c->status));
	c->cgroup_of = mem_alloc((c->n_events + 1) * sizeof(*c->cgroup_of));
	c->opened_in = mem_alloc((c->n_events + 1) * sizeof(*c->opened_in));
	for (size_t i = 0; i < c->n_events; i++) {
		session_prepare_attr(c, i);
		c->cgroup_of[i] = cgroup_of(c, i);
	}
	session_make_bundles(c);
	return c;
}

/* Whether it is the process that is refused to us, not the event. */
static bool opens_on_ourselves(const struct counters *c, size_t event)
{
	struct event_attr attr = c->attrs[event];
	int fd;

	attr.base.disabled = 1;
	if (!c->list->events.data[event].explicit_modes)
		attr.base.exclude_kernel = attr.base.exclude_hv = 1;
	fd = c->sys->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		c->sys->close(fd);
	return fd >= 0;
}

static int fail_refused(const struct counters *c, size_t event, struct err *err)
{
	struct event refused = c->list->events.data[event];
	char why[500];

	if (c->target->kind == TARGET_TASKS && !event_is_void(&refused) &&
	    opens_on_ourselves(c, event))
		return target_refused(c->target, c->refused_on, "measure", c->status[event].error,
				      err);
	refused.cpu_wide_only |= !follows_tasks(c); /* then :u would not do */
	return err_set(err, c->status[event].error, "%s: %s", refused.name,
		       event_why_not(&refused, c->status[event].error, why, sizeof(why)));
}

/* Fails if not one event may be counted, and for at least one the reason is permission. */
static int check_permission(const struct counters *c, struct err *err)
{
	size_t refused = SIZE_MAX;

	for (size_t i = 0; i < c->n_events; i++) {
		if (c->status[i].state == COUNTER_OPEN)
			return 0;
		if (c->status[i].state == COUNTER_REFUSED && refused == SIZE_MAX)
			refused = i;
	}
	return refused == SIZE_MAX ? 0 : fail_refused(c, refused, err);
}

struct counters *counters_open(const struct event_list *events, const struct target *target,
			       const struct counters_options *options, struct err *err)
{
	struct counters *c = session_new(events, target, options);
	size_t cells;

	if (session_open(c, err) || check_permission(c, err)) {
		counters_close(c);
		return NULL;
	}
	cells = c->slots.len * c->n_events;
	c->now = mem_alloc((cells + 1) * sizeof(*c->now));
	if (session_plan_reads(c, err)) {
		counters_close(c);
		return NULL;
	}
	return c;
}

void counters_close(struct counters *c)
{
	if (!c)
		return;
	session_close_all(c);
	session_free_bundles(c);
	vec_free(&c->parts);
	vec_free(&c->tasks);
	vec_free(&c->slots);
	vec_free(&c->reads);
	vec_free(&c->cells);
	free(c->attrs);
	free(c->status);
	free(c->cgroup_of);
	free(c->opened_in);
	free(c->fds);
	free(c->now);
	free(c->start);
	free(c->buffer);
	free(c);
}

size_t counters_slots(const struct counters *c)
{
	return c->slots.len;
}

const struct counter_slot *counters_slot(const struct counters *c, size_t slot)
{
	return &c->slots.data[slot].shown;
}

const struct counter_status *counters_status(const struct counters *c, size_t event)
{
	return &c->status[event];
}

struct counters_census counters_census(const struct counters *c)
{
	return c->census;
}

const struct counter_value *counters_value(const struct counters *c, size_t slot, size_t event)
{
	return &c->now[cell_index(c, slot, event)];
}

struct counter_value counter_value_since(const struct counter_value *a,
					 const struct counter_value *b)
{
	return (struct counter_value){
		.count = a->count - b->count,
		.enabled_ns = a->enabled_ns - b->enabled_ns,
		.running_ns = a->running_ns - b->running_ns,
		.present = a->present,
	};
}

void counter_value_add(struct counter_value *sum, const struct counter_value *value)
{
	sum->count += value->count;
	sum->enabled_ns += value->enabled_ns;
	sum->running_ns += value->running_ns;
	sum->present |= value->present;
}

int counter_value_scaled(const struct counter_value *value, uint64_t *scaled, double *share)
{
	if (!value->running_ns || !value->enabled_ns) {
		*scaled = 0;
		*share = 0;
		return -ENODATA;
	}
	*scaled = value->count;
	*share = 1;
	if (value->running_ns < value->enabled_ns) {
		*scaled = (uint64_t)((double)value->count * (double)value->enabled_ns /
				     (double)value->running_ns);
		*share = (double)value->running_ns / (double)value->enabled_ns;
	}
	return 0;
}
