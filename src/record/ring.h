/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that one CPU's events are written to by the kernel and read from by us.
 *
 * Positions count bytes since the ring was made; the place in memory is position modulo size.
 * Records are 8-aligned, so a header never wraps around, though a record may.
 *
 * A backward ring (--overwrite) is filled from its end to its beginning and never waits for us: it
 * always holds the newest records, and is read only while its output is paused.
 */
#ifndef RECORD_RING_H
#define RECORD_RING_H

#include "event/open.h"
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct err;

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const unsigned char *data;
	uint64_t size; /* of data: a power of two */
	uint64_t tail; /* how far we have read; of a backward ring the head at that time */
	int fd;	       /* the event whose ring it is; for poll */
	int cpu;
	bool backward;
};

/* What lies in a ring between two positions. */
struct ring_view {
	const unsigned char *data;
	uint64_t mask, start, end;
};

/* pages is a power of two.  -EPERM: more than may be locked. */
int ring_map(struct ring *ring, const struct perf_sys *sys, int fd, int cpu, size_t pages,
	     bool backward);
void ring_unmap(struct ring *ring, const struct perf_sys *sys);

/* What is there to read now; false if nothing is.  ring_release then gives its room back. */
bool ring_view(const struct ring *ring, struct ring_view *view);
void ring_release(struct ring *ring, const struct ring_view *view);

/* The view as the one or two pieces of memory that it is; how many. */
int ring_parts(const struct ring_view *view, struct iovec parts[2]);

/*
 * The whole records of a backward ring that no earlier call gave, oldest first, copied to `into`,
 * which has room for ring->size bytes; the number of bytes.
 */
size_t ring_copy_backward(struct ring *ring, unsigned char *into);

static inline uint64_t ring_u64(const struct ring_view *view, uint64_t position)
{
	return *(const uint64_t *)(view->data + (position & view->mask));
}

static inline struct perf_event_header ring_header(const struct ring_view *view, uint64_t position)
{
	return *(const struct perf_event_header *)(view->data + (position & view->mask));
}

void ring_copy(const struct ring_view *view, uint64_t position, void *into, size_t size);

#endif
