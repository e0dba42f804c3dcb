// SPDX-License-Identifier: Apache-2.0
/* Threads that the scheduler moves from one CPU to another, and how busy the CPUs are. */
#include "base/idmap.h"
#include "summary/people.h"
#include "summary/result.h"

#include <stdlib.h>

enum { MIGRATE, SWITCH };

static const struct summary_need needs[] = {
	{ "sched:sched_migrate_task", MIGRATE, { "pid", "orig_cpu", "dest_cpu" }, "comm" },
	{ "sched:sched_switch", SWITCH, { "prev_pid", "next_pid" }, .optional = true },
};

struct row {
	uint32_t person;
	uint64_t moves;
	struct idmap cpus; /* that it was moved to */
};

struct way {
	uint32_t from, to;
	uint64_t moves;
};

/* A CPU as the switches on it tell it, between the first and the last of them. */
struct cpu {
	uint32_t number;
	uint64_t came, left, switches;
	uint64_t first, last, busy_ns;
};

struct state {
	const struct summary_context *context;
	struct people people;
	struct groups ways_taken;
	struct idmap cpu_index;
	VEC(struct row) rows; /* by person */
	VEC(struct way) ways;
	VEC(struct cpu) cpus;
	bool switches;
};

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	(void)summary;
	state->context = context;
	return state;
}

static struct cpu *cpu_of(struct state *state, uint32_t number)
{
	uint32_t index = idmap_add(&state->cpu_index, number, (uint32_t)state->cpus.len);

	if (index == state->cpus.len)
		vec_push(&state->cpus)->number = number;
	return &state->cpus.data[index];
}

static void add_way(struct state *state, uint32_t from, uint32_t to)
{
	uint64_t key[] = { from, to };
	uint32_t index = groups_add(&state->ways_taken, key, ARRAY_SIZE(key));

	if (index == state->ways.len)
		*vec_push(&state->ways) = (struct way){ .from = from, .to = to };
	state->ways.data[index].moves++;
	cpu_of(state, from)->left++;
	cpu_of(state, to)->came++;
}

static void take_migrate(struct state *state, const struct summary_record *record)
{
	uint32_t tid = (uint32_t)record->numbers[0], to = (uint32_t)record->numbers[2];
	struct summary_who who = {
		.comm = record->text,
		.tid = tid,
		.pid = state->context->pid_of(state->context, tid),
		.cpu = to,
		.time = record->who.time,
	};
	uint32_t person;

	if (!state->context->takes(state->context, &who))
		return;
	person = people_add(&state->people, &who, BY_THREAD);
	if (person == state->rows.len)
		vec_push(&state->rows)->person = person;
	state->rows.data[person].moves++;
	idmap_add(&state->rows.data[person].cpus, to, 0);
	add_way(state, (uint32_t)record->numbers[1], to);
}

static void take_switch(struct state *state, const struct summary_record *record)
{
	struct cpu *cpu = cpu_of(state, record->who.cpu);
	uint64_t now = record->who.time;

	state->switches = true;
	if (!cpu->switches++)
		cpu->first = cpu->last = now;
	if (now < cpu->last)
		return;
	if (record->numbers[0]) /* who leaves was no idle thread */
		cpu->busy_ns += now - cpu->last;
	cpu->last = now;
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;

	if (record->role == MIGRATE)
		take_migrate(state, record);
	else
		take_switch(state, record);
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->moves != b->moves)
		return a->moves < b->moves ? 1 : -1;
	return a->person < b->person ? -1 : a->person > b->person;
}

static int compare_ways(const void *left, const void *right)
{
	const struct way *a = left, *b = right;

	if (a->moves != b->moves)
		return a->moves < b->moves ? 1 : -1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static int compare_cpus(const void *left, const void *right)
{
	const struct cpu *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static const struct summary_column columns[] = {
	{ "comm", "comm", CELL_TEXT },	   { "pid", "pid", CELL_ID },
	{ "tid", "tid", CELL_ID },	   { "migrations", "moves", CELL_COUNT },
	{ "cpus", "to CPUs", CELL_COUNT },
};

static const struct summary_column way_columns[] = {
	{ "from_cpu", "from CPU", CELL_ID },
	{ "to_cpu", "to CPU", CELL_ID },
	{ "migrations", "moves", CELL_COUNT },
};

static const struct summary_column cpu_columns[] = {
	{ "cpu", "CPU", CELL_ID },
	{ "came", "moved here", CELL_COUNT },
	{ "left", "moved away", CELL_COUNT },
	{ "switches", "switches", CELL_COUNT },
	{ "busy_ns", "busy us", CELL_SPAN },
	{ "busy_share", "busy", CELL_SHARE },
};

static void put_rows(struct state *state, struct summary_result *result)
{
	struct summary_table *table = summary_result_table(result, "threads",
							   "Threads that were moved", columns);

	if (state->rows.len)
		qsort(state->rows.data, state->rows.len, sizeof(*state->rows.data), compare_rows);
	vec_each (row, &state->rows) {
		const struct person *person = &state->people.all.data[row->person];

		summary_put_text(result, table, person->comm);
		summary_put(table, person_number(person->pid));
		summary_put(table, person->tid);
		summary_put(table, row->moves);
		summary_put(table, row->cpus.len);
	}
}

static void put_ways(struct state *state, struct summary_result *result)
{
	struct summary_table *table = summary_result_table(result, "ways", "From where to where",
							   way_columns);

	if (state->ways.len)
		qsort(state->ways.data, state->ways.len, sizeof(*state->ways.data), compare_ways);
	vec_each (way, &state->ways) {
		summary_put(table, way->from);
		summary_put(table, way->to);
		summary_put(table, way->moves);
	}
}

static void put_cpus(struct state *state, struct summary_result *result)
{
	struct summary_table *table = summary_result_add(result, "cpus", "CPUs", cpu_columns,
							 state->switches ? 6 : 3);

	if (state->cpus.len)
		qsort(state->cpus.data, state->cpus.len, sizeof(*state->cpus.data), compare_cpus);
	vec_each (cpu, &state->cpus) {
		uint64_t whole = cpu->last - cpu->first;

		summary_put(table, cpu->number);
		summary_put(table, cpu->came);
		summary_put(table, cpu->left);
		if (!state->switches)
			continue;
		summary_put(table, cpu->switches);
		summary_put(table, cpu->busy_ns);
		summary_put(table, whole ? (uint64_t)((double)cpu->busy_ns / (double)whole * 1e6)
					 : SUMMARY_NONE);
	}
}

static void finish(void *opaque, struct summary_result *result)
{
	put_rows(opaque, result);
	put_ways(opaque, result);
	put_cpus(opaque, result);
}

static void release(void *opaque)
{
	struct state *state = opaque;

	vec_each (row, &state->rows)
		idmap_free(&row->cpus);
	people_free(&state->people);
	groups_free(&state->ways_taken);
	idmap_free(&state->cpu_index);
	vec_free(&state->rows);
	vec_free(&state->ways);
	vec_free(&state->cpus);
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

const struct summary summary_sched_migration = {
	.name = "sched-migration",
	.about = "threads that were moved from CPU to CPU, and how busy the CPUs were",
	.kind = &kind,
};
