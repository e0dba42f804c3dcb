/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a run went: one struct that the overview's sentence, its figures and the API
 * are made of.
 *
 * There are three sums of the same parts.  `all` is threads × time: the lives of all threads,
 * each part of which was spent in one way.  `work` is the same of the busiest threads, those
 * that have four fifths of the CPU time, or each a quarter of what the first has; not one that
 * hardly does anything but wait for those.  `run` is the time from start to end: a moment in which
 * anything ran counts as running, else one in which anything was ready, and so on; only when all
 * sleep it is waiting.  The parts of each sum add up to it, and no part of `run` is more than
 * that of `all`.
 */
#ifndef PROFILE_BUDGET_H
#define PROFILE_BUDGET_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct json;
struct json_object;

enum budget_part {
	BUDGET_RAN,
	BUDGET_QUEUE, /* ready to run, and no CPU was free */
	BUDGET_DISK,
	BUDGET_PAGES, /* swap-in and reclaim; file pages are the disk's */
	BUDGET_OTHER, /* waiting for anything else */
	BUDGET_PARTS
};

/* What the other waiting was for, by the system call that it was in. */
enum budget_wait {
	WAITED_UNKNOWN,
	WAITED_FUTEX,
	WAITED_SLEEP,
	WAITED_EVENTS,
	WAITED_INPUT,
	WAITED_OUTPUT,
	WAITED_CHILDREN,
	WAITED_SIGNAL,
	WAITED_STOPPED,
	WAITED_KERNEL, /* uninterruptible, and neither for the disk nor for memory */
	/* I/O that it had started, of the disk or of anything else: the call does not tell. */
	WAITED_URING,
	WAITED_AIO,
	BUDGET_WAITS
};

/* What a thread's other waiting was, and who had the CPU that it waited for. */
struct budget_why {
	uint64_t waits[BUDGET_WAITS]; /* add up to ns[BUDGET_OTHER] */
	uint64_t own, others;	      /* of ns[BUDGET_QUEUE]; the rest is not known */
};

enum budget_source {
	BUDGET_NONE,
	BUDGET_STATES,	  /* the kernel counted every switch (bpf/states.h) */
	BUDGET_SCHEDSTAT, /* /proc, looked at now and then: what ended in between is missing */
};

/* A thread; or several of one name that have ended, if there are very many. */
struct budget_thread {
	uint32_t pid, tid;
	uint64_t count;
	char name[16];
	uint64_t life_ns;
	uint64_t ns[BUDGET_PARTS];
	uint64_t switches, preemptions;
	struct budget_why why; /* not stored of each */
};

struct budget_threads VEC_OF(struct budget_thread);

struct budget {
	enum budget_source source;
	char why[200];		       /* no better source was there; "": the best */
	bool whole;		       /* no thread is missing, and `run` is no estimate */
	bool knows_disk, knows_pages;  /* else they are among the others */
	uint64_t missing;	       /* threads that found no room */
	uint64_t run_ns[BUDGET_PARTS]; /* of the time from start to end */
	/* Of run_ns[BUDGET_OTHER]: what the thread that went on first had waited for. */
	uint64_t run_waits[BUDGET_WAITS];
	/* Of run_ns[BUDGET_QUEUE]: at least so long a cgroup's quota of CPU time held it back. */
	uint64_t held_ns;
	uint64_t all_ns[BUDGET_PARTS];	/* of all threads' */
	uint64_t work_ns[BUDGET_PARTS]; /* of the busiest ones': */
	uint64_t workers;		/* so many: they have 80 % of the CPU time and more */
	struct budget_why work_why;
	uint64_t count;			/* of threads */
	uint64_t switches, preemptions; /* by itself, or others' */
	/* Those with the most CPU time first, and not more than a page shows. */
	struct budget_threads threads;
};

#define BUDGET_THREADS 32

/* "ran", "waiting-cpu" ... for programs, and for people. */
const char *budget_part_name(enum budget_part part);
const char *budget_part_label(enum budget_part part);

/* Sorts the threads, sums them up and keeps the first; one more stands for all others. */
void budget_settle(struct budget *budget);
/*
 * Keeps the parts of `run` within those of `all`, which it must have: the two are counted apart,
 * and the kernel's own account has corrected the threads'.
 */
void budget_bound(struct budget *budget);
uint64_t budget_sum(const uint64_t ns[static BUDGET_PARTS]);
/* Shares of 1; all 0 if nothing is known. */
void budget_shares(const uint64_t ns[static BUDGET_PARTS], double shares[static BUDGET_PARTS]);
/* "sleep", "futex" ... for programs; "time to pass (sleep)" for people: what it waited for. */
const char *budget_wait_name(enum budget_wait wait);
const char *budget_wait_label(enum budget_wait wait);
/* Of waits: for I/O that it had started, which may be the disk's. */
uint64_t budget_started_io(const uint64_t waits[static BUDGET_WAITS]);
/* What most of the busiest threads' other waiting was; WAITED_UNKNOWN: it can't be told. */
enum budget_wait budget_main_wait(const struct budget *budget);

/* As it is stored with a run. */
void budget_write(const struct budget *budget, struct json *json, const char *key);
/* False if there is none, or nothing that fits. */
bool budget_read(struct budget *budget, struct json_object *stored);
/*
 * As a recording carries it, without the rows of threads.  Reading is false, and leaves a budget
 * that is not known, where the words are none.
 */
#define BUDGET_WORDS (3 + 8 + 3 * BUDGET_PARTS + 2 * BUDGET_WAITS)
void budget_pack(const struct budget *budget, uint64_t words[static BUDGET_WORDS]);
bool budget_unpack(struct budget *budget, const uint64_t *words, size_t count);
/* For the page and for programs. */
void budget_show(const struct budget *budget, struct json *json, const char *key);
void budget_free(struct budget *budget);

#endif
