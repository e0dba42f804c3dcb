/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which samples `script` shows: --time, --comm, --pid, --tid, --cpu, -e.
 */
#ifndef CMD_SCRIPT_FILTER_H
#define CMD_SCRIPT_FILTER_H

#include "base/cpuset.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "perfdata/sample.h"

struct err;
struct summary_who;

struct time_range {
	uint64_t start, end; /* 0: open */
};

struct script_filter {
	VEC(struct time_range) times;
	struct strlist comms, events;
	struct cpuset pids, tids, cpus; /* sets of numbers */
};

/*
 * "START,STOP" in seconds, either may be missing; several with blanks between.  "10%-20%" and
 * "10%/2" (the second tenth) are parts of the time between the first and the last sample, which
 * the recording must tell.
 */
int script_filter_times(struct script_filter *filter, const char *text, struct perf_reader *reader,
			struct err *err);
/* "a,b": names, patterns with * and ? too. */
void script_filter_names(struct strlist *list, const char *text);
int script_filter_numbers(struct cpuset *set, const char *what, const char *text, struct err *err);
/* Refuses --cpu where no event's samples tell a CPU; a pipe may not have told of its events yet. */
int script_filter_check_cpus(const struct perf_reader *reader, struct err *err);

bool script_filter_takes(const struct script_filter *filter, const struct perf_attr *attr,
			 const struct sample *sample);
bool script_filter_takes_cpu(const struct script_filter *filter, uint32_t cpu);
bool script_filter_takes_thread(const struct script_filter *filter, const struct thread *thread);
/* Everything but -e, of something that is no sample's own: a thread that another one woke. */
bool script_filter_takes_deed(const struct script_filter *filter, const struct summary_who *who);
void script_filter_free(struct script_filter *filter);

#endif
