/* SPDX-License-Identifier: Apache-2.0 */
/* What `report` takes on its command line, and what it means. */
#ifndef CMD_REPORT_OPTIONS_H
#define CMD_REPORT_OPTIONS_H

#include "base/vec.h"
#include "cmd/load.h"
#include "profile/filter.h"
#include "render/report.h"
#include "render/report_traits.h"

struct perf_reader;

struct report_args {
	const char *input;
	bool stdio;	 /* perf's, without meaning here */
	bool force;	 /* no word about whose file it is */
	int children;	 /* -1: if there are stacks */
	int graph;	 /* enum report_graph; -1: if there are stacks */
	bool graph_bare; /* -g stood alone: its value may be the next word */
	double graph_min;
	int graph_limit, graph_form, graph_value;
	const char *sort, *fields, *parent, *percent_limit, *separator, *percentage, *widths;
	bool show_samples, show_weight, show_modes;
	bool json, busy, header, header_only, full_header;
	const char *comms, *objects, *symbols, *pids, *tids, *cpus, *time, *event, *keep, *keep_raw,
		*drop, *symbol_part, *ignore_callees, *switch_on, *switch_off, *color, *pretty;
	bool show_switches, exclude_other, hide_unknown, hierarchy, quiet, raw_trace, ns;
	bool skip_empty;
	int verbose;
	int max_stack, group_sort, socket;
	int group;    /* -1: if events were recorded as one */
	int branches; /* -1: if the recording is of branches */
	bool memory, modules, demangle, demangle_kernel;
	bool stats, tasks, mappings, dump, unordered, counters; /* something else than rows */
	int64_t quantum_ns;
	struct symbol_args names;
	bool no_index;
};

extern const struct option_spec report_specs[];
extern const struct report_args report_defaults;

/* "caller", "none", "graph,0.5,callee"; -EINVAL if it is none. */
int report_parse_graph(struct report_args *args, const char *text, struct err *err);

/* Whether the keys of --sort and --fields need source lines. */
bool report_wants_lines(const struct report_args *args);

/* What a recording offers. */
struct report_source {
	struct perf_reader *reader;		     /* NULL: it is none of perf's */
	bool stacks, branches, weights, tracepoints; /* the last: of nothing else */
	bool unopened;				     /* nothing is known of it yet */
};

struct report_source report_source(struct perf_reader *reader);

/*
 * The whole for a recording, without what needs its profile.  Traits that columns want are put into
 * *traits, names that they borrow into *words.
 */
int report_make_options(const struct report_args *args, const struct report_source *source,
			struct report_options *options, struct report_traits *traits,
			struct strlist *words, struct err *err);
/* Columns alone: report_columns.c. */
int report_choose_columns(const struct report_args *args, const struct report_source *source,
			  struct report_options *options, struct report_traits *traits,
			  struct strlist *words, struct err *err);

int report_make_filter(const struct report_args *args, const struct loaded *in,
		       struct profile_filter *filter, struct err *err);

/* Whether --time has several ranges. */
bool report_has_ranges(const struct report_args *args);

/* Whether the profile has to be made for these options, and no index of another run will do. */
bool report_changes_profile(const struct report_args *args);

#endif
