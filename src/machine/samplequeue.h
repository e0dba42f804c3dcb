/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples between the record that told of them and whoever wants them: in the order in which they
 * came, while the copies of their stacks are unwound.
 *
 *	slot = sample_queue_slot(&queue);
 *	... parse the record into slot->sample, set attr and thread ...
 *	sample_queue_push(&queue, true);
 *	while ((queued = sample_queue_next(&queue, !lasting)))
 *		use(&queued->sample);
 *
 * Before the machine takes a record, everything is taken out (sample_queue_next with `all`).
 */
#ifndef MACHINE_SAMPLEQUEUE_H
#define MACHINE_SAMPLEQUEUE_H

#include "machine/unwinding.h"
#include "perfdata/sample.h"

/* So many that came out last keep their chains. */
#define SAMPLE_QUEUE_KEPT 16

struct queued_sample {
	struct sample sample;
	const struct perf_attr *attr;
	const struct thread *thread;
	uint64_t call; /* of sample_queue_tick */
	struct unwinding_job job;
};

struct sample_queue {
	struct unwinding *unwinding;
	struct queued_sample *ring; /* NULL: nobody has waited yet */
	size_t begun, ended;
	uint64_t calls;
};

static inline bool sample_queue_is_empty(const struct sample_queue *queue)
{
	return queue->begun == queue->ended;
}

void sample_queue_init(struct sample_queue *queue, struct unwinding *unwinding);
/* Ends what was begun. */
void sample_queue_fini(struct sample_queue *queue);

/* For each record that is read, and then sample_queue_next: what was lent lasts for a number of
 * calls only. */
void sample_queue_tick(struct sample_queue *queue);

struct queued_sample *sample_queue_slot(struct sample_queue *queue);
/* The slot is filled; with `unwind` its stack, if it has one, is unwound. */
void sample_queue_push(struct sample_queue *queue, bool unwind);
/* The oldest one if it waits for nothing, or has waited for long enough; or in any case (all). */
struct queued_sample *sample_queue_next(struct sample_queue *queue, bool all);

#endif
