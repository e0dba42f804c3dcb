// SPDX-License-Identifier: Apache-2.0
#include "machine/samplequeue.h"
#include "perfdata/sort.h"

/* Three batches on their way keep a thread busy; they hold 1.5 MiB of copies of 8 KiB. */
#define ROOM 208
#define WAIT (ROOM - SAMPLE_QUEUE_KEPT)

_Static_assert(ROOM < RECORD_SORT_LASTING, "a queued sample lies in its record");

void sample_queue_init(struct sample_queue *queue, struct unwinding *unwinding)
{
	*queue = (struct sample_queue){ .unwinding = unwinding };
}

void sample_queue_fini(struct sample_queue *queue)
{
	while (sample_queue_next(queue, true))
		;
	for (size_t i = 0; queue->ring && i < ROOM; i++)
		unwinding_job_free(&queue->ring[i].job);
	free(queue->ring);
	queue->ring = NULL;
}

void sample_queue_tick(struct sample_queue *queue)
{
	queue->calls++;
}

struct queued_sample *sample_queue_slot(struct sample_queue *queue)
{
	if (!queue->ring)
		queue->ring = mem_alloc(ROOM * sizeof(*queue->ring));
	return &queue->ring[queue->begun % ROOM];
}

void sample_queue_push(struct sample_queue *queue, bool unwind)
{
	struct queued_sample *slot = sample_queue_slot(queue);

	slot->call = queue->calls;
	slot->job.unwinds = false;
	if (unwind)
		unwinding_begin(queue->unwinding, &slot->job, slot->thread, &slot->sample);
	queue->begun++;
}

struct queued_sample *sample_queue_next(struct sample_queue *queue, bool all)
{
	struct queued_sample *oldest;

	if (sample_queue_is_empty(queue))
		return NULL;
	oldest = &queue->ring[queue->ended % ROOM];
	if (!all && oldest->job.unwinds && queue->begun - queue->ended < WAIT &&
	    queue->calls - oldest->call < WAIT)
		return NULL;
	unwinding_end(queue->unwinding, &oldest->job, &oldest->sample);
	queue->ended++;
	return oldest;
}
