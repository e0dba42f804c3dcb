// SPDX-License-Identifier: Apache-2.0
/* What else stands out in a run, beside what limited it. */
#include "base/text.h"
#include "profile/overview_inside.h"
#include "profile/trust.h"

/* What shares are of, together with the side. */
static const char *measured(const struct sums *s)
{
	if (*side(s))
		return s->facts->other_event ? "whole" : "CPU time";
	return s->facts->other_event ? "whole" : "time";
}

/* For sentences that don't name it otherwise. */
static void say_side(struct finding *f, const struct sums *s)
{
	if (*side(s))
		say(f, ", of the %s%s", measured(s), side(s));
}

static bool is_nameless(const struct sums *s)
{
	return s->facts->samples >= FEW_SAMPLES && s->facts->unknown >= 0.1;
}

static void tell_nameless(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;

	say(f, "%.0f %% of the %s%s is in code without names", percent(facts->unknown), measured(s),
	    side(s));
	if (facts->nameless) {
		const char *part = facts->nameless_share >= 0.995 * facts->unknown  ? "all"
				   : facts->nameless_share >= 0.95 * facts->unknown ? "almost all"
										    : "most";

		if (*facts->nameless)
			say(f, ", %s of it in `%s` (%s)", part, facts->nameless,
			    facts->nameless_why);
		else if (strcmp(part, "all") != 0)
			say(f, "; of %s of it: %s", part, facts->nameless_why);
		else
			say(f, ": %s", facts->nameless_why);
		snprintf(f->remedy, sizeof(f->remedy), "%s", facts->nameless_remedy);
	}
	say(f, ".");
	show_share(f, "without names", facts->unknown);
	if (facts->nameless && facts->nameless_share < 0.95 * facts->unknown)
		show_share(f, "there", facts->nameless_share);
}

static bool has_heavy_function(const struct sums *s)
{
	return worth_naming(s->facts) && s->facts->functions.data[0].share >= 0.1;
}

static void tell_heavy_function(const struct sums *s, struct finding *f)
{
	struct overview_tops named = s->facts->functions;

	named.count = worth_naming(s->facts);
	say(f, named.count == 1 ? "The heaviest function by itself"
				: "The heaviest functions by themselves");
	say_side(f, s);
	say(f, ": ");
	say_tops(f, &named);
	say(f, ".");
	f->function = &s->facts->functions.data[0];
}

/* Here a clock counts, not what the function does. */
static const struct overview_top *interrupt_place(const struct overview_facts *facts)
{
	for (size_t i = 0; i < facts->functions.count && facts->clocked; i++)
		if (facts->functions.data[i].share >= 0.1 &&
		    is_interrupt_place(&facts->functions.data[i]))
			return &facts->functions.data[i];
	return NULL;
}

static bool has_interrupt_place(const struct sums *s)
{
	return standing_out(s->facts) && interrupt_place(s->facts);
}

static void tell_interrupt_place(const struct sums *s, struct finding *f)
{
	const struct overview_top *place = interrupt_place(s->facts);

	say_name(f, place->name);
	say(f,
	    " has %.0f %% of the samples because the kernel lets interrupts in again there, and "
	    "the "
	    "sampling clock with them: that time belongs to the kernel code that its callers had "
	    "just left.",
	    percent(place->share));
	show_share(f, "samples there", place->share);
	f->function = place;
}

/* Who looks for the slow part of a Python program finds Python's. */
static bool hides_python(const struct sums *s)
{
	return s->facts->samples >= FEW_SAMPLES && s->facts->python >= 0.3;
}

static void tell_python(const struct sums *s, struct finding *f)
{
	say(f,
	    "%.0f %% of the %s%s is in Python's interpreter%s; which functions of the Python "
	    "program those were is not recorded.",
	    percent(s->facts->python), measured(s), side(s),
	    s->facts->has_kernel_stacks && s->facts->cut < 0.05 ? " and what it calls" : "");
	advise(f, s, ADVICE_PYTHON, "");
	show_share(f, "in the interpreter", s->facts->python);
}

static bool has_programs(const struct sums *s)
{
	return s->facts->samples >= FEW_SAMPLES && s->facts->programs.count >= 2 &&
	       s->facts->programs.data[1].share >= 0.05;
}

static void tell_programs(const struct sums *s, struct finding *f)
{
	say(f, "By program");
	say_side(f, s);
	say(f, ": ");
	say_tops(f, &s->facts->programs);
	say(f, ".");
}

/* More than one could work, and one does. */
static bool has_one_worker(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	const struct budget *budget = &facts->budget;

	if (s->known) {
		const struct budget_thread *first = budget->threads.data;

		if (!first) /* a recording has no rows */
			return false;
		for (size_t i = 1; i < budget->threads.len; i++)
			if (first[i].pid != first->pid)
				return false;
		return budget->count >= 3 && s->run[BUDGET_RAN] + s->run[BUDGET_QUEUE] >= 0.5 &&
		       first->count == 1 &&
		       (double)first->ns[BUDGET_RAN] >= 0.8 * (double)budget->all_ns[BUDGET_RAN];
	}
	return !facts->whole_host && !facts->other_event && facts->samples >= 5 * FEW_SAMPLES &&
	       facts->processes == 1 && facts->threads >= 3 && facts->workers.data[0].share >= 0.8;
}

static void tell_one_worker(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	const struct budget *budget = &facts->budget;
	uint64_t threads = s->known ? budget->count : facts->threads;
	double share = s->known ? (double)budget->threads.data[0].ns[BUDGET_RAN] /
					  (double)budget->all_ns[BUDGET_RAN]
				: facts->workers.data[0].share;

	say(f, "One of its %llu threads, `%s`, used %.0f %% of its CPU time%s%s.",
	    (unsigned long long)threads,
	    s->known ? budget->threads.data[0].name : facts->workers.data[0].name, percent(share),
	    s->known ? "" : side(s),
	    s->known && s->run[BUDGET_QUEUE] < 0.05
		    ? ": more CPUs would not make it faster as it is"
		    : "");
	show_share(f, "that thread", share);
	show_count(f, s->known ? "threads" : "threads with samples", threads);
	if (s->cpus_used >= 0)
		show_number(f, "CPUs in use", "cpus", s->cpus_used);
}

/* Many short processes that did not limit it. */
static bool has_more_processes(const struct sums *s)
{
	return strcmp(s->first, "short-processes") != 0 && has_short_processes(s);
}

/* Where it was not said already. */
static bool has_kernel(const struct sums *s)
{
	return s->kernel >= 0.2 && strcmp(s->first, "system-calls") != 0 &&
	       strcmp(s->first, "page-faults") != 0 && strcmp(s->first, "short-processes") != 0;
}

static void tell_kernel(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	bool sampled = facts->has_kernel_stacks && s->kernel_of.of == facts->samples;
	char text[TEXT_NUMBER];
	double low, high;

	trust_interval((uint64_t)(s->kernel * (double)s->kernel_of.of + 0.5), s->kernel_of.of, &low,
		       &high);
	if (low >= 0.995)
		say(f, "All of the CPU time was spent in the kernel.");
	else if (s->kernel >= 0.995)
		say(f, "Nearly all of the CPU time was spent in the kernel, %s.",
		    overview_share_text(text, sizeof(text), &s->kernel_of));
	else
		say(f, "%.0f %% of the CPU time was spent in the kernel, %.0f %% in user space.",
		    percent(s->kernel), 100 - percent(s->kernel));
	show_sampled(f, "in the kernel", s->kernel, s->kernel_of.of);
	if (sampled && !*side(s)) {
		show_sampled(f, "system calls", facts->calls, facts->samples);
		show_sampled(f, "page faults", facts->faults, facts->samples);
		show_sampled(f, "starting and ending programs", facts->processing, facts->samples);
	}
}

static bool is_stalled(const struct sums *s)
{
	return s->facts->ipc > 0 && s->facts->ipc < 0.7 && s->cpus_used >= 0.5;
}

static void tell_stalled(const struct sums *s, struct finding *f)
{
	say(f,
	    "Its CPUs did only %.2f instructions in a cycle: they mostly waited, as a rule for "
	    "memory.",
	    s->facts->ipc);
	show_number(f, "instructions per cycle", "count", s->facts->ipc);
}

static bool has_switches(const struct sums *s)
{
	uint64_t all = s->facts->voluntary_switches + s->facts->involuntary_switches;

	return s->facts->knows_counts && s->seconds > 0 && (double)all / s->seconds >= 1000;
}

/* By the same counts as the first sentence, not by what samples show of it. */
static const char *known_wait(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	enum budget_wait wait = budget_main_wait(budget);

	if (budget->work_ns[BUDGET_DISK] > budget->work_ns[BUDGET_OTHER])
		return "the disk";
	return wait == WAITED_UNKNOWN ? NULL : budget_wait_label(wait);
}

static void tell_switches(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	bool waits = facts->voluntary_switches >= facts->involuntary_switches;
	const char *what = s->known ? known_wait(s) : wait_words(facts);

	if (facts->mixed_switches) {
		say(f, facts->whole_host ? "Its CPUs went from one program to another very often."
					 : "It left its CPU very often, to wait or for others to "
					   "run.");
		show_switches(f, s);
		return;
	}
	if (waits && what)
		say(f, "%s stopped to wait very often; most of that time was for %s.", subject(s),
		    what);
	else if (waits)
		say(f, "%s stopped to wait very often.", subject(s));
	else
		say(f, "It was often taken off its CPU although it could have gone on: others "
		       "were to run, or it yielded.");
	show_rate(f, "voluntary switches", facts->voluntary_switches, s->seconds);
	show_rate(f, "involuntary switches", facts->involuntary_switches, s->seconds);
}

static bool reads_pages(const struct sums *s)
{
	return s->facts->knows_counts && s->facts->major_faults >= 100;
}

static void tell_reads(const struct sums *s, struct finding *f)
{
	char count[TEXT_NUMBER];

	say(f, "It waited for the disk %s times to bring pages in: a second run may be quicker.",
	    text_grouped(count, s->facts->major_faults));
	show_count(f, "faults from disk", s->facts->major_faults);
}

static bool has_cut_stacks(const struct sums *s)
{
	return s->facts->samples >= FEW_SAMPLES && s->facts->cut >= 0.3;
}

static void tell_cut_stacks(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;

	say(f, "%.0f %% of the stacks are cut short: their outer callers are missing",
	    percent(facts->cut));
	if (facts->cut_why && *facts->cut_why)
		say(f, " (%s)", facts->cut_why);
	say(f, ".");
	snprintf(f->remedy, sizeof(f->remedy), "%s", facts->cut_remedy);
	show_share(f, "stacks cut short", s->facts->cut);
}

static bool has_lost(const struct sums *s)
{
	return s->facts->lost * 100 > s->facts->samples;
}

static void tell_lost(const struct sums *s, struct finding *f)
{
	double lost = (double)s->facts->lost;
	double share = lost / (lost + (double)s->facts->samples);

	say(f, "%.0f %% of the samples were lost: what is shown may be off by as much.",
	    percent(share));
	advise(f, s, ADVICE_LOST, "");
	show_count(f, "lost", s->facts->lost);
	show_share(f, "of all", share);
}

static bool was_paused(const struct sums *s)
{
	return s->facts->paused_ns;
}

static void tell_paused(const struct sums *s, struct finding *f)
{
	char paused[TEXT_NUMBER], all[TEXT_NUMBER];

	say(f,
	    "Measuring was paused for %s of its %s: samples and counters are of the rest; its CPU "
	    "time and where its time went are of all.",
	    text_duration(paused, (int64_t)s->facts->paused_ns),
	    text_duration(all, whole_number(s->seconds * 1e9)));
	show_time(f, "paused", (double)s->facts->paused_ns * 1e-9);
}

static bool left_some(const struct sums *s)
{
	return s->facts->left_over;
}

static void tell_left_over(const struct sums *s, struct finding *f)
{
	uint64_t count = s->facts->left_over;
	char text[TEXT_NUMBER];

	say(f,
	    "%s process%s that it had started %s still running when it ended, and %s ended with "
	    "it.",
	    text_grouped(text, count), count == 1 ? "" : "es", count == 1 ? "was" : "were",
	    count == 1 ? "was" : "were");
	show_count(f, "processes left over", count);
}

const struct rule overview_more_rules[] = {
	{ "paused", "counters", was_paused, tell_paused, NULL },
	{ "left-over", "overview", left_some, tell_left_over, NULL },
	{ "nameless", "functions", is_nameless, tell_nameless, NULL },
	{ "heavy-functions", "functions", has_heavy_function, tell_heavy_function, NULL },
	{ "interrupts", "functions", has_interrupt_place, tell_interrupt_place, NULL },
	{ "python", "flame", hides_python, tell_python, NULL },
	{ "short-processes", "flame", has_more_processes, tell_short_processes, NULL },
	{ "programs", "flame", has_programs, tell_programs, NULL },
	{ "one-thread", "time", has_one_worker, tell_one_worker, NULL },
	{ "kernel", "flame", has_kernel, tell_kernel, NULL },
	{ "stalled", "counters", is_stalled, tell_stalled, NULL },
	{ "switches", "counters", has_switches, tell_switches, NULL },
	{ "disk-faults", "counters", reads_pages, tell_reads, NULL },
	{ "cut-stacks", "flame", has_cut_stacks, tell_cut_stacks, NULL },
	{ "lost-samples", "overview", has_lost, tell_lost, NULL },
	{ 0 },
};
