// SPDX-License-Identifier: Apache-2.0
#include "record/account.h"
#include "perfdata/payload.h"
#include "test.h"

#include <stdlib.h>

static const uint64_t ids[] = { 5, 6, 1000000007 };
static const struct perf_writer_attr attrs[] = {
	{ .attr.base = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME },
	  .name = "first",
	  .ids = ids,
	  .ids_count = 2 },
	{ .attr.base = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID },
	  .name = "second, without time",
	  .ids = ids + 2,
	  .ids_count = 1 },
};

static void add(struct buf *into, uint32_t type, uint16_t misc, const void *body, size_t size)
{
	struct perf_event_header header = { .type = type,
					    .misc = misc,
					    .size = (uint16_t)(sizeof(header) + size) };

	buf_add(into, &header, sizeof(header));
	buf_add(into, body, size);
}

static void add_sample(struct buf *into, uint64_t id, uint64_t time)
{
	uint64_t body[] = { id, 0x1234, 77, time, 0 };

	add(into, PERF_RECORD_SAMPLE, 0, body, sizeof(body));
}

TEST(account_counts_by_event_and_finds_the_times)
{
	struct account account;
	struct buf records = { 0 };
	uint64_t lost[] = { 5, 42 }, lost_samples[] = { 3 };

	account_init(&account, attrs, ARRAY_SIZE(attrs));
	add_sample(&records, 6, 500);
	add_sample(&records, 5, 300);
	add_sample(&records, 1000000007, 9999);
	add(&records, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	add(&records, PERF_RECORD_LOST_SAMPLES, 0, lost_samples, sizeof(lost_samples));
	add(&records, PERF_RECORD_THROTTLE, 0, NULL, 0);
	add_sample(&records, 5, 700);
	add_sample(&records, 4711, 1); /* nobody's */
	account_records(&account, records.data, records.len);

	EXPECT_INT(account.now.samples, 5);
	EXPECT_INT(account.by_event[0], 3);
	EXPECT_INT(account.by_event[1], 1);
	EXPECT_INT(account.now.first_ns, 300);
	EXPECT_INT(account.now.last_ns, 700);
	EXPECT_INT(account.now.lost_records, 42);
	EXPECT_INT(account.now.lost_samples, 3);
	EXPECT_INT(account.now.throttled, 1);
	EXPECT_INT(account.now.bytes, records.len);
	buf_free(&records);
	account_fini(&account);
}

TEST(account_rewinds_to_its_mark)
{
	struct account account;
	struct buf records = { 0 };

	account_init(&account, attrs, ARRAY_SIZE(attrs));
	add_sample(&records, 5, 100);
	account_records(&account, records.data, records.len);
	account_mark(&account);
	account_records(&account, records.data, records.len);
	EXPECT_INT(account.now.samples, 2);
	account_rewind(&account);
	EXPECT_INT(account.now.samples, 1);
	EXPECT_INT(account.by_event[0], 1);
	buf_free(&records);
	account_fini(&account);
}

static void add_mapping(struct buf *into, uint16_t misc, const char *path, int id_size)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint8_t id_size, reserved[3];
		uint8_t id[20];
		uint32_t protection, flags;
		char path[64];
	} body = { .id_size = (uint8_t)id_size };

	memset(body.id, 0xab, sizeof(body.id));
	strcpy(body.path, path);
	add(into, PERF_RECORD_MMAP2, misc, &body, sizeof(body));
}

#define WITH_ID (1 << 14)

TEST(account_lists_each_object_once)
{
	struct account account;
	struct buf records = { 0 }, payload = { 0 };
	struct perf_event_header header;

	account_init(&account, attrs, ARRAY_SIZE(attrs));
	add_mapping(&records, PERF_RECORD_MISC_USER | WITH_ID, "/usr/bin/true", 20);
	add_mapping(&records, PERF_RECORD_MISC_USER | WITH_ID, "/usr/bin/true", 20);
	add_mapping(&records, PERF_RECORD_MISC_USER, "/no/id", 0);
	add_mapping(&records, PERF_RECORD_MISC_USER | WITH_ID, "/bad/size", 200);
	add_mapping(&records, PERF_RECORD_MISC_KERNEL | WITH_ID, "[kernel.kallsyms]_text", 20);
	account_records(&account, records.data, records.len);
	account_build_ids(&account, &payload);

	EXPECT_INT(payload.len, 200);
	memcpy(&header, payload.data, sizeof(header));
	EXPECT_INT(header.size, 100);
	EXPECT_INT(header.misc, 0x8002);
	EXPECT_TEXT(payload.data + 36, "/usr/bin/true");
	EXPECT_INT((unsigned char)payload.data[12], 0xab);
	EXPECT_INT(payload.data[32], 20);
	EXPECT_TEXT(payload.data + 136, "[kernel.kallsyms]");
	buf_free(&payload);
	buf_free(&records);
	account_fini(&account);
}

/* A mapping whose record wraps around in the ring is read in one piece. */
TEST(account_reads_records_that_wrap)
{
	unsigned char *ring = mem_alloc(4096);
	struct buf records = { 0 };
	struct account account;
	struct ring_view view = { .data = ring, .mask = 4095, .start = 4096 - 40 };

	account_init(&account, attrs, ARRAY_SIZE(attrs));
	add_mapping(&records, PERF_RECORD_MISC_USER | WITH_ID, "/opt/wrapped", 20);
	for (size_t i = 0; i < records.len; i++)
		ring[(view.start + i) & view.mask] = (unsigned char)records.data[i];
	view.end = view.start + records.len;
	account_view(&account, &view);
	EXPECT_INT(account.objects.len, 1);
	EXPECT_TEXT(account.objects.data[0].path, "/opt/wrapped");
	buf_free(&records);
	account_fini(&account);
	free(ring);
}

static void add_sample_of(struct buf *into, uint32_t pid)
{
	uint64_t body[] = { 5, 0x1234, (uint64_t)99 << 32 | pid, 1, 0 };

	add(into, PERF_RECORD_SAMPLE, 0, body, sizeof(body));
}

/* Each process once between two marks; what is taken is not told again. */
TEST(account_notes_whose_the_samples_are)
{
	struct account account;
	struct buf records = { 0 };
	const pid_t *pids;

	account_init(&account, attrs, ARRAY_SIZE(attrs));
	for (int i = 0; i < 100; i++) {
		add_sample_of(&records, 100);
		add_sample_of(&records, 101);
	}
	account_records(&account, records.data, records.len);
	EXPECT_INT(account_take_pids(&account, &pids), 2);
	EXPECT_INT(pids[0], 100);
	EXPECT_INT(pids[1], 101);
	account_records(&account, records.data, records.len);
	EXPECT_INT(account_take_pids(&account, &pids), 0);
	account_mark(&account);
	account_records(&account, records.data, records.len);
	EXPECT_INT(account_take_pids(&account, &pids), 2);

	/* More than there is room for are not noted, and nothing breaks. */
	buf_clear(&records);
	for (uint32_t pid = 1; pid < 3 * ACCOUNT_PIDS; pid++)
		add_sample_of(&records, pid);
	account_records(&account, records.data, records.len);
	EXPECT_INT(account_take_pids(&account, &pids), ACCOUNT_PIDS);
	buf_free(&records);
	account_fini(&account);
}
