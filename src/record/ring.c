// SPDX-License-Identifier: Apache-2.0
#include "record/ring.h"

#include <string.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_map(struct ring *ring, const struct perf_sys *sys, int fd, int cpu, size_t pages,
	     bool backward)
{
	size_t size = (pages + 1) * page_size();
	void *map;
	int rc;

	*ring = (struct ring){ .fd = fd, .cpu = cpu, .backward = backward };
	/* Mapped read-only the kernel does not look at our tail and overwrites. */
	rc = sys->map(fd, size, !backward, &map);
	if (rc)
		return rc;
	ring->page = map;
	ring->data = (const unsigned char *)map + page_size();
	ring->size = pages * page_size();
	return 0;
}

void ring_unmap(struct ring *ring, const struct perf_sys *sys)
{
	if (ring->page)
		sys->unmap(ring->page, ring->size + page_size());
	ring->page = NULL;
}

bool ring_view(const struct ring *ring, struct ring_view *view)
{
	/*
	 * The kernel stores data_head after the bytes it covers; the acquire pairs with that.
	 * Read it once: a later head would move the tail past records we have not handled.
	 */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	*view = (struct ring_view){
		.data = ring->data, .mask = ring->size - 1, .start = ring->tail, .end = head
	};
	return head != ring->tail;
}

void ring_release(struct ring *ring, const struct ring_view *view)
{
	ring->tail = view->end;
	/* Our reads are done before the kernel may write there again. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

int ring_parts(const struct ring_view *view, struct iovec parts[2])
{
	uint64_t start = view->start & view->mask, size = view->end - view->start;
	uint64_t until_wrap = view->mask + 1 - start;

	parts[0].iov_base = (void *)(view->data + start);
	parts[0].iov_len = size < until_wrap ? size : until_wrap;
	if (size <= until_wrap)
		return 1;
	parts[1].iov_base = (void *)view->data;
	parts[1].iov_len = size - until_wrap;
	return 2;
}

void ring_copy(const struct ring_view *view, uint64_t position, void *into, size_t size)
{
	size_t start = position & view->mask, until_wrap = view->mask + 1 - start;
	size_t first = size < until_wrap ? size : until_wrap;

	memcpy(into, view->data + start, first);
	memcpy((char *)into + first, view->data, size - first);
}

/*
 * The newest record stands at the head, older ones follow it upwards, until either the head of the
 * last copy (at first 0, where all begins) or a record that the newest ones have bitten into.
 */
size_t ring_copy_backward(struct ring *ring, unsigned char *into)
{
	struct ring_view view = { .data = ring->data, .mask = ring->size - 1 };
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t fresh = ring->tail - head, at = head, whole;
	size_t done = 0;

	if (fresh > ring->size)
		fresh = ring->size;
	while (at - head < fresh) {
		struct perf_event_header header = ring_header(&view, at);

		if (header.size < sizeof(header) || at - head + header.size > fresh)
			break;
		at += header.size;
	}
	/* Filled from the far end, so that the oldest comes first. */
	whole = at - head;
	for (at = head; at - head < whole; at += ring_header(&view, at).size) {
		size_t size = ring_header(&view, at).size;

		done += size;
		ring_copy(&view, at, into + whole - done, size);
	}
	ring->tail = head;
	return whole;
}
