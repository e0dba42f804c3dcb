/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a SAMPLE record holds, and the id fields at the end of all others.
 *
 * Plain data; pointers lead into the record and hold as long as it does.  A field that the event's
 * sample_type does not have is zero (cpu, pid, tid, id, stream_id, time: all ones).
 */
#ifndef PERFDATA_SAMPLE_H
#define PERFDATA_SAMPLE_H

#include "perfdata/reader.h"
#include <string.h>

struct sample_regs {
	uint64_t abi, mask;
	const uint64_t *values; /* one for each bit of mask; NULL if abi is 0 */
};

struct sample_read_value {
	uint64_t value, id, lost;
};

/* What became of the chain of a sample with a copied stack (machine/unwinding.h); else all false.
 */
struct chain_origin {
	bool unwound;	  /* its user part comes out of the copy */
	bool spliced;	  /* and further out is what the kernel followed by frame pointers */
	bool short_copy;  /* the copy ended before the stack did */
	bool no_rules;	  /* code was met of which nobody tells how to leave it */
	bool whole;	  /* the outermost frame has no caller, and says so */
	bool deep;	  /* there are more frames than are unwound */
	bool kernel_only; /* nobody asked for the user's part */
	bool left_out;	  /* the recorder has left out the copy, as it does of our own processes */
};

/* In the upper half of a length: what stands before it is a chain (struct sample: user_chain). */
#define SAMPLE_CHAIN_MARK 0x70666368ULL

struct sample {
	uint64_t id, stream_id, ip, time, addr, period;
	uint32_t pid, tid, cpu;
	uint16_t misc;
	uint8_t cpumode; /* PERF_RECORD_MISC_CPUMODE_MASK's bits of misc */

	uint64_t read_enabled, read_running;
	uint64_t read_count;	     /* entries of the READ part: 1, or the group's */
	const uint64_t *read_values; /* as they stand; take them by sample_read_value_at */

	const uint64_t *chain; /* callchain, PERF_CONTEXT_* markers included, leaf first */
	uint64_t chain_len;
	struct chain_origin chain_origin;
	uint64_t chain_spliced; /* from this entry on it is the kernel's by frame pointers; 0: none
				 */
	const void *raw;
	uint32_t raw_size;
	const struct perf_branch_entry *branches;
	uint64_t branch_count, branch_hw_index;
	struct sample_regs user_regs, intr_regs;
	const void *user_stack;
	uint64_t user_stack_size; /* bytes really copied */
	uint64_t user_stack_room; /* bytes of the record that they stand in */
	/* What the kernel followed by frame pointers, leaf first: kept by our recorder behind the
	 * copy of the stack, where perf does not look. */
	const uint64_t *user_chain;
	uint64_t user_chain_len;
	uint32_t user_stack_offset; /* where in the record their size stands, and they follow */
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint16_t weight_ins_lat, weight_retire_lat; /* of PERF_SAMPLE_WEIGHT_STRUCT */
	const void *aux;
	uint64_t aux_size;
};

/* Takes a SAMPLE apart by its event's sample_type; -EBADMSG if it does not fit into the record. */
int sample_parse(const struct perf_attr *attr, const struct perf_event_header *header,
		 struct sample *sample);

/* The same for any other record with sample_id_all: pid, tid, time, id, stream_id, cpu. */
int sample_id_parse(const struct perf_attr *attr, const struct perf_event_header *header,
		    struct sample *sample);

/* A record's misc that says: it is of what ran in a virtual machine. */
static inline bool misc_is_of_guest(uint16_t misc)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/* A record's time alone, without taking it apart; 0 if it has none. */
static inline uint64_t record_time(const struct perf_attr *attr,
				   const struct perf_event_header *header)
{
	size_t size = header->size, from_end = attr->trailer_time, at;
	uint64_t time = 0;

	if (header->type == PERF_RECORD_SAMPLE)
		at = attr->time_at;
	else
		at = from_end && size >= sizeof(*header) + from_end ? size - from_end : 0;
	if (at && at + sizeof(time) <= size)
		memcpy(&time, (const char *)header + at, sizeof(time));
	return time;
}

struct sample_read_value sample_read_value_at(const struct perf_attr *attr,
					      const struct sample *sample, size_t index);

#endif
