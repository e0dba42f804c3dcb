// SPDX-License-Identifier: Apache-2.0
#include "record/tuck.h"
#include "perfdata/attrs.h"
#include "perfdata/sample.h"
#include "test.h"

#define STACK 64u /* bytes of it are copied */
#define USER  ((uint64_t)PERF_CONTEXT_USER)

static const uint64_t ids[] = { 70, 71 };
static const struct perf_writer_attr attrs[] = {
	{ .attr.base = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
					PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
			 .sample_regs_user = 7,
			 .sample_stack_user = STACK },
	  .ids = &ids[0],
	  .ids_count = 1 },
	{ .attr.base = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
					PERF_SAMPLE_CALLCHAIN },
	  .ids = &ids[1],
	  .ids_count = 1 },
};

/* A sample with so many entries of the kernel's and the user's, as the kernel writes it. */
static size_t make_sample(uint64_t *into, uint64_t id, unsigned kernel, unsigned user,
			  uint64_t copied)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	size_t at = 1;

	into[at++] = id;
	into[at++] = 0x1234;
	into[at++] = (kernel ? kernel + 1 : 0) + (user ? user + 1 : 0);
	if (kernel)
		into[at++] = (uint64_t)PERF_CONTEXT_KERNEL;
	for (unsigned i = 0; i < kernel; i++)
		into[at++] = 0xffffffff81000000 + i;
	if (user)
		into[at++] = USER;
	for (unsigned i = 0; i < user; i++)
		into[at++] = 0x400000 + i;
	if (id == 70) {
		into[at++] = PERF_SAMPLE_REGS_ABI_64;
		for (uint64_t i = 0; i < 3; i++)
			into[at++] = 0x5000 + i;
		into[at++] = STACK;
		for (uint64_t i = 0; i < STACK / 8; i++)
			into[at++] = 0x6000 + i;
		into[at++] = copied;
		into[at++] = 99;
	}
	header.size = (uint16_t)(at * 8);
	memcpy(into, &header, sizeof(header));
	return at * 8;
}

static void expect_sample(const uint64_t *record, unsigned kernel, unsigned user, uint64_t copied)
{
	struct attr_table table = { 0 };
	const struct perf_attr *attr = attr_table_add(&table, &attrs[0].attr, NULL, 0);
	struct sample sample;

	EXPECT_INT(sample_parse(attr, (const void *)record, &sample), 0);
	EXPECT_INT(sample.ip, 0x1234);
	EXPECT_INT(sample.chain_len, kernel ? kernel + 1 : 0);
	for (unsigned i = 0; i < kernel; i++)
		EXPECT(sample.chain[1 + i] == 0xffffffff81000000 + i);
	for (uint64_t i = 0; i < 3; i++)
		EXPECT_INT(sample.user_regs.values[i], 0x5000 + i);
	EXPECT_INT(sample.user_stack_size, copied);
	EXPECT(!memcmp(sample.user_stack, (uint64_t[]){ 0x6000, 0x6001, 0x6002, 0x6003 }, 32));
	EXPECT_INT(((const uint64_t *)sample.user_stack)[copied / 8 - 1], 0x6000 + copied / 8 - 1);
	EXPECT_INT(sample.user_chain_len, user);
	for (unsigned i = 0; i < user; i++)
		EXPECT_INT(sample.user_chain[i], 0x400000 + i);
	EXPECT_INT(sample.weight, 99);
	attr_table_free(&table);
}

TEST(tuck_puts_the_chain_behind_the_stack)
{
	static const struct {
		unsigned kernel, user;
		uint64_t copied;
	} cases[] = { { 0, 5, STACK }, { 3, 5, STACK }, { 3, 1, STACK },
		      { 3, 0, STACK }, { 0, 0, STACK }, { 2, 40, 32 } };
	struct tuck *tuck = tuck_new(attrs, ARRAY_SIZE(attrs), NULL);
	uint64_t record[100];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = make_sample(record, 70, cases[i].kernel, cases[i].user,
					  cases[i].copied);

		test_case("%zu", i);
		size = tuck_records(tuck, record, size);
		EXPECT_INT(record[0] >> 48, size);
		expect_sample(record, cases[i].kernel, cases[i].user, cases[i].copied);
		EXPECT_INT(tuck_records(tuck, record, size), size); /* nothing is left to do */
		expect_sample(record, cases[i].kernel, cases[i].user, cases[i].copied);
	}
	tuck_free(tuck);
}

TEST(tuck_leaves_other_events_alone)
{
	struct tuck *tuck = tuck_new(attrs, ARRAY_SIZE(attrs), NULL);
	uint64_t record[100], before[100];
	size_t size = make_sample(record, 71, 2, 5, 0);

	memcpy(before, record, size);
	tuck_records(tuck, record, size);
	EXPECT(!memcmp(before, record, size));
	record[1] = 5; /* nobody's */
	tuck_records(tuck, record, size);
	EXPECT_INT(record[3], before[3]);
	tuck_free(tuck);
	EXPECT(!tuck_new(&attrs[1], 1, NULL));
	tuck_free(NULL);
}

/* Not that the kernel would: whatever stands there, nothing beside the record is touched. */
TEST(tuck_leaves_damaged_records_alone)
{
	struct tuck *tuck = tuck_new(attrs, ARRAY_SIZE(attrs), NULL);
	uint64_t record[100], before[100];
	size_t size = make_sample(record, 70, 2, 5, STACK);

	for (size_t word = 3; word < size / 8; word++)
		for (int shift = 0; shift < 64; shift += 9) {
			make_sample(record, 70, 2, 5, STACK);
			record[word] ^= 1ull << shift;
			tuck_records(tuck, record, size);
		}
	make_sample(record, 70, 2, 5, STACK);
	record[0] -= 24ull << 48; /* of the size in the header */
	memcpy(before, record, size);
	tuck_records(tuck, record, size - 24);
	EXPECT(!memcmp(before, record, size));
	tuck_free(tuck);
}

/* The room grows by the chain: what was cut to the room before has to stay cut. */
TEST(tuck_does_not_make_a_stack_longer)
{
	struct tuck *tuck = tuck_new(attrs, ARRAY_SIZE(attrs), NULL);
	uint64_t record[100];
	size_t size = make_sample(record, 70, 2, 5, STACK + 16);

	tuck_records(tuck, record, size);
	expect_sample(record, 2, 5, STACK);
	tuck_free(tuck);
}

/* A ring's records come out in pieces that end with one, also where it wraps around. */
TEST(tuck_reads_a_ring)
{
	static uint64_t ring[1 << 17]; /* 1 MiB: several buffers */
	struct tuck *tuck = tuck_new(attrs, ARRAY_SIZE(attrs), NULL);
	struct ring_view view = { .data = (const void *)ring, .mask = sizeof(ring) - 1 };
	uint64_t record[100], at;
	unsigned seen = 0, made = 0;
	struct iovec parts[2];

	view.start = view.end = sizeof(ring) - 104;
	while (view.end - view.start < sizeof(ring) - 1000) {
		size_t size = make_sample(record, 70, 3, 1 + made++ % 30, STACK);

		for (size_t i = 0; i < size; i += 8)
			ring[((view.end + i) & view.mask) / 8] = record[i / 8];
		view.end += size;
	}
	at = view.start;
	while (tuck_next(tuck, &view, &at, parts) == 1) {
		const unsigned char *from = parts[0].iov_base, *end = from + parts[0].iov_len;

		for (; from < end; from += ((const struct perf_event_header *)from)->size)
			expect_sample((const void *)from, 3, 1 + seen++ % 30, STACK);
	}
	EXPECT_INT(seen, made);
	EXPECT(at == view.end);
	tuck_free(tuck);
}
