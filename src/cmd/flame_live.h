/* SPDX-License-Identifier: Apache-2.0 */
/* `flame` of what runs now: a recording by `record`'s own means, then its picture. */
#ifndef CMD_FLAME_LIVE_H
#define CMD_FLAME_LIVE_H

#include "cmd/flame_options.h"

#define FLAME_RATE	 99
#define FLAME_RATE_FIRST 999 /* of a program, for its first samples */
#define FLAME_DURATION	 60  /* seconds, where no command says when it is over */

struct flame_recorded {
	char *title; /* what was recorded */
	char *base;  /* "HOST.20261115_091500_UTC.pid_12", or -o without its end: of all files */
	char *path;  /* the recording */
	bool made;   /* there is one: the command could be started */
	int status;  /* the exit status to end with: the command's own */
};

/* Records; -errno with words, or 0.  flame_recorded_free it either way. */
int flame_record(struct flame_recorded *recorded, const struct flame_args *args, int argc,
		 char **argv, struct err *err);
void flame_recorded_free(struct flame_recorded *recorded);

/* Removes the recording, or keeps it and its text, as the flags say, and tells what is kept. */
int flame_keep(const struct flame_recorded *recorded, const struct flame_args *args,
	       struct err *err);

#endif
