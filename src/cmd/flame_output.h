/* SPDX-License-Identifier: Apache-2.0 */
/* Writing what `flame` and `fold` make: one file an event, or standard output. */
#ifndef CMD_FLAME_OUTPUT_H
#define CMD_FLAME_OUTPUT_H

#include "cmd/flame_options.h"

struct flame_job {
	const struct flame_args *args;
	const struct loaded *input;
	const char *path;	 /* where the input comes from, which is not written to */
	const char *name;	 /* what the picture is of, for its title */
	const char *output;	 /* "-": standard output */
	struct strlist *written; /* the files' names are added; NULL: nobody asks */
	enum flame_format format;
};

/* Draws every event that has samples, or the one that -e names; says what was written on stderr. */
int flame_draw(const struct flame_job *job, struct err *err);

#endif
