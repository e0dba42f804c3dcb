// SPDX-License-Identifier: Apache-2.0
/* What limited a program: the one sentence. */
#include "base/text.h"
#include "profile/overview_inside.h"

#define FAULT_NS	700.0 /* about what a page costs that is touched for the first time */
#define SHORT_SAMPLES	4.0   /* samples that a short process has on average, at most */
#define SHORT_PROCESSES 10
#define SHORT_S		0.02 /* CPU time of one, on average */
#define SEVERAL_CPUS	1.1  /* below it is one, by clocks that differ a little */
#define SHORT_RATE	50   /* a second: where that many are, the rest is no rest */

static const char *duration(const struct sums *s, char into[static TEXT_NUMBER])
{
	return text_duration(into, (int64_t)s->facts->duration_ns);
}

static void show_top(struct finding *finding, const struct sums *s)
{
	if (s->facts->functions.count && s->facts->samples >= FEW_SAMPLES && !s->facts->other_event)
		show_share(finding, "heaviest function", s->facts->functions.data[0].share);
}

/* It was ready to run, and for a good part of its time could not. */
static bool is_held_up(const struct sums *s)
{
	return s->starved && s->cpus_used >= 0 && s->cpus_used < 0.75;
}

/* Whatever it is limited by: there it had less to do with its time than others had. */
static void say_held_up(struct finding *f, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	double waited = (double)facts->cpu_wait_ns * 1e-9;
	char text[TEXT_NUMBER];

	say(f, "it ran for %.0f %% of its %s", percent(s->cpus_used), duration(s, text));
	if (facts->knows_waits && waited > 0) {
		say(f, " and waited for a CPU for %.0f %%", percent(waited / s->seconds));
		show_time(f, "waiting for a CPU", waited);
	} else {
		say(f, ", while others had the CPU for the rest");
	}
	advise(f, s, ADVICE_QUIET, "");
}

static void end_sentence(struct finding *f, const struct sums *s)
{
	if (is_held_up(s)) {
		say(f, "; ");
		say_held_up(f, s);
	}
	say(f, ".");
}

/* ---- nothing, or little ---- */

static bool has_nothing(const struct sums *s)
{
	return s->facts->nothing;
}

static void tell_nothing(const struct sums *s, struct finding *f)
{
	const char *reason = s->facts->reason, *remedy = strstr(reason, "; ");
	int length = remedy ? (int)(remedy - reason) : (int)strlen(reason);

	say(f, "Nothing was measured: %.*s.", length, reason);
	if (remedy)
		snprintf(f->remedy, sizeof(f->remedy), "%s", remedy + 2);
}

static bool has_little(const struct sums *s)
{
	if (s->facts->samples >= FEW_SAMPLES)
		return false;
	/* of a program that took a moment and no CPU time, the start is all there is */
	return s->cpus_used < 0 || s->seconds < 0.02 || (s->seconds < 0.3 && s->cpu_s < 0.02);
}

static void tell_little(const struct sums *s, struct finding *f)
{
	unsigned long long samples = s->facts->samples;
	char text[TEXT_NUMBER], few[64] = "not one sample was taken";

	if (s->facts->failed) {
		say(f, "It ended with %s after %s, too soon to say what limited it.",
		    s->facts->ending, duration(s, text));
	} else if (!samples && s->facts->duration_ns && s->seconds < 1) {
		say(f, "It took only %s: too short to say what limited it.", duration(s, text));
	} else {
		say(f, "There is too little data to say what limited it: %llu sample%s", samples,
		    samples == 1 ? "" : "s");
		if (s->facts->duration_ns)
			say(f, " in %s", duration(s, text));
		say(f, ".");
	}
	if (samples)
		snprintf(few, sizeof(few), "%llu sample%s little", samples,
			 samples == 1 ? " says" : "s say");
	/* of a program that did not do its work, a longer look is of no use */
	if (s->facts->sampled && !s->facts->failed)
		advise(f, s, ADVICE_LONGER, few);
	if (s->facts->sampled)
		show_count(f, "samples", samples);
	show_time(f, "duration", s->seconds);
}

/* ---- samples of something else than time ---- */

static bool counts_other(const struct sums *s)
{
	return s->facts->other_event && s->cpus_used < 0 && s->facts->samples >= FEW_SAMPLES;
}

static void tell_other(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	const struct overview_top *top = facts->functions.count ? facts->functions.data : NULL;

	if (*facts->other_event) {
		say(f, "Its samples are of ");
		say_name(f, facts->other_event);
		say(f, ", not of time, and don't tell what limited it");
	} else {
		say(f, "Nothing tells what its samples are of, and so what limited it");
	}
	if (facts->unknown >= 0.1 && (!top || facts->unknown > top->share)) {
		say(f, "; %.0f %% is in code without names", percent(facts->unknown));
	} else if (top) {
		say(f, "; ");
		say_name(f, top->name);
		say(f, " alone has %.0f %%", percent(top->share));
		f->function = top;
	}
	say(f, ".");
	show_count(f, "samples", facts->samples);
	if (top)
		show_share(f, "heaviest function", top->share);
}

/* ---- waiting ---- */

/* By the kernel's count, or so much that reading it alone took long, at 500 MB a second. */
static bool waits_for_disk(const struct sums *s)
{
	double off = s->seconds - s->cpu_s;

	if (s->facts->knows_waits)
		return off > 0 && (double)s->facts->io_wait_ns * 1e-9 >= 0.5 * off;
	return s->seconds > 0 && (double)s->facts->disk_read / 500e6 >= 0.1 * s->seconds;
}

/* The kernel's account of the disk, else stacks; a guess is none. */
static const char *what_it_waited_for(const struct sums *s)
{
	return waits_for_disk(s) ? "the disk" : wait_words(s->facts);
}

static void show_disk(struct finding *finding, const struct sums *s)
{
	if (s->facts->knows_waits && s->facts->io_wait_ns >= 1000000)
		show_time(finding, "waiting for a disk", (double)s->facts->io_wait_ns * 1e-9);
	if (s->facts->disk_read >= 1000000)
		show_bytes(finding, "read from disk", s->facts->disk_read);
}

/* That it gave the CPU up, and nobody took it away: by switches, or by the time that it was ready.
 */
static bool knows_rest(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	return facts->knows_waits || (facts->knows_counts && !facts->mixed_switches);
}

static bool is_idle(const struct sums *s)
{
	/* cycles hardly count while a CPU has no work: they don't tell how long that was */
	if (s->facts->whole_host)
		return s->facts->clocked && s->facts->idle >= 0.75;
	return s->cpus_used >= 0 && s->cpus_used < 0.25 && !s->starved;
}

static void tell_idle(const struct sums *s, struct finding *f)
{
	double busy = s->facts->whole_host ? 1 - s->facts->idle : s->cpus_used;
	const char *waited = what_it_waited_for(s);
	char text[TEXT_NUMBER];

	say(f, "%s was mostly idle: ", subject(s));
	if (s->facts->whole_host)
		say(f, "its CPUs had no work for %.0f %% of the time.", percent(s->facts->idle));
	else
		say(f, "it ran for %.1f %% of its %s and waited for the rest%s%s%s.", percent(busy),
		    duration(s, text), knows_rest(s) ? "" : ", or others had the CPU",
		    waited ? ", mostly for " : "", waited ? waited : "");
	show_share(f, "on CPU", busy);
	show_share(f, knows_rest(s) || s->facts->whole_host ? "waiting" : "not on CPU",
		   busy < 1 ? 1 - busy : 0);
	if (s->cpu_s >= 0)
		show_time(f, "CPU time", s->cpu_s);
	show_switches(f, s);
	show_disk(f, s);
}

static bool is_waiting(const struct sums *s)
{
	return !s->facts->whole_host && s->cpus_used >= 0.25 && s->cpus_used < 0.75 && !s->starved;
}

/* For most of the time: then it matters less what it did in the rest. */
static bool is_mostly_waiting(const struct sums *s)
{
	return is_waiting(s) && s->cpus_used < 0.5;
}

static void tell_waiting(const struct sums *s, struct finding *f)
{
	const char *waited = what_it_waited_for(s);
	char text[TEXT_NUMBER];

	if (knows_rest(s)) {
		say(f, "It waited for %.0f %% of its %s%s%s, and ran for the rest.",
		    percent(1 - s->cpus_used), duration(s, text), waited ? ", mostly for " : "",
		    waited ? waited : "");
		show_share(f, "waiting", 1 - s->cpus_used);
	} else {
		say(f,
		    "It ran for %.0f %% of its %s; for the rest it waited, or others had the CPU.",
		    percent(s->cpus_used), duration(s, text));
		show_share(f, "not on CPU", 1 - s->cpus_used);
	}
	show_share(f, "on CPU", s->cpus_used);
	show_switches(f, s);
	show_disk(f, s);
}

/* It hands over so often that this is what it does. */
static bool is_switching(const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	return !facts->whole_host && facts->samples >= FEW_SAMPLES && facts->knows_counts &&
	       (double)facts->voluntary_switches >= 2000 * s->seconds && all_waits(facts) >= 0.3 &&
	       wait_words(facts);
}

static void tell_switching(const struct sums *s, struct finding *f)
{
	double rate = (double)s->facts->voluntary_switches / s->seconds;
	char count[TEXT_NUMBER];

	say(f,
	    "It was limited by waiting for %s: it stopped for that %s times a second, which took "
	    "%.0f %% of its CPU time.",
	    wait_words(s->facts), text_grouped(count, (uint64_t)rate),
	    percent(all_waits(s->facts)));
	show_share(f, "stopping and going on", all_waits(s->facts));
	show_switches(f, s);
	if (s->cpus_used >= 0)
		show_share(f, "on CPU", s->cpus_used);
}

/* ---- running ---- */

/* Also those that were never met by a sample: each is shorter than the time between two. */
static uint64_t count_processes(const struct overview_facts *facts)
{
	return facts->forks > facts->processes ? facts->forks : facts->processes;
}

/* Many, and none of them had much time. */
static bool has_short_processes(const struct sums *s)
{
	double processes = (double)count_processes(s->facts);

	if (s->facts->whole_host || processes < SHORT_PROCESSES)
		return false;
	/* a script that sleeps between its commands is not limited by them */
	if (s->cpus_used >= 0 && s->cpus_used < 0.25 && !s->starved &&
	    processes < SHORT_RATE * s->seconds)
		return false;
	if (s->cpu_s >= 0 && s->facts->forks)
		return s->cpu_s / processes <= SHORT_S;
	/* at any rate of samples, most of those that were met were met once or twice */
	return s->facts->samples >= FEW_SAMPLES &&
	       (double)s->facts->samples / processes <=
		       SHORT_SAMPLES * (s->facts->processing + s->facts->faults >= 0.5 ? 2 : 1);
}

static void tell_short_processes(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	uint64_t processes = count_processes(facts);
	double starting = facts->processing + facts->faults;
	char count[TEXT_NUMBER], each[TEXT_NUMBER];

	say(f, "%s started many short processes: %s%s", subject(s), facts->forks ? "" : "at least ",
	    text_grouped(count, processes));
	if (s->cpu_s >= 0)
		say(f, ", with %s of CPU time each",
		    text_duration(each, (int64_t)(1e9 * s->cpu_s / (double)processes)));
	if (facts->samples >= FEW_SAMPLES && facts->has_kernel_stacks)
		say(f,
		    "; starting and ending them, and their first touch of memory, took %.0f %% "
		    "of it",
		    percent(starting));
	end_sentence(f, s);
	show_count(f, facts->forks ? "processes started" : "processes met", processes);
	show_rate(f, "processes", processes, s->seconds);
	if (facts->samples >= FEW_SAMPLES && facts->has_kernel_stacks) {
		show_share(f, "starting and ending", facts->processing);
		show_share(f, "page faults", facts->faults);
	}
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
	    "touched for the first time or gave back",
	    subject(s), percent(share));
	end_sentence(f, s);
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

	say(f, "%s was limited by %s: %.0f %% of its CPU time went into the kernel's work",
	    subject(s),
	    facts->has_kernel_stacks ? "system calls" : "the kernel, as a rule by system calls",
	    percent(share));
	if (facts->functions.count && facts->functions.data[0].kernel && !facts->other_event &&
	    facts->functions.data[0].share >= 0.1) {
		say(f, ", %.0f %% in ", percent(facts->functions.data[0].share));
		say_name(f, facts->functions.data[0].name);
		say(f, " alone");
		f->function = &facts->functions.data[0];
	}
	end_sentence(f, s);
	if (facts->has_kernel_stacks)
		show_share(f, "system calls", share);
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
	show_top(f, s);
	show_switches(f, s);
}

static bool is_busy(const struct sums *s)
{
	return s->cpus_used >= 0.75 || s->starved || s->facts->samples >= FEW_SAMPLES;
}

/* Code without names is no function, and may be more than the heaviest one. */
static void say_heaviest(struct finding *f, const struct overview_facts *facts)
{
	const struct overview_top *top = facts->functions.count ? facts->functions.data : NULL;

	if (facts->samples < FEW_SAMPLES || facts->other_event)
		return;
	if (facts->unknown >= 0.1 && (!top || facts->unknown > top->share)) {
		say(f, "; %.0f %% of its CPU time is in code without names",
		    percent(facts->unknown));
		show_share(f, "without names", facts->unknown);
	} else if (top) {
		say(f, "; ");
		say_name(f, top->name);
		say(f, " alone took %.0f %%", percent(top->share));
		f->function = top;
	}
}

static void tell_busy_machine(const struct sums *s, struct finding *f)
{
	const struct overview_tops *programs = &s->facts->programs;
	bool clocked = s->facts->clocked;

	if (clocked)
		say(f, "The machine was busy: its CPUs had work for %.0f %% of the time",
		    percent(1 - s->facts->idle));
	else
		say(f, "The whole machine was sampled where it had work");
	if (programs->count) {
		say(f, "; ");
		say_name(f, programs->data[0].name);
		say(f, " took %.0f %% of that", percent(programs->data[0].share));
	}
	say(f, ".");
	if (clocked)
		show_share(f, "CPUs busy", 1 - s->facts->idle);
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
	show_top(f, s);
}

static void tell_busy(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	double user = s->kernel >= 0 ? 1 - s->kernel : 1;
	char text[TEXT_NUMBER];

	if (facts->whole_host) {
		tell_busy_machine(s, f);
		return;
	}
	say(f, "It was limited by the CPU: ");
	if (is_held_up(s))
		say_held_up(f, s);
	else if (s->cpus_used >= SEVERAL_CPUS)
		say(f, "it kept %.1f CPUs busy for %s", s->cpus_used, duration(s, text));
	else if (s->cpus_used >= 0)
		say(f, "it ran for %.0f %% of its %s", percent(s->cpus_used), duration(s, text));
	else
		say(f, "its samples show it running");
	if (!is_held_up(s) && s->kernel > 0.5)
		say(f, ", %.0f %% of its time in the kernel", percent(s->kernel));
	else if (!is_held_up(s) && s->kernel >= 0)
		say(f, ", %.0f %% of its time in its own code and libraries", percent(user));
	say_heaviest(f, facts);
	say(f, ".");
	if (s->cpus_used >= 0)
		show_number(f, "CPUs in use", "cpus", s->cpus_used);
	show_share(f, "own code and libraries", user);
	show_top(f, s);
	if (facts->ipc > 0)
		show_number(f, "instructions per cycle", "count", facts->ipc);
}

const struct rule overview_first_rules[] = {
	{ "nothing-measured", "raw", has_nothing, tell_nothing },
	{ "too-little", "output", has_little, tell_little },
	{ "other-event", "flame", counts_other, tell_other },
	{ "short-processes", "flame", has_short_processes, tell_short_processes },
	{ "switching", "flame", is_switching, tell_switching },
	{ "mostly-idle", "time", is_idle, tell_idle },
	{ "waiting", "time", is_mostly_waiting, tell_waiting },
	{ "page-faults", "flame", has_faults, tell_faults },
	{ "system-calls", "flame", has_calls, tell_calls },
	{ "waiting", "time", is_waiting, tell_waiting },
	{ "cpu-bound", "flame", is_busy, tell_busy },
	{ 0 },
};
