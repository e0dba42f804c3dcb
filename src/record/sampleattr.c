// SPDX-License-Identifier: Apache-2.0
#include "record/sampleattr.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>

/* The registers that the ABI's unwind rules may name: all but x86's segment registers. */
#if defined(__x86_64__)
#define UNWIND_REGS 0xff0fffULL
#elif defined(__aarch64__)
#define UNWIND_REGS 0x1ffffffffULL
#else
#define UNWIND_REGS 0ULL
#endif

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

#define STACK_BYTES_A_SECOND (36U << 20) /* that go through a busy CPU's ring */
#define STACK_COPIES_A_RING  64
#define CHAINS_A_SECOND	     5000 /* more often there is no call chain beside a copy */

#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static bool is_tracepoint(const struct event *event)
{
	return event->attr.base.type == PERF_TYPE_TRACEPOINT;
}

static bool is_bpf_output(const struct event *event)
{
	return event->attr.base.type == PERF_TYPE_SOFTWARE &&
	       event->attr.base.config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* The raw data is what such a sample is about. */
static bool carries_data(const struct event *event)
{
	return is_tracepoint(event) || is_bpf_output(event);
}

/* Each hit is one that somebody set a trap for; a rate says nothing of them. */
static bool taken_each_time(const struct event *event)
{
	return carries_data(event) || event->attr.base.type == PERF_TYPE_BREAKPOINT;
}

/*
 * With PERF_SAMPLE_PERIOD the kernel delivers every single event of a tracepoint, breakpoint or
 * software counter whatever its period is, each with its own weight.  So the field stays out where
 * a period above 1 was asked for.
 */
static void set_rate(struct perf_event_attr *attr, const struct event *event,
		     const struct sampling_choice *choice)
{
	bool every_one = taken_each_time(event) && !choice->chosen;

	if (!event->own_period && every_one) {
		attr->sample_period = 1;
	} else if (!event->own_period && choice->frequency) {
		attr->freq = 1;
		attr->sample_freq = choice->frequency;
	} else if (!event->own_period) {
		attr->sample_period = choice->period;
	}
	if (attr->freq || (carries_data(event) && attr->sample_period == 1))
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (choice->no_samples) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
}

/*
 * The chain by frame pointers completes copies that end too early (record/tuck).  The kernel takes
 * about 0.15 us for each frame of it, which at high rates is more than the copy itself.
 */
static bool chain_costs_much(const struct sampling_choice *choice)
{
	return choice->stacks == STACK_DWARF && choice->frequency > CHAINS_A_SECOND;
}

static void set_stacks(struct perf_event_attr *attr, const struct sampling_choice *choice)
{
	if (choice->stacks == STACK_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = choice->only_kernel_chain || chain_costs_much(choice);
	attr->exclude_callchain_kernel = choice->only_user_chain;
	attr->sample_max_stack = choice->max_stack;
	if (choice->stacks == STACK_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type |= PERF_SAMPLE_BRANCH_USER |
					    PERF_SAMPLE_BRANCH_CALL_STACK |
					    PERF_SAMPLE_BRANCH_NO_CYCLES |
					    PERF_SAMPLE_BRANCH_NO_FLAGS |
					    PERF_SAMPLE_BRANCH_HW_INDEX;
		attr->exclude_user = 0;
	}
	if (choice->stacks == STACK_DWARF && !choice->only_kernel_chain) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user |= UNWIND_REGS;
		attr->sample_stack_user = choice->stack_size;
	}
}

static void set_extras(struct perf_event_attr *attr, const struct sampling_choice *choice)
{
	static const struct {
		size_t offset;
		uint64_t bits;
	} fields[] = {
		{ offsetof(struct sampling_choice, addresses),
		  PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ offsetof(struct sampling_choice, phys_addresses), PERF_SAMPLE_PHYS_ADDR },
		{ offsetof(struct sampling_choice, weights), SAMPLE_WEIGHTS },
		{ offsetof(struct sampling_choice, raw),
		  PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU },
		{ offsetof(struct sampling_choice, cpu), PERF_SAMPLE_CPU },
		{ offsetof(struct sampling_choice, period_field), PERF_SAMPLE_PERIOD },
		{ offsetof(struct sampling_choice, transactions), PERF_SAMPLE_TRANSACTION },
		{ offsetof(struct sampling_choice, data_page_size), PERF_SAMPLE_DATA_PAGE_SIZE },
		{ offsetof(struct sampling_choice, code_page_size), PERF_SAMPLE_CODE_PAGE_SIZE },
		{ offsetof(struct sampling_choice, cgroups), PERF_SAMPLE_CGROUP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (*(const bool *)((const char *)choice + fields[i].offset))
			attr->sample_type |= fields[i].bits;
	if (choice->branches) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type |= choice->branches;
	}
	if (choice->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= choice->user_regs;
	}
	if (choice->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = choice->intr_regs;
	}
	if (choice->no_buffering) {
		attr->watermark = 0;
		attr->wakeup_events = 1;
	}
}

/* What stands in an event's own terms (call-graph=, stack-size= ...) goes before the flags. */
static struct sampling_choice choice_for(const struct event *event,
					 const struct sampling_choice *choice)
{
	const struct event_sampling *own = &event->sampling;
	struct sampling_choice made = *choice;

	if (own->call_graph)
		sampling_stacks_parse(&made, own->call_graph, NULL);
	if (own->stack_size)
		made.stack_size = (uint32_t)own->stack_size / 8 * 8;
	if (own->max_stack)
		made.max_stack = (uint16_t)own->max_stack;
	if (own->branch_type)
		sampling_branches_parse(own->branch_type, &made.branches, NULL);
	if (own->inherit != CHOICE_OPEN)
		made.no_inherit = own->inherit == CHOICE_NO;
	if (own->overwrite != CHOICE_OPEN)
		made.overwrite = own->overwrite == CHOICE_YES;
	if (own->time != CHOICE_OPEN)
		made.no_time = own->time == CHOICE_NO;
	return made;
}

/* A member that its leader reads: no samples of its own, but laid out as the leader's. */
static void follow_leader(struct perf_event_attr *attr, const struct event_list *list, size_t index,
			  const struct sampling_choice *choice, bool by_cpu)
{
	struct event_attr leader;

	sampling_attr(&leader, list, list->events.data[index].leader, choice, by_cpu);
	attr->freq = 0;
	attr->sample_period = 0;
	attr->write_backward = 0;
	attr->sample_type = leader.base.sample_type;
}

void sampling_attr(struct event_attr *into, const struct event_list *list, size_t index,
		   const struct sampling_choice *general, bool by_cpu)
{
	const struct event *event = &list->events.data[index];
	struct sampling_choice choice = choice_for(event, general);
	struct perf_event_attr *attr = &into->base;

	*into = event->attr;
	attr->sample_id_all = 1;
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!choice.no_time)
		attr->sample_type |= PERF_SAMPLE_TIME;
	if (by_cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (carries_data(event))
		attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->inherit = !choice.no_inherit;
	attr->write_backward = choice.overwrite;
	attr->use_clockid = 1;
	attr->clockid = choice.clock;
	if (choice.all_user || choice.all_kernel) { /* whatever the event's own modifiers say */
		attr->exclude_kernel = choice.all_user;
		attr->exclude_user = choice.all_kernel;
	}
	set_rate(attr, event, &choice);
	set_stacks(attr, &choice);
	set_extras(attr, &choice);
	attr->inherit_stat = choice.inherit_stat;
	if (choice.identifier)
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
	if (choice.inherit_stat || choice.running_time) {
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING;
	}
	if (event->sample_read) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
		attr->inherit = 0; /* the counts of several threads can't be told apart in a read */
		if (event->leader != index)
			follow_leader(attr, list, index, general, by_cpu);
	}
}

void sampling_attr_track(struct event_attr *into, const struct sampling_choice *choice)
{
	struct perf_event_attr *attr = &into->base;

	attr->mmap = attr->mmap2 = 1;
	/* Unwinding reads .eh_frame, which newer linkers put into a mapping that isn't executable.
	 */
	attr->mmap_data = choice->addresses || choice->stacks == STACK_DWARF;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !choice->no_bpf_events;
	attr->namespaces = !choice->no_namespaces;
	attr->build_id = !choice->no_build_ids && !choice->no_build_id_maps;
	attr->context_switch = choice->switches;
	attr->cgroup = choice->cgroups;
}

void sampling_attr_tracker(struct event_attr *into, const struct event_attr *model,
			   const struct sampling_choice *choice)
{
	*into = (struct event_attr){ .base = {
					     .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_DUMMY,
					     .sample_period = 1,
					     .sample_id_all = 1,
					     .inherit = model->base.inherit,
					     .use_clockid = 1,
					     .clockid = choice->clock,
				     } };
	into->base.sample_type = model->base.sample_type & ID_FIELDS;
	into->base.read_format = model->base.read_format & (PERF_FORMAT_ID | PERF_FORMAT_LOST);
	/* Side-band records come whatever the modes say; these need no permission. */
	into->base.exclude_kernel = into->base.exclude_hv = 1;
	sampling_attr_track(into, choice);
}

size_t sampling_id_size(const struct event_attr *attr)
{
	return (size_t)__builtin_popcountll(attr->base.sample_type & ID_FIELDS) * sizeof(uint64_t);
}

static const struct {
	const char *name;
	uint64_t bit;
} branch_words[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
};

#define BRANCH_MODES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

uint32_t sampling_stack_size(uint64_t frequency, size_t ring_bytes)
{
	uint64_t size = STACK_SIZE_DEFAULT;

	while (frequency && size * 2 * frequency <= STACK_BYTES_A_SECOND &&
	       size * 2 * STACK_COPIES_A_RING <= ring_bytes && size < STACK_SIZE_MAX)
		size *= 2;
	return size < STACK_SIZE_MAX ? (uint32_t)size : STACK_SIZE_MAX;
}

uint64_t sampling_registers(void)
{
	return UNWIND_REGS;
}

int sampling_branches_parse(const char *text, uint64_t *branches, struct err *err)
{
	uint64_t bits = 0;

	for (const char *at = text; *at; at += *at == ',') {
		size_t length = strcspn(at, ","), i = 0;

		while (i < ARRAY_SIZE(branch_words) &&
		       (strncasecmp(branch_words[i].name, at, length) ||
			branch_words[i].name[length]))
			i++;
		if (i == ARRAY_SIZE(branch_words))
			return err_set(err, EINVAL,
				       "unknown branch filter '%.*s'; there are any, any_call, "
				       "any_ret, ind_call, ind_jmp, call, cond, stack, u, k ...",
				       (int)length, at);
		bits |= branch_words[i].bit;
		at += length;
	}
	if (!(bits & ~(uint64_t)BRANCH_MODES))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	*branches = bits;
	return 0;
}

static int parse_stack_size(struct sampling_choice *choice, const char *text, struct err *err)
{
	char *end;
	unsigned long size;

	errno = 0;
	size = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno || !size || size > STACK_SIZE_MAX)
		return err_set(err, EINVAL,
			       "'%s' is not a size for stack copies; give 8 to %d bytes", text,
			       STACK_SIZE_MAX);
	choice->stack_size = (uint32_t)(size + 7) / 8 * 8;
	choice->stack_size_given = true;
	return 0;
}

int sampling_stacks_parse(struct sampling_choice *choice, const char *text, struct err *err)
{
	static const struct {
		const char *name;
		enum stack_mode mode;
	} modes[] = {
		{ "fp", STACK_FP },
		{ "dwarf", STACK_DWARF },
		{ "lbr", STACK_LBR },
		{ "no", STACK_NONE },
	};
	size_t length = strcspn(text, ",");

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strncmp(modes[i].name, text, length) || modes[i].name[length])
			continue;
		choice->stacks = modes[i].mode;
		if (!choice->stack_size)
			choice->stack_size = STACK_SIZE_DEFAULT;
		if (!text[length])
			return 0;
		if (modes[i].mode == STACK_DWARF)
			return parse_stack_size(choice, text + length + 1, err);
		break;
	}
	return err_set(err, EINVAL, "unknown call graph mode '%s'; write fp, dwarf[,BYTES] or lbr",
		       text);
}
