// SPDX-License-Identifier: Apache-2.0
/*
 * One record: what its event's attr says it holds, taken apart, and turned from the other byte
 * order.  The first 48 bytes are sample_type, read_format, branch_sample_type, the masks of user
 * and interrupt registers, and a word whose lowest bits are sample_id_all and the header's type,
 * and its upper half the size of stacks.  At last the user's call chain is put behind the copied
 * stack.
 */
#include "fuzz.h"
#include "perfdata/attrs.h"
#include "perfdata/sample.h"
#include "perfdata/swap.h"
#include "record/tuck.h"

#define WORDS 6
#define MOST  65528

static void check_sample(const struct perf_attr *attr, const struct perf_event_header *header)
{
	const unsigned char *start = (const unsigned char *)header, *end = start + header->size;
	struct sample s;

	if (sample_parse(attr, header, &s))
		return;
	FUZZ_HOLDS(!s.chain_len || (const unsigned char *)(s.chain + s.chain_len) <= end);
	FUZZ_HOLDS(!s.raw_size || (const unsigned char *)s.raw + s.raw_size <= end);
	FUZZ_HOLDS(!s.branch_count || (const unsigned char *)(s.branches + s.branch_count) <= end);
	FUZZ_HOLDS(s.user_stack_size <= s.user_stack_room);
	FUZZ_HOLDS(!s.user_stack || (const unsigned char *)s.user_stack + s.user_stack_room <= end);
	FUZZ_HOLDS(!s.user_chain_len ||
		   ((const unsigned char *)s.user_chain >=
			    (const unsigned char *)s.user_stack + s.user_stack_size &&
		    (const unsigned char *)(s.user_chain + s.user_chain_len) < end));
	FUZZ_HOLDS(!s.aux_size || (const unsigned char *)s.aux + s.aux_size <= end);
	for (uint64_t i = 0; i < s.read_count && i < 100000; i++)
		sample_read_value_at(attr, &s, i);
}

/* Whatever the recorder changes, the rest of the sample is as before. */
static void check_tucked(const struct perf_attr *attr, struct perf_event_header *header)
{
	const struct perf_writer_attr event = { .attr = attr->attr };
	struct tuck *tuck = tuck_new(&event, 1, NULL);
	struct sample before, after;

	if (tuck && !sample_parse(attr, header, &before)) {
		tuck_records(tuck, header, header->size);
		FUZZ_HOLDS(!sample_parse(attr, header, &after));
		FUZZ_HOLDS(after.ip == before.ip && after.weight == before.weight);
		FUZZ_HOLDS(after.user_stack_size == before.user_stack_size);
		FUZZ_HOLDS(after.chain_len <= before.chain_len);
		check_sample(attr, header);
	}
	tuck_free(tuck);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attr_table table = { 0 };
	struct event_attr event = { 0 };
	struct perf_event_header *header;
	const struct perf_attr *attr;
	uint64_t words[WORDS];
	struct sample sample;

	if (size < sizeof(words) || size - sizeof(words) + sizeof(*header) > MOST)
		return 0;
	memcpy(words, data, sizeof(words));
	size -= sizeof(words);
	event.base.sample_type = words[0];
	event.base.read_format = words[1];
	event.base.branch_sample_type = words[2];
	event.base.sample_regs_user = words[3];
	event.base.sample_regs_intr = words[4];
	event.base.sample_id_all = words[5] & 1;
	event.base.sample_stack_user = (uint32_t)(words[5] >> 32);
	attr = attr_table_add(&table, &event, NULL, 0);

	header = malloc(sizeof(*header) + size); /* exactly: the sanitizer guards its end */
	if (!header)
		abort();
	*header = (struct perf_event_header){ .type = words[5] >> 1 & 0x7f,
					      .misc = (uint16_t)(words[5] >> 16),
					      .size = (uint16_t)(sizeof(*header) + size) };
	memcpy(header + 1, data + sizeof(words), size);
	if (header->type == PERF_RECORD_SAMPLE)
		check_sample(attr, header);
	else
		sample_id_parse(attr, header, &sample);
	record_time(attr, header);
	if (header->type == PERF_RECORD_SAMPLE)
		check_tucked(attr, header);
	swap_record(header, attr);
	free(header);
	attr_table_free(&table);
	return 0;
}
