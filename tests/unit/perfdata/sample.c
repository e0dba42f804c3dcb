// SPDX-License-Identifier: Apache-2.0
#include "perfdata/sample.h"
#include "perfdata/attrs.h"
#include "perfdata/maker.h"
#include "test.h"

#include <errno.h>

/* Everything that a sample may hold, in the order of the kernel's header. */
static const struct made_attr everything = {
	.sample_type = PERF_SAMPLE_MAX - 1 - PERF_SAMPLE_WEIGHT,
	.read_format = PERF_FORMAT_MAX - 1,
	.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
	.regs_user = 0x5,
	.regs_intr = 0x9,
};

static void make_branch(struct maker *maker, uint64_t from, uint64_t to)
{
	make_u64(maker, from);
	make_u64(maker, to);
	make_u64(maker, made_bits(maker, 1, 1, 1) |	       /* predicted */
				made_bits(maker, 4, 16, 321) | /* cycles */
				made_bits(maker, 20, 4, 5));   /* type */
}

static void make_everything(struct maker *maker)
{
	make_record(maker, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL | 0x4000);
	make_u64(maker, 900); /* identifier */
	make_u64(maker, 0xffffffff81000000);
	make_u32(maker, 31);
	make_u32(maker, 32);
	make_u64(maker, 5555); /* time */
	make_u64(maker, 0xadd);
	make_u64(maker, 900);
	make_u64(maker, 901); /* stream id */
	make_u32(maker, 3);
	make_u32(maker, 0);
	make_u64(maker, 4000); /* period */
	make_u64(maker, 2);    /* a group of two */
	make_u64(maker, 70);
	make_u64(maker, 60);
	for (uint64_t i = 0; i < 2; i++) {
		make_u64(maker, 1000 + i);
		make_u64(maker, 900 + i);
		make_u64(maker, i);
	}
	make_u64(maker, 3); /* chain */
	make_u64(maker, PERF_CONTEXT_KERNEL);
	make_u64(maker, 0xffffffff81000000);
	make_u64(maker, 0xffffffff81000100);
	make_u32(maker, 12); /* raw */
	make_bytes(maker, "raw bytes...", 12);
	make_u64(maker, 2); /* branches */
	make_u64(maker, 6);
	make_branch(maker, 1, 2);
	make_branch(maker, 3, 4);
	make_u64(maker, PERF_SAMPLE_REGS_ABI_64);
	make_u64(maker, 0xaa);
	make_u64(maker, 0xbb);
	make_u64(maker, 16); /* stack */
	make_bytes(maker, "the user's stack", 16);
	make_u64(maker, 10);
	make_u64(maker, 0x0003000200000001); /* weight */
	make_u64(maker, 0x68100142);
	make_u64(maker, 0x77); /* transaction */
	make_u64(maker, PERF_SAMPLE_REGS_ABI_64);
	make_u64(maker, 0xcc);
	make_u64(maker, 0xdd);
	make_u64(maker, 0x8888); /* physical address */
	make_u64(maker, 0x99);	 /* cgroup */
	make_u64(maker, 4096);
	make_u64(maker, 2097152);
	make_u64(maker, 8); /* aux */
	make_bytes(maker, "AUX data", 8);
	make_record_end(maker);
}

static void check_fixed(const struct sample *s)
{
	EXPECT_INT(s->id, 900);
	EXPECT_INT(s->ip, 0xffffffff81000000);
	EXPECT_INT(s->pid, 31);
	EXPECT_INT(s->tid, 32);
	EXPECT_INT(s->time, 5555);
	EXPECT_INT(s->addr, 0xadd);
	EXPECT_INT(s->stream_id, 901);
	EXPECT_INT(s->cpu, 3);
	EXPECT_INT(s->period, 4000);
	EXPECT_INT(s->cpumode, PERF_RECORD_MISC_KERNEL);
}

static void check_lists(const struct perf_attr *attr, const struct sample *s)
{
	struct sample_read_value value = sample_read_value_at(attr, s, 1);

	EXPECT_INT(s->read_count, 2);
	EXPECT_INT(s->read_enabled, 70);
	EXPECT_INT(s->read_running, 60);
	EXPECT_INT(value.value, 1001);
	EXPECT_INT(value.id, 901);
	EXPECT_INT(value.lost, 1);
	EXPECT_INT(sample_read_value_at(attr, s, 2).id, 0);
	EXPECT_INT(s->chain_len, 3);
	EXPECT_INT(s->chain[2], 0xffffffff81000100);
	EXPECT_INT(s->raw_size, 12);
	EXPECT(!memcmp(s->raw, "raw bytes...", 12));
	EXPECT_INT(s->branch_count, 2);
	EXPECT_INT(s->branch_hw_index, 6);
	EXPECT_INT(s->branches[1].to, 4);
	EXPECT_INT(s->branches[1].predicted, 1);
	EXPECT_INT(s->branches[1].mispred, 0);
	EXPECT_INT(s->branches[1].cycles, 321);
	EXPECT_INT(s->branches[1].type, 5);
}

static void check_late(const struct sample *s)
{
	EXPECT_INT(s->user_regs.abi, PERF_SAMPLE_REGS_ABI_64);
	EXPECT_INT(s->user_regs.values[1], 0xbb);
	EXPECT_INT(s->user_stack_room, 16);
	EXPECT_INT(s->user_stack_size, 10);
	EXPECT(!memcmp(s->user_stack, "the user's", 10));
	EXPECT_INT(s->weight, 1);
	EXPECT_INT(s->weight_ins_lat, 2);
	EXPECT_INT(s->weight_retire_lat, 3);
	EXPECT_INT(s->data_src, 0x68100142);
	EXPECT_INT(s->transaction, 0x77);
	EXPECT_INT(s->intr_regs.values[0], 0xcc);
	EXPECT_INT(s->phys_addr, 0x8888);
	EXPECT_INT(s->cgroup, 0x99);
	EXPECT_INT(s->data_page_size, 4096);
	EXPECT_INT(s->code_page_size, 2097152);
	EXPECT_INT(s->aux_size, 8);
	EXPECT(!memcmp(s->aux, "AUX data", 8));
}

TEST(sample_holds_everything_in_either_byte_order)
{
	for (int big = 0; big < 2; big++) {
		struct maker maker = { .big = big };
		struct perf_reader *reader;
		const struct perf_attr *attr;
		struct err err = { 0 };
		struct record rec;
		struct sample sample;

		test_case(big ? "big-endian" : "little-endian");
		make_start(&maker, &everything, 1);
		make_everything(&maker);
		make_finish(&maker);
		reader = perf_reader_open_mem(maker.out.data, maker.out.len, &err);
		EXPECT(reader);
		attr = perf_reader_attr(reader, 0);
		EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
		EXPECT_INT(sample_parse(attr, rec.header, &sample), 0);
		check_fixed(&sample);
		check_lists(attr, &sample);
		check_late(&sample);
		perf_reader_close(reader);
		make_free(&maker);
	}
}

/* Whatever size the header claims: an error or a sample, never a read past the record's end. */
TEST(sample_never_reads_past_its_record)
{
	struct maker maker = { 0 };
	struct attr_table table = { 0 };
	struct event_attr event = { .base = { .sample_type = everything.sample_type,
					      .read_format = everything.read_format,
					      .branch_sample_type = everything.branch_sample_type,
					      .sample_regs_user = everything.regs_user,
					      .sample_regs_intr = everything.regs_intr } };
	const struct perf_attr *attr = attr_table_add(&table, &event, NULL, 0);
	size_t whole;

	make_everything(&maker);
	whole = maker.out.len;
	for (size_t size = 8; size <= whole; size++) {
		struct perf_event_header *copy = mem_alloc(size); /* exactly: ASan guards the end */
		struct sample sample;

		memcpy(copy, maker.out.data, size);
		copy->size = (uint16_t)size;
		test_case("%zu of %zu bytes", size, whole);
		EXPECT_INT(sample_parse(attr, copy, &sample), size < whole ? -EBADMSG : 0);
		free(copy);
	}
	attr_table_free(&table);
	make_free(&maker);
}

/* Each count in turn says something absurd. */
TEST(sample_refuses_absurd_counts)
{
	struct maker maker = { 0 };
	struct attr_table table = { 0 };
	struct event_attr event = { .base = { .sample_type = everything.sample_type,
					      .read_format = everything.read_format,
					      .branch_sample_type = everything.branch_sample_type,
					      .sample_regs_user = everything.regs_user,
					      .sample_regs_intr = everything.regs_intr } };
	const struct perf_attr *attr = attr_table_add(&table, &event, NULL, 0);
	static const size_t counts[] = { 80, 152, 184, 200, 288 };
	struct sample sample;

	make_everything(&maker);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t old, absurd = UINT64_MAX / 8;

		test_case("count at %zu", counts[i]);
		memcpy(&old, maker.out.data + counts[i], 8);
		memcpy(maker.out.data + counts[i], &absurd, 8);
		EXPECT_INT(sample_parse(attr, (void *)maker.out.data, &sample), -EBADMSG);
		memcpy(maker.out.data + counts[i], &old, 8);
	}
	attr_table_free(&table);
	make_free(&maker);
}

TEST(sample_without_a_period_stands_for_the_attrs)
{
	struct attr_table table = { 0 };
	struct event_attr event = { .base = { .sample_type = PERF_SAMPLE_IP,
					      .sample_period = 4001 } };
	const struct perf_attr *attr = attr_table_add(&table, &event, NULL, 0);
	struct maker maker = { 0 };
	struct sample sample;

	make_record(&maker, PERF_RECORD_SAMPLE, 0);
	make_u64(&maker, 1);
	make_record_end(&maker);
	EXPECT_INT(sample_parse(attr, (void *)maker.out.data, &sample), 0);
	EXPECT_INT(sample.period, 4001);
	EXPECT_INT(sample.cpu, UINT32_MAX);
	EXPECT_INT(record_time(attr, (void *)maker.out.data), 0);
	attr_table_free(&table);
	make_free(&maker);
}
