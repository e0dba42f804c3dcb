// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_notes.h"
#include "base/buf.h"
#include "cmd/stat_reasons.h"
#include "event/host.h"
#include "record/plan.h"

#include <inttypes.h>
#include <stdio.h>

#define DRIFT_WORTH_SAYING 0.05

static const char group_full[] =
	"the group needs more counters than the CPU has; make it smaller, or see --plan";

void findings_init(struct findings *findings, const struct event_list *events)
{
	*findings = (struct findings){ .events = events };
	vec_each (event, &events->events) {
		(void)event;
		vec_push(&findings->status);
	}
}

void findings_fini(struct findings *findings)
{
	vec_free(&findings->status);
}

void findings_opened(struct findings *findings, const struct pass *pass,
		     const struct counters *counters)
{
	struct counters_census census;

	if (!counters)
		return;
	for (size_t i = 0; i < pass->events->events.len; i++)
		findings->status.data[pass_origin(pass, i)] = *counters_status(counters, i);
	census = counters_census(counters);
	findings->census.vanished += census.vanished;
	findings->census.unsure += census.unsure;
}

void findings_ended(struct findings *findings, const struct loop_state *state)
{
	double drift = freq_drift(&state->freq);

	findings->ever_enabled |= state->ever_enabled;
	findings->ticks += state->ticks;
	findings->missed += state->missed;
	if (drift <= findings->drift)
		return;
	findings->drift = drift;
	findings->slowest_mhz = state->freq.min_mhz;
	findings->fastest_mhz = state->freq.max_mhz;
}

/* Those of a metric and of tools have none; a refused one is there, but not for us. */
static const struct counter_status *status_of(const struct findings *findings,
					      const struct stat_column *column)
{
	if (!column->event || column->event->kind == EVENT_TOOL)
		return NULL;
	return &findings->status.data[column->event - findings->events->events.data];
}

static bool is_refused(const struct findings *findings, const struct stat_column *column)
{
	const struct counter_status *status = status_of(findings, column);

	return status && status->state == COUNTER_REFUSED;
}

static void note_unsupported(struct buf *out, const struct findings *findings,
			     const struct stat_table *table)
{
	struct reasons reasons = { 0 };
	struct host host;
	bool looked = false;

	for (size_t i = 0; i < table->columns; i++) {
		const struct stat_column *column = &table->column[i];
		const struct counter_status *status;
		char why[REASON_ROOM];

		if (column->supported && !is_refused(findings, column))
			continue;
		status = &findings->status.data[column->event - findings->events->events.data];
		if (!looked)
			host_look(&host, &host_source_live);
		looked = true;
		if (status->group_full)
			snprintf(why, sizeof(why), "%s", group_full);
		else
			host_why_not(&host, column->event, status->error, why, sizeof(why));
		reasons_add(&reasons, why, column->name);
	}
	reasons_say(&reasons, out);
}

/* Why an event that could be opened has no count. */
static const char *why_not_counted(const struct findings *findings, const struct event *event,
				   bool enabled)
{
	size_t index = event - findings->events->events.data;

	if (event->kind == EVENT_TOOL)
		return "known only of a command that was run to its end";
	if (!findings->ever_enabled)
		return "counting was never switched on; -D starts it after a time, --control by "
		       "the word enable";
	if (!enabled)
		return "what was to be measured did not run while it was counted";
	if (findings->status.data[index].group_full)
		return group_full;
	return "it never got a counter: others hold them all; count fewer events at once, "
	       "or see `perfolio doctor`";
}

static void note_uncounted(struct buf *out, const struct findings *findings,
			   const struct stat_table *table)
{
	struct reasons reasons = { 0 };

	for (size_t i = 0; i < table->columns; i++) {
		const struct stat_column *column = &table->column[i];
		bool counted = !column->supported || is_refused(findings, column), enabled = false;

		for (size_t place = 0; place < table->places; place++) {
			const struct stat_cell *cell = &table->cells[place * table->columns + i];

			counted |= cell->counted;
			enabled |= cell->enabled > 0;
		}
		if (!counted)
			reasons_add(&reasons, why_not_counted(findings, column->event, enabled),
				    column->name);
	}
	reasons_say(&reasons, out);
}

/* Which of the counts leave the kernel out, and which don't although that was asked for. */
static void note_modes(struct buf *out, const struct findings *findings,
		       const struct stat_table *table)
{
	struct reasons reasons = { 0 };

	for (size_t i = 0; i < table->columns; i++) {
		const struct stat_column *column = &table->column[i];
		const struct counter_status *status = status_of(findings, column);
		const struct perf_event_attr *attr = &column->event->attr.base;

		if (!status || status->state != COUNTER_OPEN)
			continue;
		if (status->user_only)
			reasons_add(&reasons,
				    "only what ran in user mode was counted; `perfolio doctor` "
				    "says what would allow the rest",
				    column->event->name);
		if (event_is_clock(column->event) && attr->exclude_kernel != attr->exclude_user)
			reasons_add(&reasons,
				    "the kernel counts clocks in all modes: it is the time in user "
				    "mode and in the kernel; user_time and system_time tell them "
				    "apart",
				    column->event->name);
	}
	reasons_say(&reasons, out);
}

static void note_status(struct buf *out, const struct findings *findings)
{
	size_t ungrouped = 0;

	vec_each (status, &findings->status)
		ungrouped += status->ungrouped;
	if (ungrouped)
		buf_puts(out, "note: a weak group (:W) could not be counted together and was taken "
			      "apart\n");
}

static void note_threads(struct buf *out, const struct counters_census *census)
{
	if (census->vanished)
		buf_printf(out, "note: %zu thread%s ended before counting began\n",
			   census->vanished, census->vanished > 1 ? "s" : "");
	if (census->unsure)
		buf_printf(out,
			   "note: %zu thread%s started while the others were being opened and may "
			   "be missing\n",
			   census->unsure, census->unsure > 1 ? "s" : "");
}

static void note_drift(struct buf *out, const struct findings *findings)
{
	if (findings->drift < DRIFT_WORTH_SAYING)
		return;
	buf_printf(
		out,
		"note: the CPUs ran at %.0f to %.0f MHz meanwhile: times and rates vary with it; "
		"`perfolio doctor` says how to hold it\n",
		findings->slowest_mhz, findings->fastest_mhz);
}

static bool has_groups(const struct event_list *events)
{
	for (size_t i = 0; i < events->events.len; i++)
		if (!event_is_leader(events, i) && !events->events.data[i].weak)
			return true;
	return false;
}

/*
 * Some drivers (Arm's) do not look whether a group fits as long as its leader is switched off, as
 * it is when somebody else's process or a whole CPU is measured: ask by trying.
 */
static void find_full_groups(struct findings *findings, const struct pass *pass)
{
	struct plan plan;

	plan_make(&plan, pass->events, NULL);
	for (size_t i = 0; i < pass->events->events.len; i++)
		if (plan.events.data[i].need == PLAN_TOO_LARGE &&
		    !pass->events->events.data[i].weak)
			findings->status.data[pass_origin(pass, i)].group_full = true;
	plan_fini(&plan);
}

void notes_before(struct buf *out, struct findings *findings, const struct pass *pass)
{
	const struct event_list *events = pass->events;
	size_t said = SIZE_MAX;

	if (!has_groups(events))
		return;
	find_full_groups(findings, pass);
	for (size_t i = 0; i < events->events.len; i++) {
		size_t leader = events->events.data[i].leader;

		if (leader == said || !findings->status.data[pass_origin(pass, i)].group_full)
			continue;
		said = leader;
		buf_printf(out,
			   "note: the group that begins with %s needs more counters than the CPU "
			   "has; not all of it will be counted; see --plan\n",
			   events->events.data[leader].name);
	}
}

void notes_after(struct buf *out, const struct findings *findings, const struct stat_table *table,
		 size_t passes)
{
	note_unsupported(out, findings, table);
	note_uncounted(out, findings, table);
	note_modes(out, findings, table);
	note_status(out, findings);
	note_threads(out, &findings->census);
	note_drift(out, findings);
	if (passes > 1)
		buf_printf(out,
			   "note: counted in %zu runs of the command; a figure made of two of them "
			   "supposes that they were alike\n",
			   passes);
	if (findings->missed)
		buf_printf(out,
			   "note: %" PRIu64 " of %" PRIu64
			   " intervals were missed: the machine was "
			   "too busy; the next one holds their counts\n",
			   findings->missed, findings->missed + findings->ticks);
}
