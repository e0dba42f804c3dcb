/* SPDX-License-Identifier: Apache-2.0 */
/* Files from debuginfod servers, by way of libdebuginfod if that is installed. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include "perfdata/buildid.h"
#include "symbol/symbol.h"

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUGINFO };

/* How it went so far with the servers. */
struct debuginfod_asking {
	int failures;	 /* without an answer; after DEBUGINFOD_PATIENCE nobody is asked any more */
	int64_t left_ns; /* of the time for all files */
	symbol_fetching *fetching; /* NULL: nobody wants to know */
	void *context;		   /* for it */
};

#define DEBUGINFOD_PATIENCE  2
#define DEBUGINFOD_SILENCE_S 30 /* without a single byte: that is no answer */

/*
 * The path of the file in libdebuginfod's own cache, asking the servers of DEBUGINFOD_URLS if need
 * be; NULL if they do not have it, or time is up.  Free it.  `object` is what it is of, for people.
 * One file at a time, whoever asks.
 */
char *debuginfod_find(struct debuginfod_asking *asking, const struct build_id *id,
		      enum debuginfod_kind kind, const char *object);

#endif
