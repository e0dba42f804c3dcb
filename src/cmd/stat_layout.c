// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_layout.h"
#include "record/topology.h"

#include <stdlib.h>

/* ---- columns: events, once or for every cgroup ---- */

/* perf's -G: one cgroup is everybody's, otherwise the n-th belongs to the n-th event. */
static const char *cgroup_name(const struct layout *t, size_t cgroup, size_t event)
{
	const struct target *target = t->target;
	size_t at = t->options->each_cgroup    ? cgroup
		    : target->cgroups.len == 1 ? 0
					       : t->events->events.data[event].leader;

	if (target->kind != TARGET_CGROUPS)
		return NULL;
	return at < target->cgroups.len ? target->cgroups.data[at].name : "";
}

/* Where one name stands for events of several PMUs and they are not added up, it names the PMU. */
static const char *column_name(struct layout *t, const struct event *event)
{
	const char *terms = strchr(event->name, '/');

	if (!event->several || !t->options->no_merge || !event->pmu ||
	    !strncmp(event->name, event->pmu, strlen(event->pmu)))
		return event->name;
	if (terms)
		return arena_printf(&t->arena, "%s%s", event->pmu, terms);
	return arena_printf(&t->arena, "%s [%s]", event->name, event->pmu);
}

static void make_columns(struct layout *t)
{
	size_t n = t->events->events.len;

	t->cgroups = t->options->each_cgroup ? t->target->cgroups.len : 1;
	t->column_of = mem_alloc((t->cgroups * n + 1) * sizeof(*t->column_of));
	for (size_t cgroup = 0; cgroup < t->cgroups; cgroup++) {
		for (size_t i = 0; i < n; i++) {
			const struct event *event = &t->events->events.data[i];
			size_t first = cgroup * n + event->same_as;

			if (event->same_as != i && !t->options->no_merge) {
				t->column_of[cgroup * n + i] = t->column_of[first];
				continue;
			}
			t->column_of[cgroup * n + i] = t->columns.len;
			*vec_push(&t->columns) = (struct stat_column){
				.event = event,
				.name = column_name(t, event),
				.cgroup = cgroup_name(t, cgroup, i),
			};
			*vec_push(&t->column_event) = i;
		}
	}
}

/* perf marks what it may count in user mode only with the modifier that would ask for that. */
static const char *user_only_name(struct layout *t, const char *name)
{
	return arena_printf(&t->arena, "%s%su", name, strpbrk(name, ":/") ? "" : ":");
}

static void mark_columns(struct layout *t)
{
	size_t n = t->events->events.len;

	for (size_t i = 0; i < t->cgroups * n; i++) {
		const struct event *event = &t->events->events.data[i % n];
		struct stat_column *column = &t->columns.data[t->column_of[i]];
		const struct counter_status *status;

		if (event->kind == EVENT_TOOL) {
			column->supported = true;
			continue;
		}
		status = t->counters ? counters_status(t->counters, i % n) : NULL;
		if (status && status->state == COUNTER_REFUSED)
			column->supported =
				true; /* <not counted>: the machine has it, we may not */
		if (!status || status->state != COUNTER_OPEN)
			continue;
		if (status->user_only && !column->supported)
			column->name = user_only_name(t, column_name(t, event));
		column->supported = true;
	}
}

/* ---- places: slots added up ---- */

static struct stat_place place_of_slot(enum stat_by by, const struct counter_slot *slot)
{
	struct stat_place place = { .cpu = -1, .tid = -1, .comm = "", .cpus = 1 };
	struct topology at;

	if (by == STAT_BY_ALL)
		return place;
	if (by == STAT_BY_THREAD) {
		place.tid = slot->tid;
		place.comm = slot->comm ? slot->comm : "";
		return place;
	}
	if (by == STAT_BY_CPU) {
		place.cpu = slot->cpu;
		return place;
	}
	at = topology_of("/sys", slot->cpu);
	if (by == STAT_BY_NODE)
		place.node = at.node;
	else
		place.socket = at.socket;
	if (by == STAT_BY_DIE || by == STAT_BY_CORE)
		place.die = at.die;
	if (by == STAT_BY_CORE)
		place.core = at.core;
	return place;
}

int layout_compare(const void *x, const void *y)
{
	const struct stat_place *a = x, *b = y;
	const int differences[] = { a->node - b->node, a->socket - b->socket, a->die - b->die,
				    a->core - b->core, a->cpu - b->cpu,	      a->tid - b->tid };

	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (differences[i])
			return differences[i];
	return 0;
}

/* Threads are slots of their own and may be many; everything else is few. */
static void add_place(struct layout *t, const struct stat_place *place)
{
	for (size_t i = 0; t->options->by != STAT_BY_THREAD && i < t->places.len; i++)
		if (!layout_compare(&t->places.data[i], place))
			return;
	*vec_push(&t->places) = *place;
}

static bool seen_before(const struct layout *t, size_t slot)
{
	int cpu = counters_slot(t->counters, slot)->cpu;

	for (size_t i = 0; i < slot; i++)
		if (counters_slot(t->counters, i)->cpu == cpu)
			return true;
	return false;
}

/* A CPU has several slots where there are cgroups. */
static void count_cpus(struct layout *t, size_t slots)
{
	vec_each (place, &t->places)
		place->cpus = 0;
	for (size_t slot = 0; slot < slots; slot++)
		if (!seen_before(t, slot))
			t->places.data[t->place_of.data[slot]].cpus++;
}

static void make_places(struct layout *t)
{
	size_t slots = t->counters ? counters_slots(t->counters) : 0;

	t->places.len = t->place_of.len = 0;
	for (size_t slot = 0; slot < slots; slot++) {
		struct stat_place place = place_of_slot(t->options->by,
							counters_slot(t->counters, slot));

		add_place(t, &place);
	}
	if (!t->places.len && t->options->by == STAT_BY_ALL)
		*vec_push(&t->places) = (struct stat_place){ .cpu = -1, .tid = -1, .comm = "" };
	if (t->places.len)
		qsort(t->places.data, t->places.len, sizeof(*t->places.data), layout_compare);
	for (size_t slot = 0; slot < slots; slot++) {
		struct stat_place place = place_of_slot(t->options->by,
							counters_slot(t->counters, slot));
		struct stat_place *found = bsearch(&place, t->places.data, t->places.len,
						   sizeof(place), layout_compare);

		*vec_push(&t->place_of) = (size_t)(found - t->places.data);
	}
	if (t->options->by != STAT_BY_THREAD)
		count_cpus(t, slots);
}

static void find_cgroups(struct layout *t)
{
	size_t slots = t->counters ? counters_slots(t->counters) : 0;

	t->cgroup_of.len = 0;
	for (size_t slot = 0; slot < slots; slot++) {
		const char *name = counters_slot(t->counters, slot)->cgroup;
		size_t cgroup = 0;

		for (size_t i = 0; name && t->options->each_cgroup && i < t->cgroups; i++)
			if (!strcmp(t->target->cgroups.data[i].name, name))
				cgroup = i;
		*vec_push(&t->cgroup_of) = cgroup;
	}
}

void layout_init(struct layout *t, const struct event_list *events, const struct target *target,
		 const struct tally_options *options)
{
	*t = (struct layout){ .options = options, .events = events, .target = target };
	make_columns(t);
}

void layout_attach(struct layout *t, const struct counters *counters)
{
	t->counters = counters;
	mark_columns(t);
	find_cgroups(t);
	make_places(t);
}

void layout_fini(struct layout *t)
{
	free(t->column_of);
	vec_free(&t->columns);
	vec_free(&t->column_event);
	vec_free(&t->places);
	vec_free(&t->place_of);
	vec_free(&t->cgroup_of);
	arena_free(&t->arena);
}
