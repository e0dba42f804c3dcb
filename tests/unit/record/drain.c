// SPDX-License-Identifier: Apache-2.0
#include "record/drain.h"
#include "fakering.h"
#include "perfdata/disk.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#define RINGS 2

struct bench {
	struct ring rings[RINGS];
	struct perf_writer *writer;
	struct account account;
	struct drain *drain;
	struct err err;
};

static const uint64_t id = 7;
static const struct perf_writer_attr attr = {
	.attr.base = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME },
	.name = "cpu-clock",
	.ids = &id,
	.ids_count = 1,
};

static void open_sink(struct perf_writer **writer, struct account *account)
{
	struct perf_writer_options options = { .sys = &disk_sys };
	struct err err = { 0 };

	account_init(account, &attr, 1);
	*writer = perf_writer_new(3, &attr, 1, &options, &err);
	EXPECT_INT(perf_writer_begin(*writer, &err), 0);
}

static void start(struct bench *bench, size_t capacity, uint64_t most_bytes)
{
	struct drain_options options = { .sys = &fake_ring_sys,
					 .rings = bench->rings,
					 .count = RINGS,
					 .most_bytes = most_bytes };
	struct drain_sink sink;

	*bench = (struct bench){ 0 };
	fake_boot(0);
	fake_rings_boot();
	disk_reset(capacity);
	for (int i = 0; i < RINGS; i++)
		EXPECT_INT(ring_map(&bench->rings[i], &fake_ring_sys, FAKE_FD + i, i, 4, false), 0);
	open_sink(&bench->writer, &bench->account);
	sink = (struct drain_sink){ bench->writer, &bench->account, -1 };
	bench->drain = drain_start(&options, &sink, &bench->err);
	EXPECT(bench->drain);
}

static void clear_up(struct bench *bench)
{
	perf_writer_free(bench->writer);
	account_fini(&bench->account);
	for (int i = 0; i < RINGS; i++)
		ring_unmap(&bench->rings[i], &fake_ring_sys);
	fake_rings_shutdown();
	fake_shutdown();
	disk_reset(0);
}

/* Puts samples until each found room: the drain makes it. */
static void put_samples(int count)
{
	uint64_t body[12] = { 1, 2, 3 };

	for (int i = 0; i < count; i++)
		while (!fake_rings_put((size_t)i % RINGS, PERF_RECORD_SAMPLE, body, sizeof(body)))
			nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

TEST(drain_brings_everything_to_the_file)
{
	struct bench bench;

	start(&bench, 8 << 20, 0);
	put_samples(5000); /* 520,000 bytes through rings of 16 KB */
	EXPECT_INT(drain_stop(bench.drain, &bench.err), 0);
	EXPECT_INT(bench.account.now.samples, 5000);
	EXPECT_INT(perf_writer_finish(bench.writer, &bench.err), 0);
	EXPECT_INT(disk_records(PERF_RECORD_SAMPLE), 5000);
	EXPECT(disk_records(USER_RECORD_FINISHED_ROUND) >= 2);
	clear_up(&bench);
}

/* What is in the rings when it stops is written too. */
TEST(drain_makes_a_last_round)
{
	struct bench bench;

	for (int i = 0; i < 20; i++) {
		test_case("time %d", i);
		start(&bench, 1 << 20, 0);
		put_samples(3);
		EXPECT_INT(drain_stop(bench.drain, &bench.err), 0);
		EXPECT_INT(bench.account.now.samples, 3);
		clear_up(&bench);
	}
}

static bool ends_by_itself(struct drain *drain)
{
	struct pollfd ended = { .fd = drain_fd(drain), .events = POLLIN };

	return poll(&ended, 1, 10000) == 1;
}

TEST(drain_ends_on_a_full_disk)
{
	struct bench bench;
	uint64_t body[12] = { 0 };

	start(&bench, 20000, 0);
	for (int i = 0; i < 250; i++)
		fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body));
	for (int i = 0; i < 250; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		fake_rings_put(1, PERF_RECORD_SAMPLE, body, sizeof(body));
	}
	EXPECT(ends_by_itself(bench.drain));
	EXPECT_INT(drain_stop(bench.drain, &bench.err), -ENOSPC);
	EXPECT_CONTAINS(bench.err.text, "No space left");
	perf_writer_finish(bench.writer, &bench.err);
	EXPECT(disk_records(PERF_RECORD_SAMPLE) > 100);
	clear_up(&bench);
}

TEST(drain_ends_at_its_size)
{
	struct bench bench;

	start(&bench, 8 << 20, 40000);
	put_samples(600);
	EXPECT(ends_by_itself(bench.drain));
	EXPECT_INT(drain_stop(bench.drain, &bench.err), -EFBIG);
	EXPECT(perf_writer_size(bench.writer) >= 40000);
	clear_up(&bench);
}

TEST(drain_switches_without_losing)
{
	struct bench bench;
	struct perf_writer *second;
	struct account account;
	struct drain_sink sink;

	start(&bench, 8 << 20, 0);
	put_samples(1000);
	/* Both writers stand on the one disk of the test; only the counts are looked at. */
	open_sink(&second, &account);
	sink = (struct drain_sink){ second, &account, -1 };
	EXPECT_INT(drain_switch(bench.drain, &sink, &bench.err), 0);
	EXPECT_INT(bench.account.now.samples, 1000);
	put_samples(500);
	EXPECT_INT(drain_stop(bench.drain, &bench.err), 0);
	EXPECT_INT(account.now.samples, 500);
	EXPECT_INT(bench.account.now.samples, 1000);
	perf_writer_free(second);
	account_fini(&account);
	clear_up(&bench);
}

TEST(drain_counts_what_the_kernel_lost)
{
	struct bench bench;
	uint64_t body[12] = { 0 };
	int lost = 0, put = 0;

	start(&bench, 8 << 20, 0);
	for (int i = 0; i < 20000; i++) {
		if (fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)))
			put++;
		else
			lost++;
	}
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	while (!fake_rings_put(0, PERF_RECORD_SAMPLE, body, sizeof(body)))
		lost++;
	put++;
	EXPECT_INT(drain_stop(bench.drain, &bench.err), 0);
	EXPECT_INT(bench.account.now.samples, put);
	EXPECT_INT(bench.account.now.lost_records, lost);
	clear_up(&bench);
}
