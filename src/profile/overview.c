// SPDX-License-Identifier: Apache-2.0
#include "profile/overview.h"
#include "base/text.h"
#include "profile/overview_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define NAME_MOST   400 /* bytes; names of C++ have thousands */
#define ERRORS	    3	/* standard errors between two functions that really differ */
#define NEARLY_ALL  0.9 /* of the waiting: the rest is not worth a word */
#define MOSTLY	    0.55
#define PAIR	    0.2	 /* of the waiting that is worth a word */
#define LEAST_NAMED 0.05 /* share of a function that is worth a name */

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

void show_time(struct finding *finding, const char *name, double seconds)
{
	struct evidence *evidence = add(finding, name, "ns", seconds * 1e9);
	char text[TEXT_NUMBER];

	snprintf(evidence->text, sizeof(evidence->text), "%s",
		 text_duration(text, (int64_t)(seconds * 1e9)));
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
		 text_grouped(text, (uint64_t)(rate + 0.5)));
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

void say_reason(struct finding *finding, const struct sums *s, bool of_run)
{
	const struct budget *budget = &s->facts->budget;
	const uint64_t *waits = of_run ? budget->run_waits : budget->work_why.waits;
	enum budget_wait first = largest_wait(waits, -1), second = largest_wait(waits, (int)first);
	double all = (double)(of_run ? budget->run_ns : budget->work_ns)[BUDGET_OTHER];
	double share = all > 0 ? (double)waits[first] / all : 0;
	bool pair = all > 0 && (double)waits[second] >= PAIR * all;

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
}

double percent(double share)
{
	return share > 1 ? 100 : 100 * share;
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

size_t standing_out(const struct overview_facts *facts)
{
	const struct overview_tops *tops = &facts->functions;

	if (facts->samples < FEW_SAMPLES || !tops->count || tops->data[0].share < LEAST_NAMED)
		return 0;
	for (size_t i = 0; i < tops->count; i++) {
		double share = tops->data[i].share;
		double next = i + 1 < tops->count ? tops->data[i + 1].share : tops->next;

		if (share - next > ERRORS * sqrt((share + next) / (double)facts->samples))
			return i + 1;
	}
	return 0;
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

bool overview_kernel(const struct overview_facts *facts, double *share)
{
	bool sampled = !facts->other_event && !facts->one_sided;
	uint64_t cpu = facts->user_ns + facts->system_ns;

	/* Samples tell more exactly than the kernel's account of ticks, where there are many. */
	if (sampled && facts->samples >= FEW_SAMPLES * 5)
		*share = facts->kernel;
	else if (facts->knows_cpu && cpu >= OVERVIEW_ACCOUNT_NS)
		*share = (double)facts->system_ns / (double)cpu;
	else if (sampled && facts->samples >= FEW_SAMPLES)
		*share = facts->kernel;
	else
		return false;
	return true;
}

static void sum_up(struct sums *s, const struct overview_facts *facts)
{
	uint64_t known = overview_cpu_ns(facts);
	double cpu = facts->knows_cpu || known		 ? (double)known
		     : facts->clocked && !facts->samples ? 0
							 : -1;

	*s = (struct sums){ .facts = facts, .cpus_used = -1, .cpu_s = -1, .kernel = -1 };
	s->seconds = (double)facts->duration_ns * 1e-9;
	if (cpu >= 0)
		s->cpu_s = cpu * 1e-9;
	if (cpu >= 0 && facts->duration_ns && !facts->whole_host)
		s->cpus_used = s->cpu_s / s->seconds;
	s->known = facts->budget.source != BUDGET_NONE;
	if (s->known) {
		budget_shares(facts->budget.run_ns, s->run);
		budget_shares(facts->budget.work_ns, s->work);
	}
	for (int i = 0; i < BUDGET_PARTS; i++) {
		s->main = s->run[i] > s->run[s->main] ? (enum budget_part)i : s->main;
		s->workers = s->work[i] > s->work[s->workers] ? (enum budget_part)i : s->workers;
	}
	if (!overview_kernel(facts, &s->kernel))
		s->kernel = -1;
}

static void apply(struct overview *overview, const struct rule *rule, const struct sums *s)
{
	struct finding *finding = &overview->findings[overview->count++];

	finding->rule = rule->name;
	finding->tab = rule->tab;
	rule->tell(s, finding);
}

/* How it ended comes first, if that was no good end. */
static void tell_ending(struct overview *overview, const struct sums *s)
{
	const struct overview_facts *facts = s->facts;
	struct finding *first = &overview->findings[0];
	char *what = mem_strdup(first->text), text[TEXT_NUMBER];

	first->text[0] = '\0';
	if (facts->limited)
		say(first, "It was ended after %s, its time limit. ",
		    text_duration(text, (int64_t)facts->duration_ns));
	else if (facts->stopped)
		say(first, "It was stopped after %s. ",
		    text_duration(text, (int64_t)facts->duration_ns));
	else
		say(first, "It ended with %s after %s%s. ", facts->ending,
		    text_duration(text, (int64_t)facts->duration_ns),
		    facts->printed ? "; its output may say why" : "");
	say(first, "%s", what);
	if (facts->failed) {
		first->rule = "failed";
		first->tab = facts->printed ? "output" : first->tab;
	}
	free(what);
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
	if (rule->name && !facts->nothing && facts->duration_ns &&
	    (facts->failed || facts->stopped || facts->limited))
		tell_ending(overview, &s);
	for (rule = overview_more_rules; rule->name && !facts->nothing; rule++)
		if (overview->count < OVERVIEW_FINDINGS && rule->holds(&s))
			apply(overview, rule, &s);
}
