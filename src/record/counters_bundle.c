// SPDX-License-Identifier: Apache-2.0
/* Which events are opened as one group of the kernel. */
#include "record/counters_private.h"

/*
 * Software events and tracepoints need no counter of the CPU, so a group of them is always counted
 * as a whole, and reading it costs one system call and one interrupt of the measured CPU instead of
 * one an event.  A pinned or exclusive event must lead its group and stays alone.
 */
static bool can_ride(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr.base;

	return (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT) &&
	       !attr->pinned && !attr->exclusive && !event->cpu_wide_only;
}

static struct bundle *add_bundle(struct counters *c, uint32_t event)
{
	struct bundle *bundle = vec_push(&c->bundles);

	*vec_push(&bundle->events) = event;
	return bundle;
}

static bool in_group(const struct event_list *list, uint32_t index)
{
	const struct event *events = list->events.data;

	return events[index].leader != index ||
	       (index + 1 < list->events.len && events[index + 1].leader == index);
}

void session_make_bundles(struct counters *c)
{
	size_t none = SIZE_MAX, riders = none, group = none;

	for (uint32_t i = 0; i < c->n_events; i++) {
		const struct event *event = &c->list->events.data[i];

		if (event->kind == EVENT_TOOL)
			continue;
		if (event->leader != i && group != none) {
			*vec_push(&c->bundles.data[group].events) = i;
			continue;
		}
		group = none;
		if (!c->options.separate && !in_group(c->list, i) && can_ride(event)) {
			if (riders != none) {
				*vec_push(&c->bundles.data[riders].events) = i;
				continue;
			}
			riders = c->bundles.len;
			add_bundle(c, i)->ours = true;
			continue;
		}
		group = c->bundles.len;
		add_bundle(c, i)->weak = event->weak;
	}
}

/* Takes one event out of our own bundle; it stands alone from now on. */
void session_set_apart(struct counters *c, size_t bundle, uint32_t event)
{
	struct bundle *from = &c->bundles.data[bundle];
	size_t kept = 0;

	for (size_t i = 0; i < from->events.len; i++)
		if (from->events.data[i] != event)
			from->events.data[kept++] = from->events.data[i];
	from->events.len = kept;
	add_bundle(c, event);
}

/* Each of the bundle's events stands alone from now on. */
void session_break_up(struct counters *c, size_t bundle)
{
	VEC(uint32_t) apart = { 0 };

	vec_each (event, &c->bundles.data[bundle].events) {
		c->status[*event].ungrouped = true;
		if (event != c->bundles.data[bundle].events.data)
			*vec_push(&apart) = *event;
	}
	c->bundles.data[bundle].events.len = 1;
	vec_each (event, &apart)
		add_bundle(c, *event);
	vec_free(&apart);
}

void session_free_bundles(struct counters *c)
{
	vec_each (bundle, &c->bundles)
		vec_free(&bundle->events);
	vec_free(&c->bundles);
}
