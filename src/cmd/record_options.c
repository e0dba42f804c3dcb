// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_options.h"
#include "base/clock.h"
#include "base/err.h"
#include "perfdata/pack.h"
#include "record/drain.h"
#include "render/regname.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <strings.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int add_event(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset, (void)err;
	event_steps_add(&o->steps, text);
	return 0;
}

static int add_filter(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset;
	return event_steps_add_filter(&o->steps, text, err);
}

static int parse_count(const char *text, uint64_t *into)
{
	char *end;

	errno = 0;
	*into = strtoull(text, &end, 0);
	return !isdigit((unsigned char)*text) || *end || errno ? -EINVAL : 0;
}

static int set_frequency(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset;
	o->frequency_given = true;
	o->frequency_max = !strcmp(text, "max");
	if (o->frequency_max)
		return 0;
	if (parse_count(text, &o->choice.frequency) || !o->choice.frequency)
		return err_set(err, EINVAL, "needs a rate in samples per second, or max");
	return 0;
}

static int set_period(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset;
	o->period_given = true;
	if (parse_count(text, &o->choice.period) || !o->choice.period)
		return err_set(err, EINVAL, "needs a positive event count");
	return 0;
}

static int set_no_inherit(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)text;
	(void)err;
	o->inherit_given = true;
	o->choice.no_inherit = !unset;
	return 0;
}

/* "16M" and the like; a bare number counts `unit` bytes. */
static int parse_size(const char *text, uint64_t unit, uint64_t *bytes)
{
	static const char suffixes[] = "BKMG";
	char *end;
	const char *suffix;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno)
		return -EINVAL;
	if (!*end) {
		*bytes = value * unit;
		return 0;
	}
	suffix = strchr(suffixes, toupper((unsigned char)*end));
	if (!suffix || end[1] || value > UINT64_MAX >> (10 * (suffix - suffixes)))
		return -EINVAL;
	*bytes = value << (10 * (suffix - suffixes));
	return 0;
}

/* Rings of root's are no swappable memory, and who asks a server for them is not who pays. */
#define SERVED_RING_MOST ((uint64_t)64 << 20)

static int set_ring(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = page;

	(void)unset;
	if (parse_size(text, page, &bytes) || !bytes || bytes > 1ULL << 31)
		return err_set(err, EINVAL,
			       "needs a number of pages, or a size like 16M, up to 2G");
	if (o->choice.read_along && bytes > SERVED_RING_MOST)
		return err_set(err, EINVAL, "a server's runs have rings of up to 64M");
	while (o->ring_bytes < bytes)
		o->ring_bytes = o->ring_bytes ? o->ring_bytes * 2 : page;
	return 0;
}

static int set_compression(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;
	uint64_t level = 1;

	if (text && (parse_count(text, &level) || level > PACK_LEVEL_MAX))
		return err_set(err, EINVAL, "the level is 1 to %d", PACK_LEVEL_MAX);
	o->compress = !unset && level;
	o->compress_level = (int)level;
	return 0;
}

static int set_most_bytes(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;
	uint64_t bytes = 0;

	(void)unset;
	if (parse_size(text, 1, &bytes) || !bytes)
		return err_set(err, EINVAL, "needs a size like 500M");
	/* a server gives its own first, which a run's options must not raise */
	if (!o->most_bytes || bytes < o->most_bytes)
		o->most_bytes = bytes;
	return 0;
}

static int set_flush(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset;
	if (parse_size(text, 1, &o->flush_bytes) || !o->flush_bytes)
		return err_set(err, EINVAL, "needs a size like 64K");
	return 0;
}

static int set_affinity(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	(void)unset;
	if (!strcasecmp(text, "node"))
		o->affinity = DRAIN_ON_NODE;
	else if (!strcasecmp(text, "cpu"))
		o->affinity = DRAIN_ON_CPU;
	else
		return err_set(err, EINVAL, "'%s' is neither node nor cpu", text);
	return 0;
}

/* Mappings are of processes, so `mmap` brings those, too, as in perf. */
static int set_described(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;
	bool tasks = false, maps = false, cgroups = false;

	(void)unset;
	for (const char *at = text; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");
		bool all = length == 3 && !strncmp(at, "all", length);

		if (all || (length == 4 && !strncmp(at, "mmap", length)))
			tasks = maps = true;
		else if (length == 4 && !strncmp(at, "task", length))
			tasks = true;
		else if (!(length == 6 && !strncmp(at, "cgroup", length)) &&
			 !(length == 2 && !strncmp(at, "no", length)))
			return err_set(err, EINVAL, "'%.*s' must be no, all, task, mmap or cgroup",
				       (int)length, at);
		cgroups |= all || *at == 'c';
		at += length;
	}
	o->no_tasks = !tasks;
	o->no_maps = !maps;
	o->no_cgroups = !cgroups;
	return 0;
}

/* "signal", "100M" or "30s", as perf takes it: 30m are minutes, 30M are megabytes. */
static int set_switching(void *options, const char *text, bool unset, struct err *err)
{
	struct record_options *o = options;

	o->switching = !unset;
	o->switch_by_signal = !text || !strcmp(text, "signal");
	if (o->switch_by_signal)
		return 0;
	if (*text && strchr("BKMG", text[strlen(text) - 1]) &&
	    !parse_size(text, 1, &o->switch_bytes) && o->switch_bytes)
		return 0;
	if (!duration_parse(text, 0, &o->switch_ns, NULL) && o->switch_ns > 0)
		return 0;
	return err_set(err, EINVAL, "needs signal, a size like 100M or a time like 30s");
}

static uint64_t register_named(const char *name, size_t length, const char *machine)
{
	for (unsigned reg = 0; reg < 64; reg++) {
		const char *known = reg_name(machine, reg);

		if (sampling_registers() & 1ULL << reg && !strncasecmp(known, name, length) &&
		    !known[length])
			return 1ULL << reg;
	}
	return 0;
}

/* "ip,sp": registers by name; bare, all of them. */
static int parse_registers(const char *text, uint64_t *into, struct err *err)
{
	struct utsname machine;

	*into = text ? 0 : sampling_registers();
	if (uname(&machine) || !sampling_registers())
		return err_set(err, ENOTSUP, "the registers of this machine are not known");
	while (text && *text) {
		size_t length = strcspn(text, ",");
		uint64_t bit = register_named(text, length, machine.machine);

		if (!bit)
			return err_set(err, EINVAL,
				       "unknown register '%.*s'; there are %s, %s, %s ...",
				       (int)length, text, reg_name(machine.machine, 0),
				       reg_name(machine.machine, 1), reg_name(machine.machine, 2));
		*into |= bit;
		text += length + (text[length] == ',');
	}
	return 0;
}

static int set_intr_regs(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_registers(text, &((struct record_options *)options)->choice.intr_regs, err);
}

static int set_user_regs(void *options, const char *text, bool unset, struct err *err)
{
	(void)unset;
	return parse_registers(text, &((struct record_options *)options)->choice.user_regs, err);
}

/* A name as perf has them, with or without "CLOCK_". */
static int set_clock(void *options, const char *text, bool unset, struct err *err)
{
	static const struct {
		const char *name;
		int clock;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	struct record_options *o = options;
	const char *name = strncasecmp(text, "CLOCK_", 6) ? text : text + 6;

	(void)unset;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!strcasecmp(name, clocks[i].name)) {
			o->choice.clock = clocks[i].clock;
			return 0;
		}
	return err_set(err, EINVAL, "must be monotonic, monotonic_raw, realtime, boottime or tai");
}

#define FIELD(name)  offsetof(struct record_options, name)
#define CHOICE(name) offsetof(struct record_options, choice.name)

const struct option_spec record_option_specs[] = {
	{ OPT_HEADING, .help = "What is sampled" },
	{ OPT_CALL, 'e', "event", 0, "EVENT",
	  "events, with commas between; {a,b}:S samples a and reads b with it; may be repeated; "
	  "without it: cycles, or cpu-clock where there are no hardware counters",
	  .call = add_event },
	{ OPT_CALL, 'F', "freq", 0, "RATE",
	  "samples a second for each event and CPU, or max; default: 3997; 99 costs "
	  "next to nothing",
	  .call = set_frequency },
	{ OPT_CALL, 'c', "count", 0, "N", "a sample every N events, rather than by time",
	  .call = set_period },
	{ OPT_CALL, 0, "filter", 0, "FILTER",
	  "only the hits of a tracepoint that fit, as in 'prev_pid == 1'; for the -e before it",
	  .call = add_filter },
	{ OPT_FLAG, 0, "all-user", CHOICE(all_user), NULL, "in user mode only" },
	{ OPT_FLAG, 0, "all-kernel", CHOICE(all_kernel), NULL, "in kernel mode only" },
	{ OPT_FLAG, 'n', "no-samples", CHOICE(no_samples), NULL,
	  "no samples, only what tells of processes and mappings" },
	{ OPT_FLAG, 0, "strict-freq", FIELD(strict_freq), NULL,
	  "fail if the kernel does not allow the rate, rather than lower it" },
	{ OPT_FLAG, 0, "plan", FIELD(plan), NULL,
	  "measure what a sample costs here and say what to expect; record nothing" },

	{ OPT_HEADING, .help = "What a sample holds" },
	{ OPT_FLAG, 'g', NULL, FIELD(call_graph), NULL, "call chains, by frame pointers" },
	{ OPT_TEXT, 0, "call-graph", FIELD(call_graph_mode), "MODE",
	  "call chains: fp by frame pointers; dwarf[,BYTES] by a copy of the stack, for programs "
	  "built without them; lbr by the CPU's own record" },
	{ OPT_FLAG, 0, "user-callchains", CHOICE(only_user_chain), NULL,
	  "only the chain in user space" },
	{ OPT_FLAG, 0, "kernel-callchains", CHOICE(only_kernel_chain), NULL,
	  "only the chain in the kernel" },
	{ OPT_FLAG, 'd', "data", CHOICE(addresses), NULL, "the address of the data" },
	{ OPT_FLAG, 0, "phys-data", CHOICE(phys_addresses), NULL, "its physical address" },
	{ OPT_FLAG, 'T', "timestamp", FIELD(timestamps), NULL,
	  "the time; on by default, --no-timestamp leaves it out" },
	{ OPT_CALL, 'k', "clockid", 0, "CLOCK",
	  "the clock of the times: monotonic (the default), monotonic_raw, realtime, boottime or "
	  "tai",
	  .call = set_clock },
	{ OPT_FLAG, 'P', "period", CHOICE(period_field), NULL,
	  "how many events the sample stands for" },
	{ OPT_FLAG, 0, "sample-cpu", CHOICE(cpu), NULL, "the CPU; with -a and -C always" },
	{ OPT_FLAG, 'b', "branch-any", FIELD(branch_any), NULL, "the last branches taken" },
	{ OPT_TEXT, 'j', "branch-filter", FIELD(branch_filter), "WORDS",
	  "the last branches of a kind: any, any_call, any_ret, ind_call, cond, u, k ..." },
	{ OPT_FLAG, 'W', "weight", CHOICE(weights), NULL, "the weight (some events only)" },
	{ OPT_FLAG, 'R', "raw-samples", CHOICE(raw), NULL, "the raw data; of tracepoints always" },
	{ OPT_FLAG, 0, "transaction", CHOICE(transactions), NULL, "why a transaction was aborted" },
	{ OPT_FLAG, 0, "data-page-size", CHOICE(data_page_size), NULL, "the data's page size" },
	{ OPT_FLAG, 0, "code-page-size", CHOICE(code_page_size), NULL, "the code's page size" },
	{ OPT_CALL, 'I', "intr-regs", 0, "[REGS]",
	  "the registers at the moment of the sample, or those named: ip,sp",
	  .call = set_intr_regs },
	{ OPT_CALL, 0, "user-regs", 0, "[REGS]", "the same, as they were in user space",
	  .call = set_user_regs },
	{ OPT_FLAG, 0, "sample-identifier", CHOICE(identifier), NULL,
	  "the event's id in front; with several events always" },
	{ OPT_FLAG, 0, "running-time", CHOICE(running_time), NULL,
	  "how long the counters of a :S group were enabled and ran" },
	{ OPT_FLAG, 's', "stat", CHOICE(inherit_stat), NULL, "each thread's counts at its end" },
	{ OPT_FLAG, 0, "switch-events", CHOICE(switches), NULL, "records of context switches" },
	{ OPT_FLAG, 0, "all-cgroups", CHOICE(cgroups), NULL, "the cgroup, and their names" },
	{ OPT_FLAG, 0, "no-namespaces", CHOICE(no_namespaces), NULL,
	  "leave out the records of namespaces" },
	{ OPT_FLAG, 0, "no-bpf-event", CHOICE(no_bpf_events), NULL,
	  "leave out the records of BPF programs" },
	{ OPT_FLAG, 0, "no-buildid-mmap", CHOICE(no_build_id_maps), NULL,
	  "file numbers instead of build-ids in the records of mappings" },
	{ OPT_FLAG, 0, "no-timestamp-boundary", FIELD(no_boundary), NULL,
	  "leave the times of the first and last sample out of the header" },

	{ OPT_HEADING, .help = "Who is recorded (a command then only says how long)" },
	{ OPT_FLAG, 'a', "all-cpus", FIELD(all_cpus), NULL, "everything on all CPUs" },
	{ OPT_TEXT, 'C', "cpu", FIELD(cpus), "CPUS", "everything on these CPUs: 0-3,8" },
	{ OPT_TEXT, 'p', "pid", FIELD(pids), "PIDS",
	  "processes that run already, with the children that they start from now on" },
	{ OPT_FLAG, 0, "tree", FIELD(tree), NULL, "with -p: also the children that they have" },
	{ OPT_TEXT, 't', "tid", FIELD(tids), "TIDS",
	  "threads that run already, without what they start (--inherit: with it)" },
	{ OPT_TEXT, 'u', "uid", FIELD(user), "USER", "all processes of a user, by name or number" },
	{ OPT_TEXT, 'G', "cgroup", FIELD(cgroups), "NAMES",
	  "what runs in these cgroups: one for all events, or one an event" },
	{ OPT_CALL, 'i', "no-inherit", 0, NULL,
	  "leave out the children and the threads that are started; default with -t", 0,
	  set_no_inherit },
	{ OPT_FLAG, 0, "per-thread", FIELD(per_thread), NULL,
	  "only the threads named, or the command's first one; the same as -i" },
	{ OPT_FLAG, 0, "exclude-perf", FIELD(exclude_self), NULL,
	  "leave out the tracepoints that perfolio hits itself" },

	{ OPT_HEADING, .help = "When (a bare number means milliseconds, as in perf)" },
	{ OPT_DURATION, 'D', "delay", FIELD(delay_ns), "TIME",
	  "begin to sample this long after the start; -1: only when --control says so",
	  .unit_ns = NS_PER_MSEC },
	{ OPT_DURATION, 0, "timeout", FIELD(timeout_ns), "TIME", "end it after this time",
	  .unit_ns = NS_PER_MSEC },
	{ OPT_DURATION, 0, "duration", FIELD(timeout_ns), "TIME",
	  "the same; a bare number means seconds", .unit_ns = NS_PER_SEC },
	{ OPT_TEXT, 0, "control", FIELD(control), "CHANNEL",
	  "take enable, disable (of one EVENT, too), evlist, snapshot, ping and stop from "
	  "fifo:CTL[,ACK] or fd:CTL[,ACK]" },

	{ OPT_HEADING, .help = "Where it goes" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE",
	  "write to FILE instead of perf.data; - is standard output, for a pipe" },
	{ OPT_CALL, 'z', "compression-level", 0, "[LEVEL]",
	  "compress with zstd, 1 to 22; default: 1", .call = set_compression },
	{ OPT_CALL, 0, "max-size", 0, "SIZE",
	  "end it when the file is that large: 500M; of two the smaller", .call = set_most_bytes },
	{ OPT_CALL, 0, "switch-output", 0, "[WHEN]",
	  "go on in a new file at SIGUSR2, or whenever a size (100M) or a time (30s) is reached; "
	  "files are named after their time",
	  .call = set_switching },
	{ OPT_TEXT, 0, "switch-output-event", FIELD(switch_event), "EVENT",
	  "go on in a new file whenever this event happens, which is not recorded itself" },
	{ OPT_U64, 0, "switch-max-files", FIELD(switch_files), "N",
	  "keep only the last N of them" },
	{ OPT_FLAG, 0, "timestamp-filename", FIELD(timestamp_filename), NULL,
	  "append the time to the file's name: perf.data.2026111612000000" },
	{ OPT_FLAG, 0, "overwrite", CHOICE(overwrite), NULL,
	  "a flight recorder: keep the newest samples in memory, write them at the end or at a "
	  "switch of files" },
	{ OPT_CALL, 'm', "mmap-pages", 0, "PAGES",
	  "each CPU's ring in pages, or as a size: 32M; default: 16M", .call = set_ring },
	{ OPT_INT, 'r', "realtime", FIELD(priority), "PRIO",
	  "the writing thread's real-time priority; default: 1 where that is permitted" },
	{ OPT_FLAG, 'N', "no-buildid-cache", FIELD(no_cache), NULL,
	  "do not keep in ~/.debug what would vanish: deleted programs, files in containers" },
	{ OPT_TEXT, 0, "vmlinux", FIELD(vmlinux), "FILE",
	  "keep this image of the running kernel in ~/.debug, for its names later" },
	{ OPT_TEXT, 0, "debuginfod", FIELD(debuginfod), "[URLS]",
	  "at the end, fetch what the hot objects lack from these servers, or those in "
	  "DEBUGINFOD_URLS" },
	{ OPT_FLAG, 0, "no-buffering", CHOICE(no_buffering), NULL,
	  "write each record as it comes" },
	{ OPT_FLAG, 'q', "quiet", FIELD(quiet), NULL, "say nothing but errors" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL, "say more" },

	{ OPT_FLAG, 0, "read-along", CHOICE(read_along), NULL,
	  "the server's: commit ten times a second", .hidden = true },
	{ OPT_INT, 0, "later-freq", FIELD(later_frequency), "RATE",
	  "flame's: the rate once there are some thousand samples", .hidden = true },
	{ OPT_TEXT, 0, "tree-cgroup", FIELD(tree_group), "FOLDER",
	  "the server's: -p and all that it starts are in this cgroup, and nothing else is",
	  .hidden = true },
	{ OPT_TEXT, 0, "owner", FIELD(owner), "UID:GID",
	  "the server's: of -p, -t and -u only what this user could trace", .hidden = true },
	{ OPT_TEXT, 0, "summary", FIELD(summary), "NAME",
	  "which summary `script record` records for", .hidden = true },
	{ OPT_FLAG, 0, "budget", FIELD(budget), NULL,
	  "also count where the command's time goes, for `query overview`; needs root" },
	{ OPT_FLAG, 0, "group", FIELD(group), NULL, "make one group of all events",
	  .hidden = true },
	{ OPT_HEADING, .help = "How it is done" },
	{ OPT_FLAG, 0, "dry-run", FIELD(dry_run), NULL,
	  "check the options and events, then exit; start and write nothing" },
	{ OPT_CALL, 0, "synth", 0, "WHAT",
	  "what to write of the processes that run already: all (the default), no, or task, mmap "
	  "(with task) and cgroup",
	  .call = set_described },
	{ OPT_FLAG, 0, "tail-synthesize", FIELD(describe_last), NULL,
	  "write that at the end, as it is then; for --overwrite" },
	{ OPT_INT, 0, "num-thread-synthesize", FIELD(describe_threads), "N",
	  "threads that read /proc for it; default: one per CPU, at most 8" },
	{ OPT_DURATION, 0, "proc-map-timeout", FIELD(map_limit_ns), "TIME",
	  "stop reading the mappings of a process after this time; default: no limit",
	  .unit_ns = NS_PER_MSEC },
	{ OPT_CALL, 0, "affinity", 0, "PLACE",
	  "run the writing thread on the memory node (node) or the CPU (cpu) of the ring it reads",
	  .call = set_affinity },
	{ OPT_CALL, 0, "mmap-flush", 0, "SIZE",
	  "leave a ring alone until it holds this much; at most a quarter of the ring",
	  .call = set_flush },
	/* What perf has to be told we do anyway. */
	{ OPT_FLAG, 0, "kcore", FIELD(kcore), NULL,
	  "make FILE a folder that holds the kernel's code and symbols, too" },
	{ OPT_FLAG, 0, "buildid-all", FIELD(done_anyway), NULL, "all build-ids", .hidden = true },
	{ OPT_FLAG, 'B', "no-buildid", FIELD(choice.no_build_ids), NULL,
	  "leave the build-ids out; keeps nothing either", .hidden = true },
	{ 0 },
};

const struct record_options record_option_defaults = {
	.choice = { .clock = CLOCK_MONOTONIC },
	.timestamps = true,
};

void record_options_release(void *options)
{
	struct record_options *o = options;

	vec_free(&o->steps);
}

bool record_options_has_target(const struct record_options *o)
{
	return o->all_cpus || o->cpus || o->pids || o->tids || o->user || o->cgroups;
}

static int check_stacks(struct record_options *o, struct err *err)
{
	const char *mode = o->call_graph_mode ? o->call_graph_mode : o->call_graph ? "fp" : "no";
	int rc = sampling_stacks_parse(&o->choice, mode, err);

	if (rc)
		return err_prefix(err, "--call-graph");
	if (o->choice.only_user_chain && o->choice.only_kernel_chain)
		o->choice.only_user_chain = o->choice.only_kernel_chain = false;
	if ((o->choice.only_user_chain || o->choice.only_kernel_chain) && !o->choice.stacks)
		o->choice.stacks = STACK_FP;
	if (o->branch_any)
		o->choice.branches = PERF_SAMPLE_BRANCH_ANY;
	if (o->branch_filter) {
		rc = sampling_branches_parse(o->branch_filter, &o->choice.branches, err);
		if (rc)
			return err_prefix(err, "-j");
	}
	return 0;
}

static int check_output(struct record_options *o, struct err *err)
{
	bool pipe = o->output && !strcmp(o->output, "-");

	o->switching |= o->switch_event != NULL;
	if (pipe && o->switching)
		return err_set(err, EINVAL,
			       "a pipe can't be switched: --switch-output needs a file");
	if (o->choice.all_user && o->choice.all_kernel)
		return err_set(err, EINVAL, "--all-user and --all-kernel exclude each other");
	if (o->switch_files && !o->switching)
		return err_set(err, EINVAL, "--switch-max-files needs --switch-output");
	if (o->priority < 0 || o->priority > 99)
		return err_set(err, EINVAL, "-r takes a priority from 1 to 99");
	if (pipe && o->timestamp_filename)
		return err_set(err, EINVAL, "a pipe has no name for --timestamp-filename");
	if (o->debuginfod && (pipe || o->switching || o->timestamp_filename))
		return err_set(err, EINVAL, "--debuginfod needs one file of a known name");
	if (o->kcore && (pipe || o->switching || o->timestamp_filename))
		return err_set(err, EINVAL,
			       "--kcore makes a folder: it needs one output of a known name");
	if (o->vmlinux && (o->no_cache || o->choice.no_build_ids))
		return err_set(err, EINVAL, "--vmlinux keeps a file, which -N and -B forbid");
	if (o->describe_threads < 0)
		return err_set(err, EINVAL, "--num-thread-synthesize needs a positive number");
	if (o->map_limit_ns < 0)
		return err_set(err, EINVAL, "--proc-map-timeout must not be negative");
	if (o->per_thread && (o->all_cpus || o->cpus || o->cgroups))
		return err_set(err, EINVAL, "--per-thread needs a command, -p, -t or -u");
	/* who names threads means these threads, as in perf */
	o->choice.no_inherit |= o->per_thread || (o->tids && !o->inherit_given);
	if (o->tree && !o->pids)
		return err_set(err, EINVAL, "--tree needs -p");
	if (!o->output)
		o->output = "perf.data";
	return 0;
}

int record_options_check(struct record_options *o, int words, struct err *err)
{
	int rc;

	if (o->frequency_given && o->period_given)
		return err_set(err, EINVAL,
			       "-F (a rate) and -c (a count of events) exclude each other");
	if (o->timeout_ns < 0 || (o->timeout_ns && o->timeout_ns < 10 * NS_PER_MSEC))
		return err_set(err, EINVAL, "--timeout: 10ms is the shortest");
	if (!record_options_has_target(o) && !words && !o->plan)
		return err_set(err, EINVAL,
			       "nothing to record: name a command, or -a for the whole machine, or "
			       "-p, -t, -u");
	if (o->budget && (!words || record_options_has_target(o)))
		return err_set(err, EINVAL, "--budget: only of a command that is started here");
	o->choice.chosen = o->frequency_given || o->period_given;
	o->choice.no_time = !o->timestamps;
	if (!o->choice.chosen)
		o->choice.frequency = RECORD_FREQUENCY;
	rc = check_stacks(o, err);
	return rc ? rc : check_output(o, err);
}
