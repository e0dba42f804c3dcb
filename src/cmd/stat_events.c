// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_events.h"
#include "base/buf.h"
#include "base/file.h"
#include "cmd/stat_options.h"
#include "event/catalog.h"
#include "event/parse.h"

/* What each further -d adds. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Few CPUs can count stalls; perf asks the PMU's own list of names, and so do we. */
static void add_if_named(struct buf *text, const char *name)
{
	if (file_exists("/sys/bus/event_source/devices/cpu/events/%s", name))
		buf_printf(text, ",%s", name);
}

static int parse_default(struct event_list *list, struct catalog *catalog, bool by_cpu,
			 struct err *err)
{
	struct buf text = { 0 };
	int rc;

	buf_printf(&text, "%s,context-switches,cpu-migrations,page-faults,cycles",
		   by_cpu ? "cpu-clock" : "task-clock");
	add_if_named(&text, "stalled-cycles-frontend");
	add_if_named(&text, "stalled-cycles-backend");
	buf_puts(&text, ",instructions,branches,branch-misses");
	rc = event_list_parse(list, catalog, buf_text(&text), err);
	buf_free(&text);
	return rc;
}

static int parse_all(struct event_list *list, struct catalog *catalog,
		     const struct stat_options *options, bool by_cpu, struct err *err)
{
	int rc = event_steps_parse(&options->steps, list, catalog, err);

	if (!rc && !list->events.len)
		rc = parse_default(list, catalog, by_cpu, err);
	for (int i = 0; i < options->detailed && i < (int)ARRAY_SIZE(details) && !rc; i++)
		rc = event_list_parse(list, catalog, details[i], err);
	return rc;
}

int stat_events(struct event_list *list, struct catalog *catalog,
		const struct stat_options *options, bool by_cpu, struct err *err)
{
	int rc;

	if (options->null_run)
		return 0;
	rc = parse_all(list, catalog, options, by_cpu, err);

	vec_each (event, &list->events) {
		if (options->all_user || options->all_kernel) {
			event->attr.base.exclude_kernel = options->all_user;
			event->attr.base.exclude_user = options->all_kernel;
		}
		if (options->group && event->kind != EVENT_TOOL)
			event->leader = 0;
	}
	return rc;
}

bool stat_events_need_cpus(const struct event_list *list)
{
	size_t cpu_wide = 0;

	vec_each (event, &list->events) {
		if (event->cpu_wide_only)
			cpu_wide++;
		else if (event->tool != TOOL_DURATION_TIME)
			return false;
	}
	return cpu_wide > 0;
}
