/* SPDX-License-Identifier: Apache-2.0 */
/* A profile from whatever it is in: a recording, perf script text, folded stacks, pprof. */
#ifndef CMD_FLAME_INPUT_H
#define CMD_FLAME_INPUT_H

#include "cmd/flame_options.h"
#include "import/import.h"

struct perf_reader;

struct flame_input {
	enum import_format format;
	struct profile *profile;
	struct perf_reader *reader;    /* of a recording */
	struct import_result imported; /* of the rest */
	int spool;		       /* a recording that had to be unpacked, or -1 */
};

/*
 * path "-" is standard input.  What was left out of a text is said on stderr.  On failure there is
 * nothing to close.  `like` (NULL: none) is whose lines the text is read for.
 */
int flame_input_open(struct flame_input *input, const char *path, const struct flame_args *args,
		     const struct collapse_options *like, struct err *err);
void flame_input_close(struct flame_input *input);

#endif
