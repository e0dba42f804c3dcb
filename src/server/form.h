/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody wants measured: the form of a run, as the API takes it and the store keeps it.
 *
 * docs/api has its members.  One that is not known, or of a wrong type, is refused by its name; so
 * is what can't be meant (a process without its number, a rate that is none).
 */
#ifndef SERVER_FORM_H
#define SERVER_FORM_H

#include "base/wordlist.h"
#include "jobs/protocol.h"

struct arena;
struct err;
struct json_object;
struct run;

/*
 * Where a form says nothing.  Few programs of a distribution keep frame pointers: of six, all
 * stacks were cut short; with copies of 8 KB 0 to 97 per cent of them, with 16 KB 0 to 17.  At this
 * rate copies cost little, and 1.6 MB for each second of CPU time.
 */
#define FORM_RATE	"99"
#define FORM_CALL_GRAPH "dwarf"

struct form {
	enum run_tool tool;
	bool live;
	enum run_target target;
	bool shell, children;
	const char *who;
	struct wordlist argv, environment; /* which holds nothing but NAME=VALUE */
	const char *folder, *cpus;
	int network; /* enum private_network; negative: the server's */
	const char *count_events, *sample_events;
	uint64_t interval_ms;
	const char *rate, *call_graph;
	double limit_s, limit_cpus;
	uint64_t limit_memory, limit_tasks; /* 0: the server's, as of limit_cpus */
	uint64_t repeats;
	struct wordlist stat_options, record_options;
	struct wordlist tags;
	const char *webhook, *notes;
};

/* Text lies in the arena or the object, which must outlive it; form_fini() frees the lists. */
int form_parse(struct json_object *object, struct arena *arena, struct form *form, struct err *err);
void form_fini(struct form *form);

const char *form_tool_name(enum run_tool tool);
const char *form_target_name(enum run_target target);
/* The events that it names, as most-used ones count them. */
void form_events(const struct form *form, struct arena *arena, struct wordlist *into);
/* What starts it; the descriptors are the caller's to set. */
struct msg_start form_start(const struct form *form, int64_t run);

#endif
