// SPDX-License-Identifier: Apache-2.0
#include "profile/overview.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

#define FEW_SAMPLES	20
#define FAULT_NS	700.0 /* about what a page costs that is touched for the first time */
#define SHORT_SAMPLES	4.0   /* samples that a short process has on average, at most */
#define SHORT_PROCESSES 10

/* Figures that several rules ask for. */
struct sums {
	const struct overview_facts *facts;
	double seconds;
	double cpu_s;	  /* CPU time; -1: not known */
	double cpus_used; /* 1: one CPU all the time; -1: not known */
	double kernel;	  /* share of the CPU time; -1: not known */
	bool starved;	  /* it hardly ever waited by itself: others had the CPU */
};

struct rule {
	const char *name, *tab;
	bool first; /* can be what limited the program, not just something besides */
	bool (*holds)(const struct sums *s);
	void (*tell)(const struct sums *s, struct finding *finding);
};

static void say(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct finding *finding, const char *format, ...)
{
	size_t length = strlen(finding->text);
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text + length, sizeof(finding->text) - length, format, args);
	va_end(args);
}

static struct evidence *add(struct finding *finding, const char *name, const char *unit,
			    double value)
{
	struct evidence *evidence = &finding->evidence[finding->evidence_count];

	if (finding->evidence_count < OVERVIEW_EVIDENCE - 1)
		finding->evidence_count++;
	*evidence = (struct evidence){ .name = name, .unit = unit, .value = value };
	return evidence;
}

static void show_share(struct finding *finding, const char *name, double share)
{
	struct evidence *evidence = add(finding, name, "percent", 100 * share);

	snprintf(evidence->text, sizeof(evidence->text), "%.1f %%", 100 * share);
}

static void show_time(struct finding *finding, const char *name, double seconds)
{
	struct evidence *evidence = add(finding, name, "ns", seconds * 1e9);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s",
		 text_duration(text, (int64_t)(seconds * 1e9)));
}

static void show_count(struct finding *finding, const char *name, uint64_t count)
{
	struct evidence *evidence = add(finding, name, "count", (double)count);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s", text_grouped(text, count));
}

static void show_rate(struct finding *finding, const char *name, uint64_t count, double seconds)
{
	double rate = seconds > 0 ? (double)count / seconds : 0;
	struct evidence *evidence = add(finding, name, "per-second", rate);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s a second",
		 text_grouped(text, (uint64_t)(rate + 0.5)));
}

static void show_switches(struct finding *finding, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	if (facts->knows_counts)
		show_rate(finding,
			  facts->mixed_switches ? "context switches" : "voluntary switches",
			  facts->voluntary_switches, s->seconds);
}

static void show_cpus(struct finding *finding, const struct sums *s)
{
	struct evidence *evidence;

	if (s->cpus_used < 0)
		return;
	evidence = add(finding, "CPUs in use", "cpus", s->cpus_used);
	snprintf(evidence->text, sizeof(evidence->text), "%.2f", s->cpus_used);
}

static void show_top(struct finding *finding, const struct sums *s)
{
	if (s->facts->top_count)
		show_share(finding, "heaviest function", s->facts->top[0].share);
}

static const char *duration(const struct sums *s, char into[static TEXT_NUMBER])
{
	return text_duration(into, (int64_t)s->facts->duration_ns);
}

static double percent(double share)
{
	return share > 1 ? 100 : 100 * share;
}

static const char *subject(const struct sums *s)
{
	return s->facts->whole_host ? "The machine" : "It";
}

/* ---- the rules ---- */

static bool has_little(const struct sums *s)
{
	return s->facts->samples < FEW_SAMPLES &&
	       (s->cpus_used < 0 || s->facts->duration_ns < 20000000);
}

static void tell_little(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f, "There is too little data to say what limited it: %llu samples",
	    (unsigned long long)s->facts->samples);
	if (s->facts->duration_ns)
		say(f, " in %s", duration(s, text));
	say(f, ".");
	show_count(f, "samples", s->facts->samples);
	show_time(f, "duration", s->seconds);
}

static bool is_idle(const struct sums *s)
{
	if (s->facts->whole_host)
		return s->facts->idle >= 0.75;
	return s->cpus_used >= 0 && s->cpus_used < 0.25 && !s->starved;
}

static void tell_idle(const struct sums *s, struct finding *f)
{
	double busy = s->facts->whole_host ? 1 - s->facts->idle : s->cpus_used;
	char text[TEXT_NUMBER];

	say(f, "%s was mostly idle: ", subject(s));
	if (s->facts->whole_host)
		say(f, "its CPUs had no work for %.0f %% of the time.", percent(s->facts->idle));
	else
		say(f, "it ran for %.1f %% of its %s and waited for the rest.", percent(busy),
		    duration(s, text));
	show_share(f, "on CPU", busy);
	show_share(f, "waiting", busy < 1 ? 1 - busy : 0);
	if (s->cpu_s >= 0)
		show_time(f, "CPU time", s->cpu_s);
	show_switches(f, s);
}

/* At any rate of samples, most of the processes that were met were met once or twice. */
static bool has_short_processes(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	return facts->processes >= SHORT_PROCESSES && facts->samples >= FEW_SAMPLES &&
	       (double)facts->samples / (double)facts->processes <=
		       SHORT_SAMPLES * (facts->processing + facts->faults >= 0.5 ? 2 : 1);
}

static void tell_short_processes(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	char count[TEXT_NUMBER];

	say(f,
	    "%s started many short processes: at least %s of them were met, with %.1f samples "
	    "each; starting and ending them, and their first touch of memory, took %.0f %% of the "
	    "CPU time.",
	    subject(s), text_grouped(count, facts->processes),
	    (double)facts->samples / (double)facts->processes,
	    percent(facts->processing + facts->faults));
	show_count(f, "processes met", facts->processes);
	show_share(f, "starting and ending", facts->processing);
	show_share(f, "page faults", facts->faults);
	show_share(f, "in the kernel", s->kernel > 0 ? s->kernel : facts->kernel);
}

/* The part of the CPU time that faults would explain, where there are no stacks to tell. */
static double guessed_faults(const struct sums *s)
{
	return s->cpu_s > 0 && s->facts->knows_counts
		       ? (double)s->facts->minor_faults * FAULT_NS * 1e-9 / s->cpu_s
		       : 0;
}

static bool has_faults(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	if (facts->has_kernel_stacks && facts->samples >= FEW_SAMPLES)
		return facts->faults >= 0.25 && facts->faults >= facts->calls;
	return s->kernel >= 0.3 && guessed_faults(s) >= 0.25;
}

static void tell_faults(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	double share = facts->has_kernel_stacks ? facts->faults : guessed_faults(s);

	say(f,
	    "%s was limited by page faults: %.0f %% of its CPU time went into memory that it "
	    "touched for the first time or gave back.",
	    subject(s), percent(share));
	show_share(f, "page faults", share);
	if (facts->knows_counts) {
		show_rate(f, "faults", facts->minor_faults + facts->major_faults, s->seconds);
		show_count(f, "faults from disk", facts->major_faults);
	}
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
}

static bool has_calls(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	if (facts->has_kernel_stacks && facts->samples >= FEW_SAMPLES)
		return facts->calls >= 0.4;
	return s->kernel >= 0.4 && guessed_faults(s) < 0.25;
}

static void tell_calls(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	double share = facts->has_kernel_stacks ? facts->calls : s->kernel;

	say(f,
	    "%s was limited by system calls: %.0f %% of its CPU time went into the kernel's work",
	    subject(s), percent(share));
	if (facts->top_count && facts->top[0].kernel) {
		say(f, ", most of it in `%s`", facts->top[0].name);
		f->function = &facts->top[0];
	}
	say(f, ".");
	show_share(f, "system calls", share);
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
	show_top(f, s);
	show_switches(f, s);
}

static bool is_waiting(const struct sums *s)
{
	return !s->facts->whole_host && s->cpus_used >= 0.25 && s->cpus_used < 0.75 && !s->starved;
}

static void tell_waiting(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	if (s->facts->knows_counts && !s->facts->mixed_switches) {
		say(f, "It waited for %.0f %% of its %s and ran for the rest.",
		    percent(1 - s->cpus_used), duration(s, text));
		show_share(f, "waiting", 1 - s->cpus_used);
	} else {
		say(f,
		    "It ran for %.0f %% of its %s; for the rest it waited, or others had the CPU.",
		    percent(s->cpus_used), duration(s, text));
		show_share(f, "not on CPU", 1 - s->cpus_used);
	}
	show_share(f, "on CPU", s->cpus_used);
	show_switches(f, s);
}

static bool is_busy(const struct sums *s)
{
	return s->cpus_used >= 0.75 || s->starved || s->facts->samples >= FEW_SAMPLES;
}

static void tell_busy(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	double user = s->kernel >= 0 ? 1 - s->kernel : 1;
	char text[TEXT_NUMBER];

	say(f, "%s was limited by the CPU: ", subject(s));
	if (s->cpus_used >= 1.5)
		say(f, "it kept %.1f CPUs busy for %s", s->cpus_used, duration(s, text));
	else if (s->cpus_used >= 0)
		say(f, "it ran for %.0f %% of its %s", percent(s->cpus_used), duration(s, text));
	else
		say(f, "its samples show it running");
	if (s->starved && s->cpus_used < 0.75)
		say(f, ", while others had the CPU for the rest");
	if (s->kernel >= 0)
		say(f, ", %.0f %% of its time in its own code and libraries", percent(user));
	if (facts->top_count) {
		say(f, "; `%s` alone took %.0f %%", facts->top[0].name,
		    percent(facts->top[0].share));
		f->function = &facts->top[0];
	}
	say(f, ".");
	show_cpus(f, s);
	show_share(f, "own code and libraries", user);
	show_top(f, s);
	if (facts->ipc > 0)
		snprintf(add(f, "instructions per cycle", "count", facts->ipc)->text, 64, "%.2f",
			 facts->ipc);
}

static bool has_heavy_function(const struct sums *s)
{
	return s->facts->samples >= FEW_SAMPLES && s->facts->top_count &&
	       s->facts->top[0].share >= 0.2;
}

static void tell_heavy_function(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;

	say(f, "The heaviest functions by themselves: ");
	for (size_t i = 0; i < facts->top_count; i++) {
		say(f, "%s`%s` %.1f %%", i ? ", " : "", facts->top[i].name,
		    percent(facts->top[i].share));
		show_share(f, i ? i > 1 ? "third" : "second" : "heaviest", facts->top[i].share);
	}
	say(f, ".");
	f->function = &facts->top[0];
}

static bool has_kernel(const struct sums *s)
{
	return s->kernel >= 0.2;
}

static void tell_kernel(const struct sums *s, struct finding *f)
{
	say(f, "%.0f %% of the CPU time was the kernel's, the rest the program's own.",
	    percent(s->kernel));
	show_share(f, "in the kernel", s->kernel);
	if (s->facts->has_kernel_stacks) {
		show_share(f, "system calls", s->facts->calls);
		show_share(f, "page faults", s->facts->faults);
		show_share(f, "starting and ending programs", s->facts->processing);
	}
}

static bool has_switches(const struct sums *s)
{
	return s->facts->knows_counts && s->seconds > 0 &&
	       (double)(s->facts->voluntary_switches + s->facts->involuntary_switches) /
			       s->seconds >=
		       1000;
}

static void tell_switches(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	bool waits = facts->voluntary_switches >= facts->involuntary_switches;

	if (facts->mixed_switches) {
		say(f, "It left its CPU very often, to wait or for others to run.");
		show_switches(f, s);
		return;
	}
	say(f, waits ? "It stopped to wait very often: locks, pipes, sockets or short sleeps."
		     : "It was often interrupted so that others could run: there was more to do "
		       "than there were CPUs.");
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
	snprintf(add(f, "instructions per cycle", "count", s->facts->ipc)->text, 64, "%.2f",
		 s->facts->ipc);
}

static bool has_failed(const struct sums *s)
{
	return s->facts->failed;
}

static void tell_failed(const struct sums *s, struct finding *f)
{
	say(f, "The program ended with %s: its output may say why.", s->facts->ending);
}

static bool has_lost(const struct sums *s)
{
	return s->facts->lost * 100 > s->facts->samples;
}

static void tell_lost(const struct sums *s, struct finding *f)
{
	uint64_t lost = s->facts->lost;

	say(f, "Some samples are missing; shares may be off. A lower rate or larger rings help.");
	show_count(f, "lost", lost);
	show_share(f, "of all", (double)lost / (double)(lost + s->facts->samples));
}

/* In order of rank: the first of the `first` ones that holds is what limited the program. */
static const struct rule rules[] = {
	{ "too-little", "output", true, has_little, tell_little },
	{ "short-processes", "flame", true, has_short_processes, tell_short_processes },
	{ "mostly-idle", "time", true, is_idle, tell_idle },
	{ "page-faults", "flame", true, has_faults, tell_faults },
	{ "system-calls", "flame", true, has_calls, tell_calls },
	{ "waiting", "time", true, is_waiting, tell_waiting },
	{ "cpu-bound", "flame", true, is_busy, tell_busy },
	{ "heavy-functions", "functions", false, has_heavy_function, tell_heavy_function },
	{ "kernel", "flame", false, has_kernel, tell_kernel },
	{ "stalled", "counters", false, is_stalled, tell_stalled },
	{ "switches", "counters", false, has_switches, tell_switches },
	{ "disk-faults", "counters", false, reads_pages, tell_reads },
	{ "failed", "output", false, has_failed, tell_failed },
	{ "lost-samples", "overview", false, has_lost, tell_lost },
};

/* Of a program that was always ready to run, the kernel took the CPU away, and not it gave it up.
 */
static bool was_starved(const struct overview_facts *facts, double seconds)
{
	return facts->knows_counts && facts->processes <= 1 && facts->involuntary_switches > 10 &&
	       facts->involuntary_switches > 4 * facts->voluntary_switches &&
	       (double)facts->voluntary_switches < 20 * seconds + 5;
}

static void sum_up(struct sums *s, const struct overview_facts *facts)
{
	double cpu = facts->knows_cpu	 ? (double)(facts->user_ns + facts->system_ns)
		     : facts->sampled_ns ? (double)facts->sampled_ns
					 : -1;

	*s = (struct sums){ .facts = facts, .cpus_used = -1, .cpu_s = -1, .kernel = -1 };
	s->seconds = (double)facts->duration_ns * 1e-9;
	if (cpu >= 0)
		s->cpu_s = cpu * 1e-9;
	if (cpu >= 0 && facts->duration_ns && !facts->whole_host)
		s->cpus_used = s->cpu_s / s->seconds;
	s->starved = was_starved(facts, s->seconds);
	/* Samples tell more exactly than the kernel's account of ticks, where there are many. */
	if (facts->samples >= FEW_SAMPLES * 5)
		s->kernel = facts->kernel;
	else if (facts->knows_cpu && cpu > 0)
		s->kernel = (double)facts->system_ns / cpu;
	else if (facts->samples)
		s->kernel = facts->kernel;
}

void overview_make(struct overview *overview, const struct overview_facts *facts)
{
	bool told = false;
	struct sums s;

	*overview = (struct overview){ .sure = true };
	sum_up(&s, facts);
	for (size_t i = 0; i < ARRAY_SIZE(rules) && overview->count < OVERVIEW_FINDINGS; i++) {
		struct finding *finding = &overview->findings[overview->count];

		if ((rules[i].first && told) || !rules[i].holds(&s))
			continue;
		told = true;
		if (rules[i].holds == has_little)
			overview->sure = false;
		finding->rule = rules[i].name;
		finding->tab = rules[i].tab;
		rules[i].tell(&s, finding);
		overview->count++;
	}
}
