// SPDX-License-Identifier: Apache-2.0
/* Reads and writes: how many, the bytes asked for and those that came, and what failed. */
#include "summary/people.h"
#include "summary/result.h"
#include "summary/spread.h"
#include "summary/sysnames.h"

#include <stdlib.h>

/* The calls with a vector do not tell how much they ask for. */
enum { READ_ENTER, READV_ENTER, WRITE_ENTER, WRITEV_ENTER, READ_EXIT, WRITE_EXIT };

#define ENTERS(role, name, ...)                                                  \
	{                                                                        \
		"syscalls:sys_enter_" name, role, { __VA_ARGS__ }, .extra = true \
	}
#define EXITS(role, name)                                                                   \
	{                                                                                   \
		"syscalls:sys_exit_" name, role, { "ret" }, .extra = true, .optional = true \
	}

static const struct summary_need needs[] = {
	ENTERS(READ_ENTER, "read", "fd", "count"),
	ENTERS(READ_ENTER, "pread64", "fd", "count"),
	ENTERS(READV_ENTER, "readv", "fd"),
	ENTERS(READV_ENTER, "preadv", "fd"),
	ENTERS(READV_ENTER, "preadv2", "fd"),
	ENTERS(WRITE_ENTER, "write", "fd", "count"),
	ENTERS(WRITE_ENTER, "pwrite64", "fd", "count"),
	ENTERS(WRITEV_ENTER, "writev", "fd"),
	ENTERS(WRITEV_ENTER, "pwritev", "fd"),
	ENTERS(WRITEV_ENTER, "pwritev2", "fd"),
	EXITS(READ_EXIT, "read"),
	EXITS(READ_EXIT, "pread64"),
	EXITS(READ_EXIT, "readv"),
	EXITS(READ_EXIT, "preadv"),
	EXITS(READ_EXIT, "preadv2"),
	EXITS(WRITE_EXIT, "write"),
	EXITS(WRITE_EXIT, "pwrite64"),
	EXITS(WRITE_EXIT, "writev"),
	EXITS(WRITE_EXIT, "pwritev"),
	EXITS(WRITE_EXIT, "pwritev2"),
};

enum { READS, WRITES, SIDES };

struct side {
	uint64_t calls, asked, done, errors;
	struct span span;
};

struct row {
	uint32_t person, fd;
	struct side sides[SIDES];
};

struct failure {
	uint32_t person, side, error;
	uint64_t count;
};

struct open_call {
	bool open, vector;
	uint32_t side, row;
	uint64_t since;
};

struct state {
	const struct summary_context *context;
	bool by_file, ends;
	struct sysnames names;
	struct people people;
	struct groups groups, failure_groups;
	VEC(struct row) rows;
	VEC(struct failure) failures;
	struct PER_THREAD(struct open_call) open;
};

extern const struct summary summary_rw_by_file, summary_rw_by_pid;

static void *start(const struct summary *summary, const struct summary_context *context)
{
	struct state *state = mem_alloc(sizeof(*state));

	state->context = context;
	state->by_file = summary == &summary_rw_by_file;
	sysnames_init(&state->names, context->arch);
	return state;
}

static uint32_t row_of(struct state *state, const struct summary_who *who, uint32_t fd)
{
	uint64_t key[] = { people_add(&state->people, who, BY_PROCESS), state->by_file ? fd : 0 };
	uint32_t index = groups_add(&state->groups, key, ARRAY_SIZE(key));

	if (index == state->rows.len)
		*vec_push(&state->rows) = (struct row){ .person = (uint32_t)key[0], .fd = fd };
	return index;
}

static void take_enter(struct state *state, const struct summary_record *record)
{
	struct open_call *open = per_thread(&state->open, record->who.tid);
	struct side *side;

	*open = (struct open_call){ 0 };
	if (!state->context->takes(state->context, &record->who))
		return;
	*open = (struct open_call){
		.open = true,
		.vector = record->role == READV_ENTER || record->role == WRITEV_ENTER,
		.side = record->role >= WRITE_ENTER ? WRITES : READS,
		.row = row_of(state, &record->who, (uint32_t)record->numbers[0]),
		.since = record->who.time,
	};
	side = &state->rows.data[open->row].sides[open->side];
	side->calls++;
	if (!open->vector)
		side->asked += (uint64_t)record->numbers[1];
}

static void add_failure(struct state *state, uint32_t person, uint32_t side, uint64_t error)
{
	uint64_t key[] = { person, side, error };
	uint32_t index = groups_add(&state->failure_groups, key, ARRAY_SIZE(key));

	if (index == state->failures.len)
		*vec_push(&state->failures) = (struct failure){ .person = person,
								.side = side,
								.error = (uint32_t)error };
	state->failures.data[index].count++;
}

static void take_exit(struct state *state, const struct summary_record *record)
{
	struct open_call *open = per_thread(&state->open, record->who.tid);
	int64_t result = record->numbers[0];
	struct side *side;

	state->ends = true;
	if (!open->open || open->side != (record->role == WRITE_EXIT ? WRITES : READS))
		return;
	open->open = false;
	side = &state->rows.data[open->row].sides[open->side];
	if (result > 0) {
		side->done += (uint64_t)result;
		side->asked += open->vector ? (uint64_t)result : 0;
	}
	if (syscall_failed(0, result)) {
		side->errors++;
		add_failure(state, state->rows.data[open->row].person, open->side,
			    (uint64_t)-result);
	}
	if (record->who.time >= open->since)
		span_add(&side->span, record->who.time - open->since, record->who.time);
}

static void take(void *opaque, const struct summary_record *record)
{
	struct state *state = opaque;

	if (record->role < READ_EXIT)
		take_enter(state, record);
	else
		take_exit(state, record);
}

static uint64_t moved(const struct row *row)
{
	return row->sides[READS].done + row->sides[WRITES].done;
}

static uint64_t calls(const struct row *row)
{
	return row->sides[READS].calls + row->sides[WRITES].calls;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (moved(a) != moved(b))
		return moved(a) < moved(b) ? 1 : -1;
	if (calls(a) != calls(b))
		return calls(a) < calls(b) ? 1 : -1;
	if (a->person != b->person)
		return a->person < b->person ? -1 : 1;
	return a->fd < b->fd ? -1 : a->fd > b->fd;
}

static int compare_failures(const void *left, const void *right)
{
	const struct failure *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->person < b->person ? -1 : a->person > b->person;
}

#define SIDE_COLUMNS(name, what)                                                              \
	{ name "s", name "s", CELL_COUNT }, { name "_requested", "requested", CELL_COUNT },   \
		{ name "_done", what, CELL_COUNT }, { name "_errors", "errors", CELL_COUNT }, \
	{                                                                                     \
		name "_ns", name " us", CELL_SPAN                                             \
	}

static const struct summary_column columns[] = {
	{ "comm", "comm", CELL_TEXT },
	{ "pid", "pid", CELL_ID },
	SIDE_COLUMNS("read", "bytes read"),
	SIDE_COLUMNS("write", "bytes written"),
};

static const struct summary_column columns_by_file[] = {
	{ "comm", "comm", CELL_TEXT },
	{ "pid", "pid", CELL_ID },
	{ "fd", "fd", CELL_ID },
	SIDE_COLUMNS("read", "bytes read"),
	SIDE_COLUMNS("write", "bytes written"),
};

static const struct summary_column failure_columns[] = {
	{ "comm", "comm", CELL_TEXT },	{ "pid", "pid", CELL_ID },
	{ "call", "what", CELL_TEXT },	{ "error", "error", CELL_TEXT },
	{ "errno", "number", CELL_ID }, { "failures", "times", CELL_COUNT },
};

static void put_side(struct state *state, struct summary_table *table, const struct side *side)
{
	summary_put(table, side->calls);
	summary_put(table, side->asked);
	summary_put(table, state->ends ? side->done : SUMMARY_NONE);
	summary_put(table, state->ends ? side->errors : SUMMARY_NONE);
	summary_put(table, state->ends ? side->span.total : SUMMARY_NONE);
}

static void put_rows(struct state *state, struct summary_result *result)
{
	struct summary_table *table =
		state->by_file
			? summary_result_table(result, "files", "Reads and writes by file",
					       columns_by_file)
			: summary_result_table(result, "processes", "Reads and writes", columns);

	if (state->rows.len)
		qsort(state->rows.data, state->rows.len, sizeof(*state->rows.data), compare);
	vec_each (row, &state->rows) {
		const struct person *person = &state->people.all.data[row->person];

		summary_put_text(result, table, person->comm);
		summary_put(table, person_number(person->pid));
		if (state->by_file)
			summary_put(table, row->fd);
		put_side(state, table, &row->sides[READS]);
		put_side(state, table, &row->sides[WRITES]);
	}
}

static void put_failures(struct state *state, struct summary_result *result)
{
	struct summary_table *table;
	char text[SYSERROR_TEXT];

	if (!state->failures.len)
		return;
	table = summary_result_table(result, "failures", "Failed", failure_columns);
	qsort(state->failures.data, state->failures.len, sizeof(*state->failures.data),
	      compare_failures);
	vec_each (failure, &state->failures) {
		const struct person *person = &state->people.all.data[failure->person];

		summary_put_text(result, table, person->comm);
		summary_put(table, person_number(person->pid));
		summary_put_text(result, table, failure->side == READS ? "read" : "write");
		summary_put_text(result, table,
				 sysnames_error(&state->names, failure->error, text));
		summary_put(table, failure->error);
		summary_put(table, failure->count);
	}
}

static void finish(void *opaque, struct summary_result *result)
{
	put_rows(opaque, result);
	put_failures(opaque, result);
}

static void release(void *opaque)
{
	struct state *state = opaque;

	sysnames_fini(&state->names);
	people_free(&state->people);
	groups_free(&state->groups);
	groups_free(&state->failure_groups);
	vec_free(&state->rows);
	vec_free(&state->failures);
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

const struct summary summary_rw_by_pid = {
	.name = "rw-by-pid",
	.about = "reads and writes of each process: calls, bytes, errors, time",
	.kind = &kind,
};

const struct summary summary_rw_by_file = {
	.name = "rw-by-file",
	.about = "reads and writes of each file descriptor of a process",
	.kind = &kind,
};
