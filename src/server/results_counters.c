// SPDX-License-Identifier: Apache-2.0
/* Counters over time: as a plot, as they were read, as bars. */
#include "base/cpuset.h"
#include "base/err.h"
#include "render/series_json.h"
#include "server/app.h"
#include "server/profiles.h"
#include "server/results.h"
#include "server/run_end.h"

#include <errno.h>
#include <unistd.h>

#define RAW_ROWS     1000
#define RAW_ROWS_MAX 100000

struct counters {
	struct run run;
	const struct series *series;
	struct series growing; /* of a run that goes on: mapped as far as it is written */
	const struct series *shared;
	struct series since; /* one of them, from the run's start on */
	struct series_head head;
	uint64_t from_ns, to_ns;
};

/* 1: the client has the answer already. */
static int open_growing(struct counters *counters, struct request *request, struct err *err)
{
	int fd = result_file(request, "series", "counters", err);
	int rc = fd < 0 ? fd : result_same_file(request, &counters->run, fd);

	if (!rc)
		rc = series_open_fd(&counters->growing, fd, err);
	if (fd >= 0)
		close(fd);
	counters->series = &counters->growing;
	return rc;
}

static int open_complete(struct counters *counters, struct request *request, struct err *err)
{
	int rc = profiles_get_series(request->app->profiles, counters->run.id, &counters->shared,
				     err);

	counters->series = counters->shared;
	if (rc)
		return rc;
	if (!reply_etag(request, arena_printf(&request->arena, "%lld-series",
					      (long long)counters->run.change)))
		return 0;
	profiles_put_series(request->app->profiles, counters->shared);
	return 1;
}

/*
 * A program waits at a gate until its counters are open: what was read before is nothing, and
 * belongs neither to the axis nor to a mean.  What was attached to was counted from then on.
 */
static void begin_with_run(struct counters *counters)
{
	const struct series *series = counters->series;
	uint64_t start = run_began_at(&counters->run);
	size_t first = 0;

	if (!counters->run.argv.len || start <= series->head->start_ns)
		return;
	while (first < series->count && series->rows[first].time_ns <= start)
		if (series->rows[first++].enabled_ns)
			return;
	counters->head = *series->head;
	counters->head.start_ns = start;
	counters->since = *series;
	counters->since.head = &counters->head;
	counters->since.rows += first;
	counters->since.count -= first;
	counters->series = &counters->since;
}

/* 1: the client has the answer already. */
static int open_counters(struct counters *counters, struct request *request, struct err *err)
{
	int rc;

	*counters = (struct counters){ 0 };
	rc = store_run_get(request->store, request->ids[0], &request->arena, &counters->run, err);
	if (!rc)
		rc = result_range(request, &counters->from_ns, &counters->to_ns, err);
	if (rc)
		return rc;
	rc = open_complete(counters, request, err);
	if (rc == -ENOENT)
		rc = open_growing(counters, request, err);
	return rc;
}

static void close_counters(struct counters *counters, struct request *request)
{
	profiles_put_series(request->app->profiles, counters->shared);
	series_close(&counters->growing);
}

static struct series_subject subject_of(const struct counters *counters)
{
	return (struct series_subject){ .run = counters->run.id,
					.series = counters->series,
					.running = result_is_growing(&counters->run) };
}

/* "0,2": a byte for each event, or NULL for all. */
static int read_events(const struct request *request, const struct series *series, uint8_t **events,
		       struct err *err)
{
	const char *text = result_text(request, "events");
	struct cpuset list = { 0 };
	int rc;

	*events = NULL;
	if (!text)
		return 0;
	rc = cpuset_parse(&list, text, NULL);
	*events = mem_alloc(series->head->events + 1);
	vec_each (index, &list) {
		if ((uint32_t)*index >= series->head->events)
			rc = -EINVAL;
		else
			(*events)[*index] = 1;
	}
	cpuset_free(&list);
	if (!rc)
		return 0;
	free(*events);
	*events = NULL;
	return err_set(err, EINVAL, "events=%s: must be numbers below %u", text,
		       series->head->events);
}

/* "sum", "each", or CPUs, which are then shown each. */
static int read_cpus(const struct request *request, struct series_question *question,
		     struct cpuset *cpus, struct err *err)
{
	const char *text = result_text(request, "cpus");
	int rc;

	if (!text || !strcmp(text, "sum"))
		return 0;
	question->each_cpu = true;
	if (!strcmp(text, "each"))
		return 0;
	rc = cpuset_parse(cpus, text, err);
	question->cpus = cpus;
	return rc ? -EINVAL : 0;
}

static int read_per(const struct request *request, struct series_question *question,
		    struct err *err)
{
	static const char *const words[] = { "interval", "second", NULL };
	unsigned choice = 0;
	int rc = result_choice(request, "per", words, &choice, err);

	question->per_second = choice;
	return rc;
}

static int get_counters(struct request *request, struct err *err)
{
	struct series_question question = { 0 };
	struct cpuset cpus = { 0 };
	struct counters counters;
	struct series_subject subject;
	struct answer answer;
	uint8_t *events = NULL;
	int rc = open_counters(&counters, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	begin_with_run(&counters);
	question.from_ns = counters.from_ns;
	question.to_ns = counters.to_ns;
	rc = result_number(request, "width", PLOT_WIDTH, 1, PLOT_WIDTH_MAX, &question.width, err);
	if (!rc)
		rc = read_events(request, counters.series, &events, err);
	if (!rc)
		rc = read_cpus(request, &question, &cpus, err);
	if (!rc)
		rc = read_per(request, &question, err);
	if (!rc) {
		question.events = events;
		subject = subject_of(&counters);
		answer_begin(&answer, request);
		series_plot_json(&subject, &question, &answer.out);
		answer_end(&answer, 0);
	}
	free(events);
	cpuset_free(&cpus);
	close_counters(&counters, request);
	return rc;
}

static int get_raw(struct request *request, struct err *err)
{
	struct counters counters;
	struct series_subject subject;
	struct answer answer;
	uint32_t limit;
	uint64_t after;
	int rc = open_counters(&counters, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = result_number(request, "limit", RAW_ROWS, 1, RAW_ROWS_MAX, &limit, err);
	if (!rc)
		rc = request_u64(request, "after", 0, &after, err);
	if (!rc) {
		subject = subject_of(&counters);
		answer_begin(&answer, request);
		series_raw_json(&subject, counters.from_ns, counters.to_ns, after, limit,
				&answer.out);
		answer_end(&answer, 0);
	}
	close_counters(&counters, request);
	return rc;
}

/* By its name or its number; the first else. */
static int find_event(const struct request *request, const struct series *series, uint32_t *event,
		      struct err *err)
{
	const char *name = result_text(request, "event");
	uint64_t number;

	*event = 0;
	if (!series->head->events)
		return err_set(err, ENOENT, "nothing was counted");
	for (uint32_t i = 0; name && i < series->head->events; i++)
		if (!strcmp(series->names[i], name)) {
			*event = i;
			return 0;
		}
	if (!name)
		return 0;
	if (request_u64(request, "event", 0, &number, NULL) || number >= series->head->events)
		return err_set(err, EINVAL, "event=%s: it was not counted", name);
	*event = (uint32_t)number;
	return 0;
}

static int read_bars(const struct request *request, const struct counters *counters,
		     struct series_bars *bars, struct err *err)
{
	static const char *const scales[] = { "linear", "log", NULL };
	unsigned scale = 0;
	uint32_t cpu = 0;
	int rc = find_event(request, counters->series, &bars->event, err);

	if (!rc)
		rc = result_number(request, "bins", 50, 1, SERIES_BINS_MAX, &bars->bins, err);
	if (!rc)
		rc = result_number(request, "cpu", 0, 0, 65535, &cpu, err);
	if (!rc)
		rc = result_choice(request, "scale", scales, &scale, err);
	bars->log = scale;
	bars->cpu = result_text(request, "cpu") ? (int32_t)cpu : -1;
	bars->from_ns = counters->from_ns;
	bars->to_ns = counters->to_ns;
	return rc;
}

static int get_histogram(struct request *request, struct err *err)
{
	struct series_bars bars = { 0 };
	struct counters counters;
	struct series_subject subject;
	struct answer answer;
	int rc = open_counters(&counters, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	begin_with_run(&counters);
	rc = read_bars(request, &counters, &bars, err);
	if (!rc) {
		subject = subject_of(&counters);
		answer_begin(&answer, request);
		series_histogram_json(&subject, &bars, &answer.out);
		answer_end(&answer, 0);
	}
	close_counters(&counters, request);
	return rc;
}

const struct route counter_routes[] = {
	{ "GET", "/api/v1/runs/{id}/counters", RIGHT_LOOK, get_counters },
	{ "GET", "/api/v1/runs/{id}/counters/raw", RIGHT_LOOK, get_raw },
	{ "GET", "/api/v1/runs/{id}/counters/histogram", RIGHT_LOOK, get_histogram },
	{ 0 },
};
