// SPDX-License-Identifier: Apache-2.0
#include "perfdata/sort.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "perfdata/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A record in the queue.  24 bytes: there is one for each record of two rounds. */
struct entry {
	uint64_t time;
	uint64_t place; /* address of its copy, or its offset in the file */
	uint32_t attr;	/* index, or NO_ATTR */
	uint16_t size;
	uint16_t stream : 15, in_file : 1;
};

#define NO_ATTR UINT32_MAX

#define CACHE_LINE 64
#define PREFETCH   3 /* records ahead */

struct entries VEC_OF(struct entry);

/* How far a directory's file may be out of order in itself: an interrupt's time, with room. */
#define STREAM_SLACK_NS (1 * NS_PER_MSEC)
#define STREAM_BATCH	4096

struct record_sort {
	struct perf_reader *reader;
	struct hold hold;
	size_t limit;

	struct entries queue;
	struct entries spare;	       /* where they are merged to */
	VEC(size_t) runs;	       /* where in the queue each stretch in order begins */
	size_t ready, next;	       /* queue[next..ready) go out now */
	uint64_t newest, round_newest; /* time of the newest so far, and at the last round's end */
	uint64_t last_out, late;
	const void *borrowed[RECORD_SORT_LASTING]; /* the copies that were handed out last */
	size_t calls;
	bool flush; /* what is not younger than `upto` may go out */
	uint64_t upto;
	bool ended;
	int failure; /* what reading ended with; known once all that was read is out */

	VEC(uint64_t) stream_time; /* the newest of each; UINT64_MAX once it has ended */
	uint32_t stream;	   /* the one that is being read */
	size_t batch;		   /* how many more of its records before another one's turn */
	size_t kept;		   /* what the last release left in the queue */
};

struct record_sort *record_sort_new(struct perf_reader *reader, size_t memory_limit)
{
	struct record_sort *sort = mem_alloc(sizeof(*sort));

	sort->reader = reader;
	sort->limit = memory_limit ? memory_limit : RECORD_SORT_MEMORY;
	for (uint32_t i = 0; i < perf_reader_stream_count(reader); i++)
		*vec_push(&sort->stream_time) = 0;
	return sort;
}

void record_sort_free(struct record_sort *sort)
{
	if (!sort)
		return;
	hold_fini(&sort->hold);
	vec_free(&sort->queue);
	vec_free(&sort->spare);
	vec_free(&sort->runs);
	vec_free(&sort->stream_time);
	free(sort);
}

uint64_t record_sort_out_of_order(const struct record_sort *sort)
{
	return sort->late;
}

/* Merges two stretches in order, each ended by the other's start or `end`; older ones first. */
static void merge(const struct entry *left, const struct entry *middle, const struct entry *end,
		  struct entry *into)
{
	const struct entry *right = middle;

	while (left < middle && right < end)
		*into++ = right->time < left->time ? *right++ : *left++;
	memcpy(into, left, (size_t)(middle - left) * sizeof(*left));
	memcpy(into + (middle - left), right, (size_t)(end - right) * sizeof(*right));
}

/* One pass over the queue halves the number of stretches. */
static void merge_pairs(struct record_sort *sort)
{
	size_t count = sort->runs.len, kept = 0;
	struct entries swap;

	for (size_t i = 0; i < count; i += 2) {
		size_t from = sort->runs.data[i];
		size_t middle = i + 1 < count ? sort->runs.data[i + 1] : sort->queue.len;
		size_t end = i + 2 < count ? sort->runs.data[i + 2] : sort->queue.len;

		merge(sort->queue.data + from, sort->queue.data + middle, sort->queue.data + end,
		      sort->spare.data + from);
		sort->runs.data[kept++] = from;
	}
	sort->runs.len = kept;
	swap = sort->queue;
	sort->spare.len = swap.len;
	sort->queue = sort->spare;
	sort->spare = swap;
}

/* The queue in order, and how many of it are not younger than `upto`. */
static size_t sort_queue(struct record_sort *sort, uint64_t upto)
{
	size_t low = 0, high = sort->queue.len;

	if (sort->runs.len > 1)
		vec_reserve(&sort->spare, sort->queue.cap);
	while (sort->runs.len > 1)
		merge_pairs(sort);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sort->queue.data[middle].time <= upto)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Everything not younger than `upto` goes out with the next calls. */
static void release(struct record_sort *sort, uint64_t upto)
{
	sort->ready = sort_queue(sort, upto);
	sort->next = 0;
}

/* What went out leaves the queue; the rest is the first stretch of what comes. */
static void drop_released(struct record_sort *sort)
{
	size_t rest = sort->queue.len - sort->ready;

	if (!sort->ready)
		return;
	memmove(sort->queue.data, sort->queue.data + sort->ready, rest * sizeof(*sort->queue.data));
	sort->queue.len = rest;
	sort->runs.len = 0;
	if (rest)
		*vec_push(&sort->runs) = 0;
	sort->ready = sort->next = 0;
	sort->kept = rest;
}

static void enqueue(struct record_sort *sort, const struct sorted_record *from)
{
	const struct record *rec = &from->rec;
	struct entries *queue = &sort->queue;
	struct entry *entry;

	if (!queue->len || from->time < vec_last(queue)->time)
		*vec_push(&sort->runs) = queue->len;
	vec_reserve(queue, queue->len + 1);
	entry = &queue->data[queue->len++];
	entry->time = from->time;
	entry->attr = from->attr ? from->attr->index : NO_ATTR;
	entry->size = rec->header->size;
	entry->stream = (uint16_t)(rec->stream & 0x7fff);
	entry->in_file = rec->reread && hold_size(&sort->hold) >= sort->limit;
	entry->place = entry->in_file ? rec->file_off
				      : (uintptr_t)hold_add(&sort->hold, rec->header,
							    rec->header->size, rec->file_off);
	if (from->time > sort->newest)
		sort->newest = from->time;
}

/* Whether the queue takes more memory than it may, so that something must go out early. */
static bool is_full(const struct record_sort *sort)
{
	size_t places = sort->queue.len * sizeof(struct entry);

	return places >= sort->limit || hold_size(&sort->hold) >= sort->limit * 2;
}

static void release_half(struct record_sort *sort)
{
	sort_queue(sort, 0);
	sort->ready = sort->queue.len / 2;
	sort->next = 0;
}

/* A copy was made a round ago and has left the nearest caches meanwhile. */
static void prefetch(const struct record_sort *sort, size_t at)
{
	const struct entry *entry;

	if (at >= sort->ready)
		return;
	entry = &sort->queue.data[at];
	if (entry->in_file)
		return;
	for (size_t i = 0; i < entry->size && i < 4 * CACHE_LINE; i += CACHE_LINE)
		__builtin_prefetch((const char *)(uintptr_t)entry->place + i);
}

/* A record as large as a copied stack is read again on its own; it lasts like any other. */
static int hand_out_again(struct record_sort *sort, const struct entry *entry,
			  struct sorted_record *out, struct err *err)
{
	const void *copy;

	if (perf_reader_again(sort->reader, entry->stream, entry->place, entry->size, &out->rec) <=
	    0)
		return err_set(err, EIO, "the file was shortened while it was read");
	copy = hold_add(&sort->hold, out->rec.header, entry->size, entry->place);
	sort->borrowed[sort->calls % RECORD_SORT_LASTING] = copy;
	out->rec.header = copy;
	out->lasting = true;
	return 1;
}

static int hand_out(struct record_sort *sort, struct sorted_record *out, struct err *err)
{
	const struct entry *entry = &sort->queue.data[sort->next++];
	const void *copy;

	prefetch(sort, sort->next + PREFETCH);
	if (entry->time < sort->last_out)
		sort->late++;
	else
		sort->last_out = entry->time;
	out->time = entry->time;
	out->attr = perf_reader_attr(sort->reader, entry->attr);
	if (entry->in_file)
		return hand_out_again(sort, entry, out, err);
	copy = (const void *)(uintptr_t)entry->place;
	sort->borrowed[sort->calls % RECORD_SORT_LASTING] = copy;
	out->rec = (struct record){ .header = copy,
				    .file_off = hold_tag(copy),
				    .stream = entry->stream };
	out->lasting = true;
	return 1;
}

/* Which event a record belongs to, and its time if it is to be sorted by it. */
static void look_at(const struct record_sort *sort, struct sorted_record *out)
{
	const struct perf_event_header *header = out->rec.header;
	const struct perf_attr *layout;

	out->attr = NULL;
	out->time = 0;
	if (header->type >= USER_RECORD_FIRST)
		return;
	out->attr = perf_reader_attr_of(sort->reader, header);
	layout = out->attr;
	if (!layout && header->type != PERF_RECORD_SAMPLE)
		layout = perf_reader_attr(sort->reader, 0);
	if (layout && layout->attr.base.sample_id_all)
		out->time = record_time(layout, header);
	if (out->time == UINT64_MAX)
		out->time = 0;
}

/*
 * Of several files the one that lags behind is read next, for only what is older than the newest of
 * each of them may go out.  Merging waits until it pays: until the queue has doubled.
 */
static void choose_stream(struct record_sort *sort)
{
	const uint64_t *times = sort->stream_time.data;

	for (uint32_t i = 0; i < sort->stream_time.len; i++)
		if (times[i] < times[sort->stream])
			sort->stream = i;
	sort->batch = STREAM_BATCH;
	if (sort->queue.len > 2 * sort->kept + STREAM_BATCH &&
	    times[sort->stream] > STREAM_SLACK_NS) {
		sort->upto = times[sort->stream] - STREAM_SLACK_NS;
		sort->flush = true;
	}
}

static int read_directory(struct record_sort *sort, struct record *rec, struct err *err)
{
	int rc;

	for (;;) {
		if (!sort->batch)
			choose_stream(sort);
		if (sort->stream_time.data[sort->stream] == UINT64_MAX)
			return 0;
		sort->batch--;
		rc = perf_reader_next_of(sort->reader, sort->stream, rec, err);
		if (rc)
			return rc;
		sort->stream_time.data[sort->stream] = UINT64_MAX;
		sort->batch = 0;
	}
}

/* Reads one record: 1 if it goes out at once, -EAGAIN if it was queued, 0 at the end. */
static int read_on(struct record_sort *sort, struct sorted_record *out, struct err *err)
{
	bool directory = sort->stream_time.len > 1;
	int rc;

	rc = directory ? read_directory(sort, &out->rec, err)
		       : perf_reader_next_of(sort->reader, 0, &out->rec, err);
	if (rc <= 0)
		return rc;
	look_at(sort, out);
	if (out->time) {
		if (directory)
			sort->stream_time.data[sort->stream] = out->time;
		enqueue(sort, out);
		return -EAGAIN;
	}
	if (out->rec.header->type == USER_RECORD_FINISHED_ROUND && !directory) {
		sort->upto = sort->round_newest;
		sort->round_newest = sort->newest;
		sort->flush = true;
	}
	return 1;
}

static void give_back_oldest(struct record_sort *sort)
{
	const void **oldest = &sort->borrowed[++sort->calls % RECORD_SORT_LASTING];

	if (*oldest)
		hold_give_back(&sort->hold, *oldest);
	*oldest = NULL;
}

int record_sort_next(struct record_sort *sort, struct sorted_record *out, struct err *err)
{
	int rc;

	give_back_oldest(sort);
	out->lasting = false;
	for (;;) {
		if (sort->next < sort->ready)
			return hand_out(sort, out, err);
		drop_released(sort);
		if (sort->ended)
			return sort->failure;
		if (sort->flush) {
			sort->flush = false;
			release(sort, sort->upto);
			continue;
		}
		rc = read_on(sort, out, err);
		if (rc == 1)
			return rc;
		if (rc == -EAGAIN) {
			if (is_full(sort))
				release_half(sort);
			continue;
		}
		if (!rc && perf_reader_growing(sort->reader))
			return 0;
		sort->ended = true;
		sort->failure = rc;
		release(sort, UINT64_MAX);
	}
}
