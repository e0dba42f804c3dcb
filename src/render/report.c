// SPDX-License-Identifier: Apache-2.0
#include "render/report.h"
#include "symbol/symbol.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 4096

void report_names_init(struct report_names *names, const struct profile *profile,
		       const struct report_options *options)
{
	names->profile = profile;
	names->options = options;
	names->shown = mem_alloc((profile->functions.len + 1) * sizeof(*names->shown));
}

void report_names_free(struct report_names *names)
{
	for (size_t i = 0; i < names->profile->functions.len; i++)
		free(names->shown[i]);
	free(names->shown);
}

static bool is_demangled(const struct report_names *names, uint32_t function)
{
	return !names->options->raw_names &&
	       (names->options->demangle_kernel ||
		names->profile->functions.data[function].kind != FRAME_KERNEL);
}

const char *report_function_name(struct report_names *names, uint32_t function)
{
	const char *plain = profile_function_name(names->profile, function);

	if (!names->shown[function]) {
		char *readable = is_demangled(names, function)
					 ? symbol_demangle(plain,
							   names->options->verbose ? DEMANGLE_PARAMS
										   : DEMANGLE_NAME,
							   NAME_LIMIT)
					 : NULL;

		names->shown[function] = readable ? readable : mem_strdup(plain);
	}
	return names->shown[function];
}

const char *report_object_name(const struct profile *profile, uint32_t object)
{
	return profile_text(profile, profile->objects.data[object].name);
}

double report_percent(const struct report *report, uint64_t weight)
{
	uint64_t whole = report->members[0].whole;

	return whole ? 100.0 * (double)weight / (double)whole : 0;
}

const struct breakdown_row *report_member_row(const struct report *report, uint32_t row,
					      size_t member)
{
	static const struct breakdown_row none;
	const struct report_member *m = &report->members[member];

	if (!member)
		return &report->breakdown->rows.data[row];
	return m->rows[row] ? &m->breakdown.rows.data[m->rows[row] - 1] : &none;
}

uint64_t report_field(enum report_field field, const struct breakdown_row *row)
{
	switch (field) {
	case FIELD_CHILDREN: return row->total.weight;
	case FIELD_SYS: return row->kernel;
	case FIELD_US: return row->user;
	case FIELD_GUEST_SYS: return row->guest_kernel;
	case FIELD_GUEST_US: return row->guest_user;
	case FIELD_SAMPLES: return row->self.samples;
	default: return row->self.weight;
	}
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
	bool has_name = row->function != NO_FUNCTION;

	return (!o->objects || in_list(o->objects, report_object_name(p, row->object)) ||
		in_list(o->objects, profile_text(p, p->objects.data[row->object].path))) &&
	       (!o->symbols || !has_name ||
		in_list(o->symbols, report_function_name(report->names, row->function))) &&
	       (!o->symbol_part || !has_name ||
		strstr(report_function_name(report->names, row->function), o->symbol_part)) &&
	       (!o->exclude_other || row->parent != NO_FUNCTION) &&
	       (o->socket < 0 ||
		atoi(profile_text(p, row->traits[o->socket_key - BY_TRAIT])) == o->socket);
}

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Numbers by what they are, all else as text. */
static int compare_text(const char *a, const char *b)
{
	char *a_end, *b_end;
	double one = strtod(a, &a_end), two = strtod(b, &b_end);

	if (*a && *b && !*a_end && !*b_end && (one < two || one > two))
		return one < two ? -1 : 1;
	return strcmp(a, b);
}

int report_compare_key(struct report *report, const struct report_column *column,
		       const struct breakdown_row *a, const struct breakdown_row *b)
{
	const struct profile *p = report->breakdown->profile;
	int order;

	switch (column->by) {
	case BY_COMM: return strcmp(profile_text(p, a->comm), profile_text(p, b->comm));
	case BY_PID: return compare_number(a->pid, b->pid);
	case BY_TID: return compare_number(a->tid, b->tid);
	case BY_CPU: return compare_number(a->cpu, b->cpu);
	case BY_PARENT: return compare_number(a->parent, b->parent);
	case BY_OBJECT:
		return strcmp(report_object_name(p, a->object), report_object_name(p, b->object));
	case BY_FUNCTION: /* of overloaded ones the names that are shown are the same */
		order = strcmp(report_function_name(report->names, a->function),
			       report_function_name(report->names, b->function));
		return order ? order : compare_number(a->function, b->function);
	case BY_SRCLINE: return strcmp(profile_text(p, a->srcline), profile_text(p, b->srcline));
	case BY_SRCFILE: return strcmp(profile_text(p, a->srcfile), profile_text(p, b->srcfile));
	default: break;
	}
	order = compare_text(profile_text(p, a->traits[column->by - BY_TRAIT]),
			     profile_text(p, b->traits[column->by - BY_TRAIT]));
	return column->key->falling ? -order : order;
}

/* The larger first: of the first event and then the others of its group, or as perf has it of the
 * one that the user chose and the others but the first. */
static int compare_field(const struct report *report, enum report_field field, uint32_t first,
			 uint32_t second)
{
	size_t chosen = report->options->sort_member;
	int order = 0;

	if (chosen >= report->member_count)
		chosen = 0;
	for (size_t i = 0; !order && i < report->member_count; i++) {
		size_t member = !i ? chosen : i;

		if (field == FIELD_CHILDREN && i)
			break;
		order = compare_number(
			report_field(field, report_member_row(report, second, member)),
			report_field(field, report_member_row(report, first, member)));
	}
	return order;
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

	for (size_t i = 0; !order && i < o->order.count; i++) {
		const struct report_column *column = &o->order.list[i];

		order = column->key->field == FIELD_KEY
				? report_compare_key(report, column, a, b)
				: compare_field(report, column->key->field, first, second);
		if (!order && column->key->field == FIELD_CHILDREN && o->graph)
			order = o->graph == REPORT_CALLER ? compare_number(b->depth, a->depth)
							  : compare_number(a->depth, b->depth);
	}
	return order ? order : compare_number(first, second);
}

/* Before they are put in order: making the names of those that are not shown is half the work. */
static void drop_small(struct report *report)
{
	const struct report_options *o = report->options;
	enum report_field field = o->children ? FIELD_CHILDREN : FIELD_OVERHEAD;
	size_t kept = 0;

	vec_each (at, &report->order) {
		bool any = false;

		for (size_t i = 0; i < report->member_count; i++)
			any |= report_field(field, report_member_row(report, *at, i)) > 0;
		if (any && report_percent(report,
					  report_field(field, report_member_row(report, *at, 0))) >=
				   o->percent_limit)
			report->order.data[kept++] = *at;
	}
	report->order.len = kept;
}

/* The fields by which rows differ, as bytes. */
struct row_key {
	uint32_t comm, pid, tid, cpu, parent, object, function, inlined, srcline, srcfile;
	uint32_t traits[TRAITS_MAX];
};

static struct row_key key_of(const struct report *report, const struct breakdown_row *row)
{
	bool by_comm = report->breakdown->options.keys & 1u << BY_COMM;
	struct row_key key = { by_comm ? row->comm : 0,
			       row->pid,
			       row->tid,
			       row->cpu,
			       row->parent,
			       row->object,
			       row->function,
			       row->inlined,
			       row->srcline,
			       row->srcfile,
			       { 0 } };

	memcpy(key.traits, row->traits, sizeof(key.traits));
	return key;
}

/* Gives the first member a row for every row of any member, and finds the others by it. */
static void join_members(struct report *report)
{
	struct breakdown *first = report->breakdown;
	size_t most = 0;
	struct map known = { 0 };
	struct arena keys = { 0 };

	for (size_t m = 0; m < report->member_count; m++)
		most += report->members[m].breakdown.rows.len;
	for (uint32_t i = 0; i < first->rows.len; i++) {
		struct row_key key = key_of(report, &first->rows.data[i]);

		map_add(&known, arena_strndup(&keys, (const char *)&key, sizeof(key)), sizeof(key),
			i);
	}
	for (size_t m = 1; m < report->member_count; m++) {
		const struct breakdown *other = &report->members[m].breakdown;
		uint32_t *rows = mem_alloc((most + 1) * sizeof(*rows));

		for (uint32_t i = 0; i < other->rows.len; i++) {
			struct row_key key = key_of(report, &other->rows.data[i]);
			uint32_t at = map_find(&known, (const char *)&key, sizeof(key));

			if (at == MAP_NONE) {
				struct breakdown_row row = other->rows.data[i];

				at = (uint32_t)first->rows.len;
				row.self = row.total = (struct weight_pair){ 0 };
				row.kernel = row.user = row.guest_kernel = row.guest_user = 0;
				*vec_push(&first->rows) = row;
				map_add(&known,
					arena_strndup(&keys, (const char *)&key, sizeof(key)),
					sizeof(key), at);
			}
			rows[at] = i + 1;
		}
		report->members[m].rows = rows;
	}
	map_free(&known);
	arena_free(&keys);
}

/* A sample without a stack has no function: it is what happened, by the event's name. */
static void name_stackless(struct report_names *names, const struct report_member *member)
{
	const struct profile *p = names->profile;
	char **shown = &names->shown[p->stacks.function[STACK_ROOT]];

	free(*shown);
	*shown = mem_printf("[%s]", profile_text(p, p->events.data[member->event].name));
}

bool report_is_stackless(const struct profile *profile, const struct breakdown_row *row)
{
	return row->function == profile->stacks.function[STACK_ROOT];
}

void report_init(struct report *report, const struct report_options *options,
		 struct report_member *members, size_t member_count, struct report_names *names)
{
	*report = (struct report){
		.options = options,
		.breakdown = &members[0].breakdown,
		.members = members,
		.member_count = member_count,
		.names = names,
	};
	name_stackless(names, &members[0]);
	if (member_count > 1)
		join_members(report);
	for (uint32_t i = 0; i < report->breakdown->rows.len; i++)
		if (is_wanted(report, &report->breakdown->rows.data[i]))
			*vec_push(&report->order) = i;
	for (size_t m = 0; m < member_count; m++) {
		struct weight_pair left = { 0 };

		vec_each (row, &report->order) {
			left.weight += report_member_row(report, *row, m)->self.weight;
			left.samples += report_member_row(report, *row, m)->self.samples;
		}
		if (!options->relative)
			left = members[m].all;
		members[m].whole = left.weight;
		report->shown.weight += left.weight;
		report->shown.samples += left.samples;
	}
	drop_small(report);
	if (report->order.len)
		qsort_r(report->order.data, report->order.len, sizeof(*report->order.data),
			compare_rows, report);
}

void report_free(struct report *report)
{
	vec_free(&report->order);
	for (size_t m = 1; m < report->member_count; m++)
		free(report->members[m].rows);
}
