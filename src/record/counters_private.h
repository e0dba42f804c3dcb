/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a counter session, shared by what opens it (counters_open.c) and what runs it
 * (counters.c).  Nobody else includes this; the door is record/counters.h.
 */
#ifndef RECORD_COUNTERS_PRIVATE_H
#define RECORD_COUNTERS_PRIVATE_H

#include "record/counters.h"
#include "record/fdtable.h"

#define NO_CGROUP (-1)

/* Events that are one group for the kernel: the user's, or ours of software events. */
struct bundle {
	VEC(uint32_t) events;
	bool ours; /* nobody asked for it, so it may be changed at will */
	bool weak;
};

/* One read(2): a kernel group in a slot, or a single event. */
struct group_read {
	int fd;
	bool leads;	       /* is switched; members follow their leader */
	uint32_t first, count; /* in `cells` */
};

struct cell {
	uint64_t id;	/* the kernel's, to tell the values of a group apart */
	uint32_t value; /* index in `now` */
};

struct session_slot {
	struct counter_slot shown;
	int cgroup;    /* index in target->cgroups, or NO_CGROUP */
	uint32_t part; /* whose descriptors it has */
	bool gone;
};

/*
 * Slots whose descriptors are in one table.  The first part's is the process's own; there are more
 * only when that is full (10,000 threads with some events each).  Slots are in order of parts.
 */
struct session_part {
	struct fdtable *table; /* NULL: our own */
	size_t reads_end;      /* its reads end here; they begin where those of the last part end */
};

struct counters {
	const struct perf_sys *sys;
	const struct event_list *list;
	const struct target *target;
	struct counters_options options;

	size_t n_events;
	struct event_attr *attrs; /* as they open here: adapted to permissions and kernel */
	struct counter_status *status;
	int *cgroup_of;	   /* event to index in target->cgroups, or NO_CGROUP */
	size_t *opened_in; /* in how many slots an event is open */
	VEC(struct bundle) bundles;

	struct target_tasks tasks; /* of the slots that follow threads */
	VEC(struct session_slot) slots;
	VEC(struct session_part) parts;
	int *fds; /* slot-major matrix; -1 where there is nothing */

	VEC(struct group_read) reads;
	VEC(struct cell) cells;
	struct counter_value *now, *start; /* matrices as fds; start is NULL before a reset */
	void *buffer;			   /* for one read */
	size_t buffer_size;

	bool group_reads; /* a group is read as one */
	pid_t refused_on; /* the thread that some event was refused on */
	struct counters_census census;
};

static inline size_t cell_index(const struct counters *c, size_t slot, size_t event)
{
	return slot * c->n_events + event;
}

static inline const struct event *event_at(const struct counters *c, size_t event)
{
	return &c->list->events.data[event];
}

static inline bool follows_tasks(const struct counters *c)
{
	return c->target->kind == TARGET_COMMAND || c->target->kind == TARGET_TASKS;
}

/* counters_bundle.c */
void session_make_bundles(struct counters *c);
void session_set_apart(struct counters *c, size_t bundle, uint32_t event);
void session_break_up(struct counters *c, size_t bundle);
void session_free_bundles(struct counters *c);

/* counters_event.c */
void session_choose_reads(struct counters *c);
void session_prepare_attr(struct counters *c, size_t event);
bool session_wants(const struct counters *c, const struct session_slot *slot, size_t event);
size_t session_descriptors(const struct counters *c); /* that all slots need */
/* The descriptor or a negative errno value; attrs and status say what had to be given up. */
int session_open_event(struct counters *c, const struct session_slot *slot, size_t event,
		       int group_fd);
bool session_opens_alone(struct counters *c, const struct session_slot *slot, size_t event);

/* counters_open.c */
/* Opens all slots; on failure what is open is left for session_close_all. */
int session_open_slots(struct counters *c, struct err *err);
/* Closes all events and leaves one part. */
void session_close_all(struct counters *c);

/* counters_slots.c */
/* Makes the slots and opens them, again where threads were started meanwhile. */
int session_open(struct counters *c, struct err *err);

/* counters_read.c */
int session_plan_reads(struct counters *c, struct err *err);

#endif
