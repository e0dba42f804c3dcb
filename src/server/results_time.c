// SPDX-License-Identifier: Apache-2.0
/* Samples over time: heatmap, lanes, single samples, flame chart. */
#include "base/err.h"
#include "profile/moments.h"
#include "render/time_json.h"
#include "server/results.h"

#include <errno.h>

#define HEAT_ROWS     50
#define HEAT_ROWS_MAX 1000
#define LANE_COLUMNS  1000
#define LANES	      100
#define CHART_WIDTH   1500

static struct time_subject subject_of(const struct result *result)
{
	return (struct time_subject){ .run = result->run.id,
				      .profile = result->query.profile,
				      .span = result->span };
}

static int put_heatmap(struct request *request, const struct result *result, struct answer *answer,
		       struct err *err)
{
	struct time_subject subject = subject_of(result);
	uint32_t rows;
	int rc = result_number(request, "rows", HEAT_ROWS, 1, HEAT_ROWS_MAX, &rows, err);

	return rc ? rc
		  : time_heatmap_json(&subject, &result->query.view.filter, rows, &answer->out,
				      err);
}

static int put_lanes(struct request *request, const struct result *result, enum lane_kind kind,
		     struct answer *answer, struct err *err)
{
	struct lanes_options options = { .filter = result->query.view.filter,
					 .span = &result->span,
					 .kind = kind };
	struct time_subject subject = subject_of(result);
	int rc = result_number(request, "width", LANE_COLUMNS, 1, LANES_COLUMNS, &options.columns,
			       err);

	if (!rc)
		rc = result_number(request, "limit", LANES, 1, LANES_MOST, &options.limit, err);
	return rc ? rc : time_lanes_json(&subject, &options, &answer->out, err);
}

static int get_heatmap(struct request *request, struct err *err)
{
	static const char *const kinds[] = { "none", "cpu", "thread", NULL };
	struct result result;
	struct answer answer;
	unsigned kind;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = result_choice(request, "lanes", kinds, &kind, err);
	answer_begin(&answer, request);
	if (!rc)
		rc = kind ? put_lanes(request, &result, kind == 1 ? LANE_CPU : LANE_THREAD, &answer,
				      err)
			  : put_heatmap(request, &result, &answer, err);
	result_close(&result, request);
	return answer_end(&answer, rc);
}

static int get_samples(struct request *request, struct err *err)
{
	struct time_subject subject;
	struct result result;
	struct answer answer;
	uint32_t width;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	subject = subject_of(&result);
	answer_begin(&answer, request);
	rc = result_number(request, "width", CHART_WIDTH, 1, MOMENTS_COLUMNS, &width, err);
	if (!rc)
		rc = time_samples_json(&subject, &result.query.view.filter, width, &answer.out,
				       err);
	result_close(&result, request);
	return answer_end(&answer, rc);
}

static int get_chart(struct request *request, struct err *err)
{
	struct chart_options options = { 0 };
	struct time_subject subject;
	struct result result;
	struct answer answer;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	subject = subject_of(&result);
	options.event = result.query.view.filter.event;
	options.from = result.query.view.filter.time_from;
	options.to = result.query.view.filter.time_to;
	answer_begin(&answer, request);
	if (!result.query.view.filter.tids)
		rc = err_set(err, EINVAL, "tid: needs a thread");
	if (!rc)
		rc = result_number(request, "tid", 0, 0, UINT32_MAX, &options.tid, err);
	if (!rc)
		rc = result_number(request, "width", CHART_WIDTH, 1, CHART_COLUMNS,
				   &options.columns, err);
	if (!rc)
		rc = time_chart_json(&subject, &options, &answer.out, err);
	result_close(&result, request);
	return answer_end(&answer, rc);
}

const struct route time_routes[] = {
	{ "GET", "/api/v1/runs/{id}/heatmap", RIGHT_LOOK, get_heatmap },
	{ "GET", "/api/v1/runs/{id}/samples", RIGHT_LOOK, get_samples },
	{ "GET", "/api/v1/runs/{id}/chart", RIGHT_LOOK, get_chart },
	{ 0 },
};
