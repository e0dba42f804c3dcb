// SPDX-License-Identifier: Apache-2.0
/* How long threads wait between being woken and running. */
#include "summary/people.h"
#include "summary/result.h"
#include "summary/spread.h"

#include <stdlib.h>

enum { WAKEUP, SWITCH };

static const struct summary_need needs[] = {
	{ "sched:sched_wakeup", WAKEUP, { "pid" } },
	{ "sched:sched_wakeup_new", WAKEUP, { "pid" }, .optional = true },
	{ "sched:sched_switch", SWITCH, { "prev_pid", "next_pid" }, "next_comm" },
};

struct row {
	uint32_t person;
	struct spread spread;
};

/* A thread: whether it was woken and has not run since. */
struct sleeper {
	bool woken, running;
	uint64_t since;
};

struct state {
	const struct summary_context *context;
	struct people people;
	struct PER_THREAD(struct sleeper) sleepers;
	VEC(struct row) rows; /* by person */
	uint64_t backwards;
};

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	(void)summary;
	state->context = context;
	return state;
}

/* One who runs still, and is kept from going to sleep, waits for nothing. */
static void take_wakeup(struct state *state, const struct summary_record *record)
{
	struct sleeper *who = per_thread(&state->sleepers, (uint32_t)record->numbers[0]);

	if (who->running || who->woken)
		return;
	who->woken = true;
	who->since = record->who.time;
}

static void add(struct state *state, const struct summary_record *record, uint32_t tid,
		uint64_t since)
{
	struct summary_who who = {
		.comm = record->text,
		.tid = tid,
		.cpu = record->who.cpu,
		.time = record->who.time,
	};
	uint32_t person;

	if (who.time < since) {
		state->backwards++;
		return;
	}
	who.pid = state->context->pid_of(state->context, tid);
	if (!state->context->takes(state->context, &who))
		return;
	person = people_add(&state->people, &who, BY_THREAD);
	if (person == state->rows.len)
		vec_push(&state->rows)->person = person;
	spread_add(&state->rows.data[person].spread, who.time - since, who.time);
}

static void take_switch(struct state *state, const struct summary_record *record)
{
	uint32_t prev = (uint32_t)record->numbers[0], next = (uint32_t)record->numbers[1];
	struct sleeper *who;

	/* The idle threads, one a CPU, have one number and are never woken. */
	if (prev) {
		who = per_thread(&state->sleepers, prev);
		who->running = who->woken = false;
	}
	if (!next)
		return;
	who = per_thread(&state->sleepers, next);
	who->running = true;
	if (who->woken)
		add(state, record, next, who->since);
	who->woken = false;
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;

	if (record->role == WAKEUP)
		take_wakeup(state, record);
	else
		take_switch(state, record);
}

/* Those who waited longest at once stand first. */
static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->spread.span.max != b->spread.span.max)
		return a->spread.span.max < b->spread.span.max ? 1 : -1;
	return a->person < b->person ? -1 : a->person > b->person;
}

#define SPREAD_COLUMNS                                                                 \
	{ "wakeups", "wake-ups", CELL_COUNT }, { "min_ns", "min us", CELL_SPAN },      \
		{ "average_ns", "avg us", CELL_SPAN }, { "p50_ns", "p50", CELL_SPAN }, \
		{ "p95_ns", "p95", CELL_SPAN }, { "p99_ns", "p99", CELL_SPAN },        \
		{ "max_ns", "max us", CELL_SPAN },                                     \
	{                                                                              \
		"max_time_ns", "max at", CELL_TIME                                     \
	}

static const struct summary_column all_columns[] = { SPREAD_COLUMNS };

static const struct summary_column columns[] = {
	{ "comm", "comm", CELL_TEXT },
	{ "pid", "pid", CELL_ID },
	{ "tid", "tid", CELL_ID },
	SPREAD_COLUMNS,
};

static void put_spread(struct summary_table *table, const struct spread *spread)
{
	summary_put(table, spread->span.count);
	summary_put(table, span_min(&spread->span));
	summary_put(table, span_mean(&spread->span));
	summary_put(table, spread_percentile(spread, 50));
	summary_put(table, spread_percentile(spread, 95));
	summary_put(table, spread_percentile(spread, 99));
	summary_put(table, span_max(&spread->span));
	summary_put(table, spread->span.count ? spread->span.worst_at : SUMMARY_NONE);
}

static void finish(void *opaque, struct summary_result *result)
{
	struct state *state = opaque;
	struct summary_table *table = summary_result_table(
		result, "all", "From wake-up to running, all threads", all_columns);
	struct spread all = { 0 };

	vec_each (row, &state->rows)
		spread_merge(&all, &row->spread);
	put_spread(table, &all);
	if (!all.span.count)
		summary_note(result, "no thread was seen waking up and then running; that takes a "
				     "recording of the whole machine (-a)");
	spread_free(&all);
	table = summary_result_table(result, "threads", "By thread, the longest wait first",
				     columns);
	if (state->rows.len)
		qsort(state->rows.data, state->rows.len, sizeof(*state->rows.data), compare);
	vec_each (row, &state->rows) {
		const struct person *person = &state->people.all.data[row->person];

		summary_put_text(result, table, person->comm);
		summary_put(table, person_number(person->pid));
		summary_put(table, person->tid);
		put_spread(table, &row->spread);
	}
	if (state->backwards)
		summary_note(result, "%llu waits end before they begin and are left out",
			     (unsigned long long)state->backwards);
}

static void release(void *opaque)
{
	struct state *state = opaque;

	vec_each (row, &state->rows)
		spread_free(&row->spread);
	people_free(&state->people);
	per_thread_free(&state->sleepers);
	vec_free(&state->rows);
	free(state);
}

static const struct summary_kind kind = {
	.needs = needs,
	.need_count = ARRAY_SIZE(needs),
	.whole_machine = true,
	.start = start,
	.take = take,
	.finish = finish,
	.free = release,
};

const struct summary summary_wakeup_latency = {
	.name = "wakeup-latency",
	.about = "how long threads wait between being woken and running",
	.kind = &kind,
};
