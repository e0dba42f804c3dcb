// SPDX-License-Identifier: Apache-2.0
#include "server/results_figures.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "jobs/output_read.h"
#include "render/series_read.h"
#include "server/answer.h"
#include "server/app.h"
#include "server/profiles.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDED_FOR   "ended because "   /* as reasons of a disk's limit begin */
#define ENDED_AFTER "ended after "     /* as that of a time limit does, */
#define ITS_LIMIT   ", its time limit" /* and ends */

/* Numbers may be text. */
static uint64_t number(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	return value ? strtoull(json_object_get_string(value), NULL, 10) : 0;
}

static void read_budget(struct figures *f, struct json_object *stored)
{
	struct budget *budget = &f->facts.budget;

	if (!budget_read(budget, stored)) { /* but why there is none is kept */
		vec_free(&budget->threads);
		budget->source = BUDGET_NONE;
		budget->whole = false;
	}
}

/*
 * Looks at /proc miss who ended in between: the group's CPU time tells.  The kernel's count of
 * switches is of all threads, rusage's only of those that were waited for.
 */
static void check_budget(struct figures *f)
{
	struct overview_facts *facts = &f->facts;
	struct budget *budget = &facts->budget;
	uint64_t cpu = facts->user_ns + facts->system_ns;

	if (budget->source == BUDGET_SCHEDSTAT && facts->knows_cpu) {
		uint64_t ran = budget->all_ns[BUDGET_RAN];

		budget->whole = budget->count == 1;
		/* with what is missing, nothing can be said of what is there */
		if (cpu > ran + ran / 10 + 10000000) {
			budget_free(budget);
			*budget = (struct budget){ .why = "too much of it ended between two looks "
							  "at /proc, and BPF is not to be had" };
		}
	}
	if (budget->source == BUDGET_STATES && budget->whole && facts->knows_counts) {
		facts->voluntary_switches = budget->switches;
		facts->involuntary_switches = budget->preemptions;
	}
}

/* What it was ended for, and what it was refused: the reason is ours, in words. */
static void read_limits(struct figures *f, struct json_object *usage)
{
	struct overview_facts *facts = &f->facts;
	struct json_object *limits = json_object_object_get(usage, "limits");
	const char *limit = jsonread_text(usage, "limit", ""), *why = f->run.facts.reason;

	if (!strcmp(limit, "memory") || !strcmp(limit, "disk")) {
		facts->ended_memory = !strcmp(limit, "memory");
		why += strncmp(why, ENDED_FOR, strlen(ENDED_FOR)) ? 0 : strlen(ENDED_FOR);
		facts->ended_why = *why ? why : NULL;
	}
	if (limits) {
		facts->limit_tasks = number(limits, "tasks");
		facts->tasks_refused = number(limits, "tasks_refused");
	}
}

/* What the kernel said of a workload that we started ourselves; of others it says how they waited.
 */
static void read_usage(struct figures *f)
{
	struct overview_facts *facts = &f->facts;
	struct json_object *usage = jsonread(f->run.facts.usage, strlen(f->run.facts.usage),
					     "usage", NULL);

	if (!usage)
		return;
	f->start_ns = number(usage, "monotonic_ns");
	f->output_cut = number(usage, "output_cut");
	read_limits(f, usage);
	facts->left_over = number(usage, "left_over");
	facts->paused_ns = number(usage, "paused_ns");
	read_budget(f, json_object_object_get(usage, "budget"));
	if (f->run.argv.len && json_object_object_get(usage, "user_ns")) {
		facts->knows_cpu = facts->knows_counts = true;
		facts->user_ns = number(usage, "user_ns");
		facts->system_ns = number(usage, "system_ns");
		facts->minor_faults = number(usage, "minor_faults");
		facts->major_faults = number(usage, "major_faults");
		facts->voluntary_switches = number(usage, "voluntary_switches");
		facts->involuntary_switches = number(usage, "involuntary_switches");
		facts->disk_read = number(usage, "disk_read");
		f->max_rss = number(usage, "max_rss");
		f->rss_below = number(usage, "rss_below");
	}
	check_budget(f);
	json_object_put(usage);
}

/* "ended after 2 s, its time limit": the limit, and not when the program gave in. */
static void read_time_limit(struct overview_facts *facts, const char *reason)
{
	const char *begin = strstr(reason, ENDED_AFTER), *end = strstr(reason, ITS_LIMIT);

	facts->limited = !facts->stopped && end;
	if (!facts->limited || !begin || end < begin + strlen(ENDED_AFTER))
		return;
	begin += strlen(ENDED_AFTER);
	snprintf(facts->time_limit, sizeof(facts->time_limit), "%.*s", (int)(end - begin), begin);
}

static void read_run(struct figures *f)
{
	const struct run_facts *known = &f->run.facts;
	struct overview_facts *facts = &f->facts;

	if (known->started_ns && known->ended_ns > known->started_ns)
		facts->duration_ns = (uint64_t)(known->ended_ns - known->started_ns);
	facts->whole_host = strstr(f->run.form, "\"kind\":\"host\"") != NULL;
	facts->imported = !strcmp(f->run.tool, "import");
	facts->form = !facts->imported;
	/* what we ended ourselves, and said so, did not fail */
	facts->stopped = f->run.state == RUN_CANCELLED || strstr(known->reason, "interrupted");
	read_time_limit(facts, known->reason);
	facts->failed = !*known->reason && f->run.state != RUN_CANCELLED &&
			(known->ending == ENDING_SIGNAL ||
			 (known->ending == ENDING_EXIT && known->ending_code));
	overview_name_ending(facts, known->ending == ENDING_SIGNAL, known->ending_code);
	read_usage(f);
	if (f->start_ns && facts->duration_ns)
		f->end_ns = f->start_ns + facts->duration_ns;
}

/* "-a", also among other letters that take no value; words of the workload are not looked at. */
static bool is_all_cpus(const char *word)
{
	size_t plain = word[0] == '-' ? 1 + strspn(word + 1, "BNPRTdgiqvz") : 0;

	return !strcmp(word, "--all-cpus") || (plain && word[plain] == 'a');
}

static bool recorded_all(const struct run *run)
{
	struct json_object *facts = jsonread(run->facts.facts, strlen(run->facts.facts), "facts",
					     NULL);
	struct json_object *words = facts ? answer_list(facts, "command") : NULL;
	const char *word = "-", *before;
	bool all = false;

	for (size_t i = 2; words && !all && i < json_object_array_length(words); i++) {
		before = word;
		word = json_object_get_string(json_object_array_get_idx(words, i));
		if (!word || !strcmp(word, "--") || (*word != '-' && *before != '-'))
			break;
		all = is_all_cpus(word);
	}
	json_object_put(facts);
	return all;
}

/* A recording from elsewhere says by how it was made, or by CPUs without work, that it is of all.
 */
static void find_whole_host(struct figures *f)
{
	struct overview_facts *facts = &f->facts;

	if (!strcmp(f->run.tool, "import") && facts->processes > 1)
		facts->whole_host = facts->idle > 0 || facts->idle_counted || recorded_all(&f->run);
}

/* Samples of a run that was imported are all that tells its time. */
static void read_profile(struct figures *f)
{
	const struct profile *profile = f->profile;
	const struct profile_samples *rows = &profile->samples;

	while (f->event < profile->events.len && !profile->events.data[f->event].samples)
		f->event++;
	overview_facts_add(&f->facts, profile, f->event);
	if (f->facts.imported) { /* our own recorder may have put it there */
		budget_unpack(&f->facts.budget, profile->budget, BUDGET_WORDS);
		overview_facts_ending(&f->facts, profile);
	}
	find_whole_host(f);
	if (f->start_ns || !rows->len)
		return;
	f->start_ns = rows->time[0];
	f->end_ns = rows->time[rows->len - 1];
	if (!f->facts.duration_ns)
		f->facts.duration_ns = f->facts.budget.source != BUDGET_NONE
					       ? budget_sum(f->facts.budget.run_ns)
					       : f->end_ns - f->start_ns;
}

/* The analyser knows the machine's packages and the size of the copies: it says what to do best. */
static void read_quality(struct figures *f)
{
	struct overview_facts *facts = &f->facts;
	struct json_object *quality = jsonread(f->run.facts.quality, strlen(f->run.facts.quality),
					       "quality", NULL);
	struct json_object *objects = quality ? answer_list(quality, "objects") : NULL, *names,
			   *stacks;

	for (size_t i = 0; objects && i < json_object_array_length(objects); i++) {
		struct json_object *object = json_object_array_get_idx(objects, i);

		if (facts->cut_object &&
		    !strcmp(jsonread_text(object, "path", ""), facts->cut_object) &&
		    json_object_object_get_ex(object, "stacks", &stacks))
			snprintf(facts->cut_remedy, sizeof(facts->cut_remedy), "%s",
				 jsonread_text(stacks, "remedy", facts->cut_remedy));
		if (facts->nameless &&
		    !strcmp(jsonread_text(object, "path", ""), facts->nameless) &&
		    json_object_object_get_ex(object, "names", &names))
			snprintf(facts->nameless_remedy, sizeof(facts->nameless_remedy), "%s",
				 jsonread_text(names, "remedy", facts->nameless_remedy));
	}
	json_object_put(quality);
}

/* Why there is neither a sample nor a count of a run that is over. */
static const char *why_nothing(const struct run *run)
{
	if (*run->facts.reason)
		return run->facts.reason;
	if (run->state == RUN_CANCELLED)
		return "it was cancelled before it began; run it again";
	return "none of its events can be counted here; choose others in the form";
}

static void find_nothing(struct figures *f)
{
	bool sampled = f->profile && f->profile->samples.len;

	/* a program that ran between two samples is another case: too little */
	f->facts.nothing = f->run.state >= RUN_DONE && !f->counters.len && !sampled &&
			   !(f->profile && f->run.state == RUN_DONE);
	if (f->facts.nothing)
		f->facts.reason = why_nothing(&f->run);
}

static double total_of(const struct figures *f, const char *name)
{
	vec_each (counter, &f->counters)
		if (!strncmp(counter->name, name, strlen(name)) &&
		    (!counter->name[strlen(name)] || counter->name[strlen(name)] == ':'))
			return (double)counter->whole;
	return 0;
}

static void begin_anew(struct figures *f, uint64_t time_ns)
{
	f->reset_ns = time_ns;
	vec_each (counter, &f->counters)
		counter->total = counter->enabled_ns = counter->running_ns = 0;
}

static void add_row(struct figure_counter *counter, const struct series_row *row)
{
	counter->whole += row->value;
	counter->total += row->value;
	counter->enabled_ns += row->enabled_ns;
	counter->running_ns += row->running_ns;
}

static void add_counters(struct figures *f, struct request *request, const struct series *series)
{
	for (uint32_t i = 0; i < series->head->events; i++)
		*vec_push(&f->counters) = (struct figure_counter){
			.name = arena_strdup(&request->arena, series->names[i]),
			.unit = arena_strdup(&request->arena, series_unit(series, i)),
			.scale = series_scale(series, i),
		};
	for (size_t i = 0; i < series->count; i++) {
		const struct series_row *row = &series->rows[i];

		if (series_row_is_reset(row))
			begin_anew(f, row->time_ns);
		else if (series_row_good(series, row))
			add_row(&f->counters.data[row->event], row);
	}
}

/* Counters tell where neither the kernel nor samples do. */
static void use_counters(struct figures *f)
{
	struct overview_facts *facts = &f->facts;
	double clock = total_of(f, "task-clock"), cycles = total_of(f, "cycles");
	double switches = total_of(f, "context-switches"), faults = total_of(f, "page-faults");

	if (clock <= 0)
		clock = total_of(f, "cpu-clock");
	/* of whole CPUs a clock counts all of their time, idle or not */
	if (!facts->knows_cpu && !facts->sampled_ns && !facts->whole_host && clock > 0)
		facts->sampled_ns = (uint64_t)clock;
	if (cycles > 0)
		facts->ipc = total_of(f, "instructions") / cycles;
	/* rusage misses children that were killed, and has our own start of it */
	if (facts->knows_counts && faults > 0)
		facts->minor_faults = faults > (double)facts->major_faults
					      ? (uint64_t)faults - facts->major_faults
					      : 0;
	f->switches = (uint64_t)switches;
	if (!facts->knows_counts && (switches > 0 || faults > 0)) {
		facts->knows_counts = true;
		facts->voluntary_switches = (uint64_t)switches;
		facts->mixed_switches = true;
		facts->minor_faults = (uint64_t)faults;
	}
}

static void read_series(struct figures *f, struct request *request)
{
	struct series series;
	int fd = result_file(request, "series", "counters", NULL);

	if (fd < 0)
		return;
	if (!series_open_fd(&series, fd, NULL)) {
		add_counters(f, request, &series);
		/* a program is counted from its start to its end */
		if (!f->run.argv.len && series.count)
			f->counted_ns = series.rows[series.count - 1].time_ns -
					series.head->start_ns;
		if (!f->start_ns && series.count) {
			f->start_ns = series.head->start_ns;
			f->end_ns = series.rows[series.count - 1].time_ns;
		}
		series_close(&series);
	}
	close(fd);
}

static void read_output(struct figures *f, struct request *request)
{
	int fd = result_file(request, "output", "output", NULL);

	if (fd < 0)
		return;
	f->has_output = true;
	output_sizes(fd, f->printed);
	f->facts.printed = f->printed[0] || f->printed[1];
	close(fd);
}

/* Files grow while a run goes on, and nobody says when: the answer is new each time then. */
static bool is_known(struct figures *f, struct request *request)
{
	char mark[PROFILES_MARK];

	profiles_mark(request->app->profiles, f->run.id, mark);
	return !result_is_growing(&f->run) &&
	       reply_etag(request,
			  arena_printf(&request->arena, "%" PRId64 "-%s", f->run.change, mark));
}

int figures_make(struct figures *f, struct request *request, struct err *err)
{
	struct profiles *profiles = request->app->profiles;
	int rc;

	*f = (struct figures){ 0 };
	rc = store_run_get(request->store, request->ids[0], &request->arena, &f->run, err);
	if (rc)
		return rc;
	if (is_known(f, request))
		return 1;
	read_run(f);
	rc = profiles_get(profiles, f->run.id, &f->profile, err);
	if (!rc) {
		read_profile(f);
		read_quality(f);
	} else if (rc != -ENOENT && rc != -EAGAIN) {
		return rc;
	}
	read_series(f, request);
	use_counters(f);
	find_nothing(f);
	read_output(f, request);
	return 0;
}

void figures_free(struct figures *f, struct request *request)
{
	profiles_put(request->app->profiles, f->profile);
	overview_facts_free(&f->facts);
	vec_free(&f->counters);
}

bool figures_cpu(const struct figures *f, uint64_t *cpu_ns)
{
	const struct overview_facts *facts = &f->facts;

	*cpu_ns = overview_cpu_ns(facts);
	return facts->knows_cpu || *cpu_ns;
}
