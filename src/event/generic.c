// SPDX-License-Identifier: Apache-2.0
/* The names that perf has on every machine: hardware, software, its own clocks, raw codes. */
#include "base/err.h"
#include "event/pmu.h"
#include "event/source.h"

#include <errno.h>

struct generic {
	const char *name, *alias, *brief;
	uint64_t config;
	const char *unit;
	double scale;
};

#define HARDWARE(config, name, alias, brief)                      \
	{                                                         \
		name, alias, brief, PERF_COUNT_HW_##config, "", 1 \
	}

static const struct generic hardware[] = {
	HARDWARE(CPU_CYCLES, "cpu-cycles", "cycles", "CPU cycles, at whatever frequency it runs"),
	HARDWARE(INSTRUCTIONS, "instructions", NULL, "instructions retired"),
	HARDWARE(CACHE_REFERENCES, "cache-references", NULL,
		 "accesses to the last-level cache, on most CPUs"),
	HARDWARE(CACHE_MISSES, "cache-misses", NULL,
		 "accesses that the last-level cache could not serve, on most CPUs"),
	HARDWARE(BRANCH_INSTRUCTIONS, "branch-instructions", "branches",
		 "branch instructions retired"),
	HARDWARE(BRANCH_MISSES, "branch-misses", NULL, "branches that were predicted wrongly"),
	HARDWARE(BUS_CYCLES, "bus-cycles", NULL, "bus cycles, which tick at a fixed rate"),
	HARDWARE(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend",
		 "cycles in which no instruction could be issued for want of fetched ones"),
	HARDWARE(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend",
		 "cycles in which nothing could retire: memory or execution units were waited for"),
	HARDWARE(REF_CPU_CYCLES, "ref-cycles", NULL,
		 "CPU cycles at a fixed reference frequency, whatever the clock does"),
};

#define SOFTWARE(config, name, alias, brief)                      \
	{                                                         \
		name, alias, brief, PERF_COUNT_SW_##config, "", 1 \
	}
#define CLOCK(config, name, brief)                                      \
	{                                                               \
		name, NULL, brief, PERF_COUNT_SW_##config, "msec", 1e-6 \
	}

static const struct generic software[] = {
	CLOCK(CPU_CLOCK, "cpu-clock", "time on the CPU, by a high-resolution timer per CPU"),
	CLOCK(TASK_CLOCK, "task-clock", "time that the task really ran"),
	SOFTWARE(PAGE_FAULTS, "page-faults", "faults", "page faults, minor and major"),
	SOFTWARE(CONTEXT_SWITCHES, "context-switches", "cs", "switches from one task to another"),
	SOFTWARE(CPU_MIGRATIONS, "cpu-migrations", "migrations", "moves of a task to another CPU"),
	SOFTWARE(PAGE_FAULTS_MIN, "minor-faults", NULL, "page faults that needed no disk"),
	SOFTWARE(PAGE_FAULTS_MAJ, "major-faults", NULL, "page faults that waited for a disk"),
	SOFTWARE(ALIGNMENT_FAULTS, "alignment-faults", NULL,
		 "unaligned accesses that the kernel had to fix up; always 0 on x86"),
	SOFTWARE(EMULATION_FAULTS, "emulation-faults", NULL,
		 "instructions that the kernel had to emulate"),
	SOFTWARE(DUMMY, "dummy", NULL,
		 "counts nothing; carries the records of tasks and mappings in a recording"),
	SOFTWARE(BPF_OUTPUT, "bpf-output", NULL, "what a BPF program sends to this event"),
	SOFTWARE(CGROUP_SWITCHES, "cgroup-switches", NULL,
		 "switches to a task of another control group"),
};

static const struct generic tools[] = {
	{ "duration_time", NULL, "elapsed time of the run", TOOL_DURATION_TIME, "ns", 1 },
	{ "user_time", NULL, "time in user code, as the kernel accounts it", TOOL_USER_TIME, "ns",
	  1 },
	{ "system_time", NULL, "time in the kernel, as it accounts it", TOOL_SYSTEM_TIME, "ns", 1 },
};

static const struct generic *find(const struct generic *table, size_t count, const char *name,
				  size_t length)
{
	for (size_t i = 0; i < count; i++) {
		const char *names[] = { table[i].name, table[i].alias };

		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (names[k] && !strncmp(names[k], name, length) && !names[k][length])
				return &table[i];
	}
	return NULL;
}

static int each(const struct generic *table, size_t count, enum event_kind kind,
		const struct catalog_walk *walk)
{
	for (size_t i = 0; i < count; i++) {
		struct catalog_entry entry = {
			.name = table[i].name,
			.alias = table[i].alias,
			.brief = table[i].brief,
			.kind = kind,
		};
		int rc = walk->visit(&entry, walk->user);

		if (rc)
			return rc;
	}
	return 0;
}

static int hardware_find(struct catalog *catalog, const char *name, struct event_list *list,
			 struct err *err)
{
	size_t length = source_word(name);
	const struct generic *found = find(hardware, ARRAY_SIZE(hardware), name, length);

	(void)err;
	if (!found)
		return 0;
	pmu_add_core(catalog, list, EVENT_HARDWARE, PERF_TYPE_HARDWARE, found->config, name,
		     length);
	return (int)length;
}

static int hardware_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	(void)catalog;
	return each(hardware, ARRAY_SIZE(hardware), EVENT_HARDWARE, walk);
}

static int software_find(struct catalog *catalog, const char *name, struct event_list *list,
			 struct err *err)
{
	size_t length = source_word(name);
	const struct generic *found = find(software, ARRAY_SIZE(software), name, length);
	struct event *event;

	(void)catalog, (void)err;
	if (!found)
		return 0;
	event = event_list_add(list, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, found->config);
	event->unit = found->unit;
	event->scale = found->scale;
	return (int)length;
}

static int software_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	(void)catalog;
	return each(software, ARRAY_SIZE(software), EVENT_SOFTWARE, walk);
}

static int tool_find(struct catalog *catalog, const char *name, struct event_list *list,
		     struct err *err)
{
	size_t length = source_word(name);
	const struct generic *found = find(tools, ARRAY_SIZE(tools), name, length);
	struct event *event;

	(void)catalog, (void)err;
	if (!found)
		return 0;
	/* Nothing is opened for it; as a dummy it is harmless to whoever opens it all the same. */
	event = event_list_add(list, EVENT_TOOL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	event->tool = (enum event_tool)found->config;
	event->unit = found->unit;
	return (int)length;
}

static int tool_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	(void)catalog;
	return each(tools, ARRAY_SIZE(tools), EVENT_TOOL, walk);
}

/* r1a8, or TYPE:CONFIG in plain numbers. */
static int raw_find(struct catalog *catalog, const char *name, struct event_list *list,
		    struct err *err)
{
	size_t length = source_word(name), second;
	uint64_t type, config;

	if (name[0] == 'r' && !source_number(name + 1, length - 1, 16, &config)) {
		pmu_add_core(catalog, list, EVENT_RAW, PERF_TYPE_RAW, config, name, length);
		return (int)length;
	}
	if (name[length] != ':' || source_number(name, length, 0, &type))
		return 0;
	second = source_word(name + length + 1);
	if (source_number(name + length + 1, second, 0, &config))
		return 0;
	if (type > UINT32_MAX)
		return err_set(err, ERANGE, "an event type has 32 bits");
	event_list_add(list, EVENT_RAW, (uint32_t)type, config);
	return (int)(length + 1 + second);
}

static int raw_each(struct catalog *catalog, const struct catalog_walk *walk)
{
	static const struct catalog_entry forms[] = {
		{ .name = "rNNN",
		  .example = "r0",
		  .brief = "a raw code of this CPU's PMU, in hexadecimal",
		  .kind = EVENT_RAW },
		{ .name = "TYPE:CONFIG",
		  .example = "1:0",
		  .brief = "type and config of perf_event_attr, as numbers",
		  .kind = EVENT_RAW },
	};

	(void)catalog;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		int rc = walk->visit(&forms[i], walk->user);

		if (rc)
			return rc;
	}
	return 0;
}

const struct event_source source_hardware = { hardware_find, hardware_each };
const struct event_source source_software = { software_find, software_each };
const struct event_source source_tool = { tool_find, tool_each };
const struct event_source source_raw = { raw_find, raw_each };
