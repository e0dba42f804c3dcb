// SPDX-License-Identifier: Apache-2.0
/* Samples as figures: which kind of work their stacks belong to. */
#include "base/idmap.h"
#include "profile/calltree.h"
#include "profile/overview.h"
#include "profile/overview_kinds.h"
#include "profile/overview_tops.h"
#include "profile/remedy.h"

#include <stdio.h>

static uint32_t signs_of_function(const struct profile *profile, uint32_t function)
{
	return profile->functions.data[function].kind == FRAME_KERNEL
		       ? signs_of(profile_function_name(profile, function))
		       : 0;
}

/* By stack: the signs of all its frames. */
static uint32_t *sign_stacks(const struct profile *profile)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint32_t *functions = mem_alloc((profile->functions.len + 1) * sizeof(*functions));
	uint32_t *signs = mem_alloc((stacks->len + 1) * sizeof(*signs));

	for (uint32_t i = 0; i < profile->functions.len; i++)
		functions[i] = signs_of_function(profile, i);
	for (size_t i = 1; i < stacks->len; i++)
		signs[i] = signs[stacks->parent[i]] | functions[stacks->function[i]];
	free(functions);
	return signs;
}

struct tally {
	double all, idle, kernel, unknown, work[WORK_KINDS], waits[WAIT_KINDS];
	bool kernel_stacks;
	double *nameless; /* by object: code without names */
};

/* Also where its names are hidden. */
static bool is_kernel(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];

	return facts->kind == FRAME_KERNEL ||
	       profile->objects.data[facts->object].kind == DSO_KERNEL;
}

static void tally_stack(struct tally *tally, const struct profile *profile, size_t stack,
			uint32_t signs, double weight)
{
	const struct profile_stacks *stacks = &profile->stacks;
	uint32_t function = stacks->function[stack], caller = stacks->parent[stack];
	bool kernel = is_kernel(profile, function);

	tally->kernel += kernel ? weight : 0;
	if (profile->functions.data[function].kind == FRAME_UNKNOWN) {
		tally->unknown += weight;
		tally->nameless[profile->functions.data[function].object] += weight;
	}
	for (int i = 0; i < WORK_KINDS; i++)
		if (signs & SIGN_WORK(i)) {
			tally->work[i] += weight;
			break;
		}
	for (int i = 0; i < WAIT_KINDS && signs & SIGN_SWITCH; i++)
		if (signs & SIGN_WAIT(i)) {
			tally->waits[i] += weight;
			break;
		}
	if (kernel && caller != STACK_ROOT &&
	    profile->functions.data[stacks->function[caller]].kind == FRAME_KERNEL)
		tally->kernel_stacks = true;
}

static void tally_stacks(struct tally *tally, const struct profile *profile,
			 const struct stack_weights *weights)
{
	uint8_t *idle = profile_idle_stacks(profile);
	uint32_t *signs = sign_stacks(profile);

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

/* Why it is so, and what to do; who knows the packages of the machine puts a better one there. */
static void find_nameless(struct overview_facts *facts, const struct profile *profile,
			  const double *nameless, double busy)
{
	struct remedy_facts about = { .form = facts->form, .imported = facts->imported };
	const struct profile_object *object;
	enum panel_reason reason;
	size_t most = 0;
	char *remedy;

	for (size_t i = 0; i < profile->objects.len; i++)
		most = nameless[i] > nameless[most] ? i : most;
	if (!profile->objects.len || !(nameless[most] > 0))
		return;
	object = &profile->objects.data[most];
	reason = panel_why_unnamed(profile, object);
	remedy = remedy_for(reason, profile, object, &about);
	/* code made at run time is in no file, though its list would be */
	facts->nameless = object->kind == DSO_JIT ? "" : profile_text(profile, object->path);
	facts->nameless_share = nameless[most] / busy;
	snprintf(facts->nameless_why, sizeof(facts->nameless_why), "%s",
		 panel_reason(reason)->text);
	snprintf(facts->nameless_remedy, sizeof(facts->nameless_remedy), "%s",
		 remedy ? remedy : "");
	free(remedy);
}

static bool is_clock(const struct profile *profile, uint16_t event)
{
	const char *name = profile_text(profile, profile->events.data[event].name);

	return strstr(name, "cpu-clock") || strstr(name, "task-clock");
}

/* Events that come the more often, the longer a CPU works. */
static bool is_of_time(const char *name)
{
	static const char *const times[] = { "cpu-clock",  "task-clock", "cycles", "cpu-cycles",
					     "ref-cycles", "bus-cycles", "cpu" };
	const char *slash = strchr(name, '/'), *word = slash ? slash + 1 : name;
	size_t length = strcspn(word, ":/,");

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (length == strlen(times[i]) && !strncmp(word, times[i], length))
			return true;
	return !strncmp(word, "cpu_clk_unhalted", strlen("cpu_clk_unhalted"));
}

/* Go's profiles count samples beside CPU time; others, and folded stacks, don't say what of. */
static const char *other_event(const struct profile *profile, uint16_t event)
{
	const char *name = profile_text(profile, profile->events.data[event].name);

	if (!strcmp(name, UNTOLD_NOUN))
		return "";
	if (strcmp(name, "samples") != 0)
		return is_of_time(name) ? NULL : name;
	vec_each (beside, &profile->events)
		if (!strcmp(profile_text(profile, beside->name), "cpu"))
			return NULL;
	return "";
}

/* Stacks are counted, whatever event they are of. */
static double cut_share(const struct profile *profile)
{
	uint64_t samples = 0;

	vec_each (event, &profile->events)
		samples += event->samples;
	return samples ? (double)profile->quality.cut_stacks / (double)samples : 0;
}

static void take_tally(struct overview_facts *facts, const struct profile *profile,
		       const struct tally *tally, double busy)
{
	facts->kernel = tally->kernel / busy;
	/* an import may have left the kernel out, or put it into its callers */
	if (profile->quality.origin != ORIGIN_RECORDING && !(tally->kernel > 0))
		facts->one_sided = true;
	facts->unknown = tally->unknown / busy;
	find_nameless(facts, profile, tally->nameless, busy);
	if (facts->other_event) /* stacks tell what was done, but not how long it took */
		return;
	facts->processing = tally->work[WORK_PROCESS] / busy;
	facts->faults = tally->work[WORK_FAULT] / busy;
	facts->calls = tally->work[WORK_CALL] / busy;
	for (int i = 0; i < WAIT_KINDS; i++)
		facts->waits[i] = tally->waits[i] / busy;
	facts->has_kernel_stacks = tally->kernel_stacks;
}

/* What the kernel counted of whole CPUs is better than how often samples met an idle one. */
static void take_idle(struct overview_facts *facts, const struct profile *profile,
		      const struct tally *tally)
{
	const struct profile_coverage *known = &profile->coverage;

	facts->idle_counted = known->idle_known && known->cpu_ns >= known->idle_ns && known->cpu_ns;
	if (facts->idle_counted)
		facts->idle = (double)known->idle_ns / (double)known->cpu_ns;
	else
		facts->idle = tally->all > 0 ? tally->idle / tally->all : 0;
}

void overview_facts_add(struct overview_facts *facts, const struct profile *profile, uint16_t event)
{
	struct profile_filter filter = { .event = event };
	const struct profile_quality *quality = &profile->quality;
	struct stack_weights weights;
	struct tally tally = { 0 };
	double busy;

	facts->lost = quality->lost;
	facts->forks = quality->forks;
	facts->sampled = true;
	facts->clocked = profile->events.len && is_clock(profile, 0);
	facts->copied = quality->stack_copies > 0;
	if (event >= profile->events.len || profile_weigh(profile, &filter, &weights, NULL))
		return;
	facts->samples = weights.total_samples;
	facts->clocked = is_clock(profile, event);
	facts->other_event = other_event(profile, event);
	facts->one_sided = profile_event_sampled(&profile->events.data[event]) != NULL;
	facts->losses_untold = quality->origin != ORIGIN_RECORDING;
	tally.nameless = mem_alloc((profile->objects.len + 1) * sizeof(*tally.nameless));
	tally_stacks(&tally, profile, &weights);
	busy = tally.all - tally.idle;
	take_idle(facts, profile, &tally);
	facts->cut = cut_share(profile);
	stack_weights_free(&weights);
	filter.busy = true;
	if (busy > 0 && !profile_weigh(profile, &filter, &weights, NULL)) {
		take_tally(facts, profile, &tally, busy);
		overview_find_functions(facts, profile, &weights, busy);
		stack_weights_free(&weights);
	}
	/* text may have no periods: each sample is 1 of something then, and not a nanosecond */
	if (facts->clocked && tally.all > (double)facts->samples)
		facts->sampled_ns = facts->idle_counted
					    ? profile->coverage.cpu_ns - profile->coverage.idle_ns
					    : (uint64_t)busy;
	count_threads(facts, profile, event);
	overview_find_workers(facts, profile, event);
	free(tally.nameless);
}

void overview_facts_free(struct overview_facts *facts)
{
	budget_free(&facts->budget);
	overview_tops_free(&facts->functions);
	overview_tops_free(&facts->programs);
	overview_tops_free(&facts->workers);
}
