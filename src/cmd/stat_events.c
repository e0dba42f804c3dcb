// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_events.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/stat_options.h"
#include "event/catalog.h"
#include "event/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Intel's TSX: with hardware lock elision, or without. */
static int parse_transactions(struct event_list *list, struct catalog *catalog, struct err *err)
{
	if (!catalog_pmu_has(catalog, "cpu", "events/cycles-t") ||
	    !catalog_pmu_has(catalog, "cpu", "events/tx-start"))
		return err_set(err, ENODEV,
			       "-T: this CPU has no transaction events (cpu/cycles-t/, "
			       "cpu/tx-start/)");
	if (catalog_pmu_has(catalog, "cpu", "events/cycles-ct") &&
	    catalog_pmu_has(catalog, "cpu", "events/el-start"))
		return event_list_parse(list, catalog,
					"task-clock,{instructions,cycles,cpu/cycles-t/,"
					"cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/}",
					err);
	return event_list_parse(
		list, catalog, "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}", err);
}

/* Where the CPU has the metrics itself (Intel, from Ice Lake on); the slots lead their group. */
static int parse_topdown(struct event_list *list, struct catalog *catalog, int level,
			 struct err *err)
{
	static const char *const pmus[] = { "cpu", "cpu_core" };
	const char *pmu = NULL;
	struct buf text = { 0 };
	bool second;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(pmus) && !pmu; i++)
		if (catalog_pmu_has(catalog, pmus[i], "events/slots") &&
		    catalog_pmu_has(catalog, pmus[i], "events/topdown-retiring"))
			pmu = pmus[i];
	if (!pmu)
		return err_set(err, ENODEV,
			       "--topdown: this CPU does not tell what its slots were used for "
			       "(cpu/slots/, cpu/topdown-retiring/)");
	second = catalog_pmu_has(catalog, pmu, "events/topdown-heavy-ops");
	if (level == 2 && !second)
		return err_set(err, ENODEV, "--td-level 2: this CPU has only level 1");
	buf_printf(&text,
		   "{%s/slots/,%s/topdown-retiring/,%s/topdown-bad-spec/,%s/topdown-fe-bound/,"
		   "%s/topdown-be-bound/",
		   pmu, pmu, pmu, pmu, pmu);
	if (second && level != 1)
		buf_printf(&text,
			   ",%s/topdown-heavy-ops/,%s/topdown-br-mispredict/,%s/topdown-fetch-lat/,"
			   "%s/topdown-mem-bound/",
			   pmu, pmu, pmu, pmu);
	buf_puts(&text, "}");
	rc = event_list_parse(list, catalog, buf_text(&text), err);
	buf_free(&text);
	return rc;
}

/* aperf goes on in system management mode; cycles don't, once freeze_on_smi is set. */
static int parse_smi(struct event_list *list, struct catalog *catalog, struct err *err)
{
	if (!catalog_pmu_has(catalog, "cpu", "freeze_on_smi"))
		return err_set(err, ENODEV, "--smi-cost: freeze_on_smi is not supported here");
	if (!catalog_pmu_has(catalog, "msr", "events/aperf") ||
	    !catalog_pmu_has(catalog, "msr", "events/smi"))
		return err_set(err, ENODEV, "--smi-cost: there is no msr/aperf/ or msr/smi/ here");
	return event_list_parse(list, catalog, "{msr/aperf/,msr/smi/,cycles}", err);
}

/* "cpu_core/cycles/" gives "cpu_core" and "cycles"; 0 if the event is of no core PMU of a hybrid.
 */
static size_t core_pmu_length(const struct event *event)
{
	const char *slash = strchr(event->name, '/');

	return slash && !strncmp(event->name, "cpu_", 4) ? (size_t)(slash - event->name) : 0;
}

/* --cputype: events of the other kind of cores go. */
static int keep_cores(struct event_list *list, struct catalog *catalog, const char *type,
		      struct err *err)
{
	char *pmu = mem_printf("cpu_%s", type);
	uint32_t *moved = mem_alloc((list->events.len + 1) * sizeof(*moved));
	size_t kept = 0;
	int rc = 0;

	if (!catalog_pmu_has(catalog, pmu, "type"))
		rc = err_set(err, ENODEV,
			     "--cputype %s: this machine has no %s; its cores are of one kind, or "
			     "of others",
			     type, pmu);
	for (size_t i = 0; i < list->events.len && !rc; i++) {
		struct event *event = &list->events.data[i];
		size_t length = core_pmu_length(event);

		moved[i] = (uint32_t)kept;
		if (length && (strlen(pmu) != length || strncmp(event->name, pmu, length))) {
			vec_free(&event->cpus);
			continue;
		}
		event->leader = moved[event->leader];
		event->same_as = moved[event->same_as];
		list->events.data[kept++] = *event;
	}
	if (!rc)
		list->events.len = kept;
	free(moved);
	free(pmu);
	return rc;
}

/* --hybrid-merge: what both kinds of cores count becomes one row, under the event's own name. */
static void merge_cores(struct event_list *list)
{
	for (size_t i = 0; i < list->events.len; i++) {
		struct event *event = &list->events.data[i];
		size_t length = core_pmu_length(event);

		if (!length)
			continue;
		for (size_t k = 0; k < i; k++) {
			struct event *first = &list->events.data[k];

			if (first->several && !strcmp(first->name, event->name + length))
				event->same_as = (uint32_t)k;
		}
		event->name += length; /* "/cycles/" until all are found */
		event->several = true;
	}
	vec_each (event, &list->events)
		if (event->several && event->name[0] == '/') {
			char *name = arena_strdup(&list->arena, event->name + 1);

			name[strcspn(name, "/")] = '\0';
			event->name = name;
		}
}

static int parse_all(struct event_list *list, struct catalog *catalog,
		     const struct stat_options *options, bool by_cpu, struct err *err)
{
	int rc = options->transaction ? parse_transactions(list, catalog, err)
		 : options->topdown   ? parse_topdown(list, catalog, options->topdown_level, err)
		 : options->smi_cost  ? parse_smi(list, catalog, err)
				      : event_steps_parse(&options->steps, list, catalog, err);

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
	if (!rc && options->cpu_type)
		rc = keep_cores(list, catalog, options->cpu_type, err);
	if (!rc && options->hybrid_merge)
		merge_cores(list);

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
