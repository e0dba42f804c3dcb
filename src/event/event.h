/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be measured: a list of events, as the grammar (event/parse.h) makes it and as counter
 * sessions and recordings open it.
 *
 * Plain data.  Texts and the list's arrays live in the list's arena; a session changes nothing here
 * and adds its own bits (read_format, inherit, sampling) to a copy of `attr`.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "base/arena.h"
#include "base/cpuset.h"
#include "base/vec.h"
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/*
 * perf_event_attr with the fields that Debian 12's header does not have yet.  event_open passes the
 * longer form only where one of them is set, so that older kernels are served too.
 */
struct event_attr {
	struct perf_event_attr base; /* base.size is filled in by event_open */
	uint64_t config3;	     /* since Linux 6.3 */
};

enum event_kind {
	EVENT_HARDWARE,	  /* cycles */
	EVENT_CACHE,	  /* L1-dcache-load-misses */
	EVENT_SOFTWARE,	  /* faults */
	EVENT_PMU,	  /* an event or terms of a PMU in sysfs: msr/tsc/ */
	EVENT_MODEL,	  /* named by libpfm for this CPU model */
	EVENT_VENDOR,	  /* named by an imported vendor table */
	EVENT_TRACEPOINT, /* sched:sched_switch, dynamic probes too */
	EVENT_PROBE,	  /* a tracepoint that somebody's probe made: probe_libc:malloc */
	EVENT_BREAKPOINT, /* mem:0x1000/8:rw */
	EVENT_RAW,	  /* r1a8 */
	EVENT_TOOL, /* duration_time, user_time, system_time: the session measures it itself */
};

/* Which clock an EVENT_TOOL is. */
enum event_tool { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME };

/* What an event's terms ask of a recording; a counter session looks at `inherit` only. */
enum event_choice { CHOICE_OPEN, CHOICE_YES, CHOICE_NO };

struct event_sampling {
	const char *call_graph; /* call-graph=: "fp", "dwarf", "lbr", "no" ...; NULL if not given */
	const char *branch_type; /* branch_type=, as given; NULL if not */
	uint64_t stack_size;	 /* bytes of a dwarf stack copy; 0 if not given, as all below */
	uint64_t max_stack;
	uint64_t max_events;	  /* nr=: stop after so many */
	uint64_t aux_sample_size; /* aux-sample-size= */
	enum event_choice time, inherit, overwrite;
	bool percore, aux_output;
};

/* In which order and how events are opened together: `leader` of an event outside a group is its
 * own index; the members of a group follow their leader. */
struct event {
	const char *name; /* as it is printed: "cycles:u", or what name= says */
	enum event_kind kind;
	enum event_tool tool;
	struct event_attr attr;
	uint32_t leader;
	uint32_t same_as; /* index of the first event of those that one name stands for (several
			     uncore PMUs); stat adds them up.  Its own index otherwise */

	bool several; /* one of several events, on different PMUs, that one name stands for */

	const char *pmu;    /* name in sysfs, NULL for the generic ones */
	struct cpuset cpus; /* where this PMU may be opened (its cpumask); empty: anywhere */
	bool cpu_wide_only; /* has a cpumask: cannot be opened for a task */
	const char *unit;   /* of count * scale: "msec", "Joules"; "" if it is a plain count */
	double scale;	    /* 1.0 for plain counts; 1e-6 for the clocks, which count ns */
	const char *filter; /* tracepoint filter, or NULL */

	bool explicit_modes;   /* u, k, h, G or H was given: no silent fallback to user-only */
	bool explicit_machine; /* of these, G or H */
	bool precise_max;      /* :P, the highest precise_ip that opens */
	bool weak;	       /* :W, falls apart into single events if the group can't be opened */
	bool sample_read;      /* :S on its group */
	bool use_bpf;	       /* :b */
	bool own_period;       /* period= or freq= given; attr holds it */
	bool snapshot;	       /* reads give the value now, not a sum since the start */
	struct event_sampling sampling;
};

struct event_list {
	struct arena arena;
	VEC(struct event) events;
	size_t last_parsed; /* index of the first event that the last event_list_parse added */
};

static inline bool event_is_leader(const struct event_list *list, size_t index)
{
	return list->events.data[index].leader == index;
}

/* Appends one event with its defaults: a leader of its own, a plain count. */
struct event *event_list_add(struct event_list *list, enum event_kind kind, uint32_t type,
			     uint64_t config);

/* Whether it happens in the kernel only: without the kernel's part it is never counted. */
bool event_is_kernels(const struct event *event);
/* The same of what a recording tells of an event; of a tracepoint its name must do. */
bool attr_is_kernels(const struct perf_event_attr *attr, const char *name);

/* Whether the modifiers, --all-user or the like leave out all that it could count. */
bool event_is_void(const struct event *event);
/* Why there is nothing of it, and what to do. */
extern const char event_void_reason[];

/* cpu-clock and task-clock: when counted, they run on in every mode, whatever is left out. */
bool event_is_clock(const struct event *event);

/* Takes the events from index `length` on away again. */
void event_list_truncate(struct event_list *list, size_t length);

/*
 * Gives a filter to the events of the last event_list_parse, which have to be tracepoints.  A
 * second filter is joined to the first with &&.  Both as perf does.
 */
int event_list_set_filter(struct event_list *list, const char *filter, struct err *err);

void event_list_free(struct event_list *list);

#endif
