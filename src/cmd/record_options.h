/* SPDX-License-Identifier: Apache-2.0 */
/* What the flags of `record` say, and whether they go together. */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include "base/options.h"
#include "base/vec.h"
#include "cmd/event_steps.h"
#include "record/sampleattr.h"

struct err;

#define RECORD_ENOUGH 3000 /* samples, after which later_frequency is used */
/* Samples a second when nothing is said: about perf's 4000, and not in step with timers. */
#define RECORD_FREQUENCY 3997

struct record_options {
	struct event_steps steps;
	struct sampling_choice choice;
	int later_frequency; /* once there are many samples; 0: the same */
	bool frequency_max, frequency_given, period_given, inherit_given;
	bool strict_freq;
	bool call_graph, branch_any, group;
	const char *call_graph_mode, *branch_filter;

	const char *pids, *tids, *user, *cpus, *cgroups;
	const char *owner; /* "UID:GID": nobody else's processes */
	bool all_cpus, tree;
	bool budget;		/* --budget: where the time of the command goes */
	const char *tree_group; /* the folder of a cgroup with the target in it; NULL: none */

	int64_t delay_ns, timeout_ns;
	const char *control;

	const char *output;
	const char *summary; /* of `script` that it is made for; NULL: any use */
	/* For another command, which tells itself what came of it: to be said when all is open. */
	const char *announcement;
	uint64_t ring_bytes;
	int priority;
	bool compress;
	int compress_level;
	uint64_t most_bytes;

	bool switching, switch_by_signal;
	const char *switch_event;
	uint64_t switch_bytes;
	int64_t switch_ns;
	uint64_t switch_files;

	const char *vmlinux, *debuginfod; /* debuginfod: "" for the servers of DEBUGINFOD_URLS */
	bool timestamp_filename, no_boundary;
	bool no_tasks, no_maps, no_cgroups, describe_last, dry_run, exclude_self, per_thread, kcore;
	int describe_threads;
	int64_t map_limit_ns;
	uint64_t flush_bytes;
	int affinity; /* enum drain_affinity */

	bool plan, quiet, timestamps, no_cache, done_anyway;
	int verbose;
};

extern const struct option_spec record_option_specs[];
extern const struct record_options record_option_defaults;
void record_options_release(void *options);

/* Fills in what follows from the flags and refuses what makes no sense together. */
int record_options_check(struct record_options *options, int words, struct err *err);

/* Whether existing processes, CPUs or cgroups are recorded: a command is then only the clock. */
bool record_options_has_target(const struct record_options *options);

#endif
