// SPDX-License-Identifier: Apache-2.0
/* The events of a recording, as perf lists them. */
#include "base/err.h"
#include "base/outbuf.h"
#include "cmd/command.h"
#include "cmd/load.h"
#include "cmd/output.h"
#include "perfdata/reader.h"
#include "perfdata/tracing.h"
#include "render/attr_text.h"

#include <errno.h>
#include <unistd.h>

struct evlist_options {
	const char *input;
	bool freq, verbose, group, fields, force;
};

static void put_details(struct outbuf *out, const struct perf_attr *attr,
			const struct evlist_options *o)
{
	const struct perf_event_attr *base = &attr->attr.base;

	if (o->verbose) {
		attr_text(out, &attr->attr, ": ", ": ");
	} else if (o->freq) {
		out_printf(out, ": sample_%s=%llu", base->freq ? "freq" : "period",
			   (unsigned long long)base->sample_freq);
	}
}

static void list_event(struct outbuf *out, const struct perf_attr *attr, struct tracing *tracing,
		       const struct evlist_options *o)
{
	out_text(out, attr->name);
	if (!o->fields)
		put_details(out, attr, o);
	else if (attr->attr.base.type != PERF_TYPE_TRACEPOINT)
		out_text(out, ": (not a tracepoint)");
	else if (tracing) {
		out_text(out, ": trace_fields: ");
		tracing_fields(tracing, attr->attr.base.config, out);
	}
}

/* A group in braces on one line, as `evlist -g` has it; gives how many events that were. */
static size_t list_group(struct outbuf *out, struct perf_reader *reader, size_t first)
{
	size_t count = 1, all = perf_reader_attr_count(reader);

	while (first + count < all && perf_reader_attr(reader, first + count)->leader == first)
		count++;
	for (size_t i = 0; i < count; i++) {
		out_text(out, count == 1 ? "" : i ? "," : "{");
		out_text(out, perf_reader_attr(reader, first + i)->name);
	}
	out_text(out, count > 1 ? "}\n" : "\n");
	return count;
}

static void list_events(struct outbuf *out, struct perf_reader *reader,
			const struct evlist_options *o)
{
	struct tracing *tracing = o->fields ? tracing_new(reader) : NULL;
	size_t count = perf_reader_attr_count(reader);
	bool tracepoints = false;

	for (size_t i = 0; i < count;) {
		const struct perf_attr *attr = perf_reader_attr(reader, i);

		if (o->group && !o->verbose && !o->freq && !o->fields) {
			i += list_group(out, reader, i);
		} else {
			list_event(out, attr, tracing, o);
			out_char(out, '\n');
			i++;
		}
	}
	for (size_t i = 0; i < count; i++)
		tracepoints |= perf_reader_attr(reader, i)->attr.base.type == PERF_TYPE_TRACEPOINT;
	if (tracepoints && !o->fields)
		out_text(out, "# Tip: use 'perfolio evlist --trace-fields' to show fields for "
			      "tracepoint events\n");
	tracing_free(tracing);
}

static int evlist_run(void *options, int argc, char **argv, struct err *err)
{
	const struct evlist_options *o = options;
	const char *input = load_path(o->input ? o->input : argc ? argv[0] : NULL);
	struct outbuf out;
	struct loaded in;
	int rc;

	if (argc > (o->input ? 0 : 1))
		return err_set(err, EINVAL, "unexpected argument '%s'", argv[argc - 1]);
	rc = load_open(&in, input, NULL, err);
	if (rc)
		return rc;
	rc = load_need_recording(&in, "evlist", err);
	outbuf_init(&out, STDOUT_FILENO);
	if (!rc) {
		struct record rec;

		/* a pipe tells of its events before its first sample */
		while (perf_reader_is_pipe(in.reader) &&
		       perf_reader_next(in.reader, &rec, err) > 0 &&
		       rec.header->type != PERF_RECORD_SAMPLE)
			continue;
		list_events(&out, in.reader, o);
	}
	rc = output_end(&out, rc, err);
	loaded_close(&in);
	return rc;
}

#define FIELD(name) offsetof(struct evlist_options, name)

static const struct option_spec evlist_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_FLAG, 'F', "freq", FIELD(freq), NULL, "with the rate or period of sampling" },
	{ OPT_FLAG, 'v', "verbose", FIELD(verbose), NULL,
	  "with everything that the kernel was told" },
	{ OPT_FLAG, 'g', "group", FIELD(group), NULL, "groups in braces" },
	{ OPT_FLAG, 0, "trace-fields", FIELD(fields), NULL, "the fields of tracepoints" },
	{ OPT_FLAG, 'f', "force", FIELD(force), NULL,
	  "taken and ignored: files of others are read anyway", .hidden = true },
	{ 0 },
};

const struct command cmd_evlist = {
	.name = "evlist",
	.args = "[FILE]",
	.summary = "list the events of a recording",
	.example = "perfolio evlist -v",
	.options = evlist_specs,
	.options_size = sizeof(struct evlist_options),
	.run = evlist_run,
};
