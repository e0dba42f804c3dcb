// SPDX-License-Identifier: Apache-2.0
#include "event/event.h"

void event_list_free(struct event_list *list)
{
	vec_each (event, &list->events)
		cpuset_free(&event->cpus);
	vec_free(&list->events);
	arena_free(&list->arena);
}
