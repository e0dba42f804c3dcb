/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has to be looked at, and what becomes of it then. */
#ifndef SERVER_ANALYSIS_END_H
#define SERVER_ANALYSIS_END_H

#include "base/arena.h"
#include <stdint.h>

struct app;
struct err;

struct analysis_source {
	struct arena arena;
	const char *kind;   /* "recording", "import" */
	const char *name;   /* for people */
	const char *person; /* who had it measured */
	int fd;
	int scratch; /* of an import: room to unpack it; else -1 */
};

/* -ENODATA for a run without samples. */
int analysis_open(struct app *app, int64_t run, struct analysis_source *source, struct err *err);
/* The same for a recording that is still being written. */
int analysis_open_growing(struct app *app, int64_t run, struct analysis_source *source,
			  struct err *err);
void analysis_close(struct analysis_source *source);

struct analysis_result {
	const char *quality, *facts; /* JSON of an analyser's; NULL: none */
	const char *index;	     /* name of an upload: store/content.h */
};

/*
 * The index becomes the run's, and a run that was processing is done; without one (-1) there are no
 * samples.  What is no index, or no JSON, fails the run.  Both are negative where that could not be
 * noted, since the disk is full or the database locked: then it has to be tried again.
 */
int analysis_end(struct app *app, int64_t run, int index, const struct analysis_result *result);
int analysis_fail(struct app *app, int64_t run, const char *reason);

#endif
