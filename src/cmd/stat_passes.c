// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_passes.h"

static void add_pass(struct passes *passes, const struct event_list *events)
{
	struct pass *pass = vec_push(&passes->list);

	pass->events = events;
}

void passes_init(struct passes *passes, const struct event_list *events,
		 const struct target *target, const struct tally_options *options,
		 const struct plan *plan)
{
	*passes = (struct passes){ 0 };
	if (!plan || plan->passes == 1) {
		add_pass(passes, events);
	} else {
		layout_init(&passes->layout, events, target, options);
		vec_reserve(&passes->list, plan->passes); /* they are pointed into */
		for (uint32_t i = 0; i < plan->passes; i++) {
			struct pass *pass = vec_push(&passes->list);

			plan_pick(plan, i, events, &pass->picked, &pass->origin);
			pass->events = &pass->picked;
		}
	}
	vec_each (pass, &passes->list)
		pass->tally = tally_new(pass->events, target, options);
}

void passes_fini(struct passes *passes)
{
	vec_each (pass, &passes->list) {
		tally_free(pass->tally);
		event_list_free(&pass->picked);
		vec_free(&pass->origin);
	}
	if (passes->list.len > 1)
		layout_fini(&passes->layout);
	vec_free(&passes->list);
	vec_free(&passes->cells);
	vec_free(&passes->runs);
}

size_t pass_origin(const struct pass *pass, size_t event)
{
	return pass->origin.len ? pass->origin.data[event] : event;
}

void passes_begin(struct passes *passes)
{
	passes->elapsed_ns = 0;
	passes->added = 0;
	passes->cells.len = passes->runs.len = 0;
	for (size_t i = 0; i < passes->layout.columns.len; i++) {
		vec_push(&passes->cells);
		vec_push(&passes->runs);
	}
}

/* Events that need no counter were in every pass: their cells become means. */
static void add_cell(struct stat_cell *sum, const struct stat_cell *cell)
{
	sum->count += cell->count;
	sum->enabled += cell->enabled;
	sum->running += cell->running;
	sum->counted |= cell->counted;
}

void passes_take(struct passes *passes, const struct pass *pass)
{
	const struct stat_table *table = tally_table(pass->tally);

	passes->table = *table;
	if (passes->list.len == 1)
		return;
	for (size_t i = 0; i < table->columns; i++) {
		size_t event = pass_origin(pass, tally_event(pass->tally, i));
		size_t column = passes->layout.column_of[event];

		passes->layout.columns.data[column].supported |= table->column[i].supported;
		passes->layout.columns.data[column].name = table->column[i].name;
		passes->runs.data[column] += table->cells[i].counted;
		add_cell(&passes->cells.data[column], &table->cells[i]);
	}
	passes->elapsed_ns += table->elapsed_ns;
	passes->added++;
}

const struct stat_table *passes_table(struct passes *passes)
{
	if (passes->list.len == 1)
		return &passes->table;
	for (size_t i = 0; i < passes->cells.len; i++) {
		struct stat_cell *cell = &passes->cells.data[i];
		int runs = passes->runs.data[i];

		if (runs < 2)
			continue;
		cell->count /= runs;
		cell->enabled /= (uint64_t)runs;
		cell->running /= (uint64_t)runs;
		passes->runs.data[i] = 1;
	}
	passes->table.columns = passes->layout.columns.len;
	passes->table.column = passes->layout.columns.data;
	passes->table.cells = passes->cells.data;
	passes->table.elapsed_ns = passes->added ? passes->elapsed_ns / (double)passes->added : 0;
	return &passes->table;
}
