// SPDX-License-Identifier: Apache-2.0
/* Samples as figures: which kind of work their stacks belong to. */
#include "base/idmap.h"
#include "profile/calltree.h"
#include "profile/flametree.h"
#include "profile/overview.h"

/* The first that a stack holds, in this order, is what it belongs to. */
enum work { WORK_PROCESS, WORK_FAULT, WORK_CALL, WORK_KINDS };

static const struct {
	const char *function;
	enum work work;
} kernel_work[] = {
	{ "begin_new_exec", WORK_PROCESS },
	{ "bprm_execve", WORK_PROCESS },
	{ "copy_process", WORK_PROCESS },
	{ "do_execveat_common.isra.0", WORK_PROCESS },
	{ "do_exit", WORK_PROCESS },
	{ "do_group_exit", WORK_PROCESS },
	{ "do_wait", WORK_PROCESS },
	{ "exit_mmap", WORK_PROCESS },
	{ "kernel_clone", WORK_PROCESS },
	{ "kernel_wait4", WORK_PROCESS },
	{ "load_elf_binary", WORK_PROCESS },
	{ "ret_from_fork", WORK_PROCESS },
	{ "ret_from_fork_asm", WORK_PROCESS },
	{ "schedule_tail", WORK_PROCESS },
	{ "__x64_sys_execve", WORK_PROCESS },
	{ "__arm64_sys_execve", WORK_PROCESS },
	{ "__do_page_fault", WORK_FAULT },
	{ "asm_exc_page_fault", WORK_FAULT },
	{ "clear_page_erms", WORK_FAULT },
	{ "clear_page_orig", WORK_FAULT },
	{ "clear_page_rep", WORK_FAULT },
	{ "do_mem_abort", WORK_FAULT },
	{ "do_page_fault", WORK_FAULT },
	{ "do_translation_fault", WORK_FAULT },
	{ "do_user_addr_fault", WORK_FAULT },
	{ "el0_da", WORK_FAULT },
	{ "exc_page_fault", WORK_FAULT },
	{ "handle_mm_fault", WORK_FAULT },
	{ "madvise_vma_behavior", WORK_FAULT },
	{ "do_madvise", WORK_FAULT },
	{ "do_madvise.part.0", WORK_FAULT },
	{ "page_fault", WORK_FAULT },
	{ "unmap_page_range", WORK_FAULT },
	{ "unmap_region", WORK_FAULT },
	{ "unmap_vmas", WORK_FAULT },
	{ "__x64_sys_munmap", WORK_FAULT },
	{ "__vm_munmap", WORK_FAULT },
	{ "do_el0_svc", WORK_CALL },
	{ "do_fast_syscall_32", WORK_CALL },
	{ "do_syscall_64", WORK_CALL },
	{ "el0_svc", WORK_CALL },
	{ "el0_svc_common", WORK_CALL },
	{ "el0_svc_common.constprop.0", WORK_CALL },
	{ "entry_SYSCALL_64", WORK_CALL },
	{ "entry_SYSCALL_64_after_hwframe", WORK_CALL },
	{ "entry_SYSCALL_64_safe_stack", WORK_CALL },
	{ "entry_SYSRETQ_unsafe_stack", WORK_CALL },
	{ "invoke_syscall", WORK_CALL },
	{ "syscall_enter_from_user_mode", WORK_CALL },
	{ "syscall_exit_to_user_mode", WORK_CALL },
	{ "syscall_return_via_sysret", WORK_CALL },
	{ "x64_sys_call", WORK_CALL },
};

/* A bit for each kind of work that a function is a sign of. */
static uint8_t signs_of(const struct profile *profile, uint32_t function)
{
	const char *name = profile_function_name(profile, function);

	if (profile->functions.data[function].kind != FRAME_KERNEL)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_work); i++)
		if (!strcmp(kernel_work[i].function, name))
			return (uint8_t)(1u << kernel_work[i].work);
	return 0;
}

/* By stack: the signs of all its frames. */
static uint8_t *sign_stacks(const struct profile *profile)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint8_t *functions = mem_alloc(profile->functions.len + 1);
	uint8_t *signs = mem_alloc(stacks->len + 1);

	for (uint32_t i = 0; i < profile->functions.len; i++)
		functions[i] = signs_of(profile, i);
	for (size_t i = 1; i < stacks->len; i++)
		signs[i] = signs[stacks->parent[i]] | functions[stacks->function[i]];
	free(functions);
	return signs;
}

struct tally {
	double all, idle, kernel, unknown, work[WORK_KINDS];
	bool kernel_stacks;
};

/* Also where its names are hidden. */
static bool is_kernel(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];

	return facts->kind == FRAME_KERNEL ||
	       profile->objects.data[facts->object].kind == DSO_KERNEL;
}

static void tally_stack(struct tally *tally, const struct profile *profile, size_t stack,
			uint8_t signs, double weight)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint32_t function = stacks->function[stack], caller = stacks->parent[stack];
	bool kernel = is_kernel(profile, function);

	tally->kernel += kernel ? weight : 0;
	tally->unknown += profile->functions.data[function].kind == FRAME_UNKNOWN ? weight : 0;
	for (int i = 0; i < WORK_KINDS; i++)
		if (signs & 1u << i) {
			tally->work[i] += weight;
			break;
		}
	if (kernel && caller != STACK_ROOT &&
	    profile->functions.data[stacks->function[caller]].kind == FRAME_KERNEL)
		tally->kernel_stacks = true;
}

static void tally_stacks(struct tally *tally, const struct profile *profile,
			 const struct stack_weights *weights)
{
	uint8_t *idle = profile_idle_stacks(profile), *signs = sign_stacks(profile);

	for (size_t i = 0; i < weights->len; i++) {
		double weight = (double)weights->weight[i];

		if (idle[i])
			tally->idle += weight;
		else if (weights->samples[i])
			tally_stack(tally, profile, i, signs[i], weight);
		tally->all += weight;
	}
	free(idle);
	free(signs);
}

/* Processes and threads with samples; perf's row 0 is who idles. */
static void count_threads(struct overview_facts *facts, const struct profile *profile,
			  uint16_t event)
{
	const struct profile_samples *rows = &profile->samples;
	struct idmap processes = { 0 }, threads = { 0 };
	uint8_t *met = mem_alloc(profile->threads.len + 1);

	for (size_t i = 0; i < rows->len; i++)
		if (rows->event[i] == event)
			met[rows->thread[i]] = 1;
	for (uint32_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *thread = &profile->threads.data[i];

		if (!met[i] || !thread->tid)
			continue;
		idmap_add(&processes, thread->pid, i);
		idmap_add(&threads, (uint64_t)thread->pid << 32 | thread->tid, i);
	}
	facts->processes = processes.len;
	facts->threads = threads.len;
	idmap_free(&processes);
	idmap_free(&threads);
	free(met);
}

static void add_top(struct overview_facts *facts, const struct profile *profile, uint32_t function,
		    double share)
{
	const struct profile_function *kind = &profile->functions.data[function];
	struct overview_function *top = facts->top;
	size_t at = facts->top_count;

	while (at && top[at - 1].share < share)
		at--;
	if (at == OVERVIEW_TOP)
		return;
	if (facts->top_count == OVERVIEW_TOP)
		free(top[--facts->top_count].name);
	memmove(top + at + 1, top + at, (facts->top_count - at) * sizeof(*top));
	top[at] = (struct overview_function){
		.name = flame_function_name(profile, function),
		.object = profile_text(profile, profile->objects.data[kind->object].path),
		.share = share,
		.kernel = kind->kind == FRAME_KERNEL,
	};
	facts->top_count++;
}

static void find_top(struct overview_facts *facts, const struct profile *profile,
		     const struct stack_weights *weights, double busy)
{
	struct function_weight *functions = profile_function_weights(profile, weights);

	for (uint32_t i = 0; i < profile->functions.len; i++)
		if (functions[i].self.weight && profile->functions.data[i].kind != FRAME_UNKNOWN)
			add_top(facts, profile, i, (double)functions[i].self.weight / busy);
	free(functions);
}

static bool is_clock(const struct profile *profile, uint16_t event)
{
	const char *name = profile_text(profile, profile->events.data[event].name);

	return strstr(name, "cpu-clock") || strstr(name, "task-clock");
}

void overview_facts_add(struct overview_facts *facts, const struct profile *profile, uint16_t event)
{
	struct profile_filter filter = { .event = event };
	struct stack_weights weights;
	struct tally tally = { 0 };
	double busy;

	facts->lost = profile->quality.lost + profile->quality.lost_samples;
	if (event >= profile->events.len || profile_weigh(profile, &filter, &weights, NULL))
		return;
	facts->samples = weights.total_samples;
	tally_stacks(&tally, profile, &weights);
	busy = tally.all - tally.idle;
	facts->idle = tally.all > 0 ? tally.idle / tally.all : 0;
	stack_weights_free(&weights);
	filter.busy = true;
	if (busy > 0 && !profile_weigh(profile, &filter, &weights, NULL)) {
		facts->kernel = tally.kernel / busy;
		facts->unknown = tally.unknown / busy;
		facts->processing = tally.work[WORK_PROCESS] / busy;
		facts->faults = tally.work[WORK_FAULT] / busy;
		facts->calls = tally.work[WORK_CALL] / busy;
		facts->has_kernel_stacks = tally.kernel_stacks;
		find_top(facts, profile, &weights, busy);
		stack_weights_free(&weights);
	}
	if (is_clock(profile, event))
		facts->sampled_ns = (uint64_t)busy;
	count_threads(facts, profile, event);
}

void overview_facts_free(struct overview_facts *facts)
{
	for (size_t i = 0; i < facts->top_count; i++)
		free(facts->top[i].name);
	facts->top_count = 0;
}
