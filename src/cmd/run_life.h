/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a run, as `stat` and `record` share it: a command that is started or processes that
 * are there, signals, times and words from outside that end it.  What is measured meanwhile is the
 * caller's business, who has one descriptor of its own to wait for.
 */
#ifndef CMD_RUN_LIFE_H
#define CMD_RUN_LIFE_H

#include "record/control.h"
#include "record/target.h"
#include "record/workload.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define RUN_NEVER INT64_MAX

enum run_end {
	RUN_COMMAND_ENDED,
	RUN_TARGET_GONE,
	RUN_TIMEOUT,
	RUN_TICKS_DONE,
	RUN_STOPPED, /* the word "stop" came */
	RUN_SIGNAL,
	RUN_BROKE, /* the recording ended by itself */
};

enum run_fd {
	RUN_FD_SIGNAL,
	RUN_FD_COMMAND,
	RUN_FD_TARGET,
	RUN_FD_CONTROL,
	RUN_FD_OWN,
	RUN_FD_WIRE,
	RUN_FDS
};

struct run_life {
	struct target *target;
	struct workload *workload; /* NULL: no command */
	struct control *control;   /* NULL: none */
	int signal_fd;		   /* -1: none */
	int wire_fd;		   /* of events that something waits for; 0 or -1: none */
	int64_t enable_at, timeout_at, kill_at;

	struct pollfd fds[RUN_FDS];
	bool asked_to_end; /* a signal or timeout came; we wait for the command to follow */
	bool over;
	enum run_end end; /* how it came to an end */
	int signal;	  /* RUN_SIGNAL: the one that ended it */
};

/*
 * SIGINT, SIGTERM and SIGHUP, and `another` if it is not 0, blocked and as a descriptor; *before is
 * the mask until then.
 */
int run_catch_signals(int another, sigset_t *before, struct err *err);

/* Sets the times to RUN_NEVER and what is to be waited for. */
void run_life_begin(struct run_life *life, int own_fd);

/* The command is what is measured, not only the clock. */
bool run_life_is_command(const struct run_life *life);

void run_life_finish(struct run_life *life, enum run_end end);

/*
 * Tells the command to end, with signo if it is not 0.  One that is measured is waited for, so that
 * its end and its exit status are its own; one that is only the clock has no say.
 */
void run_life_end_command(struct run_life *life, int signo, enum run_end why);

/* The earliest of the times. */
int64_t run_life_next(const struct run_life *life);

/* Waits for one of the descriptors, or until `next`; fds[].revents says what happened. */
int run_life_wait(struct run_life *life, int64_t next, struct err *err);

/* What happened to the signals (one that does not end a run is returned), to the command or the
 * target, and whether time is up. */
int run_life_take_signal(struct run_life *life);
void run_life_take_ends(struct run_life *life);
void run_life_take_time(struct run_life *life, int64_t now);

/* A line of "evlist": an event's name; with -F or -v how it is sampled, too. */
void run_list_event(const char *name, const struct perf_event_attr *attr, const char *flags);

#endif
