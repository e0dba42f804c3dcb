/* SPDX-License-Identifier: Apache-2.0 */
/* A form's members as they stand in JSON, before anything is understood: server/form.c does that.
 */
#ifndef SERVER_FORM_RAW_H
#define SERVER_FORM_RAW_H

#include "base/wordlist.h"
#include <stdbool.h>
#include <stdint.h>

struct err;
struct json_object;

struct form_raw {
	const char *tool, *kind, *command, *who, *name, *environment, *folder, *cpus, *count,
		*sample;
	const char *rate, *call_graph, *stat, *record, *webhook, *notes, *network;
	bool live, shell, children;
	uint64_t interval_ms, repeats;
	uint64_t limit_memory, limit_tasks;
	double limit_s, limit_cpus;
	struct wordlist argv, tags;
};

/* Types and ranges are right then, and every member is known.  Texts are the object's. */
int form_raw_read(struct json_object *object, struct form_raw *raw, struct err *err);

#endif
