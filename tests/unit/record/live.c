// SPDX-License-Identifier: Apache-2.0
#include "live.h"
#include "test.h"

struct event *live_event(struct event_list *list, const char *name, uint32_t type, uint64_t config)
{
	uint32_t index = (uint32_t)list->events.len;
	struct event *event = vec_push(&list->events);

	event->name = name;
	event->kind = type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE;
	event->attr.base.type = type;
	event->attr.base.config = config;
	event->leader = event->same_as = index;
	event->unit = "";
	event->scale = 1;
	return event;
}

void live_software(struct event_list *list)
{
	live_event(list, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	live_event(list, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	live_event(list, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

void live_prepare(struct workload *workload, const char *shell_command)
{
	char shell[] = "/bin/sh", flag[] = "-c", *command = mem_strdup(shell_command);
	char *argv[] = { shell, flag, command, NULL };
	struct err err = { 0 };

	EXPECT_INT(workload_prepare(workload, argv, NULL, &err), 0);
	free(command); /* the child has its own copy */
	workload->program = "/bin/sh";
}

struct counter_value live_sum(const struct counters *counters, size_t event)
{
	struct counter_value sum = { 0 };

	for (size_t slot = 0; slot < counters_slots(counters); slot++)
		counter_value_add(&sum, counters_value(counters, slot, event));
	return sum;
}
