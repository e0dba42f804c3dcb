/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in summaries of recorded tracepoints: system calls, reads and writes, the scheduler, locks.
 *
 * A summary is one constant in a file of its own, summary/registry.c lists them.  It names the
 * tracepoints and fields that it wants; summary/run.h reads the recording, finds each field's place
 * once, and gives it the numbers.  What a summary remembers grows with the processes, calls and
 * locks that there are, not with the samples.
 */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summary_result;

#define SUMMARY_FIELDS 4
#define SUMMARY_TEXT   32 /* a name of a thread has 16 bytes */

/* A tracepoint that a summary looks at. */
struct summary_need {
	const char *event; /* "sched:sched_switch"; may have * and ? */
	unsigned role;	   /* what `take` knows its records as */
	const char *numbers[SUMMARY_FIELDS];
	const char *text;
	bool optional; /* there are results without it */
	bool instead;  /* taken only if the recording lacks the one before it in the list */
	bool extra;    /* as good as any other that is extra: one of them is enough */
};

/* Who did something, where and when. */
struct summary_who {
	const char *comm;
	uint32_t pid; /* SUMMARY_NO_PID where it is not known */
	uint32_t tid, cpu;
	uint64_t time;
};

#define SUMMARY_NO_PID UINT32_MAX

struct summary_record {
	struct summary_who who; /* in whose context it happened */
	unsigned role;
	const char *event; /* the tracepoint's name without its system */
	int64_t numbers[SUMMARY_FIELDS];
	const char *text;
};

/* What a summary may ask while records come. */
struct summary_context {
	bool (*takes)(const struct summary_context *context, const struct summary_who *who);
	uint32_t (*pid_of)(const struct summary_context *context, uint32_t tid);
	const char *arch; /* of the machine that was recorded, as uname tells it; NULL: unknown */
};

struct summary;

/* How a summary is made; several may be made alike and only show another side of it. */
struct summary_kind {
	const struct summary_need *needs;
	size_t need_count;
	bool whole_machine; /* others' records are wanted to tell of one's own */

	void *(*start)(const struct summary *summary, const struct summary_context *context);
	void (*take)(void *state, const struct summary_record *record);
	void (*finish)(void *state, struct summary_result *result);
	void (*free)(void *state);
};

struct summary {
	const char *name;
	const char *about; /* half a line */
	const struct summary_kind *kind;
};

/* All of them, sorted by name, NULL at the end. */
extern const struct summary *const summaries[];

const struct summary *summary_find(const char *name); /* NULL: there is none */

/* "raw_syscalls:sys_enter,raw_syscalls:sys_exit": what to record for it; to be freed. */
char *summary_events(const struct summary *summary);

#endif
