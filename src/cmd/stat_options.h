/* SPDX-License-Identifier: Apache-2.0 */
/* What the flags of `stat` say, and whether they go together. */
#ifndef CMD_STAT_OPTIONS_H
#define CMD_STAT_OPTIONS_H

#include "base/options.h"
#include "base/vec.h"
#include "cmd/event_steps.h"
#include "render/stat.h"

struct err;

struct stat_options {
	struct event_steps steps;
	int detailed;
	bool null_run, all_user, all_kernel, group;
	bool transaction, topdown, smi_cost, hybrid_merge;
	int topdown_level; /* 0: the highest there is */
	const char *cpu_type;

	const char *pids, *tids, *user, *cpus, *cgroups, *each_cgroup;
	const char *owner; /* "UID:GID": nobody else's processes */
	bool all_cpus, no_inherit;

	int64_t interval_ns, delay_ns, timeout_ns;
	int interval_count, repeat;
	bool interval_clear, summary, no_csv_summary, table, sync;
	const char *control, *pre, *post;

	bool by_cpu, by_core, by_die, by_socket, by_node, by_thread;
	bool no_merge, no_scale, metric_only;
	int big_num; /* -1: not said */
	const char *separator, *format;
	bool json;
	const char *output;
	bool append, quiet;
	int log_fd; /* 0: not said */
	int verbose;

	bool plan, passes, tree;
	int series_fd; /* 0: none */
};

extern const struct option_spec stat_option_specs[];
extern const struct stat_options stat_option_defaults;
void stat_options_release(void *options);

/* Refuses what makes no sense together; words is the number of words of the command. */
int stat_options_check(const struct stat_options *options, int words, struct err *err);

enum stat_by stat_options_by(const struct stat_options *options);

/* The same for the format: -x and -j are perf's words for --format csv and json. */
int stat_options_format(const struct stat_options *options, enum stat_format *format,
			struct err *err);

/* Whether some existing processes, CPUs or cgroups are measured: a command is then the clock. */
bool stat_options_has_target(const struct stat_options *options);

#endif
