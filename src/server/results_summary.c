// SPDX-License-Identifier: Apache-2.0
/* Key figures of a run, and what limited it in words. */
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "render/flame_layout.h"
#include "render/overview_json.h"
#include "server/resource.h"
#include "server/results_figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_known(struct json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		json_u64(json, key, value);
	else
		json_text(json, key, NULL);
}

static void put_known_text(struct json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		json_u64_text(json, key, value);
	else
		json_text(json, key, NULL);
}

static void put_known_double(struct json *json, const char *key, bool known, double value)
{
	if (known)
		json_double(json, key, value);
	else
		json_text(json, key, NULL);
}

static void put_tabs(struct json *json, const struct figures *f)
{
	bool samples = f->profile && f->profile->samples.len;
	const struct profile_samples *rows = samples ? &f->profile->samples : NULL;
	bool timed = rows && rows->time[rows->len - 1] > rows->time[0];

	json_open(json, "tabs", '[');
	json_text(json, NULL, "overview");
	if (f->counters.len)
		json_text(json, NULL, "counters");
	if (timed)
		json_text(json, NULL, "samples");
	if (samples)
		json_text(json, NULL, "flame");
	if (timed)
		json_text(json, NULL, "time");
	if (samples)
		json_text(json, NULL, "functions");
	if (f->has_output)
		json_text(json, NULL, "output");
	json_close(json);
}

/* Whether the idle share of a whole machine is known. */
static bool knows_idle(const struct overview_facts *facts)
{
	return facts->whole_host && (facts->idle_counted || (facts->clocked && facts->samples));
}

/* Of its time from start to end: something of it ran.  Of a machine: of the time of all its CPUs.
 */
static double running_share(const struct overview_facts *facts, double cpus_used)
{
	double shares[BUDGET_PARTS];

	if (knows_idle(facts))
		return 1 - facts->idle;
	budget_shares(facts->budget.run_ns, shares);
	if (facts->budget.source != BUDGET_NONE)
		return shares[BUDGET_RAN];
	return cpus_used < 1 ? cpus_used : 1;
}

static void put_times(struct json *json, const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;
	bool knows_duration = facts->duration_ns > 0;
	uint64_t cpu;
	bool knows_cpu = figures_cpu(f, &cpu);
	struct overview_share kernel = { 0 };
	double used = 0;
	bool knows_use = overview_cpus_used(facts, &used);
	bool knows_kernel = overview_kernel(facts, &kernel);

	put_known_text(json, "start_ns", f->start_ns, f->start_ns);
	put_known_text(json, "end_ns", f->end_ns, f->end_ns);
	put_known_text(json, "duration_ns", knows_duration, facts->duration_ns);
	json_u64_text(json, "paused_ns", facts->paused_ns);
	put_known_text(json, "cpu_ns", knows_cpu, cpu);
	put_known_text(json, "user_ns", facts->knows_cpu, facts->user_ns);
	put_known_text(json, "system_ns", facts->knows_cpu, facts->system_ns);
	put_known_double(json, "cpus_used", knows_use, used);
	put_known_double(json, "on_cpu_percent",
			 knows_use && (!facts->whole_host || knows_idle(facts)),
			 100 * running_share(facts, used));
	put_known_double(json, "user_percent", knows_kernel, 100 * (1 - kernel.share));
	put_known_double(json, "kernel_percent", knows_kernel, 100 * kernel.share);
}

static void put_counts(struct json *json, const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;
	uint64_t all = facts->samples + facts->lost;

	json_u64(json, "samples", facts->samples);
	json_text(json, "samples_of", facts->other_event);
	put_known(json, "lost", !facts->losses_untold, facts->lost);
	put_known_double(json, "lost_percent", !facts->losses_untold,
			 all ? 100.0 * (double)facts->lost / (double)all : 0);
	put_known(json, "minor_faults", facts->knows_counts, facts->minor_faults);
	put_known(json, "major_faults", facts->knows_counts, facts->major_faults);
	put_known(json, "voluntary_switches", facts->knows_counts && !facts->mixed_switches,
		  facts->voluntary_switches);
	put_known(json, "involuntary_switches", facts->knows_counts && !facts->mixed_switches,
		  facts->involuntary_switches);
	put_known_text(json, "max_rss", f->max_rss, f->max_rss);
	json_u64(json, "processes", facts->processes);
	json_u64(json, "threads", facts->threads);
}

static void put_events(struct json *json, const struct figures *f)
{
	const struct profile *profile = f->profile;

	json_open(json, "events", '[');
	for (uint16_t i = 0; profile && i < profile->events.len; i++) {
		const struct profile_event *event = &profile->events.data[i];

		if (!event->samples)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "event", profile_text(profile, event->name));
		json_text(json, "unit", flame_unit(profile, i, WEIGH_PERIOD));
		if (event->noun)
			json_text(json, "noun", profile_noun(profile, i));
		json_u64(json, "samples", event->samples);
		json_u64_text(json, "count", event->weight);
		json_u64(json, "lost", event->lost);
		json_close(json);
	}
	json_close(json);
	json_open(json, "counters", '[');
	vec_each (counter, &f->counters) {
		double share = counter->enabled_ns
				       ? (double)counter->running_ns / (double)counter->enabled_ns
				       : 0;

		json_open(json, NULL, '{');
		json_text(json, "event", counter->name);
		json_u64_text(json, "total", counter->total);
		json_text(json, "unit", counter->unit);
		json_double(json, "scale", counter->scale);
		json_double(json, "share_counted", share < 1 ? share : 1);
		json_close(json);
	}
	json_close(json);
	put_known_text(json, "reset_ns", f->reset_ns, f->reset_ns);
	put_known_text(json, "counted_ns", f->counted_ns, f->counted_ns);
}

/* ---- the same for people ---- */

/* note: what its label does not say; or NULL. */
static void put_noted_figure(struct json *json, const char *name, const char *label, double value,
			     const char *text, const char *note)
{
	json_open(json, NULL, '{');
	json_text(json, "name", name);
	json_text(json, "label", label);
	json_text(json, "text", text);
	json_double(json, "value", value);
	if (note)
		json_text(json, "note", note);
	json_close(json);
}

static void put_figure(struct json *json, const char *name, const char *label, double value,
		       const char *text)
{
	put_noted_figure(json, name, label, value, text, NULL);
}

static void put_time_figure(struct json *json, const char *name, const char *label, uint64_t ns)
{
	char text[TEXT_NUMBER];

	put_figure(json, name, label, (double)ns, text_duration(text, (int64_t)ns));
}

static void put_share_figure(struct json *json, const char *name, const char *label, double share)
{
	char text[TEXT_NUMBER];

	snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	put_figure(json, name, label, 100 * share, text);
}

static void put_sampled_figure(struct json *json, const char *name, const char *label,
			       const struct overview_share *share)
{
	char text[TEXT_NUMBER];

	put_figure(json, name, label, 100 * share->share,
		   overview_share_text(text, sizeof(text), share));
}

static void put_count_figure(struct json *json, const char *name, const char *label, uint64_t count)
{
	char text[TEXT_NUMBER];

	put_figure(json, name, label, (double)count, text_grouped(text, count));
}

static void put_size_figure(struct json *json, const char *name, const char *label, const char *how,
			    uint64_t bytes)
{
	char text[TEXT_NUMBER];

	snprintf(text, sizeof(text), "%s%.1f MiB", how, (double)bytes / (1 << 20));
	put_figure(json, name, label, (double)bytes, text);
}

/* "On CPU 150 %" is nothing that one can imagine. */
static void put_cpu_figure(struct json *json, const struct overview_facts *facts, double used)
{
	char text[TEXT_NUMBER];

	snprintf(text, sizeof(text), "%.2f", used);
	if (!knows_idle(facts) && (used > 1.02 || facts->whole_host))
		put_figure(json, "on-cpu", "CPUs in use", used, text);
	else
		put_share_figure(json, "on-cpu", "On CPU", running_share(facts, used));
}

static void put_budget_figures(struct json *json, const struct budget *budget)
{
	double shares[BUDGET_PARTS];

	budget_shares(budget->run_ns, shares);
	for (int i = BUDGET_QUEUE; i < BUDGET_PARTS && budget->source != BUDGET_NONE; i++)
		if (shares[i] >= 0.001)
			put_share_figure(json, budget_part_name((enum budget_part)i),
					 budget_part_label((enum budget_part)i), shares[i]);
}

#define OUTLIVED 0.001 /* of its time, by which what it started is later for a reason */

/* What it started may go on for longer, and all shares are of that time. */
static void put_duration(struct json *json, const struct overview_facts *facts)
{
	uint64_t span = overview_span_ns(facts), own = facts->duration_ns;
	char text[TEXT_NUMBER], last[TEXT_NUMBER], note[100];

	if (!own)
		return;
	snprintf(note, sizeof(note), "its processes: %s", text_duration(last, (int64_t)span));
	put_noted_figure(json, "duration", "Duration", (double)own,
			 text_duration(text, (int64_t)own),
			 span > own && (double)(span - own) > OUTLIVED * (double)own ? note : NULL);
	if (facts->paused_ns)
		put_time_figure(json, "paused", "Not measured (paused)", facts->paused_ns);
}

static void put_use_figures(struct json *json, const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;
	struct overview_share kernel, user;
	uint64_t cpu;
	double used;

	put_duration(json, facts);
	if (figures_cpu(f, &cpu)) {
		put_time_figure(json, "cpu", "CPU time", cpu);
		if (overview_cpus_used(facts, &used))
			put_cpu_figure(json, facts, used);
	}
	if (knows_idle(facts))
		put_share_figure(json, "idle", "Idle", facts->idle);
	put_budget_figures(json, &facts->budget);
	if (overview_kernel(facts, &kernel)) {
		user = (struct overview_share){ 1 - kernel.share, kernel.of };
		put_sampled_figure(json, "user", "User space", &user);
		put_sampled_figure(json, "kernel", "Kernel", &kernel);
	}
}

/*
 * All of them where that is known: the program and what was forked since.  Else those that samples
 * have met, of both: more processes than threads are nothing that one can imagine.
 */
static void put_thread_figures(struct json *json, const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;
	bool all = f->run.argv.len && facts->budget.whole && facts->forks + 1 >= facts->processes;

	if (f->profile && facts->processes && all)
		put_count_figure(json, "processes", "Processes", facts->forks + 1);
	else if (f->profile && facts->processes) /* folded stacks and pprof name none */
		put_count_figure(json, "processes", "Processes sampled", facts->processes);
	if (facts->budget.whole) /* also those that no sample has met */
		put_count_figure(json, "threads", "Threads", facts->budget.count);
	else if (f->profile && facts->threads)
		put_count_figure(json, "threads", "Threads sampled", facts->threads);
}

static void put_figures(struct json *json, const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;

	json_open(json, "figures", '[');
	put_use_figures(json, f);
	if (f->profile) {
		/* values of an import count what it says, and not samples of ours */
		bool named = f->event < f->profile->events.len &&
			     f->profile->events.data[f->event].noun;

		put_count_figure(json, "samples",
				 named ? profile_noun(f->profile, f->event) : "Samples",
				 facts->samples);
		if (!facts->losses_untold)
			put_count_figure(json, "lost", "Lost samples", facts->lost);
	}
	put_thread_figures(json, f);
	if (facts->knows_counts) {
		put_count_figure(json, "faults", "Page faults",
				 facts->minor_faults + facts->major_faults);
		put_count_figure(json, "switches", "Context switches",
				 f->switches
					 ? f->switches
					 : facts->voluntary_switches + facts->involuntary_switches);
	}
	if (f->max_rss)
		put_size_figure(json, "memory", "Peak memory", "", f->max_rss);
	else if (f->rss_below)
		put_size_figure(json, "memory", "Peak memory", "under ", f->rss_below);
	if (facts->ipc > 0) {
		char text[TEXT_NUMBER];

		snprintf(text, sizeof(text), "%.2f", facts->ipc);
		put_figure(json, "ipc", "Instructions per cycle", facts->ipc, text);
	}
	if (f->run.facts.ending != ENDING_NONE)
		put_figure(json, "ending", "Ended with", f->run.facts.ending_code,
			   facts->limited ? "its time limit" : facts->ending);
	json_close(json);
}

static int get_summary(struct request *request, struct err *err)
{
	struct figures figures;
	struct json *json;
	int rc = figures_make(&figures, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	json = reply_json(request);
	json_open(json, NULL, '{');
	json_int(json, "run", figures.run.id);
	json_text(json, "state", run_state_name(figures.run.state));
	json_text(json, "tool", figures.run.tool);
	put_tabs(json, &figures);
	put_times(json, &figures);
	put_counts(json, &figures);
	write_ending(json, &figures.run.facts);
	put_events(json, &figures);
	json_open(json, "output", '{');
	json_u64_text(json, "stdout", figures.printed[0]);
	json_u64_text(json, "stderr", figures.printed[1]);
	json_u64_text(json, "cut", figures.output_cut);
	json_close(json);
	put_figures(json, &figures);
	json_close(json);
	figures_free(&figures, request);
	return 0;
}

/* ---- what limited it ---- */

/* NULL: there is one. */
static const char *why_no_budget(const struct figures *f)
{
	const struct overview_facts *facts = &f->facts;

	if (facts->budget.source != BUDGET_NONE)
		return NULL;
	if (*facts->budget.why)
		return facts->budget.why;
	if (facts->imported && facts->losses_untold)
		return "the file has samples alone";
	if (facts->imported)
		return "the recording does not have it (record --budget)";
	if (facts->whole_host)
		return "it is measured for programs, not for a whole machine";
	if (strstr(f->run.form, "\"kind\":\"user\""))
		return "it is measured for programs, not for all that a user runs";
	if (facts->nothing)
		return "nothing was measured";
	if (f->run.state < RUN_DONE)
		return "it is known when the run has ended";
	return "the server that measured this run did not keep it";
}

static int get_overview(struct request *request, struct err *err)
{
	struct overview *overview;
	struct figures figures;
	struct json *json;
	int rc = figures_make(&figures, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	overview = mem_alloc(sizeof(*overview));
	overview_make(overview, &figures.facts);
	json = reply_json(request);
	json_open(json, NULL, '{');
	json_int(json, "run", figures.run.id);
	overview_show(overview, &figures.facts.budget, why_no_budget(&figures), json);
	json_close(json);
	free(overview);
	figures_free(&figures, request);
	return 0;
}

const struct route summary_routes[] = {
	{ "GET", "/api/v1/runs/{id}/summary", RIGHT_LOOK, get_summary },
	{ "GET", "/api/v1/runs/{id}/overview", RIGHT_LOOK, get_overview },
	{ 0 },
};
