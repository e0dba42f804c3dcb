// SPDX-License-Identifier: Apache-2.0
#include "record/tasksieve.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>

/* A task that has ended may have a last sample behind its EXIT record; then its number is free. */
#define GONE_AFTER_NS NS_PER_SEC
#define TID_AT	      16 /* in FORK and EXIT: behind the header, pid and parent's pid */

struct ended {
	pid_t tid;
	int64_t at_ns;
};

struct tasksieve {
	VEC(uint64_t) tasks; /* a bit for each thread id; ids are small numbers */
	VEC(struct ended) ended;
	VEC(uint64_t) seen; /* for each ring, how far it was looked through */
	size_t tid_at;	    /* of the pid and tid in a sample */
};

static bool has(const struct tasksieve *sieve, pid_t tid)
{
	size_t word = (size_t)tid / 64;

	return word < sieve->tasks.len && sieve->tasks.data[word] >> ((unsigned)tid % 64) & 1;
}

static void set(struct tasksieve *sieve, pid_t tid, bool on)
{
	uint64_t bit = 1ULL << ((unsigned)tid % 64);

	while (sieve->tasks.len <= (size_t)tid / 64)
		*vec_push(&sieve->tasks) = 0;
	if (on)
		sieve->tasks.data[tid / 64] |= bit;
	else
		sieve->tasks.data[tid / 64] &= ~bit;
}

struct tasksieve *tasksieve_new(pid_t program, const struct perf_writer_attr *attrs, size_t count)
{
	struct tasksieve *sieve = mem_alloc(sizeof(*sieve));
	uint64_t type = count ? attrs[0].attr.base.sample_type : 0;

	sieve->tid_at = sizeof(struct perf_event_header) +
			(type & PERF_SAMPLE_IDENTIFIER ? sizeof(uint64_t) : 0) +
			(type & PERF_SAMPLE_IP ? sizeof(uint64_t) : 0);
	set(sieve, program, true);
	return sieve;
}

void tasksieve_free(struct tasksieve *sieve)
{
	if (!sieve)
		return;
	vec_free(&sieve->tasks);
	vec_free(&sieve->ended);
	vec_free(&sieve->seen);
	free(sieve);
}

static void take(struct tasksieve *sieve, const struct ring_view *view, uint64_t at, uint32_t type,
		 int64_t now_ns)
{
	pid_t tid = (pid_t)(uint32_t)ring_u64(view, at + TID_AT);

	if (tid < 0)
		return;
	if (type == PERF_RECORD_EXIT) {
		*vec_push(&sieve->ended) = (struct ended){ tid, now_ns };
		return;
	}
	set(sieve, tid, true);
	vec_each (ended, &sieve->ended) /* its number is in use again */
		if (ended->tid == tid)
			ended->tid = -1;
}

static void forget_ended(struct tasksieve *sieve, int64_t now_ns)
{
	size_t kept = 0;

	vec_each (ended, &sieve->ended) {
		if (now_ns - ended->at_ns < GONE_AFTER_NS)
			sieve->ended.data[kept++] = *ended;
		else if (ended->tid >= 0)
			set(sieve, ended->tid, false);
	}
	sieve->ended.len = kept;
}

void tasksieve_look(struct tasksieve *sieve, const struct ring *rings, size_t count, int64_t now_ns)
{
	forget_ended(sieve, now_ns);
	while (sieve->seen.len < count)
		*vec_push(&sieve->seen) = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t *seen = &sieve->seen.data[i];
		struct ring_view view;

		if (!ring_view(&rings[i], &view))
			continue;
		if (*seen < view.start)
			*seen = view.start;
		while (*seen < view.end) {
			struct perf_event_header header = ring_header(&view, *seen);

			if (header.size < sizeof(header))
				break;
			if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT)
				take(sieve, &view, *seen, header.type, now_ns);
			*seen += header.size;
		}
	}
}

static bool passes(const struct tasksieve *sieve, const struct ring_view *view, uint64_t at,
		   uint32_t type)
{
	pid_t tid;

	if (type != PERF_RECORD_SAMPLE)
		return true;
	tid = (pid_t)(ring_u64(view, at + sieve->tid_at) >> 32);
	return tid > 0 && has(sieve, tid);
}

bool tasksieve_next(const struct tasksieve *sieve, const struct ring_view *view, uint64_t *at,
		    struct ring_view *part)
{
	*part = *view;
	for (bool inside = false; *at < view->end;) {
		struct perf_event_header header = ring_header(view, *at);
		bool pass = header.size < sizeof(header) || passes(sieve, view, *at, header.type);

		if (pass && !inside)
			part->start = *at;
		if (!pass && inside) {
			part->end = *at;
			return true;
		}
		inside = pass;
		/* What is no record ends the view, and is passed on as it is. */
		*at = header.size < sizeof(header) ? view->end : *at + header.size;
		if (inside && *at >= view->end)
			return true;
	}
	return false;
}
