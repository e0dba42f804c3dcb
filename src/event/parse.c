// SPDX-License-Identifier: Apache-2.0
/* BOOTSTRAP: the generic names, groups and u/k only; the real grammar replaces this file. */
#include "event/parse.h"
#include "base/err.h"
#include "event/catalog.h"

#include <errno.h>

struct catalog {
	int nothing;
};

struct catalog *catalog_new(const struct catalog_options *options)
{
	(void)options;
	return mem_alloc(sizeof(struct catalog));
}

void catalog_free(struct catalog *catalog)
{
	free(catalog);
}

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	double scale;
	const char *unit;
	enum event_kind kind;
} names[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, "", EVENT_HARDWARE },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, "", EVENT_HARDWARE },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1, "", EVENT_HARDWARE },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1, "",
	  EVENT_HARDWARE },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1, "", EVENT_HARDWARE },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1, "", EVENT_HARDWARE },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 1, "",
	  EVENT_HARDWARE },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1e-6, "msec", EVENT_SOFTWARE },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-6, "msec",
	  EVENT_SOFTWARE },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, "", EVENT_SOFTWARE },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, "", EVENT_SOFTWARE },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, "",
	  EVENT_SOFTWARE },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, "", EVENT_SOFTWARE },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1, "",
	  EVENT_SOFTWARE },
	{ "duration_time", 0, 0, 1, "ns", EVENT_TOOL },
};

int event_list_parse(struct event_list *list, struct catalog *catalog, const char *text,
		     struct err *err)
{
	bool grouped = false;
	uint32_t leader = 0;

	(void)catalog;
	while (*text) {
		size_t length, modifiers, i;
		struct event *event;

		if (*text == '{') {
			grouped = true;
			leader = (uint32_t)list->events.len;
			text++;
		}
		length = strcspn(text, ",}:");
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strncmp(names[i].name, text, length) && !names[i].name[length])
				break;
		if (i == ARRAY_SIZE(names))
			return err_set(err, EINVAL, "unknown event '%.*s'", (int)length, text);
		modifiers = text[length] == ':' ? strcspn(text + length, ",}") : 0;
		event = vec_push(&list->events);
		event->name = arena_strndup(&list->arena, text, length + modifiers);
		event->kind = names[i].kind;
		event->attr.base.type = names[i].type;
		event->attr.base.config = names[i].config;
		event->scale = names[i].scale;
		event->unit = names[i].unit;
		event->same_as = (uint32_t)list->events.len - 1;
		event->leader = grouped ? leader : event->same_as;
		if (modifiers) {
			event->attr.base.exclude_user = !memchr(text + length, 'u', modifiers);
			event->attr.base.exclude_kernel = !memchr(text + length, 'k', modifiers);
			event->explicit_modes = true;
		}
		text += length + modifiers;
		if (*text == '}') {
			grouped = false;
			text++;
		}
		if (*text == ',')
			text++;
	}
	return 0;
}
