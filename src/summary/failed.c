// SPDX-License-Identifier: Apache-2.0
/* System calls that failed: whose, which, and with which error. */
#include "summary/people.h"
#include "summary/result.h"
#include "summary/sysnames.h"

#include <stdlib.h>

static const struct summary_need needs[] = {
	{ "raw_syscalls:sys_exit", 0, { "id", "ret" } },
	{ "syscalls:sys_exit_*", 0, { "__syscall_nr|nr", "ret" }, .instead = true },
};

struct row {
	uint32_t person, call, error;
	uint64_t count;
};

struct state {
	const struct summary_context *context;
	enum people_by by;
	struct sysnames names;
	struct people people;
	struct groups groups;
	VEC(struct row) rows;
	VEC(uint64_t) of_person;
};

extern const struct summary summary_failed_syscalls, summary_failed_syscalls_by_pid;

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	state->context = context;
	state->by = summary == &summary_failed_syscalls ? BY_COMM : BY_PROCESS;
	sysnames_init(&state->names, context->arch);
	return state;
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;
	uint64_t key[3];
	uint32_t index;

	if (!syscall_failed(record->numbers[0], record->numbers[1]) ||
	    !state->context->takes(state->context, &record->who))
		return;
	key[0] = people_add(&state->people, &record->who, state->by);
	key[1] = sysnames_call(&state->names, record->numbers[0], record->event);
	key[2] = (uint64_t)-record->numbers[1];
	index = groups_add(&state->groups, key, ARRAY_SIZE(key));
	if (index == state->rows.len)
		*vec_push(&state->rows) = (struct row){ .person = (uint32_t)key[0],
							.call = (uint32_t)key[1],
							.error = (uint32_t)key[2] };
	state->rows.data[index].count++;
	while (state->of_person.len <= key[0])
		*vec_push(&state->of_person) = 0;
	state->of_person.data[key[0]]++;
}

/* Those with most failures first, and of each the most frequent first. */
static int compare(const void *left, const void *right, void *opaque)
{
	const struct row *a = left, *b = right;
	const uint64_t *of_person = ((const struct state *)opaque)->of_person.data;

	if (of_person[a->person] != of_person[b->person])
		return of_person[a->person] < of_person[b->person] ? 1 : -1;
	if (a->person != b->person)
		return a->person < b->person ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return a->error < b->error ? -1 : a->error > b->error;
}

static const struct summary_column columns[] = {
	{ "comm", "comm", CELL_TEXT },	     { "syscall", "syscall", CELL_TEXT },
	{ "error", "error", CELL_TEXT },     { "errno", "number", CELL_ID },
	{ "failures", "times", CELL_COUNT },
};

static const struct summary_column columns_by_pid[] = {
	{ "comm", "comm", CELL_TEXT },	     { "pid", "pid", CELL_ID },
	{ "syscall", "syscall", CELL_TEXT }, { "error", "error", CELL_TEXT },
	{ "errno", "number", CELL_ID },	     { "failures", "times", CELL_COUNT },
};

static void finish(void *opaque, struct summary_result *result)
{
	struct state *state = opaque;
	bool by_pid = state->by == BY_PROCESS;
	char text[SYSERROR_TEXT];
	struct summary_table *table =
		by_pid ? summary_result_table(result, "failures", "Failed system calls",
					      columns_by_pid)
		       : summary_result_table(result, "failures", "Failed system calls", columns);

	if (state->rows.len)
		qsort_r(state->rows.data, state->rows.len, sizeof(*state->rows.data), compare,
			state);
	vec_each (row, &state->rows) {
		const struct person *person = &state->people.all.data[row->person];

		summary_put_text(result, table, person->comm);
		if (by_pid)
			summary_put(table, person_number(person->pid));
		summary_put_text(result, table, sysnames_text(&state->names, row->call));
		summary_put_text(result, table, sysnames_error(&state->names, row->error, text));
		summary_put(table, row->error);
		summary_put(table, row->count);
	}
}

static void release(void *opaque)
{
	struct state *state = opaque;

	sysnames_fini(&state->names);
	people_free(&state->people);
	groups_free(&state->groups);
	vec_free(&state->rows);
	vec_free(&state->of_person);
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

const struct summary summary_failed_syscalls = {
	.name = "failed-syscalls",
	.about = "system calls that failed, with their errors, by name of the program",
	.kind = &kind,
};

const struct summary summary_failed_syscalls_by_pid = {
	.name = "failed-syscalls-by-pid",
	.about = "system calls that failed, with their errors, by process",
	.kind = &kind,
};
