// SPDX-License-Identifier: Apache-2.0
/* Events of PMUs as the catalogue finds and lists them. */
#include "base/buf.h"
#include "event/pmu.h"
#include "event/source.h"

#include <strings.h>

static struct event *add_event(const struct pmu *pmu, struct event_list *list)
{
	struct event *event = event_list_add(list, EVENT_PMU, pmu->type, 0);

	/* Uncore and other PMUs refuse an event with any exclude bit; they count everything. */
	event->attr.base.exclude_guest = pmu->core;
	event->pmu = pmu->name;
	event->cpu_wide_only = pmu->cpu_wide_only;
	vec_each (cpu, &pmu->cpus)
		*vec_push(&event->cpus) = *cpu;
	return event;
}

/* Events from index first on came from one name: stat adds them up. */
static void mark_several(struct event_list *list, size_t first)
{
	for (size_t i = first; i < list->events.len; i++) {
		list->events.data[i].same_as = (uint32_t)first;
		list->events.data[i].several = list->events.len - first > 1;
	}
}

int pmu_add(struct catalog *catalog, const char *given, const struct terms *terms,
	    struct event_list *list, size_t *bad, struct err *err)
{
	bool exact = pmu_get(catalog, given) != NULL;
	struct pmus *pmus = pmus_get(catalog);
	size_t first = list->events.len;
	int count = 0;

	for (size_t i = 0; i < pmus->len; i++) {
		const char *name = pmus->data[i].name;
		const struct pmu *pmu;
		struct event *event;
		int rc;

		if (exact ? strcmp(name, given) != 0 : !pmu_matches(given, name))
			continue;
		pmu = pmu_get(catalog, name);
		event = add_event(pmu, list);
		rc = pmu_encode(catalog, pmu, terms, event, bad, err);
		if (rc)
			return rc;
		count++;
	}
	mark_several(list, first);
	return count;
}

static const struct pmu_event *event_of(const struct pmu *pmu, const char *name, size_t length)
{
	vec_each (event, &pmu->events)
		if (!strncasecmp(event->name, name, length) && !event->name[length])
			return event;
	return NULL;
}

/* "tsc" alone, for msr/tsc/: every PMU that has such an event. */
static int pmu_find(struct catalog *catalog, const char *name, struct event_list *list,
		    struct err *err)
{
	struct pmus *pmus = pmus_get(catalog);
	size_t length = source_word(name), first = list->events.len;

	for (size_t i = 0; i < pmus->len; i++) {
		const struct pmu *pmu = pmu_get(catalog, pmus->data[i].name);
		const struct pmu_event *named = event_of(pmu, name, length);
		struct terms terms = { .arena = &list->arena };
		struct event *event;
		size_t bad;
		int rc;

		if (!named)
			continue;
		event = add_event(pmu, list);
		vec_push(&terms.items)->key = named->name;
		rc = pmu_encode(catalog, pmu, &terms, event, &bad, err);
		terms_free(&terms);
		if (rc)
			return rc;
	}
	mark_several(list, first);
	return list->events.len > first ? (int)length : 0;
}

/* "type 4, terms edge event umask, on CPUs 0-7, max_precise=3" */
static char *describe(const struct pmu *pmu, struct arena *texts)
{
	struct buf out = { 0 };
	char *text;

	buf_printf(&out, "type %u; terms:", pmu->type);
	vec_each (format, &pmu->formats)
		buf_printf(&out, " %s", format->name);
	if (pmu->cpus.len) {
		buf_puts(&out, pmu->cpu_wide_only ? "; whole CPUs, opened on" : "; of CPUs");
		vec_each (cpu, &pmu->cpus)
			buf_printf(&out, " %d", *cpu);
	}
	if (*pmu->caps)
		buf_printf(&out, "; can do: %s", pmu->caps);
	text = arena_strdup(texts, buf_text(&out));
	buf_free(&out);
	return text;
}

static int visit_terms(const struct pmu *pmu, const struct catalog_walk *walk)
{
	struct catalog_entry entry = { .family = pmu->name, .kind = EVENT_PMU, .example = "" };

	if (!pmu->formats.len)
		return 0;
	entry.name = arena_printf(walk->texts, "%s/TERM=VALUE,.../", pmu->name);
	entry.brief = describe(pmu, walk->texts);
	return walk->visit(&entry, walk->user);
}

static int visit_events(const struct pmu *pmu, const struct catalog_walk *walk)
{
	vec_each (event, &pmu->events) {
		struct catalog_entry entry = {
			.name = arena_printf(walk->texts, "%s/%s/", pmu->name, event->name),
			.alias = event->name,
			.family = pmu->name,
			.brief = "",
			.encoding = arena_printf(walk->texts, "%s/%s/", pmu->name, event->terms),
			.kind = EVENT_PMU,
		};
		int rc;

		if (*event->unit)
			entry.brief = arena_printf(walk->texts, "in %s, %g each", event->unit,
						   event->scale);
		rc = walk->visit(&entry, walk->user);
		if (rc)
			return rc;
	}
	return visit_terms(pmu, walk);
}

static int pmu_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	struct pmus *pmus = pmus_get(catalog);

	for (size_t i = 0; i < pmus->len; i++) {
		int rc = visit_events(pmu_get(catalog, pmus->data[i].name), walk);

		if (rc)
			return rc;
	}
	return 0;
}

const struct event_source source_pmu = { pmu_find, pmu_each };

void pmu_add_core(struct catalog *catalog, struct event_list *list, enum event_kind kind,
		  uint32_t type, uint64_t config, const char *name, size_t length)
{
	struct pmus *pmus = pmus_get(catalog);
	const struct pmu *cores[8];
	size_t count = 0;

	for (size_t i = 0; i < pmus->len && count < ARRAY_SIZE(cores); i++)
		if (pmus->data[i].core)
			cores[count++] = pmu_get(catalog, pmus->data[i].name);
	if (count < 2) {
		event_list_add(list, kind, type, config);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct event *event = event_list_add(list, kind, type, config);

		/* Type and config in one: the upper half of config names the PMU. */
		if (type == PERF_TYPE_RAW)
			event->attr.base.type = cores[i]->type;
		else
			event->attr.base.config |= (uint64_t)cores[i]->type << 32;
		event->name = arena_printf(&list->arena, "%s/%.*s/", cores[i]->name, (int)length,
					   name);
		event->pmu = cores[i]->name;
		event->several = true;
		vec_each (cpu, &cores[i]->cpus)
			*vec_push(&event->cpus) = *cpu;
	}
}
