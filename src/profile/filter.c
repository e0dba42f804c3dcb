// SPDX-License-Identifier: Apache-2.0
#include "profile/filter.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "profile/match.h"
#include "profile/ready.h"

#include <errno.h>
#include <stdio.h>

#define CPU_COUNT 65536 /* a row's cpu is 16 bits */

size_t profile_row_at(const struct profile *profile, uint64_t time)
{
	size_t low = 0, high = profile->samples.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->samples.time[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether `text` is one of the comma-separated words of list. */
static bool in_list(const char *list, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, text, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

static bool number_in_list(const char *list, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return in_list(list, text);
}

static void sieve_threads(struct sieve *sieve, const struct profile *profile,
			  const struct profile_filter *filter)
{
	if (!filter->comms && !filter->pids && !filter->tids)
		return;
	sieve->threads = mem_alloc(profile->threads.len);
	for (size_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *thread = &profile->threads.data[i];

		sieve->threads[i] = (!filter->comms ||
				     in_list(filter->comms, profile_text(profile, thread->comm))) &&
				    (!filter->pids || number_in_list(filter->pids, thread->pid)) &&
				    (!filter->tids || number_in_list(filter->tids, thread->tid));
	}
}

static int sieve_cpus(struct sieve *sieve, const struct profile_filter *filter, struct err *err)
{
	struct cpuset set = { 0 };
	int rc;

	if (!filter->cpus)
		return 0;
	rc = cpuset_parse(&set, filter->cpus, err);
	if (!rc) {
		sieve->cpus = mem_alloc(CPU_COUNT);
		vec_each (cpu, &set)
			if (*cpu < CPU_COUNT)
				sieve->cpus[*cpu] = 1;
	}
	cpuset_free(&set);
	return rc;
}

/* Keeps or drops the stacks that hold a matching function anywhere: parents come first. */
static int sieve_functions(struct sieve *sieve, const struct profile *profile,
			   const char *expression, bool keep, enum match_names names,
			   struct err *err)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint8_t *functions, *holds;

	if (!expression)
		return 0;
	functions = profile_match_functions(profile, expression, names, err);
	if (!functions)
		return -EINVAL;
	holds = mem_alloc(stacks->len);
	for (size_t i = 1; i < stacks->len; i++) {
		holds[i] = holds[stacks->parent[i]] | functions[stacks->function[i]];
		sieve->stacks[i] &= holds[i] == keep;
	}
	if (keep)
		sieve->stacks[STACK_ROOT] = 0;
	free(functions);
	free(holds);
	return 0;
}

static void sieve_objects(struct sieve *sieve, const struct profile *profile, const char *objects)
{
	const struct profile_stacks *stacks = &profile->stacks;

	for (size_t i = 0; objects && i < stacks->len; i++) {
		uint32_t object = profile->functions.data[stacks->function[i]].object;
		const struct profile_object *at = &profile->objects.data[object];
		const char *path = profile_text(profile, at->path);
		const char *slash = strrchr(path, '/');

		sieve->stacks[i] &= in_list(objects, path) ||
				    in_list(objects, profile_text(profile, at->name)) ||
				    (slash && in_list(objects, slash + 1));
	}
}

/* Where the kernels of the machines that we know wait for something to do. */
static bool is_idle_name(const char *name)
{
	static const char *const names[] = {
		"acpi_idle_do_entry",
		"acpi_processor_ffh_cstate_enter",
		"acpi_safe_halt",
		"arch_cpu_idle",
		"cpu_do_idle",
		"cpu_idle",
		"cpu_idle_poll",
		"cpu_startup_entry",
		"cpuidle_enter_state",
		"default_idle",
		"default_idle_call",
		"do_idle",
		"intel_idle",
		"intel_idle_ibrs",
		"intel_idle_irq",
		"io_idle",
		"mwait_idle",
		"mwait_idle_with_hints",
		"mwait_idle_with_hints.constprop.0",
		"native_safe_halt",
		"poll_idle",
		"psw_idle",
		"pv_native_safe_halt",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

uint8_t *profile_idle_stacks(const struct profile *profile)
{
	uint8_t *idle = mem_alloc(profile->stacks.len), *functions;

	if (profile->ready && profile->ready->stacks == profile->stacks.parent)
		return memcpy(idle, profile->ready->idle, profile->stacks.len);
	functions = mem_alloc(profile->functions.len);
	for (uint32_t i = 0; i < profile->functions.len; i++)
		functions[i] = profile->functions.data[i].kind == FRAME_KERNEL &&
			       is_idle_name(profile_function_name(profile, i));
	for (size_t i = 0; i < profile->stacks.len; i++)
		idle[i] = functions[profile->stacks.function[i]];
	free(functions);
	return idle;
}

static void sieve_busy(struct sieve *sieve, const struct profile *profile)
{
	uint8_t *idle = profile_idle_stacks(profile);

	for (size_t i = 0; i < profile->stacks.len; i++)
		sieve->stacks[i] &= !idle[i];
	free(idle);
}

static int sieve_stacks(struct sieve *sieve, const struct profile *profile,
			const struct profile_filter *filter, struct err *err)
{
	enum match_names names = filter->listed ? MATCH_LISTED : MATCH_SHOWN;
	int rc;

	if (!filter->keep && !filter->keep_too && !filter->keep_raw && !filter->drop &&
	    !filter->objects && !filter->busy)
		return 0;
	sieve->stacks = mem_alloc(profile->stacks.len);
	memset(sieve->stacks, 1, profile->stacks.len);
	if (filter->busy)
		sieve_busy(sieve, profile);
	sieve_objects(sieve, profile, filter->objects);
	rc = sieve_functions(sieve, profile, filter->keep, true, names, err);
	if (!rc)
		rc = sieve_functions(sieve, profile, filter->keep_too, true, names, err);
	if (!rc)
		rc = sieve_functions(sieve, profile, filter->keep_raw, true, MATCH_RAW, err);
	return rc ? rc : sieve_functions(sieve, profile, filter->drop, false, names, err);
}

/*
 * The pass over the columns.  Called with constants for what there is to test, so that the loop
 * that the compiler makes of it holds no test that is not needed.
 */
static inline __attribute__((always_inline)) void weigh_rows(
	const struct profile_samples *rows, const struct sieve *sieve, bool by_event,
	bool by_thread, bool by_cpu, bool by_stack, bool counted, struct stack_weights *weights)
{
	for (size_t i = sieve->first; i < sieve->last; i++) {
		uint32_t stack = rows->stack[i];
		bool in = true;

		if (by_event)
			in &= rows->event[i] == sieve->event;
		if (by_thread)
			in &= sieve->threads[rows->thread[i]];
		if (by_cpu)
			in &= sieve->cpus[rows->cpu[i]];
		if (by_stack)
			in &= sieve->stacks[stack];
		weights->samples[stack] += in ? counted ? rows->count[i] : 1 : 0;
		weights->weight[stack] += in ? rows->weight[i] : 0;
	}
}

/* Whether there are rows of other events; perf's dummy events have none. */
static bool has_others(const struct profile *profile, uint16_t event)
{
	for (size_t i = 0; i < profile->events.len; i++)
		if (i != event && profile->events.data[i].samples)
			return true;
	return event >= profile->events.len;
}

static void weigh(const struct profile *profile, const struct sieve *sieve,
		  struct stack_weights *weights)
{
	bool by_event = has_others(profile, sieve->event);
	const struct profile_samples *rows = &profile->samples;

	if (rows->count)
		weigh_rows(rows, sieve, by_event, sieve->threads, sieve->cpus, sieve->stacks, true,
			   weights);
	else if (!sieve->threads && !sieve->cpus && !sieve->stacks)
		weigh_rows(rows, sieve, by_event, false, false, false, false, weights);
	else if (sieve->threads && sieve->cpus && !sieve->stacks)
		weigh_rows(rows, sieve, by_event, true, true, false, false, weights);
	else
		weigh_rows(rows, sieve, by_event, sieve->threads, sieve->cpus, sieve->stacks, false,
			   weights);
}

int sieve_make(struct sieve *sieve, const struct profile *profile,
	       const struct profile_filter *filter, struct err *err)
{
	int rc;

	*sieve = (struct sieve){
		.event = filter->event,
		.first = profile_row_at(profile, filter->time_from),
		.last = filter->time_to ? profile_row_at(profile, filter->time_to)
					: profile->samples.len,
	};
	sieve_threads(sieve, profile, filter);
	rc = sieve_cpus(sieve, filter, err);
	if (!rc)
		rc = sieve_stacks(sieve, profile, filter, err);
	if (rc)
		sieve_free(sieve);
	return rc;
}

void sieve_free(struct sieve *sieve)
{
	free(sieve->threads);
	free(sieve->cpus);
	free(sieve->stacks);
	*sieve = (struct sieve){ 0 };
}

int profile_weigh(const struct profile *profile, const struct profile_filter *filter,
		  struct stack_weights *weights, struct err *err)
{
	struct sieve sieve;
	int rc = sieve_make(&sieve, profile, filter, err);

	if (rc)
		return rc;
	*weights = (struct stack_weights){ .len = profile->stacks.len };
	weights->samples = mem_alloc(weights->len * sizeof(*weights->samples));
	weights->weight = mem_alloc(weights->len * sizeof(*weights->weight));
	weigh(profile, &sieve, weights);
	for (size_t i = 0; i < weights->len; i++) {
		weights->total_samples += weights->samples[i];
		weights->total_weight += weights->weight[i];
	}
	sieve_free(&sieve);
	return 0;
}

void stack_weights_free(struct stack_weights *weights)
{
	free(weights->samples);
	free(weights->weight);
	*weights = (struct stack_weights){ 0 };
}
