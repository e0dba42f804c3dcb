// SPDX-License-Identifier: Apache-2.0
/*
 * Opening a session's events in all its slots.
 *
 * An event is the same everywhere: whatever has to be given up for it in one slot (the kernel's
 * part, precision, its place in a group, the event itself) is given up in all, so that sums over
 * slots are of one kind.  When that is found out late, everything is opened anew.
 */
#include "base/err.h"
#include "record/counters_private.h"
#include "record/fdlimit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What opening one event came to, when it is not the whole session's failure. */
enum { OPENED, SKIPPED, CHANGED };

static int fail_on_descriptors(const struct counters *c, struct err *err)
{
	char places[64] = "";

	if (c->target->kind != TARGET_COMMAND)
		snprintf(places, sizeof(places), " on %zu %s", c->slots.len,
			 follows_tasks(c) ? "threads" : "CPUs");
	return err_set(err, EMFILE,
		       "the events%s need %zu descriptors, but only %zu may be open; count fewer "
		       "events or raise `ulimit -n`",
		       places, session_descriptors(c), fdlimit_now());
}

/* A failure that is not this event's alone. */
static int fail_session(struct counters *c, const struct session_slot *slot, size_t index, int code,
			struct err *err)
{
	const char *name = event_at(c, index)->name;

	switch (code) {
	case EMFILE: return fail_on_descriptors(c, err);
	case ENFILE:
		return err_set(err, code,
			       "the system has no descriptors left; raise the sysctl fs.file-max");
	case ESRCH: return err_set(err, code, "process %d has ended", (int)slot->shown.tid);
	case ENOMEM:
		return err_set(err, code, "%s: the kernel has no memory for more events", name);
	default: return err_set(err, code, "%s: %s", name, strerror(code));
	}
}

static bool ends_session(int code)
{
	return code == EMFILE || code == ENFILE || code == ESRCH || code == ENOMEM;
}

static int set_filter(struct counters *c, size_t index, int fd, struct err *err)
{
	const struct event *event = event_at(c, index);
	int rc;

	if (!event->filter)
		return 0;
	rc = c->sys->ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)event->filter);
	if (!rc)
		return 0;
	return err_set(err, -rc,
		       "%s: the kernel does not take the filter '%s': %s; `perfolio list %s` shows "
		       "the fields",
		       event->name, event->filter, strerror(-rc), event->name);
}

/* An event that can't be had: gone from all slots. */
static int give_up(struct counters *c, const struct session_slot *slot, size_t index, int code)
{
	struct counter_status *status = &c->status[index];

	status->state = COUNTER_UNSUPPORTED;
	status->error = code;
	if (code == EACCES || code == EPERM) {
		status->state = COUNTER_REFUSED;
		status->user_only = false;
		c->refused_on = slot->shown.tid;
	}
	return c->opened_in[index] ? CHANGED : SKIPPED;
}

/* A member that its group has no room for. */
static int refuse_member(struct counters *c, const struct session_slot *slot, size_t bundle,
			 uint32_t index, int code)
{
	if (!session_opens_alone(c, slot, index))
		return give_up(c, slot, index, code);
	if (c->bundles.data[bundle].ours) {
		session_set_apart(c, bundle, index);
		return CHANGED;
	}
	if (c->bundles.data[bundle].weak) {
		session_break_up(c, bundle);
		return CHANGED;
	}
	c->status[index].group_full = true;
	return give_up(c, slot, index, code);
}

static int open_event(struct counters *c, size_t slot, size_t bundle, uint32_t index, int *leader,
		      struct err *err)
{
	struct session_slot *place = &c->slots.data[slot];
	struct event_attr before = c->attrs[index];
	int fd = session_open_event(c, place, index, *leader);
	bool first, adapted;
	int rc;

	if (fd < 0 && ends_session(-fd))
		return fail_session(c, place, index, -fd, err);
	if (fd == -EINVAL && *leader >= 0)
		return refuse_member(c, place, bundle, index, EINVAL);
	if (fd < 0)
		return give_up(c, place, index, -fd);

	c->fds[cell_index(c, slot, index)] = fd;
	first = c->opened_in[index]++ == 0;
	rc = set_filter(c, index, fd, err);
	if (rc)
		return rc;
	if (*leader < 0)
		*leader = fd;
	adapted = memcmp(&before, &c->attrs[index], sizeof(before)) != 0;
	return adapted && !first ? CHANGED : OPENED;
}

static void close_slot(struct counters *c, size_t slot)
{
	for (size_t i = 0; i < c->n_events; i++) {
		int *fd = &c->fds[cell_index(c, slot, i)];

		if (*fd < 0)
			continue;
		c->sys->close(*fd);
		c->opened_in[i]--;
		*fd = -1;
	}
}

struct closing {
	struct counters *c;
	uint32_t part;
};

static void close_part(void *argument)
{
	struct closing *closing = argument;
	struct counters *c = closing->c;

	for (size_t slot = 0; c->fds && slot < c->slots.len; slot++)
		if (c->slots.data[slot].part == closing->part)
			close_slot(c, slot);
}

void session_close_all(struct counters *c)
{
	for (uint32_t part = 0; part < c->parts.len; part++) {
		struct closing closing = { .c = c, .part = part };

		fdtable_run(c->parts.data[part].table, close_part, &closing);
		fdtable_free(c->parts.data[part].table);
	}
	c->parts.len = 0;
	vec_push(&c->parts);
	vec_each (slot, &c->slots)
		slot->part = 0;
}

/* OPENED, CHANGED, or negative. */
static int open_slot(struct counters *c, size_t slot, struct err *err)
{
	for (size_t bundle = 0; bundle < c->bundles.len; bundle++) {
		int leader = -1;

		for (size_t i = 0; i < c->bundles.data[bundle].events.len; i++) {
			uint32_t index = c->bundles.data[bundle].events.data[i];
			int rc;

			if (!session_wants(c, &c->slots.data[slot], index))
				continue;
			rc = open_event(c, slot, bundle, index, &leader, err);
			if (rc < 0 || rc == CHANGED)
				return rc;
		}
	}
	return OPENED;
}

/* Its events must be those of a task that may be measured: record/owner.h. */
static int open_owned(struct counters *c, size_t slot, struct err *err)
{
	pid_t tid = c->slots.data[slot].shown.tid;
	int held = owner_hold(&c->target->owner, tid), rc = open_slot(c, slot, err);

	if (rc == OPENED)
		rc = owner_check(&c->target->owner, held, tid, err);
	if (held >= 0)
		close(held);
	return rc;
}

struct opening {
	struct counters *c;
	uint32_t part;
	size_t next; /* the slot to go on with */
	int rc;	     /* why it stopped: 0 at the end of the slots */
	struct err why;
};

/* Opens slots in this thread's table until something comes in between. */
static void open_part(void *argument)
{
	struct opening *opening = argument;
	struct counters *c = opening->c;

	for (; opening->next < c->slots.len; opening->next++) {
		size_t slot = opening->next;

		c->slots.data[slot].part = opening->part;
		opening->rc = open_owned(c, slot, &opening->why);
		if (opening->rc == -ESRCH && c->target->kind == TARGET_TASKS) {
			c->slots.data[slot].gone = true;
			opening->rc = 0;
			close_slot(c, slot);
		} else if (opening->rc) {
			if (opening->rc == -EMFILE)
				close_slot(c, slot); /* the next part begins with a whole slot */
			return;
		}
	}
}

static bool add_part(struct counters *c)
{
	struct fdtable *table = fdtable_new(NULL);

	if (table)
		vec_push(&c->parts)->table = table;
	return table != NULL;
}

/* One attempt at all slots. */
static int open_slots_once(struct counters *c, struct err *err)
{
	struct opening opening = { .c = c };
	size_t before, left = 0;

	do {
		before = opening.next;
		opening.part = (uint32_t)c->parts.len - 1;
		fdtable_run(vec_last(&c->parts)->table, open_part, &opening);
	} while (opening.rc == -EMFILE && opening.next > before && add_part(c));
	if (opening.rc < 0)
		return err_set(err, -opening.rc, "%s", opening.why.text);
	if (opening.rc)
		return opening.rc;
	vec_each (slot, &c->slots)
		left += !slot->gone;
	return left ? 0 : err_set(err, ESRCH, "all of the processes to be measured have ended");
}

int session_open_slots(struct counters *c, struct err *err)
{
	int rc;

	/* Ends: every change takes something away from an event. */
	do {
		session_close_all(c);
		vec_each (slot, &c->slots)
			slot->gone = false;
		rc = open_slots_once(c, err);
	} while (rc == CHANGED);
	return rc;
}
