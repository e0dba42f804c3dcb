// SPDX-License-Identifier: Apache-2.0
#include "render/report.h"
#include "symbol/symbol.h"

#include <string.h>

#define NAME_LIMIT 4096

void report_names_init(struct report_names *names, const struct profile *profile)
{
	names->profile = profile;
	names->shown = mem_alloc((profile->functions.len + 1) * sizeof(*names->shown));
}

void report_names_free(struct report_names *names)
{
	for (size_t i = 0; i < names->profile->functions.len; i++)
		free(names->shown[i]);
	free(names->shown);
}

const char *report_function_name(struct report_names *names, uint32_t function)
{
	const char *plain = profile_function_name(names->profile, function);

	if (!names->shown[function]) {
		char *readable = symbol_demangle(plain, DEMANGLE_NAME, NAME_LIMIT);

		names->shown[function] = readable ? readable : mem_strdup(plain);
	}
	return names->shown[function];
}

const char *report_object_name(const struct profile *profile, uint32_t object)
{
	const char *path = profile_text(profile, profile->objects.data[object].path);
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && *path != '[' ? slash + 1 : path;
}

double report_percent(const struct report *report, uint64_t weight)
{
	return report->whole ? 100.0 * (double)weight / (double)report->whole : 0;
}

/* Whether `text` is one of the comma-separated words of list. */
static bool in_list(const char *list, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, text, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

static bool is_wanted(struct report *report, const struct breakdown_row *row)
{
	const struct report_options *o = report->options;
	const struct profile *p = report->breakdown->profile;

	return (!o->comms || in_list(o->comms, profile_text(p, row->comm))) &&
	       (!o->objects || in_list(o->objects, report_object_name(p, row->object)) ||
		in_list(o->objects, profile_text(p, p->objects.data[row->object].path))) &&
	       (!o->symbols || row->function == NO_FUNCTION ||
		in_list(o->symbols, report_function_name(report->names, row->function)));
}

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_key(struct report *report, enum breakdown_key key, const struct breakdown_row *a,
		       const struct breakdown_row *b)
{
	const struct profile *p = report->breakdown->profile;

	switch (key) {
	case BY_COMM: return strcmp(profile_text(p, a->comm), profile_text(p, b->comm));
	case BY_PID: return compare_number(a->pid, b->pid);
	case BY_TID: return compare_number(a->tid, b->tid);
	case BY_CPU: return compare_number(a->cpu, b->cpu);
	case BY_PARENT: return compare_number(a->parent, b->parent);
	case BY_OBJECT:
		return strcmp(report_object_name(p, a->object), report_object_name(p, b->object));
	case BY_FUNCTION:
		return strcmp(report_function_name(report->names, a->function),
			      report_function_name(report->names, b->function));
	case BY_SRCLINE: return strcmp(profile_text(p, a->srcline), profile_text(p, b->srcline));
	case BY_SRCFILE: return strcmp(profile_text(p, a->srcfile), profile_text(p, b->srcfile));
	case BREAKDOWN_KEYS: break;
	}
	return 0;
}

/* The heaviest first; of equals callers before what they call, then by name. */
static int compare_rows(const void *one, const void *two, void *context)
{
	struct report *report = context;
	const struct report_options *o = report->options;
	uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)two;
	const struct breakdown_row *a = &report->breakdown->rows.data[first];
	const struct breakdown_row *b = &report->breakdown->rows.data[second];
	int order = 0;

	if (o->children) {
		order = compare_number(b->total.weight, a->total.weight);
		if (!order && o->graph)
			order = o->graph == REPORT_CALLER ? compare_number(b->depth, a->depth)
							  : compare_number(a->depth, b->depth);
	}
	if (!order)
		order = compare_number(b->self.weight, a->self.weight);
	for (size_t i = 0; !order && i < o->key_count; i++)
		order = compare_key(report, o->keys[i], a, b);
	return order ? order : compare_number(first, second);
}

/* Before they are put in order: making the names of those that are not shown is half the work. */
static void drop_small(struct report *report)
{
	const struct report_options *o = report->options;
	size_t kept = 0;

	vec_each (at, &report->order) {
		const struct breakdown_row *row = &report->breakdown->rows.data[*at];
		uint64_t weight = o->children ? row->total.weight : row->self.weight;

		if (weight && report_percent(report, weight) >= o->percent_limit)
			report->order.data[kept++] = *at;
	}
	report->order.len = kept;
}

void report_init(struct report *report, const struct report_options *options,
		 struct breakdown *breakdown, struct report_names *names, uint16_t event)
{
	*report = (struct report){ .options = options,
				   .breakdown = breakdown,
				   .names = names,
				   .event = event,
				   .whole = breakdown->total.weight };
	for (uint32_t i = 0; i < breakdown->rows.len; i++)
		if (is_wanted(report, &breakdown->rows.data[i]))
			*vec_push(&report->order) = i;
	if (options->relative) {
		report->whole = 0;
		vec_each (row, &report->order)
			report->whole += breakdown->rows.data[*row].self.weight;
	}
	drop_small(report);
	if (report->order.len)
		qsort_r(report->order.data, report->order.len, sizeof(*report->order.data),
			compare_rows, report);
}

void report_free(struct report *report)
{
	vec_free(&report->order);
}
