// SPDX-License-Identifier: Apache-2.0
/* Switching and reading what is open. */
#include "base/cursor.h"
#include "base/err.h"
#include "record/counters_private.h"

#include <errno.h>
#include <sys/ioctl.h>

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
	unsigned long request; /* of switch_part and switch_event */
	size_t event;	       /* of switch_event */
	int rc;
	struct err *err;
};

static int in_each_part(struct work *work, void (*function)(void *))
{
	for (; work->part < work->c->parts.len && !work->rc; work->part++)
		fdtable_run(work->c->parts.data[work->part].table, function, work);
	return work->rc;
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

int session_plan_reads(struct counters *c, struct err *err)
{
	struct work work = { .c = c, .err = err };
	size_t most = 1;
	int rc = in_each_part(&work, plan_part);

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
	struct work work = { .c = c, .request = PERF_EVENT_IOC_ENABLE };
	int rc = in_each_part(&work, switch_part);

	return rc ? err_set(err, -rc, "starting the counters: %s", strerror(-rc)) : 0;
}

int counters_disable(struct counters *c, struct err *err)
{
	struct work work = { .c = c, .request = PERF_EVENT_IOC_DISABLE };
	int rc = in_each_part(&work, switch_part);

	return rc ? err_set(err, -rc, "stopping the counters: %s", strerror(-rc)) : 0;
}

static void switch_event(void *argument)
{
	struct work *work = argument;
	struct counters *c = work->c;

	for (size_t slot = 0; slot < c->slots.len && !work->rc; slot++) {
		int fd = c->fds[cell_index(c, slot, work->event)];

		if (fd >= 0 && c->slots.data[slot].part == work->part)
			work->rc = c->sys->ioctl(fd, work->request, 0);
	}
}

int counters_switch_event(struct counters *c, size_t event, bool on, struct err *err)
{
	struct work work = { .c = c,
			     .request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			     .event = event };
	int rc = in_each_part(&work, switch_event);

	return rc ? err_set(err, -rc, "switching %s: %s", event_at(c, event)->name, strerror(-rc))
		  : 0;
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
	struct work work = { .c = c, .err = err };

	return in_each_part(&work, read_part);
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
