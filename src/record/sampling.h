/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events opened for sampling on a target, writing into one ring a CPU.
 *
 * Each CPU's ring belongs to an anchor, an event of our own thread that counts nothing; all others
 * on that CPU are sent there.  So the ring outlives every process that is recorded.
 *
 * What tells of processes and mappings comes from a tracker, an event that counts nothing either
 * and runs from the moment it is open.  In the file it stands as part of the first event.  A single
 * event on a program that we start needs none: it begins with the start and tracks by itself.
 */
#ifndef RECORD_SAMPLING_H
#define RECORD_SAMPLING_H

#include "event/event.h"
#include "event/open.h"
#include "perfdata/counts.h"
#include "perfdata/writer.h"
#include "record/ring.h"
#include "record/sampleattr.h"
#include "record/target.h"

struct err;
struct sampling;

struct sampling_options {
	const struct perf_sys *sys; /* NULL: the kernel */
	struct sampling_choice choice;
	pid_t command; /* TARGET_COMMAND: the program's pid, before its exec */
	/*
	 * A cgroup's folder that holds the program, or the processes of TARGET_TASKS, and nothing
	 * else; NULL: there is none.  Events are then opened on whole CPUs for that group, if they
	 * may be: an inherited one begins its period anew in every process, and those that live for
	 * less than a period are never seen.
	 */
	const char *group;
	/* Without such a group, whole CPUs may be sampled and the program's tasks let through:
	 * tasksieve.h */
	bool by_task;
	uint64_t later_frequency; /* that sampling_slow_down goes on with; 0: it does nothing */
	bool start_disabled;	  /* -D: sampling_enable comes later, not with the exec */
	size_t ring_bytes;	  /* of each ring; 0: RING_BYTES, less where memory is short */
};

#define RING_BYTES (16 << 20)

/* What opening came to that the user may want to know. */
struct sampling_census {
	size_t tasks;	    /* threads that events were opened on */
	size_t vanished;    /* ended meanwhile */
	size_t late;	    /* started meanwhile and caught */
	size_t missed;	    /* started meanwhile and not caught */
	size_t ring_bytes;  /* of each ring, as the kernel gave it */
	uint64_t frequency; /* as lowered to the kernel's limit; 0 where periods are used */
	bool by_group;	    /* a tree of processes is sampled as a cgroup */
	bool by_task;	    /* whole CPUs are, and what other tasks do is left out: tasksieve.h */
	bool user_only;	    /* some event leaves the kernel out, for lack of permission */
	bool kernel_is_old; /* some records or fields are left out, which the kernel doesn't know */
};

/* On failure NULL.  The list and the target must outlive the session. */
struct sampling *sampling_open(const struct event_list *events, struct target *target,
			       const struct sampling_options *options, struct err *err);
void sampling_close(struct sampling *sampling);

/* Whether a cgroup around the program would be of use for any of the events. */
bool sampling_wants_group(const struct event_list *events, const struct sampling_choice *choice);

/* TARGET_COMMAND: the program is let go next; what its exec does not enable is enabled now. */
int sampling_begin(struct sampling *sampling, struct err *err);
int sampling_enable(struct sampling *sampling, struct err *err);
int sampling_disable(struct sampling *sampling, struct err *err);
/* The same for one event of the list alone. */
int sampling_switch_event(struct sampling *sampling, size_t event, bool on, struct err *err);

/*
 * Goes on with the later frequency.  Every sample has the period that it was taken with, so weights
 * stay right.  Only of a single event that has a frequency; otherwise nothing happens.
 */
int sampling_slow_down(struct sampling *sampling, struct err *err);

const struct sampling_census *sampling_census(const struct sampling *sampling);

/* Tracepoints leave out what these threads do; -EINVAL if none of the events is a tracepoint. */
int sampling_exclude(struct sampling *sampling, const pid_t *tids, size_t count, struct err *err);

/* The rings to be drained; those of --overwrite, which are read at a dump only, come last. */
struct ring *sampling_rings(struct sampling *sampling, size_t *count, size_t *forward);
/* Stops the kernel from writing into the backward rings, or lets it go on. */
int sampling_pause(struct sampling *sampling, bool pause, struct err *err);

/* The events as the file names them; sampling owns what it points to. */
const struct perf_writer_attr *sampling_attrs(struct sampling *sampling, size_t *count);
size_t sampling_id_bytes(const struct sampling *sampling); /* at the end of each side record */

/*
 * What the events have counted so far and the CPU time there was, read from the events themselves;
 * *counts starts empty or from a call.  One thread at a time may ask.
 */
void sampling_read_counts(struct sampling *sampling, struct perf_counts *counts);
/* The program has ended: the CPU time of all of it.  Only if all of that was to be sampled. */
void sampling_used(struct sampling *sampling, uint64_t ns);

/* What the kernel counted as lost, by event and CPU; read from the events themselves. */
struct sampling_loss {
	uint32_t event; /* index of sampling_attrs */
	int cpu;
	bool side; /* the tracker's: records of processes and mappings, not samples */
	uint64_t id, lost;
};
struct sampling_losses VEC_OF(struct sampling_loss);

/* False where the kernel does not count (before Linux 6.0). */
bool sampling_read_losses(struct sampling *sampling, struct sampling_losses *losses);

#endif
