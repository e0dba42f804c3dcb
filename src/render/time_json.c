// SPDX-License-Identifier: Apache-2.0
#include "render/time_json.h"
#include "profile/flametree.h"
#include "profile/histogram.h"
#include "profile/moments.h"
#include "render/flame_layout.h"
#include "render/out_json.h"

#include <inttypes.h>

static void put_head(struct outbuf *out, const struct time_subject *subject, uint16_t event)
{
	const struct profile *profile = subject->profile;
	bool known = event < profile->events.len;

	out_printf(out, "{\"run\":%" PRId64 ",", subject->run);
	out_json_member(out, "event",
			known ? profile_text(profile, profile->events.data[event].name) : NULL);
	out_json_ns(out, "start_ns", subject->span.start);
}

static void put_counts(struct outbuf *out, const uint32_t *counts, size_t count)
{
	out_text(out, "\"counts\":[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			out_char(out, ',');
		out_u64(out, counts[i], 0);
	}
	out_char(out, ']');
}

int time_heatmap_json(const struct time_subject *subject, const struct profile_filter *filter,
		      uint32_t parts, struct outbuf *out, struct err *err)
{
	struct histogram histogram;
	uint64_t samples = 0;
	int rc = profile_histogram(subject->profile, filter, &subject->span, parts, &histogram,
				   err);

	if (rc)
		return rc;
	for (size_t i = 0; i < histogram.seconds * histogram.parts; i++)
		samples += histogram.counts[i];
	put_head(out, subject, filter->event);
	out_json_ns(out, "end_ns", subject->span.last);
	out_printf(out,
		   "\"lanes\":\"none\",\"samples\":%" PRIu64
		   ",\"most\":%u,\"columns\":%zu,\"rows\":%u,",
		   samples, histogram.most, histogram.seconds, parts);
	put_counts(out, histogram.counts, histogram.seconds * histogram.parts);
	out_char(out, '}');
	histogram_free(&histogram);
	return 0;
}

static void put_lane(struct outbuf *out, const struct profile *profile, const struct lane *lane,
		     const struct lanes_options *options)
{
	out_printf(out, "{\"samples\":%" PRIu64 ",", lane->samples);
	if (options->kind == LANE_CPU) {
		out_printf(out, "\"cpu\":%d,", lane->cpu);
	} else {
		const struct profile_thread *thread = &profile->threads.data[lane->thread];

		out_printf(out, "\"pid\":%u,\"tid\":%u,", thread->pid, thread->tid);
		out_json_member(out, "comm", profile_text(profile, thread->comm));
	}
	put_counts(out, lane->counts, options->columns);
	out_char(out, '}');
}

int time_lanes_json(const struct time_subject *subject, const struct lanes_options *options,
		    struct outbuf *out, struct err *err)
{
	struct lanes lanes;
	int rc = profile_lanes(&lanes, subject->profile, options, err);

	if (rc)
		return rc;
	put_head(out, subject, options->filter.event);
	out_json_ns(out, "end_ns", subject->span.last);
	out_printf(out, "\"lanes\":\"%s\",\"samples\":%" PRIu64 ",\"most\":%u,\"columns\":%u,",
		   options->kind == LANE_CPU ? "cpu" : "thread", lanes.samples, lanes.most,
		   lanes.columns);
	out_text(out, "\"column_ns\":");
	out_number(out, (double)(lanes.to - lanes.from) / lanes.columns);
	out_char(out, ',');
	out_json_ns(out, "from_ns", lanes.from);
	out_json_ns(out, "to_ns", lanes.to);
	out_text(out, "\"items\":[");
	vec_each (lane, &lanes.items) {
		out_text(out, lane == lanes.items.data ? "" : ",");
		put_lane(out, subject->profile, lane, options);
	}
	out_printf(out, "],\"left_out\":%zu}", lanes.left_out);
	lanes_free(&lanes);
	return 0;
}

/* ---- functions, each once ---- */

struct legend {
	const struct profile *profile;
	uint32_t *number; /* by function of the profile; NO_FUNCTION: not met */
	VEC(uint32_t) functions;
};

static void legend_init(struct legend *legend, const struct profile *profile)
{
	size_t size = (profile->functions.len + 1) * sizeof(*legend->number);

	*legend = (struct legend){ .profile = profile };
	legend->number = memset(mem_resize(NULL, size, 1), 0xff, size);
}

static uint32_t legend_of(struct legend *legend, uint32_t function)
{
	uint32_t *number = &legend->number[function];

	if (*number == NO_FUNCTION) {
		*number = (uint32_t)legend->functions.len;
		*vec_push(&legend->functions) = function;
	}
	return *number;
}

static void legend_put(struct legend *legend, struct outbuf *out)
{
	const struct profile *profile = legend->profile;

	out_text(out, "\"functions\":[");
	vec_each (function, &legend->functions) {
		const struct profile_function *facts = &profile->functions.data[*function];
		char *name = flame_function_name(profile, *function);

		out_text(out, function == legend->functions.data ? "{" : ",{");
		out_json_member(out, "name", name);
		out_json_member(out, "object",
				profile_text(profile, profile->objects.data[facts->object].path));
		out_printf(out, "\"kind\":\"%s\"}",
			   flame_kind_name(flame_kind_of((enum frame_kind)facts->kind)));
		free(name);
	}
	out_char(out, ']');
	free(legend->number);
	vec_free(&legend->functions);
}

/* ---- single samples ---- */

struct row_list {
	struct outbuf *out;
	const struct profile *profile;
	uint64_t start;
	const struct moments *moments;
	struct legend legend;
};

static void put_time(struct row_list *l, size_t row)
{
	out_u64(l->out, l->profile->samples.time[row] - l->start, 0);
}

static void put_value(struct row_list *l, size_t row)
{
	out_u64(l->out, l->profile->samples.weight[row], 0);
}

static void put_ip(struct row_list *l, size_t row)
{
	uint32_t leaf = l->profile->samples.leaf[row];
	uint64_t offset = leaf < l->profile->leaves.len ? l->profile->leaves.data[leaf].offset : 0;

	out_text(l->out, offset ? "\"0x" : "\"");
	if (offset)
		out_hex(l->out, offset, 0);
	out_char(l->out, '"');
}

static void put_function(struct row_list *l, size_t row)
{
	uint32_t stack = l->profile->samples.stack[row];

	out_u64(l->out, legend_of(&l->legend, l->profile->stacks.function[stack]), 0);
}

static void put_cpu(struct row_list *l, size_t row)
{
	uint16_t cpu = l->profile->samples.cpu[row];

	out_int(l->out, cpu == UINT16_MAX ? -1 : cpu, 0);
}

static void put_tid(struct row_list *l, size_t row)
{
	out_u64(l->out, l->profile->threads.data[l->profile->samples.thread[row]].tid, 0);
}

static void put_column(struct row_list *l, const char *key,
		       void (*write)(struct row_list *l, size_t row))
{
	out_printf(l->out, "\"%s\":[", key);
	for (size_t i = 0; i < l->moments->rows.len; i++) {
		if (i)
			out_char(l->out, ',');
		write(l, l->moments->rows.data[i]);
	}
	out_text(l->out, "],");
}

int time_samples_json(const struct time_subject *subject, const struct profile_filter *filter,
		      uint32_t columns, struct outbuf *out, struct err *err)
{
	const struct profile *profile = subject->profile;
	struct moments moments;
	struct row_list list = {
		.out = out, .profile = profile, .start = subject->span.start, .moments = &moments
	};
	bool known = filter->event < profile->events.len;
	int rc = profile_moments(&moments, profile, filter, columns, err);

	if (rc)
		return rc;
	legend_init(&list.legend, profile);
	put_head(out, subject, filter->event);
	out_json_member(out, "unit",
			known ? flame_unit(profile, filter->event, WEIGH_PERIOD) : NULL);
	out_json_ns(out, "from_ns", filter->time_from ? filter->time_from : subject->span.start);
	out_json_ns(out, "to_ns", filter->time_to ? filter->time_to : subject->span.last + 1);
	out_printf(out, "\"samples\":%zu,\"down_sampled\":%s,", moments.taken,
		   moments.down_sampled ? "true" : "false");
	put_column(&list, "t", put_time);
	put_column(&list, "value", put_value);
	put_column(&list, "ip", put_ip);
	put_column(&list, "function", put_function);
	put_column(&list, "cpu", put_cpu);
	put_column(&list, "tid", put_tid);
	legend_put(&list.legend, out);
	out_char(out, '}');
	moments_free(&moments);
	return 0;
}

/* ---- flame charts ---- */

enum span_part { SPAN_START, SPAN_LENGTH, SPAN_LEVEL, SPAN_FUNCTION, SPAN_COUNT };

static void put_spans(struct outbuf *out, const char *key, const struct chart *chart,
		      enum span_part part, uint64_t start, struct legend *legend)
{
	out_printf(out, "\"%s\":[", key);
	vec_each (span, &chart->spans) {
		uint64_t value = part == SPAN_START	 ? span->start - start
				 : part == SPAN_LENGTH	 ? span->end - span->start
				 : part == SPAN_LEVEL	 ? span->level
				 : part == SPAN_FUNCTION ? legend_of(legend, span->function)
							 : span->samples;

		if (span != chart->spans.data)
			out_char(out, ',');
		out_u64(out, value, 0);
	}
	out_text(out, "],");
}

int time_chart_json(const struct time_subject *subject, const struct chart_options *options,
		    struct outbuf *out, struct err *err)
{
	const struct profile *profile = subject->profile;
	uint64_t start = subject->span.start;
	struct legend legend;
	struct chart chart;
	int rc = profile_chart(&chart, profile, options, err);

	if (rc)
		return rc;
	legend_init(&legend, profile);
	put_head(out, subject, options->event);
	out_printf(out, "\"tid\":%u,", options->tid);
	out_json_member(out, "comm",
			profile_text(profile, profile->threads.data[chart.thread].comm));
	out_json_ns(out, "from_ns", chart.from);
	out_json_ns(out, "to_ns", chart.to);
	out_printf(out, "\"samples\":%zu,\"down_sampled\":%s,\"depth\":%u,", chart.taken,
		   chart.down_sampled ? "true" : "false", chart.depth);
	put_spans(out, "t", &chart, SPAN_START, start, &legend);
	put_spans(out, "length", &chart, SPAN_LENGTH, start, &legend);
	put_spans(out, "level", &chart, SPAN_LEVEL, start, &legend);
	put_spans(out, "function", &chart, SPAN_FUNCTION, start, &legend);
	put_spans(out, "count", &chart, SPAN_COUNT, start, &legend);
	legend_put(&legend, out);
	out_char(out, '}');
	chart_free(&chart);
	return 0;
}
