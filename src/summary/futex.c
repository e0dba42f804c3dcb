// SPDX-License-Identifier: Apache-2.0
/* Waiting in futexes, which locks and condition variables are made of. */
#include "summary/people.h"
#include "summary/result.h"
#include "summary/spread.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>

#ifndef FUTEX_LOCK_PI2 /* Linux 5.14 */
#define FUTEX_LOCK_PI2 13
#endif

enum { ENTER, EXIT };

static const struct summary_need needs[] = {
	{ "syscalls:sys_enter_futex", ENTER, { "uaddr", "op" } },
	{ "syscalls:sys_exit_futex", EXIT, { "ret" } },
};

/* One lock of one process, or of one thread. */
struct row {
	uint32_t person, op;
	uint64_t lock;
	struct span span;
	uint64_t late, busy; /* gave up at a deadline; found the lock changed and did not sleep */
};

struct rows {
	struct groups groups;
	VEC(struct row) rows;
};

struct waiter {
	bool waiting;
	uint32_t process, thread; /* rows */
	uint64_t since;
};

struct state {
	const struct summary_context *context;
	struct people processes, threads;
	struct rows by_process, by_thread;
	struct PER_THREAD(struct waiter) waiters;
};

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	(void)summary;
	state->context = context;
	return state;
}

/* The operations that wait; NULL for the others. */
static const char *op_name(uint32_t op)
{
	switch (op) {
	case FUTEX_WAIT: return "wait";
	case FUTEX_WAIT_BITSET: return "wait_bitset";
	case FUTEX_LOCK_PI: return "lock_pi";
	case FUTEX_LOCK_PI2: return "lock_pi2";
	case FUTEX_WAIT_REQUEUE_PI: return "wait_requeue_pi";
	default: return NULL;
	}
}

static uint32_t row_of(struct rows *rows, uint32_t person, uint64_t lock, uint32_t op)
{
	uint64_t key[] = { person, lock, op };
	uint32_t index = groups_add(&rows->groups, key, ARRAY_SIZE(key));

	if (index == rows->rows.len)
		*vec_push(&rows->rows) = (struct row){ .person = person, .lock = lock, .op = op };
	return index;
}

static void take_enter(struct state *state, const struct summary_record *record)
{
	struct waiter *who = per_thread(&state->waiters, record->who.tid);
	uint32_t op = (uint32_t)record->numbers[1] & FUTEX_CMD_MASK;
	uint64_t lock = (uint64_t)record->numbers[0];

	who->waiting = op_name(op) && state->context->takes(state->context, &record->who);
	if (!who->waiting)
		return;
	who->since = record->who.time;
	who->process = row_of(&state->by_process,
			      people_add(&state->processes, &record->who, BY_PROCESS), lock, op);
	who->thread = row_of(&state->by_thread,
			     people_add(&state->threads, &record->who, BY_THREAD), lock, op);
}

static void add(struct row *row, const struct summary_record *record, uint64_t since)
{
	span_add(&row->span, record->who.time - since, record->who.time);
	row->late += record->numbers[0] == -ETIMEDOUT;
	row->busy += record->numbers[0] == -EAGAIN;
}

static void take_exit(struct state *state, const struct summary_record *record)
{
	struct waiter *who = per_thread(&state->waiters, record->who.tid);

	if (who->waiting && record->who.time >= who->since) {
		add(&state->by_process.rows.data[who->process], record, who->since);
		add(&state->by_thread.rows.data[who->thread], record, who->since);
	}
	who->waiting = false;
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;

	if (record->role == ENTER)
		take_enter(state, record);
	else
		take_exit(state, record);
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->span.total != b->span.total)
		return a->span.total < b->span.total ? 1 : -1;
	if (a->person != b->person)
		return a->person < b->person ? -1 : 1;
	return a->lock < b->lock ? -1 : a->lock > b->lock;
}

#define WAIT_COLUMNS                                                                       \
	{ "lock", "lock", CELL_HEX }, { "op", "operation", CELL_TEXT },                    \
		{ "waits", "waits", CELL_COUNT }, { "total_ns", "total us", CELL_SPAN },   \
		{ "average_ns", "avg us", CELL_SPAN }, { "min_ns", "min us", CELL_SPAN },  \
		{ "max_ns", "max us", CELL_SPAN }, { "max_time_ns", "max at", CELL_TIME }, \
		{ "timed_out", "timed out", CELL_COUNT },                                  \
	{                                                                                  \
		"not_slept", "not slept", CELL_COUNT                                       \
	}

static const struct summary_column process_columns[] = {
	{ "comm", "comm", CELL_TEXT },
	{ "pid", "pid", CELL_ID },
	WAIT_COLUMNS,
};

static const struct summary_column thread_columns[] = {
	{ "comm", "comm", CELL_TEXT },
	{ "pid", "pid", CELL_ID },
	{ "tid", "tid", CELL_ID },
	WAIT_COLUMNS,
};

static void put_row(struct summary_result *result, struct summary_table *table,
		    const struct person *person, const struct row *row)
{
	summary_put_text(result, table, person->comm);
	summary_put(table, person_number(person->pid));
	if (table->columns == thread_columns)
		summary_put(table, person->tid);
	summary_put(table, row->lock);
	summary_put_text(result, table, op_name(row->op));
	summary_put(table, row->span.count);
	summary_put(table, row->span.total);
	summary_put(table, span_mean(&row->span));
	summary_put(table, span_min(&row->span));
	summary_put(table, span_max(&row->span));
	summary_put(table, row->span.worst_at);
	summary_put(table, row->late);
	summary_put(table, row->busy);
}

static void put_rows(struct summary_result *result, struct summary_table *table, struct rows *rows,
		     const struct people *people)
{
	if (rows->rows.len)
		qsort(rows->rows.data, rows->rows.len, sizeof(*rows->rows.data), compare);
	vec_each (row, &rows->rows)
		if (row->span.count) /* and not one that still waits at the end */
			put_row(result, table, &people->all.data[row->person], row);
}

static void finish(void *opaque, struct summary_result *result)
{
	struct state *state = opaque;
	struct summary_table *table;

	table = summary_result_table(result, "processes", "Waits, by process and lock",
				     process_columns);
	put_rows(result, table, &state->by_process, &state->processes);
	table = summary_result_table(result, "threads", "Waits, by thread and lock",
				     thread_columns);
	put_rows(result, table, &state->by_thread, &state->threads);
}

static void release(void *opaque)
{
	struct state *state = opaque;

	people_free(&state->processes);
	people_free(&state->threads);
	groups_free(&state->by_process.groups);
	groups_free(&state->by_thread.groups);
	vec_free(&state->by_process.rows);
	vec_free(&state->by_thread.rows);
	per_thread_free(&state->waiters);
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

const struct summary summary_futex_contention = {
	.name = "futex-contention",
	.about = "waits for locks: which lock, how often, how long",
	.kind = &kind,
};
