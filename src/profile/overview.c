// SPDX-License-Identifier: Apache-2.0
#include "profile/overview.h"
#include "base/text.h"
#include "profile/overview_inside.h"
#include "profile/trust.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define NAME_MOST   400 /* bytes; names of C++ have thousands */
#define ERRORS	    3	/* standard errors between two functions that really differ */
#define NEARLY_ALL  0.9 /* of the waiting: the rest is not worth a word */
#define MOSTLY	    0.55
#define PAIR	    0.2	 /* of the waiting that is worth a word */
#define LEAST_IO    0.01 /* of the waiting: what may be the disk's */
#define LEAST_NAMED 0.05 /* share of a function that is worth a name */
#define FEW_NAMED   5	 /* samples that it has at least */

/* ---- writing a finding ---- */

void say(struct finding *finding, const char *format, ...)
{
	size_t length = strlen(finding->text);
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text + length, sizeof(finding->text) - length, format, args);
	va_end(args);
}

void say_name(struct finding *finding, const char *name)
{
	size_t length = strnlen(name, NAME_MOST);

	while (name[length] && length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--; /* within a letter of UTF-8 */
	say(finding, "`%.*s%s`", (int)length, name, name[length] ? "…" : "");
}

void advise(struct finding *finding, const struct sums *s, enum advice advice, const char *about)
{
	struct remedy_facts facts = { .form = s->facts->form, .imported = s->facts->imported };
	char *text = remedy_advice(advice, &facts, about);

	snprintf(finding->remedy, sizeof(finding->remedy), "%s", text);
	free(text);
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

void show_share(struct finding *finding, const char *name, double share)
{
	struct evidence *evidence = add(finding, name, "percent", 100 * share);

	snprintf(evidence->text, sizeof(evidence->text), "%.1f %%", 100 * share);
}

void show_sampled(struct finding *finding, const char *name, double share, uint64_t of)
{
	struct evidence *evidence = add(finding, name, "percent", 100 * share);

	overview_share_text(evidence->text, sizeof(evidence->text),
			    &(struct overview_share){ share, of });
}

void show_time(struct finding *finding, const char *name, double seconds)
{
	struct evidence *evidence = add(finding, name, "ns", seconds * 1e9);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s",
		 text_duration(text, whole_number(seconds * 1e9)));
}

void show_count(struct finding *finding, const char *name, uint64_t count)
{
	struct evidence *evidence = add(finding, name, "count", (double)count);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s", text_grouped(text, count));
}

void show_rate(struct finding *finding, const char *name, uint64_t count, double seconds)
{
	double rate = seconds > 0 ? (double)count / seconds : 0;
	struct evidence *evidence = add(finding, name, "per-second", rate);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s a second",
		 text_grouped(text, (uint64_t)whole_number(rate + 0.5)));
}

void show_bytes(struct finding *finding, const char *name, uint64_t bytes)
{
	struct evidence *evidence = add(finding, name, "bytes", (double)bytes);

	snprintf(evidence->text, sizeof(evidence->text), "%.1f MiB", (double)bytes / (1 << 20));
}

void show_number(struct finding *finding, const char *name, const char *unit, double value)
{
	struct evidence *evidence = add(finding, name, unit, value);

	snprintf(evidence->text, sizeof(evidence->text), "%.2f", value);
}

void show_switches(struct finding *finding, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;

	if (facts->knows_counts)
		show_rate(finding,
			  facts->mixed_switches ? "context switches" : "voluntary switches",
			  facts->voluntary_switches, s->seconds);
}

void say_tops(struct finding *finding, const struct overview_tops *tops)
{
	for (size_t i = 0; i < tops->count; i++) {
		say(finding, "%s", i ? ", " : "");
		say_name(finding, tops->data[i].name);
		say(finding, " %.1f %%", percent(tops->data[i].share));
	}
}

/* The largest kind of the others than `without`. */
static enum budget_wait largest_wait(const uint64_t waits[static BUDGET_WAITS], int without)
{
	int most = without ? 0 : 1;

	for (int i = 0; i < BUDGET_WAITS; i++)
		if (i != without && waits[i] > waits[most])
			most = i;
	return (enum budget_wait)most;
}

const char *only_wait(const struct sums *s)
{
	const struct budget *budget = &s->facts->budget;
	enum budget_wait first = largest_wait(budget->run_waits, -1);

	return first != WAITED_UNKNOWN && (double)budget->run_waits[first] >=
						  NEARLY_ALL * (double)budget->run_ns[BUDGET_OTHER]
		       ? budget_wait_label(first)
		       : NULL;
}

/* A program that waits for I/O which it has started sleeps as for anything else. */
const char *not_for(const struct sums *s, bool of_run)
{
	const struct budget *budget = &s->facts->budget;
	double io = (double)budget_started_io(of_run ? budget->run_waits : budget->work_why.waits);
	double all = (double)(of_run ? budget->run_ns : budget->work_ns)[BUDGET_OTHER];

	return budget->knows_disk && io <= LEAST_IO * all ? "neither for a CPU nor for the disk"
							  : "not for a CPU";
}

static bool is_started_io(enum budget_wait wait)
{
	return wait == WAITED_URING || wait == WAITED_AIO;
}

void say_reason(struct finding *finding, const struct sums *s, bool of_run)
{
	const struct budget *budget = &s->facts->budget;
	const uint64_t *waits = of_run ? budget->run_waits : budget->work_why.waits;
	enum budget_wait first = largest_wait(waits, -1), second = largest_wait(waits, (int)first);
	double all = (double)(of_run ? budget->run_ns : budget->work_ns)[BUDGET_OTHER];
	double share = all > 0 ? (double)waits[first] / all : 0;
	bool pair = all > 0 && (double)waits[second] >= PAIR * all && share < MOSTLY;

	/* a kind that is not known may be any of them */
	if (first == WAITED_UNKNOWN || share < PAIR)
		say(finding, "; the reason is not recorded");
	else if (share >= NEARLY_ALL)
		say(finding, ", for %s", budget_wait_label(first));
	else if (share >= MOSTLY)
		say(finding, ", mostly for %s", budget_wait_label(first));
	else if (pair && second != WAITED_UNKNOWN)
		say(finding, ", for %s and for %s", budget_wait_label(first),
		    budget_wait_label(second));
	else
		say(finding, ", partly for %s", budget_wait_label(first));
	if (share >= PAIR && (is_started_io(first) || (pair && is_started_io(second))))
		say(finding, "; whether that was the disk's is not recorded");
}

double percent(double share)
{
	return share > 1 ? 100 : 100 * share;
}

/* Some of its time was not sampled (-D, -i, what was lost ...), by more than chance may explain. */
static bool is_partly_sampled(const struct overview_facts *facts)
{
	double cpu = facts->knows_cpu || facts->budget.whole ? (double)overview_cpu_ns(facts) : 0;

	if (facts->other_event || !facts->sampled_ns || !facts->samples)
		return false;
	return (double)facts->sampled_ns < cpu * (0.8 - 2 / sqrt((double)facts->samples));
}

const char *side(const struct sums *s)
{
	return s->facts->side		     ? s->facts->side
	       : is_partly_sampled(s->facts) ? " that was sampled"
					     : "";
}

const char *subject(const struct sums *s)
{
	return s->facts->whole_host ? "The machine" : "It";
}

double all_waits(const struct overview_facts *facts)
{
	double all = 0;

	for (int i = 0; i < WAIT_KINDS; i++)
		all += facts->waits[i];
	return all;
}

const char *wait_words(const struct overview_facts *facts)
{
	static const char *const words[] = {
		[WAIT_LOCK] = "locks (futex)",
		[WAIT_PIPE] = "pipes",
		[WAIT_SOCKET] = "sockets",
		[WAIT_POLL] = "something to come in (poll)",
		[WAIT_DISK] = "the disk",
		[WAIT_SLEEP] = "time to pass (sleep)",
		[WAIT_CHILD] = "processes that it had started",
	};
	double all = all_waits(facts);
	int most = 0;

	for (int i = 1; i < WAIT_KINDS; i++)
		most = facts->waits[i] > facts->waits[most] ? i : most;
	/* of a few samples, or of many kinds, it would be a guess */
	if (all * (double)facts->samples < 5 || facts->waits[most] < 0.5 * all)
		return NULL;
	return words[most];
}

/* ---- the figures ---- */

/* By more than the error of their samples. */
static bool differ(const struct overview_facts *facts, double share, double next)
{
	return share - next > ERRORS * sqrt((share + next) / (double)facts->samples);
}

size_t standing_out(const struct overview_facts *facts)
{
	const struct overview_tops *tops = &facts->functions;

	if (facts->samples < FEW_SAMPLES || !tops->count || tops->data[0].share < LEAST_NAMED)
		return 0;
	for (size_t i = 0; i < tops->count; i++) {
		double share = tops->data[i].share;
		double next = i + 1 < tops->count ? tops->data[i + 1].share : tops->next;

		if (differ(facts, share, next))
			return i + 1;
	}
	return 0;
}

size_t worth_naming(const struct overview_facts *facts)
{
	const struct overview_tops *tops = &facts->functions;
	size_t count = 0;

	if (facts->samples < FEW_SAMPLES)
		return 0;
	for (size_t i = 0; i < tops->count; i++) {
		double next = i + 1 < tops->count ? tops->data[i + 1].share : tops->next;

		if (tops->data[i].share * (double)facts->samples < FEW_NAMED)
			break;
		if (differ(facts, tops->data[i].share, next))
			count = i + 1;
	}
	return count;
}

bool is_above(const struct overview_facts *facts, double share, double limit)
{
	double error = facts->samples ? sqrt(share * (1 - share) / (double)facts->samples) : 1;

	return share >= 1 || share - 2 * error > limit;
}

bool is_interrupt_place(const struct overview_top *function)
{
	static const char *const places[] = {
		"_raw_spin_unlock_irq",	   "finish_task_switch",   "__local_bh_enable",
		"handle_softirqs",	   "__do_softirq",	   "exit_to_user_mode",
		"syscall_enter_from_user", "syscall_exit_to_user", "irqentry_exit",
		"do_syscall_64",	   "local_irq_enable",	   "pv_native_safe_halt",
		"__raw_spin_unlock_irq",   "asm_sysvec_",
	};

	if (!function->kernel)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!strncmp(function->name, places[i], strlen(places[i])))
			return true;
	return false;
}

uint64_t overview_cpu_ns(const struct overview_facts *facts)
{
	if (facts->knows_cpu)
		return facts->user_ns + facts->system_ns;
	return facts->budget.whole ? facts->budget.all_ns[BUDGET_RAN] : facts->sampled_ns;
}

uint64_t overview_span_ns(const struct overview_facts *facts)
{
	return facts->budget.source != BUDGET_NONE ? budget_sum(facts->budget.run_ns)
						   : facts->duration_ns;
}

bool overview_cpus_used(const struct overview_facts *facts, double *used)
{
	uint64_t cpu = overview_cpu_ns(facts), span = overview_span_ns(facts);
	bool counted = facts->knows_cpu || facts->budget.whole;

	if (!counted && !cpu && !(facts->clocked && !facts->samples))
		return false;
	if (!counted)
		span = span > facts->paused_ns ? span - facts->paused_ns : 0;
	*used = span ? (double)cpu / (double)span : 0;
	return span;
}

#define ACCOUNT_HZ 100 /* ticks a second that any kernel has at least */

bool overview_kernel(const struct overview_facts *facts, struct overview_share *kernel)
{
	uint64_t cpu = facts->user_ns + facts->system_ns;

	/* one source for all parts: what else stacks tell is of samples */
	if (!facts->other_event && !facts->one_sided && facts->samples >= FEW_SAMPLES)
		*kernel = (struct overview_share){ facts->kernel, facts->samples };
	else if (facts->knows_cpu && cpu >= OVERVIEW_ACCOUNT_NS)
		*kernel = (struct overview_share){ (double)facts->system_ns / (double)cpu,
						   cpu / (1000000000 / ACCOUNT_HZ) };
	else
		return false;
	return true;
}

char *overview_share_text(char *into, size_t room, const struct overview_share *share)
{
	double low, high;

	trust_interval((uint64_t)(share->share * (double)share->of + 0.5), share->of, &low, &high);
	if (share->share * (double)share->of < 0.5 && high > 0.005)
		snprintf(into, room, "under %.0f %%", ceil(100 * high));
	else if ((1 - share->share) * (double)share->of < 0.5 && low < 0.995)
		snprintf(into, room, "over %.0f %%", floor(100 * low));
	else
		snprintf(into, room, "%.*f %%", high - low > 0.01 ? 0 : 1, 100 * share->share);
	return into;
}

static void sum_up(struct sums *s, const struct overview_facts *facts)
{
	uint64_t known = overview_cpu_ns(facts);
	double cpu = facts->knows_cpu || known		 ? (double)known
		     : facts->clocked && !facts->samples ? 0
							 : -1;

	*s = (struct sums){ .facts = facts, .cpus_used = -1, .cpu_s = -1 };
	s->seconds = (double)overview_span_ns(facts) * 1e-9;
	if (cpu >= 0)
		s->cpu_s = cpu * 1e-9;
	if (facts->whole_host || !overview_cpus_used(facts, &s->cpus_used))
		s->cpus_used = -1;
	s->known = facts->budget.source != BUDGET_NONE;
	if (s->known) {
		budget_shares(facts->budget.run_ns, s->run);
		budget_shares(facts->budget.work_ns, s->work);
	}
	for (int i = 0; i < BUDGET_PARTS; i++) {
		s->main = s->run[i] > s->run[s->main] ? (enum budget_part)i : s->main;
		s->workers = s->work[i] > s->work[s->workers] ? (enum budget_part)i : s->workers;
	}
	if (!overview_kernel(facts, &s->kernel_of))
		s->kernel_of = (struct overview_share){ -1, 0 };
	s->kernel = s->kernel_of.share;
}

static void apply(struct overview *overview, const struct rule *rule, const struct sums *s)
{
	struct finding *finding = &overview->findings[overview->count++];

	finding->rule = rule->name;
	finding->tab = rule->tab;
	rule->tell(s, finding);
}

/* What it was not given may be why it did less, or something else, than it was to. */
static void say_refused(struct finding *first, const struct overview_facts *facts)
{
	char count[TEXT_NUMBER], limit[TEXT_NUMBER];

	if (facts->tasks_refused)
		say(first, "It reached its limit of %s task%s: %s more %s refused. ",
		    text_grouped(limit, facts->limit_tasks), text_plural(facts->limit_tasks),
		    text_grouped(count, facts->tasks_refused),
		    facts->tasks_refused == 1 ? "was" : "were");
}

/* How it ended comes first, if that was no good end. */
static void tell_ending(struct overview *overview, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	struct finding *first = &overview->findings[0];
	char *what = mem_strdup(first->text), text[TEXT_NUMBER];

	first->text[0] = '\0';
	text_duration(text, (int64_t)facts->duration_ns);
	if (facts->limited && *facts->time_limit)
		say(first, "It was ended at its time limit of %s, after %s. ", facts->time_limit,
		    text);
	else if (facts->limited)
		say(first, "It was ended after %s, at its time limit. ", text);
	else if (facts->ended_why)
		say(first, "It was ended after %s: %s. ", text, facts->ended_why);
	else if (facts->full && !facts->failed)
		say(first, "The recording ended after %s, when its file had reached its size. ",
		    text);
	else if (facts->stopped)
		say(first, "It was stopped after %s. ", text);
	else if (facts->failed)
		say(first, "It ended with %s after %s%s. ", facts->ending, text,
		    facts->printed ? "; its output may say why" : "");
	say_refused(first, facts);
	say(first, "%s", what);
	if (facts->failed) {
		first->rule = "failed";
		first->tab = facts->printed ? "output" : first->tab;
	}
	if (facts->ended_memory || facts->tasks_refused)
		advise(first, s, facts->ended_memory ? ADVICE_MORE_MEMORY : ADVICE_MORE_TASKS, "");
	free(what);
}

static bool ended_badly(const struct overview_facts *facts)
{
	return facts->failed || facts->stopped || facts->limited || facts->full ||
	       facts->ended_why || facts->tasks_refused;
}

/* Of a run that is too short to tell anything, what else was seen in it is its start. */
static bool is_worth_it(const struct rule *rule, const struct sums *s)
{
	return strcmp(s->first, "too-little") != 0 || !strcmp(rule->name, "lost-samples") ||
	       !strcmp(rule->name, "paused") || !strcmp(rule->name, "left-over");
}

void overview_make(struct overview *overview, const struct overview_facts *facts)
{
	const struct rule *rule = overview_first_rules;
	struct sums s;

	*overview = (struct overview){ 0 };
	sum_up(&s, facts);
	while (rule->name && !rule->holds(&s))
		rule++;
	s.first = rule->name ? rule->name : "";
	if (rule->name) {
		apply(overview, rule, &s);
		overview->sure = rule->sure && rule->sure(&s);
	}
	if (rule->name && !facts->nothing && facts->duration_ns && ended_badly(facts))
		tell_ending(overview, &s);
	for (rule = overview_more_rules; rule->name && !facts->nothing; rule++)
		if (overview->count < OVERVIEW_FINDINGS && rule->holds(&s) && is_worth_it(rule, &s))
			apply(overview, rule, &s);
}
