/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an event is sampled: from what the user asked for to the perf_event_attr that says it to the
 * kernel.  The bits are perf's, so that a recording made with the same flags holds the same fields.
 */
#ifndef RECORD_SAMPLEATTR_H
#define RECORD_SAMPLEATTR_H

#include "event/event.h"
#include <stdbool.h>
#include <stdint.h>

struct err;

enum stack_mode {
	STACK_NONE,
	STACK_FP,    /* the kernel follows frame pointers */
	STACK_DWARF, /* registers and a copy of the stack, unwound by the reader */
	STACK_LBR,   /* the CPU's own record of calls */
};

#define STACK_SIZE_DEFAULT 8192
#define STACK_SIZE_MAX	   65528 /* the kernel's, and a multiple of 8 */

/* Three weights in the place of one, on CPUs whose events have them; as perf chooses. */
#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1U << 24)
#endif
#if defined(__x86_64__) || defined(__powerpc64__)
#define SAMPLE_WEIGHTS PERF_SAMPLE_WEIGHT_STRUCT
#else
#define SAMPLE_WEIGHTS PERF_SAMPLE_WEIGHT
#endif

struct sampling_choice {
	uint64_t frequency; /* samples a second, or */
	uint64_t period;    /* one sample every so many events; 0 for both: every single one */
	bool chosen; /* by the user: then also for events that have a rate of their own kind */

	enum stack_mode stacks;
	uint32_t stack_size;
	bool stack_size_given; /* else it is chosen by the rate: sampling_stack_size */
	uint16_t max_stack;    /* frames; 0: the kernel's limit */
	bool only_user_chain, only_kernel_chain;

	uint64_t branches; /* PERF_SAMPLE_BRANCH_*; 0: none */
	uint64_t user_regs, intr_regs;
	bool addresses, phys_addresses, weights, raw, cpu, period_field, no_time, transactions;
	bool data_page_size, code_page_size;

	bool no_inherit, no_samples, inherit_stat;
	bool all_user, all_kernel;
	bool overwrite;
	bool no_buffering;
	bool read_along; /* somebody does: short rounds */
	bool no_bpf_events, no_namespaces, no_build_ids, no_build_id_maps;
	bool running_time, identifier; /* also where nobody needs them */
	bool switches, cgroups;
	int clock; /* clockid_t */
};

/*
 * The attr of an event; `by_cpu` says that whole CPUs are recorded, which sets PERF_SAMPLE_CPU.
 * Members of a `:S` group are only read with their leader.
 */
void sampling_attr(struct event_attr *attr, const struct event_list *list, size_t index,
		   const struct sampling_choice *choice, bool by_cpu);

/* Makes attr bring the records that tell of processes, mappings and switches. */
void sampling_attr_track(struct event_attr *attr, const struct sampling_choice *choice);

/* An event that counts nothing and only brings those records, in the form of attrs like `model`. */
void sampling_attr_tracker(struct event_attr *attr, const struct event_attr *model,
			   const struct sampling_choice *choice);

/* How many bytes of ids end each record that is no sample. */
size_t sampling_id_size(const struct event_attr *attr);

/* The registers that the kernel can copy here, as bits; 0: it is not known for this machine. */
uint64_t sampling_registers(void);

/*
 * How much of a stack to copy at a rate (0: none is known) into rings of so many bytes: as much as
 * there may be, at a bearable number of bytes a second and with many copies to a ring.
 */
uint32_t sampling_stack_size(uint64_t frequency, size_t ring_bytes);

/* "any,u": branch filter words, as perf's -j takes them. */
int sampling_branches_parse(const char *text, uint64_t *branches, struct err *err);

/* "fp", "dwarf,4096", "lbr", "no". */
int sampling_stacks_parse(struct sampling_choice *choice, const char *text, struct err *err);

#endif
