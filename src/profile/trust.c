// SPDX-License-Identifier: Apache-2.0
#include "profile/trust.h"
#include "base/text.h"
#include "event/event.h"
#include "profile/remedy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FEW 100 /* samples, of which a half is known to ten points and no better */

static void interval(double share, double n, double *low, double *high)
{
	const double z = 1.96;
	double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
	double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));

	*low = middle > half ? middle - half : 0;
	*high = middle + half < 1 ? middle + half : 1;
}

void trust_interval(uint64_t part, uint64_t samples, double *low, double *high)
{
	*low = 0;
	*high = 1;
	if (samples)
		interval((double)part / (double)samples, (double)samples, low, high);
}

/* A place for it among the others; NULL: it is lighter than those that there is room for. */
static struct trust_fault *make_room(struct trust *t, double share)
{
	size_t at = t->fault_count, behind;

	while (at && t->faults[at - 1].share < share)
		at--;
	if (at == TRUST_FAULTS)
		return NULL;
	behind = t->fault_count - at;
	if (t->fault_count < TRUST_FAULTS)
		t->fault_count++;
	else
		behind--;
	memmove(&t->faults[at + 1], &t->faults[at], behind * sizeof(*t->faults));
	return &t->faults[at];
}

/* Takes the remedy. */
__attribute__((format(printf, 4, 0))) static void put_fault(struct trust *t,
							    const struct trust_fault *known,
							    char *remedy, const char *format,
							    va_list args)
{
	struct trust_fault *fault = make_room(t, known->share);

	if (fault) {
		*fault = *known;
		vsnprintf(fault->text, sizeof(fault->text), format, args);
		snprintf(fault->remedy, sizeof(fault->remedy), "%s", remedy ? remedy : "");
	}
	free(remedy);
}

/* Of the recording as a whole. */
__attribute__((format(printf, 5, 6))) static void add_fault(struct trust *t,
							    enum panel_reason reason, double share,
							    char *remedy, const char *format, ...)
{
	struct trust_fault fault = { .reason = reason, .object = NO_OBJECT_ID, .share = share };
	va_list args;

	va_start(args, format);
	put_fault(t, &fault, remedy, format, args);
	va_end(args);
}

/* Of one object: the fault has its part, reason, object and share. */
__attribute__((format(printf, 4, 5))) static void add_object_fault(struct trust *t,
								   const struct trust_fault *fault,
								   char *remedy, const char *format,
								   ...)
{
	va_list args;

	va_start(args, format);
	put_fault(t, fault, remedy, format, args);
	va_end(args);
}

static char *advise(enum panel_reason reason, const struct remedy_facts *facts, const char *about)
{
	int advice = panel_reason(reason)->advice;

	return advice == ADVICES ? NULL : remedy_advice((enum advice)advice, facts, about);
}

static const struct profile_event *event_of(const struct trust *t, const struct profile *p)
{
	static const struct profile_event none;

	return t->event < p->events.len ? &p->events.data[t->event] : &none;
}

/* Where an event was recorded each time that it happened, a few are all there were. */
static bool are_few(const struct trust *t, const struct profile *p)
{
	const struct profile_event *event = event_of(t, p);

	/* objects and contentions are no samples, and have no such error */
	return event->weight > event->samples && t->samples && t->samples < FEW &&
	       !strcmp(profile_noun(p, t->event), "samples");
}

static void check_few(struct trust *t, const struct remedy_facts *facts)
{
	char samples[64];
	double low, high;

	if (!t->few)
		return;
	interval(0.5, (double)t->samples, &low, &high);
	snprintf(samples, sizeof(samples), "%llu sample%s little", (unsigned long long)t->samples,
		 t->samples == 1 ? " says" : "s say");
	add_fault(t, PANEL_FEW, high - low, advise(PANEL_FEW, facts, samples),
		  "%llu sample%s: a share of 50 %% may be %.0f to %.0f %%",
		  (unsigned long long)t->samples, text_plural(t->samples), 100 * low, 100 * high);
}

static void check_losses(struct trust *t, const struct remedy_facts *facts)
{
	char lost[TEXT_NUMBER], guests[TEXT_NUMBER];

	text_grouped(lost, t->lost);
	if (t->lost && !t->samples)
		add_fault(t, PANEL_ALL_LOST, 1, advise(PANEL_ALL_LOST, facts, ""),
			  "all %s samples were lost", lost);
	else if (t->lost)
		add_fault(t, PANEL_LOST, t->lost_share, advise(PANEL_LOST, facts, ""),
			  "%s sample%s (%.2f %%) %s lost", lost, t->lost == 1 ? "" : "s",
			  100 * t->lost_share, t->lost == 1 ? "was" : "were");
	if (t->throttled)
		add_fault(t, PANEL_THROTTLED, 0, advise(PANEL_THROTTLED, facts, ""),
			  "the kernel stopped sampling %llu time%s, as samples came too fast "
			  "(throttled)",
			  (unsigned long long)t->throttled, t->throttled == 1 ? "" : "s");
	if (t->guests)
		add_fault(t, PANEL_GUESTS, (double)t->guests / (double)(t->guests + t->samples),
			  advise(PANEL_GUESTS, facts, ""),
			  "besides, %s samples of virtual machines, which are not shown",
			  text_grouped(guests, t->guests));
}

const char *trust_verdict(const struct trust *t)
{
	bool unclear = t->fault_count > 0;

	if (!t->samples)
		return TRUST_NONE;

	if (t->is_import && !t->fault_count)
		return TRUST_IMPORT;
	for (size_t i = 0; i < t->fault_count; i++)
		unclear &= t->faults[i].reason == PANEL_FEW ||
			   t->faults[i].reason == PANEL_COVERAGE_UNCLEAR;
	return unclear && t->few		    ? TRUST_UNCLEAR
	       : unclear			    ? TRUST_UNCLEAR_TIME
	       : t->fault_count			    ? TRUST_CARE
	       : t->is_time && t->covered_share < 0 ? TRUST_NEARLY
	       : !t->is_time && !t->counted	    ? TRUST_NEARLY_COUNTED
						    : TRUST_GOOD;
}

#define GAP_MATTERS 0.05 /* of the CPU time, which samples may stand for more or less */

/*
 * What chance may do to what so many samples stand for, with a certainty of 95 %: few of many short
 * processes are sampled at all, so that samples come as by chance.
 */
static double chance_of(uint64_t samples)
{
	return 1.96 / sqrt((double)(samples ? samples : 1));
}

/* Half of what came, as a round number. */
static void lower_rate(const struct trust *t, const struct profile_event *event, char *into,
		       size_t room)
{
	double rate = (double)event->samples / ((double)t->cpu_ns / 1e9) / 2, unit = 1;

	while (rate / unit >= 10)
		unit *= 10;
	snprintf(into, room, "%.0f", floor(rate / unit) * unit > 0 ? floor(rate / unit) * unit : 1);
}

#define HIGH_RATE 5000 /* samples a second that timers may not come to */

static void say_unclear(struct trust *t, const struct profile_event *event,
			const struct remedy_facts *facts)
{
	char number[TEXT_NUMBER];

	add_fault(t, PANEL_COVERAGE_UNCLEAR, fabs(t->covered_share - 1),
		  advise(PANEL_COVERAGE_UNCLEAR, facts, "more samples tell"),
		  "samples stand for %.1f %% of the %.3f s of %s: with %s samples that may be "
		  "chance (up to %.0f points)",
		  100 * t->covered_share, (double)t->cpu_ns / 1e9, trust_time_noun(t),
		  text_grouped(number, event->samples), 100 * chance_of(event->samples));
}

/* Of what was counted, what the lost samples would have stood for. */
static double lost_part(const struct trust *t, const struct profile_event *event)
{
	double period = event->samples ? (double)event->weight / (double)event->samples : 0;

	return (double)t->lost * period / (double)event->counted;
}

/* A clock's time, which is a part of the CPU time; of another event there is nothing to compare. */
static uint64_t counted_of(const struct trust *t, const struct profile *p)
{
	const struct profile_event *event = event_of(t, p);
	const char *name = profile_text(p, event->name);

	return (strstr(name, "cpu-clock") || strstr(name, "task-clock")) &&
			       event->counted < p->coverage.cpu_ns
		       ? event->counted
		       : t->cpu_ns;
}

/* What explains most of the gap; NULL: nobody knows. */
static const char *why_gap(const struct trust *t, const struct profile *p,
			   const struct profile_event *event, enum panel_reason *reason)
{
	double missing = 1 - t->covered_share, seconds = (double)t->cpu_ns / 1e9;
	double unsampled = t->cpu_ns ? 1 - (double)counted_of(t, p) / (double)t->cpu_ns : 0;
	double rate = seconds > 0 ? (double)event->samples / seconds : 0;

	*reason = PANEL_NOT_COVERED;
	if (missing > 0 && lost_part(t, event) >= missing / 2)
		return "samples were lost";
	if (missing > 0 && t->throttled)
		return "the kernel stopped sampling at times";
	if (unsampled > 0 && unsampled >= missing / 2)
		return "the kernel samples nothing while it switches from task to task";
	if (p->coverage.inherited && p->quality.spawns)
		*reason = PANEL_SHORT_PROCESSES;
	else if (missing > 0 && rate > HIGH_RATE)
		*reason = PANEL_RATE_TOO_HIGH;
	return *reason == PANEL_NOT_COVERED ? "why is not recorded" : panel_reason(*reason)->text;
}

static void explain_gap(struct trust *t, const struct profile *p, const struct profile_event *event,
			const struct remedy_facts *facts)
{
	double missing = t->covered_share < 1 ? 1 - t->covered_share : 0;
	double lost = lost_part(t, event);
	enum panel_reason reason;
	const char *why = why_gap(t, p, event, &reason);
	char lower[32], part[80] = "";

	if (lost > 0 && missing > 0 && lost < missing)
		snprintf(part, sizeof(part), "; lost samples are %.1f of the %.1f points missing",
			 100 * lost, 100 * missing);
	lower_rate(t, event, lower, sizeof(lower));
	add_fault(t, reason, missing, advise(reason, facts, lower),
		  "samples stand for %.1f %% of the %.3f s of %s: %s%s", 100 * t->covered_share,
		  (double)t->cpu_ns / 1e9, trust_time_noun(t), why, part);
}

/* Of an event that is no time, the number itself is known. */
static void check_count(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_event *event = event_of(t, p);
	double stands = (double)(event->weight + event->guest_weight);
	double gap = event->counted ? fabs(stands / (double)event->counted - 1) : 0;
	bool by_rate = event->scope & SCOPE_BY_RATE;
	char weight[TEXT_NUMBER], counted[TEXT_NUMBER];

	t->counted = event->counted;
	t->weight = event->weight + event->guest_weight;
	if (!event->counted || !event->samples || gap <= GAP_MATTERS)
		return;
	if (by_rate && gap <= chance_of(event->samples))
		return; /* no more than shares of so few samples may be off */
	add_fault(t, PANEL_NOT_COUNTED, gap < 1 ? gap : 1,
		  by_rate ? remedy_advice(ADVICE_FIXED_PERIOD, facts, "") : NULL,
		  "samples stand for %s %.60s, %s were counted: %s",
		  text_grouped(weight, t->weight), profile_text(p, event->name),
		  text_grouped(counted, event->counted),
		  t->lost && stands < (double)event->counted ? "samples were lost"
		  : by_rate ? "at a rate the kernel guesses the period"
		  : p->coverage.inherited && p->quality.spawns
			  ? "each process and thread begins a period of its own"
			  : "why is not recorded");
}

/* CPUs without work are sampled by what wakes them up. */
static bool check_idle(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_event *event = event_of(t, p);
	const struct profile_samples *rows = &p->samples;
	double idle = 0, share;

	t->idle_share = (double)p->coverage.idle_ns / (double)t->cpu_ns;
	for (size_t i = 0; i < rows->len; i++)
		if (rows->event[i] == t->event && !p->threads.data[rows->thread[i]].tid)
			idle += (double)rows->weight[i];
	share = idle / (double)event->weight;
	if (fabs(share - t->idle_share) <= GAP_MATTERS + chance_of(event->samples))
		return false;
	add_fault(t, PANEL_IDLE_SAMPLES, fabs(share - t->idle_share),
		  advise(PANEL_IDLE_SAMPLES, facts, ""),
		  "%.1f %% of the samples are of idle CPUs, which were idle for %.1f %% of "
		  "the time",
		  100 * share, 100 * t->idle_share);
	return true;
}

static void check_coverage(struct trust *t, const struct profile *p,
			   const struct remedy_facts *facts)
{
	const struct profile_event *event = event_of(t, p);
	double gap;

	t->covered_share = t->idle_share = -1;
	t->is_time = t->event >= p->events.len || profile_event_is_time(p, t->event);
	if (!p->quality.records_cut && !t->is_time)
		check_count(t, p, facts);
	if (!t->is_time || !p->coverage.known || !p->coverage.cpu_ns || p->quality.records_cut ||
	    !event->counted || !event->samples)
		return;
	t->cpu_ns = p->coverage.cpu_ns;
	t->whole_cpus = p->coverage.idle_known;
	t->covered_share = (double)(event->weight + event->guest_weight) / (double)event->counted *
			   (double)counted_of(t, p) / (double)t->cpu_ns;
	if (event->scope & (SCOPE_NO_KERNEL | SCOPE_NO_USER))
		return; /* what was left out is said */
	if (p->coverage.idle_known && event->samples && check_idle(t, p, facts))
		return; /* that is the gap, or a part of it */
	gap = fabs(t->covered_share - 1);
	if (gap <= GAP_MATTERS || (t->few && gap <= chance_of(event->samples)))
		return; /* of a few nothing more is said than that they are few */
	if (gap <= chance_of(event->samples))
		say_unclear(t, event, facts);
	else
		explain_gap(t, p, event, facts);
}

/* Nobody can say what was in the bytes that are missing. */
static void check_file(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_quality *quality = &p->quality;
	double share = quality->bytes_all
			       ? (double)quality->bytes_missing / (double)quality->bytes_all
			       : 0;
	char missing[64] = "", number[TEXT_NUMBER];

	if (quality->bytes_missing)
		snprintf(missing, sizeof(missing),
			 "; %.1f %% of the bytes of its records were not read", 100 * share);
	if (quality->damage)
		add_fault(t, PANEL_DAMAGED, share, advise(PANEL_DAMAGED, facts, ""),
			  "the file is cut or damaged: %.180s%s%s",
			  profile_text(p, (uint32_t)quality->damage), missing,
			  quality->records_cut
				  ? "; can't tell how much CPU time its samples stand for"
				  : "");
	if (t->damaged)
		add_fault(t, PANEL_BAD_RECORDS, 0, NULL, "%s record%s not understood",
			  text_grouped(number, t->damaged), t->damaged == 1 ? " was" : "s were");
	if (facts->negative)
		add_fault(t, PANEL_BAD_LINES,
			  (double)facts->negative / (double)(facts->lines ? facts->lines : 1), NULL,
			  "negative values of %s sample%s were left out",
			  text_grouped(number, facts->negative), text_plural(facts->negative));
	if (facts->bad_lines)
		add_fault(t, PANEL_BAD_LINES,
			  (double)facts->bad_lines / (double)(facts->lines ? facts->lines : 1),
			  NULL, "%s line%s not understood", text_grouped(number, facts->bad_lines),
			  facts->bad_lines == 1 ? " was" : "s were");
}

/* A probe is in one place: any of its samples tells. */
static bool is_in_user_code(const struct trust *t, const struct profile *p)
{
	const struct profile_samples *rows = &p->samples;

	for (size_t i = 0; i < rows->len; i++) {
		uint32_t function = p->stacks.function[rows->stack[i]];

		if (rows->event[i] == t->event && function != NO_FUNCTION)
			return p->functions.data[function].kind != FRAME_KERNEL;
	}
	return false;
}

static void check_scope(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_quality *quality = &p->quality;
	const struct profile_event *event = event_of(t, p);
	uint64_t scope = event->scope & (SCOPE_NO_KERNEL | SCOPE_NO_USER);

	if (event->samples && (scope == SCOPE_NO_KERNEL || scope == SCOPE_NO_USER)) {
		bool user = scope == SCOPE_NO_KERNEL;
		enum panel_reason reason = user ? PANEL_USER_ONLY : PANEL_KERNEL_ONLY;
		double missing = t->covered_share >= 0 && t->covered_share < 1
					 ? 1 - t->covered_share
					 : 0;
		char part[160] = "";

		if (missing > GAP_MATTERS && p->coverage.inherited && quality->spawns)
			snprintf(part, sizeof(part),
				 "; samples stand for %.1f %% of the CPU time, and short processes "
				 "or threads may be missing, too",
				 100 * t->covered_share);
		else if (missing > 0)
			snprintf(part, sizeof(part), ", %.1f %% of the CPU time",
				 100 * t->covered_share);
		add_fault(t, reason, missing, advise(reason, facts, ""),
			  "only %s was sampled (%s)%s: shares are of %s there",
			  user ? "user space" : "the kernel", profile_text(p, event->name), part,
			  t->is_time ? "the time" : "what happened");
	}
	if (quality->cpus_sampled)
		add_fault(t, PANEL_SOME_CPUS, 0, advise(PANEL_SOME_CPUS, facts, ""),
			  "only %llu of %llu CPUs %s sampled (-C)",
			  (unsigned long long)quality->cpus_sampled,
			  (unsigned long long)quality->cpus_online,
			  quality->cpus_sampled == 1 ? "was" : "were");
	if (event->scope & SCOPE_PROBE && quality->forks && is_in_user_code(t, p) &&
	    (p->coverage.inherited || event->scope & SCOPE_ON_EXEC))
		add_fault(t, PANEL_PROBE_MISSED, 0, advise(PANEL_PROBE_MISSED, facts, ""),
			  "%.80s: %s; how many is not known", profile_text(p, event->name),
			  panel_reason(PANEL_PROBE_MISSED)->text);
	if (event->scope & SCOPE_KERNEL_CHAINS && event->samples)
		add_fault(t, PANEL_KERNEL_CHAINS, 0, advise(PANEL_KERNEL_CHAINS, facts, ""), "%s",
			  panel_reason(PANEL_KERNEL_CHAINS)->text);
	if (p->coverage.full)
		add_fault(t, PANEL_MAX_SIZE, 0, advise(PANEL_MAX_SIZE, facts, ""), "%s",
			  panel_reason(PANEL_MAX_SIZE)->text);
	if (quality->is_filtered)
		add_fault(t, PANEL_FILTERED, 0, advise(PANEL_FILTERED, facts, ""),
			  "events that --filter left out were not recorded");
}

static void check_row(struct trust *t, const struct profile *p, const struct panel *panel,
		      const struct panel_row *row, const struct remedy_facts *facts)
{
	const struct profile_object *object = &p->objects.data[row->object];
	const char *path = profile_text(p, object->path);
	double skipped = panel_share(&row->skipped, &panel->all);
	double unclear = panel_share(&row->unclear, &panel->all);
	double lost = panel_share(&row->lost, &panel->all);
	double unnamed = panel_share(&row->unnamed, &panel->all);

	if (row->stacks == PANEL_GOOD || row->light_stacks)
		;
	else if (row->stacks == PANEL_CALLER_SKIPPED || row->stacks == PANEL_CALLER_NO_TABLE)
		add_object_fault(
			t, &(struct trust_fault){ TRUST_STACKS, row->stacks, row->object, skipped },
			remedy_for(row->stacks, p, object, facts),
			"%.2f %% of the stacks lack the direct caller of code in %.180s: it had "
			"no frame set up",
			100 * skipped, path);
	else if (row->stacks == PANEL_CALLER_UNCLEAR)
		add_object_fault(
			t, &(struct trust_fault){ TRUST_STACKS, row->stacks, row->object, unclear },
			remedy_for(row->stacks, p, object, facts),
			"%.2f %% of the stacks may lack the direct caller of code in %.180s, "
			"can't tell: %s",
			100 * unclear, path, panel_reason(panel_why_no_rules(object))->text);
	else
		add_object_fault(
			t, &(struct trust_fault){ TRUST_STACKS, row->stacks, row->object, lost },
			remedy_for(row->stacks, p, object, facts),
			"%.2f %% of the stacks are cut short%s%.180s: %s", 100 * lost,
			*path ? " in " : "", path, panel_reason(row->stacks)->text);
	if (row->names == PANEL_NEWER)
		add_object_fault(t,
				 &(struct trust_fault){ TRUST_NAMES, row->names, row->object,
							panel_share(&row->self, &panel->all) },
				 remedy_for(row->names, p, object, facts),
				 "%.2f %% are in %.180s, which %s",
				 100 * panel_share(&row->self, &panel->all), path,
				 panel_reason(row->names)->text);
	else if (row->names != PANEL_GOOD && !row->light_names)
		add_object_fault(
			t, &(struct trust_fault){ TRUST_NAMES, row->names, row->object, unnamed },
			remedy_for(row->names, p, object, facts),
			"%.2f %% have no name%s%.180s: %s", 100 * unnamed, *path ? " in " : "",
			path, panel_reason(row->names)->text);
}

static void find_worst(struct trust *t, const struct panel *panel)
{
	uint64_t worst = 0;

	t->worst_object = NO_OBJECT_ID;
	vec_each (row, &panel->rows)
		if (row->unnamed.weight > worst) {
			worst = row->unnamed.weight;
			t->worst_object = row->object;
			t->worst_share = panel_share(&row->unnamed, &panel->all);
		}
}

/* Texts with deeper stacks than are kept: no object is to blame, and nobody knows which ones. */
static void check_depth(struct trust *t, const struct profile *p)
{
	struct weight_pair all = { 0 }, cut = { p->quality.cut_stacks, p->quality.cut_stacks };

	vec_each (event, &p->events)
		all.samples += event->samples;
	all.weight = all.samples;
	t->cut_share = panel_share(&cut, &all);
	if (panel_matters(&cut, &all))
		add_fault(t, PANEL_TOO_DEEP, t->cut_share, NULL,
			  "%.2f %% of the stacks are cut short: they are deeper than 2,048 frames",
			  100 * t->cut_share);
}

static void check_rows(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct weight_pair *reused = &event_of(t, p)->reused;
	const struct weight_pair *own = &event_of(t, p)->left_out;
	struct panel panel;

	panel_make(&panel, p, t->event);
	t->has_stacks = panel.has_stacks;
	t->cut_share = panel_share(&panel.cut, &panel.all);
	t->skipped_share = panel_share(&panel.skipped, &panel.all);
	t->unclear_share = panel_share(&panel.unclear, &panel.all);
	t->unknown_share = panel_share(&panel.unnamed, &panel.all);
	vec_each (row, &panel.rows)
		check_row(t, p, &panel, row, facts);
	find_worst(t, &panel);
	if (!panel.cut.samples && p->quality.origin)
		check_depth(t, p);
	if (panel_matters(&panel.without_stack, &panel.all))
		add_fault(t, PANEL_NO_STACK, panel_share(&panel.without_stack, &panel.all), NULL,
			  "%.2f %% have no stack in the file: they are shown as " NO_STACK_NAME,
			  100 * panel_share(&panel.without_stack, &panel.all));
	if (panel_matters(own, &panel.all))
		add_fault(t, PANEL_OWN, panel_share(own, &panel.all), NULL, "%.2f %% are of %s",
			  100 * panel_share(own, &panel.all), panel_reason(PANEL_OWN)->text);
	if (panel_matters(reused, &panel.all))
		add_fault(t, PANEL_CODE_REUSED, panel_share(reused, &panel.all), NULL,
			  "%.2f %% are at addresses that a JIT used for several functions: the "
			  "names shown are the last ones",
			  100 * panel_share(reused, &panel.all));
	panel_free(&panel);
}

static bool is_of_frame_pointers(const struct trust_fault *fault)
{
	return fault->reason == PANEL_NO_FRAME_POINTER || fault->reason == PANEL_CALLER_SKIPPED;
}

static bool have_one_remedy(const struct trust_fault *a, const struct trust_fault *b)
{
	return (is_of_frame_pointers(a) && is_of_frame_pointers(b)) ||
	       !strcmp(a->remedy, b->remedy);
}

/*
 * The remedy by which most samples are repaired, by all faults that it is for.  Of a file that lost
 * records all shares are of what is left: the whole file comes first.
 */
static const char *find_remedy(const struct trust *t, bool records_cut)
{
	const char *best = "";
	double most = -1;

	for (size_t i = 0; i < t->fault_count; i++) {
		double sum = 0;

		if (records_cut && t->faults[i].reason == PANEL_DAMAGED)
			return t->faults[i].remedy;
		if (!*t->faults[i].remedy)
			continue;
		for (size_t k = 0; k < t->fault_count; k++)
			if (have_one_remedy(&t->faults[i], &t->faults[k]))
				sum += t->faults[k].share;
		if (sum > most) {
			most = sum;
			best = t->faults[i].remedy;
		}
	}
	return best;
}

/* Where nothing else is wrong: what it may have been doing. */
static void check_none(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_coverage *known = &p->coverage;
	const struct profile_event *event = event_of(t, p);
	const char *name = profile_text(p, event->name);
	char count[TEXT_NUMBER];

	if (t->samples || t->fault_count)
		return;
	if (event->scope & SCOPE_VOID)
		add_fault(t, PANEL_NONE, 1, NULL, "%s: %s", name, event_void_reason);
	else if (event->scope & SCOPE_SELDOM && event->counted)
		add_fault(t, PANEL_NONE, 1, NULL, "%s happened %s time%s, too seldom for a sample",
			  name, text_grouped(count, event->counted), text_plural(event->counted));
	else if (event->scope & SCOPE_SELDOM && !(known->known && !known->cpu_ns))
		add_fault(t, PANEL_NONE, 1, NULL, "%s did not happen%s", name,
			  event->scope & SCOPE_FIRST ? "" : ", or too seldom for a sample");
	else if (known->known && known->cpu_ns && known->inherited && p->quality.spawns)
		add_fault(t, PANEL_NONE, 1, advise(PANEL_SHORT_PROCESSES, facts, ""),
			  "its processes and threads ran for %.3f ms in all, each too short for a "
			  "sample",
			  (double)known->cpu_ns / 1e6);
	else if (known->known && known->cpu_ns)
		add_fault(t, PANEL_NONE, 1, NULL, "it ran for %.3f ms only, too short for a sample",
			  (double)known->cpu_ns / 1e6);
	else
		add_fault(t, PANEL_NONE, 1, NULL, "%s",
			  known->known ? "it never ran, but slept"
				       : "it slept or was too short, which the file does not tell");
}

/* Where the file does not tell the events' losses apart, they may be of any. */
static uint64_t lost_of(const struct trust *t, const struct profile *p)
{
	uint64_t told = 0;

	vec_each (event, &p->events)
		told += event->lost;
	return told >= p->quality.lost ? event_of(t, p)->lost : p->quality.lost;
}

void trust_of(struct trust *t, const struct profile *p, uint16_t event,
	      const struct remedy_facts *facts)
{
	static const struct remedy_facts none;
	const struct profile_quality *quality = &p->quality;

	facts = facts ? facts : &none;
	*t = (struct trust){
		.event = event,
		.throttled = quality->throttled,
		.damaged = quality->damaged + quality->unknown_records,
		.is_import = quality->origin,
	};
	vec_each (other, &p->events)
		t->events += other->samples > 0;
	t->samples = event_of(t, p)->samples;
	t->guests = event_of(t, p)->guest_samples;
	t->lost = lost_of(t, p);
	t->lost_share = t->lost ? (double)t->lost / (double)(t->samples + t->lost) : 0;
	t->few = are_few(t, p);
	check_few(t, facts);
	check_losses(t, facts);
	check_file(t, p, facts);
	check_coverage(t, p, facts);
	check_scope(t, p, facts);
	check_rows(t, p, facts);
	check_none(t, p, facts);
	t->remedy = find_remedy(t, quality->records_cut);
}
