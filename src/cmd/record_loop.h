/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of `record`: starts the command, waits for words from outside, signals, times and the
 * end, and tells the recording what to do.
 */
#ifndef CMD_RECORD_LOOP_H
#define CMD_RECORD_LOOP_H

#include "cmd/record_options.h"
#include "record/control.h"
#include "record/recording.h"
#include "record/workload.h"

#include <signal.h>

enum record_end {
	RECORD_COMMAND_ENDED,
	RECORD_TARGET_GONE,
	RECORD_TIMEOUT,
	RECORD_STOPPED, /* the word "stop" came */
	RECORD_SIGNAL,
	RECORD_BROKE, /* the recording ended by itself */
};

struct record_loop {
	const struct record_options *options;
	struct recording *recording;
	struct target *target;
	struct workload *workload; /* NULL: no command */
	struct control *control;   /* NULL: none */
	int signal_fd;

	enum record_end end; /* how it came to an end */
	int signal;	     /* RECORD_SIGNAL */
};

/* SIGINT, SIGTERM, SIGHUP and SIGUSR2, blocked and as a descriptor. */
int record_catch_signals(sigset_t *before, struct err *err);

/* Lets it begin and comes back when it is over.  The recording is the caller's to stop. */
int record_loop_run(struct record_loop *loop, struct err *err);

#endif
