/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter session: events opened on a target, started, stopped and read as often as one likes.
 *
 * It prints nothing and waits for nothing; stat and the server's live streams drive it.  What is
 * read is a matrix: one row a slot (a CPU, a thread, a cgroup on a CPU, or the one program), one
 * column an event.
 *
 * Events that the user put into a group are opened as a group and are counted at the same time or
 * not at all.  Software events outside groups ride together in one kernel group per slot: they can
 * always be scheduled, and one read(2) then brings them all, unless children inherit them or they
 * are to be switched one by one.
 */
#ifndef RECORD_COUNTERS_H
#define RECORD_COUNTERS_H

#include "event/event.h"
#include "event/open.h"
#include "record/target.h"

struct counters;

struct counters_options {
	const struct perf_sys *sys; /* NULL: the kernel */
	pid_t command;		    /* TARGET_COMMAND: the program's pid */
	bool no_inherit;	    /* children and new threads are not counted */
	bool enable_on_exec;	    /* TARGET_COMMAND: counting begins with the exec */
	bool each_cgroup; /* every event for every cgroup; otherwise the n-th cgroup is the n-th
			     event's and later events count the whole machine, but a single one
			     is for all (perf's -G).  A group follows its leader */
	bool separate;	  /* no group but the user's, so that each event can be switched alone */
};

/* One place where each event is counted. */
struct counter_slot {
	int cpu;	    /* -1 where it follows a thread */
	pid_t tid;	    /* -1 where it stays on a CPU */
	const char *comm;   /* of the thread, or NULL */
	const char *cgroup; /* or NULL */
};

struct counter_value {
	uint64_t count;	     /* as the kernel counted, not scaled */
	uint64_t enabled_ns; /* how long it wanted to count, over all threads and CPUs */
	uint64_t running_ns; /* how long it did */
	bool present;	     /* it is open in this slot: false where its PMU has no such CPU */
};

enum counter_state {
	COUNTER_OPEN,
	COUNTER_UNSUPPORTED, /* the kernel or CPU has no such event here; error says which errno */
	COUNTER_REFUSED,     /* not permitted, or the event is void (event_is_void) */
};

struct counter_status {
	enum counter_state state;
	int error;	 /* a positive errno value when not open */
	bool user_only;	 /* counts without the kernel's part, for lack of permission */
	bool ungrouped;	 /* a weak group (:W) that had to be taken apart */
	bool group_full; /* it opens alone, but its group has more than the PMU can count at once */
};

/* What happened to the threads while they were being opened. */
struct counters_census {
	size_t vanished; /* named but not there, or ended between look-up and open */
	size_t unsure;	 /* started meanwhile, again and again: perhaps not counted */
};

/*
 * Opens what can be opened, disabled.  An event that the machine does not have is not an error: its
 * status says so, even if that is true of all.  It fails when permission is missing for all, when
 * the target is gone, or on a limit (descriptors are raised to the hard limit first).
 *
 * EVENT_TOOL events are in no slot: their values come from the caller's clock and rusage.  The
 * list and the target are borrowed until counters_close.
 */
struct counters *counters_open(const struct event_list *events, const struct target *target,
			       const struct counters_options *options, struct err *err);
void counters_close(struct counters *counters);

int counters_enable(struct counters *counters, struct err *err);
int counters_disable(struct counters *counters, struct err *err);
/* The same for one event; the others of its group count only while their leader does. */
int counters_switch_event(struct counters *counters, size_t event, bool on, struct err *err);
/* From here on counts and times begin at zero. */
int counters_reset(struct counters *counters, struct err *err);

/* Reads every counter into the matrix.  Allocates nothing; fit for every millisecond. */
int counters_read(struct counters *counters, struct err *err);

size_t counters_slots(const struct counters *counters);
const struct counter_slot *counters_slot(const struct counters *counters, size_t slot);
const struct counter_status *counters_status(const struct counters *counters, size_t event);
struct counters_census counters_census(const struct counters *counters);

/* What the last counters_read saw. */
const struct counter_value *counters_value(const struct counters *counters, size_t slot,
					   size_t event);

/* a - b, field by field: what was counted between two reads. */
struct counter_value counter_value_since(const struct counter_value *a,
					 const struct counter_value *b);
void counter_value_add(struct counter_value *sum, const struct counter_value *value);

/* The count scaled up to the whole time it wanted to run; *share is running / enabled (1 when not
 * multiplexed).  -ENODATA when it never ran: then there is no count that would be true. */
int counter_value_scaled(const struct counter_value *value, uint64_t *scaled, double *share);

#endif
