/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which samples `script` shows: --time, --comm, --pid, --tid, --cpu, -e.
 */
#ifndef CMD_SCRIPT_FILTER_H
#define CMD_SCRIPT_FILTER_H

#include "base/cpuset.h"
#include "base/timerange.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "perfdata/sample.h"
#include "render/script_symbol.h"

struct err;
struct summary_who;

struct script_filter {
	VEC(struct time_range) times;
	struct strlist comms, events, symbols, objects;
	VEC(uint64_t) addresses;
	uint64_t address_range;
	/* --switch-on, --switch-off */
	const char *on, *off;
	bool shows_switches, waiting;
	struct cpuset pids, tids, cpus; /* sets of numbers */
};

/*
 * Ranges as base/timerange.h has them, several with blanks between.  `input` is the recording's
 * path, NULL if it can't be read twice.
 */
int script_filter_times(struct script_filter *filter, const char *text, const char *input,
			struct perf_reader *reader, struct err *err);
/* "a,b": names, patterns with * and ? too. */
void script_filter_names(struct strlist *list, const char *text);
int script_filter_cpus(struct cpuset *set, const char *text, struct err *err);
/* `what` is pid or tid; an ID may be any number, and -1, perf's unknown. */
int script_filter_ids(struct cpuset *set, const char *what, const char *text, struct err *err);
/*
 * Refuses --cpu where an event's samples do not tell their CPU; a pipe may not have told of its
 * events yet.
 */
int script_filter_check_cpus(const struct perf_reader *reader, struct err *err);

bool script_filter_takes(const struct script_filter *filter, const struct perf_attr *attr,
			 const struct sample *sample);
bool script_filter_takes_cpu(const struct script_filter *filter, uint32_t cpu);
bool script_filter_takes_thread(const struct script_filter *filter, const struct thread *thread);
/* Everything but -e, of something that is no sample's own: a thread that another one woke. */
bool script_filter_takes_deed(const struct script_filter *filter, const struct summary_who *who);
/* "a,b": functions, and with 0x in front addresses, each of `range` bytes. */
void script_filter_symbols(struct script_filter *filter, const char *text, uint64_t range);
/* Between the events --switch-on and --switch-off; the recording must have them. */
int script_filter_switches(struct script_filter *filter, const char *on, const char *off,
			   const struct perf_reader *reader, struct err *err);

/* Whether a sample of an event, which must come in order, is between the switches. */
bool script_filter_is_on(struct script_filter *filter, const struct perf_attr *attr);
/* Whether the sample's own place is one of --symbols and --dsos. */
bool script_filter_takes_place(const struct script_filter *filter, struct script_symbols *symbols,
			       const struct thread *thread, const struct sample *sample);
void script_filter_free(struct script_filter *filter);

#endif
