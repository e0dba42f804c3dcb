// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outbuf.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "cmd/report_options.h"
#include "perfdata/reader.h"
#include "profile/remedy.h"
#include "render/script_header.h"

#include <errno.h>
#include <stdio.h>
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
	enum breakdown_key keys[BREAKDOWN_KEYS];
	struct profile_filter filter;
	struct report_names names;
	struct trust trust;
};

/* A recording says whether it has some; anything else shows it. */
static bool has_stacks(const struct report_run *run)
{
	const struct perf_reader *reader = run->reader;
	const struct profile_stacks *stacks = &run->profile->stacks;

	for (size_t i = 1; !reader && i < stacks->len; i++)
		if (stacks->parent[i] != STACK_ROOT)
			return true;
	for (size_t i = 0; reader && i < perf_reader_attr_count(reader); i++)
		if (perf_reader_attr(reader, i)->attr.base.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* The share of an event's samples in which a CPU had nothing to do, whatever else is filtered. */
static double idle_share(const struct report_run *run, uint16_t event)
{
	const struct profile_samples *rows = &run->profile->samples;
	uint8_t *idle = profile_idle_stacks(run->profile);
	double waiting = 0, all = 0;

	for (size_t i = 0; i < rows->len; i++) {
		if (rows->event[i] != event)
			continue;
		all += (double)rows->weight[i];
		waiting += idle[rows->stack[i]] ? (double)rows->weight[i] : 0;
	}
	free(idle);
	return all > 0 ? waiting / all : 0;
}

static unsigned key_bits(const struct report_run *run)
{
	unsigned bits = 0;

	for (size_t i = 0; i < run->options.key_count; i++)
		bits |= 1u << run->keys[i];
	if (run->options.comms)
		bits |= 1u << BY_COMM;
	if (run->options.objects)
		bits |= 1u << BY_OBJECT;
	if (run->options.symbols)
		bits |= 1u << BY_FUNCTION;
	return bits;
}

static int show_event(struct report_run *run, uint16_t event, struct outbuf *out, struct json *json,
		      struct err *err)
{
	struct breakdown_options options = {
		.keys = key_bits(run),
		.children = run->options.children,
		.from_leaf = run->options.graph == REPORT_CALLEE,
		.parent = run->args->parent ? run->args->parent : DEFAULT_PARENT,
		.filter = run->filter,
	};
	struct breakdown breakdown;
	struct report report;
	int rc;

	options.filter.event = event;
	rc = breakdown_make(&breakdown, run->profile, &options, err);
	if (rc)
		return rc;
	report_init(&report, &run->options, &breakdown, &run->names, event);
	report.idle_share = idle_share(run, event);
	if (json)
		report_json(&report, json);
	else
		report_text(&report, out);
	report_free(&report);
	breakdown_free(&breakdown);
	return 0;
}

static bool is_event_wanted(const struct report_run *run, size_t event)
{
	const struct profile_event *facts = &run->profile->events.data[event];

	if (run->args->event)
		return profile_event_is(run->profile, event, run->args->event);
	return facts->samples + facts->guest_samples > 0;
}

static int show_events(struct report_run *run, struct outbuf *out, struct json *json,
		       struct err *err)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < run->profile->events.len && !rc; i++) {
		if (!is_event_wanted(run, i))
			continue;
		any = true;
		rc = show_event(run, (uint16_t)i, out, json, err);
	}
	if (!any && run->args->event)
		return err_set(err, EINVAL, "-e: the recording has no event '%s'",
			       run->args->event);
	if (!any)
		return err_set(err, ENODATA, "%s has no samples%s%s", run->input,
			       run->trust.fault_count ? ": " : "",
			       run->trust.fault_count ? run->trust.faults[0].text : "");
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
	print_single(out, "dso", run->options.objects);
	print_single(out, "comm", run->options.comms);
	print_single(out, "symbol", run->options.symbols);
	if (run->reader)
		out_printf(out, "#\n# Total Lost Samples: %llu\n#\n",
			   (unsigned long long)run->profile->quality.lost_samples);
}

static void print_trust(struct report_run *run, struct outbuf *out)
{
	struct buf known = { 0 };

	if (run->reader) {
		report_trust_text(run->profile, &run->trust, out);
		return;
	}
	loaded_trust_text(&run->in, &known);
	out_printf(out, "#\n# Trust: %s\n#\n", buf_text(&known));
	buf_free(&known);
}

static int show_text(struct report_run *run, struct err *err)
{
	struct outbuf out;
	int rc;

	outbuf_init(&out, STDOUT_FILENO);
	print_start(run, &out);
	rc = show_events(run, &out, NULL, err);
	if (!rc)
		print_trust(run, &out);
	return output_end(&out, rc, err);
}

static int show_json(struct report_run *run, struct err *err)
{
	struct json json = json_to(stdout);
	int rc;

	json_open(&json, NULL, '{');
	json_open(&json, "events", '[');
	rc = show_events(run, NULL, &json, err);
	json_close(&json);
	if (run->reader) {
		report_trust_json(run->profile, &run->trust, &json);
	} else {
		json_open(&json, "trust", '{');
		loaded_trust_json(&run->in, &json);
		json_close(&json);
	}
	json_close(&json);
	putchar('\n');
	return rc;
}

static int show(struct report_run *run, struct err *err)
{
	int rc;

	rc = report_make_options(run->args, has_stacks(run), &run->options, err);
	if (!rc)
		rc = report_parse_sort(run->args, run->keys, err);
	if (rc < 0)
		return rc;
	run->options.keys = run->keys;
	run->options.key_count = (size_t)rc;
	rc = report_make_filter(run->args, &run->in, &run->filter, err);
	if (rc)
		return rc;
	report_names_init(&run->names, run->profile);
	trust_of(&run->trust, run->profile,
		 &(struct remedy_facts){ .copy_size = load_copy_size(&run->in) });
	rc = run->args->json ? show_json(run, err) : show_text(run, err);
	loaded_warn(&run->in);
	report_names_free(&run->names);
	return rc;
}

static int show_header(struct report_run *run, struct err *err)
{
	struct outbuf out;

	outbuf_init(&out, STDOUT_FILENO);
	script_header(&out, run->reader, run->input, run->args->full_header);
	return output_end(&out, EXIT_DONE, err);
}

/* The recording: -i FILE or a word; `-g caller` puts a word that is none in front of it or behind.
 */
static int find_input(struct report_args *args, int argc, char **argv, const char **input,
		      struct err *err)
{
	if (args->graph_bare && argc && !report_parse_graph(args, argv[0], NULL)) {
		argc--;
		argv++;
	} else if (args->graph_bare && argc > 1 &&
		   !report_parse_graph(args, argv[argc - 1], NULL)) {
		argc--;
	}
	if (argc > (args->input ? 0 : 1))
		return err_set(err, EINVAL, "one recording at a time");
	*input = args->input ? args->input : argc ? argv[0] : "perf.data";
	return 0;
}

static int report_main(void *options, int argc, char **argv, struct err *err)
{
	struct report_run run = { .args = options };
	int rc = find_input(options, argc, argv, &run.input, err);

	if (rc)
		return rc;
	rc = load_open(&run.in, run.input, NULL, err);
	if (rc)
		return rc;
	run.reader = run.in.reader;
	if (run.args->header || run.args->header_only)
		rc = load_need_recording(&run.in, "--header", err);
	if (!rc && run.args->header_only) {
		rc = show_header(&run, err);
	} else if (!rc) {
		rc = load_read(&run.in,
			       &(struct load_options){
				       .names = run.args->names,
				       .no_index = run.args->no_index,
				       .lines = report_wants_lines(run.args),
				       .times = true,
				       .cpus = true,
			       },
			       err);
		run.profile = run.in.profile;
		if (!rc)
			rc = show(&run, err);
	}
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
