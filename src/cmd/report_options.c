// SPDX-License-Identifier: Apache-2.0
#include "cmd/report_options.h"
#include "base/err.h"
#include "base/text.h"
#include "perfdata/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define GRAPH_MIN 0.5 /* per cent, perf's */

/* The next word up to a comma; false at the end. */
static bool next_word(const char **text, const char **word, size_t *length)
{
	if (!*text || !**text)
		return false;
	*word = *text;
	*length = strcspn(*text, ",");
	*text += *length;
	*text += **text == ',';
	return true;
}

static bool is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !strncmp(word, name, length);
}

/* Words of -g that set one of several. */
static const struct {
	const char *name;
	size_t field;
	int value;
} graph_words[] = {
	{ "caller", offsetof(struct report_args, graph), REPORT_CALLER },
	{ "callee", offsetof(struct report_args, graph), REPORT_CALLEE },
	{ "none", offsetof(struct report_args, graph), REPORT_NO_GRAPH },
	{ "graph", offsetof(struct report_args, graph_form), FORM_GRAPH },
	{ "fractal", offsetof(struct report_args, graph_form), FORM_FRACTAL },
	{ "flat", offsetof(struct report_args, graph_form), FORM_FLAT },
	{ "folded", offsetof(struct report_args, graph_form), FORM_FOLDED },
	{ "percent", offsetof(struct report_args, graph_value), VALUE_PERCENT },
	{ "period", offsetof(struct report_args, graph_value), VALUE_PERIOD },
	{ "count", offsetof(struct report_args, graph_value), VALUE_COUNT },
};

static bool take_graph_word(struct report_args *args, const char *word, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(graph_words); i++) {
		if (!is_word(word, length, graph_words[i].name))
			continue;
		memcpy((char *)args + graph_words[i].field, &graph_words[i].value, sizeof(int));
		return true;
	}
	return is_word(word, length, "function");
}

int report_parse_graph(struct report_args *args, const char *text, struct err *err)
{
	const char *word, *rest = text;
	int numbers = 0;
	size_t length;

	while (next_word(&rest, &word, &length)) {
		char *end;
		double value = strtod(word, &end);
		bool number = end == word + length && length && value >= 0;

		if (number && !numbers && value <= 100)
			args->graph_min = value;
		else if (number && numbers == 1 && value <= INT32_MAX)
			args->graph_limit = (int)value;
		else if (is_word(word, length, "address") || is_word(word, length, "branch"))
			return err_set(err, EINVAL,
				       "'%.*s': stacks are kept by function, without addresses",
				       (int)length, word);
		else if (!take_graph_word(args, word, length))
			return err_set(
				err, EINVAL,
				"unknown call graph word '%.*s'; write caller, callee, none, "
				"graph, fractal, flat, folded, percent, period, count, the least "
				"share in per cent, or behind that the most branches of a frame",
				(int)length, word);
		numbers += number;
	}
	return 0;
}

static int take_graph(void *options, const char *text, bool unset, struct err *err)
{
	struct report_args *args = options;

	if (unset) {
		args->graph = REPORT_NO_GRAPH;
		return 0;
	}
	args->graph_bare = !text;
	return text ? report_parse_graph(args, text, err) : 0;
}

static int take_inverted(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->graph = unset ? REPORT_CALLEE : REPORT_CALLER;
	return 0;
}

/* Without these two --hide would be short for --hide-unresolved, and take no expression. */
static int refuse_reshaping(void *options, const char *text, bool unset, struct err *err)
{
	(void)options;
	(void)text;
	(void)unset;
	return err_set(err, EINVAL,
		       "report shows stacks as they are; `perfolio query top`, `flame` and `fold` "
		       "have --focus and --hide. Here --grep and --exclude choose stacks by "
		       "function, --ignore-callees ends them at one, -U leaves nameless ones out");
}

/* On, off, or as the recording has it. */
static int take_group(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->group = !unset;
	return 0;
}

static int take_branches(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->branches = !unset;
	return 0;
}

static int take_children(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->children = !unset;
	return 0;
}

struct report_source report_source(struct perf_reader *reader)
{
	struct report_source source = { .reader = reader, .tracepoints = reader };

	for (size_t i = 0; reader && i < perf_reader_attr_count(reader); i++) {
		const struct perf_event_attr *attr = &perf_reader_attr(reader, i)->attr.base;

		source.stacks |= (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		source.branches |= (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) != 0;
		source.weights |= (attr->sample_type & PERF_SAMPLE_DATA_SRC) != 0;
		source.tracepoints &= attr->type == PERF_TYPE_TRACEPOINT;
	}
	if (!reader || !perf_reader_attr_count(reader))
		source.tracepoints = false;
	return source;
}

static int take_percents(const struct report_args *args, struct report_options *options,
			 struct err *err)
{
	const char *limit = args->percent_limit;
	char *end = NULL;

	options->percent_limit = limit ? strtod(limit, &end) : 0;
	if (limit && (end == limit || *end || options->percent_limit < 0))
		return err_set(err, EINVAL, "--percent-limit '%s': must be a number", limit);
	if (args->percentage && strcmp(args->percentage, "relative") &&
	    strcmp(args->percentage, "absolute"))
		return err_set(err, EINVAL, "--percentage '%s': must be relative or absolute",
			       args->percentage);
	options->relative = args->percentage && *args->percentage == 'r';
	return 0;
}

static int take_color(const struct report_args *args, struct report_options *options,
		      struct err *err)
{
	const char *color = args->color ? args->color : "auto";

	if (strcmp(color, "always") != 0 && strcmp(color, "never") != 0 &&
	    strcmp(color, "auto") != 0)
		return err_set(err, EINVAL, "--stdio-color '%s': must be always, never or auto",
			       color);
	options->color = !strcmp(color, "always") ||
			 (!strcmp(color, "auto") && *text_color(stdout, COLOR_BAD));
	options->line_width = text_is_terminal(stdout) ? (size_t)text_width(stdout) : 0;
	return 0;
}

static int check_source(const struct report_args *args, const struct report_source *source,
			struct err *err)
{
	bool told = source->reader && perf_reader_attr_count(source->reader);

	if (told && args->branches > 0 && !source->branches)
		return err_set(err, EINVAL,
			       "-b: the recording has no branches; record with -b on a processor "
			       "that keeps them");
	if (told && args->memory && !source->weights)
		return err_set(err, EINVAL,
			       "--mem-mode: the recording does not tell of memory; record such "
			       "events with -d -W");
	if (args->separator && !strcmp(args->separator, "."))
		return err_set(err, EINVAL,
			       "-t .: points stand in numbers and names; choose another separator");
	return 0;
}

int report_make_options(const struct report_args *args, const struct report_source *source,
			struct report_options *options, struct report_traits *traits,
			struct strlist *words, struct err *err)
{
	bool stacks = source->stacks && !source->branches;
	int rc = check_source(args, source, err);

	*options = (struct report_options){
		.keys_given = args->sort,
		.children = !args->hierarchy && !source->branches &&
			    (args->children < 0 ? stacks : args->children > 0),
		.separator = args->separator,
		.form = (enum report_form)args->graph_form,
		.value = (enum report_value)args->graph_value,
		.graph_min = args->graph_min,
		.graph_limit = (unsigned)args->graph_limit,
		.comms = args->comms,
		.objects = args->objects,
		.symbols = args->symbols,
		.symbol_part = args->symbol_part,
		.exclude_other = args->exclude_other,
		.busy = args->busy,
		.time = args->time,
		.socket = args->socket,
		.hierarchy = args->hierarchy,
		.quiet = args->quiet,
		.verbose = args->verbose > 0,
		.sort_member = args->group_sort > 0 ? (size_t)args->group_sort : 0,
		.branches = source->branches,
		.raw_names = !args->demangle,
		.demangle_kernel = args->demangle_kernel,
	};
	*traits = (struct report_traits){ .reader = source->reader,
					  .quantum_ns = (uint64_t)args->quantum_ns,
					  .ns = args->ns,
					  .raw_trace = args->raw_trace,
					  .full_paths = args->names.full_paths };
	if (!rc)
		rc = take_percents(args, options, err);
	if (!rc)
		rc = take_color(args, options, err);
	if (!rc)
		rc = report_choose_columns(args, source, options, traits, words, err);
	options->graph = (enum report_graph)args->graph;
	/* perf's bare -g stands for graph,0.5,caller. */
	if (args->graph < 0)
		options->graph = options->children || args->hierarchy || args->graph_bare
					 ? REPORT_CALLER
					 : REPORT_CALLEE;
	if (!stacks)
		options->graph = REPORT_NO_GRAPH;
	return rc;
}

bool report_has_ranges(const struct report_args *args)
{
	return args->time && args->time[time_range_length(args->time)];
}

bool report_changes_profile(const struct report_args *args)
{
	return report_wants_lines(args) || args->max_stack || args->hide_unknown ||
	       args->ignore_callees || args->memory;
}

int report_make_filter(const struct report_args *args, const struct loaded *in,
		       struct profile_filter *filter, struct err *err)
{
	struct time_range range = { 0 }, whole;
	int rc = load_check_told(in, args->cpus, args->time, err);

	*filter = (struct profile_filter){
		.comms = args->comms,
		.pids = args->pids,
		.tids = args->tids,
		.cpus = args->cpus,
		.keep = args->keep,
		.keep_raw = args->keep_raw,
		.drop = args->drop,
		.listed = true,
		.busy = args->busy,
	};
	if (!rc && args->time && !report_has_ranges(args)) {
		rc = time_range_parse(&range, args->time,
				      profile_times(in->profile, &whole) ? &whole : NULL, err);
		filter->time_from = range.start;
		/* perf takes the end's own sample too. */
		filter->time_to = range.end ? range.end + 1 : 0;
	}
	return rc;
}

#define FIELD(name) offsetof(struct report_args, name)
#define NAMES(name) FIELD(names.name)

const struct option_spec report_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_CALL, 'g', "call-graph", 0, "[WHAT]",
	  "call trees below the rows: caller (from the outside in), callee (from the inside out) "
	  "or "
	  "none; graph, fractal, flat or folded; percent, period or count; the least share in per "
	  "cent: caller,0.5",
	  .call = take_graph },
	{ OPT_CALL, 'G', "inverted", 0, NULL, "the same as -g caller", .call = take_inverted },
	{ OPT_CALL, 0, "children", 0, NULL,
	  "rows for callers too, with what they call added; on where there are stacks",
	  .call = take_children },
	{ OPT_TEXT, 's', "sort", FIELD(sort), "KEYS",
	  "a row for each comm, pid, tid, cpu, parent, dso, symbol, addr, srcline, srcfile, time, "
	  "cgroup, trace, weight ... (the manual has all); +KEY adds to the default: "
	  "comm,dso,symbol" },
	{ OPT_TEXT, 'F', "fields", FIELD(fields), "FIELDS",
	  "these columns, in this order: overhead, overhead_children, overhead_sys, overhead_us, "
	  "sample, period, and all keys; +FIELD adds one" },
	{ OPT_FLAG, 0, "hierarchy", FIELD(hierarchy), NULL,
	  "rows below rows, a level for each key" },
	{ OPT_CALL, 0, "group", 0, NULL,
	  "the events of a group beside each other; default: if they were recorded so",
	  .call = take_group },
	{ OPT_INT, 0, "group-sort-idx", FIELD(group_sort), "N",
	  "put the rows of a group in order by its event number N, from 0" },
	{ OPT_CALL, 'b', "branch-stack", 0, NULL,
	  "rows of branches; default: if the recording has them and no stacks",
	  .call = take_branches },
	{ OPT_FLAG, 0, "mem-mode", FIELD(memory), NULL,
	  "rows of memory accesses, by what they cost" },
	{ OPT_INT, 0, "max-stack", FIELD(max_stack), "N",
	  "at most the N innermost frames; of copied stacks N of the kernel and N of the program" },
	{ OPT_TEXT, 0, "ignore-callees", FIELD(ignore_callees), "REGEX",
	  "what these functions call counts as their own" },
	{ OPT_TEXT, 'p', "parent", FIELD(parent), "REGEX",
	  "which callers --sort parent tells apart" },
	{ OPT_FLAG, 'x', "exclude-other", FIELD(exclude_other), NULL,
	  "only rows below such a caller" },
	{ OPT_TEXT, 0, "percent-limit", FIELD(percent_limit), "PERCENT",
	  "leave out rows below this share" },
	{ OPT_FLAG, 'n', "show-nr-samples", FIELD(show_samples), NULL,
	  "a column with the number of samples" },
	{ OPT_FLAG, 0, "show-total-period", FIELD(show_weight), NULL,
	  "a column with the event's count" },
	{ OPT_FLAG, 0, "show-cpu-utilization", FIELD(show_modes), NULL,
	  "columns with the shares of the kernel and of programs" },
	{ OPT_FLAG, 0, "showcpuutilization", FIELD(show_modes), NULL, "the same", .hidden = true },
	{ OPT_DURATION, 0, "time-quantum", FIELD(quantum_ns), "TIME",
	  "the steps of --sort time; default: 100ms", .unit_ns = NS_PER_MSEC },
	{ OPT_FLAG, 0, "ns", FIELD(ns), NULL, "times to the nanosecond" },
	{ OPT_FLAG, 0, "raw-trace", FIELD(raw_trace), NULL,
	  "with --sort trace: the fields of a tracepoint, not its sentence" },
	{ OPT_TEXT, 't', "field-separator", FIELD(separator), "TEXT",
	  "put TEXT between columns instead of aligning them" },
	{ OPT_TEXT, 'w', "column-widths", FIELD(widths), "WIDTHS",
	  "widths of the columns, with commas between; names are cut to them" },
	{ OPT_FLAG, 'q', "quiet", FIELD(quiet), NULL, "the rows alone, and no warnings" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL,
	  "with an address in each row, whole paths, and functions with their parameters" },
	{ OPT_TEXT, 0, "stdio-color", FIELD(color), "WHEN",
	  "colour large shares always, never or auto: on a terminal; default: auto" },
	{ OPT_FLAG, 0, "skip-empty", FIELD(skip_empty), NULL,
	  "leave out events without samples (on)" },
	{ OPT_FLAG, 0, "json", FIELD(json), NULL, "the same as JSON" },
	{ OPT_FLAG, 0, "stdio", FIELD(stdio), NULL, "text on standard output: the only form yet" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "no warning that a recording belongs to another user" },
	{ OPT_HEADING, .help = "Something else" },
	{ OPT_FLAG, 0, "header", FIELD(header), NULL,
	  "first, what the recording tells about itself" },
	{ OPT_FLAG, 0, "header-only", FIELD(header_only), NULL, "that alone" },
	{ OPT_FLAG, 'I', "show-info", FIELD(full_header), NULL, "with the long parts of it" },
	{ OPT_FLAG, 0, "stats", FIELD(stats), NULL, "how many records of each kind there are" },
	{ OPT_FLAG, 0, "tasks", FIELD(tasks), NULL, "processes and threads, below their parents" },
	{ OPT_FLAG, 0, "mmaps", FIELD(mappings), NULL, "the same, with their mappings" },
	{ OPT_FLAG, 'D', "dump-raw-trace", FIELD(dump), NULL,
	  "every record, byte by byte and taken apart" },
	{ OPT_FLAG, 0, "disable-order", FIELD(unordered), NULL,
	  "with -D: as they stand in the file, not by time" },
	{ OPT_FLAG, 'T', "threads", FIELD(counters), NULL,
	  "at the end, what each thread counted (record -s)" },
	{ OPT_TEXT, 0, "pretty", FIELD(pretty), "KEY",
	  "with -T: normal (a column an event) or raw (a line an event)" },
	{ OPT_HEADING, .help = "Which samples" },
	{ OPT_FLAG, 0, "busy", FIELD(busy), NULL,
	  "without idle CPUs: shares are then of busy time" },
	{ OPT_TEXT, 0, "time", FIELD(time), "RANGE",
	  "10s-20s after the start, START,STOP in seconds of its clock, or 10%-20%" },
	{ OPT_TEXT, 'C', "cpu", FIELD(cpus), "CPUS", "on these CPUs: 0-3,8" },
	{ OPT_TEXT, 0, "pid", FIELD(pids), "PIDS", "of these processes" },
	{ OPT_TEXT, 0, "tid", FIELD(tids), "TIDS", "of these threads" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "EVENT", "of this event only" },
	{ OPT_TEXT, 0, "grep", FIELD(keep), "REGEX",
	  "only stacks with a function whose name, as it is shown, matches" },
	{ OPT_TEXT, 0, "keep", FIELD(keep), "REGEX", "the same as --grep", .hidden = true },
	{ OPT_TEXT, 0, "grep-raw", FIELD(keep_raw), "REGEX",
	  "the same by the linker's names, which are mangled in C++ and Rust" },
	{ OPT_TEXT, 0, "exclude", FIELD(drop), "REGEX",
	  "only stacks without a function whose name, as it is shown, matches" },
	{ OPT_TEXT, 0, "drop", FIELD(drop), "REGEX", "the same as --exclude", .hidden = true },
	{ OPT_TEXT, 0, "switch-on", FIELD(switch_on), "EVENT", "after this event" },
	{ OPT_TEXT, 0, "switch-off", FIELD(switch_off), "EVENT", "not after this event" },
	{ OPT_FLAG, 0, "show-on-off-events", FIELD(show_switches), NULL,
	  "these two events' own samples too" },
	{ OPT_INT, 0, "socket-filter", FIELD(socket), "N", "on this processor socket" },
	{ OPT_FLAG, 'U', "hide-unresolved", FIELD(hide_unknown), NULL,
	  "only functions with a name, of callers too" },
	{ OPT_CALL, 0, "hide", 0, "REGEX", "not here", .call = refuse_reshaping, .hidden = true },
	{ OPT_CALL, 0, "focus", 1, "REGEX", "not here", .call = refuse_reshaping, .hidden = true },
	{ OPT_HEADING, .help = "Which rows" },
	{ OPT_TEXT, 'c', "comms", FIELD(comms), "NAMES", "of threads with these names" },
	{ OPT_TEXT, 'd', "dsos", FIELD(objects), "NAMES", "in these objects: libc.so.6" },
	{ OPT_TEXT, 'S', "symbols", FIELD(symbols), "NAMES", "of these functions" },
	{ OPT_TEXT, 0, "symbol-filter", FIELD(symbol_part), "TEXT",
	  "of functions with TEXT in their name" },
	{ OPT_TEXT, 0, "percentage", FIELD(percentage), "KIND",
	  "shares of all samples (absolute) or of these rows (relative)" },
	SYMBOL_OPTIONS(NAMES),
	{ OPT_FLAG, 0, "demangle", FIELD(demangle), NULL,
	  "names of C++ and Rust as they were written (on)" },
	{ OPT_FLAG, 0, "demangle-kernel", FIELD(demangle_kernel), NULL, "those of the kernel too" },
	{ OPT_FLAG, 'm', "modules", FIELD(modules), NULL, "names of the kernel's modules (on)" },
	{ OPT_FLAG, 0, "ignore-vmlinux", NAMES(ignore_vmlinux), NULL,
	  "the kernel's names from its list, whatever images are found" },
	{ OPT_FLAG, 0, "full-source-path", NAMES(full_paths), NULL,
	  "source files with their folders" },
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL,
	  "neither use nor write the file that makes the next report of a large recording fast" },
	{ 0 },
};

const struct report_args report_defaults = {
	.children = -1,
	.graph = -1,
	.graph_min = GRAPH_MIN,
	.group = -1,
	.branches = -1,
	.socket = -1,
	.skip_empty = true,
	.modules = true,
	.demangle = true,
	.quantum_ns = 100 * NS_PER_MSEC,
};
