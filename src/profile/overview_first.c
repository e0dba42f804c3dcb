// SPDX-License-Identifier: Apache-2.0
/* What limited a program: the one sentence, by the largest part of its time. */
#include "base/text.h"
#include "profile/overview_inside.h"

#define FAULT_NS	700.0 /* about what a page costs that is touched for the first time */
#define SHORT_SAMPLES	4.0   /* samples that a short process has on average, at most */
#define SHORT_PROCESSES 10
#define SHORT_S		0.02 /* CPU time of one, on average */
#define SEVERAL_CPUS	1.1  /* below it is one, by clocks that differ a little */
#define SHORT_RATE	50   /* a second: where that many are, the rest is no rest */
#define OFTEN		2000 /* switches a second that are what it does */
#define SOON_S		0.01 /* of a run that is shorter, its start is all there is */
#define OWN_CROWD	0.9  /* where something of it runs for so long, its own threads queue up */
#define TIE		0.02 /* parts that differ by less are as large */
#define MOST		0.5  /* a part of the time that is more than all others */

static const char *duration(const struct sums *s, char into[static TEXT_NUMBER])
{
	return text_duration(into, (int64_t)s->facts->duration_ns);
}

static void show_top(struct finding *finding, const struct sums *s)
{
	if (standing_out(s->facts) && !s->facts->other_event)
		show_share(finding, "heaviest function", s->facts->functions.data[0].share);
}

/* The time's parts are counted, not sampled: they hold if none is missing. */
static bool is_budget_whole(const struct sums *s)
{
	return s->known && s->facts->budget.whole;
}

static void show_parts(struct finding *finding, const struct sums *s)
{
	for (int i = 0; i < BUDGET_PARTS; i++)
		if (i == BUDGET_RAN || s->run[i] >= 0.001)
			show_share(finding, budget_part_label((enum budget_part)i), s->run[i]);
}

/* "it ran for 20 %, waited for the disk for 8 % and for something else for 3 %" */
static void say_parts(struct finding *f, const struct sums *s, int without)
{
	static const char *const words[] = {
		[BUDGET_RAN] = "ran for",
		[BUDGET_QUEUE] = "waited for a CPU for",
		[BUDGET_DISK] = "waited for the disk for",
		[BUDGET_PAGES] = "waited for memory for",
		[BUDGET_OTHER] = "waited otherwise for",
	};
	bool any = false;

	for (int i = 0; i < BUDGET_PARTS; i++)
		if (i != without && (s->run[i] >= 0.01 || i == BUDGET_RAN)) {
			say(f, "%s%s %.*f %%", any ? ", " : "it ", words[i],
			    s->run[i] < 0.01 ? 1 : 0, percent(s->run[i]));
			any = true;
		}
}

static bool tells_by_stacks(const struct sums *s)
{
	return s->facts->has_kernel_stacks && s->facts->samples >= FEW_SAMPLES;
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
	if (s->known)
		return s->seconds < SOON_S;
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
		say(f, "That was too soon to say what limited it.");
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
	return s->facts->other_event && s->cpus_used < 0 && !s->known &&
	       s->facts->samples >= FEW_SAMPLES;
}

static void tell_other(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	const struct overview_top *top = standing_out(facts) ? facts->functions.data : NULL;

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

/* ---- the whole machine ---- */

static bool is_host_idle(const struct sums *s)
{
	/* cycles hardly count while a CPU has no work: they don't tell how long that was */
	return s->facts->whole_host && s->facts->clocked && s->facts->idle >= 0.75;
}

static void tell_host_idle(const struct sums *s, struct finding *f)
{
	say(f, "The machine was mostly idle: its CPUs had no work for %.0f %% of the time.",
	    percent(s->facts->idle));
	show_share(f, "on CPU", 1 - s->facts->idle);
	show_share(f, "idle", s->facts->idle);
	show_switches(f, s);
}

static bool is_enough_samples(const struct sums *s)
{
	return s->facts->samples >= 5 * FEW_SAMPLES;
}

/* ---- two that are as large ---- */

static enum budget_part second_part(const struct sums *s)
{
	enum budget_part second = s->main == BUDGET_RAN ? BUDGET_QUEUE : BUDGET_RAN;

	for (int i = 0; i < BUDGET_PARTS; i++)
		if (i != (int)s->main && s->run[i] > s->run[second])
			second = (enum budget_part)i;
	return second;
}

static bool is_mixed(const struct sums *s)
{
	return s->known && s->run[s->main] < MOST && s->run[s->main] - s->run[second_part(s)] < TIE;
}

static void tell_mixed(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f, "No single thing limited it: of its %s ", duration(s, text));
	say_parts(f, s, -1);
	say(f, ".");
	show_parts(f, s);
}

/* ---- waiting ---- */

static bool is_mostly_other(const struct sums *s)
{
	return s->known && s->main == BUDGET_OTHER;
}

static void tell_other_waiting(const struct sums *s, struct finding *f)
{
	const struct budget *budget = &s->facts->budget;
	bool rest = !budget->knows_disk; /* then it may be among the others */
	char text[TEXT_NUMBER];

	say(f, "It mostly waited, %s: for %.0f %% of its %s. The reason is not recorded; ",
	    rest ? "not for a CPU" : "neither for a CPU nor for the disk",
	    percent(s->run[BUDGET_OTHER]), duration(s, text));
	say_parts(f, s, BUDGET_OTHER);
	say(f, ".");
	show_parts(f, s);
	show_switches(f, s);
}

/* Something of it ran most of the time, and yet who did the work mostly did something else. */
static bool is_mostly_of_workers(const struct sums *s, enum budget_part part)
{
	return s->known && s->main == BUDGET_RAN && s->workers == part &&
	       s->facts->budget.count > 1;
}

static bool is_mostly_disk(const struct sums *s)
{
	return s->known && (s->main == BUDGET_DISK || is_mostly_of_workers(s, BUDGET_DISK));
}

static void tell_disk(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	if (s->main != BUDGET_DISK) {
		say(f,
		    "It was limited by the disk: its threads took turns to run, and those that did "
		    "the work waited for the disk for %.0f %% of their time, more than they ran.",
		    percent(s->work[BUDGET_DISK]));
	} else {
		say(f, "It was limited by the disk: it waited for it for %.0f %% of its %s%s; ",
		    percent(s->run[BUDGET_DISK]), duration(s, text),
		    s->run[BUDGET_DISK] < MOST ? ", more than for anything else" : "");
		say_parts(f, s, BUDGET_DISK);
		say(f, ".");
	}
	show_parts(f, s);
	if (s->facts->disk_read >= 1000000)
		show_bytes(f, "read from disk", s->facts->disk_read);
}

static bool is_mostly_pages(const struct sums *s)
{
	return s->known && s->main == BUDGET_PAGES;
}

static void tell_pages(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f,
	    "It was limited by memory: for %.0f %% of its %s it waited for pages to be swapped in "
	    "or freed; ",
	    percent(s->run[BUDGET_PAGES]), duration(s, text));
	say_parts(f, s, BUDGET_PAGES);
	say(f, ".");
	show_parts(f, s);
}

/* Threads that stand in each other's way are no queue of others: one of them always runs. */
static bool is_mostly_queue(const struct sums *s)
{
	return s->known && (s->main == BUDGET_QUEUE || (is_mostly_of_workers(s, BUDGET_QUEUE) &&
							s->run[BUDGET_RAN] < OWN_CROWD));
}

static void tell_queue_of_workers(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f,
	    "Its threads mostly waited for a CPU: something of it ran for %.0f %% of its %s, but "
	    "those "
	    "that did the work were ready and others had the CPUs for %.0f %% of their time",
	    percent(s->run[BUDGET_RAN]), duration(s, text), percent(s->work[BUDGET_QUEUE]));
	if (s->work[BUDGET_OTHER] >= 0.05)
		say(f, "; they waited otherwise for %.0f %%", percent(s->work[BUDGET_OTHER]));
	say(f, ".");
	advise(f, s, ADVICE_QUIET, "");
	show_share(f, "waiting for a CPU, of who worked", s->work[BUDGET_QUEUE]);
	show_share(f, "running, of who worked", s->work[BUDGET_RAN]);
	show_share(f, "other waiting, of who worked", s->work[BUDGET_OTHER]);
	show_count(f, "threads", s->facts->budget.count);
}

static void tell_queue(const struct sums *s, struct finding *f)
{
	const double *work = s->work;
	char text[TEXT_NUMBER];

	if (s->main != BUDGET_QUEUE) {
		tell_queue_of_workers(s, f);
		return;
	}

	say(f,
	    "It mostly waited for a CPU: it was ready and others had the CPUs for %.0f %% of its "
	    "%s; ",
	    percent(s->run[BUDGET_QUEUE]), duration(s, text));
	say_parts(f, s, BUDGET_QUEUE);
	/* only what is much more than the rest: waiting has waiting for a CPU behind it */
	if (work[BUDGET_DISK] > 2 * (work[BUDGET_RAN] + work[BUDGET_OTHER]))
		say(f, ". On a quiet machine the disk would limit it");
	else if (work[BUDGET_RAN] > 2 * (work[BUDGET_DISK] + work[BUDGET_OTHER]))
		say(f, ". On a quiet machine it would mostly run");
	say(f, ".");
	advise(f, s, ADVICE_QUIET, "");
	show_parts(f, s);
}

/* Several share the work, and hand it to each other: bytes through a pipe, a condition. */
static bool hands_over(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	const struct budget_thread *threads = budget->threads.data;

	return s->known && s->main == BUDGET_RAN && budget->threads.len > 1 &&
	       s->work[BUDGET_OTHER] >= 0.2 &&
	       (double)threads[1].ns[BUDGET_RAN] >= 0.2 * (double)threads[0].ns[BUDGET_RAN] &&
	       (double)budget->switches >= OFTEN * s->seconds && !has_short_processes(s);
}

/* Something always runs, and each that does mostly waits. */
static bool takes_turns(const struct sums *s)
{
	return is_mostly_of_workers(s, BUDGET_OTHER) || hands_over(s);
}

static void tell_handing_over(const struct sums *s, struct finding *f)
{
	uint64_t rate = (uint64_t)((double)s->facts->budget.switches / s->seconds);
	char count[TEXT_NUMBER];

	say(f,
	    "Its threads took turns: they stopped to wait %s times a second, and those that did "
	    "the "
	    "work waited for %.0f %% of their time, neither for a CPU nor for the disk. The reason "
	    "is "
	    "not recorded",
	    text_grouped(count, rate), percent(s->work[BUDGET_OTHER]));
	if (tells_by_stacks(s) && is_above(s->facts, s->facts->calls, MOST))
		say(f, "; %.0f %% of the CPU time went into system calls",
		    percent(s->facts->calls));
	say(f, ".");
}

static void tell_turns(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	if (!is_mostly_of_workers(s, BUDGET_OTHER))
		tell_handing_over(s, f);
	else
		say(f,
		    "Its threads mostly waited, neither for a CPU nor for the disk: something of "
		    "it ran "
		    "for "
		    "%.0f %% of its %s, but those that did the work took turns and waited for %.0f "
		    "%% of "
		    "their time, more than they ran. The reason is not recorded.",
		    percent(s->run[BUDGET_RAN]), duration(s, text), percent(s->work[BUDGET_OTHER]));
	show_share(f, "waiting, of who worked", s->work[BUDGET_OTHER]);
	show_share(f, "running, of who worked", s->work[BUDGET_RAN]);
	show_count(f, "threads", s->facts->budget.count);
	show_switches(f, s);
}

/* Where nothing was counted, samples against the clock have to do: they don't tell why not. */
static bool is_off_cpu(const struct sums *s)
{
	return !s->known && !s->facts->whole_host && s->cpus_used >= 0 && s->cpus_used < 0.75;
}

static void tell_off_cpu(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f,
	    "It ran for %.*f %% of its %s; for the rest it waited, or others had the CPU: which of "
	    "them is not recorded.",
	    s->cpus_used < 0.095 ? 1 : 0, percent(s->cpus_used), duration(s, text));
	show_share(f, "on CPU", s->cpus_used);
	show_share(f, "not on CPU", 1 - s->cpus_used);
	if (s->cpu_s >= 0)
		show_time(f, "CPU time", s->cpu_s);
	show_switches(f, s);
}

/* ---- running ---- */

/* Also those that were never met by a sample: each is shorter than the time between two. */
static uint64_t count_processes(const struct overview_facts *facts)
{
	return facts->forks > facts->processes ? facts->forks : facts->processes;
}

bool has_short_processes(const struct sums *s)
{
	double processes = (double)count_processes(s->facts);

	if (s->facts->whole_host || processes < SHORT_PROCESSES)
		return false;
	/* a script that sleeps between its commands is not limited by them */
	if (s->cpus_used >= 0 && s->cpus_used < 0.25 && processes < SHORT_RATE * s->seconds)
		return false;
	if (s->cpu_s >= 0 && s->facts->forks)
		return s->cpu_s / processes <= SHORT_S;
	/* at any rate of samples, most of those that were met were met once or twice */
	return s->facts->samples >= FEW_SAMPLES &&
	       (double)s->facts->samples / processes <=
		       SHORT_SAMPLES * (s->facts->processing + s->facts->faults >= 0.5 ? 2 : 1);
}

/* The first sentence of a run that ran: else they are mentioned. */
static bool runs_short_processes(const struct sums *s)
{
	return (!s->known || s->main == BUDGET_RAN) && has_short_processes(s);
}

void tell_short_processes(const struct sums *s, struct finding *f)
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
	say(f, ".");
	show_count(f, facts->forks ? "processes started" : "processes met", processes);
	show_rate(f, "processes", processes, s->seconds);
	if (facts->samples >= FEW_SAMPLES && facts->has_kernel_stacks) {
		show_share(f, "starting and ending", facts->processing);
		show_share(f, "page faults", facts->faults);
	}
}

static bool is_counted(const struct sums *s)
{
	return s->facts->forks && s->cpu_s >= 0;
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
	if (s->known && s->run[BUDGET_RAN] < MOST)
		return false;
	if (tells_by_stacks(s))
		return s->facts->faults >= MOST;
	return s->kernel >= MOST && guessed_faults(s) >= 0.25;
}

static bool is_sure_of_faults(const struct sums *s)
{
	return tells_by_stacks(s) && is_above(s->facts, s->facts->faults, MOST);
}

/* It would have liked to do more of it. */
static void say_queued(struct finding *f, const struct sums *s)
{
	if (s->known && s->work[BUDGET_QUEUE] >= 0.1)
		say(f, "; it waited for a CPU for %.0f %% of its time",
		    percent(s->work[BUDGET_QUEUE]));
}

static void tell_faults(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	bool stacks = tells_by_stacks(s);

	if (stacks)
		say(f,
		    "%s was limited by page faults: %.0f %% of its CPU time went into memory that "
		    "it touched for the first time or gave back",
		    subject(s), percent(facts->faults));
	else
		say(f,
		    "Mostly kernel time, probably page faults: the kernel took %.0f %% of the CPU "
		    "time",
		    percent(s->kernel));
	say_queued(f, s);
	say(f, ".");
	if (stacks)
		show_share(f, "page faults", facts->faults);
	if (facts->knows_counts) {
		show_rate(f, "faults", facts->minor_faults + facts->major_faults, s->seconds);
		show_count(f, "faults from disk", facts->major_faults);
	}
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
}

static bool has_calls(const struct sums *s)
{
	if (s->known && s->run[BUDGET_RAN] < MOST)
		return false;
	if (tells_by_stacks(s))
		return s->facts->calls >= MOST;
	return s->kernel >= MOST;
}

static bool is_sure_of_calls(const struct sums *s)
{
	return tells_by_stacks(s) && is_above(s->facts, s->facts->calls, MOST);
}

static void tell_calls(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	const struct overview_top *top = facts->functions.data;
	bool stacks = tells_by_stacks(s);

	if (stacks)
		say(f, "%s was limited by system calls: %.0f %% of its CPU time went into them",
		    subject(s), percent(facts->calls));
	else
		say(f,
		    "Mostly kernel time, probably system calls: the kernel took %.0f %% of the CPU "
		    "time",
		    percent(s->kernel));
	if (standing_out(facts) == 1 && top->kernel && !facts->other_event &&
	    !is_interrupt_place(top)) {
		say(f, ", %.0f %% in ", percent(top->share));
		say_name(f, top->name);
		say(f, " alone");
		f->function = top;
	}
	say_queued(f, s);
	say(f, ".");
	if (stacks)
		show_share(f, "system calls", facts->calls);
	if (s->kernel >= 0)
		show_share(f, "in the kernel", s->kernel);
	show_top(f, s);
	show_switches(f, s);
}

static bool is_busy(const struct sums *s)
{
	return s->known || s->cpus_used >= 0.75 || s->facts->samples >= FEW_SAMPLES;
}

/*
 * What of it: a function that stands out by more than chance, or that none does.  Code without
 * names is no function, and may be more than the heaviest one.
 */
static void say_heaviest(struct finding *f, const struct overview_facts *facts)
{
	size_t standing = standing_out(facts);
	const struct overview_top *top = facts->functions.data;
	double together = 0;

	if (facts->samples < FEW_SAMPLES || facts->other_event)
		return;
	for (size_t i = 0; i < standing; i++)
		together += top[i].share;
	if (facts->unknown >= 0.1 && facts->unknown > together) {
		say(f, "; %.0f %% of its CPU time is in code without names",
		    percent(facts->unknown));
		show_share(f, "without names", facts->unknown);
	} else if (!standing) {
		say(f, "; that is spread over many functions, and none stands out");
	} else if (!is_interrupt_place(top)) {
		say(f, "; ");
		for (size_t i = 0; i < standing; i++) {
			say(f, "%s", !i ? "" : i + 1 < standing ? ", " : " and ");
			say_name(f, top[i].name);
		}
		say(f, " %s took %.0f %%", standing > 1 ? "together" : "alone", percent(together));
		f->function = top;
	}
}

static bool is_busy_host(const struct sums *s)
{
	return s->facts->whole_host;
}

static void tell_busy_host(const struct sums *s, struct finding *f)
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
	double ran = s->known ? s->run[BUDGET_RAN] : s->cpus_used;
	char text[TEXT_NUMBER];

	if (ran < 0)
		say(f, "Its samples tell where it ran, not whether that limited it");
	else if (s->cpus_used >= SEVERAL_CPUS)
		say(f, "It was limited by the CPU: it kept %.1f CPUs busy for %s", s->cpus_used,
		    duration(s, text));
	else
		say(f, "It was limited by the CPU%s: it ran for %.0f %% of its %s",
		    ran < MOST ? " more than by anything else" : "", percent(ran),
		    duration(s, text));
	if (s->kernel >= 0)
		say(f, ", %.0f %% of that in %s",
		    percent(s->kernel > MOST ? s->kernel : 1 - s->kernel),
		    s->kernel > MOST ? "the kernel" : "user space");
	say_queued(f, s);
	say_heaviest(f, facts);
	say(f, ".");
	if (s->known)
		show_parts(f, s);
	if (s->cpus_used >= 0)
		show_number(f, "CPUs in use", "cpus", s->cpus_used);
	if (s->kernel >= 0 && f->evidence_count < OVERVIEW_EVIDENCE - 2)
		show_share(f, "user space", 1 - s->kernel);
	show_top(f, s);
	if (facts->ipc > 0)
		show_number(f, "instructions per cycle", "count", facts->ipc);
}

static bool is_sure_of_cpu(const struct sums *s)
{
	return is_budget_whole(s) || (!s->known && s->cpus_used >= 0.75 && is_enough_samples(s));
}

const struct rule overview_first_rules[] = {
	{ "nothing-measured", "raw", has_nothing, tell_nothing, NULL },
	{ "too-little", "output", has_little, tell_little, NULL },
	{ "other-event", "flame", counts_other, tell_other, NULL },
	{ "mostly-idle", "time", is_host_idle, tell_host_idle, is_enough_samples },
	{ "mixed", "time", is_mixed, tell_mixed, is_budget_whole },
	{ "waiting", "time", is_mostly_other, tell_other_waiting, is_budget_whole },
	{ "disk", "time", is_mostly_disk, tell_disk, is_budget_whole },
	{ "memory", "time", is_mostly_pages, tell_pages, is_budget_whole },
	{ "cpu-queue", "time", is_mostly_queue, tell_queue, is_budget_whole },
	{ "taking-turns", "time", takes_turns, tell_turns, is_budget_whole },
	{ "short-processes", "flame", runs_short_processes, tell_short_processes, is_counted },
	{ "off-cpu", "time", is_off_cpu, tell_off_cpu, NULL },
	{ "page-faults", "flame", has_faults, tell_faults, is_sure_of_faults },
	{ "system-calls", "flame", has_calls, tell_calls, is_sure_of_calls },
	{ "busy-machine", "flame", is_busy_host, tell_busy_host, is_enough_samples },
	{ "cpu-bound", "flame", is_busy, tell_busy, is_sure_of_cpu },
	{ 0 },
};
