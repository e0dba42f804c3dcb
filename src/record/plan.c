// SPDX-License-Identifier: Apache-2.0
/*
 * Events are shared out in units that must stay together: the user's groups, and the events of
 * several PMUs that one name stands for.  A unit goes into the first pass that has room for it.
 * PMUs are independent of each other, so room is looked at one PMU at a time.
 */
#include "record/plan.h"
#include "record/trial.h"

#include <errno.h>

struct planner {
	struct trial trial;
	const struct event_list *list;
	struct plan *plan;
	VEC(uint32_t) unit; /* of each event: the index of the first that it belongs to */
};

static const struct event *event_at(const struct planner *planner, uint32_t index)
{
	return &planner->list->events.data[index];
}

static bool is_free(const struct event *event)
{
	uint32_t type = event->attr.base.type;

	return event->kind == EVENT_TOOL || type == PERF_TYPE_SOFTWARE ||
	       type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;
}

/* Groups and names are chained: an event's unit is that of its leader, or of its namesake. */
static void find_units(struct planner *planner)
{
	size_t n = planner->list->events.len;

	for (uint32_t i = 0; i < n; i++) {
		const struct event *event = event_at(planner, i);
		uint32_t first = event->leader < event->same_as ? event->leader : event->same_as;

		first = first < i ? planner->unit.data[first] : i;
		*vec_push(&planner->unit) = first;
	}
}

static void classify(struct planner *planner)
{
	for (uint32_t i = 0; i < planner->list->events.len; i++) {
		struct plan_event *event = vec_push(&planner->plan->events);
		int rc;

		if (is_free(event_at(planner, i)))
			continue;
		rc = trial_open_one(&planner->trial, event_at(planner, i));
		event->need = rc ? PLAN_UNAVAILABLE : PLAN_COUNTER;
		event->error = -rc;
		planner->plan->needed += !rc;
	}
}

static bool takes_counter(const struct planner *planner, uint32_t index)
{
	return planner->plan->events.data[index].need == PLAN_COUNTER;
}

/* Whether what is in `pass` already and the unit can be counted together on the PMU of `event`. */
static bool room_on_pmu(struct planner *planner, uint32_t pass, uint32_t unit, uint32_t event,
			bool alone)
{
	struct trial_group together = { 0 };
	bool fits;

	for (uint32_t i = 0; i < planner->list->events.len; i++) {
		bool placed = !alone && planner->unit.data[i] < unit &&
			      planner->plan->events.data[i].pass == pass;

		if (takes_counter(planner, i) && (placed || planner->unit.data[i] == unit) &&
		    trial_same_pmu(&planner->trial, event_at(planner, i), event_at(planner, event)))
			*vec_push(&together) = event_at(planner, i);
	}
	fits = trial_fits(&planner->trial, &together);
	vec_free(&together);
	return fits;
}

static bool in_unit(const struct planner *planner, uint32_t unit, uint32_t index)
{
	return planner->unit.data[index] == unit && takes_counter(planner, index);
}

/* Whether an earlier event of the unit stands for the same PMU. */
static bool pmu_was_seen(struct planner *planner, uint32_t unit, uint32_t index)
{
	for (uint32_t i = unit; i < index; i++)
		if (in_unit(planner, unit, i) &&
		    trial_same_pmu(&planner->trial, event_at(planner, i), event_at(planner, index)))
			return true;
	return false;
}

static bool has_room(struct planner *planner, uint32_t pass, uint32_t unit, bool alone)
{
	for (uint32_t i = unit; i < planner->list->events.len; i++)
		if (in_unit(planner, unit, i) && !pmu_was_seen(planner, unit, i) &&
		    !room_on_pmu(planner, pass, unit, i, alone))
			return false;
	return true;
}

static void set_unit(struct planner *planner, uint32_t unit, enum plan_need need, uint32_t pass)
{
	for (uint32_t i = unit; i < planner->list->events.len; i++)
		if (in_unit(planner, unit, i)) {
			planner->plan->events.data[i].need = need;
			planner->plan->events.data[i].pass = pass;
		}
}

static bool needs_counters(const struct planner *planner, uint32_t unit)
{
	for (uint32_t i = unit; i < planner->list->events.len; i++)
		if (in_unit(planner, unit, i))
			return true;
	return false;
}

/* A weak group may be taken apart, and is when it doesn't fit. */
static void loosen(struct planner *planner, uint32_t unit)
{
	for (uint32_t i = unit; i < planner->list->events.len; i++)
		if (planner->unit.data[i] == unit && event_at(planner, i)->weak)
			planner->unit.data[i] = i;
}

static void place_unit(struct planner *planner, uint32_t unit)
{
	uint32_t pass = 0;

	if (!needs_counters(planner, unit))
		return;
	if (!has_room(planner, 0, unit, true)) {
		if (event_at(planner, unit)->weak)
			loosen(planner, unit);
		if (!has_room(planner, 0, unit, true)) {
			set_unit(planner, unit, PLAN_TOO_LARGE, 0);
			return;
		}
	}
	while (pass < planner->plan->passes && !has_room(planner, pass, unit, false))
		pass++;
	if (pass == planner->plan->passes)
		planner->plan->passes++;
	set_unit(planner, unit, PLAN_COUNTER, pass);
}

/* The kernel lets all groups of a PMU take turns as soon as one of them finds no room; a pinned one
 * keeps its counter. */
static void mark_sharing(struct planner *planner)
{
	struct plan_event *events = planner->plan->events.data;
	size_t n = planner->list->events.len;

	for (uint32_t i = 0; i < n; i++) {
		bool crowded = false;

		if (!takes_counter(planner, i) || event_at(planner, i)->attr.base.pinned)
			continue;
		for (uint32_t other = 0; other < n && !crowded; other++)
			crowded = takes_counter(planner, other) && events[other].pass > 0 &&
				  trial_same_pmu(&planner->trial, event_at(planner, other),
						 event_at(planner, i));
		events[i].shares = crowded;
	}
}

void plan_make(struct plan *plan, const struct event_list *list, const struct perf_sys *sys)
{
	struct planner planner = { .list = list, .plan = plan };

	*plan = (struct plan){ .passes = 1 };
	trial_init(&planner.trial, sys ? sys : &perf_sys_kernel);
	trial_size(&planner.trial, &plan->general, &plan->fixed);
	find_units(&planner);
	classify(&planner);
	for (uint32_t i = 0; i < list->events.len; i++)
		if (planner.unit.data[i] == i)
			place_unit(&planner, i);
	mark_sharing(&planner);
	vec_free(&planner.unit);
	trial_fini(&planner.trial);
}

void plan_fini(struct plan *plan)
{
	vec_free(&plan->events);
}

static bool in_pass(const struct plan *plan, uint32_t pass, uint32_t index)
{
	const struct plan_event *event = &plan->events.data[index];

	return event->need == PLAN_NO_COUNTER || event->pass == pass;
}

/* Where an index of the whole list stands among those picked so far; `otherwise` if it does not. */
static uint32_t picked_at(const struct plan_origin *origin, uint32_t index, uint32_t otherwise)
{
	for (uint32_t i = 0; i < origin->len; i++)
		if (origin->data[i] == index)
			return i;
	return otherwise;
}

void plan_pick(const struct plan *plan, uint32_t pass, const struct event_list *list,
	       struct event_list *into, struct plan_origin *origin)
{
	for (uint32_t i = 0; i < list->events.len; i++) {
		struct event *event;
		uint32_t at;

		if (!in_pass(plan, pass, i))
			continue;
		at = (uint32_t)into->events.len;
		*vec_push(origin) = i;
		event = vec_push(&into->events);
		*event = list->events.data[i];
		event->cpus = (struct cpuset){ 0 };
		vec_each (cpu, &list->events.data[i].cpus)
			*vec_push(&event->cpus) = *cpu;
		event->leader = picked_at(origin, event->leader, at);
		event->same_as = picked_at(origin, event->same_as, at);
	}
}
