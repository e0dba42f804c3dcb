// SPDX-License-Identifier: Apache-2.0
/* Rows below rows, a level for each key: every row is the sum of those below it. */
#include "base/outbuf.h"
#include "render/report.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 3 /* a level's, perf's */

struct hierarchy {
	struct report *report;
	struct outbuf *out;
	const struct report_column *keys[REPORT_COLUMNS], *values[REPORT_COLUMNS];
	size_t key_count, value_count;
	uint32_t *rows; /* of the report, those with the same keys beside each other */
	size_t row_count;
};

/* By the keys alone, so that what belongs together comes together. */
static int compare_keys(const void *one, const void *two, void *context)
{
	struct hierarchy *h = context;
	const struct breakdown_row *rows = h->report->breakdown->rows.data;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
	int order = 0;

	for (size_t i = 0; !order && i < h->key_count; i++)
		order = report_compare_key(h->report, h->keys[i], &rows[a], &rows[b]);
	return order ? order : a < b ? -1 : a > b;
}

static void add_row(struct breakdown_row *sum, const struct breakdown_row *row)
{
	sum->self.weight += row->self.weight;
	sum->self.samples += row->self.samples;
	sum->kernel += row->kernel;
	sum->user += row->user;
	sum->guest_kernel += row->guest_kernel;
	sum->guest_user += row->guest_user;
}

/* Rows [first, last) as one, of a member. */
static struct breakdown_row sum_of(const struct hierarchy *h, size_t first, size_t last,
				   size_t member)
{
	struct breakdown_row sum = { 0 };

	for (size_t i = first; i < last; i++)
		add_row(&sum, report_member_row(h->report, h->rows[i], member));
	return sum;
}

/* Rows of one level with the same key, from `first` on: where they end. */
static size_t end_of(const struct hierarchy *h, size_t first, size_t last, size_t level)
{
	const struct breakdown_row *rows = h->report->breakdown->rows.data;
	size_t end = first + 1;

	while (end < last && !report_compare_key(h->report, h->keys[level], &rows[h->rows[first]],
						 &rows[h->rows[end]]))
		end++;
	return end;
}

struct part {
	size_t first, last;
	uint64_t weight; /* of the event that rows are put in order by */
	size_t place;
};

static int compare_parts(const void *one, const void *two)
{
	const struct part *a = one, *b = two;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void print_part(struct hierarchy *h, const struct part *part, size_t level)
{
	struct report *report = h->report;
	const struct breakdown_row *row = &report->breakdown->rows.data[h->rows[part->first]];

	out_left(h->out, "", 0, level * INDENT);
	for (size_t i = 0; i < h->value_count; i++) {
		out_text(h->out, "  ");
		for (size_t m = 0; m < report->member_count; m++) {
			struct breakdown_row sum = sum_of(h, part->first, part->last, m);

			report_print_value(report, h->values[i], &sum, m, h->out);
		}
	}
	out_left(h->out, "", 0, (h->key_count - 1) * INDENT + 2);
	report_print_key(report, h->keys[level], 0, row, true, h->out);
	out_char(h->out, '\n');
}

static void print_level(struct hierarchy *h, size_t first, size_t last, size_t level)
{
	const struct report_options *o = h->report->options;
	size_t chosen = o->sort_member < h->report->member_count ? o->sort_member : 0;
	VEC(struct part) parts = { 0 };
	bool any = false;

	while (first < last) {
		size_t end = end_of(h, first, last, level);

		*vec_push(&parts) = (struct part){
			.first = first,
			.last = end,
			.weight = sum_of(h, first, end, chosen).self.weight,
			.place = parts.len,
		};
		first = end;
	}
	if (parts.len)
		qsort(parts.data, parts.len, sizeof(*parts.data), compare_parts);
	vec_each (part, &parts) {
		uint64_t weight = sum_of(h, part->first, part->last, 0).self.weight;

		if (h->out->error || report_percent(h->report, weight) < o->percent_limit)
			continue;
		any = true;
		print_part(h, part, level);
		if (level + 1 < h->key_count)
			print_level(h, part->first, part->last, level + 1);
		else if (o->graph)
			report_tree_text(h->report, h->rows[part->first], h->out);
	}
	if (!any && level) {
		out_left(h->out, "", 0, level * INDENT);
		out_printf(h->out, "%*sno entry >= %.2f%%\n", 8, "", o->percent_limit);
	}
	vec_free(&parts);
}

/* Columns of the widest key, with its indent, or of their titles. */
static size_t key_area(const struct hierarchy *h)
{
	size_t width = 0, titles = 0;

	for (size_t level = 0; level < h->key_count; level++) {
		const char *title = h->keys[level]->key->title;

		titles += strlen(title + strspn(title, " ")) + (level ? 3 : 0);
		for (size_t i = 0; i < h->row_count; i++) {
			size_t wide =
				level * INDENT +
				report_key_width(h->report, h->keys[level],
						 &h->report->breakdown->rows.data[h->rows[i]]);

			width = wide > width ? wide : width;
		}
	}
	return titles > width ? titles : width;
}

/* "Command / Shared Object / Symbol" */
static void print_titles(const struct hierarchy *h)
{
	size_t width = 0;

	out_text(h->out, "# ");
	for (size_t i = 0; i < h->value_count; i++) {
		size_t wide = report_value_width(h->report, h->values[i]);
		const char *title = h->values[i]->key->title;

		if (!i)
			wide += (h->key_count - 1) * INDENT;
		else
			out_text(h->out, "  ");
		width += wide + (i ? 2 : 0);
		out_right(h->out, title, strlen(title), wide);
	}
	for (size_t i = 0; i < h->key_count; i++) {
		const char *title = h->keys[i]->key->title;

		out_printf(h->out, "%s%s", i ? " / " : "  ", title + strspn(title, " "));
	}
	out_text(h->out, "\n# ");
	for (size_t i = 0; i < width; i++)
		out_char(h->out, '.');
	out_text(h->out, "  ");
	for (size_t i = 0; i < key_area(h); i++)
		out_char(h->out, '.');
	out_text(h->out, "\n#\n");
}

void report_hierarchy_text(struct report *report, struct outbuf *out)
{
	const struct report_options *o = report->options;
	struct hierarchy h = { .report = report, .out = out };

	for (size_t i = 0; i < o->columns.count; i++)
		if (o->columns.list[i].key->field == FIELD_KEY)
			h.keys[h.key_count++] = &o->columns.list[i];
		else
			h.values[h.value_count++] = &o->columns.list[i];
	h.row_count = report->order.len;
	h.rows = mem_alloc((h.row_count + 1) * sizeof(*h.rows));
	if (h.row_count) {
		memcpy(h.rows, report->order.data, h.row_count * sizeof(*h.rows));
		qsort_r(h.rows, h.row_count, sizeof(*h.rows), compare_keys, &h);
	}
	if (!o->quiet)
		print_titles(&h);
	print_level(&h, 0, h.row_count, 0);
	free(h.rows);
}
