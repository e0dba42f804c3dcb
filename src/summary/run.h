/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary over a whole recording.
 */
#ifndef SUMMARY_RUN_H
#define SUMMARY_RUN_H

#include "summary/result.h"
#include "summary/summary.h"

struct err;
struct perf_reader;

struct summary_choice {
	/* Whether what these did is counted; NULL: all of it is. */
	bool (*takes)(void *user, const struct summary_who *who);
	void *user;
};

/*
 * Reads all records and fills *result, to be freed by the caller in any case.  -ENODATA if the
 * recording lacks an event that is needed, with the words to record it.
 */
int summary_run(const struct summary *summary, struct perf_reader *reader, const char *path,
		const struct summary_choice *choice, struct summary_result *result,
		struct err *err);

#endif
