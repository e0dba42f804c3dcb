/* SPDX-License-Identifier: Apache-2.0 */
/* Names of topics: docs/stream.md. */
#ifndef SERVER_LIVE_TOPIC_H
#define SERVER_LIVE_TOPIC_H

#include "server/hub.h"
#include <stdbool.h>
#include <stdint.h>

enum live_topic_kind {
	TOPIC_SESSIONS,
	TOPIC_QUEUE,
	TOPIC_SESSION,
	TOPIC_RUN,
	TOPIC_COUNTERS, /* from here on: below a run */
	TOPIC_OUTPUT,
	TOPIC_TREE,
	TOPIC_HEAT,
	TOPIC_LANES,
	TOPICS
};

struct live_topic {
	enum live_topic_kind kind;
	int64_t id; /* of a session or run */
};

/* False for what is no topic. */
bool live_topic_parse(const char *name, struct live_topic *topic);
const char *live_topic_name(char into[static HUB_TOPIC], enum live_topic_kind kind, int64_t id);

#endif
