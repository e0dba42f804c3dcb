// SPDX-License-Identifier: Apache-2.0
#include "record/ring.h"
#include "fakering.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static struct ring map_one(void)
{
	struct ring ring;

	fake_boot(0);
	fake_rings_boot();
	EXPECT_INT(ring_map(&ring, &fake_ring_sys, FAKE_FD, 0, 1, false), 0);
	return ring;
}

static void shut_down(struct ring *ring)
{
	ring_unmap(ring, &fake_ring_sys);
	fake_rings_shutdown();
	fake_shutdown();
}

TEST(ring_is_empty_at_first)
{
	struct ring ring = map_one();
	struct ring_view view;

	EXPECT(!ring_view(&ring, &view));
	shut_down(&ring);
}

/* Records of a size that does not divide the ring: every place of the wrap is met. */
TEST(ring_gives_records_whole_across_the_wrap)
{
	struct ring ring = map_one();
	uint64_t body[5], next = 1, seen = 1;
	struct ring_view view;
	struct iovec parts[2];
	bool wrapped = false;

	for (int round = 0; round < 300; round++) {
		for (int i = 0; i < 1 + round % 7; i++) {
			for (size_t j = 0; j < ARRAY_SIZE(body); j++)
				body[j] = next;
			EXPECT(fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)));
			next++;
		}
		EXPECT(ring_view(&ring, &view));
		wrapped |= ring_parts(&view, parts) == 2;
		for (uint64_t at = view.start; at < view.end; at += ring_header(&view, at).size) {
			uint64_t copy[6];

			EXPECT_INT(ring_header(&view, at).type, PERF_RECORD_SAMPLE);
			EXPECT_INT(ring_u64(&view, at + 40), seen);
			ring_copy(&view, at, copy, sizeof(copy));
			EXPECT_INT(copy[1], seen);
			EXPECT_INT(copy[5], seen);
			seen++;
		}
		ring_release(&ring, &view);
		EXPECT(!ring_view(&ring, &view));
	}
	EXPECT_INT(seen, next);
	EXPECT(wrapped);
	shut_down(&ring);
}

TEST(ring_parts_are_the_bytes_in_order)
{
	struct ring ring = map_one();
	unsigned char body[1000], copy[8192];
	struct ring_view view;
	struct iovec parts[2];

	for (int i = 0; i < 6; i++) {
		size_t size = 0;
		int count;

		memset(body, i + 1, sizeof(body));
		EXPECT(fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)));
		EXPECT(ring_view(&ring, &view));
		count = ring_parts(&view, parts);
		for (int j = 0; j < count; j++) {
			memcpy(copy + size, parts[j].iov_base, parts[j].iov_len);
			size += parts[j].iov_len;
		}
		test_case("record %d in %d parts", i, count);
		EXPECT_INT(size, sizeof(body) + 8);
		EXPECT_INT(memcmp(copy + 8, body, sizeof(body)), 0);
		ring_release(&ring, &view);
	}
	shut_down(&ring);
}

/* What the tail has not passed the kernel must not touch. */
TEST(ring_full_loses_and_says_so)
{
	struct ring ring = map_one();
	struct ring_view view;
	unsigned char body[1016] = { 0 }; /* four records of 1,024 bytes leave no room at all */
	int put = 0;

	while (fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)))
		put++;
	EXPECT_INT(put, 4);
	EXPECT(!fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)));
	ring_view(&ring, &view);
	ring_release(&ring, &view);
	EXPECT(fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)));
	EXPECT(ring_view(&ring, &view));
	EXPECT_INT(ring_header(&view, view.start).type, PERF_RECORD_LOST);
	EXPECT_INT(ring_u64(&view, view.start + 16), 2);
	shut_down(&ring);
}

static void put_backward(struct fake_ring *ring, uint64_t *head, uint64_t i)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 8 + 40 };
	uint64_t record[6] = { 0, i, i, i, i, i };

	memcpy(record, &header, sizeof(header));
	*head -= header.size;
	for (size_t j = 0; j < sizeof(record); j++)
		ring->data[(*head + j) % ring->size] = ((unsigned char *)record)[j];
	ring->page->data_head = *head;
}

/* Written downwards: the newest at the head, the oldest bitten into. */
TEST(ring_backward_comes_out_oldest_first)
{
	struct ring ring;
	struct fake_ring *kernel;
	unsigned char copy[4096];
	size_t size, at = 0;
	uint64_t head = 0, last = 0;

	fake_boot(0);
	fake_rings_boot();
	EXPECT_INT(ring_map(&ring, &fake_ring_sys, FAKE_FD, 0, 1, true), 0);
	kernel = &fake_rings.rings.data[0];
	EXPECT_INT(ring_copy_backward(&ring, copy), 0);
	for (uint64_t i = 1; i <= 200; i++) /* 9,600 bytes into 4,096 */
		put_backward(kernel, &head, i);
	size = ring_copy_backward(&ring, copy);
	EXPECT_INT(size, 4096 / 48 * 48);
	for (; at < size; at += 48) {
		uint64_t value;

		memcpy(&value, copy + at + 8, sizeof(value));
		test_case("at %zu", at);
		EXPECT(!last || value == last + 1);
		last = value;
	}
	EXPECT_INT(last, 200);
	EXPECT_INT(ring_copy_backward(&ring, copy), 0); /* each record is given once */
	for (uint64_t i = 201; i <= 203; i++)
		put_backward(kernel, &head, i);
	EXPECT_INT(ring_copy_backward(&ring, copy), 3 * 48);
	memcpy(&last, copy + 8, sizeof(last));
	EXPECT_INT(last, 201);
	shut_down(&ring);
}
