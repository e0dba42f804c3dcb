// SPDX-License-Identifier: Apache-2.0
#include "event/event.h"
#include "base/err.h"

#include <errno.h>
#include <string.h>

struct event *event_list_add(struct event_list *list, enum event_kind kind, uint32_t type,
			     uint64_t config)
{
	struct event *event = vec_push(&list->events);

	event->kind = kind;
	event->attr.base.type = type;
	event->attr.base.config = config;
	/* As perf's: guests are counted only when asked for.  PMUs that refuse any such bit are
	 * read from sysfs, and there pmu.c takes it back. */
	event->attr.base.exclude_guest = 1;
	event->leader = event->same_as = (uint32_t)list->events.len - 1;
	event->unit = "";
	event->scale = 1.0;
	return event;
}

const char event_void_reason[] =
	"it happens in the kernel only, and the kernel was left out; remove :u or --all-user";

bool attr_is_kernels(const struct perf_event_attr *attr, const char *name)
{
	if (attr->type == PERF_TYPE_TRACEPOINT) /* a probe may be one in a program */
		return !name || (strncmp(name, "probe", 5) && strncmp(name, "uprobe", 6));
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool event_is_kernels(const struct event *event)
{
	return event->kind != EVENT_PROBE && attr_is_kernels(&event->attr.base, NULL);
}

bool event_is_void(const struct event *event)
{
	return event->attr.base.exclude_kernel && event_is_kernels(event);
}

bool event_is_clock(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr.base;

	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

void event_list_truncate(struct event_list *list, size_t length)
{
	while (list->events.len > length)
		cpuset_free(&list->events.data[--list->events.len].cpus);
}

int event_list_set_filter(struct event_list *list, const char *filter, struct err *err)
{
	if (list->last_parsed >= list->events.len)
		return err_set(err, EINVAL, "--filter has to follow the -e that names tracepoints");
	for (size_t i = list->last_parsed; i < list->events.len; i++) {
		const struct event *event = &list->events.data[i];

		if (event->attr.base.type != PERF_TYPE_TRACEPOINT)
			return err_set(err, EINVAL,
				       "--filter is for tracepoints, and %s is none; give it an -e "
				       "of its own",
				       event->name);
	}
	for (size_t i = list->last_parsed; i < list->events.len; i++) {
		struct event *event = &list->events.data[i];

		event->filter = event->filter ? arena_printf(&list->arena, "(%s) && (%s)",
							     event->filter, filter)
					      : arena_strdup(&list->arena, filter);
	}
	return 0;
}

void event_list_free(struct event_list *list)
{
	event_list_truncate(list, 0);
	vec_free(&list->events);
	arena_free(&list->arena);
}
