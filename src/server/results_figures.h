/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a run, from all that there is of it: the store, its samples, its counters. */
#ifndef SERVER_RESULTS_FIGURES_H
#define SERVER_RESULTS_FIGURES_H

#include "profile/overview.h"
#include "server/results.h"

struct figure_counter {
	const char *name, *unit; /* in the arena */
	double scale;
	uint64_t total, enabled_ns, running_ns; /* since the counters were last reset */
	uint64_t whole;				/* of all of the run */
};

struct figures {
	struct run run;
	const struct profile *profile; /* NULL: no samples, or none yet */
	uint16_t event;
	struct overview_facts facts;
	uint64_t start_ns, end_ns; /* by the clock of the samples; 0: not known */
	uint64_t max_rss, output_cut;
	uint64_t rss_below;  /* of a small program: less than what its start takes; 0: not known */
	uint64_t printed[2]; /* bytes of stdout and stderr */
	bool has_output;
	VEC(struct figure_counter) counters;
	uint64_t switches;   /* as the counter of context switches has it; 0: it is not there */
	uint64_t reset_ns;   /* when they were last reset; 0: never */
	uint64_t counted_ns; /* of no program of ours: how long its counters counted */
};

/* 1: the client has the answer already.  On 0 figures_free() is due. */
int figures_make(struct figures *figures, struct request *request, struct err *err);
void figures_free(struct figures *figures, struct request *request);

/* The CPU time that is known best; false where none is. */
bool figures_cpu(const struct figures *figures, uint64_t *cpu_ns);

#endif
