// SPDX-License-Identifier: Apache-2.0
#include "server/live_topic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *before, *behind; /* the number; NULL: there is none */
} shapes[TOPICS] = {
	[TOPIC_SESSIONS] = { "sessions", NULL },    [TOPIC_QUEUE] = { "queue", NULL },
	[TOPIC_SESSION] = { "session:", "" },	    [TOPIC_RUN] = { "run:", "" },
	[TOPIC_COUNTERS] = { "run:", ":counters" }, [TOPIC_OUTPUT] = { "run:", ":output" },
	[TOPIC_TREE] = { "run:", ":tree" },	    [TOPIC_HEAT] = { "run:", ":heat" },
	[TOPIC_LANES] = { "run:", ":lanes" },
};

static bool fits(enum live_topic_kind kind, const char *name, int64_t *id)
{
	size_t length = strlen(shapes[kind].before), digits;

	if (!shapes[kind].behind)
		return !strcmp(name, shapes[kind].before);
	if (strncmp(name, shapes[kind].before, length))
		return false;
	digits = strspn(name + length, "0123456789");
	/* One way to write each: a number that begins with 0 would be a topic of its own. */
	if (!digits || digits > 18 || name[length] == '0')
		return false;
	*id = strtoll(name + length, NULL, 10);
	return !strcmp(name + length + digits, shapes[kind].behind);
}

bool live_topic_parse(const char *name, struct live_topic *topic)
{
	for (enum live_topic_kind kind = 0; kind < TOPICS; kind++) {
		*topic = (struct live_topic){ .kind = kind };
		if (fits(kind, name, &topic->id))
			return true;
	}
	return false;
}

const char *live_topic_name(char into[static HUB_TOPIC], enum live_topic_kind kind, int64_t id)
{
	if (shapes[kind].behind)
		snprintf(into, HUB_TOPIC, "%s%" PRId64 "%s", shapes[kind].before, id,
			 shapes[kind].behind);
	else
		snprintf(into, HUB_TOPIC, "%s", shapes[kind].before);
	return into;
}
