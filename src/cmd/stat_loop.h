/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of `stat`: opens the counters, starts the command, waits for ticks, words from outside,
 * signals and the end, and reads.  It shows nothing; what is to be shown goes through the hooks.
 */
#ifndef CMD_STAT_LOOP_H
#define CMD_STAT_LOOP_H

#include "cmd/run_life.h"
#include "record/counters.h"
#include "record/freq.h"

/* What happened, as the hooks and the report need it. */
struct loop_state {
	struct counters *counters; /* NULL where nothing is counted */
	struct workload workload;
	bool has_workload;
	int64_t started_ns; /* when counting began, or the command if it never did */
	int64_t reset_ns;   /* when the counts were last set back to zero; 0 if never */
	int64_t ended_ns;   /* 0 while it goes on */
	bool ever_enabled;
	enum run_end end;
	int signal; /* RUN_SIGNAL */
	uint64_t ticks, missed;
	struct freq freq; /* how fast the CPUs ran, of runs that are not too short */
};

struct loop_hooks {
	void *user;
	/* The counters are open and nothing has started yet. */
	int (*opened)(void *user, const struct loop_state *state, struct err *err);
	/* The counters were just read: an interval is over. */
	int (*tick)(void *user, const struct loop_state *state, int64_t now_ns, struct err *err);
	/* Counts were set back to zero. */
	int (*reset)(void *user, struct err *err);
	/* All of them were switched on or off, and the interval until then is over. */
	int (*switched)(void *user, bool on, int64_t now_ns, struct err *err);
	/* Counting was switched on or off, or a word was not understood. */
	void (*said)(void *user, const char *what);
};

struct loop_options {
	const struct event_list *events;
	struct target *target;
	char *const *command; /* NULL for none */
	bool no_inherit, each_cgroup;
	int64_t delay_ns; /* negative: only a word switches them on */
	int64_t timeout_ns, interval_ns;
	int interval_count;
	struct control *control; /* NULL for none */
	int signal_fd;		 /* for the signals that end it; -1 for none */
	const sigset_t *mask;	 /* with which the command starts */
};

/*
 * Returns 0 when the run has ended and the counters hold its result, until loop_close.  On failure
 * state->workload tells whether it was the command that could not be started.
 */
int loop_run(struct loop_state *state, const struct loop_options *options,
	     const struct loop_hooks *hooks, struct err *err);
void loop_close(struct loop_state *state);

#endif
