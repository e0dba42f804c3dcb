// SPDX-License-Identifier: Apache-2.0
#include "jobs/protocol.h"

#include <stddef.h>

#define WORDS_MOST (128 << 10)
#define BYTES_MOST (256 << 10)
#define TEXT_MOST  (64 << 10)

#define FIELD(type, kind, name, most)                          \
	{                                                      \
		kind, #name, offsetof(struct type, name), most \
	}

static const struct ipc_field msg_up_fields[] = {
	FIELD(msg_up, IPC_U64, interrupted, 0),
	{ 0 },
};
const struct ipc_type msg_up = IPC_TYPE("up", struct msg_up, msg_up_fields);

static const struct ipc_field msg_start_fields[] = {
	FIELD(msg_start, IPC_U64, run, 0),
	FIELD(msg_start, IPC_TEXT, person, 0),
	FIELD(msg_start, IPC_U64, tool, 0),
	FIELD(msg_start, IPC_U64, target, 0),
	FIELD(msg_start, IPC_TEXT, who, 0),
	FIELD(msg_start, IPC_BOOL, children, 0),
	FIELD(msg_start, IPC_WORDS, argv, WORDS_MOST),
	FIELD(msg_start, IPC_WORDS, environment, WORDS_MOST),
	FIELD(msg_start, IPC_TEXT, folder, 0),
	FIELD(msg_start, IPC_TEXT, cpus, 0),
	FIELD(msg_start, IPC_U64, limit_ns, 0),
	FIELD(msg_start, IPC_U64, limit_memory, 0),
	FIELD(msg_start, IPC_U64, limit_tasks, 0),
	FIELD(msg_start, IPC_U64, limit_cpu, 0),
	FIELD(msg_start, IPC_U64, most_bytes, 0),
	FIELD(msg_start, IPC_TEXT, count_events, TEXT_MOST),
	FIELD(msg_start, IPC_U64, interval_ns, 0),
	FIELD(msg_start, IPC_TEXT, sample_events, TEXT_MOST),
	FIELD(msg_start, IPC_TEXT, rate, 0),
	FIELD(msg_start, IPC_TEXT, call_graph, 0),
	FIELD(msg_start, IPC_U64, network, 0),
	FIELD(msg_start, IPC_WORDS, stat_options, WORDS_MOST),
	FIELD(msg_start, IPC_WORDS, record_options, WORDS_MOST),
	FIELD(msg_start, IPC_FD, recording, 0),
	FIELD(msg_start, IPC_FD, series, 0),
	FIELD(msg_start, IPC_FD, output, 0),
	{ 0 },
};
const struct ipc_type msg_start = IPC_TYPE("start", struct msg_start, msg_start_fields);

static const struct ipc_field msg_cancel_fields[] = {
	FIELD(msg_cancel, IPC_U64, run, 0),
	{ 0 },
};
const struct ipc_type msg_cancel = IPC_TYPE("cancel", struct msg_cancel, msg_cancel_fields);

static const struct ipc_field msg_control_fields[] = {
	FIELD(msg_control, IPC_U64, run, 0),
	FIELD(msg_control, IPC_U64, action, 0),
	{ 0 },
};
const struct ipc_type msg_control = IPC_TYPE("control", struct msg_control, msg_control_fields);

static const struct ipc_field msg_forget_fields[] = {
	FIELD(msg_forget, IPC_U64, run, 0),
	{ 0 },
};
const struct ipc_type msg_forget = IPC_TYPE("forget", struct msg_forget, msg_forget_fields);

static const struct ipc_field msg_analysed_fields[] = {
	FIELD(msg_analysed, IPC_U64, run, 0),
	{ 0 },
};
const struct ipc_type msg_analysed = IPC_TYPE("analysed", struct msg_analysed, msg_analysed_fields);

static const struct ipc_field msg_ask_fields[] = {
	FIELD(msg_ask, IPC_U64, question, 0),
	FIELD(msg_ask, IPC_TEXT, what, 0),
	FIELD(msg_ask, IPC_WORDS, words, WORDS_MOST),
	FIELD(msg_ask, IPC_FD, out, 0),
	{ 0 },
};
const struct ipc_type msg_ask = IPC_TYPE("ask", struct msg_ask, msg_ask_fields);

static const struct ipc_field msg_unask_fields[] = {
	FIELD(msg_unask, IPC_U64, question, 0),
	{ 0 },
};
const struct ipc_type msg_unask = IPC_TYPE("unask", struct msg_unask, msg_unask_fields);

static const struct ipc_field msg_analyse_fields[] = {
	FIELD(msg_analyse, IPC_U64, job, 0),	 FIELD(msg_analyse, IPC_BOOL, imported, 0),
	FIELD(msg_analyse, IPC_TEXT, person, 0), FIELD(msg_analyse, IPC_U64, run, 0),
	FIELD(msg_analyse, IPC_FD, channel, 0),	 { 0 },
};
const struct ipc_type msg_analyse = IPC_TYPE("analyse", struct msg_analyse, msg_analyse_fields);

static const struct ipc_field msg_stop_job_fields[] = {
	FIELD(msg_stop_job, IPC_U64, job, 0),
	{ 0 },
};
const struct ipc_type msg_stop_job = IPC_TYPE("stop_job", struct msg_stop_job, msg_stop_job_fields);

static const struct ipc_field msg_policy_fields[] = {
	FIELD(msg_policy, IPC_TEXT, host, 0),
	FIELD(msg_policy, IPC_TEXT, kernel, 0),
	FIELD(msg_policy, IPC_TEXT, cpu_model, 0),
	FIELD(msg_policy, IPC_TEXT, perfolio, 0),
	FIELD(msg_policy, IPC_TEXT, workload_user, 0),
	FIELD(msg_policy, IPC_BOOL, as_root, 0),
	FIELD(msg_policy, IPC_BOOL, attach, 0),
	FIELD(msg_policy, IPC_BOOL, other_users, 0),
	FIELD(msg_policy, IPC_BOOL, whole_host, 0),
	FIELD(msg_policy, IPC_BOOL, allow_attach, 0),
	FIELD(msg_policy, IPC_BOOL, allow_users, 0),
	FIELD(msg_policy, IPC_BOOL, allow_host, 0),
	FIELD(msg_policy, IPC_BOOL, shared, 0),
	FIELD(msg_policy, IPC_BOOL, private_tmp, 0),
	FIELD(msg_policy, IPC_TEXT, private_why, 0),
	FIELD(msg_policy, IPC_U64, network, 0),
	FIELD(msg_policy, IPC_WORDS, private_runs, WORDS_MOST),
	FIELD(msg_policy, IPC_U64, cpus, 0),
	FIELD(msg_policy, IPC_U64, max_runtime_ns, 0),
	FIELD(msg_policy, IPC_U64, max_output, 0),
	FIELD(msg_policy, IPC_U64, max_disk, 0),
	FIELD(msg_policy, IPC_U64, max_share, 0),
	FIELD(msg_policy, IPC_U64, max_export, 0),
	FIELD(msg_policy, IPC_U64, run_memory, 0),
	FIELD(msg_policy, IPC_U64, run_tasks, 0),
	FIELD(msg_policy, IPC_U64, run_cpu, 0),
	FIELD(msg_policy, IPC_BOOL, holds_memory, 0),
	FIELD(msg_policy, IPC_BOOL, holds_tasks, 0),
	FIELD(msg_policy, IPC_U64, analyser_ns, 0),
	FIELD(msg_policy, IPC_TEXT, token_hash, 0),
	FIELD(msg_policy, IPC_TEXT, origin, 0),
	FIELD(msg_policy, IPC_WORDS, hosts, WORDS_MOST),
	FIELD(msg_policy, IPC_BOOL, open, 0),
	FIELD(msg_policy, IPC_BOOL, tls, 0),
	FIELD(msg_policy, IPC_WORDS, webhooks, WORDS_MOST),
	FIELD(msg_policy, IPC_BOOL, again, 0),
	{ 0 },
};
const struct ipc_type msg_policy = IPC_TYPE("policy", struct msg_policy, msg_policy_fields);

static const struct ipc_field msg_holds_fields[] = {
	FIELD(msg_holds, IPC_U64, run, 0),
	{ 0 },
};
const struct ipc_type msg_holds = IPC_TYPE("holds", struct msg_holds, msg_holds_fields);

static const struct ipc_field msg_ready_fields[] = {
	FIELD(msg_ready, IPC_U64, runs, 0),
	{ 0 },
};
const struct ipc_type msg_ready = IPC_TYPE("ready", struct msg_ready, msg_ready_fields);

static const struct ipc_field msg_stopping_fields[] = {
	FIELD(msg_stopping, IPC_U64, runs, 0),
	{ 0 },
};
const struct ipc_type msg_stopping = IPC_TYPE("stopping", struct msg_stopping, msg_stopping_fields);

static const struct ipc_field msg_began_fields[] = {
	FIELD(msg_began, IPC_U64, run, 0),     FIELD(msg_began, IPC_U64, monotonic_ns, 0),
	FIELD(msg_began, IPC_U64, wall_ns, 0), FIELD(msg_began, IPC_U64, pid, 0),
	FIELD(msg_began, IPC_TEXT, user, 0),   { 0 },
};
const struct ipc_type msg_began = IPC_TYPE("began", struct msg_began, msg_began_fields);

static const struct ipc_field msg_ended_fields[] = {
	FIELD(msg_ended, IPC_U64, run, 0),
	FIELD(msg_ended, IPC_U64, ending, 0),
	FIELD(msg_ended, IPC_U64, code, 0),
	FIELD(msg_ended, IPC_BOOL, cancelled, 0),
	FIELD(msg_ended, IPC_BOOL, interrupted, 0),
	FIELD(msg_ended, IPC_BOOL, limited, 0),
	FIELD(msg_ended, IPC_TEXT, limit, 0),
	FIELD(msg_ended, IPC_U64, limit_memory, 0),
	FIELD(msg_ended, IPC_U64, limit_tasks, 0),
	FIELD(msg_ended, IPC_U64, limit_cpu, 0),
	FIELD(msg_ended, IPC_U64, tasks_refused, 0),
	FIELD(msg_ended, IPC_U64, left_over, 0),
	FIELD(msg_ended, IPC_U64, paused_ns, 0),
	FIELD(msg_ended, IPC_TEXT, reason, 0),
	FIELD(msg_ended, IPC_U64, wall_ns, 0),
	FIELD(msg_ended, IPC_U64, user_ns, 0),
	FIELD(msg_ended, IPC_U64, system_ns, 0),
	FIELD(msg_ended, IPC_U64, max_rss, 0),
	FIELD(msg_ended, IPC_U64, minor_faults, 0),
	FIELD(msg_ended, IPC_U64, major_faults, 0),
	FIELD(msg_ended, IPC_U64, voluntary_switches, 0),
	FIELD(msg_ended, IPC_U64, involuntary_switches, 0),
	FIELD(msg_ended, IPC_U64, disk_read, 0),
	FIELD(msg_ended, IPC_U64, rss_below, 0),
	FIELD(msg_ended, IPC_U64, output_cut, 0),
	FIELD(msg_ended, IPC_TEXT, notes, TEXT_MOST),
	FIELD(msg_ended, IPC_TEXT, budget, TEXT_MOST),
	FIELD(msg_ended, IPC_TEXT, user, 0),
	{ 0 },
};
const struct ipc_type msg_ended = IPC_TYPE("ended", struct msg_ended, msg_ended_fields);

static const struct ipc_field msg_answered_fields[] = {
	FIELD(msg_answered, IPC_U64, question, 0),
	FIELD(msg_answered, IPC_BOOL, failed, 0),
	FIELD(msg_answered, IPC_TEXT, reason, 0),
	{ 0 },
};
const struct ipc_type msg_answered = IPC_TYPE("answered", struct msg_answered, msg_answered_fields);

static const struct ipc_field msg_job_ended_fields[] = {
	FIELD(msg_job_ended, IPC_U64, job, 0),
	FIELD(msg_job_ended, IPC_BOOL, failed, 0),
	FIELD(msg_job_ended, IPC_TEXT, reason, 0),
	{ 0 },
};
const struct ipc_type msg_job_ended = IPC_TYPE("job_ended", struct msg_job_ended,
					       msg_job_ended_fields);

static const struct ipc_field msg_input_fields[] = {
	FIELD(msg_input, IPC_TEXT, kind, 0), FIELD(msg_input, IPC_TEXT, name, 0),
	FIELD(msg_input, IPC_U64, run, 0),   FIELD(msg_input, IPC_WORDS, attributes, WORDS_MOST),
	FIELD(msg_input, IPC_FD, fd, 0),     { 0 },
};
const struct ipc_type msg_input = IPC_TYPE("input", struct msg_input, msg_input_fields);

static const struct ipc_field msg_job_fields[] = {
	FIELD(msg_job, IPC_U64, kind, 0),   FIELD(msg_job, IPC_WORDS, options, WORDS_MOST),
	FIELD(msg_job, IPC_TEXT, avoid, 0), FIELD(msg_job, IPC_U64, most, 0),
	FIELD(msg_job, IPC_FD, out, 0),	    { 0 },
};
const struct ipc_type msg_job = IPC_TYPE("job", struct msg_job, msg_job_fields);

static const struct ipc_field msg_complete_fields[] = {
	FIELD(msg_complete, IPC_U64, run, 0),
	{ 0 },
};
const struct ipc_type msg_complete = IPC_TYPE("complete", struct msg_complete, msg_complete_fields);

static const struct ipc_field msg_live_tree_fields[] = {
	FIELD(msg_live_tree, IPC_U64, event, 0),
	FIELD(msg_live_tree, IPC_TEXT, event_name, 0),
	FIELD(msg_live_tree, IPC_U64, first_node, 0),
	FIELD(msg_live_tree, IPC_WORDS, names, WORDS_MOST),
	FIELD(msg_live_tree, IPC_BYTES, parents, BYTES_MOST),
	FIELD(msg_live_tree, IPC_BYTES, name_ids, BYTES_MOST),
	FIELD(msg_live_tree, IPC_BYTES, kinds, BYTES_MOST),
	FIELD(msg_live_tree, IPC_BYTES, changed, BYTES_MOST),
	FIELD(msg_live_tree, IPC_BYTES, self_samples, BYTES_MOST),
	FIELD(msg_live_tree, IPC_BYTES, self_counts, BYTES_MOST),
	FIELD(msg_live_tree, IPC_U64, samples, 0),
	FIELD(msg_live_tree, IPC_U64, lost, 0),
	{ 0 },
};
const struct ipc_type msg_live_tree = IPC_TYPE("live_tree", struct msg_live_tree,
					       msg_live_tree_fields);

static const struct ipc_field msg_live_heat_fields[] = {
	FIELD(msg_live_heat, IPC_U64, event, 0),
	FIELD(msg_live_heat, IPC_U64, start_ns, 0),
	FIELD(msg_live_heat, IPC_BYTES, cells, BYTES_MOST),
	{ 0 },
};
const struct ipc_type msg_live_heat = IPC_TYPE("live_heat", struct msg_live_heat,
					       msg_live_heat_fields);

static const struct ipc_field msg_live_lanes_fields[] = {
	FIELD(msg_live_lanes, IPC_U64, event, 0),
	FIELD(msg_live_lanes, IPC_U64, first, 0),
	FIELD(msg_live_lanes, IPC_WORDS, names, WORDS_MOST),
	FIELD(msg_live_lanes, IPC_BYTES, ids, BYTES_MOST),
	FIELD(msg_live_lanes, IPC_BYTES, cells, BYTES_MOST),
	FIELD(msg_live_lanes, IPC_U64, left_out, 0),
	{ 0 },
};
const struct ipc_type msg_live_lanes = IPC_TYPE("live_lanes", struct msg_live_lanes,
						msg_live_lanes_fields);

static const struct ipc_field msg_finished_fields[] = {
	FIELD(msg_finished, IPC_BOOL, failed, 0),
	FIELD(msg_finished, IPC_BOOL, refused, 0),
	FIELD(msg_finished, IPC_BOOL, no_room, 0),
	FIELD(msg_finished, IPC_BOOL, too_large, 0),
	FIELD(msg_finished, IPC_TEXT, reason, 0),
	FIELD(msg_finished, IPC_TEXT, quality, TEXT_MOST),
	FIELD(msg_finished, IPC_TEXT, facts, TEXT_MOST),
	{ 0 },
};
const struct ipc_type msg_finished = IPC_TYPE("finished", struct msg_finished, msg_finished_fields);

static const struct ipc_type *const runner_types[] = {
	&msg_up,    &msg_start, &msg_cancel,  &msg_control,  &msg_forget,    &msg_analysed,
	&msg_ask,   &msg_unask, &msg_analyse, &msg_stop_job, &msg_policy,    &msg_holds,
	&msg_ready, &msg_began, &msg_ended,   &msg_answered, &msg_job_ended, &msg_stopping,
};
const struct ipc_protocol runner_protocol = {
	.name = "runner",
	.version = 1,
	.types = runner_types,
	.count = sizeof(runner_types) / sizeof(runner_types[0]),
};

static const struct ipc_type *const analysis_types[] = {
	&msg_input,	&msg_job,      &msg_complete,	&msg_live_tree,
	&msg_live_heat, &msg_finished, &msg_live_lanes,
};
const struct ipc_protocol analysis_protocol = {
	.name = "analysis",
	.version = 1,
	.types = analysis_types,
	.count = sizeof(analysis_types) / sizeof(analysis_types[0]),
};
