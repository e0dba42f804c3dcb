// SPDX-License-Identifier: Apache-2.0
/* What limited a program: the one sentence, by the largest part of its time. */
#include "base/text.h"
#include "profile/overview_inside.h"

#define FAULT_NS	700.0  /* about what a page costs that is touched for the first time */
#define FAULT_MOST_NS	5000.0 /* and what one may cost at most, on a slow machine */
#define SHORT_SAMPLES	4.0    /* samples that a short process has on average, at most */
#define SHORT_PROCESSES 10
#define SHORT_S		0.02 /* CPU time of one, on average */
#define SEVERAL_CPUS	1.1  /* below it is one, by clocks that differ a little */
#define SHORT_RATE	50   /* a second: where that many are, the rest is no rest */
#define OFTEN		2000 /* switches a second that are what it does */
#define SOON_S		0.01 /* of a run that is shorter, its start is all there is */
#define OWN_CROWD	0.9  /* where something of it runs for so long, its own threads queue up */
#define TIE		0.1 /* parts that differ by less: the next run may have it the other way round */
#define TIE_OF_MANY	0.15 /* the more so where none is the half */
#define MOST		0.5  /* a part of the time that is more than all others */
#define ERROR		0.02 /* of shares that the kernel has counted, with what begins and ends */
#define ERROR_OF_LOOKS	0.05 /* of those that were looked up now and then */
#define BUSY_IDLE	0.25 /* CPUs without work, of a machine that is called busy */
#define STARTING	0.3  /* of the CPU time, for starting processes to be what it did */
#define WORTH		0.05 /* a part that is worth a word */

static const char *duration(const struct sums *s, char into[static TEXT_NUMBER])
{
	return text_duration(into, whole_number(s->seconds * 1e9));
}

static void show_heaviest(struct finding *finding, const struct sums *s)
{
	const char *label = !*side(s)			? "heaviest function"
			    : strstr(side(s), "kernel") ? "heaviest function, of the kernel"
			    : strstr(side(s), "user")	? "heaviest function, of user space"
							: "heaviest function, of what was sampled";

	show_share(finding, label, s->facts->functions.data[0].share);
}

static void show_top(struct finding *finding, const struct sums *s)
{
	if (standing_out(s->facts) && !s->facts->other_event)
		show_heaviest(finding, s);
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

/* "Mostly" is said of no less. */
static bool is_most(const struct sums *s, double share)
{
	return share > MOST + (is_budget_whole(s) ? ERROR : ERROR_OF_LOOKS);
}

static bool is_worth_a_word(const struct sums *s, int part)
{
	return s->run[part] >= 0.01 || part == BUDGET_RAN;
}

/* "it ran for 20 %, waited for the disk for 8 % and waited for something else for 3 %" */
static void say_parts(struct finding *f, const struct sums *s, int without)
{
	static const char *const words[] = {
		[BUDGET_RAN] = "ran for",
		[BUDGET_QUEUE] = "waited for a CPU for",
		[BUDGET_DISK] = "waited for the disk for",
		[BUDGET_PAGES] = "waited for memory for",
		[BUDGET_OTHER] = "waited for something else for",
	};
	const uint64_t *waits = s->facts->budget.run_waits;
	const char *wait = only_wait(s);
	int left = 0, said = 0;

	if (!wait && budget_started_io(waits)) /* which may be the disk's */
		wait = "I/O that it had started and for something else";
	for (int i = 0; i < BUDGET_PARTS; i++)
		left += i != without && is_worth_a_word(s, i);
	for (int i = 0; i < BUDGET_PARTS; i++)
		if (i != without && is_worth_a_word(s, i)) {
			left--;
			say(f, "%s", !said++ ? "it " : left ? ", " : " and ");
			if (i == BUDGET_OTHER && wait)
				say(f, "waited for %s for", wait);
			else
				say(f, "%s", words[i]);
			say(f, " %.*f %%", s->run[i] < 0.01 ? 1 : 0, percent(s->run[i]));
		}
}

/* "the 4 busiest threads", of which shares of threads' time are */
static void say_busiest(struct finding *f, const struct sums *s)
{
	uint64_t count = s->facts->budget.workers;
	char text[TEXT_NUMBER];

	if (count > 1)
		say(f, "its %s busiest threads", text_grouped(text, count));
	else
		say(f, "its busiest thread");
}

static const char *their(const struct sums *s)
{
	return s->facts->budget.workers > 1 ? "their" : "its";
}

/* Where the quota of its cgroup explains most of it, it does not matter who had the CPUs then. */
static bool is_held_back(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;

	return budget->held_ns && 2 * budget->held_ns >= budget->run_ns[BUDGET_QUEUE];
}

static void say_held_back(struct finding *f, const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	double all = (double)budget_sum(budget->run_ns);

	say(f, "its CPU quota (cgroup) held it back for %s%.0f %% of the run's time",
	    budget->workers > 1 ? "at least " : "", percent((double)budget->held_ns / all));
}

/* Who had the CPU that the busiest threads were waiting for, by its counts. */
static void say_who(struct finding *f, const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	double all = (double)budget_sum(budget->work_ns);
	double queue = (double)budget->work_ns[BUDGET_QUEUE];
	double own = (double)budget->work_why.own, others = (double)budget->work_why.others;

	if (is_held_back(s)) {
		say(f, "; ");
		say_held_back(f, s);
	} else if (!(queue > 0) || own + others < 0.8 * queue) {
		say(f, "; who had the CPUs is not known");
	} else if (others >= 0.9 * (own + others)) {
		say(f, ", while other programs had the CPUs");
	} else if (own >= 0.9 * (own + others)) {
		say(f, ", while other threads of its own had the CPUs");
	} else {
		say(f,
		    ": for %.0f %% other threads of its own had the CPUs, for %.0f %% other "
		    "programs",
		    percent(own / all), percent(others / all));
	}
}

/* Of the busiest threads' time: waiting for others than children of their own, which work then. */
static double idle_share(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	double all = (double)budget_sum(budget->work_ns);

	return all > 0 ? s->work[BUDGET_OTHER] -
				 (double)budget->work_why.waits[WAITED_CHILDREN] / all
		       : 0;
}

static bool is_worse_for_workers(const struct sums *s)
{
	return s->facts->budget.count >= 2 && s->work[BUDGET_QUEUE] >= 2 * WORTH &&
	       s->work[BUDGET_QUEUE] - s->run[BUDGET_QUEUE] >= WORTH;
}

/* How the busiest threads waited, where that is more than the run as a whole did. */
static void say_busiest_waits(struct finding *f, const struct sums *s)
{
	const double *work = s->work, *run = s->run;
	bool said = false;

	if (s->facts->budget.count < 2 || has_short_processes(s))
		return;
	if (is_worse_for_workers(s)) {
		say(f, "; ");
		say_busiest(f, s);
		say(f, " waited for a CPU for %.0f %% of %s time", percent(work[BUDGET_QUEUE]),
		    their(s));
		say_who(f, s);
		said = true;
	}
	if (idle_share(s) >= 2 * WORTH && idle_share(s) - run[BUDGET_OTHER] >= WORTH) {
		say(f, "; ");
		if (said)
			say(f, "%s", s->facts->budget.workers > 1 ? "they" : "it");
		else
			say_busiest(f, s);
		say(f, " waited for %.0f %% of %s time, %s", percent(work[BUDGET_OTHER]), their(s),
		    not_for(s, false));
		say_reason(f, s, false);
	}
}

static void show_work(struct finding *f, const struct sums *s)
{
	show_share(f, "busiest threads: ran", s->work[BUDGET_RAN]);
	if (s->work[BUDGET_QUEUE] >= 0.001)
		show_share(f, "busiest threads: waited for a CPU", s->work[BUDGET_QUEUE]);
	if (s->work[BUDGET_DISK] >= 0.001)
		show_share(f, "busiest threads: waited for the disk", s->work[BUDGET_DISK]);
	if (s->work[BUDGET_OTHER] >= 0.001)
		show_share(f, "busiest threads: other waiting", s->work[BUDGET_OTHER]);
	show_count(f, "threads", s->facts->budget.count);
}

/* The kernel's side alone tells what it did, but not how much that was of the CPU time. */
static bool tells_by_stacks(const struct sums *s)
{
	return s->facts->has_kernel_stacks && s->facts->samples >= FEW_SAMPLES && !*side(s);
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
	/* what did not happen is not met by looking longer */
	bool seldom = !samples && s->facts->other_event && *s->facts->other_event;

	if (s->facts->damage) {
		say(f,
		    "The file is not whole (%.300s): %llu sample%s of it can be read, too little "
		    "to say what limited it.",
		    s->facts->damage, samples, text_plural(samples));
	} else if (s->facts->failed) {
		say(f, "It ended too soon to say what limited it.");
	} else if (!samples && !seldom && s->facts->duration_ns && s->seconds < 1) {
		say(f, "It took only %s: too short to say what limited it.", duration(s, text));
	} else {
		say(f, "There is too little data to say what limited it: %llu sample%s%s", samples,
		    samples == 1 ? "" : "s", seldom ? " of " : "");
		if (seldom)
			say_name(f, s->facts->other_event);
		if (s->facts->duration_ns)
			say(f, " in %s", duration(s, text));
		say(f, ".");
	}
	if (samples)
		snprintf(few, sizeof(few), "%llu sample%s little", samples,
			 samples == 1 ? " says" : "s say");
	/* of a program that did not do its work, a longer look is of no use */
	if (s->facts->damage)
		advise(f, s, ADVICE_WHOLE_FILE, "");
	else if (s->facts->sampled && !s->facts->failed && !seldom)
		advise(f, s, ADVICE_LONGER, few);
	if (s->facts->sampled)
		show_count(f, "samples", samples);
	if (s->seconds > 0)
		show_time(f, "duration", s->seconds);
}

/* ---- samples of something else than time ---- */

static bool counts_other(const struct sums *s)
{
	return s->facts->other_event && s->cpus_used < 0 && !s->known &&
	       s->facts->samples >= FEW_SAMPLES;
}

/* Some of these are times as well, and yet not what a CPU spent. */
static void say_measured(struct finding *f, const struct overview_facts *facts)
{
	static const char *const clocks[] = { "time", "wall", "real", "wall_clock" };

	for (size_t i = 0; i < ARRAY_SIZE(clocks) && facts->other_time; i++)
		if (!strcmp(facts->other_event, clocks[i])) {
			say(f, "wall-clock time, waiting included");
			return;
		}
	say_name(f, facts->other_event);
	say(f, facts->other_time ? ", a time that is not CPU time" : ", not of time");
}

static void tell_other(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	const struct overview_top *top = standing_out(facts) ? facts->functions.data : NULL;

	if (*facts->other_event) {
		say(f, "Its samples are of ");
		say_measured(f, facts);
		say(f, ", and don't tell what limited it");
	} else {
		say(f, "The file does not say what was sampled, so what limited it can't be told");
	}
	if (facts->unknown >= 0.1 && (!top || facts->unknown > top->share)) {
		say(f, "; %.0f %%%s%s %s in code without names", percent(facts->unknown),
		    *side(s) ? " of those" : "", side(s), *side(s) ? "are" : "is");
	} else if (top) {
		say(f, "; ");
		say_name(f, top->name);
		say(f, " alone has %.0f %%%s%s", percent(top->share), *side(s) ? " of those" : "",
		    side(s));
		f->function = top;
	}
	say(f, ".");
	show_count(f, facts->noun ? facts->noun : "samples", facts->samples);
	if (top)
		show_heaviest(f, s);
}

/* ---- the whole machine ---- */

static bool is_host_idle(const struct sums *s)
{
	/* cycles hardly count while a CPU has no work: they don't tell how long that was */
	return s->facts->whole_host && (s->facts->clocked || s->facts->idle_counted) &&
	       s->facts->idle > MOST + ERROR;
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

static void say_cpu_time(struct finding *f, const struct sums *s);

/* In the run's time nothing of its own ran: others had the CPUs if anybody had. */
static bool is_known_who(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	const struct budget_why *why = &budget->work_why;

	return why->others &&
	       (double)(why->own + why->others) >= 0.8 * (double)budget->work_ns[BUDGET_QUEUE];
}

/* ---- two that are about as large ---- */

static enum budget_part second_part(const double shares[static BUDGET_PARTS],
				    enum budget_part first)
{
	int second = first == BUDGET_RAN ? BUDGET_QUEUE : BUDGET_RAN;

	for (int i = 0; i < BUDGET_PARTS; i++)
		if (i != (int)first && shares[i] > shares[second])
			second = i;
	return (enum budget_part)second;
}

/* Of parts that are behind the largest by less than this, each might have been it. */
static double tie(const struct sums *s)
{
	return is_most(s, s->run[s->main]) ? TIE : TIE_OF_MANY;
}

static bool is_mixed(const struct sums *s)
{
	return s->known && s->run[s->main] - s->run[second_part(s->run, s->main)] < tie(s);
}

/* In one order, whichever is ahead this time. */
static void tell_mixed(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	say(f, "No single thing limited it: of its %s ", duration(s, text));
	say_parts(f, s, -1);
	if (s->run[s->main] - s->run[BUDGET_OTHER] < tie(s) && !only_wait(s))
		say_reason(f, s, true);
	if (s->run[s->main] - s->run[BUDGET_QUEUE] < tie(s) && is_held_back(s)) {
		say(f, "; ");
		say_held_back(f, s);
	} else if (s->run[s->main] - s->run[BUDGET_QUEUE] < tie(s)) {
		say(f, "; %s",
		    is_known_who(s) ? "other programs had the CPUs while it waited for one"
				    : "who had the CPUs while it waited for one is not known");
	}
	say_busiest_waits(f, s);
	say_cpu_time(f, s);
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
	bool most = is_most(s, s->run[BUDGET_OTHER]);
	char text[TEXT_NUMBER];

	say(f, "It %swaited, %s%s for %.0f %% of its %s%s", most ? "mostly " : "", not_for(s, true),
	    most ? ":" : ",", percent(s->run[BUDGET_OTHER]), duration(s, text),
	    most ? "" : ", the largest part");
	say_reason(f, s, true);
	say(f, "; ");
	say_parts(f, s, BUDGET_OTHER);
	say(f, ".");
	show_parts(f, s);
	show_switches(f, s);
}

/* Something of it ran most of the time, and yet the busiest threads rather did something else. */
static bool is_mostly_of_workers(const struct sums *s, enum budget_part part)
{
	return s->known && s->main == BUDGET_RAN && s->workers == part &&
	       s->work[part] - s->work[second_part(s->work, part)] >= TIE &&
	       s->facts->budget.count > 1;
}

static bool is_mostly_disk(const struct sums *s)
{
	return s->known && (s->main == BUDGET_DISK || is_mostly_of_workers(s, BUDGET_DISK));
}

/* "; at least one thread ran for 80 % of its 3 s": what the other base says. */
static void say_someone_ran(struct finding *f, const struct sums *s)
{
	char text[TEXT_NUMBER];

	say(f, "; at least one thread ran for %.0f %% of the run's %s", percent(s->run[BUDGET_RAN]),
	    duration(s, text));
}

static void tell_disk(const struct sums *s, struct finding *f)
{
	char text[TEXT_NUMBER];

	if (s->main != BUDGET_DISK) {
		say(f, "It was limited by the disk: ");
		say_busiest(f, s);
		say(f, " waited for it for %.0f %% of %s time and ran for %.0f %%",
		    percent(s->work[BUDGET_DISK]), their(s), percent(s->work[BUDGET_RAN]));
		say_someone_ran(f, s);
		say(f, ".");
		show_work(f, s);
	} else {
		if (is_most(s, s->run[BUDGET_DISK]))
			say(f, "It was limited by the disk: it waited for it for %.0f %% of its %s",
			    percent(s->run[BUDGET_DISK]), duration(s, text));
		else
			say(f, "It waited for the disk for %.0f %% of its %s, the largest part",
			    percent(s->run[BUDGET_DISK]), duration(s, text));
		say(f, "; ");
		say_parts(f, s, BUDGET_DISK);
		say(f, ".");
		show_parts(f, s);
	}
	if (s->facts->disk_read >= 1000000)
		show_bytes(f, "read from disk", s->facts->disk_read);
}

static bool is_mostly_pages(const struct sums *s)
{
	return s->known && s->main == BUDGET_PAGES;
}

static void tell_pages(const struct sums *s, struct finding *f)
{
	bool most = is_most(s, s->run[BUDGET_PAGES]);
	char text[TEXT_NUMBER];

	say(f, "%s for %.0f %% of its %s it waited for pages to be swapped in or freed%s; ",
	    most ? "It was limited by memory:" : "Memory was scarce:",
	    percent(s->run[BUDGET_PAGES]), duration(s, text), most ? "" : ", the largest part");
	say_parts(f, s, BUDGET_PAGES);
	say(f, ".");
	show_parts(f, s);
}

/* Of a queue of its own threads its own CPU time is the cause. */
static bool is_queue_of_others(const struct sums *s)
{
	const struct budget_why *why = &s->facts->budget.work_why;
	bool known = (double)(why->own + why->others) >=
		     0.8 * (double)s->facts->budget.work_ns[BUDGET_QUEUE];

	if (is_held_back(s))
		return true;
	return known ? why->others > why->own && why->others > s->facts->budget.work_ns[BUDGET_RAN]
		     : s->run[BUDGET_RAN] < OWN_CROWD;
}

static bool is_mostly_queue(const struct sums *s)
{
	return s->known && (s->main == BUDGET_QUEUE ||
			    (is_mostly_of_workers(s, BUDGET_QUEUE) && is_queue_of_others(s)));
}

static void tell_queue_of_workers(const struct sums *s, struct finding *f)
{
	if (is_most(s, s->work[BUDGET_QUEUE])) {
		say(f, "Its threads mostly waited for a CPU: ");
		say_busiest(f, s);
		say(f, " were ready for %.0f %% of their time and ran for %.0f %%",
		    percent(s->work[BUDGET_QUEUE]), percent(s->work[BUDGET_RAN]));
	} else {
		say(f, "Its threads waited for a CPU more than they ran: ");
		say_busiest(f, s);
		say(f, " for %.0f %% of their time, and they ran for %.0f %%",
		    percent(s->work[BUDGET_QUEUE]), percent(s->work[BUDGET_RAN]));
	}
	say_who(f, s);
	say_someone_ran(f, s);
	say_cpu_time(f, s);
	say(f, ".");
	if (!is_held_back(s))
		advise(f, s, ADVICE_QUIET, "");
	show_work(f, s);
}

static void tell_queue(const struct sums *s, struct finding *f)
{
	bool others = is_known_who(s);
	char text[TEXT_NUMBER];

	if (s->main != BUDGET_QUEUE) {
		tell_queue_of_workers(s, f);
		return;
	}
	if (is_most(s, s->run[BUDGET_QUEUE]))
		say(f, "It mostly waited for a CPU: for %.0f %% of its %s it was ready",
		    percent(s->run[BUDGET_QUEUE]), duration(s, text));
	else
		say(f, "It waited for a CPU for %.0f %% of its %s, the largest part",
		    percent(s->run[BUDGET_QUEUE]), duration(s, text));
	if (is_held_back(s)) {
		say(f, "; ");
		say_held_back(f, s);
	}
	say(f, "%s; ",
	    is_held_back(s)		       ? ""
	    : !others			       ? "; who had the CPUs is not known"
	    : is_most(s, s->run[BUDGET_QUEUE]) ? " while other programs had the CPUs"
					       : ": other programs had the CPUs");
	say_parts(f, s, BUDGET_QUEUE);
	say_busiest_waits(f, s);
	say_cpu_time(f, s);
	say(f, ".");
	if (others && !is_held_back(s))
		advise(f, s, ADVICE_QUIET, "");
	show_parts(f, s);
}

/* Several share the work, and stop to wait all the time: bytes through a pipe, a condition. */
static bool hands_over(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;

	return idle_share(s) >= 0.2 && (double)budget->switches >= OFTEN * s->seconds;
}

/* Something always runs, and yet the busiest threads wait for each other, or for something else. */
static bool takes_turns(const struct sums *s)
{
	return s->known && s->main == BUDGET_RAN && s->facts->budget.workers > 1 &&
	       (hands_over(s) ||
		(idle_share(s) >= 0.2 && idle_share(s) > s->work[BUDGET_RAN] + ERROR));
}

static void tell_turns(const struct sums *s, struct finding *f)
{
	const struct budget *budget = &s->facts->budget;
	char count[TEXT_NUMBER];

	if (is_most(s, s->work[BUDGET_OTHER]))
		say(f, "Its threads mostly waited, %s: ", not_for(s, false));
	else if (s->work[BUDGET_OTHER] > s->work[BUDGET_RAN] + ERROR)
		say(f, "Its threads waited more than they ran, %s: ", not_for(s, false));
	else
		say(f, "Its threads stopped to wait %s times a second: ",
		    text_grouped(count,
				 (uint64_t)whole_number((double)budget->switches / s->seconds)));
	say_busiest(f, s);
	say(f, " ran for %.0f %% of %s time and waited for %.0f %%", percent(s->work[BUDGET_RAN]),
	    their(s), percent(s->work[BUDGET_OTHER]));
	say_reason(f, s, false);
	if (s->work[BUDGET_QUEUE] >= WORTH) {
		say(f, "; they waited for a CPU for %.0f %%", percent(s->work[BUDGET_QUEUE]));
		say_who(f, s);
	}
	say_someone_ran(f, s);
	if (tells_by_stacks(s) && is_above(s->facts, s->facts->calls, MOST))
		say(f, "; %.0f %% of the CPU time went into system calls",
		    percent(s->facts->calls));
	say(f, ".");
	show_work(f, s);
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
	    "It ran for %.*f %% of its %s; whether it waited for the rest or others had the CPU is "
	    "not recorded.",
	    s->cpus_used < 0.095 ? 1 : 0, percent(s->cpus_used), duration(s, text));
	show_share(f, "on CPU", s->cpus_used);
	show_share(f, "not on CPU", 1 - s->cpus_used);
	if (s->cpu_s >= 0)
		show_time(f, "CPU time", s->cpu_s);
	show_switches(f, s);
}

/* ---- running ---- */

/*
 * Also those that were never met by a sample: each is shorter than the time between two.  Of those
 * that were met one may have started the others.
 */
static uint64_t count_processes(const struct overview_facts *facts)
{
	return facts->forks + 1 >= facts->processes ? facts->forks : facts->processes;
}

/* CPU time of one of them; the heaviest of all is who started them, or no short one. */
static double short_process_s(const struct sums *s)
{
	double rest = s->facts->samples >= FEW_SAMPLES ? 1 - s->facts->heaviest_process : 1;

	return s->cpu_s * rest / (double)count_processes(s->facts);
}

static double starting(const struct overview_facts *facts)
{
	return facts->processing + facts->faults;
}

bool has_short_processes(const struct sums *s)
{
	double processes = (double)count_processes(s->facts);

	if (s->facts->whole_host || processes < SHORT_PROCESSES)
		return false;
	/* one that works for itself is what it did; one that starts others all the time is not */
	if (s->facts->samples >= FEW_SAMPLES && s->facts->heaviest_process >= MOST &&
	    !(tells_by_stacks(s) && starting(s->facts) >= STARTING))
		return false;
	/* a script that sleeps between its commands is not limited by them */
	if (s->cpus_used >= 0 && s->cpus_used < 0.25 && processes < SHORT_RATE * s->seconds)
		return false;
	if (s->cpu_s >= 0 && s->facts->forks)
		return short_process_s(s) <= SHORT_S;
	/* at any rate of samples, most of those that were met were met once or twice */
	return s->facts->samples >= FEW_SAMPLES &&
	       (double)s->facts->samples / processes <=
		       SHORT_SAMPLES * (starting(s->facts) >= 0.5 ? 2 : 1);
}

/* Where stacks tell that they did something else, that is what it did. */
static bool is_made_of_starts(const struct sums *s)
{
	return has_short_processes(s) && !(tells_by_stacks(s) && starting(s->facts) < STARTING);
}

/* The first sentence of a run that ran: else they are mentioned. */
static bool runs_short_processes(const struct sums *s)
{
	return (!s->known || s->main == BUDGET_RAN) && is_made_of_starts(s);
}

void tell_short_processes(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	uint64_t processes = count_processes(facts);
	char count[TEXT_NUMBER], each[TEXT_NUMBER];

	say(f, "It started %s%s processes, most of them short", facts->forks ? "" : "at least ",
	    text_grouped(count, processes));
	if (s->cpu_s >= 0)
		say(f, ": %s of CPU time each on average",
		    text_duration(each, whole_number(1e9 * short_process_s(s))));
	if (tells_by_stacks(s))
		say(f,
		    "; starting and ending them, and their first touch of memory, took %.0f %% "
		    "of it",
		    percent(starting(facts)));
	say(f, ".");
	show_count(f, facts->forks ? "processes started" : "processes met", processes);
	show_rate(f, "processes", processes, s->seconds);
	if (tells_by_stacks(s)) {
		show_sampled(f, "starting and ending", facts->processing, facts->samples);
		show_sampled(f, "page faults", facts->faults, facts->samples);
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

/* Of the CPU time, and of the run's as well. */
static bool is_most_of_run(const struct sums *s, double share)
{
	return share >= MOST && (!s->known || is_most(s, share * s->run[BUDGET_RAN]));
}

static bool has_faults(const struct sums *s)
{
	if (s->known && !is_most(s, s->run[BUDGET_RAN]))
		return false;
	if (tells_by_stacks(s))
		return is_most_of_run(s, s->facts->faults);
	return s->kernel >= MOST && guessed_faults(s) >= 0.25;
}

static bool is_sure_of_faults(const struct sums *s)
{
	return tells_by_stacks(s) && is_above(s->facts, s->facts->faults, MOST);
}

/* What it did beside running, of the time that was told or has to be. */
static void say_rest(struct finding *f, const struct sums *s, bool told)
{
	char text[TEXT_NUMBER];

	if (!s->known)
		return;
	if (1 - s->run[BUDGET_RAN] >= WORTH && told) {
		say(f, "; ");
		say_parts(f, s, BUDGET_RAN);
		say(f, " of that time");
	} else if (1 - s->run[BUDGET_RAN] >= WORTH) {
		say(f, "; of its %s ", duration(s, text));
		say_parts(f, s, -1);
	}
	if (s->run[BUDGET_QUEUE] >= WORTH && is_held_back(s) && !is_worse_for_workers(s)) {
		say(f, "; ");
		say_held_back(f, s);
	}
	say_busiest_waits(f, s);
}

static void tell_faults(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	bool stacks = tells_by_stacks(s);

	if (stacks)
		say(f,
		    "It was limited by page faults: %.0f %% of its CPU time went into memory that "
		    "it touched for the first time or gave back",
		    percent(facts->faults));
	else
		say(f,
		    "Mostly kernel time, probably page faults: the kernel took %.0f %% of the CPU "
		    "time",
		    percent(s->kernel));
	say_rest(f, s, false);
	say(f, ".");
	if (stacks)
		show_sampled(f, "page faults", facts->faults, facts->samples);
	if (facts->knows_counts) {
		show_rate(f, "faults", facts->minor_faults + facts->major_faults, s->seconds);
		show_count(f, "faults from disk", facts->major_faults);
	}
	if (s->kernel >= 0)
		show_sampled(f, "in the kernel", s->kernel, s->kernel_of.of);
}

static bool has_calls(const struct sums *s)
{
	if (s->known && !is_most(s, s->run[BUDGET_RAN]))
		return false;
	if (tells_by_stacks(s))
		return is_most_of_run(s, s->facts->calls);
	return s->kernel >= MOST;
}

/* Without stacks, faults may have taken as much where they were many, or where nobody counted. */
static bool may_be_faults(const struct sums *s)
{
	return !s->facts->knows_counts || s->cpu_s <= 0 ||
	       (double)s->facts->minor_faults * FAULT_MOST_NS * 1e-9 / s->cpu_s >= 0.25;
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
		say(f, "It was limited by system calls: %.0f %% of its CPU time went into them",
		    percent(facts->calls));
	else
		say(f, "Mostly kernel time, %s: the kernel took %.0f %% of the CPU time",
		    may_be_faults(s) ? "system calls or page faults" : "probably system calls",
		    percent(s->kernel));
	if (standing_out(facts) == 1 && top->kernel && !facts->other_event &&
	    !is_interrupt_place(top)) {
		say(f, ", %.0f %%%s in ", percent(top->share), *side(s) ? " of that" : "");
		say_name(f, top->name);
		say(f, " alone");
		f->function = top;
	}
	say_rest(f, s, false);
	say(f, ".");
	if (stacks)
		show_sampled(f, "system calls", facts->calls, facts->samples);
	if (s->kernel >= 0)
		show_sampled(f, "in the kernel", s->kernel, s->kernel_of.of);
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
static void say_heaviest(struct finding *f, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	size_t standing = standing_out(facts);
	const struct overview_top *top = facts->functions.data;
	double together = 0;

	if (facts->samples < FEW_SAMPLES || facts->other_event)
		return;
	for (size_t i = 0; i < standing; i++)
		together += top[i].share;
	if (facts->unknown >= 0.1 && facts->unknown > together) {
		say(f, "; %.0f %% of its CPU time%s is in code without names",
		    percent(facts->unknown), side(s));
		show_share(f, "without names", facts->unknown);
	} else if (!standing) {
		say(f, "; no function stands out%s",
		    strstr(side(s), "sampled") ? " of what was sampled" : side(s));
	} else if (!is_interrupt_place(top)) {
		say(f, "; ");
		for (size_t i = 0; i < standing; i++) {
			say(f, "%s", !i ? "" : i + 1 < standing ? ", " : " and ");
			say_name(f, top[i].name);
		}
		say(f, " %s took %.0f %% of its CPU time%s", standing > 1 ? "together" : "alone",
		    percent(together), side(s));
		f->function = top;
	}
}

/* What it did when it ran, where that is not what the sentence is about. */
static void say_cpu_time(struct finding *f, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	char count[TEXT_NUMBER];

	if (s->run[BUDGET_RAN] < WORTH)
		return;
	if (is_made_of_starts(s))
		say(f, "; it started %s%s short processes", facts->forks ? "" : "at least ",
		    text_grouped(count, count_processes(facts)));
	else if (tells_by_stacks(s) && is_above(facts, facts->calls, MOST))
		say(f, "; %.0f %% of its CPU time went into system calls", percent(facts->calls));
	else if (tells_by_stacks(s) && is_above(facts, facts->faults, MOST))
		say(f, "; %.0f %% of its CPU time went into page faults", percent(facts->faults));
	else if (facts->functions.count)
		say_heaviest(f, s);
}

static bool is_busy_host(const struct sums *s)
{
	return s->facts->whole_host;
}

static void tell_busy_host(const struct sums *s, struct finding *f)
{
	const struct overview_tops *programs = &s->facts->programs;
	bool clocked = s->facts->clocked || s->facts->idle_counted;

	if (clocked)
		say(f, "%s for %.0f %% of the time",
		    s->facts->idle <= BUSY_IDLE ? "The machine was busy: its CPUs had work"
						: "The machine's CPUs had work",
		    percent(1 - s->facts->idle));
	else
		say(f, "The whole machine was sampled where it had work");
	if (programs->count) {
		say(f, "; ");
		say_name(f, programs->data[0].name);
		say(f, " took %.0f %% of %s%s", percent(programs->data[0].share),
		    *side(s) ? "their time" : "that", side(s));
	}
	if (tells_by_stacks(s) && is_above(s->facts, s->facts->calls, MOST))
		say(f, "; %.0f %% of the CPU time went into system calls",
		    percent(s->facts->calls));
	else if (tells_by_stacks(s) && is_above(s->facts, s->facts->faults, MOST))
		say(f, "; %.0f %% of the CPU time went into page faults",
		    percent(s->facts->faults));
	say(f, ".");
	if (clocked)
		show_share(f, "CPUs busy", 1 - s->facts->idle);
	if (s->kernel >= 0)
		show_sampled(f, "in the kernel", s->kernel, s->kernel_of.of);
	show_top(f, s);
}

static void tell_busy(const struct sums *s, struct finding *f)
{
	const struct overview_facts *facts = s->facts;
	double ran = s->known ? s->run[BUDGET_RAN] : s->cpus_used;
	char text[TEXT_NUMBER];

	if (ran < 0)
		say(f, "Its samples show where it ran, but not whether that limited it");
	else if (s->cpus_used >= SEVERAL_CPUS)
		say(f, "It was limited by the CPU: it used %.1f CPUs on average over its %s",
		    s->cpus_used, duration(s, text));
	else
		say(f, "It was limited by the CPU%s: it ran for %.0f %% of its %s",
		    s->known && !is_most(s, ran) ? " more than by anything else" : "", percent(ran),
		    duration(s, text));
	if (s->kernel >= 0)
		say(f, ran < 0 ? "; %.0f %% of them are in %s" : ", %.0f %% of that in %s",
		    percent(s->kernel > MOST ? s->kernel : 1 - s->kernel),
		    s->kernel > MOST ? "the kernel" : "user space");
	say_rest(f, s, ran >= 0);
	say_heaviest(f, s);
	say(f, ".");
	if (s->known)
		show_parts(f, s);
	if (s->cpus_used >= 0)
		show_number(f, "CPUs in use", "cpus", s->cpus_used);
	if (s->kernel >= 0 && f->evidence_count < OVERVIEW_EVIDENCE - 2)
		show_sampled(f, "user space", 1 - s->kernel, s->kernel_of.of);
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
	{ "mixed", "time", is_mixed, tell_mixed, NULL },
	{ "waiting", "time", is_mostly_other, tell_other_waiting, is_budget_whole },
	{ "disk", "time", is_mostly_disk, tell_disk, is_budget_whole },
	{ "memory", "time", is_mostly_pages, tell_pages, is_budget_whole },
	{ "cpu-queue", "time", is_mostly_queue, tell_queue, is_budget_whole },
	{ "short-processes", "flame", runs_short_processes, tell_short_processes, is_counted },
	{ "taking-turns", "time", takes_turns, tell_turns, is_budget_whole },
	{ "off-cpu", "time", is_off_cpu, tell_off_cpu, NULL },
	{ "busy-machine", "flame", is_busy_host, tell_busy_host, is_enough_samples },
	{ "page-faults", "flame", has_faults, tell_faults, is_sure_of_faults },
	{ "system-calls", "flame", has_calls, tell_calls, is_sure_of_calls },
	{ "cpu-bound", "flame", is_busy, tell_busy, is_sure_of_cpu },
	{ 0 },
};
