// SPDX-License-Identifier: Apache-2.0
#include "cmd/script_filter.h"
#include "base/err.h"
#include "base/text.h"
#include "perfdata/feature.h"
#include "perfdata/sort.h"
#include "summary/summary.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* perf's recordings say it only if told to (--timestamp-boundary): then it is looked for. */
static void find_times(const char *input, struct perf_env *env)
{
	struct perf_reader *reader = input ? perf_reader_open(input, NULL, NULL) : NULL;
	struct record_sort *sort = reader ? record_sort_new(reader, 0) : NULL;
	struct sorted_record rec;

	while (sort && record_sort_next(sort, &rec, NULL) > 0) {
		if (rec.rec.header->type != PERF_RECORD_SAMPLE || !rec.time)
			continue;
		if (!env->first_sample_ns)
			env->first_sample_ns = rec.time;
		env->last_sample_ns = rec.time;
	}
	record_sort_free(sort);
	perf_reader_close(reader);
}

int script_filter_times(struct script_filter *filter, const char *text, const char *input,
			struct perf_reader *reader, struct err *err)
{
	struct time_range whole;
	struct perf_env env = { 0 };
	int rc = 0;

	if (reader)
		perf_env_load(&env, reader);
	if (!env.last_sample_ns && (strchr(text, '%') || !strchr(text, ',')))
		find_times(input, &env);
	whole = (struct time_range){ env.first_sample_ns, env.last_sample_ns };
	while (*text && !rc) {
		size_t length = time_range_length(text);
		char *part = mem_strndup(text, length);

		if (length)
			rc = time_range_parse(vec_push(&filter->times), part,
					      env.last_sample_ns ? &whole : NULL, err);
		free(part);
		text += length + !!text[length];
	}
	perf_env_free(&env);
	return rc;
}

void script_filter_names(struct strlist *list, const char *text)
{
	for (; text && *text; text += *text == ',') {
		size_t length = strcspn(text, ",");
		char *name = mem_strndup(text, length);

		if (length)
			strlist_add(list, name);
		free(name);
		text += length;
	}
}

int script_filter_cpus(struct cpuset *set, const char *text, struct err *err)
{
	return cpuset_parse(set, text, err) ? err_prefix(err, "--cpu") : 0;
}

static int by_number(const void *a, const void *b)
{
	const int *one = a, *two = b;

	return (*one > *two) - (*one < *two);
}

int script_filter_ids(struct cpuset *set, const char *what, const char *text, struct err *err)
{
	const char *at = text;
	char *end;

	while (*at) {
		long id = strtol(at, &end, 10);

		if (end == at || id < -1 || id > INT_MAX || (*end && (*end != ',' || !end[1])))
			return err_set(err, EINVAL,
				       "--%s: '%s' is not a list of %s IDs; write 12,34", what,
				       text, strcmp(what, "pid") ? "thread" : "process");
		*vec_push(set) = (int)id;
		at = end + (*end == ',');
	}
	qsort(set->data, set->len, sizeof(*set->data), by_number);
	return 0;
}

int script_filter_check_cpus(const struct perf_reader *reader, struct err *err)
{
	for (size_t i = 0; i < perf_reader_attr_count(reader); i++) {
		const struct perf_attr *attr = perf_reader_attr(reader, i);
		const struct perf_event_attr *base = &attr->attr.base;

		if (base->sample_type & PERF_SAMPLE_CPU ||
		    (base->type == PERF_TYPE_SOFTWARE && base->config == PERF_COUNT_SW_DUMMY))
			continue;
		return err_set(err, ENODATA,
			       "--cpu: the samples of %s do not tell their CPU; record with -a, -C "
			       "or --sample-cpu, or leave --cpu out",
			       attr->name);
	}
	return 0;
}

static bool in_times(const struct script_filter *filter, uint64_t time)
{
	for (size_t i = 0; i < filter->times.len; i++) {
		const struct time_range *range = &filter->times.data[i];

		if (time >= range->start && (!range->end || time <= range->end))
			return true;
	}
	return !filter->times.len;
}

static bool in_names(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (text_glob(list->data[i], name))
			return true;
	return !list->len;
}

bool script_filter_takes_cpu(const struct script_filter *filter, uint32_t cpu)
{
	return !filter->cpus.len || cpu == UINT32_MAX || cpuset_has(&filter->cpus, (int)cpu);
}

bool script_filter_takes(const struct script_filter *filter, const struct perf_attr *attr,
			 const struct sample *sample)
{
	return in_times(filter, sample->time) && in_names(&filter->events, attr->name) &&
	       script_filter_takes_cpu(filter, sample->cpu) &&
	       (!filter->pids.len || cpuset_has(&filter->pids, (int)sample->pid)) &&
	       (!filter->tids.len || cpuset_has(&filter->tids, (int)sample->tid));
}

bool script_filter_takes_thread(const struct script_filter *filter, const struct thread *thread)
{
	return in_names(&filter->comms, thread->comm);
}

bool script_filter_takes_deed(const struct script_filter *filter, const struct summary_who *who)
{
	return in_times(filter, who->time) && in_names(&filter->comms, who->comm) &&
	       (!filter->cpus.len || who->cpu == UINT32_MAX ||
		cpuset_has(&filter->cpus, (int)who->cpu)) &&
	       (!filter->pids.len || cpuset_has(&filter->pids, (int)who->pid)) &&
	       (!filter->tids.len || cpuset_has(&filter->tids, (int)who->tid));
}

void script_filter_symbols(struct script_filter *filter, const char *text, uint64_t range)
{
	script_filter_names(&filter->symbols, text);
	filter->address_range = range;
	vec_each (name, &filter->symbols) {
		char *end;
		uint64_t address = strtoull(*name, &end, 16);

		if (!strncmp(*name, "0x", 2) && !*end)
			*vec_push(&filter->addresses) = address;
	}
}

static int find_switch(const struct perf_reader *reader, const char *option, const char *name,
		       struct err *err)
{
	for (size_t i = 0; i < perf_reader_attr_count(reader); i++)
		if (!strcmp(perf_reader_attr(reader, i)->name, name))
			return 0;
	return err_set(err, EINVAL, "%s: the recording has no event '%s'", option, name);
}

int script_filter_switches(struct script_filter *filter, const char *on, const char *off,
			   const struct perf_reader *reader, struct err *err)
{
	int rc = on ? find_switch(reader, "--switch-on", on, err) : 0;

	if (!rc && off)
		rc = find_switch(reader, "--switch-off", off, err);
	filter->on = on;
	filter->off = off;
	filter->waiting = on;
	return rc;
}

bool script_filter_is_on(struct script_filter *filter, const struct perf_attr *attr)
{
	const char *awaited = filter->waiting ? filter->on : filter->off;
	bool shown = !filter->waiting;

	if (awaited && !strcmp(attr->name, awaited)) {
		filter->waiting = !filter->waiting;
		shown = filter->shows_switches;
	}
	return shown;
}

static bool is_named(const struct strlist *list, const char *name)
{
	for (size_t i = 0; name && i < list->len; i++)
		if (!strcmp(list->data[i], name))
			return true;
	return false;
}

static bool takes_object(const struct script_filter *filter, const struct object *object)
{
	const char *slash = object ? strrchr(object->name, '/') : NULL;

	return object && (is_named(&filter->objects, object->name) ||
			  (slash && is_named(&filter->objects, slash + 1)));
}

bool script_filter_takes_place(const struct script_filter *filter, struct script_symbols *symbols,
			       const struct thread *thread, const struct sample *sample)
{
	struct place place;

	if (!filter->symbols.len && !filter->objects.len)
		return true;
	place = script_symbols_find(symbols, thread, sample->cpumode, sample->ip);
	if (filter->objects.len && !takes_object(filter, place.object))
		return false;
	if (!filter->symbols.len ||
	    (place.symbol && is_named(&filter->symbols, script_symbols_name(symbols, &place))))
		return true;
	vec_each (address, &filter->addresses)
		if (sample->ip - *address <= filter->address_range ||
		    (place.symbol && sample->ip - place.offset == *address))
			return true;
	return false;
}

void script_filter_free(struct script_filter *filter)
{
	vec_free(&filter->times);
	strlist_free(&filter->comms);
	strlist_free(&filter->events);
	strlist_free(&filter->symbols);
	strlist_free(&filter->objects);
	vec_free(&filter->addresses);
	cpuset_free(&filter->pids);
	cpuset_free(&filter->tids);
	cpuset_free(&filter->cpus);
}
