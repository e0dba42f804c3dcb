// SPDX-License-Identifier: Apache-2.0
/* Samples as figures: which kind of work their stacks belong to. */
#include "base/idmap.h"
#include "profile/calltree.h"
#include "profile/overview.h"
#include "profile/overview_kinds.h"
#include "profile/overview_tops.h"
#include "profile/remedy.h"
#include "profile/trust.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

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

/* Also where its names or its mappings are hidden. */
static bool is_kernel(const struct profile *profile, uint32_t function)
{
	const struct profile_function *facts = &profile->functions.data[function];

	return facts->kind == FRAME_KERNEL ||
	       profile_object_is_kernel(&profile->objects.data[facts->object]);
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

/* What is measured in seconds, or in parts of one. */
static bool has_time_unit(const struct profile *profile, uint16_t event)
{
	static const char *const units[] = { "ns", "nanoseconds",  "us", "microseconds",
					     "ms", "milliseconds", "s",	 "seconds" };
	const char *unit = profile_text(profile, profile->events.data[event].unit);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i]))
			return true;
	return false;
}

/* Of stacks that are cut short, not of those that lack a caller on the way. */
static const struct trust_fault *cut_fault(const struct trust *trust)
{
	for (size_t i = 0; i < trust->fault_count; i++)
		if (trust->faults[i].part == TRUST_STACKS &&
		    trust->faults[i].reason != PANEL_CALLER_SKIPPED)
			return &trust->faults[i];
	return NULL;
}

/* What is missing is judged in one place, for all who speak of it. */
static void take_trust(struct overview_facts *facts, const struct profile *profile, uint16_t event)
{
	struct remedy_facts about = { .form = facts->form, .imported = facts->imported };
	struct trust *trust = mem_alloc(sizeof(*trust));
	const struct trust_fault *fault;

	trust_of(trust, profile, event, &about);
	fault = cut_fault(trust);
	facts->lost = trust->lost;
	facts->cut = trust->cut_share;
	facts->cut_why = fault ? panel_reason(fault->reason)->text : "";
	if (fault)
		facts->cut_object = profile_text(profile,
						 profile->objects.data[fault->object].path);
	snprintf(facts->cut_remedy, sizeof(facts->cut_remedy), "%s", fault ? fault->remedy : "");
	free(trust);
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

/* The kernel's count where there is one; samples of one side only don't stand for all of it. */
static void take_cpu_time(struct overview_facts *facts, const struct profile *profile,
			  uint16_t event, double busy, double all)
{
	const struct profile_coverage *known = &profile->coverage;

	/* text may have no periods: each sample is 1 of something then, and not a nanosecond */
	if (!facts->clocked || !(all > (double)facts->samples))
		return;
	if (facts->idle_counted)
		facts->sampled_ns = known->cpu_ns - known->idle_ns;
	else if (profile_event_sampled(&profile->events.data[event]))
		facts->sampled_ns = known->known && !known->idle_known ? known->cpu_ns : 0;
	else
		facts->sampled_ns = (uint64_t)busy;
}

void overview_facts_add(struct overview_facts *facts, const struct profile *profile, uint16_t event)
{
	struct profile_filter filter = { .event = event };
	const struct profile_quality *quality = &profile->quality;
	struct stack_weights weights;
	struct tally tally = { 0 };
	const char *side;
	double busy;

	facts->forks = quality->forks;
	facts->sampled = true;
	facts->damage = quality->damage ? profile_text(profile, (uint32_t)quality->damage) : NULL;
	facts->clocked = profile->events.len && is_clock(profile, 0);
	facts->noun = "samples";
	take_trust(facts, profile, event);
	if (event >= profile->events.len || profile_weigh(profile, &filter, &weights, NULL))
		return;
	facts->samples = weights.total_samples;
	facts->clocked = is_clock(profile, event);
	facts->other_event = other_event(profile, event);
	facts->other_time = facts->other_event && has_time_unit(profile, event);
	facts->noun = profile_noun(profile, event);
	side = profile_event_sampled(&profile->events.data[event]);
	facts->one_sided = side != NULL;
	if (side)
		facts->side = strcmp(side, "user") ? " in the kernel" : " in user space";
	facts->losses_untold = quality->origin != ORIGIN_RECORDING;
	tally.nameless = mem_alloc((profile->objects.len + 1) * sizeof(*tally.nameless));
	tally_stacks(&tally, profile, &weights);
	busy = tally.all - tally.idle;
	take_idle(facts, profile, &tally);
	stack_weights_free(&weights);
	filter.busy = true;
	if (busy > 0 && !profile_weigh(profile, &filter, &weights, NULL)) {
		take_tally(facts, profile, &tally, busy);
		overview_find_functions(facts, profile, &weights, busy);
		stack_weights_free(&weights);
	}
	take_cpu_time(facts, profile, event, busy, tally.all);
	count_threads(facts, profile, event);
	overview_find_workers(facts, profile, event);
	free(tally.nameless);
}

/* A shell whose command a signal ended exits with 128 and the signal's number; so may anyone. */
void overview_name_ending(struct overview_facts *facts, bool by_signal, int code)
{
	bool shell = !by_signal && code > 128 && code - 128 < SIGRTMIN;

	if (by_signal)
		snprintf(facts->ending, sizeof(facts->ending), "signal %d (%s)", code,
			 strsignal(code));
	else if (shell)
		snprintf(facts->ending, sizeof(facts->ending),
			 "exit status %d (may be a shell's report of signal %d, %s)", code,
			 code - 128, strsignal(code - 128));
	else
		snprintf(facts->ending, sizeof(facts->ending), "exit status %d", code);
}

void overview_facts_ending(struct overview_facts *facts, const struct profile *profile)
{
	const struct profile_coverage *known = &profile->coverage;
	bool by_signal = WIFSIGNALED(known->wait_status);

	facts->full = known->full;
	facts->failed = known->ended && known->wait_status;
	if (known->ended)
		overview_name_ending(facts, by_signal,
				     by_signal ? WTERMSIG(known->wait_status)
					       : WEXITSTATUS(known->wait_status));
}

void overview_facts_free(struct overview_facts *facts)
{
	budget_free(&facts->budget);
	overview_tops_free(&facts->functions);
	overview_tops_free(&facts->programs);
	overview_tops_free(&facts->workers);
}
