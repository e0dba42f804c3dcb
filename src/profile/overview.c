// SPDX-License-Identifier: Apache-2.0
#include "profile/overview.h"
#include "base/text.h"
#include "profile/overview_inside.h"

#include <stdarg.h>
#include <stdio.h>

#define NAME_MOST 400 /* bytes; names of C++ have thousands */

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

/*
 * Of a program that was always ready to run, the kernel took the CPU away, and not it gave it up.
 * The kernel may count how long that was, and misses what a hypervisor took; the kinds of switches
 * tell it of one process.
 */
static bool was_starved(const struct overview_facts *facts, double seconds, double cpu_s)
{
	double off = seconds - cpu_s;

	if (facts->knows_waits && off > 0.1 * seconds &&
	    (double)facts->cpu_wait_ns * 1e-9 >= 0.4 * off)
		return true;
	return facts->knows_counts && facts->processes <= 1 && facts->involuntary_switches > 10 &&
	       facts->involuntary_switches > 4 * facts->voluntary_switches &&
	       (double)facts->voluntary_switches < 20 * seconds + 5;
}

static void sum_up(struct sums *s, const struct overview_facts *facts)
{
	double cpu = facts->knows_cpu	 ? (double)(facts->user_ns + facts->system_ns)
		     : facts->sampled_ns ? (double)facts->sampled_ns
		     : facts->clocked && !facts->samples ? 0
							 : -1;

	*s = (struct sums){ .facts = facts, .cpus_used = -1, .cpu_s = -1, .kernel = -1 };
	s->seconds = (double)facts->duration_ns * 1e-9;
	if (cpu >= 0)
		s->cpu_s = cpu * 1e-9;
	if (cpu >= 0 && facts->duration_ns && !facts->whole_host)
		s->cpus_used = s->cpu_s / s->seconds;
	s->starved = was_starved(facts, s->seconds, s->cpu_s);
	/* Samples tell more exactly than the kernel's account of ticks, where there are many. */
	if (facts->samples >= FEW_SAMPLES * 5 && !facts->other_event)
		s->kernel = facts->kernel;
	else if (facts->knows_cpu && cpu >= OVERVIEW_ACCOUNT_NS)
		s->kernel = (double)facts->system_ns / cpu;
	else if (facts->samples && !facts->other_event)
		s->kernel = facts->kernel;
}

static void apply(struct overview *overview, const struct rule *rule, const struct sums *s)
{
	struct finding *finding = &overview->findings[overview->count++];

	finding->rule = rule->name;
	finding->tab = rule->tab;
	rule->tell(s, finding);
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
	if (rule->name)
		apply(overview, rule, &s);
	overview->sure = strcmp(s.first, "nothing-measured") != 0 &&
			 strcmp(s.first, "too-little") != 0;
	for (rule = overview_more_rules; rule->name && !facts->nothing; rule++)
		if (overview->count < OVERVIEW_FINDINGS && rule->holds(&s))
			apply(overview, rule, &s);
}
