// SPDX-License-Identifier: Apache-2.0
/* How often each system call was made, and, where its end was recorded too, how long it took. */
#include "summary/people.h"
#include "summary/result.h"
#include "summary/spread.h"
#include "summary/sysnames.h"

#include <stdlib.h>

enum { ENTER, EXIT };

static const struct summary_need needs[] = {
	{ "raw_syscalls:sys_enter", ENTER, { "id" } },
	{ "syscalls:sys_enter_*", ENTER, { "__syscall_nr|nr" }, .instead = true },
	{ "raw_syscalls:sys_exit", EXIT, { "id", "ret" }, .optional = true },
	{ "syscalls:sys_exit_*",
	  EXIT,
	  { "__syscall_nr|nr", "ret" },
	  .optional = true,
	  .instead = true },
};

struct row {
	uint32_t person, call;
	uint64_t calls, errors;
	struct span span;
};

/* The call that a thread is in. */
struct open_call {
	bool open;
	uint32_t call, row;
	uint64_t since;
};

struct state {
	const struct summary_context *context;
	struct sysnames names;
	struct people people;
	struct groups groups;
	VEC(struct row) rows;
	struct PER_THREAD(struct open_call) open;
	bool ends, anybody;
};

extern const struct summary summary_syscall_counts, summary_syscall_counts_by_pid;

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	state->context = context;
	state->anybody = summary == &summary_syscall_counts;
	sysnames_init(&state->names, context->arch);
	return state;
}

static uint32_t row_of(struct state *state, const struct summary_who *who, uint32_t call)
{
	uint32_t person = state->anybody ? 0 : people_add(&state->people, who, BY_PROCESS);
	uint64_t key[] = { person, call };
	uint32_t index = groups_add(&state->groups, key, ARRAY_SIZE(key));

	if (index == state->rows.len)
		*vec_push(&state->rows) = (struct row){ .person = person, .call = call };
	return index;
}

static void take_enter(struct state *state, const struct summary_record *record)
{
	struct open_call *open = per_thread(&state->open, record->who.tid);

	*open = (struct open_call){ 0 };
	if (!state->context->takes(state->context, &record->who))
		return;
	open->call = sysnames_call(&state->names, record->numbers[0], record->event);
	open->row = row_of(state, &record->who, open->call);
	open->open = true;
	open->since = record->who.time;
	state->rows.data[open->row].calls++;
}

/* What it belongs to is the call's beginning: an execve ends under another name. */
static void take_exit(struct state *state, const struct summary_record *record)
{
	struct open_call *open = per_thread(&state->open, record->who.tid);
	int64_t number = record->numbers[0];
	struct row *row;

	state->ends = true;
	if (!open->open)
		return;
	open->open = false;
	if (number != SYSCALL_NONE &&
	    sysnames_call(&state->names, number, record->event) != open->call)
		return; /* what lies between was lost */
	row = &state->rows.data[open->row];
	row->errors += syscall_failed(number, record->numbers[1]);
	if (record->who.time >= open->since)
		span_add(&row->span, record->who.time - open->since, record->who.time);
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;

	if (record->role == ENTER)
		take_enter(state, record);
	else
		take_exit(state, record);
}

static int compare(const void *left, const void *right, void *opaque)
{
	const struct row *a = left, *b = right;
	const struct state *state = opaque;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	if (a->call != b->call)
		return strcmp(sysnames_text(&state->names, a->call),
			      sysnames_text(&state->names, b->call));
	return a->person < b->person ? -1 : a->person > b->person;
}

static const struct summary_column columns_by_pid[] = {
	{ "comm", "comm", CELL_TEXT },		{ "pid", "pid", CELL_ID },
	{ "syscall", "syscall", CELL_TEXT },	{ "calls", "calls", CELL_COUNT },
	{ "errors", "errors", CELL_COUNT },	{ "total_ns", "total us", CELL_SPAN },
	{ "average_ns", "avg us", CELL_SPAN },	{ "max_ns", "max us", CELL_SPAN },
	{ "max_time_ns", "max at", CELL_TIME },
};
#define WHO_COLUMNS 2

static void put_row(struct state *state, struct summary_result *result, struct summary_table *table,
		    const struct row *row)
{
	if (!state->anybody) {
		const struct person *person = &state->people.all.data[row->person];

		summary_put_text(result, table, person->comm);
		summary_put(table, person_number(person->pid));
	}
	summary_put_text(result, table, sysnames_text(&state->names, row->call));
	summary_put(table, row->calls);
	if (!state->ends)
		return;
	summary_put(table, row->errors);
	summary_put(table, row->span.count ? row->span.total : SUMMARY_NONE);
	summary_put(table, span_mean(&row->span));
	summary_put(table, span_max(&row->span));
	summary_put(table, row->span.count ? row->span.worst_at : SUMMARY_NONE);
}

static void finish(void *opaque, struct summary_result *result)
{
	struct state *state = opaque;
	size_t first = state->anybody ? WHO_COLUMNS : 0;
	size_t last = state->ends ? ARRAY_SIZE(columns_by_pid) : WHO_COLUMNS + 2;
	struct summary_table *table = summary_result_add(result, "calls", "System calls",
							 columns_by_pid + first, last - first);

	if (state->rows.len)
		qsort_r(state->rows.data, state->rows.len, sizeof(*state->rows.data), compare,
			state);
	vec_each (row, &state->rows)
		put_row(state, result, table, row);
}

static void release(void *opaque)
{
	struct state *state = opaque;

	sysnames_fini(&state->names);
	people_free(&state->people);
	groups_free(&state->groups);
	vec_free(&state->rows);
	per_thread_free(&state->open);
	free(state);
}

static const struct summary_kind kind = {
	.needs = needs,
	.need_count = ARRAY_SIZE(needs),
	.start = start,
	.take = take,
	.finish = finish,
	.free = release,
};

const struct summary summary_syscall_counts = {
	.name = "syscall-counts",
	.about = "system calls: how often, how many failed, how long they took",
	.kind = &kind,
};

const struct summary summary_syscall_counts_by_pid = {
	.name = "syscall-counts-by-pid",
	.about = "system calls of each process",
	.kind = &kind,
};
