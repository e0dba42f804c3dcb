/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The features that describe the machine and the recording: who, where, on what.
 *
 * Read from /proc and /sys once at the start; a fact that this machine does not tell is a feature
 * left out, never an error.
 */
#ifndef PERFDATA_HOSTINFO_H
#define PERFDATA_HOSTINFO_H

#include "base/buf.h"
#include "perfdata/format.h"
#include <stdbool.h>
#include <time.h>

struct err;
struct perf_writer;

struct hostinfo {
	const char *sysfs, *proc;  /* NULL: /sys and /proc */
	char *const *argv;	   /* the command line that records, NULL at the end */
	int clock;		   /* clockid_t of the samples */
	int64_t wall_ns, clock_ns; /* the same moment by both clocks; 0: taken now */
};

/* One payload; false where the machine does not tell. */
bool hostinfo_payload(const struct hostinfo *info, enum perf_feature feature, struct buf *into);

/* All of them into a recording that has not begun yet. */
int hostinfo_add(const struct hostinfo *info, struct perf_writer *writer, struct err *err);

#endif
