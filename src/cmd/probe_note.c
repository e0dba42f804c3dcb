// SPDX-License-Identifier: Apache-2.0
#include "cmd/probe_note.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/tracepoint.h"

#include <stdlib.h>
#include <string.h>

/* Whether the text of uprobe_events, of lines like "p:group/name path:offset", has it. */
static bool is_listed(const char *probes, const char *event)
{
	const char *colon = strchr(event, ':');
	char *name;
	bool found;

	if (!colon)
		return false;
	name = mem_printf(":%.*s/%.*s ", (int)(colon - event), event, (int)strcspn(colon + 1, ":"),
			  colon + 1); /* without modifiers */
	found = strstr(probes, name);
	free(name);
	return found;
}

/*
 * Contexts of events wander between the processes of a tree; when one ends, the kernel then takes
 * the breakpoint of a probe out of the wrong one.
 */
void note_probes(struct buf *out, struct catalog *catalog, const struct event_list *list)
{
	const char *tracefs = tracefs_path(catalog, NULL);
	char *path = tracefs ? mem_printf("%s/uprobe_events", tracefs) : NULL;
	char *probes = path ? file_read(path, &(size_t){ 0 }, NULL) : NULL;

	vec_each (event, &list->events)
		if (probes && is_listed(probes, event->name))
			buf_printf(out,
				   "note: %s: of a program whose processes run side by side the "
				   "kernel may miss hits of a probe; -a has all of them\n",
				   event->name);
	free(probes);
	free(path);
}
