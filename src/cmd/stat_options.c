// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_options.h"
#include "base/clock.h"
#include "base/err.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static int add_event(void *options, const char *text, bool unset, struct err *err)
{
	struct stat_options *o = options;

	(void)unset, (void)err;
	event_steps_add(&o->steps, text);
	return 0;
}

static int add_filter(void *options, const char *text, bool unset, struct err *err)
{
	struct stat_options *o = options;

	(void)unset;
	return event_steps_add_filter(&o->steps, text, err);
}

static int set_big_num(void *options, const char *text, bool unset, struct err *err)
{
	(void)text, (void)err;
	((struct stat_options *)options)->big_num = !unset;
	return 0;
}

static int set_scale(void *options, const char *text, bool unset, struct err *err)
{
	(void)text, (void)err;
	((struct stat_options *)options)->no_scale = unset;
	return 0;
}

#define FIELD(name) offsetof(struct stat_options, name)

const struct option_spec stat_option_specs[] = {
	{ OPT_HEADING, .help = "What is counted" },
	{ OPT_CALL, 'e', "event", 0, "EVENT",
	  "events, with commas between; {a,b} is a group that is counted at the same time; may be "
	  "repeated",
	  .call = add_event },
	{ OPT_CALL, 0, "filter", 0, "FILTER",
	  "only the hits of a tracepoint that fit, as in "
	  "'prev_pid == 1'; for the -e before it",
	  .call = add_filter },
	{ OPT_COUNT, 'd', "detailed", FIELD(detailed), NULL,
	  "cache events too; twice: also TLBs and the instruction cache; three times: prefetches" },
	{ OPT_FLAG, 'n', "null", FIELD(null_run), NULL, "no events at all, only the time" },
	{ OPT_FLAG, 0, "all-user", FIELD(all_user), NULL, "count in user mode only" },
	{ OPT_FLAG, 0, "all-kernel", FIELD(all_kernel), NULL, "count in kernel mode only" },
	{ OPT_FLAG, 'g', "group", FIELD(group), NULL, "make one group of all events" },
	{ OPT_FLAG, 'T', "transaction", FIELD(transaction), NULL,
	  "transactions in hardware: cycles in them, starts, aborts (Intel TSX)" },
	{ OPT_FLAG, 0, "topdown", FIELD(topdown), NULL,
	  "what the CPU's slots were used for: retiring, bad speculation, front end, back end" },
	{ OPT_INT, 0, "td-level", FIELD(topdown_level), "N",
	  "with --topdown: 1, or 2 where the CPU has it; default: the highest" },
	{ OPT_FLAG, 0, "smi-cost", FIELD(smi_cost), NULL,
	  "the share of cycles in system management mode (root, Intel)" },
	{ OPT_TEXT, 0, "cputype", FIELD(cpu_type), "TYPE",
	  "where there are cores of two kinds: only these, core or atom" },
	{ OPT_FLAG, 0, "hybrid-merge", FIELD(hybrid_merge), NULL,
	  "there: one row for the cores of both kinds" },
	{ OPT_FLAG, 0, "plan", FIELD(plan), NULL,
	  "say how many counters the events need and which would share one; count nothing" },
	{ OPT_FLAG, 0, "passes", FIELD(passes), NULL,
	  "run the command several times rather than let events share a counter" },

	{ OPT_HEADING, .help = "Who is measured (a command then only says how long)" },
	{ OPT_FLAG, 'a', "all-cpus", FIELD(all_cpus), NULL, "everything on all CPUs" },
	{ OPT_TEXT, 'C', "cpu", FIELD(cpus), "CPUS", "everything on these CPUs: 0-3,8" },
	{ OPT_TEXT, 'p', "pid", FIELD(pids), "PIDS", "processes that run already" },
	{ OPT_FLAG, 0, "tree", FIELD(tree), NULL, "with -p: also the children that they have" },
	{ OPT_TEXT, 't', "tid", FIELD(tids), "TIDS", "threads that run already" },
	{ OPT_TEXT, 'u', "uid", FIELD(user), "USER", "all processes of a user, by name or number" },
	{ OPT_TEXT, 0, "owner", FIELD(owner), "UID:GID",
	  "the server's: of -p, -t and -u only what this user could trace", .hidden = true },
	{ OPT_TEXT, 'G', "cgroup", FIELD(cgroups), "NAMES",
	  "in these cgroups: one for all events, or one an event" },
	{ OPT_TEXT, 0, "for-each-cgroup", FIELD(each_cgroup), "NAMES",
	  "every event in every one of these cgroups" },
	{ OPT_FLAG, 'i', "no-inherit", FIELD(no_inherit), NULL,
	  "leave out the children and the threads that it starts" },

	{ OPT_HEADING, .help = "When (a bare number means milliseconds, as in perf)" },
	{ OPT_DURATION, 'I', "interval-print", FIELD(interval_ns), "TIME",
	  "print the counts every so often, down to 1ms", .unit_ns = NS_PER_MSEC },
	{ OPT_INT, 0, "interval-count", FIELD(interval_count), "N", "stop printing after N times" },
	{ OPT_FLAG, 0, "interval-clear", FIELD(interval_clear), NULL,
	  "clear the screen before each time" },
	{ OPT_FLAG, 0, "summary", FIELD(summary), NULL, "with -I: the whole at the end" },
	{ OPT_DURATION, 'D', "delay", FIELD(delay_ns), "TIME",
	  "begin to count this long after the start; -1: only when --control says so",
	  .unit_ns = NS_PER_MSEC },
	{ OPT_DURATION, 0, "timeout", FIELD(timeout_ns), "TIME", "end it after this time",
	  .unit_ns = NS_PER_MSEC },
	{ OPT_DURATION, 0, "duration", FIELD(timeout_ns), "TIME",
	  "the same; a bare number means seconds", .unit_ns = NS_PER_SEC },
	{ OPT_TEXT, 0, "control", FIELD(control), "CHANNEL",
	  "take enable [EVENT], disable [EVENT], reset, ping and stop from fifo:CTL[,ACK] or "
	  "fd:CTL[,ACK]" },
	{ OPT_INT, 'r', "repeat", FIELD(repeat), "N",
	  "run the command N times and show the mean and how far it may be off; 0: forever" },
	{ OPT_FLAG, 0, "table", FIELD(table), NULL, "with -r: show how long each run took" },
	{ OPT_FLAG, 'S', "sync", FIELD(sync), NULL, "call sync() before each run" },
	{ OPT_TEXT, 0, "pre", FIELD(pre), "COMMAND", "run this in a shell before each run" },
	{ OPT_TEXT, 0, "post", FIELD(post), "COMMAND", "and this after it" },

	{ OPT_HEADING, .help = "How it is shown" },
	{ OPT_FLAG, 'A', "no-aggr", FIELD(by_cpu), NULL, "each CPU on its own" },
	{ OPT_FLAG, 0, "per-core", FIELD(by_core), NULL, "each core on its own" },
	{ OPT_FLAG, 0, "per-die", FIELD(by_die), NULL, "each die on its own" },
	{ OPT_FLAG, 0, "per-socket", FIELD(by_socket), NULL, "each socket on its own" },
	{ OPT_FLAG, 0, "per-node", FIELD(by_node), NULL, "each memory node on its own" },
	{ OPT_FLAG, 0, "per-thread", FIELD(by_thread), NULL, "each thread on its own" },
	{ OPT_FLAG, 0, "no-merge", FIELD(no_merge), NULL,
	  "don't add up what several PMUs count under one name" },
	{ OPT_CALL, 'c', "scale", 0, NULL,
	  "scale up what shared a counter with others; --no-scale to see what was counted",
	  .call = set_scale },
	{ OPT_FLAG, 0, "metric-only", FIELD(metric_only), NULL, "only the derived figures" },
	{ OPT_CALL, 'B', "big-num", 0, NULL, "group digits: 1,234,567; --no-big-num for 1234567",
	  .call = set_big_num },
	{ OPT_TEXT, 0, "format", FIELD(format), "NAME", "text, csv or json" },
	{ OPT_TEXT, 'x', "field-separator", FIELD(separator), "SEP",
	  "csv with SEP between the fields" },
	{ OPT_FLAG, 'j', "json-output", FIELD(json), NULL, "json, an object a line" },
	{ OPT_FLAG, 0, "no-csv-summary", FIELD(no_csv_summary), NULL,
	  "csv: don't put 'summary' in front of the lines of --summary" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE", "write to FILE, not to standard error" },
	{ OPT_FLAG, 0, "append", FIELD(append), NULL, "add to FILE" },
	{ OPT_INT, 0, "log-fd", FIELD(log_fd), "N", "write to this descriptor" },
	{ OPT_FLAG, 'q', "quiet", FIELD(quiet), NULL, "print nothing" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL,
	  "also the raw counts and how long each was counted; twice: of every CPU and thread" },
	{ OPT_INT, 0, "series", FIELD(series_fd), "N",
	  "write what each interval counted to this descriptor, as numbers", .hidden = true },
	{ 0 },
};

const struct stat_options stat_option_defaults = { .repeat = 1, .big_num = -1 };

void stat_options_release(void *options)
{
	struct stat_options *o = options;

	vec_free(&o->steps);
}

bool stat_options_has_target(const struct stat_options *o)
{
	return o->all_cpus || o->cpus || o->pids || o->tids || o->user || o->cgroups ||
	       o->each_cgroup;
}

enum stat_by stat_options_by(const struct stat_options *o)
{
	return o->by_cpu      ? STAT_BY_CPU
	       : o->by_core   ? STAT_BY_CORE
	       : o->by_die    ? STAT_BY_DIE
	       : o->by_socket ? STAT_BY_SOCKET
	       : o->by_node   ? STAT_BY_NODE
	       : o->by_thread ? STAT_BY_THREAD
			      : STAT_BY_ALL;
}

int stat_options_format(const struct stat_options *o, enum stat_format *format, struct err *err)
{
	static const char *const names[] = {
		[STAT_TEXT] = "text",
		[STAT_CSV] = "csv",
		[STAT_JSON] = "json",
	};
	bool known = !o->format;

	*format = o->json ? STAT_JSON : o->separator ? STAT_CSV : STAT_TEXT;
	for (size_t i = 0; o->format && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], o->format)) {
			*format = (enum stat_format)i;
			known = true;
		}
	}
	if (!known)
		return err_set(err, EINVAL, "--format '%s': it is text, csv or json", o->format);
	if (o->format &&
	    ((o->json && *format != STAT_JSON) || (o->separator && *format != STAT_CSV)))
		return err_set(err, EINVAL, "--format %s and -%c contradict each other", o->format,
			       o->json ? 'j' : 'x');
	return 0;
}

static int check_times(const struct stat_options *o, struct err *err)
{
	if (o->interval_ns < 0 || (o->interval_ns && o->interval_ns < NS_PER_MSEC))
		return err_set(err, EINVAL, "-I: 1ms is the shortest interval");
	if (o->interval_count < 0)
		return err_set(err, EINVAL, "--interval-count takes a number above 0");
	if (o->interval_count && !o->interval_ns)
		return err_set(err, EINVAL, "--interval-count needs -I");
	if (o->timeout_ns < 0 || (o->timeout_ns && o->timeout_ns < 10 * NS_PER_MSEC))
		return err_set(err, EINVAL, "--timeout: 10ms is the shortest");
	if (o->timeout_ns && o->interval_ns)
		return err_set(err, EINVAL,
			       "--timeout and -I don't go together; use --interval-count");
	if (o->repeat < 0)
		return err_set(err, EINVAL, "-r takes how often to run it; 0 is forever");
	if (o->table && o->repeat <= 1)
		return err_set(err, EINVAL, "--table needs -r N");
	return 0;
}

static int check_target(const struct stat_options *o, int words, struct err *err)
{
	bool cpus = o->all_cpus || o->cpus || o->cgroups || o->each_cgroup;
	bool nothing = !stat_options_has_target(o) && !words;
	enum stat_by by = stat_options_by(o);

	if (o->by_cpu + o->by_core + o->by_die + o->by_socket + o->by_node + o->by_thread > 1)
		return err_set(err, EINVAL,
			       "choose one of -A, --per-core, --per-die, "
			       "--per-socket, --per-node and --per-thread");
	if (by == STAT_BY_THREAD && !o->pids && !o->tids && !o->user && !nothing &&
	    (!o->all_cpus || o->cpus))
		return err_set(err, EINVAL, "--per-thread needs -p, -t, -u or -a");
	if (by != STAT_BY_ALL && by != STAT_BY_THREAD && !cpus && !nothing)
		return err_set(err, EINVAL,
			       "counts of a program or thread are not kept apart by CPU; use -a "
			       "or -C");
	if (o->tree && !o->pids)
		return err_set(err, EINVAL, "--tree needs -p");
	if (o->cgroups && o->each_cgroup)
		return err_set(err, EINVAL, "-G and --for-each-cgroup don't go together");
	if (by == STAT_BY_THREAD && (o->cgroups || o->each_cgroup))
		return err_set(err, EINVAL, "cgroups are counted by CPU, not --per-thread");
	return 0;
}

static int check_output(const struct stat_options *o, struct err *err)
{
	if (o->output && o->log_fd)
		return err_set(err, EINVAL, "-o and --log-fd don't go together");
	if (o->log_fd < 0)
		return err_set(err, EINVAL, "--log-fd takes a descriptor's number, above 0");
	if (o->separator && o->big_num == 1)
		return err_set(err, EINVAL, "-B would put commas into the fields of -x");
	if (o->separator && !*o->separator)
		return err_set(err, EINVAL, "-x needs at least one character");
	if (o->metric_only && o->by_thread)
		return err_set(err, EINVAL, "--metric-only and --per-thread don't go together");
	if (o->metric_only && o->repeat > 1)
		return err_set(err, EINVAL, "--metric-only and -r don't go together");
	if (o->passes && o->interval_ns)
		return err_set(err, EINVAL, "--passes and -I don't go together");
	if (o->transaction + o->topdown + o->smi_cost > 1)
		return err_set(err, EINVAL, "choose one of -T, --topdown and --smi-cost");
	if ((o->transaction || o->topdown || o->smi_cost) && o->steps.len)
		return err_set(err, EINVAL, "%s has its own events; leave -e out",
			       o->transaction ? "-T"
			       : o->topdown   ? "--topdown"
					      : "--smi-cost");
	if (o->topdown_level && !o->topdown)
		return err_set(err, EINVAL, "--td-level needs --topdown");
	if (o->topdown_level < 0 || o->topdown_level > 2)
		return err_set(err, EINVAL, "--td-level must be 0, 1 or 2");
	if (o->all_user && o->all_kernel)
		return err_set(err, EINVAL, "--all-user and --all-kernel exclude each other");
	if (o->series_fd && (!o->interval_ns || (stat_options_by(o) != STAT_BY_ALL && !o->by_cpu)))
		return err_set(err, EINVAL, "--series needs -I, and takes no --per-... but -A");
	return 0;
}

int stat_options_check(const struct stat_options *o, int words, struct err *err)
{
	int rc = check_times(o, err);

	if (!rc)
		rc = check_target(o, words, err);
	if (!rc)
		rc = check_output(o, err);
	return rc;
}
