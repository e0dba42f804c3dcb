// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_notes.h"
#include "base/buf.h"
#include "base/text.h"
#include "event/host.h"

#include <inttypes.h>
#include <stdio.h>

#define REASON 600
#define NAMES  4 /* so many are named, the rest is counted */

/* Events that share a reason. */
struct reason {
	char text[REASON];
	VEC(const char *) names;
};

struct reasons VEC_OF(struct reason);

static void add_reason(struct reasons *reasons, const char *text, const char *name)
{
	struct reason *found = NULL;

	vec_each (reason, reasons)
		if (!strcmp(reason->text, text))
			found = reason;
	if (!found) {
		found = vec_push(reasons);
		snprintf(found->text, sizeof(found->text), "%s", text);
	}
	vec_each (known, &found->names)
		if (!strcmp(*known, name))
			return;
	*vec_push(&found->names) = name;
}

static void put_names(struct buf *out, const struct reason *reason)
{
	size_t shown = reason->names.len > NAMES + 1 ? NAMES : reason->names.len;

	for (size_t i = 0; i < shown; i++)
		buf_printf(out, "%s%s", i ? ", " : "", reason->names.data[i]);
	if (shown < reason->names.len)
		buf_printf(out, " and %zu more", reason->names.len - shown);
}

static void put_reasons(struct buf *out, struct reasons *reasons)
{
	vec_each (reason, reasons) {
		buf_puts(out, "note: ");
		put_names(out, reason);
		buf_printf(out, ": %s\n", reason->text);
		vec_free(&reason->names);
	}
	vec_free(reasons);
}

static void note_unsupported(struct buf *out, const struct tally *tally,
			     const struct stat_table *table, const struct counters *counters)
{
	struct reasons reasons = { 0 };
	struct host host;
	bool looked = false;

	for (size_t i = 0; counters && i < table->columns; i++) {
		const struct stat_column *column = &table->column[i];
		const struct counter_status *status;
		char why[REASON];

		if (column->supported)
			continue;
		status = counters_status(counters, tally_event(tally, i));
		if (!looked)
			host_look(&host, &host_source_live);
		looked = true;
		if (status->group_full)
			snprintf(why, sizeof(why),
				 "its group needs more counters than the CPU has; make it smaller, "
				 "or count in --passes");
		else
			host_why_not(&host, column->event, status->error, why, sizeof(why));
		add_reason(&reasons, why, column->name);
	}
	put_reasons(out, &reasons);
}

/* Why an event that could be opened has no count. */
static const char *why_not_counted(const struct loop_state *state, const struct event *event,
				   bool enabled)
{
	if (event->kind == EVENT_TOOL)
		return "known only of a command that was run to its end";
	if (!state->ever_enabled)
		return "counting was never switched on; -D starts it after a time, --control by "
		       "the word enable";
	if (!enabled)
		return "what was to be measured did not run meanwhile";
	return "it never got a counter: others hold them all; count fewer events at once, "
	       "or see `perfolio doctor`";
}

static void note_uncounted(struct buf *out, const struct stat_table *table,
			   const struct loop_state *state)
{
	struct reasons reasons = { 0 };

	for (size_t i = 0; i < table->columns; i++) {
		const struct stat_column *column = &table->column[i];
		bool counted = !column->supported, enabled = false;

		for (size_t place = 0; place < table->places; place++) {
			const struct stat_cell *cell = &table->cells[place * table->columns + i];

			counted |= cell->counted;
			enabled |= cell->enabled > 0;
		}
		if (!counted)
			add_reason(&reasons, why_not_counted(state, column->event, enabled),
				   column->name);
	}
	put_reasons(out, &reasons);
}

static void note_status(struct buf *out, const struct event_list *events,
			const struct counters *counters)
{
	size_t user_only = 0, ungrouped = 0;

	for (size_t i = 0; counters && i < events->events.len; i++) {
		user_only += counters_status(counters, i)->user_only;
		ungrouped += counters_status(counters, i)->ungrouped;
	}
	if (user_only)
		buf_puts(out,
			 "note: only what ran in user mode was counted; `perfolio doctor` says "
			 "what would allow the rest\n");
	if (ungrouped)
		buf_puts(out, "note: a weak group (:W) could not be counted together and was taken "
			      "apart\n");
}

static void note_threads(struct buf *out, const struct counters *counters)
{
	struct counters_census census = counters_census(counters);

	if (census.vanished)
		buf_printf(out, "note: %zu thread%s ended before counting began\n", census.vanished,
			   census.vanished > 1 ? "s" : "");
	if (census.unsure)
		buf_printf(out,
			   "note: %zu thread%s started while the others were being opened and may "
			   "be missing\n",
			   census.unsure, census.unsure > 1 ? "s" : "");
}

void notes_before(struct buf *out, const struct event_list *events, const struct counters *counters)
{
	vec_each (event, &events->events) {
		size_t index = (size_t)(event - events->events.data);

		if (counters && event_is_leader(events, index) &&
		    counters_status(counters, index)->group_full)
			buf_printf(
			    out,
			    "note: the group that begins with %s needs more counters than the "
			    "CPU has and can't be counted\n",
			    event->name);
	}
}

void notes_after(struct buf *out, const struct event_list *events, const struct tally *tally,
		 const struct stat_table *table, const struct loop_state *state)
{
	note_unsupported(out, tally, table, state->counters);
	note_uncounted(out, table, state);
	note_status(out, events, state->counters);
	if (state->counters)
		note_threads(out, state->counters);
	if (state->missed)
		buf_printf(out,
			   "note: %" PRIu64 " of %" PRIu64
			   " intervals were missed: the machine was "
			   "too busy; the next one holds their counts\n",
			   state->missed, state->missed + state->ticks);
}
