// SPDX-License-Identifier: Apache-2.0
#include "perfdata/swap.h"
#include "base/mem.h"
#include "perfdata/sample.h"

#include <string.h>

struct span { /* of a record, from here to its end */
	unsigned char *at, *end;
};

/* Turns one number of `width` bytes; false once the span is used up. */
static bool turn(struct span *span, size_t width)
{
	if ((size_t)(span->end - span->at) < width) {
		span->at = span->end;
		return false;
	}
	for (size_t i = 0; i < width / 2; i++) {
		unsigned char byte = span->at[i];

		span->at[i] = span->at[width - 1 - i];
		span->at[width - 1 - i] = byte;
	}
	span->at += width;
	return true;
}

static void skip(struct span *span, uint64_t bytes)
{
	uint64_t left = (uint64_t)(span->end - span->at);

	span->at += bytes < left ? bytes : left;
}

static void turn_many(struct span *span, uint64_t count, size_t width)
{
	while (count-- && turn(span, width))
		;
}

/* Turns a word and tells what it then says. */
static uint64_t turn_word(struct span *span)
{
	uint64_t word = 0;

	if (turn(span, sizeof(word)))
		memcpy(&word, span->at - sizeof(word), sizeof(word));
	return word;
}

/*
 * The attr's flags are single bits filled from the top of each byte there and from the bottom here;
 * precise_ip, the only one of two bits, comes out the wrong way round by that.
 */
static void turn_flags(unsigned char flags[8])
{
	struct perf_event_attr attr;

	for (size_t i = 0; i < 8; i++) {
		unsigned char byte = flags[i], back = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			back |= (unsigned char)((byte >> bit & 1) << (7 - bit));
		flags[i] = back;
	}
	memset(&attr, 0, sizeof(attr));
	memcpy((char *)&attr + offsetof(struct perf_event_attr, read_format) + 8, flags, 8);
	attr.precise_ip = (attr.precise_ip >> 1) | (attr.precise_ip & 1) << 1;
	memcpy(flags, (char *)&attr + offsetof(struct perf_event_attr, read_format) + 8, 8);
}

/* Its fields in order: a digit is a number of that many bytes, 'F' the flags. */
static void turn_attr(struct span *span)
{
	for (const char *field = "448888F4488884484224488"; *field; field++) {
		if (*field != 'F') {
			turn(span, (size_t)(*field - '0'));
			continue;
		}
		if (span->end - span->at >= 8)
			turn_flags(span->at);
		skip(span, 8);
	}
}

void swap_attr(void *attr, size_t size)
{
	struct span span = { attr, (unsigned char *)attr + size };

	turn_attr(&span);
}

void swap_record_header(struct perf_event_header *header)
{
	struct span span = { (unsigned char *)header, (unsigned char *)(header + 1) };

	turn(&span, sizeof(header->type));
	turn(&span, sizeof(header->misc));
	turn(&span, sizeof(header->size));
}

/* A branch's flags are a bit field too: their value has every field at the mirrored place. */
static void turn_branch(struct span *span)
{
	/* Widths in order: mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv */
	static const unsigned char widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	uint64_t theirs, ours = 0;
	unsigned at = 0;

	turn_many(span, 2, 8);
	if (span->end - span->at < 8)
		return;
	theirs = turn_word(span);
	for (size_t i = 0; i < sizeof(widths); at += widths[i++])
		ours |= (theirs >> (64 - at - widths[i]) & ((1u << widths[i]) - 1)) << at;
	memcpy(span->at - 8, &ours, 8);
}

static void turn_read(struct span *span, uint64_t format)
{
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t count;

	if (!(format & PERF_FORMAT_GROUP)) {
		turn_many(span, times + words, 8);
		return;
	}
	count = turn_word(span);
	turn_many(span, times, 8);
	if (count <= (uint64_t)(span->end - span->at))
		turn_many(span, count * words, 8);
}

static void turn_raw(struct span *span)
{
	uint32_t size = 0;

	if (turn(span, sizeof(size)))
		memcpy(&size, span->at - sizeof(size), sizeof(size));
	skip(span, size);
	skip(span, -(sizeof(size) + size) & 7);
}

static void turn_stack(struct span *span)
{
	uint64_t room = turn_word(span);

	skip(span, room);
	if (room)
		turn(span, 8);
}

static void turn_regs(struct span *span, uint64_t mask)
{
	if (turn_word(span))
		turn_many(span, (uint64_t)__builtin_popcountll(mask), 8);
}

static void turn_branches(struct span *span, uint64_t kinds)
{
	uint64_t count = turn_word(span);

	if (kinds & PERF_SAMPLE_BRANCH_HW_INDEX)
		turn(span, 8);
	while (count-- && span->at < span->end)
		turn_branch(span);
}

static void turn_sample(struct span *span, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;

	/* One word each, but for two pairs of 32 bits. */
	turn_many(span, !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP), 8);
	turn_many(span, type & PERF_SAMPLE_TID ? 2 : 0, 4);
	turn_many(span, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR), 8);
	turn_many(span, !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID), 8);
	turn_many(span, type & PERF_SAMPLE_CPU ? 2 : 0, 4);
	turn_many(span, !!(type & PERF_SAMPLE_PERIOD), 8);
	if (type & PERF_SAMPLE_READ)
		turn_read(span, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		turn_many(span, turn_word(span), 8);
	if (type & PERF_SAMPLE_RAW)
		turn_raw(span);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		turn_branches(span, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		turn_regs(span, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		turn_stack(span);
	/* The parts of a weight stand mirrored there, so that the word's value is the same. */
	turn_many(span, !!(type & PERF_SAMPLE_WEIGHT_TYPE), 8);
	turn_many(span, !!(type & PERF_SAMPLE_DATA_SRC) + !!(type & PERF_SAMPLE_TRANSACTION), 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		turn_regs(span, attr->sample_regs_intr);
	turn_many(span, !!(type & PERF_SAMPLE_PHYS_ADDR) + !!(type & PERF_SAMPLE_CGROUP), 8);
	turn_many(span,
		  !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) + !!(type & PERF_SAMPLE_CODE_PAGE_SIZE), 8);
	if (type & PERF_SAMPLE_AUX)
		turn(span, 8);
}

static void turn_trailer(struct perf_event_header *header, const struct perf_attr *attr)
{
	uint64_t type = attr->attr.base.sample_type;
	unsigned char *end = (unsigned char *)header + header->size;
	struct span span = { end - attr->trailer_size, end };

	turn_many(&span, type & PERF_SAMPLE_TID ? 2 : 0, 4);
	turn_many(&span, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID), 8);
	turn_many(&span, !!(type & PERF_SAMPLE_STREAM_ID), 8);
	turn_many(&span, type & PERF_SAMPLE_CPU ? 2 : 0, 4);
	turn_many(&span, !!(type & PERF_SAMPLE_IDENTIFIER), 8);
}

/*
 * What stands in a record after its header: a digit is a number of that many bytes, '.' eight bytes
 * that stay, '*' repeats the code before it to the end; letters are functions below.  What is not
 * named stays: names.
 */
static const char *layout_of(const struct perf_event_header *header)
{
	switch (header->type) {
	case PERF_RECORD_MMAP: return "44888";
	case PERF_RECORD_MMAP2:
		return header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ? "44888...44" : "44888448844";
	case PERF_RECORD_COMM: return "44";
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return "44448";
	case PERF_RECORD_LOST: return "88";
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: return "888";
	case PERF_RECORD_READ: return "448*";
	case PERF_RECORD_AUX: return "888";
	case PERF_RECORD_ITRACE_START: return "44";
	case PERF_RECORD_LOST_SAMPLES: return "8";
	case PERF_RECORD_SWITCH_CPU_WIDE: return "44";
	case PERF_RECORD_NAMESPACES: return "448*";
	case PERF_RECORD_KSYMBOL: return "8422";
	case PERF_RECORD_BPF_EVENT: return "224";
	case PERF_RECORD_CGROUP: return "8";
	case PERF_RECORD_TEXT_POKE: return "822";
	case PERF_RECORD_AUX_OUTPUT_HW_ID: return "8";
	case USER_RECORD_ATTR: return "A8*";
	case USER_RECORD_EVENT_TYPE: return "8";
	case USER_RECORD_TRACING_DATA: return "4";
	case USER_RECORD_BUILD_ID: return "4";
	case USER_RECORD_ID_INDEX: return "8*";
	case USER_RECORD_AUXTRACE_INFO: return "448*";
	case USER_RECORD_AUXTRACE: return "8884444";
	case USER_RECORD_AUXTRACE_ERROR: return "44444488";
	case USER_RECORD_THREAD_MAP: return "8T*";
	case USER_RECORD_CPU_MAP: return "C";
	case USER_RECORD_STAT_CONFIG: return "8*";
	case USER_RECORD_STAT: return "844888";
	case USER_RECORD_STAT_ROUND: return "88";
	case USER_RECORD_EVENT_UPDATE: return "U";
	case USER_RECORD_TIME_CONV: return "8*";
	case USER_RECORD_FEATURE: return "8";
	case USER_RECORD_COMPRESSED2: return "8";
	default: return "";
	}
}

/* An attr that tells its own size; what follows it begins there. */
static void turn_sized_attr(struct span *span)
{
	struct span whole = *span, attr = *span;
	uint32_t size = PERF_ATTR_SIZE_VER0;

	if (span->end - span->at >= 8)
		memcpy(&size, span->at + 4, sizeof(size));
	size = __builtin_bswap32(size);
	if (size < (uint64_t)(span->end - span->at))
		attr.end = span->at + size;
	turn_attr(&attr);
	*span = whole;
	skip(span, size);
}

static uint16_t turn_short(struct span *span)
{
	uint16_t value = 0;

	if (turn(span, sizeof(value)))
		memcpy(&value, span->at - sizeof(value), sizeof(value));
	return value;
}

/* A list of CPUs as numbers of 16 bits, or as a mask with words of the writer's size. */
static void turn_cpu_map(struct span *span)
{
	uint16_t kind = turn_short(span), count, width;

	if (kind == CPU_MAP_RANGE) {
		skip(span, 2);
		turn_many(span, 2, 2);
		return;
	}
	count = turn_short(span);
	if (kind == CPU_MAP_LIST) {
		turn_many(span, count, 2);
		return;
	}
	width = turn_short(span);
	skip(span, width == 8 ? 4 : 0);
	turn_many(span, count, width == 8 ? 8 : 4);
}

static void turn_update(struct span *span)
{
	uint64_t kind = turn_word(span);

	turn(span, 8);
	if (kind == EVENT_UPDATE_SCALE)
		turn(span, 8);
	else if (kind == EVENT_UPDATE_CPUS)
		turn_cpu_map(span);
}

static void turn_field(struct span *span, char code)
{
	switch (code) {
	case '.': skip(span, 8); break;
	case 'A': turn_sized_attr(span); break;
	case 'C': turn_cpu_map(span); break;
	case 'T': /* a thread and the 16 bytes of its name */
		turn(span, 8);
		skip(span, 16);
		break;
	case 'U': turn_update(span); break;
	default: turn(span, (size_t)(code - '0')); break;
	}
}

void swap_record(struct perf_event_header *header, const struct perf_attr *attr)
{
	struct span span = { (unsigned char *)(header + 1),
			     (unsigned char *)header + header->size };
	const char *code = layout_of(header);

	if (header->type == PERF_RECORD_SAMPLE) {
		if (attr)
			turn_sample(&span, &attr->attr.base);
		return;
	}
	if (header->type < USER_RECORD_FIRST && attr &&
	    (size_t)(span.end - span.at) >= attr->trailer_size) {
		turn_trailer(header, attr);
		span.end -= attr->trailer_size;
	}
	for (; *code && span.at < span.end; code++) {
		if (*code != '*') {
			turn_field(&span, *code);
			continue;
		}
		while (span.at < span.end)
			turn_field(&span, code[-1]);
	}
}
