// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/outbuf.h"
#include "base/terminal.h"
#include "base/text.h"
#include "render/flame_layout.h"
#include "render/flame_svg.h"
#include "render/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHARE_WIDTH    8
#define NUMBER_WIDTH   12
#define UNKNOWN_WIDTH  22 /* of an address in its place, as perf prints it */
#define UNKNOWN_OBJECT 16
#define ADDRESS_WIDTH  18 /* "0xffffffff81000000" */

static bool is_unknown(const struct profile *p, uint32_t function)
{
	return p->functions.data[function].kind == FRAME_UNKNOWN;
}

static char level_of(const struct profile *p, uint32_t function)
{
	const struct profile_object *object = &p->objects.data[p->functions.data[function].object];

	switch ((enum profile_side)object->side) {
	case SIDE_GUEST_KERNEL: return 'g';
	case SIDE_GUEST_USER: return 'u';
	default: return profile_object_is_kernel(object) ? 'k' : '.';
	}
}

static const char *object_text(const struct report *report, const struct breakdown_row *row)
{
	const struct profile *p = report->breakdown->profile;

	return report->options->verbose ? profile_text(p, p->objects.data[row->object].path)
					: report_object_name(p, row->object);
}

static const char *title_of(const struct report *report, const struct report_column *column)
{
	if (column->name)
		return strrchr(column->name, '.') ? strrchr(column->name, '.') + 1 : column->name;
	/* Beside the share with callees, it is what rows have themselves. */
	if (column->key->field == FIELD_OVERHEAD && report->options->children &&
	    !report->options->fields_given)
		return "Self";
	return column->key->title;
}

static size_t at_least(size_t width, size_t least)
{
	return width < least ? least : width;
}

/* Threads are told by number and name; the name is that of their row. */
size_t report_key_width(struct report *report, const struct report_column *column,
			const struct breakdown_row *row)
{
	const struct profile *p = report->breakdown->profile;
	char number[64];
	size_t width = strlen(report_key_text(report, column, row, number, sizeof(number)));

	switch (column->by) {
	case BY_OBJECT:
		if (row->function != NO_FUNCTION && is_unknown(p, row->function))
			return at_least(width, UNKNOWN_OBJECT);
		return width;
	case BY_FUNCTION:
		if (report_is_stackless(p, row))
			return width;
		if (is_unknown(p, row->function))
			return UNKNOWN_WIDTH;
		return 4 + width + (row->inlined ? strlen(REPORT_INLINED) : 0) +
		       (report->options->verbose ? ADDRESS_WIDTH + 1 : 0);
	default: return at_least(width, column->key->least_width);
	}
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

size_t report_value_width(const struct report *report, const struct report_column *column)
{
	enum report_field field = column->key->field;
	size_t width = field == FIELD_SAMPLES || field == FIELD_PERIOD ? NUMBER_WIDTH : SHARE_WIDTH;

	width = at_least(width, column->fixed_width) * report->member_count;
	return at_least(width, strlen(column->key->title));
}

/* What is shown, without what is elided; widths[] for each. */
static void lay_out(struct report *report, struct report_columns *columns, size_t *widths)
{
	const struct report_options *o = report->options;

	for (size_t i = 0; i < o->columns.count; i++) {
		const struct report_column *column = &o->columns.list[i];
		size_t *width = &widths[columns->count];

		if (column->key->field != FIELD_KEY) {
			*width = report_value_width(report, column);
		} else if (is_elided(o, column->by)) {
			continue;
		} else if (column->fixed_width) {
			*width = column->fixed_width;
		} else {
			*width = at_least(strlen(title_of(report, column)),
					  column->key->least_width);
			vec_each (at, &report->order)
				*width = at_least(
					*width,
					report_key_width(report, column,
							 &report->breakdown->rows.data[*at]));
		}
		columns->list[columns->count++] = *column;
	}
}

/* The last title takes no more than a terminal's line has left: names can be very long. */
static size_t last_title_width(const struct report *report, const struct report_columns *columns,
			       const size_t *widths)
{
	size_t last = columns->count - 1, used = 2 + 2 * last, line = report->options->line_width;

	for (size_t i = 0; i < last; i++)
		used += widths[i];
	if (!line || used + widths[last] <= line)
		return widths[last];
	return at_least(line > used ? line - used : 0,
			strlen(title_of(report, &columns->list[last])));
}

static void print_titles(const struct report *report, const struct report_columns *columns,
			 size_t *widths, struct outbuf *out)
{
	const char *separator = report->options->separator;
	size_t *last = &widths[columns->count ? columns->count - 1 : 0], whole = *last;

	if (columns->count)
		*last = last_title_width(report, columns, widths);
	out_text(out, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		const struct report_column *column = &columns->list[i];
		const char *title = title_of(report, column);
		size_t length = strlen(title);

		if (i)
			out_text(out, separator ? separator : "  ");
		if (column->key->field != FIELD_KEY || (column->name && column->key->right))
			out_right(out, title, length, widths[i]);
		else
			out_left(out, title,
				 column->fixed_width && length > widths[i] ? widths[i] : length,
				 widths[i]);
	}
	out_char(out, '\n');
	if (!separator)
		out_text(out, "# ");
	for (size_t i = 0; !separator && i < columns->count; i++) {
		if (i)
			out_text(out, "  ");
		for (size_t k = 0; k < widths[i]; k++)
			out_char(out, '.');
	}
	if (!separator)
		out_text(out, "\n#\n");
	if (columns->count)
		*last = whole;
}

const char *report_key_text(struct report *report, const struct report_column *column,
			    const struct breakdown_row *row, char *into, size_t room)
{
	const struct profile *p = report->breakdown->profile;
	const char *text;

	switch (column->by) {
	case BY_COMM: return profile_text(p, row->comm);
	case BY_PID:
	case BY_TID:
		snprintf(into, room, "%7d:%s", (int)(column->by == BY_TID ? row->tid : row->pid),
			 profile_text(p, row->comm));
		return into;
	case BY_CPU:
		snprintf(into, room, "%03u", row->cpu);
		return row->cpu == UINT16_MAX ? "-" : into;
	case BY_PARENT:
		return row->parent == NO_FUNCTION
			       ? "[other]"
			       : report_function_name(report->names, row->parent);
	case BY_OBJECT: return object_text(report, row);
	case BY_FUNCTION: return report_function_name(report->names, row->function);
	case BY_SRCLINE: return profile_text(p, row->srcline);
	case BY_SRCFILE: return profile_text(p, row->srcfile);
	default: break;
	}
	text = profile_text(p, row->traits[column->by - BY_TRAIT]);
	if (!column->key->each)
		return text;
	snprintf(into, room, "%llu", strtoull(text, NULL, 10) * row->self.samples);
	return into;
}

/*
 * A separator that stands in a name would cut the row in two: there it is a point, as in perf.  So
 * would a line's end or a tab, of which threads may make their names: a question mark.
 */
static void out_safe(const struct report *report, struct outbuf *out, const char *text,
		     size_t length, size_t width, bool right)
{
	const char *separator = report->options->separator;

	if (right && length < width)
		out_left(out, "", 0, width - length);
	for (size_t i = 0; i < length; i++)
		if (separator && *separator && text[i] == *separator)
			out_char(out, '.');
		else
			out_char(out, strchr("\n\r\t\v\f", text[i]) ? '?' : text[i]);
	if (!right && length < width)
		out_left(out, "", 0, width - length);
}

/* `most`: -w; as in perf the name is cut, but not where nothing of it would be left to cut. */
static void print_symbol(struct report *report, size_t width, size_t most,
			 const struct breakdown_row *row, struct outbuf *out)
{
	const struct profile *p = report->breakdown->profile;
	const char *name = report_function_name(report->names, row->function);
	bool stackless = report_is_stackless(p, row);
	size_t used = stackless ? 0 : 4, length = strlen(name);

	if (report->options->verbose && !stackless) {
		char address[32];

		snprintf(address, sizeof(address), "%#llx",
			 (unsigned long long)p->leaves.data[row->leaf].offset);
		out_left(out, row->self.samples ? address : "",
			 row->self.samples ? strlen(address) : 0, ADDRESS_WIDTH + 1);
		used += ADDRESS_WIDTH + 1;
	}
	if (!stackless)
		out_printf(out, "[%c] ", level_of(p, row->function));
	if (most >= used && length > most - used)
		length = most - used;
	used += length;
	out_safe(report, out, name, length, 0, false);
	if (row->inlined) {
		out_text(out, REPORT_INLINED);
		used += strlen(REPORT_INLINED);
	}
	if (used < width)
		out_left(out, "", 0, width - used);
}

void report_print_key(struct report *report, const struct report_column *column, size_t width,
		      const struct breakdown_row *row, bool last, struct outbuf *out)
{
	char number[64];
	const char *text;
	size_t length;

	if (column->by == BY_FUNCTION) {
		print_symbol(report, last ? 0 : width,
			     column->fixed_width ? column->fixed_width : SIZE_MAX, row, out);
		return;
	}
	text = report_key_text(report, column, row, number, sizeof(number));
	length = strlen(text);
	if (column->fixed_width && length > width)
		length = width;
	if (last && (column->by == BY_SRCLINE || column->by == BY_SRCFILE))
		width = 0;
	out_safe(report, out, text, length, width, column->key->right);
}

static const char *color_of(const struct report *report, double percent)
{
	const double hot = 5, warm = 0.5;

	if (!report->options->color)
		return "";
	return percent >= hot	 ? terminal_code(STDOUT_FILENO, "\033[31m")
	       : percent >= warm ? terminal_code(STDOUT_FILENO, "\033[32m")
				 : "";
}

void report_print_value(const struct report *report, const struct report_column *column,
			const struct breakdown_row *row, size_t member, struct outbuf *out)
{
	enum report_field field = column->key->field;
	uint64_t value = report_field(field, row), whole = report->members[member].whole;
	double percent = whole ? 100.0 * (double)value / (double)whole : 0;
	bool is_number = field == FIELD_SAMPLES || field == FIELD_PERIOD;
	const char *color = is_number ? "" : color_of(report, percent);
	int width = column->fixed_width ? (int)column->fixed_width
		    : is_number		? NUMBER_WIDTH
					: SHARE_WIDTH;

	if (report->options->separator)
		width = 1;
	out_text(out, color);
	if (is_number)
		out_printf(out, " %*llu", width - 1, (unsigned long long)value);
	else
		out_printf(out, " %*.2f%%", width > 2 ? width - 2 : 0, percent);
	if (*color)
		out_text(out, terminal_code(STDOUT_FILENO, "\033[m"));
}

static void print_values(const struct report *report, const struct report_column *column,
			 uint32_t row, size_t width, struct outbuf *out)
{
	struct outbuf one;
	struct buf text = { 0 };
	size_t shown;

	outbuf_init_memory(&one, &text);
	for (size_t m = 0; m < report->member_count; m++)
		report_print_value(report, column, report_member_row(report, row, m), m, &one);
	outbuf_fini(&one);
	shown = text.len;
	if (report->options->color)
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] == '\033')
				shown -= strcspn(text.data + i, "m") + 1;
	out_bytes(out, text.data, text.len);
	if (shown < width)
		out_left(out, "", 0, width - shown);
	buf_free(&text);
}

static void print_row(struct report *report, const struct report_columns *columns,
		      const size_t *widths, uint32_t row, struct outbuf *out)
{
	const char *separator = report->options->separator;

	for (size_t i = 0; i < columns->count; i++) {
		const struct report_column *column = &columns->list[i];

		if (!separator || i)
			out_text(out, separator ? separator : "  ");
		if (column->key->field == FIELD_KEY)
			report_print_key(report, column, widths[i],
					 &report->breakdown->rows.data[row],
					 i + 1 == columns->count, out);
		else
			print_values(report, column, row, widths[i], out);
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
	uint16_t event = report->members[0].event;

	if (p->events.data[event].noun && !report->group) {
		char *amount = flame_amount(report->shown.weight,
					    flame_unit(p, event, WEIGH_PERIOD));

		out_printf(out, "# Total: %s", amount);
		free(amount);
	} else {
		out_text(out, "# Samples: ");
		print_samples(report->shown.samples, out);
	}
	if (report->group)
		out_printf(out, " of events '%s'", report->group);
	else
		out_printf(out, " of event '%s'", profile_text(p, p->events.data[event].name));
	if (o->time)
		out_printf(out, " (time slices: %s)", o->time);
	out_printf(out, "\n# %s%llu\n",
		   o->weight_order ? "Total weight : " : "Event count (approx.): ",
		   (unsigned long long)report->shown.weight);
	if (o->weight_order)
		out_printf(out, "# Sort order   : %s\n", o->weight_order);
	if (o->socket >= 0)
		out_printf(out, "# Processor Socket: %d\n", o->socket);
	if (profile_event_sampled(&p->events.data[event]))
		out_printf(out, "# Only %s was sampled: shares are of %s there\n",
			   p->events.data[event].scope & SCOPE_NO_KERNEL ? "user space"
									 : "the kernel",
			   profile_event_is_time(p, event) ? "the time" : "what happened");
	if (report->idle_share > 0)
		out_printf(out, "# Idle: %.2f %%%s\n", report->idle_share * 100,
			   o->busy ? ", left out: shares are of busy time (--busy)"
				   : " of this is CPUs without work; --busy leaves it out");
	out_text(out, "#\n");
}

static void rows_text(struct report *report, struct outbuf *out)
{
	const struct report_options *o = report->options;
	struct report_columns columns = { .count = 0 };
	size_t widths[REPORT_COLUMNS];

	lay_out(report, &columns, widths);
	if (!o->quiet)
		print_titles(report, &columns, widths, out);
	vec_each (at, &report->order) {
		if (out->error)
			break; /* nobody reads on */
		print_row(report, &columns, widths, *at, out);
		if (o->graph)
			report_tree_text(report, *at, out);
	}
}

void report_text(struct report *report, struct outbuf *out)
{
	if (!report->options->quiet)
		print_event(report, out);
	if (report->options->hierarchy)
		report_hierarchy_text(report, out);
	else
		rows_text(report, out);
	out_text(out, "\n\n");
}

void report_trust_text(const struct profile *p, const struct trust *trust, bool filtered,
		       struct buf *into)
{
	char samples[TEXT_NUMBER], lost[TEXT_NUMBER];

	buf_puts(into, "#\n# Trust");
	if (trust->events > 1)
		buf_printf(into, " of %s", profile_text(p, p->events.data[trust->event].name));
	if (filtered)
		buf_puts(into, ", of the whole recording");
	buf_printf(into, ": %s sample%s, %s lost", text_grouped(samples, trust->samples),
		   text_plural(trust->samples), text_grouped(lost, trust->lost));
	if (trust->lost)
		buf_printf(into, " (%.2f %%)", trust->lost_share * 100);
	buf_printf(into, ", throttled %llu time%s", (unsigned long long)trust->throttled,
		   trust->throttled == 1 ? "" : "s");
	if (trust->has_stacks)
		buf_printf(into, "; %.2f %% of the stacks cut short", trust->cut_share * 100);
	if (trust->skipped_share > 0)
		buf_printf(into, "; %.2f %% lack a direct caller", trust->skipped_share * 100);
	if (trust->unclear_share > 0)
		buf_printf(into, "; %.2f %% may lack one", trust->unclear_share * 100);
	buf_printf(into, "; %.2f %% without a name", trust->unknown_share * 100);
	if (trust->worst_object != NO_OBJECT_ID)
		buf_printf(into, ", %s in %s (%.2f %%: %s)",
			   trust->worst_share >= trust->unknown_share ? "all of them"
								      : "most of them",
			   report_object_name(p, trust->worst_object), trust->worst_share * 100,
			   panel_reason(panel_why_unnamed(p, &p->objects.data[trust->worst_object]))
				   ->text);
	if (trust->guests)
		buf_printf(into, "; besides, %llu sample%s of virtual machines, not shown",
			   (unsigned long long)trust->guests, text_plural(trust->guests));
	if (trust->damaged)
		buf_printf(into, "; %llu record%s not understood",
			   (unsigned long long)trust->damaged, text_plural(trust->damaged));
	if (trust->covered_share >= 0)
		buf_printf(into, "; samples stand for %.1f %% of %.3f s of %s",
			   trust->covered_share * 100, (double)trust->cpu_ns / 1e9,
			   trust_time_noun(trust));
	if (trust->counted)
		buf_printf(into, "; samples stand for %s, %s were counted",
			   text_grouped(samples, trust->weight),
			   text_grouped(lost, trust->counted));
	if (trust->idle_share >= 0)
		buf_printf(into, "; CPUs were idle for %.1f %%", trust->idle_share * 100);
	buf_printf(into, "\n# %s\n", trust_verdict(trust));
	for (size_t i = 0; i < trust->fault_count; i++)
		buf_printf(into, "#   %s\n", trust->faults[i].text);
	if (*trust->remedy)
		buf_printf(into, "# " TRUST_REMEDY "\n", trust->remedy);
	buf_puts(into, "#\n");
}
