// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_plan.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/err.h"
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
	double cost_ns, bytes;
	bool measured;
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

static int forecast_event(struct forecast *forecast, const struct event_list *list, size_t index,
			  const struct record_options *o, struct err *err)
{
	struct sampling_cost cost;
	struct event_attr attr;
	int rc;

	sampling_attr(&attr, list, index, &o->choice, true);
	rc = sampling_cost_measure(&cost, list, index, &o->choice, err);
	if (rc && rc != -ENOTSUP)
		return rc;
	*forecast = (struct forecast){
		.name = list->events.data[index].name,
		.rate = samples_a_second(&list->events.data[index], &attr, o),
		.cost_ns = cost.ns,
		.bytes = cost.bytes,
		.measured = rc == 0,
	};
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
	if (f->measured)
		printf(" %11s us %10s %10s\n", text_decimal(cost, f->cost_ns / 1000, 1, true),
		       text_decimal(bytes, f->bytes, 0, true),
		       text_decimal(mb, f->rate * f->bytes / 1e6, 2, true));
	else
		printf(" %14s %10s %10s\n", "?", "?", "?");
}

/* A CPU that is busy all the time takes its share of the samples. */
static void show_sum(const struct forecast *forecasts, size_t count, size_t cpus)
{
	double mb = 0, share = 0;
	bool all = true;
	char count_text[TEXT_NUMBER], second[TEXT_NUMBER], minute[TEXT_NUMBER], slower[TEXT_NUMBER];

	for (size_t i = 0; i < count; i++) {
		if (!forecasts[i].measured || forecasts[i].rate < 0) {
			all = false;
			continue;
		}
		mb += forecasts[i].rate * forecasts[i].bytes / 1e6;
		share += forecasts[i].rate / (double)cpus * forecasts[i].cost_ns / NS_PER_SEC;
	}
	printf("\nWith %s CPU%s busy%s: the file grows by %s MB a second, %s MB a minute, and "
	       "programs\nrun about %s %% slower while they are sampled.\n",
	       text_grouped(count_text, cpus), cpus == 1 ? "" : "s",
	       all ? "" : ", besides what can't be foreseen", text_decimal(second, mb, 2, true),
	       text_decimal(minute, mb * 60, 0, true),
	       text_decimal(slower, 100 * share, share < 0.1 ? 1 : 0, true));
}

int record_plan(struct record_options *o, struct catalog *catalog, struct err *err)
{
	struct event_list list = { 0 };
	VEC(struct forecast) forecasts = { 0 };
	struct buf notes = { 0 };
	int rc = record_events(&list, catalog, o, &notes, err);

	for (size_t i = 0; i < list.events.len && !rc; i++)
		rc = forecast_event(vec_push(&forecasts), &list, i, o, err);
	if (!rc) {
		fputs(buf_text(&notes), stdout);
		printf("  %-28s %14s %14s %10s %10s\n", "event", "samples/s", "time each",
		       "bytes each", "MB/s");
		vec_each (forecast, &forecasts)
			show(forecast);
		show_sum(forecasts.data, forecasts.len, busy_cpus(o));
	}
	buf_free(&notes);
	vec_free(&forecasts);
	event_list_free(&list);
	return rc ? rc : EXIT_DONE;
}
