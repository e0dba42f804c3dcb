// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_plan.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/record_events.h"
#include "record/cost.h"

#include <errno.h>
#include <stdio.h>

/* What one event would come to. */
struct forecast {
	const char *name;
	double rate; /* samples a second in all; negative: can't be said before */
	double cost_ns, error_ns, bytes;
	double most;   /* bytes of a sample with as much stack as is allowed */
	double share;  /* of a busy CPU's time */
	bool stacks;   /* samples have them: shallow ones take less than the most */
	bool measured; /* its bytes, and its cost unless that is negative */
};

static size_t busy_cpus(const struct record_options *o)
{
	struct cpuset cpus = { 0 };
	size_t count = 1;

	if (o->cpus && !cpuset_parse(&cpus, o->cpus, NULL))
		count = cpus.len;
	else if (!cpuset_online(&cpus, NULL))
		count = cpus.len;
	cpuset_free(&cpus);
	return count;
}

static double samples_a_second(const struct event *event, const struct event_attr *attr,
			       const struct record_options *o)
{
	double rate;

	if (attr->base.freq)
		return (double)attr->base.sample_freq * (double)busy_cpus(o);
	if (!attr->base.sample_period)
		return 0;
	rate = sampling_event_rate(event);
	return rate < 0 ? rate : rate / (double)attr->base.sample_period;
}

#define RECORD_MOST  65535 /* the kernel's records have no room for more */
#define USUAL_FRAMES 127   /* of a chain, where the kernel does not say how many */

/* What the kernel puts into a chain at most. */
static double most_frames(const struct event_attr *attr)
{
	int64_t limit = USUAL_FRAMES;

	if (!(attr->base.sample_type & PERF_SAMPLE_CALLCHAIN))
		return 0;
	if (attr->base.sample_max_stack)
		return attr->base.sample_max_stack;
	file_number(&limit, "/proc/sys/kernel/perf_event_max_stack");
	return (double)limit;
}

/*
 * What was measured is a sample of a program that calls nothing: others' chains are as long as the
 * kernel lets them be.  A copy of the stack is as large as it may be with us as well, unless our
 * own stack ends before.
 */
static double most_bytes(const struct event_attr *attr, double bytes)
{
	double copy = attr->base.sample_type & PERF_SAMPLE_STACK_USER ? attr->base.sample_stack_user
								      : 0;
	double most = bytes + (bytes < copy ? copy : 0) + most_frames(attr) * sizeof(uint64_t);

	return most < RECORD_MOST ? most : RECORD_MOST;
}

/* The next of "NS:ERROR:BYTES,..."; false: there is none. */
static bool known_cost(const char **known, struct sampling_cost *cost)
{
	int length = 0;

	*cost = (struct sampling_cost){ 0 };
	if (sscanf(*known, "%lf:%lf:%lf%n", &cost->ns, &cost->error_ns, &cost->bytes, &length) != 3)
		return false;
	*known += length + ((*known)[length] == ',');
	return true;
}

/* Of each CPU that is busy. */
static double rate_on_one(double rate, const struct record_options *o)
{
	return rate / (double)busy_cpus(o);
}

static int forecast_event(struct forecast *forecast, const struct event_list *list, size_t index,
			  const struct record_options *o, const char **known, struct err *err)
{
	struct sampling_cost cost;
	struct event_attr attr;
	int rc = 0;

	sampling_attr(&attr, list, index, &o->choice, true);
	if (!known_cost(known, &cost))
		rc = sampling_cost_measure(&cost, list, index, &o->choice, err);
	if (rc && rc != -ENOTSUP)
		return rc;
	*forecast = (struct forecast){
		.name = list->events.data[index].name,
		.rate = samples_a_second(&list->events.data[index], &attr, o),
		.cost_ns = cost.ns,
		.error_ns = cost.error_ns,
		.bytes = cost.bytes,
		.stacks = attr.base.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER),
		.most = most_bytes(&attr, cost.bytes),
		.measured = rc == 0,
	};
	forecast->share = sampling_cost_share(&cost, rate_on_one(forecast->rate, o));
	return 0;
}

static void show(const struct forecast *f)
{
	char rate[TEXT_NUMBER], cost[TEXT_NUMBER], bytes[TEXT_NUMBER], mb[TEXT_NUMBER];

	printf("  %-28s ", f->name);
	if (f->rate < 0)
		printf("%14s", "?");
	else
		printf("%14s", text_decimal(rate, f->rate, 0, true));
	if (f->measured && f->cost_ns < 0)
		printf(" %14s %10s %10s\n", "?", text_decimal(bytes, f->most, 0, true),
		       text_decimal(mb, f->rate * f->most / 1e6, 2, true));
	else if (f->measured)
		printf(" %11s us %10s %10s\n", text_decimal(cost, f->cost_ns / 1000, 1, true),
		       text_decimal(bytes, f->most, 0, true),
		       text_decimal(mb, f->rate * f->most / 1e6, 2, true));
	else
		printf(" %14s %10s %10s\n", "?", "?", "?");
}

struct forecasts VEC_OF(struct forecast);

/* What all of them come to in a second. */
struct forecast_sum {
	double samples, bytes; /* at most */
	double share; /* of a CPU that is busy all the time, which takes its share of the samples */
	double share_error;
	bool stacks;
	bool all; /* nothing is left out that can't be foreseen */
	bool costs_known;
};

static struct forecast_sum add_up(const struct forecasts *forecasts, size_t cpus)
{
	struct forecast_sum sum = { .all = true, .costs_known = true };

	vec_each (forecast, forecasts) {
		if (!forecast->measured || forecast->rate < 0) {
			sum.all = sum.costs_known = false;
			continue;
		}
		sum.samples += forecast->rate;
		sum.stacks |= forecast->stacks;
		sum.bytes += forecast->rate * forecast->most;
		sum.costs_known = sum.costs_known && forecast->cost_ns >= 0;
		sum.share += forecast->share;
		sum.share_error += forecast->rate / (double)cpus * forecast->error_ns / NS_PER_SEC;
	}
	return sum;
}

#define MANY_TIMES 0.5 /* from here on slowdown is given as a factor, not in per cent */

static const char *times_text(char *into, double times)
{
	return text_decimal(into, times, times < 10 ? 1 : 0, true);
}

static void show_sum(const struct forecasts *forecasts, size_t cpus)
{
	struct forecast_sum sum = add_up(forecasts, cpus);
	double mb = sum.bytes / 1e6, extra = sampling_cost_slowdown(sum.share);
	char count_text[TEXT_NUMBER], second[TEXT_NUMBER], minute[TEXT_NUMBER], slower[TEXT_NUMBER];
	char error[TEXT_NUMBER];

	printf("\nWith %s CPU%s busy%s, the file grows by at most %s MB a second, %s MB a "
	       "minute%s.\n",
	       text_grouped(count_text, cpus), cpus == 1 ? "" : "s",
	       sum.all ? "" : ", besides what can't be foreseen", text_decimal(second, mb, 2, true),
	       text_decimal(minute, mb * 60, 0, true),
	       sum.stacks ? ";\nshallow stacks take less" : "");
	if (sum.all && !sum.costs_known)
		printf("How much slower programs run can't be told: this machine is too busy to "
		       "find out.\n");
	else if (extra >= MANY_TIMES)
		printf("Programs take about %s times as long while they are sampled, as "
		       "measured on a loop\nthat calls nothing; deep stacks cost more.\n",
		       times_text(slower, sampling_cost_times(sum.share, sum.share_error)));
	else
		printf("Programs take about %s %% (±%s) longer while they are sampled, as "
		       "measured on a loop\nthat calls nothing; deep stacks cost more.\n",
		       text_decimal(slower, 100 * extra, extra < 0.1 ? 1 : 0, true),
		       text_decimal(error, 100 * sum.share_error, sum.share_error < 0.1 ? 1 : 0,
				    true));
}

static int foresee(struct forecasts *forecasts, struct event_list *list, struct record_options *o,
		   struct catalog *catalog, const char *known, struct buf *notes, struct err *err)
{
	int rc = record_events(list, catalog, o, notes, err);

	if (!o->choice
		     .stack_size_given) /* as the recorder will choose it, if its rings have room */
		o->choice.stack_size = sampling_stack_size(o->choice.frequency, SIZE_MAX);
	for (size_t i = 0; i < list->events.len && !rc; i++)
		rc = forecast_event(vec_push(forecasts), list, i, o, &known, err);
	return rc;
}

int record_plan(struct record_options *o, struct catalog *catalog, struct err *err)
{
	struct event_list list = { 0 };
	struct forecasts forecasts = { 0 };
	struct buf notes = { 0 };
	int rc = foresee(&forecasts, &list, o, catalog, "", &notes, err);

	if (!rc) {
		fputs(buf_text(&notes), stdout);
		printf("  %-28s %14s %14s %10s %10s\n", "event", "samples/s", "time each",
		       "most bytes", "MB/s");
		vec_each (forecast, &forecasts)
			show(forecast);
		show_sum(&forecasts, busy_cpus(o));
	}
	buf_free(&notes);
	vec_free(&forecasts);
	event_list_free(&list);
	return rc ? rc : EXIT_DONE;
}

#define HIGH_RATE   20000 /* below it is not worth half a second to find out what it costs */
#define USUAL_RATE  9999
#define MUCH_SLOWER 0.25 /* of a CPU's time goes to samples */

void record_plan_warn(const struct record_options *o, const struct event_list *list,
		      struct buf *notes)
{
	double rate = (double)o->choice.frequency, share = 0, error = 0, usual = 0;
	char samples[TEXT_NUMBER], each[TEXT_NUMBER], times[TEXT_NUMBER], less[TEXT_NUMBER];
	double cost_ns = 0;

	if (o->choice.frequency < HIGH_RATE)
		return;
	for (size_t i = 0; i < list->events.len; i++) {
		struct sampling_cost cost;
		struct event_attr attr;

		sampling_attr(&attr, list, i, &o->choice, true);
		if (!attr.base.freq || sampling_cost_measure(&cost, list, i, &o->choice, NULL) ||
		    cost.ns < 0)
			continue;
		cost_ns += cost.ns;
		share += sampling_cost_share(&cost, (double)attr.base.sample_freq);
		error += (double)attr.base.sample_freq * cost.error_ns / NS_PER_SEC;
		usual += USUAL_RATE * cost.ns / NS_PER_SEC;
	}
	if (share < MUCH_SLOWER || usual >= 1)
		return;
	buf_printf(notes,
		   "note: %s samples a second of %s us each: programs take about %s times as "
		   "long; at -F %d about %s %% longer; see --plan\n",
		   text_grouped(samples, (uint64_t)rate),
		   text_decimal(each, cost_ns / 1000, 1, true),
		   times_text(times, sampling_cost_times(share, error)), USUAL_RATE,
		   text_decimal(less, 100 * sampling_cost_slowdown(usual), 0, true));
}

static void write_json(struct json *json, const struct forecasts *forecasts,
		       const struct forecast_sum *sum)
{
	json_double(json, "samples_per_second", sum->all ? sum->samples : -1);
	json_double(json, "bytes_per_second", sum->all ? sum->bytes : -1);
	json_double(json, "overhead", sum->costs_known ? sum->share : -1);
	json_double(json, "overhead_error", sum->costs_known ? sum->share_error : -1);
	json_open(json, "sampled", '[');
	vec_each (forecast, forecasts) {
		json_open(json, NULL, '{');
		json_text(json, "name", forecast->name);
		json_double(json, "per_second", forecast->rate);
		if (forecast->measured && forecast->cost_ns >= 0) {
			json_double(json, "cost_ns", forecast->cost_ns);
			json_double(json, "error_ns", forecast->error_ns);
		}
		if (forecast->measured)
			json_double(json, "bytes", forecast->bytes);
		json_close(json);
	}
	json_close(json);
}

int record_plan_json(struct record_options *o, struct catalog *catalog, const char *known,
		     struct json *json, struct err *err)
{
	struct event_list list = { 0 };
	struct forecasts forecasts = { 0 };
	struct buf notes = { 0 };
	int rc = foresee(&forecasts, &list, o, catalog, known, &notes, err);

	if (!rc) {
		struct forecast_sum sum = add_up(&forecasts, busy_cpus(o));

		write_json(json, &forecasts, &sum);
		json_text(json, "notes", buf_text(&notes));
	}
	buf_free(&notes);
	vec_free(&forecasts);
	event_list_free(&list);
	return rc;
}
