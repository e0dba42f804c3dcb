// SPDX-License-Identifier: Apache-2.0
#include "base/outbuf.h"
#include "base/text.h"
#include "render/report.h"

#include <stdio.h>

#define SHARE_WIDTH    8
#define NUMBER_WIDTH   12
#define UNKNOWN_WIDTH  22 /* of an address in its place, as perf prints it */
#define UNKNOWN_OBJECT 16
#define MAX_COLUMNS    (BREAKDOWN_KEYS + 4)

struct column {
	enum { COL_CHILDREN, COL_SELF, COL_SAMPLES, COL_WEIGHT, COL_KEY } kind;
	enum breakdown_key key;
	const char *title;
	size_t width;
};

struct columns {
	struct column list[MAX_COLUMNS];
	size_t count;
};

static const char *const key_titles[BREAKDOWN_KEYS] = {
	[BY_COMM] = "Command",	  [BY_PID] = "    Pid:Command",	 [BY_TID] = "    Tid:Command",
	[BY_CPU] = "CPU",	  [BY_PARENT] = "Parent symbol", [BY_OBJECT] = "Shared Object",
	[BY_FUNCTION] = "Symbol", [BY_SRCLINE] = "Source:Line",	 [BY_SRCFILE] = "Source File",
};

static bool is_unknown(const struct profile *p, uint32_t function)
{
	return p->functions.data[function].kind == FRAME_UNKNOWN;
}

static char level_of(const struct profile *p, uint32_t function)
{
	const struct profile_object *object = &p->objects.data[p->functions.data[function].object];

	if (object->side != SIDE_HOST)
		return object->side == SIDE_GUEST_KERNEL ? 'g' : 'u';
	return object->kind == DSO_KERNEL || object->kind == DSO_MODULE || object->kind == DSO_BPF
		       ? 'k'
		       : '.';
}

/* Threads are told by number and name; the name is that of their row. */
static size_t key_width(struct report *report, enum breakdown_key key,
			const struct breakdown_row *row)
{
	const struct profile *p = report->breakdown->profile;

	switch (key) {
	case BY_COMM: return strlen(profile_text(p, row->comm));
	case BY_PID:
	case BY_TID: return 8 + strlen(profile_text(p, row->comm));
	case BY_CPU: return 3;
	case BY_PARENT:
		return row->parent == NO_FUNCTION
			       ? 0
			       : strlen(report_function_name(report->names, row->parent));
	case BY_OBJECT:
		if (row->function != NO_FUNCTION && is_unknown(p, row->function) &&
		    strlen(report_object_name(p, row->object)) < UNKNOWN_OBJECT)
			return UNKNOWN_OBJECT;
		return strlen(report_object_name(p, row->object));
	case BY_FUNCTION:
		return is_unknown(p, row->function)
			       ? UNKNOWN_WIDTH
			       : 4 + strlen(report_function_name(report->names, row->function)) +
					 (row->inlined ? strlen(REPORT_INLINED) : 0);
	case BY_SRCLINE: return strlen(profile_text(p, row->srcline));
	case BY_SRCFILE: return strlen(profile_text(p, row->srcfile));
	case BREAKDOWN_KEYS: break;
	}
	return 0;
}

static void add_column(struct columns *columns, int kind, const char *title, size_t width)
{
	columns->list[columns->count++] =
		(struct column){ .kind = (unsigned)kind, .title = title, .width = width };
}

static bool is_single(const char *list)
{
	return list && !strchr(list, ',');
}

/* A column whose value the user has chosen would say the same in every row. */
static bool is_elided(const struct report_options *o, enum breakdown_key key)
{
	return (key == BY_COMM && is_single(o->comms)) ||
	       (key == BY_OBJECT && is_single(o->objects)) ||
	       (key == BY_FUNCTION && is_single(o->symbols));
}

static void lay_out(struct report *report, struct columns *columns)
{
	const struct report_options *o = report->options;

	if (o->children) {
		add_column(columns, COL_CHILDREN, "Children", SHARE_WIDTH);
		add_column(columns, COL_SELF, "Self", SHARE_WIDTH);
	} else {
		add_column(columns, COL_SELF, "Overhead", SHARE_WIDTH);
	}
	if (o->show_samples)
		add_column(columns, COL_SAMPLES, "Samples", NUMBER_WIDTH);
	if (o->show_weight)
		add_column(columns, COL_WEIGHT, "Period", NUMBER_WIDTH);
	for (size_t i = 0; i < o->key_count; i++) {
		struct column *column;

		if (is_elided(o, o->keys[i]))
			continue;
		add_column(columns, COL_KEY, key_titles[o->keys[i]],
			   strlen(key_titles[o->keys[i]]));
		column = &columns->list[columns->count - 1];
		column->key = o->keys[i];
		vec_each (at, &report->order) {
			size_t width = key_width(report, column->key,
						 &report->breakdown->rows.data[*at]);

			if (width > column->width)
				column->width = width;
		}
	}
}

static void print_titles(const struct report *report, const struct columns *columns,
			 struct outbuf *out)
{
	const char *separator = report->options->separator;

	out_text(out, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->list[i];

		if (i)
			out_text(out, separator ? separator : "  ");
		if (column->kind == COL_KEY)
			out_left(out, column->title, strlen(column->title), column->width);
		else
			out_right(out, column->title, strlen(column->title), column->width);
	}
	out_char(out, '\n');
	if (separator)
		return;
	out_text(out, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			out_text(out, "  ");
		for (size_t k = 0; k < columns->list[i].width; k++)
			out_char(out, '.');
	}
	out_text(out, "\n#\n");
}

static const char *key_text(struct report *report, const struct column *column,
			    const struct breakdown_row *row, char *into, size_t room)
{
	const struct profile *p = report->breakdown->profile;
	bool by_tid = column->key == BY_TID;

	switch (column->key) {
	case BY_COMM: return profile_text(p, row->comm);
	case BY_PID:
	case BY_TID:
		snprintf(into, room, "%7d:%s", (int)(by_tid ? row->tid : row->pid),
			 profile_text(p, row->comm));
		return into;
	case BY_CPU:
		snprintf(into, room, "%03u", row->cpu);
		return row->cpu == UINT16_MAX ? "-" : into;
	case BY_PARENT:
		return row->parent == NO_FUNCTION
			       ? "[other]"
			       : report_function_name(report->names, row->parent);
	case BY_OBJECT: return report_object_name(p, row->object);
	case BY_FUNCTION: return report_function_name(report->names, row->function);
	case BY_SRCLINE: return profile_text(p, row->srcline);
	case BY_SRCFILE: return profile_text(p, row->srcfile);
	case BREAKDOWN_KEYS: break;
	}
	return "";
}

static void print_key(struct report *report, const struct column *column,
		      const struct breakdown_row *row, bool last, struct outbuf *out)
{
	char number[64];
	const char *text = key_text(report, column, row, number, sizeof(number));
	size_t width = column->width;

	if (column->key == BY_FUNCTION) {
		out_printf(out, "[%c] ", level_of(report->breakdown->profile, row->function));
		width = width > 4 && !last ? width - 4 : 0;
	}
	if (last && (column->key == BY_SRCLINE || column->key == BY_SRCFILE))
		width = 0;
	if (column->key == BY_FUNCTION && row->inlined) {
		out_text(out, text);
		width = width > strlen(text) ? width - strlen(text) : 0;
		text = REPORT_INLINED;
	}
	out_left(out, text, strlen(text), width);
}

static void print_number(const struct report *report, const struct column *column,
			 const struct breakdown_row *row, struct outbuf *out)
{
	bool aligned = !report->options->separator;
	char text[TEXT_NUMBER];
	uint64_t weight = column->kind == COL_CHILDREN ? row->total.weight : row->self.weight;

	if (column->kind == COL_SAMPLES)
		snprintf(text, sizeof(text), " %llu", (unsigned long long)row->self.samples);
	else if (column->kind == COL_WEIGHT)
		snprintf(text, sizeof(text), " %llu", (unsigned long long)row->self.weight);
	else
		snprintf(text, sizeof(text), " %.2f%%", report_percent(report, weight));
	if (aligned)
		out_right(out, text + 1, strlen(text + 1), column->width);
	else
		out_left(out, text, strlen(text), column->width);
}

static void print_row(struct report *report, const struct columns *columns,
		      const struct breakdown_row *row, struct outbuf *out)
{
	const char *separator = report->options->separator;

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->list[i];

		if (!separator || i)
			out_text(out, separator ? separator : "  ");
		if (column->kind == COL_KEY)
			print_key(report, column, row, i + 1 == columns->count, out);
		else
			print_number(report, column, row, out);
	}
	out_char(out, '\n');
}

/* "1K" of samples, as perf counts them. */
static void print_samples(uint64_t samples, struct outbuf *out)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; samples > 1000 && unit + 2 < sizeof(units); unit++)
		samples /= 1000;
	out_printf(out, "%llu%c", (unsigned long long)samples, units[unit]);
}

static void print_event(const struct report *report, struct outbuf *out)
{
	const struct profile *p = report->breakdown->profile;
	const struct report_options *o = report->options;

	out_text(out, "# Samples: ");
	print_samples(report->breakdown->total.samples, out);
	out_printf(out, " of event '%s'", profile_text(p, p->events.data[report->event].name));
	if (o->time)
		out_printf(out, " (time slices: %s)", o->time);
	out_printf(out, "\n# Event count (approx.): %llu\n",
		   (unsigned long long)report->breakdown->total.weight);
	if (profile_event_sampled(&p->events.data[report->event]))
		out_printf(out, "# Only %s was sampled: shares are of the time there\n",
			   p->events.data[report->event].scope & SCOPE_NO_KERNEL ? "user space"
										 : "the kernel");
	if (report->idle_share > 0)
		out_printf(out, "# Idle: %.2f %%%s\n", report->idle_share * 100,
			   o->busy ? ", left out: shares are of busy time (--busy)"
				   : " of this is CPUs without work; --busy leaves it out");
	out_text(out, "#\n");
}

void report_text(struct report *report, struct outbuf *out)
{
	const struct report_options *o = report->options;
	struct columns columns = { .count = 0 };

	print_event(report, out);
	lay_out(report, &columns);
	print_titles(report, &columns, out);
	vec_each (at, &report->order) {
		const struct breakdown_row *row = &report->breakdown->rows.data[*at];

		print_row(report, &columns, row, out);
		if (o->graph)
			report_tree_text(report, *at, out);
	}
	out_text(out, "\n\n");
}

void report_trust_text(const struct profile *p, const struct trust *trust, struct outbuf *out)
{
	char samples[TEXT_NUMBER], lost[TEXT_NUMBER];

	out_printf(out, "#\n# Trust: %s sample%s, %s lost", text_grouped(samples, trust->samples),
		   text_plural(trust->samples), text_grouped(lost, trust->lost));
	if (trust->lost)
		out_printf(out, " (%.2f %%)", trust->lost_share * 100);
	out_printf(out, ", throttled %llu time%s", (unsigned long long)trust->throttled,
		   trust->throttled == 1 ? "" : "s");
	if (trust->has_stacks)
		out_printf(out, "; %.2f %% of the stacks cut short", trust->cut_share * 100);
	if (trust->skipped_share > 0)
		out_printf(out, "; %.2f %% lack a direct caller", trust->skipped_share * 100);
	out_printf(out, "; %.2f %% without a name", trust->unknown_share * 100);
	if (trust->worst_object != NO_OBJECT_ID)
		out_printf(out, ", most of them in %s (%.2f %%: %s)",
			   report_object_name(p, trust->worst_object), trust->worst_share * 100,
			   panel_reason(panel_why_unnamed(p, &p->objects.data[trust->worst_object]))
				   ->text);
	if (trust->guests)
		out_printf(out, "; besides, %llu sample%s of virtual machines, not shown",
			   (unsigned long long)trust->guests, text_plural(trust->guests));
	if (trust->damaged)
		out_printf(out, "; %llu records not understood",
			   (unsigned long long)trust->damaged);
	if (trust->covered_share >= 0)
		out_printf(out, "; samples stand for %.1f %% of %.3f s of CPU time",
			   trust->covered_share * 100, (double)trust->cpu_ns / 1e9);
	if (trust->idle_share >= 0)
		out_printf(out, "; CPUs were idle for %.1f %%", trust->idle_share * 100);
	out_printf(out, "\n# %s\n", trust_verdict(trust));
	for (size_t i = 0; i < trust->fault_count; i++)
		out_printf(out, "#   %s\n", trust->faults[i].text);
	if (*trust->remedy)
		out_printf(out, "# " TRUST_REMEDY "\n", trust->remedy);
	out_text(out, "#\n");
}
