// SPDX-License-Identifier: Apache-2.0
#include "cmd/report_records.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "machine/machine.h"
#include "perfdata/feature.h"
#include "perfdata/sample.h"
#include "perfdata/sort.h"
#include "render/script_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORD_TYPES 256

bool report_is_of_records(const struct report_args *args)
{
	return args->stats || args->tasks || args->mappings || args->dump;
}

struct tally {
	uint64_t types[RECORD_TYPES], total;
	VEC(uint64_t) samples; /* by event */
};

static void count_record(struct tally *tally, const struct perf_reader *reader,
			 const struct perf_event_header *header)
{
	const struct perf_attr *attr;

	if (header->type < RECORD_TYPES)
		tally->types[header->type]++;
	tally->total++;
	attr = header->type == PERF_RECORD_SAMPLE ? perf_reader_attr_of(reader, header) : NULL;
	if (!attr)
		return;
	while (tally->samples.len <= attr->index)
		vec_push(&tally->samples);
	tally->samples.data[attr->index]++;
}

static void print_tally(const struct tally *tally, const struct perf_reader *reader,
			struct outbuf *out)
{
	out_text(out, "\nAggregated stats:\n");
	out_printf(out, "%16s events: %10" PRIu64 "\n", "TOTAL", tally->total);
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (tally->types[type])
			out_printf(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n",
				   script_record_name(type), tally->types[type],
				   100.0 * (double)tally->types[type] / (double)tally->total);
	for (size_t i = 0; i < perf_reader_attr_count(reader); i++) {
		uint64_t samples = i < tally->samples.len ? tally->samples.data[i] : 0;

		if (!samples)
			continue;
		out_printf(out, "%s stats:\n", perf_reader_attr(reader, i)->name);
		out_printf(out, "%16s events: %10" PRIu64 "\n", "SAMPLE", samples);
	}
}

/* Reads the records in file order, to dump them (-D) and to count them by type. */
static int count_records(const struct report_args *args, struct perf_reader *reader,
			 const char *input, struct outbuf *out, struct err *err)
{
	struct record_sort *sort = args->dump && !args->unordered ? record_sort_new(reader, 0)
								  : NULL;
	struct machine *machine = machine_new();
	struct script_dump dump = { .out = out,
				    .reader = reader,
				    .machine = machine,
				    .path = input,
				    .arch = feature_text(reader, FEATURE_ARCH) };
	struct sorted_record rec = { 0 };
	struct tally tally = { 0 };
	int rc = 0;

	if (args->dump)
		out_text(out, "# To display the perf.data header info, please use "
			      "--header/--header-only options.\n#\n");
	while (!out->error) {
		const struct perf_event_header *header;
		size_t trailer;

		rc = sort ? record_sort_next(sort, &rec, err)
			  : perf_reader_next(reader, &rec.rec, err);
		if (rc <= 0)
			break;
		header = rec.rec.header;
		if (!sort)
			rec.attr = perf_reader_attr_of(reader, header);
		count_record(&tally, reader, header);
		if (!args->dump)
			continue;
		script_dump(&dump, &rec);
		trailer = rec.attr ? rec.attr->trailer_size : 0;
		if (header->type != PERF_RECORD_SAMPLE && header->size >= trailer + sizeof(*header))
			machine_take(machine, header, header->size - trailer);
	}
	if (rc >= 0)
		print_tally(&tally, reader, out);
	vec_free(&tally.samples);
	record_sort_free(sort);
	machine_free(machine);
	return rc < 0 ? rc : 0;
}

struct task {
	uint32_t pid, tid;
	int64_t parent; /* a pid; -1: nobody told */
	char comm[16];
	uint32_t first_child, next; /* NO_TASK: none */
	bool is_child, printed;
};

#define LEVELS_MOST 200 /* of children below parents: deeper ones begin anew */
#define NO_TASK	    UINT32_MAX

struct tasks {
	VEC(struct task) list;
	struct idmap by_tid;
	struct outbuf *out;
	struct machine *machine; /* with mappings; NULL: they are not wanted */
};

static struct task *task_of(struct tasks *tasks, uint32_t pid, uint32_t tid)
{
	uint32_t next = (uint32_t)tasks->list.len, at = idmap_add(&tasks->by_tid, tid, next);

	if (at == next) {
		*vec_push(&tasks->list) = (struct task){
			.pid = pid,
			.tid = tid,
			.parent = -1,
			.first_child = NO_TASK,
			.next = NO_TASK,
		};
		snprintf(vec_last(&tasks->list)->comm, sizeof(vec_last(&tasks->list)->comm), ":%u",
			 tid);
	}
	return &tasks->list.data[at];
}

static void take_task(struct tasks *tasks, const struct perf_event_header *header)
{
	struct cursor c = cursor_of(header + 1, header->size - sizeof(*header));
	uint32_t pid = cursor_u32(&c), second = cursor_u32(&c);
	struct task *task;

	if (c.broken)
		return;
	if (header->type == PERF_RECORD_COMM) {
		task = task_of(tasks, pid, second);
		snprintf(task->comm, sizeof(task->comm), "%.*s",
			 (int)strnlen((const char *)c.at, cursor_left(&c)), (const char *)c.at);
	} else if (header->type == PERF_RECORD_FORK) {
		uint32_t tid = cursor_u32(&c), parent_tid = cursor_u32(&c);
		const char *comm = task_of(tasks, second, parent_tid)->comm;
		char name[sizeof(task->comm)];

		memcpy(name, comm, sizeof(name));
		task = task_of(tasks, pid, tid);
		memcpy(task->comm, name, sizeof(name));
		task->pid = pid;
		task->parent = second;
	}
}

static void print_mappings(const struct tasks *tasks, const struct task *task, int indent)
{
	const struct thread *thread = machine_thread(tasks->machine, task->pid, task->tid);
	const struct maps *maps = thread->process->maps;

	for (size_t i = 0; maps && i < maps->list.len; i++) {
		const struct mapping *m = &maps->list.data[i];

		out_printf(tasks->out, "%*s  %" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " %s\n",
			   indent + 30, "", m->start, m->end, m->offset,
			   machine_object(tasks->machine, m->object)->name);
	}
}

static void print_task(struct tasks *tasks, struct task *task, int level)
{
	task->printed = true;
	out_printf(tasks->out, "%10d %8d %8lld |%*s%s\n", (int)task->pid, (int)task->tid,
		   (long long)task->parent, level, "", task->comm);
	if (tasks->machine)
		print_mappings(tasks, task, level);
	for (uint32_t at = task->first_child; at != NO_TASK && level < LEVELS_MOST;
	     at = tasks->list.data[at].next)
		if (!tasks->list.data[at].printed)
			print_task(tasks, &tasks->list.data[at], level + 1);
}

static int compare_tasks(const void *one, const void *two)
{
	const struct task *a = one, *b = two;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Sorted, and each below the process that started it. */
static void link_tasks(struct tasks *tasks)
{
	struct idmap by_pid = { 0 };

	qsort(tasks->list.data, tasks->list.len, sizeof(*tasks->list.data), compare_tasks);
	for (uint32_t i = 0; i < tasks->list.len; i++)
		if (tasks->list.data[i].pid == tasks->list.data[i].tid)
			idmap_add(&by_pid, tasks->list.data[i].pid, i);
	for (uint32_t i = (uint32_t)tasks->list.len; i-- > 0;) {
		struct task *task = &tasks->list.data[i];
		uint32_t parent = task->parent < 0 ? NO_TASK
						   : idmap_find(&by_pid, (uint64_t)task->parent);

		if (task->parent < 0 || parent == IDMAP_NONE || parent == i)
			continue;
		task->is_child = true;
		task->next = tasks->list.data[parent].first_child;
		tasks->list.data[parent].first_child = i;
	}
	idmap_free(&by_pid);
}

static int list_tasks(const struct report_args *args, struct perf_reader *reader,
		      struct outbuf *out, struct err *err)
{
	struct record_sort *sort = record_sort_new(reader, 0);
	struct tasks tasks = { .out = out, .machine = args->mappings ? machine_new() : NULL };
	struct sorted_record rec;
	int rc;

	snprintf(task_of(&tasks, 0, 0)->comm, sizeof(((struct task *)0)->comm), "swapper");
	while ((rc = record_sort_next(sort, &rec, err)) > 0) {
		const struct perf_event_header *header = rec.rec.header;
		size_t trailer = rec.attr ? rec.attr->trailer_size : 0;

		if (header->size < trailer + sizeof(*header))
			continue;
		take_task(&tasks, header);
		/* A task that has ended keeps the name it had. */
		if (tasks.machine && header->type != PERF_RECORD_EXIT &&
		    header->type != PERF_RECORD_SAMPLE)
			machine_take(tasks.machine, header, header->size - trailer);
	}
	if (!rc) {
		link_tasks(&tasks);
		out_printf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
		vec_each (task, &tasks.list)
			if (!task->is_child)
				print_task(&tasks, task, 0);
		/* What a ring of parents, or very many of them, kept from being reached. */
		vec_each (task, &tasks.list)
			if (!task->printed)
				print_task(&tasks, task, 0);
	}
	record_sort_free(sort);
	machine_free(tasks.machine);
	idmap_free(&tasks.by_tid);
	vec_free(&tasks.list);
	return rc;
}

int report_records(const struct report_args *args, struct perf_reader *reader, const char *input,
		   struct outbuf *out, struct err *err)
{
	if (args->tasks || args->mappings)
		return list_tasks(args, reader, out, err);
	return count_records(args, reader, input, out, err);
}

struct counter {
	uint32_t pid, tid, event;
	uint64_t value;
};

struct counters {
	VEC(struct counter) list;
	struct idmap known; /* by thread and event */
};

static void take_read(struct counters *counters, const struct perf_attr *attr,
		      const struct perf_event_header *header)
{
	struct cursor c = cursor_of(header + 1, header->size - sizeof(*header));
	struct counter one = { .pid = cursor_u32(&c), .tid = cursor_u32(&c), .event = attr->index };
	uint32_t next, at;

	one.value = cursor_u64(&c);
	if (c.broken)
		return;
	next = (uint32_t)counters->list.len;
	at = idmap_add(&counters->known, (uint64_t)one.tid << 32 | one.event, next);
	if (at == next)
		*vec_push(&counters->list) = one;
	else
		counters->list.data[at].value += one.value;
}

static int compare_counters(const void *one, const void *two)
{
	const struct counter *a = one, *b = two;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static void print_raw(const struct counters *counters, const struct perf_reader *reader,
		      struct outbuf *out)
{
	out_printf(out, "# %5s %6s %10s  %3s %11s\n", "PID", "TID", "Name", "Raw", "Count");
	vec_each (counter, &counters->list) {
		const struct perf_attr *attr = perf_reader_attr(reader, counter->event);

		out_printf(out, "%7u %6u %10s  %3" PRIx64 " %11" PRIu64 "\n", counter->pid,
			   counter->tid, attr->name, (uint64_t)attr->attr.base.config,
			   counter->value);
	}
}

/* A line for each thread, a column for each event. */
static void print_normal(const struct counters *counters, const struct perf_reader *reader,
			 struct outbuf *out)
{
	size_t events = perf_reader_attr_count(reader), at = 0;

	out_printf(out, "# %5s %6s", "PID", "TID");
	for (size_t i = 0; i < events; i++)
		out_printf(out, "  %10s", perf_reader_attr(reader, i)->name);
	out_char(out, '\n');
	while (at < counters->list.len) {
		const struct counter *row = &counters->list.data[at];

		out_printf(out, "%7u %6u", row->pid, row->tid);
		for (size_t i = 0; i < events; i++) {
			size_t width = strlen(perf_reader_attr(reader, i)->name);
			const struct counter *one = &counters->list.data[at];
			bool here = at < counters->list.len && one->tid == row->tid &&
				    one->pid == row->pid && one->event == i;

			out_printf(out, "  %*" PRIu64, width > 10 ? (int)width : 10,
				   here ? one->value : 0);
			at += here;
		}
		out_char(out, '\n');
	}
}

int report_counters(const struct report_args *args, const char *input, struct outbuf *out,
		    struct err *err)
{
	struct perf_reader *reader = perf_reader_open(input, NULL, err);
	struct counters counters = { 0 };
	struct record rec;
	int rc;

	if (!reader)
		return -err->code;
	while ((rc = perf_reader_next(reader, &rec, err)) > 0) {
		const struct perf_attr *attr = rec.header->type == PERF_RECORD_READ
						       ? perf_reader_attr_of(reader, rec.header)
						       : NULL;

		if (attr)
			take_read(&counters, attr, rec.header);
	}
	if (counters.list.len)
		qsort(counters.list.data, counters.list.len, sizeof(*counters.list.data),
		      compare_counters);
	if (!rc && args->pretty && !strcmp(args->pretty, "raw"))
		print_raw(&counters, reader, out);
	else if (!rc)
		print_normal(&counters, reader, out);
	vec_free(&counters.list);
	idmap_free(&counters.known);
	perf_reader_close(reader);
	return rc;
}
