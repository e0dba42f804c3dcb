/* SPDX-License-Identifier: Apache-2.0 */
/* What `report` takes on its command line, and what it means. */
#ifndef CMD_REPORT_OPTIONS_H
#define CMD_REPORT_OPTIONS_H

#include "cmd/load.h"
#include "profile/filter.h"
#include "render/report.h"

struct perf_reader;

struct report_args {
	const char *input;
	bool stdio, force; /* perf's, without meaning here */
	int children;	   /* -1: if there are stacks */
	int graph;	   /* enum report_graph; -1: if there are stacks */
	bool graph_bare;   /* -g stood alone: its value may be the next word */
	double graph_min;
	const char *sort, *parent, *percent_limit, *separator, *percentage;
	bool show_samples, show_weight, json, busy, header, header_only, full_header;
	const char *comms, *objects, *symbols, *pids, *tids, *cpus, *time, *event, *keep, *keep_raw,
		*drop;
	struct symbol_args names;
	bool no_index;
};

extern const struct option_spec report_specs[];
extern const struct report_args report_defaults;

/* "caller", "none", "graph,0.5,callee"; -EINVAL if it is none. */
int report_parse_graph(struct report_args *args, const char *text, struct err *err);

/* Whether the keys of --sort need source lines. */
bool report_wants_lines(const struct report_args *args);

/* The keys of --sort into an array of BREAKDOWN_KEYS; their number, or a negative errno value. */
int report_parse_sort(const struct report_args *args, enum breakdown_key *keys, struct err *err);

/* The whole for a recording; keys are those of report_parse_sort. */
int report_make_options(const struct report_args *args, bool has_stacks,
			struct report_options *options, struct err *err);
int report_make_filter(const struct report_args *args, const struct loaded *in,
		       struct profile_filter *filter, struct err *err);

#endif
