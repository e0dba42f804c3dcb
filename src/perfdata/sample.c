// SPDX-License-Identifier: Apache-2.0
#include "perfdata/sample.h"
#include "base/cursor.h"

#include <errno.h>

/* Since Linux 6.8: a word with the counters' bits for each branch. */
#define BRANCH_COUNTERS (1U << 19)

static const struct sample empty = {
	.id = UINT64_MAX,
	.stream_id = UINT64_MAX,
	.time = UINT64_MAX,
	.pid = UINT32_MAX,
	.tid = UINT32_MAX,
	.cpu = UINT32_MAX,
};

/* Two 32-bit fields in one word, as the kernel writes them. */
static uint32_t first_half(const uint64_t *word)
{
	return ((const uint32_t *)word)[0];
}

static uint32_t second_half(const uint64_t *word)
{
	return ((const uint32_t *)word)[1];
}

/* From IDENTIFIER to PERIOD: one word each, checked by the caller at one stroke. */
static void parse_fixed(uint64_t type, const uint64_t *at, struct sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = *at++;
	if (type & PERF_SAMPLE_IP)
		s->ip = *at++;
	if (type & PERF_SAMPLE_TID) {
		s->pid = first_half(at);
		s->tid = second_half(at++);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = *at++;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = *at++;
	if (type & PERF_SAMPLE_ID)
		s->id = *at++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *at++;
	if (type & PERF_SAMPLE_CPU)
		s->cpu = first_half(at++);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = *at++;
}

/* How many 64-bit words one value of the READ part takes. */
static size_t read_words(const struct perf_attr *attr)
{
	uint64_t format = attr->attr.base.read_format;

	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* An array of `count` entries; a count that no record can hold breaks the cursor. */
static const void *take_array(struct cursor *c, uint64_t count, size_t size)
{
	if (count > cursor_left(c) / size) {
		c->broken = true;
		return NULL;
	}
	return cursor_bytes(c, (size_t)count * size);
}

static void parse_read(const struct perf_attr *attr, struct cursor *c, struct sample *s)
{
	uint64_t format = attr->attr.base.read_format;
	bool group = format & PERF_FORMAT_GROUP;

	s->read_count = group ? cursor_u64(c) : 1;
	if (!group) /* here the times stand between the value and its id */
		s->read_values = cursor_bytes(c, sizeof(uint64_t));
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		s->read_enabled = cursor_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		s->read_running = cursor_u64(c);
	if (group)
		s->read_values = take_array(c, s->read_count, read_words(attr) * sizeof(uint64_t));
	else
		take_array(c, read_words(attr) - 1, sizeof(uint64_t));
}

struct sample_read_value sample_read_value_at(const struct perf_attr *attr, const struct sample *s,
					      size_t index)
{
	uint64_t format = attr->attr.base.read_format;
	const uint64_t *at = s->read_values;
	struct sample_read_value value = { 0 };

	if (index >= s->read_count)
		return value;
	if (format & PERF_FORMAT_GROUP) {
		at += index * read_words(attr);
		value.value = *at++;
	} else {
		value.value = *at++;
		at += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		      !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	}
	if (format & PERF_FORMAT_ID)
		value.id = *at++;
	if (format & PERF_FORMAT_LOST)
		value.lost = *at;
	return value;
}

static void parse_branches(const struct perf_attr *attr, struct cursor *c, struct sample *s)
{
	uint64_t kinds = attr->attr.base.branch_sample_type;

	s->branch_count = cursor_u64(c);
	s->branch_hw_index = kinds & PERF_SAMPLE_BRANCH_HW_INDEX ? cursor_u64(c) : UINT64_MAX;
	s->branches = take_array(c, s->branch_count, sizeof(*s->branches));
	if (kinds & BRANCH_COUNTERS)
		take_array(c, s->branch_count, sizeof(uint64_t));
}

static void parse_regs(struct cursor *c, uint64_t mask, struct sample_regs *regs)
{
	regs->abi = cursor_u64(c);
	if (!regs->abi)
		return;
	regs->mask = mask;
	regs->values = take_array(c, (uint64_t)__builtin_popcountll(mask), sizeof(uint64_t));
}

/*
 * Behind the copy our recorder puts a chain and, last, its length with SAMPLE_CHAIN_MARK.  Version
 * 0.1.0 had no mark but more room than was asked for.
 */
static void find_user_chain(const struct perf_attr *attr, struct sample *s)
{
	uint64_t unused = (s->user_stack_room - s->user_stack_size) / 8, length;
	bool larger = s->user_stack_room > attr->attr.base.sample_stack_user;
	const uint64_t *end;

	if (!s->user_stack || !unused)
		return;
	end = (const uint64_t *)s->user_stack + s->user_stack_room / 8;
	length = end[-1];
	if (length >> 32 == SAMPLE_CHAIN_MARK)
		length = (uint32_t)length;
	else if (!larger)
		return;
	if (length >= unused)
		return;
	s->user_chain = end - 1 - length;
	s->user_chain_len = length;
}

static void parse_stack(const struct perf_attr *attr, struct cursor *c,
			const struct perf_event_header *header, struct sample *s)
{
	s->user_stack_offset = (uint32_t)(c->at - (const unsigned char *)header);
	s->user_stack_room = cursor_u64(c);
	if (!s->user_stack_room)
		return;
	/* In whole words, or all that follows would stand askew. */
	s->user_stack = take_array(c, s->user_stack_room / 8, 8);
	c->broken |= s->user_stack_room % 8;
	s->user_stack_size = cursor_u64(c);
	if (s->user_stack_size > s->user_stack_room)
		s->user_stack_size = s->user_stack_room;
	find_user_chain(attr, s);
}

static void parse_raw(struct cursor *c, struct sample *s)
{
	size_t pad;

	s->raw_size = cursor_u32(c);
	s->raw = take_array(c, s->raw_size, 1);
	pad = -(sizeof(uint32_t) + s->raw_size) & 7;
	/* The kernel pads it so that the next field is aligned; a last one may lack that. */
	take_array(c, pad < cursor_left(c) ? pad : cursor_left(c), 1);
}

static void parse_weight(uint64_t type, struct cursor *c, struct sample *s)
{
	s->weight = cursor_u64(c);
	if (type & PERF_SAMPLE_WEIGHT)
		return;
	s->weight_ins_lat = (uint16_t)(s->weight >> 32);
	s->weight_retire_lat = (uint16_t)(s->weight >> 48);
	s->weight = (uint32_t)s->weight;
}

static void parse_late(const struct perf_attr *attr, const struct perf_event_header *header,
		       struct cursor *c, struct sample *s)
{
	uint64_t type = attr->attr.base.sample_type;

	if (type & PERF_SAMPLE_RAW)
		parse_raw(c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		parse_branches(attr, c, s);
	if (type & PERF_SAMPLE_REGS_USER)
		parse_regs(c, attr->attr.base.sample_regs_user, &s->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(attr, c, header, s);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		parse_weight(type, c, s);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = cursor_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = cursor_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		parse_regs(c, attr->attr.base.sample_regs_intr, &s->intr_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = cursor_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = cursor_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = cursor_u64(c);
	if (type & PERF_SAMPLE_AUX) {
		s->aux_size = cursor_u64(c);
		s->aux = take_array(c, s->aux_size, 1);
	}
}

int sample_parse(const struct perf_attr *attr, const struct perf_event_header *header,
		 struct sample *s)
{
	/* Most recordings have none of these, and then need not look for them one by one. */
	static const uint64_t late =
		~(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		  PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		  PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN);
	uint64_t type = attr->attr.base.sample_type;
	const void *fixed;
	struct cursor c;

	*s = empty;
	s->misc = header->misc;
	s->cpumode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	c = cursor_of(header + 1, header->size - sizeof(*header));
	fixed = cursor_bytes(&c, attr->fixed_size);
	if (!fixed)
		return -EBADMSG;
	parse_fixed(type, fixed, s);
	/* perf's own: without PERIOD each sample stands for sample_period events. */
	if (!(type & PERF_SAMPLE_PERIOD))
		s->period = attr->attr.base.sample_period;
	if (type & PERF_SAMPLE_READ)
		parse_read(attr, &c, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_len = cursor_u64(&c);
		s->chain = take_array(&c, s->chain_len, sizeof(uint64_t));
	}
	if (type & late)
		parse_late(attr, header, &c, s);
	return c.broken ? -EBADMSG : 0;
}

int sample_id_parse(const struct perf_attr *attr, const struct perf_event_header *header,
		    struct sample *s)
{
	uint64_t type = attr->attr.base.sample_type;
	const uint64_t *at;

	*s = empty;
	s->misc = header->misc;
	s->cpumode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (!attr->trailer_size)
		return 0;
	if (header->size < sizeof(*header) + attr->trailer_size || header->size % 8)
		return -EBADMSG;
	at = (const uint64_t *)((const char *)header + header->size - attr->trailer_size);
	if (type & PERF_SAMPLE_TID) {
		s->pid = first_half(at);
		s->tid = second_half(at++);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = *at++;
	if (type & PERF_SAMPLE_ID)
		s->id = *at++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *at++;
	if (type & PERF_SAMPLE_CPU)
		s->cpu = first_half(at++);
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = *at;
	return 0;
}
