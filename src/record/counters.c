// SPDX-License-Identifier: Apache-2.0
#include "record/counters.h"
#include "base/cursor.h"
#include "base/err.h"
#include "record/counters_private.h"

#include <errno.h>
#include <sys/ioctl.h>

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

/* A descriptor as part of the read that `reads` ends with. */
static int add_cell(struct counters *c, size_t value, int fd, struct err *err)
{
	struct cell *cell = vec_push(&c->cells);
	int rc = c->sys->ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)&cell->id);

	cell->value = (uint32_t)value;
	c->now[value].present = true;
	vec_last(&c->reads)->count++;
	return rc ? err_set(err, -rc, "asking for an event's id: %s", strerror(-rc)) : 0;
}

static int plan_slot(struct counters *c, size_t slot, struct err *err)
{
	vec_each (bundle, &c->bundles) {
		bool first = true;

		vec_each (event, &bundle->events) {
			size_t value = cell_index(c, slot, *event);
			int rc;

			if (c->fds[value] < 0)
				continue;
			if (first || !c->group_reads)
				*vec_push(&c->reads) = (struct group_read){
					.fd = c->fds[value],
					.first = (uint32_t)c->cells.len,
					.leads = first,
				};
			first = false;
			rc = add_cell(c, value, c->fds[value], err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

/* Something that is done in each part, by the thread that has its descriptors. */
struct work {
	struct counters *c;
	uint32_t part;
	unsigned long request; /* of switch_part */
	int rc;
	struct err *err;
};

static int in_each_part(struct counters *c, void (*function)(void *), unsigned long request,
			struct err *err)
{
	struct work work = { .c = c, .request = request, .err = err };

	for (; work.part < c->parts.len && !work.rc; work.part++)
		fdtable_run(c->parts.data[work.part].table, function, &work);
	return work.rc;
}

static void plan_part(void *argument)
{
	struct work *work = argument;
	struct counters *c = work->c;

	for (size_t slot = 0; slot < c->slots.len && !work->rc; slot++)
		if (c->slots.data[slot].part == work->part)
			work->rc = plan_slot(c, slot, work->err);
	c->parts.data[work->part].reads_end = c->reads.len;
}

static int plan_reads(struct counters *c, struct err *err)
{
	size_t most = 1;
	int rc = in_each_part(c, plan_part, 0, err);

	vec_each (read, &c->reads)
		if (read->count > most)
			most = read->count;
	/* nr, enabled, running, then value and id each; a single read has three and one id. */
	c->buffer_size = (3 + 2 * most) * sizeof(uint64_t);
	c->buffer = mem_alloc(c->buffer_size);
	return rc;
}

static size_t reads_begin(const struct counters *c, uint32_t part)
{
	return part ? c->parts.data[part - 1].reads_end : 0;
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
	const struct event *refused = &c->list->events.data[event];
	char why[400];

	if (c->target->kind == TARGET_TASKS && opens_on_ourselves(c, event))
		return err_set(
		    err, c->status[event].error,
		    "thread %d belongs to another user or changed its rights; measure it "
		    "as root or with CAP_PERFMON",
		    (int)c->refused_on);
	return err_set(err, c->status[event].error, "%s: %s", refused->name,
		       event_why_not(refused, c->status[event].error, why, sizeof(why)));
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
	if (plan_reads(c, err)) {
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

static void switch_part(void *argument)
{
	struct work *work = argument;
	struct counters *c = work->c;
	size_t end = c->parts.data[work->part].reads_end;

	for (size_t i = reads_begin(c, work->part); i < end && !work->rc; i++)
		if (c->reads.data[i].leads)
			work->rc = c->sys->ioctl(c->reads.data[i].fd, work->request, 0);
}

int counters_enable(struct counters *c, struct err *err)
{
	int rc = in_each_part(c, switch_part, PERF_EVENT_IOC_ENABLE, err);

	return rc ? err_set(err, -rc, "starting the counters: %s", strerror(-rc)) : 0;
}

int counters_disable(struct counters *c, struct err *err)
{
	int rc = in_each_part(c, switch_part, PERF_EVENT_IOC_DISABLE, err);

	return rc ? err_set(err, -rc, "stopping the counters: %s", strerror(-rc)) : 0;
}

static struct cell *find_cell(struct counters *c, const struct group_read *read, uint32_t at,
			      uint64_t id)
{
	struct cell *cells = &c->cells.data[read->first];

	/* The kernel lists members in the order in which they were opened; the id proves it. */
	if (at < read->count && cells[at].id == id)
		return &cells[at];
	for (uint32_t i = 0; i < read->count; i++)
		if (cells[i].id == id)
			return &cells[i];
	return NULL;
}

static void store(struct counters *c, const struct group_read *read, uint32_t at,
		  const struct counter_value *value, uint64_t id)
{
	struct cell *cell = find_cell(c, read, at, id);

	if (!cell)
		return;
	c->now[cell->value] = *value;
	if (c->start)
		c->now[cell->value] = counter_value_since(value, &c->start[cell->value]);
}

static bool parse_group(struct counters *c, const struct group_read *read, struct cursor bytes)
{
	struct counter_value value = { .present = true };
	uint64_t nr = cursor_u64(&bytes);

	value.enabled_ns = cursor_u64(&bytes);
	value.running_ns = cursor_u64(&bytes);
	for (uint32_t at = 0; at < nr && !bytes.broken; at++) {
		uint64_t id;

		value.count = cursor_u64(&bytes);
		id = cursor_u64(&bytes);
		if (!bytes.broken)
			store(c, read, at, &value, id);
	}
	return !bytes.broken;
}

static bool parse_single(struct counters *c, const struct group_read *read, struct cursor bytes)
{
	struct counter_value value = { .present = true };
	uint64_t id;

	value.count = cursor_u64(&bytes);
	value.enabled_ns = cursor_u64(&bytes);
	value.running_ns = cursor_u64(&bytes);
	id = cursor_u64(&bytes);
	if (!bytes.broken)
		store(c, read, 0, &value, id);
	return !bytes.broken;
}

/* A pinned group that found no counter reads as end of file: it was never counted. */
static void store_nothing(struct counters *c, const struct group_read *read)
{
	for (uint32_t i = 0; i < read->count; i++)
		c->now[c->cells.data[read->first + i].value] =
		    (struct counter_value){ .present = true };
}

static int read_group(struct counters *c, const struct group_read *read, struct err *err)
{
	struct cursor bytes;
	ssize_t got;

	do
		got = c->sys->read(read->fd, c->buffer, c->buffer_size);
	while (got == -EINTR);
	if (got < 0)
		return err_set(err, (int)-got, "reading counters: %s", strerror((int)-got));
	if (got == 0) {
		store_nothing(c, read);
		return 0;
	}
	bytes = cursor_of(c->buffer, (size_t)got);
	if (c->group_reads ? parse_group(c, read, bytes) : parse_single(c, read, bytes))
		return 0;
	return err_set(err, EIO, "reading counters: the kernel gave %zd bytes only", got);
}

static void read_part(void *argument)
{
	struct work *work = argument;
	struct counters *c = work->c;
	size_t end = c->parts.data[work->part].reads_end;

	for (size_t i = reads_begin(c, work->part); i < end && !work->rc; i++)
		work->rc = read_group(c, &c->reads.data[i], work->err);
}

int counters_read(struct counters *c, struct err *err)
{
	return in_each_part(c, read_part, 0, err);
}

/*
 * PERF_EVENT_IOC_RESET would leave the times, and the counts of children that have ended, as they
 * are.  Subtracting what was read at the reset is exact for all of them.
 */
int counters_reset(struct counters *c, struct err *err)
{
	size_t cells = c->slots.len * c->n_events;
	int rc;

	free(c->start);
	c->start = NULL;
	rc = counters_read(c, err);
	if (rc)
		return rc;
	c->start = mem_alloc((cells + 1) * sizeof(*c->start));
	memcpy(c->start, c->now, cells * sizeof(*c->start));
	for (size_t i = 0; i < cells; i++)
		c->now[i] = (struct counter_value){ .present = c->now[i].present };
	return 0;
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
