// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "cmd/report_records.h"
#include "cmd/report_rows.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/remedy.h"
#include "profile/trim.h"
#include "render/script_header.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf's: functions that system calls begin with. */
#define DEFAULT_PARENT "^sys_|^do_page_fault"

struct report_run {
	const struct report_args *args;
	const char *input;
	struct loaded in;
	struct perf_reader *reader; /* of `in`; NULL: it is no recording */
	struct profile *profile;
	struct report_options options;
	struct report_traits traits;
	struct strlist words; /* that columns borrow */
	struct profile_filter filter;
	uint8_t *rows; /* of the profile, that are taken; NULL: all */
	struct report_names names;
	struct trust *trusts; /* by event, of the recording and not of what is shown of it */
	uint64_t matched;     /* rows that are shown */
};

/* The share of the rows that are shown, or would be without --busy, in which a CPU had no work. */
static double idle_share(const struct report_run *run, uint16_t event)
{
	const struct profile_samples *rows = &run->profile->samples;
	struct profile_filter filter = run->filter;
	double waiting = 0, all = 0;
	struct sieve sieve;
	uint8_t *idle;

	filter.event = event;
	filter.busy = false;
	if (sieve_make(&sieve, run->profile, &filter, NULL))
		return 0;
	idle = profile_idle_stacks(run->profile);
	for (size_t i = sieve.first; i < sieve.last; i++) {
		if (!sieve_takes(&sieve, run->profile, i) || (run->rows && !run->rows[i]))
			continue;
		all += (double)rows->weight[i];
		waiting += idle[rows->stack[i]] ? (double)rows->weight[i] : 0;
	}
	free(idle);
	sieve_free(&sieve);
	return all > 0 ? waiting / all : 0;
}

static unsigned key_bits(const struct report_run *run)
{
	const struct report_options *o = &run->options;
	unsigned bits = 0;

	for (size_t i = 0; i < o->columns.count; i++)
		if (o->columns.list[i].key->field == FIELD_KEY)
			bits |= 1u << o->columns.list[i].by;
	if (o->objects)
		bits |= 1u << BY_OBJECT;
	if (o->symbols || o->symbol_part)
		bits |= 1u << BY_FUNCTION;
	if (o->socket >= 0)
		bits |= 1u << o->socket_key;
	if (o->exclude_other)
		bits |= 1u << BY_PARENT;
	return bits;
}

/* The rows of one event of a report. */
static int make_member(struct report_run *run, uint16_t event, struct report_member *member,
		       struct err *err)
{
	struct breakdown_options options = {
		.keys = key_bits(run),
		.children = run->options.children,
		.from_leaf = run->options.graph == REPORT_CALLEE,
		.parent = run->args->parent ? run->args->parent : DEFAULT_PARENT,
		/* perf takes the first match of a stack in the order in which it draws it */
		.outer_parent = run->options.graph == REPORT_NO_GRAPH
					? run->options.children
					: run->options.graph == REPORT_CALLER,
		.rows = run->rows,
		.filter = run->filter,
	};
	struct breakdown everybody;
	int rc;

	options.filter.event = event;
	member->event = event;
	rc = breakdown_make(&member->breakdown, run->profile, &options, err);
	if (rc)
		return rc;
	member->all = member->breakdown.total;
	if (!run->filter.comms && !run->filter.pids && !run->filter.tids)
		return 0;
	/* As in perf, shares are of all threads. */
	options.keys = 0;
	options.children = false;
	options.filter.comms = options.filter.pids = options.filter.tids = NULL;
	rc = breakdown_make(&everybody, run->profile, &options, err);
	if (!rc) {
		member->all = everybody.total;
		breakdown_free(&everybody);
	} else {
		breakdown_free(&member->breakdown);
	}
	return rc;
}

/* One table: of an event, or of a group of them. */
static int show_table(struct report_run *run, const uint16_t *events, size_t count,
		      const char *group, struct outbuf *out, struct json *json, struct err *err)
{
	struct report_member *members = mem_alloc(count * sizeof(*members));
	struct report report;
	size_t made = 0;
	bool empty; /* by the user's filters; other events may have something */
	int rc = 0;

	for (; made < count && !rc; made++)
		rc = make_member(run, events[made], &members[made], err);
	if (!rc) {
		report_init(&report, &run->options, members, count, &run->names);
		report.group = group;
		empty = !report.shown.samples && run->args->skip_empty && !json &&
			run->profile->events.len > count;
		report.idle_share = idle_share(run, events[0]);
		run->matched += report.order.len;
		if (json)
			report_json(&report, json);
		else if (!empty)
			report_text(&report, out);
		report_free(&report);
	}
	for (size_t i = 0; i < made - (rc != 0); i++)
		breakdown_free(&members[i].breakdown);
	free(members);
	return rc;
}

static bool is_event_wanted(const struct report_run *run, size_t event)
{
	const struct profile_event *facts = &run->profile->events.data[event];

	if (run->args->event)
		return profile_event_is(run->profile, event, run->args->event);
	return !run->args->skip_empty || facts->samples + facts->guest_samples > 0;
}

/* Whether the recording has events that belong together. */
static bool has_groups(const struct perf_reader *reader)
{
	for (size_t i = 0; i < perf_reader_attr_count(reader); i++)
		if (perf_reader_attr(reader, i)->leader != i)
			return true;
	return false;
}

/* The events that are shown together with this one, which comes first. */
static size_t find_group(const struct report_run *run, size_t event, uint16_t *into)
{
	bool all = run->args->group > 0 && !has_groups(run->reader);
	size_t count = 0;

	for (size_t i = event; i < run->profile->events.len; i++)
		if (is_event_wanted(run, i) &&
		    (all || i == event ||
		     (i < perf_reader_attr_count(run->reader) &&
		      perf_reader_attr(run->reader, i)->leader == event)))
			into[count++] = (uint16_t)i;
	return count;
}

/* "anon group { a, b }", or "a, b" where the user put them together. */
static void name_group(const struct report_run *run, const uint16_t *events, size_t count,
		       struct buf *into)
{
	bool recorded = has_groups(run->reader);

	buf_clear(into);
	buf_puts(into, recorded ? "anon group { " : "");
	for (size_t i = 0; i < count; i++)
		buf_printf(into, "%s%s", i ? ", " : "",
			   profile_text(run->profile, run->profile->events.data[events[i]].name));
	buf_puts(into, recorded ? " }" : "");
}

static bool is_grouped(const struct report_run *run, const struct json *json)
{
	return run->reader && !json && !run->args->event && run->args->group &&
	       (run->args->group > 0 || has_groups(run->reader));
}

static int show_events(struct report_run *run, struct outbuf *out, struct json *json,
		       struct err *err)
{
	size_t events = run->profile->events.len;
	const struct trust *trust = &run->trusts[profile_main_event(run->profile)];
	uint16_t *group = mem_alloc((events + 1) * sizeof(*group));
	uint8_t *shown = mem_alloc(events + 1);
	struct buf name = { 0 };
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < events && !rc; i++) {
		size_t count = 1;

		if (shown[i] || !is_event_wanted(run, i))
			continue;
		any = true;
		group[0] = (uint16_t)i;
		if (is_grouped(run, json))
			count = find_group(run, i, group);
		if (count > 1)
			name_group(run, group, count, &name);
		for (size_t k = 0; k < count; k++)
			shown[group[k]] = 1;
		rc = show_table(run, group, count, count > 1 ? buf_text(&name) : NULL, out, json,
				err);
	}
	if (!any && run->args->event)
		rc = err_set(err, EINVAL, "-e: the recording has no event '%s'", run->args->event);
	else if (!any)
		rc = err_set(err, ENODATA, "%s has no samples%s%s", run->input,
			     trust->fault_count ? ": " : "",
			     trust->fault_count ? trust->faults[0].text : "");
	free(group);
	free(shown);
	buf_free(&name);
	return rc;
}

/* A column that a list of one name makes superfluous is told here instead. */
static void print_single(struct outbuf *out, const char *what, const char *list)
{
	if (list && !strchr(list, ','))
		out_printf(out, "# %s: %s\n", what, list);
}

static void print_start(struct report_run *run, struct outbuf *out)
{
	if (run->args->header)
		script_header(out, run->reader, run->input, run->args->full_header);
	else if (run->reader)
		out_text(out, "# To display the perf.data header info, please use "
			      "--header/--header-only options.\n#\n");
	print_single(out, "comm", run->options.comms);
	print_single(out, "dso", run->options.objects);
	print_single(out, "symbol", run->options.symbols);
	if (run->reader)
		out_printf(out, "#\n# Total Lost Samples: %llu\n#\n",
			   (unsigned long long)run->profile->quality.lost_samples);
}

/* Before stacks are trimmed to what is shown. */
static void judge(struct report_run *run)
{
	struct remedy_facts facts = { .copy_size = load_copy_size(&run->in) };
	size_t events = run->profile->events.len ? run->profile->events.len : 1;

	run->trusts = mem_alloc(events * sizeof(*run->trusts));
	for (uint16_t i = 0; i < events; i++)
		if (i == profile_main_event(run->profile) || is_event_wanted(run, i))
			trust_of(&run->trusts[i], run->profile, i, &facts);
}

/* Whether the table may be of a part of the samples. */
static bool is_filtered(const struct report_run *run)
{
	const struct profile_filter *f = &run->filter;
	const struct report_options *o = &run->options;

	return run->rows || f->time_from || f->time_to || f->comms || f->pids || f->tids ||
	       f->cpus || f->objects || f->keep || f->keep_too || f->drop || f->keep_raw ||
	       f->busy || o->comms || o->objects || o->symbols || o->symbol_part || o->socket >= 0;
}

/* Comment lines; on a terminal broken between words, since the pager cuts long lines off. */
static void print_comments(struct outbuf *out, const char *text, size_t width)
{
	while (*text) {
		size_t length = strcspn(text, "\n"), room = width;

		for (bool first = true; width > 40 && length > room; first = false) {
			size_t part = room;

			while (part > room / 2 && text[part] != ' ')
				part--;
			out_printf(out, "%s%.*s\n", first ? "" : "#     ", (int)part, text);
			part += text[part] == ' ';
			text += part;
			length -= part;
			room = width - 6;
		}
		out_printf(out, "%s%.*s\n", room < width ? "#     " : "", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void print_trust(struct report_run *run, struct outbuf *out)
{
	struct buf known = { 0 };

	if (is_filtered(run) && !run->matched)
		out_text(out, "#\n# Nothing matches.\n");
	for (uint16_t i = 0; run->reader && i < run->profile->events.len; i++)
		if (is_event_wanted(run, i))
			report_trust_text(run->profile, &run->trusts[i], is_filtered(run), &known);
	if (!run->reader) {
		buf_puts(&known, "#\n# Trust: ");
		loaded_trust_text(&run->in, &known);
		buf_puts(&known, "\n#\n");
	}
	print_comments(out, buf_text(&known), run->options.line_width);
	buf_free(&known);
}

/* Rows of branches and of memory accesses weigh something else than time: trust is not told. */
static bool is_of_samples(const struct report_run *run)
{
	return !run->options.branches && !run->options.weight_order;
}

static int show_text(struct report_run *run, struct err *err)
{
	struct outbuf out;
	int rc;

	outbuf_init(&out, STDOUT_FILENO);
	if (!run->options.quiet)
		print_start(run, &out);
	rc = show_events(run, &out, NULL, err);
	if (!rc && run->args->counters)
		rc = report_counters(run->args, run->in.place, &out, err);
	if (!rc && !run->options.quiet && is_of_samples(run))
		print_trust(run, &out);
	return output_end(&out, rc, err);
}

/* Of the first event that is shown; of several, of each. */
static void put_trust(struct report_run *run, struct json *json)
{
	size_t shown = 0;

	for (uint16_t i = 0; i < run->profile->events.len; i++)
		if (is_event_wanted(run, i) && !shown++)
			report_trust_json(run->profile, &run->trusts[i], "trust", json);
	if (shown < 2)
		return;
	json_open(json, "trust_by_event", '[');
	for (uint16_t i = 0; i < run->profile->events.len; i++)
		if (is_event_wanted(run, i))
			report_trust_json(run->profile, &run->trusts[i], NULL, json);
	json_close(json);
}

static int show_json(struct report_run *run, struct err *err)
{
	struct json json = json_to(stdout);
	int rc;

	json_open(&json, NULL, '{');
	json_open(&json, "events", '[');
	rc = show_events(run, NULL, &json, err);
	json_close(&json);
	if (run->reader && is_of_samples(run)) {
		put_trust(run, &json);
	} else if (!run->reader) {
		json_open(&json, "trust", '{');
		loaded_trust_json(&run->in, &json);
		json_close(&json);
	}
	json_close(&json);
	putchar('\n');
	return rc;
}

/* What the recording offers, as far as it has told it by now, and the user wants. */
static struct report_source find_source(const struct report_run *run)
{
	struct report_source source = report_source(run->reader);
	const void *data;
	size_t size;

	for (size_t i = 1; !run->reader && run->profile && i < run->profile->stacks.len; i++)
		source.stacks |= run->profile->stacks.parent[i] != STACK_ROOT;
	/* A pipe tells too late what its rows are of. */
	if (run->reader && perf_reader_is_pipe(run->reader))
		source.tracepoints = false;
	if (run->args->branches <= 0)
		source.branches = run->args->branches < 0 && !run->args->json && source.branches &&
				  !source.stacks && !perf_reader_is_pipe(run->reader) &&
				  perf_reader_feature(run->reader, FEATURE_BRANCH_STACK, &data,
						      &size);
	return source;
}

static int make_options(struct report_run *run, struct err *err)
{
	struct report_source source = find_source(run);

	report_traits_free(&run->traits);
	return report_make_options(run->args, &source, &run->options, &run->traits, &run->words,
				   err);
}

static int trim_stacks(struct report_run *run, struct err *err)
{
	if (run->args->max_stack > 0)
		profile_limit_stacks(run->profile, (size_t)run->args->max_stack);
	if (run->args->hide_unknown)
		profile_hide_unknown(run->profile);
	if (run->args->ignore_callees)
		return profile_ignore_callees(run->profile, run->args->ignore_callees, err);
	return 0;
}

static bool is_empty_column(const struct profile *profile, const struct report_column *column)
{
	if (column->key->field != FIELD_KEY)
		return false;
	if (column->by == BY_COMM) {
		for (size_t i = 0; i < profile->samples.len; i++) {
			uint32_t comm = profile->threads.data[profile->samples.thread[i]].comm;

			if (*profile_text(profile, comm))
				return false;
		}
		return true;
	}
	if (column->by != BY_OBJECT)
		return false;
	vec_each (function, &profile->functions)
		if (*profile_text(profile, profile->objects.data[function->object].path))
			return false;
	return true;
}

/* Others' texts may know of neither commands nor objects: then there is no column of blanks. */
static void drop_empty_columns(struct report_run *run)
{
	struct report_columns *columns = &run->options.columns;
	size_t kept = 0;

	if (run->reader || run->options.keys_given || run->options.fields_given)
		return;
	for (size_t i = 0; i < columns->count; i++)
		if (!is_empty_column(run->profile, &columns->list[i]))
			columns->list[kept++] = columns->list[i];
	columns->count = kept;
}

static int show(struct report_run *run, struct err *err)
{
	/* Only now is it known of all inputs whether there are stacks. */
	int rc = make_options(run, err);

	if (!rc)
		rc = report_make_filter(run->args, &run->in, &run->filter, err);
	if (!rc)
		rc = report_choose_rows(run->args, run->profile, &run->rows, err);
	if (rc)
		return rc;
	judge(run);
	rc = trim_stacks(run, err);
	if (rc)
		return rc;
	drop_empty_columns(run);
	report_names_init(&run->names, run->profile, &run->options);
	rc = run->args->json ? show_json(run, err) : show_text(run, err);
	loaded_warn(&run->in);
	report_names_free(&run->names);
	return rc;
}

/* Reads the profile with what the columns want of it. */
static int read_profile(struct report_run *run, struct err *err)
{
	const struct report_args *args = run->args;
	struct symbol_args names = args->names;
	struct profile_wishes wishes = { .by_weight = args->memory,
					 .traits = report_traits_fill,
					 .user = &run->traits };
	int rc = make_options(run, err);

	if (rc)
		return rc;
	names.no_modules = !args->modules;
	wishes.trait_count = run->traits.count;
	wishes.branches = find_source(run).branches;
	rc = load_read(&run->in,
		       &(struct load_options){
			       .names = names,
			       .no_index = args->no_index,
			       .lines = report_wants_lines(args),
			       .wishes = report_changes_profile(args) || wishes.trait_count ||
							 wishes.branches
						 ? &wishes
						 : NULL,
			       .times = true,
			       .cpus = true,
		       },
		       err);
	run->profile = run->in.profile;
	return rc;
}

/* What the records themselves tell, and not their samples. */
static int show_records(struct report_run *run, struct err *err)
{
	struct outbuf out;
	int rc;

	outbuf_init(&out, STDOUT_FILENO);
	if (run->args->header_only) {
		script_header(&out, run->reader, run->input, run->args->full_header);
		rc = EXIT_DONE;
	} else {
		rc = report_records(run->args, run->reader, run->input, &out, err);
	}
	return output_end(&out, rc, err);
}

/* The recording: -i FILE or a word; `-g caller` puts a word that is none in front of it or behind.
 */
static int find_input(struct report_args *args, int argc, char **argv, const char **input,
		      struct err *err)
{
	if (args->graph_bare && argc && !report_parse_graph(args, argv[0], NULL)) {
		args->graph_bare = false;
		argc--;
		argv++;
	} else if (args->graph_bare && argc > 1 &&
		   !report_parse_graph(args, argv[argc - 1], NULL)) {
		args->graph_bare = false;
		argc--;
	}
	if (argc > (args->input ? 0 : 1)) {
		for (int i = 0; args->graph_bare && i < argc; i++)
			if (access(argv[i], F_OK) && report_parse_graph(args, argv[i], err))
				return err_prefix(err, "-g");
		return err_set(err, EINVAL, "one recording at a time");
	}
	*input = load_path(args->input ? args->input : argc ? argv[0] : NULL);
	return 0;
}

/* Options that need a recording, and nothing else will do. */
static int check_recording(const struct report_run *run, struct err *err)
{
	const struct report_args *args = run->args;
	const struct {
		bool given;
		const char *name;
	} needs[] = {
		{ args->header || args->header_only, "--header" },
		{ args->stats, "--stats" },
		{ args->tasks, "--tasks" },
		{ args->mappings, "--mmaps" },
		{ args->dump, "-D" },
		{ args->counters, "-T" },
		{ args->branches > 0, "-b" },
		{ args->memory, "--mem-mode" },
		{ args->max_stack, "--max-stack" },
		{ args->socket >= 0, "--socket-filter" },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(needs); i++)
		if (needs[i].given)
			rc = load_need_recording(&run->in, needs[i].name, err);
	return rc;
}

/* A recording names files and functions: whose word that is should be known. */
static void say_whose(const struct report_run *run)
{
	struct stat st;

	if (!run->reader || run->args->force || stat(run->input, &st) || !st.st_uid ||
	    st.st_uid == geteuid())
		return;
	log_line(LOG_WARN,
		 "%s belongs to user %u, not to you or root: it may not be what it seems "
		 "(-f leaves out this line)",
		 run->input, (unsigned)st.st_uid);
}

static int check_words(const struct report_args *args, struct err *err)
{
	if (args->pretty && strcmp(args->pretty, "normal") != 0 && strcmp(args->pretty, "raw") != 0)
		return err_set(err, EINVAL, "--pretty '%s': must be normal or raw", args->pretty);
	return load_check_words(
		&(struct load_words){ args->cpus, args->pids, args->tids, args->time }, err);
}

/*
 * What is mistyped is said before a file that can't be read.  The file comes first where it can: a
 * key may be a field of its tracepoints.
 */
static int open_input(struct report_run *run, struct err *err)
{
	const struct report_source unknown = { .unopened = true,
					       .branches = run->args->branches > 0 };
	struct err typed = { 0 };
	int rc = check_words(run->args, err);

	if (!rc)
		rc = load_open(&run->in, run->input, NULL, err);
	if (!rc || rc == -EINVAL)
		return rc;
	if (report_make_options(run->args, &unknown, &run->options, &run->traits, &run->words,
				&typed))
		rc = err_set(err, typed.code, "%s", typed.text);
	report_traits_free(&run->traits);
	strlist_free(&run->words);
	return rc;
}

static int report_main(void *options, int argc, char **argv, struct err *err)
{
	struct report_run run = { .args = options };
	int rc = find_input(options, argc, argv, &run.input, err);

	if (rc)
		return rc;
	rc = open_input(&run, err);
	if (rc)
		return rc;
	run.reader = run.in.reader;
	if (run.args->quiet)
		log_set_level(LOG_ERROR);
	say_whose(&run);
	rc = check_recording(&run, err);
	if (!rc && (run.args->header_only || report_is_of_records(run.args))) {
		rc = show_records(&run, err);
	} else if (!rc) {
		rc = read_profile(&run, err);
		if (!rc)
			rc = show(&run, err);
	}
	free(run.rows);
	free(run.trusts);
	report_traits_free(&run.traits);
	strlist_free(&run.words);
	loaded_close(&run.in);
	return rc;
}

const struct command cmd_report = {
	.name = "report",
	.args = "[FILE]",
	.summary = "show where the samples of a recording fall",
	.example = "perfolio report -g caller | less",
	.flags = CMD_PAGER,
	.options = report_specs,
	.options_size = sizeof(struct report_args),
	.defaults = &report_defaults,
	.run = report_main,
};
