/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of `record`: starts the command, waits for words from outside, signals, times and the
 * end, and tells the recording what to do.
 */
#ifndef CMD_RECORD_LOOP_H
#define CMD_RECORD_LOOP_H

#include "cmd/record_options.h"
#include "cmd/run_life.h"
#include "record/recording.h"
#include "record/tripwire.h"

struct record_loop {
	const struct record_options *options;
	struct recording *recording;
	struct tripwire *wire; /* --switch-output-event, or NULL */
	struct run_life life;  /* the caller sets its target, workload, control and signal_fd */
};

/* Lets it begin and comes back when it is over.  The recording is the caller's to stop. */
int record_loop_run(struct record_loop *loop, struct err *err);

#endif
