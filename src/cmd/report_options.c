// SPDX-License-Identifier: Apache-2.0
#include "cmd/report_options.h"
#include "base/err.h"

#include <errno.h>
#include <stdlib.h>

#define GRAPH_MIN 0.5 /* per cent, perf's */

static const struct {
	const char *name, *other;
	enum breakdown_key key;
} sort_keys[] = {
	{ "comm", "command", BY_COMM },	      { "pid", "process", BY_PID },
	{ "tid", "thread", BY_TID },	      { "cpu", "cpu", BY_CPU },
	{ "parent", "parent", BY_PARENT },    { "dso", "object", BY_OBJECT },
	{ "symbol", "sym", BY_FUNCTION },     { "srcline", "srcline", BY_SRCLINE },
	{ "srcfile", "srcfile", BY_SRCFILE },
};

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

static int sort_key(const char *word, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_keys); i++)
		if (is_word(word, length, sort_keys[i].name) ||
		    is_word(word, length, sort_keys[i].other))
			return (int)sort_keys[i].key;
	return -1;
}

int report_parse_sort(const struct report_args *args, enum breakdown_key *keys, struct err *err)
{
	const char *text = args->sort ? args->sort : "comm,dso,symbol", *word;
	unsigned taken = 0;
	size_t length;
	int count = 0;

	while (next_word(&text, &word, &length)) {
		int key = sort_key(word, length);

		if (key < 0)
			return err_set(err, EINVAL,
				       "--sort: '%.*s' is no key; there are comm, pid, tid, cpu, "
				       "parent, dso, symbol, srcline and srcfile",
				       (int)length, word);
		if (!(taken & 1u << key))
			keys[count++] = (enum breakdown_key)key;
		taken |= 1u << key;
	}
	if (args->parent && !(taken & 1u << BY_PARENT))
		keys[count++] = BY_PARENT;
	return count ? count : err_set(err, EINVAL, "--sort needs a key");
}

bool report_wants_lines(const struct report_args *args)
{
	const char *text = args->sort, *word;
	size_t length;

	if (args->names.lines)
		return true;
	while (next_word(&text, &word, &length)) {
		int key = sort_key(word, length);

		if (key == BY_SRCLINE || key == BY_SRCFILE)
			return true;
	}
	return false;
}

int report_parse_graph(struct report_args *args, const char *text, struct err *err)
{
	const char *word, *rest = text;
	bool number = false;
	size_t length;

	while (next_word(&rest, &word, &length)) {
		char *end;
		double value = strtod(word, &end);

		if (is_word(word, length, "caller") || is_word(word, length, "callee"))
			args->graph = word[5] == 'r' ? REPORT_CALLER : REPORT_CALLEE;
		else if (is_word(word, length, "none"))
			args->graph = REPORT_NO_GRAPH;
		else if (!number && end == word + length && length && value >= 0 && value <= 100)
			args->graph_min = value, number = true;
		else if (!is_word(word, length, "graph") && !is_word(word, length, "function") &&
			 !is_word(word, length, "percent"))
			return err_set(err, EINVAL,
				       "-g: '%.*s' is none of caller, callee, none, graph, or the "
				       "least share in per cent",
				       (int)length, word);
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
	/* As in perf, whose bare -g stands for graph,0.5,caller. */
	return report_parse_graph(args, text ? text : "caller", err);
}

static int take_inverted(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->graph = unset ? REPORT_CALLEE : REPORT_CALLER;
	return 0;
}

static int take_children(void *options, const char *text, bool unset, struct err *err)
{
	(void)text;
	(void)err;
	((struct report_args *)options)->children = !unset;
	return 0;
}

int report_make_options(const struct report_args *args, bool has_stacks,
			struct report_options *options, struct err *err)
{
	const char *limit = args->percent_limit;
	char *end = NULL;

	*options = (struct report_options){
		.keys_given = args->sort,
		/* Of callers only the function is kept, not the line. */
		.children = !report_wants_lines(args) &&
			    (args->children < 0 ? has_stacks : args->children > 0),
		.show_samples = args->show_samples,
		.show_weight = args->show_weight,
		.separator = args->separator,
		.graph_min = args->graph_min,
		.comms = args->comms,
		.objects = args->objects,
		.symbols = args->symbols,
		.busy = args->busy,
		.time = args->time,
	};
	options->percent_limit = limit ? strtod(limit, &end) : 0;
	if (limit && (end == limit || *end || options->percent_limit < 0))
		return err_set(err, EINVAL, "--percent-limit '%s': must be a number", limit);
	options->graph = (enum report_graph)args->graph;
	if (args->graph < 0)
		options->graph = options->children ? REPORT_CALLER : REPORT_CALLEE;
	if (!has_stacks)
		options->graph = REPORT_NO_GRAPH;
	if (args->percentage && strcmp(args->percentage, "relative") &&
	    strcmp(args->percentage, "absolute"))
		return err_set(err, EINVAL, "--percentage '%s': must be relative or absolute",
			       args->percentage);
	options->relative = args->percentage && *args->percentage == 'r';
	return 0;
}

int report_make_filter(const struct report_args *args, const struct loaded *in,
		       struct profile_filter *filter, struct err *err)
{
	struct time_range range = { 0 }, whole;
	int rc = load_check_told(in, args->cpus, args->time, err);

	*filter = (struct profile_filter){
		.pids = args->pids,
		.tids = args->tids,
		.cpus = args->cpus,
		.keep = args->keep,
		.keep_raw = args->keep_raw,
		.drop = args->drop,
		.listed = true,
		.busy = args->busy,
	};
	if (!rc && args->time) {
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
	  "none, and the least share in per cent: caller,0.5",
	  .call = take_graph },
	{ OPT_CALL, 'G', "inverted", 0, NULL, "the same as -g caller", .call = take_inverted },
	{ OPT_CALL, 0, "children", 0, NULL,
	  "rows for callers too, with what they call added; on where there are stacks",
	  .call = take_children },
	{ OPT_TEXT, 's', "sort", FIELD(sort), "KEYS",
	  "a row for each comm, pid, tid, cpu, parent, dso, symbol, srcline, srcfile; "
	  "default: comm,dso,symbol" },
	{ OPT_TEXT, 'p', "parent", FIELD(parent), "REGEX",
	  "which callers --sort parent tells apart" },
	{ OPT_TEXT, 0, "percent-limit", FIELD(percent_limit), "PERCENT",
	  "leave out rows below this share" },
	{ OPT_FLAG, 'n', "show-nr-samples", FIELD(show_samples), NULL,
	  "a column with the number of samples" },
	{ OPT_FLAG, 0, "show-total-period", FIELD(show_weight), NULL,
	  "a column with the event's count" },
	{ OPT_TEXT, 't', "field-separator", FIELD(separator), "TEXT",
	  "put TEXT between columns instead of aligning them" },
	{ OPT_FLAG, 0, "json", FIELD(json), NULL, "the same as JSON" },
	{ OPT_FLAG, 0, "header", FIELD(header), NULL,
	  "first, what the recording tells about itself" },
	{ OPT_FLAG, 0, "header-only", FIELD(header_only), NULL, "that alone" },
	{ OPT_FLAG, 'I', "show-info", FIELD(full_header), NULL, "with the long parts of it" },
	{ OPT_FLAG, 0, "stdio", FIELD(stdio), NULL, "text on standard output: the only form yet" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "taken and ignored: files of others are read anyway", .hidden = true },
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
	{ OPT_HEADING, .help = "Which rows" },
	{ OPT_TEXT, 'c', "comms", FIELD(comms), "NAMES", "of threads with these names" },
	{ OPT_TEXT, 'd', "dsos", FIELD(objects), "NAMES", "in these objects: libc.so.6" },
	{ OPT_TEXT, 'S', "symbols", FIELD(symbols), "NAMES", "of these functions" },
	{ OPT_TEXT, 0, "percentage", FIELD(percentage), "KIND",
	  "shares of all samples (absolute) or of these rows (relative)" },
	SYMBOL_OPTIONS(NAMES),
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL,
	  "neither use nor write the file that makes the next report of a large recording fast" },
	{ 0 },
};

const struct report_args report_defaults = {
	.children = -1,
	.graph = -1,
	.graph_min = GRAPH_MIN,
};
