// SPDX-License-Identifier: Apache-2.0
/*
 * Opening events on threads that are there already, while they go on starting others.
 *
 * What a thread starts after its events were opened inherits them; what it started before must be
 * found by looking again.  Which of the two a new thread is, the tracker tells: an inherited one
 * has a FORK record in a ring.  The kernel writes that before the new thread runs for the first
 * time, so a thread that has run and has no such record was missed, and is opened.  It ends when a
 * look finds no such thread, which it does soon: those missed are started only during one pass.
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "record/sampling_inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define ATTACH_FOR (2 * NS_PER_SEC)
#define PAUSE_NS   NS_PER_MSEC

/* A bit for each thread id; ids are small numbers. */
struct tidset {
	VEC(uint64_t) words;
};

static bool tidset_has(const struct tidset *set, pid_t tid)
{
	size_t word = (size_t)tid / 64;

	return word < set->words.len && set->words.data[word] >> ((unsigned)tid % 64) & 1;
}

static void tidset_add(struct tidset *set, pid_t tid)
{
	while (set->words.len <= (size_t)tid / 64)
		*vec_push(&set->words) = 0;
	set->words.data[tid / 64] |= 1ULL << ((unsigned)tid % 64);
}

struct attach {
	struct sampling *s;
	struct tidset known; /* opened, inherited, or ended */
	VEC(uint64_t) seen;  /* for each ring, how far its records were looked at */
	bool settled, first_pass;
	size_t opened, pending; /* in this pass */
};

/* The record stays in the ring: the drain brings it to the file later. */
static void look_at_ring(struct attach *a, const struct ring *ring, uint64_t *seen)
{
	struct ring_view view;

	if (!ring_view(ring, &view))
		return;
	while (*seen < view.end) {
		struct perf_event_header header = ring_header(&view, *seen);

		if (header.size < sizeof(header))
			break;
		if (header.type == PERF_RECORD_FORK) /* header, pid and ppid, tid and ptid */
			tidset_add(&a->known, (pid_t)(uint32_t)ring_u64(&view, *seen + 16));
		*seen += header.size;
	}
}

static void look_at_forks(struct attach *a)
{
	while (a->seen.len < a->s->forward)
		*vec_push(&a->seen) = 0;
	for (size_t i = 0; i < a->s->forward; i++)
		look_at_ring(a, &a->s->rings.data[i], &a->seen.data[i]);
}

/* Whether a thread has ever been on a CPU.  Where the kernel does not say: assume it has. */
static bool has_run(pid_t tid)
{
	char text[128];
	uint64_t runs;

	if (file_line(text, sizeof(text), "/proc/%d/schedstat", (int)tid) <= 0 ||
	    sscanf(text, "%*u %*u %" SCNu64, &runs) != 1)
		return true;
	return runs > 0;
}

static int open_task(struct attach *a, const struct target_task *task, struct err *err)
{
	struct sampled_place place = { .pid = task->tid, .cgroup = NO_CGROUP };
	const struct owner *owner = &a->s->target->owner;
	size_t first = a->s->fds.len;
	int held = owner_hold(owner, task->tid), rc = 0;

	if (!a->settled)
		rc = sampling_settle(a->s, &place, err);
	if (!rc) {
		a->settled = true;
		rc = sampling_open_place(a->s, &place, err);
	}
	/* Whose it was when it was looked up is no answer: it may have become another's since. */
	if (!rc && (rc = owner_check(owner, held, task->tid, err)))
		sampling_close_from(a->s, first);
	if (held >= 0)
		close(held);
	if (rc && rc != -ESRCH)
		return rc;
	tidset_add(&a->known, task->tid);
	if (rc == -ESRCH) {
		a->s->census.vanished++;
		return 0;
	}
	a->opened++;
	a->s->census.tasks++;
	a->s->census.late += !a->first_pass;
	return 0;
}

/* Those of the tasks that no event is known to be on and that have run. */
static void find_missed(struct attach *a, const struct target_tasks *tasks,
			struct target_tasks *missed)
{
	struct target_tasks ran = { 0 };

	a->pending = 0;
	vec_each (task, tasks) {
		/* Recording the recorder would tell of nothing else. */
		if (tidset_has(&a->known, task->tid) || task->pid == getpid())
			continue;
		if (a->first_pass || has_run(task->tid))
			*vec_push(&ran) = *task;
		else
			a->pending++;
	}
	look_at_forks(a); /* after has_run: see the head of this file */
	vec_each (task, &ran)
		if (!tidset_has(&a->known, task->tid))
			*vec_push(missed) = *task;
	vec_free(&ran);
}

static int attach_pass(struct attach *a, const struct target_tasks *tasks, struct err *err)
{
	struct target_tasks missed = { 0 };
	int rc = 0;

	a->opened = 0;
	find_missed(a, tasks, &missed);
	for (size_t i = 0; i < missed.len && !rc; i++)
		rc = open_task(a, &missed.data[i], err);
	vec_free(&missed);
	return rc;
}

/* The threads as they are now take the place of those that target_resolve found. */
static void look_again(struct target *target)
{
	size_t vanished = 0;

	target->tasks.len = 0;
	target_scan(target, &target->tasks, &vanished);
}

static int attach_all(struct attach *a, struct err *err)
{
	struct sampling *s = a->s;
	int64_t until = clock_now_ns() + ATTACH_FOR;
	bool once = s->options.choice.no_inherit || s->target->source == TARGET_FROM_TIDS;
	int rc;

	for (;;) {
		rc = attach_pass(a, &s->target->tasks, err);
		a->first_pass = false;
		if (rc || once)
			break;
		if (s->census.tasks && !a->opened && !a->pending)
			break;
		if (!s->census.tasks && s->target->source == TARGET_FROM_PIDS &&
		    !target_alive(s->target))
			break;
		if (clock_now_ns() > until) {
			s->census.missed = a->pending + a->opened;
			break;
		}
		if (!a->opened)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
		look_again(s->target);
	}
	if (!rc && !s->census.tasks)
		rc = err_set(err, ESRCH, "all of the processes to be recorded have ended");
	return rc;
}

int sampling_attach(struct sampling *s, struct err *err)
{
	struct attach a = { .s = s, .first_pass = true };
	int rc = attach_all(&a, err);

	vec_free(&a.known.words);
	vec_free(&a.seen);
	return rc;
}
